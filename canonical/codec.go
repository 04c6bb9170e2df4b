package canonical

import (
	"math"
	"reflect"

	"bunzai/fault"
	"bunzai/jsondoc"
)

// parkedName is the body member that holds unknown members whose own place is gone; an object by path.
const parkedName = "extra"

// MarshalBody writes a body (a pointer to a struct of the model) as JSON. What is absent is left out; an empty list
// is []; open bags are written as they are spelled; Blobs are left out, see EncodeEntity. Numbers that JSON cannot
// say (NaN, infinities) are left out where they are optional and null elsewhere. Unknown members that UnmarshalBody
// put into Extra go back to their places, or, where the place is gone, into a member "extra" of the body.
// The result shares nothing with the body. It is nil when body is no pointer to a struct.
func MarshalBody(body any) *jsondoc.Value {
	v, p, ok := bodyOf(body)
	if !ok {
		return nil
	}
	return (&encoder{}).body(p, v)
}

// encoder turns structs into JSON. asset, when set, may add members for the Blob of a struct.
type encoder struct {
	asset func(obj *jsondoc.Value, ref string, b *Blob, where string)
	bag   func(*jsondoc.Value) // told of every open bag that was put in
	trail trail
}

func (e *encoder) body(p *plan, v reflect.Value) *jsondoc.Value {
	out := e.value(p, v)
	if p.extra >= 0 {
		if x := v.Field(p.extra).Interface().(*jsondoc.Value); x != nil {
			e.unpark(out, x)
		}
	}
	return out
}

// value returns nil for what is absent.
func (e *encoder) value(p *plan, v reflect.Value) *jsondoc.Value {
	switch p.op {
	case opText:
		return jsondoc.String(v.String())
	case opBool:
		return jsondoc.Bool(v.Bool())
	case opNum:
		return jsondoc.Float(v.Float())
	case opOpt:
		if v.IsNil() {
			return nil
		}
		if v = v.Elem(); p.elem.op == opNum && (math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0)) {
			return nil
		}
		return e.value(p.elem, v)
	case opRef:
		if v.IsNil() {
			return nil
		}
		return e.value(p.elem, v.Elem())
	case opStruct:
		obj := jsondoc.Object()
		for i := range p.fields {
			f := &p.fields[i]
			if f.bag || f.plan.op == opBlob {
				continue
			}
			e.trail.name(f.name)
			obj.Set(f.name, e.value(f.plan, v.Field(f.index)))
			e.trail.pop()
		}
		if p.blob >= 0 && e.asset != nil {
			if b := blobOf(p, v); b != nil {
				e.asset(obj, v.Field(p.ref).String(), b, e.trail.text())
			}
		}
		return obj
	case opList:
		if v.IsNil() {
			return nil
		}
		list := jsondoc.Array()
		for i := range v.Len() {
			e.trail.index(i, false)
			x := e.value(p.elem, v.Index(i))
			e.trail.pop()
			if x == nil {
				x = jsondoc.Null()
			}
			list.AppendElem(x)
		}
		return list
	case opMap:
		if v.IsNil() {
			return nil
		}
		obj := jsondoc.Object()
		for i := range v.Len() {
			m := v.Index(i)
			if x := e.value(p.elem, m.Field(1)); x != nil {
				obj.Set(m.Field(0).String(), x) // of one name the last counts, as everywhere
			} else {
				obj.Set(m.Field(0).String(), jsondoc.Null())
			}
		}
		return obj
	case opJSON:
		x := v.Interface().(*jsondoc.Value).Clone()
		if x != nil && e.bag != nil {
			e.bag(x)
		}
		return x
	}
	return nil
}

// unpark puts unknown members back.
func (e *encoder) unpark(body, extra *jsondoc.Value) {
	var left *jsondoc.Value
	put := func(obj *jsondoc.Value, name string, x *jsondoc.Value) {
		x = x.Clone()
		obj.Set(name, x)
		if e.bag != nil {
			e.bag(x)
		}
	}
	for path, x := range extra.Members() {
		if obj, name := placeOf(body, path); obj != nil && !obj.Has(name) && (obj != body || name != parkedName) {
			put(obj, name, x)
			continue
		}
		if left == nil {
			left = jsondoc.Object()
		}
		put(left, path, x)
	}
	if left != nil {
		body.Set(parkedName, left)
	}
}

// placeOf finds the object that a path leads into, and the last name of the path.
func placeOf(v *jsondoc.Value, path string) (*jsondoc.Value, string) {
	t, ok := parsePath(path)
	if !ok || len(t) == 0 || t[len(t)-1].idx >= 0 {
		return nil, ""
	}
	for _, s := range t[:len(t)-1] {
		if s.idx >= 0 {
			v = v.Elem(s.idx)
		} else {
			v = v.Get(s.name)
		}
	}
	if v.Kind() != jsondoc.KindObject {
		return nil, ""
	}
	return v, t[len(t)-1].name
}

// UnmarshalBody reads what MarshalBody writes into a body (a pointer to a struct of the model), which should be empty.
// null counts as absent. A member of the wrong type is fault.Damaged with its path, what was expected and what was
// found. Members that the model does not know are kept in the Extra of the body, an object from path
// ("entries[3].mood") to value; they go back to those places when the body is written.
func UnmarshalBody(v *jsondoc.Value, into any) error {
	dst, p, ok := bodyOf(into)
	if !ok {
		return fault.New(fault.Internal, "", "cannot read a body into %T", into)
	}
	d := &decoder{}
	return d.body(p, v, dst)
}

// decoder turns JSON into structs. asset, when set, sees every object that has a place for a Blob.
type decoder struct {
	trail trail
	extra *jsondoc.Value
	asset func(obj *jsondoc.Value, where string) (ref string, b *Blob, err error)
}

func (d *decoder) body(p *plan, v *jsondoc.Value, dst reflect.Value) error {
	if err := d.value(p, v, dst); err != nil {
		return err
	}
	if d.extra != nil && p.extra >= 0 {
		dst.Field(p.extra).Set(reflect.ValueOf(d.extra))
	}
	return nil
}

func (d *decoder) expected(what string, v *jsondoc.Value) error {
	where := d.trail.text()
	name := where
	if name == "" {
		name = "the body"
	}
	return fault.New(fault.Damaged, where, "%s should be %s, and here it is %s", name, what, v.Kind())
}

func (d *decoder) value(p *plan, v *jsondoc.Value, dst reflect.Value) error {
	if v == nil || v.IsNull() && p.op >= opOpt && p.op != opStruct && p.op != opJSON {
		return nil
	}
	switch p.op {
	case opText:
		s, ok := v.Text()
		if !ok {
			return d.expected("text", v)
		}
		dst.SetString(s)
	case opBool:
		b, ok := v.Bool()
		if !ok {
			return d.expected("true or false", v)
		}
		dst.SetBool(b)
	case opNum:
		f, ok := v.Float()
		if !ok {
			if n, isNum := v.Num(); isNum {
				return fault.New(fault.Damaged, d.trail.text(), "the number %s is too large", clip(n, 40))
			}
			return d.expected("a number", v)
		}
		dst.SetFloat(f)
	case opOpt, opRef:
		n := reflect.New(p.elem.typ)
		if err := d.value(p.elem, v, n.Elem()); err != nil {
			return err
		}
		dst.Set(n)
	case opStruct:
		return d.object(p, v, dst)
	case opList:
		if v.Kind() != jsondoc.KindArray {
			return d.expected("a list", v)
		}
		n := v.Len()
		out := reflect.MakeSlice(p.typ, n, n)
		for i, x := range v.Elems() {
			d.trail.index(i, false)
			if x.IsNull() {
				return d.expected(words(p.elem), x)
			}
			if err := d.value(p.elem, x, out.Index(i)); err != nil {
				return err
			}
			d.trail.pop()
		}
		dst.Set(out)
	case opMap:
		if v.Kind() != jsondoc.KindObject {
			return d.expected("an object", v)
		}
		out := reflect.MakeSlice(p.typ, v.Len(), v.Len())
		i := 0
		for name, x := range v.Members() {
			d.trail.name(name)
			m := out.Index(i)
			m.Field(0).SetString(name)
			if err := d.value(p.elem, x, m.Field(1)); err != nil {
				return err
			}
			d.trail.pop()
			i++
		}
		dst.Set(out)
	case opJSON:
		dst.Set(reflect.ValueOf(v.Clone()))
	}
	return nil
}

func (d *decoder) object(p *plan, v *jsondoc.Value, dst reflect.Value) error {
	if v.Kind() != jsondoc.KindObject {
		return d.expected("an object", v)
	}
	taken := map[string]bool{}
	if p.blob >= 0 && d.asset != nil {
		ref, b, err := d.asset(v, d.trail.text())
		if err != nil {
			return err
		}
		if b != nil {
			dst.Field(p.blob).Set(reflect.ValueOf(b))
			dst.Field(p.ref).SetString(ref)
			taken["ref"], taken[placeName] = true, true
		}
	}
	for name, x := range v.Members() {
		if taken[name] {
			continue
		}
		d.trail.name(name)
		f := p.field(name)
		switch {
		case f != nil && !f.bag && f.plan.op != opBlob:
			if err := d.value(f.plan, x, dst.Field(f.index)); err != nil {
				return err
			}
		case name == parkedName && len(d.trail) == 1 && x.Kind() == jsondoc.KindObject:
			for path, y := range x.Members() {
				d.park(path, y)
			}
		default:
			d.park(d.trail.text(), x)
		}
		d.trail.pop()
	}
	return nil
}

func (d *decoder) park(path string, v *jsondoc.Value) {
	if d.extra == nil {
		d.extra = jsondoc.Object()
	}
	d.extra.Set(path, v.Clone())
}

// words names what a plan reads, for messages.
func words(p *plan) string {
	switch p.op {
	case opText:
		return "text"
	case opBool:
		return "true or false"
	case opNum:
		return "a number"
	case opOpt, opRef:
		return words(p.elem)
	case opList:
		return "a list"
	case opJSON:
		return "a value"
	}
	return "an object"
}

// clip shortens s to at most n bytes of whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
