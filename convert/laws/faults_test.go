package laws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// The faults of known-faults.md that SillyTavern characters and lorebooks touch, from JSON and text to lorebooks.
// Faults of containers and detection are in convert/faults_test.go.

// cardOf is a V2 or V3 card with those members of data, written as JSON text, beside a name and a first message.
func cardOf(version, members string) []byte {
	return fmt.Appendf(nil, `{"spec": "chara_card_v%s", "spec_version": "%s.0", "data": {"first_mes": "Hi", %s}}`, version, version, members)
}

func named(members string) []byte { return cardOf("2", `"name": "Ann", `+members) }

// withEntries is a card with a book of those entries.
func withEntries(entries ...string) []byte {
	return named(`"character_book": {"name": "B", "extensions": {}, "entries": [` + strings.Join(entries, ",") + `]}`)
}

func worldOf(entries ...string) []byte {
	var b strings.Builder
	for i, e := range entries {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"%d": %s`, i, strings.Replace(e, "{", fmt.Sprintf(`{"uid": %d, `, i), 1))
	}
	return []byte(`{"entries": {` + b.String() + `}}`)
}

func character(t testing.TB, data []byte) *canonical.Character {
	t.Helper()
	return read(t, data).Primary.Character()
}

// entriesOf are the entries of a card's book or of a lorebook file.
func entriesOf(t testing.TB, data []byte) []*canonical.Entry {
	t.Helper()
	p := read(t, data)
	if l := p.Primary.Lorebook(); l != nil {
		return l.Entries
	}
	require.Len(t, p.Books, 1)
	return p.Books[0].Lorebook().Entries
}

// back asserts law 1 and returns the warnings.
func back(t testing.TB, data []byte) []string {
	t.Helper()
	p := read(t, data)
	sameFile(t, data, emit(t, p, convert.Options{To: p.Info.App}))
	return p.Warnings
}

func warned(t testing.TB, warnings []string, words ...string) {
	t.Helper()
	for _, w := range warnings {
		ok := true
		for _, x := range words {
			ok = ok && strings.Contains(w, x)
		}
		if ok {
			return
		}
	}
	assert.Fail(t, "no warning", "about %q among %q", words, warnings)
}

func root(t testing.TB, data []byte) *jsondoc.Value {
	t.Helper()
	w := apart(t, data)
	d, err := jsondoc.Parse([]byte(w.docs[len(w.docs)-1].text), limits.Card())
	require.NoError(t, err)
	return d.Root
}

func raw(v *jsondoc.Value) string { return string(v.Raw()) }

func keysOf(ts []canonical.Trigger) (out []string) {
	for _, x := range ts {
		out = append(out, canonical.Text(x))
	}
	return out
}

// inCard puts a lorebook into a card of that app, inWorld takes a card's book out into World Info.
func inCard(t testing.TB, world []byte, app string) []byte {
	t.Helper()
	book := read(t, world).Primary
	p := read(t, named(`"description": ""`))
	q := *p
	q.Books = []*canonical.Entity{book}
	return emit(t, &q, convert.Options{To: app, Container: formats.JSON})
}

func inWorld(t testing.TB, card []byte) []byte {
	t.Helper()
	p := read(t, card)
	require.Len(t, p.Books, 1)
	q := convert.Pieces{Primary: p.Books[0], Info: p.Info, Unmapped: func() []string { return nil }}
	return emit(t, &q, convert.Options{To: "sillytavern"})
}

// eachApp are the apps that a card can go to and come back from.
var eachApp = []string{"sillytavern", "lumiverse"}

func TestFaultsOfText(t *testing.T) {
	t.Run("KF-036 unknown objects keep their key order", func(t *testing.T) {
		in := named(`"extensions": {"t": {"z":1,"a":2,"m":{"y":1,"b":2}}}`)
		back(t, in)
		p := read(t, in)
		q := edited(p, 0, func(b any) { b.(*canonical.Character).Identity.Name = "Bea" })
		assert.Contains(t, string(emit(t, q, convert.Options{To: "sillytavern"})), `"t": {"z":1,"a":2,"m":{"y":1,"b":2}}`)
	})
	t.Run("KF-037 an untouched number keeps its spelling", func(t *testing.T) {
		in := named(`"extensions":{"t":{"a":1.0,"b":0.0000001,"c":1e21,"d":-0}}`)
		back(t, in)
		q := edited(read(t, in), 0, func(b any) { b.(*canonical.Character).Identity.Name = "Bea" })
		assert.Contains(t, string(emit(t, q, convert.Options{To: "sillytavern"})), `{"a":1.0,"b":0.0000001,"c":1e21,"d":-0}`)
	})
	t.Run("KF-038 keys that differ by letter case", func(t *testing.T) {
		in := cardOf("2", `"name":"Ann","Name":"Bob","NAME":"Cy"`)
		back(t, in)
		p := read(t, in)
		assert.Equal(t, "Ann", p.Primary.Character().Identity.Name)
		assert.Equal(t, []string{"data.Name", "data.NAME"}, p.Unmapped())
		q := edited(p, 0, func(b any) { b.(*canonical.Character).Identity.Name = "Dee" })
		assert.Contains(t, string(emit(t, q, convert.Options{To: "sillytavern"})), `"name":"Dee","Name":"Bob","NAME":"Cy"`)
	})
}

func TestFaultsOfCharacters(t *testing.T) {
	t.Run("KF-041 a null book is no book", func(t *testing.T) {
		for _, v := range []string{"2", "3"} {
			in := cardOf(v, `"name": "Ann", "character_book": null`)
			assert.Empty(t, read(t, in).Books)
			back(t, in)
		}
	})
	t.Run("KF-042 null texts are empty", func(t *testing.T) {
		in := named(`"personality": null, "mes_example": null, "scenario": null`)
		c := character(t, in)
		assert.Equal(t, []string{"", "", ""}, []string{canonical.Or(c.Persona.Personality, ""), canonical.Or(c.Examples.ExampleMessages, ""), canonical.Or(c.Persona.Scenario, "")})
		back(t, in)
		for _, app := range eachApp {
			if app != "sillytavern" { // nothing null is written for another app
				_, out := convertTo(t, in, convert.Options{To: app, Container: formats.JSON})
				assert.NotContains(t, string(out), "null")
			}
		}
	})
	t.Run("KF-043 tags in one text", func(t *testing.T) {
		in := named(`"tags": "fantasy, elf ,, magic"`)
		assert.Equal(t, []string{"fantasy", "elf", "magic"}, character(t, in).Discovery.Tags)
		warned(t, back(t, in), "tags")
		_, out := convertTo(t, in, convert.Options{To: "lumiverse", Container: formats.JSON})
		assert.Equal(t, []string{"fantasy", "elf", "magic"}, character(t, out).Discovery.Tags)
	})
	t.Run("KF-044 a version that is a number", func(t *testing.T) {
		in := named(`"character_version": 1.2`)
		assert.Equal(t, "1.2", canonical.Or(character(t, in).Identity.CharacterVersion, ""))
		back(t, in)
	})
	t.Run("KF-045 an empty text for a number", func(t *testing.T) {
		in := named(`"extensions": {"talkativeness": "", "depth_prompt": {"prompt":"x","depth":"","role":"system"}}`)
		c := character(t, in)
		require.Len(t, c.Prompts.DepthInjections, 1)
		assert.Equal(t, "x", c.Prompts.DepthInjections[0].Text)
		assert.Nil(t, c.Prompts.DepthInjections[0].Depth, "absent: the app's default of 4 counts")
		assert.Nil(t, c.Settings)
		w := back(t, in)
		warned(t, w, "depth_prompt.depth", "default")
		warned(t, w, "talkativeness", "default")
	})
	t.Run("KF-046 a depth prompt without text is none", func(t *testing.T) {
		for _, d := range []string{`{"depth":4}`, `null`, `{}`, `{"prompt":"","depth":4,"role":"system"}`} {
			in := named(`"extensions": {"depth_prompt": ` + d + `}`)
			assert.Empty(t, character(t, in).Prompts.DepthInjections, d)
			back(t, in)
		}
	})
	t.Run("KF-047 no extensions of the target's own", func(t *testing.T) {
		for _, m := range []string{`"extensions": {}`, `"description": ""`} {
			for _, w := range ways(canonical.KindCharacter) {
				out, data := convertTo(t, cardOf("3", `"name": "Ann", `+m), w.o)
				c, _ := decodeAs(t, w.codec, data)
				assert.Equal(t, "Ann", c.Character().Identity.Name, "%s %s", w, out.FileName)
			}
		}
	})
	t.Run("KF-049 the year-one default is no date", func(t *testing.T) {
		in := cardOf("3", `"name": "Ann", "creation_date": -62135596800`)
		assert.Nil(t, character(t, in).Attribution.CreatedAt)
		back(t, in)
	})
	t.Run("KF-050 SillyTavern's own date", func(t *testing.T) {
		in := []byte(`{"name": "Ann", "first_mes": "Hi", "create_date": "2025-8-30 @05h 10m 11s 122ms", "spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ann", "first_mes": "Hi"}}`)
		require.NotNil(t, character(t, in).Attribution.CreatedAt)
		assert.InDelta(t, 1756530611.122, *character(t, in).Attribution.CreatedAt, 0.0005) // 2025-08-30T05:10:11.122Z
		back(t, in)
	})
	t.Run("KF-051 group-only greetings", func(t *testing.T) {
		in := cardOf("3", `"name": "Ann", "group_only_greetings": ["G1","G2"]`)
		out, two := convertTo(t, in, convert.Options{To: "sillytavern", Spec: "v2"})
		assert.Empty(t, character(t, two).Greetings.GroupOnlyGreetings)
		var lost []string
		for _, i := range out.Report.Items {
			if i.Verdict == convert.Lost && strings.HasPrefix(i.Path, "greetings.groupOnlyGreetings") {
				lost = append(lost, i.Path)
				assert.Contains(t, i.Reason, "V2")
			}
		}
		assert.Len(t, lost, 2)
		none := cardOf("3", `"name": "Ann"`)
		assert.Empty(t, character(t, none).Greetings.GroupOnlyGreetings)
		back(t, none)
	})
	t.Run("KF-052 no name", func(t *testing.T) {
		for _, m := range []string{`"name": ""`, `"name": "   "`, `"description": "x"`} {
			in := cardOf("2", m)
			warned(t, back(t, in), "no name")
			for _, w := range ways(canonical.KindCharacter) {
				out, _ := convertTo(t, in, w.o)
				assert.True(t, len(out.FileName) > len(".json") && !strings.HasPrefix(out.FileName, "."), out.FileName)
			}
		}
	})
	t.Run("KF-053 a Risu card's fields reach another app", func(t *testing.T) {
		in := named(`"post_history_instructions": "P", "character_version": "3", "extensions": {"risuai": {"viewScreen": "emotion"}, "depth_prompt": {"prompt": "D", "depth": 2, "role": "user"}},
			"character_book": {"extensions": {}, "entries": [{"keys": ["k"], "content": "c", "enabled": true, "insertion_order": 1, "extensions": {}}]}`)
		for _, app := range eachApp {
			_, out := convertTo(t, in, convert.Options{To: app, Container: formats.JSON})
			c, err := convert.New().Registry.Target(app, canonical.KindCharacter)
			require.NoError(t, err)
			e, books := decodeAs(t, c, out)
			x := e.Character()
			assert.Equal(t, []string{"P", "3", "D"}, []string{canonical.Or(x.Prompts.PostHistoryInstructions, ""), canonical.Or(x.Identity.CharacterVersion, ""), x.Prompts.DepthInjections[0].Text}, app)
			require.Len(t, books, 1, app)
			assert.Equal(t, []string{"c"}, contents(books[0]))
		}
	})
	t.Run("KF-054 the fields of V3", func(t *testing.T) {
		in := cardOf("3", `"name": "Ann", "nickname": "An", "source": ["a"], "creator_notes_multilingual": {"fr":"x"}, "creation_date": 1700000000, "modification_date": 1700000001`)
		want := character(t, in)
		for _, cont := range []formats.Container{formats.PNG, formats.JSON, formats.CharX} {
			_, out := convertTo(t, in, convert.Options{To: "sillytavern", Container: cont})
			ch, err := canonical.Diff(want, character(t, out))
			require.NoError(t, err)
			assert.Empty(t, ch, cont)
		}
		out, _ := convertTo(t, in, convert.Options{To: "sillytavern", Spec: "v2"})
		lost := map[string]bool{}
		for _, i := range out.Report.Items {
			if i.Verdict == convert.Lost {
				lost[canonical.Generic(i.Path)] = true
			}
		}
		assert.Equal(t, map[string]bool{"identity.nickname": true, "attribution.source[]": true, "attribution.creatorNotesMultilingual.*": true, "attribution.createdAt": true, "attribution.updatedAt": true}, lost)
	})
}

func TestFaultsOfLorebooks(t *testing.T) {
	t.Run("KF-055 either spelling", func(t *testing.T) {
		for _, in := range [][]byte{
			worldOf(`{"key":["a"],"keysecondary":["b"],"order":5,"content":"x"}`, `{"keys":["a"],"secondary_keys":["b"],"insertion_order":5,"content":"x"}`, `{"key":"a","order":5,"content":"x"}`),
			withEntries(`{"key":["a"],"keysecondary":["b"],"order":5,"content":"x"}`, `{"keys":["a"],"secondary_keys":["b"],"insertion_order":5,"content":"x"}`, `{"key":"a","order":5,"content":"x"}`),
		} {
			for i, e := range entriesOf(t, in) {
				assert.Equal(t, []string{"a"}, keysOf(e.Triggers))
				assert.Equal(t, 5.0, canonical.Or(e.SortOrder, -1))
				if i < 2 {
					assert.Equal(t, []string{"b"}, keysOf(e.SecondaryTriggers))
				}
			}
			back(t, in)
		}
	})
	t.Run("KF-056 disabled stays disabled", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"content":"x","disable":true}`, `{"key":["a"],"content":"x","enabled":false}`, `{"key":["a"],"content":"x","disable":true,"enabled":true}`, `{"key":["a"],"content":"x","disable":false,"enabled":false}`)
		want := []bool{false, false, false, true} // World Info's own disable decides
		for _, data := range [][]byte{in, inCard(t, in, "sillytavern"), inCard(t, in, "lumiverse"), inWorld(t, inCard(t, in, "lumiverse"))} {
			for i, e := range entriesOf(t, data) {
				assert.Equal(t, want[i], canonical.Or(e.Enabled, true), "entry %d", i)
			}
		}
		warned(t, back(t, in), "entries.2", "enabled")
		warned(t, back(t, withEntries(`{"keys":["a"],"content":"x","disable":true,"enabled":true}`)), "entries[0]", "disable")
	})
	t.Run("KF-057 timing, chance, group and depth", func(t *testing.T) {
		in := withEntries(`{"keys":["a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{"sticky":3,"cooldown":5,"delay":2,"probability":40,"useProbability":true,"group":"g","group_weight":50,"scan_depth":6}}`)
		world := inWorld(t, in)
		v := root(t, world).Get("entries")
		for _, m := range v.Members() {
			for k, want := range map[string]string{"sticky": "3", "cooldown": "5", "delay": "2", "probability": "40", "useProbability": "true", "group": `"g"`, "groupWeight": "50", "scanDepth": "6"} {
				assert.Equal(t, want, raw(m.Get(k)), k)
			}
		}
		again := entriesOf(t, inCard(t, world, "sillytavern"))
		ch, err := canonical.Diff(&canonical.Lorebook{Entries: entriesOf(t, in)}, &canonical.Lorebook{Entries: again})
		require.NoError(t, err)
		for _, c := range ch {
			assert.True(t, c.Before == nil, "%s was %v", c.Path, c.Before) // only what World Info needs is new
		}
	})
	t.Run("KF-058 secondary logic", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"keysecondary":["b"],"content":"x","selective":true,"selectiveLogic":2}`)
		for _, app := range eachApp {
			out := inWorld(t, inCard(t, in, app))
			assert.Equal(t, "2", raw(root(t, out).At("entries", "0", "selectiveLogic")), app)
		}
		assert.Equal(t, "1", raw(root(t, inCard(t, in, "lumiverse")).At("data", "character_book", "entries", "0", "extensions", "selective_logic")), "Lumiverse's own number for not any")
	})
	t.Run("KF-059 selective without secondary keys", func(t *testing.T) {
		in := withEntries(`{"keys":["a"],"content":"x","selective":true,"secondary_keys":[]}`)
		e := entriesOf(t, in)[0]
		assert.Empty(t, e.SecondaryTriggers, "nothing to be selective by")
		back(t, in)
		for _, app := range eachApp {
			_, out := convertTo(t, in, convert.Options{To: app, Container: formats.JSON})
			assert.Equal(t, "[]", raw(root(t, out).At("data", "character_book", "entries", "0", "secondary_keys")))
		}
	})
	t.Run("KF-060 places", func(t *testing.T) {
		var es []string
		for i := range 8 {
			x := ""
			if i == 4 {
				x = `,"depth":3,"role":1`
			}
			es = append(es, fmt.Sprintf(`{"key":["k%d"],"content":"x","position":%d%s}`, i, i, x))
		}
		in := worldOf(es...)
		places := []string{canonical.PosWorld, canonical.PosCharacter, canonical.PosAuthorNoteTop, canonical.PosAuthorNoteBottom, canonical.PosDepth, canonical.PosBeforeExample, canonical.PosAfterExample, canonical.PosOutlet}
		for _, data := range [][]byte{in, inCard(t, in, "sillytavern"), inCard(t, in, "lumiverse"), inWorld(t, inCard(t, in, "lumiverse"))} {
			for i, e := range entriesOf(t, data) {
				assert.Equal(t, places[i], canonical.Or(e.Position, ""), "entry %d", i)
			}
		}
		e := entriesOf(t, inWorld(t, inCard(t, in, "lumiverse")))[4]
		assert.Equal(t, 3.0, canonical.Or(e.Depth, -1))
		assert.Equal(t, "user", canonical.Or(e.Role, ""))
		// A place that the app lacks: the nearest one, said in the report, and back again unchanged.
		p := read(t, in)
		q := edited(p, 0, func(b any) { b.(*canonical.Lorebook).Entries[0].Position = canonical.Ptr(canonical.PosScene) })
		q.Primary.Original = nil
		out, err := convert.New().Emit(q, convert.Options{To: "sillytavern"})
		require.NoError(t, err)
		world := bytesOf(t, out.Data)
		assert.Equal(t, "2", raw(root(t, world).At("entries", "0", "position")))
		assert.Equal(t, canonical.PosScene, canonical.Or(entriesOf(t, world)[0].Position, ""))
		found := false
		for _, i := range out.Report.Items {
			found = found || i.Verdict == convert.Changed && i.Path == "entries[0].position"
		}
		assert.True(t, found, "the report says that the app sees another place")
	})
	t.Run("KF-061 an empty or unknown place", func(t *testing.T) {
		in := withEntries(`{"keys":["a"],"content":"x","position":""}`, `{"keys":["a"],"content":"x","position":null}`, `{"keys":["a"],"content":"x","position":"in_chat"}`, `{"keys":["a"],"content":"x"}`)
		for i, e := range entriesOf(t, in) {
			assert.Nil(t, e.Position, "entry %d: the app's default counts", i)
		}
		warned(t, back(t, in), "entries[2].position", "in_chat")
	})
	t.Run("KF-062 nulls are absent", func(t *testing.T) {
		in := withEntries(`{"keys":["a"],"content":"x","insertion_order":null,"id":null,"priority":null,"secondary_keys":null,"comment":null,"name":null,"case_sensitive":null}`)
		want := entriesOf(t, withEntries(`{"keys":["a"],"content":"x"}`))
		ch, err := canonical.Diff(&canonical.Lorebook{Entries: want}, &canonical.Lorebook{Entries: entriesOf(t, in)})
		require.NoError(t, err)
		assert.Empty(t, ch)
		assert.Empty(t, back(t, in))
	})
	t.Run("KF-063 uid 0", func(t *testing.T) {
		for _, in := range []string{`{"entries":{"0":{"uid":0,"key":["a"],"content":"x"},"1":{"uid":1,"key":["b"],"content":"y"}}}`, `{"entries":{"0":{"uid":"0","key":["a"],"content":"x"},"1":{"uid":1,"key":["b"],"content":"y"}}}`} {
			es := entriesOf(t, []byte(in))
			require.Len(t, es, 2)
			assert.Equal(t, []string{"0", "1"}, []string{es[0].ID, es[1].ID})
			back(t, []byte(in))
		}
	})
	t.Run("KF-064 a derived number meets an explicit one", func(t *testing.T) {
		for _, in := range [][]byte{withEntries(`{"keys":["a"],"content":"x"}`, `{"keys":["b"],"content":"y","id":0}`), withEntries(`{"keys":["a"],"content":"x","id":0}`, `{"keys":["b"],"content":"y","id":"0"}`)} {
			es := entriesOf(t, in)
			require.Len(t, es, 2)
			assert.NotEqual(t, es[0].ID, es[1].ID)
			back(t, in)
			out := entriesOf(t, inWorld(t, in))
			require.Len(t, out, 2)
			assert.Equal(t, []string{"x", "y"}, []string{out[0].Content, out[1].Content})
		}
	})
	t.Run("KF-065 depth", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"content":"x","position":4,"depth":9}`)
		for _, app := range eachApp {
			out := root(t, inWorld(t, inCard(t, in, app))).At("entries", "0")
			assert.Equal(t, []string{"4", "9"}, []string{raw(out.Get("position")), raw(out.Get("depth"))}, app)
		}
	})
	t.Run("KF-066 roles", func(t *testing.T) {
		var es []string
		for _, r := range []string{`0`, `1`, `2`, `"assistant"`, `"narrator"`, `9`, `null`} {
			es = append(es, `{"key":["a"],"content":"x","position":4,"role":`+r+`}`)
		}
		in := worldOf(es...)
		var got []string
		for _, e := range entriesOf(t, in) {
			got = append(got, canonical.Or(e.Role, "-"))
		}
		assert.Equal(t, []string{"system", "user", "assistant", "assistant", "-", "-", "-"}, got)
		w := back(t, in)
		warned(t, w, "entries.4.role", "narrator")
		warned(t, w, "entries.5.role", "9")
	})
	t.Run("KF-067 a chance of zero", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"content":"x","probability":0,"useProbability":true}`)
		for _, app := range eachApp {
			assert.Equal(t, "0", raw(root(t, inCard(t, in, app)).At("data", "character_book", "entries", "0", "extensions", "probability")), app)
			assert.Equal(t, "0", raw(root(t, inWorld(t, inCard(t, in, app))).At("entries", "0", "probability")), app)
		}
	})
	t.Run("KF-068 one percent is one percent", func(t *testing.T) {
		assert.Equal(t, 1.0, canonical.Or(entriesOf(t, worldOf(`{"key":["a"],"content":"x","probability":1}`))[0].Probability, -1))
		assert.Equal(t, 0.4, canonical.Or(entriesOf(t, worldOf(`{"key":["a"],"content":"x","probability":0.4}`))[0].Probability, -1))
	})
	t.Run("KF-069 three-valued switches", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"content":"x","caseSensitive":null,"matchWholeWords":null}`, `{"key":["a"],"content":"x","caseSensitive":true,"matchWholeWords":true}`, `{"key":["a"],"content":"x","caseSensitive":false,"matchWholeWords":false}`)
		for _, data := range [][]byte{in, inCard(t, in, "sillytavern"), inWorld(t, inCard(t, in, "sillytavern"))} {
			var got []string
			for _, e := range entriesOf(t, data) {
				got = append(got, three(e.CaseSensitive)+three(e.MatchWholeWords))
			}
			assert.Equal(t, []string{"--", "++", "00"}, got)
		}
	})
	t.Run("KF-070 recursion levels", func(t *testing.T) {
		in := worldOf(`{"key":["a"],"content":"x","delayUntilRecursion":true}`, `{"key":["a"],"content":"x","delayUntilRecursion":false}`, `{"key":["a"],"content":"x","delayUntilRecursion":2}`)
		back(t, in)
		for _, app := range eachApp {
			var got []float64
			for _, e := range entriesOf(t, inWorld(t, inCard(t, in, app))) {
				got = append(got, canonical.Or(e.DelayUntilRecursion, -1))
			}
			assert.Equal(t, []float64{1, 0, 2}, got, app)
		}
	})
	t.Run("KF-071 patterns beside plain keys", func(t *testing.T) {
		in := worldOf(`{"key":["/foo/i","a+b"],"content":"x"}`)
		assert.Equal(t, []string{"/foo/i", "a+b"}, keysOf(entriesOf(t, in)[0].Triggers))
		lumi := root(t, inCard(t, in, "lumiverse")).At("data", "character_book", "entries", "0")
		assert.Equal(t, `["foo","a\\+b"]`, strings.Join(strings.Fields(raw(lumi.Get("keys"))), ""), "the switch makes every key a pattern there, so the plain one is escaped")
		assert.Equal(t, "true", raw(lumi.At("extensions", "use_regex")))
		assert.Equal(t, []string{"/foo/i", "a+b"}, keysOf(entriesOf(t, inWorld(t, inCard(t, in, "lumiverse")))[0].Triggers))
		st := root(t, inCard(t, in, "sillytavern")).At("data", "character_book", "entries", "0")
		assert.Equal(t, "false", raw(st.Get("use_regex")))
	})
	t.Run("KF-074 the book of a fallback path", func(t *testing.T) {
		book := `{"entries": [{"keys": ["a"], "content": "x", "extensions": {}, "enabled": true, "insertion_order": 1}], "extensions": {}}`
		for _, in := range []string{
			`{"name":"Ann","description":"d","personality":"","scenario":"","first_mes":"Hi","mes_example":"","character_book":` + book + `}`,
			`{"odd":1,"more":{"x":[]},"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","first_mes":"Hi","character_book":` + book + `}}`,
		} {
			assert.Len(t, entriesOf(t, []byte(in)), 1)
			back(t, []byte(in))
		}
	})
	t.Run("KF-075 blank keys", func(t *testing.T) {
		in := withEntries(`{"keys":[""," ","a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{}}`, `{"keys":[""],"content":"y","enabled":true,"insertion_order":1,"extensions":{}}`)
		warned(t, back(t, in), "blank key")
		out, data := convertTo(t, in, convert.Options{To: "lumiverse", Container: formats.JSON})
		es := root(t, data).At("data", "character_book", "entries")
		assert.Equal(t, []string{`["a"]`, `[]`}, []string{strings.Join(strings.Fields(raw(es.Elem(0).Get("keys"))), ""), raw(es.Elem(1).Get("keys"))})
		n := 0
		for _, i := range out.Report.Items {
			if i.Verdict == convert.Lost && canonical.Generic(i.Path) == "entries[].triggers[]" {
				n++
			}
		}
		assert.Equal(t, 3, n, "each blank key is reported")
		assert.Equal(t, `["a"]`, strings.Join(strings.Fields(raw(root(t, inWorld(t, in)).At("entries", "0", "key"))), ""))
	})
	t.Run("KF-077 no enabled means on", func(t *testing.T) {
		in := withEntries(`{"keys":["a"],"content":"x"}`, `{"keys":["a"],"content":"x","enabled":null}`)
		for _, app := range eachApp {
			if app == "sillytavern" {
				continue // its own file stays as it is
			}
			_, out := convertTo(t, in, convert.Options{To: app, Container: formats.JSON})
			for i, e := range entriesOf(t, out) {
				assert.True(t, canonical.Or(e.Enabled, true), "%s %d", app, i)
			}
		}
		for i, e := range root(t, inWorld(t, in)).Get("entries").Members() {
			assert.Equal(t, "false", raw(e.Get("disable")), i)
		}
		back(t, in)
	})
	t.Run("KF-078 a link to a world that is not there", func(t *testing.T) {
		in := named(`"extensions": {"world": "Missing"}, "character_book": {"extensions": {}, "entries": [{"keys":["a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{}},{"keys":["b"],"content":"y","enabled":true,"insertion_order":2,"extensions":{}}]}`)
		for _, w := range ways(canonical.KindCharacter) {
			if w.codec.Info().ID == "risu-module" {
				continue // no card
			}
			_, out := convertTo(t, in, w.o)
			e, books := decodeAs(t, w.codec, out)
			require.Len(t, books, 1, w)
			assert.Equal(t, []string{"x", "y"}, contents(books[0]), w)
			assert.Equal(t, "Missing", canonical.Or(e.Character().WorldName, ""), w)
		}
	})
	t.Run("KF-079 the book in data counts", func(t *testing.T) {
		in := []byte(`{"spec":"chara_card_v2","spec_version":"2.0","character_book":{"extensions":{},"entries":[{"keys":["old"],"content":"old"}]},"data":{"name":"Ann","first_mes":"Hi","character_book":{"extensions":{},"entries":[{"keys":["new"],"content":"new"}]}}}`)
		assert.Equal(t, "new", entriesOf(t, in)[0].Content)
		back(t, in)
		q := edited(read(t, in), 1, func(b any) { b.(*canonical.Lorebook).Entries[0].Content = "newer" })
		out := root(t, emit(t, q, convert.Options{To: "sillytavern"}))
		assert.Equal(t, `"old"`, raw(out.At("character_book", "entries", "0", "content")), "what was another book stays")
		assert.Equal(t, `"newer"`, raw(out.At("data", "character_book", "entries", "0", "content")))
	})
	t.Run("KF-080 newer fields", func(t *testing.T) {
		fields := `"ignoreBudget":true,"triggers":["swipe"],"characterFilter":{"isExclude":true,"names":["Ada"],"tags":[]},"automationId":"x","x_new":1`
		in := worldOf(`{"key":["a"],"content":"x",` + fields + `}`)
		back(t, in)
		card := withEntries(`{"keys":["a"],"content":"x","enabled":true,"insertion_order":1,"extensions":{"ignore_budget":true,"triggers":["swipe"],"automation_id":"x","x_new":1}}`)
		back(t, card)
		assert.Equal(t, []string{"data.character_book.entries[].extensions.x_new"}, read(t, card).Unmapped())
		assert.Equal(t, []string{"entries[].x_new"}, read(t, in).Unmapped())
		e := entriesOf(t, inCard(t, in, "sillytavern"))[0]
		assert.True(t, canonical.Or(e.IgnoreBudget, false))
		assert.Equal(t, []string{"swipe"}, e.GenerationTypes)
		assert.Equal(t, []string{"Ada"}, e.CharacterFilter.Names)
		assert.Equal(t, "x", canonical.Or(e.AutomationID, ""))
	})
	t.Run("KF-081 no book comes out empty", func(t *testing.T) {
		var es []string
		for i := range 49 {
			es = append(es, fmt.Sprintf(`{"keys":["k%d"],"content":"c%d","enabled":true,"insertion_order":%d,"extensions":{}}`, i, i, i))
		}
		card := string(withEntries(es...))
		in := samples.PNG(samples.Card("chara", card), samples.Card("ccv3", strings.Replace(strings.Replace(card, "chara_card_v2", "chara_card_v3", 1), `"2.0"`, `"3.0"`, 1)))
		for _, w := range ways(canonical.KindCharacter) {
			_, out := convertTo(t, in, w.o)
			_, books := decodeAs(t, w.codec, out)
			require.Len(t, books, 1, w)
			assert.Len(t, books[0].Lorebook().Entries, 49, w)
		}
	})
}

func three(b *bool) string {
	switch {
	case b == nil:
		return "-"
	case *b:
		return "+"
	}
	return "0"
}

// TestFaultKF103: a conversion changes neither the next one nor its input.
func TestFaultKF103(t *testing.T) {
	t.Run("KF-103 no state between conversions", func(t *testing.T) {
		e := convert.New()
		a, b := samples.Get("v3.json").Data, samples.Get("v1.json").Data
		fresh, err := convert.New().Convert(rope.Bytes(b), convert.Options{To: "lumiverse"})
		require.NoError(t, err)
		before := string(a)
		_, err = e.Convert(rope.Bytes(a), convert.Options{To: "lumiverse"})
		require.NoError(t, err)
		assert.Equal(t, before, string(a), "the input's bytes")
		after, err := e.Convert(rope.Bytes(b), convert.Options{To: "lumiverse"})
		require.NoError(t, err)
		assert.Equal(t, bytesOf(t, fresh.Data), bytesOf(t, after.Data))
		assert.Equal(t, fresh.Report, after.Report)
	})
}
