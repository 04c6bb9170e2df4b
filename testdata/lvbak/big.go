package lvbak

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/klauspost/compress/flate"

	"bunzai/rope"
)

// pictureBytes is the size of each picture of a big archive.
const pictureBytes = 100 << 10

// Repeat is a Source that says the same over and over.
type Repeat struct {
	Text []byte
	N    int64
}

// Size implements rope.Source.
func (r Repeat) Size() int64 { return int64(len(r.Text)) * r.N }

// ReadAt implements io.ReaderAt.
func (r *Repeat) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < r.Size() {
		at := off % int64(len(r.Text))
		m := copy(p[n:], r.Text[at:])
		n += m
		off += int64(m)
	}
	if off > r.Size() {
		n -= int(off - r.Size())
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Big is an archive of about that many bytes, made while it is read: a quarter of it messages, the rest pictures of
// characters, and besides 100,000 world book entries and 5,000 scripts (fewer in an archive under 512 MiB).
func Big(size int64) (archive *rope.Rope, characters int) {
	z := &Writer{}
	z.Add("manifest.json", []byte(Manifest(1, `, "ndjsonFormatVersion": 1`)), Opts{})
	pictures := int(size * 3 / 4 / pictureBytes)
	characters = max(pictures/4, 1)
	entries, scripts := 100_000, 5_000
	if size < 512<<20 {
		entries, scripts = 5_000, 500
	}
	table := func(name string, n int, line func(i int) string) {
		var b bytes.Buffer
		fw, _ := flate.NewWriter(&b, 3)
		sum := crc32.NewIEEE()
		w := io.MultiWriter(fw, sum)
		total := int64(0)
		for i := range n {
			s := line(i) + "\n"
			total += int64(len(s))
			io.WriteString(w, s)
		}
		fw.Close()
		z.Raw("database/"+name+".ndjson", rope.Bytes(b.Bytes()), 8, sum.Sum32(), total, 0)
	}
	books := 500
	table("characters", characters, func(i int) string {
		ext := fmt.Sprintf(`json:{"world_book_ids": ["b%d"], "expressions": {"enabled": true, "defaultExpression": "joy", "mappings": {"joy": "i%d", "sad": "i%d"}}}`, i%books, 4*i+1, 4*i+2)
		return Row("id", fmt.Sprintf("c%d", i), "name", fmt.Sprintf("Name %d", i), "description", words(i, 4000), "personality", words(i+1, 500), "first_mes", words(i+2, 1000),
			"tags", `json:["a", "b"]`, "alternate_greetings", `json:["Hi.", "Ho."]`, "extensions", ext, "image_id", fmt.Sprintf("i%d", 4*i), "created_at", 1700000000, "updated_at", 1700000000)
	})
	table("character_gallery", characters, func(i int) string {
		return Row("id", fmt.Sprintf("g%d", i), "character_id", fmt.Sprintf("c%d", i), "image_id", fmt.Sprintf("i%d", 4*i+3), "caption", "", "sort_order", 0, "created_at", 1)
	})
	table("world_books", books, func(i int) string {
		return Row("id", fmt.Sprintf("b%d", i), "name", fmt.Sprintf("Book %d", i), "description", "", "metadata", `json:{}`)
	})
	table("world_book_entries", entries, func(i int) string {
		return Row("id", fmt.Sprintf("e%d", i), "world_book_id", fmt.Sprintf("b%d", i%books), "uid", fmt.Sprintf("u%d", i), "key", fmt.Sprintf(`json:["key %d"]`, i), "keysecondary", `json:[]`,
			"content", words(i, 400), "comment", "c", "position", 0, "depth", 4, "order_value", i, "extensions", `json:{}`)
	})
	table("personas", 200, func(i int) string {
		return Row("id", fmt.Sprintf("pe%d", i), "name", fmt.Sprintf("Me %d", i), "description", words(i, 500), "metadata", `json:{}`, "subjective_pronoun", "they", "objective_pronoun", "them", "possessive_pronoun", "their", "image_id", fmt.Sprintf("i%d", i%(4*characters)))
	})
	table("presets", 100, func(i int) string {
		return Row("id", fmt.Sprintf("p%d", i), "name", fmt.Sprintf("Preset %d", i), "parameters", `json:{}`, "prompts", `json:{}`, "metadata", `json:{}`,
			"prompt_order", fmt.Sprintf(`json:[{"id": "k", "name": "Main", "content": %q, "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": null}]`, words(i, 2000)))
	})
	table("regex_scripts", scripts, func(i int) string {
		if i%2 == 0 {
			return Script(fmt.Sprintf("r%d", i), "scope", "character", "scope_id", fmt.Sprintf("c%d", i%characters))
		}
		return Script(fmt.Sprintf("r%d", i))
	})
	table("images", 4*characters, func(i int) string {
		return strings.Replace(Image(fmt.Sprintf("i%d", i)), ".png", ".webp", 1)
	})
	line := []byte(Row("id", "m", "chat_id", "ch", "index_in_chat", 0, "is_user", 0, "name", "Name", "content", words(1, 3000), "swipes", `json:[]`) + "\n")
	messages := &Repeat{line, size / 4 / int64(len(line))}
	z.Raw("database/messages.ndjson", messages, 0, sumOf(messages), messages.Size(), 0)

	pic := append([]byte("RIFF\xf8\x8f\x01\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"), make([]byte, pictureBytes-34)...)
	for i := 34; i < len(pic); i++ {
		pic[i] = byte(i * i >> 7)
	}
	one, sum := rope.Bytes(pic), crc32.ChecksumIEEE(pic)
	for i := range 4 * characters {
		z.Raw(fmt.Sprintf("files/images/i%d.webp", i), one, 0, sum, int64(len(pic)), 0)
	}
	return z.Finish(), characters
}

func sumOf(src rope.Source) uint32 {
	h := crc32.NewIEEE()
	rope.Of(src).WriteTo(h)
	return h.Sum32()
}

// words is text of about n bytes that does not pack to nothing.
func words(seed, n int) string {
	var b strings.Builder
	x := uint32(seed)*2654435761 + 1
	for b.Len() < n {
		x = x*1664525 + 1013904223
		fmt.Fprintf(&b, "%x ", x>>8)
	}
	return b.String()
}
