// Package lvbak makes Lumiverse account backups for tests: small ones from tables of rows, and large ones that are never
// held. It writes what the app writes (ZIP64 records for every entry, tables deflated, pictures stored), and whatever
// damage a test asks for.
package lvbak

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	imagepng "image/png"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"bunzai/jsondoc"
	"bunzai/rope"
)

// Writer makes an archive as the app does: ZIP64 records for every entry, text deflated, binaries stored.
type Writer struct {
	out   rope.Rope
	dir   bytes.Buffer
	count int
}

// Opts damage an entry.
type Opts struct {
	Stored bool
	CRC    uint32 // added to the right one
	Size   int64  // added to the right one
	Flags  uint16
	Method uint16
}

// Add adds an entry.
func (z *Writer) Add(name string, data []byte, o Opts) {
	packed, method := data, uint16(0)
	if !o.Stored {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, 3)
		w.Write(data)
		w.Close()
		packed, method = b.Bytes(), 8
	}
	if o.Method != 0 {
		method = o.Method
	}
	z.Raw(name, rope.Bytes(packed), method, crc32.ChecksumIEEE(data)+o.CRC, int64(len(data))+o.Size, o.Flags)
}

// Raw adds an entry that is packed already.
func (z *Writer) Raw(name string, packed rope.Source, method uint16, crc uint32, size int64, flags uint16) {
	le := binary.LittleEndian
	off := z.out.Size()
	z.count++
	extra := le.AppendUint16(nil, 1)
	extra = le.AppendUint16(extra, 16)
	extra = le.AppendUint64(extra, uint64(size))
	extra = le.AppendUint64(extra, uint64(packed.Size()))
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
	z.out.Append(append(append(l, name...), extra...))
	z.out.AppendRange(packed, 0, packed.Size())

	extra = le.AppendUint16(nil, 1)
	extra = le.AppendUint16(extra, 24)
	extra = le.AppendUint64(extra, uint64(size))
	extra = le.AppendUint64(extra, uint64(packed.Size()))
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

// Finish returns the archive; the Writer is done then.
func (z *Writer) Finish() *rope.Rope {
	z.out.Append(endOf(z.out.Size(), z.dir.Bytes(), z.count))
	return &z.out
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

// Account is what goes into an archive.
type Account struct {
	Manifest string // "" = a usual one
	Last     bool   // the manifest stands last
	Tables   map[string][]string
	Files    map[string][]byte
	Opts     map[string]Opts // by path
}

var tableOrder = []string{"settings", "characters", "personas", "world_books", "world_book_entries", "presets", "regex_scripts", "images", "character_gallery", "chats", "messages"}

// Manifest is a usual manifest of that schema version with more members behind.
func Manifest(schema int, more string) string {
	return fmt.Sprintf(`{"schemaVersion": %d, "producer": "lumiverse", "exportedAt": "2026-07-20T10:00:00.000Z", "archiveId": "00000000-0000-4000-8000-000000000001", "producerVersion": null, "includeVectors": false, "counts": {}, "missingFiles": [], "hasEncryptedSecrets": false, "secretsCount": 0%s}`, schema, more)
}

// Build makes the archive.
func (a Account) Build() []byte {
	z := &Writer{}
	m := a.Manifest
	if m == "" {
		m = Manifest(1, `, "ndjsonFormatVersion": 1`)
	}
	if !a.Last {
		z.Add("manifest.json", []byte(m), a.Opts["manifest.json"])
	}
	for _, t := range tableOrder {
		rows, ok := a.Tables[t]
		if !ok {
			continue
		}
		p := "database/" + t + ".ndjson"
		text := ""
		if len(rows) > 0 {
			text = strings.Join(rows, "\n") + "\n"
		}
		z.Add(p, []byte(text), a.Opts[p])
	}
	var names []string
	for p := range a.Files {
		names = append(names, p)
	}
	slices.Sort(names)
	for _, p := range names {
		o := a.Opts[p]
		o.Stored = true
		z.Add(p, a.Files[p], o)
	}
	if a.Last {
		z.Add("manifest.json", []byte(m), a.Opts["manifest.json"])
	}
	b, _ := z.Finish().Bytes() // all in memory
	return b
}

// Row writes a database row: pairs of column and value; a text that starts with "json:" is JSON in a text.
func Row(pairs ...any) string {
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

// Pixel is a small picture of its own colour.
func Pixel(n uint8) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.Set(0, 0, color.NRGBA{n, 255 - n, n * 3, 255})
	var b bytes.Buffer
	if err := imagepng.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// Image is a row of the table images.
func Image(id string) string {
	return Row("id", id, "filename", id+".png", "original_filename", "x.png", "mime_type", "image/png", "width", 2, "height", 2, "has_thumbnail", 0, "created_at", 1, "user_id", "u")
}

// Script is a regex row with other columns over usual ones.
func Script(id string, more ...any) string {
	base := []any{"id", id, "user_id", "u", "name", "Rule " + id, "find_regex", "a+" + id, "replace_string", "b", "flags", "gi", "placement", `json:["ai_output"]`, "scope", "global", "scope_id", nil,
		"target", `json:["display"]`, "min_depth", nil, "max_depth", nil, "trim_strings", `json:[]`, "run_on_edit", 0, "substitute_macros", "none", "disabled", 0, "sort_order", 0, "description", "",
		"metadata", `json:{"regex_performance": {"ms": 3}}`, "created_at", 1, "updated_at", 1, "folder", "", "script_id", "", "pack_id", nil, "preset_id", nil, "character_id", nil, "actions", `json:[]`}
	return Row(append(base, more...)...)
}
