package laws

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagepng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/container/zip"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// These are the rows of lumiverse.md, section 9 (quirks, Q1 to Q28) and section 11 (where the app and the design differ,
// D-1 to D-21), each by its number. Rows of account backups are tested in formats/lumiverse/backup, by their number too.

// lvCard is a card of Lumiverse's JSON with those members of data beside a name, and those of extensions.
func lvCard(members, extensions string) string {
	if members != "" {
		members += ", "
	}
	return `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ann", ` + members + `"first_mes": "Hi", "extensions": {` + extensions + `}}}`
}

type member struct{ path, data string }

func zipped(t testing.TB, files ...member) []byte {
	t.Helper()
	w := zip.NewWriter()
	for _, f := range files {
		require.NoError(t, w.Deflate(f.path, []byte(f.data)))
	}
	r, err := w.Finish()
	require.NoError(t, err)
	return bytesOf(t, r)
}

// lvZip is a .charx with that card and that sidecar, and pictures at those paths.
func lvZip(t testing.TB, card, side string, pictures ...string) []byte {
	files := []member{{"card.json", card}}
	for i, p := range pictures {
		files = append(files, member{p, string(dotOf(byte(i + 1)))})
	}
	return zipped(t, append(files, member{"lumiverse_modules.json", side})...)
}

// dotOf is a picture of its own colour.
func dotOf(n byte) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	m.Set(0, 0, color.NRGBA{n, 7 * n, 255 - n, 255})
	var b bytes.Buffer
	if err := imagepng.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func files(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.Open(rope.Bytes(data), limits.Card())
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range z.Entries {
		b, err := e.ReadAll()
		require.NoError(t, err)
		out[e.Path] = string(b)
	}
	return out
}

func object(t testing.TB, s string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

func sideOf(t testing.TB, data []byte) *jsondoc.Value {
	return object(t, files(t, data)["lumiverse_modules.json"])
}

// newCard is what a card becomes in Lumiverse without its twin.
func newCard(t testing.TB, data []byte, c formats.Container) (*convert.Output, []byte) {
	t.Helper()
	p := *read(t, data)
	x := *p.Primary
	x.Original = nil
	p.Primary = &x
	out, err := convert.New().Emit(&p, convert.Options{To: "lumiverse", Container: c})
	require.NoError(t, err)
	return out, bytesOf(t, out.Data)
}

func pictureOf(t testing.TB, a *canonical.Asset) string {
	t.Helper()
	require.NotNil(t, a)
	require.NotNil(t, a.Blob)
	r, err := a.Blob.Raw()
	require.NoError(t, err)
	b, err := rope.View(r, 0, r.Size())
	require.NoError(t, err)
	return string(b)
}

func labels(c *canonical.Character) (out []string) {
	for _, a := range c.Media.Assets {
		out = append(out, canonical.Or(a.Label, canonical.Or(a.Name, "")))
	}
	return out
}

const stBookEntry = `{"id": 0, "keys": ["C++", "/x/i"], "secondary_keys": ["s"], "content": "c", "comment": "T", "enabled": true, "insertion_order": 5, "position": "before_char", "use_regex": true, "selective": true, "extensions": {"position": 4, "depth": 2, "role": 1, "selectiveLogic": 3, "display_index": 9, "useProbability": true, "probability": 100}}`

func TestLumiverseQuirks(t *testing.T) {
	bookCard := `"character_book": {"name": "B", "entries": [` + stBookEntry + `]}`
	t.Run("Q1 of two chunks ccv3 counts", func(t *testing.T) {
		in := samples.PNG(samples.Card("chara", strings.Replace(lvCard("", `"ttsVoice": 1`), "Ann", "Old", 1)), samples.Card("ccv3", lvCard("", `"ttsVoice": 1`)))
		assert.Equal(t, "Ann", character(t, in).Identity.Name)
	})
	t.Run("Q2 a new PNG has both chunks", func(t *testing.T) {
		_, out := convertTo(t, cardOf("3", `"name": "Ann"`), convert.Options{To: "lumiverse", Container: formats.PNG})
		assert.Equal(t, []string{"chara", "ccv3"}, names(apart(t, out).docs))
	})
	t.Run("Q3 null is empty, and never written", func(t *testing.T) {
		in := []byte(lvCard(`"description": null, "scenario": {"a": 1}, "personality": "null"`, `"ttsVoice": 1`))
		c := character(t, in)
		assert.Nil(t, c.Identity.Description)
		assert.Nil(t, c.Persona.Scenario)
		assert.Equal(t, "null", *c.Persona.Personality, "a text is a text, whatever it says")
		back(t, in)
		_, out := newCard(t, in, formats.JSON)
		for k, v := range root(t, out).Get("data").Members() {
			assert.False(t, v.IsNull(), k)
		}
	})
	t.Run("Q4 ids of books of another account are not written", func(t *testing.T) {
		in := []byte(lvCard(bookCard, `"world_book_ids": ["w1"], "world_book_id": "w2", "databank_ids": ["d"]`))
		back(t, in)
		out, data := newCard(t, in, formats.CharX)
		assert.NotContains(t, files(t, data)["card.json"], "world_book_id")
		assert.NotContains(t, files(t, data)["card.json"], "databank_ids")
		assert.Equal(t, 1, sideOf(t, data).Get("world_books").Len(), "and the book comes along")
		assert.NotNil(t, out)
	})
	t.Run("Q5 a changed book is changed in the sidecar and in the card", func(t *testing.T) {
		in := lvZip(t, lvCard(`"character_book": {"name": "Town", "entries": [{"id": 0, "keys": ["k"], "content": "old", "enabled": true, "insertion_order": 1, "position": 0, "extensions": {"selective_logic": 2, "uid": "u"}}]}`, ""),
			`{"version": 1, "world_books": [{"version": 1, "type": "lumiverse_world_book", "name": "Town", "description": "", "metadata": {}, "entries": [{"uid": "u", "key": ["k"], "content": "old", "position": 0, "order_value": 1, "selective_logic": 2, "extensions": {}}], "exported_at": 0}]}`)
		back(t, in)
		out := emit(t, edited(read(t, in), 1, func(b any) { b.(*canonical.Lorebook).Entries[0].Content = "new" }), convert.Options{To: "lumiverse"})
		assert.NotContains(t, files(t, out)["card.json"]+files(t, out)["lumiverse_modules.json"], "old")
		assert.Equal(t, `"new"`, raw(sideOf(t, out).Get("world_books").Elem(0).Get("entries").Elem(0).Get("content")))
	})
	t.Run("Q6 scripts of SillyTavern's place move into the sidecar of an archive", func(t *testing.T) {
		_, out := convertTo(t, named(`"extensions": {"regex_scripts": [`+script(`"findRegex": "/a/"`)+`]}`), convert.Options{To: "lumiverse", Container: formats.CharX})
		assert.NotContains(t, files(t, out)["card.json"], "regex_scripts")
		assert.Equal(t, `"a"`, raw(sideOf(t, out).Get("regex_scripts").Elem(0).Get("find_regex")))
		warned(t, read(t, lvZip(t, lvCard("", `"regex_scripts": [`+script(`"findRegex": "/a/"`)+`]`), `{"version": 1}`)).Warnings, "regex_scripts", "lumiverse_modules.json")
	})
	t.Run("Q7 no flags are no flags", func(t *testing.T) {
		there, again, _ := toLumi(t, scriptList(script(`"findRegex": "/abc/"`)))
		assert.Equal(t, `""`, raw(there.Elem(0).Get("flags")))
		assert.Equal(t, `"/abc/"`, raw(again.Elem(0).Get("findRegex")))
	})
	t.Run("Q8 the whole match", func(t *testing.T) {
		there, again, _ := toLumi(t, scriptList(script(`"findRegex": "/a/", "replaceString": "<{{match}}>$1"`)))
		assert.Equal(t, `"<$&>$1"`, raw(there.Elem(0).Get("replace_string")))
		assert.Equal(t, `"<{{match}}>$1"`, raw(again.Elem(0).Get("replaceString")))
	})
	t.Run("Q9 what is trimmed, and when macros are filled, is told", func(t *testing.T) {
		_, _, r := toLumi(t, scriptList(script(`"findRegex": "/a/", "trimStrings": ["x"], "replaceString": "{{char}}"`)))
		warned(t, r.Warnings, "trim")
		warned(t, r.Warnings, "macro")
	})
	t.Run("Q10 place and role of an entry stand in its extensions", func(t *testing.T) {
		e := entriesOf(t, withEntries(stBookEntry))[0]
		assert.Equal(t, "depth user 2", *e.Position+" "+*e.Role+" "+canonical.Text(*e.Depth))
		_, out := convertTo(t, withEntries(stBookEntry), convert.Options{To: "lumiverse", Container: formats.CharX})
		x := sideOf(t, out).Get("world_books").Elem(0).Get("entries").Elem(0)
		assert.Equal(t, `4 "user" 2`, raw(x.Get("position"))+" "+raw(x.Get("role"))+" "+raw(x.Get("depth")))
	})
	t.Run("Q10b SillyTavern's use_regex means nothing", func(t *testing.T) {
		ks := entriesOf(t, withEntries(stBookEntry))[0].Triggers
		assert.False(t, canonical.Or(ks[0].IsRegex, false), "C++ is a word")
		assert.True(t, canonical.Or(ks[1].IsRegex, false))
		_, out := convertTo(t, withEntries(stBookEntry), convert.Options{To: "lumiverse", Container: formats.CharX})
		x := sideOf(t, out).Get("world_books").Elem(0).Get("entries").Elem(0)
		assert.Equal(t, `["C\\+\\+","x"]true`, compactRaw(x.Get("key"))+raw(x.Get("use_regex")), "where one is a pattern all are, so the word is one that means the same")
	})
	t.Run("Q10c the numbers of the logic are translated", func(t *testing.T) {
		for st, lv := range map[string]string{"0": "2", "1": "3", "2": "1", "3": "0"} {
			e := strings.Replace(stBookEntry, `"selectiveLogic": 3`, `"selectiveLogic": `+st, 1)
			_, out := convertTo(t, withEntries(e), convert.Options{To: "lumiverse", Container: formats.CharX})
			assert.Equal(t, lv, raw(sideOf(t, out).Get("world_books").Elem(0).Get("entries").Elem(0).Get("selective_logic")))
			_, again := convertTo(t, out, convert.Options{To: "sillytavern", Container: formats.JSON})
			assert.Equal(t, st, raw(root(t, again).At("data", "character_book", "entries").Elem(0).At("extensions", "selectiveLogic")))
		}
	})
	t.Run("Q10d in a file of the app the current spelling beats the stale one", func(t *testing.T) {
		in := []byte(lvCard(`"character_book": {"name": "B", "entries": [{"id": 0, "keys": ["k"], "secondary_keys": ["s"], "content": "c", "selective": true, "position": 1, "extensions": {"uid": "u", "selective_logic": 0, "selectiveLogic": 1, "use_probability": true, "useProbability": false}}]}`, `"ttsVoice": 1`))
		e := entriesOf(t, in)[0]
		assert.Equal(t, canonical.LogicAndAll, *e.SelectiveLogic)
		assert.True(t, canonical.Or(e.UseProbability, true))
		back(t, in)
	})
	t.Run("Q10e displayIndex is no order", func(t *testing.T) {
		in := worldOf(`{"key": ["k"], "content": "c", "order": 7, "displayIndex": 3}`)
		e := entriesOf(t, in)[0]
		assert.Equal(t, "7 3", canonical.Text(*e.SortOrder)+" "+canonical.Text(*e.DisplayIndex))
		_, out := convertTo(t, in, convert.Options{To: "lumiverse"})
		x := root(t, out).Get("entries").Elem(0)
		assert.Equal(t, "7", raw(x.Get("order_value")))
		assert.Nil(t, x.Get("displayIndex"), "the app would take it for the order")
	})
	t.Run("Q11 the app's SillyTavern export of a lorebook is read, and becomes real World Info", func(t *testing.T) {
		in := []byte(`{"name": "B", "description": "d", "entries": {"0": {"keys": ["k"], "secondary_keys": ["s"], "content": "c", "comment": "T", "enabled": false, "insertion_order": 7, "position": 4, "depth": 3, "role": "user", "selective": true, "selective_logic": 0, "selectiveLogic": 0, "case_sensitive": true, "group": "g", "use_regex": false}}}`)
		e := entriesOf(t, in)[0]
		assert.Equal(t, "k s T 7 depth user g and_all", strings.Join([]string{e.Triggers[0].Keyword, e.SecondaryTriggers[0].Keyword, *e.Title, canonical.Text(*e.SortOrder), *e.Position, *e.Role, *e.GroupName, *e.SelectiveLogic}, " "))
		assert.False(t, *e.Enabled)
		_, out := convertTo(t, in, convert.Options{To: "sillytavern"})
		x := root(t, out).At("entries", "0")
		assert.Equal(t, `["k"]["s"]true73`, compactRaw(x.Get("key"))+compactRaw(x.Get("keysecondary"))+raw(x.Get("disable"))+raw(x.Get("order"))+raw(x.Get("selectiveLogic")))
	})
	t.Run("Q12 main is the portrait wherever it stands, and stands first when written", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "alternate_avatars": [{"id": "a1", "label": "L", "path": "assets/icon/image/a1.png"}]}`, "assets/icon/image/a1.png", "assets/icon/image/main.png")
		assert.Equal(t, string(dotOf(2)), pictureOf(t, character(t, in).Media.Portrait))
		back(t, in)
		_, out := newCard(t, in, formats.CharX)
		z, err := zip.Open(rope.Bytes(out), limits.Card())
		require.NoError(t, err)
		assert.Equal(t, "assets/icon/image/main.png", z.Entries[1].Path)
	})
	t.Run("Q13 labels that clean to one name get paths of their own", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "expressions": {"enabled": true, "defaultExpression": "", "mappings": {"笑顔": "assets/other/image/expr___.png", "怒り": "assets/other/image/expr___.png", "a/b": "assets/other/image/expr_calm.png"}}}`, "assets/other/image/expr___.png", "assets/other/image/expr_calm.png")
		c := character(t, in)
		assert.Equal(t, []string{"笑顔", "怒り", "a/b"}, labels(c), "the mapping counts, not the file name")
		back(t, in)
		q := edited(read(t, in), 0, func(b any) {
			b.(*canonical.Character).Media.Assets[1].Blob = canonical.RawBlob(rope.FromBytes(dotOf(9)), "")
		})
		m := sideOf(t, emit(t, q, convert.Options{To: "lumiverse"})).At("expressions", "mappings")
		assert.NotEqual(t, raw(m.Get("笑顔")), raw(m.Get("怒り")))
	})
	t.Run("Q13b a picture named like the portrait is one of its own", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1}`, "assets/icon/image/main.png", "assets/other/image/main.png")
		c := character(t, in)
		require.Len(t, c.Media.Assets, 1)
		assert.Equal(t, string(dotOf(2)), pictureOf(t, c.Media.Assets[0]))
	})
	t.Run("Q13c dead links to pictures of an account are told", func(t *testing.T) {
		in := []byte(lvCard(`"description": "<img src=\"/api/v1/images/0a1b\">", "alternate_greetings": ["![x](/api/v1/images/2c)"]`, `"ttsVoice": 1`))
		warned(t, back(t, in), "/api/v1/images/", "description", "alternate_greetings")
		assert.Empty(t, read(t, []byte(lvCard(`"description": "/api/v2/images"`, `"ttsVoice": 1`))).Warnings)
	})
	t.Run("Q14 Q15 Q15b Q16 order, switches and headings of a preset", func(t *testing.T) {
		in := []byte(`{"temperature": 1, "prompts": [{"identifier": "h", "name": "━━ Style", "content": ""}, {"identifier": "a", "name": "A", "content": "a", "injection_position": 0}, {"identifier": "chatHistory", "name": "Chat History", "marker": true}, {"identifier": "b", "name": "B", "content": "b", "injection_position": 0}, {"identifier": "pool", "name": "P", "content": "p"}],
			"prompt_order": [{"character_id": 100001, "order": [` + listed("h", "a", "chatHistory", "b") + `]}, {"character_id": 200002, "order": [` + listed("b", "a") + `]}]}`)
		_, out := convertTo(t, in, convert.Options{To: "lumiverse"})
		got := ""
		for _, b := range root(t, out).Get("blocks").Elems() {
			got += strings.Trim(raw(b.Get("id")), `"`) + ":" + strings.Trim(raw(b.Get("position")), `"`) + ":" + raw(b.Get("enabled")) + ":" + strings.Trim(raw(b.Get("group")), `"`) + " "
		}
		assert.Equal(t, "h:pre_history:true:null a:pre_history:true:h chatHistory:pre_history:true:h b:post_history:true:h pool:post_history:false:null ", got)
	})
	t.Run("Q15c samplers, prefill and seed come along", func(t *testing.T) {
		_, out := convertTo(t, []byte(`{"temperature": 0.7, "top_p": 0.9, "openai_max_context": 9000, "openai_max_tokens": 300, "assistant_prefill": "Sure:", "seed": 42, "names_behavior": 2, "prompts": [], "prompt_order": []}`), convert.Options{To: "lumiverse"})
		r := root(t, out)
		assert.Equal(t, `0.7 0.9 9000 300 "Sure:" 42 2`, strings.Join([]string{raw(r.At("samplerOverrides", "temperature")), raw(r.At("samplerOverrides", "topP")), raw(r.At("samplerOverrides", "contextSize")),
			raw(r.At("samplerOverrides", "maxTokens")), raw(r.At("completionSettings", "assistantPrefill")), raw(r.At("advancedSettings", "seed")), raw(r.At("completionSettings", "namesBehavior"))}, " "))
	})
	t.Run("Q17 what stands behind the chat history stays there", func(t *testing.T) {
		in := []byte(`{"name": "x", "schemaVersion": 1, "blocks": [{"id": "h", "name": "Chat History", "content": "", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "chat_history", "group": null}, {"id": "p", "name": "P", "content": "p", "role": "system", "enabled": true, "position": "post_history", "depth": 0, "marker": null, "group": null}]}`)
		_, st := convertTo(t, in, convert.Options{To: "sillytavern"})
		assert.Equal(t, []string{"chatHistory", "p"}, promptIDs(presetBody(t, st)))
		_, again := convertTo(t, st, convert.Options{To: "lumiverse"})
		assert.Equal(t, `"post_history"`, raw(root(t, again).Get("blocks").Elem(1).Get("position")))
	})
	t.Run("Q18 a script of one character becomes one for all in a file of its own", func(t *testing.T) {
		in := []byte(`{"version": 1, "type": "lumiverse_regex_scripts", "scripts": [{"name": "A", "find_regex": "a", "scope": "character", "scope_id": "c1"}]}`)
		warned(t, back(t, in), "scope", "character")
		p := read(t, in)
		p.Primary.Original = nil
		s := root(t, emit(t, p, convert.Options{To: "lumiverse"})).Get("scripts").Elem(0)
		assert.Equal(t, `"global"null`, raw(s.Get("scope"))+raw(s.Get("scope_id")))
	})
	t.Run("Q19 actions, folder and script_id of an archive's scripts stay", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "regex_scripts": [{"name": "A", "script_id": "a_1", "find_regex": "a", "folder": "F", "actions": [{"id": "x", "type": "send", "content": "c"}], "scope": "character", "scope_id": null, "target": ["display"]}]}`)
		back(t, in)
		p := read(t, in)
		require.Len(t, p.Regex, 1)
		x := *p.Primary
		x.Original = nil
		q := *p
		q.Primary = &x
		s := sideOf(t, emit(t, &q, convert.Options{To: "lumiverse", Container: formats.CharX})).Get("regex_scripts").Elem(0)
		assert.Equal(t, `"a_1""F""send"`, raw(s.Get("script_id"))+raw(s.Get("folder"))+raw(s.Get("actions").Elem(0).Get("type")))
	})
	t.Run("Q20 local timings do not travel", func(t *testing.T) {
		p := read(t, []byte(`[{"name": "A", "find_regex": "a", "metadata": {"regex_performance": {"ms": 1}, "mine": 2}}]`))
		p.Primary.Original = nil
		out := string(emit(t, p, convert.Options{To: "lumiverse"}))
		assert.NotContains(t, out, "regex_performance")
		assert.Contains(t, out, `"mine": 2`)
	})
	t.Run("Q21 a script_id stands once", func(t *testing.T) {
		p := read(t, []byte(`[{"name": "A", "script_id": "same", "find_regex": "a"}, {"name": "B", "script_id": "same", "find_regex": "b"}]`))
		p.Primary.Original = nil
		assert.Equal(t, 1, strings.Count(string(emit(t, p, convert.Options{To: "lumiverse"})), `"same"`))
	})
	t.Run("Q23 no old card in a picture of an archive", func(t *testing.T) {
		leak := samples.PNG(samples.Card("chara", lvCard("", "")), samples.Card("ccv3", lvCard("", "")))
		in := lvZip(t, lvCard("", ""), `{"version": 1}`, "assets/icon/image/main.png")
		q := edited(read(t, in), 0, func(b any) {
			b.(*canonical.Character).Media.Portrait.Blob = canonical.RawBlob(rope.FromBytes(leak), "")
		})
		got := files(t, emit(t, q, convert.Options{To: "lumiverse"}))["assets/icon/image/main.png"]
		assert.NotContains(t, got, "chara")
		assert.NotContains(t, got, "ccv3")
	})
	t.Run("Q25 the kind of a picture comes from its bytes", func(t *testing.T) {
		in := zipped(t, member{"card.json", lvCard("", "")}, member{"assets/icon/image/main.jpg", string(dotOf(1))}, member{"lumiverse_modules.json", `{"version": 1}`})
		_, out := newCard(t, in, formats.CharX)
		assert.Contains(t, files(t, out), "assets/icon/image/main.png")
		p, err := convert.New().Read(rope.Bytes(samples.PNG(samples.Card("ccv3", lvCard("", `"ttsVoice": 1`)))), convert.Options{Name: "photo.jpg"})
		require.NoError(t, err)
		assert.Equal(t, formats.PNG, p.Container)
	})
	t.Run("Q26 the uncropped picture of an alternate avatar is told of where it stays behind", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "alternate_avatars": [{"id": "a1", "label": "L", "path": "assets/icon/image/a1.png", "original_image_id": "i9"}]}`, "assets/icon/image/a1.png")
		assert.Contains(t, read(t, in).Unmapped(), "lumiverse_modules.json.alternate_avatars[].original_image_id")
	})
	t.Run("Q27 a file of personas is read", func(t *testing.T) {
		in := []byte(`{"type": "lumiverse_personas", "version": 1, "exported_at": "2026-07-15T00:00:00.000Z", "personas": [{"name": "Me", "subjective_pronoun": "she", "objective_pronoun": "her"}, {"name": "You"}]}`)
		p := read(t, in)
		assert.Equal(t, "Me", p.Primary.Body.(*canonical.Persona).Name)
		assert.Len(t, p.More, 1)
		back(t, in)
	})
	t.Run("Q28 extensions as a list, tags as a text", func(t *testing.T) {
		in := []byte(`{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ann", "first_mes": "Hi", "tags": "a, b", "extensions": ["x"]}}`)
		assert.Equal(t, []string{"a", "b"}, character(t, in).Discovery.Tags)
		_, out := convertTo(t, in, convert.Options{To: "lumiverse", Container: formats.JSON})
		assert.Equal(t, `["a","b"]`, compactRaw(root(t, out).At("data", "tags")))
		assert.NotEqual(t, jsondoc.KindArray, root(t, out).At("data", "extensions").Kind())
	})
}

func TestLumiverseDifferences(t *testing.T) {
	is := func(t *testing.T, want string, data []byte) {
		t.Helper()
		assert.Equal(t, want, read(t, data).Info.ID)
	}
	t.Run("D-1 D-21 signs of a card", func(t *testing.T) {
		is(t, "sillytavern", []byte(lvCard("", `"talkativeness": 0.5`)))
		for _, sign := range []string{`"lumiverse_modules": {}`, `"landing_perspective_layers": []`, `"greeting_backgrounds": {}`, `"weaver": {"source": "weaver"}`, `"_lumiverse_install_source": "hub"`} {
			is(t, "lumiverse", []byte(lvCard("", sign)))
		}
		is(t, "lumiverse", []byte(lvCard(`"character_book": {"entries": [{"keys": ["k"], "content": "c", "position": 1, "extensions": {"selective_logic": 2, "uid": "u"}}]}`, "")))
		in := []byte(lvCard("", `"lumiverse_modules": {"version": 1, "regex_scripts": [{"name": "hub", "find_regex": "a"}], "expressions": {"enabled": true, "defaultExpression": "", "mappings": {"joy": "assets/other/image/expr_joy.png"}}}, "regex_scripts": [`+script(`"scriptName": "own"`)+`]`))
		p := read(t, in)
		require.Len(t, p.Regex, 1)
		assert.Equal(t, "hub", p.Regex[0].Body.(*canonical.RegexSet).Rules[0].Label, "its scripts come first")
		assert.Contains(t, p.Unmapped(), "data.extensions.lumiverse_modules.expressions.mappings.joy", "its pictures are missing")
	})
	t.Run("D-2 every key of the sidecar stays, and the version is a number", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": "1", "has_nsfw_expressions": true, "landing_perspective_layers": [{"id": "l", "path": "assets/other/image/l.png", "intensity": 0.60}], "later": {"a": 1.0}}`, "assets/other/image/l.png")
		back(t, in)
		q := edited(read(t, in), 0, func(b any) {
			c := b.(*canonical.Character)
			c.Variants = []*canonical.Variant{{ID: "v", Label: canonical.Ptr("L"), Overrides: canonical.Overrides{Persona: &canonical.VariantPersona{Scenario: canonical.Ptr("s")}}}}
		})
		s := sideOf(t, emit(t, q, convert.Options{To: "lumiverse"}))
		assert.Equal(t, `1 true {"a": 1.0} 0.60`, raw(s.Get("version"))+" "+raw(s.Get("has_nsfw_expressions"))+" "+raw(s.Get("later"))+" "+raw(s.Get("landing_perspective_layers").Elem(0).Get("intensity")))
	})
	t.Run("D-3 the wrapper of groups stands in the sidecar only", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "expression_groups": {"groups": {"Mira": {"glad": "assets/other/image/exprg_Mira--glad.png"}}}}`, "assets/other/image/exprg_Mira--glad.png")
		assert.Equal(t, []string{"Mira:glad"}, labels(character(t, in)))
		flat := []byte(lvCard("", `"expression_groups": {"Mira": {"glad": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}`))
		assert.Equal(t, []string{"Mira:glad"}, labels(character(t, flat)))
		_, out := convertTo(t, flat, convert.Options{To: "lumiverse", Container: formats.CharX})
		assert.NotNil(t, sideOf(t, out).At("expression_groups", "groups", "Mira", "glad"))
		assert.NotContains(t, files(t, out)["card.json"], "expression_groups")
	})
	t.Run("D-4 only an archive shows pictures, and the report says so", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "expressions": {"enabled": true, "defaultExpression": "", "mappings": {"joy": "assets/other/image/expr_joy.png"}}}`, "assets/other/image/expr_joy.png")
		out, data := convertTo(t, in, convert.Options{To: "lumiverse", Container: formats.JSON})
		said := false
		for _, i := range out.Report.Items {
			said = said || strings.HasPrefix(i.Path, "media.assets") && i.Verdict == convert.Parked && strings.Contains(i.Reason, ".charx")
		}
		assert.True(t, said)
		assert.Equal(t, []string{"joy"}, labels(character(t, data)))
	})
	t.Run("D-5 D-6 D-7 D-8 scripts in every form", func(t *testing.T) {
		for _, in := range []string{
			`{"version": 1, "type": "lumiverse_regex_scripts", "exported_at": 0, "scripts": [{"name": "A", "find_regex": "a", "target": "display", "actions": [{"id": "x", "type": "append", "content": "c", "cost": "$1"}]}]}`,
			`[{"name": "A", "find_regex": "a", "target": ["display"], "user_id": "u", "preset_id": null, "pack_id": null, "created_at": 1}]`,
			`{"name": "A", "find_regex": "a"}`,
			`{"scripts": [{"name": "A", "find_regex": "a", "folder": "F"}]}`,
		} {
			is(t, "lumiverse-regex", []byte(in))
			back(t, []byte(in))
			p := read(t, []byte(in))
			p.Primary.Original = nil
			s := root(t, emit(t, p, convert.Options{To: "lumiverse"})).Get("scripts").Elem(0)
			assert.Equal(t, jsondoc.KindArray, s.Get("target").Kind(), "new files have a list")
			if strings.Contains(in, "actions") {
				assert.Equal(t, `"$1"`, raw(s.Get("actions").Elem(0).Get("cost")))
			}
		}
	})
	t.Run("D-9 D-10 D-11 personas", func(t *testing.T) {
		in := []byte(`{"type": "lumiverse_personas", "version": 1, "personas": [{"name": "Me", "description": "d", "subjective_pronoun": "they", "objective_pronoun": "them", "reflexive_pronoun": "themself", "possessive_pronoun_standalone": "theirs", "avatar_path": "me.png"}]}`)
		is(t, "lumiverse-persona", in)
		b := read(t, in).Primary.Body.(*canonical.Persona)
		assert.Nil(t, b.Presentation, "a file name of the server is no address")
		q := edited(read(t, in), 0, func(b any) { b.(*canonical.Persona).Content = "e" })
		assert.Equal(t, strings.Replace(string(in), `"d"`, `"e"`, 1), string(emit(t, q, convert.Options{To: "lumiverse"})), "the two further pronouns stay")
		assert.Contains(t, read(t, in).Unmapped(), "personas[0].reflexive_pronoun")
	})
	t.Run("D-12 the three shapes of a preset", func(t *testing.T) {
		for _, n := range []string{"preset-lumi.json", "preset-lumihub.json", "preset-lumi-row.json"} {
			is(t, "lumiverse-preset", samples.Get(n).Data)
			back(t, samples.Get(n).Data)
			assert.Equal(t, 9, len(presetBody(t, samples.Get(n).Data).Prompts), n)
		}
		_, err := convert.New().Read(rope.Bytes(`{"type": "lumiverse_preset", "data": {"blocks": []}}`), convert.Options{})
		assert.True(t, fault.Is(err, fault.NotRecognized), "%v", err)
	})
	t.Run("D-15 an archive over a bound is refused with its name", func(t *testing.T) {
		var list []member
		for i := range 520 {
			list = append(list, member{fmt.Sprintf("assets/other/image/gallery_%d.png", i), "x"})
		}
		in := zipped(t, append(list, member{"card.json", lvCard("", "")}, member{"lumiverse_modules.json", `{"version": 1}`})...)
		_, err := convert.New().Read(rope.Bytes(in), convert.Options{})
		require.True(t, fault.Is(err, fault.OverLimit), "%v", err)
		assert.Contains(t, err.Error(), "512")
		_, err = convert.New().Read(rope.Bytes(in), convert.Options{Limits: limits.Large()})
		assert.NoError(t, err, "the larger profile takes it")
	})
	t.Run("D-16 paths of new pictures", func(t *testing.T) {
		in := lvZip(t, lvCard("", ""), `{"version": 1, "expressions": {"enabled": true, "defaultExpression": "", "mappings": {"so/so": "a.png"}}, "expression_groups": {"groups": {"Mi ra?": {"glad": "b.png"}}}, "alternate_avatars": [{"id": "a1", "label": "L", "path": "c.png"}]}`, "a.png", "b.png", "c.png", "assets/icon/image/main.png")
		back(t, in)
		_, out := newCard(t, in, formats.CharX)
		for _, p := range []string{"assets/other/image/expr_so_so.png", "assets/other/image/exprg_Mi ra_--glad.png", "assets/icon/image/a1.png"} {
			assert.Contains(t, files(t, out), p)
		}
	})
	worldBook := func(name, text string) string {
		return `{"version": 1, "type": "lumiverse_world_book", "name": "` + name + `", "description": "", "metadata": {}, "entries": [{"uid": "u", "key": ["k"], "content": "` + text + `", "position": 7, "wi_marker": "scenario", "extensions": {}}], "exported_at": 0}`
	}
	t.Run("D-17 the books of the sidecar count one by one, not the merged copy", func(t *testing.T) {
		in := lvZip(t, lvCard(`"character_book": {"name": "Merged Lorebook (2 books)", "entries": [{"keys": ["k"], "comment": "[A] x", "content": "one", "position": 7, "extensions": {"selective_logic": 2, "uid": "u"}}, {"keys": ["k"], "comment": "[B] x", "content": "two", "position": 7, "extensions": {"selective_logic": 2, "uid": "u"}}]}`, ""),
			`{"version": 1, "world_books": [`+worldBook("A", "one")+`, `+worldBook("B", "two")+`]}`)
		p := read(t, in)
		require.Len(t, p.Books, 2)
		assert.Equal(t, "A B", p.Books[0].Lorebook().Name+" "+p.Books[1].Lorebook().Name)
		assert.Len(t, p.Primary.Character().KnowledgeRefs, 2)
		back(t, in)
		is(t, "lumiverse-lorebook", []byte(worldBook("A", "one")))
		back(t, []byte(worldBook("A", "one")))
	})
	t.Run("D-18 no book clears all three copies", func(t *testing.T) {
		b := `{"name": "A", "entries": [{"keys": ["k"], "content": "one", "position": 1, "extensions": {"selective_logic": 2, "uid": "u"}}]}`
		in := lvZip(t, lvCard(`"character_book": `+b, `"character_book": `+b), `{"version": 1, "world_books": [`+worldBook("A", "one")+`]}`)
		p := read(t, in)
		q := *p
		q.Books = []*canonical.Entity{}
		out := files(t, emit(t, &q, convert.Options{To: "lumiverse"}))
		assert.NotContains(t, out["card.json"], "character_book")
		assert.NotContains(t, out["lumiverse_modules.json"], "world_books")
	})
	t.Run("D-19 rows that share a label each go home", func(t *testing.T) {
		side := `{"version": 1, "alternate_fields": {"description": [{"id": "d1", "label": "Variant 1", "content": "a"}], "scenario": [{"id": "s1", "label": "Variant 1", "content": "b"}, {"id": "s2", "label": "Variant 1", "content": "c"}]}, "alternate_avatars": [{"id": "main", "label": "Variant 1", "path": "x.png"}]}`
		in := lvZip(t, lvCard("", ""), side, "x.png")
		p := read(t, in)
		require.Len(t, p.Primary.Character().Variants, 2)
		warned(t, p.Warnings, "Variant 1", "one variant")
		q := edited(p, 0, func(b any) {
			b.(*canonical.Character).Variants[0].Overrides.Persona.Scenario = canonical.Ptr("new")
		})
		assert.Equal(t, strings.Replace(side, `"content": "b"`, `"content": "new"`, 1), files(t, emit(t, q, convert.Options{To: "lumiverse"}))["lumiverse_modules.json"])
		_, out := newCard(t, in, formats.CharX)
		assert.NotContains(t, files(t, out), "assets/icon/image/main.png", "the id of an avatar is a file name, and main is the portrait's")
	})
	t.Run("D-20 data.assets is read and not expected", func(t *testing.T) {
		in := lvZip(t, lvCard(`"assets": [{"type": "background", "uri": "embeded://bg.png", "name": "sea", "ext": "png"}]`, ""), `{"version": 1}`, "bg.png")
		c := character(t, in)
		require.Len(t, c.Media.Assets, 1)
		assert.Equal(t, canonical.RoleBackground, c.Media.Assets[0].Role)
		back(t, in)
		none := lvZip(t, lvCard("", ""), `{"version": 1}`, "assets/other/image/gallery_g.png")
		q := edited(read(t, none), 0, func(b any) { b.(*canonical.Character).Identity.Description = canonical.Ptr("d") })
		assert.NotContains(t, files(t, emit(t, q, convert.Options{To: "lumiverse"}))["card.json"], "assets", "an archive of the app gains no list")
	})
}
