package risu

import (
	"strings"

	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// Detect bids on cards that Risu wrote, and on archives with a card, which are Risu's invention:
//
//	1     a ZIP with card.json, and one whose card is damaged but which has a sign of the app
//	0.9   the same, where the card has a sign of Lumiverse and neither card nor archive one of Risu: Lumiverse says 0.96
//	0.85  the same for a sign of SillyTavern, which says 0.9: what only SillyTavern knows of its card is then kept
//	0.95  a PNG or JSON card with extensions.risuai, before the generic reader's 0.9
//
// Signs of Risu are extensions.risuai, module.risum and x_meta/. Lumiverse's sidecar is worth 1 to Lumiverse and a
// valid manifest of Backyard to Backyard, before Risu in the registry, so that those ties go to them.
func (character) Detect(in *formats.Input) formats.Bid {
	switch {
	case in.IsZip():
		return detectArchive(in)
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
	if extensions(cd.Doc.Root, v).Get("risuai").Kind() == jsondoc.KindObject {
		return formats.Bid{Score: 0.95, Reason: "the card has extensions.risuai"}
	}
	return formats.No("not a Risu card: it has no extensions.risuai")
}

func detectArchive(in *formats.Input) formats.Bid {
	z, err := in.ZIP()
	if err != nil {
		return formats.No(err.Error())
	}
	sign := ""
	for _, e := range z.Entries {
		if e.Path == modulePath || strings.HasPrefix(e.Path, "x_meta/") {
			sign = e.Path
			break
		}
	}
	cd, err := in.Card()
	if err != nil {
		if sign != "" && !fault.Is(err, fault.NoCard) {
			return formats.Bid{Score: 1, Reason: "the archive has " + sign + ", but " + err.Error()}
		}
		return formats.No(err.Error())
	}
	v, why := tavern.Classify(cd.Doc.Root)
	if v == "" {
		return formats.No(cd.Where + ": " + why)
	}
	ext := extensions(cd.Doc.Root, v)
	if sign == "" && ext.Get("risuai").Kind() == jsondoc.KindObject {
		sign = "extensions.risuai"
	}
	if sign != "" {
		return formats.Bid{Score: 1, Reason: "the archive has " + cd.Where[len("entry "):] + " and " + sign}
	}
	for _, s := range foreign {
		if x := ext.Get(s.key); x != nil && (s.kind == jsondoc.KindAbsent || x.Kind() == s.kind) {
			return formats.Bid{Score: s.score, Reason: "an archive with a card, but extensions." + s.key + " is another app's and nothing in it is Risu's"}
		}
	}
	return formats.Bid{Score: 1, Reason: "an archive with a card"}
}

// foreign are members of extensions that other apps write and Risu does not.
var foreign = []struct {
	key   string
	kind  jsondoc.Kind
	score float64
}{
	{"expressions", jsondoc.KindObject, 0.9}, {"expression_groups", jsondoc.KindObject, 0.9}, {"alternate_fields", jsondoc.KindObject, 0.9},
	{"alternate_avatars", jsondoc.KindArray, 0.9}, {"lumiverse_image_gen_lora", jsondoc.KindObject, 0.9}, {"lumiverse_modules", jsondoc.KindObject, 0.9},
	{"alternate_character_name", jsondoc.KindString, 0.9}, {"world_book_ids", jsondoc.KindArray, 0.9}, {"databank_ids", jsondoc.KindArray, 0.9},
	{"ttsVoice", jsondoc.KindAbsent, 0.9},
	{"regex_scripts", jsondoc.KindArray, 0.85}, {"talkativeness", jsondoc.KindAbsent, 0.85}, {"fav", jsondoc.KindBool, 0.85},
	{"world", jsondoc.KindString, 0.85}, {"depth_prompt", jsondoc.KindObject, 0.85},
}

func extensions(root *jsondoc.Value, v tavern.Variant) *jsondoc.Value {
	if v.Wrapped() {
		return root.At("data", "extensions")
	}
	return root.Get("extensions")
}
