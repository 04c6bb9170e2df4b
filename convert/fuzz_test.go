package convert_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// rich is a card with something in every field, as JSON values that a test may replace one by one.
const rich = `{"spec":"chara_card_v3","spec_version":"3.0","name":"Ann","description":"root","create_date":"2025-8-30 @05h 10m 11s 122ms","talkativeness":"0.5","fav":false,"tags":["t"],
"data":{"name":"Ann","nickname":"A","description":"d","personality":"p","scenario":"s","first_mes":"f","mes_example":"<START>","creator_notes":"n","system_prompt":"sp","post_history_instructions":"ph",
"alternate_greetings":["a1","a2"],"group_only_greetings":["g1"],"tags":["x","y"],"creator":"me","character_version":"1","creation_date":1700000000,"modification_date":1700000001,"source":["https://example.org"],
"creator_notes_multilingual":{"de":"hallo"},
"assets":[{"type":"icon","uri":"data:image/png;base64,iVBORw0KGgo=","name":"main","ext":"png"},{"type":"emotion","uri":"https://example.org/a.png","name":"joy","ext":"png"},{"type":"x","uri":"embeded://a/b.png","name":"z","ext":"png"}],
"extensions":{"talkativeness":"0.5","fav":true,"world":"W","depth_prompt":{"prompt":"x","depth":4,"role":"system"},"regex_scripts":[{"id":"1","scriptName":"r","findRegex":"/a/g","replaceString":"b","placement":[1,2],"disabled":false}],
"chub":{"id":1,"full_path":"a/b"},"risuai":{"customScripts":[],"triggerscript":[],"bias":[["a",1]]},"expressions":{"joy":"data:image/png;base64,iVBORw0KGgo="},"alternate_fields":{"description":[{"id":"1","label":"l","content":"c"}]},
"alternate_avatars":[{"id":"1","label":"l","image":"data:image/png;base64,iVBORw0KGgo="}],"world_book_ids":["1"],"tavern_helper":{"scripts":[]}},
"character_book":{"name":"B","description":"bd","scan_depth":3,"token_budget":100,"recursive_scanning":true,"extensions":{"x":1},
"entries":[{"id":1,"keys":["k","/re/i"],"secondary_keys":["s"],"content":"c","enabled":true,"insertion_order":10,"case_sensitive":false,"name":"e","priority":5,"comment":"cm","selective":true,"constant":false,"position":"before_char","use_regex":false,
"extensions":{"position":4,"depth":9,"role":1,"selectiveLogic":2,"probability":40,"useProbability":true,"group":"g","group_weight":50,"sticky":1,"cooldown":2,"delay":3,"scan_depth":6,"match_whole_words":true,"exclude_recursion":true,"prevent_recursion":false,"delay_until_recursion":true,"vectorized":false,"automation_id":"a","display_index":0,"triggers":["normal"],"outlet_name":"o"}}]}}}`

const richBook = `{"name":"W","description":"d","scan_depth":2,"token_budget":500,"recursive_scanning":false,"extensions":{},"originalData":{"entries":[]},"entries":{"0":{"uid":0,"key":["a"],"keysecondary":["b"],"comment":"c","content":"x","constant":false,"vectorized":false,"selective":true,"selectiveLogic":0,"addMemo":true,"order":100,"position":4,"disable":false,"excludeRecursion":false,"preventRecursion":false,"delayUntilRecursion":false,"probability":100,"useProbability":true,"depth":4,"group":"","groupOverride":false,"groupWeight":100,"scanDepth":null,"caseSensitive":null,"matchWholeWords":null,"useGroupScoring":null,"automationId":"","role":0,"sticky":0,"cooldown":0,"delay":0,"displayIndex":0,"characterFilter":{"isExclude":false,"names":["n"],"tags":[]},"triggers":[],"outletName":"","matchPersonaDescription":true}}}`

// withoutFingerprint is rich without what marks a card of Lumiverse.
func withoutFingerprint() string {
	s := rich
	for _, k := range []string{"expressions", "alternate_fields", "alternate_avatars", "world_book_ids"} {
		s = strings.Replace(s, `"`+k+`"`, `"x_`+k+`"`, 1)
	}
	return s
}

// places lists every path of a JSON value, parents before children, in one order.
func places(v any, at string, visit func(path string, set func(any))) {
	switch x := v.(type) {
	case map[string]any:
		var keys []string
		for k := range x {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for _, k := range keys {
			old := x[k]
			visit(at+"."+k, func(n any) { x[k] = n })
			places(old, at+"."+k, visit)
		}
	case []any:
		for i := range x {
			old := x[i]
			visit(fmt.Sprintf("%s[%d]", at, i), func(n any) { x[i] = n })
			places(old, fmt.Sprintf("%s[%d]", at, i), visit)
		}
	}
}

var wrong = []string{`null`, `7`, `-1.5e300`, `"x"`, `""`, `[]`, `{}`, `true`, `[null]`, `[7,"x",[],{}]`, `{"a":{"b":[1]}}`, `{"__proto__":1,"0":2}`}

// TestWrongTypes puts each wrong value in each place of a card and a lorebook: nothing breaks, what is written reads
// back, and the same app gets the same bytes.
func TestWrongTypes(t *testing.T) {
	e := convert.New()
	all := targets(e)
	for name, base := range map[string]string{"card with a Lumiverse fingerprint": rich, "card": withoutFingerprint(), "lorebook": richBook} {
		t.Run(name, func(t *testing.T) {
			var doc any
			require.NoError(t, json.Unmarshal([]byte(base), &doc))
			n, before := 0, same
			d, err := e.Detect(sourceOf(base), convert.Options{})
			require.NoError(t, err)
			home := d.Winner.App
			places(doc, "", func(path string, set func(any)) {
				old := lookup(doc, path)
				for _, w := range wrong {
					set(json.RawMessage(w))
					file := string(mustJSON(doc))
					n++
					for i, to := range all {
						if to.app == home && to.container == "json" && to.spec == "" || (n+i)%6 == 0 { // its own file each time, the others in turns
							tryOne(t, e, file, to, path+" = "+w)
						}
					}
				}
				set(old)
			})
			t.Logf("%d files, %d targets, %d the same", n, len(all), same-before)
			assert.Greater(t, same-before, n*9/10)
			assert.Greater(t, n, 400)
		})
	}
}

func lookup(doc any, path string) (out any) {
	places(doc, "", func(p string, set func(any)) {
		if p == path {
			out = at(doc, p)
		}
	})
	return out
}

func at(v any, path string) any {
	for path != "" {
		if path[0] == '[' {
			var i int
			j := strings.IndexByte(path, ']')
			fmt.Sscan(path[1:j], &i)
			v, path = v.([]any)[i], path[j+1:]
			continue
		}
		j := strings.IndexAny(path[1:], ".[") + 1
		if j == 0 {
			j = len(path)
		}
		v, path = v.(map[string]any)[path[1:j]], path[j:]
	}
	return v
}

var same int // files that came out as they went in

// tryOne converts a file one way and holds the outcome to the laws that need no knowledge of the format.
func tryOne(t testing.TB, e *convert.Engine, file string, to target, what string) {
	lim := limits.Card()
	lim.JSON, lim.PNGText, lim.Entry, lim.Inflated, lim.Pixels = 4*mib, 4*mib, 4*mib, 8*mib, 1<<16
	o := convert.Options{To: to.app, Container: to.container, Spec: to.spec, Limits: lim, Name: "a.png"}
	p, err := e.Read(sourceOf(file), o)
	if err != nil {
		notOurs(t, err, what)
		return
	}
	if _, err := e.Inspect(sourceOf(file), o); err != nil {
		notOurs(t, err, what)
	}
	out, err := e.Emit(p, o)
	if err != nil {
		notOurs(t, err, what)
		return
	}
	b, err := out.Data.Bytes()
	require.NoError(t, err, what)
	back, err := e.Read(rope.Bytes(b), convert.Options{Limits: lim})
	if err != nil {
		if !fault.Is(err, fault.OverLimit) {
			require.NoError(t, err, "%s: %v wrote what is not read again", what, to)
		}
		return
	}
	require.Equal(t, p.Primary.Kind, back.Primary.Kind, "%s: %v", what, to)
	if to.app == p.Info.App && to.container == p.Container && to.spec == "" && p.Container == "json" && p.Info.App != "bunzai" && ownFile(p) {
		same++
		require.Equal(t, file, string(b), "%s: %v changed an unedited file", what, to)
	}
}

// ownFile leaves out lorebooks that SillyTavern itself cannot read: writing one for it makes World Info.
func ownFile(p *convert.Pieces) bool { return p.Primary.Lorebook() == nil || p.Variant == "world-info" }

// notOurs: a refusal may blame the file, never bunzai.
func notOurs(t testing.TB, err error, what string) {
	f, ok := err.(*fault.Error)
	require.Truef(t, ok, "%s: %T %v", what, err, err)
	require.NotEqual(t, fault.Internal, f.Code, "%s: %v", what, f)
	require.NotEmpty(t, f.Message, what)
}

func seeds(f *testing.F) {
	long := map[string]any{"name": "Ann", "first_mes": "Hi", "alternate_greetings": []string{"a"}}
	for _, s := range []string{
		rich, richBook, string(small()), v1Card, string(v2(long)), pngCard(small()), picture(tEXt("Software", "x"), tEXt("chara", b64(v2(long)))),
		picture("", forgeChunk("zTXt", "ccv3\x00\x00"+zlibOf(b64(small())))), picture("", forgeChunk("iTXt", "chara\x00\x00\x00en\x00k\x00"+b64(small()))),
		archive("", cardFile(withIcon), file{name: "assets/icon/image/main.png", data: picture("", "")}, file{name: "module.risum", data: "o\x00", method: 8}),
		archive("c", cardFile(), file{name: "lumiverse_modules.json", data: "{}"}), "\xff\xd8\xff\xe0\x00\x04JF\xff\xd9" + archive("", cardFile()),
		`{"schemaVersion":"1","kind":"character","id":"ann","body":{"identity":{"name":"Ann"}}}`, `{"name":"B","entries":[{"keys":["a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{}}]}`,
		`{"spec":"lorebook_v3","data":{"entries":[]}}`, "\xef\xbb\xbf" + v1Card, nested(600, "[", "]"), "[]", "{}", "PK\x03\x04", pngSignature, "\x6f\x00", "<html>", "RIFF....WEBP",
	} {
		f.Add([]byte(s))
	}
	for _, name := range []string{"risu.json", "risu.charx", "risu.jpeg", "risu-v2.png", "risu-note.charx", "risu-note.json", "risu-lore.json", "risu-module.risum", "risu-module.json", "preset-risu.json", "preset.risup"} {
		f.Add(samples.Get(name).Data)
	}
	for _, h := range append(hostiles(), risuHostiles()...) {
		if h.code == fault.OverLimit || strings.Contains(h.name, "0 ") || strings.Contains(h.name, ",000") {
			continue // large
		}
		if s := h.make(); len(s) < 4096 {
			f.Add([]byte(s))
		}
	}
}

// FuzzDetect: any bytes get a label, bids and, when nobody claims them, words for people.
func FuzzDetect(f *testing.F) {
	seeds(f)
	e := convert.New()
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := e.Detect(rope.Bytes(b), convert.Options{})
		if err != nil {
			notOurs(t, err, "detect")
			return
		}
		require.NotEmpty(t, d.Label)
		require.NotEmpty(t, d.Bids)
		if d.Winner == nil {
			_, err := e.Read(rope.Bytes(b), convert.Options{})
			checkWords(t, err)
		}
	})
}

// FuzzConvert: whatever is read is written for every target, and read again.
func FuzzConvert(f *testing.F) {
	seeds(f)
	e := convert.New()
	all := targets(e)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 64<<10 {
			return
		}
		for _, to := range all {
			tryOne(t, e, string(b), to, "")
		}
	})
}

// FuzzPacked: whatever lies under the seal of a preset of Risu is read or refused in words, and what is read is written
// for every target.
func FuzzPacked(f *testing.F) {
	f.Add([]byte(namedPreset(0, "")))
	f.Add([]byte(namedPreset(1, "\xaepromptTemplate\x92\x83\xa4type\xa5plain\xa4text\xa1x\xa4role\xa3bot\x81\xa4type\xa4chat")))
	f.Add([]byte(namedPreset(2, "\xa4bias\x91\x92\xa1a\x05\xa1u\xd4\x00\x00")))
	e := convert.New()
	all := targets(e)
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 16<<10 {
			return
		}
		for _, to := range all {
			tryOne(t, e, risup(string(b)), to, "")
		}
	})
}
