package sillytavern

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/tavern"
)

type character struct{}

func (character) Info() formats.Info {
	return formats.Info{
		ID: "sillytavern", App: "sillytavern", AppLabel: label, Kind: canonical.KindCharacter, Label: "SillyTavern character card",
		Containers: []formats.Container{formats.PNG, formats.JSON, formats.CharX}, Specs: []string{"v3", "v2"},
	}
}

// Detect bids 0.9 on any card of the Tavern family: another app's fingerprint outbids it.
func (character) Detect(in *formats.Input) formats.Bid {
	switch {
	case in.IsPNG(), in.IsJSON(), in.IsZip():
	case tavern.YAMLText(in) != nil:
		return formats.Bid{Score: 0.8, Reason: "lines that start with name, and context or greeting: a card as YAML"}
	default:
		return formats.No("not a PNG, a JSON document, a ZIP or a YAML card")
	}
	cd, err := in.Card()
	if err != nil {
		if in.IsPNG() && !fault.Is(err, fault.NoCard) {
			return formats.Bid{Score: 0.9, Reason: "a card chunk is there: " + err.Error()}
		}
		if in.IsZip() && (fault.Is(err, fault.OverLimit) || fault.Is(err, fault.Ambiguous) || fault.Is(err, fault.Damaged) || fault.Is(err, fault.Unsupported)) {
			return formats.Bid{Score: 0.6, Reason: "an archive that may hold a card: " + err.Error()}
		}
		return formats.No(err.Error())
	}
	v, why := tavern.Classify(cd.Doc.Root)
	if v == "" {
		if in.IsPNG() {
			return formats.Bid{Score: 0.9, Reason: cd.Where + " is there, but " + why}
		}
		return formats.No(why)
	}
	score := 0.9
	if v == tavern.V2 && !cd.Doc.Root.Has("spec") {
		score = 0.6
	}
	if cd.Where != "" {
		why = cd.Where + ": " + why
	}
	return formats.Bid{Score: score, Reason: why}
}

func (character) Decode(in *formats.Input) (*formats.Decoded, error) {
	c, err := app.Decode(in)
	if err != nil {
		return nil, err
	}
	d := app.Decoded(c)
	card, list := d.Unmapped, c.Doc.Root.At(c.Variant.RegexPath()...)
	d.Unmapped = func() []string {
		return append(card(), scripts.BadIn(list, strings.Join(c.Variant.RegexPath(), "."))...)
	}
	return d, nil
}

// Returns implements formats.Returner: a YAML card goes back as one.
func (character) Returns(e *canonical.Entity) formats.Container { return app.Returns(e) }

// ExtractBooks implements formats.BookExtractor.
func (character) ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	return app.ExtractBooks(e, nil)
}

// BookFields implements formats.BookFielder.
func (character) BookFields() []formats.Field { return book.Tavern.Fields() }

func (character) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	d, err := app.NewDraft(e, ctx, tavern.V3, formats.PNG)
	if err != nil {
		return nil, err
	}
	if err := d.WriteBooks(ctx.Lorebooks, book.Tavern); err != nil {
		return nil, err
	}
	if err := d.WriteRegex(ctx.RegexSets, scripts, 1+len(ctx.Lorebooks)); err != nil {
		return nil, err
	}
	d.Warnings = append(d.Warnings, foreignSets(ctx.RegexSets)...)
	out, err := d.Finish(e, ctx.Limits, nil, nil)
	if err != nil {
		return nil, err
	}
	if out.Container == formats.CharX {
		out.Fields = append(out.Fields, formats.Field{Path: "media.assets", Wire: "data.assets and assets/", Reads: true})
	}
	if out.Spec == string(tavern.Flat) {
		out.Warnings = append(out.Warnings, "this is a card without spec, and SillyTavern's import of such cards drops greetings, prompts and the lorebook; choose version v2 or v3 to have them read")
	}
	return out, nil
}

func (character) Fields() []formats.Field {
	return append(app.Fields(),
		formats.Field{Path: "media.portrait", Wire: "the PNG picture, or data.assets (icon)", Reads: true},
		formats.Field{Path: "media.assets", Wire: "data.assets", Note: "SillyTavern takes expressions, backgrounds and gallery pictures out of a .charx; in a PNG or JSON card it keeps the list and ignores it"},
		formats.Field{Path: "knowledgeRefs", Wire: "data.character_book", Reads: true},
		formats.Field{Path: "behaviorRefs", Wire: "data.extensions.regex_scripts", Reads: true},
	)
}
