//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/testdata/samples"
)

// bunzai is this program in a process of its own.
func bunzai(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "BUNZAI_TEST_RUN=1")
	return cmd
}

// TestBatchOddFiles: a pipe that nobody writes to does not hold up the rest, nor does a file that may not be read.
func TestBatchOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "in/a.json", card)
	writeFile(t, "in/secret.json", card)
	writeFile(t, "in/closed/x.json", card)
	require.NoError(t, syscall.Mkfifo("in/pipe.png", 0o644))
	require.NoError(t, os.Chmod("in/secret.json", 0))
	require.NoError(t, os.Chmod("in/closed", 0))
	t.Cleanup(func() { os.Chmod("in/closed", 0o755) })
	for _, args := range [][]string{{"in"}, {"in/a.json", "in/secret.json", "in/closed", "in/pipe.png"}} {
		require.NoError(t, os.RemoveAll("out"))
		code, stdout, stderr := cli(t, "", append([]string{"convert", "--to", "lumiverse", "--out-dir", "out"}, args...)...)
		assert.Contains(t, stdout, "pipe.png  this is a pipe or a device", stderr)
		if os.Getuid() == 0 {
			assert.Equal(t, exitDone, code, "root may read everything")
			continue
		}
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, stdout, "no permission to open")
		assert.Equal(t, []string{"a.json"}, keys(tree(t, "out")))
	}
}

// TestBatchFullDisk: a full disk ends the batch with one message and leaves no half file.
func TestBatchFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full here")
	}
	t.Chdir(t.TempDir())
	for i := range 20 {
		writeFile(t, fmt.Sprintf("in/%02d.png", i), string(samples.PNG(samples.Chunk{Type: "prVt", Data: make([]byte, 20_000)}, samples.Card("chara", numbered(i)))))
	}
	// A process that may write so much into one file and no more stands for the full disk.
	cmd := exec.Command("sh", "-c", `ulimit -f 64; exec "$0" convert in --to lumiverse --out-zip out.zip --jobs 2`, os.Args[0])
	cmd.Env = append(os.Environ(), "BUNZAI_TEST_RUN=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.Error(t, cmd.Run())
	assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), errs.String())
	assert.Contains(t, errs.String(), "file too large")
	assert.Contains(t, out.String(), "out.zip was not written")
	assert.Len(t, tree(t, "."), 20, "nothing but the inputs")
}

// TestBatchStopped: Ctrl-C finishes what was begun, leaves no half file, and says how far it came.
func TestBatchStopped(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("word ", 20_000)
	for i := range 2000 {
		writeFile(t, fmt.Sprintf("in/%04d.json", i), strings.Replace(numbered(i), "A forest keeper.", long, 1))
	}
	for _, flag := range []string{"--out-dir", "--out-zip"} {
		cmd := bunzai("convert", "in", "--to", "lumiverse", flag, "out", "--jobs", "2", "--report-file", "r.jsonl", "--force")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { // the report grows
			found, _ := filepath.Glob(".bunzai-*")
			for _, f := range found {
				if info, err := os.Stat(f); err == nil && info.Size() > 0 {
					return true
				}
			}
			return false
		}, time.Minute, time.Millisecond)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Error(t, cmd.Wait())
		require.Equal(t, exitStopped, cmd.ProcessState.ExitCode(), errs.String())
		assert.Contains(t, out.String(), "not begun")
		assert.Regexp(t, `bunzai: stopped after [\d,]+ of 2,000 files`, errs.String())
		report, err := os.ReadFile("r.jsonl")
		require.NoError(t, err)
		list, last := lines(t, string(report))
		assert.Equal(t, 2000-len(list), last.Summary.NotStarted)
		got := tree(t, ".")
		delete(got, "r.jsonl")
		if flag == "--out-zip" {
			assert.Contains(t, out.String(), "out was not written")
			assert.Len(t, got, 2000, "no ZIP, also no part of one")
			continue
		}
		assert.Len(t, got, 2000+last.Summary.Converted, "what is reported is there, and nothing else")
		for name, text := range got {
			if strings.HasPrefix(name, "out/") {
				assert.True(t, strings.HasSuffix(text, "}") && len(text) > len(long), name)
			}
		}
		require.NoError(t, os.RemoveAll("out"))
	}
}

// TestBatchMemory converts 500 and 2,000 cards of a mebibyte each with the built program and compares the peaks. Run it
// with BUNZAI_LONG=1; it needs 5 GiB in TMPDIR.
func TestBatchMemory(t *testing.T) {
	if os.Getenv("BUNZAI_LONG") == "" {
		t.Skip("BUNZAI_LONG is not set")
	}
	t.Chdir(t.TempDir())
	long := strings.Repeat("A long way through the wood. ", 1<<10)
	noise := make([]byte, 1<<20)
	for i := range 2000 {
		for j := range noise {
			noise[j] = byte(i*j>>7) ^ byte(j)
		}
		text := strings.Replace(numbered(i), "A forest keeper.", long, 1)
		writeFile(t, fmt.Sprintf("all/%d/%04d.png", i/500, i), string(samples.PNG(samples.Chunk{Type: "prVt", Data: noise}, samples.Card("chara", text))))
	}
	peaks := map[string]int64{}
	for _, jobs := range []string{"1", "2"} {
		for _, in := range []string{"all/0", "all"} {
			cmd := bunzai("convert", in, "--to", "lumiverse", "--out-dir", "out", "--jobs", jobs)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			began := time.Now()
			require.NoError(t, cmd.Run(), stderr.String())
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
			peaks[in+jobs] = peak
			made := 0 // reading them would count for the next process, which begins as a copy of this one
			require.NoError(t, filepath.WalkDir("out", func(_ string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					made++
				}
				return err
			}))
			t.Logf("%d cards, --jobs %s: peak %d MiB, %v", made, jobs, peak, time.Since(began).Round(time.Millisecond))
			require.NoError(t, os.RemoveAll("out"))
		}
		assert.Less(t, peaks["all"+jobs], peaks["all/0"+jobs]+16, "four times the cards, the same memory")
	}
}
