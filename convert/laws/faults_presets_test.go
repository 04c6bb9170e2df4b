package laws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// The faults KF-096 to KF-109 of known-faults.md. KF-103 is law 5.

func presetBody(t testing.TB, data []byte) *canonical.Preset {
	t.Helper()
	p, ok := read(t, data).Primary.Body.(*canonical.Preset)
	require.True(t, ok)
	return p
}

// stWith is a chat completion preset with those prompts and that order.
func stWith(prompts, order string) []byte {
	return fmt.Appendf(nil, `{"temperature": 1, "prompts": [%s], "prompt_order": [{"character_id": 100001, "order": [%s]}]}`, prompts, order)
}

func listed(ids ...string) string {
	for i, id := range ids {
		ids[i] = `{"identifier": "` + id + `", "enabled": true}`
	}
	return strings.Join(ids, ",")
}

func promptIDs(p *canonical.Preset) (out []string) {
	for i := range p.Prompts {
		out = append(out, p.Prompts[i].ID)
	}
	return out
}

// fresh is a preset without an escrow, as the editor makes one.
func fresh(body *canonical.Preset) *convert.Pieces {
	return &convert.Pieces{Primary: &canonical.Entity{Kind: canonical.KindPreset, ID: "x", Body: body}, Unmapped: func() []string { return nil }}
}

func TestFaultsOfPresets(t *testing.T) {
	const custom = `{"identifier": "3f2a-custom", "name": "Mine", "role": "user", "content": "c"}`
	const main = `{"identifier": "main", "name": "Main", "role": "system", "content": "m", "system_prompt": true}`
	const history = `{"identifier": "chatHistory", "name": "Chat History", "marker": true}`

	t.Run("KF-096 prompt_order is a list of records", func(t *testing.T) {
		out := emit(t, fresh(&canonical.Preset{Name: "x", Prompts: []canonical.Prompt{{ID: "main", Content: "m"}, {ID: "a", Content: "a", Enabled: canonical.Ptr(false)}, {ID: "b", Content: "b"}}}), convert.Options{To: "sillytavern"})
		o := root(t, out).Get("prompt_order")
		require.Equal(t, 1, o.Len())
		assert.Equal(t, "100001", raw(o.Elem(0).Get("character_id")))
		assert.Equal(t, `[{"identifier":"main","enabled":true},{"identifier":"a","enabled":false},{"identifier":"b","enabled":true}]`, strings.Join(strings.Fields(raw(o.Elem(0).Get("order"))), ""))
	})
	t.Run("KF-097 identifiers stay", func(t *testing.T) {
		in := stWith(main+","+custom+","+history, listed("main", "3f2a-custom", "chatHistory"))
		back(t, in)
		data := in
		for _, app := range []string{"lumiverse", "sillytavern", "lumiverse", "sillytavern"} {
			_, data = convertTo(t, data, convert.Options{To: app})
			assert.Equal(t, []string{"main", "3f2a-custom", "chatHistory"}, promptIDs(presetBody(t, data)), app)
		}
	})
	t.Run("KF-098 a prompt that looks like a heading keeps its content", func(t *testing.T) {
		in := stWith(`{"identifier": "a", "name": "<Rules>", "content": "keep me"}, {"identifier": "b", "name": "=== Style ===", "content": "keep me"}, {"identifier": "c", "name": "━━ Tone", "content": "keep me"}, `+history, listed("a", "b", "c", "chatHistory"))
		p := presetBody(t, in)
		assert.Empty(t, p.Groups)
		for _, app := range []string{"lumiverse", "sillytavern", "bunzai"} {
			_, out := convertTo(t, in, convert.Options{To: app})
			q := presetBody(t, out)
			for i, name := range []string{"<Rules>", "=== Style ===", "━━ Tone"} {
				assert.Equal(t, name+": keep me", q.Prompts[i].Name+": "+q.Prompts[i].Content, app)
			}
		}
	})
	t.Run("KF-099 reasoning effort goes to the nearest word", func(t *testing.T) {
		for word, want := range map[string]string{"auto": "auto", "min": "min", "low": "low", "medium": "medium", "high": "high", "max": "max", "ultra": "max", "xhigh": "max", "minimal": "min", "none": "min", "sideways": "auto"} {
			out, err := convert.New().Emit(fresh(&canonical.Preset{Name: "x", APIOptions: &canonical.APIOptions{ReasoningEffort: &word}}), convert.Options{To: "sillytavern"})
			require.NoError(t, err)
			got, _ := root(t, bytesOf(t, out.Data)).Get("reasoning_effort").Text()
			assert.Equal(t, want, got, word)
			said := false
			for _, i := range out.Report.Items {
				said = said || i.Path == "apiOptions.reasoningEffort" && i.Verdict == convert.Changed && i.Reason != ""
			}
			assert.Equal(t, word != want, said, "%s: the report", word)
			assert.Equal(t, word, *presetBody(t, bytesOf(t, out.Data)).APIOptions.ReasoningEffort, "the exact word comes back")
		}
		in := []byte(`{"temperature": 1, "top_p": 1, "reasoning_effort": "ultra"}`)
		back(t, in)
	})
	t.Run("KF-100 null and dangling items", func(t *testing.T) {
		in := []byte(`{"temperature": 1, "prompts": [null, ` + main + `, {"name": "No identifier", "content": "n"}, ` + history + `], "prompt_order": [{"character_id": 100001, "order": [null, {"identifier": "main", "enabled": true}, {"identifier": "gone", "enabled": true}, {"identifier": "chatHistory", "enabled": true}]}]}`)
		w := back(t, in)
		warned(t, w, "prompts[0]", "null")
		warned(t, w, "no identifier")
		warned(t, w, "gone", "no such prompt")
		warned(t, w, "prompt_order", "no reference")
		p := presetBody(t, in)
		assert.Equal(t, []string{"main", "chatHistory", "prompt-2"}, promptIDs(p))
		q := edited(read(t, in), 0, func(b any) {
			x := b.(*canonical.Preset)
			x.Prompts[0], x.Prompts[1] = x.Prompts[1], x.Prompts[0]
		})
		out := emit(t, q, convert.Options{To: "sillytavern"})
		assert.Equal(t, []string{"chatHistory", "main", "prompt-2"}, promptIDs(presetBody(t, out)))
		assert.Contains(t, string(out), `"gone"`, "what is odd stays in a file for the same app")
		assert.Contains(t, string(out), "null")
	})
	t.Run("KF-101 a name with a dot", func(t *testing.T) {
		for name, want := range map[string]string{"v1.2": "v1.2.json", "a.json": "a.json"} {
			for _, app := range []string{"sillytavern", "lumiverse"} {
				out, err := convert.New().Emit(fresh(&canonical.Preset{Name: name}), convert.Options{To: app})
				require.NoError(t, err)
				assert.Equal(t, want, out.FileName)
			}
		}
		p, err := convert.New().Read(rope.Bytes([]byte(`{"temperature": 1, "top_p": 1}`)), convert.Options{Name: "My v1.2.json"})
		require.NoError(t, err)
		assert.Equal(t, "My v1.2", p.Primary.Body.(*canonical.Preset).Name, "a preset without a name is called after its file")
		out, err := convert.New().Emit(p, convert.Options{To: "sillytavern"})
		require.NoError(t, err)
		assert.Equal(t, "My v1.2.json", out.FileName)
		assert.Zero(t, out.Report.Counts.Lost+out.Report.Counts.Changed)
		sameFile(t, []byte(`{"temperature": 1, "top_p": 1}`), bytesOf(t, out.Data))
	})
	t.Run("KF-102 secrets stay", func(t *testing.T) {
		in := samples.Get("preset-st.json").Data
		warned(t, read(t, in).Warnings, "reverse_proxy", "proxy_password", "custom_url", "custom_include_headers")
		out, data := convertTo(t, in, convert.Options{To: "lumiverse"})
		assert.NotContains(t, string(data), "zq-")
		named := map[string]bool{}
		for _, i := range out.Report.Items {
			if i.Verdict == convert.Lost && strings.Contains(i.Reason, "secret") {
				named[strings.TrimPrefix(i.Path, "original.sillytavern.")] = true
				assert.Nil(t, i.Before, "a report never shows a secret: %s", i.Path)
			}
		}
		for _, s := range []string{"reverse_proxy", "proxy_password", "custom_url", "custom_include_headers"} {
			assert.True(t, named[s], "%s is left out, and the report does not say so", s)
		}
		assert.Contains(t, string(emit(t, read(t, in), convert.Options{To: "sillytavern"})), "zq-password", "a file for SillyTavern itself is the file that came in")
	})
	t.Run("KF-104 no context and no reply length", func(t *testing.T) {
		in := stWith(main+","+history, listed("main", "chatHistory"))
		for _, app := range []string{"lumiverse", "sillytavern", "bunzai"} {
			_, out := convertTo(t, in, convert.Options{To: app})
			s := presetBody(t, out).Samplers
			assert.True(t, s != nil && s.MaxContext == nil && s.MaxTokens == nil, app)
			if app == "lumiverse" {
				_, out = convertTo(t, out, convert.Options{To: "sillytavern"})
				assert.False(t, root(t, out).Has("openai_max_context") || root(t, out).Has("openai_max_tokens"))
			}
		}
	})
	t.Run("KF-105 an instruct template's system prompt", func(t *testing.T) {
		a := presetBody(t, []byte(`{"name": "X", "system_prompt": "A", "input_sequence": "i", "output_sequence": "o"}`))
		b := presetBody(t, []byte(`{"name": "X", "content": "B"}`))
		assert.Equal(t, []string{"A", "B"}, []string{a.Prompts[0].Content, b.Prompts[0].Content})
		m := presetBody(t, []byte(`{"instruct": {"name": "X", "system_prompt": "A", "input_sequence": "i", "output_sequence": "o"}, "sysprompt": {"name": "X", "content": "B"}}`))
		require.Len(t, m.Prompts, 2)
		assert.NotEqual(t, m.Prompts[0].ID, m.Prompts[1].ID, "both texts under names of their own")
		_, out := convertTo(t, []byte(`{"instruct": {"name": "X", "system_prompt": "A", "input_sequence": "i", "output_sequence": "o"}, "sysprompt": {"name": "X", "content": "B"}}`), convert.Options{To: "lumiverse"})
		assert.Contains(t, string(out), `"content": "A"`)
		assert.Contains(t, string(out), `"content": "B"`)
	})
	t.Run("KF-106 prompts at one depth", func(t *testing.T) {
		row := func(id, role, order string) string {
			return `{"identifier": "` + id + `", "name": "` + id + `", "role": "` + role + `", "content": "` + id + `", "injection_position": 1, "injection_depth": 2, "injection_order": ` + order + `}`
		}
		data := stWith(history+","+row("s", "system", "100")+","+row("u", "user", "50")+","+row("a", "assistant", "100"), listed("chatHistory", "s", "u", "a"))
		want := "s system 2 100 in_chat; u user 2 50 in_chat; a assistant 2 100 in_chat; "
		for _, app := range []string{"sillytavern", "lumiverse", "bunzai", "sillytavern"} {
			_, data = convertTo(t, data, convert.Options{To: app})
			got := ""
			for _, p := range presetBody(t, data).Prompts[1:] {
				got += fmt.Sprintf("%s %s %v %v %s; ", p.ID, *p.Role, *p.InjectionDepth, *p.InjectionOrder, *p.Placement)
			}
			assert.Equal(t, want, got, app)
		}
	})
	t.Run("KF-107 an absent marker is no disabled one", func(t *testing.T) {
		const world = `{"identifier": "worldInfoBefore", "name": "World Info (before)", "marker": true}`
		absent := stWith(main+","+history, listed("main", "chatHistory"))
		off := stWith(main+","+world+","+history, `{"identifier": "main", "enabled": true}, {"identifier": "worldInfoBefore", "enabled": false}, {"identifier": "chatHistory", "enabled": true}`)
		for _, app := range []string{"sillytavern", "lumiverse", "bunzai"} {
			_, a := convertTo(t, absent, convert.Options{To: app})
			_, b := convertTo(t, off, convert.Options{To: app})
			assert.Equal(t, []string{"main", "chatHistory"}, promptIDs(presetBody(t, a)), app)
			p := presetBody(t, b)
			require.Equal(t, []string{"main", "worldInfoBefore", "chatHistory"}, promptIDs(p), app)
			assert.False(t, *p.Prompts[1].Enabled)
		}
	})
	t.Run("KF-109 null in place of a list", func(t *testing.T) {
		for _, in := range []string{
			`{"name": "Old", "mainPrompt": "Be.", "jailbreak": "J", "globalNote": "", "temperature": 80, "maxContext": 4000, "maxResponse": 300, "frequencyPenalty": 70, "PresensePenalty": 70, "formatingOrder": ["main", "chats", "jailbreak"], "promptTemplate": null, "aiModel": "x"}`,
			`{"name": "Old", "mainPrompt": "Be.", "jailbreak": "J", "globalNote": "", "temperature": 80, "maxContext": 4000, "maxResponse": 300, "frequencyPenalty": 70, "PresensePenalty": 70, "formatingOrder": null, "promptTemplate": null, "bias": null, "regex": null, "localStopStrings": null, "aiModel": "x"}`,
		} {
			p := presetBody(t, []byte(in))
			assert.Equal(t, "Old", p.Name)
			texts := ""
			for _, x := range p.Prompts {
				texts += x.Content + " "
			}
			assert.Contains(t, texts, "Be.")
			back(t, []byte(in))
			for _, to := range []string{"sillytavern", "lumiverse"} {
				_, out := convertTo(t, []byte(in), convert.Options{To: to})
				assert.NotEmpty(t, presetBody(t, out).Prompts, to)
			}
		}
	})
	t.Run("KF-108 regex scripts of a preset", func(t *testing.T) {
		in := samples.Get("preset-st.json").Data
		p := read(t, in)
		require.Len(t, p.Regex, 1)
		assert.Equal(t, []string{p.Regex[0].ID}, p.Primary.Body.(*canonical.Preset).BehaviorRefs)
		assert.Equal(t, "Trim", p.Regex[0].Body.(*canonical.RegexSet).Rules[0].Label)
		_, out := convertTo(t, in, convert.Options{To: "lumiverse"})
		assert.Equal(t, 1, root(t, out).At("extensions", "regex_scripts").Len())
		_, out = convertTo(t, out, convert.Options{To: "sillytavern"})
		s := root(t, out).At("extensions", "regex_scripts").Elem(0)
		name, _ := s.Get("scriptName").Text()
		find, _ := s.Get("findRegex").Text()
		assert.Equal(t, "Trim /a+/g", name+" "+find)
		back(t, in)
		q := *p
		q.Regex = []*canonical.Entity{} // resolved, and there are none
		assert.NotContains(t, string(emit(t, &q, convert.Options{To: "sillytavern"})), "Trim")
	})
}

// TestPresetOrder edits the sequence and the list of prompts: the rows that stay keep their bytes.
func TestPresetOrder(t *testing.T) {
	for _, name := range []string{"preset-st.json", "preset-st-headings.json", "preset-st-odd.json", "preset-st-wiki.json", "preset-lumi.json", "preset-lumi-row.json"} {
		p := read(t, samples.Get(name).Data)
		n := len(p.Primary.Body.(*canonical.Preset).Prompts)
		rows := func(data []byte) map[string]bool {
			out := map[string]bool{}
			for _, m := range []string{"prompts", "blocks"} {
				for _, e := range elements(t, string(data), m) {
					out[e] = true
				}
			}
			return out
		}
		was := rows(samples.Get(name).Data)
		for what, edit := range map[string]func(x *canonical.Preset){
			"the last first": func(x *canonical.Preset) {
				x.Prompts = append([]canonical.Prompt{x.Prompts[n-1]}, x.Prompts[:n-1]...)
				x.Prompts[0].GroupID = nil
			},
			"without the first": func(x *canonical.Preset) { x.Prompts = x.Prompts[1:] },
			"a new one first": func(x *canonical.Preset) {
				x.Prompts = append([]canonical.Prompt{{ID: "new", Name: "New", Content: "n", Role: canonical.Ptr("system"), Enabled: canonical.Ptr(true), Placement: canonical.Ptr(canonical.PlaceRelative), InjectionDepth: canonical.Ptr(4.0)}}, x.Prompts...)
			},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				q := edited(p, 0, func(b any) { edit(b.(*canonical.Preset)) })
				out := emit(t, q, convert.Options{To: p.Info.App})
				got, want := presetBody(t, out), q.Primary.Body.(*canonical.Preset)
				ch, err := canonical.Diff(noRefs(want), noRefs(got))
				require.NoError(t, err)
				for _, c := range ch {
					lv := strings.Contains(name, "lumi") && strings.Contains(c.Path, "choices") // a removed block takes its variables
					assert.True(t, lv, "%s: %s is %q", c.Path, canonical.Text(c.Before), canonical.Text(c.After))
				}
				if strings.Contains(name, "-st") {
					now := rows(out)
					kept := 0
					for e := range was {
						if now[e] {
							kept++
						}
					}
					assert.GreaterOrEqual(t, kept, len(was)-1, "rows that stay are spelled anew")
				}
			})
		}
	}
}

// TestPresetAcross holds the rules of lumiverse.md 9, Q14 to Q16, from SillyTavern to Lumiverse.
func TestPresetAcross(t *testing.T) {
	_, out := convertTo(t, samples.Get("preset-st-headings.json").Data, convert.Options{To: "lumiverse"})
	blocks := map[string]*jsondoc.Value{}
	for _, b := range root(t, out).Get("blocks").Elems() {
		id, _ := b.Get("id").Text()
		blocks[id] = b
	}
	text := func(id, member string) string { return strings.Trim(raw(blocks[id].Get(member)), `"`) }
	assert.Equal(t, "post_history", text("p3", "position"), "Q14: behind the chat history stays behind it")
	assert.Equal(t, "pre_history", text("p1", "position"))
	assert.Equal(t, "category", text("h1", "marker"), "Q16: a heading is a category")
	assert.Equal(t, "Style", text("h1", "name"))
	assert.Equal(t, "h1", text("p1", "group"), "Q16: and its prompts are in it")
	_, out = convertTo(t, samples.Get("preset-st.json").Data, convert.Options{To: "lumiverse"})
	for _, b := range root(t, out).Get("blocks").Elems() {
		if id, _ := b.Get("id").Text(); id == "unused" {
			assert.Equal(t, "false", raw(b.Get("enabled")), "Q15: what is not in the order is off")
		}
	}
	s := root(t, out).Get("samplerOverrides")
	assert.Equal(t, "0.9 40 16384 800", strings.Join([]string{raw(s.Get("temperature")), raw(s.Get("topK")), raw(s.Get("contextSize")), raw(s.Get("maxTokens"))}, " "))

	_, out = convertTo(t, samples.Get("preset-lumi.json").Data, convert.Options{To: "sillytavern"})
	r := root(t, out)
	assert.Equal(t, "0.8 0.1 0.5 32000 2000", strings.Join([]string{raw(r.Get("temperature")), raw(r.Get("min_p")), raw(r.Get("presence_penalty")), raw(r.Get("openai_max_context")), raw(r.Get("openai_max_tokens"))}, " "))
	assert.False(t, r.Has("top_p"), "null is unset and not a number")
	// And home again: the choices are what they were.
	_, home := convertTo(t, out, convert.Options{To: "lumiverse"})
	a, b := presetBody(t, samples.Get("preset-lumi.json").Data), presetBody(t, home)
	require.Len(t, b.Choices, len(a.Choices))
	for i := range a.Choices {
		assert.Equal(t, a.Choices[i].Label+string(a.Choices[i].Default.Raw()), b.Choices[i].Label+string(b.Choices[i].Default.Raw()))
	}
}

// TestPresetInspect: prompts show as texts, by name.
func TestPresetInspect(t *testing.T) {
	for _, name := range []string{"preset-st.json", "preset-lumi.json", "preset-sysprompt.json"} {
		v, err := convert.New().Inspect(rope.Bytes(samples.Get(name).Data), convert.Options{Limits: limits.Card()})
		require.NoError(t, err)
		var got []string
		for _, x := range v.Pieces[0].Texts {
			got = append(got, x.Label+": "+x.Text)
		}
		want := map[string]string{"preset-st.json": "<Rules>: keep me", "preset-lumi.json": "Style: Child by place: one", "preset-sysprompt.json": "jailbreak: After."}[name]
		assert.Contains(t, got, want)
	}
}
