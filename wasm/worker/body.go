//go:build js && wasm

package main

import (
	"io"
	"runtime"
	"unsafe"

	"bunzai/fault"
)

// copyBody copies n bytes of the body of the running call, from off, to dst, and returns 1; 0 when they are not there.
//
//go:wasmimport bunzai copyBody
func copyBody(off int64, dst unsafe.Pointer, n int32) int32

// emitOwn takes n bytes from src as the next piece of the running call's answer.
//
//go:wasmimport bunzai emitOwn
func emitOwn(src unsafe.Pointer, n int32)

// emitRange takes n bytes of the body from off as the next piece.
//
//go:wasmimport bunzai emitRange
func emitRange(off, n int64)

func emitBytes(b []byte) {
	if len(b) > 0 {
		emitOwn(unsafe.Pointer(unsafe.SliceData(b)), int32(len(b)))
		runtime.KeepAlive(b)
	}
}

const (
	// smallBody is the size up to which a body is copied in whole: cheaper than reading it by offset.
	smallBody = 64 << 10
	// block is the unit of read-ahead. A walk over a ZIP directory or PNG chunks reads a few bytes here and there.
	block  = 16 << 10
	blocks = 4
)

// body is the request's body, which stays with JavaScript and is read by offset while the call runs.
type body struct {
	size int64
	list []cached // most recently used first
}

type cached struct {
	off  int64
	data []byte
}

func newBody(size int64) *body {
	b := &body{size: size}
	if size > 0 && size <= smallBody {
		data := make([]byte, size)
		if b.copy(data, 0) == nil {
			b.list = []cached{{0, data}}
		}
	}
	return b
}

// Size implements rope.Source.
func (b *body) Size() int64 { return b.size }

func (b *body) copy(p []byte, off int64) error {
	ok := copyBody(off, unsafe.Pointer(unsafe.SliceData(p)), int32(len(p)))
	runtime.KeepAlive(p)
	if ok != 1 {
		return fault.New(fault.Internal, "", "the body is gone")
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (b *body) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Internal, "", "negative offset %d", off)
	}
	if off >= b.size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), b.size-off)]
	n := 0
	for n < len(want) {
		rest := want[n:]
		if len(rest) >= block {
			if err := b.copy(rest, off); err != nil {
				return n, err
			}
			n += len(rest)
			break
		}
		c, err := b.at(off)
		if err != nil {
			return n, err
		}
		m := copy(rest, c.data[off-c.off:])
		n += m
		off += int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// at returns a read-ahead block that holds off.
func (b *body) at(off int64) (cached, error) {
	for i, c := range b.list {
		if off >= c.off && off < c.off+int64(len(c.data)) {
			copy(b.list[1:i+1], b.list[:i])
			b.list[0] = c
			return c, nil
		}
	}
	c := cached{off: off / block * block}
	if len(b.list) == blocks {
		c.data = b.list[blocks-1].data[:0]
		b.list = b.list[:blocks-1]
	}
	n := min(block, b.size-c.off)
	if int64(cap(c.data)) < n {
		c.data = make([]byte, n, block)
	}
	c.data = c.data[:n]
	if err := b.copy(c.data, c.off); err != nil {
		return c, err
	}
	b.list = append([]cached{c}, b.list...)
	return c, nil
}
