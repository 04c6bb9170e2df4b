package canonical

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"bunzai/jsondoc"
	"bunzai/rope"
)

// show writes changes as "path: before -> after" with "·" for absent.
func show(t testing.TB, a, b any) []string {
	t.Helper()
	cs, err := Diff(a, b)
	require.NoError(t, err)
	var out []string
	for _, c := range cs {
		before, after := Text(c.Before), Text(c.After)
		if c.Before == nil {
			before = "·"
		}
		if c.After == nil {
			after = "·"
		}
		line := c.Path + ": " + before + " -> " + after
		if c.Order {
			line = c.Path + " reordered"
		}
		out = append(out, line)
	}
	return out
}

func texts(s ...string) []Greeting {
	var out []Greeting
	for _, x := range s {
		out = append(out, Greeting{Text: x})
	}
	return out
}

func entries(titles ...string) *Lorebook {
	b := &Lorebook{}
	for i, x := range titles {
		b.Entries = append(b.Entries, &Entry{ID: fmt.Sprint(i), Title: Ptr(x), Content: "about " + x})
	}
	return b
}

func png(s string) *Blob { return RawBlob(rope.FromBytes([]byte(s)), "image/png") }

func TestDiffCharacter(t *testing.T) {
	full := func() *Character {
		return &Character{
			Identity:  Identity{Name: "Ada", Nickname: Ptr("")},
			Greetings: Greetings{AlternateGreetings: texts("one", "two", "three")},
			Persona:   Portrayal{Voice: &Voice{Provider: "vits", Rate: Ptr(1.5)}},
			Media: Media{Assets: []*Asset{
				{Role: RoleEmotion, Name: Ptr("happy"), Ref: "a", Blob: png("h")},
				{Role: RoleEmotion, Name: Ptr("sad"), Ref: "b", Blob: png("s")},
			}},
			Attribution: Attribution{CreatorNotesMultilingual: Map[string]{{"fr", "salut"}, {"zh-TW", "x"}}},
			Discovery:   Discovery{Tags: []string{"a", "b", "c"}},
			Settings:    &Settings{ResponseSchema: jsondoc.Int(1)},
			Variants:    []*Variant{{ID: "v", Overrides: Overrides{Persona: &VariantPersona{Scenario: Ptr("sea")}}}},
		}
	}
	for _, c := range []struct {
		name string
		edit func(*Character)
		want []string
	}{
		{"nothing", func(c *Character) {}, nil},
		{"plain text", func(c *Character) { c.Identity.Name = "Eve" }, []string{"identity.name: Ada -> Eve"}},
		{"empty is not absent", func(c *Character) { c.Identity.Nickname = nil }, []string{"identity.nickname:  -> ·"}},
		{"nil list is an empty list", func(c *Character) { c.Bias = []Bias{} }, nil},
		{"greeting edited", func(c *Character) { c.Greetings.AlternateGreetings[1].Text = "deux" },
			[]string{"greetings.alternateGreetings[1].text: two -> deux"}},
		{"greeting id is provenance", func(c *Character) { c.Greetings.AlternateGreetings[1].ID = Ptr("7") }, nil},
		{"first greeting removed", func(c *Character) { c.Greetings.AlternateGreetings = texts("two", "three") },
			[]string{"greetings.alternateGreetings[0]: one -> ·"}},
		{"greeting added in the middle", func(c *Character) { c.Greetings.AlternateGreetings = texts("one", "new", "two", "three") },
			[]string{"greetings.alternateGreetings[+1]: · -> new"}},
		{"removed and edited", func(c *Character) { c.Greetings.AlternateGreetings = texts("two!", "three") },
			[]string{"greetings.alternateGreetings[0]: one -> ·", "greetings.alternateGreetings[1].text: two -> two!"}},
		{"tags reordered", func(c *Character) { c.Discovery.Tags = []string{"c", "a", "b"} }, []string{"discovery.tags reordered"}},
		{"tag edited", func(c *Character) { c.Discovery.Tags = []string{"a", "B", "c"} }, []string{"discovery.tags[1]: b -> B"}},
		{"all tags gone", func(c *Character) { c.Discovery.Tags = nil },
			[]string{"discovery.tags[0]: a -> ·", "discovery.tags[1]: b -> ·", "discovery.tags[2]: c -> ·"}},
		{"group gone, by its fields", func(c *Character) { c.Persona.Voice = nil },
			[]string{"persona.voice.provider: vits -> ·", "persona.voice.rate: 1.5 -> ·"}},
		{"empty group", func(c *Character) { c.Presentation = &Presentation{} }, []string{"presentation: · -> "}},
		{"map", func(c *Character) {
			c.Attribution.CreatorNotesMultilingual = Map[string]{{"zh-TW", "y"}, {"fr", "salut"}, {"de", "hallo"}}
		}, []string{`attribution.creatorNotesMultilingual["zh-TW"]: x -> y`, "attribution.creatorNotesMultilingual.de: · -> hallo"}},
		{"map reordered", func(c *Character) {
			m := c.Attribution.CreatorNotesMultilingual
			m[0], m[1] = m[1], m[0]
		}, nil},
		{"bag", func(c *Character) { c.Settings.ResponseSchema = jsondoc.Int(2) }, []string{"settings.responseSchema: 1 -> 2"}},
		{"bag by value", func(c *Character) { c.Settings.ResponseSchema = jsondoc.Float(1) }, nil},
		{"variant", func(c *Character) { c.Variants[0].Overrides.Persona.Scenario = nil },
			[]string{"variants[0].overrides.persona.scenario: sea -> ·"}},
		{"ref is provenance", func(c *Character) { c.Media.Assets[0].Ref = "elsewhere" }, nil},
		{"picture changed", func(c *Character) { c.Media.Assets[0].Blob = png("hh") },
			[]string{"media.assets[0].content: PNG picture, 1 byte -> PNG picture, 2 bytes"}},
		{"picture renamed", func(c *Character) { c.Media.Assets[0].Name = Ptr("glad") }, []string{"media.assets[0].name: happy -> glad"}},
		{"picture removed", func(c *Character) { c.Media.Assets = c.Media.Assets[1:] },
			[]string{`media.assets[0]: Emotion picture "happy" (PNG picture, 1 byte) -> ·`}},
		{"picture replaced by another", func(c *Character) {
			c.Media.Assets[1] = &Asset{Role: RolePose, Name: Ptr("x"), Blob: png("p")}
		}, []string{`media.assets[1]: Emotion picture "sad" (PNG picture, 1 byte) -> ·`, `media.assets[+1]: · -> Pose picture "x" (PNG picture, 1 byte)`}},
		{"bytes gone, place kept", func(c *Character) { c.Media.Assets[0].Blob, c.Media.Assets[0].Ref = nil, "https://x/y" },
			[]string{"media.assets[0].content: PNG picture, 1 byte -> https://x/y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := full(), full()
			c.edit(b)
			require.Equal(t, c.want, show(t, a, b))
			same, err := Same(a, b)
			require.NoError(t, err)
			require.Equal(t, c.want == nil, same)
		})
	}
}

func TestDiffRefs(t *testing.T) {
	a := &Character{Media: Media{Portrait: &Asset{Role: RolePortrait, Ref: "https://a"}}}
	b := &Character{Media: Media{Portrait: &Asset{Role: RolePortrait, Ref: "https://b"}}}
	require.Equal(t, []string{"media.portrait.ref: https://a -> https://b"}, show(t, a, b))
}

func TestDiffEntries(t *testing.T) {
	for _, c := range []struct {
		name string
		b    func() *Lorebook
		want []string
	}{
		{"by id, one removed", func() *Lorebook {
			b := entries("A", "B", "C", "D")
			b.Entries = append(b.Entries[:1], b.Entries[2:]...)
			return b
		}, []string{"entries[1]: B: about B -> ·"}},
		{"renumbered after one was removed", func() *Lorebook { return entries("B", "C", "D") }, []string{"entries[0]: A: about A -> ·"}},
		{"all ids new", func() *Lorebook {
			b := entries("A", "B", "C", "D")
			for _, e := range b.Entries {
				e.ID = "new" + e.ID
			}
			return b
		}, nil},
		{"by id, a field of each changed", func() *Lorebook {
			b := entries("A", "B", "C", "D")
			for _, e := range b.Entries {
				e.Position = Ptr(PosDepth)
			}
			return b
		}, []string{"entries[0].position: · -> depth", "entries[1].position: · -> depth", "entries[2].position: · -> depth", "entries[3].position: · -> depth"}},
		{"new ids, new order, a field changed", func() *Lorebook {
			b := entries("A", "B", "D", "C")
			for i, e := range b.Entries {
				e.ID = fmt.Sprint(10 + i)
			}
			b.Entries[3].Constant = Ptr(false)
			return b
		}, []string{"entries[2].constant: · -> no", "entries reordered"}},
		{"by id though retitled and rewritten", func() *Lorebook {
			b := entries("A", "B", "C", "D")
			b.Entries[1].Title, b.Entries[1].Content = Ptr("Q"), "else"
			return b
		}, []string{"entries[1].title: B -> Q", "entries[1].content: about B -> else"}},
		{"appended", func() *Lorebook { return entries("A", "B", "C", "D", "E") }, []string{"entries[+4]: · -> E: about E"}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, show(t, entries("A", "B", "C", "D"), c.b())) })
	}
}

// Long lists without anything to tell their elements apart cost time in proportion.
func TestDiffHostile(t *testing.T) {
	const n = 50_000
	tags := make([]string, n)
	for i := range tags {
		tags[i] = "same"
	}
	a := &Character{Discovery: Discovery{Tags: append([]string{"first"}, tags...)}}
	b := &Character{Discovery: Discovery{Tags: append(tags[:n:n], "last")}}
	start := time.Now()
	require.Equal(t, []string{"discovery.tags[0]: first -> ·", "discovery.tags[+50000]: · -> last"}, show(t, a, b))
	var x, y Character
	for i := range 3000 {
		x.Media.Assets = append(x.Media.Assets, &Asset{Blob: png(fmt.Sprint(i))})
		y.Media.Assets = append(y.Media.Assets, &Asset{Blob: png(fmt.Sprint(2*i + 1))})
	}
	_, err := Diff(&x, &y)
	require.NoError(t, err)
	require.Less(t, time.Since(start), 20*time.Second)
}

func BenchmarkFile(b *testing.B) {
	e := &Entity{Kind: KindLorebook, ID: "x", Body: big(500)}
	text := encode(b, e)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			encode(b, e)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := decode(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestDiffRefuses(t *testing.T) {
	_, err := Diff(&Character{}, &Lorebook{})
	require.ErrorContains(t, err, "*canonical.Character with *canonical.Lorebook")
	_, err = Diff(nil, nil)
	require.Error(t, err)
	broken := &Blob{Form: FormBase64, Data: rope.FromBytes([]byte("x")), Size: -1, Decode: func() (rope.Source, error) { return nil, fmt.Errorf("no") }}
	_, err = Diff(&Character{Media: Media{Portrait: &Asset{Blob: broken}}}, &Character{Media: Media{Portrait: &Asset{Blob: png("x")}}})
	require.ErrorContains(t, err, "media.portrait.content")
}

// A body equals its clone, and its difference from another body names exactly what makes one into the other: none
// of the paths is there when nothing differs, and Same agrees.
func TestDiffRandom(t *testing.T) {
	for seed := range uint64(120) {
		for _, k := range Kinds() {
			x, y := newFiller(seed).body(k), newFiller(seed+1).body(k)
			require.Empty(t, show(t, x, x))
			require.Empty(t, show(t, x, CloneBody(x)))
			xy, err := Diff(x, y)
			require.NoError(t, err)
			same, err := Same(x, y)
			require.NoError(t, err)
			require.Equal(t, len(xy) == 0, same)
			again, err := Diff(CloneBody(x), CloneBody(y))
			require.NoError(t, err)
			require.Equal(t, paths(xy), paths(again))
			for _, c := range xy {
				require.NotContains(t, Label(x, c.Path), "[", "%s", c.Path)
				_ = Text(c.Before) + Text(c.After)
			}
		}
	}
}

func paths(cs []Change) []string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Path)
	}
	return out
}

// Every leaf that Walk visits is a Change against an empty body, unless it lies in an element or is one.
func TestWalkAgreesWithDiff(t *testing.T) {
	for seed := range uint64(100) {
		for _, k := range Kinds() {
			x := newFiller(seed).body(k)
			cs, err := Diff(x, NewBody(k))
			require.NoError(t, err)
			in := map[string]bool{}
			for _, c := range cs {
				in[c.Path] = true
			}
			Walk(x, func(path string, value any) {
				tr, ok := parsePath(path)
				require.True(t, ok, path)
				for n := len(tr); n > 0; n-- {
					if in[tr[:n].text()] {
						return
					}
				}
				t.Fatalf("%s %s = %v is not in %v", k, path, value, paths(cs))
			})
		}
	}
}

func TestWalk(t *testing.T) {
	var got []string
	Walk(&Character{
		Identity:    Identity{Name: "Ada", Nickname: Ptr("")},
		Greetings:   Greetings{AlternateGreetings: []Greeting{{Text: "hi", Title: Ptr("T"), ID: Ptr("9")}}},
		Media:       Media{Assets: []*Asset{{Role: RolePose, Ref: "x", Blob: png("p")}, {Ref: "https://x"}}},
		Attribution: Attribution{CreatorNotesMultilingual: Map[string]{{"fr", "salut"}}},
		Settings:    &Settings{},
	}, func(path string, value any) { got = append(got, path+" = "+Text(value)) })
	require.Equal(t, []string{
		"identity.name = Ada", "identity.nickname = ",
		"greetings.alternateGreetings[0].text = hi", "greetings.alternateGreetings[0].title = T",
		"media.assets[0].role = pose", "media.assets[0].content = PNG picture, 1 byte", "media.assets[1].ref = https://x",
		"attribution.creatorNotesMultilingual.fr = salut", "settings = ",
	}, got)
}

func TestGeneric(t *testing.T) {
	for in, want := range map[string]string{
		"identity.name":                               "identity.name",
		"entries[3].triggers[12]":                     "entries[].triggers[]",
		"entries[+3]":                                 "entries[]",
		"entries[].position":                          "entries[].position",
		"persona.structured.attributes.Likes[2]":      "persona.structured.attributes.*[]",
		`persona.structured.attributes["a.b]\"["][2]`: "persona.structured.attributes.*[]",
		"attribution.creatorNotesMultilingual.fr":     "attribution.creatorNotesMultilingual.*",
		"choices[0].options[1].set[\"global:x\"]":     "choices[].options[].set.*",
		"no]path[": "no]path[",
	} {
		require.Equal(t, want, Generic(in))
		require.Equal(t, want, Generic(want))
	}
}

func TestText(t *testing.T) {
	for want, in := range map[string]any{
		"":                           nil,
		"as it is":                   "as it is",
		"yes":                        true,
		"3":                          3.0,
		"0.5":                        0.5,
		"0.333333":                   1.0 / 3,
		"1700000000":                 1.7e9,
		"a, b":                       []string{"a", "b"},
		"PNG picture, 512 KB":        &Blob{Mime: "image/png", Size: 512 << 10},
		"MPEG sound, 1.5 MB":         &Blob{Mime: "audio/mpeg", Size: 3 << 19},
		"file, 12 bytes":             &Blob{Size: 12},
		"WebP picture":               &Blob{Mime: "image/webp", Size: -1},
		"Clock: tick":                &Entry{Title: Ptr("Clock"), Content: "tick"},
		"/a+/i":                      Trigger{Keyword: "a+", IsRegex: Ptr(true), Flags: Ptr("i")},
		"fr: salut, de: hallo":       Map[string]{{"fr", "salut"}, {"de", "hallo"}},
		"names[0]: A, isExclude: no": &CharacterFilter{Names: []string{"A"}, IsExclude: Ptr(false)},
		`{"a":1}`:                    object("a", jsondoc.Int(1)),
	} {
		require.Equal(t, want, Text(in))
	}
}

func object(name string, v *jsondoc.Value) *jsondoc.Value {
	o := jsondoc.Object()
	o.Set(name, v)
	return o
}

func TestClone(t *testing.T) {
	a := newFiller(3).body(KindCharacter).(*Character)
	a.Identity.Nickname = Ptr("x")
	b := Clone(a)
	*b.Identity.Nickname = "y"
	require.Equal(t, "x", *a.Identity.Nickname)
	require.Nil(t, Clone[Character](nil))
}

func TestPlansCoverTheModel(t *testing.T) {
	for _, k := range Kinds() {
		seen := map[string]bool{}
		eachPath(planOf(reflect.TypeOf(NewBody(k)).Elem()), "", func(path string, p *plan, _ bool) {
			require.False(t, seen[path], path)
			seen[path] = true
		})
		require.Greater(t, len(seen), 8)
		require.Equal(t, k, KindOf(NewBody(k)))
	}
	require.Nil(t, NewBody("pack"))
}

func big(n int) *Lorebook {
	b := &Lorebook{Name: "big"}
	for i := range n {
		e := newFiller(uint64(i)).body(KindLorebook).(*Lorebook)
		x := &Entry{}
		if len(e.Entries) > 0 {
			x = e.Entries[0]
		}
		x.ID, x.Title, x.Content = fmt.Sprint(i), Ptr(fmt.Sprintf("Entry %d", i)), fmt.Sprintf("content of %d, some words that fill a line", i)
		b.Entries = append(b.Entries, x)
	}
	return b
}

func BenchmarkDiff(b *testing.B) {
	x, y := big(500), big(500)
	renumbered := Clone(y)
	for i, e := range renumbered.Entries {
		e.ID = fmt.Sprint("n", i)
		e.Position = Ptr("somewhere")
	}
	removed := Clone(y)
	removed.Entries = removed.Entries[1:]
	for name, z := range map[string]*Lorebook{"equal": y, "renumbered": renumbered, "removed": removed} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Diff(x, z); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
