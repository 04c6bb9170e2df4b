//go:build js && wasm

package main

import (
	"io"
	"syscall/js"

	"bunzai/fault"
	"bunzai/rope"
)

const (
	// smallInput is the size up to which bytes are copied in whole: cheaper than reading them by offset.
	smallInput = 256 << 10
	// block is the unit of read-ahead. A walk over a ZIP directory or PNG chunks reads a few bytes here and there.
	block = 64 << 10
	// blocks is how many blocks are kept.
	blocks = 4
)

// input is the caller's file.
type input struct {
	src    rope.Source
	isBlob bool
}

// inputOf takes a Uint8Array, an ArrayBuffer, a Blob, a File, or an object with a size and a read function.
func inputOf(v js.Value) (input, error) {
	if v.Type() == js.TypeObject {
		g := js.Global()
		switch {
		case is(v, g.Get("Uint8Array")):
			return bytesInput(v), nil
		case is(v, g.Get("ArrayBuffer")):
			return bytesInput(g.Get("Uint8Array").New(v)), nil
		case is(v, g.Get("Blob")):
			return blobInput(v), nil
		case v.Get("read").Type() == js.TypeFunction && v.Get("size").Type() == js.TypeNumber:
			return input{&cached{far: &rangedSource{obj: v, size: int64(v.Get("size").Float()), slices: v.Get("slice").Type() == js.TypeFunction}}, false}, nil
		}
	}
	return input{}, badArgument("the input must be a Uint8Array, an ArrayBuffer, a Blob or a File, and this is %s", what(v))
}

func blobInput(v js.Value) input {
	b := &blobSource{blob: v, size: int64(v.Get("size").Float())}
	if r := js.Global().Get("FileReaderSync"); r.Type() == js.TypeFunction {
		b.reader = r.New()
	}
	pin(b.size >> 8) // a handle on a Blob is light, however big the Blob
	return input{&cached{far: b}, true}
}

func is(v, class js.Value) bool { return class.Type() == js.TypeFunction && v.InstanceOf(class) }

func what(v js.Value) string {
	switch v.Type() {
	case js.TypeUndefined, js.TypeNull:
		return v.Type().String()
	case js.TypeObject:
		return "another object"
	}
	return "a " + v.Type().String()
}

// bytesInput reads bytes where they lie. No JavaScript runs between the call and its end when the input is bytes, so
// they cannot change meanwhile; only memory that threads share can, and that is copied in.
func bytesInput(v js.Value) input {
	n := v.Get("byteLength").Int()
	pin(int64(n))
	if n > smallInput && !is(v.Get("buffer"), js.Global().Get("SharedArrayBuffer")) {
		return input{&cached{far: &arraySource{array: v, size: int64(n)}}, false}
	}
	b := make([]byte, n)
	js.CopyBytesToGo(b, v)
	return input{rope.Bytes(b), false}
}

// far is bytes on JavaScript's side.
type far interface {
	rope.Source
	// cut returns n bytes from off as something that fits into the Blob constructor and shares the bytes.
	cut(off, n int64) js.Value
}

// arraySource is a Uint8Array.
type arraySource struct {
	array js.Value
	size  int64
}

func (a *arraySource) Size() int64 { return a.size }

func (a *arraySource) cut(off, n int64) js.Value { return a.array.Call("subarray", off, off+n) }

// ReadAt implements io.ReaderAt for a range inside the array.
func (a *arraySource) ReadAt(p []byte, off int64) (int, error) {
	n := js.CopyBytesToGo(p, a.cut(off, int64(len(p))))
	if n < len(p) {
		return n, fault.New(fault.Damaged, "", "the bytes changed while they were read")
	}
	return n, nil
}

// blobSource is a Blob or File: read at once in a Worker, awaited elsewhere.
type blobSource struct {
	blob   js.Value
	reader js.Value // FileReaderSync; undefined where there is none
	size   int64
}

func (b *blobSource) Size() int64 { return b.size }

func (b *blobSource) cut(off, n int64) js.Value { return b.blob.Call("slice", off, off+n) }

// ReadAt implements io.ReaderAt for a range inside the Blob.
func (b *blobSource) ReadAt(p []byte, off int64) (n int, err error) {
	defer func() {
		if r := recover(); r != nil { // a call that JavaScript answered with an exception
			e, ok := r.(js.Error)
			if !ok {
				panic(r)
			}
			err = unreadable(thrown(e.Value))
		}
	}()
	part := b.cut(off, int64(len(p)))
	var buf js.Value
	if b.reader.Truthy() {
		buf = b.reader.Call("readAsArrayBuffer", part)
	} else if buf, err = await(part.Call("arrayBuffer")); err != nil {
		return 0, unreadable(err.Error())
	}
	n = js.CopyBytesToGo(p, js.Global().Get("Uint8Array").New(buf))
	pin(int64(n))
	if n < len(p) {
		return n, unreadable("it is shorter than it was")
	}
	return n, nil
}

// rangedSource is whatever the caller reads by offset: read(offset, length) answers with a Uint8Array or a promise of
// one. Where it also has slice(from, to), that answers with a part for the Blob constructor.
type rangedSource struct {
	obj    js.Value
	size   int64
	slices bool
}

func (r *rangedSource) Size() int64 { return r.size }

func (r *rangedSource) cut(off, n int64) js.Value { return r.obj.Call("slice", off, off+n) }

// ReadAt implements io.ReaderAt for a range inside the source.
func (r *rangedSource) ReadAt(p []byte, off int64) (n int, err error) {
	defer func() {
		if x := recover(); x != nil { // a call that JavaScript answered with an exception
			e, ok := x.(js.Error)
			if !ok {
				panic(x)
			}
			err = unreadable(thrown(e.Value))
		}
	}()
	got := r.obj.Call("read", off, len(p))
	if got.Type() == js.TypeObject && got.Get("then").Type() == js.TypeFunction {
		if got, err = await(got); err != nil {
			return 0, unreadable(err.Error())
		}
	}
	if !is(got, js.Global().Get("Uint8Array")) {
		return 0, unreadable("it answered with no bytes")
	}
	n = js.CopyBytesToGo(p, got)
	pin(int64(n))
	if n < len(p) {
		return n, unreadable("it is shorter than it was")
	}
	return n, nil
}

func unreadable(why string) error {
	return fault.New(fault.Damaged, "", "the file could not be read (%s); perhaps it was moved or changed since it was opened. Open it again", why)
}

// cached puts a few read-ahead blocks before bytes on JavaScript's side. It is the Source that ropes refer to.
type cached struct {
	far  far
	list []cachedBlock // most recently used first
}

type cachedBlock struct {
	off  int64
	data []byte
}

func (c *cached) Size() int64 { return c.far.Size() }

// ReadAt implements io.ReaderAt.
func (c *cached) ReadAt(p []byte, off int64) (int, error) {
	size := c.far.Size()
	if off < 0 {
		return 0, fault.New(fault.Internal, "", "negative offset %d", off)
	}
	if off >= size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), size-off)]
	n := 0
	for n < len(want) {
		rest := want[n:]
		if len(rest) >= block {
			m, err := c.far.ReadAt(rest, off)
			if err != nil {
				return n + m, err
			}
			n += m
			break
		}
		b, err := c.block(off / block * block)
		if err != nil {
			return n, err
		}
		m := copy(rest, b.data[off-b.off:])
		n += m
		off += int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (c *cached) block(off int64) (cachedBlock, error) {
	for i, b := range c.list {
		if b.off == off {
			copy(c.list[1:i+1], c.list[:i])
			c.list[0] = b
			return b, nil
		}
	}
	b := cachedBlock{off: off}
	n := min(block, c.far.Size()-off)
	if len(c.list) == blocks {
		b.data = c.list[blocks-1].data[:0]
		c.list = c.list[:blocks-1]
	}
	if int64(cap(b.data)) < n {
		b.data = make([]byte, n, min(block, max(n, c.far.Size())))
	}
	b.data = b.data[:n]
	if _, err := c.far.ReadAt(b.data, off); err != nil {
		return b, err
	}
	c.list = append(c.list, cachedBlock{})
	copy(c.list[1:], c.list)
	c.list[0] = b
	return b, nil
}
