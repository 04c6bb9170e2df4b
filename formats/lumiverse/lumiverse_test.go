package lumiverse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
)

func TestDetect(t *testing.T) {
	card := func(ext string) []byte { return []byte(plainCard(ext)) }
	zipped := func(files ...file) []byte { return archive(t, files...) }
	lvBook := `{"name":"b","entries":[{"id":0,"keys":["k"],"content":"c","position":4,"extensions":{"selective_logic":2,"uid":"u"}}]}`
	for _, c := range []struct {
		name  string
		in    []byte
		score float64
	}{
		{"modules ZIP", zipped(file{"card.json", card(`{}`)}, file{sidecar, []byte(`{}`)}), 1},
		{"modules ZIP whose sidecar is broken", zipped(file{"card.json", card(`{}`)}, file{sidecar, []byte(`nonsense`)}), 1},
		{"modules ZIP with module.risum", zipped(file{"card.json", card(`{}`)}, file{"module.risum", []byte("x")}, file{sidecar, []byte(`{}`)}), 1},
		{"module.risum, no sidecar", zipped(file{"card.json", card(`{"expressions":{}}`)}, file{"module.risum", []byte("x")}), 0},
		{"card.json with a fingerprint", zipped(file{"card.json", card(`{"expressions":{}}`)}), 0.96},
		{"card.json without", zipped(file{"card.json", card(`{}`)}), 0},
		{"ZIP without a card", zipped(file{"x.txt", card(`{}`)}), 0},
		{"PNG ccv3", pngCard(t, "ccv3", plainCard(`{"expressions":{}}`)), 0.95},
		{"PNG chara", pngCard(t, "chara", plainCard(`{"databank_ids":[]}`)), 0.95},
		{"plain PNG", pngCard(t, "ccv3", plainCard(`{}`)), 0},
		{"plain JSON", card(`{"talkativeness":0.5}`), 0},
		{"expressions", card(`{"expressions":{}}`), 0.95},
		{"expressions as a list", card(`{"expressions":[]}`), 0},
		{"expression_groups", card(`{"expression_groups":{}}`), 0.95},
		{"alternate_fields", card(`{"alternate_fields":{}}`), 0.95},
		{"alternate_avatars", card(`{"alternate_avatars":[]}`), 0.95},
		{"alternate_avatars as an object", card(`{"alternate_avatars":{}}`), 0},
		{"lora", card(`{"lumiverse_image_gen_lora":{}}`), 0.95},
		{"alternate_character_name", card(`{"alternate_character_name":""}`), 0.95},
		{"alternate_character_name as a number", card(`{"alternate_character_name":1}`), 0},
		{"world_book_ids", card(`{"world_book_ids":[]}`), 0.95},
		{"databank_ids", card(`{"databank_ids":[]}`), 0.95},
		{"ttsVoice", card(`{"ttsVoice":null}`), 0.95},
		{"lumiverse_modules", card(`{"lumiverse_modules":{}}`), 0.95},
		{"layers", card(`{"landing_perspective_layers":[]}`), 0.95},
		{"greeting backgrounds", card(`{"greeting_backgrounds":{}}`), 0.95},
		{"weaver", card(`{"weaver":{"source":"weaver"}}`), 0.95},
		{"another weaver", card(`{"weaver":{"source":"loom"}}`), 0},
		{"install source", card(`{"_lumiverse_install_source":"hub"}`), 0.95},
		{"own lorebook", []byte(strings.Replace(plainCard(`{}`), `"extensions"`, `"character_book":`+lvBook+`,"extensions"`, 1)), 0.95},
		{"V2", []byte(strings.Replace(plainCard(`{"expressions":{}}`), "card_v3", "card_v2", 1)), 0.95},
		{"flat", []byte(`{"name":"N","description":"d","extensions":{"ttsVoice":1}}`), 0.95},
		{"no card", []byte(`{"extensions":{"ttsVoice":1}}`), 0},
		{"text", []byte("hello"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := character{}.Detect(input(t, c.in))
			assert.Equal(t, c.score, b.Score, b.Reason)
			assert.NotEmpty(t, b.Reason)
		})
	}
}

func TestDecodeRich(t *testing.T) {
	d, books := pieces(t, rich(t))
	c := d.Entity.Character()
	assert.Equal(t, formats.CharX, d.Container)
	assert.Equal(t, "Mira", c.Identity.Name)
	assert.Equal(t, pixel(3), raw(t, c.Media.Portrait), "main.png is the portrait, wherever it stands")
	assert.Equal(t, []string{
		"emotion calm calm", "emotion 笑顔 笑顔", "emotion 怒り 怒り", "emotion Ines:glad Ines:glad",
		"other - Winter", "other - landing_layer_sky_l1", "other - g1",
	}, assetTexts(c))
	assert.Equal(t, pixel(4), raw(t, c.Media.Assets[1]))
	assert.Equal(t, pixel(4), raw(t, c.Media.Assets[2]), "the mapping counts, not the file name")
	assert.Equal(t, webp, raw(t, c.Media.Assets[6]))

	require.Len(t, c.Variants, 3)
	w := c.Variants[0]
	assert.Equal(t, "Winter", *w.Label)
	assert.Equal(t, "In a coat.", *w.Overrides.Identity.Description)
	assert.Equal(t, "Snow.", *w.Overrides.Persona.Scenario)
	assert.Equal(t, pixel(1), raw(t, w.Overrides.Media.Portrait))
	assert.Equal(t, "In snow.", *c.Variants[2].Overrides.Identity.Description, "a second row of the same label is its own variant")
	assert.Equal(t, "d3", c.Variants[2].ID)
	all := strings.Join(d.Warnings, "\n")
	assert.Contains(t, all, `named "Winter" are read as one variant`)
	assert.Contains(t, all, `named "Variant 2" are read as one variant`)
	assert.Contains(t, all, "expr_lost.png, which is not in this archive")

	require.Len(t, books, 2)
	assert.Equal(t, "Town", books[0].Lorebook().Name)
	assert.Equal(t, "Sea", books[1].Lorebook().Name)
	e := books[0].Lorebook().Entries[0]
	assert.Equal(t, "Square", *e.Title)
	assert.Equal(t, canonical.PosAuthorNoteTop, *e.Position)
	assert.Equal(t, canonical.LogicAndAny, *e.SelectiveLogic)
	assert.Equal(t, canonical.PosOutlet, *books[1].Lorebook().Entries[0].Position)
	assert.Equal(t, "deep", *books[1].Lorebook().Entries[0].OutletName)

	un := strings.Join(d.Unmapped(), "\n")
	for _, p := range []string{"data.extensions.alternate_character_name", "data.extensions.ttsVoice", "data.extensions.custom", "mappings.lost", "has_nsfw_expressions", "landing_perspective_layers", "future", "defaultExpression"} {
		assert.Contains(t, un, p)
	}
	for _, p := range []string{"mappings.calm", "alternate_fields", "alternate_avatars", "character_book", "version"} {
		assert.NotContains(t, un, p)
	}
	require.Len(t, d.Entity.Original, 1)
	assert.Equal(t, "lumiverse", d.Entity.Original[0].Bucket)
	assert.Len(t, d.Entity.Original[0].Files, len(richFiles()))
}

func TestUneditedIsIdentical(t *testing.T) {
	in := rich(t)
	d, books := pieces(t, in)
	for _, list := range [][]*canonical.Entity{nil, books} {
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: list})
		assert.Equal(t, entries(t, in), entries(t, out))
		assert.Equal(t, in, out)
	}
	for _, in := range [][]byte{
		[]byte(plainCard(`{"expressions":{"enabled":true,"defaultExpression":"","mappings":{"joy":"img-1"}},"alternate_fields":{"description":[{"id":"1","label":"L","content":"c"}]}}`)),
		[]byte(`{"name":"N","description":null,"tags":"a, b","extensions":{"ttsVoice":1,"alternate_avatars":[{"id":"x","label":"L","image_id":"id"}]}}`),
		[]byte(strings.Replace(plainCard(`["x"]`), "card_v3", "card_v2", 1)),
		pngCard(t, "chara", plainCard(`{"ttsVoice":1}`), "ccv3", plainCard(`{"ttsVoice":2}`)),
		pngCard(t, "ccv3", plainCard(`{"ttsVoice":2}`)),
	} {
		d, books := pieces(t, in)
		if len(books) == 0 {
			books = nil
		}
		assert.Equal(t, string(in), string(encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})))
	}
}

func TestSmallEdits(t *testing.T) {
	in := rich(t)
	edit := func(t *testing.T, f func(c *canonical.Character)) []byte {
		d, books := pieces(t, in)
		f(d.Entity.Character())
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})
		back, _ := pieces(t, out)
		changes, err := canonical.Diff(d.Entity.Body, back.Entity.Body)
		require.NoError(t, err)
		assert.Empty(t, changes, "what was written says what was edited")
		return out
	}
	t.Run("nothing", func(t *testing.T) { assert.Empty(t, diff(t, in, edit(t, func(*canonical.Character) {}))) })
	t.Run("a picture of the same kind", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Media.Assets[0].Blob = picOf(pixel(50)) })
		assert.Equal(t, []string{"~assets/other/image/expr_calm.png"}, diff(t, in, out))
		assert.Equal(t, names(entries(t, in)), names(entries(t, out)))
	})
	t.Run("a picture of another kind", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Media.Assets[0].Blob = picOf(webp) })
		assert.Equal(t, []string{"-assets/other/image/expr_calm.png", "~lumiverse_modules.json", "+assets/other/image/expr_calm.webp"}, diff(t, in, out))
		assert.Equal(t, replaceOnce(t, richModules, "expr_calm.png", "expr_calm.webp"), entryOf(t, out, sidecar))
		assert.Equal(t, "assets/other/image/expr_calm.webp", entries(t, out)[2].name, "in the place of the old one")
	})
	t.Run("one of two labels that share a file", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Media.Assets[2].Blob = picOf(pixel(51)) })
		assert.Equal(t, []string{"~lumiverse_modules.json", "+assets/other/image/expr___-2.png"}, diff(t, in, out))
		assert.Equal(t, replaceOnce(t, richModules, `"怒り": "assets/other/image/expr___.png"`, `"怒り": "assets/other/image/expr___-2.png"`), entryOf(t, out, sidecar))
	})
	t.Run("a label", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) {
			c.Media.Assets[0].Label, c.Media.Assets[0].Name = canonical.Ptr("quiet"), canonical.Ptr("quiet")
		})
		assert.Equal(t, []string{"~lumiverse_modules.json"}, diff(t, in, out))
	})
	t.Run("a label keeps its place", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) {
			c.Media.Assets[0].Label, c.Media.Assets[0].Name = canonical.Ptr("quiet"), canonical.Ptr("quiet")
		})
		assert.Equal(t, replaceOnce(t, replaceOnce(t, richModules, `"calm": `, `"quiet": `), `"defaultExpression": "calm"`, `"defaultExpression": "quiet"`), entryOf(t, out, sidecar), "and stays the default")
	})
	t.Run("two labels change places", func(t *testing.T) {
		d := decode(t, in)
		for i, l := range []string{"怒り", "calm"} {
			a := d.Entity.Character().Media.Assets[2*i]
			a.Label, a.Name = &l, &l
		}
		for _, a := range decode(t, encode(t, d.Entity, formats.EncodeContext{})).Entity.Character().Media.Assets {
			switch canonical.Or(a.Label, "") {
			case "calm":
				assert.Equal(t, pixel(4), raw(t, a))
			case "怒り":
				assert.Equal(t, pixel(2), raw(t, a))
			}
		}
	})
	t.Run("a label that another has", func(t *testing.T) {
		d := decode(t, in)
		a := d.Entity.Character().Media.Assets[0]
		a.Label, a.Name = canonical.Ptr("怒り"), canonical.Ptr("怒り")
		out, err := character{}.Encode(d.Entity, formats.EncodeContext{Limits: limits.Card()})
		require.NoError(t, err)
		assert.Contains(t, strings.Join(out.Warnings, "\n"), "several expressions")
		back := decode(t, bytesOf(t, out.Data)).Entity.Character()
		var got []string
		for _, x := range back.Media.Assets {
			if canonical.Or(x.Label, "") == "怒り" {
				got = append(got, string(raw(t, x)))
			}
		}
		assert.ElementsMatch(t, []string{string(pixel(2)), string(pixel(4))}, got, "both pictures are there")
	})
	t.Run("a removed expression", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Media.Assets = c.Media.Assets[1:] })
		assert.Equal(t, []string{"-assets/other/image/expr_calm.png", "~lumiverse_modules.json"}, diff(t, in, out))
		m := parse(t, entryOf(t, out, sidecar)).At("expressions", "mappings")
		assert.False(t, m.Has("calm"))
		assert.True(t, m.Has("lost"), "what could not be read stays")
	})
	t.Run("a new picture", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) {
			c.Media.Assets = append(c.Media.Assets, &canonical.Asset{Role: canonical.RoleOther, Name: canonical.Ptr("Beach"), Blob: picOf(pixel(60))})
		})
		assert.Equal(t, []string{"+assets/other/image/gallery_Beach.png"}, diff(t, in, out))
	})
	t.Run("the portrait", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Media.Portrait.Blob = picOf(pixel(70)) })
		assert.Equal(t, []string{"~assets/icon/image/main.png"}, diff(t, in, out))
	})
	t.Run("an alternate avatar", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) {
			c.Variants[0].Overrides.Media.Portrait.Blob = picOf(pixel(71))
			c.Media.Assets[4].Blob = picOf(pixel(71))
		})
		assert.Equal(t, []string{"~assets/icon/image/a1.png"}, diff(t, in, out))
	})
	t.Run("an alternate text", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Variants[0].Overrides.Persona.Scenario = canonical.Ptr("Thaw.") })
		assert.Equal(t, []string{"~lumiverse_modules.json"}, diff(t, in, out))
		assert.Equal(t, replaceOnce(t, richModules, `"content": "Snow."`, `"content": "Thaw."`), entryOf(t, out, sidecar))
	})
	t.Run("a text", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Persona.Personality = canonical.Ptr("wild") })
		assert.Equal(t, []string{"~card.json"}, diff(t, in, out))
		assert.Equal(t, replaceOnce(t, richCard, `"personality": "calm"`, `"personality": "wild"`), entryOf(t, out, "card.json"))
	})
	t.Run("a removed variant", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) { c.Variants = c.Variants[:2] })
		assert.Equal(t, replaceOnce(t, richModules, `, {"id": "d3", "label": "Winter", "content": "In snow."}`, ""), entryOf(t, out, sidecar))
	})
	t.Run("a new variant", func(t *testing.T) {
		out := edit(t, func(c *canonical.Character) {
			c.Variants = append(c.Variants, &canonical.Variant{ID: "v9", Label: canonical.Ptr("Spring"), Overrides: canonical.Overrides{Persona: &canonical.VariantPersona{Personality: canonical.Ptr("merry")}}})
		})
		rows := parse(t, entryOf(t, out, sidecar)).At("alternate_fields", "personality")
		assert.Equal(t, "Spring", text(rows.Elem(0).Get("label")))
		assert.Equal(t, "v9", text(rows.Elem(0).Get("id")))
	})
}

func TestOneViewOfAnAvatarFollowsTheOther(t *testing.T) {
	in := rich(t)
	for _, f := range []func(c *canonical.Character){
		func(c *canonical.Character) { c.Variants[0].Overrides.Media.Portrait.Blob = picOf(pixel(71)) },
		func(c *canonical.Character) { c.Media.Assets[4].Blob = picOf(pixel(71)) },
	} {
		d := decode(t, in)
		f(d.Entity.Character())
		out := encode(t, d.Entity, formats.EncodeContext{})
		assert.Equal(t, []string{"~assets/icon/image/a1.png"}, diff(t, in, out))
		c := decode(t, out).Entity.Character()
		assert.Equal(t, pixel(71), raw(t, c.Media.Assets[4]))
		assert.Equal(t, pixel(71), raw(t, c.Variants[0].Overrides.Media.Portrait))
	}
}

func TestBooks(t *testing.T) {
	in := rich(t)
	t.Run("an edited entry", func(t *testing.T) {
		d, books := pieces(t, in)
		books[0].Lorebook().Entries[0].Content = "A city."
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})
		assert.Equal(t, []string{"~card.json", "~lumiverse_modules.json"}, diff(t, in, out))
		assert.Equal(t, replaceOnce(t, richModules, `"content": "A town."`, `"content": "A city."`), entryOf(t, out, sidecar))
		assert.Equal(t, replaceOnce(t, richCard, `"content": "A town."`, `"content": "A city."`), entryOf(t, out, "card.json"), "the merged copy follows")
	})
	t.Run("none", func(t *testing.T) {
		d, _ := pieces(t, in)
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: []*canonical.Entity{}})
		assert.False(t, parse(t, entryOf(t, out, sidecar)).Has("world_books"))
		assert.False(t, parse(t, entryOf(t, out, "card.json")).At("data").Has("character_book"))
		_, books := pieces(t, out)
		assert.Empty(t, books)
	})
	t.Run("none, with the stale copies of a JSON card", func(t *testing.T) {
		b := `{"name":"b","entries":[{"keys":["k"],"content":"c"}]}`
		in := strings.Replace(plainCard(`{"ttsVoice":1,"character_book":`+b+`,"lumiverse_modules":{"world_books":[{"name":"w","entries":[]}]}}`), `"extensions"`, `"character_book":`+b+`,"extensions"`, 1)
		d, books := pieces(t, []byte(in))
		require.Len(t, books, 1)
		assert.Equal(t, "b", books[0].Lorebook().Name, "the copy in lumiverse_modules may be stale")
		out := string(encode(t, d.Entity, formats.EncodeContext{Lorebooks: []*canonical.Entity{}}))
		assert.NotContains(t, out, "character_book")
		assert.NotContains(t, out, "world_books")
	})
	t.Run("a removed book", func(t *testing.T) {
		d, books := pieces(t, in)
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: books[1:]})
		_, back := pieces(t, out)
		require.Len(t, back, 1)
		assert.Equal(t, "Sea", back[0].Lorebook().Name)
		assert.Equal(t, 1, parse(t, entryOf(t, out, "card.json")).At("data", "character_book", "entries").Len())
	})
	t.Run("ST's book in a Lumiverse card stays ST's", func(t *testing.T) {
		b := `{"name":"b","entries":[{"id":3,"keys":["k"],"content":"c","enabled":true,"insertion_order":1,"position":"after_char","extensions":{"position":4,"selectiveLogic":3,"depth":2,"role":1}}]}`
		in := strings.Replace(plainCard(`{"ttsVoice":1}`), `"extensions"`, `"character_book":`+b+`,"extensions"`, 1)
		d, books := pieces(t, []byte(in))
		require.Len(t, books, 1)
		e := books[0].Lorebook().Entries[0]
		assert.Equal(t, canonical.PosDepth, *e.Position, "Q10: extensions.position counts")
		assert.Equal(t, canonical.LogicAndAll, *e.SelectiveLogic, "Q10c: ST's numbers")
		assert.Equal(t, "user", *e.Role)
		assert.Equal(t, in, string(encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})))
		e.Content = "x"
		assert.Equal(t, replaceOnce(t, in, `"content":"c"`, `"content":"x"`), string(encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})))
	})
	t.Run("positions and logic in both dialects", func(t *testing.T) {
		for logic, n := range map[string][2]int{canonical.LogicAndAny: {0, 2}, canonical.LogicNotAll: {1, 3}, canonical.LogicNotAny: {2, 1}, canonical.LogicAndAll: {3, 0}} {
			book := &canonical.Entity{Kind: canonical.KindLorebook, ID: "b", Body: &canonical.Lorebook{Name: "B", Entries: []*canonical.Entry{
				{ID: "0", Content: "c", SelectiveLogic: &logic, Position: canonical.Ptr(canonical.PosOutlet), OutletName: canonical.Ptr("o")},
				{ID: "1", Content: "c", Position: canonical.Ptr(canonical.PosMarker), Marker: canonical.Ptr("scenario")}}}}
			e := &canonical.Entity{Kind: canonical.KindCharacter, ID: "n", Body: &canonical.Character{Identity: canonical.Identity{Name: "N"}}}
			out := encode(t, e, formats.EncodeContext{Lorebooks: []*canonical.Entity{book}})
			wb := parse(t, entryOf(t, out, sidecar)).Get("world_books").Elem(0).Get("entries")
			cb := parse(t, entryOf(t, out, "card.json")).At("data", "character_book", "entries")
			assert.Equal(t, fmt.Sprint(n[1]), string(wb.Elem(0).Get("selective_logic").Raw()))
			assert.Equal(t, fmt.Sprint(n[1]), string(cb.Elem(0).At("extensions", "selective_logic").Raw()))
			assert.Equal(t, "8", string(wb.Elem(0).Get("position").Raw()))
			assert.Equal(t, "8", string(cb.Elem(0).Get("position").Raw()))
			assert.Equal(t, "7", string(wb.Elem(1).Get("position").Raw()))
			assert.Equal(t, "scenario", text(wb.Elem(1).Get("wi_marker")))
		}
	})
}

func TestContainers(t *testing.T) {
	files := richFiles()
	whole := rich(t)
	t.Run("refused where a file would go", func(t *testing.T) {
		d, _ := pieces(t, whole)
		for _, c := range []formats.Container{formats.JSON, formats.PNG} {
			_, err := tryEncode(t, d.Entity, formats.EncodeContext{Container: c})
			require.True(t, fault.Is(err, fault.WouldLose), "%v", err)
			assert.Contains(t, err.Error(), "notes.txt")
			assert.NotContains(t, err.Error(), "expr_calm")
			assert.NotContains(t, err.Error(), "gallery")
			out := encode(t, d.Entity, formats.EncodeContext{Container: c, AllowLoss: true})
			assert.NotEmpty(t, out)
		}
	})
	t.Run("not refused where every file is carried", func(t *testing.T) {
		in := archive(t, append(files[:8:8], files[9])...)
		d, books := pieces(t, in)
		for _, c := range []formats.Container{formats.JSON, formats.PNG} {
			out := encode(t, d.Entity, formats.EncodeContext{Container: c, Lorebooks: books})
			back, backBooks := pieces(t, out)
			changes, err := canonical.Diff(d.Entity.Body, back.Entity.Body)
			require.NoError(t, err)
			assert.Empty(t, changes)
			require.Len(t, backBooks, 2)
			for i := range books {
				assert.Empty(t, differs(t, books[i].Body, backBooks[i].Body))
			}
			assert.Equal(t, 0.95, character{}.Detect(input(t, out)).Score)

			again := encode(t, back.Entity, formats.EncodeContext{Container: formats.CharX, Lorebooks: backBooks})
			last, lastBooks := pieces(t, again)
			changes, err = canonical.Diff(d.Entity.Body, last.Entity.Body)
			require.NoError(t, err)
			assert.Empty(t, changes)
			assert.True(t, sameBooks(books, lastBooks))
			m := parse(t, entryOf(t, again, sidecar))
			assert.Equal(t, "assets/other/image/expr_calm.png", text(m.At("expressions", "mappings", "calm")), "paths are kept")
			assert.Equal(t, `{"a": [1, 2.0]}`, string(m.Get("future").Raw()))
			assert.True(t, m.Has("regex_scripts"))
		}
	})
	t.Run("an edited-away picture is no loss", func(t *testing.T) {
		in := archive(t, append(files[:8:8], files[9])...)
		d := decode(t, in)
		d.Entity.Character().Media.Assets = nil
		encode(t, d.Entity, formats.EncodeContext{Container: formats.JSON})
	})
	t.Run("the source's container is kept", func(t *testing.T) {
		for want, in := range map[formats.Container][]byte{formats.CharX: whole, formats.PNG: pngCard(t, "ccv3", plainCard(`{"ttsVoice":1}`)), formats.JSON: []byte(plainCard(`{"ttsVoice":1}`))} {
			out, err := character{}.Encode(decode(t, in).Entity, formats.EncodeContext{Limits: limits.Card()})
			require.NoError(t, err)
			assert.Equal(t, want, out.Container)
		}
		out, err := character{}.Encode(&canonical.Entity{Kind: canonical.KindCharacter, Body: &canonical.Character{}}, formats.EncodeContext{Limits: limits.Card()})
		require.NoError(t, err)
		assert.Equal(t, formats.CharX, out.Container)
		assert.Equal(t, ".charx", out.Ext)
	})
	t.Run("V2 twin stays V2, no V2 for others", func(t *testing.T) {
		in := strings.Replace(plainCard(`{"ttsVoice":1}`), "card_v3", "card_v2", 1)
		d := decode(t, []byte(in))
		d.Entity.Character().Persona.Personality = canonical.Ptr("x")
		assert.Contains(t, string(encode(t, d.Entity, formats.EncodeContext{})), "chara_card_v2")
		_, err := tryEncode(t, decode(t, whole).Entity, formats.EncodeContext{Spec: "v2"})
		assert.True(t, fault.Is(err, fault.UnknownTarget))
	})
}

func foreign() *canonical.Entity {
	s := canonical.Ptr[string]
	return &canonical.Entity{Kind: canonical.KindCharacter, ID: "f", Body: &canonical.Character{
		Identity:  canonical.Identity{Name: "F", Nickname: s("Eff"), Description: s("d"), CharacterVersion: s("2")},
		Greetings: canonical.Greetings{FirstMessage: s("one"), AlternateGreetings: []canonical.Greeting{{Text: "two"}, {Text: "three"}}, GroupOnlyGreetings: []canonical.Greeting{{Text: "all"}}},
		Prompts:   canonical.Prompts{DepthInjections: []canonical.DepthInjection{{Text: "note", Depth: canonical.Ptr(4.0), Role: s("system"), Origin: s("depth_prompt")}}},
		Settings:  &canonical.Settings{Talkativeness: canonical.Ptr(0.5)},
		WorldName: s("World"),
		Media: canonical.Media{
			Portrait: &canonical.Asset{Role: canonical.RolePortrait, Blob: picOf(pixel(1))},
			Assets: []*canonical.Asset{
				{Role: canonical.RoleEmotion, Name: s("笑顔"), Label: s("笑顔"), Blob: picOf(pixel(2))},
				{Role: canonical.RoleEmotion, Name: s("怒り"), Label: s("怒り"), Blob: picOf(pixel(3))},
				{Role: canonical.RoleEmotion, Name: s("a/b"), Label: s("a/b"), Blob: picOf(webp)},
				{Role: canonical.RoleEmotion, Name: s("Ines:glad"), Label: s("Ines:glad"), Blob: picOf(pixel(5))},
				{Role: canonical.RoleBackground, Name: s("Sea side"), Blob: picOf(pixel(6))},
				{Role: canonical.RoleOther, Name: s("main"), Blob: picOf(pixel(7))},
				{Role: canonical.RoleOther, Type: s("user_icon"), Name: s("me"), Blob: picOf(pixel(8))},
			},
		},
		Variants: []*canonical.Variant{
			{ID: "main", Label: s("Winter"), Overrides: canonical.Overrides{Identity: &canonical.VariantIdentity{Description: s("cold")}, Media: &canonical.VariantMedia{Portrait: &canonical.Asset{Role: canonical.RolePortrait, Blob: picOf(pixel(9))}}}},
			{ID: "v2", Label: s("Summer"), Overrides: canonical.Overrides{Persona: &canonical.VariantPersona{Scenario: s("hot")}}},
		},
	}}
}

func TestNewArchive(t *testing.T) {
	e := foreign()
	out := encode(t, e, formats.EncodeContext{})
	es := entries(t, out)
	assert.Equal(t, []string{"card.json", "assets/icon/image/main.png", "assets/other/image/expr___.png", "assets/other/image/expr___-2.png", "assets/other/image/expr_a_b.webp",
		"assets/other/image/exprg_Ines--glad.png", "assets/other/image/gallery_Sea side.png", "assets/other/image/gallery_main.png", "assets/other/image/gallery_me.png", "assets/icon/image/variant-main.png", sidecar}, names(es))
	data := parse(t, es[0].data).Get("data")
	var keys []string
	for k, v := range data.Members() {
		keys = append(keys, k)
		assert.False(t, v.IsNull(), k)
	}
	assert.Equal(t, []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator", "creator_notes", "system_prompt", "post_history_instructions", "tags",
		"alternate_greetings", "character_version", "extensions", "group_only_greetings", "nickname", "assets"}, keys)
	assert.True(t, strings.HasPrefix(es[0].data, "{\n  \"spec\""))
	for k := range data.Get("extensions").Members() {
		assert.Contains(t, []string{"talkativeness", "depth_prompt", "world"}, k, "nothing foreign, no local ids")
	}
	m := parse(t, es[len(es)-1].data)
	assert.Equal(t, "1", string(m.Get("version").Raw()))
	assert.Equal(t, "assets/other/image/expr___-2.png", text(m.At("expressions", "mappings", "怒り")))
	assert.Equal(t, "笑顔", text(m.At("expressions", "defaultExpression")))
	assert.Equal(t, "assets/other/image/exprg_Ines--glad.png", text(m.At("expression_groups", "groups", "Ines", "glad")))
	assert.Equal(t, "assets/icon/image/variant-main.png", text(m.Get("alternate_avatars").Elem(0).Get("path")))

	back := decode(t, out)
	paths := differs(t, e.Body, back.Entity.Body)
	assert.Equal(t, []string{"variants[0].id"}, paths, "an avatar's id is a file name, so main cannot stay")
	assert.Equal(t, out, encode(t, foreign(), formats.EncodeContext{}), "the same input gives the same bytes")
	assert.Equal(t, out, encode(t, back.Entity, formats.EncodeContext{}), "and stays as it is")
}

func TestOddVariants(t *testing.T) {
	e := foreign()
	c := e.Character()
	c.Media.Portrait = &canonical.Asset{Role: canonical.RolePortrait, Ref: "https://example.org/a.png"}
	cold, warm := c.Variants[0], *c.Variants[0]
	cold.ID, warm.ID, warm.Label = "v", "v", nil
	warm.Overrides = canonical.Overrides{Identity: &canonical.VariantIdentity{Name: canonical.Ptr("Other"), Description: canonical.Ptr("warm")}, Media: &canonical.VariantMedia{Portrait: &canonical.Asset{Role: canonical.RolePortrait, Blob: picOf(pixel(90))}}}
	c.Variants = []*canonical.Variant{cold, &warm}
	out := encode(t, e, formats.EncodeContext{})
	back := decode(t, out).Entity.Character()
	assert.Equal(t, "https://example.org/a.png", back.Media.Portrait.Ref, "an alternate avatar does not take the portrait's place")
	require.Len(t, back.Variants, 2)
	assert.Equal(t, pixel(90), raw(t, back.Variants[1].Overrides.Media.Portrait))
	assert.Equal(t, pixel(9), raw(t, back.Variants[0].Overrides.Media.Portrait))
	assert.Equal(t, []string{"media.portrait.ext", "variants[1].id", "variants[1].label", "variants[1].overrides.identity.name"}, differs(t, c, back))
}

func TestNewCardsWithoutArchive(t *testing.T) {
	for _, c := range []formats.Container{formats.JSON, formats.PNG} {
		e := foreign()
		out := encode(t, e, formats.EncodeContext{Container: c})
		back := decode(t, out)
		assert.Equal(t, []string{"variants[0].id"}, differs(t, e.Body, back.Entity.Body))
		if c == formats.PNG {
			p, err := input(t, out).PNG()
			require.NoError(t, err)
			var kw []string
			for _, x := range p.Texts() {
				kw = append(kw, x.Keyword)
			}
			assert.Equal(t, []string{"chara", "ccv3"}, kw, "Q2")
		}
	}
}

func TestQuirks(t *testing.T) {
	t.Run("Q1 ccv3 before chara", func(t *testing.T) {
		d := decode(t, pngCard(t, "chara", strings.Replace(plainCard(`{"ttsVoice":1}`), `"N"`, `"Old"`, 1), "ccv3", plainCard(`{"ttsVoice":1}`)))
		assert.Equal(t, "N", d.Entity.Character().Identity.Name)
	})
	t.Run("Q3 null is empty and never written", func(t *testing.T) {
		in := strings.Replace(plainCard(`{"ttsVoice":1}`), `"personality":""`, `"personality":null`, 1)
		d := decode(t, []byte(in))
		assert.Nil(t, d.Entity.Character().Persona.Personality)
		e := &canonical.Entity{Kind: canonical.KindCharacter, Body: d.Entity.Body}
		assert.NotContains(t, string(encode(t, e, formats.EncodeContext{Container: formats.JSON})), "null")
	})
	t.Run("Q4 no foreign ids", func(t *testing.T) {
		d := decode(t, []byte(plainCard(`{"world_book_ids":["w"],"databank_ids":["d"]}`)))
		e := &canonical.Entity{Kind: canonical.KindCharacter, Body: d.Entity.Body}
		assert.NotContains(t, string(encode(t, e, formats.EncodeContext{Container: formats.JSON})), "_ids")
		assert.Contains(t, d.Unmapped(), "data.extensions.world_book_ids")
	})
	t.Run("Q12 main wherever it stands, avatars are no portrait", func(t *testing.T) {
		mods := `{"version":1,"alternate_avatars":[{"id":"a1","label":"L","path":"assets/icon/image/a1.png"}]}`
		d := decode(t, archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/icon/image/a1.png", pixel(1)}, file{"assets/icon/image/Portrait.PNG", pixel(2)}, file{sidecar, []byte(mods)}))
		assert.Equal(t, pixel(2), raw(t, d.Entity.Character().Media.Portrait))
		d = decode(t, archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/icon/image/a1.png", pixel(1)}, file{"face.png", pixel(3)}, file{sidecar, []byte(mods)}))
		assert.Equal(t, pixel(3), raw(t, d.Entity.Character().Media.Portrait))
		d = decode(t, archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/icon/image/a1.png", pixel(1)}, file{sidecar, []byte(mods)}))
		assert.Equal(t, pixel(1), raw(t, d.Entity.Character().Media.Portrait), "as the app does when there is nothing else")
		jpeg := append([]byte("\xff\xd8\xff\xe0junk\xff\xd9"), archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{sidecar, []byte(`{"version":1}`)})...)
		d = decode(t, jpeg)
		assert.Equal(t, "image/jpeg", *d.Entity.Character().Media.Portrait.Mime, "the picture before the archive as a last resort")
		assert.Equal(t, entries(t, jpeg), entries(t, encode(t, d.Entity, formats.EncodeContext{})))
	})
	t.Run("Q13b a gallery picture named like the avatar", func(t *testing.T) {
		d := decode(t, archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/icon/image/main.png", pixel(1)}, file{"assets/other/image/main.png", pixel(2)}, file{sidecar, []byte(`{"version":1}`)}))
		require.Len(t, d.Entity.Character().Media.Assets, 1)
		assert.Equal(t, pixel(2), raw(t, d.Entity.Character().Media.Assets[0]))
	})
	t.Run("Q23 no card in an embedded picture", func(t *testing.T) {
		e := foreign()
		leak := pngCard(t, "chara", plainCard(`{}`), "ccv3", plainCard(`{}`))
		e.Character().Media.Portrait.Blob = picOf(leak)
		e.Character().Media.Assets[0].Blob = picOf(leak)
		for _, x := range entries(t, encode(t, e, formats.EncodeContext{})) {
			if strings.HasSuffix(x.name, ".png") {
				assert.NotContains(t, x.data, "ccv3", x.name)
			}
		}
	})
	t.Run("Q25 the kind comes from the bytes", func(t *testing.T) {
		e := foreign()
		e.Character().Media.Portrait.Blob = picOf(webp)
		e.Character().Media.Portrait.Ref = "face.jpg"
		assert.Contains(t, names(entries(t, encode(t, e, formats.EncodeContext{}))), "assets/icon/image/main.webp")
	})
	t.Run("Q28 odd kinds", func(t *testing.T) {
		d := decode(t, []byte(`{"name":"N","description":"d","tags":"a, b","extensions":["x"]}`))
		assert.Equal(t, []string{"a", "b"}, d.Entity.Character().Discovery.Tags)
	})
	t.Run("a version that is no number", func(t *testing.T) {
		mods := strings.Replace(richModules, `"version": 1`, `"version": "1"`, 1)
		files := richFiles()
		files[9].data = []byte(mods)
		in := archive(t, files...)
		d := decode(t, in)
		assert.Contains(t, strings.Join(d.Warnings, "\n"), "is no number")
		assert.Len(t, d.Entity.Character().Variants, 3)
		assert.Equal(t, in, encode(t, d.Entity, formats.EncodeContext{}))
		d.Entity.Character().Variants[0].Overrides.Persona.Scenario = canonical.Ptr("x")
		assert.Equal(t, "1", string(parse(t, entryOf(t, encode(t, d.Entity, formats.EncodeContext{}), sidecar)).Get("version").Raw()))
	})
	t.Run("a sidecar that cannot be read", func(t *testing.T) {
		in := archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/icon/image/main.png", pixel(1)}, file{sidecar, []byte(`{"version":`)})
		d := decode(t, in)
		assert.Contains(t, strings.Join(d.Warnings, "\n"), "cannot be read")
		assert.Equal(t, in, encode(t, d.Entity, formats.EncodeContext{}))
		_, err := tryEncode(t, d.Entity, formats.EncodeContext{Container: formats.JSON})
		assert.True(t, fault.Is(err, fault.WouldLose))
		assert.Contains(t, err.Error(), sidecar)
	})
	t.Run("a picture over the limit stays a path", func(t *testing.T) {
		l := limits.Card()
		l.Entry = 200
		big := append(pixel(1), make([]byte, 300)...)
		mods := `{"version":1,"expressions":{"enabled":true,"defaultExpression":"","mappings":{"joy":"assets/other/image/expr_joy.png"}}}`
		in, err := formats.Open(ropeOf(archive(t, file{"card.json", []byte(plainCard(`{}`))}, file{"assets/other/image/expr_joy.png", big}, file{sidecar, []byte(mods)})), "", l)
		require.NoError(t, err)
		d, err := character{}.Decode(in)
		require.NoError(t, err)
		assert.Empty(t, d.Entity.Character().Media.Assets)
		assert.Contains(t, strings.Join(d.Warnings, "\n"), "limit")
	})
}

func TestInlineCards(t *testing.T) {
	uri := "data:image/png;base64," + b64(pixel(1))
	in := plainCard(`{"expressions":{"enabled":false,"defaultExpression":"joy","mappings":{"joy":"` + uri + `","sad":"img-2"}},"expression_groups":{"Ines":{"glad":"` + uri + `"}},"alternate_fields":{"personality":[{"id":"p","label":"L","content":"c"}]},"alternate_avatars":[{"id":"a","label":"L","image_id":"` + uri + `"},{"id":"b","label":"M","image_id":"img-3"}]}`)
	d := decode(t, []byte(in))
	c := d.Entity.Character()
	assert.Equal(t, []string{"emotion joy joy", "emotion Ines:glad Ines:glad", "other - L"}, assetTexts(c))
	require.Len(t, c.Variants, 1)
	assert.Equal(t, "c", *c.Variants[0].Overrides.Persona.Personality)
	assert.Equal(t, pixel(1), raw(t, c.Variants[0].Overrides.Media.Portrait))
	assert.Contains(t, d.Unmapped(), "data.extensions.expressions.mappings.sad")
	assert.Equal(t, in, string(encode(t, d.Entity, formats.EncodeContext{})))

	t.Run("edited in place", func(t *testing.T) {
		d := decode(t, []byte(in))
		d.Entity.Character().Media.Assets[0].Blob = picOf(pixel(2))
		out := string(encode(t, d.Entity, formats.EncodeContext{}))
		assert.Equal(t, strings.Replace(in, `"joy":"`+uri, `"joy":"data:image/png;base64,`+b64(pixel(2)), 1), out)
	})
	t.Run("into an archive", func(t *testing.T) {
		d := decode(t, []byte(in))
		out := encode(t, d.Entity, formats.EncodeContext{Container: formats.CharX})
		m := parse(t, entryOf(t, out, sidecar))
		assert.Equal(t, "assets/other/image/expr_joy.png", text(m.At("expressions", "mappings", "joy")))
		assert.NotContains(t, entryOf(t, out, "card.json"), "base64")
		back := decode(t, out)
		changes, err := canonical.Diff(d.Entity.Body, back.Entity.Body)
		require.NoError(t, err)
		assert.Empty(t, changes)
	})
	t.Run("LumiHub's form", func(t *testing.T) {
		in := plainCard(`{"lumiverse_modules":{"version":1,"alternate_fields":{"scenario":[{"id":"s","label":"L","content":"c"}]},"expressions":{"enabled":true,"defaultExpression":"","mappings":{"joy":"assets/other/image/expr_joy.png"}}}}`)
		d := decode(t, []byte(in))
		require.Len(t, d.Entity.Character().Variants, 1)
		assert.Empty(t, d.Entity.Character().Media.Assets)
		assert.Contains(t, d.Unmapped(), "data.extensions.lumiverse_modules.expressions.mappings.joy")
		assert.Equal(t, in, string(encode(t, d.Entity, formats.EncodeContext{})))
	})
}

func TestListedAssets(t *testing.T) {
	card := strings.Replace(plainCard(`{}`), `"extensions"`, `"assets":[{"type":"icon","uri":"embeded://assets/icon/image/7.png","name":"main","ext":"png"},{"type":"emotion","uri":"embeded://assets/other/image/expr_joy.png","name":"happy","ext":"png"},{"type":"background","uri":"embeded://assets/bg.png","name":"bg","ext":"png"}],"extensions"`, 1)
	mods := `{"version":1,"expressions":{"enabled":true,"defaultExpression":"","mappings":{"joy":"assets/other/image/expr_joy.png"}},"alternate_avatars":[{"id":"a1","label":"L","path":"assets/icon/image/a1.png"}]}`
	in := archive(t, file{"card.json", []byte(card)}, file{"assets/icon/image/a1.png", pixel(1)}, file{"assets/icon/image/7.png", pixel(2)}, file{"assets/other/image/expr_joy.png", pixel(3)}, file{"assets/bg.png", pixel(4)}, file{sidecar, []byte(mods)})
	d := decode(t, in)
	c := d.Entity.Character()
	assert.Equal(t, []string{"emotion joy happy", "background - bg"}, assetTexts(c), "one picture is one asset")
	assert.Equal(t, pixel(2), raw(t, c.Media.Portrait))
	assert.Equal(t, pixel(1), raw(t, c.Variants[0].Overrides.Media.Portrait))
	assert.Equal(t, in, encode(t, d.Entity, formats.EncodeContext{}))
	c.Media.Assets[0].Blob = picOf(pixel(9))
	assert.Equal(t, []string{"~assets/other/image/expr_joy.png"}, diff(t, in, encode(t, d.Entity, formats.EncodeContext{})))
}
