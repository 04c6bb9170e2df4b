package laws

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
)

// TestSeveralEdits makes several edits at once, chosen by a fixed seed: what is read again is what was edited, and
// taking every edit back (the body of the source over the escrow of the edited file) says what the source says.
func TestSeveralEdits(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		if s.foreign {
			t.Skip("its app cannot read this file, so another one is written")
		}
		p := read(t, s.data)
		if c := p.Primary.Character(); p.Info.App == "lumiverse" && c != nil && len(c.Variants) > 0 {
			t.Skip("a variant's picture is an asset too: the app's own tests look at that")
		}
		to := convert.Options{To: p.Info.App}
		all := allLeaves(p)
		for seed := range uint64(12) {
			r := rand.New(rand.NewPCG(seed, 1))
			q := p
			for range 5 {
				l := all[r.IntN(len(all))]
				if l.generic() == "entries[].caseSensitive" {
					continue // the flags of bare patterns follow it
				}
				q = edited(q, l.piece, func(b any) {
					switch v := l.at(b); {
					case !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil():
					case r.IntN(4) > 0 || strings.HasPrefix(l.path, "media") || strings.HasPrefix(l.path, "attribution.createdAt") || !l.clear(b):
						l.edit(b)
					}
				})
			}
			for i := range 1 + len(linked(p)) {
				if le := listEdits()[r.IntN(len(listEdits()))]; le.member != "assets" {
					q = edited(q, i, func(b any) { le.edit(b) })
				}
			}
			mid := read(t, emit(t, q, to))
			require.Len(t, linked(mid), len(linked(p)))
			for i := range 1 + len(linked(p)) {
				same(t, body(q, i), body(mid, i), "seed %d, piece %d: the edits are not what is read again", seed, i)
			}
			home := mid
			for i := range 1 + len(linked(p)) {
				home = edited(home, i, func(b any) {
					was := reflect.ValueOf(canonical.CloneBody(body(p, i))).Elem()
					if x, ok := b.(*canonical.Character); ok {
						c := was.Addr().Interface().(*canonical.Character)
						c.KnowledgeRefs, c.BehaviorRefs = x.KnowledgeRefs, x.BehaviorRefs
					}
					if x, ok := b.(*canonical.Preset); ok {
						was.Addr().Interface().(*canonical.Preset).BehaviorRefs = x.BehaviorRefs
					}
					reflect.ValueOf(b).Elem().Set(was)
				})
			}
			again := read(t, emit(t, home, to))
			for i := range 1 + len(linked(p)) {
				same(t, body(p, i), body(again, i), "seed %d, piece %d: the edits taken back", seed, i)
			}
		}
	})
}

// same asserts that two bodies say the same, blanks aside.
func same(t testing.TB, a, b any, msg string, args ...any) {
	t.Helper()
	ch, err := canonical.Diff(noRefs(a), noRefs(b))
	require.NoError(t, err)
	for _, c := range ch {
		x, isDate := c.Before.(float64)
		y, _ := c.After.(float64)
		switch {
		case canonical.Text(c.Before) == "" && canonical.Text(c.After) == "":
		case isDate && strings.HasPrefix(c.Path, "attribution") && math.Abs(x-y) < 1: // a new date has whole seconds
		case strings.HasSuffix(c.Path, ".ext"): // the bytes say it
		case strings.Contains(c.Path, "riggers[") && strings.TrimSpace(canonical.Text(c.Before)) == "" && c.After == nil: // a blank key is not given to a new entry
		case c.Path == "name" && strings.HasSuffix(canonical.Text(c.Before), " regex") && strings.HasSuffix(canonical.Text(c.After), " regex"): // a set of a card is named after it
		case c.Path == "name" && canonical.Text(c.After) == canonical.Text(c.Before)+" (edited)": // a module's lorebook is named after it
		case c.Before == nil && strings.Contains(c.Path, "entries["), c.Before == nil && strings.Contains(c.Path, "rules["), c.Before == nil && (strings.Contains(c.Path, "prompts[") || strings.HasPrefix(c.Path, "groups[")): // an entry that is new again has what the app demands
		default:
			assert.Fail(t, "another value", append([]any{msg + ": %s was %q and is %q"}, append(args, c.Path, canonical.Text(c.Before), canonical.Text(c.After))...)...)
		}
	}
}
