package risu

import (
	"strings"

	"bunzai/canonical"
	"bunzai/container/datauri"
	"bunzai/container/picture"
	"bunzai/container/png"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/personas"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// persona reads and writes the app's persona: a PNG whose tEXt chunk persona is the base64 of
// {"name", "personaPrompt", "note"} (persona.ts). The picture is the persona's portrait.
//
//   - The note is what tells personas of one name apart in the app's list: the tagline.
//   - The app takes the first such chunk, of tEXt alone; other spellings are read with a warning.
//   - The same object as a JSON file is read too, with the further members of the app's own store (icon, id, ...). The
//     app itself reads no JSON: writing for Risu makes the picture, and JSON only where it is asked for back.
//   - The app refuses a persona without name or text. A new file gets a name and a blank text then; a persona of Risu's
//     own stays as it is.
type persona struct{}

const (
	personaID    = "risu-persona"
	personaChunk = "persona"
	personaText  = "personaPrompt"
	blankPrompt  = " " // the least that the app takes
)

func (persona) Info() formats.Info {
	return formats.Info{ID: personaID, App: name, AppLabel: label, Kind: canonical.KindPersona, Label: "Risu persona", Containers: []formats.Container{formats.PNG}}
}

// Detect bids
//
//	1     a PNG with a chunk persona and no card
//	0.6   the same where the chunk cannot be read as Risu's, so that the reader says why
//	0.55  a PNG that also holds a card, which apps take it for
//	0.95  JSON with name and personaPrompt and nothing that the app has not
//	0.6   JSON with both and with members of nobody
func (persona) Detect(in *formats.Input) formats.Bid {
	switch {
	case in.IsPNG():
		p, err := in.PNG()
		if err != nil {
			return formats.No(err.Error())
		}
		t, _ := findPersona(p)
		if t == nil {
			return formats.No("not a persona: it has no chunk persona")
		}
		for _, x := range p.Texts() {
			if png.IsCardKeyword(x.Keyword) {
				return formats.Bid{Score: 0.55, Reason: "chunk persona, beside a card"}
			}
		}
		if d, err := personaDoc(p, *t, in.Limits); err != nil || !isText(d.Root.Get(personaText)) {
			return formats.Bid{Score: 0.6, Reason: "a chunk persona that cannot be read as Risu's"}
		}
		return formats.Bid{Score: 1, Reason: "chunk persona with a personaPrompt"}
	case in.IsJSON():
		d, err := in.Doc()
		if err != nil {
			return formats.No(err.Error())
		}
		if !isText(d.Root.Get("name")) || !isText(d.Root.Get(personaText)) || d.Root.Has("spec") || d.Root.Has("data") || d.Root.Has("schemaVersion") {
			return formats.No("not a Risu persona: name and personaPrompt are not there together")
		}
		for k := range d.Root.Members() {
			if !personaMembers[k] {
				return formats.Bid{Score: 0.6, Reason: "name and personaPrompt, with members that Risu does not have"}
			}
		}
		return formats.Bid{Score: 0.95, Reason: "name and personaPrompt"}
	}
	return formats.No("not a PNG and not a JSON document")
}

// personaMembers are those of the app's own store (storage/database.svelte.ts).
var personaMembers = map[string]bool{"name": true, personaText: true, "note": true, "icon": true, "largePortrait": true, "id": true, "embeddedModule": true, "bunzai": true}

var personaRows = fieldmap.Map[personas.Body]{
	fieldmap.New("name", personas.Name, fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("content", personas.Content, fieldmap.At(personaText, fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.tagline", personas.Tagline, fieldmap.At("note", fieldmap.Text())),
	parkedPersona("chatInjection.position", personas.Position, fieldmap.Text()),
	parkedPersona("chatInjection.depth", personas.Depth, fieldmap.Number()),
	parkedPersona("chatInjection.role", personas.Role, fieldmap.Text()),
	parkedPersona("identity.pronounSet.subjective", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Subjective }), fieldmap.Text()),
	parkedPersona("identity.pronounSet.objective", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Objective }), fieldmap.Text()),
	parkedPersona("identity.pronounSet.possessive", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Possessive }), fieldmap.Text()),
	parkedPersona("presentation.imageUrl", personas.Image, fieldmap.Text()),
}

// parkedPersona is a row of what the app has no member for.
func parkedPersona[T any](path string, acc fieldmap.Access[personas.Body, T], c fieldmap.Codec[T]) fieldmap.Row[personas.Body] {
	return fieldmap.New(path, acc, fieldmap.At("bunzai."+path, c)).
		Parked("Risu's personas have no such setting; the file keeps it under bunzai for the way back, which lasts until Risu itself saves the persona")
}

// personaCovers also knows the id, which the app makes anew at each import.
var personaCovers = personaRows.Coverage("id")

func (persona) Fields() []formats.Field {
	return append(personaRows.Fields(""), formats.Field{Path: "media.portrait", Wire: "the PNG picture", Reads: true})
}

// findPersona is the chunk that counts, nil when there is none, with what the app would not read of it.
func findPersona(p *png.File) (found *png.Text, odd string) {
	for _, t := range p.Texts() {
		switch kind := p.Chunks[t.Chunk].Type; {
		case t.Keyword == personaChunk && kind == "tEXt":
			return &t, ""
		case found == nil && t.Keyword == personaChunk:
			found, odd = &t, "the persona stands in a chunk of the type "+kind+", and Risu reads only tEXt; it is written as tEXt"
		}
	}
	return found, odd
}

func isPersonaChunk(keyword string) bool { return keyword == personaChunk }

// notPicture reports chunks that say something other than the picture does.
func notPicture(keyword string) bool {
	_, asset := png.AssetPath(keyword)
	return asset || keyword == personaChunk || png.IsCardKeyword(keyword)
}

func personaDoc(p *png.File, t png.Text, lim limits.Limits) (*jsondoc.Doc, error) {
	const where = "chunk " + personaChunk
	v, err := p.Text(t)
	if err != nil {
		return nil, fault.At(err, where)
	}
	b, _, err := datauri.DecodeCard(v)
	if err != nil {
		return nil, fault.At(err, where)
	}
	if int64(len(b)) > lim.JSON {
		return nil, lim.Over(where, "JSON", int64(len(b)))
	}
	d, err := formats.ParseBounded(b, lim)
	if err != nil {
		return nil, fault.At(err, where)
	}
	if d.Root.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, where, "a persona must be a JSON object, and this is %s", d.Root.Kind())
	}
	return d, nil
}

func (persona) Decode(in *formats.Input) (*formats.Decoded, error) {
	out := &formats.Decoded{}
	esc := &canonical.Escrow{Bucket: personaID}
	body := &personas.Body{}
	warn := func(p, what string) { out.Warnings = append(out.Warnings, p+" "+what) }
	if in.IsPNG() {
		out.Container = formats.PNG
		p, err := in.PNG()
		if err != nil {
			return nil, err
		}
		t, odd := findPersona(p)
		if t == nil {
			return nil, fault.New(fault.NoCard, "", "this PNG holds no persona: it has no chunk persona")
		}
		if esc.Raw, err = personaDoc(p, *t, in.Limits); err != nil {
			return nil, err
		}
		if odd != "" {
			out.Warnings = append(out.Warnings, odd)
		}
		out.Warnings = append(out.Warnings, p.Warnings...)
		esc.Media = canonical.RawBlob(rope.Of(in.Source), "image/png")
		portrait, err := portraitOf(p)
		if err != nil {
			return nil, err
		}
		if portrait != nil {
			body.Media = &canonical.PersonaMedia{Portrait: portrait}
		}
	} else {
		out.Container = formats.JSON
		d, err := in.Doc()
		if err != nil {
			return nil, err
		}
		if d.Root.Kind() != jsondoc.KindObject {
			return nil, fault.New(fault.Damaged, "", "a persona must be a JSON object, and this is %s", d.Root.Kind())
		}
		esc.Raw = d
		out.Warnings = append(out.Warnings, "Risu reads a persona only as a picture; writing it for Risu makes one")
	}
	personaRows.Read(esc.Raw.Root, body, warn)
	if body.Name == "" || body.Content == "" {
		out.Warnings = append(out.Warnings, "the persona has no "+canonical.Or(firstEmpty(body), "")+"; Risu refuses such a persona")
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindPersona, ID: canonical.Slug(canonical.Or(nonEmpty(body.Name), fileBase(in.Name))), Body: body, Original: []*canonical.Escrow{esc}}
	out.Unmapped = func() []string { return personaCovers.Unmapped(esc.Raw.Root) }
	return out, nil
}

func nonEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func firstEmpty(b *personas.Body) *string {
	switch {
	case b.Name == "" && b.Content == "":
		return canonical.Ptr("name and no text")
	case b.Name == "":
		return canonical.Ptr("name")
	}
	return canonical.Ptr("text")
}

// portraitOf is the picture of a persona without its data; nil for the one that bunzai puts where there is none.
func portraitOf(p *png.File) (*canonical.Asset, error) {
	data := p.Without(notPicture)
	if none, err := rope.Equal(data, rope.Bytes(png.Placeholder())); err != nil || none {
		return nil, err
	}
	return &canonical.Asset{Role: canonical.RolePortrait, Mime: canonical.Ptr("image/png"), Blob: canonical.RawBlob(data, "image/png")}, nil
}

// Returns implements formats.Returner: what came from Risu can also be had as the text of its chunk.
func (persona) Returns(e *canonical.Entity) formats.Container {
	if twin := e.Bucket(personaID); twin != nil && twin.Raw != nil {
		return formats.JSON
	}
	return ""
}

// Encode writes over the persona that the piece came from, or a new one.
func (persona) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	body, ok := e.Body.(*personas.Body)
	if !ok {
		return nil, fault.New(fault.WrongKind, "", "a Risu persona is written from a persona, and this is a %s", e.Kind)
	}
	twin := e.Bucket(personaID)
	if twin != nil && twin.Raw == nil {
		twin = nil
	}
	if ctx.Container != "" && ctx.Container != formats.PNG && (ctx.Container != formats.JSON || twin == nil) {
		return nil, fault.New(fault.UnknownTarget, "", "a Risu persona is a PNG picture; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.PNG, Ext: ".png", MediaType: "image/png"}
	var doc *jsondoc.Doc
	if twin != nil {
		doc = twin.Raw.Clone()
		was := &personas.Body{}
		personaRows.Read(doc.Root, was, nil)
		personaRows.Overlay(doc.Root, body, was, nil, nil)
	} else {
		doc = newPersona(body)
	}
	if ctx.Container == formats.JSON {
		return personas.Written(doc, ctx)
	}
	text := &rope.Rope{}
	doc.AppendTo(text)
	value := datauri.EncodeBase64Source(text)
	if value.Size() > ctx.Limits.PNGText {
		return nil, ctx.Limits.Over("chunk "+personaChunk, "PNGText", value.Size())
	}
	src, drop, err := personaPicture(body, twin, ctx.Limits, out)
	if err != nil {
		return nil, err
	}
	f, err := png.Open(src, ctx.Limits)
	if err != nil {
		return nil, fault.At(err, "media.portrait")
	}
	out.Data, err = f.Replace(drop, png.Addition{Keyword: personaChunk, From: value})
	return out, err
}

// newPersona is a persona that the app takes: it refuses one without name or text.
func newPersona(body *personas.Body) *jsondoc.Doc {
	root := jsondoc.Object()
	root.Set("name", jsondoc.String(tavern.Nameless))
	root.Set(personaText, jsondoc.String(blankPrompt))
	said := *body
	if strings.TrimSpace(said.Name) == "" {
		said.Name = tavern.Nameless
	}
	if said.Content == "" {
		said.Content = blankPrompt
	}
	personaRows.Fill(root, &said, nil, nil)
	return jsondoc.NewDoc(root, "") // as JSON.stringify lays it out
}

// personaPicture is the picture to write into, and which of its chunks go: the picture that the persona came in while it
// is still the portrait, else the portrait, else a plain one.
func personaPicture(body *personas.Body, twin *canonical.Escrow, lim limits.Limits, out *formats.Encoded) (src rope.Source, drop func(string) bool, err error) {
	var p *canonical.Asset
	if body.Media != nil {
		p = body.Media.Portrait
	}
	if twin != nil && twin.Media != nil {
		raw, err := twin.Media.Raw()
		if err != nil {
			return nil, nil, fault.At(err, "sourceMedia")
		}
		f, err := png.Open(raw, lim)
		if err != nil {
			return nil, nil, fault.At(err, "sourceMedia")
		}
		was, err := portraitOf(f)
		if err != nil {
			return nil, nil, fault.At(err, "sourceMedia")
		}
		same := p == nil && was == nil
		if p != nil && was != nil {
			if same, err = canonical.SameBlob(p.Blob, was.Blob); err != nil {
				return nil, nil, fault.At(err, "media.portrait")
			}
		}
		if same {
			return raw, isPersonaChunk, nil
		}
	}
	plain := rope.Bytes(png.Placeholder())
	switch {
	case p == nil:
		out.Warnings = append(out.Warnings, "the persona has no picture; the PNG shows a plain one")
		return plain, nil, nil
	case p.Blob == nil:
		out.Warnings = append(out.Warnings, "the picture of the persona is only a link ("+formats.Shown(p.Ref)+"), which bunzai never fetches; the PNG shows a plain picture")
		return plain, nil, nil
	}
	raw, err := p.Blob.Raw()
	if err != nil {
		return nil, nil, fault.At(err, "media.portrait")
	}
	if png.Is(raw) {
		return raw, notPicture, nil
	}
	kind := blob.Mime(p.Blob, "")
	b, err := picture.ToPNG(raw, lim)
	if err != nil {
		out.Warnings = append(out.Warnings, "the picture of the persona is no PNG ("+kind+") and could not be turned into one, so the PNG shows a plain picture: "+fault.As(err).Error())
		return plain, nil, nil
	}
	out.Warnings = append(out.Warnings, "the picture of the persona is no PNG ("+kind+"), so the PNG shows it turned into one")
	return rope.Bytes(b), nil, nil
}
