// Package png reads and rewrites the chunk layer of PNG and APNG files: which chunks there are, what the text
// chunks say, and the same picture with other text chunks. It works by offset, never decodes a pixel, reads an
// IDAT only when it is asked whether its checksum is right, and knows no card format beyond the two keywords that carry cards.
//
// Wire facts: PNG third edition (W3C), sections 5.2 to 5.4 and 11.3.3 (tEXt, zTXt, iTXt); the keywords chara, ccv3
// and chara-ext-asset_ from the Character Card V2 and V3 specifications.
package png

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

const (
	signature  = "\x89PNG\r\n\x1a\n"
	maxKeyword = 79        // bytes, PNG 11.3.3
	maxLength  = 1<<31 - 1 // of chunk data, PNG 5.3
	maxWarning = 32        // a hostile file can be wrong in more places than a person wants to read
)

// Chunk is one chunk of the file. The chunk itself starts 8 bytes before Off and ends 4 bytes after its data.
type Chunk struct {
	Type   string // four ASCII letters
	Off    int64  // where the data starts in the source
	Len    int64  // bytes of data that are there
	Cut    bool   // the file ends inside the data: Len is less than the chunk states
	BadCRC bool   // set once the chunk was read by File.Text and its CRC is wrong or missing
}

// Text is one tEXt, zTXt or iTXt chunk.
type Text struct {
	Keyword string // the bytes as they stand (PNG says Latin-1), case kept
	Chunk   int    // index in File.Chunks
}

// File is a PNG whose chunk headers were walked. It is not for use by several goroutines at once.
type File struct {
	Src      rope.Source
	Chunks   []Chunk
	Warnings []string // what is wrong with the file and did not stop the reading, in plain words

	lim    limits.Limits
	texts  []Text
	iend   int           // index of IEND, -1 when there is none
	end    int64         // offset where the chunks end
	stated int64         // length that the cut chunk states
	spent  int64         // bytes of card text handed out
	counts map[int]int64 // card chunks that are counted in spent
	lost   int           // warnings beyond maxWarning

	scratch []byte // for reading what does not lie in memory
}

// Is reports whether src starts with the PNG signature.
func Is(src rope.Source) bool {
	var p [8]byte
	n, _ := src.ReadAt(p[:], 0)
	return n == len(p) && string(p[:]) == signature
}

// Dimensions returns the width and height in pixels that IHDR states; ok is false when IHDR is not the first chunk,
// is cut, or states what PNG does not allow. The numbers are the file's claim: never allocate by them.
func Dimensions(src rope.Source) (w, h int, ok bool) {
	var p [24]byte
	if n, _ := src.ReadAt(p[:], 0); n < len(p) || string(p[:8]) != signature || string(p[12:16]) != "IHDR" {
		return 0, 0, false
	}
	x, y := binary.BigEndian.Uint32(p[16:]), binary.BigEndian.Uint32(p[20:])
	if x == 0 || y == 0 || x > maxLength || y > maxLength {
		return 0, 0, false
	}
	return int(x), int(y), true
}

// Animated reports whether f is an APNG (it has an acTL chunk).
func Animated(f *File) bool {
	for i := range f.Chunks {
		if f.Chunks[i].Type == "acTL" {
			return true
		}
	}
	return false
}

// IsCardKeyword reports whether k names a card chunk: chara or ccv3, in any letter case.
func IsCardKeyword(k string) bool {
	return strings.EqualFold(k, "chara") || strings.EqualFold(k, "ccv3")
}

// AssetPath returns the path of an asset chunk: "0" for both chara-ext-asset_:0 (Character Card V3) and
// chara-ext-asset_0 (old Risu). A card links to it as __asset:0.
func AssetPath(k string) (path string, ok bool) {
	const prefix = "chara-ext-asset_"
	if len(k) < len(prefix) || !strings.EqualFold(k[:len(prefix)], prefix) {
		return "", false
	}
	return strings.TrimPrefix(k[len(prefix):], ":"), true
}

// Open walks the chunk headers of src and the keywords of its text chunks; no other data is read. A damaged file
// whose first chunks are sound is opened, and Warnings tells what is wrong with it: cut short, no IEND, bytes after
// IEND. Errors: Empty, NotRecognized (no PNG signature), Damaged (no sound chunk at all), OverLimit (PNGChunks).
func Open(src rope.Source, lim limits.Limits) (*File, error) {
	size := src.Size()
	if size == 0 {
		return nil, fault.New(fault.Empty, "", "the file is empty")
	}
	if !Is(src) {
		return nil, fault.New(fault.NotRecognized, "", "this is not a PNG picture")
	}
	f := &File{Src: src, lim: lim, iend: -1}
	w := window{src: src, size: size}
	types := map[[4]byte]string{}
	unnamed, keyword, told := 0, "", false
	pos := int64(len(signature))
	for pos < size && f.iend < 0 {
		p, err := w.at(pos, 8+maxKeyword+1)
		if err != nil {
			return nil, readFault(err, fmt.Sprintf("chunk at byte %d", pos))
		}
		if len(p) < 8 {
			f.warn("the file is cut short: it ends inside the chunk that starts at byte %d", pos)
			told = true
			break
		}
		kind, ok := chunkType(p[4:8], types)
		if !ok {
			f.warn("what stands at byte %d is no PNG chunk; nothing after it was read as one", pos)
			told = true
			break
		}
		if int64(len(f.Chunks)) >= lim.PNGChunks {
			return nil, fault.Over("", fault.Limit{Name: "PNGChunks", Value: lim.PNGChunks, Unit: "chunks",
				Raise: raise(lim, lim.PNGChunks, limits.Large().PNGChunks)})
		}
		n := int64(binary.BigEndian.Uint32(p))
		c := Chunk{Type: kind, Off: pos + 8, Len: n}
		next := c.Off + n + 4
		if rest := size - c.Off; n > rest {
			c.Len, c.Cut, f.stated = rest, true, n
			f.warn("the file is cut short: the %s chunk at byte %d states %s, and %s are there", kind, pos,
				fault.Amount(n, "bytes"), fault.Amount(rest, "bytes"))
			next, told = size, true
		} else if next > size {
			f.warn("the file is cut short: it ends inside the checksum of the %s chunk at byte %d", kind, pos)
			next, told = size, true
		}
		switch kind {
		case "IEND":
			f.iend = len(f.Chunks)
		case "tEXt", "zTXt", "iTXt":
			d := p[8:min(int64(len(p)), 8+c.Len)]
			i := bytes.IndexByte(d, 0)
			if i < 0 && c.Len > int64(len(d)) { // longer than PNG allows, but some writer may have done it
				if p, err = w.at(pos, int(8+min(c.Len, 1024))); err != nil {
					return nil, readFault(err, where(c))
				}
				d = p[8:]
				i = bytes.IndexByte(d, 0)
			}
			if i < 0 && c.Len <= maxKeyword {
				i = len(d) // no NUL at all: a keyword without a value
			}
			if i < 0 {
				unnamed++
				break
			}
			if keyword != string(d[:i]) {
				keyword = string(d[:i])
			}
			f.texts = append(f.texts, Text{keyword, len(f.Chunks)})
		}
		f.Chunks = append(f.Chunks, c)
		pos = next
	}
	f.end = pos
	if len(f.Chunks) == 0 || f.Chunks[0].Cut {
		return nil, fault.New(fault.Damaged, fmt.Sprintf("byte %d", len(signature)), "this PNG is cut short or damaged: it has no complete chunk")
	}
	if t := f.Chunks[0].Type; t != "IHDR" {
		f.warn("the first chunk is %s, where a PNG has IHDR", t)
	}
	if unnamed > 0 {
		f.warn("%s have no keyword and were passed over", fault.Amount(int64(unnamed), "text chunks"))
	}
	if f.iend < 0 && !told {
		f.warn("the file has no IEND chunk; it may be cut short")
	}
	if f.iend >= 0 && f.end < size {
		f.warn("%s stand after the end of the picture (IEND)", fault.Amount(size-f.end, "bytes"))
	}
	return f, nil
}

// Texts returns every text chunk in file order. The slice must not be changed.
func (f *File) Texts() []Text { return f.texts }

func (f *File) warn(format string, args ...any) {
	if len(f.Warnings) == maxWarning {
		f.Warnings = append(f.Warnings, "")
	}
	if len(f.Warnings) > maxWarning {
		f.lost++
		f.Warnings[maxWarning] = fmt.Sprintf("and %d more", f.lost)
		return
	}
	f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...))
}

// where names the chunk for an error, by the offset of its first byte (the length field).
func where(c Chunk) string { return fmt.Sprintf("chunk %s at byte %d", c.Type, c.Off-8) }

// chunkType returns the type as a string that is shared between chunks, and false for what is not four letters.
func chunkType(p []byte, seen map[[4]byte]string) (string, bool) {
	for _, b := range p {
		if b|0x20 < 'a' || b|0x20 > 'z' {
			return "", false
		}
	}
	s, ok := seen[[4]byte(p)]
	if !ok {
		s = string(p)
		if len(seen) < 256 {
			seen[[4]byte(p)] = s
		}
	}
	return s, true
}

// raise gives the profile's advice only where a larger profile would in fact allow more.
func raise(lim limits.Limits, now, large int64) string {
	if large > now {
		return lim.Raise
	}
	return ""
}

func readFault(err error, where string) error {
	if e := fault.As(err); e.Code != fault.Internal {
		return fault.At(e, where)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &fault.Error{Code: fault.Damaged, Where: where, Message: "the file ended before its stated size", Err: err}
	}
	return &fault.Error{Code: fault.Internal, Where: where, Message: "the file could not be read: " + err.Error(), Err: err}
}

// window reads headers ahead: small where they are far apart (big IDATs are jumped over), up to 64 KiB where one
// follows the other. Memory is read where it lies.
type window struct {
	src   rope.Source
	size  int64
	off   int64 // of buf in src
	buf   []byte
	reads int
}

const (
	windowMin = 512
	windowMax = 64 << 10

	scratchSize = 32 << 10
)

// at returns min(n, what is left) bytes from off, valid until the next call.
func (w *window) at(off int64, n int) ([]byte, error) {
	n = int(min(int64(n), w.size-off))
	if n <= 0 {
		return nil, nil
	}
	if b, ok := w.src.(rope.Bytes); ok {
		return b[off : off+int64(n)], nil
	}
	end := w.off + int64(len(w.buf))
	if off >= w.off && off+int64(n) <= end {
		return w.buf[off-w.off:][:n], nil
	}
	want := windowMin
	if len(w.buf) > 0 && off >= w.off && off-end <= int64(len(w.buf)) {
		want = min(2*len(w.buf), windowMax)
	}
	want = int(min(int64(max(want, n)), w.size-off))
	if cap(w.buf) < want {
		w.buf = make([]byte, want)
	}
	w.buf = w.buf[:want]
	w.off = off
	w.reads++
	m, err := w.src.ReadAt(w.buf, off)
	if m < n {
		w.buf = w.buf[:0]
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	w.buf = w.buf[:m]
	return w.buf[:n], nil
}

// crcOf computes the CRC of the chunk's type and the data that is there, in bounded reads; memory is read where it lies.
func (f *File) crcOf(c Chunk) (uint32, error) {
	crc := crc32.ChecksumIEEE([]byte(c.Type))
	data := &rope.Rope{}
	data.AppendRange(f.Src, c.Off, c.Len)
	for s := range data.Segments() {
		if b, ok := s.Src.(rope.Bytes); ok {
			crc = crc32.Update(crc, crc32.IEEETable, b[s.Off:s.Off+s.Len])
			continue
		}
		if f.scratch == nil {
			f.scratch = make([]byte, min(f.Src.Size(), scratchSize))
		}
		for off, end := s.Off, s.Off+s.Len; off < end; {
			p := f.scratch[:min(end-off, int64(len(f.scratch)))]
			if n, err := s.Src.ReadAt(p, off); n < len(p) {
				if err == nil {
					err = io.ErrUnexpectedEOF
				}
				return 0, err
			}
			crc = crc32.Update(crc, crc32.IEEETable, p)
			off += int64(len(p))
		}
	}
	return crc, nil
}
