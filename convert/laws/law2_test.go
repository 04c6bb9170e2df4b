package laws

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
)

// Law 2: a small edit is a small diff.

// carries names, for a canonical path, the members that carry it on the wire, home and mirrors, in any spelling (case
// and underscores do not count). A path that is not here is carried by the member of its own name.
var carries = map[string]string{
	"name":                                     "name personas", // of a persona in SillyTavern's backup
	"content":                                  "description personaPrompt",
	"identity.tagline":                         "title note",
	"identity.pronounSet.subjective":           "subjective_pronoun subjective",
	"identity.pronounSet.objective":            "objective_pronoun objective",
	"identity.pronounSet.possessive":           "possessive_pronoun possessive",
	"presentation.imageUrl":                    "avatar_path",
	"chatInjection.position":                   "position description_position",
	"chatInjection.depth":                      "depth description_depth",
	"chatInjection.role":                       "role description_role",
	"replies[].message":                        "message mes",
	"replies[].hidden":                         "hidden is_hidden",
	"identity.characterVersion":                "character_version",
	"identity.description":                     "description context", // the other name of YAML cards
	"prompts.depthInjections":                  "depth_prompt",
	"greetings.firstMessage":                   "first_mes greeting",
	"greetings.alternateGreetings":             "alternate_greetings",
	"greetings.groupOnlyGreetings":             "group_only_greetings",
	"examples.exampleMessages":                 "mes_example",
	"attribution.source":                       "source",
	"attribution.creatorNotes":                 "creator_notes creatorcomment",
	"attribution.creatorNotesMultilingual":     "creator_notes_multilingual",
	"attribution.createdAt":                    "creation_date create_date created_at",
	"attribution.updatedAt":                    "modification_date updated_at",
	"discovery.tags":                           "tags",
	"worldName":                                "world",
	"media":                                    "assets",
	"globalScanDepth":                          "scan_depth",
	"globalRecursion":                          "recursive_scanning",
	"entries[].title":                          "name comment",
	"entries[].enabled":                        "enabled disable disabled",
	"entries[].triggerMode":                    "selective",
	"entries[].triggers":                       "key keys use_regex keysecondary secondary_keys", // one switch speaks for both lists
	"entries[].secondaryTriggers":              "keysecondary secondary_keys use_regex key keys",
	"entries[].caseSensitive":                  "case_sensitive triggers secondaryTriggers", // the flags of patterns, which are parked then
	"entries[].sortOrder":                      "order insertion_order order_value",
	"entries[].groupName":                      "group group_name",
	"entries[].useMemo":                        "add_memo use_memo",
	"entries[].generationTypes":                "triggers",
	"entries[].scanCharacterDescription":       "match_character_description",
	"entries[].scanCharacterPersonality":       "match_character_personality",
	"entries[].scanUserPersona":                "match_persona_description",
	"entries[].scanScenario":                   "match_scenario",
	"entries[].scanCharacterDepthPrompt":       "match_character_depth_prompt",
	"entries[].scanCreatorNotes":               "match_creator_notes",
	"entries[].marker":                         "wi_marker",
	"entries[].markerSide":                     "wi_marker_side",
	"variants[].overrides.media":               "alternate_avatars",
	"variants[].label":                         "label alternate_fields alternate_avatars",
	"variants[].overrides.identity":            "alternate_fields",
	"variants[].overrides.persona.personality": "alternate_fields",
	"variants[].overrides.persona.scenario":    "alternate_fields",
	"rules[].label":                            "scriptName name",
	"rules[].note":                             "description bunzai",
	"rules[].find":                             "findRegex find_regex",
	"rules[].flags":                            "findRegex flags bunzai metadata",
	"rules[].replace":                          "replaceString replace_string",
	"rules[].phases":                           "placement markdownOnly promptOnly bunzai metadata",
	"rules[].targets":                          "placement markdownOnly promptOnly target bunzai metadata",
	"rules[].substituteFind":                   "substituteRegex substitute_macros bunzai metadata",
	"rules[].enabled":                          "disabled",
}

// flat takes case and underscores out of a member name.
func flatName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// mayTouch reports whether a member of a document may change with the leaf.
func (l leaf) mayTouch(wirePath string) bool {
	return mayTouch(l.generic(), wirePath) || l.app == "risu" && strings.HasPrefix(wirePath, "data.") && risuMayTouch(l.generic(), wirePath)
}

// mayTouch reports whether a member of a document may change with a canonical path.
func mayTouch(generic, wirePath string) bool {
	if strings.HasPrefix(wirePath, "data[") || strings.HasPrefix(wirePath, "module.") || strings.HasPrefix(wirePath, "lorebook[") || strings.HasPrefix(wirePath, "regex[") || strings.HasPrefix(wirePath, "bunzai_lorebooks") {
		return risuMayTouch(generic, wirePath)
	}
	best, list := "", ""
	for k, v := range carries {
		if len(k) > len(best) && (generic == k || strings.HasPrefix(generic, k) && strings.ContainsAny(generic[len(k):len(k)+1], ".[")) {
			best, list = k, v
		}
	}
	if generic == "name" && strings.Contains(wirePath, "bunzai_regex_sets") {
		return true // the name of a set in a card
	}
	if best == "" {
		list = strings.Trim(regexp.MustCompile(`\[\]`).ReplaceAllString(generic, ""), ".")
		list = list[strings.LastIndexByte(list, '.')+1:]
		if strings.HasPrefix(generic, "entries[].characterFilter") {
			list = "characterFilter"
		}
	}
	for _, step := range strings.FieldsFunc(wirePath, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		for _, n := range strings.Fields(list) {
			if flatName(n) == flatName(step) {
				return true
			}
		}
	}
	return false
}

// entryOf finds the element that a wire path lies in: an entry of a book, or an asset.
var entryOf = regexp.MustCompile(`^.*\b(entries(?:\[\d+\]|\.[^.\[]+)|assets\[\d+\]|(?:regex_)?scripts\[\d+\])`)

// TestLaw2Edit changes, and clears, each populated field: on the wire only what carries it changes; all else of the
// document stays byte for byte, white space included, and so do all other chunks and archive entries.
func TestLaw2Edit(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		if s.foreign {
			t.Skip("its app cannot read this file, so another one is written")
		}
		p := read(t, s.data)
		to := convert.Options{To: p.Info.App}
		a := apart(t, s.data)
		for _, l := range allLeaves(p) {
			q := edited(p, l.piece, l.edit)
			out := emit(t, q, to)
			assert.True(t, string(out) == string(emit(t, q, to)), "%s: writing it twice gives two files", l.path)
			small(t, a, apart(t, out), l, "changed")
			back := read(t, out)
			if assert.Len(t, linked(back), len(linked(p))) {
				says, err := canonical.Diff(noRefs(body(q, l.piece)), noRefs(body(back, l.piece)))
				require.NoError(t, err)
				says = withoutFlags(says, l)
				assert.Empty(t, says, "piece %d %s: the edit is not what is read again", l.piece, l.path)
			}
			optional := false
			q = edited(p, l.piece, func(b any) { optional = l.clear(b) })
			if optional && !strings.HasSuffix(l.path, ".content") {
				small(t, a, apart(t, emit(t, q, to)), l, "cleared")
			}
		}
		again := emit(t, p, to)
		assert.Equal(t, apart(t, again).docs, a.docs, "the edits changed the entity that they started from")
	})
}

// withoutFlags leaves out what follows from the edit: the flags of bare patterns, which come from the entry's case
// switch outside Lumiverse, and the ext of a picture, which its bytes say.
func withoutFlags(ch []canonical.Change, l leaf) (out []canonical.Change) {
	for _, c := range ch {
		switch g := canonical.Generic(c.Path); {
		case l.generic() == "entries[].caseSensitive" && g == "entries[].triggers[].flags":
		case strings.HasSuffix(l.path, ".content") && strings.HasSuffix(g, ".ext"):
		case strings.HasPrefix(l.path, "variants") && strings.HasPrefix(g, "media.assets"), strings.HasPrefix(l.path, "media.assets") && strings.HasPrefix(g, "variants"):
			// one picture is both an asset and the portrait of a variant
		default:
			out = append(out, c)
		}
	}
	return out
}

func noRefs(b any) any {
	if c, ok := b.(*canonical.Character); ok {
		x := *c
		x.KnowledgeRefs, x.BehaviorRefs = nil, nil
		return &x
	}
	if p, ok := b.(*canonical.Preset); ok {
		x := *p
		x.BehaviorRefs = nil
		return &x
	}
	return b
}

// small asserts that two files differ only where the leaf is carried.
func small(t testing.TB, a, b wire, l leaf, what string) {
	t.Helper()
	if strings.HasPrefix(l.path, "media.portrait") || strings.Contains(l.path, "content") {
		onlyPicture(t, a, b, l)
	} else {
		sameRest(t, a, b)
	}
	if !assert.Equal(t, names(a.docs), names(b.docs), "%s %s", l.path, what) {
		return
	}
	for i := range a.docs {
		d := compare(t, a.docs[i].text, b.docs[i].text)
		entries := map[string]bool{}
		for _, path := range d.paths() {
			if strings.Contains(path, "assets[") {
				if strings.HasPrefix(path, "module.assets[") { // [name, id, ext]
					path = strings.NewReplacer("][0]", "].name", "][2]", "].ext").Replace(path)
				}
				assert.Contains(t, assetMembers(l), path[strings.LastIndexByte(path, '.')+1:], "%s %s, and with it %s", l.path, what, path)
			}
			assert.True(t, l.mayTouch(path), "piece %d %s %s, and with it %s: %s", l.piece, l.path, what, a.docs[i].name, path)
			if m := entryOf.FindStringSubmatch(path); m != nil {
				entries[m[1]] = true // a copy of the book in another slot has the entry too
			}
		}
		assert.True(t, len(entries) < 2 || l.app == "risu" && l.generic() == "categories[].id", "piece %d %s %s: several entries change: %v", l.piece, l.path, what, entries)
		assert.True(t, len(d.gone)+len(d.added) > 0 || d.layout, "piece %d %s %s: the layout changes", l.piece, l.path, what)
		if n := changedLines(a.docs[i].text, b.docs[i].text); strings.Contains(a.docs[i].text, "\n") {
			room := 2*len(d.paths()) + 1
			if strings.Contains(strings.Join(d.added, " "), "bunzai") {
				room += 4 // the objects and lists around what is parked
			}
			assert.LessOrEqual(t, n, room, "piece %d %s %s: lines change that hold nothing of it", l.piece, l.path, what)
		}
	}
}

// assetMembers are the members of an asset's element that carry the leaf.
func assetMembers(l leaf) []string {
	switch name := l.path[strings.LastIndexByte(l.path, '.')+1:]; name {
	case "content":
		return []string{"uri", "ext"}
	default:
		return []string{name}
	}
}

// changedLines counts the lines between the first and the last that differ.
func changedLines(a, b string) int {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	have := map[string]int{}
	for _, l := range x {
		have[strings.TrimRight(l, ",\r")]++
	}
	n := 0
	for _, l := range y {
		if k := strings.TrimRight(l, ",\r"); have[k] > 0 {
			have[k]--
		} else {
			n++
		}
	}
	return n
}

// onlyPicture asserts that of the other parts only one (and a PNG's pixels) changed.
func onlyPicture(t testing.TB, a, b wire, l leaf) {
	t.Helper()
	have := map[part]int{}
	for _, p := range b.rest {
		have[p]++
	}
	if a.doc("chara")+a.doc("ccv3")+a.doc("persona") != "" {
		return // the whole picture of a PNG is another one now
	}
	var gone []string
	for _, p := range withoutGoneMeta(a, b).rest {
		if have[p]--; have[p] < 0 {
			gone = append(gone, p.name)
		}
	}
	for _, n := range gone {
		assert.True(t, strings.HasPrefix(n, "assets/") && len(gone) == 1 || n == "prefix" && l.app == "risu" || strings.HasPrefix(n, "assets/") && l.app == "risu" && len(gone) == 2 && gone[1] == "prefix", "%s edited, and with it the entries %v", l.path, gone)
	}
}

// withoutGoneMeta leaves out of a what Risu noted of a picture (x_meta/, right before the picture) where b has neither
// that nor the picture as it was.
func withoutGoneMeta(a, b wire) wire {
	have := map[part]bool{}
	for _, p := range b.rest {
		have[p] = true
	}
	out := wire{docs: a.docs}
	for i, p := range a.rest {
		if strings.HasPrefix(p.name, "x_meta/") && !have[p] && i+1 < len(a.rest) && !have[a.rest[i+1]] {
			continue
		}
		out.rest = append(out.rest, p)
	}
	return out
}
