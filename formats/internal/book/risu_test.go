package book

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/jsondoc"
	"bunzai/limits"
)

func risuList1(t *testing.T, text string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(text), limits.Card())
	require.NoError(t, err)
	return d.Root
}

func risuEntry(t *testing.T, content string) (*entry, *jsondoc.Value) {
	t.Helper()
	row := jsondoc.Object()
	row.Set("key", jsondoc.String("k"))
	row.Set("content", jsondoc.String(content))
	list := jsondoc.Array(row)
	b := RisuLore.DecodeList(list, "data", func(w string) { t.Error(w) })
	require.Len(t, b.Entries, 1)
	return b.Entries[0], list
}

// What decorators say, and the text that is left. An edit of one field and back gives the content that was.
func TestDecorators(t *testing.T) {
	s := func(s string) *string { return &s }
	f := func(f float64) *float64 { return &f }
	yes, no := canonical.Ptr(true), canonical.Ptr(false)
	for content, want := range map[string]entry{
		"plain":                                    {Content: "plain"},
		"@@depth 2\n@@role system\nA warm inn.":    {Content: "A warm inn.", Position: s("depth"), Depth: f(2), Role: s("system")},
		"@@depth 2\r\n@@role user\r\nA":            {Content: "A", Position: s("depth"), Depth: f(2), Role: s("user")},
		"@@end\nx":                                 {Content: "x", Position: s("depth"), Depth: f(0)},
		"@@@end\nx":                                {Content: "x", Position: s("depth"), Depth: f(0)},
		"@@depth 4\n@@depth 7\nx":                  {Content: "x", Position: s("depth"), Depth: f(7)},
		"@@depth x\ny":                             {Content: "@@depth x\ny"},
		"@@depth 1\n@@reverse_depth 2\ny":          {Content: "@@depth 1\n@@reverse_depth 2\ny"},
		"@@position before_desc\nx":                {Content: "x", Position: s("world")},
		"@@position pt_notes\nx":                   {Content: "x", Position: s("outlet"), OutletName: s("notes")},
		"@@position personality\nx":                {Content: "@@position personality\nx"},
		"@@dont_activate\nx":                       {Content: "x", Enabled: no},
		"@@activate\nx":                            {Content: "x", Constant: yes},
		"@@probability 0\nx":                       {Content: "x", Probability: f(0), UseProbability: yes},
		"@@probability 5\n@@probability 6\nx":      {Content: "@@probability 5\n@@probability 6\nx"},
		"@@scan_depth 3\n@@activate_only_after 9":  {Content: "", ScanDepth: f(3), Delay: f(9)},
		"@@match_full_word\nx":                     {Content: "x", MatchWholeWords: yes},
		"@@match_partial_word\nx":                  {Content: "x", MatchWholeWords: no},
		"@@priority 7\n@@ignore_on_max_context\nx": {Content: "x", Priority: f(-1000)},
		"@@unrecursive\n@@no_recursive_search\nx":  {Content: "x", PreventRecursion: yes, ExcludeRecursion: yes},
		"@@unrecursive\n@@recursive\nx":            {Content: "@@unrecursive\n@@recursive\nx"},
		"@@exclude_keys a, b\n@@exclude_keys c\nx": {Content: "x", TriggerMode: s("advanced"), SelectiveLogic: s("not_any"), SecondaryTriggers: []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}, {Keyword: "c"}}},
		"@@exclude_keys_all a,b\nx":                {Content: "x", TriggerMode: s("advanced"), SelectiveLogic: s("not_all"), SecondaryTriggers: []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}}},
		"@@additional_keys a\n@@additional_keys b": {Content: "", TriggerMode: s("advanced"), SelectiveLogic: s("and_all"), SecondaryTriggers: []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}}},
		"@@additional_keys a,b\nx":                 {Content: "x", TriggerMode: s("advanced"), SelectiveLogic: s("and_any"), SecondaryTriggers: []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}}},
		"@@additional_keys a\n@@exclude_keys b\nx": {Content: "@@additional_keys a\n@@exclude_keys b\nx"},
		"@@unknown 1\n@@@depth 4\n@@depth 2\n\nx":  {Content: "@@unknown 1\n@@@depth 4\n\nx", Position: s("depth"), Depth: f(2)},
		" \n @@depth 2 \n x":                       {Content: " x", Position: s("depth"), Depth: f(2)},
		"@@keep_activate_after_match\n@@depth 1\n": {Content: "@@keep_activate_after_match\n", Position: s("depth"), Depth: f(1)},
		"@@":           {Content: "@@"},
		"a\n@@depth 2": {Content: "a\n@@depth 2"},
	} {
		t.Run(content, func(t *testing.T) {
			got, list := risuEntry(t, content)
			if want.Enabled == nil {
				want.Enabled = yes
			}
			want.ID, want.Triggers = "0", []canonical.Trigger{{Keyword: "k"}}
			assert.Equal(t, want, *got)

			// Another text keeps the lines; the old text again gives the old content.
			e := *got
			e.Content = strings.TrimSuffix(got.Content, "x") + "new more"
			RisuLore.EncodeList(&lorebook{Entries: []*entry{&e}}, list, nil)
			again := RisuLore.DecodeList(list, "", func(string) {}).Entries[0]
			assert.Equal(t, e, *again)
			RisuLore.EncodeList(&lorebook{Entries: []*entry{got}}, list, nil)
			s, _ := list.Elem(0).Get("content").Text()
			assert.Equal(t, content, s)
		})
	}
}

func TestDecoratorEdits(t *testing.T) {
	for _, c := range []struct {
		content string
		edit    func(e *entry)
		want    string
	}{
		{"@@role user\n@@depth  2\nx", func(e *entry) { e.Depth = canonical.Ptr(3.0) }, "@@role user\n@@depth 3\nx"},
		{"@@role user\n@@depth  2\nx", func(e *entry) { e.Role = canonical.Ptr("system") }, "@@role system\n@@depth  2\nx"},
		{"@@depth 2\n@@role user\nx", func(e *entry) { e.Position, e.Depth, e.Role = nil, nil, nil }, "x"},
		{"@@depth 2\nx", func(e *entry) { e.Position, e.Depth = canonical.Ptr("character"), nil }, "@@position after_desc\nx"},
		{"@@odd\nx", func(e *entry) { e.Enabled = canonical.Ptr(false) }, "@@odd\n@@dont_activate\nx"},
		{"@@dont_activate\nx", func(e *entry) { e.Enabled = canonical.Ptr(true) }, "x"},
		{"@@dont_activate\n@@activate\nx", func(e *entry) { e.Enabled = canonical.Ptr(false) }, "@@activate\n@@dont_activate\nx"},
		{"x", func(e *entry) { e.Enabled = canonical.Ptr(false) }, "@@dont_activate\nx"},
		{"x", func(e *entry) { e.Probability = canonical.Ptr(30.0) }, "@@probability 30\nx"},
		{"@@probability 30\nx", func(e *entry) { e.UseProbability = canonical.Ptr(false) }, "x"},
		{"@@exclude_keys a,b\nx", func(e *entry) { e.SelectiveLogic = canonical.Ptr("not_all") }, "@@exclude_keys_all a, b\nx"},
		{"@@exclude_keys a,b\nx", func(e *entry) { e.SelectiveLogic = canonical.Ptr("and_any") }, "x"},
		{"@@ignore_on_max_context\nx", func(e *entry) { e.Priority = canonical.Ptr(5.0) }, "@@priority 5\nx"},
	} {
		got, list := risuEntry(t, c.content)
		was := *got
		c.edit(got)
		RisuLore.EncodeList(&lorebook{Entries: []*entry{got}}, list, nil)
		s, _ := list.Elem(0).Get("content").Text()
		assert.Equal(t, c.want, s)
		again := RisuLore.DecodeList(list, "", func(string) {}).Entries[0]
		assert.Equal(t, *got, *again, c.content)
		RisuLore.EncodeList(&lorebook{Entries: []*entry{&was}}, list, nil)
		again = RisuLore.DecodeList(list, "", func(string) {}).Entries[0]
		assert.Equal(t, was, *again, "back from "+c.want)
	}
}

// KF-072: settings that Risu holds as decorator lines return, and do not pile up.
func TestKF072(t *testing.T) {
	for _, d := range []*Dialect{RisuLore, RisuBook} {
		e := &entry{ID: "0", Content: "x", Position: canonical.Ptr("depth"), Depth: canonical.Ptr(2.0), Role: canonical.Ptr("user"),
			Probability: canonical.Ptr(30.0), UseProbability: canonical.Ptr(true), Enabled: canonical.Ptr(false)}
		for range 3 {
			list := jsondoc.Array()
			d.EncodeList(&lorebook{Entries: []*entry{e}}, list, nil)
			s, _ := list.Elem(0).Get("content").Text()
			assert.Equal(t, "@@dont_activate\n@@depth 2\n@@role user\n@@probability 30\nx", s)
			back := d.DecodeList(list, "", func(w string) { t.Error(w) }).Entries[0]
			for _, p := range []*entry{e, back} {
				p.Title, p.Triggers, p.SecondaryTriggers = nil, nil, nil // a new row says that they are empty
				p.Constant, p.TriggerMode, p.SortOrder = nil, nil, nil
			}
			assert.Equal(t, e, back)
			e = back
		}
	}
}

// KF-067: a probability of zero stays zero.
func TestKF067Risu(t *testing.T) {
	list := risuList1(t, `[{"key":"a","content":"x","activationPercent":0}]`)
	e := RisuLore.DecodeList(list, "", func(w string) { t.Error(w) }).Entries[0]
	assert.Equal(t, canonical.Ptr(0.0), e.Probability)
	assert.Equal(t, canonical.Ptr(true), e.UseProbability)
	e.Probability = canonical.Ptr(5.0)
	RisuLore.EncodeList(&lorebook{Entries: []*entry{e}}, list, nil)
	assert.Equal(t, `[{"key":"a","content":"x","activationPercent":5}]`, string(list.Raw()))
}

const folders = `[
 {"key":"\uf000folder:one","comment":"Places","mode":"folder","content":"","secondkey":"","insertorder":100,"alwaysActive":false,"selective":false},
 {"key":"inn, tavern","comment":"Inn","mode":"normal","content":"x","folder":"\uf000folder:one","bookVersion":2},
 {"key":"\uf000folder:lost mode","comment":"People","content":""},
 {"key":"a","comment":"A","mode":"constant","content":"x","folder":"folder:lost mode"},
 {"key":"folder:three","id":"3","mode":"folder","comment":"Third","folder":"folder:three"},
 {"key":"b","comment":"B","content":"x","folder":"3"},
 null,
 {"key":"c","comment":"C","content":"x","folder":"gone"}
]`

// KF-073: folders and modes of a Risu lorebook round-trip; what stands in a folder keeps it.
func TestKF073(t *testing.T) {
	list := risuList1(t, folders)
	var warned []string
	b := RisuLore.DecodeList(list, "data", func(w string) { warned = append(warned, w) })
	require.Len(t, b.Entries, 4)
	assert.Equal(t, []category{{ID: "one", Name: "Places"}, {ID: "lost mode", Name: "People"}, {ID: "three", Name: "Third"}}, b.Categories)
	for i, want := range []string{"one", "lost mode", "three", "gone"} {
		assert.Equal(t, want, canonical.Or(b.Entries[i].CategoryID, ""))
	}
	require.Len(t, warned, 1)
	assert.Contains(t, warned[0], "data[7].folder")
	assert.Equal(t, []string{"data[].mode", "data[].folder"}, RisuLore.UnmappedInList(list, "data"), "a folder in itself, and the mode of old")

	RisuLore.EncodeList(b, list, nil)
	assert.Equal(t, folders, string(list.Raw()))

	moved := *b.Entries[3]
	moved.CategoryID = canonical.Ptr("lost mode")
	b.Entries = []*entry{b.Entries[1], b.Entries[0], &moved, {ID: "new", Content: "n", CategoryID: canonical.Ptr("fresh")}}
	b.Categories = append([]category{{ID: "fresh", Name: "Fresh"}}, b.Categories[1:]...)
	b.Entries[1].CategoryID, b.Entries[0].CategoryID = nil, canonical.Ptr("three")
	RisuLore.EncodeList(b, list, nil)
	again := RisuLore.DecodeList(list, "", func(string) {})
	require.Len(t, again.Entries, 4)
	assert.ElementsMatch(t, b.Categories, again.Categories)
	for i, e := range again.Entries {
		assert.Equal(t, b.Entries[i].CategoryID, e.CategoryID)
		assert.Equal(t, b.Entries[i].Content, e.Content)
	}
	assert.NotContains(t, string(list.Raw()), "folder:one")
}

func TestRisuKeys(t *testing.T) {
	for _, c := range []struct {
		key   string
		regex bool
		want  []canonical.Trigger
	}{
		{"", false, []canonical.Trigger{}},
		{"inn , tavern,,", false, []canonical.Trigger{{Keyword: "inn"}, {Keyword: "tavern"}}},
		{"/a/i", false, []canonical.Trigger{{Keyword: "/a/i"}}},
		{"/a{1,2}/i", true, []canonical.Trigger{pattern("a{1,2}", "i")}},
		{"/a,b/i, /c\\/,d/ , e", true, []canonical.Trigger{pattern("a,b", "i"), pattern("c\\/,d", ""), {Keyword: "e"}}},
		{"a|b", true, []canonical.Trigger{{Keyword: "a|b"}}},
		{"//, /", true, []canonical.Trigger{{Keyword: "//"}, {Keyword: "/"}}},
	} {
		assert.Equal(t, c.want, risuTriggers(c.key, c.regex), c.key)
	}
	// What Risu cuts in a card comes together again.
	v := risuList1(t, `[{"keys":["/a{1","2}/i"],"use_regex":true,"content":"x"},{"keys":["a,b",""],"content":"x"}]`)
	b := RisuBook.DecodeList(v, "", func(w string) { t.Error(w) })
	assert.Equal(t, []canonical.Trigger{pattern("a{1,2}", "i")}, b.Entries[0].Triggers)
	assert.Equal(t, []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}}, b.Entries[1].Triggers)
}

// Whatever an entry says comes back, and only what Risu does otherwise is told.
func TestRisuHolds(t *testing.T) {
	p := func(s string) *string { return &s }
	all := entry{Title: p("T"), Comment: p("note"), Content: "x", Enabled: canonical.Ptr(true), Constant: canonical.Ptr(false), TriggerMode: p("advanced"),
		Triggers: []canonical.Trigger{{Keyword: "a"}, {Keyword: "b"}}, SecondaryTriggers: []canonical.Trigger{{Keyword: "c"}}, SelectiveLogic: p("and_any"),
		CaseSensitive: canonical.Ptr(true), MatchWholeWords: canonical.Ptr(false), ScanDepth: canonical.Ptr(0.0), Position: p("world"), Depth: canonical.Ptr(4.0), Role: p("system"),
		SortOrder: canonical.Ptr(7.0), Priority: canonical.Ptr(3.0), Sticky: canonical.Ptr(1.0), Cooldown: canonical.Ptr(0.0), Delay: canonical.Ptr(0.0),
		GroupName: p("g"), GroupWeight: canonical.Ptr(100.0), Probability: canonical.Ptr(100.0), UseProbability: canonical.Ptr(true), ExcludeRecursion: canonical.Ptr(false), PreventRecursion: canonical.Ptr(true),
		DelayUntilRecursion: canonical.Ptr(2.0), IgnoreBudget: canonical.Ptr(true), ScanScenario: canonical.Ptr(true), AutomationID: p("z"), DisplayIndex: canonical.Ptr(4.0), GenerationTypes: []string{"quiet"}}
	with := func(f func(e *entry)) entry { e := all; f(&e); return e }
	for name, c := range map[string]struct {
		e    entry
		near []string
	}{
		"all":                  {all, nil},
		"not any":              {with(func(e *entry) { e.SelectiveLogic = p("not_any") }), nil},
		"not all":              {with(func(e *entry) { e.SelectiveLogic = p("not_all") }), nil},
		"and all":              {with(func(e *entry) { e.SelectiveLogic = p("and_all") }), nil},
		"logic without use":    {with(func(e *entry) { e.SelectiveLogic, e.TriggerMode = p("not_any"), p("simple") }), nil},
		"logic without second": {with(func(e *entry) { e.SelectiveLogic, e.SecondaryTriggers = p("not_any"), []canonical.Trigger{} }), nil},
		"comma in a key":       {with(func(e *entry) { e.Triggers = []canonical.Trigger{{Keyword: "a,b"}} }), []string{"triggers"}},
		"patterns": {with(func(e *entry) {
			e.Triggers = []canonical.Trigger{pattern("a", "i"), pattern("b", "")}
			e.SecondaryTriggers = []canonical.Trigger{}
		}), nil},
		"patterns and a plain key": {with(func(e *entry) { e.Triggers = []canonical.Trigger{pattern("a", "i"), {Keyword: "b.c"}} }), []string{"triggers", "secondaryTriggers"}},
		"spaces":                   {with(func(e *entry) { e.Triggers = []canonical.Trigger{{Keyword: " a "}} }), nil},
		"note top":                 {with(func(e *entry) { e.Position = p("author_note_top") }), []string{"position"}},
		"append":                   {with(func(e *entry) { e.Position = p("append") }), []string{"position"}},
		"scene":                    {with(func(e *entry) { e.Position = p("scene") }), []string{"position"}},
		"outlet":                   {with(func(e *entry) { e.Position, e.OutletName = p("outlet"), p("here") }), nil},
		"outlet without name":      {with(func(e *entry) { e.Position = p("outlet") }), []string{"position"}},
		"outlet with comma":        {with(func(e *entry) { e.Position, e.OutletName = p("outlet"), p("a,b") }), []string{"position"}},
		"half a percent":           {with(func(e *entry) { e.Probability = canonical.Ptr(30.5) }), []string{"probability"}},
		"chance not used":          {with(func(e *entry) { e.Probability, e.UseProbability = canonical.Ptr(30.0), canonical.Ptr(false) }), nil},
		"half a depth":             {with(func(e *entry) { e.Position, e.Depth = p("depth"), canonical.Ptr(1.5) }), []string{"depth"}},
		"off and constant":         {with(func(e *entry) { e.Enabled, e.Constant = canonical.Ptr(false), canonical.Ptr(true) }), nil},
	} {
		for _, d := range []*Dialect{RisuLore, RisuBook} {
			t.Run(name+" "+d.ID(), func(t *testing.T) {
				e := c.e
				e.ID = "0"
				list, said := jsondoc.Array(), []string{}
				d.EncodeList(&lorebook{Entries: []*entry{&e}}, list, func(path, after, why string) {
					said = append(said, strings.TrimPrefix(path, "entries[0]."))
					assert.NotEmpty(t, why)
				})
				back := d.DecodeList(list, "", func(w string) { t.Error(w) }).Entries[0]
				if !assert.Equal(t, e, *back) {
					t.Log(string(list.Raw()))
				}
				assert.ElementsMatch(t, c.near, said)
				before := string(list.Raw())
				d.EncodeList(&lorebook{Entries: []*entry{back}}, list, nil)
				assert.Equal(t, before, string(list.Raw()), "nothing piles up")
			})
		}
	}
}

// An edit that is made in the app wins over what is parked for the way back.
func TestRisuEditWins(t *testing.T) {
	e := entry{ID: "0", Content: "x", Position: canonical.Ptr("author_note_top"), Probability: canonical.Ptr(30.5), ExcludeRecursion: canonical.Ptr(false), SecondaryTriggers: []canonical.Trigger{{Keyword: "a,b"}}}
	list := jsondoc.Array()
	RisuLore.EncodeList(&lorebook{Entries: []*entry{&e}}, list, nil)
	row := list.Elem(0)
	row.Set("content", jsondoc.String("@@probability 31\n@@depth 3\n@@no_recursive_search\nx"))
	row.Set("secondkey", jsondoc.String("c"))
	back := RisuLore.DecodeList(list, "", func(w string) { t.Error(w) }).Entries[0]
	assert.Equal(t, canonical.Ptr("depth"), back.Position)
	assert.Equal(t, canonical.Ptr(31.0), back.Probability)
	assert.Equal(t, canonical.Ptr(true), back.ExcludeRecursion)
	assert.Equal(t, []canonical.Trigger{{Keyword: "c"}}, back.SecondaryTriggers)
}

func TestRisuCardLeftovers(t *testing.T) {
	// What SillyTavern left in the extensions of a card counts, since the app makes decorators of it; a decorator goes before it.
	v := risuList1(t, `[{"keys":["a"],"content":"@@depth 1\nx","enabled":false,"insertion_order":1,"position":"before_char","extensions":{"position":4,"depth":9,"role":1,"probability":40,"useProbability":true,"delay":2,"selectiveLogic":2,"match_whole_words":true,"sticky":3},"secondary_keys":["s"],"selective":true}]`)
	var warned []string
	e := RisuBook.DecodeList(v, "entries", func(w string) { warned = append(warned, w) }).Entries[0]
	require.Len(t, warned, 1)
	assert.Contains(t, warned[0], "enabled")
	assert.Equal(t, entry{ID: "0", Content: "x", Enabled: canonical.Ptr(false), Triggers: []canonical.Trigger{{Keyword: "a"}}, SecondaryTriggers: []canonical.Trigger{{Keyword: "s"}},
		TriggerMode: canonical.Ptr("advanced"), SelectiveLogic: canonical.Ptr("not_any"), Position: canonical.Ptr("depth"), Depth: canonical.Ptr(1.0), Role: canonical.Ptr("user"),
		SortOrder: canonical.Ptr(1.0), Probability: canonical.Ptr(40.0), UseProbability: canonical.Ptr(true), Delay: canonical.Ptr(2.0), MatchWholeWords: canonical.Ptr(true), Sticky: canonical.Ptr(3.0)}, *e)
	e.Enabled, e.Depth = canonical.Ptr(true), canonical.Ptr(6.0)
	e.Delay = canonical.Ptr(3.0)
	RisuBook.EncodeList(&lorebook{Entries: []*entry{e}}, v, nil)
	again := RisuBook.DecodeList(v, "", func(w string) { t.Error(w) }).Entries[0]
	assert.Equal(t, e, again)
	assert.Nil(t, v.Elem(0).At("extensions", "depth"), "the app would make a second decorator of it")
	assert.Nil(t, v.Elem(0).At("extensions", "delay"))
}

func TestRisuCorpus(t *testing.T) {
	var files []string
	for _, g := range []string{"067*", "069*", "071*"} {
		m, _ := filepath.Glob("../../../../shared/corpus/" + g)
		files = append(files, m...)
	}
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, p := range files {
		b, err := os.ReadFile(p)
		require.NoError(t, err)
		d, err := jsondoc.Parse(b, limits.Card())
		require.NoError(t, err)
		list := d.Root
		if list.Kind() == jsondoc.KindObject {
			list = list.Get("data")
		}
		book := RisuLore.DecodeList(list, "", func(w string) { t.Error(w) })
		for _, e := range book.Entries {
			was := *e
			e.Depth, e.Position, e.Constant, e.Title = canonical.Ptr(9.0), canonical.Ptr("depth"), canonical.Ptr(!canonical.Or(e.Constant, false)), canonical.Ptr("other")
			RisuLore.EncodeList(book, list, nil)
			*e = was
			RisuLore.EncodeList(book, list, nil)
		}
		assert.Equal(t, string(b), string(d.Bytes()), p)
		assert.Empty(t, RisuLore.UnmappedInList(list, "data"))
	}
}

func BenchmarkRisuDecode(b *testing.B) {
	e := entry{Content: strings.Repeat("text ", 100), Position: canonical.Ptr("world"), Depth: canonical.Ptr(4.0), Probability: canonical.Ptr(100.0), UseProbability: canonical.Ptr(true), ExcludeRecursion: canonical.Ptr(false), Delay: canonical.Ptr(0.0)}
	list := jsondoc.Array()
	RisuLore.EncodeList(&lorebook{Entries: []*entry{&e}}, list, nil)
	b.ReportAllocs()
	for b.Loop() {
		RisuLore.DecodeList(list, "", func(string) {})
	}
}

// Many lines, long lines, and lines that say nothing cost what they hold; too many are text.
func TestDecoratorBombs(t *testing.T) {
	for name, s := range map[string]string{
		"lines":      strings.Repeat("@@depth 4\n", 200_000),
		"fallbacks":  strings.Repeat("@@@depth 4\n", 200_000),
		"arguments":  "@@exclude_keys " + strings.Repeat("a,", 200_000),
		"chances":    strings.Repeat("@@probability 4\n", maxDecorators-2),
		"key groups": strings.Repeat("@@additional_keys a\n", maxDecorators-2) + "x",
		"one line":   "@@" + strings.Repeat("@", 2_000_000),
	} {
		t.Run(name, func(t *testing.T) {
			e, list := risuEntry(t, s)
			if n := strings.Count(s, "\n"); n > maxDecorators {
				assert.Equal(t, s, e.Content)
				return
			}
			e.Priority, e.Enabled = canonical.Ptr(3.0), canonical.Ptr(false)
			RisuLore.EncodeList(&lorebook{Entries: []*entry{e}}, list, nil)
			assert.Equal(t, canonical.Ptr(3.0), RisuLore.DecodeList(list, "", func(string) {}).Entries[0].Priority)
		})
	}
}

func FuzzDecorators(f *testing.F) {
	for _, s := range []string{"@@depth 4\n@@role user\nx", " @@end\r\n\r\n@@", "@@exclude_keys a,b\n@@@x\ny", "@@unknown\n@@position pt_a\n"} {
		f.Add(s, "other", uint8(3))
	}
	f.Fuzz(func(t *testing.T, content, text string, pick uint8) {
		row := jsondoc.Object()
		row.Set("key", jsondoc.String("k"))
		row.Set("content", jsondoc.String(content))
		list := jsondoc.Array(row)
		decode := func() *entry { return RisuLore.DecodeList(list, "", func(string) {}).Entries[0] }
		wire := func() string { s, _ := list.Elem(0).Get("content").Text(); return s }
		before := wire()
		was := decode()
		RisuLore.EncodeList(&lorebook{Entries: []*entry{was}}, list, nil)
		if wire() != before {
			t.Fatalf("unedited: %q became %q", before, wire())
		}
		now := *was
		switch pick % 5 {
		case 0:
			now.Depth, now.Position = canonical.Ptr(float64(pick)), canonical.Ptr("depth")
		case 1:
			now.Enabled = canonical.Ptr(!*was.Enabled)
		case 2:
			now.Priority = canonical.Ptr(float64(pick))
		case 3:
			now.Probability, now.UseProbability = canonical.Ptr(float64(pick)), canonical.Ptr(true)
		case 4:
			now.MatchWholeWords = canonical.Ptr(true)
		}
		RisuLore.EncodeList(&lorebook{Entries: []*entry{&now}}, list, nil)
		if got := decode(); got.Content != was.Content || !assert.ObjectsAreEqual(now, *got) {
			t.Fatalf("%q, edit %d: wrote %q, read %+v", before, pick%5, wire(), got)
		}
	})
}

func TestRisuSettings(t *testing.T) {
	for _, c := range []struct {
		b    lorebook
		want []string
	}{
		{lorebook{GlobalScanDepth: canonical.Ptr(3.0)}, []string{"globalScanDepth"}},
		{lorebook{GlobalScanDepth: canonical.Ptr(3.0), TokenBudget: canonical.Ptr(100.0), GlobalRecursion: canonical.Ptr(false)}, nil},
		{lorebook{}, nil},
	} {
		var said []string
		v := RisuBook.Encode(&c.b, nil, nil, func(path, _, _ string) { said = append(said, path) })
		assert.Equal(t, c.want, said)
		back, err := RisuBook.Decode(v, "", func(w string) { t.Error(w) })
		require.NoError(t, err)
		assert.Equal(t, c.b.GlobalScanDepth, back.GlobalScanDepth)
	}
}

// A content that is no text is read as its spelling and stays.
func TestRisuOddContent(t *testing.T) {
	list := risuList1(t, `[{"key":"a","content":5,"insertorder":"7"},{"key":["b"],"content":null}]`)
	before := string(list.Raw())
	b := RisuLore.DecodeList(list, "", func(w string) { t.Error(w) })
	assert.Equal(t, "5", b.Entries[0].Content)
	assert.Equal(t, canonical.Ptr(7.0), b.Entries[0].SortOrder)
	assert.Equal(t, []canonical.Trigger{{Keyword: "b"}}, b.Entries[1].Triggers)
	RisuLore.EncodeList(b, list, nil)
	assert.Equal(t, before, string(list.Raw()))
	b.Entries[0].Title = canonical.Ptr("T")
	RisuLore.EncodeList(b, list, nil)
	assert.Equal(t, `[{"key":"a","content":5,"insertorder":"7","comment":"T"},{"key":["b"],"content":null}]`, string(list.Raw()))
}
