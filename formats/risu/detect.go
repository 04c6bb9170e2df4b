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
//	1     a ZIP with card.json and a sign of the app, also where the card is damaged
//	1     a PNG with a card that Risu encrypted, open or not
//	0.95  a PNG or JSON card with extensions.risuai, before the generic reader's 0.9
//	0.9   a ZIP whose card has a sign of Lumiverse and none of Risu: Lumiverse says 0.96
//	0.85  a ZIP with card.json and no sign of Risu, below SillyTavern's 0.9
//
// Signs of Risu are extensions.risuai, module.risum and x_meta/. The design gives a ZIP without any sign to Risu too. But
// Risu reads keys and contents in ways of its own: it cuts keys at commas and takes lines that begin with @@ for commands.
// A card that any tool may have written is read by the letter of the card's spec. Lumiverse's sidecar is worth 1 to
// Lumiverse and a valid manifest of Backyard to Backyard, before Risu in the registry, so that those ties go to them.
func (character) Detect(in *formats.Input) formats.Bid {
	switch {
	case in.IsZip():
		return detectArchive(in)
	case in.IsPNG(), in.IsJSON():
	default:
		return formats.No("not a PNG, a JSON document or a ZIP")
	}
	cd, err := in.Card()
	if in.IsPNG() && (fault.Is(err, fault.Password) || err == nil && cd.Locked) {
		return formats.Bid{Score: 1, Reason: "the card is encrypted by Risu"}
	}
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
		if e.Path == modulePath || strings.HasPrefix(e.Path, metaFolder) {
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
	for _, s := range lumiverses {
		if x := ext.Get(s.key); x != nil && (s.kind == jsondoc.KindAbsent || x.Kind() == s.kind) {
			return formats.Bid{Score: 0.9, Reason: "an archive with a card, but extensions." + s.key + " is Lumiverse's and nothing in it is Risu's"}
		}
	}
	return formats.Bid{Score: 0.85, Reason: "an archive with a card, but nothing in it is Risu's"}
}

// lumiverses are members of extensions that Lumiverse writes and Risu does not; KindAbsent stands for any kind.
var lumiverses = []struct {
	key  string
	kind jsondoc.Kind
}{
	{"expressions", jsondoc.KindObject}, {"expression_groups", jsondoc.KindObject}, {"alternate_fields", jsondoc.KindObject},
	{"alternate_avatars", jsondoc.KindArray}, {"lumiverse_image_gen_lora", jsondoc.KindObject}, {"lumiverse_modules", jsondoc.KindObject},
	{"alternate_character_name", jsondoc.KindString}, {"world_book_ids", jsondoc.KindArray}, {"databank_ids", jsondoc.KindArray},
	{"ttsVoice", jsondoc.KindAbsent},
}

func extensions(root *jsondoc.Value, v tavern.Variant) *jsondoc.Value {
	if v.Wrapped() {
		return root.At("data", "extensions")
	}
	return root.Get("extensions")
}
