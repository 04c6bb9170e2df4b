package folder

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/library"
	"bunzai/library/storetest"
	"bunzai/rope"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestFolder(t *testing.T) {
	storetest.Run(t, func(t *testing.T) library.Store { return open(t, filepath.Join(t.TempDir(), "new", "library")) })
}

func TestFileName(t *testing.T) {
	folded := map[string]string{}
	for _, id := range storetest.Ids() {
		name := fileName(id)
		other, taken := folded[convert.FoldName(name)]
		assert.False(t, taken, "%q and %q would be one file", id, other)
		folded[convert.FoldName(name)] = id
		assert.NotContains(t, name, "/")
		assert.NotContains(t, name, ".")
		assert.NotContains(t, name, `\`)
		assert.LessOrEqual(t, len(name), longest)
		if back, ok := idOf(name); ok {
			assert.Equal(t, id, back)
		} else {
			assert.Contains(t, name, "~", "%q", id)
		}
	}
	assert.Equal(t, "sera-漢字-é", fileName("sera-漢字-é"), "a slug stands for itself")
	assert.Equal(t, "%C3%9F", fileName("ß"), "but for the few letters that some file systems take for others")
	assert.Equal(t, "%63on", fileName("con"))
	assert.Equal(t, "%2E%2E%2Fsera", fileName("../sera"))
}

// A library that people and other programs reach: what is no piece is left alone, and a link leads nowhere.
func TestForeignFiles(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside.json")
	require.NoError(t, os.WriteFile(outside, []byte(`{"schemaVersion":"1","kind":"lorebook","id":"out","body":{"name":"Out","entries":[]}}`), 0o644))
	s := open(t, dir)
	ctx := context.Background()
	data := rope.FromBytes([]byte(`{"schemaVersion":"1","kind":"lorebook","id":"mine","body":{"name":"Mine","entries":[]}}`))
	mine := library.Summary{Kind: canonical.KindLorebook, ID: "mine", Name: "Mine", Size: data.Size()}
	require.NoError(t, s.Create(ctx, mine, data))
	books := filepath.Join(dir, "lorebook")
	for name, text := range map[string]string{".bunzai-1-1": "{", "notes.txt": "x", "Upper.json": "{}", "broken.json": "{\"id\":", "half%2.json": "{}"} {
		require.NoError(t, os.WriteFile(filepath.Join(books, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Mkdir(filepath.Join(books, "dir.json"), 0o755))
	require.NoError(t, os.Symlink(outside, filepath.Join(books, "out.json")))
	list, err := s.List(ctx, "")
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, library.Summary{Kind: canonical.KindLorebook, ID: "broken", Size: 6, Problem: "is cut off or empty"}, list[0], "a piece that is damaged is seen, so that its owner can do something")
	assert.Equal(t, mine, list[1])
	assert.Equal(t, "out", list[2].ID)
	assert.Contains(t, list[2].Problem, "not followed")
	_, err = s.Open(ctx, library.Ref{Kind: canonical.KindLorebook, ID: "out"})
	require.Error(t, err, "outside the folder")
	assert.Contains(t, err.Error(), "a link that leads out of its folder")
	for text, problem := range map[string]string{
		`{"schemaVersion":"1","kind":"regex","id":"odd","body":{"name":"O"}}`:                    "is no lorebook inside",
		`{"schemaVersion":"1","kind":"lorebook","id":"even","body":{"name":"O","entries":[]}}`:   "says another id inside",
		`{"schemaVersion":"1","kind":"lorebook","id":"odd","body":{"name":"O","entries":[{"id":`: "is cut off or empty",
		``: "is cut off or empty",
		`{"schemaVersion":"1","kind":"lorebook","id":"odd","body":{"name":"O","entries":[]}}` + "\n": "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(books, "odd.json"), []byte(text), 0o644))
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		require.Equal(t, "odd", list[2].ID)
		assert.Equal(t, problem, list[2].Problem, text)
	}
	require.NoError(t, os.Remove(filepath.Join(books, "odd.json")))

	// A kept piece in place of the link does not write through it.
	require.NoError(t, s.Replace(ctx, library.Summary{Kind: canonical.KindLorebook, ID: "out"}, data))
	b, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"Out"`)
	left, err := filepath.Glob(filepath.Join(books, ".bunzai-*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(books, ".bunzai-1-1")}, left, "no file of ours is left over")
}

func TestTwoStoresOneFolder(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir), open(t, dir)
	ctx := context.Background()
	x := library.Summary{Kind: canonical.KindCharacter, ID: "sera"}
	won := make(chan bool)
	for _, s := range []*Store{a, b, a, b} {
		go func() { won <- s.Create(ctx, x, rope.FromBytes([]byte("{}"))) == nil }()
	}
	n := 0
	for range 4 {
		if <-won {
			n++
		}
	}
	assert.Equal(t, 1, n)
}
