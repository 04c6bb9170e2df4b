package fieldmap

import (
	"slices"
	"strings"

	"bunzai/jsondoc"
)

// Member is one field of a Group.
type Member[B any] struct {
	Path string
	Same func(a, b *B) bool
	copy func(to, from *B)
	// exact writes the field for parking, null when it is absent; take reads that.
	exact func(b *B) *jsondoc.Value
	take  func(v *jsondoc.Value, b *B)
}

// MemberOf makes a Member; c is how it is parked.
func MemberOf[B, T any](path string, acc Access[B, T], c Codec[T]) Member[B] {
	return Member[B]{Path: path,
		Same: func(a, b *B) bool {
			x, okx := acc.Get(a)
			y, oky := acc.Get(b)
			return okx == oky && (!okx || acc.Same(x, y))
		},
		copy: func(to, from *B) {
			if t, ok := acc.Get(from); ok {
				acc.Set(to, t)
			} else {
				acc.Clear(to)
			}
		},
		exact: func(b *B) *jsondoc.Value {
			if t, ok := acc.Get(b); ok {
				return c.Write(t, nil)
			}
			return jsondoc.Null()
		},
		take: func(v *jsondoc.Value, b *B) {
			if v.IsNull() {
				acc.Clear(b)
			} else if t, _ := c.Read(v); t != nil {
				acc.Set(b, *t)
			}
		},
	}
}

// Group is a set of fields that an app holds together, in places of its own. What the app does not give back exactly is
// parked, and counts on reading as long as writing it again would say what the app says now: so an edit made in the app
// wins.
type Group[B any] struct {
	Wire    string
	Park    []string // object for what is parked
	Covers  []string // members that Derive reads
	Members []Member[B]
	// Derive reads what the app means.
	Derive func(obj *jsondoc.Value, b *B, warn Warn)
	// Put writes it. Near receives what the app will not do as asked.
	Put func(obj *jsondoc.Value, b *B, near Near)
	// Shorten leaves of a copied member what Derive and Put look at; may be nil.
	Shorten func(member string, v *jsondoc.Value) *jsondoc.Value
	Note    string
	// Tidy takes the object around the parking place away too when nothing is left in it.
	Tidy bool
}

func silent(string, string) {}

func (g *Group[B]) park(path string) []string { return append(slices.Clone(g.Park), path) }

// parks reports whether a field of the group is parked.
func (g *Group[B]) parks(obj *jsondoc.Value) bool {
	parked := obj.At(g.Park...)
	return parked != nil && slices.ContainsFunc(g.Members, func(m Member[B]) bool { return parked.Get(m.Path) != nil })
}

func (g *Group[B]) read(obj *jsondoc.Value, warn Warn) *B {
	now := new(B)
	g.Derive(obj, now, warn)
	if !g.parks(obj) {
		return now
	}
	exact, parked := *now, obj.At(g.Park...)
	for _, m := range g.Members {
		if v := parked.Get(m.Path); v != nil {
			m.take(v, &exact)
		}
	}
	// Would writing the exact fields say what stands here?
	try := jsondoc.Object()
	for _, c := range g.Covers {
		v := obj.At(strings.Split(c, ".")...)
		if v == nil {
			continue
		}
		if v = v.Clone(); g.Shorten != nil {
			v = g.Shorten(c, v)
		}
		Put(try, strings.Split(c, "."), v)
	}
	g.Put(try, &exact, func(string, string, string) {})
	again := new(B)
	g.Derive(try, again, silent)
	for _, m := range g.Members {
		if !m.Same(now, again) {
			return now
		}
	}
	return &exact
}

// Same reports whether two bodies agree in every field of the group.
func (g *Group[B]) Same(a, b *B) bool {
	for _, m := range g.Members {
		if !m.Same(a, b) {
			return false
		}
	}
	return true
}

// write writes all fields at once: the row of the first that differs does it for the others.
func (g *Group[B]) write(obj *jsondoc.Value, b *B, near Near) {
	if g.Same(g.read(obj, silent), b) {
		return
	}
	g.Put(obj, b, near)
	now := new(B)
	g.Derive(obj, now, silent)
	for _, m := range g.Members {
		if m.Same(now, b) {
			Drop(obj, g.park(m.Path))
		} else {
			Put(obj, g.park(m.Path), m.exact(b))
		}
	}
	if v := obj.At(g.Park...); v.Kind() == jsondoc.KindObject && v.Len() == 0 {
		Drop(obj, g.Park)
		if around := g.Park[:len(g.Park)-1]; g.Tidy && obj.At(around...).Len() == 0 {
			Drop(obj, around)
		}
	}
}

// Rows are the rows of the group, one for each member.
func (g *Group[B]) Rows() (out Map[B]) {
	covers := slices.Clone(g.Covers)
	for _, x := range g.Members {
		covers = append(covers, strings.Join(g.park(x.Path), "."))
	}
	for i, m := range g.Members {
		r := Custom(m.Path, g.Wire, covers,
			func(obj *jsondoc.Value, b *B, warn Warn) {
				if i > 0 {
					return // the first row reads for all: they cover the same members
				}
				if !g.parks(obj) {
					g.Derive(obj, b, warn)
					return
				}
				now := g.read(obj, warn)
				for _, x := range g.Members {
					x.copy(b, now)
				}
			},
			m.Same,
			g.write)
		if g.Note != "" {
			r = r.Noted(g.Note)
		}
		out = append(out, r)
	}
	return out
}
