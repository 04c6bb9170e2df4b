package laws

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/testdata/samples"
)

// The three-way contract of the embedded lorebook: nil leaves the twin alone, an empty list removes every copy, books
// replace what is embedded; several books become one and come back as several.

func encode(t testing.TB, c formats.Codec, e *canonical.Entity, books []*canonical.Entity) []byte {
	t.Helper()
	enc, err := c.Encode(e, formats.EncodeContext{Lorebooks: books, Limits: limits.Card()})
	require.NoError(t, err)
	return bytesOf(t, enc.Data)
}

// newBook is a lorebook as an editor makes it.
func newBook(name string, entries ...string) *canonical.Entity {
	b := &canonical.Lorebook{Name: name, Entries: []*canonical.Entry{}}
	for i, content := range entries {
		b.Entries = append(b.Entries, &canonical.Entry{ID: strconv.Itoa(i), Title: canonical.Ptr(content), Content: content, Enabled: canonical.Ptr(true),
			Triggers: []canonical.Trigger{{Keyword: "key of " + content}}, SortOrder: canonical.Ptr(float64(10 * i)), Position: canonical.Ptr(canonical.PosWorld),
			Constant: canonical.Ptr(false), TriggerMode: canonical.Ptr("simple"), SelectiveLogic: canonical.Ptr(canonical.LogicAndAny)})
	}
	return &canonical.Entity{Kind: canonical.KindLorebook, ID: canonical.Slug(name), Body: b}
}

func contents(b *canonical.Entity) (out []string) {
	for _, e := range b.Lorebook().Entries {
		out = append(out, e.Content)
	}
	return out
}

func TestBookContract(t *testing.T) {
	for _, c := range codecs(canonical.KindCharacter) {
		if _, ok := c.(formats.BookExtractor); !ok {
			continue
		}
		for _, s := range sources() {
			p := read(t, s.data)
			if p.Primary.Kind != canonical.KindCharacter || p.Info.ID != c.Info().ID {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				a := apart(t, s.data)
				t.Run("nil leaves the twin alone", func(t *testing.T) {
					assert.Equal(t, a.docs, apart(t, encode(t, c, p.Primary, nil)).docs)
				})
				t.Run("the same books change nothing", func(t *testing.T) {
					books := p.Books
					if books == nil {
						books = []*canonical.Entity{}
					}
					assert.Equal(t, a.docs, apart(t, encode(t, c, p.Primary, books)).docs)
				})
				t.Run("none removes every copy", func(t *testing.T) {
					out := encode(t, c, p.Primary, []*canonical.Entity{})
					_, books := decodeAs(t, c, out)
					assert.Empty(t, books)
					for _, d := range apart(t, out).docs {
						doc, err := jsondoc.Parse([]byte(d.text), limits.Card())
						require.NoError(t, err)
						for _, slot := range [][]string{{"character_book"}, {"data", "character_book"}, {"data", "extensions", "character_book"}, {"extensions", "character_book"}} {
							if e := doc.Root.At(slot...).Get("entries"); e.Len() == 1 && e.Elem(0).At("extensions", "bunzai", "characterNote") != nil {
								continue // Risu's entry of the character's note, which is no lore
							}
							assert.NotEqual(t, jsondoc.KindObject, doc.Root.At(slot...).Kind(), "%s still has %v", d.name, slot)
						}
						if w := doc.Root.Get("world_books"); w != nil {
							assert.Zero(t, w.Len())
						}
					}
				})
				t.Run("one replaces", func(t *testing.T) {
					_, books := decodeAs(t, c, encode(t, c, p.Primary, []*canonical.Entity{newBook("Only", "x", "y")}))
					require.Len(t, books, 1)
					assert.Equal(t, "Only", books[0].Lorebook().Name)
					assert.Equal(t, []string{"x", "y"}, contents(books[0]))
				})
				t.Run("three come back as three", func(t *testing.T) {
					list := []*canonical.Entity{newBook("One", "a", "b"), newBook("Two"), newBook("Three", "c", "d", "e")}
					list[0].Lorebook().GlobalScanDepth = canonical.Ptr(3.0)
					list[2].Lorebook().TokenBudget = canonical.Ptr(700.0)
					out := encode(t, c, p.Primary, list)
					_, books := decodeAs(t, c, out)
					require.Len(t, books, 3)
					for i := range list {
						ch, err := canonical.Diff(list[i].Body, books[i].Body)
						require.NoError(t, err)
						for _, d := range ch {
							assert.True(t, blank(d.Before) && blank(d.After), "book %d: %s was %v and is %v", i, d.Path, d.Before, d.After)
						}
					}
					uniqueIDs(t, out)
				})
			})
		}
	}
}

// uniqueIDs asserts that the ids of the card's book are whole numbers and unique.
func uniqueIDs(t testing.TB, data []byte) {
	t.Helper()
	for _, d := range apart(t, data).docs {
		doc, err := jsondoc.Parse([]byte(d.text), limits.Card())
		require.NoError(t, err)
		book := doc.Root.At("data", "character_book")
		if book == nil {
			book = doc.Root.Get("character_book")
		}
		seen := map[int64]bool{}
		for i, e := range book.Get("entries").Elems() {
			id, ok := e.Get("id").Int()
			assert.True(t, ok, "%s: entries[%d].id is %s", d.name, i, e.Get("id").Raw())
			assert.False(t, seen[id], "%s: id %d stands twice", d.name, id)
			seen[id] = true
		}
	}
}

// TestDisabledBooks are left out, and the report names each.
func TestDisabledBooks(t *testing.T) {
	p := read(t, samples.Get("v3-merged-books.json").Data)
	require.Len(t, p.Books, 2)
	for _, c := range codecs(canonical.KindCharacter) {
		if c.Info().App == "bunzai" {
			continue
		}
		for off := range 2 {
			q := edited(p, off+1, func(b any) { b.(*canonical.Lorebook).Enabled = canonical.Ptr(false) })
			out, err := convert.New().Emit(q, convert.Options{To: c.Info().ID})
			require.NoError(t, err)
			_, books := decodeAs(t, c, bytesOf(t, out.Data))
			require.Len(t, books, 1)
			assert.Equal(t, p.Books[1-off].Lorebook().Name, books[0].Lorebook().Name)
			var lost []int
			for _, i := range out.Report.Items {
				if i.Path == "knowledgeRefs" && i.Verdict == convert.Lost {
					lost = append(lost, i.Piece)
					assert.Contains(t, i.Reason, "switched off")
				}
			}
			assert.Equal(t, []int{off + 1}, lost)
		}
	}
}

// TestMergedIDs: the ids of two books that both count from 0 stay apart, and a book that is edited alone leaves the
// other's entries as they are.
func TestMergedIDs(t *testing.T) {
	card := read(t, samples.Get("v1.json").Data)
	for _, c := range codecs(canonical.KindCharacter) {
		if c.Info().App == "bunzai" {
			continue
		}
		list := []*canonical.Entity{newBook("One", "a", "b"), newBook("Two", "c", "d")}
		list[1].Lorebook().Entries[0].ID, list[1].Lorebook().Entries[1].ID = "1", "not a number"
		out := encode(t, c, card.Primary, list)
		uniqueIDs(t, out)
		_, books := decodeAs(t, c, out)
		require.Len(t, books, 2)
		assert.Equal(t, [][]string{{"a", "b"}, {"c", "d"}}, [][]string{contents(books[0]), contents(books[1])})
	}
}
