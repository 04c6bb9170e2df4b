// Package risu reads and writes what RisuAI exchanges: character cards (PNG, JSON, the .charx archive and the .jpeg file,
// which is a picture with the archive behind it), lorebooks, regex scripts, modules, presets and personas. The substitution of bytes that its
// packed files are written in the container of modules and MessagePack lie in folders of their own. Wire facts are the app's own
// readers and writers (characterCards.ts, processzip.ts, modules.ts, lorebook.svelte.ts, scripts.ts).
//
// Where the app and the design that the project follows differ:
//
//   - extensions.risuai is mapped in every container (the design maps it in archives alone), so that Risu claims its PNG
//     and JSON cards too; see Detect for the scores.
//   - Asset links are resolved although the app would refuse: by cleaned names, letter case and file name. A missing
//     asset is a warning; the app refuses the whole card.
//   - The PNG's own picture is the portrait; the app's main icon with ccdefault: says the same.
//   - An asset without a role is x-risu-asset, the app's additional asset. Other types are kept by the app and not shown.
//   - The app throws the note of a character away when it takes a card in. A new card has the note as a marked entry of
//     its lorebook too (see note.go), and reading makes the note of it again.
//   - A depth is one from the newest message, as the decorators' spec has it; the app counts from the oldest, and a report
//     says so.
//   - A new archive has no module.risum: scripts and triggers stand in the card then, which the app reads as well. It
//     also has no x_meta, which nothing reads.
//   - A version "undefined" is none, and toggles that are an object are none: faults of the app's writer.
//   - A file of bare rows is read, although the app takes only its export: writing for Risu makes the export.
//   - @@unrecursive keeps an entry's text from waking others and @@no_recursive_search keeps it from being woken, as the
//     app's source has it.
package risu

import (
	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// Codecs lists what this app reads and writes, in registration order.
func Codecs() []formats.Codec {
	return []formats.Codec{character{}, loreFile{}, scriptFile{}, moduleFile{}, preset{}, persona{}}
}

const (
	name  = "risu"
	label = "Risu"

	ignores = "Risu keeps it with the character and ignores it"
)

var app = &tavern.App{
	Name: name, Label: label, Own: func(v tavern.Variant) fieldmap.Map[canonical.Character] { return own(v) },
	Other: "x-risu-asset", Chunks: true, CardLast: true, JPEG: true,
	Shows:    func(string, formats.Container) bool { return true },
	Skeleton: skeleton, Book: book.RisuBook,
	Extend: func(s *tavern.Source, c *canonical.Character) {
		readLists(s, c)
		readModule(s, c)
		readNote(s, c)
	},
	Known: []string{"data.extensions.risuai.emotions", "data.extensions.risuai.additionalAssets", "data.extensions.risuai.customScripts"},
	Parked: map[string]string{
		"attribution.creatorNotesMultilingual": "Risu drops it on import; the file keeps it",
		"attribution.updatedAt":                "Risu dates a card by its export; the file keeps it",
		"prompts.depthInjections":              "Risu drops the note when it takes a card in; a card from another app has it as a marked entry of its lorebook too, which Risu reads",
		"settings.talkativeness":               ignores,
		"worldName":                            ignores,
	},
}

// skeleton is a new card. An empty risuai is the app's sign: its defaults are the app's.
func skeleton(v tavern.Variant) *jsondoc.Value {
	root := tavern.Skeleton(v)
	if v.Wrapped() {
		fieldmap.Put(root, []string{"data", "extensions", "risuai"}, jsondoc.Object())
	}
	return root
}
