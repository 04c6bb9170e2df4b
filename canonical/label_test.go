package canonical

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLabel(t *testing.T) {
	c := &Character{
		Greetings: Greetings{AlternateGreetings: []Greeting{{}, {Title: Ptr("At sea")}, {}}},
		Media:     Media{Assets: []*Asset{{Role: RoleEmotion, Name: Ptr("happy")}, {Role: RoleOther, Blob: RawBlob(nil, "audio/mpeg")}}},
		Variants:  []*Variant{{ID: "v1", Label: Ptr("Evil")}},
	}
	for path, want := range map[string]string{
		"identity.name":                                 "Name",
		"greetings.firstMessage":                        "First message",
		"greetings.alternateGreetings[2]":               "Alternate greeting 3",
		"greetings.alternateGreetings[2].text":          "Alternate greeting 3",
		"greetings.alternateGreetings[1].title":         `Alternate greeting 2 "At sea": title`,
		"greetings.alternateGreetings[+7]":              "Alternate greeting 8 (added)",
		"greetings.alternateGreetings[9].text":          "Alternate greeting 10",
		"media.assets[0]":                               `Emotion picture "happy"`,
		"media.assets[0].content":                       `Emotion picture "happy": content`,
		"media.assets[1].name":                          "Other sound 2: name",
		"media.portrait.content":                        "Portrait: content",
		"variants[0].overrides.persona.scenario":        `Variant 1 "Evil": scenario`,
		"variants[0].overrides.media.portrait":          `Variant 1 "Evil": portrait`,
		"attribution.creatorNotesMultilingual.fr":       "Creator's notes in fr",
		`persona.structured.attributes["Eye color"][1]`: `Attribute "Eye color": value 2`,
		"persona.voice.rate":                            "Voice: speed",
		"discovery.tags[0]":                             "Tag 1",
		"no.such[1].path":                               "no.such[1].path",
		"identity.mood":                                 "identity.mood",
		"](":                                            "](",
	} {
		require.Equal(t, want, Label(c, path))
	}
	b := &Lorebook{Entries: []*Entry{3: {Title: Ptr("Clock"), Triggers: []Trigger{{Keyword: "tick"}}}}}
	require.Equal(t, `Lorebook entry 4 "Clock": position`, Label(b, "entries[3].position"))
	require.Equal(t, `Lorebook entry 4 "Clock"`, Label(b, "entries[3]"))
	require.Equal(t, `Lorebook entry 4 "Clock": keyword 1 "tick": is a pattern`, Label(b, "entries[3].triggers[0].isRegex"))
	require.Equal(t, "Lorebook entry 1: position", Label(b, "entries[0].position"))
	require.Equal(t, "entries", Label(nil, "entries"))
}

// Every path that Diff or Walk can give has words, and the table has no words for what is no path.
func TestEveryPathHasWords(t *testing.T) {
	for _, k := range Kinds() {
		table := wordsOf(k)
		seen := map[string]bool{}
		eachPath(planOf(reflect.TypeOf(NewBody(k)).Elem()), "", func(path string, p *plan, _ bool) {
			seen[path] = true
			if p.op != opStruct || path[len(path)-1] == ']' {
				require.Contains(t, table, path, "%s", k)
			}
		})
		for path := range table {
			require.True(t, seen[path], "%s has words for %s, which is no path", k, path)
		}
	}
}
