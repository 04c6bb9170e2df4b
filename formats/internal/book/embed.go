package book

import (
	"bytes"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Bucket is the escrow of a book that was taken out of a card. It names the dialect, not the host; Unmapped says host.
const Bucket = "character-book"

// mergedKey records, in the extensions of a book, the books that were merged into it; othersKey is the name that
// another tool gives the same record.
const (
	mergedKey = "bunzai_source_books"
	othersKey = "vaud_source_books"
)

// slots are the places where a card may hold its book, first found wins. Prefix is "data." in a wrapped card.
func slots(prefix string) []string {
	out := []string{prefix + "character_book", prefix + "extensions.character_book"}
	if prefix != "" {
		out = append(out, "character_book")
	}
	return out
}

// Find returns the embedded book of a card and where it stands.
func Find(root *jsondoc.Value, prefix string) (*jsondoc.Value, string) {
	for _, s := range slots(prefix) {
		if v := root.At(strings.Split(s, ".")...); v.Kind() == jsondoc.KindObject {
			return v, s
		}
	}
	return nil, ""
}

// Extract takes the embedded lorebooks out of a card: none, one, or those that an earlier merge recorded. Host is the
// app of the card, which alone gets the book's escrow back.
func Extract(root *jsondoc.Value, prefix, host string, d *Dialect) ([]*canonical.Entity, []string, error) {
	v, where := Find(root, prefix)
	if v == nil {
		return nil, nil, nil
	}
	if d == nil {
		d = OfBook(v)
	}
	var warnings []string
	b, err := d.Decode(v, where, func(w string) { warnings = append(warnings, w) })
	if err != nil {
		return nil, nil, err
	}
	var rows []*jsondoc.Value
	var parts []part
	why := ""
	if record := recordOf(v); record != nil {
		if d.isRisu() {
			rows = elems(v.Get("entries")) // folders are rows too
		} else {
			_, rows = d.decodeEntries(v, "", func(string) {})
		}
		parts, why = recorded(record, rows, !d.isRisu())
	}
	if why != "" {
		warnings = append(warnings, join(where, "entries")+" were merged from several lorebooks, but "+why+"; they are read as one")
	}
	if parts == nil {
		return []*canonical.Entity{d.entity(b, v.Clone(), host)}, warnings, nil
	}
	bare := v.Clone()
	bare.Set("entries", jsondoc.Array())
	var out []*canonical.Entity
	for i, p := range parts {
		raw := bare.Clone()
		if i == 0 {
			raw = v.Clone() // it is what a new merge begins with, so the list keeps its style
		}
		if p.settings != nil {
			raw = p.settings.Clone()
			raw.Set("entries", jsondoc.Array())
		}
		part := &lorebook{}
		d.BookRows().Read(raw, part, nil)
		part.Name = p.name
		own := make([]*jsondoc.Value, len(p.rows))
		for i, at := range p.rows {
			own[i] = rows[at].Clone()
			if !d.isRisu() {
				part.Entries = append(part.Entries, b.Entries[at])
			}
		}
		raw.Get("entries").SetElems(own)
		if d.isRisu() {
			l := d.decodeRisu(raw.Get("entries"), "entries", func(string) {})
			part.Entries, part.Categories = l.entries, l.folders
		}
		if x := raw.Get("extensions"); x != nil {
			x.Delete(mergedKey)
			x.Delete(othersKey)
		}
		raw.Set("name", jsondoc.String(p.name))
		out = append(out, d.entity(part, raw, host))
	}
	return out, warnings, nil
}

func elems(list *jsondoc.Value) (out []*jsondoc.Value) {
	for _, e := range list.Elems() {
		out = append(out, e)
	}
	return out
}

// Entity reads one book object as a piece whose escrow is its own document.
func (d *Dialect) Entity(v *jsondoc.Value, where, host string) (*canonical.Entity, []string, error) {
	var warnings []string
	b, err := d.Decode(v, where, func(w string) { warnings = append(warnings, w) })
	if err != nil {
		return nil, nil, err
	}
	return d.entity(b, v.Clone(), host), warnings, nil
}

func (d *Dialect) entity(b *lorebook, raw *jsondoc.Value, host string) *canonical.Entity {
	un := jsondoc.Object()
	un.Set("host", jsondoc.String(host))
	un.Set("dialect", jsondoc.String(d.ID()))
	return &canonical.Entity{Kind: canonical.KindLorebook, ID: bookID(b), Body: b,
		Original: []*canonical.Escrow{{Bucket: Bucket, Raw: &jsondoc.Doc{Root: raw}, Unmapped: un}}}
}

// DialectOf is the dialect and a copy of the document of a book that came out of a card of host; nil for other books.
func DialectOf(e *canonical.Entity, host string) (*Dialect, *jsondoc.Value) {
	o := e.Bucket(Bucket)
	if o == nil || o.Raw == nil {
		return nil, nil
	}
	if h, _ := o.Unmapped.Get("host").Text(); h != host {
		return nil, nil
	}
	id, _ := o.Unmapped.Get("dialect").Text()
	if d := dialectNamed(id); d != nil {
		return d, o.Raw.Root.Clone()
	}
	return nil, nil
}

func bookID(b *lorebook) string {
	if b.Name == "" {
		return canonical.Slug("Imported Lorebook")
	}
	return canonical.Slug(b.Name)
}

// ID is the stable name of the dialect, kept in escrow.
func (d *Dialect) ID() string {
	switch d {
	case Tavern:
		return "tavern"
	case WorldInfo:
		return "world-info"
	case LumiverseBook:
		return "lumiverse-book"
	case RisuBook:
		return "risu-book"
	case RisuLore:
		return "risu-lore"
	}
	return "lumiverse-world-book"
}

// part is one book of a merged list.
type part struct {
	name     string
	rows     []int // places in the list
	settings *jsondoc.Value
}

// recordOf is the record of a merge in a book with a list of entries; nil when there is none.
func recordOf(v *jsondoc.Value) *jsondoc.Value {
	list := v.At("extensions", mergedKey)
	if list == nil {
		list = v.At("extensions", othersKey)
	}
	if list.Kind() != jsondoc.KindArray || v.Get("entries").Kind() != jsondoc.KindArray || list.Len() < 2 {
		return nil
	}
	return list
}

// recorded reads the record of a merge; why tells what is wrong with one that is not followed. Where the record knows the ids of the entries, each goes to its own book wherever it stands now, and a
// new one to the book of the entry before it; else the numbers must fit.
func recorded(list *jsondoc.Value, rows []*jsondoc.Value, byID bool) (out []part, why string) {
	if list.Len() > formats.MostMerged {
		return nil, "the record names " + strconv.Itoa(list.Len()) + " of them, more than bunzai follows"
	}
	const unfit = "the record of which entry is whose does not fit them"
	owner, counts, sum := map[int64]int{}, []int{}, 0
	for i, p := range list.Elems() {
		name, ok := p.Get("name").Text()
		n, okn := p.Get("entryCount").Int()
		if !ok || !okn || n < 0 {
			return nil, unfit
		}
		q := part{name: name}
		if s := p.Get("settings"); s.Kind() == jsondoc.KindObject {
			q.settings = s
		}
		ids := p.Get("entryIds")
		byID = byID && ids.Kind() == jsondoc.KindArray
		for _, x := range ids.Elems() {
			if id, ok := x.Int(); ok {
				owner[id] = i
			}
		}
		out, counts = append(out, q), append(counts, int(n))
		if sum += int(n); sum > len(rows) && !byID {
			return nil, unfit
		}
	}
	if byID {
		to := 0
		for at, row := range rows {
			if id, ok := row.Get("id").Int(); ok {
				if i, known := owner[id]; known {
					to = i
				}
			}
			out[to].rows = append(out[to].rows, at)
		}
		return out, ""
	}
	if sum != len(rows) {
		return nil, unfit
	}
	at := 0
	for i, n := range counts {
		for range n {
			out[i].rows = append(out[i].rows, at)
			at++
		}
	}
	return out, ""
}

// PieceNear is Near with the book that it is about: 1 the first.
type PieceNear func(piece int, path, after, why string)

// Embed writes the books into the slot of a card: explicit none removes every copy, one or more replace what is there.
// When the card already says exactly this, nothing is touched. Changed tells whether anything was.
func Embed(root *jsondoc.Value, prefix string, books []*canonical.Entity, d *Dialect, near PieceNear) (changed bool, err error) {
	cur, where := Find(root, prefix)
	if len(books) == 0 {
		for _, s := range slots(prefix) {
			if v := root.At(strings.Split(s, ".")...); v.Kind() == jsondoc.KindObject {
				fieldmap.Drop(root, strings.Split(s, "."))
				changed = true
			}
		}
		return changed, nil
	}
	if cur != nil {
		have, _, err := Extract(root, prefix, d.Name, nil)
		if err == nil && OfBook(cur).Name == d.Name && sameBooks(have, books) {
			return false, nil
		}
	}
	v, err := d.Merge(books, near)
	if err != nil {
		return false, err
	}
	if cur != nil && bytes.Equal(v.Raw(), cur.Raw()) {
		return false, nil
	}
	home := where
	if home == "" {
		home = prefix + "character_book"
	}
	for _, s := range slots(prefix) {
		// A copy that says the same is kept in step; one that says something else was not the book before either.
		if c := root.At(strings.Split(s, ".")...); s != home && jsondoc.Equal(c, cur) && cur != nil {
			fieldmap.Put(root, strings.Split(s, "."), v.Clone())
		}
	}
	fieldmap.Put(root, strings.Split(home, "."), v)
	return true, nil
}

// SameIn reports whether two cards embed the same lorebooks.
func SameIn(a *jsondoc.Value, prefixA string, b *jsondoc.Value, prefixB string) bool {
	x, _, errx := Extract(a, prefixA, "", nil)
	y, _, erry := Extract(b, prefixB, "", nil)
	return errx == nil && erry == nil && sameBooks(x, y)
}

func sameBooks(a, b []*canonical.Entity) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if same, err := canonical.Same(a[i].Body, b[i].Body); err != nil || !same {
			return false
		}
	}
	return true
}

// Twin returns the document that the book came from, ready to be edited, when it came from this app in this dialect.
func (d *Dialect) Twin(e *canonical.Entity) *jsondoc.Value {
	for _, o := range e.Original {
		if h, _ := o.Unmapped.Get("dialect").Text(); h == d.ID() && o.Raw != nil {
			if host, _ := o.Unmapped.Get("host").Text(); host == d.Name {
				return o.Raw.Root.Clone()
			}
		}
	}
	return nil
}

// Merge writes books as one: entries one after the other under the first book's settings, ids whole numbers and
// unique, the boundaries and the other books' settings recorded so that reading splits them again.
func (d *Dialect) Merge(books []*canonical.Entity, near PieceNear) (*jsondoc.Value, error) {
	encode := func(i int) (*jsondoc.Value, error) {
		b := books[i].Lorebook()
		if b == nil {
			return nil, fault.New(fault.WrongKind, "", "the piece %q is a %s and no lorebook", books[i].ID, books[i].Kind)
		}
		return d.Encode(b, d.Twin(books[i]), SourceOf(books[i]), func(path, after, why string) {
			if near != nil {
				near(i+1, path, after, why)
			}
		}), nil
	}
	base, err := encode(0)
	if err != nil || len(books) == 1 {
		return base, err
	}
	// An entry that had its id in an earlier merge keeps it; a new one of another book takes a free one.
	taken, owner := map[int64]bool{}, map[int64]int{}
	for i := range books {
		for _, e := range d.Twin(books[i]).Get("entries").Elems() {
			if id, ok := e.Get("id").Int(); ok {
				if _, has := owner[id]; !has {
					owner[id] = i
				}
			}
		}
	}
	foreign := func(id int64, i int) bool { o, has := owner[id]; return has && o != i }
	var all []*jsondoc.Value
	record := jsondoc.Array()
	for i := range books {
		v := base
		if i > 0 {
			if v, err = encode(i); err != nil {
				return nil, err
			}
		}
		n, ids := 0, jsondoc.Array()
		for _, e := range v.Get("entries").Elems() {
			e = e.Clone()
			id, ok := e.Get("id").Int()
			if !ok || taken[id] || foreign(id, i) {
				for id = int64(len(all)); taken[id] || foreign(id, -1); id++ {
				}
				e.Set("id", jsondoc.NumberText(strconv.FormatInt(id, 10)))
			}
			taken[id] = true
			ids.AppendElem(jsondoc.NumberText(strconv.FormatInt(id, 10)))
			all = append(all, e)
			n++
		}
		p := jsondoc.Object()
		p.Set("name", jsondoc.String(books[i].Lorebook().Name))
		p.Set("entryCount", jsondoc.Int(int64(n)))
		if !d.isRisu() { // whose folders have no id
			p.Set("entryIds", ids)
		}
		if i > 0 {
			rest := v.Clone()
			rest.Delete("entries")
			p.Set("settings", rest)
		}
		record.AppendElem(p)
	}
	base = base.Clone()
	base.Get("entries").SetElems(all)
	fieldmap.Put(base, []string{"extensions", mergedKey}, record)
	return base, nil
}
