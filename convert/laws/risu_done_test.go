package laws

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/testdata/samples"
)

// bigTavern is a card as SillyTavern writes it: a book of n entries with every setting in some of them, a character's
// note and regex scripts.
func bigTavern(n int) []byte {
	entry := func(i int) obj {
		ext := obj{
			"position": i % 8, "exclude_recursion": i%5 == 0, "display_index": i, "probability": 100, "useProbability": true, "depth": 4,
			"selectiveLogic": 0, "outlet_name": "", "group": "", "group_override": false, "group_weight": 100, "prevent_recursion": i%7 == 0,
			"delay_until_recursion": false, "scan_depth": nil, "match_whole_words": nil, "use_group_scoring": false, "case_sensitive": nil,
			"automation_id": "", "role": 0, "vectorized": false, "sticky": nil, "cooldown": nil, "delay": nil,
			"match_persona_description": false, "match_character_description": false, "match_character_personality": false,
			"match_character_depth_prompt": false, "match_scenario": false, "match_creator_notes": false, "triggers": []any{}, "ignore_budget": false,
		}
		e := obj{
			"id": i, "keys": []any{fmt.Sprintf("key %d", i), "k" + fmt.Sprint(i)}, "secondary_keys": []any{}, "comment": fmt.Sprintf("Entry %d", i),
			"content": fmt.Sprintf("Fact %d.\n\n  Two lines, {{char}} & <b>.\n", i), "constant": i%11 == 0, "selective": true, "insertion_order": 100 + i%13,
			"enabled": i%6 != 0, "position": "after_char", "use_regex": true, "extensions": ext,
		}
		if i%8 == 0 {
			e["position"] = "before_char"
		}
		switch i % 8 {
		case 4:
			ext["depth"], ext["role"] = i%10, i%3
		case 7:
			ext["outlet_name"] = fmt.Sprintf("outlet %d", i%4)
		}
		switch i % 9 {
		case 1:
			ext["probability"] = i % 101
		case 2:
			ext["sticky"], ext["cooldown"], ext["delay"] = i%4, 1+i%5, i%3
		case 3:
			ext["group"], ext["group_weight"], ext["group_override"], ext["use_group_scoring"] = "weather, night", 30, i%2 == 0, true
		case 4:
			e["secondary_keys"], ext["selectiveLogic"] = []any{"second", "other"}, i%4
		case 5:
			ext["scan_depth"], ext["match_whole_words"], ext["case_sensitive"] = i%5, i%2 == 0, i%4 == 1
		case 6:
			ext["match_persona_description"], ext["match_scenario"], ext["match_creator_notes"] = true, i%2 == 0, true
		case 7:
			ext["automation_id"], ext["vectorized"], ext["triggers"], ext["ignore_budget"] = "auto", true, []any{"normal", "swipe"}, true
		case 8:
			ext["delay_until_recursion"] = 1 + i%3
			e["keys"] = []any{fmt.Sprintf("/stage\\s%d{1,2}/i", i)}
		}
		return e
	}
	entries := make([]any, n)
	for i := range entries {
		entries[i] = entry(i)
	}
	script := func(id, name string, more obj) obj {
		s := obj{"id": id, "scriptName": name, "findRegex": "/\\*(.+?)\\*/g", "replaceString": "<i>$1</i>", "trimStrings": []any{}, "placement": []any{2}, "disabled": false,
			"markdownOnly": true, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": nil, "maxDepth": nil}
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	card := obj{"spec": "chara_card_v2", "spec_version": "2.0", "data": obj{
		"name": "Wren", "description": "Keeps the lighthouse.", "personality": "dry", "scenario": "A storm.", "first_mes": "You are late.", "mes_example": "<START>\n{{user}}: hm",
		"creator_notes": "for testing", "system_prompt": "Be brief.", "post_history_instructions": "Stay inside.", "tags": []any{"sea", "storm"}, "creator": "me", "character_version": "1.2",
		"alternate_greetings": []any{"Again?", "Wet."},
		"extensions": obj{"talkativeness": "0.5", "fav": false, "world": "Lighthouse", "depth_prompt": obj{"prompt": "[Wren never lies.]", "depth": 3, "role": "user"},
			"regex_scripts": []any{script("a", "Italics", nil), script("b", "Out", obj{"placement": []any{1, 2}, "markdownOnly": false, "promptOnly": true, "minDepth": 2, "maxDepth": 9}),
				script("c", "Off", obj{"disabled": true, "trimStrings": []any{"x"}, "substituteRegex": 2})}},
		"character_book": obj{"name": "Lighthouse", "entries": entries},
	}}
	b, err := json.Marshal(card)
	if err != nil {
		panic(err)
	}
	return samples.PNG(samples.Card("chara", string(b)))
}

// throughRisu is a card in the app's hands: what its import takes (importCharacterCardSpec and convertCharbook of
// characterCards.ts) and its export writes again (createBaseV3), as a JSON card. Names are those of the wire.
func throughRisu(t testing.TB, card obj) []byte {
	t.Helper()
	d := card["data"].(obj)
	ext := obj{}
	for k, v := range d["extensions"].(obj) {
		if k != "risuai" && k != "depth_prompt" {
			ext[k] = v
		}
	}
	ext["risuai"], ext["depth_prompt"] = d["extensions"].(obj)["risuai"], obj{"depth": 0, "prompt": ""}
	text := func(v any) string { s, _ := v.(string); return s }
	var entries []any
	book, _ := d["character_book"].(obj)
	for _, v := range list(book["entries"]) {
		e := v.(obj)
		more := obj{}
		for k, v := range e["extensions"].(obj) {
			more[k] = v
		}
		require.NotContains(t, more, "useProbability", "the app would write another decorator on top")
		require.False(t, more["position"] == 4.0 && more["depth"] != nil && more["role"] != nil)
		require.NotContains(t, more, "delay")
		require.NotContains(t, more, "match_whole_words")
		name := text(e["name"])
		if e["name"] == nil {
			name = text(e["comment"])
		}
		var keys []any
		for _, k := range strings.Split(strings.Join(stringsOf(e["keys"]), ", "), ",") {
			keys = append(keys, strings.TrimSpace(k))
		}
		more["risu_case_sensitive"] = e["case_sensitive"]
		out := obj{"keys": keys, "content": e["content"], "extensions": more, "enabled": true, "insertion_order": e["insertion_order"], "constant": e["constant"] == true,
			"selective": e["selective"] == true, "name": name, "comment": name, "case_sensitive": e["case_sensitive"] == true, "use_regex": e["use_regex"] == true && strings.HasPrefix(stringsOf(e["keys"])[0], "/"), "mode": e["mode"]}
		if out["selective"] == true {
			out["secondary_keys"] = stringsOf(e["secondary_keys"])
		}
		entries = append(entries, out)
	}
	data := obj{"extensions": ext, "creation_date": 0, "character_version": text(d["character_version"]),
		"character_book": obj{"extensions": obj{"risu_fullWordMatching": false}, "entries": entries}}
	for _, k := range []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt", "post_history_instructions", "alternate_greetings", "tags", "creator", "group_only_greetings", "nickname"} {
		if v, ok := d[k]; ok {
			data[k] = v
		}
	}
	b, err := json.Marshal(obj{"spec": "chara_card_v3", "spec_version": "3.0", "data": data})
	require.NoError(t, err)
	return b
}

func stringsOf(v any) (out []string) {
	for _, x := range list(v) {
		out = append(out, x.(string))
	}
	return out
}

// flatten lists every leaf of a document by its path.
func flatten(v any, path string, out map[string]any) {
	switch x := v.(type) {
	case obj:
		for k, m := range x {
			flatten(m, path+"."+k, out)
		}
	case []any:
		for i, m := range x {
			flatten(m, fmt.Sprintf("%s[%d]", path, i), out)
		}
	default:
		out[path] = v
	}
}

// sameSetting reports two spellings of one setting of SillyTavern.
func sameSetting(path string, a, b any) bool {
	last := path[strings.LastIndexByte(path, '.')+1:]
	switch {
	case a == nil && b == nil: // not set, in one of them by a null
	case last == "delay_until_recursion" && a == false && b == 0.0:
	case last == "talkativeness" && a == "0.5" && b == 0.5:
	case last == "position" && !strings.Contains(path, "extensions"), last == "use_regex", last == "fav": // SillyTavern does not read it from a card
	case last == "id" && strings.Contains(path, "regex_scripts"): // Risu's scripts have none, and a new one is made
	case a == nil && (b == "" || b == false): // what a setting says that is not there
	default:
		return a == b
	}
	return true
}

// TestRisuDone takes a large card of SillyTavern to Risu and back. Every field comes back; the report names what Risu
// itself does not use, and nothing else.
func TestRisuDone(t *testing.T) {
	const n = 500
	in := bigTavern(n)
	card := func(data []byte) obj {
		docs := apart(t, data).docs
		c, err := parseObject([]byte(docs[0].text))
		require.NoError(t, err)
		return c
	}
	there, charx := convertTo(t, in, convert.Options{To: "risu", Container: "charx"})
	require.NoError(t, risuCard(charx, "charx"))
	want := map[string]bool{"2 rules[0].phases": true, "2 rules[2].substituteFind": true}
	for i := range n {
		switch i % 8 {
		case 2, 3, 5, 6: // the author's note and the examples are no places of Risu
			want[fmt.Sprintf("1 entries[%d].position", i)] = true
		}
		if i%9 == 8 {
			want[fmt.Sprintf("1 entries[%d].triggers", i)] = true // a comma inside a pattern
		}
	}
	parked := map[string]int{"0 settings.talkativeness": 1, "0 worldName": 1, "1 name": 1, "2 rules[].runOnEdit": 3, "2 rules[1].minDepth": 1, "2 rules[1].maxDepth": 1, "2 rules[2].trimStrings[0]": 1}
	for _, f := range []string{"groupWeight", "groupOverride", "useGroupScoring", "delayUntilRecursion", "ignoreBudget", "scanCharacterDescription", "scanCharacterPersonality", "scanUserPersona",
		"scanScenario", "scanCharacterDepthPrompt", "scanCreatorNotes", "vectorized", "displayIndex"} {
		parked["1 entries[]."+f] = n
	}
	for f, rest := range map[string]int{"sticky": 2, "cooldown": 2, "groupName": 3, "caseSensitive": 5, "automationId": 7} {
		parked["1 entries[]."+f] = (n - rest + 8) / 9 // entries whose number leaves that rest by nine
	}
	parked["1 entries[].generationTypes[]"] = 2 * ((n - 7 + 8) / 9)
	got, kept := map[string]bool{}, map[string]int{}
	for _, i := range there.Report.Items {
		switch key := fmt.Sprint(i.Piece, " ", i.Path); i.Verdict {
		case convert.Lost:
			assert.Fail(t, "nothing is lost", "%+v", i)
		case convert.Changed:
			got[key] = true
		case convert.Parked:
			kept[key] = i.Count
		}
	}
	assert.Equal(t, want, got, "what Risu holds otherwise")
	assert.Equal(t, parked, kept, "what Risu ignores")

	written := card(charx)["data"].(obj)["character_book"].(obj)["entries"].([]any)
	require.Len(t, written, n+1, "the note is an entry too")
	for i, v := range written[:n] {
		e := v.(obj)
		assert.Equal(t, i%6 == 0, strings.Contains(e["content"].(string), "@@dont_activate\n"), "entry %d: Risu reads no switch", i)
		assert.True(t, strings.HasSuffix(e["content"].(string), fmt.Sprintf("Fact %d.\n\n  Two lines, {{char}} & <b>.\n", i)))
	}
	assert.Equal(t, "@@depth 3\n@@role user\n@@priority 10000\n@@unrecursive\n[Wren never lies.]", written[n].(obj)["content"])

	was := map[string]any{}
	flatten(card(in), "", was)
	equal := func(what string, data []byte, but string) {
		now := map[string]any{}
		flatten(card(data), "", now)
		for p := range now {
			if _, ok := was[p]; !ok {
				was[p] = nil
			}
		}
		for p, v := range was {
			if p == but {
				continue
			}
			assert.True(t, sameSetting(p, v, now[p]), "%s: %s was %v and is %v", what, p, v, now[p])
		}
	}
	st := func(what string, risu []byte, lost, but string) []byte {
		back, out := convertTo(t, risu, convert.Options{To: "sillytavern", Container: "png"})
		assert.Equal(t, lost, lines(back.Report, convert.Lost)+lines(back.Report, convert.Changed), what)
		equal(what, out, but)
		return out
	}
	first := st("back", charx, "", "")
	_, again := convertTo(t, first, convert.Options{To: "risu", Container: "charx"})
	assert.Equal(t, apart(t, charx).docs, apart(t, again).docs, "a second time around gives the same")
	assert.Equal(t, apart(t, first).docs, apart(t, st("twice", again, "", "")).docs)

	// The app drops the book's name, as the report says, and adds a setting of its own.
	st("through the app", throughRisu(t, card(charx)), "globalMatchWholeWords", ".data.character_book.name")
}

// TestRisuNote: the app throws the note of a character away, so that an entry of the lorebook says it too.
func TestRisuNote(t *testing.T) {
	const says = `@@depth 3\n@@role user\n@@priority 10000\n@@unrecursive\n`
	st := func(note string) []byte {
		return []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Wren","description":"d","personality":"","scenario":"","first_mes":"","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","tags":[],"creator":"","character_version":"","alternate_greetings":[],"extensions":{"depth_prompt":` + note + `}}}`)
	}
	in := st(`{"prompt":"[Wren never lies.]","depth":3,"role":"user"}`)
	docs := func(data []byte) (out []string) {
		for _, d := range apart(t, data).docs {
			out = append(out, d.text)
		}
		return out
	}
	for _, c := range []convert.Options{{To: "risu", Container: "charx"}, {To: "risu", Container: "jpeg"}, {To: "risu", Container: "png"}, {To: "risu", Container: "json"}} {
		t.Run(string(c.Container), func(t *testing.T) {
			out, risu := convertTo(t, in, c)
			assert.Zero(t, out.Report.Counts.Lost+out.Report.Counts.Changed+out.Report.Counts.Parked)
			warned(t, out.Report.Warnings, "also written as an entry")
			warned(t, out.Report.Warnings, "oldest message", "1 entry in")
			p := read(t, risu)
			assert.Empty(t, p.Books, "the entry is no lore")
			same(t, read(t, in).Primary.Body, p.Primary.Body, "the note is the note")
			back, again := convertTo(t, risu, convert.Options{To: "sillytavern"})
			assert.Zero(t, back.Report.Counts.Lost+back.Report.Counts.Changed)
			assert.NotContains(t, strings.Join(docs(again), ""), "@@depth")

			q := edited(p, 0, func(b any) { b.(*canonical.Character).Prompts.DepthInjections[0].Text = "[Wren lies.]" })
			for _, d := range docs(emit(t, q, convert.Options{To: "risu"})) {
				assert.Contains(t, d, says+"[Wren lies.]", "the entry follows the note")
				assert.NotContains(t, d, "never")
			}
			q = edited(p, 0, func(b any) { b.(*canonical.Character).Prompts.DepthInjections = nil })
			for _, d := range docs(emit(t, q, convert.Options{To: "risu"})) {
				assert.NotContains(t, d, "never")
				assert.NotContains(t, d, "character_book", "nor the book that was made for it")
			}
		})
	}
	t.Run("a note of its own in the app", func(t *testing.T) {
		_, risu := convertTo(t, in, convert.Options{To: "risu", Container: "json"})
		card, err := parseObject(risu)
		require.NoError(t, err)
		out := throughRisu(t, card)
		assert.Empty(t, read(t, out).Books)
		out = []byte(strings.Replace(string(out), `"depth_prompt":{"depth":0,"prompt":""}`, `"depth_prompt":{"depth":0,"prompt":"another"}`, 1))
		p := read(t, out)
		assert.Equal(t, "another", p.Primary.Character().Prompts.DepthInjections[0].Text)
		require.Len(t, p.Books, 1)
		e := p.Books[0].Lorebook().Entries[0]
		assert.Equal(t, "[Wren never lies.]", e.Content, "both are there, and both go on")
		assert.Equal(t, 3.0, *e.Depth)
		assert.Equal(t, string(out), string(emit(t, p, convert.Options{To: "risu"})))
	})
	t.Run("an entry that the user switched off is lore", func(t *testing.T) {
		_, risu := convertTo(t, in, convert.Options{To: "risu", Container: "json"})
		card, err := parseObject(risu)
		require.NoError(t, err)
		off := strings.Replace(string(throughRisu(t, card)), `"constant":true`, `"constant":false`, 1)
		p := read(t, []byte(off))
		assert.Empty(t, p.Primary.Character().Prompts.DepthInjections)
		require.Len(t, p.Books, 1)
	})
	t.Run("a note that Risu would take for settings", func(t *testing.T) {
		out, risu := convertTo(t, st(`{"prompt":"@@depth of the sea","depth":3}`), convert.Options{To: "risu", Container: "json"})
		assert.NotContains(t, string(risu), "character_book")
		assert.Contains(t, lines(out.Report, convert.Parked), "prompts.depthInjections[0].text")
	})
	t.Run("a note without a depth or a role", func(t *testing.T) {
		_, risu := convertTo(t, st(`{"prompt":"x"}`), convert.Options{To: "risu", Container: "json"})
		assert.Contains(t, string(risu), `"@@depth 4\n@@priority 10000\n@@unrecursive\nx"`)
		same(t, read(t, st(`{"prompt":"x"}`)).Primary.Body, read(t, risu).Primary.Body, "nothing is added to the note")
	})
}
