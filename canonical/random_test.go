package canonical

import (
	"math/rand/v2"
	"reflect"
	"strconv"

	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// filler makes bodies of any kind that hold everything that the model can hold, the same for the same seed.
type filler struct {
	*rand.Rand
	n int
}

func newFiller(seed uint64) *filler { return &filler{Rand: rand.New(rand.NewPCG(seed, 7))} }

var someTexts = []string{"", "x", "Ada", "Zürich\n\"quoted\" \\ back", "名前 😀", "\u0000\u001f", "lone \xed\xa0\xbd half", "{{char}} </script>", "data:text/plain,hi", "bad \xff byte"}

func (f *filler) text() string { return someTexts[f.IntN(len(someTexts))] }

func (f *filler) json() *jsondoc.Value {
	some := []string{`{"b":1.50,"a":[1e3,null,"\u00e9"],"b":2}`, `[ ]`, `-0`, `null`, `"\/"`, `{ "x" : { } }`, `1e400`}
	v, err := jsondoc.Raw([]byte(some[f.IntN(len(some))]), limits.Card())
	if err != nil {
		panic(err)
	}
	return v
}

func (f *filler) blob() *Blob {
	b := make([]byte, f.IntN(5))
	for i := range b {
		b[i] = byte(f.Uint32())
	}
	return RawBlob(rope.FromBytes(b), []string{"", "image/png", "audio/mpeg"}[f.IntN(3)])
}

func (f *filler) body(k Kind) any {
	b := NewBody(k)
	v := reflect.ValueOf(b).Elem()
	f.fill(planOf(v.Type()), v)
	if book, ok := b.(*Lorebook); ok {
		if book.Entries == nil {
			book.Entries = []*Entry{}
		}
	}
	for _, name := range []string{"Rules", "Prompts", "Replies"} {
		if l := v.FieldByName(name); l.IsValid() && l.Kind() == reflect.Slice && l.IsNil() {
			l.Set(reflect.MakeSlice(l.Type(), 0, 0))
		}
	}
	return b
}

func (f *filler) fill(p *plan, v reflect.Value) {
	switch p.op {
	case opText:
		v.SetString(f.text())
	case opBool:
		v.SetBool(f.IntN(2) == 0)
	case opNum:
		v.SetFloat([]float64{0, 1, -3, 0.1, 1e21, 123456789, 5e-324, 1e15}[f.IntN(8)])
	case opOpt, opRef:
		if f.IntN(3) > 0 {
			n := reflect.New(p.elem.typ)
			f.fill(p.elem, n.Elem())
			v.Set(n)
		}
	case opStruct:
		for _, fd := range p.fields {
			if fd.bag {
				continue
			}
			f.fill(fd.plan, v.Field(fd.index))
		}
		if e, ok := v.Addr().Interface().(*Entry); ok {
			f.n++
			e.ID = strconv.Itoa(f.n)
		}
		if p.blob >= 0 && blobOf(p, v) == nil && v.Field(p.ref).String() != "" {
			v.Field(p.ref).SetString("https://example.org/a.png")
		}
	case opList, opMap:
		n := f.IntN(5) - 1
		if n < 0 {
			return
		}
		l := reflect.MakeSlice(p.typ, n, n)
		for i := range n {
			e := l.Index(i)
			if p.op == opMap {
				e.Field(0).SetString(f.text() + strconv.Itoa(i))
				e = e.Field(1)
			}
			if p.elem.op == opRef {
				e.Set(reflect.New(p.elem.elem.typ))
				f.fill(p.elem.elem, e.Elem())
			} else {
				f.fill(p.elem, e)
			}
			if e.Type() == jsonType && e.IsNil() {
				e.Set(reflect.ValueOf(jsondoc.Null()))
			}
		}
		v.Set(l)
	case opJSON:
		if f.IntN(2) == 0 {
			v.Set(reflect.ValueOf(f.json()))
		}
	case opBlob:
		if f.IntN(2) == 0 {
			v.Set(reflect.ValueOf(f.blob()))
		}
	}
}
