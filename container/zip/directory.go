package zip

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// Archive is the directory of a ZIP. The content stays in Src until an Entry is asked for it.
type Archive struct {
	Src  rope.Source
	Base int64 // bytes before the first entry: a JPEG, a program stub, another archive; 0 when nothing is in front
	// Entries in the order of the directory, folders included.
	Entries []*Entry
	Comment []byte // raw bytes of the archive comment; must not be changed
	// Warnings say, in plain words, what is damaged or odd but readable. Reading entries may add to them.
	Warnings []string

	lim      limits.Limits
	inflated int64         // content that came out of all entries so far
	fr       io.ReadCloser // inflater kept for the next ReadAll
	exact    map[string]int
	folded   map[string]int
}

// maxWarnings bounds Archive.Warnings; one more line says that there were more.
const maxWarnings = 100

func (a *Archive) warn(format string, args ...any) {
	switch n := len(a.Warnings); {
	case n < maxWarnings:
		a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
	case n == maxWarnings:
		a.Warnings = append(a.Warnings, "and more of the same kind")
	}
}

// Open reads the directory of src: the tail in one read, the directory in one or a few, no content. It refuses files
// over Limits.Archive, more entries than Limits.ArchiveEntries, a directory far larger than that many entries need,
// and entries that lie over each other (Damaged, naming both). A file whose end is missing is read from its local
// headers, with a warning. Bytes that are no ZIP are NotRecognized, none at all are Empty.
func Open(src rope.Source, lim limits.Limits) (*Archive, error) {
	size := src.Size()
	if size == 0 {
		return nil, fault.New(fault.Empty, "", "the file is empty")
	}
	if size > lim.Archive {
		return nil, overArchive("", "Archive", lim.Archive, size, "bytes", lim)
	}
	a := &Archive{Src: src, lim: lim}
	end, err := findEnd(src)
	if err != nil {
		return nil, err
	}
	first, _ := magic(src, 0)
	var why string
	if end != nil && end.located {
		if why, err = a.walk(end); err != nil {
			return nil, err
		}
	}
	if end == nil || !end.located || why != "" {
		if err := a.recover(end, why, first == sigLocal); err != nil {
			return nil, err
		}
	}
	return a, a.settle(end, first == sigLocal)
}

// settle sorts the entries by offset, refuses overlaps, and notes for each how far its data may reach.
func (a *Archive) settle(end *endRecord, startsWithEntry bool) error {
	dir := a.Src.Size()
	if end != nil && end.located {
		dir = end.dir
	}
	byOff := slices.Clone(a.Entries)
	slices.SortStableFunc(byOff, func(x, y *Entry) int { return cmp.Compare(x.off, y.off) })
	for i, e := range byOff {
		e.room = a.Src.Size()
		if e.off < dir {
			e.room = dir
		}
		if i+1 < len(byOff) {
			next := byOff[i+1]
			// The local header has at least 30 bytes; its true length is looked at when the entry is read.
			if e.off+localLen+e.Packed > next.off {
				return overlap(e, next)
			}
			if next.off < e.room {
				e.room, e.after = next.off, next
			}
		}
	}
	switch {
	case startsWithEntry && (end == nil || end.delta <= 0):
	case len(byOff) > 0:
		a.Base = min(max(byOff[0].off, 0), a.Src.Size())
	default:
		a.Base = dir
	}
	return nil
}

// directoryBytes is the most that the directory of lim.ArchiveEntries entries may take: a kilobyte for each, and
// 4 MiB for the odd name of 60,000 bytes.
func directoryBytes(lim limits.Limits) int64 { return 4<<20 + min(lim.ArchiveEntries, far>>20)*1024 }

// walk reads the directory records from end.dir to end.stop. why is not empty when the records break off before the
// stated count is reached.
func (a *Archive) walk(end *endRecord) (why string, err error) {
	lim := a.lim
	where := fmt.Sprintf("central directory at byte %d", end.dir)
	if end.count > lim.ArchiveEntries {
		found := end.count
		if found < 1<<16 && end.dirSize >= (found+1<<16)*centralLen {
			found = 0 // the record counts modulo 65,536, and the directory has room for one round more
		}
		return "", overArchive(where, "ArchiveEntries", lim.ArchiveEntries, found, "entries", lim)
	}
	w := window{src: a.Src, pos: end.dir, end: end.stop, chunk: min(max(end.dirSize, centralLen), 1<<20)}
	if end.dir >= end.tailOff {
		w.buf = end.tail[end.dir-end.tailOff:]
	}
	for w.pos < w.end {
		h, err := w.peek(centralLen)
		if err != nil {
			return "", readFault(err, where)
		}
		if len(h) < centralLen || binary.LittleEndian.Uint32(h) != sigCentral {
			break
		}
		if int64(len(a.Entries)) >= lim.ArchiveEntries {
			return "", overArchive(where, "ArchiveEntries", lim.ArchiveEntries, 0, "entries", lim)
		}
		n := recordLen(h)
		if w.pos+int64(n)-end.dir > directoryBytes(lim) {
			return "", &fault.Error{Code: fault.OverLimit, Where: where,
				Limit: &fault.Limit{Name: "ArchiveEntries", Value: directoryBytes(lim), Unit: "bytes", Raise: lim.Raise},
				Message: fmt.Sprintf("the names and extra fields of this archive take more than %s, far beyond what %s need; pack it again with short names",
					fault.Amount(directoryBytes(lim), "bytes"), fault.Amount(lim.ArchiveEntries, "entries"))}
		}
		if h, err = w.peek(n); err != nil {
			return "", readFault(err, where)
		}
		if len(h) < n {
			break
		}
		e := parseRecord(h[:n:n])
		e.a = a
		e.off += end.delta
		a.Entries = append(a.Entries, e)
		w.pos += int64(n)
		w.buf = w.buf[n:]
	}
	a.Comment = end.comment
	a.Warnings = append(a.Warnings, end.warnings...)
	found := int64(len(a.Entries))
	switch {
	case found < end.count:
		return fmt.Sprintf("its directory states %d entries but breaks off after %d", end.count, found), nil
	case found > end.count:
		a.warn("the archive states %d entries, but its directory has %d; all of them were taken", end.count, found)
	}
	return "", nil
}

// window hands out the bytes of a range in order, in chunks that are kept by whoever got a piece.
type window struct {
	src      rope.Source
	pos, end int64
	chunk    int64
	buf      []byte // bytes from pos
}

// peek returns at least n bytes from pos, fewer only at the end of the range.
func (w *window) peek(n int) ([]byte, error) {
	if int64(len(w.buf)) > w.end-w.pos {
		w.buf = w.buf[:w.end-w.pos]
	}
	if len(w.buf) >= n || w.pos+int64(len(w.buf)) == w.end {
		return w.buf, nil
	}
	b, err := view(w.src, w.pos, min(max(int64(n), w.chunk), w.end-w.pos))
	if err != nil {
		return nil, err
	}
	w.chunk = 256 << 10
	w.buf = b
	return b, nil
}

func recordLen(h []byte) int {
	le := binary.LittleEndian
	return centralLen + int(le.Uint16(h[28:])) + int(le.Uint16(h[30:])) + int(le.Uint16(h[32:]))
}

// parseRecord reads one whole directory record. The offset is as stated, without Base.
func parseRecord(h []byte) *Entry {
	le := binary.LittleEndian
	n, m := int(le.Uint16(h[28:])), int(le.Uint16(h[30:]))
	e := &Entry{
		rec: h, RawName: h[centralLen : centralLen+n : centralLen+n],
		Flags: le.Uint16(h[8:]), Method: le.Uint16(h[10:]), CRC32: le.Uint32(h[16:]),
		Packed: int64(le.Uint32(h[20:])), Size: int64(le.Uint32(h[24:])), off: int64(le.Uint32(h[42:])),
	}
	extra := h[centralLen+n : centralLen+n+m]
	zip64(extra, &e.Size, &e.Packed, &e.off)
	e.setName(extra)
	return e
}

func (e *Entry) setName(extra []byte) {
	e.Name = decodeName(e.RawName, extra)
	e.Path = cleanPath(e.Name)
}

// zip64 replaces, in order, each value that is 2^32-1 by the next number of the ZIP64 extra field.
func zip64(extra []byte, values ...*int64) {
	f, _ := extraField(extra, extraZip64)
	for _, v := range values {
		if *v == 1<<32-1 && len(f) >= 8 {
			*v = wire64(f)
			f = f[8:]
		}
	}
}

// wire64 reads a 64-bit size or offset, clamped to far.
func wire64(b []byte) int64 { return int64(min(binary.LittleEndian.Uint64(b), far)) }

// magic reads the four bytes at off.
func magic(src rope.Source, off int64) (uint32, bool) {
	b, err := view(src, off, 4)
	if err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint32(b), true
}

// Find returns the entry whose Path is path: an exact match first (the first of several), else one that differs only
// in letter case when it is the only one; else nil.
func (a *Archive) Find(path string) *Entry {
	if path == "" {
		return nil
	}
	if a.exact == nil {
		a.exact, a.folded = make(map[string]int, len(a.Entries)), make(map[string]int, len(a.Entries))
		for i, e := range a.Entries {
			if _, ok := a.exact[e.Path]; !ok {
				a.exact[e.Path] = i
			}
			low := strings.ToLower(e.Path)
			if _, ok := a.folded[low]; ok {
				a.folded[low] = -1
			} else {
				a.folded[low] = i
			}
		}
	}
	if i, ok := a.exact[path]; ok {
		return a.Entries[i]
	}
	if i, ok := a.folded[strings.ToLower(path)]; ok && i >= 0 {
		return a.Entries[i]
	}
	return nil
}

// FindAll returns all entries whose Path is exactly path, in directory order. Two of them mean that the archive does
// not say which one is meant.
func (a *Archive) FindAll(path string) []*Entry {
	var out []*Entry
	if path != "" {
		for _, e := range a.Entries {
			if e.Path == path {
				out = append(out, e)
			}
		}
	}
	return out
}
