package convert_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/fault"
)

const v1Card = `{"name":"Ann","description":"d","personality":"p","scenario":"s","first_mes":"Hi","mes_example":""}`

// TestDetection: who claims a file, with which score.
func TestDetection(t *testing.T) {
	entry := `{"keys":["a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{}}`
	e := convert.New()
	for _, c := range []struct {
		name, file, winner string
		score              float64
	}{
		{"PNG with chara", picture("", tEXt("chara", b64(v2(map[string]any{"name": "Ann"})))), "sillytavern", 0.9},
		{"PNG with ccv3", pngCard(small()), "sillytavern", 0.9},
		{"PNG with a V1 card", picture("", tEXt("chara", b64([]byte(v1Card)))), "sillytavern", 0.9},
		{"PNG whose chunk is no card", picture("", tEXt("chara", b64([]byte(`{"a":1}`)))), "sillytavern", 0.9},
		{"PNG whose chunk is broken", picture("", tEXt("chara", "***")), "sillytavern", 0.9},
		{"JSON V3", string(small()), "sillytavern", 0.9},
		{"JSON V2", `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","first_mes":"Hi"}}`, "sillytavern", 0.9},
		{"JSON V2 with a number for its version", `{"spec":"chara_card_v2","spec_version":2,"data":{"name":"Ann"}}`, "sillytavern", 0.9},
		{"JSON V2 with a name only", `{"spec":"chara_card_v2","data":{"name":"Ann"}}`, "sillytavern", 0.9},
		{"JSON V1", v1Card, "sillytavern", 0.9},
		{"JSON V1 with two fields", `{"name":"Ann","first_mes":"Hi"}`, "sillytavern", 0.9},
		{"JSON flat", `{"name":"Ann","description":"d","alternate_greetings":["b"],"creator_notes":"n"}`, "sillytavern", 0.9},
		{"JSON data without spec", `{"data":{"name":"Ann","description":"d"}}`, "sillytavern", 0.6},
		{"card with regex scripts", string(small(with("extensions", map[string]any{"regex_scripts": []any{map[string]any{"scriptName": "a", "findRegex": "/b/"}}}))), "sillytavern", 0.9},
		{"charx", archive("", cardFile()), "sillytavern", 0.9},
		{"JPEG with a charx behind", "\xff\xd8\xff\xe0\x00\x04JF\xff\xd9" + archive("", cardFile()), "sillytavern", 0.9},
		{"ZIP with two card.json", archive("", cardFile(), cardFile()), "sillytavern", 0.6},

		{"World Info", `{"entries":{"0":{"uid":0,"key":["a"],"content":"x"}}}`, "sillytavern-lorebook", 0.9},
		{"World Info with name and description", `{"name":"B","description":"d","entries":{"0":{"key":["a"],"content":"x"}}}`, "sillytavern-lorebook", 0.9},
		{"World Info without entries", `{"entries":{}}`, "sillytavern-lorebook", 0.9},
		{"character_book", `{"name":"B","entries":[` + entry + `]}`, "sillytavern-lorebook", 0.85},
		{"character_book with description", `{"name":"B","description":"d","scan_depth":3,"entries":[` + entry + `]}`, "sillytavern-lorebook", 0.85},
		{"lorebook_v3", `{"spec":"lorebook_v3","data":{"entries":[` + entry + `]}}`, "sillytavern-lorebook", 0.9},

		{"a regex script", `{"scriptName":"a","findRegex":"/b/","replaceString":""}`, "sillytavern-regex", 0.9},
		{"a list of regex scripts", `[{"scriptName":"a","findRegex":"/b/"},{"scriptName":"c","replaceString":""}]`, "sillytavern-regex", 0.9},
		{"a list with a row that is no script", `[{"scriptName":"a","findRegex":"/b/"},7]`, "sillytavern-regex", 0.7},
		{"an envelope of regex scripts", `{"version":1,"scripts":[{"scriptName":"a","findRegex":"/b/"}]}`, "sillytavern-regex", 0.85},
		{"Lumiverse's regex export", `{"version":1,"type":"lumiverse_regex_scripts","exported_at":0,"scripts":[{"name":"a","find_regex":"b"}]}`, "lumiverse-regex", 1},
		{"Lumiverse's regex export without scripts", `{"version":1,"type":"lumiverse_regex_scripts","scripts":[]}`, "lumiverse-regex", 1},
		{"Lumiverse scripts without an envelope", `[{"name":"a","find_regex":"b","flags":"g"}]`, "lumiverse-regex", 0.9},
		{"scripts of a Lumiverse pack", `[{"name":"a","scriptId":"a","findRegex":"b","flags":"g","placement":["ai_output"]}]`, "", 0},
		{"Marinara's regex dump", `[{"id":"1","name":"a","findRegex":"b","placement":["ai_output"],"order":0}]`, "", 0},
		{"scripts in a settings export", `{"temperature":1,"prompts":[],"scripts":[{"scriptName":"a","findRegex":"/b/"}]}`, "sillytavern-preset", 0.9},
		{"library wrapper of scripts", `{"type":"regex","exportedAt":"2026-01-01","data":{"scriptName":"a","findRegex":"/b/"}}`, "", 0},
		{"a card without a sign but Lumiverse's scripts", `{"spec":"chara_card_v3","data":{"name":"Ann","extensions":{"regex_scripts":[{"name":"a","find_regex":"b"}]}}}`, "lumiverse", 0.95},

		{"canonical character", `{"schemaVersion":"1","kind":"character","id":"ann","body":{"identity":{"name":"Ann"}}}`, "bunzai", 1},
		{"canonical lorebook", `{"schemaVersion":"1","kind":"lorebook","id":"b","body":{"name":"B","entries":[]}}`, "bunzai-lorebook", 1},

		{"instruct template", `{"name":"Alpaca","system_prompt":"s","input_sequence":"### In","output_sequence":"### Out"}`, "sillytavern-preset", 0.9},
		{"context template", `{"name":"Default","story_string":"{{description}}","chat_start":"***"}`, "sillytavern-preset", 0.9},
		{"bare name and extensions", `{"name":"x","extensions":{}}`, "", 0},
		{"name and system_prompt", `{"name":"x","system_prompt":"y"}`, "", 0},
		{"sampler grid", `{"name":"x","temp":0.7,"top_p":0.9,"rep_pen":1.1}`, "sillytavern-preset", 0.85},
		{"chat completion preset", `{"name":"x","temperature":1,"top_p":1,"prompts":[{"identifier":"main"}],"extensions":{}}`, "sillytavern-preset", 0.9},
		{"preset with description", `{"name":"x","description":"d","prompts":[],"prompt_order":[]}`, "sillytavern-preset", 0.9},
		{"preset with the fields of a card", `{"name":"x","description":"d","personality":"","prompts":[],"extensions":{}}`, "sillytavern-preset", 0.9},
		{"chat completion settings without prompts", `{"temperature":1,"openai_max_context":4095}`, "sillytavern-preset", 0.9},
		{"a request of an API", `{"model":"m","temperature":1,"top_p":1,"messages":[]}`, "", 0},
		{"system prompt", `{"name":"x","content":"a","post_history":""}`, "sillytavern-preset", 0.9},
		{"a note with a name and a content", `{"name":"x","content":"a","created":1}`, "", 0},
		{"reasoning template", `{"name":"x","prefix":"<think>","suffix":"</think>","separator":"\n"}`, "sillytavern-preset", 0.9},
		{"master export", `{"instruct":{"name":"x","input_sequence":"a","output_sequence":"b"},"srw":{"value":"","show":false}}`, "sillytavern-preset", 0.9},
		{"KoboldAI sampler preset", `{"temp":1,"rep_pen":1.1,"typical":1,"sampler_order":[6,0]}`, "sillytavern-preset", 0.85},
		{"NovelAI sampler preset", `{"order":[0,1],"temperature":1,"top_p":1,"repetition_penalty":1.5,"tail_free_sampling":1}`, "sillytavern-preset", 0.85},
		{"NovelAI's own preset", `{"presetVersion":3,"name":"x","parameters":{"temperature":1,"top_p":1,"order":[]}}`, "", 0},
		{"prompts of the prompt manager", `{"version":1,"type":"full","data":{"prompts":[],"prompt_order":[]}}`, "sillytavern-preset", 0.9},
		{"loom preset", `{"name":"x","schemaVersion":1,"blocks":[]}`, "lumiverse-preset", 0.95},
		{"LumiHub preset", `{"type":"lumiverse_preset","schemaVersion":1,"preset":{"name":"x","blocks":[]}}`, "lumiverse-preset", 1},
		{"a row of Lumiverse's API", `{"id":"1","name":"x","parameters":{},"prompt_order":[],"prompts":{},"metadata":{}}`, "lumiverse-preset", 0.95},
		{"Lumiverse preset under another name", `{"type":"lumiverse_preset","data":{"blocks":[]}}`, "", 0},
		{"blocks of something else", `{"name":"x","blocks":[{"type":"paragraph","text":"y"}]}`, "", 0},
		{"persona note", `{"name":"x","persona":"y"}`, "", 0},
		{"library wrapper of a preset", `{"type":"preset","exportedAt":"2026-01-01","data":{"name":"x","prompts":[]}}`, "", 0},
		{"library wrapper of a card", `{"type":"character","exportedAt":"2026-01-01","data":{"name":"x","description":"d"}}`, "", 0},
		{"persona with pronouns", `{"name":"x","description":"d","subjective_pronoun":"she","objective_pronoun":"her"}`, "lumiverse-persona", 0.95},
		{"list of personas", `{"type":"lumiverse_personas","version":1,"personas":[{"name":"x"}]}`, "lumiverse-persona", 1},
		{"persona backup", `{"personas":{"a.png":"Me"},"persona_descriptions":{}}`, "sillytavern-persona", 0.95},
		{"persona backup of nobody", `{"personas":{},"persona_descriptions":{}}`, "", 0},
		{"quick replies", `{"version":2,"name":"x","qrList":[{"label":"a","message":"b"}]}`, "sillytavern-quickreply", 0.9},
		{"quick replies without rows", `{"version":2,"name":"x","qrList":[]}`, "sillytavern-quickreply", 0.9},
		{"quick replies of another app", `{"name":"x","qrList":[{"text":"a"}]}`, "", 0},
		{"quick reply slots", `{"name":"x","quickReplySlots":[]}`, "sillytavern-quickreply", 0.9},
		{"one quick reply", `{"id":1,"label":"a","message":"b","contextList":[],"isHidden":false,"preventAutoExecute":true}`, "sillytavern-quickreply", 0.9},
		{"persona with theming", `{"id":"1","name":"x","description":"d","personality":"p","nameColor":"#fff"}`, "", 0},
		{"Agnai character", `{"kind":"character","name":"x","description":"d","persona":{"kind":"text"},"greeting":"Hi","scenario":"s"}`, "", 0},
		{"Agnai memory", `{"kind":"memory","name":"x","description":"d","entries":[{"name":"a","entry":"b","keywords":["c"]}]}`, "", 0},
		{"NovelAI lorebook", `{"lorebookVersion":6,"entries":[{"text":"a","keys":["b"]}]}`, "", 0},
		{"lorebook with first_mes", `{"name":"x","first_mes":"y","entries":[]}`, "sillytavern-lorebook", 0.85},
		{"nothing", `{}`, "", 0},
		{"a list", `[1,2]`, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := e.Detect(sourceOf(c.file), convert.Options{Name: "card.jpg"})
			require.NoError(t, err)
			if c.winner == "" {
				assert.Nil(t, d.Winner, "%+v", d.Bids[0])
				_, err := e.Read(sourceOf(c.file), convert.Options{})
				checkWords(t, err)
				return
			}
			require.NotNil(t, d.Winner)
			assert.Equal(t, c.winner, d.Winner.ID)
			assert.Equal(t, c.score, d.Bids[0].Score)
			assert.NotEmpty(t, d.Bids[0].Reason)
		})
	}
}

// TestKnown: a file of another app is called by its name.
func TestKnown(t *testing.T) {
	const later = ", which this version of bunzai does not read yet"
	e := convert.New()
	for _, c := range []struct{ file, says string }{
		{`{"type":"risu","ver":1,"data":{"name":"a","settings":{}}}`, "a Risu memory preset" + later},
		{`{"lorebookVersion":6,"entries":[]}`, "a NovelAI lorebook" + later},
		{`{"scenarioVersion":1,"title":"t","prompt":"p","lorebook":{}}`, "a NovelAI scenario" + later},
		{picture(tEXt("naidata", "e30="), ""), "a NovelAI lorebook in a picture" + later},
		{`{"kind":"memory","name":"x","entries":[]}`, "an Agnai memory book" + later},
		{`{"kind":"character","name":"x","persona":{"kind":"text"},"greeting":"Hi"}`, "an Agnai character" + later},
		{`{"aiName":"x","basePrompt":"y"}`, "a Backyard (Faraday) character" + later},
		{archive("", file{name: "manifest.json", data: "{}"}, file{name: "characters/a/character.json", data: "{}"}), "a Backyard character archive (.byaf)" + later},
		{archive("", file{name: "Scenarios/a/scenario.json", data: "{}"}), "a Voxta package (.voxpkg)" + later},
		{archive("", file{name: "manifest.json", data: "{}"}, file{name: "database/characters.ndjson", data: "{}"}), "a Lumiverse account backup (.lvbak) and no card that bunzai reads; it holds a whole account, and the command line takes all of it out: bunzai import FILE.lvbak -o FOLDER"},
		{`{"char_name":"x","char_persona":"y","char_greeting":"","world_scenario":""}`, "a Pygmalion character" + later},
		{picture("", tEXt("chara", b64([]byte(`{"char_name":"x","char_persona":"y"}`)))), "this holds a Pygmalion character" + later},
		{`{"type":"lumiverse_preset","schemaVersion":1,"preset":{}}`, "a Lumiverse preset without its blocks" + later},
		{"{\"user_name\":\"a\",\"character_name\":\"b\",\"chat_metadata\":{}}\n{\"name\":\"a\",\"is_user\":true,\"mes\":\"hi\"}\n", "a SillyTavern chat log" + later},
		{`{"type":"preset","exportedAt":"x","data":{}}`, "a Lumiverse library wrapper" + later},
		{"7z\xbc\xaf\x27\x1c\x00\x04", "a 7-Zip archive and no card that bunzai reads; unpack it"},
		{"\x1f\x8b\x08\x00", "a gzip file and no card that bunzai reads; unpack it"},
		{archive("", file{name: "a/Ann.png", data: "x"}, file{name: "a/Bob.png", data: "x"}), "an ordinary ZIP archive with files in it, none of them named card.json and no card that bunzai reads; unpack it"},
		{archive("", file{name: "[Content_Types].xml", data: "x"}), "an Office document and no card"},
		{picture(tEXt("Software", "Editor"), ""), "this PNG holds no character card: it has no chara or ccv3 chunk, only Software"},
		{picture("", ""), "this PNG holds no character card: it has no chara or ccv3 chunk. Perhaps"},
		{"Dear diary", "this is plain text and no card; bunzai reads PNG, JSON, YAML and ZIP (.charx)"},
		{"%PDF-1.7\n", "this is a PDF file (application/pdf), and cards of that kind are not supported"},
		{`{"a":1}`, "this is a JSON document, but no file of an app that bunzai knows (SillyTavern character card: no spec and no name; SillyTavern World Info: no lorebook entries)"},
	} {
		t.Run(c.says, func(t *testing.T) {
			_, err := e.Read(sourceOf(c.file), convert.Options{})
			f := checkWords(t, err)
			assert.Contains(t, f.Error(), c.says)
			assert.Contains(t, []fault.Code{fault.NotRecognized, fault.NoCard, fault.Unsupported}, f.Code)
		})
	}
}

// shared finds a folder of the test files that lie beside a checkout; a user's clone has none.
func shared(t testing.TB, name string) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		d := filepath.Join(dir, "shared", name)
		if s, err := os.Stat(d); err == nil && s.IsDir() {
			return d
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no shared test files beside this checkout; TestDetection covers the same shapes")
		}
		dir = up
	}
}

// TestCorpusDetection: every real file is claimed by the right format, or refused in words that name it.
func TestCorpusDetection(t *testing.T) {
	dir := shared(t, "corpus")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	// Numbers of the corpus by what they are; what is not listed must be refused.
	claim := func(n int) string {
		switch {
		case n >= 1 && n <= 25, n >= 29 && n <= 48:
			return "sillytavern lumiverse risu"
		case n >= 90 && n <= 104:
			return "sillytavern-lorebook"
		case n >= 105 && n <= 107:
			return "sillytavern-quickreply"
		case n == 88:
			return "lumiverse-regex"
		case n >= 109 && n <= 119:
			return "sillytavern-regex"
		case n == 86:
			return "lumiverse-preset"
		case n >= 121 && n <= 184:
			return "sillytavern-preset"
		}
		return ""
	}
	says := []struct {
		from, to int
		words    string
	}{
		{26, 28, "a Pygmalion character"}, {51, 57, "a Backyard character archive"}, {58, 58, "a Voxta package"}, {60, 64, "a Risu module"},
		{67, 67, "a Risu lorebook"}, {69, 71, "a list of Risu lorebook entries"}, {72, 74, "a Risu regex set"}, {75, 77, "a list of Risu regex scripts"},
		{79, 83, "a NovelAI lorebook"}, {84, 84, "a NovelAI scenario"}, {85, 85, "an Agnai memory book"}, {185, 185, "NovelAI generation parameters of another tool"},
		{187, 187, "line 1, column 3"},
	}
	e := convert.New()
	registered := map[string]bool{}
	for _, c := range e.Registry.Codecs() {
		registered[c.Info().ID] = true
	}
	for _, f := range files {
		n := 0
		for _, r := range f.Name()[:min(3, len(f.Name()))] {
			if r < '0' || r > '9' {
				n = -1
				break
			}
			n = n*10 + int(r-'0')
		}
		if f.IsDir() || n <= 0 {
			continue
		}
		t.Run(f.Name(), func(t *testing.T) {
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			require.NoError(t, err)
			d, err := e.Detect(sourceOf(string(b)), convert.Options{Name: "x"})
			require.NoError(t, err)
			if want := claim(n); want != "" {
				require.NotNil(t, d.Winner)
				assert.Contains(t, strings.Fields(want), d.Winner.ID)
				return
			}
			if d.Winner != nil {
				// A codec of a later version has landed: it must be another app's own.
				assert.NotEqual(t, "sillytavern", d.Winner.ID)
				assert.NotEqual(t, "bunzai", d.Winner.App)
				t.Log("now read by", d.Winner.ID)
				return
			}
			_, err = e.Read(sourceOf(string(b)), convert.Options{Name: "x"})
			words := checkWords(t, err).Error()
			for _, s := range says {
				if n >= s.from && n <= s.to {
					assert.Contains(t, words, s.words)
					return
				}
			}
			assert.Fail(t, "no expectation for this file", words)
		})
	}
}
