package laws

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/jsondoc"
	"bunzai/testdata/samples"
)

// asks is a preset of an app whose choices do more than Lumiverse's or SillyTavern's can.
func asks() *canonical.Preset {
	s := canonical.Ptr[string]
	return &canonical.Preset{Name: "x", Prompts: []canonical.Prompt{{ID: "main", Name: "Main", Content: "{{var::tone}}", MarkerSlot: s("main"), Enabled: canonical.Ptr(true)}, {ID: "extra", Name: "E", Content: "e", Enabled: canonical.Ptr(false)}},
		Choices: []canonical.Choice{{ID: "c1", Key: s("tone"), Label: "Tone", Readme: s("how"), Type: canonical.ChoiceOne, Default: jsondoc.String("b"), Min: canonical.Ptr(1.0), Placeholder: s("pick"), Suggestions: []string{"dry", "warm"}, RandomPick: canonical.Ptr(true), SortOrder: canonical.Ptr(3.0),
			Options: []canonical.ChoiceOption{{ID: "a", Label: "A", Value: s("Be dry."), Description: s("d")}, {ID: "b", Label: "B", Value: s("Be warm."), EnablesPrompts: []string{"extra"}, Set: canonical.Map[*jsondoc.Value]{{Key: "local:mood", Value: jsondoc.String("warm")}, {Key: "global:n", Value: jsondoc.Int(1)}}}}}}}
}

// TestChoices: choices go through Lumiverse and SillyTavern and back whole, what an app does not do is told, and the
// prompt that sets the answers in SillyTavern never comes to stand there twice.
func TestChoices(t *testing.T) {
	for _, start := range []string{"lumiverse", "sillytavern"} {
		t.Run(start, func(t *testing.T) {
			body := asks()
			out, err := convert.New().Emit(fresh(body), convert.Options{To: start})
			require.NoError(t, err)
			said := map[string]convert.Verdict{}
			for _, i := range out.Report.Items {
				said[canonical.Generic(i.Path)] = i.Verdict
			}
			for _, p := range []string{"choices[].min", "choices[].suggestions[]", "choices[].options[].enablesPrompts[]", "choices[].options[].set.*"} {
				assert.Equal(t, convert.Parked, said[p], "%s in %v", p, said)
			}
			assert.Equal(t, convert.Carried, said["choices[].default"])
			data := bytesOf(t, out.Data)
			for range 2 {
				for _, app := range []string{"lumiverse", "sillytavern"} {
					_, data = convertTo(t, data, convert.Options{To: app})
					p := presetBody(t, data)
					require.Len(t, p.Choices, 1)
					c := p.Choices[0]
					c.Extras = nil
					same, err := canonical.Same(&body.Choices[0], &c)
					require.NoError(t, err)
					assert.True(t, same, "%s: %s", app, raw(canonical.MarshalBody(&c)))
					assert.Equal(t, "{{var::tone}}", p.Prompts[0].Content)
					if app == "sillytavern" {
						assert.Equal(t, 1, strings.Count(string(data), "{{setvar::tone::Be warm.}}"))
						assert.Equal(t, 1, strings.Count(string(data), `"{{getvar::tone}}"`))
					} else {
						assert.NotContains(t, string(data), "{{setvar")
						assert.NotContains(t, string(data), "{{getvar")
					}
				}
			}
		})
	}
}

// TestLumiverseVariables: default and chosen value of a Lumiverse variable both come home from SillyTavern.
func TestLumiverseVariables(t *testing.T) {
	for _, s := range samples.All() {
		if s.Name != "preset-lumi.json" {
			continue
		}
		_, st := convertTo(t, s.Data, convert.Options{To: "sillytavern"})
		_, back := convertTo(t, st, convert.Options{To: "lumiverse"})
		was, now := root(t, s.Data), root(t, back)
		for _, name := range []string{"tone", "pace"} {
			assert.Equal(t, raw(was.At("promptVariables", "b-main", name)), raw(now.At("promptVariables", "main", name)), "%s, under the name that SillyTavern has for the block", name)
		}
		a, b := was.Get("blocks").Elem(0).Get("variables"), now.Get("blocks").Elem(0).Get("variables")
		require.Equal(t, a.Len(), b.Len())
		for i, v := range a.Elems() {
			for k, x := range v.Members() {
				if k != "zq" && k != "options" {
					assert.True(t, jsondoc.Equal(x, b.Elem(i).Get(k)), "%d.%s: %s", i, k, raw(b.Elem(i).Get(k)))
				}
			}
		}
	}
}
