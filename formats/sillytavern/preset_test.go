package sillytavern

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

func decodePreset(t testing.TB, s string) *formats.Decoded {
	t.Helper()
	in, err := formats.Open(rope.Bytes([]byte(s)), "", limits.Card())
	require.NoError(t, err)
	d, err := preset{}.Decode(in)
	require.NoError(t, err)
	return d
}

func encodePreset(t testing.TB, e *canonical.Entity) string {
	t.Helper()
	out, err := preset{}.Encode(e, formats.EncodeContext{Limits: limits.Card()})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b)
}

// TestPresetOrderThatCounts: 100001, else 100000, else the longest; a flat list is one.
func TestPresetOrderThatCounts(t *testing.T) {
	list := func(id string, ids ...string) string {
		s := ""
		for i, x := range ids {
			if i > 0 {
				s += ","
			}
			s += `{"identifier":"` + x + `","enabled":true}`
		}
		return `{"character_id":` + id + `,"order":[` + s + `]}`
	}
	for _, c := range []struct{ name, order, first string }{
		{"the global one", list("100000", "a", "b", "c") + "," + list("100001", "b"), "b"},
		{"as a text", list("7", "a", "b", "c") + "," + list(`"100001"`, "b"), "b"},
		{"the older one", list("7", "a", "b", "c") + "," + list("100000", "c"), "c"},
		{"an empty global one", list("100001") + "," + list("100000", "c"), "c"},
		{"the longest", list("7", "a") + "," + list("8", "c", "b") + "," + list("9", "b"), "c"},
		{"flat", `{"identifier":"c","enabled":true}`, "c"},
		{"none", "", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := `{"temperature":1,"prompts":[{"identifier":"a","content":"x"},{"identifier":"b","content":"y"},{"identifier":"c","content":"z"}],"prompt_order":[` + c.order + `]}`
			d := decodePreset(t, s)
			p := d.Entity.Body.(*canonical.Preset)
			assert.Equal(t, c.first, p.Prompts[0].ID)
			assert.Len(t, p.Prompts, 3)
			assert.Equal(t, s, encodePreset(t, d.Entity))
		})
	}
}

// TestPresetHeadings tells headings from prompts.
func TestPresetHeadings(t *testing.T) {
	for _, c := range []struct {
		name, content, want string
	}{
		{"━━ Style ━━", "", "Style"}, {"━Style", "", "Style"}, {"──Style──", "", "Style"}, {"-- Style --", "", ""}, {"━━ Style", "text", ""},
		{"━━━━", "", "━━━━"}, {"a ─ b", "", ""}, {"=== Style ===", "", "Style"}, {"=== Style ===", "text", ""}, {"<Style>", "", ""},
	} {
		d := decodePreset(t, fmt.Sprintf(`{"temperature":1,"prompts":[{"identifier":"h","name":%q,"content":%q},{"identifier":"p","name":"P","content":"p"}]}`, c.name, c.content))
		p := d.Entity.Body.(*canonical.Preset)
		if c.want == "" {
			assert.Empty(t, p.Groups, c.name)
			continue
		}
		require.Len(t, p.Groups, 1, c.name)
		assert.Equal(t, c.want, p.Groups[0].Name)
		assert.Equal(t, "h", canonical.Or(p.Prompts[0].GroupID, ""))
	}
	for old, want := range map[string]string{"━━ Style ━━": "━━ New ━━", "━Style": "━New", "=== Style ===": "=== New ===", "<Style>": "<New>", "━━━━": "━━ New"} {
		assert.Equal(t, want, headingName(old, "New"))
	}
}

// TestPresetTexts: numbers and switches that are texts are read, and stay texts.
func TestPresetTexts(t *testing.T) {
	s := `{"temperature":"0.70","top_p":" 1 ","openai_max_tokens":"","stream_openai":"true","presence_penalty":null,"top_k":"many"}`
	d := decodePreset(t, s)
	p := d.Entity.Body.(*canonical.Preset)
	assert.Equal(t, []float64{0.7, 1}, []float64{*p.Samplers.Temperature, *p.Samplers.TopP})
	assert.Nil(t, p.Samplers.MaxTokens)
	assert.Nil(t, p.Samplers.PresencePenalty)
	assert.Nil(t, p.Samplers.TopK)
	assert.True(t, *p.APIOptions.StreamResponses)
	assert.NotEmpty(t, d.Warnings)
	assert.Equal(t, s, encodePreset(t, d.Entity))
	p.Samplers.Temperature, p.APIOptions.StreamResponses = canonical.Ptr(0.5), canonical.Ptr(false)
	assert.Equal(t, `{"temperature":"0.5","top_p":" 1 ","openai_max_tokens":"","stream_openai":"false","presence_penalty":null,"top_k":"many"}`, encodePreset(t, d.Entity))
}

// TestPresetRough: what SillyTavern has no word for goes to the nearest, and the exact one comes back.
func TestPresetRough(t *testing.T) {
	e := &canonical.Entity{Kind: canonical.KindPreset, ID: "x", Body: &canonical.Preset{Name: "x", Prompts: []canonical.Prompt{
		{ID: "a", Content: "x", Role: canonical.Ptr("tool"), Placement: canonical.Ptr(canonical.PlaceAppend)}, {ID: "b", Content: "y", Placement: canonical.Ptr(canonical.PlacePrependPreset)}}}}
	out, err := preset{}.Encode(e, formats.EncodeContext{Limits: limits.Card()})
	require.NoError(t, err)
	assert.Len(t, out.Near, 3)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	assert.Contains(t, string(b), `"role": "system"`)
	assert.Contains(t, string(b), `"injection_position": 1`)
	back := decodePreset(t, string(b)).Entity.Body.(*canonical.Preset)
	assert.Equal(t, "tool append prepend_preset", *back.Prompts[0].Role+" "+*back.Prompts[0].Placement+" "+*back.Prompts[1].Placement)
}
