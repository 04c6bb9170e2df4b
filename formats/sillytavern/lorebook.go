package sillytavern

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// lorebook reads World Info, a bare character_book, a lorebook_v3 envelope and Lumiverse's "sillytavern" export, and
// writes World Info: the only one of them that SillyTavern itself can read.
type lorebook struct{}

const lorebookID = "sillytavern-lorebook"

func (lorebook) Info() formats.Info {
	return formats.Info{ID: lorebookID, App: "sillytavern", AppLabel: label, Kind: canonical.KindLorebook, Label: "SillyTavern World Info", Containers: []formats.Container{formats.JSON}}
}

// rootOf unwraps a lorebook_v3 envelope.
func rootOf(d *jsondoc.Doc) (v *jsondoc.Value, where string) {
	if s, _ := d.Root.Get("spec").Text(); s == "lorebook_v3" {
		return d.Root.Get("data"), "data"
	}
	return d.Root, ""
}

func (lorebook) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	root, where := rootOf(d)
	if where != "" {
		if root.Get("entries").Kind() == jsondoc.KindArray {
			return formats.Bid{Score: 0.9, Reason: "a lorebook_v3 envelope"}
		}
		return formats.No("a lorebook_v3 envelope without entries")
	}
	for _, foreign := range []string{"lorebookVersion", "kind", "data", "spec"} {
		if root.Has(foreign) {
			return formats.No("it has " + foreign + ", so it is another app's file")
		}
	}
	if t, ok := root.Get("type").Text(); ok {
		return formats.No("its type is " + t)
	}
	entries := root.Get("entries")
	has := func(e *jsondoc.Value, names ...string) bool {
		for _, n := range names {
			if e.Has(n) {
				return true
			}
		}
		return false
	}
	switch entries.Kind() {
	case jsondoc.KindObject:
		if entries.Len() == 0 {
			return formats.Bid{Score: 0.9, Reason: "World Info without entries"}
		}
		for _, e := range entries.Members() {
			if has(e, "key", "keysecondary", "comment", "content", "keys") {
				return formats.Bid{Score: 0.9, Reason: "entries keyed by uid"}
			}
			break
		}
	case jsondoc.KindArray:
		if entries.Len() == 0 && has(root, "scan_depth", "token_budget", "recursive_scanning", "extensions", "name") {
			return formats.Bid{Score: 0.85, Reason: "a character_book without entries"}
		}
		if e := entries.Elem(0); has(e, "keys", "key") || (has(e, "content") && has(e, "name", "comment", "enabled")) {
			return formats.Bid{Score: 0.85, Reason: "a list of character_book entries"}
		}
	}
	return formats.No("no lorebook entries")
}

func (lorebook) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	root, where := rootOf(d)
	if root.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, where, "a lorebook must be an object, and this is %s", root.Kind())
	}
	dial := book.OfFile(root)
	out := &formats.Decoded{Container: formats.JSON}
	b, err := dial.Decode(root, where, func(w string) { out.Warnings = append(out.Warnings, w) })
	if err != nil {
		return nil, err
	}
	id := canonical.Slug(b.Name)
	if b.Name == "" {
		id = canonical.Slug(baseName(in.Name))
	}
	un := jsondoc.Object()
	host := "sillytavern"
	if dial != book.WorldInfo {
		host = "" // SillyTavern cannot read it: writing for SillyTavern makes real World Info
	}
	un.Set("host", jsondoc.String(host))
	un.Set("dialect", jsondoc.String(dial.ID()))
	out.Entity = &canonical.Entity{Kind: canonical.KindLorebook, ID: id, Body: b, Original: []*canonical.Escrow{{Bucket: lorebookID, Raw: d, Unmapped: un}}}
	out.Variant = dial.ID()
	out.Unmapped = func() []string {
		paths := dial.UnmappedIn(root)
		if where != "" {
			for i := range paths {
				paths[i] = where + "." + paths[i]
			}
		}
		return paths
	}
	return out, nil
}

func baseName(name string) string {
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

func (lorebook) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	b := e.Lorebook()
	if b == nil {
		return nil, fault.New(fault.WrongKind, "", "World Info holds lorebooks, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "World Info is a JSON file; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.JSON, Ext: ".json", MediaType: "application/json"}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	var doc *jsondoc.Doc
	if o := e.Bucket(lorebookID); o != nil && o.Raw != nil && book.WorldInfo.Twin(e) != nil {
		doc = o.Raw.Clone()
		book.WorldInfo.Encode(b, doc.Root, nil, near)
	} else {
		doc = jsondoc.NewDoc(book.WorldInfo.Encode(b, nil, book.SourceOf(e), near), "    ")
	}
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	out.Data = r
	return out, nil
}

// UnmappedOf implements formats.EscrowReader for lorebooks of every app, also those out of a card.
func (lorebook) UnmappedOf(o *canonical.Escrow) ([]string, bool) {
	return book.Unmapped(o), o.Bucket == book.Bucket || o.Bucket == lorebookID
}

func (lorebook) Fields() []formats.Field { return book.WorldInfo.Fields() }
