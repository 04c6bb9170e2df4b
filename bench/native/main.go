// Command native writes the benchmark inputs into a folder and measures the command line on them: the wall time and
// the peak memory of a whole process from file to file. It prints a table; nothing is asserted.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"bunzai/bench"
)

func main() {
	dir := flag.String("dir", "bin/bench", "folder for the inputs")
	program := flag.String("program", "bin/bunzai", "the command line to measure")
	inputs := flag.Bool("inputs", false, "only write the inputs")
	large := flag.String("huge", "", "only write the huge input, to this file")
	flag.Parse()
	work := func() error {
		if err := measure(*dir, *program); err != nil {
			return err
		}
		return huge(*dir, *program)
	}
	switch {
	case *inputs:
		work = func() error { return write(*dir) }
	case *large != "":
		work = func() error { return writeHuge(*large) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, in := range bench.Inputs() {
		if err := os.WriteFile(filepath.Join(dir, in.Name), in.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func measure(dir, program string) error {
	// The inputs are made by another process: a child's peak counts what its parent held when it was started.
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if out, err := exec.Command(self, "-inputs", "-dir", dir).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	fmt.Println("command line, one process a run (median of 5): start, read, convert, report, write")
	fmt.Printf("%-16s %-8s %9s %9s %9s  %s\n", "input", "to", "ms", "MB/s", "peak MB", "what")
	for _, in := range bench.List() {
		info, err := os.Stat(filepath.Join(dir, in.Name))
		if err != nil {
			return err
		}
		for _, to := range []string{"json", "png", "charx"} {
			args := []string{"convert", filepath.Join(dir, in.Name), "--to", "sillytavern", "--container", to, "--allow-loss", "--force", "-o", filepath.Join(dir, "out")}
			var times []time.Duration
			var peak int64
			refused := ""
			for range 5 {
				took, kib, said, err := run(program, args...)
				if err != nil {
					refused = said
					break
				}
				times, peak = append(times, took), max(peak, kib)
			}
			if refused != "" {
				fmt.Printf("%-16s %-8s %s\n", in.Name, to, refused)
				continue
			}
			sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
			ms := times[2].Seconds() * 1000
			fmt.Printf("%-16s %-8s %9.1f %9.1f %9.1f  %s\n", in.Name, to, ms, float64(info.Size())/1e6/times[2].Seconds(), float64(peak)/1024, in.What)
		}
	}
	return nil
}

// run runs the command line once: the wall time, the peak memory in KiB, and what it said.
func run(program string, args ...string) (took time.Duration, peak int64, said string, err error) {
	cmd := exec.Command(program, args...)
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(began)
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = u.Maxrss
	}
	return took, peak, strings.TrimSpace(string(out)), err
}
