package canonical

import (
	"reflect"

	"bunzai/fault"
	"bunzai/jsondoc"
)

// Change is one place where two bodies differ. Path is written as in identity.name,
// greetings.alternateGreetings[2].text, attribution.creatorNotesMultilingual.fr, with indices of the first body;
// entries[+2] is an element that only the second body has, with its index there. Before and After are the values
// themselves (string, bool, float64, *jsondoc.Value, *Blob, or a whole element such as Greeting or *Entry), nil
// where the body has none.
type Change struct {
	Path          string
	Before, After any
	// Order marks a list that holds the same elements in another order; Path is the list, Before and After are the
	// whole lists. Changes inside its elements and added or removed ones are separate Changes.
	Order bool
}

// Diff compares two bodies of the same type and returns what differs, in model order.
//
// Absent (a nil pointer) against present is a change, also against an explicit false, 0 or ""; a nil list against an
// empty one is not. A missing group (presentation, persona.voice) is reported by its fields, a missing thing (a
// picture, a sprite, a character filter) as one.
//
// Lists are aligned before they are compared, so that one removed element is one Change. Entries are aligned by id
// where the ids of both books are unique and mostly agree, else by title and content. Maps are compared by key
// without regard to order.
//
// Not compared, because they say where the source keeps something and not what it is: Entry.ID, Greeting.ID,
// RegexRule.ID, QuickReply.ID, Asset.Ref, Asset.Mime and Background.Ref. Pictures are compared by their bytes, at
// the path "content"; where both have no bytes, by Ref.
//
// It fails when a Blob cannot be read, and when the bodies are of different types.
func Diff(a, b any) ([]Change, error) {
	va, p, ok := bodyOf(a)
	vb, _, ok2 := bodyOf(b)
	if !ok || !ok2 || va.Type() != vb.Type() {
		return nil, fault.New(fault.Internal, "", "cannot compare %T with %T", a, b)
	}
	d := &differ{trail: make(trail, 0, 8)}
	d.diff(p, va, vb)
	if d.err != nil {
		return nil, d.err
	}
	return d.out, nil
}

// Same reports whether Diff would find nothing.
func Same(a, b any) (bool, error) {
	va, p, ok := bodyOf(a)
	vb, _, ok2 := bodyOf(b)
	if !ok || !ok2 || va.Type() != vb.Type() {
		return false, fault.New(fault.Internal, "", "cannot compare %T with %T", a, b)
	}
	var d differ
	same := d.equal(p, va, vb)
	return same && d.err == nil, d.err
}

type differ struct {
	trail   trail
	out     []Change
	err     error
	missing side // which side stands for nothing, while a missing group is gone through
}

type side uint8

const (
	none side = iota
	first
	second
)

func (d *differ) emit(before, after any) {
	switch d.missing {
	case first:
		before = nil
	case second:
		after = nil
	}
	d.out = append(d.out, Change{Path: d.trail.text(), Before: before, After: after})
}

func (d *differ) fail(err error) {
	if d.err == nil {
		d.err = fault.At(err, d.trail.text())
	}
}

// diff appends what differs between a and b, which are of the plan's type.
func (d *differ) diff(p *plan, a, b reflect.Value) {
	switch p.op {
	case opText, opBool, opNum:
		if !d.equal(p, a, b) {
			d.emit(a.Interface(), b.Interface())
		}
	case opOpt, opJSON:
		if !d.equal(p, a, b) {
			d.emit(present(p, a), present(p, b))
		}
	case opRef:
		d.ref(p, a, b)
	case opStruct:
		for i := range p.fields {
			f := &p.fields[i]
			if f.provenance {
				continue
			}
			fa, fb := a.Field(f.index), b.Field(f.index)
			if f.plan.op == opBlob {
				d.content(p, a, b)
				continue
			}
			// The common case, without touching the trail.
			if f.plan.op <= opOpt && d.equal(f.plan, fa, fb) {
				continue
			}
			d.trail.name(f.name)
			d.diff(f.plan, fa, fb)
			d.trail.pop()
		}
	case opList:
		d.list(p, a, b)
	case opMap:
		d.maps(p, a, b)
	}
}

// ref compares two pointers to a struct.
func (d *differ) ref(p *plan, a, b reflect.Value) {
	an, bn := a.IsNil(), b.IsNil()
	switch {
	case an && bn:
		return
	case !an && !bn:
		if a.UnsafePointer() != b.UnsafePointer() {
			d.diff(p.elem, a.Elem(), b.Elem())
		}
		return
	}
	if !p.elem.whole {
		n, was := len(d.out), d.missing
		x, y := p.elem.zero, p.elem.zero
		if an {
			d.missing, y = first, b.Elem()
		} else {
			d.missing, x = second, a.Elem()
		}
		d.diff(p.elem, x, y)
		d.missing = was
		if len(d.out) > n {
			return
		}
	}
	d.emit(present(p, a), present(p, b))
}

// content compares the bytes of two things that have a Blob; where both have none, the places that they name.
func (d *differ) content(p *plan, a, b reflect.Value) {
	x, y := blobOf(p, a), blobOf(p, b)
	if x == nil && y == nil {
		if r, s := a.Field(p.ref).String(), b.Field(p.ref).String(); r != s {
			d.trail.name("ref")
			d.emit(r, s)
			d.trail.pop()
		}
		return
	}
	d.trail.name(contentName)
	defer d.trail.pop()
	if same, err := SameBlob(x, y); err != nil {
		d.fail(err)
	} else if !same {
		d.emit(bytesOrRef(p, a), bytesOrRef(p, b))
	}
}

func blobOf(p *plan, v reflect.Value) *Blob { return v.Field(p.blob).Interface().(*Blob) }

// bytesOrRef is what a picture holds: its Blob, else the place that it names, else nothing.
func bytesOrRef(p *plan, v reflect.Value) any {
	if b := blobOf(p, v); b != nil {
		return b
	}
	if r := v.Field(p.ref).String(); r != "" {
		return r
	}
	return nil
}

// maps compares by key; the n-th member of a name with the n-th of that name.
func (d *differ) maps(p *plan, a, b reflect.Value) {
	if a.Len() == 0 && b.Len() == 0 || d.sameMap(p, a, b) {
		return
	}
	pair := matchKeys(a, b)
	used := make([]bool, b.Len())
	for i, j := range pair {
		x := a.Index(i)
		d.trail.name(x.Field(0).String())
		if j >= 0 {
			used[j] = true
			d.diff(p.elem, x.Field(1), b.Index(j).Field(1))
		} else {
			d.emit(present(p.elem, x.Field(1)), nil)
		}
		d.trail.pop()
	}
	for j := range used {
		if !used[j] {
			y := b.Index(j)
			d.trail.name(y.Field(0).String())
			d.emit(nil, present(p.elem, y.Field(1)))
			d.trail.pop()
		}
	}
}

// matchKeys gives each member of a the index of its partner in b, or -1.
func matchKeys(a, b reflect.Value) []int {
	at := make(map[string][]int, b.Len())
	for j := range b.Len() {
		k := b.Index(j).Field(0).String()
		at[k] = append(at[k], j)
	}
	pair := make([]int, a.Len())
	for i := range pair {
		k := a.Index(i).Field(0).String()
		pair[i] = -1
		if l := at[k]; len(l) > 0 {
			pair[i], at[k] = l[0], l[1:]
		}
	}
	return pair
}

// present returns the value as Change shows it: what a pointer to a scalar points to, nil for what is absent.
func present(p *plan, v reflect.Value) any {
	switch p.op {
	case opOpt:
		if v.IsNil() {
			return nil
		}
		return v.Elem().Interface()
	case opRef, opJSON, opBlob:
		if v.IsNil() {
			return nil
		}
	}
	return v.Interface()
}

// equal reports whether diff would find nothing. It does not allocate.
func (d *differ) equal(p *plan, a, b reflect.Value) bool {
	switch p.op {
	case opText:
		return a.String() == b.String()
	case opBool:
		return a.Bool() == b.Bool()
	case opNum:
		return sameNumber(a.Float(), b.Float())
	case opOpt:
		if an, bn := a.IsNil(), b.IsNil(); an || bn {
			return an == bn
		}
		return a.UnsafePointer() == b.UnsafePointer() || d.equal(p.elem, a.Elem(), b.Elem())
	case opRef:
		if an, bn := a.IsNil(), b.IsNil(); an || bn {
			return an == bn
		}
		return a.UnsafePointer() == b.UnsafePointer() || d.equal(p.elem, a.Elem(), b.Elem())
	case opJSON:
		return jsondoc.Equal(a.Interface().(*jsondoc.Value), b.Interface().(*jsondoc.Value))
	case opStruct:
		for i := range p.fields {
			f := &p.fields[i]
			if f.provenance {
				continue
			}
			if f.plan.op == opBlob {
				if !d.sameContent(p, a, b) {
					return false
				}
			} else if !d.equal(f.plan, a.Field(f.index), b.Field(f.index)) {
				return false
			}
		}
		return true
	case opList:
		n := a.Len()
		if n != b.Len() {
			return false
		}
		if n == 0 || a.UnsafePointer() == b.UnsafePointer() {
			return true
		}
		for i := range n {
			if !d.equal(p.elem, a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case opMap:
		return d.sameMap(p, a, b)
	}
	return true
}

func (d *differ) sameContent(p *plan, a, b reflect.Value) bool {
	x, y := blobOf(p, a), blobOf(p, b)
	if x == nil && y == nil {
		return a.Field(p.ref).String() == b.Field(p.ref).String()
	}
	same, err := SameBlob(x, y)
	if err != nil {
		d.fail(err)
	}
	return same
}

func (d *differ) sameMap(p *plan, a, b reflect.Value) bool {
	n := a.Len()
	if n != b.Len() {
		return false
	}
	if n == 0 || a.UnsafePointer() == b.UnsafePointer() {
		return true
	}
	inOrder := true
	for i := 0; i < n && inOrder; i++ {
		inOrder = a.Index(i).Field(0).String() == b.Index(i).Field(0).String()
	}
	var pair []int
	if !inOrder {
		pair = matchKeys(a, b)
	}
	for i := range n {
		j := i
		if pair != nil {
			j = pair[i]
		}
		if j < 0 || !d.equal(p.elem, a.Index(i).Field(1), b.Index(j).Field(1)) {
			return false
		}
	}
	return true
}

// sameNumber is equality, except that NaN equals itself.
func sameNumber(a, b float64) bool { return a == b || a != a && b != b }
