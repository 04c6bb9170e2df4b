package regex

import (
	"slices"
	"strconv"
	"strings"

	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Rough is a row whose place may hold the value only roughly: the exact one is then parked in the script for the way
// back, and counts on reading while the rough one still agrees with it, so that an edit made in the app wins.
type Rough[T any] struct {
	Path, Wire string
	Covers     []string // further members that it speaks of
	Acc        fieldmap.Access[Rule, T]
	Read       func(row *jsondoc.Value) (t T, ok bool, odd string)
	Write      func(row *jsondoc.Value, r *Rule, t T)
	Clear      func(row *jsondoc.Value, r *Rule)
	Near       func(t T) (n T, after, why string) // the nearest that the app can hold; why "" when it is t itself
	Exact      fieldmap.Codec[T]
}

// Row makes the row.
func (s Rough[T]) Row(d *Dialect) fieldmap.Row[Rule] {
	park := append(slices.Clone(d.Park), s.Path)
	read := func(row *jsondoc.Value, r *Rule, warn fieldmap.Warn) {
		now, ok, odd := s.Read(row)
		if odd != "" {
			warn(s.Wire, odd)
		}
		if v := row.At(park...); v != nil && !v.IsNull() {
			if exact, _ := s.Exact.Read(v); exact != nil {
				if n, _, _ := s.Near(*exact); ok && s.Acc.Same(n, now) {
					s.Acc.Set(r, *exact)
					return
				}
			}
		}
		if ok {
			s.Acc.Set(r, now)
		}
	}
	same := func(a, b *Rule) bool {
		x, okx := s.Acc.Get(a)
		y, oky := s.Acc.Get(b)
		return okx == oky && (!okx || s.Acc.Same(x, y))
	}
	write := func(row *jsondoc.Value, r *Rule, near fieldmap.Near) {
		t, ok := s.Acc.Get(r)
		if !ok {
			s.Clear(row, r)
			fieldmap.Drop(row, park)
			return
		}
		n, after, why := s.Near(t)
		s.Write(row, r, n)
		if why == "" {
			fieldmap.Drop(row, park)
			return
		}
		fieldmap.Put(row, park, s.Exact.Write(t, row.At(park...)))
		near(s.Path, after, why)
	}
	return fieldmap.Custom(s.Path, s.Wire, append([]string{s.Wire, strings.Join(park, ".")}, s.Covers...), read, same, write)
}

// Parked is a row for a text that the app has no field for.
func (d *Dialect) Parked(path string, field func(r *Rule) **string) fieldmap.Row[Rule] {
	where := strings.Join(append(slices.Clone(d.Park), path), ".")
	r := fieldmap.New(path, fieldmap.Ptr(field), fieldmap.At(where, fieldmap.Text()))
	return r.Parked(d.Label + " has no such field; the script keeps it for the way back")
}

// tidy takes the parking place away when nothing is parked there.
func (d *Dialect) tidy(row *jsondoc.Value) {
	if v := row.At(d.Park...); v.Kind() == jsondoc.KindObject && v.Len() == 0 {
		fieldmap.Drop(row, d.Park)
		if n := len(d.Park) - 1; n > 0 && row.At(d.Park[:n]...).Len() == 0 {
			fieldmap.Put(row, d.Park[:n], jsondoc.Object()) // as the app writes an empty one
		}
	}
}

// Texts reaches a list of texts where the order says nothing.
func Texts(field func(r *Rule) *[]string) fieldmap.Access[Rule, []string] {
	return fieldmap.Slice(field, func(a, b string) bool { return a == b })
}

// Numeral reaches an optional number.
func Numeral(field func(r *Rule) **float64) fieldmap.Access[Rule, float64] {
	return fieldmap.Ptr(field)
}

// Sorted brings words into the order of known, without repeats; words that are not known stand last.
func Sorted(words, known []string) []string {
	out := []string{}
	for _, k := range known {
		if slices.Contains(words, k) {
			out = append(out, k)
		}
	}
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Only splits words into those that an app knows, sorted, and the others.
func Only(words, known []string) (in, others []string) {
	for _, w := range Sorted(words, known) {
		if slices.Contains(known, w) {
			in = append(in, w)
		} else {
			others = append(others, w)
		}
	}
	if in == nil {
		in = []string{}
	}
	return in, others
}

// Leftovers is a row for all that a script holds and no other row speaks of: RegexRule.Extras, under the app's name.
// Of returns the leftovers of a script, nil when there are none; Put writes one, nil removes it. Members of owners are
// links into the library that the script came from: they are never written anew.
type Leftovers struct {
	Of     func(row *jsondoc.Value) *jsondoc.Value
	Put    func(row *jsondoc.Value, r *Rule, name string, v *jsondoc.Value)
	Owners []string
}

// Row makes the row.
func (l Leftovers) Row(d *Dialect) fieldmap.Row[Rule] {
	return fieldmap.Custom("extras", "", nil,
		func(row *jsondoc.Value, r *Rule, _ fieldmap.Warn) {
			if x := l.Of(row); x.Len() > 0 {
				r.Extras = jsondoc.Object()
				r.Extras.Set(d.App, x)
			}
		},
		func(a, b *Rule) bool {
			x, y := a.Extras.Get(d.App), b.Extras.Get(d.App)
			return x.Len() == 0 && y.Len() == 0 || jsondoc.Equal(x, y)
		},
		func(row *jsondoc.Value, r *Rule, _ fieldmap.Near) {
			now, was := r.Extras.Get(d.App), l.Of(row)
			for k := range was.Members() {
				if now.Get(k) == nil {
					l.Put(row, r, k, nil)
				}
			}
			for k, v := range now.Members() {
				if !jsondoc.Equal(v, was.Get(k)) && !slices.Contains(l.Owners, k) {
					l.Put(row, r, k, v.Clone())
				}
			}
		})
}

// Owners are members that point into the library which a script came from.
var Owners = []string{"user_id", "pack_id", "preset_id", "character_id", "scope_id", "owner_extension_identifier"}

// elems are the elements of a list, or the one value that stands for it.
func elems(v *jsondoc.Value) (out []*jsondoc.Value) {
	switch v.Kind() {
	case jsondoc.KindArray:
		for _, e := range v.Elems() {
			out = append(out, e)
		}
	case jsondoc.KindAbsent, jsondoc.KindNull:
	default:
		out = append(out, v)
	}
	return out
}

// Words reads and writes a list of an app's words for canonical ones.
type Words struct {
	Known []string                              // canonical words, in canonical order
	Wire  func(word string) *jsondoc.Value      // the app's word
	Canon func(v *jsondoc.Value) (string, bool) // and back
	Gone  func(v *jsondoc.Value) (retired bool) // words of old that a list which is written anew has no more; may be nil
}

// Read returns the canonical words of a list, and the elements that mean nothing.
func (w Words) Read(v *jsondoc.Value) (words []string, unknown []*jsondoc.Value) {
	words = []string{}
	for _, e := range elems(v) {
		if c, ok := w.Canon(e); ok {
			words = append(words, c)
		} else if w.Gone == nil || !w.Gone(e) {
			unknown = append(unknown, e)
		}
	}
	return Sorted(words, w.Known), unknown
}

// Write rebuilds a list for words and a list of unknown elements, keeping elements and their order where they stay.
func (w Words) Write(old *jsondoc.Value, words []string, unknown *jsondoc.Value) *jsondoc.Value {
	var out []*jsondoc.Value
	open := slices.Clone(words)
	rest := elems(unknown)
	for _, e := range elems(old) {
		if c, ok := w.Canon(e); ok {
			if i := slices.Index(open, c); i >= 0 {
				open = slices.Delete(open, i, i+1)
				out = append(out, e)
			}
		} else if i := slices.IndexFunc(rest, func(x *jsondoc.Value) bool { return jsondoc.Equal(x, e) }); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			out = append(out, e)
		}
	}
	for _, c := range open {
		out = append(out, w.Wire(c))
	}
	for _, e := range rest {
		out = append(out, e.Clone())
	}
	if old.Kind() != jsondoc.KindArray {
		if len(out) == 1 && old != nil && out[0].Kind() == jsondoc.KindString && old.Kind() == jsondoc.KindString {
			return out[0].Clone()
		}
		for i := range out {
			out[i] = out[i].Clone()
		}
		return jsondoc.Array(out...)
	}
	old.SetElems(out)
	return old
}

// TextExact parks a text, ListExact a list of texts, NumberExact a number.
func TextExact() fieldmap.Codec[string]    { return fieldmap.Text() }
func ListExact() fieldmap.Codec[[]string]  { return fieldmap.TextList("") }
func NumberExact() fieldmap.Codec[float64] { return fieldmap.Number() }

// Named is a rule in words, for messages.
func Named(r *Rule, i int) string {
	s := "rule " + strconv.Itoa(i+1)
	if strings.TrimSpace(r.Label) != "" {
		s += " " + strconv.Quote(formats.Shown(r.Label))
	}
	return s
}
