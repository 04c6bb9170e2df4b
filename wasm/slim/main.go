// Package main makes a Go program for GOOS=js smaller; it does the same and says less when it crashes:
//
//	go run ./wasm/slim program.wasm [smaller.wasm]
//
// The linker cuts the data at every run of eight zeros, up to 100,000 segments, whose headers compress badly: they are
// joined (module.go). And it cannot be told to leave out the tables of source lines and of inlined calls, a fifth of the
// data when compressed: they are emptied as the runtime expects of code without them (lines.go). A crash then names its
// functions with "?" for file and line, and who asks for callers (runtime.Callers; nobody here does) gets no inlined
// ones; an ordinary build of the same commit has the rest.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: slim program.wasm [smaller.wasm]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if b, err = slim(b); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return os.WriteFile(to, b, 0o644)
}

func slim(b []byte) ([]byte, error) {
	m, err := parse(b)
	if err != nil {
		return nil, err
	}
	if err := dropLines(m.memory); err != nil {
		return nil, err
	}
	return m.bytes(), nil
}
