package tavern

import (
	"bytes"
	pathpkg "path"
	"strings"

	"bunzai/canonical"
	"bunzai/container/datauri"
	"bunzai/container/jpeg"
	"bunzai/container/media"
	"bunzai/container/picture"
	"bunzai/container/png"
	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// Draft is a card on its way to bytes: the document with all fields written, before the container.
type Draft struct {
	App       *App
	Doc       *jsondoc.Doc
	Second    *jsondoc.Doc // the other chunk of a PNG twin, kept in step; nil
	Variant   Variant
	Container formats.Container
	Twin      *canonical.Escrow // nil for a new card
	TwinRes   *Resources
	Was       *canonical.Character // what the twin says; nil for a new card
	Assets    []FileOut            // files for an archive, or asset chunks for a PNG
	Front     bool                 // an archive that stands behind a JPEG picture
	Near      []formats.Near
	Warnings  []string

	password string
	asked    Variant  // the version that was asked for; "" is none
	left     []string // members of the twin that the version has no place for and that no canonical field stands for
}

// Skeleton is an empty card of that variant.
func Skeleton(v Variant) *jsondoc.Value {
	data := jsondoc.Object()
	text := func(names ...string) {
		for _, n := range names {
			data.Set(n, jsondoc.String(""))
		}
	}
	text("name", "description", "personality", "scenario", "first_mes", "mes_example")
	if v == V1 {
		return data
	}
	text("creator_notes", "system_prompt", "post_history_instructions")
	data.Set("tags", jsondoc.Array())
	text("creator", "character_version")
	data.Set("alternate_greetings", jsondoc.Array())
	if v == V3 {
		data.Set("group_only_greetings", jsondoc.Array())
	}
	data.Set("extensions", jsondoc.Object())
	if !v.Wrapped() {
		return data
	}
	root := jsondoc.Object()
	setSpec(root, v)
	root.Set("data", data)
	return root
}

func setSpec(root *jsondoc.Value, v Variant) {
	spec, version := "chara_card_v2", "2.0"
	if v == V3 {
		spec, version = "chara_card_v3", "3.0"
	}
	root.Set("spec", jsondoc.String(spec))
	root.Set("spec_version", jsondoc.String(version))
}

// NewDraft writes the body over the app's own twin, or over a skeleton of the fresh variant.
func (a *App) NewDraft(e *canonical.Entity, ctx formats.EncodeContext, fresh Variant, def formats.Container) (*Draft, error) {
	body := e.Character()
	if body == nil {
		return nil, fault.New(fault.WrongKind, "", "%s writes characters with this codec, and this is a %s", a.Label, e.Kind)
	}
	d := &Draft{App: a, Variant: fresh, Container: ctx.Container, password: ctx.Password}
	if a.JPEG && ctx.Container == formats.JPEG {
		d.Container, d.Front = formats.CharX, true
	}
	want := Variant(ctx.Spec)
	d.asked = want
	switch want {
	case "", V2, V3:
	default:
		return nil, fault.New(fault.UnknownTarget, "", "there is no card version %q; known: v2, v3", ctx.Spec)
	}
	if twin := e.Bucket(a.Name); twin != nil && twin.Raw != nil && variant(twin) != "" {
		d.Twin, d.Variant, d.Doc = twin, variant(twin), twin.Raw.Clone()
		if second := twin.Unmapped.Get("second"); second.Kind() == jsondoc.KindObject {
			d.Second = &jsondoc.Doc{Root: second.Clone()}
		}
		if d.Container == "" {
			d.Container = container(twin)
		}
		if d.Container == formats.YAML && want != "" {
			d.Container = def // a version is asked for, and YAML cards have none
		}
		var err error
		if d.TwinRes, err = resourcesOf(twin, ctx.Limits); err != nil {
			return nil, err
		}
		d.TwinRes.other = a.Other
		d.Front = d.Front || a.JPEG && d.Container == formats.CharX && ctx.Container == "" && d.TwinRes.jpeg()
		d.Was = a.body(twin.Raw.Root, d.Variant, d.TwinRes, nil)
	}
	if d.Container == "" {
		d.Container = def
	}
	err := d.fitsInline(body, want, ctx.Limits)
	if err != nil {
		return nil, err
	}
	near := func(path, after, why string) {
		d.Near = append(d.Near, formats.Near{Path: path, After: after, Why: why})
	}
	if d.Twin == nil {
		if want != "" {
			d.Variant = want
		}
		d.Doc = jsondoc.NewDoc(a.skeleton(d.Variant), a.indent(d.Container))
		if strings.TrimSpace(body.Identity.Name) == "" {
			named := *body
			named.Identity.Name = Nameless
			body = &named
		}
		a.Rows(d.Variant).Fill(d.Doc.Root, body, d.skip, near)
	} else {
		flat := !d.Variant.Wrapped()
		if want != "" && want != d.Variant {
			d.respec(want)
		} else if want == "" && d.Variant != V3 && d.needsV3(body) {
			d.respec(V3)
		}
		if flat && d.Variant.Wrapped() {
			// Each value goes to the place and takes the shape of its spec; a date keeps its spelling where it stands.
			rows, now := a.Rows(d.Variant), &canonical.Character{}
			rows.Read(d.Doc.Root, now, nil)
			rows.Overlay(d.Doc.Root, body, now, func(r fieldmap.Row[canonical.Character]) bool { return !r.V3 || d.skip(r) }, near)
			rows.Force(d.Doc.Root, body, func(r fieldmap.Row[canonical.Character]) bool { return r.V3 }, near)
		} else {
			a.Rows(d.Variant).Overlay(d.Doc.Root, body, d.Was, d.skip, near)
		}
		if d.Second != nil {
			d.keepSecond(body)
		}
	}
	if a.Media != nil {
		err = a.Media(d, body, ctx.Limits)
	} else {
		err = d.writeAssets(body, ctx.Limits)
	}
	if err == nil {
		d.tellTags(body, ctx)
	}
	return d, err
}

func (a *App) skeleton(v Variant) *jsondoc.Value {
	if a.Skeleton != nil {
		return a.Skeleton(v)
	}
	return Skeleton(v)
}

func (a *App) indent(c formats.Container) string {
	if a.Indent != nil {
		return a.Indent(c)
	}
	if c == formats.PNG {
		return ""
	}
	return "    "
}

// skip leaves out what a V2 card has no field for; a V2 document that already holds such a key, or the date under the
// name that SillyTavern gives it, keeps it in step.
func (d *Draft) skip(r fieldmap.Row[canonical.Character]) bool {
	return r.V3 && d.Variant != V3 && !r.Held(d.Doc.Root)
}

// needsV3 reports new content that only a V3 card can hold.
func (d *Draft) needsV3(body *canonical.Character) bool {
	if d.Variant == YAML {
		return d.Container != formats.YAML
	}
	if body.Identity.Nickname != nil && d.Was.Identity.Nickname == nil && *body.Identity.Nickname != "" {
		return true
	}
	if len(body.Greetings.GroupOnlyGreetings) > len(d.Was.Greetings.GroupOnlyGreetings) || len(body.Media.Assets) > len(d.Was.Media.Assets) {
		return true
	}
	if d.Container == formats.CharX && container(d.Twin) != d.Container {
		return true // a CHARX card is V3 by its spec
	}
	if !d.Variant.Wrapped() && (d.Container == formats.CharX || (d.Variant == Flat && container(d.Twin) != d.Container)) {
		return true // an archive's card needs a spec, and a flat card of V2 fields is read by no app as what it is
	}
	if body.Media.Portrait == nil || d.Container == formats.PNG {
		return false
	}
	// Outside a PNG only a V3 card can hold its picture.
	return d.Was.Media.Portrait == nil || container(d.Twin) != d.Container
}

// respec turns the twin into another envelope: V1 and flat cards are wrapped whole, so that unknown members ride along.
func (d *Draft) respec(to Variant) {
	root := d.Doc.Root
	if !d.Variant.Wrapped() {
		data := d.App.skeleton(to).Get("data")
		wrapped := jsondoc.Object()
		setSpec(wrapped, to)
		wrapped.Set("data", jsondoc.Object())
		for k, v := range root.Members() {
			if d.Variant == YAML {
				if other := yamlNames[k]; other != "" && root.Has(other) {
					if !jsondoc.Equal(v, root.Get(other)) {
						d.Warnings = append(d.Warnings, k+" of the YAML card is overruled by its "+other+" and stays behind")
					}
					continue
				}
				for name, other := range yamlNames {
					if k == other {
						k = name
					}
				}
			}
			switch k {
			case "avatar", "chat", "fav", "create_date", "talkativeness", "creatorcomment", "json_data", "depth_prompt_prompt", "depth_prompt_depth", "depth_prompt_role":
				wrapped.Set(k, v.Clone()) // SillyTavern's own root members; data has them under other names
			default:
				data.Set(k, v.Clone())
			}
		}
		if t := root.Get("talkativeness"); t != nil && !t.IsNull() && data.Get("extensions").Kind() == jsondoc.KindObject && !data.Get("extensions").Has("talkativeness") {
			data.Get("extensions").Set("talkativeness", t.Clone()) // with its spelling: some are texts
		}
		wrapped.Set("data", data)
		d.Doc = jsondoc.NewDoc(wrapped, d.App.indent(d.Container))
	} else {
		setSpec(root, to)
		if to == V2 {
			for _, r := range d.App.Rows(V2) {
				if r.V3 {
					d.dropV3(r)
				}
			}
			if v := root.At("data", "assets"); v.Kind() != jsondoc.KindArray && !fieldmap.Blank(v) {
				d.left = append(d.left, "data.assets")
			}
			fieldmap.Drop(root, []string{"data", "assets"})
		}
	}
	if to == V3 && !d.Doc.Root.At("data").Has("group_only_greetings") {
		fieldmap.Put(d.Doc.Root, []string{"data", "group_only_greetings"}, jsondoc.Array())
	}
	d.Variant = to
	d.Second = nil // a changed version is written to both chunks anew
}

// dropV3 takes out a member that V2 has no field for. A value that no canonical field stands for, such as a date of 0, is
// remembered: nothing else would tell of it.
func (d *Draft) dropV3(r fieldmap.Row[canonical.Character]) {
	path := strings.Split(r.Wire, ".")
	if v := d.Doc.Root.At(path...); !fieldmap.Blank(v) {
		read := &canonical.Character{}
		fieldmap.Map[canonical.Character]{r}.Read(d.Doc.Root, read, nil)
		if nothing, err := canonical.Same(read, &canonical.Character{}); err == nil && nothing {
			d.left = append(d.left, r.Wire)
		}
	}
	fieldmap.Drop(d.Doc.Root, path)
}

// fitsInline refuses pictures that a JSON or PNG card, which holds them as text, cannot take within the limits, before
// any of them is read.
func (d *Draft) fitsInline(body *canonical.Character, want Variant, lim limits.Limits) error {
	if d.Container == formats.CharX || (d.Twin != nil && container(d.Twin) == d.Container) || want == V2 {
		return nil
	}
	if d.Container == formats.PNG && d.App.Chunks {
		return nil // each asset is a chunk of its own, read by offset
	}
	var sum int64
	add := func(a *canonical.Asset) {
		switch {
		case a == nil || a.Blob == nil:
		case a.Blob.Form == canonical.FormBase64:
			sum += a.Blob.Data.Size()
		case a.Blob.Size >= 0:
			sum += (a.Blob.Size + 2) / 3 * 4
		default:
			sum += (a.Blob.Data.Size() + 2) / 3 * 4
		}
	}
	for _, a := range body.Media.Assets {
		add(a)
	}
	limit, name := lim.JSON, "JSON"
	if d.Container == formats.PNG {
		limit, name = lim.PNGText, "PNGText"
		sum = sum / 3 * 4 // the card with its pictures is base64 once more
	} else {
		add(body.Media.Portrait)
	}
	if sum <= limit {
		return nil
	}
	return fault.Over("data.assets", fault.Limit{Name: name, Value: limit, Found: sum, Unit: "bytes",
		Raise: "a " + string(d.Container) + " card holds its pictures as text; convert to charx instead, which holds them as files"})
}

// keepSecond applies the same edits to the other chunk of a PNG, where that chunk tells of the same character.
func (d *Draft) keepSecond(body *canonical.Character) {
	v, _ := Classify(d.Second.Root)
	if v == "" {
		d.Second = nil
		return
	}
	rows := d.App.Rows(v)
	was := &canonical.Character{}
	rows.Read(d.Second.Root, was, nil)
	rows.OverlayEdited(d.Second.Root, body, d.Was, was)
}

// writeAssets puts portrait and assets into the document, and plans the files of an archive.
func (d *Draft) writeAssets(body *canonical.Character, lim limits.Limits) error {
	old := assetsOf(d.Doc.Root, d.Variant)
	if d.Was != nil && container(d.Twin) == d.Container && sameMedia(body, d.Was) && !d.bares() {
		return nil
	}
	if d.Variant != V3 && !(d.Twin != nil && old != nil) {
		return nil // V1 and V2 cards have no assets; the report says what is lost
	}
	var taken func(path string) bool
	if d.TwinRes != nil && d.TwinRes.Chunk != nil && d.Container == formats.PNG {
		taken = func(name string) bool { return d.TwinRes.Chunk(name) != nil }
	}
	if d.Twin != nil && d.Twin.Files != nil {
		names := map[string]bool{}
		for _, f := range d.Twin.Files {
			names[strings.ToLower(CleanEntryPath(f.Path))] = true
		}
		taken = func(p string) bool { return names[strings.ToLower(p)] }
	}
	plan, err := planAssets(body, d.Container, old, d.TwinRes, taken, ListHooks{Other: d.App.Other, Chunks: d.App.Chunks, Bare: d.bares()})
	if err != nil {
		return err
	}
	d.Assets = plan.files
	if len(plan.empty) > 0 {
		d.Warnings = append(d.Warnings, "assets without any bytes are left out, since Risu refuses an archive with an empty file: "+some(plan.empty))
	}
	return d.PutAssets(plan.list, lim)
}

// bares reports an archive that loses the JPEG picture before it: a card that is written as .charx instead of .jpeg.
func (d *Draft) bares() bool {
	return d.App.JPEG && d.TwinRes != nil && d.TwinRes.jpeg() && d.Container == formats.CharX && !d.Front
}

// before is what stands before an archive: what stood there, or a JPEG of the portrait; nil for nothing.
func (d *Draft) before(body *canonical.Character, lim limits.Limits) (*rope.Rope, error) {
	if d.Twin != nil && d.Twin.Files != nil && d.Twin.Media != nil && !d.bares() {
		raw, err := d.Twin.Media.Raw()
		if err != nil {
			return nil, fault.At(err, "sourceMedia")
		}
		if !d.Front || d.TwinRes.jpeg() && samePortrait(body.Media.Portrait, d.Was.Media.Portrait) {
			return rope.Of(raw), nil
		}
	}
	if !d.Front {
		return nil, nil
	}
	p := body.Media.Portrait
	if p == nil || p.Blob == nil {
		d.Warnings = append(d.Warnings, "the card has no picture in its file; the JPEG shows a plain one")
		return rope.FromBytes(picture.PlainJPEG()), nil
	}
	raw, err := p.Blob.Raw()
	if err != nil {
		return nil, fault.At(err, "portrait")
	}
	if n, ok := jpeg.Length(raw); ok && n == raw.Size() {
		return rope.Of(raw), nil
	}
	b, err := picture.ToJPEG(raw, lim)
	if err != nil {
		d.Warnings = append(d.Warnings, "the portrait could not be turned into JPEG: "+fault.As(err).Error()+". The JPEG shows a plain picture; the portrait itself is kept, unchanged, in the archive")
		b = picture.PlainJPEG()
	}
	return rope.FromBytes(b), nil
}

// PutAssets makes list the card's data.assets; nil removes it.
func (d *Draft) PutAssets(list *jsondoc.Value, lim limits.Limits) error {
	path := strings.Split(d.Variant.prefix()+"assets", ".")
	if list == nil {
		fieldmap.Drop(d.Doc.Root, path)
		return nil
	}
	if int64(len(list.Raw())) > lim.JSON {
		return fault.Over(strings.Join(path, "."), fault.Limit{Name: "JSON", Value: lim.JSON, Found: int64(len(list.Raw())), Unit: "bytes",
			Raise: "a " + string(d.Container) + " card holds its pictures as text; convert to charx instead, which holds them as files"})
	}
	if old := d.Doc.Root.At(path...); old.Kind() == jsondoc.KindArray {
		var elems []*jsondoc.Value
		for _, e := range list.Elems() {
			elems = append(elems, e)
		}
		old.SetElems(elems) // what says the same keeps its bytes
		return nil
	}
	fieldmap.Put(d.Doc.Root, path, list)
	return nil
}

// TwinContainer is the container of the app's own twin; "" without one.
func (d *Draft) TwinContainer() formats.Container {
	if d.Twin == nil {
		return ""
	}
	return container(d.Twin)
}

// Prefix is where the fields of a card of that variant stand: "data." or "".
func (v Variant) Prefix() string { return v.prefix() }

// VariantOf is the envelope of a twin.
func VariantOf(e *canonical.Escrow) Variant { return variant(e) }

// SameMedia reports whether two bodies hold the same pictures.
func SameMedia(a, b *canonical.Character) bool { return sameMedia(a, b) }

func sameMedia(a, b *canonical.Character) bool {
	x := &canonical.Character{Media: a.Media}
	y := &canonical.Character{Media: b.Media}
	same, err := canonical.Same(x, y)
	return err == nil && same
}

// WriteBooks applies the three-way contract of the embedded lorebook in dialect dial.
func (d *Draft) WriteBooks(books []*canonical.Entity, dial *book.Dialect) error {
	if books == nil {
		return nil
	}
	near := func(piece int, path, after, why string) {
		d.Near = append(d.Near, formats.Near{Piece: piece, Path: path, After: after, Why: why})
	}
	changed, err := book.Embed(d.Doc.Root, d.Variant.prefix(), books, dial, near)
	if err != nil || !changed || d.Second == nil {
		return err
	}
	if len(books) > 0 && !book.SameIn(d.Twin.Raw.Root, d.Variant.prefix(), d.Second.Root, prefixOf(d.Second.Root)) {
		d.Warnings = append(d.Warnings, "the two card chunks of this PNG hold different lorebooks; the edit goes into the one that counts, the other stays as it is")
		return nil
	}
	_, err = book.Embed(d.Second.Root, prefixOf(d.Second.Root), books, dial, nil)
	return err
}

func prefixOf(root *jsondoc.Value) string {
	v, _ := Classify(root)
	return v.prefix()
}

// Chunks says which card chunks a PNG gets, in order.
type Chunk struct {
	Keyword string
	Doc     *jsondoc.Doc
}

// Unnamed lists the archive paths of assets that the twin had and the body has no more, and that the card does not
// speak of anywhere else: in an archive they go with their asset.
func (d *Draft) Unnamed(body *canonical.Character) map[string]bool {
	if d.Was == nil || d.Twin.Files == nil {
		return nil
	}
	out := map[string]bool{}
	path := func(a *canonical.Asset) string {
		if a.Blob == nil {
			return ""
		}
		return CleanEntryPath(archivePath(a.Ref))
	}
	each(d.Was, func(a *canonical.Asset) {
		if p := path(a); p != "" {
			out[p] = true
		}
	})
	each(body, func(a *canonical.Asset) { delete(out, path(a)) })
	if len(out) == 0 {
		return nil
	}
	text := d.Doc.Bytes()
	for p := range out {
		if bytes.Contains(text, []byte(p)) {
			delete(out, p)
		}
	}
	return out
}

// Finish writes the document into its container. Extra are further JSON entries of an archive, after card.json; gone
// are archive paths that the card no longer refers to.
func (d *Draft) Finish(e *canonical.Entity, lim limits.Limits, extra []Member, gone map[string]bool) (*formats.Encoded, error) {
	if d.Twin != nil && container(d.Twin) != d.Container {
		d.Doc.Prefix, d.Doc.Suffix = nil, nil // a byte order mark or NULs of another container: apps cannot read them here
	}
	out := &formats.Encoded{Container: d.Container, Spec: string(d.Variant)}
	out.Near, out.Warnings, out.Left = d.Near, d.Warnings, d.left
	var err error
	switch d.Container {
	case formats.JSON:
		r := &rope.Rope{}
		d.Doc.AppendTo(r)
		out.Data, out.Ext, out.MediaType = r, ".json", "application/json"
		if r.Size() > lim.JSON {
			return nil, fault.Over("", fault.Limit{Name: "JSON", Value: lim.JSON, Found: r.Size(), Unit: "bytes",
				Raise: "a JSON card holds its pictures as text; convert to charx instead, which holds them as files"})
		}
	case formats.PNG:
		out.Ext, out.MediaType = ".png", "image/png"
		out.Data, err = d.png(e, lim, out)
	case formats.YAML:
		out.Ext, out.MediaType = ".yaml", "application/yaml"
		out.Fields = append(d.App.Rows(YAML).Fields(""), formats.Field{Path: "knowledgeRefs", Note: yamlParked}, formats.Field{Path: "behaviorRefs", Note: yamlParked})
		out.Data, err = d.yaml(out)
	case formats.CharX:
		out.Ext, out.MediaType = ".charx", "application/zip"
		if gone == nil {
			gone = d.Unnamed(e.Character())
		}
		if d.Front {
			out.Container, out.Ext, out.MediaType = formats.JPEG, ".jpeg", "image/jpeg"
		}
		out.Data, err = d.archive(e, extra, gone, lim)
		out.Warnings = d.Warnings
	default:
		return nil, fault.New(fault.UnknownTarget, "", "%s has no container %q; it has png, json, charx", d.App.Label, d.Container)
	}
	if err != nil {
		return nil, err
	}
	if out.Data.Size() > lim.Archive && d.Container == formats.CharX {
		return nil, lim.Over("", "Archive", out.Data.Size())
	}
	return out, nil
}

func (d *Draft) png(e *canonical.Entity, lim limits.Limits, out *formats.Encoded) (*rope.Rope, error) {
	var chunks []Chunk
	lock, err := d.lock()
	if err != nil {
		return nil, err
	}
	own := ""
	if d.Twin != nil && container(d.Twin) == formats.PNG && d.Second == nil {
		own, _ = d.Twin.Unmapped.Get("chunk").Text()
	}
	if own != "" && (lock != nil || d.Variant == variant(d.Twin) && (d.asked != V3 || own == "ccv3")) {
		chunks = []Chunk{{own, d.Doc}}
	} else if d.Second != nil {
		chunks = []Chunk{{"chara", d.Second}, {"ccv3", d.Doc}}
	} else {
		chunks = pair(d.Doc, d.Variant, d.asked)
	}
	var add []png.Addition
	if lock != nil {
		add, err = lock.text(chunks[len(chunks)-1], lim, out)
		if err == nil && len(chunks) > 1 { // a copy in the open beside it stays one
			var open []png.Addition
			open, err = chunkTexts(chunks[:1], lim, out)
			add = append(open, add...)
		}
	} else {
		add, err = chunkTexts(chunks, lim, out)
	}
	if err != nil {
		return nil, err
	}
	body := e.Character()
	drop := png.IsCardKeyword
	if d.App.Chunks {
		var fresh []png.Addition
		if fresh, drop, err = d.chunks(body, lim, out); err != nil {
			return nil, err
		}
		add = append(fresh, add...)
	}
	gone := drop
	var src rope.Source
	switch p := body.Media.Portrait; {
	case d.Was != nil && d.Twin.Media != nil && container(d.Twin) == formats.PNG && samePortrait(p, d.Was.Media.Portrait):
		raw, err := d.Twin.Media.Raw()
		if err != nil {
			return nil, fault.At(err, "sourceMedia")
		}
		src = raw
	case p != nil && isPNG(p.Blob):
		raw, err := p.Blob.Raw()
		if err != nil {
			return nil, fault.At(err, "portrait")
		}
		src, drop = raw, dropData
		linked, err := d.assetChunks(lim, gone)
		if err != nil {
			return nil, err
		}
		add = append(linked, add...)
	default:
		src, drop = rope.Bytes(png.Placeholder()), dropData
		linked, err := d.assetChunks(lim, gone)
		if err != nil {
			return nil, err
		}
		add = append(linked, add...)
		if p != nil && p.Blob != nil {
			var shown string
			if b, err := asPNG(p.Blob, lim); err == nil {
				src, add = rope.Bytes(b), append([]png.Addition{{Keyword: standInChunk, Value: []byte(standInValue)}}, add...)
				shown = "the PNG card shows it turned into PNG"
			} else {
				shown = "the PNG card shows a plain picture, since it could not be turned into PNG: " + fault.As(err).Error()
			}
			if d.Variant == V3 {
				shown += "; the picture itself is kept, unchanged, among its assets"
			}
			out.Warnings = append(out.Warnings, "the portrait is no PNG ("+blob.Mime(p.Blob, "")+"); "+shown)
		} else if p != nil && p.Ref != "" {
			out.Warnings = append(out.Warnings, "the portrait is only a link ("+clip(p.Ref)+"), which bunzai never fetches; the PNG card shows a plain picture")
		}
	}
	f, err := png.Open(src, lim)
	if err != nil {
		return nil, fault.At(err, "portrait")
	}
	return f.Replace(drop, add...)
}

// chunks are the assets of an app that keeps them in chunks of a PNG: what is new, and what of the twin's goes: chunks
// that get other bytes, and those of assets that are no more there.
func (d *Draft) chunks(body *canonical.Character, lim limits.Limits, out *formats.Encoded) (add []png.Addition, drop func(string) bool, err error) {
	gone := map[string]bool{}
	var total int64
	for _, f := range d.Assets {
		gone[f.Path] = true
		raw, err := f.Blob.Raw()
		if err != nil {
			return nil, nil, fault.At(err, "asset chunk "+f.Path)
		}
		var value rope.Source = datauri.EncodeBase64Source(raw)
		if f.Blob.Form == canonical.FormBase64 {
			if _, clean := datauri.DecodeBase64Source(f.Blob.Data); clean {
				value = f.Blob.Data
			}
		}
		if value.Size() > lim.PNGText {
			return nil, nil, fault.Over("asset chunk "+f.Path, fault.Limit{Name: "PNGText", Value: lim.PNGText, Found: value.Size(), Unit: "bytes",
				Raise: "a PNG card holds its files as text; convert to charx instead, which holds them as files"})
		}
		total += value.Size()
		add = append(add, png.Addition{Keyword: "chara-ext-asset_:" + f.Path, From: value})
	}
	if total > bigPNG {
		out.Warnings = append(out.Warnings, "the PNG card holds "+fault.Amount(int64(len(add)), "files")+" as text, which is a third larger than the files are: "+fault.Amount(total, "bytes")+" in all. Apps may refuse or take long to read a picture of that size; a .charx holds the same as files")
	}
	if d.Was != nil && d.TwinContainer() == formats.PNG {
		each(d.Was, func(a *canonical.Asset) {
			if name, ok := chunkName(a.Ref); ok && a.Blob != nil {
				gone[name] = true
			}
		})
		fresh := map[string]bool{}
		for _, f := range d.Assets {
			fresh[f.Path] = true
		}
		var text []byte
		for name := range gone {
			if fresh[name] {
				continue
			}
			if text == nil {
				text = d.Doc.Bytes()
			}
			if bytes.Contains(text, []byte("__asset:"+name+`"`)) {
				delete(gone, name)
			}
		}
	}
	return add, func(k string) bool {
		name, asset := png.AssetPath(k)
		return png.IsCardKeyword(k) || asset && gone[name]
	}, nil
}

// bigPNG is the size of assets in a PNG card from which on a person is told.
const bigPNG = 32 << 20

// each calls do for the portrait and every asset.
func each(c *canonical.Character, do func(a *canonical.Asset)) {
	for _, a := range append([]*canonical.Asset{c.Media.Portrait}, c.Media.Assets...) {
		if a != nil {
			do(a)
		}
	}
}

// asPNG turns a portrait into a PNG.
func asPNG(b *canonical.Blob, lim limits.Limits) ([]byte, error) {
	raw, err := b.Raw()
	if err != nil {
		return nil, err
	}
	return picture.ToPNG(raw, lim)
}

// assetChunks are the chunks that hold the assets of a PNG twin: they move along when its picture is replaced.
func (d *Draft) assetChunks(lim limits.Limits, drop func(keyword string) bool) (add []png.Addition, err error) {
	if d.TwinContainer() != formats.PNG || d.Twin.Media == nil {
		return nil, nil
	}
	raw, err := d.Twin.Media.Raw()
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	f, err := png.Open(raw, lim)
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	for _, t := range f.Texts() {
		if _, ok := png.AssetPath(t.Keyword); !ok || drop(t.Keyword) {
			continue
		}
		v, err := f.Value(t)
		if err != nil {
			return nil, fault.At(err, "chunk "+t.Keyword)
		}
		add = append(add, png.Addition{Keyword: t.Keyword, From: v})
	}
	return add, nil
}

// chunkTexts spells the documents as base64, computed when it is read. Where both chunks together are more than a
// reader takes, the copy for apps that read only chara stays out.
func chunkTexts(chunks []Chunk, lim limits.Limits, out *formats.Encoded) ([]png.Addition, error) {
	var add []png.Addition
	var total int64
	for i := len(chunks) - 1; i >= 0; i-- { // the full one stands last
		c := chunks[i]
		text := &rope.Rope{}
		c.Doc.AppendTo(text)
		value := datauri.EncodeBase64Source(text)
		if value.Size() > lim.PNGText {
			return nil, fault.Over("chunk "+c.Keyword, fault.Limit{Name: "PNGText", Value: lim.PNGText, Found: value.Size(), Unit: "bytes",
				Raise: "a PNG card holds its data and pictures as text; convert to charx instead, which holds them as files"})
		}
		if total += value.Size(); total > lim.PNGText {
			out.Warnings = append(out.Warnings, "the second copy of the card, for apps that read only the chunk "+c.Keyword+", is left out: both together would be more than "+fault.Amount(lim.PNGText, "bytes"))
			break
		}
		a := png.Addition{Keyword: c.Keyword, From: value}
		if value.Size() < 1<<20 {
			b, err := rope.View(value, 0, value.Size())
			if err != nil {
				return nil, err
			}
			a.Value, a.From = b, nil
		}
		add = append([]png.Addition{a}, add...)
	}
	return add, nil
}

func samePortrait(a, b *canonical.Asset) bool {
	if a == nil || b == nil {
		return a == b
	}
	same, err := canonical.SameBlob(a.Blob, b.Blob)
	return err == nil && same
}

// pair is what a new PNG card carries: chara for apps that read V2, and ccv3. A V2 card gets both as SillyTavern writes
// them, unless V2 was asked for; a flat one is read from chara alone.
func pair(doc *jsondoc.Doc, v, asked Variant) []Chunk {
	switch {
	case v == V2 && asked == "":
		three := doc.Clone()
		setSpec(three.Root, V3)
		if data := three.Root.Get("data"); !data.Has("group_only_greetings") {
			data.Set("group_only_greetings", jsondoc.Array())
		}
		return []Chunk{{"chara", doc}, {"ccv3", three}}
	case v != V3:
		return []Chunk{{"chara", doc}}
	}
	two := doc.Clone()
	setSpec(two.Root, V2)
	// Strict V2 readers demand every member of the spec; an app's own V3 card may leave some out.
	data := two.Root.Get("data")
	for name, empty := range Skeleton(V2).Get("data").Members() {
		if !data.Has(name) {
			data.Set(name, empty.Clone())
		}
	}
	if b := data.Get("character_book"); b.Kind() == jsondoc.KindObject && !b.Has("extensions") {
		b.Set("extensions", jsondoc.Object())
	}
	return []Chunk{{"chara", two}, {"ccv3", doc}}
}

// Member is a JSON entry of an archive.
type Member struct {
	Path string
	Doc  *jsondoc.Doc // nil removes the entry
}

// archive writes the ZIP: the twin's entries in their order, raw where untouched, then what is new. The main picture
// of a new archive stands before all others, since Lumiverse takes the first icon for the portrait.
func (d *Draft) archive(e *canonical.Entity, extra []Member, gone map[string]bool, lim limits.Limits) (*rope.Rope, error) {
	w := zip.NewWriter()
	prefix, err := d.before(e.Character(), lim)
	if err != nil {
		return nil, err
	}
	if prefix != nil {
		w.SetPrefix(prefix)
	}
	cardPath := "card.json"
	members := map[string]*jsondoc.Doc{}
	put := map[string]*canonical.Blob{}
	instead := map[string]FileOut{}
	var first []FileOut
	done := map[string]bool{}
	for _, f := range d.Assets {
		put[f.Path] = f.Blob
		if f.Instead != "" {
			instead[f.Instead] = f
		}
		if f.First {
			first = append(first, f)
		}
	}
	write := func(f FileOut) error {
		if done[f.Path] {
			return nil
		}
		done[f.Path] = true
		b := f.Blob
		if strings.HasPrefix(f.Path, "assets/icon/") && isPNG(b) {
			var err error
			if b, err = Stripped(b); err != nil {
				return fault.At(err, "entry "+f.Path)
			}
		}
		return blob.Into(w, f.Path, b)
	}
	var have map[string]bool
	if d.Twin != nil && d.Twin.Files != nil {
		if s, ok := d.Twin.Unmapped.Get("card").Text(); ok {
			cardPath = s
		}
		have = map[string]bool{}
	}
	members[cardPath] = d.Doc
	for _, m := range extra {
		members[m.Path] = m.Doc
	}
	if have != nil {
		if c, ok := d.Twin.Unmapped.Get("comment").Text(); ok {
			w.SetComment([]byte(c))
		}
		paths := map[string]bool{}
		for _, f := range d.Twin.Files {
			paths[CleanEntryPath(f.Path)] = true
		}
		for _, f := range d.Twin.Files {
			path := CleanEntryPath(f.Path)
			if media.MimeOf(strings.TrimPrefix(pathpkg.Ext(path), ".")) != "" {
				for _, x := range first {
					if !paths[x.Path] {
						if err := write(x); err != nil {
							return nil, err
						}
					}
				}
			}
			if x, ok := instead[path]; ok && gone[path] && !paths[x.Path] {
				if err := write(x); err != nil {
					return nil, err
				}
			}
			doc, isMember := members[path]
			b, isAsset := put[path]
			switch {
			case isMember && doc == nil:
				have[path] = true
				continue
			case isMember:
				have[path] = true
				if !d.untouched(f, doc) {
					if err := deflate(w, f.Path, doc); err != nil {
						return nil, err
					}
					continue
				}
			case isAsset:
				have[path] = true
				if same, err := canonical.SameBlob(b, f.Blob); err != nil {
					return nil, err
				} else if !same {
					if err := blob.Into(w, f.Path, b); err != nil {
						return nil, err
					}
					continue
				}
			case gone[path]:
				continue
			}
			if err := copyFile(w, f); err != nil {
				return nil, err
			}
		}
	}
	card := func() error {
		if have[cardPath] {
			return nil
		}
		return deflate(w, cardPath, d.Doc)
	}
	if !d.App.CardLast {
		if err := card(); err != nil {
			return nil, err
		}
	}
	for _, f := range d.Assets {
		if have[f.Path] {
			continue
		}
		if err := write(f); err != nil {
			return nil, err
		}
	}
	for _, m := range extra {
		if m.Doc != nil && !have[m.Path] {
			if err := deflate(w, m.Path, m.Doc); err != nil {
				return nil, err
			}
		}
	}
	if d.App.CardLast {
		if err := card(); err != nil {
			return nil, err
		}
	}
	return w.Finish()
}

// Stripped takes card data out of a picture that goes into an archive: a stale card in a portrait has come back as the
// card in other tools. Packed pictures are left as they are packed unless they are the portrait of a PNG card.
func Stripped(b *canonical.Blob) (*canonical.Blob, error) {
	if b.Form != canonical.FormRaw {
		return b, nil
	}
	f, err := png.Open(b.Data, limits.Large())
	if err != nil {
		return b, nil // no sound PNG: carried as it is
	}
	for _, t := range f.Texts() {
		if png.IsCardKeyword(t.Keyword) {
			return canonical.RawBlob(f.Without(png.IsCardKeyword), "image/png"), nil
		}
	}
	return b, nil
}

func copyFile(w *zip.Writer, f canonical.File) error {
	if f.Header != nil {
		return w.CopyRaw(f.Header, f.Blob.Data)
	}
	return blob.Into(w, f.Path, f.Blob)
}

func deflate(w *zip.Writer, path string, doc *jsondoc.Doc) error { return w.Deflate(path, doc.Bytes()) }

// untouched reports whether doc still has the bytes of the entry.
func (d *Draft) untouched(f canonical.File, doc *jsondoc.Doc) bool {
	if !doc.Dirty() && f.Header != nil && f.Blob != nil {
		return true
	}
	raw, err := f.Blob.Raw()
	if err != nil {
		return false
	}
	b, err := rope.View(raw, 0, raw.Size())
	return err == nil && bytes.Equal(b, doc.Bytes())
}
