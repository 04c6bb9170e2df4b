package lumiverse

import (
	"fmt"
	"strings"

	"bunzai/canonical"
	"bunzai/container/media"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

type (
	body = canonical.Character
	lim  = limits.Limits
)

// native is a card seen with what Lumiverse keeps beside the shared fields: a view over the card document, the sidecar
// and the archive. The decoder reads it; the encoder reads it again over its own copies and edits them.
type native struct {
	root *jsondoc.Value
	v    tavern.Variant
	res  *tavern.Resources
	side *jsondoc.Doc // the sidecar; nil when there is none that can be read
	warn fieldmap.Warn

	slots    []*slot
	pics     map[*canonical.Asset]*pic // every asset of the body that has a place
	vars     []*row
	listed   bool // data.assets is there
	joined   []string
	unmapped []string
}

// where a picture is named.
const (
	expression = iota // expressions.mappings
	grouped           // expression_groups
	avatar            // alternate_avatars
	layer             // landing_perspective_layers
)

// slot is one place that names a picture.
type slot struct {
	kind        int
	char, label string
	obj         *jsondoc.Value // holds the reference under key
	key         string
	list        *jsondoc.Value // holds obj, for rows
	src         source
	where       string
	ref         string
	path        string // in the archive; "" for a data URI
	blob        *canonical.Blob
	asset       *canonical.Asset
}

// pic is what the wire says of one asset.
type pic struct {
	path string // in the archive, "" when the bytes stand in the document
	slot *slot
	copy bool // of an alternate avatar: a view, not written itself
}

// source is an object with the keys of the sidecar: the sidecar, the card's extensions, the sidecar inside a card.
type source struct {
	v     *jsondoc.Value
	where string
	flat  bool // extensions: groups without wrapper, pictures under image_id
}

func open(root *jsondoc.Value, v tavern.Variant, res *tavern.Resources, warn fieldmap.Warn, side *jsondoc.Doc) *native {
	n := &native{root: root, v: v, res: res, side: side, warn: warn, pics: map[*canonical.Asset]*pic{}}
	if n.warn == nil {
		n.warn = func(string, string) {}
	}
	if side == nil && res != nil {
		var err error
		if n.side, err = readSidecar(res.Files, res.Limits); err != nil {
			n.warn(sidecar, "cannot be read: "+err.Error()+". It is kept for the way back")
		}
	}
	if n.side != nil && n.side.Root.Get("version").Kind() != jsondoc.KindNumber {
		n.warn(sidecar+" version", "is no number; Lumiverse ignores the whole file, it is read here all the same")
	}
	return n
}

// readSidecar parses the archive's lumiverse_modules.json; nil without an error when there is none.
func readSidecar(files []canonical.File, l lim) (*jsondoc.Doc, error) {
	for _, f := range files {
		if tavern.CleanEntryPath(f.Path) != sidecar {
			continue
		}
		raw, err := f.Blob.Raw()
		if err != nil {
			return nil, err
		}
		if raw.Size() > l.JSON {
			return nil, l.Over("entry "+sidecar, "JSON", raw.Size())
		}
		b, err := rope.View(raw, 0, raw.Size())
		if err != nil {
			return nil, err
		}
		d, err := jsondoc.Parse(b, l)
		if err != nil {
			return nil, fault.At(err, "entry "+sidecar)
		}
		if d.Root.Kind() != jsondoc.KindObject {
			return nil, fault.New(fault.Damaged, "entry "+sidecar, "it must be an object, and it is %s", d.Root.Kind().String())
		}
		var entries int64
		for _, w := range d.Root.Get("world_books").Elems() {
			entries += int64(w.Get("entries").Len())
		}
		if entries > l.Items {
			return nil, l.Over("entry "+sidecar+", world_books", "Items", entries)
		}
		if n := int64(d.Root.Get("regex_scripts").Len()); n > l.Items {
			return nil, l.Over("entry "+sidecar+", regex_scripts", "Items", n)
		}
		return d, nil
	}
	return nil, nil
}

func (n *native) ext() *jsondoc.Value {
	return n.root.At(strings.Split(n.v.Prefix()+"extensions", ".")...)
}

// sources lists the objects that may hold a key of the sidecar, in the order in which they count.
func (n *native) sources() (out []source) {
	if n.side != nil {
		out = append(out, source{v: n.side.Root, where: sidecar})
	}
	x := n.ext()
	if x.Kind() == jsondoc.KindObject {
		out = append(out, source{v: x, where: n.v.Prefix() + "extensions", flat: true})
	}
	if h := x.Get(hubKey); h.Kind() == jsondoc.KindObject {
		out = append(out, source{v: h, where: n.v.Prefix() + "extensions." + hubKey})
	}
	return out
}

// find returns a key of the sidecar from the first source that holds it.
func (n *native) find(key string, kind jsondoc.Kind) (*jsondoc.Value, source) {
	for _, s := range n.sources() {
		if v := s.v.Get(key); v.Kind() == kind {
			return v, s
		}
	}
	return nil, source{}
}

// groups are the groups of expressions, which have a wrapper outside extensions.
func (n *native) groups() (*jsondoc.Value, source, string) {
	for _, s := range n.sources() {
		v := s.v.Get("expression_groups")
		w := v.Get("groups")
		if w.Kind() == jsondoc.KindObject && (!s.flat || !holdsText(w)) {
			return w, s, s.where + ".expression_groups.groups"
		}
		if s.flat && v.Kind() == jsondoc.KindObject {
			return v, s, s.where + ".expression_groups"
		}
	}
	return nil, source{}, ""
}

// holdsText reports a group of labels, as against a list of groups.
func holdsText(v *jsondoc.Value) bool {
	for _, m := range v.Members() {
		if m.Kind() == jsondoc.KindString {
			return true
		}
	}
	return false
}

// read adds the native parts to c, which holds what data.assets and the picture of a PNG say.
func (n *native) read(c *body) {
	_, list := n.list()
	n.listed = list
	byPath := map[string][]*canonical.Asset{}
	for _, a := range c.Media.Assets {
		p := tavern.ArchivePath(a.Ref)
		n.pics[a] = &pic{path: p}
		if p != "" && a.Blob != nil {
			byPath[p] = append(byPath[p], a)
		}
	}
	n.collect(func(ref string) (*canonical.Blob, string) { return n.resolve(ref, byPath) })
	n.readExpressions(c, byPath)
	n.readVariants(c, byPath)
	n.readLayers(c, byPath)
	if n.res != nil && n.res.Container == formats.CharX {
		n.readArchive(c)
	}
}

func (n *native) list() (*jsondoc.Value, bool) {
	v := n.root.At(strings.Split(n.v.Prefix()+"assets", ".")...)
	return v, v.Kind() == jsondoc.KindArray
}

// resolve finds the bytes behind a reference of the sidecar: a data URI or a path into the archive, or a path that an
// asset of the card says it came from. Bytes over the limit stay where they are.
func (n *native) resolve(ref string, byPath map[string][]*canonical.Asset) (*canonical.Blob, string) {
	if len(ref) >= 5 && strings.EqualFold(ref[:5], "data:") {
		return blob.FromURI(ref, n.res.Limits), ""
	}
	p := tavern.ArchivePath(ref)
	if p == "" {
		return nil, ""
	}
	if n.res.Entry != nil {
		if b := n.res.Entry(p); b != nil {
			if b.Size > n.res.Limits.Entry {
				return nil, p
			}
			return b, p
		}
	}
	if l := byPath[p]; len(l) > 0 {
		return l[0].Blob, p
	}
	return nil, p
}

// collect lists every place that names a picture, in the order of the sidecar.
func (n *native) collect(resolve func(ref string) (*canonical.Blob, string)) {
	add := func(s *slot) {
		var ok bool
		if s.ref, ok = s.obj.Get(s.key).Text(); !ok || s.ref == "" {
			return
		}
		s.blob, s.path = resolve(s.ref)
		n.slots = append(n.slots, s)
		if s.blob != nil {
			return
		}
		n.unmapped = append(n.unmapped, s.where)
		if s.path != "" && n.res.Entry != nil && !s.src.flat && s.src.where == sidecar {
			what := "which is not in this archive; the label is kept, the picture is missing"
			if b := n.res.Entry(s.path); b != nil {
				what = "which is larger than the limit for one file (" + fault.Amount(n.res.Limits.Entry, "bytes") + "); it stays in the archive and is not shown"
			}
			n.warn(s.where, "names "+s.ref+", "+what)
		}
	}
	if e, src := n.find("expressions", jsondoc.KindObject); e != nil {
		m := e.Get("mappings")
		for k := range m.Members() {
			add(&slot{kind: expression, label: k, obj: m, key: k, src: src, where: src.where + ".expressions.mappings." + k})
		}
	}
	if g, src, where := n.groups(); g != nil {
		for char, m := range g.Members() {
			for k := range m.Members() {
				add(&slot{kind: grouped, char: char, label: k, obj: m, key: k, src: src, where: where + "." + char + "." + k})
			}
		}
	}
	rows := func(key string, kind int) {
		l, src := n.find(key, jsondoc.KindArray)
		for i, r := range l.Elems() {
			s := &slot{kind: kind, obj: r, key: "path", list: l, src: src, where: fmt.Sprintf("%s.%s[%d]", src.where, key, i)}
			if r.Get("path") == nil {
				s.key = "image_id"
			}
			s.label, _ = r.Get("label").Text()
			add(s)
		}
	}
	rows("alternate_avatars", avatar)
	rows("landing_perspective_layers", layer)
}

// claim finds the listed asset that a place names, so that one picture is one asset.
func (n *native) claim(s *slot, byPath map[string][]*canonical.Asset, fits func(a *canonical.Asset, exact bool) bool) *canonical.Asset {
	if s.path == "" {
		return nil
	}
	for _, exact := range []bool{true, false} {
		for _, a := range byPath[s.path] {
			if n.pics[a].slot == nil && fits(a, exact) {
				n.pics[a].slot, s.asset = s, a
				return a
			}
		}
	}
	return nil
}

// place makes the asset of a slot and adds it to c.
func (n *native) place(c *body, s *slot, a *canonical.Asset, isCopy bool) {
	if s.path != "" {
		a.Ref = s.ref
	}
	a.Blob = s.blob
	a.Mime = mimeOf(s.blob)
	s.asset = a
	n.pics[a] = &pic{path: s.path, slot: s, copy: isCopy}
	if a.Role != canonical.RolePortrait {
		c.Media.Assets = append(c.Media.Assets, a)
	}
}

func mimeOf(b *canonical.Blob) *string {
	m := b.Mime
	if m == "" {
		m = blob.Mime(b, "")
	}
	return &m
}

func fullLabel(s *slot) string {
	if s.kind == grouped {
		return s.char + ":" + s.label
	}
	return s.label
}

func (n *native) readExpressions(c *body, byPath map[string][]*canonical.Asset) {
	for _, s := range n.slots {
		if s.blob == nil || s.kind != expression && s.kind != grouped {
			continue
		}
		l := fullLabel(s)
		if a := n.claim(s, byPath, func(a *canonical.Asset, exact bool) bool {
			if exact {
				return a.Role == canonical.RoleEmotion && canonical.Or(a.Label, "") == l
			}
			return a.Role == canonical.RoleEmotion || a.Role == canonical.RoleOther
		}); a != nil {
			a.Role, a.Label = canonical.RoleEmotion, &l
			continue
		}
		n.place(c, s, emotion(l), false)
	}
}

func emotion(l string) *canonical.Asset {
	return &canonical.Asset{Role: canonical.RoleEmotion, Name: &l, Label: &l}
}

func other(name string) *canonical.Asset {
	return &canonical.Asset{Role: canonical.RoleOther, Name: &name}
}

func (n *native) readLayers(c *body, byPath map[string][]*canonical.Asset) {
	for _, s := range n.slots {
		if s.kind != layer || s.blob == nil {
			continue
		}
		if n.claim(s, byPath, func(*canonical.Asset, bool) bool { return true }) == nil {
			n.place(c, s, other(layerName(s)), false)
		}
	}
}

func layerName(s *slot) string {
	switch {
	case s.path != "":
		return stem(s.path)
	case s.label != "":
		return s.label
	}
	return "layer"
}

// stem is the file name without folder and ending.
func stem(p string) string {
	p = p[strings.LastIndexByte(p, '/')+1:]
	if i := strings.LastIndexByte(p, '.'); i > 0 {
		p = p[:i]
	}
	return p
}

func galleryName(p string) string {
	s := stem(p)
	if t := strings.TrimPrefix(s, "gallery_"); t != "" {
		return t
	}
	return s
}

func extOf(p string) string {
	p = p[strings.LastIndexByte(p, '/')+1:]
	if i := strings.LastIndexByte(p, '.'); i >= 0 {
		return strings.ToLower(p[i+1:])
	}
	return ""
}

// isPicture reports an ending that the app unpacks.
func isPicture(p string) bool {
	switch extOf(p) {
	case "png", "jpg", "jpeg", "gif", "webp", "avif", "bmp", "svg":
		return true
	}
	return false
}

const icons = "assets/icon/image/"

// readArchive finds the portrait, and takes the pictures that nothing names into the gallery.
func (n *native) readArchive(c *body) {
	named := map[string]bool{}
	for _, s := range n.slots {
		named[s.path] = true
	}
	for _, p := range n.pics {
		named[p.path] = true
	}
	var files []canonical.File
	for _, f := range n.res.Files {
		p := tavern.CleanEntryPath(f.Path)
		if p == "" || strings.HasSuffix(p, "/") || !isPicture(p) || strings.HasPrefix(p, "__MACOSX/") || strings.HasPrefix(stem(p), "._") {
			continue
		}
		if f.Blob.Size > n.res.Limits.Entry {
			if !named[p] {
				n.warn("entry "+p, "is larger than the limit for one file ("+fault.Amount(n.res.Limits.Entry, "bytes")+"); it stays in the archive and is not shown")
			}
			continue
		}
		files = append(files, canonical.File{Path: p, Blob: f.Blob})
	}
	main := n.portrait(files, named, c.Media.Portrait)
	if main != nil {
		c.Media.Portrait = &canonical.Asset{Role: canonical.RolePortrait, Ref: main.Path, Blob: main.Blob, Mime: mimeOf(main.Blob)}
		n.pics[c.Media.Portrait] = &pic{path: main.Path}
		named[main.Path] = true
	} else if p := c.Media.Portrait; p != nil {
		n.pics[p] = &pic{path: tavern.ArchivePath(p.Ref)}
		named[n.pics[p].path] = true
	} else if b := n.res.Prefix; b != nil && strings.HasPrefix(blob.Mime(b, ""), "image/") {
		c.Media.Portrait = &canonical.Asset{Role: canonical.RolePortrait, Blob: b, Mime: canonical.Ptr(blob.Mime(b, ""))}
		n.pics[c.Media.Portrait] = &pic{}
	}
	seen := map[string]bool{}
	for _, f := range files {
		if named[f.Path] || seen[f.Path] {
			continue
		}
		seen[f.Path] = true
		a := other(galleryName(f.Path))
		a.Ref, a.Blob, a.Mime = f.Path, f.Blob, mimeOf(f.Blob)
		n.pics[a] = &pic{path: f.Path}
		c.Media.Assets = append(c.Media.Assets, a)
	}
}

// portrait picks the portrait: icon/image/main.*, the card's own main icon, then as the app does (the first icon, the
// first picture at the root, the first under assets), pictures with another meaning last.
func (n *native) portrait(files []canonical.File, named map[string]bool, listed *canonical.Asset) *canonical.File {
	first := func(ok func(p string) bool) *canonical.File {
		for i, f := range files {
			if ok(f.Path) {
				return &files[i]
			}
		}
		return nil
	}
	if f := first(func(p string) bool {
		return strings.HasPrefix(p, icons) && strings.EqualFold(stem(p), "main") && strings.Count(p, "/") == 3
	}); f != nil {
		if listed != nil && tavern.ArchivePath(listed.Ref) == f.Path {
			return nil // the list names the same picture
		}
		return f
	}
	if listed != nil {
		return nil // also when it is only a link
	}
	icon := func(p string) bool { return strings.HasPrefix(p, icons) }
	free := func(p string) bool { return !named[p] }
	for _, ok := range []func(p string) bool{
		func(p string) bool { return icon(p) && free(p) },
		func(p string) bool { return !strings.Contains(p, "/") && free(p) },
		icon,
		func(p string) bool { return strings.HasPrefix(p, "assets/") && free(p) },
	} {
		if f := first(ok); f != nil {
			return f
		}
	}
	return nil
}

// picture reports a media type that the app shows.
func picture(ext string) bool { return isPicture("x."+ext) && media.MimeOf(ext) != "" }
