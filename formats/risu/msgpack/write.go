package msgpack

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"bunzai/jsondoc"
)

// Encode writes a value that came from nowhere.
func Encode(v *jsondoc.Value) []byte { return appendFresh(nil, v) }

// Encode writes root over the data that d was read from: every value that says what d says keeps its bytes, a changed
// number stays of its sort (whole or fraction) where it can.
func (d *Doc) Encode(root *jsondoc.Value) []byte {
	return appendOver(make([]byte, 0, len(d.data)), root, d.JSON.Root, d.data)
}

// appendOver writes v over old, whose bytes are b.
func appendOver(out []byte, v, old *jsondoc.Value, b []byte) []byte {
	if bytes.Equal(v.Raw(), old.Raw()) {
		return append(out, b...)
	}
	t, _ := next(b, 0) // what was parsed is sound
	switch {
	case v.Kind() == jsondoc.KindObject && t.kind == kMap:
		return appendMap(out, v, old, b, t)
	case v.Kind() == jsondoc.KindArray && t.kind == kArray:
		return appendList(out, v, old, b, t)
	case v.Kind() == jsondoc.KindNumber && (t.kind == kFloat32 || t.kind == kFloat64):
		return appendDouble(out, v)
	}
	return appendFresh(out, v)
}

// pair is one member of a map: where key and value stand in its bytes.
type pair struct {
	key, value []byte
	old        *jsondoc.Value
}

func appendMap(out []byte, v, old *jsondoc.Value, b []byte, t token) []byte {
	was := map[string][]pair{}
	at := t.head
	for name, m := range old.Members() {
		k, _ := end(b, at)
		e, _ := end(b, k)
		was[name] = append(was[name], pair{b[at:k], b[k:e], m})
		at = e
	}
	if v.Len() == int(t.n) {
		out = append(out, b[:t.head]...)
	} else {
		out = mapHead(out, v.Len())
	}
	for name, m := range v.Members() {
		if same := was[name]; len(same) > 0 {
			was[name] = same[1:]
			out = appendOver(append(out, same[0].key...), m, same[0].old, same[0].value)
			continue
		}
		out = appendFresh(appendText(out, name), m)
	}
	return out
}

// appendList pairs the elements: equal ones from both ends, then equal ones anywhere, then the rest where as many were.
func appendList(out []byte, v, old *jsondoc.Value, b []byte, t token) []byte {
	var was []pair
	at := t.head
	for _, e := range old.Elems() {
		n, _ := end(b, at)
		was = append(was, pair{value: b[at:n], old: e})
		at = n
	}
	var now []*jsondoc.Value
	for _, e := range v.Elems() {
		now = append(now, e)
	}
	if len(now) == len(was) {
		out = append(out, b[:t.head]...)
	} else {
		out = listHead(out, len(now))
	}
	same := func(i, j int) bool { return bytes.Equal(now[i].Raw(), was[j].old.Raw()) }
	head, tail := 0, 0
	for head < min(len(now), len(was)) && same(head, head) {
		head++
	}
	for head+tail < min(len(now), len(was)) && same(len(now)-1-tail, len(was)-1-tail) {
		tail++
	}
	free := map[string][]int{}
	for j := head; j < len(was)-tail; j++ {
		k := string(was[j].old.Raw())
		free[k] = append(free[k], j)
	}
	partner := make([]int, len(now))
	used := make([]bool, len(was))
	for i := range now {
		partner[i] = -1
		switch {
		case i < head:
			partner[i] = i
		case i >= len(now)-tail:
			partner[i] = i - len(now) + len(was)
		default:
			if l := free[string(now[i].Raw())]; len(l) > 0 {
				partner[i], free[string(now[i].Raw())] = l[0], l[1:]
				used[l[0]] = true
			}
		}
	}
	for i, e := range now {
		j := partner[i]
		if j < 0 && len(now) == len(was) && !used[i] {
			j = i // edited where it stands
		}
		if j < 0 {
			out = appendFresh(out, e)
			continue
		}
		out = appendOver(out, e, was[j].old, was[j].value)
	}
	return out
}

func appendFresh(out []byte, v *jsondoc.Value) []byte {
	switch v.Kind() {
	case jsondoc.KindBool:
		if b, _ := v.Bool(); b {
			return append(out, 0xc3)
		}
		return append(out, 0xc2)
	case jsondoc.KindNumber:
		if n, ok := v.Int(); ok && n >= math.MinInt32 && n <= math.MaxUint32 && string(v.Raw()) != "-0" {
			return appendWhole(out, n)
		}
		return appendDouble(out, v)
	case jsondoc.KindString:
		s, _ := v.Text()
		return appendText(out, s)
	case jsondoc.KindArray:
		out = listHead(out, v.Len())
		for _, e := range v.Elems() {
			out = appendFresh(out, e)
		}
		return out
	case jsondoc.KindObject:
		out = mapHead(out, v.Len())
		for name, m := range v.Members() {
			out = appendFresh(appendText(out, name), m)
		}
		return out
	}
	return append(out, 0xc0)
}

// appendDouble writes a number as JavaScript has it: one beyond the range is infinite.
func appendDouble(out []byte, v *jsondoc.Value) []byte {
	s, _ := v.Num()
	f, _ := strconv.ParseFloat(s, 64)
	return binary.BigEndian.AppendUint64(append(out, 0xcb), math.Float64bits(f))
}

func appendWhole(out []byte, n int64) []byte {
	switch {
	case n >= -32 && n <= math.MaxInt8:
		return append(out, byte(n))
	case n > 0 && n <= math.MaxUint8:
		return append(out, 0xcc, byte(n))
	case n > 0 && n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(out, 0xcd), uint16(n))
	case n > 0:
		return binary.BigEndian.AppendUint32(append(out, 0xce), uint32(n))
	case n >= math.MinInt8:
		return append(out, 0xd0, byte(n))
	case n >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(out, 0xd1), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(out, 0xd2), uint32(n))
}

func appendText(out []byte, s string) []byte {
	switch n := len(s); {
	case n < 32:
		out = append(out, 0xa0|byte(n))
	case n <= math.MaxUint8:
		out = append(out, 0xd9, byte(n))
	case n <= math.MaxUint16:
		out = binary.BigEndian.AppendUint16(append(out, 0xda), uint16(n))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xdb), uint32(n))
	}
	return append(out, s...)
}

// AppendBin adds bytes.
func AppendBin(out, b []byte) []byte {
	switch n := len(b); {
	case n <= math.MaxUint8:
		out = append(out, 0xc4, byte(n))
	case n <= math.MaxUint16:
		out = binary.BigEndian.AppendUint16(append(out, 0xc5), uint16(n))
	default:
		out = binary.BigEndian.AppendUint32(append(out, 0xc6), uint32(n))
	}
	return append(out, b...)
}

func listHead(out []byte, n int) []byte {
	switch {
	case n < 16:
		return append(out, 0x90|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(out, 0xdc), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(out, 0xdd), uint32(n))
}

// mapHead is map16 for objects, as msgpackr writes them.
func mapHead(out []byte, n int) []byte {
	if n <= math.MaxUint16 {
		return binary.BigEndian.AppendUint16(append(out, 0xde), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(out, 0xdf), uint32(n))
}
