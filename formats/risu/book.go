package risu

import (
	"reflect"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// books takes the lorebooks out of a card: the entries of its module where that has some, with the settings that stand
// in the card, which is where the app takes them from.
func books(twin *canonical.Escrow) ([]*canonical.Entity, []string, error) {
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	v := tavern.VariantOf(twin)
	prefix, own := v.Prefix(), ownNote(twin.Raw.Root, v)
	root := withoutNote(twin.Raw.Root, v)
	m := moduleOf(twin)
	l := m.lore()
	if at, _ := noteInModule.find(l, own); at >= 0 {
		l = l.Clone()
		takeOut(l, at)
	}
	if l.Len() == 0 {
		out, warn, err := book.Extract(root, prefix, name, book.RisuBook)
		if m.list("lorebook") != nil && len(out) > 0 && len(out[0].Lorebook().Entries) > 0 {
			warn = append(warn, "the lorebook of "+modulePath+" is empty and the card's is not: Risu shows none, a fault of its export; here the card's counts")
		}
		return out, warn, err
	}
	card, where := book.Find(root, prefix)
	title, _ := card.Get("name").Text()
	out, warn := book.RisuLore.Books(l, m.obj.Get(book.RecordKey), title, modulePath+".lorebook")
	if card != nil && len(out) > 0 {
		b := out[0].Lorebook()
		named := b.Name
		book.RisuBook.BookRows().Read(card, b, func(path, what string) { warn = append(warn, where+"."+path+" "+what) })
		b.Name = named
		if m.obj.Get(book.RecordKey) == nil && b.Name == "" {
			b.Name = title
		}
	}
	return out, warn, nil
}

// writeBooks writes the lorebooks into the card, and gives what the module holds then; nil where it stays as it is.
func writeBooks(d *tavern.Draft, m *module, now []*canonical.Entity) (*edit, error) {
	if now == nil {
		return nil, nil
	}
	if m.lore() == nil {
		err := d.WriteBooks(now, book.RisuBook)
		if err != nil || m.list("lorebook") == nil {
			return nil, err
		}
		// An empty list in the module: the app would show none of the card's entries.
		was, _, err := books(d.Twin)
		if err != nil || sameBooks(was, now) {
			return nil, err
		}
		return moduleLore(d, now)
	}
	was, _, err := books(d.Twin)
	if err != nil {
		return nil, err
	}
	same := sameBooks(was, now)
	if same && d.Container == formats.CharX {
		return nil, nil
	}
	if err := cardCopy(d, was, now); err != nil || same || d.Container != formats.CharX {
		return nil, err
	}
	return moduleLore(d, now)
}

// moduleLore is the list of a module that says what the books say. The first book's settings stand in the card.
func moduleLore(d *tavern.Draft, now []*canonical.Entity) (*edit, error) {
	e := &edit{name: "lorebook", recordKey: book.RecordKey, list: jsondoc.Array()}
	if len(now) == 0 {
		return e, nil
	}
	bare := make([]*canonical.Entity, len(now))
	copy(bare, now)
	first := *now[0]
	b := *first.Lorebook()
	usual := b.Name
	b = canonical.Lorebook{Name: b.Name, Entries: b.Entries, Categories: b.Categories}
	first.Body = &b
	bare[0] = &first
	var err error
	e.list, e.record, err = book.RisuLore.ListOf(bare, []string{usual}, func(piece int, path, after, why string) {
		d.Near = append(d.Near, formats.Near{Piece: piece, Path: path, After: after, Why: why})
	})
	return e, err
}

// cardCopy brings the book of the card in step with what was edited of the module's entries. The card's copy says less
// than they do, so that only entries are touched that differ.
func cardCopy(d *tavern.Draft, was, now []*canonical.Entity) error {
	root, prefix := d.Doc.Root, d.Variant.Prefix()
	card, _ := book.Find(root, prefix)
	if card == nil || len(was) != 1 || len(now) != 1 {
		return d.WriteBooks(now, book.RisuBook)
	}
	said, err := book.RisuBook.Decode(card, "", func(string) {})
	if err != nil {
		return err
	}
	x, old := *now[0].Lorebook(), was[0].Lorebook()
	if reflect.DeepEqual(x.Categories, old.Categories) {
		x.Categories = said.Categories
	}
	paired := map[string]int{} // id of a module's entry -> its place, which is that of the card's copy
	if len(said.Entries) == len(old.Entries) {
		for i, e := range old.Entries {
			paired[e.ID] = i
		}
	}
	x.Entries = make([]*canonical.Entry, len(now[0].Lorebook().Entries))
	for i, e := range now[0].Lorebook().Entries {
		if j, ok := paired[e.ID]; ok {
			x.Entries[i] = follow(said.Entries[j], old.Entries[j], e)
			continue
		}
		fresh := *e
		fresh.ID = "new " + e.ID
		x.Entries[i] = &fresh
	}
	book.RisuBook.Encode(&x, card, book.SourceOf(now[0]), func(path, after, why string) {
		d.Near = append(d.Near, formats.Near{Piece: 1, Path: path, After: after, Why: why})
	})
	return nil
}

// follow is the card's copy of an entry with what was edited of the module's.
func follow(said, was, now *canonical.Entry) *canonical.Entry {
	out := *said
	o, w, n := reflect.ValueOf(&out).Elem(), reflect.ValueOf(was).Elem(), reflect.ValueOf(now).Elem()
	for i := range o.NumField() {
		if !reflect.DeepEqual(w.Field(i).Interface(), n.Field(i).Interface()) {
			o.Field(i).Set(n.Field(i))
		}
	}
	return &out
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
