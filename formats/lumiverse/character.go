package lumiverse

import (
	"fmt"
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
		ID: name, App: name, AppLabel: label, Kind: canonical.KindCharacter, Label: "Lumiverse character card",
		Containers: []formats.Container{formats.CharX, formats.PNG, formats.JSON},
	}
}

func (character) Decode(in *formats.Input) (*formats.Decoded, error) {
	c, err := app.Decode(in)
	if err != nil {
		return nil, err
	}
	n := open(c.Doc.Root, c.Variant, c.Res, nil, nil)
	n.read(&canonical.Character{Media: tavern.ReadMedia(c.Doc.Root, c.Variant, c.Res)})
	c.Warnings = append(c.Warnings, n.joined...)
	if where := localLinks(c.Doc.Root, c.Variant); len(where) > 0 {
		c.Warnings = append(c.Warnings, "links to pictures of one account ("+localImage+"...) stand in "+strings.Join(where, ", ")+"; nobody else can see them, and the pictures are not in this file")
	}
	d := app.Decoded(c)
	card := d.Unmapped
	d.Unmapped = func() []string {
		var out []string
		if card != nil {
			out = card()
		}
		return append(out, n.moreUnmapped()...)
	}
	return d, nil
}

// localImage begins the address of a picture on the app's own server. Its import puts such links into texts (Q13c).
const localImage = "/api/v1/images/"

// localLinks lists the texts of a card that link such pictures.
func localLinks(root *jsondoc.Value, v tavern.Variant) (out []string) {
	data, prefix := root, strings.TrimSuffix(v.Prefix(), ".")
	if prefix != "" {
		data = root.Get(prefix)
	}
	for k, m := range data.Members() {
		s, _ := m.Text()
		has := strings.Contains(s, localImage)
		if m.Kind() == jsondoc.KindArray {
			for _, e := range m.Elems() {
				s, _ := e.Text()
				has = has || strings.Contains(s, localImage)
			}
		}
		if has {
			out = append(out, k)
		}
	}
	return out
}

// Encode writes the card over its own twin, or a new one, with its sidecar in an archive.
func (character) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	twin := e.Bucket(name)
	if ctx.Spec != "" && ctx.Spec != string(tavern.V3) && (twin == nil || string(tavern.VariantOf(twin)) != ctx.Spec) {
		return nil, fault.New(fault.UnknownTarget, "", "Lumiverse writes V3 cards; there is no %q of them", ctx.Spec)
	}
	d, err := app.NewDraft(e, ctx, tavern.V3, formats.CharX)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(d, e.Character(), ctx)
	if err != nil {
		return nil, err
	}
	if err := w.pictures(); err != nil {
		return nil, err
	}
	w.variants()
	if err := w.books(ctx.Lorebooks); err != nil {
		return nil, err
	}
	if err := w.regex(ctx.RegexSets, 1+len(ctx.Lorebooks)); err != nil {
		return nil, err
	}
	w.tidy()
	if err := w.refuse(ctx.AllowLoss); err != nil {
		return nil, err
	}
	out, err := d.Finish(e, ctx.Limits, w.members(), w.gone)
	if err != nil {
		return nil, err
	}
	out.Warnings = append(out.Warnings, w.warnings...)
	out.Fields = parkedIn(out.Container)
	w.unseen(out)
	return out, nil
}

// unseen reports the pictures and files of a new archive that the app does not show as what they are.
func (w *writer) unseen(out *formats.Encoded) {
	if !w.zip || !w.fresh {
		return
	}
	if p := w.body.Media.Portrait; p != nil && (p.Blob == nil || w.paths[p] != "" && !isPicture(w.paths[p])) {
		out.Fields = append(out.Fields, formats.Field{Path: "media.portrait", Wire: "data.assets", Note: noPicture(p)})
	}
	assets := w.body.Media.Assets
	reasons := make([]string, len(assets))
	hidden, same := 0, true
	labels := map[string]bool{}
	for i, a := range assets {
		second := false
		if a.Role == canonical.RoleEmotion && a.Blob != nil && isPicture(w.paths[a]) {
			second = labels[labelOf(a)]
			labels[labelOf(a)] = true
		}
		switch {
		case tavern.DeadLink(a): // it is left out, and comparing tells so
		case a.Blob == nil || !isPicture(w.paths[a]):
			reasons[i] = noPicture(a)
		case second:
			reasons[i] = "Lumiverse has one picture for each expression and shows the first of this name; the file keeps this one"
		case strings.EqualFold(canonical.Or(a.Type, ""), "user_icon"):
			reasons[i] = "Lumiverse has no picture of the user in a card; the file keeps it"
		}
		if reasons[i] != "" {
			hidden++
			same = same && reasons[i] == reasons[0]
		}
	}
	if hidden == len(assets) && hidden > 0 && same {
		out.Fields = append(out.Fields, formats.Field{Path: "media.assets", Wire: "data.assets", Note: reasons[0]})
		return
	}
	for i, why := range reasons {
		if why != "" {
			out.Near = append(out.Near, formats.Near{Path: fmt.Sprintf("media.assets[%d]", i), After: "not shown", Why: why})
		}
	}
}

// noPicture says why the app takes an asset out of no archive.
func noPicture(a *canonical.Asset) string {
	if a.Blob == nil {
		return "Lumiverse takes only pictures that lie in the .charx, and this is a link; the file keeps the link"
	}
	return "Lumiverse takes only pictures out of a .charx, and this file is none; the file keeps it"
}

// parkedIn are the pictures that the app does not take out of a card without an archive.
func parkedIn(c formats.Container) (out []formats.Field) {
	if c == formats.CharX {
		return nil
	}
	const why = "Lumiverse takes pictures only out of a .charx; this card keeps them for other apps and for the way back"
	out = []formats.Field{
		{Path: "media.assets", Wire: "data.assets", Note: why},
		{Path: "variants[].overrides.media", Wire: "data.extensions.lumiverse_modules.alternate_avatars", Note: why},
	}
	if c == formats.JSON {
		out = append(out, formats.Field{Path: "media.portrait", Wire: "data.assets", Note: why})
	}
	return out
}

func (character) Fields() []formats.Field {
	return append(app.Fields(),
		formats.Field{Path: "media.portrait", Wire: "assets/icon/image/main in the archive, or the PNG picture", Reads: true},
		formats.Field{Path: "media.assets", Wire: "lumiverse_modules.json and assets/ in the archive, or data.assets", Reads: true},
		formats.Field{Path: "variants", Wire: "alternate_fields, alternate_avatars", Reads: true,
			Note: "Lumiverse has alternates of description, personality, scenario and picture only"},
		formats.Field{Path: "knowledgeRefs", Wire: "world_books, data.character_book", Reads: true},
		formats.Field{Path: "behaviorRefs", Wire: "regex_scripts in lumiverse_modules.json, or data.extensions.regex_scripts", Reads: true},
	)
}

// BookFields implements formats.BookFielder.
func (character) BookFields() []formats.Field { return book.LumiverseWorldBook.Fields() }
