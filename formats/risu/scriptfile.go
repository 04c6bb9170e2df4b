package risu

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

// scriptFile reads the app's regex export ({"type":"regex","data":[...]}) and bare lists of the same scripts, which
// tools around the app write, and writes the export: the importer takes nothing else.
type scriptFile struct{}

const scriptFileID = "risu-regex"

func (scriptFile) Info() formats.Info {
	return formats.Info{ID: scriptFileID, App: "risu", AppLabel: label, Kind: canonical.KindRegex, Label: "Risu regex scripts", Containers: []formats.Container{formats.JSON}}
}

// Detect bids 1 on the export and 0.9 on a bare list.
func (scriptFile) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	switch d.Root.Kind() {
	case jsondoc.KindObject:
		if t, _ := d.Root.Get("type").Text(); t == "regex" && d.Root.Get("data").Kind() == jsondoc.KindArray {
			return formats.Bid{Score: 1, Reason: "its type is regex and its data is a list"}
		}
		return formats.No("not a Risu regex file: its type is not regex")
	case jsondoc.KindArray:
		n := 0
		for _, e := range d.Root.Elems() {
			if _, ok := e.Get("in").Text(); ok && e.Has("out") && e.Has("type") {
				n++
			}
		}
		switch {
		case n == 0:
			return formats.No("not a list of Risu scripts: none has in, out and type")
		case n < d.Root.Len():
			return formats.Bid{Score: 0.7, Reason: "some elements are Risu scripts"}
		}
		return formats.Bid{Score: 0.9, Reason: "a list of Risu scripts"}
	}
	return formats.No("not an object and not a list")
}

func (scriptFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	list, where := loreList(d.Root)
	if list.Kind() != jsondoc.KindArray {
		return nil, fault.New(fault.Damaged, where, "a file of Risu scripts holds a list of them, and this is %s", list.Kind())
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: regex.Many}
	warn, bad := scripts.Warnings(where, &out.Warnings)
	set := &canonical.RegexSet{}
	set.Rules, _ = scripts.Decode(list, warn, bad)
	un := jsondoc.Object()
	un.Set("host", jsondoc.String("risu"))
	un.Set("dialect", jsondoc.String(scripts.ID))
	if where != "" {
		out.Variant = regex.Envelope
		set.Name, _ = d.Root.Get("name").Text()
		un.Set("list", jsondoc.String(where))
	}
	name := set.Name
	if name == "" {
		name = fileBase(in.Name)
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindRegex, ID: canonical.Slug(name), Body: set, Original: []*canonical.Escrow{{Bucket: scriptFileID, Raw: d, Unmapped: un}}}
	out.Unmapped = func() (paths []string) {
		if where != "" {
			for k, v := range d.Root.Members() {
				if k != "type" && k != "data" && k != "name" && k != "ver" && !v.IsNull() {
					paths = append(paths, k)
				}
			}
		}
		return append(paths, scripts.BadIn(list, where)...)
	}
	return out, nil
}

// Encode writes over the export that the set came from; a set out of a module or a bare list keeps its rows in a new one.
func (scriptFile) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	set, err := regex.SetOf(e, ctx)
	if err != nil {
		return nil, err
	}
	out := &formats.Encoded{}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	if o := e.Bucket(scriptFileID); o != nil && o.Raw != nil && o.Raw.Root.Kind() == jsondoc.KindObject {
		doc := o.Raw.Clone()
		scripts.Encode(set.Rules, doc.Root.Get("data"), near)
		if was, _ := doc.Root.Get("name").Text(); was != set.Name {
			doc.Root.Set("name", jsondoc.String(set.Name))
		}
		return out, regex.File(doc, ctx, out)
	}
	list := scripts.Twin(e)
	if list == nil {
		list = jsondoc.Array()
		out.Warnings = append(out.Warnings, foreignScripts(set)...)
	}
	scripts.Encode(set.Rules, list, near)
	root := jsondoc.Object()
	root.Set("type", jsondoc.String("regex"))
	if set.Name != "" {
		root.Set("name", jsondoc.String(set.Name))
	}
	root.Set("data", list)
	return out, regex.File(jsondoc.NewDoc(root, "  "), ctx, out)
}

func (scriptFile) Fields() []formats.Field {
	return append([]formats.Field{{Path: "name", Wire: "name", Note: "Risu's scripts stand alone; the file keeps the set's name for the way back"}}, scripts.Fields()...)
}

// foreignScripts warns of what scripts of another app may do otherwise in Risu.
func foreignScripts(set *canonical.RegexSet) (warnings []string) {
	var depth, trim []string
	for i := range set.Rules {
		r := &set.Rules[i]
		if r.MinDepth != nil || r.MaxDepth != nil {
			depth = append(depth, regex.Named(r, i))
		}
		if len(r.TrimStrings) > 0 {
			trim = append(trim, regex.Named(r, i))
		}
	}
	for _, x := range []struct {
		which []string
		what  string
	}{{depth, "Risu runs scripts on messages of every depth: look at "}, {trim, "Risu trims nothing out of what a pattern found: look at "}} {
		if len(x.which) == 0 {
			continue
		}
		if len(x.which) > 5 {
			x.which = append(x.which[:5], "and others")
		}
		s := x.what
		for i, w := range x.which {
			if i > 0 {
				s += ", "
			}
			s += w
		}
		warnings = append(warnings, s)
	}
	return warnings
}
