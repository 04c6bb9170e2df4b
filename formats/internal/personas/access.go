// Package personas is what the persona codecs of several apps share: how a field map reaches the groups of a persona
// body, and the unique ids of the personas of one file. Wire names have no place here.
package personas

import (
	"encoding/hex"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// Body is what the field maps speak of.
type Body = canonical.Persona

// in reaches an optional field of an optional group; a group that holds nothing is taken away.
func in[G any, T comparable](group func(b *Body) **G, field func(g *G) **T, empty func(g *G) bool) fieldmap.Access[Body, T] {
	return fieldmap.Access[Body, T]{
		Get: func(b *Body) (t T, ok bool) {
			if g := *group(b); g != nil {
				if p := *field(g); p != nil {
					return *p, true
				}
			}
			return t, false
		},
		Set: func(b *Body, t T) {
			g := group(b)
			if *g == nil {
				*g = new(G)
			}
			*field(*g) = &t
		},
		Clear: func(b *Body) {
			if g := group(b); *g != nil {
				if *field(*g) = nil; empty(*g) {
					*g = nil
				}
			}
		},
		Same: func(a, b T) bool { return a == b },
	}
}

func identity(b *Body) **canonical.PersonaIdentity { return &b.Identity }
func injection(b *Body) **canonical.ChatInjection  { return &b.ChatInjection }
func pronouns(b *Body) **canonical.PronounSet      { return &b.Identity.PronounSet }
func noIdentity(g *canonical.PersonaIdentity) bool { return *g == canonical.PersonaIdentity{} }
func noInjection(g *canonical.ChatInjection) bool  { return *g == canonical.ChatInjection{} }
func noPronouns(g *canonical.PronounSet) bool      { return *g == canonical.PronounSet{} }
func noLook(g *canonical.PersonaPresentation) bool {
	return g.ImageURL == nil && g.SignatureColor == nil && g.Colors == nil
}
func look(b *Body) **canonical.PersonaPresentation { return &b.Presentation }

// Name, Content, Tagline, Depth and Role reach those fields.
var (
	Name    = fieldmap.Plain(func(b *Body) *string { return &b.Name })
	Content = fieldmap.Plain(func(b *Body) *string { return &b.Content })
	Tagline = in(identity, func(g *canonical.PersonaIdentity) **string { return &g.Tagline }, noIdentity)
	Depth   = in(injection, func(g *canonical.ChatInjection) **float64 { return &g.Depth }, noInjection)
	Role    = in(injection, func(g *canonical.ChatInjection) **string { return &g.Role }, noInjection)
	Image   = in(look, func(g *canonical.PersonaPresentation) **string { return &g.ImageURL }, noLook)
)

// Position reaches the place in the chat; "" is none.
var Position = fieldmap.Access[Body, string]{
	Get: func(b *Body) (string, bool) {
		if b.ChatInjection == nil {
			return "", false
		}
		return b.ChatInjection.Position, b.ChatInjection.Position != ""
	},
	Set: func(b *Body, s string) {
		if b.ChatInjection == nil {
			b.ChatInjection = &canonical.ChatInjection{}
		}
		b.ChatInjection.Position = s
	},
	Clear: func(b *Body) {
		if g := b.ChatInjection; g != nil {
			if g.Position = ""; noInjection(g) {
				b.ChatInjection = nil
			}
		}
	},
	Same: func(a, b string) bool { return a == b },
}

// Pronoun reaches one pronoun of the set.
func Pronoun(field func(g *canonical.PronounSet) **string) fieldmap.Access[Body, string] {
	set := in(pronouns, field, noPronouns)
	return fieldmap.Access[Body, string]{
		Get: func(b *Body) (string, bool) {
			if b.Identity == nil {
				return "", false
			}
			return set.Get(b)
		},
		Set: func(b *Body, s string) {
			if b.Identity == nil {
				b.Identity = &canonical.PersonaIdentity{}
			}
			set.Set(b, s)
		},
		Clear: func(b *Body) {
			if b.Identity == nil {
				return
			}
			if set.Clear(b); noIdentity(b.Identity) {
				b.Identity = nil
			}
		},
		Same: set.Same,
	}
}

// Book reaches the one lorebook link that an app keeps: the first, where the app can have meant it.
func Book(usable func(ref string) bool) fieldmap.Access[Body, string] {
	return fieldmap.Access[Body, string]{
		Get: func(b *Body) (string, bool) {
			if len(b.KnowledgeRefs) == 0 || !usable(b.KnowledgeRefs[0]) {
				return "", false
			}
			return b.KnowledgeRefs[0], true
		},
		Set: func(b *Body, s string) {
			if s != "" {
				b.KnowledgeRefs = []string{s}
			}
		},
		Clear: func(b *Body) { b.KnowledgeRefs = nil },
		Same:  func(a, b string) bool { return a == b },
	}
}

// LocalID reports a UUID: the id of a row in one app's own store, which means nothing elsewhere.
func LocalID(ref string) bool {
	groups := strings.Split(ref, "-")
	if len(groups) != 5 {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if _, err := hex.DecodeString(groups[i]); err != nil || len(groups[i]) != n {
			return false
		}
	}
	return true
}

// Nearest is an Enum that writes a word it does not know as the nearest place it has.
func Nearest(words []fieldmap.Word, near map[string]string, other string) fieldmap.Codec[string] {
	c := fieldmap.Enum(words, false)
	return fieldmap.Codec[string]{Read: c.Read, Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
		for _, w := range words {
			if w.Canon == s {
				return c.Write(s, old)
			}
		}
		if n, ok := near[s]; ok {
			return c.Write(n, old)
		}
		return c.Write(other, old)
	}}
}

// Pieces is the persona and the further ones of the same file, each of which must be a persona.
func Pieces(e *canonical.Entity, ctx formats.EncodeContext, what string) ([]*canonical.Entity, error) {
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "%s is a JSON file; there is no container %q for it", what, ctx.Container)
	}
	out := append([]*canonical.Entity{e}, ctx.More...)
	for _, x := range out {
		if _, ok := x.Body.(*Body); !ok {
			return nil, fault.New(fault.WrongKind, "", "%s holds personas, and this is a %s", what, x.Kind)
		}
	}
	return out, nil
}

// Gather makes what a codec decodes: the piece at first as the main one, the others in order behind it, with ids that
// no two have.
func Gather(list []*canonical.Entity, first int) (*canonical.Entity, []*canonical.Entity) {
	var ids canonical.IDs
	name := func(e *canonical.Entity) { e.ID = ids.Unique(canonical.Slug(e.Body.(*Body).Name)) }
	name(list[first])
	var more []*canonical.Entity
	for i, e := range list {
		if i != first {
			name(e)
			more = append(more, e)
		}
	}
	return list[first], more
}

// Written finishes a JSON file.
func Written(doc *jsondoc.Doc, ctx formats.EncodeContext) (*formats.Encoded, error) {
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	return &formats.Encoded{Data: r, Container: formats.JSON, Ext: ".json", MediaType: "application/json"}, nil
}
