package zip

import (
	"encoding/binary"

	"bunzai/fault"
)

const max32 = 1<<32 - 1

// parseHeader reads what Entry.Header gave.
func parseHeader(h []byte) (*Entry, error) {
	if len(h) < centralLen || binary.LittleEndian.Uint32(h) != sigCentral || recordLen(h) != len(h) {
		return nil, fault.New(fault.BadArgument, "", "the kept header of an archive entry is not whole")
	}
	return parseRecord(h), nil
}

// recordTail returns the extra fields and the comment of a directory record.
func recordTail(rec []byte) (extra, comment []byte) {
	le := binary.LittleEndian
	n := centralLen + int(le.Uint16(rec[28:]))
	m := n + int(le.Uint16(rec[30:]))
	return rec[n:m], rec[m:]
}

// dropExtra returns the extra fields without those of that id; bytes that are no field stay.
func dropExtra(extra []byte, id uint16) []byte {
	if _, ok := extraField(extra, id); !ok {
		return extra
	}
	var out []byte
	le := binary.LittleEndian
	for len(extra) >= 4 {
		n := 4 + int(le.Uint16(extra[2:]))
		if n > len(extra) {
			break
		}
		if le.Uint16(extra) != id {
			out = append(out, extra[:n]...)
		}
		extra = extra[n:]
	}
	return append(out, extra...)
}

// packRecord ends a directory record: rec holds its fixed part and name. Sizes and offset go to the ZIP64 field where
// they do not fit in 32 bits; extra must not hold one.
func packRecord(rec, extra, comment []byte, packed, size, off int64) []byte {
	le := binary.LittleEndian
	var f []byte
	// The fields stand in this order in the ZIP64 field, which is not their order in the record.
	for _, v := range []struct {
		at int
		n  int64
	}{{24, size}, {20, packed}, {42, off}} {
		if v.n >= max32 {
			le.PutUint32(rec[v.at:], max32)
			f = le.AppendUint64(f, uint64(v.n))
		} else {
			le.PutUint32(rec[v.at:], uint32(v.n))
		}
	}
	if len(f) > 0 {
		head := le.AppendUint16(le.AppendUint16(nil, extraZip64), uint16(len(f)))
		rec = append(append(rec, head...), f...)
		le.PutUint16(rec[6:], max(le.Uint16(rec[6:]), needs45))
		le.PutUint16(rec[30:], uint16(len(extra)+4+len(f)))
	} else {
		le.PutUint16(rec[30:], uint16(len(extra)))
	}
	le.PutUint16(rec[32:], uint16(len(comment)))
	le.PutUint16(rec[34:], 0) // this is the only disk
	return append(append(rec, extra...), comment...)
}

// emit makes the local header, the directory record and, for encrypted streamed entries, the data descriptor of
// an entry whose local header lies at off.
func (it item) emit(off int64) (local, rec, descriptor []byte, err error) {
	le := binary.LittleEndian
	e, err := parseHeader(it.rec)
	if err != nil {
		return nil, nil, nil, err
	}
	extra, comment := recordTail(it.rec)
	extra = dropExtra(extra, extraZip64)
	if len(extra)+28 > 1<<16-1 && (e.Size >= max32 || e.Packed >= max32 || off >= max32) {
		return nil, nil, nil, fault.New(fault.BadArgument, e.where(), "its extra fields leave no room for sizes of more than 4 GiB")
	}
	rec = make([]byte, 0, len(it.rec)+28)
	rec = append(rec, it.rec[:centralLen+len(e.RawName)]...)
	flags := e.Flags
	if !e.encrypted() {
		flags &^= flagDescriptor
	}
	le.PutUint16(rec[8:], flags)
	rec = packRecord(rec, extra, comment, e.Packed, e.Size, off)

	lx := localExtra(extra)
	big := e.Size >= max32 || e.Packed >= max32
	local = make([]byte, localLen, localLen+len(e.RawName)+len(lx)+20)
	le.PutUint32(local, sigLocal)
	copy(local[4:26], it.rec[6:28]) // version to sizes
	le.PutUint16(local[6:], flags)
	le.PutUint32(local[18:], uint32(e.Packed))
	le.PutUint32(local[22:], uint32(e.Size))
	le.PutUint16(local[26:], uint16(len(e.RawName)))
	le.PutUint16(local[28:], uint16(len(lx)))
	local = append(local, e.RawName...)
	if big {
		le.PutUint16(local[4:], max(le.Uint16(local[4:]), needs45))
		le.PutUint32(local[18:], max32)
		le.PutUint32(local[22:], max32)
		le.PutUint16(local[28:], uint16(len(lx)+20))
		local = le.AppendUint16(le.AppendUint16(local, extraZip64), 16)
		local = le.AppendUint64(le.AppendUint64(local, uint64(e.Size)), uint64(e.Packed))
	}
	local = append(local, lx...)

	if flags&flagDescriptor != 0 {
		d := le.AppendUint32(le.AppendUint32(nil, sigDescriptor), e.CRC32)
		if big {
			d = le.AppendUint64(le.AppendUint64(d, uint64(e.Packed)), uint64(e.Size))
		} else {
			d = le.AppendUint32(le.AppendUint32(d, uint32(e.Packed)), uint32(e.Size))
		}
		descriptor = d
	}
	return local, rec, descriptor, nil
}

// localExtra makes the extra fields of the local header from those of the directory. They differ in Info-ZIP's
// time field: the directory's has the flags of all times but only the first of them.
func localExtra(extra []byte) []byte {
	f, ok := extraField(extra, extraTime)
	if !ok || len(f) == 0 || f[0]&6 == 0 {
		return extra
	}
	out := append([]byte(nil), extra...)
	f, _ = extraField(out, extraTime)
	f[0] &^= 6
	return out
}

// endOf makes the end records: ZIP64 where a number does not fit, then the plain one with the comment.
func endOf(count, dirOff, dirSize int64, comment []byte) []byte {
	le := binary.LittleEndian
	var b []byte
	if count >= 0xffff || dirOff >= max32 || dirSize >= max32 {
		at := dirOff + dirSize
		b = le.AppendUint32(b, sigEnd64)
		b = le.AppendUint64(b, end64Len-12)
		b = le.AppendUint16(b, madeByUnix&0xff00|needs45)
		b = le.AppendUint16(b, needs45)
		b = le.AppendUint64(b, 0) // this disk, the directory's disk
		for _, n := range []int64{count, count, dirSize, dirOff} {
			b = le.AppendUint64(b, uint64(n))
		}
		b = le.AppendUint32(b, sigLocator64)
		b = le.AppendUint32(b, 0)
		b = le.AppendUint64(b, uint64(at))
		b = le.AppendUint32(b, 1)
	}
	b = le.AppendUint32(b, sigEnd)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint16(b, uint16(min(count, 0xffff)))
	b = le.AppendUint16(b, uint16(min(count, 0xffff)))
	b = le.AppendUint32(b, uint32(min(dirSize, max32)))
	b = le.AppendUint32(b, uint32(min(dirOff, max32)))
	b = le.AppendUint16(b, uint16(len(comment)))
	return append(b, comment...)
}
