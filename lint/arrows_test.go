package lint

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "bunzai/"

// floor is what everything above may use.
var floor = []string{"fault", "limits", "rope"}

// arrows says which of our folders a folder may import; the longest name that fits counts. A name that ends in / is
// the folder and all below it. What is not listed may not be there at all, so that a new folder gets its place here.
var arrows = map[string][]string{
	"fault":             {},
	"limits":            {"fault"},
	"rope":              {"fault", "limits"},
	"jsondoc":           floor,
	"canonical":         append(floor, "jsondoc"),
	"canonical/":        append(floor, "jsondoc", "canonical/"), // the schema and the program that makes it
	"container/":        append(floor, "jsondoc", "container/"),
	"formats":           append(floor, "jsondoc", "canonical", "container/"),
	"formats/internal/": append(floor, "jsondoc", "canonical", "container/", "formats", "formats/internal/"),
	"formats/":          append(floor, "jsondoc", "canonical", "container/", "formats", "formats/internal/"), // and itself, see below
	"formats/all":       {"formats/"},
	"formats/all/":      append(floor, "canonical", "formats/"), // the support matrix and the program that makes it
	"convert":           append(floor, "jsondoc", "canonical", "container/", "formats", "formats/internal/", "formats/all"),
	"library":           append(floor, "jsondoc", "canonical", "container/", "formats", "formats/all", "convert"),
	"library/":          append(floor, "canonical", "convert", "library/"),
	"edge/":             append(floor, "jsondoc", "canonical", "formats", "formats/all", "convert", "wasm/plain", "edge/"),
	"wasm/plain":        {},
	"wasm/":             append(floor, "canonical", "formats", "formats/all", "convert", "library", "edge/", "wasm/"),
	"cmd/":              append(floor, "canonical", "formats", "formats/all", "convert", "library/", "edge/", "wasm/plain", "cmd/"),
	"bench/":            append(floor, "jsondoc", "canonical", "container/", "formats/", "convert", "library", "wasm/plain", "bench/"),
	"lint":              {},
	"testdata/":         {"fault", "limits", "rope", "jsondoc", "canonical", "container/", "formats/", "convert"}, // programs that make inputs
}

func fits(name, folder string) bool {
	if dir, below := strings.CutSuffix(name, "/"); below {
		return folder == dir || strings.HasPrefix(folder, name)
	}
	return folder == name
}

func rule(folder string) (may []string, ok bool) {
	if may, ok = arrows[folder]; ok {
		return may, ok
	}
	longest := -1
	for name, list := range arrows {
		if fits(name, folder) && len(name) > longest {
			longest, may, ok = len(name), list, true
		}
	}
	return may, ok
}

// allowed reports whether a folder may import another one of ours.
func allowed(from, to string) bool {
	may, _ := rule(from)
	for _, name := range may {
		if fits(name, to) {
			return true
		}
	}
	// An app's folder may have folders of its own; another app's folder is never in reach.
	app, ok := appOf(from)
	other, same := appOf(to)
	return ok && same && app == other
}

func appOf(folder string) (string, bool) {
	rest, ok := strings.CutPrefix(folder, "formats/")
	app, _, _ := strings.Cut(rest, "/")
	return app, ok && app != "internal" && app != "all"
}

// heavy are libraries that the wasm programs do without: the Worker's size has a bound.
var heavy = map[string]string{
	"regexp":        "90 KB compressed; write out what is looked for",
	"encoding/json": "jsondoc reads and wasm/plain writes",
	"net/http":      "sockets live in edge and cmd",
	"text/template": "there is package strings",
	"html/template": "there is package strings",
	"math/big":      "numbers of a card keep their spelling",
}

// inWasm reports a folder whose code is in the Worker.
func inWasm(folder string) bool {
	for _, f := range []string{"cmd/", "bench/", "testdata/", "lint", "edge", "library/", "canonical/", "formats/all/", "wasm/slim"} {
		if fits(f, folder) && folder != "canonical" && folder != "formats/all" {
			return false
		}
	}
	return true
}

func TestArrowsPointDown(t *testing.T) {
	root := ".."
	documented := map[string]bool{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); p != root && (strings.HasPrefix(n, ".") || n == "node_modules" || n == "bin" || n == "dist") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, p)
		require.NoError(t, err)
		folder := path.Dir(filepath.ToSlash(rel))
		// The imports of files for every system count, so build lines are not asked.
		file, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			assert.NoError(t, err)
			return nil
		}
		if strings.HasSuffix(p, "_test.go") {
			return nil // tests may look anywhere
		}
		if _, ok := rule(folder); !ok {
			assert.Fail(t, "a folder without a place", "%s is not in the table of arrows", folder)
			return nil
		}
		documented[folder] = documented[folder] || file.Doc != nil
		for _, im := range file.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			require.NoError(t, err)
			if why := heavy[name]; why != "" && inWasm(folder) {
				assert.Fail(t, "a library too large for the Worker", "%s imports %s: %s", rel, name, why)
			}
			if to, ours := strings.CutPrefix(name, module); ours && !allowed(folder, to) {
				assert.Fail(t, "an arrow points up or sideways", "%s imports %s (%s)", folder, to, rel)
			}
		}
		return nil
	})
	require.NoError(t, err)
	for folder, ok := range documented {
		assert.True(t, ok, "the package in %s has no doc comment that says what lives there and what must not", folder)
	}
	assert.NotEmpty(t, documented)
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"canonical", "jsondoc", true},
		{"canonical", "formats", false},
		{"jsondoc", "canonical", false},
		{"formats", "formats/internal/fieldmap", false},
		{"formats/risu", "formats", true},
		{"formats/risu", "formats/internal/fieldmap", true},
		{"formats/risu", "formats/risu/wire", true},
		{"formats/risu", "formats/lumiverse", false},
		{"formats/internal/fieldmap", "formats/risu", false},
		{"formats/all", "formats/risu", true},
		{"convert", "formats/all", true},
		{"convert", "formats/risu", false},
		{"cmd/bunzai", "convert", true},
		{"cmd/bunzai", "wasm/engine", false},
		{"convert", "cmd/bunzai", false},
		{"container/zip", "container/png", true},
		{"container/zip", "formats", false},
	} {
		assert.Equal(t, c.want, allowed(c.from, c.to), "%s -> %s", c.from, c.to)
	}
}
