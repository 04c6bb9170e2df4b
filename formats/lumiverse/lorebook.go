package lumiverse

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// worldBook reads and writes the app's own export of a world book (type lumiverse_world_book), without loss. Its other
// two export forms are read where SillyTavern's lorebooks are. exported_at of a new file is 0: it would be the clock.
type worldBook struct{}

const (
	worldBookID   = "lumiverse-lorebook"
	worldBookType = "lumiverse_world_book"
)

func (worldBook) Info() formats.Info {
	return formats.Info{ID: worldBookID, App: name, AppLabel: label, Kind: canonical.KindLorebook, Label: "Lumiverse world book", Containers: []formats.Container{formats.JSON}}
}

// Detect goes by the type; the app takes any object with entries, which other formats claim.
func (worldBook) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	if t, _ := d.Root.Get("type").Text(); t != worldBookType {
		return formats.No("not a Lumiverse world book: its type is not " + worldBookType)
	}
	switch d.Root.Get("entries").Kind() {
	case jsondoc.KindArray, jsondoc.KindObject, jsondoc.KindAbsent, jsondoc.KindNull:
		return formats.Bid{Score: 1, Reason: "its type is " + worldBookType}
	}
	return formats.No("type " + worldBookType + " without a list of entries")
}

func (worldBook) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: book.LumiverseWorldBook.ID()}
	b, err := book.LumiverseWorldBook.Decode(d.Root, "", func(w string) { out.Warnings = append(out.Warnings, w) })
	if err != nil {
		return nil, err
	}
	un := jsondoc.Object()
	un.Set("host", jsondoc.String(name))
	un.Set("dialect", jsondoc.String(book.LumiverseWorldBook.ID()))
	id := canonical.Slug(b.Name)
	if b.Name == "" {
		id = canonical.Slug("Imported World Book") // as the app names it
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindLorebook, ID: id, Body: b, Original: []*canonical.Escrow{{Bucket: worldBookID, Raw: d, Unmapped: un}}}
	out.Unmapped = func() []string { return book.LumiverseWorldBook.UnmappedIn(d.Root) }
	return out, nil
}

// Encode writes over the book's own document, also over one that came out of a card or a backup of the app.
func (worldBook) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	b := e.Lorebook()
	if b == nil {
		return nil, fault.New(fault.WrongKind, "", "a world book holds a lorebook, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a world book is a JSON file; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.JSON, Ext: ".json", MediaType: "application/json"}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	var doc *jsondoc.Doc
	if o := e.Bucket(worldBookID); o != nil && o.Raw != nil {
		doc = o.Raw.Clone()
		book.LumiverseWorldBook.Encode(b, doc.Root, nil, near)
	} else {
		doc = jsondoc.NewDoc(book.LumiverseWorldBook.Encode(b, book.LumiverseWorldBook.Twin(e), book.SourceOf(e), near), "  ")
	}
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	out.Data = r
	return out, nil
}

func (worldBook) Fields() []formats.Field { return book.LumiverseWorldBook.Fields() }
