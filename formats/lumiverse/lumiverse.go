// Package lumiverse reads and writes Lumiverse's character cards: PNG, JSON and the .charx archive with its sidecar
// lumiverse_modules.json, which holds what the app keeps beside the card (expressions, alternate texts and avatars,
// world books, regex scripts) as plain paths into the archive. Wire facts are the app's own reader and writer
// (character-card.service.ts, character-export.service.ts, charx-import.service.ts).
//
// Where the app and the design that the project follows differ:
//
//   - One escrow bucket, "lumiverse", not two: the card document as it came, and the archive as ranges of the file, the
//     sidecar among its entries. The design's hydrated "sillytavern" twin is a view that the decoder makes, never a copy;
//     so a Lumiverse card written for SillyTavern is a new card, and a SillyTavern twin is never mistaken for ours.
//   - Paths and names in an archive stay as they are; only what is new or changes its kind gets a new path. The app
//     names every picture anew. Cleaned names are made unique, where the app lets two labels share one file (Q13).
//   - The portrait is assets/icon/image/main.* where there is one: the app takes the first icon of the archive, which
//     may be an alternate avatar (Q12). When written, main stands before all other pictures.
//   - Of a PNG with both chunks, ccv3 counts, which the app passes over (Q1); a new PNG has both (Q2).
//   - Detection knows the app's further signs beside the design's nine, which the app strips from its exports (D-1, D-21).
//   - lumiverse_modules.json without a numeric version is read with a warning; the app ignores it. Version, unknown keys,
//     has_nsfw_expressions and landing_perspective_layers are kept (D-2).
//   - Groups of expressions have the wrapper "groups" in the sidecar only (D-3).
//   - Pictures are useful to the app in a .charx only (D-4): JSON and PNG cards hold them in data.assets, which the app
//     ignores; what a sidecar said is kept in extensions.lumiverse_modules, the form that LumiHub writes.
//   - World books of the sidecar are read one by one, never the merged copy in the card (D-17), and are rewritten when a
//     book changes (Q5). No book removes data.character_book, data.extensions.character_book and the world books (D-18).
//     Copies in extensions.lumiverse_modules may be stale, so they count only while the card's book says the same.
//   - Alternate texts and avatars that share a label become one variant; each row keeps its own id, and rows come back
//     where they were (D-19). What was joined is said in a warning.
//   - data.assets, which the app ignores (D-20), is written so that roles and names survive, and read where it is there.
//   - Links to the app's own rows (world_book_ids, databank_ids, image ids) mean nothing elsewhere: never written anew.
//   - Regex scripts of a card are a piece of their own. Read are the sidecar's, else those of the sidecar inside the card,
//     else the card's list in this app's shape or SillyTavern's. An archive gets them in the sidecar, where alone the app
//     looks (Q6); a card without one gets them in extensions.regex_scripts in this app's shape, which keeps flags.
//   - Flags stay what they are: no flags are no flags, where the app's own import of SillyTavern scripts makes them gi (Q7).
//   - The numbers of scripts count only where they say more than the list; scripts without flags are gi, without placement
//     ai_output, without target response, as the app takes them.
package lumiverse

import (
	"strings"

	"bunzai/formats"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// Codecs lists what this app reads and writes, in registration order.
func Codecs() []formats.Codec {
	return []formats.Codec{character{}, worldBook{}, regexFile{}, personaFile{}, preset{}}
}

const (
	label     = "Lumiverse"
	name      = "lumiverse"
	sidecar   = "lumiverse_modules.json"
	hubKey    = "lumiverse_modules" // in extensions: the sidecar inside a card
	dropped   = "Lumiverse drops it on import; the file keeps it"
	ignoresIt = "Lumiverse keeps it in the card and ignores it"
)

var app = &tavern.App{
	Name: name, Label: label, Regex: true,
	Shows: func(tag string, c formats.Container) bool {
		return c == formats.CharX && strings.HasPrefix(tag, tavern.ShortTag)
	},
	Parked: map[string]string{
		"identity.nickname":                    "Lumiverse has no such field and drops it on import; the file keeps it",
		"greetings.groupOnlyGreetings":         dropped,
		"attribution.source":                   dropped,
		"attribution.creatorNotesMultilingual": dropped,
		"attribution.createdAt":                "Lumiverse dates the character by its import; the file keeps it",
		"attribution.updatedAt":                "Lumiverse dates the character by its import; the file keeps it",
		"settings.talkativeness":               ignoresIt,
		"worldName":                            ignoresIt,
		"prompts.depthInjections":              "Lumiverse keeps SillyTavern's character note and does not inject it",
	},
	Extend:   func(s *tavern.Source, c *body) { open(s.Root, s.Variant, s.Res, s.Warn, nil).read(c) },
	Media:    func(*tavern.Draft, *body, lim) error { return nil }, // the encoder does it, with the sidecar
	Skeleton: skeleton,
	Indent: func(c formats.Container) string {
		if c == formats.PNG {
			return ""
		}
		return "  "
	},
	Known: []string{
		"data.extensions.expressions", "data.extensions.expression_groups", "data.extensions.alternate_fields", "data.extensions.alternate_avatars", "data.extensions." + hubKey,
		"extensions.expressions", "extensions.expression_groups", "extensions.alternate_fields", "extensions.alternate_avatars", "extensions." + hubKey,
	},
}

// skeleton is a new card with the app's order of members; the V3 members that the app does not write stand last. The
// null stands where a book goes and never stays.
func skeleton(v tavern.Variant) *jsondoc.Value {
	if !v.Wrapped() {
		return tavern.Skeleton(v)
	}
	root := tavern.Skeleton(v)
	data := jsondoc.Object()
	for _, n := range []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator", "creator_notes", "system_prompt", "post_history_instructions"} {
		data.Set(n, jsondoc.String(""))
	}
	data.Set("tags", jsondoc.Array())
	data.Set("alternate_greetings", jsondoc.Array())
	data.Set("character_book", jsondoc.Null())
	data.Set("character_version", jsondoc.String(""))
	data.Set("extensions", jsondoc.Object())
	if v == tavern.V3 {
		data.Set("group_only_greetings", jsondoc.Array())
	}
	root.Set("data", data)
	return root
}
