// Package rope holds bytes that are read by offset (Source) and bytes that are put together from pieces
// (Rope): owned memory or ranges of a Source. Nothing is copied until somebody reads it, so the output of a
// conversion costs what changed, not what is carried. No format and no container is known here.
package rope

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"reflect"
	"sort"
)

// Source is input read by offset: memory, an os.File, a browser File. ReadAt must be safe to call at any offset
// in any order; the bytes must not change while the Source is in use.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Bytes is a Source over memory.
type Bytes []byte

// ReadAt implements io.ReaderAt.
func (b Bytes) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("rope: negative offset %d", off)
	}
	if off >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Size implements Source.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Segment is Len bytes of Src from Off.
type Segment struct {
	Src      Source
	Off, Len int64
}

// Rope is a list of segments, itself a Source. The zero Rope is empty. A Rope that is being read must not be appended to.
type Rope struct {
	segs   []Segment
	starts []int64 // offset of each segment in the rope
	size   int64
}

// Of returns a Rope over the whole of src.
func Of(src Source) *Rope {
	r := &Rope{}
	r.AppendRange(src, 0, src.Size())
	return r
}

// FromBytes returns a Rope over b, which must not change afterwards.
func FromBytes(b []byte) *Rope { return Of(Bytes(b)) }

// Append adds b without copying; the caller must not change it afterwards.
func (r *Rope) Append(b []byte) { r.AppendRange(Bytes(b), 0, int64(len(b))) }

// AppendString adds s.
func (r *Rope) AppendString(s string) { r.Append([]byte(s)) }

// AppendRope adds all segments of o.
func (r *Rope) AppendRope(o *Rope) {
	for s := range o.Segments() {
		r.push(s)
	}
}

// AppendRange adds n bytes of src from off. A Rope as source is flattened into its own segments.
func (r *Rope) AppendRange(src Source, off, n int64) {
	if n <= 0 {
		return
	}
	if o, ok := src.(*Rope); ok {
		i := o.find(off)
		for ; n > 0 && i < len(o.segs); i++ {
			s := o.segs[i]
			skip := off - o.starts[i]
			take := min(s.Len-skip, n)
			r.push(Segment{s.Src, s.Off + skip, take})
			off += take
			n -= take
		}
		return
	}
	r.push(Segment{src, off, n})
}

func (r *Rope) push(s Segment) {
	if s.Len == 0 {
		return
	}
	if k := len(r.segs) - 1; k >= 0 {
		if l := &r.segs[k]; l.Off+l.Len == s.Off && sameSource(l.Src, s.Src) {
			l.Len += s.Len
			r.size += s.Len
			return
		}
	}
	r.segs = append(r.segs, s)
	r.starts = append(r.starts, r.size)
	r.size += s.Len
}

// sameSource compares identity. A Source of a type that Go cannot compare, such as a struct around Bytes, is like no other.
func sameSource(a, b Source) bool {
	x, okx := a.(Bytes)
	y, oky := b.(Bytes)
	if okx || oky {
		return okx && oky && len(x) == len(y) && len(x) > 0 && &x[0] == &y[0]
	}
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}

// Segments yields the pieces in order.
func (r *Rope) Segments() iter.Seq[Segment] {
	return func(yield func(Segment) bool) {
		for _, s := range r.segs {
			if !yield(s) {
				return
			}
		}
	}
}

// Size implements Source.
func (r *Rope) Size() int64 {
	if r == nil {
		return 0
	}
	return r.size
}

// find returns the index of the segment that holds offset off.
func (r *Rope) find(off int64) int {
	return sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > off }) - 1
}

// ReadAt implements io.ReaderAt.
func (r *Rope) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("rope: negative offset %d", off)
	}
	if off >= r.Size() {
		return 0, io.EOF
	}
	n := 0
	for i := r.find(off); i < len(r.segs) && n < len(p); i++ {
		s := r.segs[i]
		skip := off - r.starts[i]
		want := int(min(s.Len-skip, int64(len(p)-n)))
		m, err := s.Src.ReadAt(p[n:n+want], s.Off+skip)
		n += m
		off += int64(m)
		if m < want {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Slice returns n bytes from off as a Rope of the same segments.
func (r *Rope) Slice(off, n int64) *Rope {
	out := &Rope{}
	out.AppendRange(r, off, n)
	return out
}

// WriteTo implements io.WriterTo with one buffer of at most 256 KiB; memory segments are written as they are.
func (r *Rope) WriteTo(w io.Writer) (int64, error) {
	var done int64
	var buf []byte
	for s := range r.Segments() {
		if b, ok := s.Src.(Bytes); ok {
			n, err := w.Write(b[s.Off : s.Off+s.Len])
			done += int64(n)
			if err != nil {
				return done, err
			}
			continue
		}
		if buf == nil {
			buf = make([]byte, 256<<10)
		}
		n, err := io.CopyBuffer(onlyWriter{w}, io.NewSectionReader(s.Src, s.Off, s.Len), buf)
		done += n
		if err == nil && n < s.Len {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

type onlyWriter struct{ io.Writer }

// Bytes returns the whole content in memory, sharing it when the rope is one memory segment.
func (r *Rope) Bytes() ([]byte, error) { return View(r, 0, r.Size()) }

// View returns n bytes of src from off: shared memory where the bytes lie in memory in one piece, else a copy.
// The result must not be changed. A range outside src is io.ErrUnexpectedEOF.
func View(src Source, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off+n > src.Size() {
		return nil, io.ErrUnexpectedEOF
	}
	if n == 0 {
		return nil, nil
	}
	switch s := src.(type) {
	case Bytes:
		return s[off : off+n : off+n], nil
	case *Rope:
		if i := s.find(off); off+n <= s.starts[i]+s.segs[i].Len {
			return View(s.segs[i].Src, s.segs[i].Off+off-s.starts[i], n)
		}
	}
	p := make([]byte, n)
	m, err := src.ReadAt(p, off)
	if int64(m) == n {
		return p, nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return nil, err
}

// Equal reports whether two sources hold the same bytes. Ropes of the same segments are equal without reading.
func Equal(a, b Source) (bool, error) {
	if a.Size() != b.Size() {
		return false, nil
	}
	ra, rb := Of(a), Of(b)
	if len(ra.segs) == len(rb.segs) {
		same := true
		for i := range ra.segs {
			x, y := ra.segs[i], rb.segs[i]
			if x.Off != y.Off || x.Len != y.Len || !sameSource(x.Src, y.Src) {
				same = false
				break
			}
		}
		if same {
			return true, nil
		}
	}
	const step = 128 << 10
	for off := int64(0); off < a.Size(); off += step {
		n := min(step, a.Size()-off)
		x, err := View(a, off, n)
		if err != nil {
			return false, err
		}
		y, err := View(b, off, n)
		if err != nil {
			return false, err
		}
		if !bytes.Equal(x, y) {
			return false, nil
		}
	}
	return true, nil
}

// Reader reads src from the start.
func Reader(src Source) *io.SectionReader { return io.NewSectionReader(src, 0, src.Size()) }
