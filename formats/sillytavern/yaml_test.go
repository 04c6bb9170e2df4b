package sillytavern_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/rope"
)

const yamlCard = `# by hand
name: Ada # who
context: |
  She keeps the clock.
greeting: 'it''s late'
your_name: "You"
`

// TestYAML: SillyTavern's importer reads name, context and greeting of a YAML card. The file goes back as it came, an
// edit changes its own lines, and a card in another container keeps what only the YAML file knows.
func TestYAML(t *testing.T) {
	e := convert.New()
	p, err := e.Read(rope.Bytes(yamlCard), convert.Options{Name: "ada.yaml"})
	require.NoError(t, err)
	assert.Equal(t, formats.YAML, p.Container)
	assert.Equal(t, []string{"your_name"}, p.Unmapped())
	c := p.Primary.Character()
	assert.Equal(t, "Ada", c.Identity.Name)
	assert.Equal(t, "She keeps the clock.\n", *c.Identity.Description)
	assert.Equal(t, "it's late", *c.Greetings.FirstMessage)

	write := func(o convert.Options) (string, *convert.Output) {
		t.Helper()
		out, err := e.Emit(p, o)
		require.NoError(t, err)
		b, err := out.Data.Bytes()
		require.NoError(t, err)
		return string(b), out
	}
	same, out := write(convert.Options{To: "sillytavern"})
	assert.Equal(t, yamlCard, same)
	assert.Equal(t, "Ada.yaml", out.FileName)
	for _, i := range out.Report.Items {
		assert.Equal(t, convert.Carried, i.Verdict, i.Path)
	}

	same, _ = write(convert.Options{To: "sillytavern", Container: formats.YAML})
	assert.Equal(t, yamlCard, same)
	_, err = e.Convert(rope.Bytes(`{"name":"Ada","description":"x"}`), convert.Options{To: "sillytavern", Container: formats.YAML})
	assert.True(t, fault.Is(err, fault.UnknownTarget), "a YAML card is only written back: %v", err)

	json, out := write(convert.Options{To: "sillytavern", Container: formats.JSON})
	assert.Contains(t, json, `"your_name": "You"`)
	assert.Contains(t, json, `"description": "She keeps the clock.\n"`)
	assert.NotContains(t, json, `"context"`)
	assert.Zero(t, out.Report.Counts.Lost+out.Report.Counts.Changed)

	v2, out := write(convert.Options{To: "sillytavern", Spec: "v2"})
	assert.Equal(t, formats.PNG, out.Container, "a version is asked for, and YAML has none")
	assert.NotEmpty(t, v2)

	_, out = write(convert.Options{To: "lumiverse"})
	require.Len(t, lost(out.Report), 1)
	assert.Equal(t, "original.sillytavern.your_name", lost(out.Report)[0].Path)

	c.Greetings.FirstMessage = canonical.Ptr("It's now.")
	edited, _ := write(convert.Options{To: "sillytavern"})
	assert.Equal(t, "# by hand\nname: Ada # who\ncontext: |\n  She keeps the clock.\ngreeting: 'It''s now.'\nyour_name: \"You\"\n", edited)

	c.Persona.Personality = canonical.Ptr("dry")
	_, out = write(convert.Options{To: "sillytavern"})
	var parked []string
	for _, i := range out.Report.Items {
		if i.Verdict == convert.Parked {
			parked = append(parked, i.Path)
		}
	}
	assert.Equal(t, []string{"persona.personality"}, parked, "SillyTavern does not look there")
}

func lost(r *convert.Report) (out []convert.Item) {
	for _, i := range r.Items {
		if i.Verdict == convert.Lost {
			out = append(out, i)
		}
	}
	return out
}

// TestYAMLRefused: a text that is no sound card is refused with the place; prose is no card at all.
func TestYAMLRefused(t *testing.T) {
	e := convert.New()
	for text, code := range map[string]fault.Code{
		"name: Ada\ncontext: 'open\n":                    fault.Damaged,
		"name: Ada\ncontext: a\ncontext: b\n":            fault.Damaged,
		"name: a\ngreeting: b\n---\nname: c\n":           fault.Unsupported,
		"name: &a [*a]\ngreeting: b\n":                   fault.OverLimit,
		"Dear diary,\nher name: unknown\ngreeting: none": fault.NotRecognized,
	} {
		_, err := e.Read(rope.Bytes(text), convert.Options{})
		require.Error(t, err, text)
		assert.Equal(t, code, fault.As(err).Code, "%s: %v", text, err)
	}
}
