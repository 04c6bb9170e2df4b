package regex

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// TestSplit: the forms of findRegex, and that writing gives them again.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		in, find, flags string
		wrapped, odd    bool
	}{
		{"/abc/gi", "abc", "gi", true, false},
		{"/abc/", "abc", "", true, false},
		{"abc", "abc", "", false, false},
		{"", "", "", false, false},
		{"/", "/", "", false, false},
		{"//", "//", "", false, false},
		{"///", "/", "", true, false},
		{"/abc", "/abc", "", false, false},
		{"abc/g", "abc/g", "", false, false},
		{"/a/b/g", "a/b", "g", true, false},
		{`/https?:\/\/x/`, `https?:\/\/x`, "", true, false},
		{`/https?:\/\/x.y/path`, `/https?:\/\/x.y/path`, "", false, true}, // path is no set of flags
		{"/a/gg", "/a/gg", "", false, true},
		{"/a/gy", "/a/gy", "", false, true}, // JavaScript has y, the app does not take it
		{"/a/x", "a", "x", true, false},     // the app takes it, JavaScript does not: Broken says so
		{"/a/g b", "a", "g", true, true},
		{"/a\nb/g", "a\nb", "g", true, true},
		{" /a/g", " /a/g", "", false, false},
	} {
		find, flags, wrapped, odd := Split(c.in)
		assert.Equal(t, []any{c.find, c.flags, c.wrapped, c.odd}, []any{find, flags, wrapped, odd != ""}, c.in)
		if !c.odd {
			assert.Equal(t, c.in, Join(c.in, find, flags), "written again over itself")
		}
		x, y, _, _ := Split(Join("", find, flags))
		assert.Equal(t, []string{find, flags}, []string{x, y}, "written anew: %s", c.in)
	}
	assert.Equal(t, "xyz", Join("abc", "xyz", ""), "what was bare stays bare")
	assert.Equal(t, "/xyz/g", Join("abc", "xyz", "g"), "flags need slashes")
	assert.Equal(t, "//x/y//", Join("abc", "/x/y/", ""), "bare would be taken apart")
}

// TestReplace: SillyTavern's signs are JavaScript's, and come back.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ st, js, back string }{
		{"<b>{{match}}</b>", "<b>$&</b>", ""},
		{"{{MATCH}}", "$&", "{{match}}"},
		{"[$0]", "[$&]", "[{{match}}]"},
		{"[$00]", "[$&]", "[{{match}}]"},
		{"[$&]", "[$$&]", ""}, // a plain text there
		{"a $$ b", "a $$ b", ""},
		{"$1 $12 $<n>", "$1 $12 $<n>", ""},
		{"${{match}}", "$$$&", ""},
		{"$$1", "$$$1", ""}, // a dollar and a group
		{"$", "$", ""},
		{"cost $ 5", "cost $ 5", ""},
		{"$'", "$$'", ""},
		{"$<", "$<", ""},
		{"{{user}} {{match", "{{user}} {{match", ""},
		{"", "", ""},
	} {
		if c.back == "" {
			c.back = c.st
		}
		assert.Equal(t, c.js, FromTavern(c.st), c.st)
		assert.Equal(t, c.back, ToTavern(c.js, wholeMatch), "back: %s", c.js)
		assert.Equal(t, c.js, FromTavern(ToTavern(c.js, wholeMatch)), c.js)
	}
	assert.Equal(t, "[$0]", ToTavern("[$&]", "$0"))
	assert.NotEqual(t, "$0", FromTavern(ToTavern("$0", wholeMatch)), "a literal $0 has no spelling there, and the report must see it")
}

// TestBroken: what JavaScript refuses is named, and what it takes never is (KF-090, KF-095).
func TestBroken(t *testing.T) {
	for _, c := range []struct{ find, flags string }{
		{`(?<=a)b(?!c)`, "g"}, {`(.)\1`, ""}, {`[^]*`, "s"}, {`\u0041`, ""}, {`(?<n>x)\k<n>`, ""}, {`x{1001}`, ""}, {`(a+)+$`, ""},
		{`]`, ""}, {`}`, ""}, {`{`, ""}, {`a{,3}`, ""}, {`[]]`, ""}, {`[(]`, ""}, {`\(`, ""}, {`a+?b*?c??d{2}?`, ""}, {`(?:a|b)*`, ""},
		{`(?i:a)b`, ""}, {`[\p{L}--[a-z]]`, "v"}, {`(?<!x)\b\w+\b`, "gimsud"}, {`^$`, "y"}, {`(?<name_1>a)`, ""}, {`a||b`, ""}, {`()`, ""}, {`(?=a)*`, ""}, {"a\nb", ""},
		{`[[]`, ""}, {`漢+`, "u"}, {`\\`, ""}, {`[\]]`, ""},
	} {
		assert.Empty(t, Broken(c.find, c.flags), "/%s/%s", c.find, c.flags)
	}
	for _, c := range []struct{ find, flags, says string }{
		{"", "", "empty"}, {"(", "", "never closed"}, {")", "", "closes nothing"}, {"[a", "", "[ is never closed"}, {`a\`, "", "backslash"}, {"*a", "", "repeat"},
		{"a|+", "", "repeat"}, {"a**", "", "repeat"}, {"(?", "", "begins no group"}, {"(?x)", "", "begins no group"}, {"a", "gg", "flags"}, {"a", "x", "flags"}, {"a", "uv", "together"},
		{"(?<>a)", "", "no name"}, {"(?:", "", "never closed"}, {"{1}", "", "repeat"}, {"^*", "", "repeat"},
	} {
		assert.Contains(t, Broken(c.find, c.flags), c.says, "/%s/%s", c.find, c.flags)
	}
	assert.Empty(t, Broken(strings.Repeat("(a|", 20000)+"b"+strings.Repeat(")", 20000), ""), "deep nesting costs nothing")
}

var dialect = Tavern("sillytavern", "SillyTavern")

func list(t *testing.T, text string) *jsondoc.Value {
	t.Helper()
	v, err := jsondoc.Raw([]byte(text), limits.Card())
	require.NoError(t, err)
	return v
}

// TestEncodeKeepsPlaces: one edit touches one script, and what is no script stays behind the script that it followed.
func TestEncodeKeepsPlaces(t *testing.T) {
	const text = `[null,{"scriptName":"a","findRegex":"/a/","placement":[2]},7,{"scriptName":"b","findRegex":"/b/","placement":[1,9]},{"findRegex":"x"}]`
	read := func() (*jsondoc.Value, []Rule) {
		v := list(t, text)
		rules, _ := dialect.Decode(v, nil, nil)
		return v, rules
	}
	v, rules := read()
	require.Len(t, rules, 2)
	dialect.Encode(rules, v, nil)
	assert.Equal(t, text, string(v.Raw()))
	rules[1].Phases = []string{canonical.PhaseOutput}
	dialect.Encode(rules, v, nil)
	assert.Equal(t, strings.Replace(text, "[1,9]", "[9,2]", 1), string(v.Raw()), "the number that nobody knows stays")
	v, rules = read()
	rules[0], rules[1] = rules[1], rules[0]
	dialect.Encode(rules, v, nil)
	assert.Equal(t, `[null,{"scriptName":"b","findRegex":"/b/","placement":[1,9]},{"findRegex":"x"},{"scriptName":"a","findRegex":"/a/","placement":[2]},7]`, string(v.Raw()))
	v, rules = read()
	dialect.Encode(rules[:1], v, nil)
	assert.Equal(t, `[null,{"scriptName":"a","findRegex":"/a/","placement":[2]},7,{"findRegex":"x"}]`, string(v.Raw()))
}

// TestParked: what the app has no word for rides in the script, counts while the app's own value agrees, and goes when
// it is not needed any more.
func TestParked(t *testing.T) {
	v := jsondoc.Array()
	r := Rule{Label: "x", Find: "f", Flags: canonical.Ptr("gv"), Phases: []string{"output", "memory"}, Targets: []string{"response", "display"}, SubstituteFind: canonical.Ptr("after"), Note: canonical.Ptr("a note")}
	var near []string
	dialect.Encode([]Rule{r}, v, func(path, after, why string) { near = append(near, path+" = "+after) })
	assert.ElementsMatch(t, []string{"rules[0].flags = g", "rules[0].phases = output", "rules[0].targets = response", "rules[0].substituteFind = none"}, near)
	row := v.Elem(0)
	assert.Equal(t, `"/f/g"`, string(row.Get("findRegex").Raw()))
	assert.Equal(t, `[2]`, string(row.Get("placement").Raw()))
	back, _ := dialect.Decode(v, nil, nil)
	assert.Equal(t, []any{r.Flags, r.Phases, r.Targets, r.SubstituteFind, r.Note}, []any{back[0].Flags, back[0].Phases, back[0].Targets, back[0].SubstituteFind, back[0].Note})
	row.Set("placement", list(t, "[1]")) // an edit in the app
	edited, _ := dialect.Decode(v, nil, nil)
	assert.Equal(t, []string{"input"}, edited[0].Phases)
	back[0].Flags, back[0].Phases, back[0].Targets, back[0].SubstituteFind, back[0].Note = canonical.Ptr("g"), []string{"output"}, []string{"response"}, canonical.Ptr("none"), nil
	dialect.Encode(back, v, nil)
	assert.Nil(t, v.Elem(0).Get("bunzai"))
}

// TestSortOrder: SillyTavern runs scripts in the order of the list.
func TestSortOrder(t *testing.T) {
	v := jsondoc.Array()
	told := 0
	dialect.Encode([]Rule{{Label: "late", SortOrder: canonical.Ptr(9.0)}, {Label: "early", SortOrder: canonical.Ptr(1.0)}}, v, func(path, after, _ string) {
		told++
		assert.Equal(t, map[string]string{"rules[1].sortOrder": "place 1 in the list", "rules[0].sortOrder": "place 2 in the list"}[path], after)
	})
	assert.Equal(t, 2, told)
	s, _ := v.Elem(0).Get("scriptName").Text()
	assert.Equal(t, "early", s)
}

// TestIDs: a new script gets a UUID that no other has, always the same for the same rule.
func TestIDs(t *testing.T) {
	make := func() (out []string) {
		v := jsondoc.Array()
		dialect.Encode([]Rule{{ID: "0", Label: "x"}, {ID: "0", Label: "x"}, {ID: "6f0b8f0e-0000-4000-8000-000000000001", Label: "y"}}, v, nil)
		for _, e := range v.Elems() {
			s, _ := e.Get("id").Text()
			assert.True(t, isUUID(s), s)
			out = append(out, s)
		}
		return out
	}
	a := make()
	assert.Equal(t, a, make())
	assert.NotEqual(t, a[0], a[1])
	assert.Equal(t, "6f0b8f0e-0000-4000-8000-000000000001", a[2])
}
