// Package fieldmap is the machine behind every field map: a table whose rows tie the wire places of one value to one
// canonical field, in both directions. Reading and writing are the same row, so they cannot drift apart.
//
// Writing is an overlay on the document that the entity came from (or on a template): a row whose canonical value is
// what the document already says is not touched; a changed value is written where it stood; a cleared one is removed.
package fieldmap

import (
	"iter"
	"strings"

	"bunzai/formats"
	"bunzai/jsondoc"
)

// Codec translates one wire value.
type Codec[T any] struct {
	// Read returns nil when v says nothing that T can hold; warn tells why when that is odd.
	Read func(v *jsondoc.Value) (t *T, warn string)
	// Write returns the wire value for t. Old is what stands there now (nil when nothing does) and may be reused.
	Write func(t T, old *jsondoc.Value) *jsondoc.Value
	// Empty is written instead of removing the member, for members that a spec demands; nil removes it.
	Empty func() *jsondoc.Value
	// None reports a spelling that says that there is no value, so that nothing is lost without it. Nil: only a blank does.
	None func(v *jsondoc.Value) bool
}

// Required makes a codec write an empty value where the canonical field is absent.
func (c Codec[T]) Required(empty func() *jsondoc.Value) Codec[T] {
	c.Empty = empty
	return c
}

// Place is where a value stands on the wire, from the object that the map is applied to.
type Place[T any] struct {
	Path  []string
	Codec Codec[T]
}

// At makes a Place from a dotted path; wire names hold no dots.
func At[T any](path string, c Codec[T]) Place[T] {
	return Place[T]{Path: strings.Split(path, "."), Codec: c}
}

// Warn receives the wire path and what is odd there, in plain words.
type Warn func(path, what string)

// Near receives a canonical path whose value the app's own field can hold only roughly: what stands there now, and
// why. The exact value is parked beside it for the way back.
type Near func(path, after, why string)

// Row is one line of a field map over body type B.
type Row[B any] struct {
	formats.Field
	// V3 marks what only a V3 card may hold.
	V3 bool

	read   func(obj *jsondoc.Value, b *B, warn Warn)
	same   func(a, b *B) bool
	write  func(obj *jsondoc.Value, b *B, near Near)
	covers [][]string // wire paths that the row speaks of
	// unsaid lists the places of obj whose value is not what the row reads; nil when no place can differ.
	unsaid func(obj *jsondoc.Value) []string
}

// Rough marks a row whose other places say the same more roughly, so that they never tell of a loss.
func (r Row[B]) Rough() Row[B] {
	r.unsaid = nil
	return r
}

// Tells gives a row of its own making what it leaves behind. It is asked where obj has at least one of the row's places.
func (r Row[B]) Tells(unsaid func(obj *jsondoc.Value) []string) Row[B] {
	r.unsaid = unsaid
	return r
}

// Unsaid lists the places of obj whose value, or a part of it, the map does not carry: a value of a kind that means
// nothing, or one that another spelling of the same field overrules. What is listed stays behind in another app's file.
func (m Map[B]) Unsaid(obj *jsondoc.Value) (out []string) {
	for r := range m.presentIn(obj) {
		if r.unsaid != nil {
			out = append(out, r.unsaid(obj)...)
		}
	}
	return out
}

// Parked marks a row whose place the app keeps and ignores.
func (r Row[B]) Parked(note string) Row[B] {
	r.Reads, r.Note = false, note
	return r
}

// Noted adds what a person should know.
func (r Row[B]) Noted(note string) Row[B] {
	r.Note = note
	return r
}

// OnlyV3 marks a row of the V3 spec.
func (r Row[B]) OnlyV3() Row[B] {
	r.V3 = true
	return r
}

// WhereHeld makes a row write only at places that hold a value already: it never adds its home.
func (r Row[B]) WhereHeld() Row[B] {
	write, home := r.write, r.covers[0]
	r.write = func(obj *jsondoc.Value, b *B, near Near) {
		missing := firstMissing(obj, home)
		if write(obj, b, near); missing > 0 {
			Drop(obj, home[:missing])
		}
	}
	return r
}

// AtHeld makes a row write at its home only where no other place holds a value: a file that uses another name keeps it.
func (r Row[B]) AtHeld() Row[B] {
	write, home, others := r.write, r.covers[0], r.covers[1:]
	r.write = func(obj *jsondoc.Value, b *B, near Near) {
		missing, elsewhere := firstMissing(obj, home), false
		for _, o := range others {
			elsewhere = elsewhere || obj.At(o...) != nil
		}
		if write(obj, b, near); missing > 0 && elsewhere {
			Drop(obj, home[:missing])
		}
	}
	return r
}

// firstMissing is the number of steps of path to the first one that is not there; 0 when all are.
func firstMissing(obj *jsondoc.Value, path []string) int {
	for i := range path {
		if obj.At(path[:i+1]...) == nil {
			return i + 1
		}
	}
	return 0
}

// Of says which members of an object value the row speaks of; others are nobody's.
func (r Row[B]) Of(members ...string) Row[B] {
	places := r.covers[:len(r.covers):len(r.covers)]
	for _, c := range r.covers {
		for _, m := range members {
			places = append(places, append(c[:len(c):len(c)], m))
		}
	}
	r.covers = places
	return r
}

// Held reports whether obj has the value at any of the row's places.
func (r Row[B]) Held(obj *jsondoc.Value) bool {
	for _, c := range r.covers {
		if obj.At(c...) != nil {
			return true
		}
	}
	return false
}

// Access reaches one field of a body. Get reports absence with false.
type Access[B, T any] struct {
	Get   func(b *B) (T, bool)
	Set   func(b *B, t T)
	Clear func(b *B)
	Same  func(a, b T) bool
}

// Ptr reaches an optional field of a comparable type.
func Ptr[B any, T comparable](field func(b *B) **T) Access[B, T] {
	return Access[B, T]{
		Get: func(b *B) (t T, ok bool) {
			if p := *field(b); p != nil {
				return *p, true
			}
			return t, false
		},
		Set:   func(b *B, t T) { *field(b) = &t },
		Clear: func(b *B) { *field(b) = nil },
		Same:  func(a, b T) bool { return a == b },
	}
}

// Plain reaches a required text field: "" stands for absent.
func Plain[B any](field func(b *B) *string) Access[B, string] {
	return Access[B, string]{
		Get:   func(b *B) (string, bool) { s := *field(b); return s, s != "" },
		Set:   func(b *B, t string) { *field(b) = t },
		Clear: func(b *B) { *field(b) = "" },
		Same:  func(a, b string) bool { return a == b },
	}
}

// Slice reaches a list field; nil is absent, an empty list is a value.
func Slice[B, E any](field func(b *B) *[]E, same func(a, b E) bool) Access[B, []E] {
	return Access[B, []E]{
		Get:   func(b *B) ([]E, bool) { s := *field(b); return s, s != nil },
		Set:   func(b *B, t []E) { *field(b) = t },
		Clear: func(b *B) { *field(b) = nil },
		Same: func(a, b []E) bool {
			if len(a) != len(b) {
				return false
			}
			for i := range a {
				if !same(a[i], b[i]) {
					return false
				}
			}
			return true
		},
	}
}

// New makes a row. The first place is the home: a changed value is always written there, and at every other place
// that already holds one (the mirrors), so that copies never disagree. Reading takes the first place that has a value.
func New[B, T any](path string, acc Access[B, T], places ...Place[T]) Row[B] {
	r := Row[B]{Field: formats.Field{Path: path, Wire: strings.Join(places[0].Path, "."), Reads: true}}
	for _, p := range places {
		r.covers = append(r.covers, p.Path)
	}
	r.read = func(obj *jsondoc.Value, b *B, warn Warn) {
		for _, p := range places {
			v := obj.At(p.Path...)
			if v == nil || v.IsNull() {
				continue
			}
			t, odd := p.Codec.Read(v)
			if odd != "" {
				warn(strings.Join(p.Path, "."), odd)
			}
			if t != nil {
				acc.Set(b, *t)
				return
			}
		}
	}
	r.unsaid = func(obj *jsondoc.Value) (out []string) {
		var taken *T
		for _, p := range places {
			v := obj.At(p.Path...)
			if v == nil || v.IsNull() {
				continue
			}
			t, odd := p.Codec.Read(v)
			if t == nil && p.Codec.None != nil && p.Codec.None(v) {
				continue
			}
			if !Blank(v) && (t == nil || Dropped(odd) || (taken != nil && !acc.Same(*taken, *t))) {
				out = append(out, strings.Join(p.Path, "."))
			}
			if taken == nil {
				taken = t
			}
		}
		return out
	}
	r.same = func(a, b *B) bool {
		x, okx := acc.Get(a)
		y, oky := acc.Get(b)
		return okx == oky && (!okx || acc.Same(x, y))
	}
	r.write = func(obj *jsondoc.Value, b *B, _ Near) {
		t, ok := acc.Get(b)
		for i, p := range places {
			old := obj.At(p.Path...)
			switch {
			case ok && (i == 0 || old != nil):
				Put(obj, p.Path, p.Codec.Write(t, old))
			case !ok && old != nil && p.Codec.Empty != nil:
				Put(obj, p.Path, p.Codec.Empty())
			case !ok && old != nil:
				Drop(obj, p.Path)
			}
		}
	}
	return r
}

// Custom makes a row from its three functions, for values that several wire members share.
func Custom[B any](path, wire string, covers []string, read func(obj *jsondoc.Value, b *B, warn Warn), same func(a, b *B) bool, write func(obj *jsondoc.Value, b *B, near Near)) Row[B] {
	r := Row[B]{Field: formats.Field{Path: path, Wire: wire, Reads: true}, read: read, same: same, write: write}
	for _, c := range covers {
		r.covers = append(r.covers, strings.Split(c, "."))
	}
	return r
}

// ParkAt keeps the exact value of a row whose places may hold it only roughly: where writing and reading back gives
// another value, the exact one is also written at park. It counts on reading only while the rough one still agrees
// with it, so that an edit made in the app wins.
func ParkAt[B, T any](r Row[B], acc Access[B, T], park string, exact Codec[T], home Codec[T], why string) Row[B] {
	path := strings.Split(park, ".")
	base := r
	rough := func(t T) (*T, *jsondoc.Value) {
		w := home.Write(t, nil)
		back, _ := home.Read(w)
		return back, w
	}
	r.covers = append(r.covers, path)
	r.read = func(obj *jsondoc.Value, b *B, warn Warn) {
		base.read(obj, b, warn)
		v := obj.At(path...)
		if v == nil || v.IsNull() {
			return
		}
		t, _ := exact.Read(v)
		if t == nil {
			return
		}
		back, _ := rough(*t)
		now, ok := acc.Get(b)
		if (back == nil && !ok) || (back != nil && ok && acc.Same(*back, now)) {
			acc.Set(b, *t)
		}
	}
	r.write = func(obj *jsondoc.Value, b *B, near Near) {
		base.write(obj, b, near)
		t, ok := acc.Get(b)
		if ok {
			if back, w := rough(t); back == nil || !acc.Same(*back, t) {
				Put(obj, path, exact.Write(t, obj.At(path...)))
				shown, ok := w.Text()
				if !ok {
					shown = string(w.Raw())
				}
				near(r.Path, shown, why)
				return
			}
		}
		Drop(obj, path)
	}
	return r
}

// Silent is a row that may have been written for a value that was not said: park then names what the app got instead,
// and reading says nothing again while the app still has just that.
func Silent[B, T any](r Row[B], acc Access[B, T], park string, exact Codec[T], home Codec[T]) Row[B] {
	path := strings.Split(park, ".")
	base := r
	r.covers = append(r.covers, path)
	r.read = func(obj *jsondoc.Value, b *B, warn Warn) {
		base.read(obj, b, warn)
		v := obj.At(path...)
		if v == nil {
			return
		}
		got, _ := exact.Read(v)
		if got == nil {
			return
		}
		rough, _ := home.Read(home.Write(*got, nil))
		if now, ok := acc.Get(b); ok && rough != nil && acc.Same(*rough, now) {
			acc.Clear(b)
		}
	}
	r.write = func(obj *jsondoc.Value, b *B, near Near) {
		base.write(obj, b, near)
		Drop(obj, path)
	}
	return r
}

// Agree warns where places of a row say different things; the first that holds a value counts.
func Agree[B, T any](r Row[B], acc Access[B, T], places ...Place[T]) Row[B] {
	read := r.read
	r.read = func(obj *jsondoc.Value, b *B, warn Warn) {
		read(obj, b, warn)
		t, ok := acc.Get(b)
		if !ok {
			return
		}
		counts := ""
		for _, p := range places {
			v := obj.At(p.Path...)
			if v == nil || v.IsNull() {
				continue
			}
			name := strings.Join(p.Path, ".")
			if x, _ := p.Codec.Read(v); x != nil && acc.Same(*x, t) {
				if counts == "" {
					counts = name
				}
			} else if x != nil {
				warn(name, "says something else than "+counts+", which counts")
			}
		}
	}
	return r
}

// Put sets the member at path, making the objects on the way. A parent that is no object is replaced.
func Put(obj *jsondoc.Value, path []string, v *jsondoc.Value) {
	for _, name := range path[:len(path)-1] {
		next := obj.Get(name)
		if next.Kind() != jsondoc.KindObject {
			obj.Set(name, jsondoc.Object())
			next = obj.Get(name)
		}
		obj = next
	}
	obj.Set(path[len(path)-1], v)
}

// Drop removes the member at path.
func Drop(obj *jsondoc.Value, path []string) {
	if parent := obj.At(path[:len(path)-1]...); parent != nil {
		parent.Delete(path[len(path)-1])
	}
}

// Map is a field map.
type Map[B any] []Row[B]

// Read fills b from obj.
func (m Map[B]) Read(obj *jsondoc.Value, b *B, warn Warn) {
	if warn == nil {
		warn = func(string, string) {}
	}
	for r := range m.presentIn(obj) {
		r.read(obj, b, warn)
	}
}

// presentIn yields the rows that may find something in obj. Rows whose places are all missing are not tried: what obj
// has is looked up in the map, not the other way round, since a map knows many more spellings than an object uses.
func (m Map[B]) presentIn(obj *jsondoc.Value) iter.Seq[*Row[B]] {
	return func(yield func(*Row[B]) bool) {
		var hit []uint64 // nil: all
		if len(m) >= 8 {
			hit = m.index().present(obj)
		}
		for i := range m {
			if (hit == nil || hit[i/64]&(1<<(i%64)) != 0) && !yield(&m[i]) {
				return
			}
		}
	}
}

// Overlay writes into obj what differs between now and was; was is what the map read from obj. Skip leaves rows out.
func (m Map[B]) Overlay(obj *jsondoc.Value, now, was *B, skip func(r Row[B]) bool, near Near) (changed []Row[B]) {
	if near == nil {
		near = func(string, string, string) {}
	}
	for _, r := range m {
		if (skip != nil && skip(r)) || r.same(now, was) {
			continue
		}
		r.write(obj, now, near)
		changed = append(changed, r)
	}
	return changed
}

// Fill is Overlay onto a template: rows that now says nothing of keep the template's value.
func (m Map[B]) Fill(obj *jsondoc.Value, now *B, skip func(r Row[B]) bool, near Near) {
	var was, zero B
	m.Read(obj, &was, nil)
	m.Overlay(obj, now, &was, func(r Row[B]) bool { return r.same(now, &zero) || (skip != nil && skip(r)) }, near)
}

// Force writes every row that now has a value for, also where obj already says the same in another shape.
func (m Map[B]) Force(obj *jsondoc.Value, now *B, skip func(r Row[B]) bool, near Near) {
	var zero B
	for _, r := range m {
		if !r.same(now, &zero) && (skip == nil || !skip(r)) {
			r.write(obj, now, near)
		}
	}
}

// OverlayEdited brings a second copy up to date: only rows that now differ from base (what the first copy said) are
// written, so that a copy that said something else before keeps it where nobody edited.
func (m Map[B]) OverlayEdited(obj *jsondoc.Value, now, base, was *B) {
	for _, r := range m {
		if !r.same(now, base) && !r.same(now, was) {
			r.write(obj, now, func(string, string, string) {})
		}
	}
}

// Fields lists the rows for the report, each path with prefix.
func (m Map[B]) Fields(prefix string) []formats.Field {
	out := make([]formats.Field, len(m))
	for i, r := range m {
		out[i] = r.Field
		out[i].Path = prefix + r.Path
	}
	return out
}

// Coverage knows which wire paths a field map speaks of. It is made once per map.
type Coverage struct{ root node }

// Coverage lists the paths of the rows and of known, which need no row.
func (m Map[B]) Coverage(known ...string) *Coverage {
	c := &Coverage{}
	for _, r := range m {
		for _, p := range r.covers {
			c.root.add(p)
		}
	}
	for _, k := range known {
		c.root.add(strings.Split(k, "."))
	}
	return c
}

// Unmapped lists the paths below obj that hold content and that the map does not speak of.
func (c *Coverage) Unmapped(obj *jsondoc.Value) []string {
	var out []string
	c.root.walk(obj, "", &out)
	return out
}

type node struct {
	kids map[string]*node
	leaf bool
}

func (n *node) add(path []string) {
	for _, p := range path {
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		if n.kids[p] == nil {
			n.kids[p] = &node{}
		}
		n = n.kids[p]
	}
	n.leaf = true
}

func (n *node) walk(v *jsondoc.Value, prefix string, out *[]string) {
	var seen map[string]bool
	for name, m := range v.Members() {
		k := n.kids[name]
		path := prefix + name
		switch {
		case k != nil && k.kids != nil && m.Kind() == jsondoc.KindObject:
			k.walk(m, path+".", out)
		case k != nil && k.leaf:
		case !Blank(m):
			if seen == nil {
				seen = map[string]bool{}
			}
			if !seen[name] { // a name may stand there many times
				seen[name] = true
				*out = append(*out, path)
			}
		}
	}
}

// Blank reports a value that says nothing: absent, null, "", [] or {}.
func Blank(v *jsondoc.Value) bool {
	switch v.Kind() {
	case jsondoc.KindNull, jsondoc.KindAbsent:
		return true
	case jsondoc.KindString:
		s, _ := v.Text()
		return s == ""
	case jsondoc.KindArray, jsondoc.KindObject:
		return v.Len() == 0
	}
	return false
}
