package convert_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

// stCard says something in every field that SillyTavern has.
const stCard = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ada","description":"d","personality":"p","scenario":"s","first_mes":"one","mes_example":"e",
"creator_notes":"n","system_prompt":"sys","post_history_instructions":"phi","tags":["t"],"creator":"c","character_version":"1.1","alternate_greetings":["two","three"],
"group_only_greetings":["all"],"nickname":"A","source":["https://example.org/1"],"creation_date":1700000000,"modification_date":1700000100,"creator_notes_multilingual":{"de":"hallo"},
"assets":[{"type":"icon","uri":"data:image/png;base64,%[1]s","name":"main","ext":"png"},{"type":"emotion","uri":"data:image/png;base64,%[1]s","name":"joy","ext":"png"},{"type":"background","uri":"data:image/png;base64,%[1]s","name":"sea","ext":"png"}],
"extensions":{"talkativeness":"0.4","fav":false,"world":"W","depth_prompt":{"prompt":"note","depth":3,"role":"user"},"foreign":{"x":1}},
"character_book":{"name":"B","description":"bd","scan_depth":3,"token_budget":100,"recursive_scanning":true,"extensions":{},"entries":[
{"id":7,"keys":["k","/ra?t/i"],"secondary_keys":["s"],"comment":"T","content":"c","constant":false,"selective":true,"insertion_order":5,"enabled":true,"position":"after_char","use_regex":true,
"extensions":{"position":4,"exclude_recursion":true,"display_index":1,"probability":70,"useProbability":true,"depth":2,"selectiveLogic":1,"outlet_name":"","group":"g","group_override":true,"group_weight":50,"prevent_recursion":true,"delay_until_recursion":2,"scan_depth":8,"match_whole_words":true,"use_group_scoring":false,"case_sensitive":true,"automation_id":"a","role":1,"vectorized":false,"sticky":1,"cooldown":2,"delay":3,"match_persona_description":true,"match_character_description":false,"match_character_personality":false,"match_character_depth_prompt":false,"match_scenario":false,"match_creator_notes":false,"triggers":["normal"],"ignore_budget":true}},
{"id":8,"keys":["x"],"secondary_keys":[],"comment":"O","content":"o","constant":true,"selective":false,"insertion_order":6,"enabled":false,"position":"before_char","extensions":{"position":7,"outlet_name":"deep","selectiveLogic":3,"useProbability":false,"probability":100}}]}}}`

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestLumiverseAndBack sends a card through every container of Lumiverse: all that it said is said again, the report
// names what Lumiverse itself does not use, and nothing foreign is written.
func TestLumiverseAndBack(t *testing.T) {
	e := convert.New()
	src := []byte(fmt.Sprintf(stCard, dot))
	for _, c := range []formats.Container{formats.CharX, formats.PNG, formats.JSON} {
		t.Run(string(c), func(t *testing.T) {
			first, err := e.Read(rope.Bytes(src), convert.Options{})
			require.NoError(t, err)
			require.Equal(t, "sillytavern", first.Info.ID)
			out, err := e.Emit(first, convert.Options{To: "lumiverse", Container: c})
			require.NoError(t, err)
			var lost, parked, changed []string
			for _, i := range out.Report.Items {
				switch i.Verdict {
				case convert.Lost:
					lost = append(lost, i.Path)
				case convert.Parked:
					parked = append(parked, i.Path)
				case convert.Changed:
					changed = append(changed, i.Path)
				}
			}
			assert.Equal(t, []string{"original.sillytavern.data.extensions.foreign"}, lost)
			for _, p := range []string{"identity.nickname", "settings.talkativeness", "attribution.source[0]", "attribution.createdAt", "greetings.groupOnlyGreetings[0].text", "prompts.depthInjections[0].text", "worldName", "tokenBudget"} {
				assert.Contains(t, parked, p)
			}
			if c == formats.CharX {
				assert.NotContains(t, parked, "media.assets[].role")
			} else {
				assert.Contains(t, parked, "media.assets[].role", "the app takes pictures only out of a .charx")
			}
			for _, p := range changed {
				assert.Contains(t, []string{"entries[0].triggers", "entries[0].secondaryTriggers", "entries[0].delayUntilRecursion", "entries[1].position", "entries[0].caseSensitive"}, p)
			}
			whole := string(all(t, out.Data))
			assert.NotContains(t, whole, "foreign")

			second, err := e.Read(out.Data, convert.Options{})
			require.NoError(t, err)
			assert.Equal(t, "lumiverse", second.Info.ID)
			back, err := e.Emit(second, convert.Options{To: "sillytavern", Container: formats.JSON})
			require.NoError(t, err)
			third, err := e.Read(back.Data, convert.Options{})
			require.NoError(t, err)
			sameTo(t, first.Primary.Body, third.Primary.Body)
			require.Len(t, third.Books, 1)
			sameTo(t, first.Books[0].Body, third.Books[0].Body)
			assert.NotContains(t, string(all(t, back.Data)), "lumiverse", "no leak")

			again, err := e.Emit(first, convert.Options{To: "lumiverse", Container: c})
			require.NoError(t, err)
			assert.Equal(t, whole, string(all(t, again.Data)), "the same bytes each time")
		})
	}
}

func all(t testing.TB, r *rope.Rope) []byte {
	b, err := r.Bytes()
	require.NoError(t, err)
	return b
}

// sameTo compares two bodies; "" and absent say the same, and an app may spell out its own default.
func sameTo(t testing.TB, a, b any) {
	x, y := a, b
	if c, ok := a.(*canonical.Character); ok {
		k := *c
		k.KnowledgeRefs = nil
		x = &k
	}
	if c, ok := b.(*canonical.Character); ok {
		k := *c
		k.KnowledgeRefs = nil
		y = &k
	}
	changes, err := canonical.Diff(x, y)
	require.NoError(t, err)
	for _, c := range changes {
		switch x := c.Before.(type) {
		case nil:
			continue
		case string:
			if x == "" || c.Path == "media.portrait.ext" {
				continue // the ending is the container's
			}
		case *canonical.Asset:
			if x.Blob == nil && !strings.HasPrefix(x.Ref, "http") {
				continue // a path into an archive that is not here
			}
		case canonical.Trigger:
			if strings.TrimSpace(x.Keyword) == "" {
				continue // a blank key never fires, and is not carried
			}
		case float64:
			if y, ok := c.After.(float64); ok && strings.HasPrefix(c.Path, "attribution.") && y == math.Floor(x) {
				continue // V3 dates are whole seconds
			}
		}
		assert.Fail(t, "changed on the way", "%s: %s -> %s", c.Path, canonical.Text(c.Before), canonical.Text(c.After))
	}
}

// TestLumiverseCorpus does the same with every card of the shared corpus.
func TestLumiverseCorpus(t *testing.T) {
	e := convert.New()
	files, _ := filepath.Glob(filepath.Join(shared(t, "corpus"), "*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		first, err := e.Read(rope.Bytes(b), convert.Options{})
		if err != nil || first.Info.ID != "sillytavern" {
			continue
		}
		for _, c := range []formats.Container{formats.CharX, formats.PNG, formats.JSON} {
			t.Run(strings.TrimSuffix(filepath.Base(f), filepath.Ext(f))+" "+string(c), func(t *testing.T) {
				out, err := e.Emit(first, convert.Options{To: "lumiverse", Container: c, Limits: limits.Card()})
				require.NoError(t, err)
				back, err := e.Convert(out.Data, convert.Options{To: "sillytavern", Container: formats.JSON})
				require.NoError(t, err)
				third, err := e.Read(back.Data, convert.Options{})
				require.NoError(t, err)
				sameTo(t, first.Primary.Body, third.Primary.Body)
				require.Len(t, third.Books, len(first.Books))
				for i := range first.Books {
					sameTo(t, first.Books[i].Body, third.Books[i].Body)
				}
			})
		}
	}
}
