package risu

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

type character struct{}

func (character) Info() formats.Info {
	return formats.Info{
		ID: name, App: name, AppLabel: label, Kind: canonical.KindCharacter, Label: "Risu character card",
		Containers: []formats.Container{formats.CharX, formats.JPEG, formats.PNG, formats.JSON},
	}
}

func (character) Decode(in *formats.Input) (*formats.Decoded, error) {
	c, err := app.Decode(in)
	if err != nil {
		return nil, err
	}
	m, _ := moduleIn(c.Escrow.Files, in.Limits) // the fault was told when the card was read
	if m != nil {
		c.Escrow.Unmapped.Set(readable, jsondoc.Bool(true))
		if code := moduleCode(m.obj, true); code.Len() > 0 {
			c.Escrow.Unmapped.Set(executable, code)
		}
	}
	if c.Container == formats.CharX {
		if at, _ := c.Escrow.Unmapped.Get("card").Text(); strings.Contains(at, "/") {
			c.Warnings = append(c.Warnings, "Risu looks for it at the top alone, and finds no card in this archive")
		}
		if c.Variant != tavern.V3 {
			c.Warnings = append(c.Warnings, "Risu takes only V3 cards out of an archive, and this is "+strings.ToUpper(string(c.Variant)))
		}
	}
	d := app.Decoded(c)
	card := d.Unmapped
	d.Unmapped = func() []string {
		out := append(card(), m.overruled(c.Doc.Root, c.Variant)...)
		out = append(out, idleLists(c.Doc.Root, c.Variant)...)
		out = append(out, badScripts(c.Doc.Root, c.Variant, m)...)
		return append(out, m.unmapped()...)
	}
	return d, nil
}

// ExtractBooks implements formats.BookExtractor.
func (character) ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	return books(e.Bucket(name))
}

// BookFields implements formats.BookFielder.
func (character) BookFields() []formats.Field { return book.RisuBook.Fields() }

// versions refuses what Risu would not take: new cards are V3, and a V2 card is a picture or JSON, never an archive.
func versions(e *canonical.Entity, ctx *formats.EncodeContext) error {
	twin := e.Bucket(name)
	switch {
	case ctx.Spec == "" || ctx.Spec == string(tavern.V3) || twin != nil && string(tavern.VariantOf(twin)) == ctx.Spec:
		return nil
	case twin == nil || ctx.Spec != string(tavern.V2):
		return fault.New(fault.UnknownTarget, "", "Risu writes V3 cards; there is no %q of them", ctx.Spec)
	case ctx.Container == formats.CharX || ctx.Container == formats.JPEG:
		return fault.New(fault.UnknownTarget, "", "Risu takes only V3 cards out of an archive; choose png or json for a V2 card")
	case ctx.Container == "":
		if ctx.Container = app.Returns(e); ctx.Container != formats.JSON {
			ctx.Container = formats.PNG
		}
	}
	return nil
}

// Encode writes the card over its own twin, or a new one, which is a V3 card.
func (character) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	if err := versions(e, &ctx); err != nil {
		return nil, err
	}
	d, err := app.NewDraft(e, ctx, tavern.V3, formats.CharX)
	if err != nil {
		return nil, err
	}
	c := e.Character()
	if err := writeLists(d, c); err != nil {
		return nil, err
	}
	dropVoice(d)
	m := moduleOf(d.Twin)
	lore, noted, err := writeLore(d, m, c, ctx.Lorebooks)
	if err != nil {
		return nil, err
	}
	rules, err := writeScripts(d, m, ctx.RegexSets, 1+len(ctx.Lorebooks))
	if err != nil {
		return nil, err
	}
	switch {
	case m == nil:
	case d.Container == formats.CharX:
		if err := writeModule(d, m, c, lore, rules); err != nil {
			return nil, err
		}
	default:
		unpackCard(d, m, c)
	}
	out, err := d.Finish(e, ctx.Limits, nil, withMeta(d, d.Unnamed(c)))
	if err != nil {
		return nil, err
	}
	out.Near = append(out.Near, unseen(d, c)...)
	if noted {
		out.Fields = append(out.Fields, formats.Field{Path: "prompts.depthInjections", Wire: "data.extensions.depth_prompt, and a constant entry of data.character_book", Reads: true})
	}
	return out, nil
}

func (character) Fields() []formats.Field {
	return append(app.Fields(),
		formats.Field{Path: "media.portrait", Wire: "the PNG picture, or data.assets (icon)", Reads: true},
		formats.Field{Path: "media.assets", Wire: "data.assets", Reads: true},
		formats.Field{Path: "knowledgeRefs", Wire: "data.character_book", Reads: true},
		formats.Field{Path: "behaviorRefs", Wire: "data.extensions.risuai.customScripts", Reads: true},
	)
}
