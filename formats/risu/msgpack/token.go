// Package msgpack shows MessagePack data as a JSON document and writes an edited document back over the bytes that it
// came from, as jsondoc does for JSON: what nobody edits keeps its bytes (widths of numbers, maps and texts, values that
// JSON does not have), and a new value is written as msgpackr does, the library of Risu. It knows no file format.
//
// The walker is our own, since no library keeps the spelling of a value: vmihailenco/msgpack and tinylib/msgp decode to
// Go values, and a file written anew by them differs in most of its bytes.
//
// Wire facts: the MessagePack specification; msgpackr's output as formats of the app show it (objects are map16,
// numbers beyond 32 bits are doubles, undefined is an extension of type 0 with one zero byte).
package msgpack

import (
	"encoding/binary"
	"fmt"
	"math"

	"bunzai/fault"
	"bunzai/limits"
)

type kind uint8

const (
	kNil kind = iota
	kBool
	kUint
	kInt
	kFloat32
	kFloat64
	kText
	kBin
	kExt
	kArray
	kMap
)

// token is the head of one value. N is the length of a text, of bytes or of an extension, the number of elements or of
// pairs, or the value of an unsigned number; head counts the bytes before the data.
type token struct {
	kind kind
	n    uint64
	i    int64
	f    float64
	ext  int8
	head int
}

func damaged(at int, format string, args ...any) error {
	return fault.New(fault.Damaged, fmt.Sprintf("byte %d", at), "the MessagePack data is damaged: "+format, args...)
}

// next reads the head at b[at:]. Of a text, bytes or extension the data is there; of a list or map at least one byte
// for each element.
func next(b []byte, at int) (t token, err error) {
	if at >= len(b) {
		return t, damaged(at, "it ends where a value is expected")
	}
	c := b[at]
	need := func(n int) uint64 {
		if err != nil {
			return 0
		}
		if len(b)-at-1 < n {
			err = damaged(at, "it ends inside a value")
			return 0
		}
		t.head = 1 + n
		p := b[at+1:]
		switch n {
		case 1:
			return uint64(p[0])
		case 2:
			return uint64(binary.BigEndian.Uint16(p))
		case 4:
			return uint64(binary.BigEndian.Uint32(p))
		}
		return binary.BigEndian.Uint64(p)
	}
	t.head = 1
	switch {
	case c <= 0x7f:
		t.kind, t.n = kUint, uint64(c)
	case c >= 0xe0:
		t.kind, t.i = kInt, int64(int8(c))
	case c <= 0x8f:
		t.kind, t.n = kMap, uint64(c&15)
	case c <= 0x9f:
		t.kind, t.n = kArray, uint64(c&15)
	case c <= 0xbf:
		t.kind, t.n = kText, uint64(c&31)
	default:
		switch c {
		case 0xc0:
			t.kind = kNil
		case 0xc1:
			return t, damaged(at, "the byte c1 has no meaning")
		case 0xc2, 0xc3:
			t.kind, t.n = kBool, uint64(c&1)
		case 0xc4, 0xc5, 0xc6:
			t.kind, t.n = kBin, need(1<<(c-0xc4))
		case 0xc7, 0xc8, 0xc9:
			t.kind, t.n = kExt, need(1<<(c-0xc7))
		case 0xca:
			t.kind, t.f = kFloat32, float64(math.Float32frombits(uint32(need(4))))
		case 0xcb:
			t.kind, t.f = kFloat64, math.Float64frombits(need(8))
		case 0xcc, 0xcd, 0xce, 0xcf:
			t.kind, t.n = kUint, need(1<<(c-0xcc))
		case 0xd0:
			t.kind, t.i = kInt, int64(int8(need(1)))
		case 0xd1:
			t.kind, t.i = kInt, int64(int16(need(2)))
		case 0xd2:
			t.kind, t.i = kInt, int64(int32(need(4)))
		case 0xd3:
			t.kind, t.i = kInt, int64(need(8))
		case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
			t.kind, t.n = kExt, 1<<(c-0xd4)
		case 0xd9, 0xda, 0xdb:
			t.kind, t.n = kText, need(1<<(c-0xd9))
		case 0xdc, 0xdd:
			t.kind, t.n = kArray, need(2<<(c-0xdc))
		case 0xde, 0xdf:
			t.kind, t.n = kMap, need(2<<(c-0xde))
		}
	}
	if err != nil {
		return t, err
	}
	rest := uint64(len(b) - at - t.head)
	switch t.kind {
	case kExt:
		if rest == 0 {
			return t, damaged(at, "it ends inside a value")
		}
		t.ext = int8(b[at+t.head])
		t.head++
		rest--
		fallthrough
	case kText, kBin:
		if t.n > rest {
			return t, damaged(at, "a value states %d bytes, and %d are left", t.n, rest)
		}
	case kArray:
		if t.n > rest {
			return t, damaged(at, "a list states %d elements, and %d bytes are left", t.n, rest)
		}
	case kMap:
		if t.n > rest/2 {
			return t, damaged(at, "a map states %d pairs, and %d bytes are left", t.n, rest)
		}
	}
	return t, nil
}

// data is where the bytes of a text, of bytes or of an extension stand.
func (t token) data(b []byte, at int) []byte {
	return b[at+t.head : at+t.head+int(t.n)]
}

// end skips the value at b[at:] and returns where it ends. It needs no stack: it counts what is still to come.
func end(b []byte, at int) (int, error) {
	for left := uint64(1); left > 0; left-- {
		t, err := next(b, at)
		if err != nil {
			return 0, err
		}
		at += t.head
		switch t.kind {
		case kText, kBin, kExt:
			at += int(t.n)
		case kArray:
			left += t.n
		case kMap:
			left += 2 * t.n
		}
	}
	return at, nil
}

func tooDeep(at int, lim limits.Limits) error {
	return lim.Over(fmt.Sprintf("MessagePack, byte %d", at), "JSONDepth", lim.JSONDepth+1)
}
