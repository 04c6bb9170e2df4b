//go:build js && wasm

package main

import (
	"errors"
	"fmt"
	"runtime"
	"syscall/js"

	"bunzai/fault"
)

// door is one exported call. It runs in a goroutine of its own and may wait.
type door func(args []js.Value) (js.Value, error)

// settle holds the two functions of the promise being made; JavaScript is single-threaded, so one place is enough.
var settle struct{ resolve, reject js.Value }

var executor = js.FuncOf(func(_ js.Value, a []js.Value) any {
	settle.resolve, settle.reject = a[0], a[1]
	return nil
})

// promising makes a JavaScript function of work. The function lives as long as the engine.
func promising(work door) js.Func {
	promise := js.Global().Get("Promise")
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		p := promise.New(executor)
		resolve, reject := settle.resolve, settle.reject
		settle.resolve, settle.reject = js.Undefined(), js.Undefined()
		go func() {
			v, err := guarded(work, args)
			if err != nil {
				reject.Invoke(failure(err))
			} else {
				resolve.Invoke(v)
			}
			sweep()
		}()
		return p
	})
}

// guarded turns a panic into an error, so that one bad file never ends the engine.
func guarded(work door, args []js.Value) (v js.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = js.Undefined(), panicked(r)
		}
	}()
	return work(args)
}

func panicked(r any) error {
	e := &fault.Error{Code: fault.Internal, Message: fmt.Sprintf("bunzai met a fault of its own (%v); the file is untouched and other files still work. Please report it", r)}
	if err, ok := r.(error); ok {
		e.Err = err
		var f *fault.Error
		if errors.As(err, &f) {
			return f
		}
	}
	return e
}

// failure is the error as JavaScript gets it: an Error with the fields of Failure in types.ts.
func failure(err error) js.Value {
	f := fault.As(err)
	e := js.Global().Get("Error").New(f.Message)
	e.Set("name", "BunzaiError")
	e.Set("code", string(f.Code))
	e.Set("where", f.Where)
	e.Set("limit", js.Null())
	if l := f.Limit; l != nil {
		o := js.Global().Get("Object").New()
		o.Set("name", l.Name)
		o.Set("value", float64(l.Value))
		o.Set("found", float64(l.Found))
		o.Set("unit", l.Unit)
		o.Set("raise", l.Raise)
		e.Set("limit", o)
	}
	return e
}

// thrown is a failure that JavaScript threw at us, in words.
func thrown(v js.Value) string {
	if v.Type() != js.TypeObject {
		return "unknown reason"
	}
	name, msg := v.Get("name"), v.Get("message")
	switch {
	case name.Type() == js.TypeString && msg.Type() == js.TypeString:
		return name.String() + ": " + msg.String()
	case msg.Type() == js.TypeString:
		return msg.String()
	}
	return "unknown reason"
}

// held counts the bytes of JavaScript values that Go handles may still pin: a handle is let go when Go's collector
// runs, and a small Go heap gives it no cause to.
var held int64

// sweepAfter is the number of pinned bytes at which sweep collects.
const sweepAfter = 48 << 20

func pin(n int64) { held += n }

func sweep() {
	if held >= sweepAfter {
		held = 0
		runtime.GC()
	}
}

// await waits for a promise in a goroutine.
func await(p js.Value) (js.Value, error) {
	type outcome struct {
		v   js.Value
		err error
	}
	done := make(chan outcome, 1)
	first := func(a []js.Value) js.Value {
		if len(a) == 0 {
			return js.Undefined()
		}
		return a[0]
	}
	yes := js.FuncOf(func(_ js.Value, a []js.Value) any {
		done <- outcome{v: first(a)}
		return nil
	})
	defer yes.Release()
	no := js.FuncOf(func(_ js.Value, a []js.Value) any {
		done <- outcome{err: errors.New(thrown(first(a)))}
		return nil
	})
	defer no.Release()
	p.Call("then", yes, no)
	o := <-done
	return o.v, o.err
}
