package canonical

import (
	"reflect"

	"bunzai/jsondoc"
)

// Walk calls fn for every populated leaf of a body, in model order and in the paths of Diff: each non-nil optional
// value, each non-empty text, each number and switch that is not optional, the bytes of each picture (or the place
// that it names, when the bytes are not there). What Diff does not compare is not visited. A group or thing that
// is there and holds nothing is visited itself.
func Walk(body any, fn func(path string, value any)) {
	v, p, ok := bodyOf(body)
	if !ok {
		return
	}
	w := walker{fn: fn}
	w.walk(p, v)
}

type walker struct {
	trail trail
	fn    func(string, any)
	count int
}

func (w *walker) leaf(value any) {
	w.count++
	w.fn(w.trail.text(), value)
}

func (w *walker) walk(p *plan, v reflect.Value) {
	switch p.op {
	case opText:
		if v.Len() > 0 {
			w.leaf(v.Interface())
		}
	case opBool, opNum:
		w.leaf(v.Interface())
	case opOpt:
		if !v.IsNil() {
			w.leaf(v.Elem().Interface())
		}
	case opJSON:
		if x := v.Interface().(*jsondoc.Value); x != nil {
			w.leaf(x)
		}
	case opRef:
		if v.IsNil() {
			return
		}
		n := w.count
		w.walk(p.elem, v.Elem())
		if w.count == n {
			w.leaf(v.Interface())
		}
	case opStruct:
		for i := range p.fields {
			f := &p.fields[i]
			switch {
			case f.provenance:
				continue
			case f.plan.op == opBlob:
				if x := bytesOrRef(p, v); x != nil {
					name := contentName
					if _, isRef := x.(string); isRef {
						name = "ref"
					}
					w.trail.name(name)
					w.leaf(x)
					w.trail.pop()
				}
				continue
			}
			w.trail.name(f.name)
			w.walk(f.plan, v.Field(f.index))
			w.trail.pop()
		}
	case opList:
		for i := range v.Len() {
			w.trail.index(i, false)
			n := w.count
			w.walk(p.elem, v.Index(i))
			if w.count == n && p.elem.op == opText {
				w.leaf(v.Index(i).Interface())
			}
			w.trail.pop()
		}
	case opMap:
		for i := range v.Len() {
			e := v.Index(i)
			w.trail.name(e.Field(0).String())
			n := w.count
			w.walk(p.elem, e.Field(1))
			if w.count == n {
				w.leaf(present(p.elem, e.Field(1)))
			}
			w.trail.pop()
		}
	}
}
