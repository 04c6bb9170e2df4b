//go:build !js

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bookCard = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","first_mes":"Hello.","extensions":{},"character_book":{"name":"Forest","extensions":{},"entries":[{"keys":["oak"],"content":"Old oak.","extensions":{},"enabled":true,"insertion_order":1,"id":1}]}}}`

const worldInfo = `{"name":"Forest","entries":{"0":{"uid":0,"key":["fern"],"keysecondary":[],"comment":"Fern","content":"Green fern.","constant":false,"selective":true,"order":100,"position":0,"disable":false}}}`

// done runs a command that must succeed and returns what it printed.
func done(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := cli(t, "", args...)
	require.Equal(t, exitDone, code, "%v: %s", args, errs)
	return out
}

// What a person does with a library, from the first list to a merged book that comes apart again.
func TestLibrary(t *testing.T) {
	in(t, "sera.json", bookCard)
	lib := filepath.Join(t.TempDir(), "not", "yet")
	t.Setenv("BUNZAI_LIBRARY", lib)
	require.NoError(t, os.WriteFile("Forest.json", []byte(worldInfo), 0o644))
	require.NoError(t, os.WriteFile("photo.png", []byte("\x89PNG\r\n\x1a\nbroken"), 0o644))

	code, out, errs := cli(t, "", "library", "list")
	assert.Equal(t, exitDone, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, "there is nothing in the library")
	assert.NoDirExists(t, lib, "looking makes no folder")
	code, _, errs = cli(t, "", "library", "export", "sera", "--to", "lumiverse")
	assert.Equal(t, exitNoPiece, code)
	assert.Contains(t, errs, `the library has no piece with the id "sera"`)

	assert.Contains(t, done(t, "library", "import", "Forest.json"), "lorebook/forest new")
	code, out, _ = cli(t, "", "library", "import", "photo.png", "sera.json")
	assert.Equal(t, exitFailed, code, "one of them was damaged")
	assert.Contains(t, out, "character/sera new, with lorebook/forest-2 new (forest is taken)")
	assert.Contains(t, done(t, "library", "import", "sera.json"), "character/sera already there, with lorebook/forest-2 already there")

	assert.Equal(t, 3, strings.Count(done(t, "library", "list"), "\n"))
	assert.Equal(t, 1, strings.Count(done(t, "library", "list", "--kind", "character"), "\n"))
	var list []struct{ Kind, ID, Name string }
	require.NoError(t, json.Unmarshal([]byte(done(t, "library", "list", "--json")), &list))
	assert.Equal(t, "forest", list[0].ID)
	show := done(t, "library", "show", "sera")
	assert.Contains(t, show, "Hello.")
	assert.True(t, strings.HasSuffix(show, "links:\n  lorebook/forest-2\n"), show)

	var shown struct {
		Pieces []struct{ Name string }
		Links  []struct{ ID string }
	}
	require.NoError(t, json.Unmarshal([]byte(done(t, "library", "show", "sera", "--json")), &shown))
	assert.Equal(t, "Sera", shown.Pieces[0].Name)
	assert.Equal(t, "forest-2", shown.Links[0].ID)

	done(t, "library", "export", "sera", "--to", "sillytavern", "-o", "back.json")
	back, err := os.ReadFile("back.json")
	require.NoError(t, err)
	assert.Equal(t, bookCard, string(back))
	code, _, errs = cli(t, "", "library", "export", "sera", "--to", "sillytavern", "-o", "back.json")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "back.json exists")

	assert.Equal(t, "character/sera links lorebook/forest-2, lorebook/forest\n", done(t, "library", "attach", "sera", "forest"))
	assert.Equal(t, "character/sera links lorebook/forest, lorebook/forest-2\n", done(t, "library", "attach", "sera", "forest", "--at", "1"))
	done(t, "library", "export", "character/sera", "--to", "sillytavern", "-o", "merged.json")
	t.Setenv("BUNZAI_LIBRARY", filepath.Join(t.TempDir(), "fresh"))
	assert.Regexp(t, `character/sera new, with lorebook/forest\S* new.*, lorebook/forest\S* new`, done(t, "library", "import", "merged.json"))
	assert.Equal(t, 2, strings.Count(done(t, "library", "list", "--kind", "lorebook"), "\n"))

	t.Setenv("BUNZAI_LIBRARY", lib)
	assert.Equal(t, "deleted lorebook/forest\n", done(t, "library", "delete", "forest"))
	done(t, "library", "delete", "lorebook/forest-2")
	code, out, errs = cli(t, "", "library", "export", "sera", "--to", "lumiverse", "-o", "out.png")
	assert.Equal(t, exitNoPiece, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, `character "sera" needs what the library does not have: lorebook "forest", lorebook "forest-2"`)
	assert.NoFileExists(t, "out.png")
	code, _, errs = cli(t, "", "library", "export", "sera", "--to", "lumiverse", "--json")
	assert.Equal(t, exitNoPiece, code)
	assert.Contains(t, errs, `"code":"no-piece"`)
	assert.Contains(t, done(t, "library", "show", "sera"), "lorebook/forest-2 (the library does not have it)")
	done(t, "library", "detach", "sera", "forest")
	assert.Equal(t, "character/sera links nothing\n", done(t, "library", "detach", "sera", "lorebook/forest-2"))
	done(t, "library", "export", "sera", "--to", "sillytavern", "-o", "bare.json")
	bare, err := os.ReadFile("bare.json")
	require.NoError(t, err)
	assert.NotContains(t, string(bare), "character_book")
}

// Ids that two kinds have must be told apart, and nothing that is asked for leaves the library.
func TestLibraryNames(t *testing.T) {
	in(t, "sera.json", bookCard)
	t.Setenv("BUNZAI_LIBRARY", filepath.Join(t.TempDir(), "lib"))
	require.NoError(t, os.WriteFile("Sera.json", []byte(strings.ReplaceAll(worldInfo, "Forest", "Sera")), 0o644))
	done(t, "library", "import", "sera.json", "Sera.json")
	code, _, errs := cli(t, "", "library", "show", "sera")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs, `"sera" is the id of several pieces; write lorebook/sera or character/sera`)
	assert.Contains(t, done(t, "library", "attach", "sera", "sera"), "character/sera links lorebook/forest, lorebook/sera", "where only one fits, it is meant")
	for _, id := range []string{"../../etc/passwd", "character/../lorebook/sera", "character/", "/", "", "a\x00b"} {
		code, _, errs := cli(t, "", "library", "show", id)
		assert.NotEqual(t, exitDone, code, id)
		assert.NotContains(t, errs, "internal", id)
	}
}

// An account backup goes in piece by piece, each once.
func TestLibraryBackup(t *testing.T) {
	path := bak(t, small())
	t.Setenv("BUNZAI_LIBRARY", filepath.Join(t.TempDir(), "lib"))
	out := done(t, "library", "import", path)
	assert.Contains(t, out, "persona/me new; character/ann new; character/ann-2 new")
	assert.Contains(t, done(t, "library", "import", path), "character/ann already there; character/ann-2 already there")
	assert.Equal(t, 3, strings.Count(done(t, "library", "list"), "\n"))
}
