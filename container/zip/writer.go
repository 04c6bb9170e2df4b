package zip

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/flate"

	"bunzai/fault"
	"bunzai/rope"
)

// Writer puts an archive together as a Rope: headers are new bytes, carried data stays a range of its source. The
// output depends on the calls alone: no clock, no random.
type Writer struct {
	prefix  *rope.Rope
	comment []byte
	items   []item
	names   map[string]bool // true: taken by a new entry, so nothing may repeat it
	fw      *flate.Writer
	err     error
}

// item is one entry: its record as Header gives it, with right sizes, flags and CRC but any offset.
type item struct {
	rec  []byte
	data *rope.Rope
}

const (
	dosDate1980 = 1<<5 | 1 // 1980-01-01, the first day a ZIP can state
	needs20     = 20       // deflate and folders
	needs45     = 45       // ZIP64
	madeByUnix  = 3<<8 | needs20
	unixFile    = 0o100644 << 16
	unixDir     = 0o040755<<16 | 0x10
)

// NewWriter returns an empty Writer.
func NewWriter() *Writer { return &Writer{names: map[string]bool{}} }

// Copy adds e as it is: same name bytes, method, CRC, time, attributes, extra fields and comment, data not
// recompressed and not read. Only the data descriptor of a streamed entry becomes sizes in the local header (an
// encrypted entry keeps it, since its password check depends on that). Names may repeat as they did in the source.
func (w *Writer) Copy(e *Entry) error {
	data, err := e.Raw()
	if err != nil {
		return err
	}
	return w.CopyRaw(e.rec, data)
}

// CopyRaw adds an entry from what Entry.Header and Entry.Raw gave, like Copy. BadArgument when the two do not belong
// together.
func (w *Writer) CopyRaw(header []byte, packed *rope.Rope) error {
	e, err := parseHeader(header)
	if err != nil {
		return err
	}
	if e.Packed != packed.Size() {
		return fault.New(fault.BadArgument, e.where(), "the header states %d packed bytes, and %d are given", e.Packed, packed.Size())
	}
	if w.names[e.Name] {
		return taken(e.Name)
	}
	w.names[e.Name] = false
	w.items = append(w.items, item{header, packed})
	return nil
}

// CopyAs adds the data of e under another name, which must be new and safe (see Store). Everything else stays.
func (w *Writer) CopyAs(name string, e *Entry) error {
	data, err := e.Raw()
	if err != nil {
		return err
	}
	if err := w.claim(name); err != nil {
		return err
	}
	le := binary.LittleEndian
	rec := e.rec
	extra, comment := recordTail(rec)
	out := append([]byte(nil), rec[:centralLen]...)
	flags := le.Uint16(out[8:])
	if ascii := isASCII(name); !ascii && flags&flagUTF8 == 0 {
		flags |= flagUTF8
		comment = []byte(decodeName(comment, nil))
	}
	le.PutUint16(out[8:], flags)
	le.PutUint16(out[28:], uint16(len(name)))
	out = packRecord(append(out, name...), dropExtra(dropExtra(extra, extraZip64), extraUnicode), comment, e.Packed, e.Size, 0)
	w.items = append(w.items, item{out, data})
	return nil
}

// Store adds data uncompressed, dated 1980-01-01, mode 0644 (a name that ends in a slash is a folder). The
// data is read once for its CRC and then stays a range. BadArgument when the name is taken, empty, over 65,535
// bytes, not UTF-8, or unsafe: backslash, NUL, "..", drive letter, leading slash.
func (w *Writer) Store(name string, data rope.Source) error {
	if err := w.claim(name); err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	if _, err := rope.Of(data).WriteTo(sum); err != nil {
		delete(w.names, name)
		return readFault(err, "entry "+shown(name))
	}
	w.add(name, methodStore, rope.Of(data), sum.Sum32(), data.Size())
	return nil
}

// StoreKnown is Store for data whose CRC-32 is known; nothing is read. An error in the name is kept for Finish.
func (w *Writer) StoreKnown(name string, data *rope.Rope, crc uint32) {
	if err := w.claim(name); err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	if data == nil {
		data = &rope.Rope{}
	}
	w.add(name, methodStore, data, crc, data.Size())
}

// storeRatio is the compression from which Deflate stores instead: readers, this one too, take data that grows a
// hundredfold and more for an attack (limits.Limits.Ratio), so a very repetitive text must not look like one.
const storeRatio = 100

// Deflate adds data compressed at the standard level, or stored where it would shrink suspiciously well; names as for
// Store.
func (w *Writer) Deflate(name string, data []byte) error {
	if err := w.claim(name); err != nil {
		return err
	}
	var out bytes.Buffer
	if w.fw == nil {
		w.fw, _ = flate.NewWriter(&out, flate.DefaultCompression)
	} else {
		w.fw.Reset(&out)
	}
	w.fw.Write(data) // a bytes.Buffer does not fail
	w.fw.Close()
	if len(data) > ratioFrom && len(data) > storeRatio*out.Len() {
		w.add(name, methodStore, rope.FromBytes(data), crc32.ChecksumIEEE(data), int64(len(data)))
		return nil
	}
	w.add(name, methodDeflate, rope.FromBytes(out.Bytes()), crc32.ChecksumIEEE(data), int64(len(data)))
	return nil
}

// SetComment sets the archive comment, at most 65,535 bytes; it is written as it is.
func (w *Writer) SetComment(c []byte) { w.comment = c }

// SetPrefix puts p (a JPEG) in front of the archive. Offsets then count from the start of the file.
func (w *Writer) SetPrefix(p *rope.Rope) { w.prefix = p }

// Has reports whether an entry of that exact decoded name was added.
func (w *Writer) Has(name string) bool {
	_, ok := w.names[name]
	return ok
}

// Finish returns the archive. ZIP64 records are written where sizes, offsets or counts need them and only there.
// The Writer stays usable.
func (w *Writer) Finish() (*rope.Rope, error) {
	if w.err != nil {
		return nil, w.err
	}
	if len(w.comment) > maxComment {
		return nil, fault.New(fault.BadArgument, "", "the archive comment has %d bytes, and at most 65,535 fit", len(w.comment))
	}
	out := &rope.Rope{}
	if w.prefix != nil {
		out.AppendRope(w.prefix)
	}
	var dir []byte
	for _, it := range w.items {
		local, rec, descriptor, err := it.emit(out.Size())
		if err != nil {
			return nil, err
		}
		out.Append(local)
		out.AppendRope(it.data)
		out.Append(descriptor)
		dir = append(dir, rec...)
	}
	at := out.Size()
	out.Append(dir)
	out.Append(endOf(int64(len(w.items)), at, int64(len(dir)), w.comment))
	return out, nil
}

// claim takes a name for a new entry.
func (w *Writer) claim(name string) error {
	if name == "" || len(name) > 1<<16-1 || !utf8.ValidString(name) || strings.Contains(name, `\`) || cleanPath(name) != name {
		return fault.New(fault.BadArgument, "entry "+shown(name), "this name cannot stand in an archive; give a relative path with slashes")
	}
	if w.Has(name) {
		return taken(name)
	}
	w.names[name] = true
	return nil
}

func taken(name string) error {
	return fault.New(fault.BadArgument, "entry "+shown(name), "the archive already has an entry of this name; give another")
}

func (w *Writer) add(name string, method uint16, data *rope.Rope, crc uint32, size int64) {
	le := binary.LittleEndian
	rec := make([]byte, centralLen, centralLen+len(name)+28)
	le.PutUint32(rec, sigCentral)
	le.PutUint16(rec[4:], madeByUnix)
	le.PutUint16(rec[6:], needs20)
	if !isASCII(name) {
		le.PutUint16(rec[8:], flagUTF8)
	}
	le.PutUint16(rec[10:], method)
	le.PutUint16(rec[14:], dosDate1980)
	le.PutUint32(rec[16:], crc)
	le.PutUint16(rec[28:], uint16(len(name)))
	le.PutUint32(rec[38:], unixFile)
	if strings.HasSuffix(name, "/") {
		le.PutUint32(rec[38:], unixDir)
	}
	w.items = append(w.items, item{packRecord(append(rec, name...), nil, nil, data.Size(), size, 0), data})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
