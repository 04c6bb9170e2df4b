package jsondoc

import "strings"

// kid is one member or element. Offsets are into the container's source; off 0 means that it is fresh.
type kid struct {
	val      *Value // nil: the source's own value, which nobody asked for yet
	key      uint32 // start of the name, or of the element
	off, end uint32 // the value
}

// gone is the key of a deleted member. Members stay in the list when they are deleted, so that indices hold.
const gone = ^uint32(0)

// kids are the children of a container.
type kids struct {
	list    []kid
	names   []string           // beside list; nil in an array
	live    int                // children that are not deleted
	index   map[string]int32   // last live member of each name; nil until a large object is asked
	dups    map[string][]int32 // earlier live members of the names that index found more than once
	pool    []Value            // values to hand out next
	changed bool               // members or elements were added, removed or moved
	origin  origin
}

// origin remembers how the source laid the container out, also when those members are gone.
type origin struct {
	n       uint32 // children in the source
	first   uint32 // start of the first child
	last    uint32 // start of the last child
	lastEnd uint32
	prevEnd uint32 // end of the last but one
}

const indexFrom = 17 // objects from this size get an index

// open finds the children of v; nil when v is no container.
func (v *Value) open() *kids {
	if v == nil || v.kind < KindObject {
		return nil
	}
	if v.kids == nil {
		v.kids = v.scan()
	}
	return v.kids
}

// scan walks the source once, at the level below v.
func (v *Value) scan() *kids {
	k := &kids{}
	if v.src == nil {
		return k
	}
	b := v.src.b
	sk := v.src.skipperAt(int(v.off) + 1)
	object := v.kind == KindObject
	var room [24]kid
	n := 0
	var list []kid // once room is full
	names := 0
	for i := skipSpace(b, int(v.off)+1); b[i] != '}' && b[i] != ']'; {
		if n == len(room) {
			list = make([]kid, n, n+v.src.count(sk, i, object))
			copy(list, room[:])
		}
		kd := kid{key: uint32(i)}
		if object {
			i = skipString(b, i)
			names += i - int(kd.key) - 2
			i = skipSpace(b, skipSpace(b, i)+1)
		}
		kd.off = uint32(i)
		i = sk.value(i)
		kd.end = uint32(i)
		if n < len(room) {
			room[n] = kd
		} else {
			list = append(list, kd)
		}
		n++
		if i = skipSpace(b, i); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	if list == nil && n > 0 {
		list = make([]kid, n)
		copy(list, room[:])
	}
	if n > 0 {
		o := &k.origin
		o.n, o.first, o.last, o.lastEnd = uint32(n), list[0].key, list[n-1].key, list[n-1].end
		if n > 1 {
			o.prevEnd = list[n-2].end
		}
		k.list, k.live = list, n
		if object {
			k.readNames(b, names)
		}
	}
	return k
}

// count returns how many children follow from i, so that their list is made in one piece.
func (s *source) count(sk skipper, i int, object bool) int {
	b := s.b
	n := 0
	for ; b[i] != '}' && b[i] != ']'; n++ {
		if object {
			i = skipSpace(b, skipSpace(b, skipString(b, i))+1)
		}
		if i = skipSpace(b, sk.value(i)); b[i] == ',' {
			i = skipSpace(b, i+1)
		}
	}
	return n
}

// readNames decodes all names into one string, of which each member holds a part.
func (k *kids) readNames(b []byte, size int) {
	var all strings.Builder
	all.Grow(size)
	var room [24]int
	ends := room[:0]
	if len(k.list) > len(room) {
		ends = make([]int, 0, len(k.list))
	}
	for i := range k.list {
		key := int(k.list[i].key)
		unquoteTo(&all, b[key:skipString(b, key)])
		ends = append(ends, all.Len())
	}
	s := all.String()
	k.names = make([]string, len(ends))
	from := 0
	for i, end := range ends {
		k.names[i] = s[from:end]
		from = end
	}
}

// child returns the value of child i.
func (v *Value) child(i int) *Value {
	k := v.kids
	kd := &k.list[i]
	if kd.val == nil {
		if len(k.pool) == 0 {
			k.pool = make([]Value, min(max(len(k.list)-i, 1), 32))
		}
		kd.val = &k.pool[0]
		k.pool = k.pool[1:]
		*kd.val = v.original(kd)
		kd.val.owner = v
	}
	return kd.val
}

// original is the value that the source has at kd.
func (v *Value) original(kd *kid) Value {
	return Value{src: v.src, off: kd.off, end: kd.end, kind: kindOf(v.src.b[kd.off])}
}

// peekOriginal is original for a short look.
func (v *Value) peekOriginal(kd *kid) *Value {
	o := v.original(kd)
	return &o
}

// native reports whether kd still holds the source's own value, which may have been edited inside.
func (v *Value) native(kd *kid) bool {
	return kd.off != 0 && (kd.val == nil || kd.val.src == v.src && kd.val.off == kd.off)
}

// adopt makes val a child of v; what already has a place, or holds v itself, is cloned.
func (v *Value) adopt(val *Value) *Value {
	if val.owner != nil || val == v {
		val = val.Clone()
	} else if val.kids != nil && len(val.kids.list) > 0 {
		for p := v.owner; p != nil; p = p.owner {
			if p == val {
				val = val.Clone()
				break
			}
		}
	}
	val.owner = v
	return val
}

// put gives child i another value.
func (v *Value) put(i int, val *Value) {
	kd := &v.kids.list[i]
	if kd.val == val {
		return
	}
	scalar := val.kind < KindObject
	switch {
	case scalar && kd.off != 0 && same(v.peekOriginal(kd), val):
		val = nil // the source has it
	case scalar && kd.val != nil && same(kd.val, val):
		return
	default:
		val = v.adopt(val)
	}
	if kd.val != nil && kd.val != val {
		kd.val.owner = nil
	}
	kd.val = val
}
