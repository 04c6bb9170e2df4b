package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program does the same without its tables of lines, and a crash still names its functions.
func TestProgramRunsTheSame(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is missing: the programs cannot run")
	}
	dir := t.TempDir()
	whole, small := filepath.Join(dir, "whole.wasm"), filepath.Join(dir, "small.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", whole, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NoError(t, run(whole, small))
	a, b := size(t, whole), size(t, small)
	t.Logf("%d bytes before, %d after", a, b)

	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	exe := func(file string) (stdout, stderr string) {
		var o, e bytes.Buffer
		c := exec.Command(node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), file)
		c.Stdout, c.Stderr = &o, &e
		var exit *exec.ExitError
		require.True(t, errors.As(c.Run(), &exit), "the program ends in a crash: %s", e.String())
		assert.Equal(t, 2, exit.ExitCode())
		return o.String(), e.String()
	}
	wantOut, wantErr := exe(whole)
	gotOut, gotErr := exe(small)
	assert.Contains(t, wantOut, "names main.caller main.main\n")
	assert.Equal(t, wantOut, gotOut)
	const crash = "panic: runtime error: index out of range [5] with length 0"
	for _, s := range []string{crash, "main.crash(", "main.main("} {
		assert.Contains(t, wantErr, s)
		assert.Contains(t, gotErr, s)
	}
	assert.Contains(t, wantErr, "main.go:")
	assert.NotContains(t, gotErr, ".go:", "lines are gone")
	assert.Contains(t, gotErr, "?:0")

	// Once more, nothing is left to take.
	again := filepath.Join(dir, "again.wasm")
	require.NoError(t, run(small, again))
	assert.Equal(t, read(t, small), read(t, again))
}

func read(t *testing.T, file string) []byte {
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return b
}

func size(t *testing.T, file string) int { return len(read(t, file)) }

// Data keeps its place whatever the runs of zeros in it, and runs that are worth a header are not stored.
func TestDataKeepsItsPlace(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	for name, memory := range map[string]string{
		"none": "", "plain": "abc", "leading": zeros(100) + "abc", "trailing": "abc" + zeros(100), "short runs": "a" + zeros(joined-1) + "b",
		"long run": "a" + zeros(joined) + "b", "sixty-four of each": strings.Repeat("ab"+zeros(joined)+"cd", 64), "far": zeros(1<<20) + "a",
	} {
		m := &module{before: []byte("\x00asm\x01\x00\x00\x00"), after: []byte{0, 1, 0}, memory: []byte(memory)}
		b := m.bytes()
		got, err := parse(b)
		require.NoError(t, err, name)
		assert.Equal(t, strings.TrimRight(memory, "\x00"), string(got.memory), name)
		assert.Equal(t, m.after, got.after, name)
		assert.Less(t, len(b)-len(strings.ReplaceAll(memory, zeros(joined), "")), 40*max(1, strings.Count(memory, "b")), name)
		for n := range b[:len(b)-len(m.after)] {
			if _, err := parse(b[:n]); err == nil {
				t.Fatalf("%s: cut to %d bytes it is taken", name, n)
			}
		}
	}
}

// What is no program of a known toolchain is refused, not changed by guess.
func TestOthersAreRefused(t *testing.T) {
	head := "\x00asm\x01\x00\x00\x00"
	for _, c := range []struct{ what, wasm, says string }{
		{"text", "hello, this is text", "no WebAssembly"},
		{"no data", head, "no data"},
		{"passive data", head + "\x0b\x05\x01\x01\x02ab", "fixed address"},
		{"no tables", string((&module{before: []byte(head), memory: []byte("no tables here")}).bytes()), "laid out"},
		{"a lone magic", string((&module{before: []byte(head), memory: []byte("1234567" + headerMagic + strings.Repeat("\xff", 200))}).bytes()), "laid out"},
	} {
		_, err := slim([]byte(c.wasm))
		assert.ErrorContains(t, err, c.says, c.what)
	}
}
