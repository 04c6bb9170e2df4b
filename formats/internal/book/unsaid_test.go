package book

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/jsondoc"
)

var tavernLike = []*Dialect{Tavern, WorldInfo, LumiverseBook, LumiverseWorldBook}

// wrote writes one new entry and reads it again; rows are path to what was said about it.
func wrote(t *testing.T, d *Dialect, e *entry) (v *jsondoc.Value, back *entry, rows map[string]string) {
	t.Helper()
	rows = map[string]string{}
	root := d.Encode(&lorebook{Entries: []*entry{e}}, nil, nil, func(path, after, why string) {
		assert.NotContains(t, rows, path, "one row for a path")
		assert.NotEmpty(t, why)
		rows[strings.TrimPrefix(path, "entries[0].")] = why
	})
	b, err := d.Decode(root, "", func(w string) { t.Error(w) })
	require.NoError(t, err)
	require.Len(t, b.Entries, 1)
	for _, m := range root.Get("entries").Members() {
		v = m
	}
	for _, m := range root.Get("entries").Elems() {
		v = m
	}
	return v, b.Entries[0], rows
}

func pattern(s, flags string) canonical.Trigger {
	return canonical.Trigger{Keyword: s, IsRegex: canonical.Ptr(true), Flags: canonical.Ptr(flags)}
}

func TestPatternsForLumiverse(t *testing.T) {
	plain := canonical.Trigger{Keyword: "/slash/"}
	for _, c := range []struct {
		name string
		cs   *bool
		keys []canonical.Trigger
		says []string
	}{
		{"the app ignores case as the pattern does", nil, []canonical.Trigger{pattern("abc", "i")}, nil},
		{"both tell case apart", canonical.Ptr(true), []canonical.Trigger{pattern("abc", "")}, nil},
		{"the app would ignore case", nil, []canonical.Trigger{pattern("abc", "")}, []string{"without the flag \"i\""}},
		{"the switch is off", canonical.Ptr(false), []canonical.Trigger{pattern("abc", "g")}, []string{"without the flag \"i\""}},
		{"the app would tell case apart", canonical.Ptr(true), []canonical.Trigger{pattern("abc", "i")}, []string{"with the flag \"i\""}},
		{"mixed flags", nil, []canonical.Trigger{pattern("abc", "i"), pattern("def", "s")}, []string{"without the flag \"i\"", "\"s\""}},
		{"a plain key among patterns", nil, []canonical.Trigger{pattern("abc", "i"), plain, {Keyword: `\/slash/`}, {Keyword: "a.b"}}, []string{"whole words"}},
	} {
		for _, d := range []*Dialect{LumiverseBook, LumiverseWorldBook} {
			t.Run(c.name+" "+d.ID(), func(t *testing.T) {
				_, back, rows := wrote(t, d, &entry{Content: "x", Triggers: c.keys, CaseSensitive: c.cs, Position: canonical.Ptr(canonical.PosWorld)})
				require.Len(t, back.Triggers, len(c.keys))
				for i := range c.keys {
					assert.True(t, sameTrigger(c.keys[i], back.Triggers[i]), "%v", back.Triggers[i].Keyword)
				}
				assert.Equal(t, c.cs, back.CaseSensitive)
				assert.Equal(t, c.says == nil, rows["triggers"] == "", rows["triggers"])
				for _, s := range c.says {
					assert.Contains(t, rows["triggers"], s)
				}
			})
		}
	}
}

func TestPlainKeyBetweenSlashes(t *testing.T) {
	keys := []canonical.Trigger{{Keyword: "/slash/"}, {Keyword: `\/slash/`}, {Keyword: "/a/b"}, {Keyword: "plain"}}
	for _, d := range tavernLike {
		t.Run(d.ID(), func(t *testing.T) {
			_, back, rows := wrote(t, d, &entry{Content: "x", Triggers: keys, SecondaryTriggers: keys[3:], Position: canonical.Ptr(canonical.PosWorld)})
			assert.Equal(t, keys, back.Triggers)
			assert.Equal(t, d.Name == "sillytavern", rows["triggers"] != "", "only SillyTavern takes it as a pattern")
			assert.Empty(t, rows["secondaryTriggers"])
		})
	}
	t.Run("an edit in the app wins", func(t *testing.T) {
		v, _, _ := wrote(t, Tavern, &entry{Content: "x", Triggers: keys[:1]})
		list := jsondoc.Array()
		list.AppendElem(jsondoc.String("/other/"))
		v.Set("keys", list)
		e := &entry{}
		Tavern.Rows().Read(v, e, nil)
		require.Len(t, e.Triggers, 1)
		assert.True(t, sameTrigger(pattern("other", ""), e.Triggers[0]))
	})
}

func TestNameAndComment(t *testing.T) {
	for _, d := range tavernLike {
		e := &entry{Title: canonical.Ptr("Name"), Comment: canonical.Ptr("Shown"), Content: "x", Position: canonical.Ptr(canonical.PosWorld)}
		v, back, rows := wrote(t, d, e)
		assert.Equal(t, e.Title, back.Title)
		assert.Equal(t, e.Comment, back.Comment)
		for member, want := range map[string]string{"name": "Name", "comment": "Shown"} { // as in the file it came from
			got, _ := v.Get(member).Text()
			assert.Equal(t, want, got)
		}
		assert.Empty(t, rows)
		for _, c := range []*string{nil, canonical.Ptr(""), canonical.Ptr("Name")} {
			e.Comment = c
			_, _, rows = wrote(t, d, e)
			assert.Empty(t, rows, d.ID())
		}
	}
}

func TestUnsaid(t *testing.T) {
	for _, d := range tavernLike {
		t.Run(d.ID(), func(t *testing.T) {
			_, back, rows := wrote(t, d, &entry{Content: "x", SecondaryTriggers: []canonical.Trigger{{Keyword: "s"}}})
			assert.Contains(t, rows["position"], "names no place")
			assert.Len(t, rows, 1)
			assert.Nil(t, back.SelectiveLogic)

			for _, w := range d.logic {
				v, back, rows := wrote(t, d, &entry{Content: "x", SelectiveLogic: canonical.Ptr(w.Canon), Position: canonical.Ptr(canonical.PosDepth)})
				assert.Equal(t, canonical.Ptr(w.Canon), back.SelectiveLogic)
				assert.Empty(t, rows)
				assert.Nil(t, v.At("extensions", "bunzai"))
			}
		})
	}
	t.Run("the app gets the source's default, and its edit wins", func(t *testing.T) {
		v, _, _ := wrote(t, LumiverseWorldBook, &entry{Content: "x"})
		n, _ := v.Get("selective_logic").Int()
		assert.EqualValues(t, 2, n)
		v.Set("selective_logic", jsondoc.Int(1))
		e := &entry{}
		LumiverseWorldBook.Rows().Read(v, e, nil)
		assert.Equal(t, canonical.Ptr(canonical.LogicNotAny), e.SelectiveLogic)
	})
	t.Run("a new value drops the parked word", func(t *testing.T) {
		v, was, _ := wrote(t, LumiverseWorldBook, &entry{Content: "x"})
		now := *was
		now.SelectiveLogic = canonical.Ptr(canonical.LogicAndAny)
		LumiverseWorldBook.Rows().Overlay(v, &now, was, nil, nil)
		back := &entry{}
		LumiverseWorldBook.Rows().Read(v, back, nil)
		assert.Equal(t, now.SelectiveLogic, back.SelectiveLogic)
	})
}
