package jsondoc

import (
	"bytes"
	"math"
	"strconv"
)

// Equal reports whether a and b mean the same: objects by name without regard to order (of duplicates the last
// counts), numbers by exact decimal value, strings by decoded text. Absent is equal only to absent, not to null.
func Equal(a, b *Value) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	if sameBytes(a, b) {
		return true
	}
	switch a.kind {
	case KindNull:
		return true
	case KindNumber:
		return equalNumbers(a.spelling(), b.spelling())
	case KindArray:
		if a.Len() != b.Len() {
			return false
		}
		for i, x := range a.Elems() {
			if !Equal(x, b.Elem(i)) {
				return false
			}
		}
		return true
	case KindObject:
		return equalObjects(a, b)
	}
	return sameScalar(a, b)
}

func equalObjects(a, b *Value) bool {
	ka, kb := a.open(), b.open()
	names := 0
	for i := range ka.children() {
		name := ka.names[i]
		if ka.find(name) != i {
			continue // a later duplicate counts
		}
		names++
		j := kb.find(name)
		if j < 0 || !Equal(a.child(i), b.child(j)) {
			return false
		}
	}
	for j := range kb.children() {
		if kb.find(kb.names[j]) == j {
			names--
		}
	}
	return names == 0
}

// same reports whether writing b where a stands would change nothing worth writing: the same members in the same
// order, and scalars that say the same. Numbers count as the same when they have the same decimal value and sign,
// or when b was made by Float and a reads as that float64.
func same(a, b *Value) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	if sameBytes(a, b) {
		return true
	}
	if a.kind < KindObject {
		return sameScalar(a, b)
	}
	ka, kb := a.open(), b.open()
	if ka.live != kb.live {
		return false
	}
	j := 0
	for i := range ka.children() {
		for kb.list[j].key == gone {
			j++
		}
		if a.kind == KindObject && ka.names[i] != kb.names[j] || !same(a.child(i), b.child(j)) {
			return false
		}
		j++
	}
	return true
}

func sameScalar(a, b *Value) bool {
	switch a.kind {
	case KindString:
		x, _ := a.Text()
		y, _ := b.Text()
		return x == y
	case KindBool:
		x, _ := a.Bool()
		y, _ := b.Bool()
		return x == y
	case KindNumber:
		x, y := a.spelling(), b.spelling()
		if x == y {
			return true
		}
		if x[0] == '-' != (y[0] == '-') {
			return false
		}
		if equalNumbers(x, y) {
			return true
		}
		if !b.float {
			return false
		}
		f, ok := a.Float()
		g, _ := strconv.ParseFloat(y, 64)
		return ok && math.Float64bits(f) == math.Float64bits(g)
	}
	return true // null
}

// sameBytes is the quick answer for values that are still their source ranges.
func sameBytes(a, b *Value) bool {
	if a.src == nil || b.src == nil || a.kids != nil || b.kids != nil {
		return false
	}
	if a.src == b.src && a.off == b.off {
		return true
	}
	return a.end-a.off == b.end-b.off && bytes.Equal(a.src.b[a.off:a.end], b.src.b[b.off:b.end])
}
