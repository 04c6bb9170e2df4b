package tavern

import (
	"slices"
	"strings"

	"bunzai/canonical"
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

// Card is a decoded card with everything that its codec needs for the way back.
type Card struct {
	Body      *canonical.Character
	Doc       *jsondoc.Doc
	Variant   Variant
	Container formats.Container
	Res       *Resources
	Escrow    *canonical.Escrow
	Warnings  []string
	Front     bool     // an archive behind a JPEG picture, in an app that has such files
	dropped   []string // wire paths whose value, or a part of it, means nothing
}

// Nameless is the name that a card without one gets in another app, since apps refuse cards without a name.
const Nameless = "Unnamed"

// known are paths that are no loss when they stay behind: the envelope, SillyTavern's private state, and the book,
// which is a piece of its own.
var known = []string{"spec", "spec_version", "data.character_book", "character_book", "data.extensions.character_book", "extensions.character_book",
	"chat", "fav", "json_data", "avatar", "data.extensions.fav", "extensions.fav", "data.assets", "assets"}

// Decode reads the card of an input: envelope, fields, assets, and the escrow bucket of the app.
func (a *App) Decode(in *formats.Input) (*Card, error) {
	if in.Kind == "text" {
		c, err := a.decodeYAML(in)
		if err != nil {
			return nil, err
		}
		return c, a.finish(c, "")
	}
	cd, err := in.Card()
	if err != nil {
		return nil, err
	}
	v, why := Classify(cd.Doc.Root)
	if v == "" {
		if words := formats.KnownJSON(cd.Doc.Root); words != "" {
			return nil, fault.New(fault.NoCard, cd.Where, "this holds %s, which this version of bunzai does not read yet", words)
		}
		return nil, fault.New(fault.NoCard, cd.Where, "this is no character card: %s", why)
	}
	if err := Check(cd.Doc.Root, v, cd.Where); err != nil {
		return nil, err
	}
	c := &Card{Doc: cd.Doc, Variant: v, Warnings: append([]string(nil), cd.Warnings...)}
	if strings.Contains(why, ";") {
		c.Warnings = append(c.Warnings, why)
	}
	c.Escrow = &canonical.Escrow{Bucket: a.Name, Raw: cd.Doc, Unmapped: jsondoc.Object()}
	switch {
	case in.IsPNG():
		err = c.fromPNG(in, cd)
	case in.IsZip():
		err = a.fromZIP(c, in, cd)
	default:
		c.Container = formats.JSON
		c.Res = &Resources{Container: formats.JSON, Limits: in.Limits}
	}
	if err != nil {
		return nil, err
	}
	return c, a.finish(c, cd.Where)
}

// finish reads the body out of the document that was found at that place.
func (a *App) finish(c *Card, where string) error {
	c.Res.other = a.Other
	c.Escrow.Unmapped.Set("variant", jsondoc.String(string(c.Variant)))
	c.Escrow.Unmapped.Set("container", jsondoc.String(string(c.Container)))
	c.Body = a.body(c.Doc.Root, c.Variant, c.Res, func(path, what string) {
		if fieldmap.Dropped(what) && !slices.Contains(c.dropped, path) {
			c.dropped = append(c.dropped, path)
		}
		c.Warnings = append(c.Warnings, joinWhere(where, path)+" "+what)
	})
	if strings.TrimSpace(c.Body.Identity.Name) == "" {
		c.Warnings = append(c.Warnings, "the card has no name, and apps refuse such a card; its own app gets it as it is, another app gets the name \""+Nameless+"\"")
	}
	return nil
}

// Unmapped lists the wire paths of the card that have content and no canonical home.
func (a *App) Unmapped(c *Card) []string {
	root := c.Doc.Root
	out := a.coverage(c.Variant).Unmapped(root)
	for _, p := range a.Rows(c.Variant).Unsaid(root) { // another spelling or a stale copy that does not count
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, p := range c.dropped { // a value of a kind that means nothing: it stays behind as much as an unknown one
		if v := root.At(strings.Split(p, ".")...); !fieldmap.Blank(v) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	if c.Variant.Wrapped() {
		out = withoutMirrors(out, root)
	}
	if a.Regex {
		out = append(out, badScripts(root, c.Variant)...)
	}
	if b, where := book.Find(root, c.Variant.prefix()); b != nil {
		dial := a.Book
		if dial == nil {
			dial = book.OfBook(b)
		}
		for _, p := range dial.UnmappedIn(b) {
			out = append(out, where+"."+p)
		}
	}
	return append(out, assetMembers(assetsOf(root, c.Variant), c.Variant.prefix()+"assets[].")...)
}

// assetMembers lists the members of asset elements that the spec does not have, and elements that are no asset.
func assetMembers(list *jsondoc.Value, prefix string) (out []string) {
	for _, e := range list.Elems() {
		if p := strings.TrimSuffix(prefix, "."); e.Kind() != jsondoc.KindObject && !e.IsNull() && !slices.Contains(out, p) {
			out = append(out, p)
		}
		for k, v := range e.Members() {
			switch k {
			case "type", "uri", "name", "ext", "path":
				continue
			}
			if p := prefix + k; !v.IsNull() && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// withoutMirrors drops root members that repeat a member of data word for word.
func withoutMirrors(paths []string, root *jsondoc.Value) []string {
	out := paths[:0]
	for _, p := range paths {
		path := strings.Split(p, ".")
		if path[0] != "data" && jsondoc.Equal(root.At(path...), root.Get("data").At(path...)) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// body reads the canonical character out of a document.
func (a *App) body(root *jsondoc.Value, v Variant, res *Resources, warn func(path, what string)) *canonical.Character {
	if warn == nil {
		warn = func(string, string) {}
	}
	c := &canonical.Character{}
	a.Rows(v).Read(root, c, warn)
	readAssets(assetsOf(root, v), res, c, func(path, what string) { warn(v.prefix()+path, what) })
	if a.Extend != nil {
		a.Extend(&Source{Root: root, Variant: v, Res: res, Warn: warn}, c)
	}
	return c
}

func assetsOf(root *jsondoc.Value, v Variant) *jsondoc.Value {
	if v.Wrapped() {
		return root.At("data", "assets")
	}
	return root.Get("assets")
}

func dropData(k string) bool {
	_, asset := png.AssetPath(k)
	return asset || png.IsCardKeyword(k) || k == standInChunk
}

// A PNG card whose portrait is a JPEG, GIF or WebP shows a PNG made of it, and says so in a chunk: the main icon among
// its assets is then the portrait. An app that gives the card another picture makes the PNG anew, without the chunk.
const (
	standInChunk = "bunzai"
	standInValue = "carrier:transcoded"
)

func (c *Card) fromPNG(in *formats.Input, cd *formats.CardDoc) error {
	p, err := in.PNG()
	if err != nil {
		return err
	}
	c.Container = formats.PNG
	c.Warnings = append(c.Warnings, p.Warnings...)
	c.Escrow.Media = canonical.RawBlob(rope.Of(in.Source), "image/png")
	c.Escrow.Unmapped.Set("chunk", jsondoc.String(cd.Chunk))
	if cd.Locked {
		c.Escrow.Unmapped.Set(lockedFact, jsondoc.Bool(true))
		c.Warnings = append(c.Warnings, "the card is encrypted in this file; a PNG for the app that it comes from stays so, and everybody can read every other file that is made of it")
	}
	if cd.Second != nil {
		c.Escrow.Unmapped.Set("second", cd.Second.Root.Clone())
		if x, y := cd.Doc.Root.Get("data"), cd.Second.Root.Get("data"); x != nil && y != nil && !jsondoc.Equal(x, y) {
			c.Warnings = append(c.Warnings, "the two card chunks of this PNG, chara and ccv3, say different things; "+cd.Chunk+" counts, the other is kept for the way back to the same app only")
		}
	}
	c.Res = pngResources(p, in.Limits)
	return nil
}

func pngResources(p *png.File, lim limits.Limits) *Resources {
	res := &Resources{Container: formats.PNG, Limits: lim, Carrier: canonical.RawBlob(p.Without(dropData), "image/png")}
	chunks := map[string]png.Text{}
	for _, t := range p.Texts() {
		if t.Keyword == standInChunk {
			v, err := p.Text(t)
			res.standIn = err == nil && string(v) == standInValue
		}
		if path, ok := png.AssetPath(t.Keyword); ok {
			if _, dup := chunks[path]; !dup {
				chunks[path] = t
			}
		}
	}
	res.Chunk = func(name string) *canonical.Blob {
		t, ok := chunks[name]
		if !ok {
			return nil
		}
		v, err := p.Value(t)
		if err != nil {
			return nil
		}
		return blob.FromBase64(v, lim)
	}
	return res
}

func (a *App) fromZIP(c *Card, in *formats.Input, cd *formats.CardDoc) error {
	z, err := in.ZIP()
	if err != nil {
		return err
	}
	c.Container = formats.CharX
	files, err := filesOf(z)
	if err != nil {
		return err
	}
	c.Escrow.Files = files
	c.Escrow.Unmapped.Set("card", jsondoc.String(strings.TrimPrefix(cd.Where, "entry ")))
	if len(z.Comment) > 0 {
		c.Escrow.Unmapped.Set("comment", jsondoc.String(string(z.Comment)))
	}
	if z.Base > 0 {
		c.Escrow.Media = canonical.RawBlob(rope.Of(in.Source).Slice(0, z.Base), "")
	}
	c.Res = zipResources(c.Escrow, in.Limits)
	c.Front = a.JPEG && c.Res.jpeg()
	c.Warnings = append(c.Warnings, z.Warnings...)
	return nil
}

func filesOf(z *zip.Archive) ([]canonical.File, error) {
	out := make([]canonical.File, 0, len(z.Entries))
	for _, e := range z.Entries {
		b, err := blob.FromEntry(e)
		if err != nil {
			return nil, err
		}
		out = append(out, canonical.File{Path: e.Name, Blob: b, Header: e.Header()})
	}
	return out, nil
}

// CleanEntryPath is the look-up form of an archive path; "" when it is unsafe.
func CleanEntryPath(p string) string {
	p = strings.TrimLeft(strings.ReplaceAll(p, `\`, "/"), "/")
	for strings.HasPrefix(p, "./") {
		p = strings.TrimLeft(p[2:], "/")
	}
	if strings.ContainsAny(p, "\x00") {
		return ""
	}
	for _, part := range strings.Split(p, "/") {
		if part == ".." {
			return ""
		}
	}
	return p
}

// resourcesOf rebuilds the resources of a card from its escrow.
func resourcesOf(e *canonical.Escrow, lim limits.Limits) (*Resources, error) {
	switch container(e) {
	case formats.PNG:
		if e.Media == nil {
			break
		}
		raw, err := e.Media.Raw()
		if err != nil {
			return nil, fault.At(err, "sourceMedia")
		}
		p, err := png.Open(raw, lim)
		if err != nil {
			return nil, fault.At(err, "sourceMedia")
		}
		return pngResources(p, lim), nil
	case formats.CharX:
		return zipResources(e, lim), nil
	}
	return &Resources{Container: formats.JSON, Limits: lim}, nil
}

// Returns is the container that a piece of this app came in, which formats.Returner asks for; "" for others.
func (a *App) Returns(e *canonical.Entity) formats.Container {
	if twin := e.Bucket(a.Name); twin != nil && twin.Raw != nil && variant(twin) != "" {
		return container(twin)
	}
	return ""
}

func container(e *canonical.Escrow) formats.Container {
	s, _ := e.Unmapped.Get("container").Text()
	return formats.Container(s)
}

func variant(e *canonical.Escrow) Variant {
	s, _ := e.Unmapped.Get("variant").Text()
	return Variant(s)
}
