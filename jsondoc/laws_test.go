package jsondoc

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
)

// corpus finds the JSON files of shared/corpus beside any folder above this one.
func corpus(t *testing.T) map[string][]byte {
	dir, err := filepath.Abs(".")
	require.NoError(t, err)
	root := ""
	for d := dir; root == "" && filepath.Dir(d) != d; d = filepath.Dir(d) {
		if s := filepath.Join(d, "shared", "corpus"); isDir(s) {
			root = s
		}
	}
	if root == "" {
		t.Skip("no folder shared/corpus beside any parent folder; the corpus is not part of the repository")
	}
	files := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.EqualFold(filepath.Ext(p), ".json") {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(root, p)
		files[name] = b
		return err
	}))
	require.NotEmpty(t, files)
	return files
}

func isDir(p string) bool {
	s, err := os.Stat(p)
	return err == nil && s.IsDir()
}

func TestCorpusLaws(t *testing.T) {
	for name, text := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			d, err := Parse(text, limits.Card())
			if !json.Valid(bytes.TrimPrefix(text, bom)) && fault.Is(err, fault.Damaged) {
				return // some samples are made to be refused
			}
			require.NoError(t, err)
			checkLaws(t, d, text)
		})
	}
}

func TestAcceptedLaws(t *testing.T) {
	for _, in := range append([]string{string(bigCard("  "))}, accepted...) {
		checkLaws(t, mustParse(t, []byte(in)), []byte(in))
	}
}

// checkLaws edits every place of d and takes the edit back. After each the text must be the source again, and
// while the edit stands, only its own bytes may differ.
func checkLaws(t *testing.T, d *Doc, text []byte) {
	before := d.Clone()
	budget := 40 << 20 // bytes compared in full while an edit stands
	unchanged := func(what string) {
		if d.Dirty() {
			t.Fatalf("%s: the document differs from its source", what)
		}
	}
	var visit func(v *Value, p Path)
	visit = func(v *Value, p Path) {
		switch v.Kind() {
		case KindObject:
			for name := range v.Members() {
				old := v.Get(name) // the last of duplicates
				at := p.Name(name).String()
				v.Set(name, String("\x01changed"))
				if budget > 0 {
					budget -= len(text)
					want := string(text[:old.off]) + `"\u0001changed"` + string(text[old.end:])
					require.True(t, want == string(d.Bytes()), "%s: the edit changes more than the value", at)
				}
				v.Set(name, old)
				unchanged(at)
				v.Set(name, String("\x01changed"))
				again, err := Raw(old.Raw(), limits.Card())
				require.NoError(t, err)
				v.Set(name, again)
				unchanged(at + " from its text")
				rebuilt := rebuild(old)
				v.Set(name, Null())
				v.Set(name, rebuilt)
				unchanged(at + " rebuilt")
				v.Set(name, old)
			}
			for i := range 3 {
				v.Set(strings.Repeat("\x01new", i+1), Array(Object(), Int(int64(i))))
			}
			require.True(t, v.Len() >= 3)
			if budget > 0 {
				budget -= len(text)
				b := d.Bytes()
				require.True(t, same(mustParse(t, b).Root, d.Root), "%s: what was written reads otherwise", p)
			}
			for i := range 3 {
				require.True(t, v.Delete(strings.Repeat("\x01new", i+1)))
			}
			unchanged(p.String() + " after deleting what was added")
			for name, m := range v.Members() {
				visit(m, p.Name(name))
			}
		case KindArray:
			var kept, fresh []*Value
			for _, e := range v.Elems() {
				kept, fresh = append(kept, e), append(fresh, rebuild(e))
			}
			v.SetElems(fresh)
			unchanged(p.String() + " with rebuilt elements")
			v.SetElems(kept)
			v.AppendElem(Object())
			v.AppendElem(Bool(true))
			if budget > 0 {
				budget -= len(text)
				require.True(t, same(mustParse(t, d.Bytes()).Root, d.Root), "%s: what was written reads otherwise", p)
			}
			v.SetElems(kept)
			unchanged(p.String() + " after removing what was added")
			for i, e := range v.Elems() {
				visit(e, p.Index(i))
			}
		}
	}
	visit(d.Root, "")
	require.True(t, bytes.Equal(text, d.Bytes()))
	require.True(t, bytes.Equal(text, before.Bytes()))
	require.True(t, bytes.Equal(text, d.Clone().Bytes()))
	require.True(t, Equal(d.Root, before.Root))
	require.True(t, Equal(d.Root, rebuild(d.Root)))
	c := d.Clone()
	c.Root = rebuild(d.Root)
	for _, indent := range []string{"", "\t"} {
		require.True(t, Equal(mustParse(t, NewDoc(rebuild(d.Root), indent).Bytes()).Root, d.Root))
	}
}

// rebuild makes v anew from what its readers return; objects with duplicate names are cloned.
func rebuild(v *Value) *Value {
	switch v.Kind() {
	case KindString:
		s, _ := v.Text()
		return String(s)
	case KindNumber:
		if n, ok := v.Int(); ok && !strings.HasPrefix(v.spelling(), "-0") {
			return Int(n)
		}
		s, _ := v.Num()
		return NumberText(s)
	case KindBool:
		b, _ := v.Bool()
		return Bool(b)
	case KindNull:
		return Null()
	case KindArray:
		a := Array()
		for _, e := range v.Elems() {
			a.AppendElem(rebuild(e))
		}
		return a
	}
	o := Object()
	for name, m := range v.Members() {
		if o.Has(name) {
			return v.Clone()
		}
		o.Set(name, rebuild(m))
	}
	return o
}
