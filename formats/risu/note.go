package risu

import (
	"reflect"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// A character of Risu has a note at a depth (depth_prompt), which its export writes and its import throws away
// (importCharacterCardSpec of characterCards.ts deletes the extension and reads it nowhere). So a new card says the note
// twice: in extensions.depth_prompt, and as an entry of its lorebook that is always there, which the app does read. The
// entry has a mark among its foreign extensions, which the app keeps, also in its own export. Reading takes the marked
// entry for the note and not for lore, unless somebody made another entry of it or gave the character a note of its own.

const noteTitle = "Character note"

// noteLore says where a list of entries has the mark.
type noteLore struct {
	dial *book.Dialect
	ext  string
}

var noteInCard, noteInModule = noteLore{book.RisuBook, "extensions"}, noteLore{book.RisuLore, "extentions"}

// read is the note that a marked entry still is; nil otherwise.
func (l noteLore) read(row *jsondoc.Value) *canonical.DepthInjection {
	if on, _ := row.At(l.ext, "bunzai", book.NoteMark).Bool(); !on {
		return nil
	}
	b := l.dial.DecodeList(jsondoc.Array(row.Clone()), "", func(string) {})
	if len(b.Entries) != 1 {
		return nil
	}
	e := b.Entries[0]
	if !canonical.Or(e.Enabled, true) || !canonical.Or(e.Constant, false) || canonical.Or(e.Position, "") != canonical.PosDepth || e.Content == "" || e.Probability != nil || e.Delay != nil {
		return nil
	}
	return &canonical.DepthInjection{Text: e.Content, Depth: e.Depth, Role: e.Role, Origin: canonical.Ptr("depth_prompt")}
}

// find is the place of the note in a list; -1 when there is none. Own gives the character's own note, which a marked
// entry must agree with where there is one.
func (l noteLore) find(list *jsondoc.Value, own func() *canonical.DepthInjection) (at int, note *canonical.DepthInjection) {
	if list.Kind() != jsondoc.KindArray {
		return -1, nil
	}
	for i, row := range list.Elems() {
		if n := l.read(row); n != nil {
			if o := own(); o == nil || sameNote(n, o) {
				return i, n
			}
		}
	}
	return -1, nil
}

// write makes the entry of a note, over the one that was there.
func (l noteLore) write(row *jsondoc.Value, n *canonical.DepthInjection) *jsondoc.Value {
	list := jsondoc.Array()
	e := &canonical.Entry{ID: "0", Title: canonical.Ptr(noteTitle), Constant: canonical.Ptr(true), SortOrder: canonical.Ptr(100.0),
		Priority: canonical.Ptr(10000.0), PreventRecursion: canonical.Ptr(true)} // it is no lore: the budget does not count it out, and it wakes no entry
	if row != nil {
		list.AppendElem(row.Clone())
		e = l.dial.DecodeList(list, "", func(string) {}).Entries[0]
	}
	e.Content, e.Position, e.Depth, e.Role = n.Text, canonical.Ptr(canonical.PosDepth), canonical.Ptr(canonical.Or(n.Depth, 4)), n.Role
	l.dial.EncodeList(&canonical.Lorebook{Entries: []*canonical.Entry{e}}, list, nil)
	row = list.Elem(0)
	if row.At(l.ext, "bunzai", book.NoteMark) == nil {
		fieldmap.Put(row, []string{l.ext, "bunzai", book.NoteMark}, jsondoc.Bool(true))
	}
	return row
}

// put puts the entry of a note into a list at that place. Among entries with numbers it has one of its own.
func put(list *jsondoc.Value, at int, row *jsondoc.Value) {
	rows := elems(list)
	ids := map[int64]bool{}
	for _, r := range rows {
		if id, ok := r.Get("id").Int(); ok {
			ids[id] = true
		}
	}
	if id, ok := row.Get("id").Int(); len(ids) > 0 && len(ids) == len(rows) && (!ok || ids[id]) {
		for id = int64(len(rows)); ids[id]; id++ {
		}
		row.Set("id", jsondoc.Int(id))
	}
	at = min(at, len(rows))
	list.SetElems(append(rows[:at:at], append([]*jsondoc.Value{row}, rows[at:]...)...))
}

func takeOut(list *jsondoc.Value, at int) *jsondoc.Value {
	rows := elems(list)
	row := rows[at].Clone()
	list.SetElems(append(rows[:at:at], rows[at+1:]...))
	return row
}

func elems(list *jsondoc.Value) (rows []*jsondoc.Value) {
	for _, v := range list.Elems() {
		rows = append(rows, v)
	}
	return rows
}

func sameNote(a, b *canonical.DepthInjection) bool {
	return a.Text == b.Text && canonical.Or(a.Depth, 4) == canonical.Or(b.Depth, 4) && canonical.Or(a.Role, "system") == canonical.Or(b.Role, "system")
}

// ownNote gives what extensions.depth_prompt of a card says.
func ownNote(root *jsondoc.Value, v tavern.Variant) func() *canonical.DepthInjection {
	return func() *canonical.DepthInjection {
		c := &body{}
		app.Rows(v).Read(root, c, nil)
		return noteOf(c)
	}
}

func noOwnNote() *canonical.DepthInjection { return nil }

// noteOf is the note of a character that Risu can have as an entry. A text that begins like a decorator would be taken
// for settings.
func noteOf(c *body) *canonical.DepthInjection {
	for i := range c.Prompts.DepthInjections {
		n := &c.Prompts.DepthInjections[i]
		if canonical.Or(n.Origin, "depth_prompt") == "depth_prompt" {
			if strings.HasPrefix(strings.TrimSpace(n.Text), "@@") || strings.TrimSpace(n.Text) == "" || !canonical.Or(n.Enabled, true) {
				return nil
			}
			return n
		}
	}
	return nil
}

// readNote reads the note of a card that has been in the app, which threw the character's own away.
func readNote(s *tavern.Source, c *body) {
	if len(c.Prompts.DepthInjections) > 0 {
		return
	}
	m, err := moduleIn(s.Res.Files, s.Res.Limits)
	if err != nil {
		m = nil // the fault was told
	}
	_, n := noteInModule.find(m.lore(), noOwnNote)
	if m.lore() == nil {
		b, _ := book.Find(s.Root, s.Variant.Prefix())
		_, n = noteInCard.find(b.Get("entries"), noOwnNote)
	}
	if n != nil {
		c.Prompts.DepthInjections = []canonical.DepthInjection{*n}
	}
}

// withoutNote is the card without the entry of the note, a copy where there is one.
func withoutNote(root *jsondoc.Value, v tavern.Variant) *jsondoc.Value {
	b, _ := book.Find(root, v.Prefix())
	if at, _ := noteInCard.find(b.Get("entries"), ownNote(root, v)); at >= 0 {
		root = root.Clone()
		b, where := book.Find(root, v.Prefix())
		takeOut(b.Get("entries"), at)
		if emptyBook(b) {
			fieldmap.Drop(root, strings.Split(where, "."))
		}
	}
	return root
}

// emptyBook reports a book that says nothing: it was made for the note alone.
func emptyBook(b *jsondoc.Value) bool {
	if b.Get("entries").Len() > 0 {
		return false
	}
	l, err := book.RisuBook.Decode(b, "", func(string) {})
	return err == nil && l.Name == "" && l.Description == nil && l.GlobalScanDepth == nil && l.TokenBudget == nil && l.GlobalRecursion == nil
}

// writeLore writes the lorebooks and, where it has one, the entry of the note, into the card and what the module holds.
// has tells whether the file has the entry.
func writeLore(d *tavern.Draft, m *module, c *body, now []*canonical.Entity) (e *edit, has bool, err error) {
	note := noteOf(c)
	inModule, said, own := -1, (*canonical.DepthInjection)(nil), noOwnNote
	if d.Twin != nil {
		own = ownNote(d.Twin.Raw.Root, tavern.VariantOf(d.Twin))
		inModule, said = noteInModule.find(m.lore(), own)
	}
	lifted := map[*jsondoc.Doc]lift{}
	for _, doc := range []*jsondoc.Doc{d.Doc, d.Second} {
		if doc == nil || d.Twin == nil {
			continue
		}
		b, where := book.Find(doc.Root, d.Variant.Prefix())
		if at, n := noteInCard.find(b.Get("entries"), own); at >= 0 {
			lifted[doc] = lift{at, takeOut(b.Get("entries"), at), where}
			if doc == d.Doc && said == nil {
				said = n
			}
		}
	}
	if said != nil && note != nil && own() == nil && reflect.DeepEqual(noteInCard.read(noteInCard.write(nil, note)), note) {
		keepEmptied(d)
	}
	onlyNote := false
	if l, ok := lifted[d.Doc]; ok {
		onlyNote = len(now) == 0 && emptyBook(d.Doc.Root.At(strings.Split(l.where, ".")...))
	}
	if !onlyNote {
		if e, err = writeBooks(d, m, now); err != nil {
			return nil, false, err
		}
	}
	for _, doc := range []*jsondoc.Doc{d.Doc, d.Second} {
		l, had := lifted[doc]
		switch {
		case had:
		case doc == d.Doc && note != nil && (d.Twin == nil || inModule >= 0 && d.Container != formats.CharX):
			l = lift{at: 1 << 30}
		default:
			continue
		}
		if note == nil {
			if onlyNote {
				fieldmap.Drop(doc.Root, strings.Split(l.where, "."))
			}
			continue
		}
		row := l.row
		if row == nil || !sameNote(said, note) {
			row = noteInCard.write(row, note)
		}
		put(entriesOf(doc.Root, d.Variant), l.at, row)
		has = true
		if d.Twin == nil {
			d.Warnings = append(d.Warnings, "Risu drops a character's note when it takes a card in; the note is also written as an entry of the lorebook (\""+noteTitle+"\"), which Risu reads, and which becomes the note again on the way back")
		}
	}
	if d.Twin == nil {
		d.Warnings = append(d.Warnings, otherEnd(now, note)...)
	}
	if inModule >= 0 && d.Container == formats.CharX {
		has = note != nil
		changed := note == nil || !sameNote(said, note)
		if e == nil && changed {
			e = &edit{name: "lorebook", recordKey: book.RecordKey, list: m.obj.Get("lorebook").Clone(), record: m.obj.Get(book.RecordKey).Clone()}
			takeOut(e.list, inModule)
		}
		if e != nil && note != nil {
			row := m.obj.Get("lorebook").Elem(inModule).Clone()
			if changed {
				row = noteInModule.write(row, note)
			}
			put(e.list, inModule, row)
		}
	}
	return e, has, nil
}

// keepEmptied leaves extensions.depth_prompt as the app left it: the entry says the note.
func keepEmptied(d *tavern.Draft) {
	const key = "depth_prompt"
	was := extensions(d.Twin.Raw.Root, tavern.VariantOf(d.Twin)).Get(key)
	switch now := extensions(d.Doc.Root, d.Variant); {
	case now.Kind() != jsondoc.KindObject || jsondoc.Equal(now.Get(key), was):
	case was == nil:
		now.Delete(key)
	default:
		now.Set(key, was.Clone())
	}
}

// lift is the entry of a note that was taken out of a book.
type lift struct {
	at    int
	row   *jsondoc.Value
	where string
}

// entriesOf is the list of a card's entries, made where there is none.
func entriesOf(root *jsondoc.Value, v tavern.Variant) *jsondoc.Value {
	b, _ := book.Find(root, v.Prefix())
	if b == nil {
		path := []string{"character_book"}
		if v.Wrapped() {
			path = []string{"data", "character_book"}
		}
		b = jsondoc.Object()
		b.Set("extensions", jsondoc.Object())
		b.Set("entries", jsondoc.Array())
		fieldmap.Put(root, path, b)
		b = root.At(path...)
	}
	if b.Get("entries").Kind() != jsondoc.KindArray {
		b.Set("entries", jsondoc.Array())
	}
	return b.Get("entries")
}

// otherEnd tells of entries that come from another app and stand at a depth. The spec of the decorators, and the app's
// own import of SillyTavern's entries, mean the depth from the newest message; but the app puts them that many messages
// behind the oldest one (unformated.chats.splice in index.svelte.ts).
func otherEnd(books []*canonical.Entity, note *canonical.DepthInjection) []string {
	n := 0
	count := func(depth *float64) {
		if canonical.Or(depth, 4) >= 1 {
			n++
		}
	}
	for _, b := range books {
		if book.RisuBook.Twin(b) != nil || book.RisuLore.Twin(b) != nil || b.Lorebook() == nil {
			continue
		}
		for _, e := range b.Lorebook().Entries {
			if canonical.Or(e.Position, "") == canonical.PosDepth {
				count(e.Depth)
			}
		}
	}
	if note != nil {
		count(note.Depth)
	}
	entries := "entries"
	switch n {
	case 0:
		return nil
	case 1:
		entries = "entry"
	}
	return []string{"Risu counts a depth (@@depth) from the oldest message of the chat, where other apps count from the newest: look at " + fault.Amount(int64(n), entries) + " in Risu"}
}
