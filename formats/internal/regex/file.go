package regex

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// Shapes of a file.
const (
	One      = "object"   // one script
	Many     = "list"     // a list of scripts
	Envelope = "envelope" // an object that holds the list in its member scripts
)

// ShapeOf is the shape of a document and the list in it; the list of a lone script is made.
func ShapeOf(root *jsondoc.Value) (shape string, list *jsondoc.Value) {
	switch {
	case root.Kind() == jsondoc.KindArray:
		return Many, root
	case root.Kind() == jsondoc.KindObject && root.Get("scripts").Kind() == jsondoc.KindArray:
		return Envelope, root.Get("scripts")
	case root.Kind() == jsondoc.KindObject:
		return One, jsondoc.Array(root.Clone())
	}
	return "", nil
}

// place is how the elements of a file are named in messages.
func place(shape string) string {
	if shape == Envelope {
		return "scripts"
	}
	return "script"
}

// DecodeFile reads a file of scripts. Known are members of an envelope that say nothing else.
func (d *Dialect) DecodeFile(in *formats.Input, doc *jsondoc.Doc, id string, known ...string) (*formats.Decoded, error) {
	shape, list := ShapeOf(doc.Root)
	if shape == "" {
		return nil, fault.New(fault.Damaged, "", "a file of regex scripts must be an object or a list, and this is %s", doc.Root.Kind())
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: shape}
	where := place(shape)
	if shape == One {
		if why := d.Bad(doc.Root); why != "" {
			return nil, fault.New(fault.Damaged, "", "this script %s", why)
		}
	}
	warn, bad := d.Warnings(where, &out.Warnings)
	if shape == One {
		warn = func(_ int, path, what string) { out.Warnings = append(out.Warnings, path+" "+what) }
	}
	set := &canonical.RegexSet{}
	set.Rules, _ = d.Decode(list, warn, bad)
	if shape == Envelope {
		set.Name, _ = doc.Root.Get("name").Text()
	}
	name := set.Name
	if name == "" {
		name = baseName(in.Name)
	}
	if name == "" && len(set.Rules) > 0 {
		name = set.Rules[0].Label
	}
	un := jsondoc.Object()
	un.Set("host", jsondoc.String(d.App))
	un.Set("dialect", jsondoc.String(d.ID))
	if shape == Envelope {
		un.Set("list", jsondoc.String("scripts"))
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindRegex, ID: canonical.Slug(name), Body: set,
		Original: []*canonical.Escrow{{Bucket: id, Raw: doc, Unmapped: un}}}
	out.Unmapped = func() (paths []string) {
		if shape == Envelope {
			seen := map[string]bool{"scripts": true, "name": true}
			for _, k := range known {
				seen[k] = true
			}
			for k, v := range doc.Root.Members() {
				if !seen[k] && !v.IsNull() {
					seen[k] = true
					paths = append(paths, k)
				}
			}
			return append(paths, d.BadIn(list, "scripts")...)
		}
		return d.BadIn(list, "")
	}
	return out, nil
}

func baseName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name
}

// TwinDoc is the document that a set of this codec came from, and its shape; nil when it came from elsewhere.
func (d *Dialect) TwinDoc(e *canonical.Entity, id string) (*jsondoc.Doc, string) {
	o := e.Bucket(id)
	if o == nil || o.Raw == nil {
		return nil, ""
	}
	if dial, _ := o.Unmapped.Get("dialect").Text(); dial != d.ID {
		return nil, ""
	}
	shape, _ := ShapeOf(o.Raw.Root)
	if shape == "" {
		return nil, ""
	}
	return o.Raw.Clone(), shape
}

// Over writes the rules into the document that they came from. A lone script becomes a list when it is not alone any
// more.
func (d *Dialect) Over(doc *jsondoc.Doc, shape string, set *canonical.RegexSet, near func(path, after, why string)) {
	switch shape {
	case Many:
		d.Encode(set.Rules, doc.Root, near)
	case Envelope:
		d.Encode(set.Rules, doc.Root.Get("scripts"), near)
		if was, ok := doc.Root.Get("name").Text(); set.Name != was {
			if set.Name == "" && ok {
				doc.Root.Delete("name")
			} else {
				doc.Root.Set("name", jsondoc.String(set.Name))
			}
		}
	case One:
		list := jsondoc.Array(doc.Root)
		d.Encode(set.Rules, list, near)
		doc.Root = list
		if list.Len() == 1 {
			doc.Root = list.Elem(0)
		}
	}
}

// File finishes a document as a JSON file within the limits.
func File(doc *jsondoc.Doc, ctx formats.EncodeContext, out *formats.Encoded) error {
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return ctx.Limits.Over("", "JSON", r.Size())
	}
	out.Data, out.Container, out.Ext, out.MediaType = r, formats.JSON, ".json", "application/json"
	return nil
}

// SetOf checks that a piece can be written as a file of scripts.
func SetOf(e *canonical.Entity, ctx formats.EncodeContext) (*canonical.RegexSet, error) {
	set, ok := e.Body.(*canonical.RegexSet)
	if !ok {
		return nil, fault.New(fault.WrongKind, "", "a file of regex scripts holds a regex set, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a file of regex scripts is JSON; there is no container %q for it", ctx.Container)
	}
	return set, nil
}

// Foreign says what another app's rules may do otherwise in SillyTavern or Lumiverse, which trim and fill macros at
// different times: one warning each, naming the rules. The target is Lumiverse, which trims the whole result and fills
// macros in a replacement only when told to, or else SillyTavern.
func Foreign(set *canonical.RegexSet, lumiverse bool) (warnings []string) {
	var trims, macros []string
	for i := range set.Rules {
		r := &set.Rules[i]
		if len(r.TrimStrings) > 0 {
			trims = append(trims, Named(r, i))
		}
		if strings.Contains(r.Replace, "{{") && canonical.Or(r.SubstituteFind, canonical.SubstituteNone) == canonical.SubstituteNone {
			macros = append(macros, Named(r, i))
		}
	}
	t, m := "SillyTavern trims only the captured text, where Lumiverse trims the whole result: look at %s", "SillyTavern always fills macros in a replacement: look at %s"
	if lumiverse {
		t, m = "Lumiverse trims the whole result, where SillyTavern trims only the captured text: look at %s", "Lumiverse fills macros in a replacement only when the script's macro setting is on, where SillyTavern always does: look at %s"
	}
	for _, x := range []struct {
		list []string
		text string
	}{{trims, t}, {macros, m}} {
		if len(x.list) == 0 {
			continue
		}
		if len(x.list) > 5 {
			x.list = append(x.list[:5], "and others")
		}
		warnings = append(warnings, strings.Replace(x.text, "%s", strings.Join(x.list, ", "), 1))
	}
	return warnings
}
