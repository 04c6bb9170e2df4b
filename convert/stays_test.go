package convert_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/formats"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// turned converts a file and returns what was written with the report.
func turned(t *testing.T, file string, o convert.Options) (string, *convert.Report) {
	t.Helper()
	out, err := convert.New().Convert(rope.Bytes(file), o)
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b), out.Report
}

func lost(r *convert.Report) (out []string) {
	for _, i := range r.Items {
		if i.Verdict == convert.Lost {
			out = append(out, i.Path)
		}
	}
	return out
}

const bareBook = `{"name":"B","extensions":{"ex":1},"unkb":2,"entries":[{"id":3,"keys":["a"],"secondary_keys":["b"],"content":"c","extensions":{"zz":1.0},"enabled":true,"insertion_order":0,"zq":1e400}]}`

// TestBookBecomesWorldInfo: SillyTavern moves an entry's extensions between a card's book and a World Info file, so a
// converter must not lose them; and an entry without a place means another one in each of the two.
func TestBookBecomesWorldInfo(t *testing.T) {
	for name, file := range map[string]string{"a character_book": bareBook, "a lorebook_v3": `{"spec":"lorebook_v3","data":` + bareBook + `}`} {
		t.Run(name, func(t *testing.T) {
			out, r := turned(t, file, convert.Options{To: "sillytavern"})
			var wi struct {
				Extensions map[string]any
				Unkb       int
				Entries    map[string]struct {
					Zq         json.RawMessage
					Extensions struct{ Zz json.RawMessage }
					Position   int
					Selective  bool
				}
			}
			require.NoError(t, json.Unmarshal([]byte(out), &wi))
			e := wi.Entries["3"]
			assert.Equal(t, "1e400", string(e.Zq))
			assert.Equal(t, "1.0", string(e.Extensions.Zz))
			assert.EqualValues(t, 1, wi.Extensions["ex"])
			assert.Equal(t, 2, wi.Unkb)
			assert.Equal(t, 1, e.Position, "a card's entry without a place stands after the character")
			assert.False(t, e.Selective, "a card's entry without selective ignores its secondary keys")
			for _, i := range r.Items {
				assert.NotEqual(t, convert.Lost, i.Verdict, i.Path)
				assert.NotContains(t, i.Path, "position")
				assert.NotContains(t, i.Path, "triggerMode")
			}
			again := piecesOf(t, out).Primary.Lorebook().Entries[0]
			assert.Nil(t, again.Position, "unsaid, as it was")
			assert.Nil(t, again.TriggerMode)
		})
	}
}

func piecesOf(t *testing.T, file string) *convert.Pieces {
	t.Helper()
	p, err := convert.New().Read(rope.Bytes(file), convert.Options{})
	require.NoError(t, err)
	return p
}

// TestUnsaidInAnotherApp: what an entry means by its silence holds in the other app, and the way back is silent again.
func TestUnsaidInAnotherApp(t *testing.T) {
	wi := `{"entries":{"0":{"uid":0,"key":["a"],"keysecondary":["b"],"comment":"","content":"c"}}}`
	for _, c := range []struct{ file, to, has string }{
		{bareBook, "lumiverse", `"position": 1`},
		{wi, "lumiverse", `"selective": true`},
		{wi, "risu", `"selective": true`},
		{wi, "lumiverse", `"selective_logic": 2`},
		{wi, "lumiverse", `"order_value": 100`},
	} {
		out, _ := turned(t, c.file, convert.Options{To: c.to})
		assert.Contains(t, out, c.has, c.to)
		if c.to == "lumiverse" {
			home, _ := turned(t, out, convert.Options{To: "sillytavern"})
			e := piecesOf(t, home).Primary.Lorebook().Entries[0]
			if c.file == bareBook {
				assert.Nil(t, e.Position)
			} else {
				assert.Nil(t, e.SelectiveLogic)
				assert.Contains(t, home, `"selective": true`, "SillyTavern goes by what the file says")
				assert.Contains(t, home, `"position": 0`)
			}
		}
	}
}

// TestLeftBehindInTheSameApp: a file of the same app that has no place for something is told like any other.
func TestLeftBehindInTheSameApp(t *testing.T) {
	file := archive("", cardFile(), file{name: "extra.json", data: `{"a":1.0}`})
	out, r := turned(t, file, convert.Options{To: "sillytavern", Container: "json"})
	assert.NotContains(t, out, `"a":1.0`)
	assert.Equal(t, []string{"original.sillytavern.files.extra.json"}, lost(r))
	_, r = turned(t, file, convert.Options{To: "sillytavern"})
	assert.Empty(t, lost(r))
}

// TestModuleStaysBehind: a picture holds no module, so what only the module said is named, and what the card says too is not.
func TestModuleStaysBehind(t *testing.T) {
	_, r := turned(t, string(samples.Get("risu.charx").Data), convert.Options{To: "risu", Container: "png"})
	assert.Equal(t, []string{"original.risu.module.risum.zq_module", "original.risu.module.risum.trigger[].lowLevelAccess", "original.risu.module.risum.lorebook[].zq",
		"original.risu.files.x_meta/"}, lost(r))
	_, r = turned(t, string(samples.Get("risu.charx").Data), convert.Options{To: "risu"})
	assert.Empty(t, lost(r))
}

// TestKeptPieceTellsWhatStays: a piece of a canonical file still has its app's own data, which another app does not get.
func TestKeptPieceTellsWhatStays(t *testing.T) {
	card := string(small(with("zq_card", 1)))
	kept, _ := turned(t, card, convert.Options{To: "bunzai"})
	_, r := turned(t, kept, convert.Options{To: "lumiverse", Container: "json"})
	assert.Contains(t, lost(r), "original.sillytavern.data.zq_card")
	back, r := turned(t, kept, convert.Options{To: "sillytavern", Container: "json"})
	assert.Empty(t, lost(r))
	assert.True(t, strings.Contains(back, "zq_card"))
}

// TestV3OnlyValuesThatSayNothing: a V2 card has no field for them, and though no canonical field holds them the report
// names each.
func TestV3OnlyValuesThatSayNothing(t *testing.T) {
	for key, v := range map[string]any{"source": "a text", "creation_date": 0, "modification_date": 0, "creator_notes_multilingual": map[string]any{"de": 5}, "assets": "x", "nickname": []int{7}} {
		_, r := turned(t, string(small(with(key, v))), convert.Options{To: "sillytavern", Container: "json", Spec: "v2"})
		assert.Equal(t, []string{"original.sillytavern.data." + key}, lost(r))
	}
	remote := []any{map[string]any{"type": "background", "uri": "https://example.org/y.png", "name": "y", "ext": "png"}}
	_, r := turned(t, string(small(with("assets", remote))), convert.Options{To: "sillytavern", Container: "json", Spec: "v2"})
	require.Len(t, lost(r), 1)
	assert.Contains(t, r.Items[0].Reason, "V2")
}

// TestBlankNames: a file whose document says no name is named after the file, and goes back without one.
func TestBlankNames(t *testing.T) {
	for app, files := range map[string][]string{
		"sillytavern": {
			`{"name": "", "input_sequence": "a", "output_sequence": "b", "names": true, "zz": 1.0}`,
			`{"name": [1], "input_sequence": "a", "output_sequence": "b"}`,
			`{"name": "", "story_string": "x"}`,
			`{"name": "", "content": "c", "post_history": ""}`,
			`{"name": "S", "content": "c", "post_history": "", "zz": 1.0}`,
			`{"name": "", "prefix": "a", "suffix": "b", "separator": "c"}`,
			`{"name": "", "temperature": 1, "prompts": []}`,
			`{"name": "", "temp": 1, "top_p": 1, "rep_pen": 1}`,
			`{"name": "", "entries": {"0": {"uid": 0, "key": ["a"], "content": "c"}}}`,
			`{"version": 2, "name": "", "qrList": []}`,
		},
		"risu": {
			`{"name": "", "temperature": 80, "promptTemplate": [], "mainPrompt": "x", "jailbreak": "", "globalNote": ""}`,
			`{"type": "risu", "ver": 1, "name": "", "data": [{"key": "a", "content": "c", "mode": "normal", "insertorder": 1, "alwaysActive": false, "secondkey": "", "selective": false, "comment": ""}]}`,
		},
		"lumiverse": {
			`{"version": 1, "type": "lumiverse_world_book", "name": "", "entries": []}`,
		},
	} {
		for _, file := range files {
			p, err := convert.New().Read(rope.Bytes(file), convert.Options{Name: "of the file.json"})
			require.NoError(t, err, file)
			require.Equal(t, app, p.Info.App, file)
			out, err := convert.New().Emit(p, convert.Options{To: app, Name: "of the file.json"})
			require.NoError(t, err, file)
			b, err := out.Data.Bytes()
			require.NoError(t, err)
			assert.Equal(t, file, string(b))
		}
	}
}

// TestLinksWithoutPieces: a canonical file that only names its lorebook goes to an app without it, which is told.
func TestLinksWithoutPieces(t *testing.T) {
	kept := `{"schemaVersion":"1","kind":"character","id":"ann","body":{"identity":{"name":"Ann"},"knowledgeRefs":["w"],"behaviorRefs":["s"]}}`
	for _, to := range []string{"sillytavern", "lumiverse", "risu"} {
		_, r := turned(t, kept, convert.Options{To: to, Container: "json"})
		assert.Equal(t, []string{"knowledgeRefs", "behaviorRefs"}, lost(r), to)
	}
	same, _ := turned(t, kept, convert.Options{To: "bunzai"})
	assert.Contains(t, same, `"w"`)
}

// TestTalkativenessKeepsItsSpelling where a card without a spec becomes one with it.
func TestTalkativenessKeepsItsSpelling(t *testing.T) {
	for _, v := range []string{`"0.5"`, `0.50`, `1`} {
		out, _ := turned(t, `{"name":"A","description":"d","first_mes":"f","talkativeness":`+v+`}`, convert.Options{To: "sillytavern", Container: "json", Spec: "v2"})
		var card struct {
			Data struct {
				Extensions struct{ Talkativeness json.RawMessage }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &card))
		assert.Equal(t, v, string(card.Data.Extensions.Talkativeness))
	}
}

// TestRisuAsV2: a card of Risu can be had as V2, as a picture or JSON, with all but what V3 alone has a field for.
func TestRisuAsV2(t *testing.T) {
	card := string(small(with("zq", 1), with("nickname", "Annie"), func(d map[string]any) { d["extensions"].(map[string]any)["risuai"] = map[string]any{"zq": 2} }))
	for _, container := range []formats.Container{"", formats.JSON, formats.PNG} {
		out, r := turned(t, card, convert.Options{To: "risu", Container: container, Spec: "v2"})
		assert.Equal(t, []string{"identity.nickname"}, lost(r))
		p := piecesOf(t, out)
		assert.Equal(t, "v2", p.Variant)
		assert.Equal(t, "risu", p.Info.App)
		assert.ElementsMatch(t, []string{"data.zq", "data.extensions.risuai.zq"}, p.Unmapped())
	}
	for _, container := range []formats.Container{formats.CharX, formats.JPEG} {
		_, err := convert.New().Convert(rope.Bytes(card), convert.Options{To: "risu", Container: container, Spec: "v2"})
		assert.ErrorContains(t, err, "only V3 cards out of an archive")
	}
	_, err := convert.New().Convert(rope.Bytes(small()), convert.Options{To: "risu", Spec: "v2"})
	assert.ErrorContains(t, err, "Risu writes V3 cards")
}
