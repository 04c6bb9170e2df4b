// Package sillytavern reads and writes SillyTavern's files: character cards (V1, flat, V2, V3 in PNG, JSON and CHARX; flat ones as YAML),
// World Info, regex scripts, persona backups, presets and templates (chat completion, samplers, instruct, context, system
// prompt, reasoning, master export) and quick replies. Wire facts are SillyTavern 1.18's own readers and writers (character-card-parser.js, characters.js,
// charx.js, world-info.js, openai.js, PromptManager.js, preset-manager.js).
//
// Where the app and the design that the project follows differ: a card's version is what its JSON says, never which
// chunk holds it, since SillyTavern writes the same object to both chunks; a new PNG gets a real V2 copy in chara beside
// ccv3; an entry without enabled counts as on (SillyTavern would switch it off); names are never sanitised inside the
// card; a book's settings, which SillyTavern drops when it turns a book into World Info, are kept.
package sillytavern

import (
	"bunzai/formats"
	"bunzai/formats/internal/tavern"
)

// Codecs lists what this app reads and writes, in registration order.
func Codecs() []formats.Codec {
	return []formats.Codec{character{}, lorebook{}, regexFile{}, persona{}, preset{}, quickReply{}}
}

const label = "SillyTavern"

const parkedV3 = "SillyTavern keeps it in the card and ignores it"

var app = &tavern.App{
	Name: "sillytavern", Label: label, Regex: true,
	Parked: map[string]string{
		"identity.nickname":                    "SillyTavern keeps it in the card, but {{char}} is always the name there",
		"greetings.groupOnlyGreetings":         parkedV3,
		"attribution.source":                   parkedV3,
		"attribution.creatorNotesMultilingual": parkedV3,
		"attribution.createdAt":                parkedV3,
		"attribution.updatedAt":                parkedV3,
	},
}
