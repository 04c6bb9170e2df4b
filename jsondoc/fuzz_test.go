package jsondoc

import (
	"bytes"
	"encoding/json"
	"testing"

	"bunzai/fault"
	"bunzai/limits"
)

// FuzzParse: nothing panics, errors are fault errors, and what parses comes out as it went in.
func FuzzParse(f *testing.F) {
	for _, s := range accepted {
		f.Add([]byte(s))
	}
	for _, s := range []string{`{"a":1,}`, "\xff\xfe{\x00", `"\u12"`, `{"a":"b\"`, `[[[1,{"a b":tru}]]]`, "", "\xef\xbb\xbf", `{"a":-`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := bytes.Clone(b)
		d, err := Parse(b, limits.Card())
		if err != nil {
			if fault.As(err).Code == fault.Internal || fault.As(err).Message == "" {
				t.Fatalf("%v", err)
			}
			if json.Valid(b) && !fault.Is(err, fault.OverLimit) {
				t.Fatalf("valid JSON refused: %v", err)
			}
			return
		}
		if !bytes.Equal(in, d.Bytes()) || d.Dirty() {
			t.Fatal("not the same before looking")
		}
		walk(d.Root)
		if !bytes.Equal(in, d.Bytes()) || d.Dirty() {
			t.Fatal("not the same after looking")
		}
		fresh := NewDoc(rebuild(d.Root), "  ").Bytes()
		back, err := Parse(fresh, limits.Card())
		if err != nil {
			t.Fatalf("what was built anew does not parse: %v\n%s", err, fresh)
		}
		if !bytes.Contains(in, []byte("\\u")) && !bytes.Contains(in, []byte{0xed}) && !Equal(back.Root, d.Root) {
			t.Fatalf("what was built anew differs: %s", fresh)
		}
		if !bytes.Equal(in, b) {
			t.Fatal("the input was changed")
		}
	})
}

// FuzzEdit drives random edits with ops. What is written must parse to what the tree says, a clone made before
// must not move, and a clone made after must write the same.
func FuzzEdit(f *testing.F) {
	for i, s := range accepted {
		f.Add([]byte(s), []byte{byte(i), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
	}
	f.Add([]byte("{\n  \"a\": {},\n  \"b\": [\n    1,\n    2\n  ]\n}\n"), []byte("\x00\x31\x05\x77\x02\x09\x13\x44"))
	f.Fuzz(func(t *testing.T, b, ops []byte) {
		d, err := Parse(b, limits.Card())
		if err != nil || len(ops) > 64 {
			return
		}
		next := func() int {
			if len(ops) == 0 {
				return 0
			}
			n := int(ops[0])
			ops = ops[1:]
			return n
		}
		pick := func() *Value {
			v := d.Root
			for n := next() % 6; n > 0 && v.Len() > 0; n-- {
				k := next() % v.Len()
				if v.Kind() == KindArray {
					v = v.Elem(k)
					continue
				}
				for _, m := range v.Members() {
					if k--; k < 0 {
						v = m
						break
					}
				}
			}
			return v
		}
		name := func(v *Value) string {
			if k := next(); v.Len() > 0 && k%4 != 0 {
				k %= v.Len()
				for n := range v.Members() {
					if k--; k < 0 {
						return n
					}
				}
			}
			return []string{"new", "x y", "\xed\xa0\xbd", ""}[next()%4]
		}
		value := func() *Value {
			switch next() % 9 {
			case 0:
				return String("a\n\"\xed\xa0\xbd\xff<>")
			case 1:
				return Int(int64(next()))
			case 2:
				return Object()
			case 3:
				return Array(Int(1), Object(), Array())
			case 4:
				return Null()
			case 5:
				return Float(0.5)
			case 6:
				return pick()
			case 7:
				return pick().Clone()
			}
			v, _ := Raw([]byte("{ \"r\":[ 1.0 ] }"), limits.Card())
			return v
		}
		var kept *Doc
		var keptText []byte
		for len(ops) > 0 {
			v := pick()
			switch next() % 8 {
			case 0, 1:
				v.Set(name(v), value())
			case 2:
				v.SetAfter(name(v), name(v), value())
			case 3:
				n := name(v)
				if v.Delete(n) && v.Has(n) {
					t.Fatal("a deleted member is still there")
				}
			case 4:
				v.AppendElem(value())
			case 5:
				var es []*Value
				for _, e := range v.Elems() {
					if next()%3 != 0 {
						es = append(es, e)
					}
				}
				if len(es) > 1 && next()%2 == 0 {
					es[0], es[len(es)-1] = es[len(es)-1], es[0]
				}
				if next()%2 == 0 {
					es = append(es, value())
				}
				n := len(es)
				if v.Kind() == KindArray {
					v.SetElems(es)
					if v.Len() != n {
						t.Fatalf("%d elements became %d", n, v.Len())
					}
				}
			case 6:
				kept = d.Clone()
				keptText = bytes.Clone(kept.Bytes())
			case 7:
				d = d.Clone()
			}
		}
		out := d.Bytes()
		if len(out) > 1<<20 {
			return
		}
		lim := limits.Card()
		lim.JSONDepth = 10_000
		back, err := Parse(out, lim)
		if err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		if !same(back.Root, d.Root) {
			t.Fatalf("what was written reads otherwise: %q", out)
		}
		if !bytes.Equal(out, d.Clone().Bytes()) {
			t.Fatalf("a clone writes %q, not %q", d.Clone().Bytes(), out)
		}
		if kept != nil && !bytes.Equal(keptText, kept.Bytes()) {
			t.Fatal("a clone moved with its original")
		}
	})
}
