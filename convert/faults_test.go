package convert_test

// Faults that other tools of this kind had, end to end: a file in, a file out, read again. The numbers are those of the
// project's list of known faults. What a container does with its bytes is tested beside the container.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	stdpng "image/png"
	"io"
	"slices"
	"strings"
	"testing"

	stdzip "archive/zip"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"bunzai/canonical"
	"bunzai/container/png"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

var engine = convert.New()

func read(t testing.TB, file string) *convert.Pieces {
	t.Helper()
	p, err := engine.Read(sourceOf(file), convert.Options{})
	require.NoError(t, err)
	return p
}

func nameIn(t testing.TB, file string) string {
	t.Helper()
	return read(t, file).Primary.Character().Identity.Name
}

func refused(t testing.TB, file string) *fault.Error {
	t.Helper()
	_, err := engine.Read(sourceOf(file), convert.Options{})
	require.Error(t, err)
	return checkWords(t, err)
}

// written converts to SillyTavern and gives the bytes.
func written(t testing.TB, file string, to formats.Container) (string, *convert.Report) {
	t.Helper()
	return emitted(t, read(t, file), to)
}

func emitted(t testing.TB, p *convert.Pieces, to formats.Container) (string, *convert.Report) {
	t.Helper()
	out, err := engine.Emit(p, convert.Options{To: "sillytavern", Container: to})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b), out.Report
}

// edited is the file with another name, written anew.
func edited(t testing.TB, file, name string, to formats.Container) string {
	t.Helper()
	p := read(t, file)
	p.Primary.Character().Identity.Name = name
	b, _ := emitted(t, p, to)
	return b
}

// strictPNG walks every chunk as a strict decoder does and returns "type length" of each, keyword first for texts.
func strictPNG(t testing.TB, s string) (chunks []string) {
	t.Helper()
	require.Equal(t, pngSignature, s[:8])
	for s = s[8:]; s != ""; {
		n := int(binary.BigEndian.Uint32([]byte(s)))
		require.LessOrEqual(t, 12+n, len(s))
		kind, data := s[4:8], s[8:8+n]
		require.Equal(t, crc32.ChecksumIEEE([]byte(s[4:8+n])), binary.BigEndian.Uint32([]byte(s[8+n:])), kind)
		if kind == "tEXt" {
			k, v, ok := strings.Cut(data, "\x00")
			require.True(t, ok)
			require.NotContains(t, v, "\x00")
			kind += " " + k
		}
		chunks = append(chunks, kind)
		s = s[12+n:]
	}
	require.Equal(t, "IEND", chunks[len(chunks)-1])
	return chunks
}

// unzip reads an archive with the standard library: name to content.
func unzip(t testing.TB, s string) (names []string, content map[string]string) {
	t.Helper()
	r, err := stdzip.NewReader(strings.NewReader(s), int64(len(s)))
	require.NoError(t, err)
	content = map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(rc)
		require.NoError(t, err)
		names = append(names, f.Name)
		content[f.Name] = string(b)
	}
	return names, content
}

func TestKnownFaultsPNG(t *testing.T) {
	ann := b64(v2(map[string]any{"name": "Ann"}))
	t.Run("KF-001 a card chunk after other texts", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, picture(tEXt("Software", "Editor")+tEXt("chara", ann), "")))
	})
	t.Run("KF-002 no card chunk", func(t *testing.T) {
		f := refused(t, picture(tEXt("Software", "Editor"), ""))
		assert.Equal(t, fault.NoCard, f.Code)
		assert.Contains(t, f.Message, "no chara or ccv3 chunk, only Software")
		assert.Equal(t, "Ann", nameIn(t, picture(tEXt("chara", ann), "")), "the next file still reads")
	})
	t.Run("KF-003 zTXt", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, picture("", forgeChunk("zTXt", "ccv3\x00\x00"+zlibOf(ann)))))
	})
	t.Run("KF-004 iTXt, plain and compressed", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, picture("", forgeChunk("iTXt", "chara\x00\x00\x00en\x00karta\x00"+ann))))
		assert.Equal(t, "Ann", nameIn(t, picture("", forgeChunk("iTXt", "chara\x00\x01\x00en\x00karta\x00"+zlibOf(ann)))))
	})
	t.Run("KF-005 ccv3 alone", func(t *testing.T) {
		p := read(t, pngCard(small(named("New"))))
		assert.Equal(t, "New", p.Primary.Character().Identity.Name)
		assert.Equal(t, "v3", p.Variant)
	})
	t.Run("KF-006 ccv3 before chara, in both orders", func(t *testing.T) {
		old, fresh := tEXt("chara", b64(v2(map[string]any{"name": "Old"}))), tEXt("ccv3", b64(small(named("New"))))
		assert.Equal(t, "New", nameIn(t, picture("", old+fresh)))
		assert.Equal(t, "New", nameIn(t, picture("", fresh+old)))
		assert.Equal(t, "New", nameIn(t, picture(fresh, old)))
	})
	t.Run("KF-007 the value is all that follows the NUL", func(t *testing.T) {
		for n := range 4 { // every length of base64 padding
			name := strings.Repeat("x", n+1)
			assert.Equal(t, name, nameIn(t, picture("", tEXt("chara", b64(v2(map[string]any{"name": name}))))))
		}
	})
	t.Run("KF-008 a strict decoder takes what is written", func(t *testing.T) {
		for _, file := range []string{string(small()), pngCard(small()), picture("", tEXt("chara", ann)), edited(t, pngCard(small()), "Bob", formats.PNG)} {
			out, _ := written(t, file, formats.PNG)
			strictPNG(t, out)
			_, err := stdpng.Decode(strings.NewReader(out))
			assert.NoError(t, err)
		}
	})
	t.Run("KF-009 cut inside IDAT after the card", func(t *testing.T) {
		whole := picture(tEXt("chara", ann), "")
		p := read(t, whole[:len(whole)-20])
		assert.Equal(t, "Ann", p.Primary.Character().Identity.Name)
		assert.Contains(t, strings.Join(p.Warnings, "\n"), "cut short")
		out, _ := emitted(t, p, formats.PNG)
		strictPNG(t, out)
	})
	t.Run("KF-010 an animated portrait stays animated", func(t *testing.T) {
		frame := "\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x02\x00\x00"
		animation := forgeChunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00") + forgeChunk("fcTL", frame)
		second := forgeChunk("fcTL", "\x00\x00\x00\x01"+frame[4:]) + forgeChunk("fdAT", "\x00\x00\x00\x02"+zlibOf("\x00\x01\x02\x03\x04\x05\x06"))
		file := picture(animation, second+tEXt("chara", ann))
		out := edited(t, file, "Bob", formats.PNG)
		assert.Equal(t, "Bob", nameIn(t, out))
		assert.Equal(t, []string{"IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "tEXt chara", "IEND"}, strictPNG(t, out))
		assert.Contains(t, out, animation)
		assert.Contains(t, out, second)
		// Through an archive and back.
		arc, _ := written(t, file, formats.CharX)
		back, _ := written(t, arc, formats.PNG)
		assert.Contains(t, back, second)
	})
	t.Run("KF-033 text beyond ASCII", func(t *testing.T) {
		const name = "é🙂漢"
		for _, to := range []formats.Container{formats.PNG, formats.JSON, formats.CharX} {
			out, _ := written(t, picture("", tEXt("chara", b64(v2(map[string]any{"name": name})))), to)
			assert.Equal(t, name, nameIn(t, out))
		}
	})
	t.Run("KF-040 spellings of base64", func(t *testing.T) {
		card := v2(map[string]any{"name": "Ann", "description": "?>?>~~~ÿÿÿ"})
		std := b64(card)
		var lines []string
		for s := range slices.Chunk([]byte(std), 76) {
			lines = append(lines, string(s))
		}
		for spelling, v := range map[string]string{
			"no padding": strings.TrimRight(std, "="), "lines": strings.Join(lines, "\n"), "lines of Windows": strings.Join(lines, "\r\n"),
			"URL alphabet": strings.NewReplacer("+", "-", "/", "_").Replace(std), "NUL behind": std + "\x00", "space behind": std + " ",
		} {
			p := read(t, picture("", tEXt("chara", v)))
			assert.Equal(t, "?>?>~~~ÿÿÿ", *p.Primary.Character().Identity.Description, spelling)
		}
	})
	t.Run("KF-136 a payload that is no card", func(t *testing.T) {
		for payload, says := range map[string]string{
			"***":                "no base64",
			b64([]byte("hello")): "not valid JSON",
			b64([]byte("null")):  "must be a JSON object, and this is null",
			b64([]byte("[]")):    "must be a JSON object, and this is a list",
			b64([]byte(`"x"`)):   "must be a JSON object, and this is text",
			b64([]byte("1")):     "must be a JSON object, and this is a number",
			"":                   "empty",
		} {
			f := refused(t, picture("", tEXt("chara", payload)))
			assert.Contains(t, f.Error(), says)
			assert.Contains(t, f.Where, "chunk chara", payload)
		}
		assert.Equal(t, "Ann", nameIn(t, picture("", tEXt("chara", ann))), "the next file still reads")
	})
}

func TestKnownFaultsArchive(t *testing.T) {
	pic := picture("", "")
	t.Run("KF-012 sizes only behind the data", func(t *testing.T) {
		f := cardFile(named("Ann"))
		f.stream = true
		assert.Equal(t, "Ann", nameIn(t, archive("", f)))
		assert.Equal(t, "Bob", nameIn(t, edited(t, archive("", f, file{name: "x_meta/0.json", data: "{}", method: 8, stream: true}), "Bob", formats.CharX)))
	})
	t.Run("KF-013 a large picture in front and card.json last", func(t *testing.T) {
		z := archive("", append(many(300), cardFile(named("Ann")))...)
		assert.Equal(t, "Ann", nameIn(t, "\xff\xd8\xff\xe0"+strings.Repeat("\x00", 2*mib)+"\xff\xd9"+z))
	})
	t.Run("KF-014 a JPEG with an archive behind, and no card", func(t *testing.T) {
		out, _ := written(t, "\xff\xd8\xff\xe0\x00\x04JF\xff\xd9"+archive("", cardFile(named("Ann"))), formats.JSON)
		assert.Equal(t, "Ann", nameIn(t, out))
		f := refused(t, "0123456789"+archive("", file{name: "a.txt", data: "x"}))
		assert.Equal(t, fault.NoCard, f.Code)
		assert.Contains(t, f.Message, "no card.json")
	})
	t.Run("KF-015 a comment with the mark of an end", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, archive("PK\x05\x06"+strings.Repeat("x", 40), cardFile(named("Ann")))))
	})
	t.Run("KF-016 more comes out than is stated", func(t *testing.T) {
		f := refused(t, archive("", file{name: "card.json", comp: zeros(300 * mib), method: 8, size: 10}))
		assert.Equal(t, fault.OverLimit, f.Code)
		assert.Equal(t, "entry card.json", f.Where)
	})
	t.Run("KF-017 assets of one type and name", func(t *testing.T) {
		card := small(func(d map[string]any) {
			var list []any
			for i := range 3 {
				list = append(list, map[string]string{"type": "icon", "name": "iconx", "ext": "png", "uri": "data:image/png;base64," + b64([]byte(picture("", tEXt("n", fmt.Sprint(i)))))})
			}
			d["assets"] = list
		})
		out, _ := written(t, string(card), formats.CharX)
		names, content := unzip(t, out)
		low := map[string]bool{}
		for _, n := range names {
			assert.False(t, low[strings.ToLower(n)], n)
			low[strings.ToLower(n)] = true
		}
		assert.Len(t, names, 4)
		p := read(t, out)
		got := []string{}
		for _, a := range append([]*canonical.Asset{p.Primary.Character().Media.Portrait}, p.Primary.Character().Media.Assets...) {
			raw, err := a.Blob.Raw()
			require.NoError(t, err)
			b, err := rope.View(raw, 0, raw.Size())
			require.NoError(t, err)
			for i := range 3 {
				if bytes.Contains(b, []byte(tEXt("n", fmt.Sprint(i)))) {
					got = append(got, fmt.Sprint(i))
				}
			}
		}
		assert.Equal(t, []string{"0", "1", "2"}, got, "%v", content["card.json"])
	})
	t.Run("KF-018 a path that climbs out", func(t *testing.T) {
		file := archive("", cardFile(with("assets", []any{map[string]string{"type": "icon", "name": "main", "ext": "png", "uri": "embeded://../../x.png"}})), file{name: "../../x.png", data: pic})
		p := read(t, file)
		assert.Nil(t, p.Primary.Character().Media.Portrait)
		assert.Contains(t, strings.Join(p.Warnings, "\n"), "embeded://../../x.png")
		for _, to := range []formats.Container{formats.PNG, formats.JSON} {
			out, _ := emitted(t, p, to)
			assert.NotContains(t, out, "\x00../../x.png")
		}
	})
	t.Run("KF-019 a name in Shift-JIS", func(t *testing.T) {
		name := "\x83\x65\x83\x58\x83\x67\x2e\x70\x6e\x67"
		z := archive("", cardFile(named("Ann")), file{name: name, data: pic})
		assert.Equal(t, "Bob", nameIn(t, edited(t, z, "Bob", formats.CharX)))
		assert.Contains(t, edited(t, z, "Bob", formats.CharX), name, "the raw name is kept")
	})
	t.Run("KF-020 backslashes and a leading slash", func(t *testing.T) {
		f := cardFile(with("assets", []any{map[string]string{"type": "icon", "name": "main", "ext": "png", "uri": "embeded://assets/icon/image/0.png"}}))
		f.name = "/card.json"
		p := read(t, archive("", f, file{name: `assets\icon\image\0.png`, data: pic}))
		require.NotNil(t, p.Primary.Character().Media.Portrait)
		require.NotNil(t, p.Primary.Character().Media.Portrait.Blob)
		assert.Equal(t, int64(len(pic)), p.Primary.Character().Media.Portrait.Blob.Size)
	})
	t.Run("KF-021 what is written can be read", func(t *testing.T) {
		lim := limits.Card()
		lim.Name, lim.Archive = "card", 3*mib
		big := strings.Repeat("x", 2*mib)
		card := small(with("assets", []any{
			map[string]string{"type": "background", "name": "a", "ext": "png", "uri": "data:image/png;base64," + b64([]byte(pngSignature+big))},
			map[string]string{"type": "background", "name": "b", "ext": "png", "uri": "data:image/png;base64," + b64([]byte(pngSignature+big))},
		}))
		_, err := engine.Convert(rope.Bytes(card), convert.Options{To: "sillytavern", Container: formats.CharX, Limits: lim})
		f := checkWords(t, err)
		assert.Equal(t, fault.OverLimit, f.Code)
		assert.Equal(t, "Archive", f.Limit.Name)
		// A text that shrinks a thousandfold must not look like a bomb to the next reader.
		out, _ := written(t, string(small(with("description", strings.Repeat("na ", 2*mib)))), formats.CharX)
		assert.Equal(t, bench, nameIn(t, out))
		// A card too large for two chunks gets one.
		out, rep := written(t, string(small(with("description", strings.Repeat("na ", 9*mib)))), formats.PNG)
		assert.Equal(t, bench, nameIn(t, out))
		assert.Contains(t, strings.Join(rep.Warnings, "\n"), "second copy of the card")
	})
	t.Run("KF-022 members that nobody uses are kept", func(t *testing.T) {
		module := "o\x00\x01\x02\x03 any bytes"
		p := read(t, archive("", cardFile(named("Ann")), file{name: "module.risum", data: module, method: 8}, file{name: "x_meta/0.json", data: `{"a":1}`}))
		require.Equal(t, "risu", p.Info.App)
		p.Primary.Character().Identity.Name = "Bob"
		o, err := engine.Emit(p, convert.Options{To: "risu"})
		require.NoError(t, err)
		b, err := o.Data.Bytes()
		require.NoError(t, err)
		out := string(b)
		names, content := unzip(t, out)
		assert.Equal(t, []string{"card.json", "module.risum", "x_meta/0.json"}, names)
		assert.Equal(t, module, content["module.risum"])
		assert.Equal(t, `{"a":1}`, content["x_meta/0.json"])
		assert.Equal(t, "Bob", nameIn(t, out))
	})
	t.Run("KF-023 settings of a book beside a module", func(t *testing.T) {
		p := read(t, archive("", cardFile(func(d map[string]any) {
			b := d["character_book"].(map[string]any)
			b["scan_depth"], b["token_budget"], b["recursive_scanning"] = 7, 900, true
		}), file{name: "module.risum", data: "o\x00"}))
		require.Len(t, p.Books, 1)
		out, _ := emitted(t, p, formats.JSON)
		for _, s := range []string{`"scan_depth":7`, `"token_budget":900`, `"recursive_scanning":true`} {
			assert.Contains(t, strings.ReplaceAll(out, `": `, `":`), s)
		}
	})
	t.Run("KF-125 card data in the icon is not the card", func(t *testing.T) {
		main := "assets/icon/image/main.png"
		z := archive("", cardFile(named("New"), withIcon), file{name: main, data: pngCard(small(named("Old")))})
		assert.Equal(t, "New", nameIn(t, z))
		out, _ := written(t, z, formats.PNG)
		assert.Equal(t, "New", nameIn(t, out))
		f, err := png.Open(sourceOf(out), limits.Card())
		require.NoError(t, err)
		cards := 0
		for _, x := range f.Texts() {
			if png.IsCardKeyword(x.Keyword) {
				cards++
			}
		}
		assert.Equal(t, 2, cards, "the old card went with its chunk")
	})
	t.Run("KF-133 one damaged asset", func(t *testing.T) {
		main := "assets/icon/image/main.png"
		z := archive("", cardFile(named("Ann"), withIcon), file{name: main, data: pic, crc: 0xdeadbeef}, file{name: "b.png", comp: []byte("no deflate"), method: 8, size: 99, crc: 1})
		out, rep := written(t, z, formats.CharX)
		assert.Equal(t, "Ann", nameIn(t, out))
		assert.NotNil(t, rep)
		out, _ = written(t, z, formats.PNG)
		assert.Equal(t, "Ann", nameIn(t, out))
	})
	t.Run("KF-134 no assets, or one before card.json", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, archive("", cardFile(named("Ann")))))
		assert.Equal(t, "Ann", nameIn(t, archive("", file{name: "a.png", data: pic}, cardFile(named("Ann")))))
	})
}

func TestKnownFaultsDetection(t *testing.T) {
	t.Run("KF-026 bytes decide, not the name", func(t *testing.T) {
		for name, file := range map[string]string{"card.jpg": pngCard(small()), "card.zip": archive("", cardFile()), "card.txt": string(small()), "card": string(small())} {
			p, err := engine.Read(sourceOf(file), convert.Options{Name: name})
			require.NoError(t, err)
			assert.Equal(t, bench, p.Primary.Character().Identity.Name, name)
		}
	})
	t.Run("KF-027 KF-032 a WebP by any name", func(t *testing.T) {
		for _, name := range []string{"card.png", "card.json", "card.webp"} {
			_, err := engine.Read(sourceOf("RIFF\x24\x00\x00\x00WEBPVP8 "+strings.Repeat("\x00", 24)), convert.Options{Name: name})
			f := checkWords(t, err)
			assert.Equal(t, fault.Unsupported, f.Code)
			assert.Contains(t, f.Message, "WEBP file (image/webp), and cards of that kind are not supported; bunzai reads PNG, JSON and ZIP")
		}
	})
	t.Run("KF-028 a lorebook is no blank character", func(t *testing.T) {
		p := read(t, `{"entries":{"0":{"key":["a"],"content":"b"}}}`)
		require.Equal(t, canonical.KindLorebook, p.Primary.Kind)
		assert.Equal(t, "b", p.Primary.Lorebook().Entries[0].Content)
	})
	t.Run("KF-029 spec decides the version", func(t *testing.T) {
		for _, file := range []string{
			`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","first_mes":"Hi"}}`,
			`{"spec":"chara_card_v2","spec_version":2,"data":{"name":"Ann","first_mes":"Hi"}}`,
			`{"spec":"chara_card_v2","spec_version":null,"data":{"name":"Ann","first_mes":"Hi"}}`,
		} {
			p := read(t, file)
			assert.Equal(t, "v2", p.Variant)
			assert.Equal(t, "Ann", p.Primary.Character().Identity.Name)
		}
		assert.Equal(t, "v1", read(t, v1Card).Variant)
	})
	t.Run("KF-030 a wrapped card with a name only", func(t *testing.T) {
		assert.Equal(t, "Ann", nameIn(t, `{"spec":"chara_card_v2","data":{"name":"Ann"}}`))
	})
	t.Run("KF-031 presets are no cards", func(t *testing.T) {
		for _, file := range []string{`{"name":"x","blocks":[]}`, `{"name":"x","prompts":[{"identifier":"main"}],"prompt_order":[]}`, `{"temp":1,"top_p":1}`} {
			p, err := engine.Read(sourceOf(file), convert.Options{})
			if err != nil {
				checkWords(t, err)
				continue
			}
			assert.NotEqual(t, canonical.KindCharacter, p.Primary.Kind)
		}
	})
	t.Run("KF-135 a refusal names the place", func(t *testing.T) {
		assert.Contains(t, refused(t, "{\n\"spec\":\"chara_card_v2\",\n\"data\":{name}}").Error(), "line 3, column 9")
		f := refused(t, `{"spec":"chara_card_v2"}`)
		assert.Equal(t, "data", f.Where)
		assert.Contains(t, f.Message, "data must be an object with the card's fields, and it is missing")
		p := read(t, `{"spec":"chara_card_v2","data":{"name":"Ann","first_mes":{"a":1}}}`)
		assert.Contains(t, strings.Join(p.Warnings, "\n"), "data.first_mes")
	})
}

func TestKnownFaultsJSON(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	t.Run("KF-034 a byte order mark", func(t *testing.T) {
		for where, file := range map[string]string{
			"JSON": mark + string(small()), "PNG": pngCard([]byte(mark + string(small()))), "ZIP": archive("", file{name: "card.json", data: mark + string(small())}),
		} {
			assert.Equal(t, bench, nameIn(t, file), where)
		}
		assert.Equal(t, canonical.KindLorebook, read(t, mark+`{"entries":{"0":{"key":["a"],"content":"b"}}}`).Primary.Kind)
		out, _ := written(t, mark+string(small()), formats.PNG)
		assert.NotContains(t, out, b64([]byte(mark)), "apps cannot read the mark inside a chunk")
		out, _ = written(t, mark+string(small()), formats.JSON)
		assert.Equal(t, mark, out[:3], "kept where it was")
	})
	t.Run("KF-039 nested too deep", func(t *testing.T) {
		for _, file := range []string{strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), nested(200_000, "[", "]"), pngCard([]byte(nested(200_000, `{"a":`, "}")))} {
			f := refused(t, file)
			assert.Equal(t, fault.OverLimit, f.Code)
			assert.Contains(t, f.Message, "nested too deep")
		}
		assert.Equal(t, bench, nameIn(t, string(small())), "the next call works")
	})
}

func TestKnownFaultsAssets(t *testing.T) {
	list := func(uri, ext string) func(map[string]any) {
		return with("assets", []any{map[string]string{"type": "icon", "name": "main", "ext": ext, "uri": uri}})
	}
	t.Run("KF-119 both spellings of asset chunks", func(t *testing.T) {
		for _, k := range []string{"chara-ext-asset_:0", "chara-ext-asset_0"} {
			card := small(with("assets", []any{map[string]string{"type": "emotion", "name": "joy", "ext": "png", "uri": "__asset:0"}}))
			p := read(t, picture("", tEXt(k, b64([]byte(picture("", ""))))+tEXt("ccv3", b64(card))))
			require.Len(t, p.Primary.Character().Media.Assets, 1)
			raw, err := p.Primary.Character().Media.Assets[0].Blob.Raw()
			require.NoError(t, err)
			assert.Equal(t, int64(len(picture("", ""))), raw.Size(), k)
		}
	})
	t.Run("KF-120 asset chunks on the way to PNG", func(t *testing.T) {
		pics := []string{picture("", tEXt("n", "0")), picture("", tEXt("n", "1"))}
		for _, own := range []string{"", "risuai"} { // a card that any app made, and one of Risu
			card := small(with("assets", []any{
				map[string]string{"type": "x-risu-asset", "name": "hat", "ext": "png", "uri": "__asset:0"}, map[string]string{"type": "emotion", "name": "joy", "ext": "png", "uri": "__asset:1"},
			}), func(d map[string]any) {
				if own != "" {
					d["extensions"] = map[string]any{own: map[string]any{}}
				}
			})
			in := picture("", tEXt("chara-ext-asset_:0", b64([]byte(pics[0])))+tEXt("chara-ext-asset_:1", b64([]byte(pics[1])))+tEXt("ccv3", b64(card)))
			for _, to := range []string{"sillytavern", "risu", "lumiverse"} {
				p := read(t, in)
				p.Primary.Character().Identity.Name = "Bob"
				out, err := engine.Emit(p, convert.Options{To: to, Container: formats.PNG})
				require.NoError(t, err)
				b, err := out.Data.Bytes()
				require.NoError(t, err)
				c := read(t, string(b)).Primary.Character()
				assert.Equal(t, "Bob", c.Identity.Name)
				require.Len(t, c.Media.Assets, 2, "%s to %s", p.Info.ID, to)
				for i, a := range c.Media.Assets {
					require.NotNil(t, a.Blob)
					raw, err := a.Blob.Raw()
					require.NoError(t, err)
					b, err := rope.View(raw, 0, raw.Size())
					require.NoError(t, err)
					assert.Equal(t, pics[i], string(b), "%s to %s", p.Info.ID, to)
				}
				if to == p.Info.App || to == "risu" { // in chunks, as they were
					f, err := png.Open(rope.Bytes(b), limits.Card())
					require.NoError(t, err)
					var held []string
					for _, x := range f.Texts() {
						if _, ok := png.AssetPath(x.Keyword); ok {
							v, err := f.Text(x)
							require.NoError(t, err)
							held = append(held, string(v))
						}
					}
					assert.Equal(t, []string{b64([]byte(pics[0])), b64([]byte(pics[1]))}, held)
				}
			}
		}
	})
	t.Run("KF-121 ccdefault:", func(t *testing.T) {
		p := read(t, pngCard(small(list("ccdefault:", "png"))))
		require.NotNil(t, p.Primary.Character().Media.Portrait)
		assert.Empty(t, p.Primary.Character().Media.Assets)
		p = read(t, string(small(list("ccdefault:", "png"))))
		assert.Nil(t, p.Primary.Character().Media.Portrait)
		assert.Empty(t, p.Warnings)
	})
	t.Run("KF-122 the extension is that of the bytes", func(t *testing.T) {
		webp := "RIFF\x24\x00\x00\x00WEBPVP8 " + strings.Repeat("\x00", 24)
		for _, c := range []struct{ ext, data, want string }{
			{"unknown", picture("", ""), "assets/icon/image/main.png"}, {"", picture("", ""), "assets/icon/image/main.png"}, {"jpg", webp, "assets/icon/image/main.webp"},
		} {
			out, _ := written(t, string(small(list("data:application/octet-stream;base64,"+b64([]byte(c.data)), c.ext))), formats.CharX)
			names, content := unzip(t, out)
			assert.Contains(t, names, c.want)
			assert.Contains(t, content["card.json"], "embeded://"+c.want)
			assert.Equal(t, c.data, content[c.want])
		}
	})
	t.Run("KF-123 letter case of a link", func(t *testing.T) {
		z := archive("", cardFile(list("embeded://assets/smile.png", "png")), file{name: "assets/Smile.PNG", data: picture("", "")})
		require.NotNil(t, read(t, z).Primary.Character().Media.Portrait)
		z = archive("", cardFile(with("assets", []any{
			map[string]string{"type": "emotion", "name": "a", "ext": "png", "uri": "embeded://a.png"},
			map[string]string{"type": "emotion", "name": "A", "ext": "png", "uri": "embeded://A.png"},
		})), file{name: "a.png", data: picture("", tEXt("n", "low"))}, file{name: "A.png", data: picture("", tEXt("n", "high"))})
		out, _ := written(t, edited(t, z, "Bob", formats.JSON), formats.CharX)
		names, content := unzip(t, out)
		require.Len(t, names, 3)
		assert.NotEqual(t, strings.ToLower(names[1]), strings.ToLower(names[2]), "two files also where letter case does not count")
		assert.NotEqual(t, content[names[1]], content[names[2]])
	})
	t.Run("KF-124 texts that name assets stay", func(t *testing.T) {
		const greeting = `<img="Smile"> {{raw::Smile}} embeded://assets/other/image/0.png`
		z := archive("", cardFile(with("first_mes", greeting), with("extensions", map[string]any{"risuai": map[string]any{}}), with("assets", []any{map[string]string{"type": "x-risu-asset", "name": "Smile", "ext": "png", "uri": "embeded://assets/other/image/0.png"}})),
			file{name: "assets/other/image/0.png", data: picture("", "")})
		for _, c := range []struct {
			app    string
			to     formats.Container
			warned []string
			not    []string
		}{
			{"sillytavern", formats.CharX, []string{`<img="Smile">`, "{{raw::Smile}}", "SillyTavern does not fill in"}, []string{"lead nowhere"}},
			{"sillytavern", formats.JSON, []string{`<img="Smile">`, "{{raw::Smile}}", "lead nowhere: embeded://assets/other/image/0.png"}, nil},
			{"lumiverse", formats.CharX, []string{"{{raw::Smile}}", "lead nowhere"}, []string{`<img="Smile">`}},
			{"risu", formats.CharX, nil, []string{"{{raw::Smile}}", "lead nowhere"}},
			{"risu", formats.PNG, []string{"lead nowhere"}, []string{"{{raw::Smile}}"}},
		} {
			o, err := engine.Emit(read(t, z), convert.Options{To: c.app, Container: c.to})
			require.NoError(t, err)
			b, err := o.Data.Bytes()
			require.NoError(t, err)
			x := read(t, string(b)).Primary.Character()
			assert.Equal(t, greeting, *x.Greetings.FirstMessage)
			require.Len(t, x.Media.Assets, 1)
			assert.Equal(t, "Smile", *x.Media.Assets[0].Name)
			assert.NotNil(t, x.Media.Assets[0].Blob)
			said := strings.Join(o.Report.Warnings, "\n")
			for _, w := range c.warned {
				assert.Contains(t, said, w, "%s %s", c.app, c.to)
			}
			for _, w := range c.not {
				assert.NotContains(t, said, w, "%s %s", c.app, c.to)
			}
		}
	})
}

func TestKnownFaultsNames(t *testing.T) {
	take := func(ext string, names ...string) []string {
		var n convert.Names
		var out []string
		for _, s := range names {
			out = append(out, n.Take(convert.FileName(s, ext), ext))
		}
		return out
	}
	t.Run("KF-128 names that become equal", func(t *testing.T) {
		assert.Equal(t, []string{"A_B.png", "A_B (2).png", "A_B (3).png"}, take(".png", "A/B", "A:B", "A*B"))
		assert.Equal(t, []string{"A.png", "A (2).png"}, take(".png", "A ", "A"))
		assert.Equal(t, []string{"A (2).png", "A.png", "A (3).png"}, take(".png", "A (2)", "A", "A"))
		assert.Equal(t, []string{"A.bunzai.json", "a (2).bunzai.json"}, take(".bunzai.json", "A", "a.bunzai.json"))
		assert.Equal(t, []string{"character.png", "character (2).png"}, take(".png", "", "..."))
	})
	t.Run("KF-129 letter case and accent forms", func(t *testing.T) {
		names := take(".json", "Touché", "touche", "TOUCHE", norm.NFD.String("Touché"), norm.NFC.String("TOUCHÉ"), "Straße", "STRASSE")
		assert.Equal(t, []string{"Touché.json", "touche.json", "TOUCHE (2).json", norm.NFD.String("Touché") + " (2).json", "TOUCHÉ (3).json", "Straße.json", "STRASSE (2).json"}, names)
	})
	t.Run("KF-131 names beyond Latin", func(t *testing.T) {
		assert.Equal(t, []string{"Скрипт.json", "脚本.json"}, take(".json", "Скрипт", "脚本"))
	})
}
