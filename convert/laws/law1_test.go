package laws

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
)

// Law 1: same format, unedited: identical.

// TestLaw1 writes every source for the app that reads it, without an edit, and once more with its container named.
func TestLaw1(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		if s.foreign {
			t.Skip("its app cannot read this file, so another one is written")
		}
		p := read(t, s.data)
		out := emit(t, p, convert.Options{To: p.Info.App})
		sameFile(t, s.data, out)
		named := emit(t, p, convert.Options{To: p.Info.App, Container: p.Container})
		q, err := convert.New().Read(sourceOf(s.data), convert.Options{Name: "a file.of its own"})
		require.NoError(t, err)
		require.Equal(t, out, emit(t, q, convert.Options{To: p.Info.App, Name: "a file.of its own"}), "the name of the file is no edit")
		require.Equal(t, out, named, "the container that it came in, asked for by name, changes nothing")
	})
}

// sameFile asserts law 1 between a file and what was written: documents and all else byte for byte.
func sameFile(t testing.TB, before, after []byte) {
	t.Helper()
	a, b := apart(t, before), apart(t, after)
	sameRest(t, a, b)
	require.Equal(t, names(a.docs), names(b.docs), "card documents")
	for i := range a.docs {
		if a.docs[i].text != b.docs[i].text {
			assert.Fail(t, "the JSON is not byte for byte the same", "%s: %+v", a.docs[i].name, compare(t, a.docs[i].text, b.docs[i].text))
		}
	}
}

func names(ds []doc) (out []string) {
	for _, d := range ds {
		out = append(out, d.name)
	}
	return out
}
