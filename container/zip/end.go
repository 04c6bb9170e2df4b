package zip

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"bunzai/rope"
)

// endRecord is an end-of-directory record and where it leads.
type endRecord struct {
	pos     int64 // of the record
	count   int64 // stated entries; modulo 65,536 in careless writers
	dirSize int64 // stated
	dirOff  int64 // stated
	split   bool  // it belongs to an archive in several parts
	comment []byte
	exact   bool // its comment ends where the file ends

	located  bool
	dir      int64 // where the directory really begins
	stop     int64 // where it must end: this record, or the ZIP64 one before it
	delta    int64 // what to add to stated offsets
	warnings []string

	tail    []byte // the last bytes of the file
	tailOff int64
}

// maxCandidates bounds how many end records are followed to their directory.
const maxCandidates = 64

// IsZip is a cheap sniff: a local header at the start, or an end record that reaches the end of the file and leads to
// a directory (with a JPEG or anything else in front). A JPEG may also have bytes after its archive.
func IsZip(src rope.Source) bool {
	m, ok := magic(src, 0)
	if !ok {
		return false
	}
	if m == sigLocal {
		return true
	}
	end, err := findEnd(src)
	return err == nil && end != nil && end.located && (end.exact || m&0xffffff == 0xffd8ff)
}

// findEnd looks for the end record in the last 64 KiB + 22 bytes. Records whose comment reaches exactly the end of
// the file come first, the earliest of them before those in its comment; then, from the back, records with
// bytes after them. The first that leads to a directory is taken. When none does, the best is returned unlocated;
// nil when there is none.
func findEnd(src rope.Source) (*endRecord, error) {
	size := src.Size()
	n := min(size, endLen+maxComment)
	tail, err := view(src, size-n, n)
	if err != nil {
		return nil, readFault(err, "end of the file")
	}
	var exact, loose []*endRecord
	sig := []byte("PK\x05\x06")
	for i := len(tail); i > 0; {
		if i = bytes.LastIndex(tail[:i], sig); i < 0 {
			break
		}
		if len(tail)-i < endLen {
			continue
		}
		want := int(binary.LittleEndian.Uint16(tail[i+20:]))
		switch {
		case i+endLen+want == len(tail):
			exact = append(exact, parseEnd(tail, i, size-n))
		case len(loose) < maxCandidates:
			loose = append(loose, parseEnd(tail, i, size-n))
		}
	}
	for i, j := 0, len(exact)-1; i < j; i, j = i+1, j-1 {
		exact[i], exact[j] = exact[j], exact[i]
	}
	all := append(exact[:min(len(exact), maxCandidates):min(len(exact), maxCandidates)], loose...)
	var empty *endRecord
	first, _ := magic(src, 0)
	for _, r := range all {
		r.locate(src)
		if r.located && r.delta > 0 && first == sigLocal {
			// Another archive in front, or the end of an archive that is itself an entry of one that is cut short.
			r.located = r.exact
			r.warnings = append(r.warnings, "another archive lies in front; only the last one was read")
		}
		if !r.located {
			continue
		}
		if r.dir < r.stop {
			return r, nil
		}
		if empty == nil && (r.exact || r.pos == 0) {
			empty = r
		}
	}
	if empty != nil {
		return empty, nil
	}
	if len(all) > 0 {
		all[0].located = false
		return all[0], nil
	}
	return nil, nil
}

func parseEnd(tail []byte, i int, tailOff int64) *endRecord {
	le := binary.LittleEndian
	b := tail[i:]
	want := int(le.Uint16(b[20:]))
	r := &endRecord{
		pos: tailOff + int64(i), count: int64(le.Uint16(b[10:])), dirSize: int64(le.Uint32(b[12:])), dirOff: int64(le.Uint32(b[16:])),
		tail: tail, tailOff: tailOff,
	}
	disk := le.Uint16(b[4:])
	r.split = disk != 0 && disk != 0xffff
	stop := min(endLen+want, len(b))
	r.exact = endLen+want == len(b)
	r.comment = b[endLen:stop:stop]
	switch left := len(b) - endLen - want; {
	case left > 0:
		r.warnings = append(r.warnings, fmt.Sprintf("%d bytes after the end of the archive were ignored", left))
	case left < 0:
		r.warnings = append(r.warnings, "the archive comment is cut short")
	}
	if bytes.Contains(r.comment, []byte("PK\x05\x06")) {
		r.warnings = append(r.warnings, "the archive comment looks like another archive; it was taken as a comment")
	}
	return r
}

// locate finds the directory. Stated offsets may count from the start of the file or of the archive, and the
// stated size may lie: a place is believed when a directory record is there and its first entry has a local header.
func (r *endRecord) locate(src rope.Source) {
	r.stop = r.pos
	r.read64(src)
	near := r.stop - r.dirSize
	var best *[2]int64
	for _, c := range [][2]int64{{near, near - r.dirOff}, {r.dirOff, 0}, {near, 0}} {
		if c[0] < 0 || c[0]+centralLen > r.stop {
			continue
		}
		h, err := view(src, c[0], centralLen)
		if err != nil || binary.LittleEndian.Uint32(h) != sigCentral {
			continue
		}
		off := int64(binary.LittleEndian.Uint32(h[42:]))
		m, _ := magic(src, off+c[1])
		if m == sigLocal || off == 1<<32-1 {
			best = &c
			break
		}
		if best == nil {
			best = &c
		}
	}
	if best == nil {
		if r.count == 0 && r.dirSize == 0 {
			r.located, r.dir = true, r.stop
		}
		return
	}
	r.located, r.dir, r.delta = true, best[0], best[1]
	if r.dir+r.dirSize != r.stop {
		r.warnings = append(r.warnings, "the archive misstates the size of its directory")
	}
}

// read64 takes the values of the ZIP64 end record in front, where the plain ones say that they do not suffice.
func (r *endRecord) read64(src rope.Source) {
	le := binary.LittleEndian
	loc, err := view(src, r.pos-locator64Len, locator64Len)
	if err != nil || le.Uint32(loc) != sigLocator64 {
		return
	}
	for _, at := range []int64{wire64(loc[8:]), r.pos - locator64Len - end64Len} {
		b, err := view(src, at, end64Len)
		if err != nil || le.Uint32(b) != sigEnd64 || at >= r.pos {
			continue
		}
		r.stop = at
		if r.count == 0xffff {
			r.count = wire64(b[32:])
		}
		if r.dirSize == 1<<32-1 {
			r.dirSize = wire64(b[40:])
		}
		if r.dirOff == 1<<32-1 {
			r.dirOff = wire64(b[48:])
		}
		return
	}
}
