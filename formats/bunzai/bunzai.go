// Package bunzai reads and writes the canonical file itself (.bunzai.json): any kind, whole, with the escrow of the
// app that it came from, so that it can go back there without loss. The lorebooks and regex sets of a character, and the
// regex sets of a preset, ride in the member "related", each a canonical file of its own; so do the further pieces of a
// file that held many (a backup of personas).
package bunzai

import (
	"slices"
	"strconv"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// Codecs lists one codec per kind.
func Codecs() []formats.Codec {
	labels := map[canonical.Kind]string{
		canonical.KindCharacter: "character", canonical.KindLorebook: "lorebook", canonical.KindRegex: "regex set",
		canonical.KindPersona: "persona", canonical.KindPreset: "preset", canonical.KindQuickReply: "quick reply set",
	}
	out := []formats.Codec{character{codec{canonical.KindCharacter, labels[canonical.KindCharacter]}}}
	for _, k := range []canonical.Kind{canonical.KindLorebook, canonical.KindRegex, canonical.KindPersona, canonical.KindPreset, canonical.KindQuickReply} {
		c := codec{k, labels[k]}
		if k == canonical.KindPreset {
			out = append(out, preset{c})
			continue
		}
		out = append(out, c)
	}
	return out
}

type codec struct {
	kind  canonical.Kind
	label string
}

const related = canonical.RelatedName

func (c codec) Info() formats.Info {
	id := "bunzai"
	if c.kind != canonical.KindCharacter {
		id += "-" + string(c.kind)
	}
	return formats.Info{ID: id, App: "bunzai", AppLabel: "bunzai", Kind: c.kind, Label: "bunzai canonical " + c.label, Containers: []formats.Container{formats.JSON}}
}

func (c codec) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	kind, _ := d.Root.Get("kind").Text()
	if _, ok := d.Root.Get("schemaVersion").Text(); !ok || kind != string(c.kind) || d.Root.Get("body").Kind() != jsondoc.KindObject {
		return formats.No("no canonical file of this kind: schemaVersion, kind and body are not there together")
	}
	return formats.Bid{Score: 1, Reason: "schemaVersion, kind " + kind + " and body"}
}

func (c codec) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	e, err := canonical.DecodeEntity(d, in.Limits)
	if err != nil {
		return nil, err
	}
	if e.Kind != c.kind {
		return nil, fault.New(fault.WrongKind, "kind", "this file holds a %s, not a %s", e.Kind, c.kind)
	}
	more, err := c.takeMore(e, in.Limits)
	if err != nil {
		return nil, err
	}
	return &formats.Decoded{Entity: e, More: more, Container: formats.JSON, Unmapped: func() []string {
		var out []string
		for k, v := range e.Extra.Members() {
			if k != related && !v.IsNull() {
				out = append(out, k)
			}
		}
		return out
	}}, nil
}

func (c codec) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a canonical file is JSON; there is no container %q for it", ctx.Container)
	}
	x := *e
	if ctx.Lorebooks != nil || ctx.RegexSets != nil || len(ctx.More) > 0 {
		x.Extra = jsondoc.Object()
		for k, v := range e.Extra.Members() {
			if k != related {
				x.Extra.Set(k, v.Clone())
			}
		}
		list := jsondoc.Array()
		for _, g := range []struct {
			kind   canonical.Kind
			pieces []*canonical.Entity
		}{{canonical.KindLorebook, ctx.Lorebooks}, {canonical.KindRegex, ctx.RegexSets}, {"", ctx.More}} {
			for _, v := range e.Extra.Get(related).Elems() {
				if k, _ := v.Get("kind").Text(); g.pieces == nil && k == string(g.kind) {
					list.AppendElem(v.Clone())
				}
			}
			for _, p := range g.pieces {
				v, err := embedded(p, ctx.Limits)
				if err != nil {
					return nil, err
				}
				list.AppendElem(v)
			}
		}
		if list.Len() > 0 {
			x.Extra.Set(related, list)
		}
	}
	data, err := canonical.EncodeEntityWithin(&x, ctx.Limits)
	if err != nil {
		return nil, err
	}
	return &formats.Encoded{Data: data, Container: formats.JSON, Ext: ".bunzai.json", MediaType: "application/json", KeepsEscrow: true}, nil
}

// Fields: the canonical file has a place for everything.
func (codec) Fields() []formats.Field { return nil }

// takeMore takes the further pieces of the same kind out of what is related to e.
func (c codec) takeMore(e *canonical.Entity, lim limits.Limits) ([]*canonical.Entity, error) {
	var more []*canonical.Entity
	var rest []*jsondoc.Value
	list := e.Extra.Get(related)
	for i, v := range list.Elems() {
		if k, _ := v.Get("kind").Text(); k != string(c.kind) {
			rest = append(rest, v)
			continue
		}
		x, err := canonical.DecodeEntity(&jsondoc.Doc{Root: v.Clone()}, lim)
		if err != nil {
			return nil, fault.At(err, related+"["+strconv.Itoa(i)+"]")
		}
		more = append(more, x)
	}
	switch {
	case len(more) == 0:
	case len(rest) == 0:
		e.Extra.Delete(related)
	default:
		list.SetElems(rest)
	}
	return more, nil
}

// embedded is a piece as a member of another one's file.
func embedded(e *canonical.Entity, lim limits.Limits) (*jsondoc.Value, error) {
	r, err := canonical.EncodeEntityWithin(e, lim)
	if err != nil {
		return nil, err
	}
	text, err := r.Bytes()
	if err != nil {
		return nil, err
	}
	return jsondoc.Raw(text, lim)
}

// extract returns the related pieces of one kind.
func extract(e *canonical.Entity, kind canonical.Kind) (out []*canonical.Entity, err error) {
	for i, v := range e.Extra.Get(related).Elems() {
		p, err := canonical.DecodeEntity(&jsondoc.Doc{Root: v.Clone()}, limits.Large())
		if err != nil {
			return nil, fault.At(err, related+"["+strconv.Itoa(i)+"]")
		}
		if p.Kind == kind {
			out = append(out, p)
		}
	}
	return out, nil
}

// asLinked puts the pieces into the order of the links to them, those without one last. The links stay: some may lead to
// pieces that are not in the file.
func asLinked(list []*canonical.Entity, refs []string) {
	place := func(e *canonical.Entity) int {
		if i := slices.Index(refs, e.ID); i >= 0 {
			return i
		}
		return len(refs)
	}
	slices.SortStableFunc(list, func(a, b *canonical.Entity) int { return place(a) - place(b) })
}

// character also carries its lorebooks and regex sets.
type character struct{ codec }

// ExtractBooks implements formats.BookExtractor.
func (character) ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	out, err := extract(e, canonical.KindLorebook)
	if c := e.Character(); c != nil {
		asLinked(out, c.KnowledgeRefs)
	}
	return out, nil, err
}

// ExtractRegex implements formats.RegexExtractor.
func (character) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	out, err := extract(e, canonical.KindRegex)
	if c := e.Character(); c != nil {
		asLinked(out, c.BehaviorRefs)
	}
	return out, nil, err
}

// preset also carries its regex sets.
type preset struct{ codec }

// ExtractRegex implements formats.RegexExtractor.
func (preset) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	out, err := extract(e, canonical.KindRegex)
	if p, ok := e.Body.(*canonical.Preset); ok {
		asLinked(out, p.BehaviorRefs)
	}
	return out, nil, err
}
