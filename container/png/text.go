package png

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"io"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// Text returns the value of t: what follows the keyword's NUL to the end of the chunk, inflated where the chunk is
// compressed. An uncompressed value shares memory with the source where it can; it must not be changed. A wrong or
// missing CRC is a warning on the File, not an error. Errors: Damaged (the chunk is cut, has no separator, or does
// not inflate), OverLimit (PNGText: one value, and all card chunks of the File together; counted on the output).
func (f *File) Text(t Text) ([]byte, error) {
	v, err := f.locate(t)
	if err != nil {
		return nil, err
	}
	at := where(v.chunk)
	max := f.lim.PNGText
	_, counted := f.counts[t.Chunk]
	card := IsCardKeyword(t.Keyword) && !counted
	if card {
		max -= f.spent
	}
	if v.packed {
		// A stream longer than its bound cannot have a value within it, but for a few bytes of framing.
		if v.n > f.lim.PNGText+1<<16 {
			return nil, f.over(at, v.n)
		}
		out, note, err := inflate(f.Src, v.off, v.n, max)
		if err == errTooLong {
			return nil, f.over(at, 0)
		}
		if err != nil {
			return nil, fault.At(err, at)
		}
		crc, err := f.crcOf(v.chunk)
		if err != nil {
			return nil, readFault(err, at)
		}
		f.checkCRC(t.Chunk, crc)
		if note != "" {
			f.warn("%s: %s", at, note)
		}
		f.count(card, t.Chunk, int64(len(out)))
		return out, nil
	}
	if v.n > max {
		return nil, f.over(at, v.n+f.lim.PNGText-max)
	}
	// Two views: in a file that was just put together, keyword and value are two pieces of memory.
	head, err := rope.View(f.Src, v.chunk.Off, v.off-v.chunk.Off)
	if err != nil {
		return nil, readFault(err, at)
	}
	data, err := rope.View(f.Src, v.off, v.n)
	if err != nil {
		return nil, readFault(err, at)
	}
	crc := crc32.Update(crc32.ChecksumIEEE([]byte(v.chunk.Type)), crc32.IEEETable, head)
	f.checkCRC(t.Chunk, crc32.Update(crc, crc32.IEEETable, data))
	f.count(card, t.Chunk, v.n)
	return data, nil
}

// Value returns the value of t as a Source without reading it: a range of the file for an uncompressed chunk (its
// CRC is not checked and no limit counts it), memory for a compressed one, with the errors of Text.
func (f *File) Value(t Text) (*rope.Rope, error) {
	v, err := f.locate(t)
	if err != nil {
		return nil, err
	}
	if v.packed {
		b, err := f.Text(t)
		if err != nil {
			return nil, err
		}
		return rope.FromBytes(b), nil
	}
	r := &rope.Rope{}
	r.AppendRange(f.Src, v.off, v.n)
	return r, nil
}

// value is where the value of a text chunk stands: after keyword, NUL, flags, language and translated keyword.
type value struct {
	chunk  Chunk
	off, n int64
	packed bool
}

func (f *File) locate(t Text) (value, error) {
	if t.Chunk < 0 || t.Chunk >= len(f.Chunks) {
		return value{}, fault.New(fault.BadArgument, "", "this PNG has no chunk number %d", t.Chunk)
	}
	c := f.Chunks[t.Chunk]
	v := value{chunk: c, off: c.Off + int64(len(t.Keyword)) + 1}
	v.n = c.Off + c.Len - v.off
	bad := func(format string, args ...any) (value, error) {
		return value{}, fault.New(fault.Damaged, where(c), format, args...)
	}
	if c.Cut {
		return bad("the file ends inside this chunk: it states %s, and %s are there", fault.Amount(f.stated, "bytes"), fault.Amount(c.Len, "bytes"))
	}
	if v.n < 0 {
		return bad("this text chunk has a keyword and no value")
	}
	switch c.Type {
	case "tEXt":
		return v, nil
	case "zTXt", "iTXt":
	default:
		return value{}, fault.New(fault.BadArgument, where(c), "this is no text chunk")
	}
	flags := int64(1) // zTXt: the compression method
	if c.Type == "iTXt" {
		flags = 2 // compression flag and method
	}
	if v.n < flags {
		return bad("this text chunk ends before its text")
	}
	p, err := rope.View(f.Src, v.off, flags)
	if err != nil {
		return value{}, readFault(err, where(c))
	}
	v.off += flags
	v.n -= flags
	v.packed = true
	if c.Type == "iTXt" {
		if p[0] > 1 {
			return bad("the compression flag of this text chunk is %d, where PNG knows 0 and 1", p[0])
		}
		v.packed = p[0] == 1
	}
	if v.packed && p[flags-1] != 0 {
		return bad("this text chunk is compressed by method %d, and PNG knows only 0", p[flags-1])
	}
	if c.Type == "iTXt" { // language tag NUL translated keyword NUL
		for range 2 {
			k, err := f.findNUL(v.off, v.n)
			if err != nil {
				return value{}, readFault(err, where(c))
			}
			if k < 0 {
				return bad("this text chunk has no end of its language tag or translated keyword")
			}
			v.off += k + 1
			v.n -= k + 1
		}
	}
	return v, nil
}

// findNUL returns how far after off the first NUL of n bytes stands, -1 when there is none.
func (f *File) findNUL(off, n int64) (int64, error) {
	w := window{src: f.Src, size: off + n}
	for done := int64(0); done < n; {
		p, err := w.at(off+done, int(min(windowMax, windowMin+done)))
		if err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(p, 0); i >= 0 {
			return done + int64(i), nil
		}
		done += int64(len(p))
	}
	return -1, nil
}

func (f *File) over(where string, found int64) error {
	return fault.Over(where, fault.Limit{Name: "PNGText", Value: f.lim.PNGText, Found: found, Unit: "bytes",
		Raise: raise(f.lim, f.lim.PNGText, limits.Large().PNGText)})
}

func (f *File) count(card bool, chunk int, n int64) {
	if !card {
		return
	}
	if f.counts == nil {
		f.counts = map[int]int64{}
	}
	f.counts[chunk] = n
	f.spent += n
}

// WrongPicture names the first chunk other than a text whose checksum (CRC) is wrong, "" when all are right. It reads
// the picture, so it is for files that are looked at once, up to most bytes; a longer one is not looked at.
func (f *File) WrongPicture(most int64) (string, error) {
	if f.end > most {
		return "", nil
	}
	for _, c := range f.Chunks {
		if c.Cut || c.Type == "tEXt" || c.Type == "zTXt" || c.Type == "iTXt" {
			continue
		}
		sum, err := f.crcOf(c)
		if err != nil {
			return "", readFault(err, where(c))
		}
		stated, err := rope.View(f.Src, c.Off+c.Len, 4)
		if err != nil || binary.BigEndian.Uint32(stated) != sum {
			return where(c), nil
		}
	}
	return "", nil
}

func (f *File) checkCRC(i int, crc uint32) {
	c := &f.Chunks[i]
	if c.BadCRC {
		return
	}
	p, err := rope.View(f.Src, c.Off+c.Len, 4)
	if err == nil && binary.BigEndian.Uint32(p) == crc {
		return
	}
	c.BadCRC = true
	if err == nil { // a missing one was told when the file was opened
		f.warn("%s has a wrong checksum (CRC); its text was read as it is", where(*c))
	}
}

var errTooLong = errors.New("longer than its bound")

// inflateOnce is how much output is gathered before the size is known. A longer text is counted first and then
// inflated again into memory of just its size, so that a bomb costs no memory.
const inflateOnce = 1 << 20

// inflate reads the zlib stream of n bytes at off. A wrong or missing Adler-32 is a note, not an error.
func inflate(src rope.Source, off, n, max int64) (out []byte, note string, err error) {
	damaged := func(err error) error {
		return &fault.Error{Code: fault.Damaged, Message: "the compressed text is damaged or cut short", Err: err}
	}
	open := func() (*bufio.Reader, io.Reader, error) {
		br := bufio.NewReaderSize(io.NewSectionReader(src, off, n), 32<<10)
		h, err := br.Peek(2)
		if err != nil {
			return nil, nil, damaged(err)
		}
		if h[0]&15 != 8 || binary.BigEndian.Uint16(h)%31 != 0 || h[1]&0x20 != 0 {
			return nil, nil, damaged(nil)
		}
		br.Discard(2)
		return br, flate.NewReader(br), nil
	}
	br, fr, err := open()
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	got, err := io.Copy(&b, io.LimitReader(fr, min(max, inflateOnce)+1))
	if err != nil {
		return nil, "", damaged(err)
	}
	if got > max {
		return nil, "", errTooLong
	}
	out = b.Bytes()
	if got > inflateOnce {
		rest, err := io.Copy(io.Discard, io.LimitReader(fr, max-got+1))
		if err != nil {
			return nil, "", damaged(err)
		}
		if got += rest; got > max {
			return nil, "", errTooLong
		}
		if br, fr, err = open(); err != nil {
			return nil, "", err
		}
		b, out = bytes.Buffer{}, make([]byte, got)
		if _, err := io.ReadFull(fr, out); err != nil {
			return nil, "", damaged(err)
		}
		// The end-of-stream mark must be read before the trailer.
		if _, err := fr.Read(make([]byte, 1)); err != io.EOF {
			return nil, "", damaged(err)
		}
	}
	var sum [4]byte
	if _, err := io.ReadFull(br, sum[:]); err != nil {
		return out, "the compressed text lacks its checksum (Adler-32); it was read as it is", nil
	}
	if binary.BigEndian.Uint32(sum[:]) != adler32.Checksum(out) {
		return out, "the compressed text has a wrong checksum (Adler-32); it was read as it is", nil
	}
	return out, "", nil
}
