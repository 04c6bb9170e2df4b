package laws

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
)

// What other tools bend or drop when they write a file of SillyTavern: an edit beside it leaves every byte of it.

const oddEntry = `{"uid": 0, "key": ["a"], "keysecondary": [], "content": "c0", "comment": "", "order": 1.0, "position": 4, "depth": 1e0, "role": null,
  "caseSensitive": null, "matchWholeWords": false, "useGroupScoring": null, "probability": 0, "useProbability": true, "sticky": 0, "cooldown": null,
  "characterFilter": {"isExclude": false, "names": ["Ann"], "tags": ["9007199254740993"], "more": [1.0]}, "own": {"x": 1e400, "y": 12345678901234567890}, "extensions": {"e": -0}}`

const oddBookEntry = `{"id": 7, "keys": ["a"], "content": "c0", "enabled": true, "insertion_order": 1.0, "case_sensitive": null, "use_regex": true, "priority": 0, "own": [1.0, null, ""],
   "extensions": {"position": 4, "depth": 2.0, "use_group_scoring": null, "match_whole_words": false, "characterFilter": {"names": [], "isExclude": true}, "role": null, "own": 1e400}},
  {"id": 7, "keys": ["b"], "content": "c1", "enabled": false, "insertion_order": -5, "extensions": {"use_group_scoring": true}},
  {"id": null, "keys": [], "content": "", "extensions": {}, "insertion_order": 0, "enabled": true},
  {"id": "7", "keys": ["d"], "content": "c3", "insertion_order": 0e0, "extensions": {"match_whole_words": null}}`

const oddData = `"name": "Ann", "description": "d0", "personality": null, "scenario": "", "first_mes": "Hi", "tags": [], "creator": 0, "own": {"a": [1.0, 1e400, 12345678901234567890, -0, 0.1000000000000000055], "b": null, "c": "", "d": 0, "e": false},
 "extensions": {"talkativeness": "0.50", "fav": null, "world": "", "own": {"q": [{"r": 1.0}]}, "regex_scripts": [
  {"id": "1", "scriptName": "one", "findRegex": "/a/g", "replaceString": "r0", "trimStrings": [], "placement": [2, 9], "disabled": false, "markdownOnly": true, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0.0, "minDepth": null, "maxDepth": 0, "own": 1.0},
  {"scriptName": "two", "findRegex": "b", "replaceString": "", "placement": [0], "minDepth": null, "extra": {"z": 1, "a": 1e400}}]},
 "character_book": {"name": "B", "scan_depth": "40", "own": 1.0, "extensions": {"own": null}, "entries": [ENTRIES]}`

// TestKeeps edits one field of files full of odd values and compares the whole text.
func TestKeeps(t *testing.T) {
	data := strings.Replace(oddData, "ENTRIES", oddBookEntry, 1)
	files := map[string]string{
		"v1":    `{"own": 1.0, "name": "Ann", "description": "d0", "personality": null, "first_mes": "Hi", "creatorcomment": "n0", "talkativeness": "0.50", "create_date": "2023-5-12 @21h 32m 29s 228ms", "x": {"y": 1e400}}`,
		"flat":  "{" + data + `, "root": 1.0}`,
		"v2":    `{"spec": "chara_card_v2", "spec_version": "2.0", "root": [1e400, null], "json": {"k": 1.0}, "data": {` + data + `}, "behind": 0.0}`,
		"v3":    "{\n\t\"spec\": \"chara_card_v3\", \"spec_version\": \"3.0\", \"root\": 1.0,\n\t\"data\": {" + data + `, "group_only_greetings": [], "creation_date": 1.0, "source": "no list", "nickname": ""}}` + "\n",
		"world": `{"entries": {"0": ` + oddEntry + `, "1": {"uid": 1, "key": "b", "content": "c1", "disable": false, "useGroupScoring": false, "matchWholeWords": true}}, "name": "", "own": 1.0, "originalData": {"z": 1e400}}`,
	}
	edits := []struct {
		what, old, new string
		only           string // kinds of files
		edit           func(p *convert.Pieces)
	}{
		{"a text", `"d0"`, `"d1"`, "v1 flat v2 v3", func(p *convert.Pieces) { p.Primary.Character().Identity.Description = canonical.Ptr("d1") }},
		{"talkativeness stays a text", `"0.50"`, `"0.7"`, "v1 flat v2 v3", func(p *convert.Pieces) { p.Primary.Character().Settings.Talkativeness = canonical.Ptr(0.7) }},
		{"the old name of the notes", `"n0"`, `"n1"`, "v1", func(p *convert.Pieces) { p.Primary.Character().Attribution.CreatorNotes = canonical.Ptr("n1") }},
		{"an entry of a book", `"c0"`, `"e0"`, "flat v2 v3", func(p *convert.Pieces) { p.Books[0].Lorebook().Entries[0].Content = "e0" }},
		{"an entry whose id stands twice", `"c1"`, `"e1"`, "flat v2 v3", func(p *convert.Pieces) { p.Books[0].Lorebook().Entries[1].Content = "e1" }},
		{"an entry whose id is a text", `"c3"`, `"e3"`, "flat v2 v3", func(p *convert.Pieces) { p.Books[0].Lorebook().Entries[3].Content = "e3" }},
		{"a switch of three states", `"use_group_scoring": true`, `"use_group_scoring": false`, "flat v2 v3", func(p *convert.Pieces) { p.Books[0].Lorebook().Entries[1].UseGroupScoring = canonical.Ptr(false) }},
		{"whole words", `"match_whole_words": false`, `"match_whole_words": true`, "flat v2 v3", func(p *convert.Pieces) { p.Books[0].Lorebook().Entries[0].MatchWholeWords = canonical.Ptr(true) }},
		{"one rule of a bundled set", `"r0"`, `"r1"`, "flat v2 v3", func(p *convert.Pieces) { p.Regex[0].Body.(*canonical.RegexSet).Rules[0].Replace = "r1" }},
		{"the second rule", `"scriptName": "two"`, `"scriptName": "2"`, "flat v2 v3", func(p *convert.Pieces) { p.Regex[0].Body.(*canonical.RegexSet).Rules[1].Label = "2" }},
		{"an entry of World Info", `"c0"`, `"e0"`, "world", func(p *convert.Pieces) { p.Primary.Lorebook().Entries[0].Content = "e0" }},
		{"a switch of World Info", `"matchWholeWords": false`, `"matchWholeWords": true`, "world", func(p *convert.Pieces) { p.Primary.Lorebook().Entries[0].MatchWholeWords = canonical.Ptr(true) }},
		{"three states of World Info", `"useGroupScoring": false`, `"useGroupScoring": true`, "world", func(p *convert.Pieces) { p.Primary.Lorebook().Entries[1].UseGroupScoring = canonical.Ptr(true) }},
		{"a key of World Info", `"key": ["a"]`, `"key": ["a", "z"]`, "world", func(p *convert.Pieces) {
			e := p.Primary.Lorebook().Entries[0]
			e.Triggers = append(e.Triggers, canonical.Trigger{Keyword: "z"})
		}},
	}
	for name, file := range files {
		for _, e := range edits {
			if !strings.Contains(" "+e.only+" ", " "+name+" ") {
				continue
			}
			t.Run(name+" "+e.what, func(t *testing.T) {
				require.Equal(t, 1, strings.Count(file, e.old), e.old)
				p := read(t, []byte(file))
				e.edit(p)
				got := string(emit(t, p, convert.Options{To: "sillytavern"}))
				assert.Equal(t, strings.Replace(file, e.old, e.new, 1), got)
			})
		}
		t.Run(name+" unedited", func(t *testing.T) {
			p := read(t, []byte(file))
			assert.Equal(t, file, string(emit(t, p, convert.Options{To: "sillytavern"})))
			for _, c := range []string{"lumiverse", "bunzai", "risu"} { // and there and back through any other app, nothing panics and every line is told
				out, err := convert.New().Emit(read(t, []byte(file)), convert.Options{To: c, AllowLoss: true})
				if err == nil {
					assert.NotEmpty(t, out.Report.Items, c)
				}
			}
		})
	}
}

// TestKF035, for KF-035: text that HTML would escape is written as it is.
func TestKF035(t *testing.T) {
	const mes = "<START>\n{{user}}: a & b > c \u2028"
	card := named(`"description": "", "mes_example": ""`)
	for _, to := range eachApp {
		p := read(t, card)
		p.Primary.Character().Examples.ExampleMessages = canonical.Ptr(mes)
		p.Primary.Original = nil
		for _, d := range apart(t, emit(t, p, convert.Options{To: to})).docs {
			assert.Contains(t, d.text, `<START>\n{{user}}: a & b > c`, to)
			assert.NotContains(t, strings.ToLower(d.text), `\u003c`, to)
			assert.NotContains(t, strings.ToLower(d.text), `\u0026`, to)
		}
	}
}
