// Package bench holds the benchmarks and the inputs that they run on: generated, the same bytes each time, of stated
// size and shape. Nothing imports it but the measuring programs below it.
package bench

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
)

// Input is one generated file.
type Input struct {
	Name string
	What string // size and shape in words
	Data []byte
}

// Inputs makes every input, small ones first.
func Inputs() []Input {
	pictures := func(n int) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		assets := []map[string]any{}
		for i := range n {
			name, kind := fmt.Sprintf("assets/emotion/image/e%d.png", i), "emotion"
			if i == 0 {
				name, kind = "assets/icon/image/main.png", "icon"
			}
			assets = append(assets, map[string]any{"type": kind, "uri": "embeded://" + name, "name": fmt.Sprintf("e%d", i), "ext": "png"})
		}
		put := func(h *zip.FileHeader, data []byte) {
			f, err := w.CreateHeader(h)
			if err == nil {
				_, err = f.Write(data)
			}
			if err != nil {
				panic(err) // writing to memory does not fail
			}
		}
		put(&zip.FileHeader{Name: "card.json", Method: zip.Deflate}, card(3, 40, 600, assets))
		for i, a := range assets {
			put(&zip.FileHeader{Name: strings.TrimPrefix(a["uri"].(string), "embeded://"), Method: zip.Store}, picture(uint64(i), 398_000, nil))
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
	v2 := card(2, 0, 0, nil)
	list := List()
	for i, data := range [][]byte{v2, picture(1, 590_000, v2), card(3, 500, 3200, nil), picture(2, 5_000_000, card(3, 60, 900, nil)), pictures(100)} {
		list[i].Data = data
	}
	return list
}

// HugePictures is how many pictures Huge holds.
const HugePictures = 2100

// Huge writes a Risu archive of 400 MiB: a card with a lorebook and pictures of 200 KB each, stored. It is never whole in memory.
func Huge(to io.Writer) error {
	w := zip.NewWriter(to)
	assets := make([]map[string]any, HugePictures)
	for i := range assets {
		name, kind := fmt.Sprintf("assets/other/image/a%d.png", i), "x-risu-asset"
		switch {
		case i == 0:
			name, kind = "assets/icon/image/main.png", "icon"
		case i < HugePictures/2:
			name, kind = fmt.Sprintf("assets/emotion/image/e%d.png", i), "emotion"
		}
		assets[i] = map[string]any{"type": kind, "uri": "embeded://" + name, "name": fmt.Sprintf("a%d", i), "ext": "png"}
	}
	doc := bytes.Replace(card(3, 40, 600, assets), []byte(`"extensions":{"depth_prompt"`), []byte(`"extensions":{"risuai":{},"depth_prompt"`), 1)
	put := func(name string, method uint16, data []byte) error {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}
	for i, a := range assets {
		if err := put(strings.TrimPrefix(a["uri"].(string), "embeded://"), zip.Store, picture(uint64(i), 199_500, nil)); err != nil {
			return err
		}
	}
	if err := put("card.json", zip.Deflate, doc); err != nil {
		return err
	}
	return w.Close()
}

// List names the inputs without making them.
func List() []Input {
	return []Input{
		{Name: "small.json", What: "a V2 card of 9 KB"},
		{Name: "small.png", What: "a V2 card in a 600 KB picture"},
		{Name: "book.json", What: "a V3 card with a lorebook of 500 entries, 1.8 MB"},
		{Name: "large.png", What: "a V3 card with 60 entries in a 5 MB picture"},
		{Name: "pictures.charx", What: "100 stored pictures and a deflated card, 40 MB"},
	}
}

var words = strings.Fields("the old forest keeper walks under silver leaves and speaks softly of rivers storms candles wolves glass towers winter bread songs {{user}} {{char}} \"yes\" *smiles* ünïcode 森 and more")

func prose(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[r.IntN(len(words))])
		if r.IntN(14) == 0 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// card makes card JSON of a version with a lorebook of n entries.
func card(version, entries, entrySize int, assets []map[string]any) []byte {
	r := rand.New(rand.NewPCG(uint64(version), uint64(entries)))
	data := map[string]any{
		"name": "Bench", "description": prose(r, 3000), "personality": prose(r, 800), "scenario": prose(r, 600), "first_mes": prose(r, 1200),
		"mes_example": prose(r, 1500), "creator_notes": prose(r, 300), "system_prompt": prose(r, 200), "post_history_instructions": prose(r, 100),
		"alternate_greetings": []string{prose(r, 600), prose(r, 600)}, "tags": []string{"bench", "forest"}, "creator": "bunzai", "character_version": "1",
		"extensions": map[string]any{"talkativeness": "0.5", "fav": false, "depth_prompt": map[string]any{"prompt": prose(r, 90), "depth": 4, "role": "system"}},
	}
	if entries > 0 {
		list := make([]map[string]any, entries)
		for i := range list {
			list[i] = map[string]any{
				"id": i, "keys": []string{fmt.Sprintf("key%d", i), prose(r, 8)}, "secondary_keys": []string{}, "comment": fmt.Sprintf("Entry %d", i), "content": prose(r, entrySize),
				"constant": i%9 == 0, "selective": false, "insertion_order": 100 + i, "enabled": true, "position": "before_char", "use_regex": false, "name": fmt.Sprintf("Entry %d", i),
				"extensions": map[string]any{"position": 0, "depth": 4, "probability": 100, "useProbability": true, "exclude_recursion": false},
			}
		}
		data["character_book"] = map[string]any{"name": "Book", "extensions": map[string]any{}, "entries": list}
	}
	spec := "chara_card_v2"
	if version == 3 {
		spec = "chara_card_v3"
		data["group_only_greetings"] = []string{}
		if assets != nil {
			data["assets"] = assets
		}
	}
	b, err := json.Marshal(map[string]any{"spec": spec, "spec_version": fmt.Sprintf("%d.0", version), "data": data})
	if err != nil {
		panic(err)
	}
	return b
}

// picture makes a valid grey PNG of about size bytes of noise, with a card in a tEXt chunk when there is one.
func picture(seed uint64, size int, card []byte) []byte {
	r := rand.New(rand.NewPCG(seed, 7))
	const width = 1024
	rows := max(1, size/(width+1))
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.NoCompression)
	if err != nil {
		panic(err)
	}
	row := make([]byte, width+1)
	for range rows {
		for i := 1; i+8 <= len(row); i += 8 {
			binary.LittleEndian.PutUint64(row[i:], r.Uint64())
		}
		if _, err := z.Write(row); err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	out := []byte("\x89PNG\r\n\x1a\n")
	chunk := func(name string, data []byte) {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		at := len(out)
		out = append(append(out, name...), data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[at:]))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), uint32(rows))
	chunk("IHDR", append(head, 8, 0, 0, 0, 0))
	chunk("IDAT", packed.Bytes())
	if card != nil {
		keyword := "chara"
		if bytes.Contains(card[:200], []byte("chara_card_v3")) || bytes.Contains(card[max(0, len(card)-200):], []byte("chara_card_v3")) {
			keyword = "ccv3"
		}
		chunk("tEXt", append([]byte(keyword+"\x00"), base64.StdEncoding.EncodeToString(card)...))
	}
	chunk("IEND", nil)
	return out
}
