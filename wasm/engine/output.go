//go:build js && wasm

package main

import (
	"io"
	"syscall/js"

	"bunzai/fault"
	"bunzai/rope"
)

// piece is the unit in which computed bytes cross to JavaScript.
const piece = 1 << 20

// blobOf makes a Blob of a rope: ranges of the input stay ranges of the input, the rest is copied out in pieces.
func blobOf(r *rope.Rope, mime string) (js.Value, error) {
	g := js.Global()
	parts := g.Get("Array").New()
	var buf []byte // own bytes not yet handed over
	flush := func() {
		if len(buf) > 0 {
			a := g.Get("Uint8Array").New(len(buf))
			js.CopyBytesToJS(a, buf)
			parts.Call("push", a)
			buf = buf[:0]
		}
	}
	err := eachPiece(r, func(f far, off, n int64) {
		flush()
		parts.Call("push", f.cut(off, n))
	}, func(b []byte) {
		if len(buf)+len(b) > piece {
			flush()
		}
		buf = append(buf, b...)
	}, sliceable)
	if err != nil {
		return js.Undefined(), err
	}
	flush()
	o := g.Get("Object").New()
	o.Set("type", mime)
	pin(r.Size() >> 8)
	return g.Get("Blob").New(parts, o), nil
}

// sliceable says that a range can be a part of a Blob.
func sliceable(f far) bool {
	r, ok := f.(*rangedSource)
	return !ok || r.slices
}

// partsOf makes a list of a rope, for a caller that puts it together: bytes of its own as Uint8Array, ranges of the
// input as [offset, length].
func partsOf(r *rope.Rope) (js.Value, error) {
	g := js.Global()
	parts := g.Get("Array").New()
	var buf []byte
	flush := func() {
		if len(buf) > 0 {
			a := g.Get("Uint8Array").New(len(buf))
			js.CopyBytesToJS(a, buf)
			pin(int64(len(buf)))
			parts.Call("push", a)
			buf = buf[:0]
		}
	}
	err := eachPiece(r, func(_ far, off, n int64) {
		flush()
		parts.Call("push", g.Get("Array").Call("of", off, n))
	}, func(b []byte) {
		if len(buf)+len(b) > piece {
			flush()
		}
		buf = append(buf, b...)
	})
	if err != nil {
		return js.Undefined(), err
	}
	flush()
	return parts, nil
}

// bytesOf makes one Uint8Array of a rope.
func bytesOf(r *rope.Rope) (js.Value, error) {
	out := js.Global().Get("Uint8Array").New(r.Size())
	pin(r.Size())
	at := int64(0)
	place := func(n int64) js.Value {
		v := out
		if at > 0 || n < r.Size() {
			v = out.Call("subarray", at, at+n)
		}
		at += n
		return v
	}
	err := eachPiece(r, func(f far, off, n int64) {
		out.Call("set", f.cut(off, n), at)
		at += n
	}, func(b []byte) {
		js.CopyBytesToJS(place(int64(len(b))), b)
	}, arraysOnly)
	return out, err
}

// arraysOnly says that only bytes of a Uint8Array may be passed on as a range.
func arraysOnly(f far) bool { _, ok := f.(*arraySource); return ok }

// eachPiece yields a rope in order: ranges of JavaScript's bytes as such, everything else as bytes of at most one
// piece, valid during the call only.
func eachPiece(r *rope.Rope, ranged func(f far, off, n int64), own func(b []byte), share ...func(far) bool) error {
	var buf []byte
	for s := range r.Segments() {
		if c, ok := s.Src.(*cached); ok && (len(share) == 0 || share[0](c.far)) {
			ranged(c.far, s.Off, s.Len)
			continue
		}
		for off := int64(0); off < s.Len; off += piece {
			n := min(piece, s.Len-off)
			if b, ok := s.Src.(rope.Bytes); ok {
				own(b[s.Off+off : s.Off+off+n])
				continue
			}
			if int64(cap(buf)) < n {
				buf = make([]byte, n)
			}
			if m, err := s.Src.ReadAt(buf[:n], s.Off+off); int64(m) < n {
				return short(err)
			}
			own(buf[:n])
		}
	}
	return nil
}

func short(err error) error {
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fault.As(err)
}
