//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const annCard = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"hi","extensions":{}}}`

// said runs the command line and returns its exit code with all that it printed.
func said(args ...string) (int, string) {
	var out, msg bytes.Buffer
	code := run(args, strings.NewReader(""), &out, &msg)
	return code, out.String() + msg.String()
}

// TestInputsAreNeverOverwritten: not by a report, nor by a ZIP, nor with --force, however they were named.
func TestInputsAreNeverOverwritten(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "z", "a.json"), filepath.Join(dir, "z", "b.json")
	require.NoError(t, os.Mkdir(filepath.Dir(a), 0o755))
	for _, f := range []string{a, b} {
		require.NoError(t, os.WriteFile(f, []byte(annCard), 0o600))
	}
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{a, b, "--out-dir", out, "--report-file", b},
		{filepath.Dir(a), "--out-dir", out, "--report-file", b},
		{filepath.Join(dir, "z", "*.json"), "--out-dir", out, "--report-file", b},
		{filepath.Dir(a), "--out-zip", a},
		{a, b, "--out-zip", a},
		{a, "--out-zip", filepath.Join(dir, "x.zip"), "--report-file", filepath.Join(dir, "z", "..", "x.zip")},
	} {
		code, words := said(append([]string{"convert", "--to", "lumiverse", "--force"}, args...)...)
		assert.Equal(t, exitUsage, code, words)
		for _, f := range []string{a, b} {
			now, err := os.ReadFile(f)
			require.NoError(t, err)
			assert.Equal(t, annCard, string(now))
		}
		assert.NoFileExists(t, filepath.Join(dir, "x.zip"))
	}
	// What an earlier run wrote there is no input, and is replaced.
	zip, report := filepath.Join(dir, "z", "all.zip"), filepath.Join(dir, "z", "all.jsonl")
	for range 2 {
		code, words := said("convert", filepath.Dir(a), "--to", "lumiverse", "--force", "--out-zip", zip, "--report-file", report)
		assert.Equal(t, exitDone, code, words)
		assert.Contains(t, words, "2 converted")
	}
}

// TestBatchRefusesWhatNoFileHas: a version or a kind of file that the app does not have is wrong usage, of many files too.
func TestBatchRefusesWhatNoFileHas(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.json"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(in, []byte(annCard), 0o600))
	for _, args := range [][]string{{"--spec", "v9"}, {"--container", "risum"}} {
		code, words := said(append([]string{"convert", in, "--to", "sillytavern", "--out-dir", out}, args...)...)
		if args[0] == "--spec" {
			assert.Equal(t, exitUsage, code, words)
			assert.NoDirExists(t, out)
		} else {
			assert.NotEqual(t, exitDone, code, words)
		}
	}
	code, words := said("convert", in, "--to", "lumiverse", "--container", "yaml", "--out-dir", out)
	assert.Equal(t, exitUsage, code, words)
	assert.Contains(t, words, `no files of the kind "yaml"`)
}

// TestFoldersThatAreNotThere are named, and not the temporary file in them.
func TestFoldersThatAreNotThere(t *testing.T) {
	dir := t.TempDir()
	in, gone := filepath.Join(dir, "a.json"), filepath.Join(dir, "gone")
	require.NoError(t, os.WriteFile(in, []byte(annCard), 0o600))
	for _, args := range [][]string{
		{"--out-zip", filepath.Join(gone, "x.zip")},
		{"--out-dir", filepath.Join(dir, "out"), "--report-file", filepath.Join(gone, "r.jsonl")},
		{"-o", filepath.Join(gone, "x.json")},
	} {
		code, words := said(append([]string{"convert", in, "--to", "lumiverse"}, args...)...)
		assert.Equal(t, exitUsage, code, words)
		assert.Contains(t, words, "there is no folder "+gone)
	}
}

// TestEndingAgainstKind: a file that comes out as another kind than its ending says is not written.
func TestEndingAgainstKind(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml")
	require.NoError(t, os.WriteFile(in, []byte("name: Ann\ncontext: A guide.\ngreeting: Hi.\n"), 0o600))
	code, words := said("convert", in, "--to", "sillytavern", "--spec", "v2", "-o", out)
	assert.Equal(t, exitUsage, code, words)
	assert.NoFileExists(t, out)
	code, words = said("convert", in, "--to", "sillytavern", "-o", out)
	assert.Equal(t, exitDone, code, words)
}

// TestLibraryIsNoPlaceForExports: a file of the library is a piece, and an export in its place would destroy it.
func TestLibraryIsNoPlaceForExports(t *testing.T) {
	dir := t.TempDir()
	in, lib := filepath.Join(dir, "ann.json"), filepath.Join(dir, "lib")
	require.NoError(t, os.WriteFile(in, []byte(annCard), 0o600))
	code, words := said("library", "import", in, "--dir", lib)
	require.Equal(t, exitDone, code, words)
	kept, err := os.ReadFile(filepath.Join(lib, "character", "ann.json"))
	require.NoError(t, err)
	for _, out := range []string{filepath.Join(lib, "character", "ann.json"), filepath.Join(lib, "new.png"), filepath.Join(lib, "character")} {
		code, words = said("library", "export", "ann", "--dir", lib, "--to", "sillytavern", "-o", out, "--force")
		assert.Equal(t, exitUsage, code, words)
		assert.Contains(t, words, "inside the library")
	}
	now, err := os.ReadFile(filepath.Join(lib, "character", "ann.json"))
	require.NoError(t, err)
	assert.Equal(t, string(kept), string(now))
	code, words = said("library", "export", "ann", "--dir", lib, "--to", "sillytavern", "-o", filepath.Join(dir, "ann.png"))
	assert.Equal(t, exitDone, code, words)
	require.NoError(t, os.WriteFile(filepath.Join(lib, "character", "ann.json"), kept[:len(kept)/2], 0o600))
	code, words = said("library", "list", "--dir", lib)
	assert.Equal(t, exitDone, code)
	assert.Contains(t, words, "damaged: the file is cut off")
}

// TestLibraryIntoLibrary: the pieces of a library's folder keep their links in another library, also where an id is taken.
func TestLibraryIntoLibrary(t *testing.T) {
	dir := t.TempDir()
	card := func(name, content string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"hi","extensions":{},"character_book":{"name":"W","extensions":{},"entries":[{"id":1,"keys":["k"],"content":"`+content+`","extensions":{},"enabled":true,"insertion_order":1}]}}}`), 0o600))
		return path
	}
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	for lib, file := range map[string]string{one: card("a.json", "first"), two: card("b.json", "second")} {
		code, words := said("library", "import", file, "--dir", lib)
		require.Equal(t, exitDone, code, words)
	}
	for _, again := range []string{"new", "already there"} {
		code, words := said("library", "import", one, "--dir", two)
		require.Equal(t, exitDone, code, words)
		assert.Contains(t, words, "lorebook/w-2 "+again)
		assert.Contains(t, words, "character/ann-2 "+again)
	}
	_, words := said("library", "show", "ann-2", "--dir", two)
	assert.Contains(t, words, "lorebook/w-2")
	code, words := said("library", "export", "ann-2", "--dir", two, "--to", "sillytavern", "--container", "json", "-o", "-")
	require.Equal(t, exitDone, code, words)
	assert.Contains(t, words, `"content":"first"`)
	_, words = said("library", "import", one, "--dir", one)
	assert.NotContains(t, words, " new")
}
