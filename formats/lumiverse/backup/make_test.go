package backup_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	imagepng "image/png"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/stretchr/testify/require"

	"bunzai/jsondoc"
)

// lvbak makes an archive as the app does: ZIP64 records for every entry, text deflated, binaries stored.
type lvbak struct {
	out   bytes.Buffer
	dir   bytes.Buffer
	count int
	plain bool // no ZIP64
}

type entryOpts struct {
	stored bool
	crc    uint32 // added to the right one
	size   int64  // added to the right one
	flags  uint16
	method uint16
}

func (z *lvbak) add(name string, data []byte, o entryOpts) {
	packed, method := data, uint16(0)
	if !o.stored {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 3)
		w.Write(data)
		w.Close()
		packed, method = b.Bytes(), 8
	}
	if o.method != 0 {
		method = o.method
	}
	z.raw(name, packed, method, crc32.ChecksumIEEE(data)+o.crc, int64(len(data))+o.size, o.flags)
}

func (z *lvbak) raw(name string, packed []byte, method uint16, crc uint32, size int64, flags uint16) {
	le := binary.LittleEndian
	off := z.out.Len()
	z.count++
	extra := le.AppendUint16(nil, 1)
	extra = le.AppendUint16(extra, 16)
	extra = le.AppendUint64(extra, uint64(size))
	extra = le.AppendUint64(extra, uint64(len(packed)))
	l := le.AppendUint32(nil, 0x04034b50)
	l = le.AppendUint16(l, 45)
	l = le.AppendUint16(l, flags|1<<11)
	l = le.AppendUint16(l, method)
	l = le.AppendUint32(l, 0x21<<16)
	l = le.AppendUint32(l, crc)
	l = le.AppendUint32(l, 1<<32-1)
	l = le.AppendUint32(l, 1<<32-1)
	l = le.AppendUint16(l, uint16(len(name)))
	l = le.AppendUint16(l, uint16(len(extra)))
	z.out.Write(l)
	z.out.WriteString(name)
	z.out.Write(extra)
	z.out.Write(packed)

	extra = le.AppendUint16(nil, 1)
	extra = le.AppendUint16(extra, 24)
	extra = le.AppendUint64(extra, uint64(size))
	extra = le.AppendUint64(extra, uint64(len(packed)))
	extra = le.AppendUint64(extra, uint64(off))
	d := le.AppendUint32(nil, 0x02014b50)
	d = le.AppendUint16(d, 45)
	d = le.AppendUint16(d, 45)
	d = le.AppendUint16(d, flags|1<<11)
	d = le.AppendUint16(d, method)
	d = le.AppendUint32(d, 0x21<<16)
	d = le.AppendUint32(d, crc)
	d = le.AppendUint32(d, 1<<32-1)
	d = le.AppendUint32(d, 1<<32-1)
	d = le.AppendUint16(d, uint16(len(name)))
	d = le.AppendUint16(d, uint16(len(extra)))
	d = append(d, make([]byte, 2+2+2+4)...)
	d = le.AppendUint32(d, 1<<32-1)
	z.dir.Write(d)
	z.dir.WriteString(name)
	z.dir.Write(extra)
}

func (z *lvbak) bytes() []byte {
	return append(bytes.Clone(z.out.Bytes()), endOf(int64(z.out.Len()), z.dir.Bytes(), z.count)...)
}

// endOf is the directory with its end records, all in ZIP64.
func endOf(at int64, dir []byte, count int) []byte {
	le := binary.LittleEndian
	b := bytes.Clone(dir)
	end := at + int64(len(dir))
	b = le.AppendUint32(b, 0x06064b50)
	b = le.AppendUint64(b, 44)
	b = le.AppendUint16(b, 45)
	b = le.AppendUint16(b, 45)
	b = le.AppendUint64(b, 0)
	for _, n := range []int64{int64(count), int64(count), int64(len(dir)), at} {
		b = le.AppendUint64(b, uint64(n))
	}
	b = le.AppendUint32(b, 0x07064b50)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, uint64(end))
	b = le.AppendUint32(b, 1)
	b = le.AppendUint32(b, 0x06054b50)
	b = append(b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)
	b = le.AppendUint32(b, 1<<32-1)
	b = le.AppendUint32(b, 1<<32-1)
	return append(b, 0, 0)
}

// account is what goes into an archive.
type account struct {
	manifest string // "" = a usual one
	last     bool   // the manifest stands last
	tables   map[string][]string
	files    map[string][]byte
	opts     map[string]entryOpts // by path
}

var tableOrder = []string{"settings", "characters", "personas", "world_books", "world_book_entries", "presets", "regex_scripts", "images", "character_gallery", "chats", "messages"}

func manifest(schema int, more string) string {
	return fmt.Sprintf(`{"schemaVersion": %d, "producer": "lumiverse", "exportedAt": "2026-07-20T10:00:00.000Z", "archiveId": "00000000-0000-4000-8000-000000000001", "producerVersion": null, "includeVectors": false, "counts": {}, "missingFiles": [], "hasEncryptedSecrets": false, "secretsCount": 0%s}`, schema, more)
}

func (a account) build() []byte {
	z := &lvbak{}
	m := a.manifest
	if m == "" {
		m = manifest(1, `, "ndjsonFormatVersion": 1`)
	}
	if !a.last {
		z.add("manifest.json", []byte(m), a.opts["manifest.json"])
	}
	for _, t := range tableOrder {
		rows, ok := a.tables[t]
		if !ok {
			continue
		}
		p := "database/" + t + ".ndjson"
		text := ""
		if len(rows) > 0 {
			text = strings.Join(rows, "\n") + "\n"
		}
		z.add(p, []byte(text), a.opts[p])
	}
	var names []string
	for p := range a.files {
		names = append(names, p)
	}
	sortStrings(names)
	for _, p := range names {
		o := a.opts[p]
		o.stored = true
		z.add(p, a.files[p], o)
	}
	if a.last {
		z.add("manifest.json", []byte(m), a.opts["manifest.json"])
	}
	return z.bytes()
}

// row writes a database row: pairs of column and value; a text that starts with "json:" is JSON in a text.
func row(pairs ...any) string {
	v := jsondoc.Object()
	for i := 0; i < len(pairs); i += 2 {
		k := pairs[i].(string)
		switch x := pairs[i+1].(type) {
		case string:
			v.Set(k, jsondoc.String(strings.TrimPrefix(x, "json:")))
		case int:
			v.Set(k, jsondoc.Int(int64(x)))
		case nil:
			v.Set(k, jsondoc.Null())
		default:
			panic(k)
		}
	}
	return string(jsondoc.NewDoc(v, "").Bytes())
}

func pixel(n uint8) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.Set(0, 0, color.NRGBA{n, 255 - n, n * 3, 255})
	var b bytes.Buffer
	if err := imagepng.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func sortStrings(s []string) {
	for i := range s {
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
}

func noErr(t testing.TB, err error) {
	t.Helper()
	require.NoError(t, err)
}
