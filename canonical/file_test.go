package canonical

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

func encode(t testing.TB, e *Entity) string {
	t.Helper()
	r, err := EncodeEntity(e)
	require.NoError(t, err)
	b, err := r.Bytes()
	require.NoError(t, err)
	return string(b)
}

func decode(text string) (*Entity, error) {
	d, err := jsondoc.Parse([]byte(text), limits.Card())
	if err != nil {
		return nil, err
	}
	return DecodeEntity(d, limits.Card())
}

func document(t testing.TB, s string) *jsondoc.Doc {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d
}

func TestCanonicalFile(t *testing.T) {
	e := &Entity{
		Kind: KindCharacter, ID: "ada",
		Body: &Character{
			Identity: Identity{Name: "Ada"},
			Media:    Media{Portrait: &Asset{Role: RolePortrait, Ref: "assets/a.png", Blob: png("pic")}},
		},
		Original: []*Escrow{
			{Bucket: "sillytavern", Raw: document(t, "\ufeff {\"b\" : 1.50,\t\"a\":[ ] }\n\x00"), Unmapped: object("variant", jsondoc.String("v2")), Media: png("carrier")},
			{Bucket: "risu", Files: []File{{Path: "card.json", Blob: RawBlob(rope.FromBytes([]byte("{}")), "")}, {Path: "a", Blob: &Blob{Data: &rope.Rope{}}}, {Path: "a", Blob: png("2")}}},
		},
		Notes: []Note{{ID: "1", Text: "mind", At: "2025-01-01T00:00:00Z"}},
	}
	const want = `{
  "schemaVersion": "1",
  "kind": "character",
  "id": "ada",
  "body": {
    "identity": {
      "name": "Ada"
    },
    "persona": {},
    "prompts": {},
    "greetings": {},
    "examples": {},
    "media": {
      "portrait": {
        "role": "portrait",
        "ref": "data:image/png;base64,cGlj",
        "path": "assets/a.png"
      }
    },
    "attribution": {},
    "discovery": {}
  },
  "original": {
    "sillytavern": {
      "raw": {"b" : 1.50,	"a":[ ] },
      "rawPrefix": "\ufeff ",
      "rawSuffix": "\n\u0000",
      "unmapped": {"variant":"v2"},
      "sourceMedia": {
        "b64": "Y2Fycmllcg==",
        "mime": "image/png"
      }
    },
    "risu": {
      "files": {
        "card.json": "e30=",
        "a": "",
        "a": "Mg=="
      }
    }
  },
  "notes": [
    {
      "id": "1",
      "text": "mind",
      "at": "2025-01-01T00:00:00Z"
    }
  ]
}
`
	got := encode(t, e)
	require.Equal(t, strings.ReplaceAll(want, `\ufeff`, "\ufeff"), got)
	back, err := decode(got)
	require.NoError(t, err)
	sameEntity(t, e, back)
	require.Equal(t, "assets/a.png", back.Character().Media.Portrait.Ref)
	require.Equal(t, "image/png", back.Original[0].Media.Mime)
	require.Equal(t, int64(3), back.Character().Media.Portrait.Blob.Size)
	require.Equal(t, got, encode(t, back))
}

func sameEntity(t testing.TB, a, b *Entity) {
	t.Helper()
	require.Equal(t, a.Kind, b.Kind)
	require.Equal(t, a.ID, b.ID)
	require.Empty(t, show(t, a.Body, b.Body))
	require.Equal(t, a.Notes, b.Notes)
	require.True(t, jsondoc.Equal(a.Extra, b.Extra))
	require.Len(t, b.Original, len(a.Original))
	same := func(x, y *Blob) {
		t.Helper()
		ok, err := SameBlob(x, y)
		require.NoError(t, err)
		require.True(t, ok)
	}
	for i, x := range a.Original {
		y := b.Original[i]
		require.Equal(t, x.Bucket, y.Bucket)
		require.Equal(t, string(x.Raw.Bytes()), string(y.Raw.Bytes()))
		require.True(t, jsondoc.Equal(x.Unmapped, y.Unmapped))
		same(x.Media, y.Media)
		require.Equal(t, x.Files == nil, y.Files == nil)
		require.Len(t, y.Files, len(x.Files))
		for j := range x.Files {
			require.Equal(t, x.Files[j].Path, y.Files[j].Path)
			same(x.Files[j].Blob, y.Files[j].Blob)
		}
	}
}

// An escrowed document that was edited or made anew is written as it stands.
func TestRawOfEditedDocument(t *testing.T) {
	d := document(t, " { \"a\" : 1 } ")
	d.Root.Set("b", jsondoc.Bool(true))
	fresh := jsondoc.NewDoc(object("x", jsondoc.Object()), "  ")
	for _, d := range []*jsondoc.Doc{d, fresh} {
		e := &Entity{Kind: KindPersona, ID: "p", Body: &Persona{}, Original: []*Escrow{{Bucket: "x", Raw: d}}}
		back, err := decode(encode(t, e))
		require.NoError(t, err)
		require.Equal(t, string(d.Bytes()), string(back.Original[0].Raw.Bytes()))
	}
}

func TestFileRoundTrip(t *testing.T) {
	for seed := range uint64(150) {
		for _, k := range Kinds() {
			f := newFiller(seed)
			e := &Entity{Kind: k, ID: "x", Body: f.body(k)}
			if f.IntN(2) == 0 {
				e.Original = []*Escrow{{Bucket: "b" + f.text(), Raw: document(t, string(f.json().Raw())+"\n"), Media: f.blob()}}
				e.Notes = []Note{{ID: f.text(), Text: f.text(), By: Ptr(f.text())}}
			}
			text := encode(t, e)
			back, err := decode(text)
			require.NoError(t, err, text)
			sameEntity(t, e, back)
			require.Equal(t, text, encode(t, back))
		}
	}
}

func TestDecodeEntityRefuses(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                                  "a bunzai file is a JSON object, and this is a list",
		`{}`:                                  "it has no schemaVersion",
		`{"schemaVersion":1}`:                 `schemaVersion should be the text "1", and here it is a number`,
		`{"schemaVersion":"2"}`:               "made by a newer bunzai (schemaVersion 2)",
		`{"schemaVersion":"x"}`:               `schemaVersion should be "1", and here it is "x"`,
		`{"schemaVersion":"1"}`:               "kind should be one of lorebook, regex, quickreply, persona, preset, character, and here it is nothing",
		`{"schemaVersion":"1","kind":"pack"}`: "bunzai does not read pieces of the kind pack",
		`{"schemaVersion":"1","kind":"persona","id":""}`:                                                                            `id should be a text that is not empty, and here it is ""`,
		`{"schemaVersion":"1","kind":"persona","id":"a"}`:                                                                           "body should be an object, and here it is nothing",
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"x"}}`:                                                       "every persona needs content, which should be text, and here it is nothing (body.content)",
		`{"schemaVersion":"1","kind":"character","id":"a","body":{}}`:                                                               "every character needs identity.name",
		`{"schemaVersion":"1","kind":"lorebook","id":"a","body":{"name":""}}`:                                                       "every lorebook needs entries, which should be a list",
		`{"schemaVersion":"1","kind":"regex","id":"a","body":{"name":"","rules":[{"find":1}]}}`:                                     "rules[0].find should be text, and here it is a number (body.rules[0].find)",
		`{"schemaVersion":"1","kind":"lorebook","id":"a","body":{"name":"","entries":[{"content":"x"}]}}`:                           "every lorebook entry needs an id, and entry 1 has none (body.entries[0].id)",
		`{"schemaVersion":"1","kind":"lorebook","id":"a","body":{"name":"","entries":[{"id":"7"},{"id":"7"}]}}`:                     `lorebook entries 1 and 2 have the same id "7"`,
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"original":[]}`:                             "original should be an object, and here it is a list",
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"original":{"risu":1}}`:                     "original.risu should be an object, and here it is a number",
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"original":{"risu":{"files":{"x y":"@"}}}}`: `original.risu.files["x y"] should be base64, and it holds other characters`,
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"original":{"risu":{"sourceMedia":{}}}}`:    "original.risu.sourceMedia.b64 should be base64 text, and here it is nothing",
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"original":{"risu":{"rawPrefix":" "}}}`:     "there is a rawPrefix or rawSuffix without raw",
		`{"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":""},"notes":[1]}`:                               "notes[0] should be an object, and here it is a number",
	} {
		_, err := decode(in)
		require.ErrorContains(t, err, want, in)
		require.NotEqual(t, fault.Internal, fault.As(err).Code, in)
	}
	_, err := DecodeEntity(nil, limits.Card())
	require.Error(t, err)
}

func TestUnknownMembersOfTheFile(t *testing.T) {
	const in = `{"profiles":{"risu":{}},"schemaVersion":"1","kind":"persona","id":"a","body":{"name":"","content":"","mood":1},` +
		`"original":{"risu":{"odd":[1.0],"raw":1}},"notes":[{"id":"","text":"","at":"","odd":2}]}`
	e, err := decode(in)
	require.NoError(t, err)
	require.Equal(t, `{"profiles":{"risu":{}},"original.risu.odd":[1.0],"notes[0].odd":2}`, string(e.Extra.Raw()))
	require.True(t, jsondoc.Equal(parse(t, in), parse(t, encode(t, e))), encode(t, e))
}

// Bags are written as they are spelled, white space included.
func TestBagsVerbatim(t *testing.T) {
	for _, bag := range []string{`"\/\u00e9"`, `{ "a" : 1.50, "a":[ ]}`, "-0.0", "null", "1E2"} {
		e := &Entity{Kind: KindCharacter, ID: "a", Body: &Character{Settings: &Settings{ResponseSchema: parse(t, bag)}}}
		text := encode(t, e)
		require.Contains(t, text, `"responseSchema": `+bag+"\n")
		back, err := decode(text)
		require.NoError(t, err)
		require.Equal(t, bag, string(back.Character().Settings.ResponseSchema.Raw()))
	}
}

// A ref that is no clean base64 data URI stays the text that it is.
func TestOddRefs(t *testing.T) {
	for _, ref := range []string{"data:text/plain,hi", "data:image/png;base64,@@", "data:", "https://x/y.png", "a/b.png", ""} {
		e := &Entity{Kind: KindCharacter, ID: "a", Body: &Character{Media: Media{Portrait: &Asset{Ref: ref}}}}
		back, err := decode(encode(t, e))
		require.NoError(t, err)
		require.Equal(t, ref, back.Character().Media.Portrait.Ref)
		require.Nil(t, back.Character().Media.Portrait.Blob)
	}
	back, err := decode(`{"schemaVersion":"1","kind":"character","id":"a","body":{"identity":{"name":""},"media":{"portrait":{"role":"","ref":"data:image\/png;base64,aGk"}}}}`)
	require.NoError(t, err)
	raw, err := back.Character().Media.Portrait.Blob.Raw()
	require.NoError(t, err)
	b, err := rope.View(raw, 0, raw.Size())
	require.NoError(t, err)
	require.Equal(t, "hi", string(b))
}

func TestEncodeEntityRefuses(t *testing.T) {
	_, err := EncodeEntity(nil)
	require.Error(t, err)
	_, err = EncodeEntity(&Entity{Kind: KindPersona, Body: &Character{}})
	require.ErrorContains(t, err, `a piece of kind "persona" cannot have a body of type *canonical.Character`)
	_, err = EncodeEntity(&Entity{Kind: KindPersona, Body: &Persona{}, Original: []*Escrow{{Bucket: "a"}, {Bucket: "a"}}})
	require.ErrorContains(t, err, `two buckets are named "a"`)
	_, err = EncodeEntity(&Entity{Kind: KindCharacter, Body: &Character{Media: Media{Assets: []*Asset{{
		Blob: &Blob{Form: FormDeflate, Data: &rope.Rope{}, Size: -1, Decode: func() (rope.Source, error) { return nil, fmt.Errorf("cut off") }},
	}}}}})
	require.ErrorContains(t, err, "cut off (body.media.assets[0])")
}

func TestEncodeEntityWithin(t *testing.T) {
	e := &Entity{Kind: KindCharacter, ID: "a", Body: &Character{Media: Media{Portrait: &Asset{Blob: RawBlob(rope.Of(zeros(1<<20)), "image/png")}}}}
	lim := limits.Card()
	lim.JSON = 1 << 20
	_, err := EncodeEntityWithin(e, lim)
	require.True(t, fault.Is(err, fault.OverLimit))
	require.ErrorContains(t, err, "keep the archive form")
	_, err = EncodeEntityWithin(e, limits.Card())
	require.NoError(t, err)
}

type zeros int64

func (z zeros) Size() int64 { return int64(z) }
func (z zeros) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), int64(z)-off))
	clear(p[:n])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func TestBase64Source(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, b64Piece - 1, b64Piece, b64Piece + 1, 3*b64Piece + 2} {
		raw := make([]byte, n)
		for i := range raw {
			raw[i] = byte(i * 7)
		}
		s := &b64Source{rope.Bytes(raw)}
		want := base64.StdEncoding.EncodeToString(raw)
		require.EqualValues(t, len(want), s.Size())
		require.NoError(t, iotest.TestReader(io.NewSectionReader(s, 0, s.Size()), []byte(want)))
		back, ok := base64Blob([]byte(want), "")
		require.True(t, ok)
		require.EqualValues(t, n, back.Size)
		same, err := SameBlob(back, RawBlob(rope.FromBytes(raw), ""))
		require.NoError(t, err)
		require.True(t, same)
	}
	for _, odd := range []string{"aGk", "aG k=\r\n", "_-8", "_-8="} {
		_, ok := base64Blob([]byte(odd), "")
		require.True(t, ok, odd)
	}
	for _, bad := range []string{"a", "a=b=", "aGk*", "é"} {
		_, ok := base64Blob([]byte(bad), "")
		require.False(t, ok, bad)
	}
}

func FuzzDecodeEntity(f *testing.F) {
	for seed := range uint64(8) {
		for _, k := range Kinds() {
			fl := newFiller(seed)
			f.Add([]byte(encode(f, &Entity{Kind: k, ID: "x", Body: fl.body(k), Original: []*Escrow{{Bucket: "b", Raw: document(f, "{ } ")}}})))
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		e, err := decode(string(in))
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.As(err).Code, "%v", err)
			return
		}
		text := encode(t, e)
		back, err := decode(text)
		require.NoError(t, err, text)
		sameEntity(t, e, back)
		require.Equal(t, text, encode(t, back))
		Walk(e.Body, func(path string, value any) {
			Text(value)
			require.NotEmpty(t, Label(e.Body, path))
		})
	})
}
