package laws

import (
	"regexp"
	"slices"
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

// listEdit adds to, takes from or reorders a list of a body.
type listEdit struct {
	name   string
	member string // wire members that may change
	edit   func(body any) bool
}

func listEdits() (out []listEdit) {
	out = append(out, listOf("greetings", "alternate_greetings", func(b any) *[]canonical.Greeting {
		if c, ok := b.(*canonical.Character); ok {
			return &c.Greetings.AlternateGreetings
		}
		return nil
	}, canonical.Greeting{Text: "a new greeting"})...)
	out = append(out, listOf("group greetings", "group_only_greetings", func(b any) *[]canonical.Greeting {
		if c, ok := b.(*canonical.Character); ok {
			return &c.Greetings.GroupOnlyGreetings
		}
		return nil
	}, canonical.Greeting{Text: "a new group greeting"})...)
	out = append(out, listOf("tags", "tags", func(b any) *[]string {
		if c, ok := b.(*canonical.Character); ok {
			return &c.Discovery.Tags
		}
		return nil
	}, "a new tag")...)
	out = append(out, listOf("assets", "assets", func(b any) *[]*canonical.Asset {
		if c, ok := b.(*canonical.Character); ok {
			return &c.Media.Assets
		}
		return nil
	}, &canonical.Asset{Role: canonical.RoleBackground, Name: canonical.Ptr("new"), Mime: canonical.Ptr("image/png"), Blob: canonical.RawBlob(rope.FromBytes(samples.Dot(98)), "image/png")})...)
	out = append(out, listOf("entries", "entries", func(b any) *[]*canonical.Entry {
		if l, ok := b.(*canonical.Lorebook); ok {
			return &l.Entries
		}
		return nil
	}, &canonical.Entry{ID: "new", Title: canonical.Ptr("New"), Content: "new content", Enabled: canonical.Ptr(true), Triggers: []canonical.Trigger{{Keyword: "new key"}},
		Constant: canonical.Ptr(false), TriggerMode: canonical.Ptr("simple"), Position: canonical.Ptr(canonical.PosWorld), SortOrder: canonical.Ptr(7.0), SelectiveLogic: canonical.Ptr(canonical.LogicAndAny)})...)
	out = append(out, listOf("rules", rulesMember, func(b any) *[]canonical.RegexRule {
		if s, ok := b.(*canonical.RegexSet); ok {
			return &s.Rules
		}
		return nil
	}, canonical.RegexRule{ID: "new", Label: "New rule", Note: canonical.Ptr("new note"), Find: "new", Flags: canonical.Ptr("g"), Replace: "$&", TrimStrings: []string{}, Phases: []string{canonical.PhaseOutput},
		Targets: []string{"response"}, SubstituteFind: canonical.Ptr(canonical.SubstituteNone), RunOnEdit: canonical.Ptr(true), Enabled: canonical.Ptr(true)})...)
	out = append(out, listOf("replies", "qrList", func(b any) *[]canonical.QuickReply {
		if s, ok := b.(*canonical.QuickReplySet); ok {
			return &s.Replies
		}
		return nil
	}, canonical.QuickReply{ID: "new", Label: "New", Message: "/echo new", Title: canonical.Ptr("a new one"), Hidden: canonical.Ptr(true)})...)
	return out
}

// counts are the members that count the elements of a list, or hold it in an older form.
var counts = map[string][]string{"entries": {"bunzai_source_books"}, "qrList": {"quickReplySlots", "numberOfSlots", "idIndex"}}

// rulesMember stands for the list of scripts, which has a name in a card and in an envelope only.
const rulesMember = "rules"

// ofRules reports a wire path in a list of scripts.
func ofRules(p string) bool {
	return strings.HasPrefix(p, "[") || strings.HasPrefix(p, "scripts[") || strings.HasPrefix(p, "module.regex[") || strings.HasPrefix(p, "regex[") || strings.Contains(p, "regex_scripts[") || strings.Contains(p, ".customScripts[") || strings.Contains(p, "bunzai_regex_sets")
}

var sortOrder = regexp.MustCompile(`,? ?"sort_order": ?[^,}]*`)

func listOf[E any](name, member string, field func(body any) *[]E, one E) []listEdit {
	edit := func(how string, need int, fn func(l []E) []E) listEdit {
		return listEdit{name + " " + how, member, func(b any) bool {
			l := field(b)
			if l == nil || len(*l) < need {
				return false
			}
			*l = fn(slices.Clone(*l))
			return true
		}}
	}
	return []listEdit{
		edit("added last", 1, func(l []E) []E { return append(l, one) }),
		edit("added first", 1, func(l []E) []E { return append([]E{one}, l...) }),
		edit("without the first", 1, func(l []E) []E { return l[1:] }),
		edit("without the last", 2, func(l []E) []E { return l[:len(l)-1] }),
		edit("turned round", 2, func(l []E) []E { slices.Reverse(l); return l }),
		edit("swapped", 3, func(l []E) []E { l[0], l[1] = l[1], l[0]; return l }),
	}
}

// TestLaw2Lists adds, removes and reorders: what stays keeps its bytes, nothing outside the list changes, and the
// edited list is what is read again.
func TestLaw2Lists(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		if s.foreign {
			t.Skip("its app cannot read this file, so another one is written")
		}
		p := read(t, s.data)
		if p.Variant == "single" {
			t.Skip("one reply alone becomes a set when it is no longer alone: the app's own tests look at that")
		}
		if p.Info.App == "lumiverse" && len(p.Books) > 1 {
			t.Skip("several world books are copied into one book of the card: the app's own tests look at that")
		}
		a := apart(t, s.data)
		for i := range 1 + len(linked(p)) {
			for _, le := range listEdits() {
				done := false
				q := edited(p, i, func(b any) { done = le.edit(b) })
				if !done || (p.Info.App == "lumiverse" || p.Info.ID == "risu-module" && strings.Contains(le.name, "added")) && le.member == "assets" {
					continue // an asset of a module has no role; Lumiverse has emotions by label, in an order of its own
				}
				if (s.name == "risu-v2.png" || s.name == "risu-locked.png") && le.member == "assets" {
					continue // two lists, so that there is no order across them, and a card with one picture more becomes V3
				}
				if set, ok := body(q, i).(*canonical.RegexSet); ok && i == 0 && len(set.Rules) == 0 {
					continue // an empty list of a file is nobody's
				}
				out := emit(t, q, convert.Options{To: p.Info.App})
				assert.True(t, string(out) == string(emit(t, q, convert.Options{To: p.Info.App})), "%s: twice gives two files", le.name)
				b := apart(t, out)
				back := read(t, out)
				if !assert.Len(t, linked(back), len(linked(p)), le.name) {
					continue
				}
				ch, err := canonical.Diff(noRefs(body(q, i)), noRefs(body(back, i)))
				require.NoError(t, err)
				assert.Empty(t, ch, "piece %d, %s: not what is read again", i, le.name)
				if strings.HasPrefix(le.name, "assets") {
					othersStay(t, a, b, le.name)
				} else {
					sameRest(t, a, b)
				}
				if !assert.Equal(t, names(a.docs), names(b.docs)) {
					continue
				}
				for j := range a.docs {
					onlyBelow(t, a.docs[j].text, b.docs[j].text, le)
					if s.name != "both-different.png" || j > 0 {
						elementsStay(t, a.docs[j].text, b.docs[j].text, le)
					}
				}
			}
		}
		assert.Equal(t, a.docs, apart(t, emit(t, p, convert.Options{To: p.Info.App})).docs, "the edits changed the entity that they started from")
	})
}

// othersStay asserts that the parts of a are still there, in order; there may be new ones, and the file of a removed
// asset may go.
func othersStay(t testing.TB, a, b wire, what string) {
	t.Helper()
	have := map[part]bool{}
	for _, p := range b.rest {
		have[p] = true
	}
	for _, p := range withoutGoneMeta(a, b).rest {
		assert.True(t, have[p] || (strings.HasPrefix(p.name, "assets/") || strings.Contains(p.bytes, "chara-ext-asset_")) && strings.Contains(what, "without"), "%s: the part %s is gone or changed", what, p.name)
	}
}

// onlyBelow asserts that what changed lies below the list's member.
func onlyBelow(t testing.TB, before, after string, le listEdit) {
	t.Helper()
	for _, p := range compare(t, before, after).paths() {
		if le.member == "assets" && (strings.HasPrefix(p, "expressions") || strings.HasPrefix(p, "expression_groups")) {
			continue // Lumiverse's sidecar lists emotions by label
		}
		if le.member == rulesMember && (ofRules(p) || strings.Contains(before, `"scriptName"`) && before[strings.IndexAny(before, "{[")] == '{') {
			continue // a lone script becomes a list
		}
		if (strings.HasPrefix(p, "data[") || strings.HasPrefix(p, "module.lorebook[") || strings.HasPrefix(p, "module.regex[") || strings.HasPrefix(p, "lorebook[") || strings.HasPrefix(p, "module.bunzai_") || strings.HasPrefix(p, "bunzai_")) && (le.member == "entries" || le.member == rulesMember) {
			continue // Risu's exports
		}
		assert.True(t, slices.ContainsFunc(strings.FieldsFunc(p, func(r rune) bool { return strings.ContainsRune(".[]", r) }), func(s string) bool {
			return s == le.member || slices.Contains(counts[le.member], s)
		}), "%s, and with it %s", le.name, p)
	}
}

// elementsStay asserts that the elements of the list that are still there are spelled as they were.
func elementsStay(t testing.TB, before, after string, le listEdit) {
	t.Helper()
	x, y := elements(t, before, le.member), elements(t, after, le.member)
	if le.member == rulesMember { // the app's numbers follow the order of the list
		for _, l := range [][]string{x, y} {
			for i := range l {
				l[i] = sortOrder.ReplaceAllString(l[i], "")
			}
		}
	}
	have := map[string]int{}
	for _, e := range y {
		have[e]++
	}
	missing := 0
	for _, e := range x {
		if have[e]--; have[e] < 0 {
			missing++
		}
	}
	if len(x) == 0 || len(y) == 0 {
		return
	}
	allowed := 0
	if strings.Contains(le.name, "without") {
		allowed = strings.Count(before, `"`+le.member+`"`) // a mirror lost one too
		if le.member == rulesMember || le.member == "entries" && allowed == 0 {
			allowed = 1
		}
	}
	assert.LessOrEqual(t, missing, allowed, "%s: elements that stay are spelled anew: %q %q", le.name, x, y)
}

// elements are the elements of every list or object of that name, as they are spelled.
func elements(t testing.TB, text, member string) (out []string) {
	d, err := jsondoc.Parse([]byte(text), limits.Card())
	require.NoError(t, err)
	var walk func(v *jsondoc.Value)
	walk = func(v *jsondoc.Value) {
		for k, m := range v.Members() {
			risus := (k == "data" || k == "lorebook" && member == "entries" || k == "regex" && member == rulesMember) && m.Kind() == jsondoc.KindArray && (member == "entries" || member == rulesMember)
			if k != member && !risus && !(member == rulesMember && (k == "scripts" || k == "regex_scripts" || k == "customScripts")) {
				walk(m)
				continue
			}
			for _, e := range m.Elems() {
				out = append(out, string(e.Raw()))
			}
			for _, e := range m.Members() {
				out = append(out, string(e.Raw()))
			}
		}
		for _, e := range v.Elems() {
			walk(e)
		}
	}
	walk(d.Root)
	return out
}
