package risu

import (
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/regex"
	"bunzai/formats/internal/tavern"
	"bunzai/formats/risu/risum"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// moduleFile reads and writes modules: lorebook, regex scripts, triggers and pictures that a user switches on beside
// any character. The model has no kind of that sort; a module is a character without a person, as in the app's own
// later export, which makes a card of it (name, description as the creator's notes, background, toggles, assets), and
// its lorebook and scripts are pieces of their own. Triggers are data and never run.
type moduleFile struct{}

const (
	moduleID    = "risu-module"
	moduleEntry = "module.risum"
)

func (moduleFile) Info() formats.Info {
	return formats.Info{ID: moduleID, App: "risu", AppLabel: label, Kind: canonical.KindCharacter, Label: "Risu module", Containers: []formats.Container{formats.Risum}}
}

// Detect bids 1 on the magic of a module, also of a damaged one, and on JSON of type risuModule.
func (moduleFile) Detect(in *formats.Input) formats.Bid {
	switch {
	case in.IsJSON():
		d, err := in.Doc()
		if err != nil {
			return formats.No(err.Error())
		}
		if t, _ := d.Root.Get("type").Text(); t == risum.Type {
			return formats.Bid{Score: 1, Reason: "its type is " + risum.Type}
		}
		return formats.No("not a Risu module: its type is not " + risum.Type)
	case in.IsPNG(), in.IsZip():
		return formats.No("not a module file")
	case risum.Is(in.Source):
		return formats.Bid{Score: 1, Reason: "it begins like a Risu module"}
	}
	return formats.No("not a Risu module")
}

// moduleRows is the field map of the members that have a canonical home.
var moduleRows = func() fieldmap.Map[canonical.Character] {
	text := fieldmap.Text()
	return fieldmap.Map[canonical.Character]{
		fieldmap.New("identity.name", fieldmap.Plain(func(c *canonical.Character) *string { return &c.Identity.Name }), fieldmap.At("name", text.Required(fieldmap.EmptyText))),
		fieldmap.New("attribution.creatorNotes", fieldmap.Ptr(func(c *canonical.Character) **string { return &c.Attribution.CreatorNotes }), fieldmap.At("description", text.Required(fieldmap.EmptyText))),
		fieldmap.New("behavior.backgroundHTML", moduleBehavior(func(b *canonical.Behavior) **string { return &b.BackgroundHTML }), fieldmap.At("backgroundEmbedding", text)),
		fieldmap.New("behavior.triggerScripts", list(behavior, func(g *canonical.Behavior) *[]canonical.CardTrigger { return &g.TriggerScripts }, sameTrigger), fieldmap.At("trigger", triggers())).Tells(oddTriggers("trigger")),
		fieldmap.New("behavior.moduleToggles", moduleBehavior(func(b *canonical.Behavior) **string { return &b.ModuleToggles }), fieldmap.At("customModuleToggle", text)),
		fieldmap.New("behavior.privileged", moduleBehavior(func(b *canonical.Behavior) **bool { return &b.Privileged }), fieldmap.At("lowLevelAccess", fieldmap.Bool())).
			Noted("lets scripts call models and make pictures; Risu asks before it takes such a module"),
	}
}()

func moduleBehavior[T comparable](field func(b *canonical.Behavior) **T) fieldmap.Access[canonical.Character, T] {
	return fieldmap.Access[canonical.Character, T]{
		Get: func(c *canonical.Character) (t T, ok bool) {
			if c.Behavior != nil && *field(c.Behavior) != nil {
				return **field(c.Behavior), true
			}
			return t, false
		},
		Set: func(c *canonical.Character, t T) {
			b := canonical.Behavior{}
			if c.Behavior != nil {
				b = *c.Behavior
			}
			*field(&b) = &t
			c.Behavior = &b
		},
		Clear: func(c *canonical.Character) {
			if c.Behavior == nil {
				return
			}
			b := *c.Behavior
			*field(&b) = nil
			if c.Behavior = &b; reflect.DeepEqual(b, canonical.Behavior{}) {
				c.Behavior = nil
			}
		},
		Same: func(a, b T) bool { return a == b },
	}
}

var moduleFileCovers = moduleRows.Coverage("id", "lorebook", "regex", "assets", "type", book.RecordKey, regex.RecordKey)

// moduleParts is a module taken apart: the document and the object with the members, which may be edited, and the
// bytes of the assets.
type moduleParts struct {
	file  *risum.File // nil for JSON
	doc   *jsondoc.Doc
	obj   *jsondoc.Value
	where string // of obj in doc
}

func newModuleParts(file *risum.File, doc *jsondoc.Doc) *moduleParts {
	p := &moduleParts{file: file, doc: doc}
	p.obj, p.where = risum.Module(doc.Root)
	return p
}

// path is the wire path of a member.
func (p *moduleParts) path(name string) string {
	if p.where == "" {
		return name
	}
	return p.where + "." + name
}

func (moduleFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	out := &formats.Decoded{Container: formats.JSON, Variant: "module"}
	esc := &canonical.Escrow{Bucket: moduleID, Unmapped: jsondoc.Object()}
	var p *moduleParts
	if in.IsJSON() {
		d, err := in.Doc()
		if err != nil {
			return nil, err
		}
		p = newModuleParts(nil, d)
	} else {
		f, err := risum.Open(in.Source, in.Limits)
		if err != nil {
			return nil, err
		}
		p = newModuleParts(f, f.Doc)
		out.Container, out.Warnings = formats.Risum, f.Warnings
		esc.Files = []canonical.File{{Path: moduleEntry, Blob: canonical.RawBlob(rope.Of(in.Source), "application/octet-stream")}}
		esc.Unmapped.Set("card", jsondoc.String(moduleEntry)) // the document itself
	}
	warn := func(path, what string) { out.Warnings = append(out.Warnings, p.path(path)+" "+what) }
	if p.obj.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, "", "a Risu module must be an object, and this is %s", p.obj.Kind())
	}
	if t, _ := p.doc.Root.Get("type").Text(); t != risum.Type {
		out.Warnings = append(out.Warnings, "the module does not say that it is one (type "+risum.Type+"); Risu refuses it")
	}
	if mcp := p.obj.Get("mcp"); mcp.Kind() == jsondoc.KindObject {
		warn("mcp", "points to a program on another computer that the module would be; it is kept for the way back to Risu")
	}
	esc.Raw = p.doc
	c := &canonical.Character{}
	moduleRows.Read(p.obj, c, warn)
	for _, r := range p.assets(warn) {
		c.Media.Assets = append(c.Media.Assets, r.asset)
	}
	if code := moduleCode(p.obj, false); code.Len() > 0 {
		esc.Unmapped.Set(executable, code)
	}
	id := canonical.Slug(c.Identity.Name)
	if c.Identity.Name == "" {
		id = canonical.Slug(fileBase(in.Name))
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindCharacter, ID: id, Body: c, Original: []*canonical.Escrow{esc}}
	out.Unmapped = func() []string { return p.unmapped() }
	return out, nil
}

// executable is the fact of an escrow that says in words which code of the file has no place in the model.
const executable = "hasExecutableContent"

// moduleCode says in words what of a module is code and has no place in the model: triggers and the background have one,
// but the background of a card's own module has not. It is data here and never run.
func moduleCode(m *jsondoc.Value, inCard bool) *jsondoc.Value {
	out := jsondoc.Array()
	for _, k := range []struct{ key, words string }{
		{"lua", "Lua"}, {"cjs", "JavaScript (cjs)"}, {"backgroundEmbedding", "HTML behind the chat (of the module)"}, {"sidePanelEmbedding", "HTML of a side panel"}, {"sideMenuEmbedding", "HTML of a side menu"},
	} {
		if s, _ := m.Get(k.key).Text(); strings.TrimSpace(s) != "" && (inCard || k.key != "backgroundEmbedding") {
			out.AppendElem(jsondoc.String(k.words))
		}
	}
	return out
}

func (p *moduleParts) unmapped() (out []string) {
	for _, n := range moduleFileCovers.Unmapped(p.obj) {
		if b, ok := p.obj.Get(n).Bool(); ok && !b {
			continue // a switch that is off
		}
		out = append(out, p.path(n))
	}
	if p.where != "" {
		for k, v := range p.doc.Root.Members() {
			if k != p.where && k != "type" && !fieldmap.Blank(v) {
				out = append(out, k)
			}
		}
	}
	out = append(out, book.RisuLore.UnmappedInList(p.obj.Get("lorebook"), p.path("lorebook"))...)
	return append(out, scripts.BadIn(p.obj.Get("regex"), p.path("regex"))...)
}

// moduleAsset is one element of assets, [name, id, ext], with its block.
type moduleAsset struct {
	row   *jsondoc.Value
	index int        // in the list
	block *rope.Rope // nil when the file has none
	asset *canonical.Asset
}

const moduleRef = moduleEntry + "#"

func (p *moduleParts) assets(warn fieldmap.Warn) (out []moduleAsset) {
	list := p.obj.Get("assets")
	if list != nil && !list.IsNull() && list.Kind() != jsondoc.KindArray {
		warn("assets", "is "+list.Kind().String()+" where a list of assets is expected; it is kept for the way back")
		return nil
	}
	missing := 0
	for i, row := range list.Elems() {
		name, ok := row.Elem(0).Text()
		if row.Kind() != jsondoc.KindArray || !ok {
			if !row.IsNull() {
				warn("assets["+strconv.Itoa(i)+"]", "is no asset; it is kept for the way back")
			}
			continue
		}
		a := moduleAsset{row: row, index: i, asset: &canonical.Asset{Role: canonical.RoleOther, Ref: moduleRef + strconv.Itoa(i)}}
		if name != "" {
			a.asset.Name = &name
		}
		ext, _ := row.Elem(2).Text()
		if ext != "" {
			a.asset.Ext = &ext
		}
		if p.file != nil && i < len(p.file.Assets) && p.file.Assets[i].Size() > 0 {
			a.block = p.file.Assets[i]
			b := canonical.RawBlob(a.block, "")
			b.Mime = blob.Mime(b, ext)
			a.asset.Blob = b
			if b.Mime != "application/octet-stream" {
				a.asset.Mime, a.asset.Ext = &b.Mime, nil // the bytes say it, as in a card
			}
		} else {
			a.asset.Ref = moduleRef + "missing-" + strconv.Itoa(missing)
			missing++
		}
		if a.block == nil && p.file != nil {
			warn("assets["+strconv.Itoa(i)+"]", "has no bytes in the file")
		}
		out = append(out, a)
	}
	if p.file != nil && len(p.file.Assets) > list.Len() {
		warn("assets", "names "+strconv.Itoa(list.Len())+" assets, and the file holds "+strconv.Itoa(len(p.file.Assets))+"; the others are kept for the way back")
	}
	return out
}

// moduleTwin opens the module that a piece came from, ready to be edited; nil when it came from elsewhere.
func moduleTwin(e *canonical.Entity) (*moduleParts, error) {
	o := e.Bucket(moduleID)
	if o == nil || o.Raw == nil {
		return nil, nil
	}
	for _, f := range o.Files {
		if f.Path != moduleEntry {
			continue
		}
		raw, err := f.Blob.Raw()
		if err != nil {
			return nil, err
		}
		file, err := risum.Open(raw, limits.Large()) // it passed the limits of whoever read it
		if err != nil {
			return nil, err
		}
		return newModuleParts(file, file.Doc), nil
	}
	return newModuleParts(nil, o.Raw.Clone()), nil
}

// Returns implements formats.Returner: a JSON module goes back as one.
func (moduleFile) Returns(e *canonical.Entity) formats.Container {
	o := e.Bucket(moduleID)
	if o == nil || o.Raw == nil || slices.ContainsFunc(o.Files, func(f canonical.File) bool { return f.Path == moduleEntry }) {
		return ""
	}
	return formats.JSON
}

// ExtractBooks implements formats.BookExtractor.
func (moduleFile) ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	o := e.Bucket(moduleID)
	if o == nil || o.Raw == nil {
		return nil, nil, nil
	}
	p := newModuleParts(nil, o.Raw)
	name, _ := p.obj.Get("name").Text()
	out, warnings := book.RisuLore.Books(p.obj.Get("lorebook"), p.obj.Get(book.RecordKey), name, p.path("lorebook"))
	return out, warnings, nil
}

// ExtractRegex implements formats.RegexExtractor.
func (moduleFile) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	o := e.Bucket(moduleID)
	if o == nil || o.Raw == nil {
		return nil, nil, nil
	}
	p := newModuleParts(nil, o.Raw)
	name, _ := p.obj.Get("name").Text()
	out, warnings := scripts.Sets(p.obj.Get("regex"), p.obj.Get(regex.RecordKey), regex.SetName(name), p.path("regex"))
	return out, warnings, nil
}

// BookFields implements formats.BookFielder.
func (moduleFile) BookFields() []formats.Field {
	var out []formats.Field
	for _, f := range book.RisuLore.BookRows().Fields("") {
		f.Wire, f.Reads, f.Note = book.RecordKey, false, "a module's lorebook is a list without settings; the module keeps them for the way back"
		out = append(out, f)
	}
	for _, f := range book.RisuLore.Fields() {
		if strings.HasPrefix(f.Path, "entries[]") || strings.HasPrefix(f.Path, "categories[]") {
			out = append(out, f)
		}
	}
	return out
}

// RegexFields implements formats.RegexFielder.
func (moduleFile) RegexFields() []formats.Field {
	const why = "Risu shows a module's scripts under the module's name; the module keeps the set's name for the way back"
	return append([]formats.Field{{Path: "name", Wire: regex.RecordKey, Note: why}, {Path: "description", Wire: regex.RecordKey, Note: why}}, scripts.Fields()...)
}

func (moduleFile) Fields() []formats.Field {
	return append(moduleRows.Fields(""),
		formats.Field{Path: "media.assets", Wire: "assets", Reads: true},
		formats.Field{Path: "knowledgeRefs", Wire: "lorebook", Reads: true},
		formats.Field{Path: "behaviorRefs", Wire: "regex", Reads: true},
	)
}

// Encode writes over the module that the piece came from, or a new one. A JSON module stays one, and holds no bytes of
// assets.
func (moduleFile) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	c := e.Character()
	if c == nil {
		return nil, fault.New(fault.WrongKind, "", "a module is written from a character, and this is a %s", e.Kind)
	}
	p, err := moduleTwin(e)
	if err != nil {
		return nil, err
	}
	fresh := p == nil
	container := ctx.Container
	if container == "" {
		container = formats.Risum
		if back := (moduleFile{}).Returns(e); back != "" {
			container = back
		}
	}
	if container != formats.Risum && (fresh || p.file != nil || container != formats.JSON) {
		return nil, fault.New(fault.UnknownTarget, "", "a Risu module is a .risum file; there is no container %q for it", ctx.Container)
	}
	if fresh {
		p = newModuleParts(nil, newModule(e))
	}
	w := &moduleWriter{p: p, out: &formats.Encoded{Container: container}, fresh: fresh, silent: func(string, string) {}}
	was := &canonical.Character{}
	moduleRows.Read(p.obj, was, nil)
	oldName := was.Identity.Name
	if fresh {
		moduleRows.Fill(p.obj, c, nil, nil)
	} else {
		moduleRows.Overlay(p.obj, c, was, nil, nil)
	}
	names := []string{c.Identity.Name, oldName}
	if err := w.books(ctx.Lorebooks, names); err != nil {
		return nil, err
	}
	if err := w.regex(ctx.RegexSets, names, 1+len(ctx.Lorebooks)); err != nil {
		return nil, err
	}
	blocks, err := w.assets(c)
	if err != nil {
		return nil, err
	}
	return w.out, w.finish(container, blocks, ctx)
}

// newModule is a module that says nothing yet, with the members that the app demands.
func newModule(e *canonical.Entity) *jsondoc.Doc {
	m, root := jsondoc.Object(), jsondoc.Object()
	m.Set("name", jsondoc.String(""))
	m.Set("description", jsondoc.String(""))
	h := sha256.Sum256([]byte("bunzai module\x00" + e.ID)) // the app gives it another one; without an id it refuses JSON
	h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
	x := hex.EncodeToString(h[:16])
	m.Set("id", jsondoc.String(x[:8]+"-"+x[8:12]+"-"+x[12:16]+"-"+x[16:20]+"-"+x[20:]))
	for _, n := range []string{"lorebook", "regex", "assets"} { // no triggers are none, also without a list
		m.Set(n, jsondoc.Array())
	}
	root.Set("module", m)
	root.Set("type", jsondoc.String(risum.Type))
	return jsondoc.NewDoc(root, "  ")
}

type moduleWriter struct {
	p      *moduleParts
	out    *formats.Encoded
	fresh  bool
	silent fieldmap.Warn
}

func (w *moduleWriter) near(piece int) func(path, after, why string) {
	return func(path, after, why string) {
		w.out.Near = append(w.out.Near, formats.Near{Piece: piece, Path: path, After: after, Why: why})
	}
}

func (w *moduleWriter) record(key string, v *jsondoc.Value) {
	switch {
	case v != nil:
		w.p.obj.Set(key, v)
	case w.p.obj.Get(key) != nil:
		w.p.obj.Delete(key)
	}
}

func (w *moduleWriter) books(now []*canonical.Entity, names []string) error {
	if now == nil {
		return nil
	}
	was, _ := book.RisuLore.Books(w.p.obj.Get("lorebook"), w.p.obj.Get(book.RecordKey), names[1], "")
	if !w.fresh && sameBooks(was, now) {
		return nil
	}
	list, record := jsondoc.Array(), (*jsondoc.Value)(nil)
	if len(now) > 0 {
		var err error
		list, record, err = book.RisuLore.ListOf(now, names[:1], func(piece int, path, after, why string) { w.near(piece)(path, after, why) })
		if err != nil {
			return err
		}
	}
	w.p.obj.Set("lorebook", list)
	w.record(book.RecordKey, record)
	return nil
}

func (w *moduleWriter) regex(now []*canonical.Entity, names []string, first int) error {
	if now == nil {
		return nil
	}
	usual := []string{regex.SetName(names[0]), regex.SetName(names[1])}
	was, _ := scripts.Sets(w.p.obj.Get("regex"), w.p.obj.Get(regex.RecordKey), usual[1], "")
	if !w.fresh && regex.SameSets(was, now) {
		return nil
	}
	list, record := jsondoc.Array(), (*jsondoc.Value)(nil)
	if len(now) > 0 {
		var err error
		list, record, err = scripts.List(now, usual[:1], func(set int, path, after, why string) { w.near(first+set)(path, after, why) })
		if err != nil {
			return err
		}
		for _, e := range now {
			if set, ok := e.Body.(*canonical.RegexSet); ok && scripts.Twin(e) == nil {
				w.out.Warnings = append(w.out.Warnings, foreignScripts(set)...)
			}
		}
	}
	w.p.obj.Set("regex", list)
	w.record(regex.RecordKey, record)
	return nil
}

// assets writes the list of assets and returns their blocks.
func (w *moduleWriter) assets(c *canonical.Character) ([]*rope.Rope, error) {
	old := w.p.assets(w.silent)
	byRef := map[string]int{}
	for i, r := range old {
		byRef[r.asset.Ref] = i
	}
	var rows []*jsondoc.Value
	var blocks []*rope.Rope
	same := true
	used := map[int]bool{}
	for _, a := range c.Media.Assets {
		j, known := byRef[a.Ref]
		known = known && !used[j] && !w.fresh
		if !known && a.Blob == nil {
			w.out.Warnings = append(w.out.Warnings, "the asset "+strconv.Quote(formats.Shown(canonical.Or(a.Name, a.Ref)))+" is only a link, and a module holds its assets; it is left out")
			continue
		}
		var block *rope.Rope
		if a.Blob != nil {
			raw, err := a.Blob.Raw()
			if err != nil {
				return nil, err
			}
			block = rope.Of(raw)
		}
		if !known {
			same = false
			ext := strings.ToLower(canonical.Or(a.Ext, ""))
			if ext == "" {
				ext = blob.Ext(a.Blob, tavern.DeclaredExt(a))
			}
			rows = append(rows, jsondoc.Array(jsondoc.String(canonical.Or(a.Name, "")), jsondoc.String(""), jsondoc.String(ext)))
			blocks = append(blocks, block)
			continue
		}
		used[j] = true
		same = same && len(rows) == j
		r := old[j]
		if canonical.Or(a.Name, "") != canonical.Or(r.asset.Name, "") {
			setElem(r.row, 0, canonical.Or(a.Name, ""))
		}
		if canonical.Or(a.Ext, "") != canonical.Or(r.asset.Ext, "") {
			setElem(r.row, 2, canonical.Or(a.Ext, ""))
		}
		if block != nil {
			if eq, err := rope.Equal(block, or(r.block)); err == nil && eq {
				block = r.block
			} else if was, _ := r.row.Elem(2).Text(); a.Ext == nil && !strings.EqualFold(was, blob.Ext(a.Blob, was)) {
				setElem(r.row, 2, blob.Ext(a.Blob, was)) // other bytes of another kind
			}
		}
		rows = append(rows, r.row)
		blocks = append(blocks, block)
	}
	list := w.p.obj.Get("assets")
	if same && len(used) == len(old) {
		if w.p.file == nil {
			return nil, nil
		}
		out := append([]*rope.Rope{}, w.p.file.Assets...) // also of elements that are no assets, and blocks of none
		for i, r := range old {
			for len(out) <= r.index && blocks[i] != nil {
				out = append(out, &rope.Rope{})
			}
			if blocks[i] != nil {
				out[r.index] = blocks[i]
			}
		}
		return out, nil
	}
	if list.Kind() != jsondoc.KindArray {
		w.p.obj.Set("assets", jsondoc.Array())
		list = w.p.obj.Get("assets")
	}
	list.SetElems(rows)
	for i, b := range blocks {
		if b == nil {
			blocks[i] = &rope.Rope{}
		}
	}
	return blocks, nil
}

// or is an empty block for none.
func or(block *rope.Rope) *rope.Rope {
	if block == nil {
		return &rope.Rope{}
	}
	return block
}

func setElem(row *jsondoc.Value, i int, s string) {
	var all []*jsondoc.Value
	for _, e := range row.Elems() {
		all = append(all, e)
	}
	for len(all) <= i {
		all = append(all, jsondoc.String(""))
	}
	all[i] = jsondoc.String(s)
	row.SetElems(all)
}

func (w *moduleWriter) finish(container formats.Container, blocks []*rope.Rope, ctx formats.EncodeContext) error {
	p := w.p
	if container == formats.JSON {
		for _, b := range blocks {
			if b.Size() > 0 && !ctx.AllowLoss {
				return fault.New(fault.WouldLose, "assets", "a Risu module as JSON holds no pictures, and this one has new ones; write it as .risum, or allow the loss")
			}
		}
		doc := p.doc
		r := &rope.Rope{}
		doc.AppendTo(r)
		if r.Size() > ctx.Limits.JSON {
			return ctx.Limits.Over("", "JSON", r.Size())
		}
		w.out.Data, w.out.Ext, w.out.MediaType = r, ".json", "application/json"
		return nil
	}
	f := p.file
	if f == nil {
		doc := p.doc
		if p.where == "" { // a JSON module
			m, root := p.obj.Clone(), jsondoc.Object()
			m.Delete("type")
			root.Set("module", m)
			root.Set("type", jsondoc.String(risum.Type))
			doc = jsondoc.NewDoc(root, "  ")
		}
		f = &risum.File{Doc: doc}
	}
	f.Assets = blocks
	data, err := f.Write()
	if err != nil {
		return err
	}
	if data.Size() > ctx.Limits.Archive {
		return ctx.Limits.Over("", "Archive", data.Size())
	}
	w.out.Data, w.out.Ext, w.out.MediaType = data, ".risum", "application/octet-stream"
	return nil
}
