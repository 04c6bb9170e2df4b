// A program that uses what the runtime's tables are for: deep stacks, collection, recovery, names of functions, a crash.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

type node struct {
	next *node
	text string
}

func grow(depth int, list *node) int {
	var room [64]int
	room[depth%64] = depth
	if depth == 0 {
		runtime.GC() // every frame's pointers are looked up
		n := 0
		for ; list != nil; list = list.next {
			n += len(list.text)
		}
		return n
	}
	return grow(depth-1, &node{list, strings.Repeat("x", depth%7)}) + room[depth%64] - depth
}

func recovered(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err, _ = r.(error)
		}
	}()
	f()
	return nil
}

//go:noinline
func caller() string {
	pc := make([]uintptr, 8)
	frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])
	var names []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			names = append(names, f.Function)
		}
		if !more {
			return strings.Join(names, " ")
		}
	}
}

func each(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func main() {
	fmt.Println("deep", grow(5000, nil))
	var at []int
	var null *node
	fmt.Println("recovered", recovered(func() { at[len(os.Args)]++ }), recovered(func() { null.text = "" }),
		recovered(func() { panic(errors.New("own")) }))
	answers := make(chan string)
	for i := range 50 {
		go func() { answers <- fmt.Sprintf("%02d:%d", i, grow(100*i, nil)) }()
	}
	var all []string
	for range 50 {
		all = append(all, <-answers)
	}
	slices.Sort(all)
	fmt.Println("tasks", all)
	sum := 0
	for i := range each(100) {
		defer func() { sum += i }()
	}
	fmt.Println("names", caller())
	crash(at)
}

//go:noinline
func crash(at []int) { fmt.Println(at[len(os.Args)+4]) }
