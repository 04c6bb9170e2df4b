package risu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/container/png"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

const somePersona = `{"name":"Mira","personaPrompt":"keeps a lighthouse","note":"[keeper]"}`

func inputOf(t testing.TB, name string, data []byte) *formats.Input {
	t.Helper()
	in, err := formats.Open(rope.Bytes(data), name, limits.Card())
	require.NoError(t, err)
	return in
}

func personaOf(t testing.TB, data []byte) (*formats.Decoded, *canonical.Persona) {
	t.Helper()
	d, err := persona{}.Decode(inputOf(t, "p.png", data))
	require.NoError(t, err)
	return d, d.Entity.Body.(*canonical.Persona)
}

func writePersona(t testing.TB, e *canonical.Entity, c formats.Container) (*formats.Encoded, []byte) {
	t.Helper()
	enc, err := persona{}.Encode(e, formats.EncodeContext{Container: c, Limits: limits.Card()})
	require.NoError(t, err)
	b, err := enc.Data.Bytes()
	require.NoError(t, err)
	return enc, b
}

func TestPersonaDetect(t *testing.T) {
	for name, c := range map[string]struct {
		data  []byte
		score float64
	}{
		"chunk":                 {samples.PNG(samples.Card("persona", somePersona)), 1},
		"raw JSON in the chunk": {samples.PNG(samples.Text("persona", somePersona)), 1},
		"packed chunk":          {samples.PNG(samples.ZText("persona", somePersona)), 1},
		"damaged":               {samples.PNG(samples.Text("persona", "%%%")), 0.6},
		"of nobody":             {samples.PNG(samples.Card("persona", `{"a":1}`)), 0.6},
		"beside a card":         {samples.PNG(samples.Card("persona", somePersona), samples.Card("chara", `{"name":"a","first_mes":"b"}`)), 0.55},
		"other case":            {samples.PNG(samples.Card("Persona", somePersona)), 0},
		"JSON":                  {[]byte(somePersona), 0.95},
		"JSON of a store":       {[]byte(`{"name":"a","personaPrompt":"b","icon":"","id":"1","largePortrait":false,"embeddedModule":null}`), 0.95},
		"JSON of another tool":  {[]byte(`{"name":"a","personaPrompt":"b","greetingMessage":"c"}`), 0.6},
		"no prompt":             {[]byte(`{"name":"a","persona":"b"}`), 0},
		"another kind":          {[]byte(`{"spec":"chara_card_v2","name":"a","personaPrompt":"b"}`), 0},
		"a list":                {[]byte(`[` + somePersona + `]`), 0},
	} {
		assert.Equal(t, c.score, persona{}.Detect(inputOf(t, "x", c.data)).Score, name)
	}
}

// The first chunk of tEXt counts, as in the app; where there is none, another spelling is read and said.
func TestPersonaChunks(t *testing.T) {
	d, b := personaOf(t, samples.PNG(samples.ZText("persona", strings.Replace(somePersona, "Mira", "Packed", 1)), samples.Card("persona", somePersona), samples.Card("persona", strings.Replace(somePersona, "Mira", "Second", 1))))
	assert.Equal(t, "Mira", b.Name)
	assert.Empty(t, d.Warnings)
	d, b = personaOf(t, samples.PNG(samples.ZText("persona", somePersona)))
	assert.Equal(t, "Mira", b.Name)
	assert.Contains(t, d.Warnings[0], "zTXt")
	_, out := writePersona(t, d.Entity, "")
	d, _ = personaOf(t, out)
	assert.Empty(t, d.Warnings)
	for name, c := range map[string]struct {
		data []byte
		code fault.Code
		says string
	}{
		"no chunk":  {samples.PNG(), fault.NoCard, "no chunk persona"},
		"no base64": {samples.PNG(samples.Text("persona", "%%%")), fault.Damaged, "chunk persona"},
		"a list":    {samples.PNG(samples.Card("persona", "[1]")), fault.Damaged, "a persona must be a JSON object, and this is a list"},
		"cut":       {samples.PNG(samples.Card("persona", `{"name":"a`)), fault.Damaged, "chunk persona"},
	} {
		_, err := persona{}.Decode(inputOf(t, "p.png", c.data))
		require.Error(t, err, name)
		assert.Equal(t, c.code, fault.As(err).Code, name)
		assert.Contains(t, err.Error(), c.says, name)
	}
}

// The picture stays byte for byte, and what is edited is all that changes.
func TestPersonaPicture(t *testing.T) {
	in := samples.PNG(samples.Text("Software", "x"), samples.Card("persona", somePersona), samples.Text("Title", "kept"))
	d, b := personaOf(t, in)
	assert.Equal(t, "[keeper]", *b.Identity.Tagline)
	portrait, err := b.Media.Portrait.Blob.Data.Bytes()
	require.NoError(t, err)
	assert.Equal(t, samples.PNG(samples.Text("Software", "x"), samples.Text("Title", "kept")), portrait)
	_, out := writePersona(t, d.Entity, "")
	assert.Equal(t, in, out)
	b.Content = "new"
	_, out = writePersona(t, d.Entity, "")
	assert.Equal(t, samples.PNG(samples.Text("Software", "x"), samples.Card("persona", strings.Replace(somePersona, "keeps a lighthouse", "new", 1)), samples.Text("Title", "kept")), out)

	b.Media.Portrait = &canonical.Asset{Blob: canonical.RawBlob(rope.FromBytes(samples.PNG(samples.Card("chara", "{}"), samples.Text("a", "b"))), "image/png")}
	_, out = writePersona(t, d.Entity, "")
	assert.NotContains(t, string(out), "chara", "a card in a picture has come back as the card")
	assert.Contains(t, string(out), "a\x00b")
	b.Media.Portrait = &canonical.Asset{Blob: canonical.RawBlob(rope.FromBytes(samples.RealJPEG()), "image/jpeg")}
	enc, out := writePersona(t, d.Entity, "")
	assert.Contains(t, enc.Warnings[0], "turned into one")
	_, again := personaOf(t, out)
	w, h, ok := png.Dimensions(again.Media.Portrait.Blob.Data)
	assert.Equal(t, []any{8, 8, true}, []any{w, h, ok})
	b.Media.Portrait = &canonical.Asset{Blob: canonical.RawBlob(rope.FromBytes([]byte("no picture")), "")}
	enc, _ = writePersona(t, d.Entity, "")
	assert.Contains(t, enc.Warnings[0], "could not be turned into one")
	b.Media.Portrait = &canonical.Asset{Ref: "https://example.org/x.png"}
	enc, out = writePersona(t, d.Entity, "")
	assert.Contains(t, enc.Warnings[0], "never fetches")
	_, again = personaOf(t, out)
	assert.Nil(t, again.Media, "the plain picture is no portrait")
	b.Media = nil
	enc, _ = writePersona(t, d.Entity, "")
	assert.Contains(t, enc.Warnings[0], "no picture")
}

// JSON comes back as JSON only where it is asked for; the app reads pictures.
func TestPersonaJSON(t *testing.T) {
	in := []byte("{\n\t\"name\": \"a\", \"personaPrompt\": \"b\", \"icon\": \"x\", \"id\": \"1\" }")
	d, err := persona{}.Decode(inputOf(t, "p.json", in))
	require.NoError(t, err)
	assert.Equal(t, []string{"icon"}, d.Unmapped())
	_, out := writePersona(t, d.Entity, formats.JSON)
	assert.Equal(t, string(in), string(out))
	enc, out := writePersona(t, d.Entity, "")
	assert.Equal(t, ".png", enc.Ext)
	again, _ := personaOf(t, out)
	assert.Equal(t, string(in), string(again.Entity.Original[0].Raw.Bytes()))
	fresh := &canonical.Entity{Kind: canonical.KindPersona, Body: &canonical.Persona{}}
	for _, c := range []formats.Container{formats.JSON, formats.CharX} {
		_, err = persona{}.Encode(fresh, formats.EncodeContext{Container: c, Limits: limits.Card()})
		assert.True(t, fault.Is(err, fault.UnknownTarget), c)
	}
	_, out = writePersona(t, fresh, "")
	_, b := personaOf(t, out)
	assert.Equal(t, []string{"Unnamed", " "}, []string{b.Name, b.Content})
	_, err = persona{}.Encode(&canonical.Entity{Kind: canonical.KindLorebook, Body: &canonical.Lorebook{}}, formats.EncodeContext{Limits: limits.Card()})
	assert.True(t, fault.Is(err, fault.WrongKind))
}
