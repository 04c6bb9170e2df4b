package backup

import (
	"slices"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/jsondoc"
)

// entryColumns are those of a world book entry, in the app's order.
var entryColumns = []column{
	{"uid", plain}, {"key", list}, {"keysecondary", list}, {"content", text}, {"comment", text},
	{"position", plain}, {"depth", plain}, {"role", plain}, {"order_value", plain},
	{"selective", flag}, {"constant", flag}, {"disabled", flag},
	{"group_name", text}, {"group_override", flag}, {"group_weight", plain},
	{"probability", plain}, {"scan_depth", plain}, {"case_sensitive", flag}, {"match_whole_words", flag},
	{"automation_id", plain}, {"use_regex", flag},
	{"prevent_recursion", flag}, {"exclude_recursion", flag}, {"delay_until_recursion", flag},
	{"priority", plain}, {"sticky", plain}, {"cooldown", plain}, {"delay", plain},
	{"selective_logic", plain}, {"use_probability", flag}, {"vectorized", flag},
	{"extensions", object},
}

// lifted are the entry fields that the app keeps inside extensions.
var lifted = []string{"outlet_name", "wi_marker", "wi_marker_side"}

const bookTable = "world_books"

// bookCache bounds the rows, in bytes, of the books that are kept for the pieces that link them. Books that fit in
// together are decoded once, however many link them; of more, those that were used last.
const bookCache = 8 << 20

type cachedBook struct {
	id   string
	e    *canonical.Entity
	size int64
}

// allBooks yields every world book.
func (a *archive) allBooks(yield func(*formats.BackupPiece) bool) bool {
	for _, id := range a.bookList {
		r, err := a.again(bookTable, a.bookRows[id])
		if err != nil {
			a.fail(bookTable, a.bookRows[id].n, id, err)
			continue
		}
		if a.guard(r, func(r *row) error {
			e, entries, err := a.readBook(r)
			if err != nil {
				return err
			}
			e.ID = a.uniqueID(canonical.KindLorebook, e.ID)
			a.bookIDs[id] = e.ID
			a.remember(id, e)
			a.report.Imported.Lorebooks++
			a.report.Imported.LorebookEntries += int64(entries)
			if !yield(&formats.BackupPiece{Entity: e, Info: a.info(canonical.KindLorebook), Container: formats.JSON, Limits: a.pieceLimits(), Table: bookTable, Row: r.n, RowID: r.id}) {
				return errStop
			}
			return nil
		}) == errStop {
			return false
		}
	}
	return true
}

// readBook makes a book of its row and the rows of its entries.
func (a *archive) readBook(r *row) (*canonical.Entity, int, error) {
	v := jsondoc.Object()
	v.Set("version", jsondoc.Int(1))
	v.Set("type", jsondoc.String("lumiverse_world_book"))
	r.into(v, []column{{"name", text}, {"description", text}, {"metadata", object}})
	var entries, left []*jsondoc.Value
	rest := false
	for _, at := range a.entries[r.id] {
		x, err := a.again("world_book_entries", at)
		if err != nil {
			a.fail("world_book_entries", at.n, "", err)
			continue
		}
		a.guard(x, func(x *row) error {
			e := jsondoc.Object()
			x.used["world_book_id"] = true
			x.into(e, entryColumns)
			ext := e.Get("extensions")
			for _, k := range lifted {
				if m := ext.Get(k); m != nil && !e.Has(k) {
					e.Set(k, m)
					ext.Delete(k)
				}
			}
			entries = append(entries, e)
			l := x.leftover()
			rest = rest || l.Len() > 0
			left = append(left, l)
			return nil
		})
	}
	v.Set("entries", jsondoc.Array(entries...))
	v.Set("exported_at", jsondoc.Int(0))
	e, warnings, err := book.LumiverseWorldBook.Entity(v, "", "lumiverse")
	if err != nil {
		return nil, 0, err
	}
	for _, w := range warnings {
		r.warn("%s", w)
	}
	r.used["id"] = true
	l := r.leftover()
	l.Set("id", r.v.Get("id"))
	if rest {
		l.Set("world_book_entries", jsondoc.Array(left...))
	}
	escrow(e, bookTable, l)
	return e, len(entries), nil
}

// book is a book that was yielded before, for a piece that links it.
func (a *archive) book(id string) *canonical.Entity {
	at, ok := a.bookIDs[id]
	if !ok {
		return nil
	}
	if i := slices.IndexFunc(a.recent, func(c cachedBook) bool { return c.id == id }); i >= 0 {
		c := a.recent[i]
		a.recent = append(slices.Delete(a.recent, i, i+1), c)
		return c.e
	}
	quiet := *a // what there is to say of the book was said
	quiet.report = &formats.BackupReport{}
	r, err := quiet.again(bookTable, a.bookRows[id])
	if err != nil {
		return nil
	}
	e, _, err := quiet.readBook(r)
	if err != nil {
		return nil
	}
	e.ID = at
	a.remember(id, e)
	return e
}

// remember keeps a book for the next piece that links it, within bounds.
func (a *archive) remember(id string, e *canonical.Entity) {
	size := int64(a.bookRows[id].len)
	for _, k := range a.entries[id] {
		size += int64(k.len)
	}
	a.recent = append(a.recent, cachedBook{id, e, size})
	total := int64(0)
	for _, c := range a.recent {
		total += c.size
	}
	for total > bookCache && len(a.recent) > 1 {
		total -= a.recent[0].size
		a.recent = slices.Delete(a.recent, 0, 1)
	}
}

// info is the codec's description, or the app's own for a kind that is only read here.
func (a *archive) info(k canonical.Kind) formats.Info {
	if c := a.codecs[k]; c != nil {
		return c.Info()
	}
	return formats.Info{ID: "lumiverse-" + string(k), App: "lumiverse", AppLabel: "Lumiverse", Kind: k, Label: "Lumiverse " + string(k), Containers: []formats.Container{formats.JSON}}
}
