package sillytavern

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

func asking() *canonical.Entity {
	s := canonical.Ptr[string]
	opt := func(id, value string) canonical.ChoiceOption {
		return canonical.ChoiceOption{ID: id, Label: strings.ToUpper(id), Value: &value}
	}
	of := func(block string) *jsondoc.Value {
		v := jsondoc.Object()
		v.Set("block", jsondoc.String(block))
		return v
	}
	return &canonical.Entity{Kind: canonical.KindPreset, ID: "x", Body: &canonical.Preset{Name: "x",
		Prompts: []canonical.Prompt{
			{ID: "main", Name: "Main", MarkerSlot: s("main"), Content: "{{char}}: {{var::tone}} {{ PromptVar :: pace }} {{.view}} {{getvar::tone}} {{if {{var::loud}}}}x{{/if}} {{var::other}} {{var::", Enabled: canonical.Ptr(true)},
			{ID: "off", Name: "Off", Content: "{{var::likes}}", Enabled: canonical.Ptr(false)},
		},
		Choices: []canonical.Choice{
			{ID: "c1", Key: s("tone"), Label: "Tone", Type: canonical.ChoiceOne, Options: []canonical.ChoiceOption{opt("a", "Be dry."), opt("b", "Be warm.")}, Default: jsondoc.String("b")},
			{ID: "c2", Key: s("pace"), Label: "Pace", Type: canonical.ChoiceInput, Default: jsondoc.String("slow\nand sure")},
			{ID: "c3", Key: s("view"), Label: "View", Type: canonical.ChoiceOne, Options: []canonical.ChoiceOption{opt("a", "Write as {{char}}.")}},
			{ID: "c4", Key: s("loud"), Label: "Loud", Type: canonical.ChoiceToggle, Default: jsondoc.Bool(true)},
			{ID: "c5", Key: s("likes"), Label: "Likes", Type: canonical.ChoiceMany, Separator: s(", "), Options: []canonical.ChoiceOption{opt("a", "apples"), opt("b", "books")}, Default: jsondoc.Array(jsondoc.String("b"), jsondoc.String("a"))},
			{ID: "c6", Label: "No variable", Type: canonical.ChoiceInput, Default: jsondoc.String("x")},
			{ID: "c7", Key: s("tone"), Label: "Of a prompt that is off", Type: canonical.ChoiceInput, Default: jsondoc.String("x"), Extras: of("off")},
		}}}
}

const asked = "{{setvar::tone::Be warm.}}\n{{setvar::pace::slow\nand sure}}\n{{setvar::loud::1}}\n{{setvar::likes::apples, books}}\n{{trim}}"

func rowOf(t testing.TB, s, id string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	for _, r := range d.Root.Get("prompts").Elems() {
		if x, _ := r.Get("identifier").Text(); x == id {
			return r
		}
	}
	return nil
}

func contentOf(t testing.TB, s, id string) string {
	c, _ := rowOf(t, s, id).Get("content").Text()
	return c
}

// TestVariables: what a choice comes to is set before any prompt, and read where the prompts read it.
func TestVariables(t *testing.T) {
	e := asking()
	out, err := preset{}.Encode(e, formats.EncodeContext{Limits: limits.Card()})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	s := string(b)
	assert.Equal(t, asked, contentOf(t, s, variablesID))
	assert.Equal(t, "{{char}}: {{getvar::tone}} {{getvar::pace}} Write as {{char}}. {{getvar::tone}} {{if {{getvar::loud}}}}x{{/if}} {{var::other}} {{var::", contentOf(t, s, "main"))
	var near []string
	for _, n := range out.Near {
		near = append(near, n.Path+": "+n.After)
	}
	assert.Equal(t, []string{"choices[5].default: not used", "choices[6].default: not used"}, near, "a default that is not there is no loss")

	d := decodePreset(t, s)
	same, err := canonical.Same(e.Body, d.Entity.Body)
	require.NoError(t, err)
	changes, _ := canonical.Diff(e.Body, d.Entity.Body)
	assert.True(t, same, "the prompt is folded back: %v", changes)
	assert.Equal(t, s, encodePreset(t, d.Entity), "unedited it stays")
	assert.Empty(t, d.Unmapped())
	d.Entity.Original = nil
	assert.Equal(t, s, encodePreset(t, d.Entity), "and does not pile up")
}

// TestVariablesEdited: an answer edited in SillyTavern is the choice's, one edited here is SillyTavern's.
func TestVariablesEdited(t *testing.T) {
	s := encodePreset(t, asking())
	there := strings.NewReplacer("tone::Be warm.", "tone::Be dry.", "pace::slow", "pace::fast", "loud::1", "loud::0", "likes::apples, books", "likes::books").Replace(s)
	d := decodePreset(t, there)
	p := d.Entity.Body.(*canonical.Preset)
	assert.Len(t, p.Prompts, 2)
	for i, want := range []string{`"a"`, `"fast\nand sure"`, "", "false", `["b"]`} {
		if want != "" {
			assert.Equal(t, want, string(p.Choices[i].Default.Raw()), "%d", i)
		}
	}
	assert.Equal(t, there, encodePreset(t, d.Entity))

	d = decodePreset(t, s)
	p = d.Entity.Body.(*canonical.Preset)
	p.Choices[0].Default = jsondoc.String("a")
	now := encodePreset(t, d.Entity)
	assert.Equal(t, strings.Replace(strings.Replace(s, "tone::Be warm.", "tone::Be dry.", 1), `"default": "b"`, `"default": "a"`, 1), now)
	p.Prompts[0].Content += " {{var::pace}}"
	assert.Contains(t, contentOf(t, encodePreset(t, d.Entity), "main"), "{{var:: {{getvar::pace}}")
	p.Choices = nil
	now = encodePreset(t, d.Entity)
	assert.Nil(t, rowOf(t, now, variablesID), "without choices nothing is set")
	assert.NotContains(t, now, "extensions.bunzai.choices")
}

// TestVariablesOdd: a prompt that says anything else is a prompt like any other, also where it has the name.
func TestVariablesOdd(t *testing.T) {
	s := encodePreset(t, asking())
	for name, edit := range map[string][2]string{
		"a word of its own": {"{{trim}}", "Hello.{{trim}}"}, "no such option": {"tone::Be warm.", "tone::Be rude."}, "a variable more": {"{{setvar::loud::1}}", "{{setvar::loud::1}}{{setvar::new::1}}"},
		"a variable less": {"{{setvar::loud::1}}", ""}, "no switch": {"loud::1", "loud::yes"}, "twice": {"{{setvar::loud::1}}", "{{setvar::loud::1}}{{setvar::loud::1}}"}, "cut": {"apples, books}}", "apples, books"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, s, edit[0])
			there := strings.Replace(s, edit[0], edit[1], 1)
			d := decodePreset(t, there)
			p := d.Entity.Body.(*canonical.Preset)
			require.Len(t, p.Prompts, 3)
			assert.Equal(t, there, encodePreset(t, d.Entity))
			content := p.Prompts[0].Content
			d.Entity.Original = nil
			fresh := encodePreset(t, d.Entity)
			assert.Equal(t, content, contentOf(t, fresh, variablesID), "it stays what it is")
			assert.Equal(t, asked, contentOf(t, fresh, variablesID+"-2"), "beside one that is set anew")
			assert.Len(t, decodePreset(t, fresh).Entity.Body.(*canonical.Preset).Prompts, 3, "which is folded back again")
		})
	}
}

// TestVariablesPlace: the prompt keeps the place and the switch that it was given in SillyTavern.
func TestVariablesPlace(t *testing.T) {
	s := encodePreset(t, asking())
	first := `{
                    "identifier": "bunzai-variables",
                    "enabled": true
                }`
	require.Contains(t, s, first)
	second := `{
                    "identifier": "main",
                    "enabled": true
                }`
	there := strings.Replace(s, first+",\n                "+second, second+",\n                "+strings.Replace(first, "true", "false", 1), 1)
	require.NotEqual(t, s, there)
	d := decodePreset(t, there)
	assert.Equal(t, there, encodePreset(t, d.Entity))
	p := d.Entity.Body.(*canonical.Preset)
	p.Prompts = append(p.Prompts, canonical.Prompt{ID: "new", Content: "n", Enabled: canonical.Ptr(true)})
	now := encodePreset(t, d.Entity)
	order := strings.Index(now, `"prompt_order"`)
	at := func(id string) int { return strings.Index(now[order:], `"`+id+`"`) }
	assert.True(t, at("main") < at(variablesID) && at(variablesID) < at("off") && at("off") < at("new"), now[order:])
}

// TestVariablesBounded: a long answer that is read often does not make the file grow without end (law 6).
func TestVariablesBounded(t *testing.T) {
	e := asking()
	p := e.Body.(*canonical.Preset)
	p.Choices[2].Options[0].Value = canonical.Ptr(strings.Repeat("{{char}} ", 100000))
	p.Prompts[0].Content = strings.Repeat("{{var::view}}", 100000)
	p.Prompts[1].Content = "{{var::view}}"
	p.Prompts = append(p.Prompts, canonical.Prompt{ID: "late", Content: "{{var::view}} {{var::tone}}", Enabled: canonical.Ptr(true)})
	s := encodePreset(t, e)
	assert.Less(t, len(s), 10<<20)
	same, err := canonical.Same(e.Body, decodePreset(t, s).Entity.Body)
	require.NoError(t, err)
	assert.True(t, same)
}
