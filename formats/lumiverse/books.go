package lumiverse

import (
	"fmt"
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/limits"
)

const worldBooks = "world_books"

// ExtractBooks implements formats.BookExtractor: the world books of the sidecar, else the card's own book.
func (character) ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	twin := e.Bucket(name)
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	side, _ := readSidecar(twin.Files, limits.Large()) // a broken one was told of by Decode
	return extract(twin.Raw.Root, tavern.VariantOf(twin), side)
}

func extract(root *jsondoc.Value, v tavern.Variant, side *jsondoc.Doc) ([]*canonical.Entity, []string, error) {
	if side != nil {
		if l := side.Root.Get(worldBooks); l.Kind() == jsondoc.KindArray && l.Len() > 0 {
			return world(l, sidecar+" "+worldBooks)
		}
	}
	own, warn, err := book.Extract(root, v.Prefix(), name, nil)
	if err != nil {
		return nil, nil, err
	}
	hub := strings.Split(v.Prefix()+"extensions."+hubKey+"."+worldBooks, ".")
	if l := root.At(hub...); l.Kind() == jsondoc.KindArray && l.Len() > 0 {
		// The copy may be stale: it counts where the card has no book, or the same ones.
		if list, w, err := world(l, strings.Join(hub, ".")); err == nil && (len(own) == 0 || sameTexts(own, list)) {
			return list, w, nil
		}
	}
	return own, warn, nil
}

func world(l *jsondoc.Value, where string) (out []*canonical.Entity, warnings []string, err error) {
	for i, v := range l.Elems() {
		at := fmt.Sprintf("%s[%d]", where, i)
		if v.Kind() != jsondoc.KindObject {
			if !v.IsNull() {
				warnings = append(warnings, at+" is "+v.Kind().String()+" and no world book; it is kept for the way back")
			}
			continue
		}
		e, warn, err := book.LumiverseWorldBook.Entity(v, at, name)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, e)
		warnings = append(warnings, warn...)
	}
	return out, warnings, nil
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

// sameTexts reports whether the books a of a card say what the world books b say; a may say more, where the app's own
// defaults are spelled out.
func sameTexts(a, b []*canonical.Entity) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		changes, err := canonical.Diff(a[i].Body, b[i].Body)
		if err != nil {
			return false
		}
		for _, c := range changes {
			switch c.Before.(type) {
			case nil, string, bool, float64:
				if c.After == nil || c.Before == nil && c.After == "" {
					continue
				}
			}
			return false
		}
	}
	return true
}

// books applies the three-way contract to every place that holds a book.
func (w *writer) books(list []*canonical.Entity) error {
	if err := w.placeBooks(list); err != nil {
		return err
	}
	return w.tellMisread(list)
}

func (w *writer) placeBooks(list []*canonical.Entity) error {
	if err := w.wasRead(); err != nil || list == nil {
		return err
	}
	for _, e := range list {
		if e.Lorebook() == nil {
			return fault.New(fault.WrongKind, "", "the piece %q is a %s and no lorebook", e.ID, e.Kind)
		}
	}
	root, prefix := w.d.Doc.Root, w.d.Variant.Prefix()
	hub := strings.Split(prefix+"extensions."+hubKey, ".")
	world := root.At(hub...) // holds the world books
	if w.zip {
		world = w.n.side.Root
	}
	if len(list) == 0 {
		for _, r := range []*jsondoc.Doc{w.d.Doc, w.d.Second} {
			if r == nil {
				continue
			}
			v, _ := tavern.Classify(r.Root)
			if _, err := book.Embed(r.Root, v.Prefix(), list, book.LumiverseBook, nil); err != nil {
				return err
			}
		}
		for _, v := range []*jsondoc.Value{world, root.At(hub...)} {
			if v.Get(worldBooks).Len() > 0 {
				v.Delete(worldBooks)
			}
		}
		return nil
	}
	moved := !w.fresh && w.d.TwinContainer() != w.d.Container
	unchanged := sameBooks(w.wasBooks, list)
	if unchanged && !moved {
		return nil
	}
	own, where := book.Find(root, prefix)
	if unchanged && w.zip && w.fromTavern {
		// The app would misread the card's book; the archive says it in the app's own words, the card stays as it is.
		w.writeWorld(world, list, func(piece int, path, after, why string) {
			w.d.Near = append(w.d.Near, formats.Near{Piece: piece, Path: path, After: after, Why: why})
		}, true)
		return nil
	}
	if unchanged && (w.zip || !w.fromWorld) {
		return nil
	}
	near := func(piece int, path, after, why string) {
		w.d.Near = append(w.d.Near, formats.Near{Piece: piece, Path: path, After: after, Why: why})
	}
	follow := false
	if has := world.Get(worldBooks).Len() > 0; w.zip && (w.fresh || has || w.fromTavern || len(list) > 1) || !w.zip && has && w.fromWorld {
		if !unchanged {
			w.writeWorld(world, list, near, w.zip)
		}
		follow = w.zip && has && !moved
		if w.zip {
			near = nil
		}
		if follow && own == nil {
			return nil // the app's archive had no merged copy
		}
	} else if v := root.At(hub...); v.Get(worldBooks).Len() > 0 {
		v.Delete(worldBooks)
	}
	if len(list) == 1 && own != nil {
		if d, raw := book.DialectOf(list[0], name); d == book.Tavern || d == book.LumiverseBook {
			v := d.Encode(list[0].Lorebook(), raw, book.SourceOf(list[0]), func(path, after, why string) {
				if near != nil {
					near(1, path, after, why)
				}
			})
			fieldmap.Put(root, strings.Split(where, "."), v)
			w.stale(root, prefix, where)
			return w.second(list)
		}
	}
	if follow && book.OfBook(own).Follow(own, bodies(w.wasBooks), bodies(list), sources(list)) {
		w.stale(root, prefix, where)
		return w.second(list)
	}
	v, err := book.LumiverseBook.Merge(list, near)
	if err != nil {
		return err
	}
	if where == "" {
		where = prefix + "character_book"
	}
	fieldmap.Put(root, strings.Split(where, "."), v)
	w.stale(root, prefix, where)
	return w.second(list)
}

// wasRead reads the books of the twin, and drops a copy of world books that is stale before it would count.
func (w *writer) wasRead() error {
	if w.fresh {
		return nil
	}
	var err error
	w.wasBooks, _, err = character{}.ExtractBooks(&canonical.Entity{Original: []*canonical.Escrow{w.d.Twin}})
	if err != nil {
		return err
	}
	if len(w.wasBooks) > 0 {
		d, _ := book.DialectOf(w.wasBooks[0], name)
		w.fromWorld = d == book.LumiverseWorldBook
		w.fromTavern = isMisread(w.wasBooks)
	}
	if w.zip && w.sideNew && !w.fromWorld {
		w.n.side.Root.Delete(worldBooks)
	}
	return nil
}

func (w *writer) writeWorld(holder *jsondoc.Value, list []*canonical.Entity, near book.PieceNear, tell bool) {
	var out []*jsondoc.Value
	for i, e := range list {
		d, raw := book.DialectOf(e, name)
		if d != book.LumiverseWorldBook {
			raw = nil
		}
		out = append(out, book.LumiverseWorldBook.Encode(e.Lorebook(), raw, book.SourceOf(e), func(path, after, why string) {
			if tell {
				near(i+1, path, after, why)
			}
		}))
	}
	if old := holder.Get(worldBooks); old.Kind() == jsondoc.KindArray {
		old.SetElems(out)
		return
	}
	holder.Set(worldBooks, jsondoc.Array(out...))
}

func bodies(list []*canonical.Entity) (out []*canonical.Lorebook) {
	for _, e := range list {
		out = append(out, e.Lorebook())
	}
	return out
}

func sources(list []*canonical.Entity) (out []*book.Source) {
	for _, e := range list {
		out = append(out, book.SourceOf(e))
	}
	return out
}

// stale removes the other copy of a book that changed: the app would bring it back.
func (w *writer) stale(root *jsondoc.Value, prefix, home string) {
	for _, s := range []string{prefix + "character_book", prefix + "extensions.character_book"} {
		if p := strings.Split(s, "."); s != home && root.At(p...).Kind() == jsondoc.KindObject {
			fieldmap.Drop(root, p)
		}
	}
}

// second keeps the other chunk of a PNG in step.
func (w *writer) second(list []*canonical.Entity) error {
	if w.d.Second == nil {
		return nil
	}
	v, _ := tavern.Classify(w.d.Second.Root)
	_, err := book.Embed(w.d.Second.Root, v.Prefix(), list, book.LumiverseBook, nil)
	return err
}

// misread is what the app makes of one field of an entry that a card says in SillyTavern's words.
type misread struct {
	path, after, what string
}

// misreads lists what the app misreads in a book of SillyTavern's dialect: it takes position and role from beside the
// extensions alone, a number of selectiveLogic as its own, and use_regex as a switch that makes every key a pattern.
func misreads(b *canonical.Lorebook, raw *jsondoc.Value) (out []misread) {
	raw = raw.Clone()
	beside := func(e *jsondoc.Value) {
		e.Get("extensions").Delete("position")
		e.Get("extensions").Delete("role")
	}
	for _, e := range raw.Get("entries").Elems() {
		beside(e)
	}
	for _, e := range raw.Get("entries").Members() {
		beside(e)
	}
	as, err := book.LumiverseBook.Decode(raw, "", func(string) {})
	if err != nil || len(as.Entries) != len(b.Entries) {
		return nil
	}
	for i, x := range b.Entries {
		y := as.Entries[i]
		word := func(field string, was, is *string, what string) {
			if canonical.Or(was, "") != canonical.Or(is, "") {
				out = append(out, misread{fmt.Sprintf("entries[%d].%s", i, field), canonical.Or(is, "the default"), what})
			}
		}
		word("selectiveLogic", x.SelectiveLogic, y.SelectiveLogic, "the logic of secondary keys")
		word("position", x.Position, y.Position, "positions")
		word("role", x.Role, y.Role, "roles")
		keys := func(field string, was, is []canonical.Trigger) {
			if !sameKeys(was, is) {
				out = append(out, misread{fmt.Sprintf("entries[%d].%s", i, field), keyTexts(is), "use_regex, which makes every key a pattern"})
			}
		}
		keys("triggers", x.Triggers, y.Triggers)
		keys("secondaryTriggers", x.SecondaryTriggers, y.SecondaryTriggers)
	}
	return out
}

func keyTexts(list []canonical.Trigger) string {
	var out []string
	for _, t := range list {
		if canonical.Or(t.IsRegex, false) {
			out = append(out, "/"+t.Keyword+"/"+canonical.Or(t.Flags, ""))
		} else {
			out = append(out, t.Keyword)
		}
	}
	return strings.Join(out, ", ")
}

// isMisread reports books of which the app misreads something.
func isMisread(books []*canonical.Entity) bool {
	for _, e := range books {
		if d, raw := book.DialectOf(e, name); d == book.Tavern && len(misreads(e.Lorebook(), raw)) > 0 {
			return true
		}
	}
	return false
}

// maxMisread bounds the lines about one book.
const maxMisread = 200

// tellMisread says, field by field, what the app will make of a book that stays in SillyTavern's words: the card that
// came in is written as it is, and only an archive has a place for the app's own words beside it.
func (w *writer) tellMisread(list []*canonical.Entity) error {
	root, prefix := w.d.Doc.Root, w.d.Variant.Prefix()
	if w.zip && w.n.side.Root.Get(worldBooks).Len() > 0 {
		return nil // the app reads those
	}
	own, _ := book.Find(root, prefix)
	if own == nil || book.OfBook(own) != book.Tavern {
		return nil
	}
	b, err := book.Tavern.Decode(own, "", func(string) {})
	if err != nil {
		return err
	}
	all := misreads(b, own)
	if len(all) == 0 {
		return nil
	}
	var what []string
	for i, x := range all {
		if !slices.Contains(what, x.what) {
			what = append(what, x.what)
		}
		if i < maxMisread && len(list) == 1 {
			w.d.Near = append(w.d.Near, formats.Near{Piece: 1, Path: x.path, After: x.after, Why: "Lumiverse misreads " + x.what + " in a lorebook that is written for SillyTavern; the file keeps it as it came"})
		}
	}
	fix := "convert the card to Lumiverse as .charx, which gets the lorebook in the app's own words beside it"
	if w.zip {
		fix = "convert the card to Lumiverse as JSON and that to .charx again, which gets the lorebook in the app's own words beside it"
	}
	w.warnings = append(w.warnings, fmt.Sprintf("the lorebook of this card is written for SillyTavern, and Lumiverse reads %s of it differently (%s); %s", fault.Amount(int64(len(all)), "values"), strings.Join(what, "; "), fix))
	return nil
}

func sameKeys(a, b []canonical.Trigger) bool {
	return slices.EqualFunc(a, b, func(x, y canonical.Trigger) bool {
		return x.Keyword == y.Keyword && canonical.Or(x.IsRegex, false) == canonical.Or(y.IsRegex, false) && canonical.Or(x.Flags, "") == canonical.Or(y.Flags, "")
	})
}
