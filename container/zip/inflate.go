package zip

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// ratioFrom is the output size in bytes up to which the compression ratio is not looked at.
const ratioFrom = 1 << 20

// firstBuffer bounds, in bytes, what is set aside for an entry before any of it has come.
const firstBuffer = 256 << 10

// Open returns the content of the entry as a stream. What comes out is counted against Limits.Entry,
// Limits.Ratio and (each entry once, however often it is read) Limits.Inflated; Read returns the refusal. A stated
// size over Limits.Entry is refused here. Encrypted entries and methods other than 0 and 8 are Unsupported.
// Read ends with io.EOF when the data is whole; a wrong CRC, or a wrong size where the CRC is right, then becomes a
// warning on the Archive. A broken stream, or one where size and CRC are both wrong, is Damaged.
func (e *Entry) Open() (io.Reader, error) { return e.open(false) }

func (e *Entry) open(reuse bool) (*entryReader, error) {
	if e.encrypted() {
		return nil, fault.New(fault.Unsupported, e.where(), "the entry is encrypted; unpack the archive with its password and pack it again without one")
	}
	if e.Method != methodStore && e.Method != methodDeflate {
		return nil, fault.New(fault.Unsupported, e.where(), "the entry is compressed with method %d, which bunzai does not read; pack it again with the usual deflate", e.Method)
	}
	lim := e.a.lim
	size := e.Size
	if e.Method == methodStore {
		size = e.Packed
	}
	if size > lim.Entry {
		return nil, e.over("Entry", lim.Entry, size, "bytes")
	}
	start, err := e.dataStart()
	if err != nil {
		return nil, err
	}
	in := packedReader(e.a.Src, start, e.Packed)
	r := &entryReader{e: e, r: in}
	if e.Method == methodDeflate {
		if reuse && e.a.fr != nil {
			e.a.fr.(flate.Resetter).Reset(in, nil)
			r.r = e.a.fr
		} else {
			fr := flate.NewReader(in)
			if reuse {
				e.a.fr = fr
			}
			r.r = fr
		}
	}
	return r, nil
}

// packedReader reads n bytes of src from off: memory directly, anything else through a buffer of at most 256 KiB.
func packedReader(src rope.Source, off, n int64) io.Reader {
	if m, ok := src.(rope.Bytes); ok {
		b := m[off : off+n : off+n]
		return &memory{bytes.NewReader(b), b}
	}
	return bufio.NewReaderSize(io.NewSectionReader(src, off, n), int(min(n+16, 256<<10)))
}

// memory is a reader whose bytes lie in memory in one piece.
type memory struct {
	*bytes.Reader
	b []byte
}

// ReadAll returns the whole content in memory, under the same counting, limits and errors as Open. The buffer grows
// with what comes: a stated size is at most a hint. Where the content does not fit what the directory states, the sizes
// in the local header are tried, and taken if the checksum then matches. Stored data of a source in memory is shared,
// not copied, so the result must not be changed.
func (e *Entry) ReadAll() ([]byte, error) {
	b, r, err := e.readAll()
	if err != nil && !fault.Is(err, fault.Damaged) {
		return nil, err
	}
	if err != nil || r.crc != e.CRC32 {
		if l := e.asLocal(); l != nil {
			if b, r, err := l.readAll(); err == nil && r.crc == e.CRC32 && r.n == l.Size {
				e.adopt(l)
				return b, nil
			}
		}
	}
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// adopt takes the sizes of the local header for good, so that Raw, Header and Copy carry the whole entry too.
func (e *Entry) adopt(l *Entry) {
	extra, comment := recordTail(e.rec)
	rec := append([]byte(nil), e.rec[:centralLen+len(e.RawName)]...)
	e.rec = packRecord(rec, dropExtra(extra, extraZip64), comment, l.Packed, l.Size, 0)
	e.Packed, e.Size, e.charged = l.Packed, l.Size, max(e.charged, l.charged)
}

// asLocal is e with the sizes of its local header, nil when they are the same or not stated there.
func (e *Entry) asLocal() *Entry {
	h, err := view(e.a.Src, e.off, localLen)
	if err != nil || binary.LittleEndian.Uint32(h) != sigLocal {
		return nil
	}
	packed, size := localSizes(h)
	if packed == 0 || packed == e.Packed {
		return nil
	}
	l := *e
	l.Packed, l.Size = packed, size
	return &l
}

// localSizes returns the sizes that a local header states itself, zeros when they are elsewhere.
func localSizes(h []byte) (packed, size int64) {
	packed, size = int64(binary.LittleEndian.Uint32(h[18:])), int64(binary.LittleEndian.Uint32(h[22:]))
	if packed == max32 || size == max32 || binary.LittleEndian.Uint16(h[6:])&flagDescriptor != 0 {
		return 0, 0
	}
	return packed, size
}

// readAll reads the content; the reader knows how much there was and its CRC. Nothing is compared yet.
func (e *Entry) readAll() ([]byte, *entryReader, error) {
	r, err := e.open(true)
	if err != nil {
		return nil, nil, err
	}
	r.silent = true
	if m, ok := r.r.(*memory); ok {
		return m.b, r, r.count(m.b)
	}
	hint := e.Size
	if e.Method == methodStore {
		hint = e.Packed
	}
	most := e.a.lim.Entry + 1
	buf := make([]byte, 0, min(hint, firstBuffer))
	var spare [512]byte
	for {
		into := buf[len(buf):cap(buf)]
		if len(into) == 0 {
			into = spare[:] // full: look for the end before growing, so that an honest size costs one buffer
		}
		n, err := r.Read(into)
		if r.n > max(hint, ratioFrom) && err == nil {
			return e.readCounted(r)
		}
		if len(buf) == cap(buf) && n > 0 {
			buf = append(grow(buf, hint, most), into[:n]...)
		} else {
			buf = buf[:len(buf)+n]
		}
		if err == io.EOF {
			return buf, r, nil
		} else if err != nil {
			return nil, r, err
		}
	}
}

// readCounted reads an entry that has more than it states: what is left is counted first, and then all of it is read
// again into memory of just its size, so that a bomb costs none.
func (e *Entry) readCounted(r *entryReader) ([]byte, *entryReader, error) {
	scratch := make([]byte, 32<<10)
	for {
		if _, err := r.Read(scratch); err == io.EOF {
			break
		} else if err != nil {
			return nil, r, err
		}
	}
	again, err := e.open(true)
	if err != nil {
		return nil, nil, err
	}
	again.silent = true
	buf := make([]byte, r.n)
	if _, err := io.ReadFull(again, buf); err != nil {
		return nil, again, err
	}
	if n, err := again.Read(scratch); n > 0 {
		return nil, again, fault.New(fault.Damaged, e.where(), "the file changed while it was read; open it again")
	} else if err != io.EOF {
		return nil, again, err
	}
	return buf, again, nil
}

// grow returns a copy of buf with room for at least 512 bytes more: four times as much, but not beyond the stated size
// while that is ahead, nor beyond the most that may come.
func grow(buf []byte, hint, most int64) []byte {
	have := int64(len(buf))
	n := max(4*have, 4096)
	if have >= hint {
		n = max(2*have, 4096)
	} else if n > hint {
		n = hint
	}
	out := make([]byte, have, max(min(n, most), have+512))
	copy(out, buf)
	return out
}

// entryReader counts and checks what comes out of an entry.
type entryReader struct {
	e   *Entry
	r   io.Reader
	n   int64
	crc uint32
	err error
	// silent leaves the comparison with the directory to the caller.
	silent bool
}

// Read implements io.Reader.
func (r *entryReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	if n > 0 {
		if r.err = r.count(p[:n]); r.err != nil {
			return 0, r.err
		}
	}
	switch {
	case err == io.EOF:
		if !r.silent {
			r.err = r.finish()
		}
		if r.err == nil {
			r.err = io.EOF
		}
	case err != nil:
		r.err = r.broken(err)
	}
	return n, r.err
}

func (r *entryReader) broken(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.Damaged, r.e.where(), "the compressed data ends too early, after %s of content; get a fresh copy of the file", fault.Amount(r.n, "bytes"))
	case errors.As(err, &corrupt):
		return fault.New(fault.Damaged, r.e.where(), "the compressed data is broken at byte %d; get a fresh copy of the file", int64(corrupt))
	}
	return readFault(err, r.e.where())
}

// count adds content that came out and refuses what goes over a limit.
func (r *entryReader) count(p []byte) error {
	e, a := r.e, r.e.a
	r.n += int64(len(p))
	if r.n > a.lim.Entry {
		return e.over("Entry", a.lim.Entry, 0, "bytes")
	}
	if r.n > ratioFrom && e.Method != methodStore && r.n > a.lim.Ratio*e.Packed {
		return fault.Over(e.where(), fault.Limit{Name: "Ratio", Value: a.lim.Ratio, Unit: "bytes out for each byte in",
			Raise: "if the content is real, pack the archive again with this entry stored uncompressed"})
	}
	if r.n > e.charged {
		a.inflated += r.n - e.charged
		e.charged = r.n
	}
	if a.inflated > a.lim.Inflated {
		return e.over("Inflated", a.lim.Inflated, 0, "bytes")
	}
	r.crc = crc32.Update(r.crc, crc32.IEEETable, p)
	return nil
}

// finish compares what came with what the directory states.
func (r *entryReader) finish() error {
	e := r.e
	if e.Method == methodStore && r.n != e.Packed {
		return fault.New(fault.Damaged, e.where(), "only %s of %s can be read; get a fresh copy of the file",
			fault.Amount(r.n, "bytes"), fault.Amount(e.Packed, "bytes"))
	}
	sizeOK, crcOK := r.n == e.Size, r.crc == e.CRC32
	switch {
	case sizeOK && crcOK:
		return nil
	case !sizeOK && !crcOK:
		return fault.New(fault.Damaged, e.where(), "the content has %s where the archive states %s, and its checksum does not match either; get a fresh copy of the file",
			fault.Amount(r.n, "bytes"), fault.Amount(e.Size, "bytes"))
	case sizeOK:
		e.note("entry %s: the checksum does not match, so its content may be damaged", shown(e.Name))
	default:
		e.note("entry %s: the archive states %s, but the content has %s; its checksum is right, so it was read whole",
			shown(e.Name), fault.Amount(e.Size, "bytes"), fault.Amount(r.n, "bytes"))
	}
	return nil
}

// note warns about an entry once, however often it is read.
func (e *Entry) note(format string, args ...any) {
	if !e.noted {
		e.noted = true
		e.a.warn(format, args...)
	}
}

func (e *Entry) over(name string, value, found int64, unit string) error {
	return fault.Over(e.where(), fault.Limit{Name: name, Value: value, Found: found, Unit: unit, Raise: adviceFor(e.a.lim, name, found)})
}

func overArchive(where, name string, value, found int64, unit string, lim limits.Limits) error {
	return fault.Over(where, fault.Limit{Name: name, Value: value, Found: found, Unit: unit, Raise: adviceFor(lim, name, found)})
}

// readFault wraps an error of the source; errors for people pass through with their place.
func readFault(err error, where string) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return fault.At(f, where)
	}
	return &fault.Error{Code: fault.Damaged, Where: where, Err: err,
		Message: fmt.Sprintf("the file could not be read (%v); open it again", err)}
}

// view is rope.View that also refuses offsets so large that they would overflow.
func view(src rope.Source, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > far || n > far {
		return nil, io.ErrUnexpectedEOF
	}
	return rope.View(src, off, n)
}

// adviceFor gives the profile's advice only where a larger profile would in fact allow more, and enough.
func adviceFor(lim limits.Limits, name string, found int64) string {
	if l := lim.Over("", name, found).Limit; l.Name == name {
		return l.Raise
	}
	return ""
}
