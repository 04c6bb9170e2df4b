package jsondoc

import (
	"bytes"
	"slices"

	"bunzai/rope"
)

// sink collects output as ranges of sources and of its own buffer; neighbours merge.
type sink struct {
	pieces []piece
	buf    []byte
	in     frames
}

// piece is a range of src, or of the sink's buffer when src is nil.
type piece struct {
	src      *source
	off, end int
}

func (s *sink) from(src *source, off, end int) {
	if off >= end {
		return
	}
	if n := len(s.pieces); n > 0 {
		if p := &s.pieces[n-1]; p.src == src && p.end == off {
			p.end = end
			return
		}
	}
	s.pieces = append(s.pieces, piece{src, off, end})
}

// room makes room for n bytes more. The memory doubles where append, which grows by a quarter, would copy much output
// again and again.
func (s *sink) room(n int) {
	const most = 4 << 20
	if have := cap(s.buf); len(s.buf)+n > have {
		s.buf = slices.Grow(s.buf, max(n, min(have, most)))
	}
}

func (s *sink) own(text string) {
	s.room(len(text))
	at := len(s.buf)
	s.buf = append(s.buf, text...)
	s.from(nil, at, len(s.buf))
}

func (s *sink) ownBytes(b []byte) {
	s.room(len(b))
	at := len(s.buf)
	s.buf = append(s.buf, b...)
	s.from(nil, at, len(s.buf))
}

func (s *sink) quoted(text string) {
	s.room(len(text) + len(`""`))
	at := len(s.buf)
	s.buf = appendQuoted(s.buf, text)
	s.from(nil, at, len(s.buf))
}

// edge writes a prefix or suffix; as a range of src when it is what src has at off.
func (s *sink) edge(src *source, b []byte, off int) {
	if len(b) > 0 && src != nil && off >= 0 && off+len(b) <= len(src.b) && &src.b[off] == &b[0] {
		s.from(src, off, off+len(b))
		return
	}
	s.ownBytes(b)
}

// value writes v, which stands in the innermost frame.
func (s *sink) value(v *Value) {
	switch {
	case v.kids == nil && v.src != nil:
		s.from(v.src, int(v.off), int(v.end))
	case v.kind == KindString:
		s.quoted(v.text)
	case v.kind < KindObject:
		s.own(v.text)
	case v.src == nil || v.kids.origin.n == 0:
		s.fresh(v)
	case v.kids.changed:
		s.rebuilt(v)
	default:
		s.patched(v)
	}
}

// patched writes a container whose children are those of the source, some with other values.
func (s *sink) patched(v *Value) {
	s.in.push(v)
	at := int(v.off)
	for i := range v.kids.list {
		kd := &v.kids.list[i]
		if kd.val == nil || kd.val.kids == nil && v.native(kd) {
			continue
		}
		s.from(v.src, at, int(kd.off))
		s.child(v, kd)
		at = int(kd.end)
	}
	s.in.pop()
	s.from(v.src, at, int(v.end))
}

// child writes the value of kd, a child of v. A container that says what the source says there is written as the
// source has it; put sees to that for scalars.
func (s *sink) child(v *Value, kd *kid) {
	if kd.val == nil {
		s.from(v.src, int(kd.off), int(kd.end))
		return
	}
	if kd.off != 0 && !v.native(kd) && kd.val.kind >= KindObject {
		if same(v.peekOriginal(kd), kd.val) {
			s.from(v.src, int(kd.off), int(kd.end))
			return
		}
	}
	s.value(kd.val)
}

// rebuilt writes a container of the source whose children were added to, removed or moved.
func (s *sink) rebuilt(v *Value) {
	b, k := v.src.b, v.kids
	o := &k.origin
	s.from(v.src, int(v.off), int(v.off)+1)
	if k.live == 0 {
		s.from(v.src, int(v.end)-1, int(v.end))
		return
	}
	s.in.push(v)
	l := s.in.layout()
	var prev *kid
	for i := range k.list {
		kd := &k.list[i]
		if kd.key == gone {
			continue
		}
		head := int(kd.key)
		switch {
		case prev == nil && kd.off != 0 && kd.key == o.first:
			head = int(v.off) + 1
		case prev == nil:
			s.from(v.src, int(v.off)+1, int(o.first))
		default:
			s.tail(v, prev, l)
			if kd.off != 0 && kd.key != o.first {
				head = backSpace(b, int(kd.key)) - 1 // from the comma
			} else {
				s.own(",")
				s.own(l.sep)
			}
		}
		if kd.off != 0 {
			s.from(v.src, head, int(kd.off))
		} else if v.kind == KindObject {
			s.quoted(k.names[i])
			s.own(l.inner.colon)
		}
		s.child(v, kd)
		prev = kd
	}
	s.in.pop()
	s.from(v.src, int(o.lastEnd), int(v.end))
}

// tail writes what stands between kd and the comma after it.
func (s *sink) tail(v *Value, kd *kid, l *layout) {
	if kd.off != 0 && kd.end != v.kids.origin.lastEnd {
		s.from(v.src, int(kd.end), skipSpace(v.src.b, int(kd.end)))
		return
	}
	s.own(l.tail)
}

// fresh writes a container that has no children in a source, in the style around it.
func (s *sink) fresh(v *Value) {
	k := v.kids
	if k.live == 0 {
		switch {
		case v.src != nil:
			s.from(v.src, int(v.off), int(v.end))
		case v.kind == KindObject:
			s.own("{}")
		default:
			s.own("[]")
		}
		return
	}
	open, end := "[", "]"
	if v.kind == KindObject {
		open, end = "{", "}"
	}
	s.in.push(v)
	l := s.in.layout()
	s.own(open)
	first := true
	for i := range k.list {
		kd := &k.list[i]
		if kd.key == gone {
			continue
		}
		switch {
		case first && l.inner.indented:
			s.own(l.inner.eol)
			s.ownBytes(l.base)
		case !first:
			s.own(",")
			s.own(l.sep)
		}
		first = false
		if v.kind == KindObject {
			s.quoted(k.names[i])
			s.own(l.inner.colon)
		}
		s.value(kd.val)
	}
	s.in.pop()
	if l.inner.indented {
		s.own(l.inner.eol)
		s.ownBytes(s.in.layout().base)
	}
	s.own(end)
}

// isWhole reports whether the output is all of src and nothing else.
func (s *sink) isWhole(src *source) bool {
	return len(s.pieces) == 1 && s.pieces[0] == piece{src, 0, len(src.b)}
}

func (s *sink) appendTo(r *rope.Rope) {
	buf := rope.Bytes(s.buf)
	for _, p := range s.pieces {
		if p.src != nil {
			r.AppendRange(p.src.rs, int64(p.off), int64(p.end-p.off))
		} else {
			r.AppendRange(buf, int64(p.off), int64(p.end-p.off))
		}
	}
}

func (s *sink) bytes() []byte {
	size := 0
	for _, p := range s.pieces {
		size += p.end - p.off
	}
	if len(s.pieces) == 1 {
		p := s.pieces[0]
		if p.src != nil {
			return p.src.b[p.off:p.end:p.end]
		}
		return s.buf[p.off:p.end:p.end]
	}
	var out bytes.Buffer
	out.Grow(size)
	for _, p := range s.pieces {
		if p.src != nil {
			out.Write(p.src.b[p.off:p.end])
		} else {
			out.Write(s.buf[p.off:p.end])
		}
	}
	return out.Bytes()
}
