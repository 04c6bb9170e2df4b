package sillytavern

import (
	"strconv"
	"strings"
	"unicode"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/personas"
	"bunzai/jsondoc"
)

// persona reads and writes the persona backup, the one persona file that SillyTavern has:
// {personas: {avatarId: name}, persona_descriptions: {avatarId: descriptor}, default_persona} (personas.js).
//
// The default persona is the main piece (the first where there is none), the others follow in file order. The escrow
// of the main piece is the whole backup, that of each other one a backup of its own with that persona alone; the facts
// say its avatarId and whether it is the default. Writing is exact: the file holds the pieces that are given and no
// other, so a persona that the caller leaves out is taken out of the backup, and one that is new is appended. The
// backup holds no pictures: an avatarId only names a file in the app's own folder.
type persona struct{}

const (
	personaID    = "sillytavern-persona"
	namesKey     = "personas"
	describeKey  = "persona_descriptions"
	defaultKey   = "default_persona"
	avatarFact   = "avatarId"
	defaultFact  = "default"
	backupWords  = "a SillyTavern persona backup"
	noDescriptor = "; its text is empty"
)

func (persona) Info() formats.Info {
	return formats.Info{ID: personaID, App: "sillytavern", AppLabel: label, Kind: canonical.KindPersona, Label: "SillyTavern persona backup", Containers: []formats.Container{formats.JSON}}
}

func (persona) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	if d.Root.Get(namesKey).Kind() != jsondoc.KindObject || d.Root.Get(describeKey).Kind() != jsondoc.KindObject {
		return formats.No("not a persona backup: personas and persona_descriptions are not there together")
	}
	for _, v := range d.Root.Get(namesKey).Members() {
		if v.Kind() == jsondoc.KindString {
			return formats.Bid{Score: 0.95, Reason: "personas and persona_descriptions"}
		}
	}
	return formats.No("not a persona backup: personas names nobody")
}

// places are SillyTavern's numbers; 1 is an old word for 0 and stays where it stands.
var places = []fieldmap.Word{
	{Canon: "prompt", Num: 0}, {Canon: "prompt", Num: 1}, {Canon: "author_note_top", Num: 2}, {Canon: "author_note_bottom", Num: 3}, {Canon: "in_chat", Num: 4}, {Canon: "none", Num: 9},
}

// personaRoles are SillyTavern's numbers of roles.
var personaRoles = []fieldmap.Word{{Canon: "system", Num: 0}, {Canon: "user", Num: 1}, {Canon: "assistant", Num: 2}}

// descriptor is the field map of one descriptor. The name stands outside it, at personas.<avatarId>.
var descriptor = fieldmap.Map[personas.Body]{
	fieldmap.New("content", personas.Content, fieldmap.At("description", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.tagline", personas.Tagline, fieldmap.At("title", fieldmap.Text())),
	fieldmap.New("knowledgeRefs", personas.Book(func(ref string) bool { return !personas.LocalID(ref) }), fieldmap.At("lorebook", fieldmap.Text().Required(fieldmap.EmptyText))).
		Noted("SillyTavern keeps one lorebook for a persona, by the name of a World Info file; the book itself is not in the backup"),
	fieldmap.New("chatInjection.position", personas.Position, fieldmap.At("position", personas.Nearest(places, map[string]string{"depth": "in_chat"}, "prompt"))).
		Noted("SillyTavern knows the places prompt, author's note (top, bottom), in the chat at a depth, and none"),
	fieldmap.New("chatInjection.depth", personas.Depth, fieldmap.At("depth", fieldmap.Number())),
	fieldmap.New("chatInjection.role", personas.Role, fieldmap.At("role", fieldmap.Enum(personaRoles, false))),
}

var (
	descriptorCovers = descriptor.Coverage()
	backupCovers     = fieldmap.Map[personas.Body]{}.Coverage(namesKey, describeKey, defaultKey)
)

func (persona) Fields() []formats.Field {
	return append([]formats.Field{{Path: "name", Wire: "personas.<picture>", Reads: true}}, descriptor.Fields("")...)
}

// backup is a backup's document seen as a list.
type backup struct {
	root         *jsondoc.Value
	names, descs *jsondoc.Value
	ids          []string // avatar ids of the personas, in file order
	first        int      // index of the default persona, else 0
	fallback     string   // the avatar id that default_persona names, "" for none
}

// open lists the personas of a document: a name that is given twice counts once, as its last, and what is no name is
// passed over.
func openBackup(root *jsondoc.Value) *backup {
	b := &backup{root: root, names: root.Get(namesKey), descs: root.Get(describeKey)}
	b.fallback, _ = root.Get(defaultKey).Text()
	seen := map[string]bool{}
	for id := range b.names.Members() {
		if seen[id] {
			continue
		}
		seen[id] = true
		if b.name(id) != nil {
			if id == b.fallback {
				b.first = len(b.ids)
			}
			b.ids = append(b.ids, id)
		}
	}
	return b
}

func (b *backup) name(id string) *string {
	v := b.names.Get(id)
	if v == nil || v.IsNull() {
		return nil
	}
	s, _ := fieldmap.Text().Read(v)
	return s
}

// read is the body of one persona.
func (b *backup) read(id string, warn fieldmap.Warn) *personas.Body {
	p := &personas.Body{Name: canonical.Or(b.name(id), "")}
	descriptor.Read(b.descs.Get(id), p, warn)
	return p
}

// order is the order in which the personas are read.
func (b *backup) order() []string {
	out := []string{b.ids[b.first]}
	for i, id := range b.ids {
		if i != b.first {
			out = append(out, id)
		}
	}
	return out
}

func (persona) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	if d.Root.Get(namesKey).Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, namesKey, "a persona backup needs personas as an object, and this is %s", d.Root.Get(namesKey).Kind())
	}
	b := openBackup(d.Root)
	if len(b.ids) == 0 {
		return nil, fault.New(fault.Damaged, namesKey, "this persona backup names no persona")
	}
	out := &formats.Decoded{Container: formats.JSON}
	warn := func(s string) { out.Warnings = append(out.Warnings, s) }
	known := map[string]bool{}
	var list []*canonical.Entity
	for i, id := range b.ids {
		known[id] = true
		path := describeKey + "." + id + "."
		switch v := b.descs.Get(id); v.Kind() {
		case jsondoc.KindObject:
		case jsondoc.KindAbsent, jsondoc.KindNull:
			warn("the persona " + strconv.Quote(formats.Shown(*b.name(id))) + " (" + formats.Shown(id) + ") has no description in the backup" + noDescriptor)
		default:
			warn(describeKey + "." + formats.Shown(id) + " is " + v.Kind().String() + " where a description object is expected" + noDescriptor)
		}
		body := b.read(id, func(p, what string) { warn(formats.Shown(path) + p + " " + what) })
		facts := jsondoc.Object()
		facts.Set(avatarFact, jsondoc.String(id))
		if id == b.fallback {
			facts.Set(defaultFact, jsondoc.Bool(true))
		}
		raw := d
		if i != b.first {
			raw = b.alone(id)
		}
		list = append(list, &canonical.Entity{Kind: canonical.KindPersona, Body: body, Original: []*canonical.Escrow{{Bucket: personaID, Raw: raw, Unmapped: facts}}})
	}
	if b.fallback != "" && !known[b.fallback] {
		warn(defaultKey + " is " + strconv.Quote(formats.Shown(b.fallback)) + ", which is no persona of this backup; the first one stands first")
	}
	for id, v := range b.names.Members() {
		if b.name(id) == nil {
			warn(namesKey + "." + formats.Shown(id) + " is " + v.Kind().String() + " where a name is expected; it is kept for the way back to SillyTavern only")
		}
	}
	var orphans []string
	for id := range b.descs.Members() {
		if !known[id] && !b.names.Has(id) {
			orphans = append(orphans, id)
			warn(describeKey + "." + formats.Shown(id) + " describes no persona of this backup; it is kept for the way back to SillyTavern only")
		}
	}
	out.Entity, out.More = personas.Gather(list, b.first)
	out.Unmapped = func() []string {
		paths := backupCovers.Unmapped(d.Root)
		if b.fallback != "" { // other files have an order and no default
			paths = append(paths, defaultKey)
		}
		for _, id := range b.ids {
			if name, _ := b.names.Get(id).Text(); id != "" && id != name+".png" { // the picture's file in the app's own folder
				paths = append(paths, namesKey+"."+id)
			}
			for _, p := range descriptorCovers.Unmapped(b.descs.Get(id)) {
				paths = append(paths, describeKey+"."+id+"."+p)
			}
		}
		for _, id := range orphans {
			paths = append(paths, describeKey+"."+id)
		}
		return paths
	}
	return out, nil
}

// alone is a backup of one persona.
func (b *backup) alone(id string) *jsondoc.Doc {
	names, descs, root := jsondoc.Object(), jsondoc.Object(), jsondoc.Object()
	names.Set(id, b.names.Get(id).Clone())
	if v := b.descs.Get(id); v != nil {
		descs.Set(id, v.Clone())
	}
	root.Set(namesKey, names)
	root.Set(describeKey, descs)
	root.Set(defaultKey, jsondoc.Null())
	return jsondoc.NewDoc(root, "  ")
}

// own is what a piece knows of its place in a backup; nil for a piece of another app.
func own(e *canonical.Entity) (b *backup, id string) {
	o := e.Bucket(personaID)
	if o == nil || o.Raw == nil {
		return nil, ""
	}
	b = openBackup(o.Raw.Root)
	if id, _ = o.Unmapped.Get(avatarFact).Text(); b.name(id) == nil {
		return nil, ""
	}
	return b, id
}

func (persona) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	pieces, err := personas.Pieces(e, ctx, backupWords)
	if err != nil {
		return nil, err
	}
	type place struct {
		from *backup // nil: new
		id   string
	}
	at := make([]place, len(pieces))
	var host *backup // the fullest backup that a piece came from
	var doc *jsondoc.Doc
	for i, x := range pieces {
		at[i].from, at[i].id = own(x)
		if b := at[i].from; b != nil && (host == nil || len(b.ids) > len(host.ids)) {
			host, doc = b, x.Bucket(personaID).Raw
		}
	}
	if host == nil {
		root := jsondoc.Object()
		root.Set(namesKey, jsondoc.Object())
		root.Set(describeKey, jsondoc.Object())
		root.Set(defaultKey, jsondoc.Null())
		doc = jsondoc.NewDoc(root, "  ")
	} else {
		doc = doc.Clone()
	}
	for _, k := range []string{namesKey, describeKey} {
		if doc.Root.Get(k).Kind() != jsondoc.KindObject {
			doc.Root.Set(k, jsondoc.Object())
		}
	}
	b := openBackup(doc.Root)
	ids := make([]string, len(pieces))
	used := map[string]bool{}
	for i, p := range at {
		if p.from == nil || used[p.id] || b.name(p.id) == nil {
			continue
		}
		if p.from == host || (jsondoc.Equal(b.names.Get(p.id), p.from.names.Get(p.id)) && jsondoc.Equal(b.descs.Get(p.id), p.from.descs.Get(p.id))) {
			ids[i], used[p.id] = p.id, true
		}
	}
	var taken canonical.IDs
	for _, o := range []*jsondoc.Value{b.names, b.descs} {
		for id := range o.Members() {
			stem, ext := fileName(strings.ToLower(id))
			taken.Use(ext + "/" + stem)
		}
	}
	for _, id := range b.ids {
		if !used[id] {
			b.names.Delete(id)
			b.descs.Delete(id)
		}
	}
	for i, x := range pieces {
		body := x.Body.(*personas.Body)
		fresh := ids[i] == ""
		if fresh {
			ids[i] = avatarID(body.Name, at[i].id, &taken)
			if from := at[i].from; from != nil { // of another backup: what nobody maps comes along
				b.descs.Set(ids[i], from.descs.Get(at[i].id).Clone())
			}
		}
		if was := b.name(ids[i]); was == nil || *was != body.Name {
			b.names.Set(ids[i], jsondoc.String(body.Name))
		}
		b.describe(ids[i], body, fresh)
	}
	b.arrange(ids)
	return personas.Written(doc, ctx)
}

// describe writes the descriptor of one persona. A missing one stays missing while it has nothing to say.
func (b *backup) describe(id string, body *personas.Body, fresh bool) {
	if d := b.descs.Get(id); d.Kind() == jsondoc.KindObject {
		was := &personas.Body{}
		descriptor.Read(d, was, nil)
		descriptor.Overlay(d, body, was, nil, nil)
		return
	}
	if !fresh && len(descriptor.Overlay(jsondoc.Object(), body, &personas.Body{}, nil, nil)) == 0 {
		return
	}
	d := jsondoc.Object() // SillyTavern has a default for every other member
	d.Set("description", jsondoc.String(""))
	d.Set("position", jsondoc.Int(0))
	descriptor.Fill(d, body, nil, nil)
	b.descs.Set(id, d)
}

// arrange sees to it that the personas are read in the order of ids: the first is the default one where there is a
// default. A default that is gone is taken away, as SillyTavern does when that persona is deleted.
func (b *backup) arrange(ids []string) {
	had := map[string]bool{}
	for _, id := range ids {
		had[id] = true
	}
	was := false
	for _, id := range b.ids {
		was = was || id == b.fallback
	}
	switch {
	case had[b.fallback] && b.fallback != ids[0]:
		b.root.Set(defaultKey, jsondoc.String(ids[0]))
	case was && !had[b.fallback]:
		b.root.Delete(defaultKey)
	}
	now := openBackup(b.root).order()
	same := len(now) == len(ids)
	for i := range ids {
		same = same && now[i] == ids[i]
	}
	if same {
		return
	}
	names := jsondoc.Object()
	for _, id := range ids {
		names.Set(id, b.names.Get(id).Clone())
	}
	for id, v := range b.names.Members() {
		if !had[id] {
			names.Set(id, v.Clone())
		}
	}
	b.root.Set(namesKey, names)
}

// avatarID is a picture's file name that no persona of the backup has: the one that the persona had elsewhere, or
// <name>.png. File names are compared without case, as some systems do.
func avatarID(name, had string, taken *canonical.IDs) string {
	stem, ext := fileName(had)
	if had == "" {
		ext = ".png"
		stem = strings.Trim(strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || strings.ContainsRune(`<>:"/\|?*`, r) {
				return '_'
			}
			return r
		}, strings.ToValidUTF8(name, "_")), " .")
		if r := []rune(stem); len(r) > 100 {
			stem = strings.TrimSpace(string(r[:100]))
		}
		if stem == "" {
			stem = "persona"
		}
	}
	low := strings.ToLower(ext + "/" + stem)
	return stem + strings.TrimPrefix(taken.Unique(low), low) + ext
}

// fileName splits a file name before its ending.
func fileName(s string) (stem, ext string) {
	if i := strings.LastIndexByte(s, '.'); i > 0 {
		return s[:i], s[i:]
	}
	return s, ""
}
