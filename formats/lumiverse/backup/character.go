package backup

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"bunzai/canonical"
	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/rope"
)

const characterTable = "characters"

// cardColumns are the texts of a card, in the order in which the app exports them.
var cardColumns = []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator", "creator_notes", "system_prompt", "post_history_instructions"}

// local are the keys of extensions that name rows of the account; what they point to is taken, they are not.
var local = []string{"world_book_ids", "world_book_id", "databank_ids", "avatar_crop_image_id", "original_image_id", "risu_asset_map", "greeting_backgrounds", "_lumiverse_source_filename"}

// characters yields every character.
func (a *archive) characters(yield func(*formats.BackupPiece) bool) bool {
	codec := a.codecs[canonical.KindCharacter]
	return a.rows(characterTable, func(r *row) error {
		if err := r.needID(); err != nil {
			return err
		}
		if on, _ := r.flag("deleting"); on {
			r.warn("the app was deleting this character when the backup was made; it is left out")
			return nil
		}
		p, err := a.character(codec, r)
		if err != nil {
			return err
		}
		a.report.Imported.Characters++
		if !yield(p) {
			return errStop
		}
		return nil
	})
}

// charx is the archive that the app would export for a character. Its pictures are ranges of the backup.
type charx struct {
	r     *row
	w     *zip.Writer
	taken map[string]bool
	side  *jsondoc.Value
	main  *picture
	files []picture
	at    map[string]string // file of the backup -> path
	lost  []string          // pictures that are not there
}

type picture struct {
	path string
	b    *canonical.Blob
}

func (a *archive) character(codec formats.Codec, r *row) (*formats.BackupPiece, error) {
	x := &charx{r: r, w: zip.NewWriter(), taken: map[string]bool{"card.json": true, sidecarPath: true}, side: jsondoc.Object(), at: map[string]string{}}
	x.side.Set("version", jsondoc.Int(1))
	if n, ok := r.v.Get("name").Text(); !ok || strings.TrimSpace(n) == "" {
		return nil, fault.New(fault.Damaged, "name", "the character has no name")
	}
	data := jsondoc.Object()
	for _, c := range cardColumns {
		s, _ := r.text(c)
		data.Set(c, jsondoc.String(s))
		if strings.Contains(s, "/api/v1/images/") {
			r.warn("%s links pictures of the account (/api/v1/images/...), which nobody else can see", c)
		}
	}
	r.into(data, []column{{"tags", list}, {"alternate_greetings", list}})
	ext := r.soft("extensions", jsondoc.KindObject).Clone()
	if ext == nil {
		ext = jsondoc.Object()
	}
	left := r.extras(ext)
	links := links(ext)
	var books []*canonical.Entity
	var refs []string
	for _, id := range links {
		if b := a.book(id); b == nil {
			r.unresolved("extensions.world_book_ids", id)
		} else if !slices.Contains(refs, b.ID) {
			books, refs = append(books, b), append(refs, b.ID)
		}
	}
	if b := ext.Get("character_book"); b != nil {
		if len(links) > 0 {
			left.Set("character_book", b) // as it was before it became a world book
		} else if b.Kind() == jsondoc.KindObject {
			data.Set("character_book", b)
		}
		if b.Kind() == jsondoc.KindObject {
			ext.Delete("character_book")
		}
	}
	if v := ext.Get("character_version"); v != nil {
		data.Set("character_version", v)
		ext.Delete("character_version")
	}
	x.pictures(ext)
	x.portrait(ext)
	x.more(ext)
	for _, k := range local {
		if v := ext.Get(k); v != nil {
			left.Set(k, v)
			ext.Delete(k)
		}
	}
	if ext.Len() > 0 {
		data.Set("extensions", ext)
	}
	for _, d := range [][2]string{{"created_at", "creation_date"}, {"updated_at", "modification_date"}} {
		if v := r.v.Get(d[0]); v.Kind() == jsondoc.KindNumber {
			data.Set(d[1], v)
			r.used[d[0]] = true
		}
	}
	if len(books) > 0 {
		list := jsondoc.Array()
		for _, b := range books {
			list.AppendElem(b.Bucket(book.Bucket).Raw.Root.Clone())
		}
		x.side.Set("world_books", list)
	}
	a.scriptsInto(x.side, owner{canonical.KindCharacter, r.id}, "regex_scripts")
	root := jsondoc.Object()
	root.Set("spec", jsondoc.String("chara_card_v3"))
	root.Set("spec_version", jsondoc.String("3.0"))
	root.Set("data", data)
	src, err := x.finish(root)
	if err != nil {
		return nil, err
	}
	in, err := formats.Open(src, "", a.pieceLimits())
	if err != nil {
		return nil, err
	}
	d, err := codec.Decode(in)
	if err != nil {
		return nil, err
	}
	e := d.Entity
	for _, w := range d.Warnings {
		if !slices.ContainsFunc(x.lost, func(id string) bool { return strings.Contains(w, id) }) { // those are listed
			r.warn("%s", w)
		}
	}
	e.ID = a.uniqueID(canonical.KindCharacter, e.ID)
	p := &formats.BackupPiece{Entity: e, Info: codec.Info(), Container: d.Container, Limits: a.pieceLimits(), Table: characterTable, Row: r.n, RowID: r.id}
	if p.Books, err = a.ownBooks(codec, e, books); err != nil {
		return nil, err
	}
	for _, b := range p.Books {
		e.Character().KnowledgeRefs = append(e.Character().KnowledgeRefs, b.ID)
	}
	if err := a.ownScripts(codec, p, owner{canonical.KindCharacter, r.id}, &e.Character().BehaviorRefs); err != nil {
		return nil, err
	}
	l := r.leftover()
	if left.Len() > 0 {
		l.Set("extensions", left)
	}
	escrow(e, characterTable, l)
	return p, nil
}

// extras starts what of extensions goes to escrow.
func (r *row) extras(ext *jsondoc.Value) *jsondoc.Value {
	if v := r.left.Get("extensions"); v != nil {
		o := jsondoc.Object()
		o.Set("", v)
		return o
	}
	return jsondoc.Object()
}

// ownBooks are the linked books, else the book that lies only in the card.
func (a *archive) ownBooks(codec formats.Codec, e *canonical.Entity, linked []*canonical.Entity) ([]*canonical.Entity, error) {
	x, ok := codec.(formats.BookExtractor)
	if len(linked) > 0 || !ok {
		return linked, nil
	}
	own, _, err := x.ExtractBooks(e)
	if err != nil {
		return nil, err
	}
	for _, b := range own {
		b.ID = a.uniqueID(canonical.KindLorebook, b.ID)
	}
	return own, nil
}

// links are the ids of the world books of a character.
func links(ext *jsondoc.Value) (out []string) {
	if l := ext.Get("world_book_ids"); l.Kind() == jsondoc.KindArray {
		for _, e := range l.Elems() {
			if s, ok := e.Text(); ok && s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	if s, ok := ext.Get("world_book_id").Text(); ok && s != "" {
		out = append(out, s)
	}
	return out
}

const (
	sidecarPath = "lumiverse_modules.json"
	iconDir     = "assets/icon/image/"
	otherDir    = "assets/other/image/"
)

// image finds the bytes of a picture by the id of its row.
func (a *archive) image(id string) (file string, b *canonical.Blob, why string) {
	name, ok := a.images[id]
	if !ok {
		return "", nil, "the table images has no such row"
	}
	return a.file("files/images/" + name)
}

func (a *archive) file(p string) (file string, b *canonical.Blob, why string) {
	if to, ok := a.manifest.aliases[p]; ok && a.files[p] == nil {
		p = to
	}
	e := a.files[p]
	if e == nil {
		return p, nil, p + " is not in the archive"
	}
	if e.Method != 0 && e.Method != 8 {
		return p, nil, fmt.Sprintf("%s is packed with method %d, which bunzai does not read", p, e.Method)
	}
	b, err := blob.FromEntry(e)
	if err != nil {
		return p, nil, fault.As(err).Error()
	}
	return p, b, ""
}

// put gives a picture a path, the same for the same file; "" when it is not there, which is reported.
func (x *charx) put(id, field, base string) string {
	if id == "" {
		return ""
	}
	file, b, why := x.r.a.image(id)
	if b == nil {
		x.lost = append(x.lost, id)
		x.r.missing(field, id, why)
		return ""
	}
	return x.place(file, b, base)
}

func (x *charx) place(file string, b *canonical.Blob, base string) string {
	if p := x.at[file]; p != "" {
		return p
	}
	p := x.free(base, "."+blob.Ext(b, strings.TrimPrefix(path.Ext(file), ".")))
	x.at[file] = p
	x.files = append(x.files, picture{p, b})
	return p
}

func (x *charx) free(base, ext string) string {
	p := base + ext
	for i := 2; x.taken[strings.ToLower(p)]; i++ {
		p = fmt.Sprintf("%s-%d%s", base, i, ext)
	}
	x.taken[strings.ToLower(p)] = true
	return p
}

// cleaned is a name as the app puts it into a path.
func cleaned(s string) string {
	b := []byte{}
	for _, r := range s {
		if r < 0x80 && (r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("_-. ", r)) {
			b = append(b, byte(r))
		} else {
			b = append(b, '_')
		}
	}
	if len(b) > 100 {
		b = b[:100]
	}
	if c := strings.Trim(string(b), " ."); c != "" {
		return c
	}
	return "unnamed"
}

// portrait is the picture of the character: the uncropped one before the cropped, as the app exports it, and the file
// of old accounts where there is none.
func (x *charx) portrait(ext *jsondoc.Value) {
	r := x.r
	image, _ := r.text("image_id")
	original, _ := ext.Get("original_image_id").Text()
	crop, _ := ext.Get("avatar_crop_image_id").Text()
	avatar, _ := r.text("avatar_path")
	set := func(file string, b *canonical.Blob) {
		p := x.free(iconDir+"main", "."+blob.Ext(b, strings.TrimPrefix(path.Ext(file), ".")))
		x.at[file] = p
		x.main = &picture{p, b}
	}
	for _, c := range [][2]string{{"extensions.original_image_id", original}, {"image_id", image}, {"extensions.avatar_crop_image_id", crop}} {
		if c[1] == "" {
			continue
		}
		if x.main != nil {
			x.put(c[1], c[0], otherDir+"gallery_avatar")
			continue
		}
		if file, b, why := r.a.image(c[1]); b != nil {
			set(file, b)
		} else {
			r.missing(c[0], c[1], why)
		}
	}
	if x.main != nil || avatar == "" {
		return
	}
	if file, b, why := r.a.file("files/avatars/" + avatar); b != nil {
		set(file, b)
	} else if image == "" && original == "" {
		r.missing("avatar_path", avatar, why)
	}
}

// pictures moves what names pictures from extensions to the sidecar, with paths for ids.
func (x *charx) pictures(ext *jsondoc.Value) {
	paths := func(m *jsondoc.Value, field, prefix string) *jsondoc.Value {
		out := jsondoc.Object()
		for l, v := range m.Members() {
			id, ok := v.Text()
			if !ok {
				out.Set(l, v)
				continue
			}
			if p := x.put(id, field+"."+l, otherDir+prefix+cleaned(l)); p != "" {
				id = p
			}
			out.Set(l, jsondoc.String(id))
		}
		return out
	}
	if e := ext.Get("expressions"); e.Kind() == jsondoc.KindObject {
		c := e.Clone()
		if m := e.Get("mappings"); m.Kind() == jsondoc.KindObject {
			c.Set("mappings", paths(m, "extensions.expressions.mappings", "expr_"))
		}
		if c.Get("mappings").Len() > 0 || c.Get("enabled") != nil && c.Len() > 3 {
			x.side.Set("expressions", c)
		}
		ext.Delete("expressions")
	}
	if g := ext.Get("expression_groups"); g.Kind() == jsondoc.KindObject {
		groups := jsondoc.Object()
		for char, m := range g.Members() {
			if m.Kind() != jsondoc.KindObject {
				groups.Set(char, m)
				continue
			}
			groups.Set(char, paths(m, "extensions.expression_groups."+char, "exprg_"+cleaned(char)+"--"))
		}
		if groups.Len() > 0 {
			w := jsondoc.Object()
			w.Set("groups", groups)
			x.side.Set("expression_groups", w)
		}
		ext.Delete("expression_groups")
	}
	if f := ext.Get("alternate_fields"); f.Kind() == jsondoc.KindObject {
		if f.Len() > 0 {
			x.side.Set("alternate_fields", f)
		}
		ext.Delete("alternate_fields")
	}
	if l := ext.Get("alternate_avatars"); l.Kind() == jsondoc.KindArray {
		out := jsondoc.Array()
		for i, e := range l.Elems() {
			field := fmt.Sprintf("extensions.alternate_avatars[%d]", i)
			id, _ := e.Get("id").Text()
			name := cleaned(id)
			if id == "" || strings.EqualFold(name, "main") {
				name = fmt.Sprintf("variant-%d", i+1)
			}
			out.AppendElem(x.rowOf(e, field, iconDir+name))
			if o, ok := e.Get("original_image_id").Text(); ok {
				x.put(o, field+".original_image_id", otherDir+"gallery_"+name+"_original")
			}
		}
		if out.Len() > 0 {
			x.side.Set("alternate_avatars", out)
		}
		ext.Delete("alternate_avatars")
	}
	switch l := ext.Get("landing_perspective_layers"); l.Kind() {
	case jsondoc.KindArray:
		out := jsondoc.Array()
		for i, e := range l.Elems() {
			id, _ := e.Get("id").Text()
			name, _ := e.Get("label").Text()
			if name == "" {
				name = id
			}
			if name == "" {
				name = "layer"
			}
			out.AppendElem(x.rowOf(e, fmt.Sprintf("extensions.landing_perspective_layers[%d]", i), otherDir+"landing_layer_"+cleaned(name)+"_"+cleaned(id)))
		}
		if out.Len() > 0 {
			x.side.Set("landing_perspective_layers", out)
		}
		ext.Delete("landing_perspective_layers")
	case jsondoc.KindObject: // the old form
		out := jsondoc.Array()
		for _, k := range []struct{ name, intensity string }{{"background", "0.15"}, {"framing", "1"}, {"subject", "0.6"}} {
			id, ok := l.Get(k.name).Text()
			if !ok || id == "" {
				continue
			}
			e := jsondoc.Object()
			e.Set("id", jsondoc.String(k.name))
			e.Set("label", jsondoc.String(k.name))
			e.Set("image_id", jsondoc.String(id))
			e.Set("intensity", jsondoc.NumberText(k.intensity))
			out.AppendElem(x.rowOf(e, "extensions.landing_perspective_layers."+k.name, otherDir+"landing_layer_"+k.name))
		}
		if out.Len() > 0 {
			x.side.Set("landing_perspective_layers", out)
		}
		ext.Delete("landing_perspective_layers")
	}
}

// rowOf is a row of the sidecar: image_id becomes a path.
func (x *charx) rowOf(e *jsondoc.Value, field, base string) *jsondoc.Value {
	if e.Kind() != jsondoc.KindObject {
		return e.Clone()
	}
	out := jsondoc.Object()
	for k, v := range e.Members() {
		if k != "image_id" && k != "original_image_id" {
			out.Set(k, v)
			continue
		}
		if id, ok := v.Text(); ok && k == "image_id" && id != "" {
			if p := x.put(id, field+".image_id", base); p != "" {
				id = p
			}
			out.Set("path", jsondoc.String(id))
		}
	}
	return out
}

// more takes the pictures that the sidecar has no place for into the gallery, so that none is lost.
func (x *charx) more(ext *jsondoc.Value) {
	for _, g := range x.r.a.gallery[x.r.id] {
		name := g.id
		if name == "" {
			name = g.image
		}
		x.put(g.image, "character_gallery", otherDir+"gallery_"+cleaned(name))
	}
	for n, v := range ext.Get("greeting_backgrounds").Members() {
		id, _ := v.Text()
		x.put(id, "extensions.greeting_backgrounds."+n, otherDir+"gallery_greeting_"+cleaned(n))
	}
	for n, v := range ext.Get("risu_asset_map").Members() {
		id, _ := v.Text()
		x.put(id, "extensions.risu_asset_map."+n, otherDir+"gallery_"+cleaned(n))
	}
}

// finish puts the archive together: the card, the portrait before all other pictures, the sidecar last.
func (x *charx) finish(card *jsondoc.Value) (*rope.Rope, error) {
	if err := x.deflate("card.json", jsondoc.NewDoc(card, "  ").Bytes()); err != nil {
		return nil, err
	}
	all := x.files
	if x.main != nil {
		all = append([]picture{*x.main}, all...)
	}
	for _, p := range all {
		b := p.b
		if strings.HasPrefix(p.path, iconDir) {
			if clean, err := tavern.Stripped(b); err == nil {
				b = clean
			}
		}
		if err := blob.Into(x.w, p.path, b); err != nil {
			return nil, err
		}
	}
	if x.side.Len() > 1 {
		if err := x.deflate(sidecarPath, jsondoc.NewDoc(x.side, "  ").Bytes()); err != nil {
			return nil, err
		}
	}
	return x.w.Finish()
}

// deflate adds a file with the one compressor of the import: a new one for each of thousands of small files would cost
// more than the work.
func (x *charx) deflate(name string, data []byte) error {
	a := x.r.a
	var b bytes.Buffer
	if a.packer == nil {
		a.packer, _ = flate.NewWriter(&b, flate.DefaultCompression) // the level is a known one
	} else {
		a.packer.Reset(&b)
	}
	if _, err := a.packer.Write(data); err != nil {
		return err
	}
	if err := a.packer.Close(); err != nil {
		return err
	}
	if len(data) > 100*b.Len() { // readers take such a text for an attack
		return x.w.Store(name, rope.Bytes(data))
	}
	return x.w.AddPacked(name, 8, rope.FromBytes(b.Bytes()), crc32.ChecksumIEEE(data), int64(len(data)))
}
