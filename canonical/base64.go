package canonical

import (
	"bytes"
	"encoding/base64"
	"io"

	"bunzai/fault"
	"bunzai/rope"
)

// b64Piece is how many raw bytes are encoded at a time; a multiple of 3.
const b64Piece = 24 << 10

// b64Source is src as standard padded base64, made while it is read.
type b64Source struct{ src rope.Source }

func (s b64Source) Size() int64 { return b64Size(s.src.Size()) }

func b64Size(raw int64) int64 { return (raw + 2) / 3 * 4 }

func (s b64Source) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fault.New(fault.Internal, "", "negative offset %d", off)
	}
	size, n := s.Size(), 0
	var buf []byte
	for n < len(p) && off < size {
		from := off / 4 * 3
		need := (off%4 + int64(len(p)-n) + 3) / 4 * 3
		raw, err := rope.View(s.src, from, min(s.src.Size()-from, need, b64Piece))
		if err != nil {
			return n, err
		}
		if buf == nil { // the first piece is the largest, or of the largest size
			buf = make([]byte, b64Size(int64(len(raw))))
		}
		text := buf[:b64Size(int64(len(raw)))]
		base64.StdEncoding.Encode(text, raw)
		m := copy(p[n:], text[off%4:])
		n, off = n+m, off+int64(m)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// cleanBase64 reports whether the text is standard padded base64 without white space, and how many bytes it stands for.
func cleanBase64(src rope.Source) (raw int64, ok bool, err error) {
	size := src.Size()
	if size%4 != 0 {
		return 0, false, nil
	}
	pad := 0
	for off := int64(0); off < size; off += 64 << 10 {
		part, err := rope.View(src, off, min(size-off, 64<<10))
		if err != nil {
			return 0, false, err
		}
		if off+int64(len(part)) == size {
			for pad < 2 && pad < len(part) && part[len(part)-1-pad] == '=' {
				pad++
			}
			part = part[:len(part)-pad]
		}
		for _, c := range part {
			if !b64Char[c] {
				return 0, false, nil
			}
		}
	}
	return size/4*3 - int64(pad), true, nil
}

var b64Char = func() (t [256]bool) {
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" {
		t[c] = true
	}
	return t
}()

// base64Blob makes a Blob of base64 text; ok is false when it is none. Text with white space, in the URL alphabet or
// without padding is decoded at once, since it could not be written as it is.
func base64Blob(text []byte, mime string) (*Blob, bool) {
	data := rope.FromBytes(text)
	if n, clean, err := cleanBase64(data); err == nil && clean {
		return &Blob{
			Form: FormBase64, Data: data, Size: n, Mime: mime,
			Decode: func() (rope.Source, error) {
				out := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
				n, err := base64.StdEncoding.Decode(out, text)
				if err != nil {
					return nil, fault.New(fault.Damaged, "", "this is not valid base64")
				}
				return rope.Bytes(out[:n]), nil
			},
		}, true
	}
	plain := bytes.TrimRight(bytes.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, text), "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(plain)))
	n, err := base64.RawStdEncoding.Decode(out, plain)
	if err != nil {
		return nil, false
	}
	return RawBlob(rope.FromBytes(out[:n]), mime), true
}
