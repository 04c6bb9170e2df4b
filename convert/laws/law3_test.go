package laws

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
)

// Law 3: no silent loss. The report is held against a comparison made here, of what went in with what the target's own
// codec reads again.

// TestLaw3 checks for every source and every way of writing it that the report names exactly what differs.
func TestLaw3(t *testing.T) {
	eachPair(t, func(t *testing.T, x written) {
		r := x.report
		main, books := decodeLinked(t, x.w.codec, x.data)
		src, back := bodies(x.p.Primary, linked(x.p)), bodies(main, books)
		off := map[int]bool{} // books that are not there any more
		pair := map[int]any{0: back[0]}
		next := 1
		for i, b := range linked(x.p) {
			switch {
			case !isOn(b), next >= len(back):
				off[i+1] = true
			default:
				pair[i+1] = back[next]
				next++
			}
		}
		assert.Equal(t, next, len(back), "books that nobody put in")

		want := map[string]bool{}
		under := map[int][]string{}
		need := func(piece int, path string) {
			want[fmt.Sprint(piece, " ", path)] = true
			under[piece] = append(under[piece], path)
		}
		for i, b := range pair {
			ch, err := canonical.Diff(src[i], b)
			require.NoError(t, err)
			for _, c := range ch {
				if !blank(c.Before) || !blank(c.After) {
					need(i, c.Path)
				}
			}
		}
		for _, n := range near(t, x.p, x.w) {
			need(n.Piece, n.Path)
			found := false
			for _, i := range r.Items {
				found = found || i.Piece == n.Piece && i.Path == n.Path && i.Verdict == convert.Changed && i.After != nil
			}
			assert.True(t, found, "%s of piece %d is held only roughly, and the report does not call it changed", n.Path, n.Piece)
		}
		got := map[string]int{}
		counts := convert.Counts{}
		leavesOf := map[int]int{}
		for _, i := range r.Items {
			switch i.Verdict {
			case convert.Carried:
				counts.Carried++
				leavesOf[i.Piece] += i.Count
			case convert.Parked:
				counts.Parked++
				leavesOf[i.Piece] += i.Count
			case convert.Changed:
				counts.Changed++
			case convert.Lost:
				counts.Lost++
			default:
				assert.Fail(t, "no verdict", "%+v", i)
			}
			assert.Positive(t, i.Count, "%+v", i)
			assert.True(t, words(i.Label), "no label in words: %+v", i)
			if i.Verdict != convert.Carried {
				assert.True(t, words(i.Reason) && strings.Contains(i.Reason, " "), "no reason in words: %+v", i)
			}
			switch {
			case strings.HasPrefix(i.Path, "original."):
				assert.Equal(t, convert.Lost, i.Verdict)
			case isLink(i):
				assert.True(t, off[i.Piece], "a book that is there is called lost: %+v", i)
				delete(off, i.Piece)
			case i.Verdict == convert.Lost || i.Verdict == convert.Changed:
				got[fmt.Sprint(i.Piece, " ", i.Path)]++
			}
		}
		assert.Empty(t, off, "books that are gone without a word")
		assert.Equal(t, counts, r.Counts, "counts and items")
		for k := range want {
			assert.Equal(t, 1, got[k], "differs, and is not named exactly once: %s", k)
		}
		for k := range got {
			assert.True(t, want[k], "named, and nothing differs: %s", k)
		}
		assert.True(t, slices.IsSortedFunc(r.Items, func(a, b convert.Item) int { return rank(a.Verdict) - rank(b.Verdict) }), "lost first, then changed, parked, carried")
		// What is not lost or changed is carried or parked, value by value.
		for i, b := range pair {
			n := 0
			canonical.Walk(src[i], func(path string, v any) {
				if blank(v) || below(path, under[i]) {
					return
				}
				n++
				named := 0
				for _, it := range r.Items {
					if it.Piece == i && (it.Path == canonical.Generic(path) || it.Path == path) && (it.Verdict == convert.Carried || it.Verdict == convert.Parked) {
						named++
					}
				}
				assert.Equal(t, 1, named, "piece %d: %s came through and is not listed once", i, path)
			})
			_ = b
			assert.Equal(t, n, leavesOf[i], "piece %d: values that came through", i)
		}
	})
}

// isLink reports a line that says that a whole linked piece, or a further one of the file, is lost.
func isLink(i convert.Item) bool {
	return i.Piece > 0 && (i.Path == "knowledgeRefs" || i.Path == "behaviorRefs" || i.Path == "more")
}

func rank(v convert.Verdict) int {
	return slices.Index([]convert.Verdict{convert.Lost, convert.Changed, convert.Parked, convert.Carried}, v)
}

func words(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r > ' ' }) && !strings.Contains(s, "%!") && !strings.Contains(s, "<nil>")
}

func below(path string, under []string) bool {
	for _, u := range under {
		if path == u || strings.HasPrefix(path, u) && strings.ContainsAny(path[len(u):len(u)+1], ".[") {
			return true
		}
	}
	return false
}

// TestRoundTrip writes every source for another app, and what comes out for its own app again: each canonical field is
// what it was, or one of the two reports names it.
func TestRoundTrip(t *testing.T) {
	eachPair(t, func(t *testing.T, x written) {
		if x.w.codec.Info().App == x.p.Info.App {
			return
		}
		there := read(t, x.data)
		if there.Info.App != x.w.codec.Info().App {
			// The app shares its form with another one, which bids first: read it as what it was written for.
			main, books := decodeAs(t, x.w.codec, x.data)
			_, all := decodeLinked(t, x.w.codec, x.data)
			var sets, more []*canonical.Entity
			for _, e := range all[len(books):] {
				if e.Kind == main.Kind {
					more = append(more, e)
				} else {
					sets = append(sets, e)
				}
			}
			there = &convert.Pieces{Primary: main, Books: books, Regex: sets, More: more, Info: x.w.codec.Info(), Container: there.Container, Unmapped: func() []string { return nil }}
		}
		back, err := convert.New().Emit(there, convert.Options{To: x.p.Info.ID, Container: containerOf(x.p), AllowLoss: true})
		require.NoError(t, err)
		c, err := convert.New().Registry.Target(x.p.Info.ID, x.p.Primary.Kind)
		require.NoError(t, err)
		main, books := decodeLinked(t, c, bytesOf(t, back.Data))
		a, b := bodies(x.p.Primary, linked(x.p)), bodies(main, books)
		var named []string // generic paths of what either report calls lost or changed
		gone := 0
		for _, r := range []*convert.Report{x.report, back.Report} {
			for _, i := range r.Items {
				if i.Verdict == convert.Lost || i.Verdict == convert.Changed {
					named = append(named, plain(i.Path))
					if isLink(i) {
						gone++
					}
				}
			}
		}
		sort.Strings(named)
		require.Equal(t, len(a)-gone, len(b), "books that are gone without a word")
		if gone > 0 {
			return
		}
		for i := range a {
			ch, err := canonical.Diff(a[i], b[i])
			require.NoError(t, err)
			for _, d := range ch {
				if blank(d.Before) && blank(d.After) {
					continue
				}
				p := plain(d.Path)
				ok := slices.ContainsFunc(named, func(n string) bool { return below(p, []string{n}) || below(n, []string{p}) })
				assert.True(t, ok, "piece %d: %s was %q, comes back as %q, and no report says so", i, d.Path, canonical.Text(d.Before), canonical.Text(d.After))
			}
		}
	})
}

// plain is the generic path, added elements included.
func plain(path string) string { return canonical.Generic(strings.ReplaceAll(path, "[+", "[")) }

func containerOf(p *convert.Pieces) (c formatsContainer) {
	target, err := convert.New().Registry.Target(p.Info.ID, p.Primary.Kind)
	if err == nil && slices.Contains(target.Info().Containers, p.Container) {
		return p.Container
	}
	return ""
}
