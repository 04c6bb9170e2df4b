package book

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

func parse(t *testing.T, s string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

// taken are the books of a card, each as its name and the contents of its entries.
func taken(t *testing.T, card *jsondoc.Value) (out []string, warnings []string) {
	t.Helper()
	books, warnings, err := Extract(card, "", "sillytavern", nil)
	require.NoError(t, err)
	for _, b := range books {
		s := b.Lorebook().Name + ":"
		for _, e := range b.Lorebook().Entries {
			s += " " + e.Content
		}
		out = append(out, s)
	}
	return out, warnings
}

// TestMergedBooksAreEdited: an app may put the entries of a merged book into another order, add some and delete some.
// Each goes back to its own book.
func TestMergedBooksAreEdited(t *testing.T) {
	book := func(name string, contents ...string) *canonical.Entity {
		b := &lorebook{Name: name}
		for i, c := range contents {
			b.Entries = append(b.Entries, &entry{ID: fmt.Sprint(i), Content: c})
		}
		return &canonical.Entity{Kind: canonical.KindLorebook, ID: name, Body: b}
	}
	merged, err := Tavern.Merge([]*canonical.Entity{book("Forest", "bear", "wolf"), book("Empty"), book("Sea", "fish", "kelp")}, nil)
	require.NoError(t, err)
	entries := func(edit func(l []*jsondoc.Value) []*jsondoc.Value) *jsondoc.Value {
		card := jsondoc.Object()
		card.Set("character_book", merged.Clone())
		list := card.At("character_book", "entries")
		list.SetElems(edit(elems(list)))
		return card
	}
	fresh := parse(t, `{"id": 77, "keys": ["x"], "content": "new", "enabled": true, "insertion_order": 1, "extensions": {}}`)
	for name, c := range map[string]struct {
		edit func(l []*jsondoc.Value) []*jsondoc.Value
		want []string
	}{
		"as it was":  {func(l []*jsondoc.Value) []*jsondoc.Value { return l }, []string{"Forest: bear wolf", "Empty:", "Sea: fish kelp"}},
		"reversed":   {func(l []*jsondoc.Value) []*jsondoc.Value { return []*jsondoc.Value{l[3], l[2], l[1], l[0]} }, []string{"Forest: wolf bear", "Empty:", "Sea: kelp fish"}},
		"one gone":   {func(l []*jsondoc.Value) []*jsondoc.Value { return l[1:] }, []string{"Forest: wolf", "Empty:", "Sea: fish kelp"}},
		"one at end": {func(l []*jsondoc.Value) []*jsondoc.Value { return append(l, fresh.Clone()) }, []string{"Forest: bear wolf", "Empty:", "Sea: fish kelp new"}},
		"one inside": {func(l []*jsondoc.Value) []*jsondoc.Value {
			return append([]*jsondoc.Value{l[0], fresh.Clone()}, l[1:]...)
		}, []string{"Forest: bear new wolf", "Empty:", "Sea: fish kelp"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, warnings := taken(t, entries(c.edit))
			assert.Equal(t, c.want, got)
			assert.Empty(t, warnings)
		})
	}
}

// TestRecordsThatDoNotFit: a record by numbers alone counts while the numbers fit, and a record that is not followed is
// told; none makes more books than bunzai follows.
func TestRecordsThatDoNotFit(t *testing.T) {
	card := func(record string, n int) *jsondoc.Value {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"id": %d, "keys": ["k"], "content": "c%d", "enabled": true, "insertion_order": 1, "extensions": {}}`, i, i))
		}
		return parse(t, `{"character_book": {"name": "A", "extensions": {"vaud_source_books": [`+record+`]}, "entries": [`+strings.Join(list, ",")+`]}}`)
	}
	got, warnings := taken(t, card(`{"name":"A","entryCount":1},{"name":"B","entryCount":2}`, 3))
	assert.Equal(t, []string{"A: c0", "B: c1 c2"}, got)
	assert.Empty(t, warnings)
	got, warnings = taken(t, card(`{"name":"A","entryCount":1},{"name":"B","entryCount":2}`, 2))
	assert.Equal(t, []string{"A: c0 c1"}, got)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "does not fit")
	got, warnings = taken(t, card(`{"name":"Z","entryCount":0},`+strings.Repeat(`{"name":"Z","entryCount":0},`, formats.MostMerged)+`{"name":"B","entryCount":1}`, 1))
	assert.Len(t, got, 1)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "more than bunzai follows")
	got, _ = taken(t, card(strings.Repeat(`{"name":"Z","entryCount":0},`, formats.MostMerged-1)+`{"name":"B","entryCount":1}`, 1))
	assert.Len(t, got, formats.MostMerged)
}
