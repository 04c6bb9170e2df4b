package lumiverse

import (
	"cmp"
	"fmt"
	pathpkg "path"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// writer puts what Lumiverse keeps beside the shared fields into a draft.
type writer struct {
	d    *tavern.Draft
	body *body
	lim  lim
	n    *native // the draft's documents as they stood before
	was  *body   // the pictures that they named

	zip         bool // the draft becomes an archive
	fresh       bool // there is no twin
	same        bool // container and pictures are the twin's
	refsChanged bool // an avatar lies elsewhere now
	hadSide     bool // the twin's archive has a sidecar that can be read
	sideNew     bool // the sidecar is a new document
	several     bool // an expression has a name that another has

	paths   map[*canonical.Asset]string // archive path of each picture
	avatars map[*canonical.Variant]string
	gone    map[string]bool
	held    map[string]bool // paths whose content the canonical body held

	wasBooks   []*canonical.Entity
	fromWorld  bool // they came from world_books
	fromTavern bool // they came from a book in SillyTavern's dialect that the app misreads

	warnings []string
}

func newWriter(d *tavern.Draft, b *body, ctx formats.EncodeContext) (*writer, error) {
	w := &writer{d: d, body: b, lim: ctx.Limits, zip: d.Container == formats.CharX, fresh: d.Twin == nil,
		paths: map[*canonical.Asset]string{}, avatars: map[*canonical.Variant]string{}, gone: map[string]bool{}, held: map[string]bool{}}
	var side *jsondoc.Doc
	res := d.TwinRes
	if res == nil {
		res = &tavern.Resources{Container: d.Container, Limits: ctx.Limits}
	} else {
		side, _ = readSidecar(res.Files, ctx.Limits)
		w.hadSide = side != nil
	}
	var err error
	if side, err = w.move(side, ctx.Limits); err != nil {
		return nil, err
	}
	w.n = open(d.Doc.Root, d.Variant, &tavern.Resources{Container: res.Container, Carrier: res.Carrier, Entry: res.Entry, Chunk: res.Chunk, Files: res.Files, Prefix: res.Prefix, Limits: res.Limits}, nil, side)
	if side == nil {
		w.n.side = nil
	}
	w.was = &body{}
	if d.Twin != nil {
		w.was.Media = tavern.ReadMedia(d.Doc.Root, d.Variant, res)
		w.n.read(w.was)
		for _, p := range w.n.pics {
			w.held[p.path] = true
		}
	}
	w.same = d.Twin != nil && d.TwinContainer() == d.Container && tavern.SameMedia(b, d.Was)
	return w, nil
}

// move brings the sidecar to where the container has it: an archive's own file, or extensions.lumiverse_modules of a
// card without one. Alternate texts go to extensions there, where the app reads them.
func (w *writer) move(side *jsondoc.Doc, l lim) (*jsondoc.Doc, error) {
	d := w.d
	ext := strings.Split(d.Variant.Prefix()+"extensions", ".")
	hub := append(append([]string{}, ext...), hubKey)
	if w.zip {
		if side != nil {
			return side, nil
		}
		w.sideNew = true
		root := jsondoc.Object()
		root.Set("version", jsondoc.Int(1))
		if d.TwinContainer() != formats.CharX {
			if h := d.Doc.Root.At(hub...); h.Kind() == jsondoc.KindObject {
				root = h.Clone()
				fieldmap.Drop(d.Doc.Root, hub)
			}
			if f := d.Doc.Root.At(append(ext[:len(ext):len(ext)], "alternate_fields")...); f.Kind() == jsondoc.KindObject && d.Twin != nil {
				root.Set("alternate_fields", f.Clone())
				fieldmap.Drop(d.Doc.Root, append(ext[:len(ext):len(ext)], "alternate_fields"))
			}
		}
		return jsondoc.NewDoc(root, "  "), nil
	}
	if side == nil {
		return nil, nil
	}
	h := side.Root.Clone()
	if f := h.Get("alternate_fields"); f.Kind() == jsondoc.KindObject {
		fieldmap.Put(d.Doc.Root, append(ext[:len(ext):len(ext)], "alternate_fields"), f.Clone())
		h.Delete("alternate_fields")
	}
	for k, m := range h.Members() {
		if k != "version" && m.Len() > 0 {
			fieldmap.Put(d.Doc.Root, hub, h)
			break
		}
	}
	return nil, nil
}

// holder is the object that a new key of the sidecar goes into.
func (w *writer) holder(key string) *jsondoc.Value {
	if w.zip {
		return w.n.side.Root
	}
	ext := strings.Split(w.d.Variant.Prefix()+"extensions", ".")
	if key != "alternate_fields" {
		ext = append(ext, hubKey)
	}
	h := w.d.Doc.Root.At(ext...)
	if h.Kind() != jsondoc.KindObject {
		h = jsondoc.Object()
		if key != "alternate_fields" {
			h.Set("version", jsondoc.Int(1))
		}
		fieldmap.Put(w.d.Doc.Root, ext, h)
		h = w.d.Doc.Root.At(ext...)
	}
	return h
}

// pictures gives every picture its place, and every place its picture.
func (w *writer) pictures() error {
	if w.same && (sameVariants(w.body.Variants, w.d.Was.Variants) || !w.avatarsChanged()) {
		return nil
	}
	match := w.match()
	avatarOf := w.matchAvatars()
	w.follow(avatarOf, match)
	if w.zip {
		w.assign(match, avatarOf)
	}
	w.slots(match)
	if err := w.list(match); err != nil {
		return err
	}
	w.placeAvatars(avatarOf)
	return nil
}

func (w *writer) avatarsChanged() bool {
	var a, b []*canonical.Asset
	for _, v := range w.body.Variants {
		if m := v.Overrides.Media; m != nil && m.Portrait != nil {
			a = append(a, m.Portrait)
		}
	}
	for _, v := range w.d.Was.Variants {
		if m := v.Overrides.Media; m != nil && m.Portrait != nil {
			b = append(b, m.Portrait)
		}
	}
	same, err := canonical.Same(&body{Media: canonical.Media{Assets: a}}, &body{Media: canonical.Media{Assets: b}})
	return err != nil || !same
}

// match pairs the pictures of the body with those that the documents named: by all that they say, then by role and
// name, then by place.
func (w *writer) match() map[*canonical.Asset]*canonical.Asset {
	match, back := map[*canonical.Asset]*canonical.Asset{}, map[*canonical.Asset]*canonical.Asset{}
	if w.was.Media.Portrait != nil && w.body.Media.Portrait != nil {
		match[w.body.Media.Portrait], back[w.was.Media.Portrait] = w.was.Media.Portrait, w.body.Media.Portrait
	}
	says := func(a *canonical.Asset) string {
		return a.Role + "\x00" + canonical.Or(a.Label, "") + "\x00" + canonical.Or(a.Name, "")
	}
	for _, key := range []func(a *canonical.Asset) string{
		func(a *canonical.Asset) string { return says(a) + "\x00" + a.Ref },
		says,
		func(a *canonical.Asset) string { return tavern.ArchivePath(a.Ref) },
	} {
		open := map[string][]*canonical.Asset{}
		for _, a := range w.was.Media.Assets {
			if k := key(a); k != "" && back[a] == nil {
				open[k] = append(open[k], a)
			}
		}
		for _, a := range w.body.Media.Assets {
			if k := key(a); match[a] == nil && len(open[k]) > 0 {
				match[a], back[open[k][0]] = open[k][0], a
				open[k] = open[k][1:]
			}
		}
	}
	return match
}

func (w *writer) matchAvatars() map[*canonical.Variant]*row {
	out := map[*canonical.Variant]*row{}
	byID := map[string]*row{}
	for _, x := range w.n.vars {
		byID[x.variant.ID] = x
	}
	for _, v := range w.body.Variants {
		if x := byID[v.ID]; x != nil {
			out[v] = x
		}
	}
	return out
}

func portraitOf(v *canonical.Variant) *canonical.Asset {
	if m := v.Overrides.Media; m != nil && m.Portrait != nil && m.Portrait.Blob != nil {
		return m.Portrait
	}
	return nil
}

func sameBlob(a, b *canonical.Blob) bool {
	if a == b {
		return true
	}
	same, err := canonical.SameBlob(a, b)
	return err == nil && same
}

// follow keeps the two views of an alternate avatar together: whichever was edited counts, the variant's before the
// asset's. What follows is decided on copies; the body is not touched.
func (w *writer) follow(avatarOf map[*canonical.Variant]*row, match map[*canonical.Asset]*canonical.Asset) {
	var variants []*canonical.Variant
	swap := map[*canonical.Asset]*canonical.Asset{}
	for _, v := range w.body.Variants {
		x, p := avatarOf[v], portraitOf(v)
		if x == nil || x.avatar == nil || p == nil {
			variants = append(variants, v)
			continue
		}
		old := x.avatar.blob
		for _, a := range w.body.Media.Assets {
			was := match[a]
			if was == nil || w.n.pics[was] == nil || !w.n.pics[was].copy || w.n.pics[was].slot != x.avatar {
				continue
			}
			switch {
			case !sameBlob(p.Blob, old):
				if !sameBlob(p.Blob, a.Blob) {
					b := *a
					b.Blob = p.Blob
					swap[a] = &b
				}
			case !sameBlob(a.Blob, old):
				c := *v
				q := *p
				q.Blob = a.Blob
				c.Overrides.Media = &canonical.VariantMedia{Portrait: &q}
				avatarOf[&c] = x
				v = &c
			}
		}
		variants = append(variants, v)
	}
	b := *w.body
	b.Variants = variants
	if len(swap) > 0 {
		b.Media.Assets = append([]*canonical.Asset{}, b.Media.Assets...)
		for i, a := range b.Media.Assets {
			if s := swap[a]; s != nil {
				b.Media.Assets[i] = s
				match[s] = match[a]
			}
		}
	}
	w.body = &b
}

func cleaned(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_-. ", r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	c := strings.Trim(b.String(), " .")
	if len(c) > 100 {
		c = strings.Trim(c[:100], " .")
	}
	if c == "" {
		return "unnamed"
	}
	return c
}

// groupOf splits a label "character:label"; ok is false for a plain one.
func groupOf(l string) (char, rest string, ok bool) {
	char, rest, ok = strings.Cut(l, ":")
	return char, rest, ok && char != "" && rest != ""
}

func labelOf(a *canonical.Asset) string {
	return canonical.Or(a.Label, canonical.Or(a.Name, a.Role))
}

// base is the path of a new picture without its ending, as the app names them.
func base(a *canonical.Asset, ext string) string {
	switch {
	case a.Role == canonical.RolePortrait:
		return icons + "main"
	case !picture(ext):
		return "assets/other/" + blob.Folder(blob.Mime(a.Blob, ext)) + "/" + cleaned(strings.TrimSuffix(canonical.Or(a.Name, labelOf(a)), "."+ext))
	case a.Role == canonical.RoleEmotion:
		if char, l, ok := groupOf(labelOf(a)); ok {
			return "assets/other/image/exprg_" + cleaned(char) + "--" + cleaned(l)
		}
		return "assets/other/image/expr_" + cleaned(labelOf(a))
	}
	return "assets/other/image/gallery_" + cleaned(strings.TrimSuffix(canonical.Or(a.Name, labelOf(a)), "."+ext))
}

// assign decides the archive path of every picture. A picture that did not change stays where it is; a changed one
// keeps its path as long as its kind is the same and nobody else uses the file.
func (w *writer) assign(match map[*canonical.Asset]*canonical.Asset, avatarOf map[*canonical.Variant]*row) {
	type want struct {
		a    *canonical.Asset
		old  string // where it was
		base string
	}
	var list []*canonical.Asset
	if p := w.body.Media.Portrait; p != nil {
		list = append(list, p)
	}
	list = append(list, w.body.Media.Assets...)
	var all []want
	for _, a := range list {
		if a.Blob == nil {
			continue
		}
		old := ""
		if m := match[a]; m != nil && w.n.pics[m] != nil {
			old = w.n.pics[m].path
		}
		if a.Role == canonical.RolePortrait && a == w.body.Media.Portrait && w.n.res.Prefix != nil && sameBlob(a.Blob, w.n.res.Prefix) {
			continue // the picture before the archive
		}
		all = append(all, want{a, old, ""})
	}
	for i, v := range w.body.Variants {
		p := portraitOf(v)
		if p == nil {
			continue
		}
		old := ""
		if x := avatarOf[v]; x != nil && x.avatar != nil {
			old = x.avatar.path
		}
		base := icons + cleaned(w.rowID(i, v))
		for k := range all { // a view of it among the assets is the same file; where there is no portrait, an icon would become it
			if w.body.Media.Portrait != nil && all[k].a.Blob == p.Blob && all[k].a.Role == canonical.RoleOther && all[k].base == "" {
				all[k].base = base
			}
		}
		all = append(all, want{p, old, base})
	}
	inZip := w.d.TwinContainer() == formats.CharX
	taken := map[string]bool{"card.json": true, sidecar: true}
	if inZip {
		for _, f := range w.n.res.Files {
			taken[strings.ToLower(tavern.CleanEntryPath(f.Path))] = true
		}
	}
	free := func(p string) bool { return !taken[strings.ToLower(p)] }
	fileOf := func(p string) *canonical.Blob {
		if !inZip || p == "" || w.n.res.Entry == nil {
			return nil
		}
		return w.n.res.Entry(p)
	}
	used := map[string]*canonical.Blob{}
	placed := map[*canonical.Blob]string{}
	put := func(x want, p string) {
		w.paths[x.a] = p
		used[p] = x.a.Blob
		placed[x.a.Blob] = p
		taken[strings.ToLower(p)] = true
	}
	for _, x := range all { // what stays
		if f := fileOf(x.old); f != nil && sameBlob(f, x.a.Blob) {
			put(x, x.old)
		}
	}
	for _, x := range all {
		if w.paths[x.a] != "" {
			continue
		}
		if p := placed[x.a.Blob]; p != "" {
			w.paths[x.a] = p
			continue
		}
		if b := used[x.old]; b != nil && sameBlob(b, x.a.Blob) {
			w.paths[x.a] = x.old
			continue
		}
		ext := blob.Ext(x.a.Blob, cmp.Or(tavern.DeclaredExt(x.a), extOf(x.a.Ref)))
		b := x.base
		if b == "" {
			b = base(x.a, ext)
		}
		out := tavern.FileOut{Blob: x.a.Blob, First: b == icons+"main"}
		p := x.old
		switch {
		case p != "" && sameKind(extOf(p), ext) && used[p] == nil && (fileOf(p) != nil || free(p)):
		case p != "":
			if fileOf(p) != nil {
				out.Instead = p
			}
			p = unique(strings.TrimSuffix(p, pathpkg.Ext(p)), ext, free)
		default:
			p = unique(b, ext, free)
		}
		put(x, p)
		out.Path = p
		if clean, err := tavern.Stripped(out.Blob); err == nil {
			out.Blob = clean
		}
		w.d.Assets = append(w.d.Assets, out)
	}
	if !inZip {
		return
	}
	for p := range w.held {
		if p != "" && used[p] == nil {
			w.gone[p] = true
		}
	}
}

func sameKind(a, b string) bool {
	norm := func(s string) string {
		if s == "jpeg" {
			return "jpg"
		}
		return s
	}
	return norm(a) == norm(b)
}

func unique(base, ext string, free func(p string) bool) string {
	p := base + "." + ext
	for i := 2; !free(p); i++ {
		p = fmt.Sprintf("%s-%d.%s", base, i, ext)
	}
	return p
}

// slots brings the mappings and layers up to date with the pictures.
func (w *writer) slots(match map[*canonical.Asset]*canonical.Asset) {
	now := map[*canonical.Asset]*canonical.Asset{} // after follow, by what it was
	for _, a := range append([]*canonical.Asset{w.body.Media.Portrait}, w.body.Media.Assets...) {
		if a != nil && match[a] != nil {
			now[match[a]] = a
		}
	}
	mapped := map[*canonical.Asset]bool{}
	var renamed renames
	for _, s := range w.n.slots {
		if s.blob == nil || s.kind == avatar {
			continue
		}
		a := now[s.asset]
		if a != nil && (s.kind == expression || s.kind == grouped) && a.Role != canonical.RoleEmotion {
			a = nil
		}
		if a == nil || a.Blob == nil {
			if s.list != nil {
				removeElem(s.list, s.obj)
			} else {
				s.obj.Delete(s.key)
			}
			continue
		}
		mapped[a] = true
		ref := s.ref
		switch p := w.paths[a]; {
		case w.zip && p != s.path:
			ref = p
		case w.zip:
		case s.path == "" && !sameBlob(a.Blob, s.blob):
			if u, err := blob.URI(a.Blob, blob.Ext(a.Blob, "")); err == nil {
				ref = u
			}
		}
		if s.kind == layer {
			if ref != s.ref {
				s.obj.Set(s.key, jsondoc.String(ref))
			}
			continue
		}
		l := labelOf(a)
		char, rest, isGroup := groupOf(l)
		home, key := s.obj, s.label
		foreign := w.zip && s.src.flat && s.path == "" // an inline picture that goes into the archive
		if fullLabel(s) != l || foreign {
			if s.kind == grouped && isGroup && char == s.char && !foreign {
				key = rest
			} else if s.kind == expression && !isGroup && !foreign {
				key = l
			} else {
				home, key = w.mapping(l)
			}
			if home == s.obj {
				renamed = append(renamed, rename{s, key, ref})
				continue
			}
			s.obj.Delete(s.key)
		}
		if home.Get(key) == nil || ref != s.ref {
			home.Set(key, jsondoc.String(ref))
		}
	}
	for _, s := range renamed.apply() {
		w.several = true
		w.warnings = append(w.warnings, oneOfSeveral(s))
	}
	w.followDefault(renamed)
	if !w.zip {
		return
	}
	for _, a := range w.body.Media.Assets {
		if a.Role != canonical.RoleEmotion || mapped[a] || w.paths[a] == "" || !isPicture(w.paths[a]) {
			continue
		}
		home, key := w.mapping(labelOf(a))
		if home.Get(key) != nil {
			w.warnings = append(w.warnings, oneOfSeveral(labelOf(a)))
			continue
		}
		home.Set(key, jsondoc.String(w.paths[a]))
	}
	w.tidyExpressions()
}

func oneOfSeveral(label string) string {
	return fmt.Sprintf("there are several expressions %q; Lumiverse shows the first, the others are kept in data.assets", label)
}

// rename is a label that gets another name in the mapping that it stands in.
type rename struct {
	s   *slot
	key string
	ref string
}

type renames []rename

// apply gives every label its new name in the place of the old one; labels may change places. It returns those whose
// new name another label has.
func (r renames) apply() (taken []string) {
	between := func(i int) string { return fmt.Sprintf("\x00%d", i) }
	for i, x := range r {
		x.s.obj.SetAfter(x.s.key, between(i), jsondoc.String(x.ref))
		x.s.obj.Delete(x.s.key)
	}
	for i, x := range r {
		if x.s.obj.Get(x.key) == nil {
			x.s.obj.SetAfter(between(i), x.key, jsondoc.String(x.ref))
		} else {
			taken = append(taken, x.key)
		}
		x.s.obj.Delete(between(i))
	}
	return taken
}

// followDefault keeps the default expression the picture that it was.
func (w *writer) followDefault(r renames) {
	for _, x := range r {
		e := x.s.src.v.Get("expressions")
		if d, _ := e.Get("defaultExpression").Text(); x.s.kind == expression && d != "" && d == x.s.label {
			e.Set("defaultExpression", jsondoc.String(x.key))
			return
		}
	}
}

// mapping is the object that a label of an expression goes into, and its key there.
func (w *writer) mapping(l string) (home *jsondoc.Value, key string) {
	if char, rest, ok := groupOf(l); ok {
		g, src, _ := w.n.groups()
		if g == nil || w.zip && src.v != w.n.side.Root { // those of the card are read by nobody in an archive
			fieldmap.Put(w.holder("expression_groups"), []string{"expression_groups", "groups"}, jsondoc.Object())
			g = w.holder("expression_groups").At("expression_groups", "groups")
		}
		if g.Get(char).Kind() != jsondoc.KindObject {
			g.Set(char, jsondoc.Object())
		}
		return g.Get(char), rest
	}
	h := w.holder("expressions")
	if h.Get("expressions").Kind() != jsondoc.KindObject {
		e := jsondoc.Object()
		e.Set("enabled", jsondoc.Bool(true))
		e.Set("defaultExpression", jsondoc.String(""))
		h.Set("expressions", e)
	}
	e := h.Get("expressions")
	if e.Get("mappings").Kind() != jsondoc.KindObject {
		e.Set("mappings", jsondoc.Object())
	}
	return e.Get("mappings"), l
}

// tidyExpressions names a default expression where there is none, and takes away what became empty in the card.
func (w *writer) tidyExpressions() {
	e := w.n.side.Root.Get("expressions")
	m := e.Get("mappings")
	if d, ok := e.Get("defaultExpression").Text(); ok && d == "" && m.Len() > 0 && (w.fresh || w.sideNew) {
		first := ""
		for k := range m.Members() {
			if first == "" || strings.EqualFold(k, "neutral") {
				first = k
			}
			if strings.EqualFold(k, "neutral") {
				break
			}
		}
		e.Set("defaultExpression", jsondoc.String(first))
	}
	x := w.n.ext()
	if w.sideNew && x.At("expressions", "mappings") != nil && x.At("expressions", "mappings").Len() == 0 {
		for k, v := range x.Get("expressions").Members() {
			if k != "mappings" && e != nil {
				e.Set(k, v.Clone())
			}
		}
		x.Delete("expressions")
	}
	if w.sideNew {
		w.tidyGroups(x)
	}
}

// tidyGroups takes the groups out of the card when their pictures have moved; a group that is empty goes with them.
func (w *writer) tidyGroups(x *jsondoc.Value) {
	moved := w.n.side.Root.At("expression_groups", "groups")
	if x.Get("expression_groups").Kind() != jsondoc.KindObject || moved == nil {
		return
	}
	for _, m := range x.Get("expression_groups").Members() {
		if m.Kind() != jsondoc.KindObject || m.Len() > 0 {
			return
		}
	}
	for char := range x.Get("expression_groups").Members() {
		if moved.Get(char) == nil {
			moved.Set(char, jsondoc.Object())
		}
	}
	x.Delete("expression_groups")
}

func removeElem(list, elem *jsondoc.Value) {
	var out []*jsondoc.Value
	for _, e := range list.Elems() {
		if e != elem {
			out = append(out, e)
		}
	}
	list.SetElems(out)
}

// list writes data.assets where the card has it, or needs it: a new card, and a picture whose role or name the
// archive alone would not say.
func (w *writer) list(match map[*canonical.Asset]*canonical.Asset) error {
	shell := &body{Media: w.body.Media}
	if w.zip && shell.Media.Portrait != nil && shell.Media.Portrait.Blob != nil && w.paths[shell.Media.Portrait] == "" {
		shell.Media.Portrait = nil // the picture before the archive
	}
	if w.d.Variant != tavern.V3 && !w.n.listed {
		return nil
	}
	moved := !w.fresh && w.d.TwinContainer() != w.d.Container
	need := w.fresh || w.n.listed
	need = need || w.several
	if !need && w.zip {
		for _, a := range shell.Media.Assets {
			need = need || !w.natural(a)
		}
	}
	if !need && !w.zip {
		need = moved
		for _, a := range shell.Media.Assets {
			m := match[a]
			need = need || m == nil || w.n.pics[m] == nil || w.n.pics[m].slot == nil
		}
		need = need || w.d.Container == formats.JSON && shell.Media.Portrait != nil
	}
	if !need {
		return nil
	}
	hooks := tavern.ListHooks{}
	if w.zip {
		hooks.Path = func(a *canonical.Asset) string { return w.paths[a] }
		hooks.Made = func(a *canonical.Asset, v *jsondoc.Value) {
			if a.Blob != nil {
				v.Delete("path")
			}
		}
	} else if w.d.TwinContainer() == formats.CharX {
		hooks.Made = func(a *canonical.Asset, v *jsondoc.Value) {
			if m := match[a]; m != nil && a.Blob != nil && w.n.pics[m] != nil && w.n.pics[m].path != "" {
				v.Set("path", jsondoc.String(w.n.pics[m].path))
			}
		}
	}
	d := *w.d
	l, err := d.AssetList(shell, hooks)
	if err != nil {
		return err
	}
	if l == nil && w.fresh && w.zip && len(w.body.Variants) > 0 {
		l = jsondoc.Array() // an empty list says that alternate avatars are no assets of their own
	}
	return w.d.PutAssets(l, w.lim)
}

// natural reports an asset that the archive says as it is, without an entry in data.assets.
func (w *writer) natural(a *canonical.Asset) bool {
	p := w.paths[a]
	var like *canonical.Asset
	switch {
	case p == "":
		return false
	case a.Role == canonical.RoleEmotion:
		like = emotion(labelOf(a))
	case a.Role == canonical.RoleOther:
		like = other(galleryName(p))
		for _, s := range w.n.slots {
			if s.blob == nil {
				continue
			}
			if s.kind == avatar && s.path == p && canonical.Or(a.Name, "") == s.label {
				like = other(s.label)
			}
			if s.kind == layer && s.path == p {
				like = other(layerName(s))
			}
		}
		if !isPicture(p) {
			return false
		}
	default:
		return false
	}
	like.Blob = a.Blob
	same, err := canonical.Same(&body{Media: canonical.Media{Assets: []*canonical.Asset{a}}}, &body{Media: canonical.Media{Assets: []*canonical.Asset{like}}})
	return err == nil && same
}

// placeAvatars gives every variant's picture its reference: the archive path, or the bytes where no asset of the card
// holds them.
func (w *writer) placeAvatars(avatarOf map[*canonical.Variant]*row) {
	w.refsChanged = true
	held := map[string]*canonical.Blob{}
	if !w.zip {
		for _, v := range listElems(w.n.root, w.d.Variant) {
			if p, ok := v.Get("path").Text(); ok {
				if u, ok := v.Get("uri").Text(); ok {
					held[p] = blob.FromURI(u, w.lim)
				}
			}
		}
	}
	for _, v := range w.body.Variants {
		p := portraitOf(v)
		if p == nil {
			continue
		}
		var s *slot
		if x := avatarOf[v]; x != nil {
			s = x.avatar
		}
		switch {
		case w.zip && (s == nil || s.path != w.paths[p]):
			w.avatars[v] = w.paths[p]
		case w.zip:
		case s != nil && s.path != "" && held[s.path] != nil && sameBlob(held[s.path], p.Blob):
		case s != nil && s.path == "" && sameBlob(s.blob, p.Blob):
		default:
			if u, err := blob.URI(p.Blob, blob.Ext(p.Blob, "")); err == nil {
				w.avatars[v] = u
			}
		}
	}
}

func listElems(root *jsondoc.Value, v tavern.Variant) (out []*jsondoc.Value) {
	for _, e := range root.At(strings.Split(v.Prefix()+"assets", ".")...).Elems() {
		out = append(out, e)
	}
	return out
}

// tidy takes away what a new card has no value for; the app leaves it out too.
func (w *writer) tidy() {
	data := w.d.Doc.Root
	if w.d.Variant.Wrapped() {
		data = data.Get("data")
	}
	if w.fresh || w.d.Variant != tavern.VariantOf(w.d.Twin) {
		if data.Get("character_book").IsNull() {
			data.Delete("character_book")
		}
	}
	if w.fresh {
		if s, ok := data.Get("character_version").Text(); ok && s == "" && w.body.Identity.CharacterVersion == nil {
			data.Delete("character_version")
		}
		if x := data.Get("extensions"); x.Kind() == jsondoc.KindObject && x.Len() == 0 {
			data.Delete("extensions")
		}
	}
}

// members are the JSON files of the archive beside the card.
func (w *writer) members() []tavern.Member {
	if !w.zip || w.n.side == nil {
		return nil
	}
	s := w.n.side
	if w.sideNew && w.d.TwinContainer() == formats.CharX && s.Root.Len() <= 1 {
		return nil // an archive that had none, and still has nothing to say there
	}
	if s.Dirty() && s.Root.Get("version").Kind() != jsondoc.KindNumber {
		s.Root.Set("version", jsondoc.Int(1))
	}
	return []tavern.Member{{Path: sidecar, Doc: s}}
}

// refuse stops where a container without an archive would drop what no asset and no document carries.
func (w *writer) refuse(allow bool) error {
	if w.zip || w.d.TwinContainer() != formats.CharX {
		return nil
	}
	card := "card.json"
	if s, ok := w.d.Twin.Unmapped.Get("card").Text(); ok {
		card = s
	}
	var lost []string
	for _, f := range w.d.Twin.Files {
		p := tavern.CleanEntryPath(f.Path)
		if strings.HasSuffix(p, "/") || p == card || p == sidecar && w.hadSide || w.held[p] && p != "" {
			continue
		}
		lost = append(lost, f.Path)
	}
	if len(lost) == 0 {
		return nil
	}
	shown := lost
	more := ""
	if len(shown) > 20 {
		more = fmt.Sprintf(" and %d more", len(shown)-20)
		shown = shown[:20]
	}
	msg := fmt.Sprintf("%d files of the archive have no place in a %s card: %s%s", len(lost), strings.ToUpper(string(w.d.Container)), strings.Join(shown, ", "), more)
	if len(lost) == 1 {
		msg = fmt.Sprintf("one file of the archive has no place in a %s card: %s", strings.ToUpper(string(w.d.Container)), lost[0])
	}
	if allow {
		w.warnings = append(w.warnings, msg)
		return nil
	}
	return fault.New(fault.WouldLose, "", "%s. Convert to .charx, which keeps them, or allow the loss", msg)
}
