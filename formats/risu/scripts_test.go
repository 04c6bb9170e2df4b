package risu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
	"bunzai/limits"
)

func parsed(t *testing.T, s string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

// What a script means: type, flags and replacement.
func TestScripts(t *testing.T) {
	for _, c := range []struct {
		row, flags, replace, substitute, phases, targets string
		order                                            any
		off                                              bool
	}{
		{row: `{"in":"a","out":"b","type":"editinput"}`, flags: "g", replace: "b", substitute: "none", phases: "input", targets: "response"},
		{row: `{"in":"a","out":"b","type":"editoutput","flag":"i"}`, flags: "g", replace: "b", substitute: "none", phases: "output", targets: "response"},
		{row: `{"in":"a","out":"{{data}}$n$1","type":"editprocess","flag":"","ableFlag":true}`, flags: "g", replace: "$&\n$1", substitute: "none", phases: "input output", targets: "prompt"},
		{row: `{"in":"a","out":"<b>","type":"editdisplay","flag":"g<order 1>sm","ableFlag":true}`, flags: "gsm", replace: "<b>\n", substitute: "none", phases: "input output", targets: "display", order: -1.0},
		{row: `{"in":"a","out":"<b>","type":"disabled","flag":"gi<cbs, no_end_nl>","ableFlag":true}`, flags: "gi", replace: "<b>", substitute: "raw", phases: "output", targets: "response", off: true},
		{row: `{"in":"a","out":"","type":"editoutput","flag":"xx","ableFlag":true}`, flags: "u", substitute: "none", phases: "output", targets: "response"},
		{row: `{"in":"a","out":"","type":"editoutput","flag":"<order -2,move_top>","ableFlag":true}`, flags: "g", substitute: "none", phases: "output", targets: "response", order: 2.0},
	} {
		list := jsondoc.Array(parsed(t, c.row))
		rules, _ := scripts.Decode(list, nil, nil)
		require.Len(t, rules, 1)
		r := rules[0]
		assert.Equal(t, c.flags, *r.Flags, c.row)
		assert.Equal(t, c.replace, r.Replace, c.row)
		assert.Equal(t, c.substitute, *r.SubstituteFind, c.row)
		assert.Equal(t, c.phases, strings.Join(r.Phases, " "), c.row)
		assert.Equal(t, c.targets, strings.Join(r.Targets, " "), c.row)
		assert.Equal(t, !c.off, *r.Enabled, c.row)
		if c.order == nil {
			assert.Nil(t, r.SortOrder)
		} else {
			assert.Equal(t, c.order, *r.SortOrder)
		}
		// Written over the row, and anew.
		before := string(list.Raw())
		scripts.Encode(rules, list, nil)
		assert.Equal(t, before, string(list.Raw()))
		fresh := jsondoc.Array()
		scripts.Encode(rules, fresh, func(p, a, w string) { t.Errorf("%s: %s %s %s", c.row, p, a, w) })
		again, _ := scripts.Decode(fresh, nil, nil)
		again[0].UseFlags = r.UseFlags // of flags that do not count nothing is written
		assert.True(t, regex.SameRules(rules, again), "%s became %s", c.row, fresh.Raw())
	}
}

// KF-091: directives in the flags are no flags, and come back.
func TestKF091(t *testing.T) {
	list := parsed(t, `[{"comment":"","in":"a","out":"b","type":"editdisplay","flag":"gi<order 3><cbs>","ableFlag":true}]`)
	rules, _ := scripts.Decode(list, nil, nil)
	assert.Equal(t, "gi", *rules[0].Flags)
	assert.Equal(t, -3.0, *rules[0].SortOrder)
	assert.Equal(t, canonical.SubstituteRaw, *rules[0].SubstituteFind)
	rules[0].Flags = canonical.Ptr("g")
	scripts.Encode(rules, list, nil)
	assert.Contains(t, string(list.Raw()), `"flag":"g<order 3><cbs>"`)
	rules[0].SortOrder = canonical.Ptr(-4.0)
	scripts.Encode(rules, list, nil)
	assert.Contains(t, string(list.Raw()), `"flag":"g<cbs><order 4>"`)
	rules[0].SortOrder, rules[0].SubstituteFind = nil, nil
	scripts.Encode(rules, list, nil)
	assert.Contains(t, string(list.Raw()), `"flag":"g"`)
}

// KF-092: a script of an unknown kind is told of and runs nowhere else.
func TestKF092(t *testing.T) {
	list := parsed(t, `[{"in":"a","out":"","type":"edittrans"},{"in":"a","out":"","type":"editinput"},{"in":"a","out":"","type":"zzz"}]`)
	said := map[int]string{}
	rules, _ := scripts.Decode(list, func(i int, path, what string) { said[i] = path + " " + what }, nil)
	assert.Empty(t, rules[0].Phases)
	assert.Empty(t, rules[0].Targets)
	assert.Equal(t, []string{canonical.PhaseInput}, rules[1].Phases)
	assert.Empty(t, rules[2].Phases)
	assert.Contains(t, said[0], "edittrans")
	assert.Contains(t, said[2], "zzz")
	assert.NotContains(t, said, 1)
	fresh := jsondoc.Array()
	scripts.Encode(rules, fresh, nil)
	for i, want := range []string{"edittrans", "editinput", "zzz"} {
		s, _ := fresh.Elem(i).Get("type").Text()
		assert.Equal(t, want, s)
	}
}

// A rule that runs at two times is two scripts, and one rule again.
func TestCompanions(t *testing.T) {
	both := rule{ID: "0", Label: "both", Find: "a", Flags: canonical.Ptr("gi"), Replace: "b", Phases: []string{"input", "output"}, Targets: []string{"prompt", "display"},
		SubstituteFind: canonical.Ptr("none"), Enabled: canonical.Ptr(true), MinDepth: canonical.Ptr(1.0)}
	list := jsondoc.Array()
	scripts.Encode([]rule{both}, list, func(p, a, w string) { t.Error(p, a, w) })
	require.Equal(t, 2, list.Len())
	kinds := func() (out []string) {
		for _, r := range list.Elems() {
			s, _ := r.Get("type").Text()
			out = append(out, s)
		}
		return out
	}
	assert.Equal(t, []string{"editdisplay", "editprocess"}, kinds())
	rules, at := scripts.Decode(list, nil, nil)
	require.Len(t, rules, 1)
	assert.Equal(t, []int{0}, at)
	assert.True(t, regex.SameRules([]rule{both}, rules))

	before := string(list.Raw())
	rules[0].Find = "other"
	scripts.Encode(rules, list, nil)
	in, _ := list.Elem(1).Get("in").Text()
	assert.Equal(t, "other", in, "the edit goes into both")
	rules[0].Find = "a"
	scripts.Encode(rules, list, nil)
	assert.Equal(t, before, string(list.Raw()))

	rules[0].Targets = []string{"response"}
	scripts.Encode(append(rules, rule{ID: "new", Find: "n"}), list, nil)
	assert.Equal(t, []string{"editinput", "editoutput", "editoutput"}, kinds())
	rules, _ = scripts.Decode(list, nil, nil)
	require.Len(t, rules, 2)
	assert.Equal(t, []string{"input", "output"}, rules[0].Phases)

	rules[0].Phases = []string{"input"}
	scripts.Encode(rules, list, nil)
	assert.Equal(t, []string{"editinput", "editoutput"}, kinds())

	list = parsed(t, before)
	list.Elem(1).Set("out", jsondoc.String("edited in the app"))
	rules, _ = scripts.Decode(list, nil, nil)
	assert.Len(t, rules, 2, "an edited second script is one of its own")
}

// What Risu does otherwise is told, and the exact values come back.
func TestScriptsNear(t *testing.T) {
	base := rule{ID: "0", Find: "a", Flags: canonical.Ptr("g"), Phases: []string{"output"}, Targets: []string{"response"}, SubstituteFind: canonical.Ptr("none"), Enabled: canonical.Ptr(true)}
	with := func(f func(r *rule)) rule { r := base; f(&r); return r }
	for name, c := range map[string]struct {
		r    rule
		near []string
		kind string
	}{
		"plain":          {base, nil, "editoutput"},
		"off":            {with(func(r *rule) { r.Enabled, r.Phases = canonical.Ptr(false), []string{"input"} }), nil, "disabled"},
		"lorebook":       {with(func(r *rule) { r.Phases = []string{"lorebook"} }), []string{"phases"}, "disabled"},
		"nowhere":        {with(func(r *rule) { r.Phases = []string{} }), []string{"phases"}, "disabled"},
		"more":           {with(func(r *rule) { r.Phases = []string{"output", "reasoning"} }), []string{"phases"}, "editoutput"},
		"one side shown": {with(func(r *rule) { r.Targets = []string{"display"} }), []string{"phases"}, "editdisplay"},
		"all views":      {with(func(r *rule) { r.Targets = []string{"prompt", "response", "display"} }), []string{"targets"}, "editoutput"},
		"escaped":        {with(func(r *rule) { r.SubstituteFind = canonical.Ptr("escaped") }), []string{"substituteFind"}, "editoutput"},
		"no flags":       {with(func(r *rule) { r.Flags = canonical.Ptr("") }), []string{"flags"}, "editoutput"},
		"odd flags":      {with(func(r *rule) { r.Flags = canonical.Ptr("gX") }), []string{"flags"}, "editoutput"},
		"order":          {with(func(r *rule) { r.SortOrder = canonical.Ptr(5.0) }), nil, "editoutput"},
		"order 0":        {with(func(r *rule) { r.SortOrder = canonical.Ptr(0.0) }), nil, "editoutput"},
		"half an order":  {with(func(r *rule) { r.SortOrder = canonical.Ptr(0.5) }), []string{"sortOrder"}, "editoutput"},
		"bracket":        {with(func(r *rule) { r.Replace = "<b>" }), nil, "editoutput"},
		"bracket, line":  {with(func(r *rule) { r.Replace = "<b>\n" }), nil, "editoutput"},
		"dollar n":       {with(func(r *rule) { r.Replace = "$n$$&$&" }), []string{"replace"}, "editoutput"},
		"data":           {with(func(r *rule) { r.Replace = "{{data}}" }), []string{"replace"}, "editoutput"},
	} {
		t.Run(name, func(t *testing.T) {
			list, said := jsondoc.Array(), []string{}
			scripts.Encode([]rule{c.r}, list, func(p, a, w string) { said = append(said, strings.TrimPrefix(p, "rules[0].")) })
			assert.ElementsMatch(t, c.near, said)
			s, _ := list.Elem(0).Get("type").Text()
			assert.Equal(t, c.kind, s)
			rules, _ := scripts.Decode(list, nil, nil)
			require.Len(t, rules, 1)
			if !assert.True(t, regex.SameRules([]rule{c.r}, rules)) {
				t.Logf("%s\n%+v\n%+v", list.Raw(), c.r, rules[0])
			}
		})
	}
}

func FuzzScripts(f *testing.F) {
	f.Add("a", "<b>$n{{data}}", "gi<order 3><cbs>", "editdisplay", true, "x>", "g")
	f.Add("", "@@emo x", "<>", "zzz", false, ">\n", "")
	f.Add("(", "$&$$n", "<a,<order 1>>u", "disabled", true, "{{data}}$n", "vu<")
	f.Fuzz(func(t *testing.T, in, out, flag, kind string, able bool, replace, flags string) {
		row := jsondoc.Object()
		for k, v := range map[string]string{"in": in, "out": out, "flag": flag, "type": kind} {
			row.Set(k, jsondoc.String(v))
		}
		row.Set("ableFlag", jsondoc.Bool(able))
		list := jsondoc.Array(row)
		before := string(list.Raw())
		rules, _ := scripts.Decode(list, nil, nil)
		scripts.Encode(rules, list, nil)
		if string(list.Raw()) != before {
			t.Fatalf("unedited: %s became %s", before, list.Raw())
		}
		rules[0].Replace = strings.ToValidUTF8(replace, "?")
		rules[0].Flags = canonical.Ptr(strings.ToValidUTF8(flags, "?"))
		rules[0].Phases, rules[0].Targets = []string{"input", "output"}, []string{"display", "prompt"}
		rules[0].Extras = nil
		scripts.Encode(rules, list, nil)
		again, _ := scripts.Decode(list, nil, nil)
		if !regex.SameRules(rules, again) {
			t.Fatalf("%s\nwrote %s\nwanted %+v\nread   %+v", before, list.Raw(), rules, again)
		}
	})
}
