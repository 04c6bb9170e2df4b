package formats

import (
	"bytes"
	"strings"

	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// known is a file of another app by its shape. Signs are members that must all be there, separated by spaces: a name
// alone, name:kind (object, array, text, number), name=value, or !name for one that must not be there.
type known struct {
	words string
	signs string
}

// objects are JSON files whose root is an object; the first that fits counts, so exact shapes stand before loose ones.
// They serve messages only: a codec that claims a file never asks here.
var objects = []known{
	{"a NovelAI lorebook", "lorebookVersion:number entries:array"},
	{"a NovelAI scenario", "scenarioVersion:number"},
	{"a NovelAI story", "storyContainerVersion:number"},
	{"a NovelAI preset", "presetVersion:number parameters:object"},
	{"an Agnai memory book", "kind=memory"},
	{"an Agnai character", "kind=character persona:object greeting:text"},
	{"a RoleCall lorebook", "schemaVersion lorebook:object"},
	{"a RoleCall persona", "spec=rolecall_persona"},
	{"a RoleCall preset", "macro_engine_yaml:text"},
	{"a RoleCall preset", "choice_groups:array"},
	{"a RoleCall regex set", "rules:array"},
	{"a Marinara regex set", "type=marinara_regex"},
	{"a Marinara lorebook", "type=marinara_lorebook"},
	{"a Marinara preset", "type=marinara_preset"},
	{"a Marinara persona", "type=marinara_persona"},
	{"a Marinara character", "type=marinara_character"},
	{"a Lumiverse preset without its blocks", "type=lumiverse_preset"},
	{"a Lumiverse library wrapper", "type:text exportedAt data:object"},
	{"a Backyard (Faraday) character", "aiName:text"},
	{"a Backyard (Faraday) character", "aiPersona:text"},
	{"a Backyard (Faraday) character", "aiDisplayName:text"},
	{"a Backyard (Faraday) character", "customDialogue:text"},
	{"a Pygmalion character", "char_name char_persona"},
	{"a Pygmalion character", "char_persona char_greeting"},
	{"a Pygmalion character", "char_persona world_scenario"},
	{"a Pygmalion character", "char_greeting world_scenario"},
	{"a Risu memory preset", "type=risu data:object"},
	{"a Risu preset", "promptTemplate:array"},
	{"a Risu preset", "presetRegex:array"},
	{"a SillyTavern theme", "main_text_color blur_strength"},
	{"SillyTavern's settings file", "power_user:object"},
	{"a SillyTavern group", "members:array chat_id"},
	{"a SillyTavern chat", "chat_metadata:object"},
	{"a set of NovelAI generation parameters of another tool", "repetition_penalty tail_free_sampling"},
	{"a persona note", "name:text persona:text"},
	{"a Character Card V3 lorebook", "spec=lorebook_v3"},
}

// lists are JSON files whose root is an array; the signs are those of its first element.
var lists = []known{
	{"a list of Marinara regex scripts", "id findRegex"},
	{"a list of lorebook entries", "keys content"},
	{"a list of World Info entries", "key content"},
	{"a list of characters", "spec data:object"},
	{"a SillyTavern chat", "mes is_user"},
	{"a list of prompts", "role content"},
	{"SillyTavern's list of logit biases", "text:text value:number"},
}

// KnownJSON says in words which other app's file a JSON document is, "" for none that is known.
func KnownJSON(root *jsondoc.Value) string {
	table := objects
	switch root.Kind() {
	case jsondoc.KindArray:
		table, root = lists, root.Elem(0)
	case jsondoc.KindObject:
	default:
		return ""
	}
	for _, k := range table {
		if fits(root, k.signs) {
			return k.words
		}
	}
	return ""
}

func fits(v *jsondoc.Value, signs string) bool {
	if v.Kind() != jsondoc.KindObject {
		return false
	}
	for _, s := range strings.Fields(signs) {
		if name, ok := strings.CutPrefix(s, "!"); ok {
			if v.Has(name) {
				return false
			}
			continue
		}
		if name, want, ok := strings.Cut(s, "="); ok {
			if t, _ := v.Get(name).Text(); t != want {
				return false
			}
			continue
		}
		name, kind, _ := strings.Cut(s, ":")
		m := v.Get(name)
		switch kind {
		case "":
			if m == nil || m.IsNull() {
				return false
			}
		case "object":
			if m.Kind() != jsondoc.KindObject {
				return false
			}
		case "array":
			if m.Kind() != jsondoc.KindArray {
				return false
			}
		case "text":
			if m.Kind() != jsondoc.KindString {
				return false
			}
		case "number":
			if m.Kind() != jsondoc.KindNumber {
				return false
			}
		}
	}
	return true
}

// magics are files by their first bytes. A file with advice is no card in any version.
var magics = []struct{ head, words, advice string }{
	{"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it and choose the card inside"},
	{"Rar!\x1a\x07", "a RAR archive", "unpack it and choose the card inside"},
	{"\x1f\x8b", "a gzip file", "unpack it and choose the card inside"},
	{"\xfd7zXZ\x00", "an xz file", "unpack it and choose the card inside"},
	{"BZh", "a bzip2 file", "unpack it and choose the card inside"},
	{"\x28\xb5\x2f\xfd", "a Zstandard file", "unpack it and choose the card inside"},
	{"SQLite format 3\x00", "an SQLite database", ""},
	{"MZ", "a Windows program", "no card comes as a program; do not run it"},
	{"\x7fELF", "a Linux program", "no card comes as a program; do not run it"},
	{"RISUSAVE", "a Risu save file", ""},
}

// Known says what a file is that no format claims, for the message: words is "" when it is nothing known. Advice is
// what to do; "" means that a later version may read it.
func Known(in *Input) (words, advice string) {
	switch in.Kind {
	case "json":
		if d, err := in.Doc(); err == nil {
			return KnownJSON(d.Root), ""
		}
		return chatLog(in.Source), ""
	case "zip":
		return knownZIP(in)
	case "png":
		p, err := in.PNG()
		if err != nil {
			return "", ""
		}
		for _, t := range p.Texts() {
			switch strings.ToLower(t.Keyword) {
			case "naidata":
				return "a NovelAI lorebook in a picture", ""
			case "persona":
				return "a persona in a picture", ""
			}
		}
	case "unknown", "text":
		head, err := rope.View(in.Source, 0, min(in.Source.Size(), 64))
		if err != nil {
			return "", ""
		}
		for _, m := range magics {
			if strings.HasPrefix(string(head), m.head) {
				return m.words, m.advice
			}
		}
	}
	return "", ""
}

func knownZIP(in *Input) (words, advice string) {
	z, err := in.ZIP()
	if err != nil {
		if fault.Is(err, fault.OverLimit) && startsLikeBackup(in.Source) {
			return lumiverseBackup, backupAdvice
		}
		return "", ""
	}
	cards := 0
	for _, e := range z.Entries {
		switch low := strings.ToLower(e.Path); {
		case strings.HasPrefix(low, "__macosx/"):
		case strings.HasSuffix(low, ".png"), strings.HasSuffix(low, ".json"), strings.HasSuffix(low, ".charx"):
			cards++
		}
	}
	words, advice = knownArchive(z)
	if words == "" && cards > 0 {
		return "an ordinary ZIP archive with files in it, none of them named card.json", "unpack it and choose the cards inside"
	}
	return words, advice
}

// cardArchives are file names of archives that each are one thing, also where they are broken.
var cardArchives = []string{".charx", ".byaf", ".lvbak", ".risum", ".voxpkg"}

// IsFolder reports a ZIP that is a folder of files: no format's sign and no known app's is in it, and its name does not
// say that it is a card. Whether a format claims it is for the registry to say.
func IsFolder(in *Input) bool {
	if head, err := rope.View(in.Source, 0, min(in.Source.Size(), 2)); err != nil || string(head) != "PK" {
		return false // an archive behind a picture or a program
	}
	for _, ext := range cardArchives {
		if strings.HasSuffix(strings.ToLower(in.Name), ext) {
			return false
		}
	}
	z, err := in.ZIP()
	if err != nil {
		return false
	}
	words, _ := knownArchive(z)
	return words == ""
}

// knownArchive says what an archive is by the names in it.
func knownArchive(z *zip.Archive) (words, advice string) {
	has := func(path string) bool { return z.Find(path) != nil }
	under := func(folder string) bool {
		for _, e := range z.Entries {
			if len(e.Path) > len(folder) && strings.EqualFold(e.Path[:len(folder)], folder) {
				return true
			}
		}
		return false
	}
	switch {
	case has("lumiverse_modules.json"):
		return "a Lumiverse card without its card.json", ""
	case has("manifest.json") && under("database/"):
		return lumiverseBackup, backupAdvice
	case has("manifest.json") && under("characters/"):
		return "a Backyard character archive (.byaf)", ""
	case has("package.json") && under("characters/"), under("scenarios/") && !has("manifest.json"):
		return "a Voxta package (.voxpkg)", ""
	case has("module.risum"):
		return "a Risu archive without its card.json", ""
	case has("[Content_Types].xml"):
		return "an Office document", "save the card as JSON or PNG in the app that it came from"
	case has("META-INF/container.xml"):
		return "an e-book (EPUB)", "save the card as JSON or PNG in the app that it came from"
	case has("AndroidManifest.xml"), has("META-INF/MANIFEST.MF"):
		return "an app package", "save the card as JSON or PNG in the app that it came from"
	}
	return "", ""
}

// chatLog knows JSON lines whose first line is a chat's head.
func chatLog(src rope.Source) string {
	head, err := rope.View(src, 0, min(src.Size(), 64<<10))
	if err != nil {
		return ""
	}
	line, rest, ok := bytes.Cut(head, []byte("\n"))
	if !ok || !bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) {
		return ""
	}
	d, err := jsondoc.Parse(line, limits.Card())
	if err != nil {
		return ""
	}
	if d.Root.Has("chat_metadata") || d.Root.Has("user_name") || d.Root.Has("mes") {
		return "a SillyTavern chat log"
	}
	return "JSON lines (several JSON documents in one file)"
}
