package png

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"bunzai/fault"
	"bunzai/rope"
)

// Addition is a text chunk to write. It becomes a tEXt chunk, so the value must be Latin-1 without NUL (base64 is);
// SillyTavern refuses a picture in which any tEXt value holds a NUL.
type Addition struct {
	Keyword string      // 1 to 79 bytes without NUL
	Value   []byte      // must not be changed afterwards
	From    rope.Source // the value instead of Value when not nil: read once for the CRC, never held
}

// Without returns the file without the text chunks (tEXt, zTXt, iTXt) whose keyword drop accepts, as ranges of the
// source: everything else byte for byte in order, damage and bytes after IEND included. A nil drop drops nothing.
func (f *File) Without(drop func(keyword string) bool) *rope.Rope {
	out := &rope.Rope{}
	from := int64(0)
	for _, t := range f.dropped(drop) {
		c := f.Chunks[t.Chunk]
		out.AppendRange(f.Src, from, c.Off-8-from)
		from = f.chunkEnd(c)
	}
	out.AppendRange(f.Src, from, f.Src.Size()-from)
	return out
}

// Replace is Without with new text chunks, in the order given, where the first dropped chunk stood, or right before
// IEND when nothing was dropped. Other chunks and the bytes after IEND come out byte for byte. Of a file that is cut
// short the last chunk is closed (real length and CRC of what is there) and IEND is added, so that what is written
// is always a sound row of chunks. Errors: BadArgument (keyword or value that a tEXt chunk cannot hold), or a read
// error of an Addition's From.
func (f *File) Replace(drop func(keyword string) bool, add ...Addition) (*rope.Rope, error) {
	fresh := &rope.Rope{}
	for _, a := range add {
		if err := appendText(fresh, a); err != nil {
			return nil, err
		}
	}
	out := &rope.Rope{}
	from, done, last := int64(0), false, f.Chunks[len(f.Chunks)-1]
	lastDropped := false
	for _, t := range f.dropped(drop) {
		c := f.Chunks[t.Chunk]
		out.AppendRange(f.Src, from, c.Off-8-from)
		from = f.chunkEnd(c)
		if !done {
			out.AppendRope(fresh)
			done = true
		}
		lastDropped = t.Chunk == len(f.Chunks)-1
	}
	whole := !last.Cut && last.Off+last.Len+4 <= f.end
	if f.iend >= 0 && !done {
		out.AppendRange(f.Src, from, last.Off-8-from)
		from = last.Off - 8
		out.AppendRope(fresh)
		done = true
	}
	if !whole && !lastDropped {
		out.AppendRange(f.Src, from, last.Off-8-from)
		f.appendClosed(out, last)
		from = f.end
	}
	out.AppendRange(f.Src, from, f.end-from)
	if f.iend < 0 {
		if !done {
			out.AppendRope(fresh)
		}
		appendData(out, "IEND", nil)
	}
	if tail := f.Src.Size() - f.end; f.iend >= 0 || tail >= 8 { // less is the stub of a chunk header
		out.AppendRange(f.Src, f.end, tail)
	}
	return out, nil
}

func (f *File) dropped(drop func(string) bool) []Text {
	if drop == nil {
		return nil
	}
	var out []Text
	for _, t := range f.texts {
		if drop(t.Keyword) {
			out = append(out, t)
		}
	}
	return out
}

func (f *File) chunkEnd(c Chunk) int64 { return min(c.Off+c.Len+4, f.end) }

// appendClosed writes the last chunk, which the end of the file cut, as a sound one of the data that is there. It is
// left out when no data is there, or of a text not even the keyword; IEND never has data.
func (f *File) appendClosed(out *rope.Rope, c Chunk) {
	if c.Type == "IEND" {
		appendData(out, c.Type, nil)
		return
	}
	if c.Len == 0 && c.Cut {
		return
	}
	switch c.Type {
	case "tEXt", "zTXt", "iTXt":
		k := len(f.texts) - 1
		if k < 0 || f.texts[k].Chunk != len(f.Chunks)-1 || int64(len(f.texts[k].Keyword)) >= c.Len {
			return
		}
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, 8), uint32(c.Len))
	out.Append(append(head, c.Type...))
	out.AppendRange(f.Src, c.Off, c.Len)
	crc, _ := f.crcOf(c) // what cannot be read here cannot be read from the rope either
	out.Append(binary.BigEndian.AppendUint32(nil, crc))
}

func appendText(out *rope.Rope, a Addition) error {
	bad := func(format string, args ...any) error {
		return fault.New(fault.BadArgument, "new chunk tEXt", format, args...)
	}
	if len(a.Keyword) == 0 || len(a.Keyword) > maxKeyword {
		return bad("the keyword %.90q has %d bytes, and PNG allows 1 to %d", a.Keyword, len(a.Keyword), maxKeyword)
	}
	if strings.IndexByte(a.Keyword, 0) >= 0 {
		return bad("the keyword %q holds a NUL", a.Keyword)
	}
	src := a.From
	if src == nil {
		src = rope.Bytes(a.Value)
	}
	if src.Size() > maxLength-int64(len(a.Keyword))-1 {
		return bad("the text %q has %s, more than a PNG chunk can hold", a.Keyword, fault.Amount(src.Size(), "bytes"))
	}
	head := binary.BigEndian.AppendUint32(make([]byte, 0, 9+len(a.Keyword)), uint32(int64(len(a.Keyword))+1+src.Size()))
	head = append(append(append(head, "tEXt"...), a.Keyword...), 0)
	sum := &summer{crc: crc32.ChecksumIEEE(head[4:])}
	if _, err := rope.Of(src).WriteTo(sum); err != nil {
		return readFault(err, "new chunk tEXt")
	}
	if sum.nul {
		return bad("the text %q holds a NUL, which a tEXt chunk cannot carry", a.Keyword)
	}
	out.Append(head)
	out.AppendRange(src, 0, src.Size())
	out.Append(binary.BigEndian.AppendUint32(nil, sum.crc))
	return nil
}

// appendData writes a chunk of data held in memory.
func appendData(out *rope.Rope, kind string, data []byte) {
	p := binary.BigEndian.AppendUint32(make([]byte, 0, 12+len(data)), uint32(len(data)))
	p = append(append(p, kind...), data...)
	out.Append(binary.BigEndian.AppendUint32(p, crc32.ChecksumIEEE(p[4:])))
}

// summer computes a CRC and looks for NULs in what is written to it.
type summer struct {
	crc uint32
	nul bool
}

func (s *summer) Write(p []byte) (int, error) {
	s.crc = crc32.Update(s.crc, crc32.IEEETable, p)
	s.nul = s.nul || bytes.IndexByte(p, 0) >= 0
	return len(p), nil
}
