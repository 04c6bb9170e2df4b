package main

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Where things are in the tables of a Go program, from runtime/symtab.go and runtime/runtime2.go of Go 1.26.
const (
	headerMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08" // pcHeader: magic, padding, size of an instruction, of a pointer
	headerSize  = 72

	funcName      = 4 // offsets in _func
	funcStack     = 16
	funcFile      = 20
	funcLine      = 24
	funcByAddress = 28 // how many tables by address follow (pcdata)
	funcUnit      = 32
	funcStartLine = 36
	funcOthers    = 43 // how many other tables follow those (funcdata)
	funcSize      = 44

	inlinedAt       = 2 // internal/abi: PCDATA_InlTreeIndex
	inlinedCalls    = 3 // internal/abi: FUNCDATA_InlTree
	inlinedCallSize = 16
	absent          = 1<<32 - 1

	// moduleOthers is where runtime.moduledata holds the address of all functions' other tables, in words.
	moduleOthers = 40
)

var errLayout = errors.New("the runtime's tables are laid out in a way that is not known here; which Go built this?")

// tables is the memory of a program, and the addresses of the runtime's tables in it.
type tables struct {
	memory             []byte
	count              int
	names, units, pcs  int
	functions, byOther int
	bad                bool
}

// dropLines takes out of a program's memory which source line and which inlined call an address belongs to. The names of
// functions, stack sizes and the maps of pointers stay: the runtime lives by them. On error the memory is of no use.
func dropLines(memory []byte) error {
	t := locate(memory)
	if t == nil {
		return errLayout
	}
	keep := make([]bool, len(memory)) // of the names and of the tables by address
	inlined := make([]bool, len(memory))
	var others []int
	for i := range t.count {
		f := t.functions + t.u32(t.functions+8*i+4)
		for _, field := range []int{funcFile, funcLine, funcUnit, funcStartLine} {
			t.put(f+field, 0)
		}
		byAddress, n := f+funcSize, t.u32(f+funcByAddress)
		other, m := byAddress+4*n, t.u32(f+funcOthers)&0xff
		if n > inlinedAt && m > inlinedCalls {
			at, calls := byAddress+4*inlinedAt, other+4*inlinedCalls
			if pcs, off := t.u32(at), t.u32(calls); pcs != 0 && off != absent {
				_, last := t.walk(t.pcs + pcs)
				t.mark(inlined, t.byOther+off, t.byOther+off+inlinedCallSize*(last+1))
			}
			t.put(at, 0)
			t.put(calls, absent)
		}
		name := t.names + t.u32(f+funcName)
		t.mark(keep, name, name+bytes.IndexByte(t.from(name), 0))
		for k := -1; k < n; k++ {
			at := byAddress + 4*k
			if k < 0 {
				at = f + funcStack
			}
			if off := t.u32(at); off != 0 {
				end, _ := t.walk(t.pcs + off)
				t.mark(keep, t.pcs+off, end)
			}
		}
		for k := range m {
			if off := t.u32(other + 4*k); off != absent {
				others = append(others, t.byOther+off)
			}
		}
		if t.bad {
			return errLayout
		}
	}
	for _, at := range others {
		if at >= len(memory) || inlined[at] {
			return errLayout
		}
	}
	for i := range memory {
		if inlined[i] || t.names <= i && i < t.functions && !keep[i] {
			memory[i] = 0
		}
	}
	return nil
}

// locate finds the tables by their magic and the runtime's own pointers to them, nil when they are not as expected.
func locate(memory []byte) *tables {
	h := bytes.Index(memory, []byte(headerMagic))
	if h < 0 || h+headerSize > len(memory) {
		return nil
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint64(memory[at:])) }
	at := func(field int) int { return h + word(h+8*field) }
	t := &tables{memory: memory, count: word(h + 8), names: at(4), units: at(5), pcs: at(7), functions: at(8)}
	if t.names != h+headerSize || t.names > t.units || t.units > at(6) || at(6) > t.pcs || t.pcs > t.functions ||
		t.count <= 0 || t.functions+8*t.count+4 > len(memory) {
		return nil
	}
	// runtime.firstmoduledata begins with the header's address and the slice of names.
	module := binary.LittleEndian.AppendUint64(nil, uint64(h))
	module = binary.LittleEndian.AppendUint64(module, uint64(t.names))
	m := bytes.Index(memory, module)
	if m < 0 || m+8*(moduleOthers+1) > len(memory) {
		return nil
	}
	t.byOther = word(m + 8*moduleOthers)
	if t.byOther <= 0 || t.byOther >= len(memory) {
		return nil
	}
	return t
}

func (t *tables) from(at int) []byte {
	if at < 0 || at > len(t.memory) {
		t.bad = true
		return nil
	}
	return t.memory[at:]
}

func (t *tables) u32(at int) int {
	b := t.from(at)
	if len(b) < 4 {
		t.bad = true
		return 0
	}
	return int(binary.LittleEndian.Uint32(b))
}

func (t *tables) put(at int, v uint32) {
	if b := t.from(at); len(b) >= 4 {
		binary.LittleEndian.PutUint32(b, v)
	}
}

func (t *tables) mark(set []bool, from, to int) {
	if from < 0 || to < from || to > len(set) {
		t.bad = true
		return
	}
	for i := from; i < to; i++ {
		set[i] = true
	}
}

// walk goes over a table by address: pairs of a value's difference and an address's, up to a difference of 0 that is not
// the first. It returns the table's end and its largest value.
func (t *tables) walk(at int) (end, largest int) {
	value, largest := -1, -1
	for first := true; ; first = false {
		delta, n := binary.Uvarint(t.from(at))
		if n <= 0 {
			t.bad = true
			return at, largest
		}
		at += n
		if delta == 0 && !first {
			return at, largest
		}
		value += int(delta>>1) ^ -int(delta&1)
		largest = max(largest, value)
		if _, n = binary.Uvarint(t.from(at)); n <= 0 {
			t.bad = true
			return at, largest
		}
		at += n
	}
}
