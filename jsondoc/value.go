package jsondoc

import (
	"iter"
	"slices"
)

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds. A nil *Value is KindAbsent.
const (
	KindAbsent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindObject
	KindArray
)

// String returns the kind in words for a message.
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "true or false"
	case KindNumber:
		return "a number"
	case KindString:
		return "text"
	case KindObject:
		return "an object"
	case KindArray:
		return "a list"
	}
	return "nothing"
}

// Value is one JSON value: a range of a source, or fresh. All methods accept a nil *Value, which means absent.
// A value belongs to at most one container: putting one that already has a place into another container puts a
// clone there, so that two documents never share what one of them may edit.
type Value struct {
	src   *source // nil for a fresh value
	owner *Value  // the container it stands in; top for a root; nil when it stands nowhere
	kids  *kids   // children, once somebody looked inside
	text  string  // fresh scalars: the decoded text, or the spelling; of a source: the text that was decoded before, "" when none was

	off, end uint32
	kind     Kind
	float    bool // made by Float
}

// top is the owner of every root.
var top = &Value{}

func kindOf(c byte) Kind {
	switch c {
	case '"':
		return KindString
	case '{':
		return KindObject
	case '[':
		return KindArray
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	return KindNumber
}

// Kind returns the JSON type.
func (v *Value) Kind() Kind {
	if v == nil {
		return KindAbsent
	}
	return v.kind
}

// IsNull reports whether v is null. An absent value is not null.
func (v *Value) IsNull() bool { return v.Kind() == KindNull }

// Len returns the number of members (duplicates counted) or elements; 0 for anything else.
func (v *Value) Len() int {
	if k := v.open(); k != nil {
		return k.live
	}
	return 0
}

// Raw returns the current text of the value: the source's own bytes while nothing in it changed. It must not be
// written to. A nil value has none.
func (v *Value) Raw() []byte {
	if v == nil {
		return nil
	}
	if v.kids == nil && v.src != nil {
		return v.src.b[v.off:v.end:v.end]
	}
	s := &sink{in: outermost(styleIn(v), lineIndent(v))}
	s.value(v)
	return s.bytes()
}

// Clone returns an independent copy that stands nowhere yet. It costs what was edited, not what is carried.
func (v *Value) Clone() *Value {
	if v == nil {
		return nil
	}
	if c := v.cloneEdited(); c != nil {
		return c
	}
	return &Value{src: v.src, text: v.text, off: v.off, end: v.end, kind: v.kind}
}

// cloneEdited returns a copy of v, or nil when v is exactly its source range.
func (v *Value) cloneEdited() *Value {
	k := v.kids
	if k == nil {
		if v.src != nil {
			return nil
		}
		return &Value{text: v.text, kind: v.kind, float: v.float}
	}
	var c *Value
	begin := func() {
		c = &Value{src: v.src, off: v.off, end: v.end, kind: v.kind}
		c.kids = &kids{list: slices.Clone(k.list), names: slices.Clone(k.names), live: k.live, changed: k.changed, origin: k.origin}
		for i := range c.kids.list {
			c.kids.list[i].val = nil
		}
	}
	if v.src == nil || k.changed {
		begin()
	}
	for i := range k.list {
		kd := &k.list[i]
		if kd.val == nil {
			continue
		}
		e := kd.val.cloneEdited()
		if e == nil {
			if v.native(kd) {
				continue
			}
			e = kd.val.Clone()
		}
		if c == nil {
			begin()
		}
		e.owner = c
		c.kids.list[i].val = e
	}
	return c
}

// At follows member names, and decimal indices in arrays, from v; nil when a step is missing.
func (v *Value) At(path ...string) *Value {
	for _, step := range path {
		if v.Kind() == KindArray {
			i, ok := index(step)
			if !ok {
				return nil
			}
			v = v.Elem(i)
		} else {
			v = v.Get(step)
		}
		if v == nil {
			return nil
		}
	}
	return v
}

func index(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || i > 9 {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, s != ""
}

// children yields the index of every live child. It allows deleting while it runs.
func (k *kids) children() iter.Seq[int] {
	return func(yield func(int) bool) {
		if k == nil {
			return
		}
		for i := 0; i < len(k.list); i++ {
			if k.list[i].key != gone && !yield(i) {
				return
			}
		}
	}
}
