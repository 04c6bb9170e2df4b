package tavern

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/yamldoc"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// A card as YAML is the flat card of text-generation-webui (oobabooga). SillyTavern's importer reads name, context and
// greeting of it (characters.js, importFromYaml) and writes none. The other names of flat cards are read here too, so
// that nothing of a card is lost on the way to another app; a file that stays YAML keeps its text.

// yamlNames are the members that have another name in YAML.
var yamlNames = map[string]string{"description": "context", "first_mes": "greeting"}

const yamlParked = "SillyTavern reads only name, context and greeting of a YAML card"

// yamlReads are the canonical paths that SillyTavern takes from a YAML card.
var yamlReads = map[string]bool{"identity.name": true, "identity.description": true, "greetings.firstMessage": true}

// YAMLText returns the text of a file that may be a YAML card, by its lines alone: nil when it is none.
func YAMLText(in *formats.Input) []byte {
	if in.Kind != "text" || in.Source.Size() > in.Limits.JSON {
		return nil
	}
	text, err := rope.View(in.Source, 0, in.Source.Size())
	if err != nil || !yamldoc.Looks(text, "name") || !yamldoc.Looks(text, "context") && !yamldoc.Looks(text, "greeting") {
		return nil
	}
	return text
}

func (a *App) decodeYAML(in *formats.Input) (*Card, error) {
	text := YAMLText(in)
	if text == nil {
		return nil, fault.New(fault.NoCard, "", "this text is no YAML card: it has no name with a context or a greeting")
	}
	y, err := yamldoc.Parse(text)
	if err != nil {
		return nil, err
	}
	c := &Card{Doc: jsondoc.NewDoc(y.Root, "  "), Variant: YAML, Container: formats.YAML, Res: &Resources{Container: formats.YAML, Limits: in.Limits}}
	c.Escrow = &canonical.Escrow{Bucket: a.Name, Raw: c.Doc, Unmapped: jsondoc.Object(), Media: canonical.RawBlob(rope.Of(in.Source), "application/yaml")}
	return c, nil
}

// yaml writes the document into the twin's text.
func (d *Draft) yaml(out *formats.Encoded) (*rope.Rope, error) {
	raw, err := d.Twin.Media.Raw()
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	if jsondoc.Equal(d.Doc.Root, d.Twin.Raw.Root) {
		return rope.Of(raw), nil
	}
	text, err := rope.View(raw, 0, raw.Size())
	if err != nil {
		return nil, err
	}
	y, err := yamldoc.Parse(text)
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	b, whole := y.Write(d.Doc.Root)
	if b == nil {
		return nil, fault.New(fault.OverLimit, "", "this card is more than a YAML card takes; choose the container png or json")
	}
	if whole {
		out.Warnings = append(out.Warnings, "the YAML text could not be edited in place and is written anew: its comments and its layout are gone")
	}
	return rope.Of(rope.Bytes(b)), nil
}
