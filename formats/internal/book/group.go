package book

import (
	"strings"

	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// member is one field of a group.
type member struct {
	path string
	same func(a, b *entry) bool
	copy func(to, from *entry)
	// exact writes the field for parking, null when it is absent; take reads that.
	exact func(e *entry) *jsondoc.Value
	take  func(v *jsondoc.Value, e *entry)
}

func memberOf[T any](path string, acc fieldmap.Access[entry, T], c fieldmap.Codec[T]) member {
	return member{path: path,
		same: func(a, b *entry) bool {
			x, okx := acc.Get(a)
			y, oky := acc.Get(b)
			return okx == oky && (!okx || acc.Same(x, y))
		},
		copy: func(to, from *entry) {
			if t, ok := acc.Get(from); ok {
				acc.Set(to, t)
			} else {
				acc.Clear(to)
			}
		},
		exact: func(e *entry) *jsondoc.Value {
			if t, ok := acc.Get(e); ok {
				return c.Write(t, nil)
			}
			return jsondoc.Null()
		},
		take: func(v *jsondoc.Value, e *entry) {
			if v.IsNull() {
				acc.Clear(e)
			} else if t, _ := c.Read(v); t != nil {
				acc.Set(e, *t)
			}
		},
	}
}

// group is a set of fields that an app holds together, in places of its own. What it does not give back exactly is
// parked in the entry, and counts on reading as long as writing it again would say what the app says now: so an edit
// made in the app wins.
type group struct {
	d       *Dialect
	wire    string
	covers  []string
	members []member
	// derive reads what the app means.
	derive func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn)
	// put writes it. Near receives what the app will not do as asked.
	put func(obj *jsondoc.Value, e *entry, near fieldmap.Near)
	// claims marks the lines of the content that derive takes; nil when it takes none.
	claims func(obj *jsondoc.Value, h *head) []bool
}

func (g *group) park(path string) []string { return []string{g.d.ext, "bunzai", path} }

func (g *group) read(obj *jsondoc.Value, warn fieldmap.Warn) *entry {
	now := &entry{}
	g.derive(obj, now, warn)
	parked := obj.At(g.d.ext, "bunzai")
	if parked == nil {
		return now
	}
	exact, any := *now, false
	for _, m := range g.members {
		if v := parked.Get(m.path); v != nil {
			m.take(v, &exact)
			any = true
		}
	}
	if !any {
		return now
	}
	// Would writing the exact fields say what stands here?
	try := jsondoc.Object()
	for _, c := range g.covers {
		if v := obj.At(strings.Split(c, ".")...); v != nil && c != "content" {
			fieldmap.Put(try, strings.Split(c, "."), v.Clone())
		}
	}
	if s, ok := obj.Get("content").Text(); ok && g.claims != nil {
		h := parseHead(s)
		h.body = "" // only the lines matter
		try.Set("content", jsondoc.String(h.String()))
	}
	g.put(try, &exact, func(string, string, string) {})
	again := &entry{}
	g.derive(try, again, func(string, string) {})
	for _, m := range g.members {
		if !m.same(now, again) {
			return now
		}
	}
	return &exact
}

func (g *group) write(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
	g.put(obj, e, near)
	now := &entry{}
	g.derive(obj, now, func(string, string) {})
	for _, m := range g.members {
		if m.same(now, e) {
			fieldmap.Drop(obj, g.park(m.path))
		} else {
			fieldmap.Put(obj, g.park(m.path), m.exact(e))
		}
	}
	if v := obj.At(g.d.ext, "bunzai"); v.Kind() == jsondoc.KindObject && v.Len() == 0 {
		fieldmap.Drop(obj, []string{g.d.ext, "bunzai"})
		if x := obj.Get(g.d.ext); g.d.File && x.Len() == 0 {
			obj.Delete(g.d.ext)
		}
	}
}

// rows are the rows of the group, one for each member.
func (g *group) rows(note string) (out fieldmap.Map[entry]) {
	for i, m := range g.members {
		covers := append([]string{}, g.covers...)
		for _, x := range g.members {
			covers = append(covers, strings.Join(g.park(x.path), "."))
		}
		r := fieldmap.Custom(m.path, g.wire, covers,
			func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
				if i > 0 {
					return // the first row reads for all: they cover the same members
				}
				now := g.read(obj, warn)
				for _, x := range g.members {
					x.copy(e, now)
				}
			},
			m.same,
			func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
				g.write(obj, e, func(path, after, why string) {
					if path == m.path {
						near(path, after, why)
					}
				})
			})
		if note != "" {
			r = r.Noted(note)
		}
		out = append(out, r)
	}
	return out
}

// edit changes the decorators of an entry.
func edit(obj *jsondoc.Value, change func(h *head)) {
	s, _ := obj.Get("content").Text()
	h := parseHead(s)
	change(&h)
	if t := h.String(); t != s {
		obj.Set("content", jsondoc.String(t))
	}
}

func headOf(obj *jsondoc.Value) head {
	s, _ := obj.Get("content").Text()
	if !strings.Contains(s, "@@") {
		return head{body: s}
	}
	return parseHead(s)
}

func named(names ...string) func(x decorator) bool {
	return func(x decorator) bool {
		for _, n := range names {
			if x.name == n {
				return true
			}
		}
		return false
	}
}

// marked marks the lines for which yes.
func marked(h *head, yes func(x decorator) bool) []bool {
	out := make([]bool, len(h.lines))
	for i, x := range h.lines {
		out[i] = yes(x)
	}
	return out
}
