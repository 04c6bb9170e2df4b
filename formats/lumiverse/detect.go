package lumiverse

import (
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// Detect bids on the sidecar by its name alone, and elsewhere on a fingerprint in the card. A plain card is left to
// SillyTavern, an archive with Risu's module to Risu.
func (character) Detect(in *formats.Input) formats.Bid {
	score := 0.95
	switch {
	case in.IsZip():
		z, err := in.ZIP()
		if err != nil {
			return formats.No(err.Error())
		}
		switch {
		case len(z.FindAll(sidecar)) > 0:
			return formats.Bid{Score: 1, Reason: "the archive has " + sidecar}
		case len(z.FindAll("module.risum")) > 0:
			return formats.No("the archive has module.risum, which is Risu's, and no " + sidecar)
		}
		score = 0.96
	case in.IsPNG(), in.IsJSON():
	default:
		return formats.No("not a PNG, a JSON document or a ZIP")
	}
	cd, err := in.Card()
	if err != nil {
		return formats.No("not a card that can be read: " + err.Error())
	}
	v, why := tavern.Classify(cd.Doc.Root)
	if v == "" {
		return formats.No("not a card: " + why)
	}
	if f := fingerprint(cd.Doc.Root, v); f != "" {
		return formats.Bid{Score: score, Reason: "the card has " + f}
	}
	return formats.No("not a Lumiverse card: no sign of the app in it")
}

// signs are the keys of extensions that only Lumiverse writes, with the kind that they must have. The first nine are
// the design's; the app strips five of them from its exports, so that its other keys count too.
var signs = []struct {
	key  string
	kind jsondoc.Kind
}{
	{"expressions", jsondoc.KindObject}, {"expression_groups", jsondoc.KindObject}, {"alternate_fields", jsondoc.KindObject},
	{"alternate_avatars", jsondoc.KindArray}, {"lumiverse_image_gen_lora", jsondoc.KindObject},
	{"alternate_character_name", jsondoc.KindString}, {"world_book_ids", jsondoc.KindArray}, {"databank_ids", jsondoc.KindArray},
	{"ttsVoice", jsondoc.KindAbsent}, // any value
	{hubKey, jsondoc.KindObject}, {"landing_perspective_layers", jsondoc.KindArray}, {"landing_perspective_layers", jsondoc.KindObject},
	{"greeting_backgrounds", jsondoc.KindObject}, {"_lumiverse_install_source", jsondoc.KindString},
}

// fingerprint names the sign that a card is Lumiverse's, "" when there is none.
func fingerprint(root *jsondoc.Value, v tavern.Variant) string {
	ext := root.Get("extensions")
	if v.Wrapped() {
		ext = root.At("data", "extensions")
	}
	for _, s := range signs {
		if x := ext.Get(s.key); x != nil && (s.kind == jsondoc.KindAbsent || x.Kind() == s.kind) {
			return "extensions." + s.key
		}
	}
	if s, _ := ext.At("weaver", "source").Text(); s == "weaver" {
		return "extensions.weaver"
	}
	for _, e := range ext.Get(regexKey).Elems() {
		if e.Has("find_regex") && !e.Has("scriptName") {
			return "regex scripts as Lumiverse writes them (extensions." + regexKey + ")"
		}
	}
	if b, where := book.Find(root, v.Prefix()); b != nil && book.OfBook(b) == book.LumiverseBook {
		return "a lorebook as Lumiverse writes it (" + where + ")"
	}
	return ""
}
