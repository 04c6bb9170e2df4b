package laws

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// corpusDir finds the shared test corpus beside a checkout; a user's clone has none ("").
func corpusDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		if d := filepath.Join(dir, "shared", "corpus"); isDir(d) {
			return d
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func isDir(p string) bool { s, err := os.Stat(p); return err == nil && s.IsDir() }

// source is one input of the laws: a sample of ours, or a real file.
type source struct {
	name    string
	data    []byte
	foreign bool // its app cannot read it, so that identity is not asked for
	real    bool
}

// sources returns every sample, and where it is present every file of the corpus that a format claims.
var sources = sync.OnceValue(func() []source {
	var out []source
	for _, s := range samples.All() {
		out = append(out, source{name: s.Name, data: s.Data, foreign: s.Foreign})
	}
	files, _ := filepath.Glob(filepath.Join(corpusDir(), "*.*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil || len(b) == 0 || corpusDir() == "" {
			continue
		}
		if p, err := convert.New().Read(rope.Bytes(b), convert.Options{}); err == nil {
			out = append(out, source{filepath.Base(f), b, p.Variant == "tavern" || p.Variant == "lumiverse-book" || p.Info.App == "risu" && p.Variant == "list", true})
		}
	}
	return out
})

// eachSource runs fn for every source as a subtest.
func eachSource(t *testing.T, fn func(t *testing.T, s source)) {
	n := 0
	for _, s := range sources() {
		if s.real {
			n++
		}
		t.Run(s.name, func(t *testing.T) { fn(t, s) })
	}
	if n == 0 {
		t.Log("no shared corpus beside this checkout: only our own samples were tried")
	}
}

func read(t testing.TB, data []byte) *convert.Pieces {
	t.Helper()
	p, err := convert.New().Read(rope.Bytes(data), convert.Options{})
	require.NoError(t, err)
	return p
}

func emit(t testing.TB, p *convert.Pieces, o convert.Options) []byte {
	t.Helper()
	o.SkipReport = true
	out, err := convert.New().Emit(p, o)
	require.NoError(t, err)
	return bytesOf(t, out.Data)
}

func convertTo(t testing.TB, data []byte, o convert.Options) (*convert.Output, []byte) {
	t.Helper()
	out, err := convert.New().Convert(rope.Bytes(data), o)
	require.NoError(t, err)
	return out, bytesOf(t, out.Data)
}

func bytesOf(t testing.TB, r *rope.Rope) []byte {
	t.Helper()
	b, err := r.Bytes()
	require.NoError(t, err)
	return b
}

// codecs are those of the registry that have sources: characters and lorebooks.
func codecs(k canonical.Kind) (out []formats.Codec) {
	for _, c := range convert.New().Registry.Codecs() {
		if c.Info().Kind == k {
			out = append(out, c)
		}
	}
	return out
}

// decodeAs reads data with one codec, whoever else claims it, and takes the books out: what the report is checked
// against, without the pipeline.
func decodeAs(t testing.TB, c formats.Codec, data []byte) (*canonical.Entity, []*canonical.Entity) {
	t.Helper()
	in, err := formats.Open(rope.Bytes(data), "", limits.Card())
	require.NoError(t, err)
	d, err := c.Decode(in)
	require.NoError(t, err)
	var books []*canonical.Entity
	if x, ok := c.(formats.BookExtractor); ok {
		books, _, err = x.ExtractBooks(d.Entity)
		require.NoError(t, err)
	}
	return d.Entity, books
}

// decodeLinked is decodeAs with all pieces of the file: books, then regex sets, then further ones of its kind.
func decodeLinked(t testing.TB, c formats.Codec, data []byte) (*canonical.Entity, []*canonical.Entity) {
	t.Helper()
	e, out := decodeAs(t, c, data)
	if x, ok := c.(formats.RegexExtractor); ok {
		sets, _, err := x.ExtractRegex(e)
		require.NoError(t, err)
		out = append(out, sets...)
	}
	in, err := formats.Open(rope.Bytes(data), "", limits.Card())
	require.NoError(t, err)
	d, err := c.Decode(in)
	require.NoError(t, err)
	return e, append(out, d.More...)
}

// linked are the pieces beside the main one, in the order of the report: its books, its regex sets, and further pieces
// of its kind in the same file.
func linked(p *convert.Pieces) []*canonical.Entity {
	return p.All()[1:]
}

// isOn reports a piece that is not switched off.
func isOn(e *canonical.Entity) bool {
	switch b := e.Body.(type) {
	case *canonical.Lorebook:
		return canonical.Or(b.Enabled, true)
	case *canonical.RegexSet:
		return canonical.Or(b.Enabled, true)
	}
	return true
}

// bodies are the pieces' bodies, the main one first, its links left out.
func bodies(main *canonical.Entity, books []*canonical.Entity) []any {
	out := []any{noRefs(main.Body)}
	for _, b := range books {
		out = append(out, b.Body)
	}
	return out
}

func sourceOf(b []byte) rope.Source { return rope.Bytes(b) }
