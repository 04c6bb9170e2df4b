//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/testdata/samples"
)

// TestReadme runs the examples of the README's part about the command line as a person would, in a shell.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, part, ok := strings.Cut(string(text), "\n## Command line\n")
	require.True(t, ok)
	part, _, _ = strings.Cut(part, "\n## ")

	bin := t.TempDir()
	self, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, filepath.Join(bin, "bunzai")))
	account, err := os.ReadFile(bak(t, small()))
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	png := string(samples.PNG(samples.Card("chara", card)))
	for path, content := range map[string]string{
		"card.png": png, "card.json": card, "account.lvbak": string(account), "cards/a.png": png, "cards/sub/b.png": png, "cards/README.md": "mine",
		"more/c.json": card, "forest.json": worldInfo,
	} {
		writeFile(t, path, content)
	}
	makeZip(t, "cards.zip", zip.Deflate, packed{"a.png", png}, packed{"x/b.json", card})

	library := filepath.Join(t.TempDir(), "library")
	run := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(part, -1) {
		for example := range strings.Lines(block[1]) {
			if strings.HasPrefix(example, "bunzai serve") {
				continue // does not end
			}
			require.True(t, strings.HasPrefix(example, "bunzai "), example)
			cmd := exec.Command("sh", "-c", example)
			cmd.Env = append(os.Environ(), "BUNZAI_TEST_RUN=1", "PATH="+bin+":"+os.Getenv("PATH"), "BUNZAI_LIBRARY="+library)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			require.NoError(t, cmd.Run(), "%s%s", example, errs.String())
			run++
		}
	}
	assert.Greater(t, run, 20)
	for dir, want := range map[string][]string{
		"json": {"a.json"}, "lumi": {"a.png", "sub/b.png"}, "found": {"a.png", "sub/b.png"}, "both": {"cards/Sera.png", "cards/sub/Sera.png", "more/Sera.json"},
		"st": {"a.png", "sub/b.png"},
	} {
		assert.ElementsMatch(t, want, keys(tree(t, dir)), dir)
	}
	got, _ := entries(t, "lumi.zip")
	assert.ElementsMatch(t, []string{"a.png", "x/b.json"}, keys(got))
	assert.FileExists(t, "st.jsonl")
}
