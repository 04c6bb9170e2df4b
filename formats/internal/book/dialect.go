// Package book is the field map of lorebook entries as the Tavern family of apps writes them: the character_book
// inside a card and the standalone files, in the dialects of SillyTavern and Lumiverse. Apps share the names and
// disagree on where a value stands, on numbers for words, and on what they read; a Dialect says which.
package book

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Dialect is one way of writing entries. Make them once with the package's variables; they hold no state.
type Dialect struct {
	Name string // "sillytavern", "lumiverse": the app that reads it
	File bool   // a standalone file, not a character_book

	top      bool              // values stand beside the entry's members before its extensions
	home     map[string]string // canonical path -> wire path, where the general rule does not give it
	logic    []fieldmap.Word
	position []fieldmap.Word
	roleText bool
	parked   map[string]string // canonical path -> why the app ignores it
	boolOnly bool              // recursion delay is a switch
	regexKey bool              // use_regex makes every key a bare pattern
	object   bool              // entries is an object keyed by uid
	ext      string            // Risu: the member for what is not the app's own; "" for other apps
}

var (
	roles = []fieldmap.Word{{Canon: "system", Num: 0}, {Canon: "user", Num: 1}, {Canon: "assistant", Num: 2}}

	stLogic = []fieldmap.Word{{Canon: canonical.LogicAndAny, Num: 0}, {Canon: canonical.LogicNotAll, Num: 1}, {Canon: canonical.LogicNotAny, Num: 2}, {Canon: canonical.LogicAndAll, Num: 3}}
	lvLogic = []fieldmap.Word{{Canon: canonical.LogicAndAll, Num: 0}, {Canon: canonical.LogicNotAny, Num: 1}, {Canon: canonical.LogicAndAny, Num: 2}, {Canon: canonical.LogicNotAll, Num: 3}}

	basePositions = []fieldmap.Word{
		{Canon: canonical.PosWorld, Num: 0, Text: "before_char"}, {Canon: canonical.PosCharacter, Num: 1, Text: "after_char"},
		{Canon: canonical.PosAuthorNoteTop, Num: 2, Text: "before_an"}, {Canon: canonical.PosAuthorNoteBottom, Num: 3, Text: "after_an"},
		{Canon: canonical.PosDepth, Num: 4, Text: "at_depth"},
		{Canon: canonical.PosBeforeExample, Num: 5, Text: "before_em"}, {Canon: canonical.PosAfterExample, Num: 6, Text: "after_em"},
	}
	stPositions = append(basePositions[:7:7], fieldmap.Word{Canon: canonical.PosOutlet, Num: 7, Text: "outlet"})
	lvPositions = append(basePositions[:7:7], fieldmap.Word{Canon: canonical.PosMarker, Num: 7, Text: "marker"}, fieldmap.Word{Canon: canonical.PosOutlet, Num: 8, Text: "outlet"})
)

const (
	stIgnoresBook = "SillyTavern keeps it in the card's embedded book but drops it when the book becomes World Info"
	stIgnoresFile = "SillyTavern keeps the key in the file and ignores it"
	lvIgnores     = "Lumiverse keeps it in the entry's extensions and ignores it"
)

var lvParked = map[string]string{
	"useGroupScoring": lvIgnores, "generationTypes": lvIgnores, "characterFilter": lvIgnores, "ignoreBudget": lvIgnores,
	"displayIndex": lvIgnores, "useMemo": lvIgnores, "comment": lvIgnores,
	"scanCharacterDescription": lvIgnores, "scanCharacterPersonality": lvIgnores, "scanUserPersona": lvIgnores,
	"scanScenario": lvIgnores, "scanCharacterDepthPrompt": lvIgnores, "scanCreatorNotes": lvIgnores,
}

// Tavern is the character_book of V2 and V3 cards as SillyTavern reads and writes it (convertCharacterBook in its
// world-info.js): extras in the entry's extensions, snake_case but for selectiveLogic and useProbability.
var Tavern = &Dialect{
	Name: "sillytavern", logic: stLogic, position: stPositions,
	home: map[string]string{
		"selectiveLogic": "extensions.selectiveLogic", "useProbability": "extensions.useProbability",
		"constant": "constant", "triggerMode": "selective", "sortOrder": "insertion_order", "priority": "priority",
	},
	parked: map[string]string{
		"priority": stIgnoresBook, "characterFilter": stIgnoresBook, "marker": stIgnoresBook, "markerSide": stIgnoresBook,
		"useMemo": stIgnoresBook, "comment": stIgnoresBook,
	},
}

// WorldInfo is SillyTavern's World Info file: entries keyed by uid, camelCase, newWorldInfoEntryDefinition.
var WorldInfo = &Dialect{
	Name: "sillytavern", File: true, top: true, logic: stLogic, position: stPositions, object: true,
	home: map[string]string{
		"triggerMode": "selective", "sortOrder": "order", "groupName": "group", "useMemo": "addMemo",
		"scanCharacterDescription": "matchCharacterDescription", "scanCharacterPersonality": "matchCharacterPersonality",
		"scanUserPersona": "matchPersonaDescription", "scanScenario": "matchScenario",
		"scanCharacterDepthPrompt": "matchCharacterDepthPrompt", "scanCreatorNotes": "matchCreatorNotes",
		"generationTypes": "triggers", "marker": "extensions.wi_marker", "markerSide": "extensions.wi_marker_side",
		"caseSensitive": "caseSensitive", "matchWholeWords": "matchWholeWords", "scanDepth": "scanDepth",
		"outletName": "outletName", "groupWeight": "groupWeight", "groupOverride": "groupOverride",
		"useGroupScoring": "useGroupScoring", "selectiveLogic": "selectiveLogic", "useProbability": "useProbability",
		"excludeRecursion": "excludeRecursion", "preventRecursion": "preventRecursion", "delayUntilRecursion": "delayUntilRecursion",
		"ignoreBudget": "ignoreBudget", "automationId": "automationId", "displayIndex": "displayIndex",
		"characterFilter": "characterFilter", "priority": "extensions.priority", // the app's entry has no such member
	},
	parked: map[string]string{"priority": stIgnoresFile, "marker": stIgnoresFile, "markerSide": stIgnoresFile, "comment": stIgnoresFile},
}

// LumiverseBook is the character_book of a Lumiverse card: number positions and text roles beside the entry's
// members, its own numbers for the selective logic.
var LumiverseBook = &Dialect{
	Name: "lumiverse", logic: lvLogic, position: lvPositions, roleText: true, boolOnly: true, regexKey: true,
	home: map[string]string{
		"constant": "constant", "triggerMode": "selective", "sortOrder": "insertion_order", "depth": "depth", "role": "role",
		"caseSensitive": "case_sensitive", "matchWholeWords": "match_whole_words", "groupName": "group",
	},
	parked: lvParked,
}

// LumiverseWorldBook is Lumiverse's own world book (type lumiverse_world_book), also inside lumiverse_modules.json.
var LumiverseWorldBook = &Dialect{
	Name: "lumiverse", File: true, top: true, logic: lvLogic, position: lvPositions, roleText: true, boolOnly: true, regexKey: true,
	home: map[string]string{
		"triggerMode": "selective", "sortOrder": "order_value", "groupName": "group_name",
		"useGroupScoring": "extensions.use_group_scoring", "generationTypes": "extensions.triggers",
		"characterFilter": "extensions.characterFilter", "ignoreBudget": "extensions.ignore_budget",
		"displayIndex": "extensions.display_index", "useMemo": "extensions.add_memo",
		"scanCharacterDescription": "extensions.match_character_description", "scanCharacterPersonality": "extensions.match_character_personality",
		"scanUserPersona": "extensions.match_persona_description", "scanScenario": "extensions.match_scenario",
		"scanCharacterDepthPrompt": "extensions.match_character_depth_prompt", "scanCreatorNotes": "extensions.match_creator_notes",
	},
	parked: lvParked,
}

// OfBook tells the dialect of an embedded book that does not say which app wrote it: Lumiverse gives number
// positions beside snake_case logic in extensions; anything else is the Tavern family's.
func OfBook(book *jsondoc.Value) *Dialect {
	for _, e := range book.Get("entries").Elems() {
		if e.Get("position").Kind() == jsondoc.KindNumber && e.At("extensions", "selective_logic") != nil && e.At("extensions", "uid") != nil {
			return LumiverseBook
		}
	}
	return Tavern
}

// OfFile tells the dialect of a standalone lorebook.
func OfFile(root *jsondoc.Value) *Dialect {
	if t, _ := root.Get("type").Text(); t == "lumiverse_world_book" {
		return LumiverseWorldBook
	}
	entries := root.Get("entries")
	if entries.Kind() == jsondoc.KindObject {
		for _, e := range entries.Members() {
			_, roleText := e.Get("role").Text()
			if e.Get("key") == nil && e.Get("keys") != nil && (roleText || e.Get("selective_logic") != nil || e.Get("use_regex") != nil) {
				return LumiverseBook // Lumiverse's "sillytavern" export, which SillyTavern cannot read
			}
		}
		return WorldInfo
	}
	return OfBook(root)
}

// names are all spellings of a field, snake_case first.
var names = map[string][]string{
	"constant": {"constant"}, "triggerMode": {"selective"}, "selectiveLogic": {"selective_logic", "selectiveLogic"},
	"caseSensitive": {"case_sensitive", "caseSensitive"}, "matchWholeWords": {"match_whole_words", "matchWholeWords"},
	"scanDepth": {"scan_depth", "scanDepth"}, "depth": {"depth"}, "role": {"role"},
	"outletName": {"outlet_name", "outletName"}, "marker": {"wi_marker"}, "markerSide": {"wi_marker_side"},
	"sortOrder": {"insertion_order", "order", "order_value"}, "priority": {"priority"},
	"sticky": {"sticky"}, "cooldown": {"cooldown"}, "delay": {"delay"},
	"groupName": {"group", "group_name", "groupName"}, "groupWeight": {"group_weight", "groupWeight"},
	"groupOverride": {"group_override", "groupOverride"}, "useGroupScoring": {"use_group_scoring", "useGroupScoring"},
	"probability": {"probability", "risu_activationPercent"}, "useProbability": {"use_probability", "useProbability"},
	"useMemo": {"add_memo", "addMemo", "use_memo"}, "excludeRecursion": {"exclude_recursion", "excludeRecursion"},
	"preventRecursion": {"prevent_recursion", "preventRecursion"}, "delayUntilRecursion": {"delay_until_recursion", "delayUntilRecursion"},
	"ignoreBudget": {"ignore_budget", "ignoreBudget"}, "characterFilter": {"characterFilter", "character_filter"},
	"generationTypes":          {"triggers"},
	"scanCharacterDescription": {"match_character_description", "matchCharacterDescription", "scanCharacterDescription"},
	"scanCharacterPersonality": {"match_character_personality", "matchCharacterPersonality", "scanCharacterPersonality"},
	"scanUserPersona":          {"match_persona_description", "matchPersonaDescription", "scanUserPersona"},
	"scanScenario":             {"match_scenario", "matchScenario", "scanScenario"},
	"scanCharacterDepthPrompt": {"match_character_depth_prompt", "matchCharacterDepthPrompt"},
	"scanCreatorNotes":         {"match_creator_notes", "matchCreatorNotes"},
	"vectorized":               {"vectorized"}, "automationId": {"automation_id", "automationId"},
	"displayIndex": {"display_index", "displayIndex"},
}

// paths lists the wire paths of a field in this dialect, home first, then every other spelling that is read.
func (d *Dialect) paths(field string) []string {
	var out []string
	seen := map[string]bool{}
	add := func(p string) {
		if p != "" && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	add(d.home[field])
	levels := []string{"extensions.", ""}
	if d.top {
		levels = []string{"", "extensions."}
	}
	for _, l := range levels {
		for _, n := range names[field] {
			add(l + n)
		}
	}
	return out
}

func (d *Dialect) reads(field string) (bool, string) {
	why, parked := d.parked[field]
	return !parked, why
}

// parkPath is where a value goes that the app has no field for.
func parkPath(field string) string { return "extensions.bunzai." + field }

func hasSTExtras(e *jsondoc.Value) bool {
	x := e.Get("extensions")
	return x.Get("position").Kind() == jsondoc.KindNumber || x.Get("useProbability") != nil || x.Get("selectiveLogic") != nil
}

func isWord(s string) bool { return strings.TrimSpace(s) != "" }
