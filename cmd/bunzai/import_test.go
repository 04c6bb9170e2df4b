//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/testdata/lvbak"
)

// bak writes a small backup and returns its path.
func bak(t *testing.T, a lvbak.Account) string {
	path := filepath.Join(t.TempDir(), "my account.lvbak")
	require.NoError(t, os.WriteFile(path, a.Build(), 0o644))
	return path
}

func small() lvbak.Account {
	return lvbak.Account{
		Tables: map[string][]string{
			"characters": {lvbak.Row("id", "c1", "name", "Ann", "description", "d", "extensions", `json:{}`, "image_id", "i1"), lvbak.Row("id", "c2", "name", "ann", "description", "e"), "broken"},
			"personas":   {lvbak.Row("id", "p1", "name", "Me", "description", "d", "metadata", `json:{}`, "image_id", "i1")},
			"images":     {lvbak.Image("i1")},
		},
		Files: map[string][]byte{"files/images/i1.png": lvbak.Pixel(1)},
	}
}

func TestImportFolder(t *testing.T) {
	in := bak(t, small())
	out := filepath.Join(t.TempDir(), "x", "y")
	var stdout, stderr bytes.Buffer
	require.Equal(t, exitDone, run([]string{"import", in, "-o", out}, nil, &stdout, &stderr), stderr.String())
	require.Contains(t, stdout.String(), "imported: 2 characters")
	require.Contains(t, stdout.String(), "rows that failed: 1")
	var files []string
	filepath.Walk(out, func(p string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			files = append(files, strings.TrimPrefix(filepath.ToSlash(p), filepath.ToSlash(out)+"/"))
		}
		return nil
	})
	require.Equal(t, []string{"characters/Ann.charx", "characters/ann (2).charx", "personas/Me.json", "personas/Me.png"}, files)

	// Not into a folder that has something, and with --strict the failed row counts.
	require.Equal(t, exitUsage, run([]string{"import", in, "-o", out}, nil, &stdout, &stderr))
	require.Equal(t, exitFailed, run([]string{"import", in, "-o", out, "--force", "--strict"}, nil, &stdout, &stderr))
	require.Contains(t, stderr.String(), "1 rows or pieces could not be imported")
}

func TestImportZip(t *testing.T) {
	in := bak(t, small())
	dir := t.TempDir()
	var first []byte
	for _, n := range []string{"a.zip", "b.zip"} {
		var stdout, stderr bytes.Buffer
		out := filepath.Join(dir, n)
		require.Equal(t, exitDone, run([]string{"import", in, "-o", out, "--to", "bunzai", "--report", "json"}, nil, &stdout, &stderr), stderr.String())
		require.Contains(t, stdout.String(), `"path":"characters/Ann.bunzai.json"`)
		b, err := os.ReadFile(out)
		require.NoError(t, err)
		if first == nil {
			first = b
		}
		require.Equal(t, first, b)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".bunzai-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestImportOther(t *testing.T) {
	in := bak(t, small())
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"detect", in}, exitNotRecognized, "a Lumiverse account backup (.lvbak)"},
		{[]string{"inspect", in}, exitNotRecognized, "bunzai import FILE.lvbak -o FOLDER"},
		{[]string{"import", "import_test.go"}, exitNotRecognized, "no account backup"},
		{[]string{"import", in, "--to", "nothing"}, exitUsage, `there is no app "nothing"`},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, c.code, run(c.args, nil, &stdout, &stderr), "%v: %s", c.args, stderr.String())
		require.Contains(t, stderr.String(), c.says, "%v", c.args)
	}
}
