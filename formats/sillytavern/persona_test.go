package sillytavern

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

const backupFile = `{
    "personas": {"b.png": "Bea", "a.png": "Ada", "c.png": "Cy"},
    "persona_descriptions": {
        "b.png": {"description": "bee", "position": 0, "depth": 2.0, "zq": [1, 2]},
        "a.png": {"description": "ay", "position": 4, "depth": 0, "role": 1, "lorebook": "Sea", "title": "t"},
        "c.png": {"description": "see", "position": 1}
    },
    "default_persona": "a.png", "more": {"x": 1.0}
}
`

func decodeJSON(t testing.TB, c formats.Codec, text string) *formats.Decoded {
	t.Helper()
	in, err := formats.Open(rope.Bytes(text), "file.json", limits.Card())
	require.NoError(t, err)
	d, err := c.Decode(in)
	require.NoError(t, err)
	return d
}

func encodeJSON(t testing.TB, c formats.Codec, e *canonical.Entity, more ...*canonical.Entity) string {
	t.Helper()
	enc, err := c.Encode(e, formats.EncodeContext{More: more, Limits: limits.Card()})
	require.NoError(t, err)
	b, err := enc.Data.Bytes()
	require.NoError(t, err)
	return string(b)
}

func pieceNames(list ...*canonical.Entity) (out []string) {
	for _, e := range list {
		out = append(out, e.Body.(*canonical.Persona).Name)
	}
	return out
}

func newPersona(name, content string) *canonical.Entity {
	return &canonical.Entity{Kind: canonical.KindPersona, ID: canonical.Slug(name), Body: &canonical.Persona{Name: name, Content: content}}
}

func TestBackupOrder(t *testing.T) {
	d := decodeJSON(t, persona{}, backupFile)
	assert.Equal(t, []string{"Ada", "Bea", "Cy"}, pieceNames(append([]*canonical.Entity{d.Entity}, d.More...)...), "the default one first, the others in file order")
	assert.Equal(t, []string{"more", "default_persona", "personas.b.png", "persona_descriptions.b.png.zq", "personas.a.png", "personas.c.png"}, d.Unmapped())
	assert.Empty(t, d.Warnings)
	assert.Equal(t, `{"avatarId":"a.png","default":true}`, string(d.Entity.Bucket(personaID).Unmapped.Raw()))
	assert.Equal(t, backupFile, encodeJSON(t, persona{}, d.Entity, d.More...))
}

// TestBackupPieces: the file holds the pieces that are given, in their order, and what is not touched keeps its bytes.
func TestBackupPieces(t *testing.T) {
	d := decodeJSON(t, persona{}, backupFile)
	ada, bea, cy := d.Entity, d.More[0], d.More[1]
	for _, c := range []struct {
		name   string
		pieces []*canonical.Entity
		want   func(s string) string
	}{
		{"one added", []*canonical.Entity{ada, bea, cy, newPersona("Bea", "new")}, func(s string) string {
			s = strings.Replace(s, `"c.png": "Cy"}`, `"c.png": "Cy", "Bea.png": "Bea"}`, 1)
			return strings.Replace(s, "\"position\": 1}\n", "\"position\": 1},\n        \"Bea.png\": {\n            \"description\": \"new\",\n            \"position\": 0\n        }\n", 1)
		}},
		{"one left out", []*canonical.Entity{ada, cy}, func(s string) string {
			s = strings.Replace(s, `"b.png": "Bea", `, "", 1)
			return strings.Replace(s, "        \"b.png\": {\"description\": \"bee\", \"position\": 0, \"depth\": 2.0, \"zq\": [1, 2]},\n", "", 1)
		}},
		{"another one is the main one", []*canonical.Entity{bea, ada, cy}, func(s string) string {
			return strings.Replace(s, `"default_persona": "a.png"`, `"default_persona": "b.png"`, 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := encodeJSON(t, persona{}, c.pieces[0], c.pieces[1:]...)
			assert.Equal(t, c.want(backupFile), got)
			back := decodeJSON(t, persona{}, got)
			assert.Equal(t, pieceNames(c.pieces...), pieceNames(append([]*canonical.Entity{back.Entity}, back.More...)...))
			assert.Equal(t, backupFile, encodeJSON(t, persona{}, ada, bea, cy), "writing changed the pieces")
		})
	}
	t.Run("the default one left out", func(t *testing.T) {
		got := encodeJSON(t, persona{}, bea, cy)
		assert.NotContains(t, got, "a.png")
		assert.NotContains(t, got, "Ada")
		back := decodeJSON(t, persona{}, got)
		assert.Empty(t, back.Warnings)
		assert.Contains(t, got, `"depth": 2.0, "zq": [1, 2]`)
	})
	t.Run("turned round", func(t *testing.T) {
		got := decodeJSON(t, persona{}, encodeJSON(t, persona{}, cy, bea, ada))
		assert.Equal(t, []string{"Cy", "Bea", "Ada"}, pieceNames(append([]*canonical.Entity{got.Entity}, got.More...)...))
		assert.Equal(t, []string{"more", "default_persona", "personas.b.png", "persona_descriptions.b.png.zq", "personas.a.png", "personas.c.png"}, got.Unmapped())
	})
	t.Run("one alone keeps what only SillyTavern knows of it", func(t *testing.T) {
		got := decodeJSON(t, persona{}, encodeJSON(t, persona{}, bea))
		assert.Empty(t, got.More)
		assert.Equal(t, []string{"personas.b.png", "persona_descriptions.b.png.zq"}, got.Unmapped())
	})
	t.Run("of another backup, with the same picture", func(t *testing.T) {
		other := decodeJSON(t, persona{}, strings.NewReplacer("Bea", "Other", "bee", "other").Replace(backupFile))
		got := encodeJSON(t, persona{}, ada, bea, cy, other.More[0])
		assert.Contains(t, got, `"b-2.png": {"description": "other", "position": 0, "depth": 2.0, "zq": [1, 2]}`)
		back := decodeJSON(t, persona{}, got)
		assert.Equal(t, []string{"Ada", "Bea", "Cy", "Other"}, pieceNames(append([]*canonical.Entity{back.Entity}, back.More...)...))
		twice := decodeJSON(t, persona{}, encodeJSON(t, persona{}, ada, ada))
		assert.Len(t, twice.More, 1)
	})
	t.Run("a lorebook is no persona", func(t *testing.T) {
		_, err := persona{}.Encode(ada, formats.EncodeContext{More: []*canonical.Entity{{Kind: canonical.KindLorebook, Body: &canonical.Lorebook{}}}, Limits: limits.Card()})
		assert.True(t, fault.Is(err, fault.WrongKind))
	})
}

func TestAvatarIDs(t *testing.T) {
	var taken canonical.IDs
	taken.Use(".png/ann")
	for _, c := range [][2]string{{"Ann", "Ann-2.png"}, {"ann", "ann-3.png"}, {`a/b\c:d?`, "a_b_c_d_.png"}, {"  ..", "persona.png"}, {"", "persona-2.png"}, {"猫", "猫.png"}, {strings.Repeat("x", 300), strings.Repeat("x", 100) + ".png"}} {
		assert.Equal(t, c[1], avatarID(c[0], "", &taken), "%q", c[0])
	}
}

func TestBackupOddities(t *testing.T) {
	in := `{"personas":{"a.png":"first","n.png":null,"a.png":"last","o.png":{}},"persona_descriptions":{"a.png":{"description":null,"position":"4","depth":"x","role":7}},"default_persona":null}`
	d := decodeJSON(t, persona{}, in)
	assert.Equal(t, []string{"last"}, pieceNames(append([]*canonical.Entity{d.Entity}, d.More...)...), "of a name that stands twice the last counts")
	b := d.Entity.Body.(*canonical.Persona)
	assert.Equal(t, &canonical.ChatInjection{Position: "in_chat"}, b.ChatInjection)
	assert.Len(t, d.Warnings, 4, "%q", d.Warnings)
	assert.Equal(t, in, encodeJSON(t, persona{}, d.Entity))
	b.Name = "new"
	assert.Equal(t, strings.Replace(in, `"last"`, `"new"`, 1), encodeJSON(t, persona{}, d.Entity))
}

// TestForeignPlace: RoleCall's places go to the nearest one.
func TestForeignPlace(t *testing.T) {
	for place, want := range map[string]string{"depth": "in_chat", "world": "prompt", "scene": "prompt", "author_note_top": "author_note_top"} {
		e := newPersona("Ann", "x")
		e.Body.(*canonical.Persona).ChatInjection = &canonical.ChatInjection{Position: place}
		got := decodeJSON(t, persona{}, encodeJSON(t, persona{}, e))
		assert.Equal(t, want, got.Entity.Body.(*canonical.Persona).ChatInjection.Position)
	}
}
