package canonical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
)

func parse(t testing.TB, s string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

func TestMarshalBody(t *testing.T) {
	require.Equal(t, `{"name":"","entries":[]}`, string(MarshalBody(&Lorebook{Entries: []*Entry{}}).Raw()))
	require.Equal(t, `{"name":""}`, string(MarshalBody(&Lorebook{}).Raw()))
	require.Nil(t, MarshalBody(nil))
	require.Equal(t, `{"identity":{"name":"Ada","nickname":""},"persona":{},"prompts":{},"greetings":{"alternateGreetings":[{"text":"hi"}]},"examples":{},"media":{"assets":[{"role":"pose","ref":"x"}]},`+
		`"attribution":{"creatorNotesMultilingual":{"fr":"salut"},"createdAt":1700000000},"discovery":{"tags":[]},"settings":{"talkativeness":0.5,"responseSchema":{"b":1.50}}}`,
		string(MarshalBody(&Character{
			Identity:    Identity{Name: "Ada", Nickname: Ptr("")},
			Greetings:   Greetings{AlternateGreetings: texts("hi")},
			Media:       Media{Assets: []*Asset{{Role: RolePose, Ref: "x", Blob: png("p")}}},
			Attribution: Attribution{CreatorNotesMultilingual: Map[string]{{"fr", "salut"}}, CreatedAt: Ptr(1.7e9)},
			Discovery:   Discovery{Tags: []string{}},
			Settings:    &Settings{Talkativeness: Ptr(0.5), ResponseSchema: parse(t, `{"b":1.50}`)},
		}).Raw()))
}

func TestUnmarshalErrors(t *testing.T) {
	for in, want := range map[string]string{
		`{"identity":{"name":5}}`:                                    "identity.name should be text, and here it is a number",
		`{"identity":{"name":null}}`:                                 "identity.name should be text, and here it is null",
		`{"identity":[]}`:                                            "identity should be an object, and here it is a list",
		`{"greetings":{"alternateGreetings":[{"text":"a"},"b"]}}`:    "greetings.alternateGreetings[1] should be an object, and here it is text",
		`{"discovery":{"tags":["a",null]}}`:                          "discovery.tags[1] should be text, and here it is null",
		`{"discovery":{"tags":"a"}}`:                                 "discovery.tags should be a list, and here it is text",
		`{"attribution":{"createdAt":1e999}}`:                        "the number 1e999 is too large",
		`{"attribution":{"creatorNotesMultilingual":{"zh-TW":1}}}`:   `attribution.creatorNotesMultilingual["zh-TW"] should be text, and here it is a number`,
		`{"media":{"portrait":{"role":"portrait","primary":"yes"}}}`: "media.portrait.primary should be true or false, and here it is text",
		`[]`: "the body should be an object, and here it is a list",
	} {
		err := UnmarshalBody(parse(t, in), &Character{})
		require.ErrorContains(t, err, want, in)
		require.True(t, fault.Is(err, fault.Damaged))
	}
	require.Error(t, UnmarshalBody(parse(t, `{}`), 5))
}

func TestNullIsAbsent(t *testing.T) {
	var c Character
	require.NoError(t, UnmarshalBody(parse(t, `{"identity":{"name":"A","nickname":null},"settings":null,"discovery":{"tags":null}}`), &c))
	require.Empty(t, show(t, &Character{Identity: Identity{Name: "A"}}, &c))
	require.Nil(t, c.Discovery.Tags)
}

func TestUnknownMembers(t *testing.T) {
	const in = `{"name":"b","entries":[{"id":"1","content":"x","mood":{"a":1.0}},{"id":"2","content":"y","x.y":null}],"new":[1,2]}`
	var b Lorebook
	require.NoError(t, UnmarshalBody(parse(t, in), &b))
	require.Equal(t, `{"entries[0].mood":{"a":1.0},"entries[1][\"x.y\"]":null,"new":[1,2]}`, string(b.Extra.Raw()))
	require.True(t, jsondoc.Equal(parse(t, in), MarshalBody(&b)), string(MarshalBody(&b).Raw()))

	b.Entries = b.Entries[:1] // the place of one is gone: it is kept, and read back
	out := MarshalBody(&b)
	require.Equal(t, `{"name":"b","entries":[{"id":"1","content":"x","mood":{"a":1.0}}],"new":[1,2],"extra":{"entries[1][\"x.y\"]":null}}`, string(out.Raw()))
	var again Lorebook
	require.NoError(t, UnmarshalBody(out, &again))
	require.Empty(t, show(t, &b, &again))
}

func TestBodyRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		for _, k := range Kinds() {
			x := newFiller(seed).body(k)
			v := MarshalBody(x)
			text := v.Raw()
			y := NewBody(k)
			require.NoError(t, UnmarshalBody(parse(t, string(text)), y), "%s", text)
			require.Equal(t, string(text), string(MarshalBody(y).Raw()))
			dropBlobs(x)
			require.Empty(t, show(t, x, y), "%s", text)
		}
	}
}

// dropBlobs makes a body what the JSON without bytes says.
func dropBlobs(body any) {
	each := func(a *Asset) {
		if a != nil {
			a.Blob = nil
		}
	}
	switch b := body.(type) {
	case *Character:
		each(b.Media.Portrait)
		for _, a := range b.Media.Assets {
			each(a)
		}
		for _, v := range b.Variants {
			if v.Overrides.Media != nil {
				each(v.Overrides.Media.Portrait)
			}
		}
		if b.Presentation != nil && b.Presentation.Background != nil {
			b.Presentation.Background.Blob = nil
		}
	case *Persona:
		if b.Media != nil {
			each(b.Media.Portrait)
		}
	}
}
