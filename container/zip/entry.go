package zip

import (
	"encoding/binary"
	"strings"

	"bunzai/fault"
	"bunzai/rope"
)

// Entry is one record of the directory. Sizes and CRC are what the directory states; nothing of the content has
// been looked at.
type Entry struct {
	Name    string // decoded: valid UTF-8 as is, else Info-ZIP's Unicode path where its CRC matches, else code page 437
	RawName []byte // as on the wire; must not be changed
	// Path is for look-up only: slashes, no leading "/" or "./". It is "" when the name is empty or unsafe (climbs
	// out with "..", names a drive, holds NUL): such an entry must never become a file.
	Path   string
	Method uint16 // 0 stored, 8 deflated; others are carried but not read
	Flags  uint16
	CRC32  uint32
	Packed int64 // bytes in the archive
	Size   int64 // bytes when inflated, as stated

	a       *Archive
	off     int64  // of the local header, in Archive.Src
	room    int64  // where the data must end at the latest: the next local header or the directory
	after   *Entry // the entry at room, nil when the directory is there
	rec     []byte // the directory record
	charged int64  // bytes already counted against Limits.Inflated
	noted   bool   // its damage has been said
}

// IsDir reports whether the entry is a folder: its name ends in a slash (or a backslash).
func (e *Entry) IsDir() bool { return strings.HasSuffix(e.Name, "/") || strings.HasSuffix(e.Name, `\`) }

// Stored reports whether the content lies in the archive as it is, so that Raw is the content.
func (e *Entry) Stored() bool { return e.Method == methodStore && !e.encrypted() }

func (e *Entry) encrypted() bool { return e.Flags&(flagEncrypted|flagStrong) != 0 }

// Header returns the entry's directory record: opaque bytes that, with Raw, are all that Writer.CopyRaw needs to
// write the entry again after the Archive is gone. They must not be changed.
func (e *Entry) Header() []byte { return e.rec }

// Raw returns the packed data as a range of the source. It reads the 30 bytes of the local header and never
// inflates, so no inflate limit applies. It fails with Damaged when the local header is not there or the data would
// run into the next entry, the directory, or past the end.
func (e *Entry) Raw() (*rope.Rope, error) {
	start, err := e.dataStart()
	if err != nil {
		return nil, err
	}
	r := &rope.Rope{}
	r.AppendRange(e.a.Src, start, e.Packed)
	return r, nil
}

// dataStart finds the first byte of the packed data and checks that all of it is there.
func (e *Entry) dataStart() (int64, error) {
	h, err := view(e.a.Src, e.off, localLen)
	if err != nil || binary.LittleEndian.Uint32(h) != sigLocal {
		if err != nil && e.off >= 0 && e.off+localLen <= e.a.Src.Size() {
			return 0, readFault(err, e.where())
		}
		return 0, fault.New(fault.Damaged, e.where(),
			"the archive says that this entry begins at byte %d, but no entry is there; get a fresh copy of the file", e.off)
	}
	if n, _ := localSizes(h); n != 0 && n != e.Packed {
		e.note("entry %s: the directory states %s of packed data, the entry itself %s", shown(e.Name), fault.Amount(e.Packed, "bytes"), fault.Amount(n, "bytes"))
	}
	start := e.off + localLen + int64(binary.LittleEndian.Uint16(h[26:])) + int64(binary.LittleEndian.Uint16(h[28:]))
	if start+e.Packed > e.room {
		if e.after != nil {
			return 0, overlap(e, e.after)
		}
		return 0, fault.New(fault.Damaged, e.where(),
			"the entry states %s of data, which is more than lies there; get a fresh copy of the file", fault.Amount(e.Packed, "bytes"))
	}
	return start, nil
}

func (e *Entry) where() string { return "entry " + shown(e.Name) }

func overlap(a, b *Entry) error {
	return fault.New(fault.Damaged, "entry "+shown(a.Name)+", entry "+shown(b.Name),
		"these two entries lie over each other in the archive, as in a file made to exhaust memory; pack it again from its parts")
}
