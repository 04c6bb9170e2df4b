package main

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	sectionData = 11
	opI32Const  = 0x41
	opEnd       = 0x0b
	// joined is the shortest run of zeros that separates two segments: a shorter one compresses better than a header.
	joined = 64
	// maxMemory is far above the data of any program of ours.
	maxMemory = 256 << 20
)

// module is a WebAssembly module whose data is laid out as the memory that it fills at start.
type module struct {
	before, after []byte // what surrounds the data section
	memory        []byte
}

var errShort = errors.New("the module ends early")

// reader reads the module's integers. The first failure stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) next(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.b)) {
		r.err = errShort
		return nil
	}
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) byte() byte {
	if p := r.next(1); p != nil {
		return p[0]
	}
	return 0
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.err != nil || n <= 0 {
		r.err = errShort
		return 0
	}
	r.b = r.b[n:]
	return v
}

// signed reads the address of a segment: a 32-bit integer whose sign is in the last byte's seventh bit.
func (r *reader) signed() int64 {
	var v int64
	for shift := uint(0); shift < 35; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c&0x80 == 0 {
			if c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.err = errShort
	return 0
}

func parse(b []byte) (*module, error) {
	if len(b) < 8 || string(b[:8]) != "\x00asm\x01\x00\x00\x00" {
		return nil, errors.New("this is no WebAssembly module")
	}
	r := &reader{b: b[8:]}
	for len(r.b) > 0 && r.err == nil {
		start := len(b) - len(r.b)
		id := r.byte()
		body := r.next(r.unsigned())
		if id == sectionData && r.err == nil {
			memory, err := layOut(body)
			return &module{b[:start], r.b, memory}, err
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return nil, errors.New("the module has no data")
}

// layOut returns the memory that a data section fills.
func layOut(section []byte) ([]byte, error) {
	r := &reader{b: section}
	var memory []byte
	for n := r.unsigned(); n > 0 && r.err == nil; n-- {
		if kind, op := r.unsigned(), r.byte(); kind != 0 || op != opI32Const {
			return nil, errors.New("a data segment is not at a fixed address")
		}
		at := r.signed()
		if r.byte() != opEnd {
			return nil, errors.New("a data segment is not at a fixed address")
		}
		data := r.next(r.unsigned())
		end := at + int64(len(data))
		if at < 0 || end > maxMemory {
			return nil, fmt.Errorf("a data segment ends at %d", end)
		}
		if grow := end - int64(len(memory)); grow > 0 {
			memory = append(memory, make([]byte, grow)...)
		}
		copy(memory[at:], data)
	}
	return memory, r.err
}

// segments calls f with every stretch of memory that is to be stored.
func segments(memory []byte, f func(at int, data []byte)) {
	zeros := func(i int) int {
		n := 0
		for i+n < len(memory) && memory[i+n] == 0 {
			n++
		}
		return n
	}
	for i := zeros(0); i < len(memory); {
		end := i
		for end < len(memory) {
			z := zeros(end)
			if z >= joined || end+z == len(memory) {
				break
			}
			end += z + 1
		}
		f(i, memory[i:end])
		i = end + zeros(end)
	}
}

func (m *module) bytes() []byte {
	var body []byte
	count := 0
	segments(m.memory, func(at int, data []byte) {
		count++
		body = append(body, 0, opI32Const)
		body = appendSigned(body, int64(at))
		body = append(body, opEnd)
		body = binary.AppendUvarint(body, uint64(len(data)))
		body = append(body, data...)
	})
	head := binary.AppendUvarint(nil, uint64(count))
	out := append([]byte(nil), m.before...)
	out = append(out, sectionData)
	out = binary.AppendUvarint(out, uint64(len(head)+len(body)))
	out = append(append(out, head...), body...)
	return append(out, m.after...)
}

func appendSigned(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
