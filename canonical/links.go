package canonical

import "slices"

// LinkField is a place of a body that holds ids of other pieces.
type LinkField struct {
	From Kind
	Path string // in the body
	To   Kind
	// Embedded: app files carry the linked piece inside the file of the linking one, so import extracts it and export
	// needs it. Other links are references that never block an export.
	Embedded bool
	// Optional: as Embedded, but a file is whole without it: export takes along what is there and is not blocked by what
	// is not.
	Optional bool
	// Single: only the first reference is written by the apps that have the field.
	Single bool

	refs func(body any) *[]string
}

// LinkFields returns every link of the model.
func LinkFields() []LinkField { return slices.Clone(linkFields) }

var linkFields = []LinkField{
	{From: KindCharacter, Path: "knowledgeRefs", To: KindLorebook, Embedded: true,
		refs: func(b any) *[]string { return &b.(*Character).KnowledgeRefs }},
	{From: KindCharacter, Path: "behaviorRefs", To: KindRegex, Optional: true,
		refs: func(b any) *[]string { return &b.(*Character).BehaviorRefs }},
	{From: KindPersona, Path: "knowledgeRefs", To: KindLorebook, Single: true,
		refs: func(b any) *[]string { return &b.(*Persona).KnowledgeRefs }},
	{From: KindPreset, Path: "behaviorRefs", To: KindRegex, Embedded: true,
		refs: func(b any) *[]string { return &b.(*Preset).BehaviorRefs }},
	{From: KindPreset, Path: "quickReplyRefs", To: KindQuickReply,
		refs: func(b any) *[]string { return &b.(*Preset).QuickReplyRefs }},
}

// PieceRef names a piece: its kind and id.
type PieceRef struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
}

// Link is one reference of a piece to another.
type Link struct {
	Field LinkField
	Index int // in the list
	To    PieceRef
}

// LinksOf returns the links of a piece, in model order.
func LinksOf(e *Entity) []Link {
	var out []Link
	for _, f := range fieldsOf(e) {
		for i, id := range *f.refs(e.Body) {
			out = append(out, Link{Field: f, Index: i, To: PieceRef{f.To, id}})
		}
	}
	return out
}

// RenameLinks returns the entity with every link to a renamed piece pointing to its new id. The entity is not
// changed: the result is e itself when nothing was renamed, else a copy of the wrapper, the body struct and the lists
// that changed, sharing the rest.
func RenameLinks(e *Entity, renames map[PieceRef]string) *Entity {
	out := e
	for _, f := range fieldsOf(e) {
		for i, id := range *f.refs(e.Body) {
			to, ok := renames[PieceRef{f.To, id}]
			if !ok || to == id {
				continue
			}
			if out == e {
				c := *e
				c.Body = shallow(e.Body)
				out = &c
			}
			list := f.refs(out.Body)
			if &(*list)[0] == &(*f.refs(e.Body))[0] {
				*list = slices.Clone(*list)
			}
			(*list)[i] = to
		}
	}
	return out
}

// Links returns the ids of one kind that a piece links, as a list of its own; ok is false where the kind of e has no such
// links.
func Links(e *Entity, to Kind) (ids []string, ok bool) {
	for _, f := range fieldsOf(e) {
		if f.To == to {
			return slices.Clone(*f.refs(e.Body)), true
		}
	}
	return nil, false
}

// WithLinks returns the entity with these links to pieces of one kind in place of those it had. e is not changed; the
// result shares all but the wrapper and the body struct. It is e itself where the kind of e has no such links.
func WithLinks(e *Entity, to Kind, ids []string) *Entity {
	for _, f := range fieldsOf(e) {
		if f.To == to {
			c := *e
			c.Body = shallow(e.Body)
			*f.refs(c.Body) = slices.Clone(ids)
			return &c
		}
	}
	return e
}

func fieldsOf(e *Entity) []LinkField {
	if e == nil || KindOf(e.Body) != e.Kind {
		return nil
	}
	var out []LinkField
	for _, f := range linkFields {
		if f.From == e.Kind {
			out = append(out, f)
		}
	}
	return out
}

func shallow(body any) any {
	switch b := body.(type) {
	case *Character:
		c := *b
		return &c
	case *Persona:
		c := *b
		return &c
	case *Preset:
		c := *b
		return &c
	}
	return body
}
