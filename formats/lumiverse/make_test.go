package lumiverse

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	imagepng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/container/png"
	"bunzai/container/zip"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// pixel is a small picture of its own colour.
func pixel(n uint8) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	m.Set(0, 0, color.NRGBA{n, 255 - n, n * 3, 255})
	var b bytes.Buffer
	if err := imagepng.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

var webp = []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")

type file struct {
	path string
	data []byte
}

func archive(t testing.TB, files ...file) []byte {
	w := zip.NewWriter()
	for _, f := range files {
		require.NoError(t, w.Deflate(f.path, f.data))
	}
	r, err := w.Finish()
	require.NoError(t, err)
	return bytesOf(t, r)
}

func bytesOf(t testing.TB, r rope.Source) []byte {
	b, err := rope.View(r, 0, r.Size())
	require.NoError(t, err)
	return b
}

func pngCard(t testing.TB, chunks ...string) []byte {
	f, err := png.Open(rope.Bytes(pixel(9)), limits.Card())
	require.NoError(t, err)
	var add []png.Addition
	for i := 0; i < len(chunks); i += 2 {
		add = append(add, png.Addition{Keyword: chunks[i], Value: []byte(base64.StdEncoding.EncodeToString([]byte(chunks[i+1])))})
	}
	r, err := f.Replace(png.IsCardKeyword, add...)
	require.NoError(t, err)
	return bytesOf(t, r)
}

func input(t testing.TB, b []byte) *formats.Input {
	in, err := formats.Open(rope.Bytes(b), "", limits.Card())
	require.NoError(t, err)
	return in
}

func decode(t testing.TB, b []byte) *formats.Decoded {
	d, err := character{}.Decode(input(t, b))
	require.NoError(t, err)
	return d
}

// pieces decodes a card and links its books.
func pieces(t testing.TB, b []byte) (*formats.Decoded, []*canonical.Entity) {
	d := decode(t, b)
	books, _, err := character{}.ExtractBooks(d.Entity)
	require.NoError(t, err)
	return d, books
}

func encode(t testing.TB, e *canonical.Entity, ctx formats.EncodeContext) []byte {
	b, err := tryEncode(t, e, ctx)
	require.NoError(t, err)
	return b
}

func tryEncode(t testing.TB, e *canonical.Entity, ctx formats.EncodeContext) ([]byte, error) {
	if ctx.Limits.Name == "" {
		ctx.Limits = limits.Card()
	}
	out, err := character{}.Encode(e, ctx)
	if err != nil {
		return nil, err
	}
	return bytesOf(t, out.Data), nil
}

type entry struct {
	name string
	data string
}

func entries(t testing.TB, b []byte) (out []entry) {
	z, err := zip.Open(rope.Bytes(b), limits.Card())
	require.NoError(t, err)
	for _, e := range z.Entries {
		d, err := e.ReadAll()
		require.NoError(t, err)
		out = append(out, entry{e.Name, string(d)})
	}
	return out
}

func names(es []entry) (out []string) {
	for _, e := range es {
		out = append(out, e.name)
	}
	return out
}

func entryOf(t testing.TB, b []byte, name string) string {
	for _, e := range entries(t, b) {
		if e.name == name {
			return e.data
		}
	}
	require.Fail(t, "no entry "+name)
	return ""
}

// diff lists the entries that differ: "-x" gone, "+x" new, "~x" changed.
func diff(t testing.TB, a, b []byte) (out []string) {
	x, y := map[string]string{}, map[string]string{}
	ea, eb := entries(t, a), entries(t, b)
	for _, e := range ea {
		x[e.name] = e.data
	}
	for _, e := range eb {
		y[e.name] = e.data
	}
	for _, e := range ea {
		if d, ok := y[e.name]; !ok {
			out = append(out, "-"+e.name)
		} else if d != e.data {
			out = append(out, "~"+e.name)
		}
	}
	for _, e := range eb {
		if _, ok := x[e.name]; !ok {
			out = append(out, "+"+e.name)
		}
	}
	return out
}

func parse(t testing.TB, s string) *jsondoc.Value {
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

func assetText(a *canonical.Asset) string {
	s := a.Role + " " + canonical.Or(a.Label, "-") + " " + canonical.Or(a.Name, "-")
	if a.Blob == nil {
		s += " (no bytes)"
	}
	return s
}

func assetTexts(c *canonical.Character) (out []string) {
	for _, a := range c.Media.Assets {
		out = append(out, assetText(a))
	}
	return out
}

func raw(t testing.TB, a *canonical.Asset) []byte {
	require.NotNil(t, a)
	require.NotNil(t, a.Blob)
	r, err := a.Blob.Raw()
	require.NoError(t, err)
	return bytesOf(t, r)
}

func picOf(b []byte) *canonical.Blob { return canonical.RawBlob(rope.FromBytes(b), "") }

const richCard = `{
  "spec": "chara_card_v3",
  "spec_version": "3.0",
  "data": {
    "name": "Mira",
    "description": "A keeper of lamps.",
    "personality": "calm",
    "scenario": "A harbour.",
    "first_mes": "Hello.",
    "mes_example": "",
    "creator": "",
    "creator_notes": "",
    "system_prompt": "",
    "post_history_instructions": "",
    "tags": ["sea"],
    "alternate_greetings": ["Hi.", "Hey."],
    "character_book": {"name": "Merged Lorebook (2 books)", "description": "Merged from: Town, Sea", "entries": [
      {"id": 0, "keys": ["town"], "secondary_keys": [], "content": "A town.", "comment": "[Town] Square", "enabled": true, "insertion_order": 5, "position": 2, "depth": 4, "selective": false, "constant": false, "case_sensitive": false, "match_whole_words": false, "extensions": {"priority": 10, "selective_logic": 2, "uid": "u-1"}},
      {"id": 1, "keys": ["sea"], "secondary_keys": [], "content": "A sea.", "comment": "[Sea] Waves", "enabled": true, "insertion_order": 0, "position": 8, "depth": 4, "selective": false, "constant": false, "case_sensitive": false, "match_whole_words": false, "extensions": {"priority": 10, "selective_logic": 0, "uid": "u-2", "outlet_name": "deep"}}
    ]},
    "extensions": {"alternate_character_name": "Lamp", "ttsVoice": {"connectionId": "c1", "voice": ""}, "custom": {"x": 1.50}}
  }
}`

const richModules = `{
  "version": 1,
  "has_nsfw_expressions": true,
  "expressions": {"enabled": true, "defaultExpression": "calm", "mappings": {"calm": "assets/other/image/expr_calm.png", "笑顔": "assets/other/image/expr___.png", "怒り": "assets/other/image/expr___.png", "lost": "assets/other/image/expr_lost.png"}},
  "expression_groups": {"groups": {"Ines": {"glad": "assets/other/image/exprg_Ines--glad.png"}, "Empty": {}}},
  "alternate_fields": {
    "description": [{"id": "d1", "label": "Winter", "content": "In a coat."}, {"id": "d2", "label": "Variant 2", "content": "Old."}, {"id": "d3", "label": "Winter", "content": "In snow."}],
    "scenario": [{"id": "s1", "label": "Variant 2", "content": "A cellar."}, {"id": "s2", "label": "Winter", "content": "Snow."}]
  },
  "alternate_avatars": [{"id": "a1", "label": "Winter", "path": "assets/icon/image/a1.png"}],
  "landing_perspective_layers": [{"id": "l1", "label": "sky", "path": "assets/other/image/landing_layer_sky_l1.png", "intensity": 0.60}],
  "world_books": [
    {"version": 1, "type": "lumiverse_world_book", "name": "Town", "description": "", "metadata": {"source": "import"}, "entries": [
      {"uid": "u-1", "key": ["town"], "keysecondary": [], "content": "A town.", "comment": "Square", "position": 2, "depth": 4, "role": null, "order_value": 5, "selective": false, "constant": false, "disabled": false, "selective_logic": 2, "group_name": "", "priority": 10, "use_regex": false, "extensions": {"mine": 1}}
    ], "exported_at": 1760000000},
    {"version": 1, "type": "lumiverse_world_book", "name": "Sea", "description": "", "metadata": {}, "entries": [
      {"uid": "u-2", "key": ["sea"], "keysecondary": [], "content": "A sea.", "comment": "Waves", "position": 8, "outlet_name": "deep", "order_value": 0, "selective_logic": 0, "use_regex": false, "extensions": {}}
    ], "exported_at": 1760000000}
  ],
  "regex_scripts": [{"name": "Trim", "find_regex": "\\s+$", "replace_string": "", "flags": "g", "placement": ["ai_output"], "scope": "character", "scope_id": null, "target": "display", "metadata": {}}],
  "future": {"a": [1, 2.0]}
}`

// richFiles is an archive as the app writes it, the portrait behind an alternate avatar as it may be.
func richFiles() []file {
	return []file{
		{"card.json", []byte(richCard)},
		{"assets/icon/image/a1.png", pixel(1)},
		{"assets/other/image/expr_calm.png", pixel(2)},
		{"assets/icon/image/main.png", pixel(3)},
		{"assets/other/image/expr___.png", pixel(4)},
		{"assets/other/image/exprg_Ines--glad.png", pixel(5)},
		{"assets/other/image/landing_layer_sky_l1.png", pixel(6)},
		{"assets/other/image/gallery_g1.webp", webp},
		{"notes.txt", []byte("mine")},
		{"lumiverse_modules.json", []byte(richModules)},
	}
}

func rich(t testing.TB) []byte { return archive(t, richFiles()...) }

func plainCard(ext string) string {
	return `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"N","description":"d","personality":"","scenario":"","first_mes":"f","mes_example":"","extensions":` + ext + `}}`
}

func replaceOnce(t testing.TB, s, old, now string) string {
	require.Equal(t, 1, strings.Count(s, old), old)
	return strings.Replace(s, old, now, 1)
}

func text(v *jsondoc.Value) string { s, _ := v.Text(); return s }

func b64(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

func ropeOf(b []byte) rope.Source { return rope.Bytes(b) }

// differs lists the paths where two bodies say different things; "" and absent say the same.
func differs(t testing.TB, a, b any) (out []string) {
	changes, err := canonical.Diff(a, b)
	require.NoError(t, err)
	for _, c := range changes {
		if x, y := c.Before, c.After; (x == nil || x == "") && (y == nil || y == "") {
			continue
		}
		out = append(out, c.Path)
	}
	return out
}
