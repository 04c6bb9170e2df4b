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

// The faults of known-faults.md that regex scripts of SillyTavern and Lumiverse touch, and the contract of scripts in
// cards.

// script is a SillyTavern script with those members over the usual ones.
func script(members string) string {
	v, err := jsondoc.Raw([]byte(`{"id": "id", "scriptName": "S", "findRegex": "/a/g", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null}`), limits.Card())
	if err != nil {
		panic(err)
	}
	more, err := jsondoc.Raw([]byte("{"+members+"}"), limits.Card())
	if err != nil {
		panic(err)
	}
	for k, m := range more.Members() {
		v.Set(k, m.Clone())
	}
	return string(v.Raw())
}

func scriptList(scripts ...string) []byte { return []byte("[" + strings.Join(scripts, ", ") + "]") }

func quoted(s string) string { return string(jsondoc.String(s).Raw()) }

// rulesOf are the rules of a file, or of the first set of a card.
func rulesOf(t testing.TB, data []byte) []canonical.RegexRule {
	t.Helper()
	p := read(t, data)
	if s, ok := p.Primary.Body.(*canonical.RegexSet); ok {
		return s.Rules
	}
	require.NotEmpty(t, p.Regex, "no regex set in the card")
	return p.Regex[0].Body.(*canonical.RegexSet).Rules
}

// toLumi writes a SillyTavern file for Lumiverse and returns its scripts, and back the scripts of the way back.
func toLumi(t testing.TB, data []byte) (there, back *jsondoc.Value, r *convert.Report) {
	t.Helper()
	out, lumi := convertTo(t, data, convert.Options{To: "lumiverse"})
	_, st := convertTo(t, lumi, convert.Options{To: "sillytavern"})
	return root(t, lumi).Get("scripts"), root(t, st), out.Report
}

func itemsOf(r *convert.Report, v convert.Verdict) map[string]string {
	out := map[string]string{}
	for _, i := range r.Items {
		if i.Verdict == v {
			out[i.Path] = i.Reason
		}
	}
	return out
}

func TestRegexFaults(t *testing.T) {
	t.Run("KF-082 four combinations of display and prompt", func(t *testing.T) {
		var list []string
		want := []string{`["response"]`, `["display"]`, `["prompt"]`, `["prompt","display"]`}
		for i := range 4 {
			list = append(list, script(fmt.Sprintf(`"id": "%d", "markdownOnly": %t, "promptOnly": %t`, i, i&1 > 0, i&2 > 0)))
		}
		back(t, scriptList(list...))
		there, again, r := toLumi(t, scriptList(list...))
		for i := range 4 {
			assert.JSONEq(t, want[i], raw(there.Elem(i).Get("target")))
			assert.Equal(t, fmt.Sprint(i&1 > 0, i&2 > 0), raw(again.Elem(i).Get("markdownOnly"))+" "+raw(again.Elem(i).Get("promptOnly")))
		}
		assert.Empty(t, itemsOf(r, convert.Lost))
		assert.Empty(t, itemsOf(r, convert.Changed))
	})
	t.Run("KF-083 macros, run on edit, trims, depths, disabled", func(t *testing.T) {
		in := scriptList(script(`"substituteRegex": 2, "runOnEdit": true, "trimStrings": ["a"], "minDepth": 1, "maxDepth": 3, "disabled": true`))
		back(t, in)
		there, again, r := toLumi(t, in)
		x := there.Elem(0)
		assert.Equal(t, `"escaped" true ["a"] 1 3 true`, strings.Join([]string{raw(x.Get("substitute_macros")), raw(x.Get("run_on_edit")), compactRaw(x.Get("trim_strings")), raw(x.Get("min_depth")), raw(x.Get("max_depth")), raw(x.Get("disabled"))}, " "))
		x = again.Elem(0)
		assert.Equal(t, `2 true ["a"] 1 3 true`, strings.Join([]string{raw(x.Get("substituteRegex")), raw(x.Get("runOnEdit")), compactRaw(x.Get("trimStrings")), raw(x.Get("minDepth")), raw(x.Get("maxDepth")), raw(x.Get("disabled"))}, " "))
		warned(t, r.Warnings, "trims the whole result", `"S"`) // Q9
	})
	t.Run("KF-084 no depth is no limit", func(t *testing.T) {
		in := scriptList(script(`"id": "1"`), script(`"id": "2", "minDepth": 0, "maxDepth": 0`), script(`"id": "3", "minDepth": -1`))
		back(t, in)
		rules := rulesOf(t, in)
		assert.Nil(t, rules[0].MinDepth)
		assert.Nil(t, rules[0].MaxDepth)
		assert.Equal(t, 0.0, *rules[1].MinDepth)
		assert.Equal(t, 0.0, *rules[1].MaxDepth)
		assert.Equal(t, -1.0, *rules[2].MinDepth)
		there, again, r := toLumi(t, in)
		assert.Equal(t, "null null 0 0 null", strings.Join([]string{raw(there.Elem(0).Get("min_depth")), raw(there.Elem(0).Get("max_depth")), raw(there.Elem(1).Get("min_depth")), raw(there.Elem(1).Get("max_depth")), raw(there.Elem(2).Get("min_depth"))}, " "))
		assert.Equal(t, "null 0 -1", raw(again.Elem(0).Get("minDepth"))+" "+raw(again.Elem(1).Get("minDepth"))+" "+raw(again.Elem(2).Get("minDepth")))
		assert.Contains(t, itemsOf(r, convert.Changed)["rules[2].minDepth"], "from 0")
		assert.Len(t, itemsOf(r, convert.Changed), 1)
	})
	t.Run("KF-085 the sign of the whole match", func(t *testing.T) {
		list := []string{"<b>{{match}}</b>", "[$0]", "[$&]", "a $$ b"}
		var in []string
		for i, s := range list {
			in = append(in, script(fmt.Sprintf(`"id": "%d", "replaceString": %s`, i, quoted(s))))
		}
		back(t, scriptList(in...))
		there, again, _ := toLumi(t, scriptList(in...))
		for i, want := range []string{"<b>$&</b>", "[$&]", "[$$&]", "a $$ b"} {
			s, _ := there.Elem(i).Get("replace_string").Text()
			assert.Equal(t, want, s, "%s in Lumiverse", list[i])
			s, _ = again.Elem(i).Get("replaceString").Text()
			assert.Equal(t, strings.Replace(list[i], "$0", "{{match}}", 1), s, "and back")
		}
		// The other way: $& is Lumiverse's own.
		_, st := convertTo(t, []byte(`[{"name": "S", "find_regex": "a", "replace_string": "[$&] a $$ b", "flags": "g"}]`), convert.Options{To: "sillytavern"})
		s, _ := root(t, st).Elem(0).Get("replaceString").Text()
		assert.Equal(t, "[{{match}}] a $$ b", s)
	})
	t.Run("KF-086 retired placements", func(t *testing.T) {
		for _, c := range []struct{ placement, st, lumi string }{
			{"[0]", "[1,2,3,5,6]", `["user_input","ai_output","world_info","reasoning"]`},
			{"[0, 2]", "[2]", `["ai_output"]`},
			{"[4]", "[3]", `[]`},
			{"[4, 1]", "[1]", `["user_input"]`},
			{"[0, 4]", "[3]", `[]`},
		} {
			in := scriptList(script(`"placement": ` + c.placement))
			back(t, in) // the app's own file stays what it is
			p := read(t, in)
			p.Primary.Original = nil // as if it came from elsewhere
			st := root(t, emit(t, p, convert.Options{To: "sillytavern"})).Elem(0)
			assert.JSONEq(t, c.st, raw(st.Get("placement")), c.placement)
			both := fmt.Sprint(strings.Contains(c.placement, "0"))
			assert.Equal(t, both+" "+both, raw(st.Get("markdownOnly"))+" "+raw(st.Get("promptOnly")), c.placement)
			there, _, r := toLumi(t, in)
			assert.JSONEq(t, c.lumi, raw(there.Elem(0).Get("placement")), c.placement)
			_, changed := itemsOf(r, convert.Changed)["rules[0].phases"]
			assert.Equal(t, strings.Contains(c.st, "3"), changed, "slash commands have no place in Lumiverse: %s", c.placement)
			// An edit of the places upgrades the script; the switches that 0 stood for stay.
			q := edited(read(t, in), 0, func(b any) { b.(*canonical.RegexSet).Rules[0].Phases = []string{canonical.PhaseReasoning} })
			st = root(t, emit(t, q, convert.Options{To: "sillytavern"})).Elem(0)
			assert.JSONEq(t, "[6]", raw(st.Get("placement")))
			assert.Equal(t, both, raw(st.Get("markdownOnly")))
		}
	})
	t.Run("KF-087 links to an owner", func(t *testing.T) {
		owners := `"preset_id": "old", "character_id": "old", "user_id": "u", "pack_id": "p"`
		card := named(`"extensions": {"regex_scripts": [` + script(owners) + `]}`)
		back(t, card)
		assert.Contains(t, canonical.Text(rulesOf(t, card)[0].Extras), `"old"`, "kept in the leftovers")
		_, lumi := convertTo(t, card, convert.Options{To: "lumiverse", Container: formats.JSON})
		assert.NotContains(t, string(lumi), `"old"`)
		file := []byte(`{"version": 1, "type": "lumiverse_regex_scripts", "exported_at": 0, "scripts": [{"name": "S", "find_regex": "a", "flags": "g", "scope": "character", "scope_id": "old", ` + owners + `}]}`)
		warned(t, back(t, file), "scope", "library")
		p := read(t, file)
		p.Primary.Original = nil
		s := root(t, emit(t, p, convert.Options{To: "lumiverse"})).Get("scripts").Elem(0)
		assert.Equal(t, `"global" null`, raw(s.Get("scope"))+" "+raw(s.Get("scope_id")))
		for _, k := range []string{"preset_id", "character_id", "user_id", "pack_id"} {
			assert.Nil(t, s.Get(k), k)
		}
	})
	t.Run("KF-088 one bad row", func(t *testing.T) {
		bad := `{"findRegex": "/x/", "replaceString": "", "placement": [2]}`
		in := scriptList(script(`"id": "1", "scriptName": "One"`), bad, script(`"id": "3", "scriptName": "Three"`))
		warnings := back(t, in)
		warned(t, warnings, "[1]", "no scriptName")
		there, _, r := toLumi(t, in)
		assert.Equal(t, 2, there.Len())
		assert.Contains(t, itemsOf(r, convert.Lost), "original.sillytavern.[1]")
		card := named(`"extensions": {"regex_scripts": ` + string(in) + `}`)
		warned(t, back(t, card), "data.extensions.regex_scripts[1]", "no scriptName")
		assert.Len(t, rulesOf(t, card), 2)
		lumi := []byte(`{"version": 1, "type": "lumiverse_regex_scripts", "scripts": [{"name": "a", "find_regex": "a"}, {"find_regex": "b"}, 7, {"name": "c", "find_regex": "c"}]}`)
		warned(t, back(t, lumi), "scripts[1]", "no name")
		assert.Len(t, rulesOf(t, lumi), 2)
	})
	t.Run("KF-089 a long replacement", func(t *testing.T) {
		long := strings.Repeat("<p>0123456789</p>", 4000)
		there, again, _ := toLumi(t, scriptList(script(`"replaceString": `+quoted(long))))
		s, _ := there.Elem(0).Get("replace_string").Text()
		assert.True(t, s == long)
		s, _ = again.Elem(0).Get("replaceString").Text()
		assert.True(t, s == long)
	})
	t.Run("KF-090 JavaScript patterns", func(t *testing.T) {
		for _, s := range []string{`/(?<=a)b(?!c)/g`, `/(.)\1/`, `/[^]*/s`, `/\u0041/`, `/(?<n>x)\k<n>/`, `/x{1001}/`} {
			in := scriptList(script(`"findRegex": ` + quoted(s)))
			assert.Empty(t, back(t, in), s)
			there, again, _ := toLumi(t, in)
			find, _ := there.Elem(0).Get("find_regex").Text()
			flags, _ := there.Elem(0).Get("flags").Text()
			assert.Equal(t, s, "/"+find+"/"+flags)
			f, _ := again.Elem(0).Get("findRegex").Text()
			assert.Equal(t, s, f)
		}
	})
	t.Run("KF-091 directives in flags", func(t *testing.T) {
		// Risu's files are not read yet; what its flags hold is no flag elsewhere, and is told.
		set := &canonical.RegexSet{Rules: []canonical.RegexRule{{Label: "S", Find: "a", Flags: canonical.Ptr("gi<order 3><cbs>"), Phases: []string{"output"}, Targets: []string{"response"}}}}
		for _, app := range eachApp {
			p := &convert.Pieces{Primary: &canonical.Entity{Kind: canonical.KindRegex, Body: set}, Info: formats.Info{App: "x"}, Unmapped: func() []string { return nil }}
			out, err := convert.New().Emit(p, convert.Options{To: app})
			require.NoError(t, err)
			assert.Contains(t, itemsOf(out.Report, convert.Changed), "rules[0].flags")
			data := bytesOf(t, out.Data)
			assert.Equal(t, "gi<order 3><cbs>", *rulesOf(t, data)[0].Flags, "and comes back")
		}
	})
	t.Run("KF-093 one, a list, an envelope", func(t *testing.T) {
		one := script(`"scriptName": "One"`)
		for in, n := range map[string]int{one: 1, "[" + one + ", " + one + "]": 2, `{"version": 1, "scripts": [` + one + `]}`: 1} {
			e := convert.New()
			taken := map[string]bool{}
			for range 2 {
				p, err := e.Read(rope.Bytes([]byte(in)), convert.Options{Name: "mine.json"})
				require.NoError(t, err)
				set := p.Primary.Body.(*canonical.RegexSet)
				assert.Len(t, set.Rules, n)
				ids := map[string]bool{}
				for _, r := range set.Rules {
					assert.False(t, ids[r.ID], "two rules with the id %s", r.ID)
					ids[r.ID] = true
				}
				id := canonical.UniqueID(p.Primary.ID, func(id string) bool { return taken[id] })
				assert.False(t, taken[id])
				taken[id] = true
			}
			assert.Equal(t, map[string]bool{"mine": true, "mine-2": true}, taken)
		}
		back(t, []byte(one))
		_, lumi := convertTo(t, []byte(one), convert.Options{To: "lumiverse"})
		assert.Equal(t, 1, root(t, lumi).Get("scripts").Len())
		_, list := convertTo(t, []byte(`{"version": 1, "scripts": [`+one+`]}`), convert.Options{To: "sillytavern"})
		assert.Equal(t, jsondoc.KindArray, root(t, list).Kind(), "SillyTavern reads no envelope")
	})
	t.Run("KF-094 scripts of a card in every container", func(t *testing.T) {
		card := named(`"extensions": {"regex_scripts": [` + script(`"id": "1", "scriptName": "One"`) + "," + script(`"id": "2", "scriptName": "Two"`) + `]}`)
		for _, app := range eachApp {
			for _, c := range []formats.Container{formats.PNG, formats.JSON, formats.CharX} {
				out, data := convertTo(t, card, convert.Options{To: app, Container: c})
				rules := rulesOf(t, data)
				require.Len(t, rules, 2, "%s %s", app, c)
				assert.Equal(t, "One Two", rules[0].Label+" "+rules[1].Label)
				for _, i := range out.Report.Items {
					assert.NotContains(t, i.Path, "regex_scripts")
					assert.NotContains(t, i.Reason, "not carried")
				}
				// And on to the other containers and apps.
				for _, to := range eachApp {
					for _, c := range []formats.Container{formats.PNG, formats.JSON, formats.CharX} {
						_, next := convertTo(t, data, convert.Options{To: to, Container: c, AllowLoss: true})
						assert.Len(t, rulesOf(t, next), 2, "%s to %s %s", app, to, c)
					}
				}
			}
		}
		p := read(t, card)
		assert.Equal(t, "Ann regex", p.Regex[0].Body.(*canonical.RegexSet).Name)
		assert.Equal(t, []string{"ann-regex"}, p.Primary.Character().BehaviorRefs)
	})
	t.Run("KF-095 broken patterns", func(t *testing.T) {
		for s, says := range map[string]string{"/(/": "never closed", "/(a+)+$/": "", "": "empty", "/a/zz": "flags zz"} {
			in := scriptList(script(`"findRegex": ` + quoted(s)))
			warnings := back(t, in)
			if says == "" {
				assert.Empty(t, warnings, s)
			} else {
				warned(t, warnings, "findRegex", says)
			}
			_, again, _ := toLumi(t, in)
			f, _ := again.Elem(0).Get("findRegex").Text()
			if s == "/a/zz" {
				s = "//a/zz/" // the whole text is the pattern
			}
			assert.Equal(t, s, f)
		}
	})
}

func compactRaw(v *jsondoc.Value) string {
	return strings.NewReplacer(" ", "", "\n", "").Replace(raw(v))
}

// TestRegexQuirks are rows of lumiverse.md, section 9, and of sillytavern.md.
func TestRegexQuirks(t *testing.T) {
	t.Run("Q7 no flags stay no flags", func(t *testing.T) {
		there, again, _ := toLumi(t, scriptList(script(`"id": "1", "findRegex": "/abc/"`), script(`"id": "2", "findRegex": "abc"`)))
		for i := range 2 {
			assert.Equal(t, `"abc" ""`, raw(there.Elem(i).Get("find_regex"))+" "+raw(there.Elem(i).Get("flags")))
			assert.Equal(t, `"/abc/"`, raw(again.Elem(i).Get("findRegex")))
		}
		assert.Equal(t, "gi", *rulesOf(t, []byte(`[{"name": "S", "find_regex": "a"}]`))[0].Flags, "a Lumiverse script without flags is gi in the app")
	})
	t.Run("Q6 an archive holds scripts in its sidecar", func(t *testing.T) {
		_, data := convertTo(t, samples.Get("v2-regex.json").Data, convert.Options{To: "lumiverse", Container: formats.CharX})
		w := apart(t, data)
		assert.NotContains(t, w.doc("card.json"), "regex_scripts")
		d, err := jsondoc.Parse([]byte(w.doc("lumiverse_modules.json")), limits.Card())
		require.NoError(t, err)
		s := d.Root.Get("regex_scripts")
		require.Equal(t, 2, s.Len())
		for _, e := range s.Elems() {
			assert.Equal(t, `"character" null`, raw(e.Get("scope"))+" "+raw(e.Get("scope_id")))
			assert.Nil(t, e.Get("script_id"))
		}
		// A JSON card of the app becomes an archive: the scripts move to where the app looks.
		_, data = convertTo(t, samples.Get("lumi-regex-card.json").Data, convert.Options{To: "lumiverse", Container: formats.CharX})
		w = apart(t, data)
		assert.NotContains(t, w.doc("card.json"), "regex_scripts")
		assert.Contains(t, w.doc("lumiverse_modules.json"), `"find_regex": "own"`)
		assert.Len(t, rulesOf(t, data), 2)
	})
	t.Run("Q18 Q21 what belongs to a library", func(t *testing.T) {
		p := read(t, []byte(`[{"name": "A", "script_id": "same", "find_regex": "a"}, {"name": "B", "script_id": "same", "find_regex": "b"}]`))
		p.Primary.Original = nil
		s := root(t, emit(t, p, convert.Options{To: "lumiverse"})).Get("scripts")
		assert.Equal(t, `"same" ""`, raw(s.Elem(0).Get("script_id"))+" "+raw(s.Elem(1).Get("script_id")))
	})
	t.Run("Q20 timings are no content", func(t *testing.T) {
		assert.Nil(t, rulesOf(t, []byte(`[{"name": "A", "find_regex": "a", "metadata": {"regex_performance": {"ms": 1}, "source": "charx_bundle"}}]`))[0].Extras)
	})
	t.Run("D-5 a target stays the kind that it was", func(t *testing.T) {
		in := []byte(`[{"name": "A", "find_regex": "a", "target": "display"}, {"name": "B", "find_regex": "b", "target": ["display"]}]`)
		q := edited(read(t, in), 0, func(b any) {
			for i := range b.(*canonical.RegexSet).Rules {
				b.(*canonical.RegexSet).Rules[i].Targets = []string{"prompt"}
			}
		})
		assert.Equal(t, strings.ReplaceAll(string(in), "display", "prompt"), string(emit(t, q, convert.Options{To: "lumiverse"})))
	})
	t.Run("an unknown macro mode is written as none in new scripts only", func(t *testing.T) {
		in := []byte(`[{"name": "A", "find_regex": "a", "substitute_macros": "find"}]`)
		warned(t, back(t, in), "substitute_macros", "find")
		p := read(t, in)
		p.Primary.Original = nil
		assert.Equal(t, `"none"`, raw(root(t, emit(t, p, convert.Options{To: "lumiverse"})).Get("scripts").Elem(0).Get("substitute_macros")))
	})
	t.Run("Q33 flags, placements and switches of another app", func(t *testing.T) {
		there, again, _ := toLumi(t, scriptList(script(`"findRegex": "/a/gms", "placement": [1, 5], "markdownOnly": true`)))
		x := there.Elem(0)
		assert.Equal(t, `"gms"["user_input","world_info"]["display"]`, raw(x.Get("flags"))+compactRaw(x.Get("placement"))+compactRaw(x.Get("target")))
		assert.Equal(t, `"/a/gms"[1,5]true`, raw(again.Elem(0).Get("findRegex"))+compactRaw(again.Elem(0).Get("placement"))+raw(again.Elem(0).Get("markdownOnly")))
	})
	t.Run("both chunks of a PNG are kept in step", func(t *testing.T) {
		in := samples.Get("regex.png").Data
		q := edited(read(t, in), 1, func(b any) { b.(*canonical.RegexSet).Rules[1].Replace = "edited" })
		w := apart(t, emit(t, q, convert.Options{To: "sillytavern"}))
		for _, d := range apart(t, in).docs {
			assert.Equal(t, strings.Replace(d.text, `"replaceString": "2"`, `"replaceString": "edited"`, 1), w.doc(d.name), d.name)
		}
		q.Regex = nil
		w = apart(t, emit(t, q, convert.Options{To: "sillytavern"}))
		for _, d := range w.docs {
			assert.NotContains(t, d.text, "regex_scripts")
		}
	})
	t.Run("stale copies of a Lumiverse card go when the scripts change", func(t *testing.T) {
		st := script(`"scriptName": "stale"`)
		in := []byte(`{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ann", "description": "", "extensions": {"ttsVoice": {}, "regex_scripts": [` + st + `], "lumiverse_modules": {"version": 1, "regex_scripts": [{"name": "current", "find_regex": "a", "flags": "g"}]}}}}`)
		back(t, in)
		p := read(t, in)
		require.Equal(t, "current", p.Regex[0].Body.(*canonical.RegexSet).Rules[0].Label)
		assert.Contains(t, p.Unmapped(), "data.extensions.regex_scripts", "the copy that does not count says something else")
		out := emit(t, edited(p, 1, func(b any) { b.(*canonical.RegexSet).Rules[0].Find = "b" }), convert.Options{To: "lumiverse"})
		assert.Equal(t, strings.Replace(strings.Replace(string(in), `"regex_scripts": [`+st+`], `, "", 1), `"find_regex": "a"`, `"find_regex": "b"`, 1), string(out))
	})
	t.Run("an edit of one script changes one script", func(t *testing.T) {
		in := samples.Get("v2-regex.json").Data
		q := edited(read(t, in), 1, func(b any) { b.(*canonical.RegexSet).Rules[1].Replace = "$&?" })
		assert.Equal(t, strings.Replace(string(in), `"replaceString": "2"`, `"replaceString": "{{match}}?"`, 1), string(emit(t, q, convert.Options{To: "sillytavern"})))
	})
}

// newSet is a regex set as an editor makes it.
func newSet(name string, labels ...string) *canonical.Entity {
	s := &canonical.RegexSet{Name: name, Rules: []canonical.RegexRule{}}
	for _, l := range labels {
		s.Rules = append(s.Rules, canonical.RegexRule{ID: l, Label: l, Note: canonical.Ptr("note of " + l), Find: l, Flags: canonical.Ptr("g"), Replace: "<$&>", TrimStrings: []string{}, Phases: []string{canonical.PhaseOutput},
			Targets: []string{"response"}, SubstituteFind: canonical.Ptr(canonical.SubstituteNone), RunOnEdit: canonical.Ptr(true), Enabled: canonical.Ptr(true)})
	}
	return &canonical.Entity{Kind: canonical.KindRegex, ID: canonical.Slug(name), Body: s}
}

// TestRegexContract: nil leaves the scripts of a twin alone, an empty list removes every copy, sets replace what is
// there; several become one list and come back as several.
func TestRegexContract(t *testing.T) {
	for _, c := range codecs(canonical.KindCharacter) {
		x, ok := c.(formats.RegexExtractor)
		if !ok {
			continue
		}
		with := func(t testing.TB, e *canonical.Entity, sets []*canonical.Entity) []byte {
			t.Helper()
			enc, err := c.Encode(e, formats.EncodeContext{RegexSets: sets, Limits: limits.Card()})
			require.NoError(t, err)
			return bytesOf(t, enc.Data)
		}
		setsIn := func(t testing.TB, data []byte) []*canonical.Entity {
			t.Helper()
			e, _ := decodeAs(t, c, data)
			sets, _, err := x.ExtractRegex(e)
			require.NoError(t, err)
			return sets
		}
		for _, s := range sources() {
			p := read(t, s.data)
			if p.Primary.Kind != canonical.KindCharacter || p.Info.ID != c.Info().ID {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				a := apart(t, s.data)
				assert.Equal(t, a.docs, apart(t, with(t, p.Primary, nil)).docs, "nil leaves the twin alone")
				sets := p.Regex
				if sets == nil {
					sets = []*canonical.Entity{}
				}
				assert.Equal(t, a.docs, apart(t, with(t, p.Primary, sets)).docs, "the same sets change nothing")
				assert.Empty(t, setsIn(t, with(t, p.Primary, []*canonical.Entity{})), "none removes every copy")
				one := setsIn(t, with(t, p.Primary, []*canonical.Entity{newSet("Only", "x", "y")}))
				require.Len(t, one, 1)
				sameSet(t, newSet("Only", "x", "y"), one[0])
				three := []*canonical.Entity{newSet("One", "a", "b"), newSet("Two"), newSet("Three", "c", "d", "e")}
				three[2].Body.(*canonical.RegexSet).Description = canonical.Ptr("the third")
				out := with(t, p.Primary, three)
				got := setsIn(t, out)
				require.Len(t, got, 3)
				for i := range three {
					sameSet(t, three[i], got[i])
				}
				// One of them edited: the others' scripts keep their bytes.
				e, _ := decodeAs(t, c, out)
				body := *got[2].Body.(*canonical.RegexSet)
				body.Rules = append([]canonical.RegexRule{}, body.Rules...)
				body.Rules[0].Label = "edited"
				got[2].Body = &body
				enc, err := c.Encode(e, formats.EncodeContext{RegexSets: got, Limits: limits.Card()})
				require.NoError(t, err)
				again := bytesOf(t, enc.Data)
				for _, d := range apart(t, out).docs {
					for _, path := range compare(t, d.text, apart(t, again).doc(d.name)).paths() {
						assert.True(t, strings.Contains(path, "cripts[2].") || strings.Contains(path, "regex[2].") || path == "extensions" && p.Container == formats.YAML, "%s: editing one set changes %s", d.name, path)
					}
				}
			})
		}
	}
}

func sameSet(t testing.TB, a, b *canonical.Entity) {
	t.Helper()
	ch, err := canonical.Diff(a.Body, b.Body)
	require.NoError(t, err)
	for _, d := range ch {
		assert.True(t, blank(d.Before) && blank(d.After), "%s was %v and is %v", d.Path, d.Before, d.After)
	}
}

// TestDisabledRegexSets are left out, and the report names each.
func TestDisabledRegexSets(t *testing.T) {
	p := read(t, samples.Get("v3-regex-sets.json").Data)
	require.Len(t, p.Regex, 2)
	for _, app := range eachApp {
		q := edited(p, 1, func(b any) { b.(*canonical.RegexSet).Enabled = canonical.Ptr(false) })
		out, err := convert.New().Emit(q, convert.Options{To: app})
		require.NoError(t, err)
		rules := rulesOf(t, bytesOf(t, out.Data))
		require.Len(t, rules, 1)
		assert.Equal(t, "T3", rules[0].Label)
		assert.Contains(t, itemsOf(out.Report, convert.Lost)["behaviorRefs"], "switched off")
	}
}
