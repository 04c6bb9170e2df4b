package convert_test

// The files of these tests are made here, by hand, so that every field of them can lie. Nothing is read from disk.

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/adler32"
	"hash/crc32"
	"strings"

	"bunzai/rope"
)

const mib = 1 << 20

// small is a V3 card with two entries in its book; edit changes its data before it is written.
func small(edit ...func(data map[string]any)) []byte {
	entry := func(k string) map[string]any {
		return map[string]any{"keys": []string{k}, "content": "about " + k, "extensions": map[string]any{}, "enabled": true, "insertion_order": 10}
	}
	data := map[string]any{
		"name": "Bench Character", "description": "A calm guide.", "personality": "kind", "scenario": "a harbour", "first_mes": "Hello.",
		"mes_example": "<START>\n{{user}}: a & b", "creator_notes": "", "system_prompt": "", "post_history_instructions": "",
		"alternate_greetings": []string{"Hi again."}, "group_only_greetings": []string{}, "tags": []string{"test"}, "creator": "me", "character_version": "1",
		"extensions":     map[string]any{"depth_prompt": map[string]any{"prompt": "x", "depth": 4, "role": "system"}},
		"character_book": map[string]any{"name": "Book", "entries": []any{entry("harbour"), entry("ship")}, "extensions": map[string]any{}},
	}
	for _, f := range edit {
		f(data)
	}
	return mustJSON(map[string]any{"spec": "chara_card_v3", "spec_version": "3.0", "data": data})
}

func named(name string) func(map[string]any) {
	return func(d map[string]any) { d["name"] = name }
}

func with(key string, v any) func(map[string]any) {
	return func(d map[string]any) { d[key] = v }
}

func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// v2 wraps data as a V2 card.
func v2(data map[string]any) []byte {
	return mustJSON(map[string]any{"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
}

// ---- PNG

const pngSignature = "\x89PNG\r\n\x1a\n"

func forgeChunk(kind, data string) string {
	p := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	p = append(append(p, kind...), data...)
	return string(binary.BigEndian.AppendUint32(p, crc32.ChecksumIEEE(p[4:])))
}

func tEXt(k, v string) string { return forgeChunk("tEXt", k+"\x00"+v) }

func zlibOf(s string) string {
	var b bytes.Buffer
	b.WriteString("\x78\x9c")
	w, _ := flate.NewWriter(&b, 6)
	w.Write([]byte(s))
	w.Close()
	return b.String() + string(binary.BigEndian.AppendUint32(nil, adler32.Checksum([]byte(s))))
}

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// picture is a sound PNG of 2 by 1 pixels with chunks before and after its IDAT.
func picture(before, after string) string {
	ihdr := "\x00\x00\x00\x02\x00\x00\x00\x01\x08\x02\x00\x00\x00"
	return pngSignature + forgeChunk("IHDR", ihdr) + before + forgeChunk("IDAT", zlibOf("\x00\x01\x02\x03\x04\x05\x06")) + after + forgeChunk("IEND", "")
}

func pngCard(card []byte) string { return picture("", tEXt("ccv3", b64(card))) }

// ---- ZIP

// file is one entry; what is zero is filled in rightly, what is set is written as it is.
type file struct {
	name   string
	data   string
	comp   []byte // packed data instead of what data gives
	method uint16
	size   int64 // stated
	crc    uint32
	flags  uint16
	stream bool   // bit 3: zero sizes in front, descriptor behind
	share  string // no local entry: that of the named file
	attr   uint32
}

func deflated(s string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

func cardFile(edit ...func(map[string]any)) file {
	return file{name: "card.json", data: string(small(edit...)), method: 8}
}

func archive(comment string, files ...file) string {
	le := binary.LittleEndian
	var out, dir []byte
	offs := map[string]int{}
	for _, f := range files {
		comp, size, crc := f.comp, f.size, f.crc
		if comp == nil {
			comp = []byte(f.data)
			if f.method == 8 {
				comp = deflated(f.data)
			}
			if crc == 0 {
				crc = crc32.ChecksumIEEE([]byte(f.data))
			}
			if size == 0 {
				size = int64(len(f.data))
			}
		}
		flags := f.flags
		if f.stream {
			flags |= 8
		}
		head := func(local bool) []byte {
			h := le.AppendUint16(nil, 20)
			h = le.AppendUint16(h, flags)
			h = le.AppendUint16(h, f.method)
			h = le.AppendUint32(h, 0x00210000)
			if local && f.stream {
				h = append(h, make([]byte, 12)...)
			} else {
				h = le.AppendUint32(h, crc)
				h = le.AppendUint32(h, uint32(len(comp)))
				h = le.AppendUint32(h, uint32(size))
			}
			h = le.AppendUint16(h, uint16(len(f.name)))
			return le.AppendUint16(h, 0)
		}
		off, shared := offs[f.share]
		if !shared || f.share == "" {
			off = len(out)
			out = append(append(append(append(out, "PK\x03\x04"...), head(true)...), f.name...), comp...)
			if f.stream {
				out = append(out, "PK\x07\x08"...)
				out = le.AppendUint32(out, crc)
				out = le.AppendUint32(out, uint32(len(comp)))
				out = le.AppendUint32(out, uint32(size))
			}
		}
		offs[f.name] = off
		dir = append(append(dir, "PK\x01\x02\x14\x03"...), head(false)...)
		dir = append(dir, make([]byte, 6)...)
		dir = le.AppendUint32(dir, f.attr)
		dir = append(le.AppendUint32(dir, uint32(off)), f.name...)
	}
	at := len(out)
	out = append(append(out, dir...), "PK\x05\x06\x00\x00\x00\x00"...)
	out = le.AppendUint16(out, uint16(len(files)))
	out = le.AppendUint16(out, uint16(len(files)))
	out = le.AppendUint32(out, uint32(len(dir)))
	out = le.AppendUint32(out, uint32(at))
	out = le.AppendUint16(out, uint16(len(comment)))
	return string(out) + comment
}

// zeros is the deflate stream of n zero bytes, made from one block said again and again.
func zeros(n int64) []byte {
	const block = 4 * mib
	zero := make([]byte, block)
	var one, last bytes.Buffer
	w, _ := flate.NewWriter(&one, 9)
	w.Write(zero)
	w.Flush()
	w, _ = flate.NewWriter(&last, 9)
	w.Write(zero[:(n-1)%block+1])
	w.Close()
	return append(bytes.Repeat(one.Bytes(), int((n-1)/block)), last.Bytes()...)
}

// zlibZeros is the same with the frame of zlib.
func zlibZeros(n int64) string {
	return "\x78\xda" + string(zeros(n)) + string(binary.BigEndian.AppendUint32(nil, uint32(n%65521)<<16|1))
}

// quoted is an archive whose entry i holds a deflate block that quotes the header of entry i+1, and then shares all
// that follows with it (Fifield 2019): many entries over one small kernel.
func quoted(files int, kernel int64) string {
	le := binary.LittleEndian
	core := zeros(kernel)
	card := archive("", cardFile())
	dirAt := strings.Index(card, "PK\x01\x02")
	out := []byte(card[:dirAt])
	dir := []byte(card[dirAt : len(card)-22])
	var locals [][]byte
	var names []string
	size, packed := kernel, int64(len(core))
	for i := files - 1; i >= 0; i-- {
		name := "assets/icon/image/q" + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + ".png"
		if i < files-1 {
			packed += 5 + int64(len(locals[0]))
			size += int64(len(locals[0]))
		}
		h := []byte("PK\x03\x04\x14\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00")
		h = le.AppendUint32(h, uint32(packed))
		h = le.AppendUint32(h, uint32(size))
		h = le.AppendUint16(h, uint16(len(name)))
		h = append(le.AppendUint16(h, 0), name...)
		locals = append([][]byte{h}, locals...)
		names = append([]string{name}, names...)
	}
	for i, h := range locals {
		rec := append([]byte("PK\x01\x02\x14\x00"), h[4:30]...)
		rec = append(rec, make([]byte, 10)...)
		rec = le.AppendUint32(rec, uint32(len(out)))
		dir = append(append(dir, rec...), names[i]...)
		out = append(out, h...)
		if i+1 < len(locals) {
			n := uint16(len(locals[i+1]))
			out = append(out, 0)
			out = le.AppendUint16(out, n)
			out = le.AppendUint16(out, ^n)
		} else {
			out = append(out, core...)
		}
	}
	at := len(out)
	out = append(append(out, dir...), "PK\x05\x06\x00\x00\x00\x00"...)
	out = le.AppendUint16(out, uint16(files+1))
	out = le.AppendUint16(out, uint16(files+1))
	out = le.AppendUint32(out, uint32(len(dir)))
	out = le.AppendUint32(out, uint32(at))
	return string(append(out, 0, 0))
}

func sourceOf(s string) rope.Bytes { return rope.Bytes(s) }
