package lumiverse

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

const (
	apiMira = `{"id": "m", "name": "Mira", "description": "d", "subjective_pronoun": "she", "objective_pronoun": "her", "avatar_path": "mira.png", "attached_world_book_id": "7f0c9a52-1111-4222-8333-0123456789ab", "created_at": 1.0}`
	apiNoa  = `{"id": "n", "name": "Noa", "description": "", "subjective_pronoun": "", "objective_pronoun": "", "possessive_pronoun": "", "avatar_path": "https://x.org/n.png", "attached_world_book_id": null, "metadata": {}}`
	several = "{\"type\": \"lumiverse_personas\", \"version\": 1, \"personas\": [\n " + apiMira + ",\n null,\n " + apiNoa + "\n]}"
)

func readPersonas(t testing.TB, text string) (*formats.Decoded, []*canonical.Entity) {
	t.Helper()
	in, err := formats.Open(rope.Bytes(text), "", limits.Card())
	require.NoError(t, err)
	d, err := personaFile{}.Decode(in)
	require.NoError(t, err)
	return d, append([]*canonical.Entity{d.Entity}, d.More...)
}

func writePersonas(t testing.TB, list ...*canonical.Entity) string {
	t.Helper()
	enc, err := personaFile{}.Encode(list[0], formats.EncodeContext{More: list[1:], Limits: limits.Card()})
	require.NoError(t, err)
	b, err := enc.Data.Bytes()
	require.NoError(t, err)
	return string(b)
}

func bodyOf(e *canonical.Entity) *canonical.Persona { return e.Body.(*canonical.Persona) }

func TestPersonaFields(t *testing.T) {
	d, list := readPersonas(t, several)
	require.Len(t, list, 2)
	mira, noa := bodyOf(list[0]), bodyOf(list[1])
	assert.Equal(t, []string{"7f0c9a52-1111-4222-8333-0123456789ab"}, mira.KnowledgeRefs)
	assert.Nil(t, mira.Presentation, "avatar_path is a file name and no web address (D-10)")
	assert.Nil(t, mira.Identity.PronounSet.Possessive)
	assert.Equal(t, "https://x.org/n.png", *noa.Presentation.ImageURL)
	assert.Equal(t, []string{"personas[0].avatar_path"}, d.Unmapped())
	assert.Len(t, d.Warnings, 1, "the null")
	assert.Equal(t, several, writePersonas(t, list...))
}

func TestPersonaEdits(t *testing.T) {
	for _, c := range []struct {
		name, old, now string
		edit           func(mira, noa *canonical.Persona)
	}{
		{"a text of the second", `"Noa", "description": ""`, `"Noa", "description": "new"`, func(_, noa *canonical.Persona) { noa.Content = "new" }},
		{"a pronoun that was not there", `"created_at": 1.0`, `"created_at": 1.0, "possessive_pronoun": "her"`, func(m, _ *canonical.Persona) { m.Identity.PronounSet.Possessive = canonical.Ptr("her") }},
		{"a pronoun cleared", `"subjective_pronoun": "she"`, `"subjective_pronoun": ""`, func(m, _ *canonical.Persona) { m.Identity.PronounSet.Subjective = nil }},
		{"the book cleared", `"7f0c9a52-1111-4222-8333-0123456789ab"`, `null`, func(m, _ *canonical.Persona) { m.KnowledgeRefs = nil }},
		{"a book of another app", `"7f0c9a52-1111-4222-8333-0123456789ab"`, `null`, func(m, _ *canonical.Persona) { m.KnowledgeRefs = []string{"Sea"} }},
		{"a web address over a file name", `"mira.png"`, `"mira.png"`, func(m, _ *canonical.Persona) {
			m.Presentation = &canonical.PersonaPresentation{ImageURL: canonical.Ptr("https://y.org")}
		}},
		{"a web address over another", `https://x.org/n.png`, `https://y.org`, func(_, noa *canonical.Persona) { noa.Presentation.ImageURL = canonical.Ptr("https://y.org") }},
		{"a place", `"metadata": {}`, `"metadata": {"description_position": 4, "description_depth": 0}`, func(_, noa *canonical.Persona) {
			noa.ChatInjection = &canonical.ChatInjection{Position: "in_chat", Depth: canonical.Ptr(0.0)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Contains(t, several, c.old)
			_, list := readPersonas(t, several)
			c.edit(bodyOf(list[0]), bodyOf(list[1]))
			assert.Equal(t, strings.Replace(several, c.old, c.now, 1), writePersonas(t, list...))
		})
	}
}

// TestPersonaList: the file holds the pieces that are given, in their order.
func TestPersonaList(t *testing.T) {
	_, list := readPersonas(t, several)
	mira, noa := list[0], list[1]
	fresh := &canonical.Entity{Kind: canonical.KindPersona, Body: &canonical.Persona{Name: "New", KnowledgeRefs: []string{"7f0c9a52-1111-4222-8333-0123456789ab"}}}
	for _, c := range [][]*canonical.Entity{{mira}, {noa}, {noa, mira}, {mira, noa, fresh}, {fresh, mira}, {mira, mira}} {
		got := writePersonas(t, c...)
		_, back := readPersonas(t, got)
		require.Len(t, back, len(c))
		for i := range c {
			assert.Equal(t, bodyOf(c[i]).Name, bodyOf(back[i]).Name)
			if c[i] != fresh {
				same, err := canonical.Same(c[i].Body, back[i].Body)
				require.NoError(t, err)
				assert.True(t, same)
				assert.Contains(t, got, map[*canonical.Entity]string{mira: apiMira, noa: apiNoa}[c[i]], "what is not touched keeps its bytes")
			}
		}
		assert.Contains(t, strings.NewReplacer(" ", "", "\n", "").Replace(got), `"type":"lumiverse_personas","version":1`)
	}
	assert.Equal(t, several, writePersonas(t, mira, noa), "writing changed the pieces")
	// A book's id of one account is never written into a new persona, and no pronoun is made up.
	assert.Equal(t, `{
  "type": "lumiverse_personas",
  "version": 1,
  "personas": [
    {
      "name": "New",
      "description": "",
      "subjective_pronoun": "",
      "objective_pronoun": ""
    }
  ]
}`, writePersonas(t, fresh))
}

// TestPersonaObject: the bare object stays one while it is alone, and becomes the envelope with a second.
func TestPersonaObject(t *testing.T) {
	d, list := readPersonas(t, apiMira)
	assert.Equal(t, "object", d.Variant)
	assert.Equal(t, apiMira, writePersonas(t, list[0]))
	_, others := readPersonas(t, apiNoa)
	got := writePersonas(t, list[0], others[0])
	_, back := readPersonas(t, got)
	assert.Len(t, back, 2)
	assert.Contains(t, got, apiMira)
	assert.Contains(t, got, apiNoa)
}

func TestPersonaErrors(t *testing.T) {
	for _, text := range []string{`{"type":"lumiverse_personas","version":1,"personas":[]}`, `{"type":"lumiverse_personas","version":1,"personas":[1,null]}`} {
		in, err := formats.Open(rope.Bytes(text), "", limits.Card())
		require.NoError(t, err)
		_, err = personaFile{}.Decode(in)
		assert.True(t, fault.Is(err, fault.Damaged), text)
	}
	d, _ := readPersonas(t, `{"type":"lumiverse_personas","version":2,"personas":[{"name":"x"}]}`)
	require.Len(t, d.Warnings, 1)
	assert.Contains(t, d.Warnings[0], "version")
}
