package zip

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"io"

	"bunzai/fault"
)

// recover rebuilds the directory from the local headers, one after the other from the start of the file, for
// archives whose end is missing or whose directory is broken. Entries that are not whole are left out and named.
// What it inflates, to find the end of streamed entries, is counted against Limits.Inflated.
func (a *Archive) recover(end *endRecord, why string, startsWithEntry bool) error {
	kept := a.Entries
	if !startsWithEntry {
		switch {
		case len(kept) > 0:
			a.warn("%s; the rest is missing", why)
			return nil
		case end != nil && end.split:
			return fault.New(fault.Unsupported, "", "this is one part of a ZIP split over several files; join the parts first")
		case end != nil:
			return fault.New(fault.Damaged, "", "the directory of this ZIP archive is not where its end says; get a fresh copy of the file")
		}
		return fault.New(fault.NotRecognized, "", "this is not a ZIP archive")
	}
	if why == "" {
		why = "the file is cut short: the directory at its end is missing"
		if end != nil {
			why = "the directory of the archive is not where its end says"
		}
	}
	a.Entries = nil
	cut, err := a.walkLocal()
	if err != nil {
		return err
	}
	if len(a.Entries) <= len(kept) {
		a.Entries = kept
		if len(kept) == 0 {
			return fault.New(fault.Damaged, "", "%s, and no entry before is whole; get a fresh copy of the file", why)
		}
		a.warn("%s; the rest is missing", why)
		return nil
	}
	a.warn("%s; its entries were found one by one", why)
	if cut != "" {
		a.warn("entry %s is cut short and was left out", shown(cut))
	}
	return nil
}

// walkLocal appends an entry for each whole local entry from byte 0, and returns the name of one that is not whole.
func (a *Archive) walkLocal() (cut string, err error) {
	le := binary.LittleEndian
	size := a.Src.Size()
	budget := a.lim.Inflated
	var names int64
	for pos := int64(0); pos+localLen <= size; {
		h, err := view(a.Src, pos, localLen)
		if err != nil {
			return "", readFault(err, "")
		}
		if le.Uint32(h) != sigLocal {
			return "", nil
		}
		if int64(len(a.Entries)) >= a.lim.ArchiveEntries {
			return "", overArchive("", "ArchiveEntries", a.lim.ArchiveEntries, 0, "entries", a.lim)
		}
		n, m := int64(le.Uint16(h[26:])), int64(le.Uint16(h[28:]))
		if names += n + m; names > directoryBytes(a.lim) {
			return "", nil
		}
		ne, err := view(a.Src, pos+localLen, min(n+m, size-pos-localLen))
		if err != nil {
			return "", readFault(err, "")
		}
		if int64(len(ne)) < n+m {
			return decodeName(ne[:min(n, int64(len(ne)))], nil), nil
		}
		e := &Entry{a: a, RawName: ne[:n:n], off: pos, Flags: le.Uint16(h[6:]), Method: le.Uint16(h[8:]), CRC32: le.Uint32(h[14:]),
			Packed: int64(le.Uint32(h[18:])), Size: int64(le.Uint32(h[22:]))}
		zip64(ne[n:], &e.Size, &e.Packed)
		e.setName(ne[n:])
		start := pos + localLen + n + m
		next := start + e.Packed
		if e.Flags&flagDescriptor != 0 {
			if e.Packed == 0 && e.CRC32 == 0 && !a.measure(e, start, &budget) {
				return e.Name, nil
			}
			next = a.skipDescriptor(e, start+e.Packed)
		}
		if start+e.Packed > size {
			return e.Name, nil
		}
		e.rec = recordOf(e, h, ne)
		a.Entries = append(a.Entries, e)
		pos = next
	}
	return "", nil
}

// measure finds the sizes of a streamed entry by inflating it; false when that is not possible.
func (a *Archive) measure(e *Entry, start int64, budget *int64) bool {
	if e.Method != methodDeflate || e.encrypted() {
		return false
	}
	sec := io.NewSectionReader(a.Src, start, a.Src.Size()-start)
	br := bufio.NewReaderSize(sec, 64<<10)
	fr := flate.NewReader(br)
	n, err := io.Copy(io.Discard, io.LimitReader(fr, min(*budget, a.lim.Entry)+1))
	*budget -= n
	if err != nil || *budget < 0 || n > a.lim.Entry {
		return false
	}
	read, _ := sec.Seek(0, io.SeekCurrent)
	e.Size, e.Packed = n, read-int64(br.Buffered())
	return true
}

// skipDescriptor returns the offset after the data descriptor at pos and takes the CRC from it: with or
// without signature, sizes of 32 or 64 bits, whichever states the packed size.
func (a *Archive) skipDescriptor(e *Entry, pos int64) int64 {
	b, err := view(a.Src, pos, max(min(24, a.Src.Size()-pos), 0))
	if err != nil {
		return pos
	}
	le := binary.LittleEndian
	for _, sig := range []int{4, 0} {
		if len(b) < sig+12 || sig == 4 && le.Uint32(b) != sigDescriptor {
			continue
		}
		d := b[sig:]
		switch {
		case len(d) >= 20 && wire64(d[4:]) == e.Packed && wire64(d[12:]) == e.Size:
			e.CRC32 = le.Uint32(d)
			return pos + int64(sig) + 20
		case int64(le.Uint32(d[4:])) == e.Packed && int64(le.Uint32(d[8:])) == e.Size:
			e.CRC32 = le.Uint32(d)
			return pos + int64(sig) + 12
		}
	}
	return pos
}

// recordOf makes the directory record that the local header h of e, with its name and extra fields ne, would have.
func recordOf(e *Entry, h, ne []byte) []byte {
	le := binary.LittleEndian
	n := len(e.RawName)
	extra := dropExtra(ne[n:], extraZip64)
	rec := make([]byte, centralLen, centralLen+n+len(extra)+20)
	le.PutUint32(rec, sigCentral)
	copy(rec[4:6], h[4:6])   // made by: as needed
	copy(rec[6:16], h[4:14]) // version, flags, method, time, date
	rec[5] = 0
	le.PutUint32(rec[16:], e.CRC32)
	le.PutUint16(rec[28:], uint16(n))
	return packRecord(append(rec, e.RawName...), extra, nil, e.Packed, e.Size, 0)
}
