package risu

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// loreFile reads the app's lorebook export ({"type":"risu","data":[...]}) and bare lists of the same entries, which
// tools around the app write, and writes the export. HypaV3 memory presets have the same type and no list. World Info,
// which the app's importer takes too, is read where SillyTavern's lorebooks are.
type loreFile struct{}

const loreID = "risu-lorebook"

func (loreFile) Info() formats.Info {
	return formats.Info{ID: loreID, App: "risu", AppLabel: label, Kind: canonical.KindLorebook, Label: "Risu lorebook", Containers: []formats.Container{formats.JSON}}
}

// Detect bids 1 on the export and 0.9 on a bare list.
func (loreFile) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	switch d.Root.Kind() {
	case jsondoc.KindObject:
		t, _ := d.Root.Get("type").Text()
		switch list := d.Root.Get("data"); {
		case t != "risu":
			return formats.No("not a Risu lorebook: its type is not risu")
		case list.Kind() == jsondoc.KindObject:
			return formats.No("a Risu memory preset (HypaV3): its data is no list")
		case list.Kind() == jsondoc.KindArray:
			return formats.Bid{Score: 1, Reason: "its type is risu and its data is a list"}
		}
		return formats.No("type risu without data")
	case jsondoc.KindArray:
		n := 0
		for _, e := range d.Root.Elems() {
			_, key := e.Get("key").Text()
			if key && e.Has("content") && (e.Has("insertorder") || e.Has("alwaysActive") || e.Has("secondkey")) {
				n++
			}
		}
		switch {
		case n == 0:
			return formats.No("not a list of Risu entries: none has key, content and insertorder")
		case n < d.Root.Len():
			return formats.Bid{Score: 0.7, Reason: "some elements are Risu lorebook entries"}
		}
		return formats.Bid{Score: 0.9, Reason: "a list of Risu lorebook entries"}
	}
	return formats.No("not an object and not a list")
}

// Variants of a lorebook file.
const (
	loreExport = "risu"
	loreBare   = "list"
)

// loreList is the list in a document, and where it stands.
func loreList(root *jsondoc.Value) (list *jsondoc.Value, where string) {
	if root.Kind() == jsondoc.KindArray {
		return root, ""
	}
	return root.Get("data"), "data"
}

func (loreFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	list, where := loreList(d.Root)
	if list.Kind() != jsondoc.KindArray {
		return nil, fault.New(fault.Damaged, where, "a Risu lorebook is a list of entries, and this is %s", list.Kind())
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: loreBare}
	warn := func(w string) { out.Warnings = append(out.Warnings, w) }
	b := book.RisuLore.DecodeList(list, where, warn)
	host := ""
	if where != "" {
		out.Variant, host = loreExport, "risu"
		book.RisuLore.BookRows().Read(d.Root, b, func(path, what string) { warn(path + " " + what) })
	}
	id := canonical.Slug(b.Name)
	if b.Name == "" {
		id = canonical.Slug(fileBase(in.Name))
	}
	un := jsondoc.Object()
	un.Set("host", jsondoc.String(host)) // Risu cannot read a bare list: writing for Risu makes its export
	un.Set("dialect", jsondoc.String(book.RisuLore.ID()))
	out.Entity = &canonical.Entity{Kind: canonical.KindLorebook, ID: id, Body: b, Original: []*canonical.Escrow{{Bucket: loreID, Raw: d, Unmapped: un}}}
	out.Unmapped = func() (paths []string) {
		if where != "" {
			paths = loreFileCovers.Unmapped(d.Root)
		}
		return append(paths, book.RisuLore.UnmappedInList(list, where)...)
	}
	return out, nil
}

var loreFileCovers = book.RisuLore.BookRows().Coverage("type", "ver", "data")

// fileBase is a file name without folders and extension.
func fileBase(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' || name[i] == '\\' {
			name = name[i+1:]
			break
		}
	}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}

// Encode writes over the export that the book came from; a book out of a module or a bare list keeps its rows in a new
// one.
func (loreFile) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	b := book.Outspoken(e)
	if b == nil {
		return nil, fault.New(fault.WrongKind, "", "a Risu lorebook holds a lorebook, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a Risu lorebook is a JSON file; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.JSON, Ext: ".json", MediaType: "application/json"}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	var doc *jsondoc.Doc
	if o := e.Bucket(loreID); o != nil && o.Raw != nil && o.Raw.Root.Kind() == jsondoc.KindObject {
		doc = o.Raw.Clone()
		list, where := loreList(doc.Root)
		was := book.RisuLore.DecodeList(list, where, func(string) {})
		book.RisuLore.BookRows().Read(doc.Root, was, nil)
		book.RisuLore.BookRows().Overlay(doc.Root, b, was, nil, near)
		book.RisuLore.EncodeList(b, list, near)
	} else {
		list := book.RisuLore.ListTwin(e)
		if o != nil && o.Raw != nil {
			list = o.Raw.Root.Clone()
		}
		if list.Kind() != jsondoc.KindArray {
			list = jsondoc.Array()
		}
		book.RisuLore.EncodeList(b, list, near)
		root := jsondoc.Object()
		root.Set("type", jsondoc.String("risu"))
		root.Set("ver", jsondoc.Int(1))
		book.RisuLore.BookRows().Fill(root, b, nil, near)
		root.Set("data", list)
		doc = jsondoc.NewDoc(root, "  ")
		if o == nil {
			out.Warnings = otherEnd([]*canonical.Entity{e}, nil)
		}
	}
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	out.Data = r
	return out, nil
}

func (loreFile) Fields() []formats.Field { return book.RisuLore.Fields() }
