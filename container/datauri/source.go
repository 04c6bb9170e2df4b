package datauri

import (
	"encoding/base64"
	"fmt"
	"io"
	"sync"

	"bunzai/fault"
	"bunzai/rope"
)

// piece is how much binary data is turned at a time. A multiple of 3.
const piece = 48 << 10

var pool = sync.Pool{New: func() any { return new([piece / 3 * 4]byte) }}

// EncodeBase64Source returns src as standard padded base64, made while it is read; src is never held whole.
// Its size is 4*ceil(n/3). Safe for use by several goroutines where src is.
func EncodeBase64Source(src rope.Source) rope.Source { return &encoder{src} }

type encoder struct{ src rope.Source }

// Size implements rope.Source.
func (e *encoder) Size() int64 { return (e.src.Size() + 2) / 3 * 4 }

// ReadAt implements io.ReaderAt.
func (e *encoder) ReadAt(p []byte, off int64) (int, error) {
	want, err := clip(&p, off, e.Size())
	if len(p) == 0 {
		return 0, err
	}
	raw := pool.Get().(*[piece / 3 * 4]byte)
	defer pool.Put(raw)
	n := 0
	var group [4]byte
	for n < len(p) {
		at := off + int64(n)
		from := at / 4 * 3
		part := at % 4 // characters of the first group that come before p
		if part != 0 || len(p)-n < 4 {
			b, err := view(e.src, raw[:3], from)
			if err != nil {
				return n, err
			}
			base64.StdEncoding.Encode(group[:], b)
			n += copy(p[n:], group[part:])
			continue
		}
		b, err := view(e.src, raw[:min((len(p)-n)/4*3, piece)], from)
		if err != nil {
			return n, err
		}
		base64.StdEncoding.Encode(p[n:], b)
		n += base64.StdEncoding.EncodedLen(len(b))
	}
	return n, want
}

// DecodeBase64Source returns the bytes that the base64 text src stands for, decoded while they are read. Only clean
// text can be read by offset: standard alphabet, right padding, no white space. Length, head and tail are checked
// now, and false means to use DecodeBase64; what is wrong in between shows as a Damaged error when it is read.
func DecodeBase64Source(src rope.Source) (rope.Source, bool) {
	n := src.Size()
	if n%4 != 0 {
		return nil, false
	}
	if n == 0 {
		return rope.Bytes(nil), true
	}
	const look = 1 << 10
	var buf [look]byte
	head, err := view(src, buf[:], 0)
	if err != nil {
		return nil, false
	}
	if n <= look {
		head = head[:n-2]
	}
	if !clean(head) {
		return nil, false
	}
	tail, err := view(src, buf[:min(n, look)], max(n-look, 0))
	if err != nil {
		return nil, false
	}
	k := len(tail)
	d := &decoder{src: src, size: n / 4 * 3}
	for i := 0; i < 2 && tail[k-1] == '='; i++ {
		k--
		d.size--
	}
	if !clean(tail[:k]) {
		return nil, false
	}
	return d, true
}

func clean(b []byte) bool {
	for _, c := range b {
		if table[c] >= 64 || c == '-' || c == '_' {
			return false
		}
	}
	return true
}

type decoder struct {
	src  rope.Source
	size int64
}

// Size implements rope.Source.
func (d *decoder) Size() int64 { return d.size }

// ReadAt implements io.ReaderAt.
func (d *decoder) ReadAt(p []byte, off int64) (int, error) {
	want, err := clip(&p, off, d.size)
	if len(p) == 0 {
		return 0, err
	}
	text := pool.Get().(*[piece / 3 * 4]byte)
	defer pool.Put(text)
	n := 0
	var group [3]byte
	for n < len(p) {
		at := off + int64(n)
		from := at / 3 * 4
		part := at % 3
		groups, direct := 1, part == 0 && len(p)-n >= 3
		dst := group[:]
		if direct {
			groups = min((len(p)-n)/3, piece/3)
			dst = p[n : n+3*groups]
		}
		b, err := view(d.src, text[:4*groups], from)
		if err != nil {
			return n, err
		}
		m, err := base64.StdEncoding.Decode(dst, b)
		if expect := min(int64(3*groups), d.size-at+part); err != nil || int64(m) != expect {
			return n, fault.New(fault.Damaged, fmt.Sprintf("bytes %d to %d of the base64 text", from, from+int64(len(b))), "the base64 text is damaged")
		}
		if !direct {
			m = copy(p[n:], group[part:m])
		}
		n += m
	}
	return n, want
}

// clip shortens *p to what lies before size, and returns the error that a full read of it ends with.
func clip(p *[]byte, off, size int64) (end error, err error) {
	if off < 0 {
		*p = nil
		return nil, fmt.Errorf("datauri: negative offset %d", off)
	}
	if off >= size {
		*p = nil
		return nil, io.EOF
	}
	if rest := size - off; int64(len(*p)) > rest {
		*p = (*p)[:rest]
		return io.EOF, nil
	}
	return nil, nil
}

// view returns the bytes of src from off, as many as buf holds or src has: shared memory, or read into buf.
func view(src rope.Source, buf []byte, off int64) ([]byte, error) {
	n := min(int64(len(buf)), src.Size()-off)
	if b, ok := src.(rope.Bytes); ok {
		return b[off : off+n], nil
	}
	m, err := src.ReadAt(buf[:n], off)
	if int64(m) < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return buf[:n], nil
}
