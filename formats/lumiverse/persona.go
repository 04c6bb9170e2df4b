package lumiverse

import (
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/personas"
	"bunzai/jsondoc"
)

// personaFile reads the two shapes that Lumiverse has for personas: the object of its API, and the envelope
// {type: "lumiverse_personas", version: 1, personas: [...]} that its Persona Manager writes (PersonaManager.tsx). Each
// persona of an envelope is a piece; the first is the main one.
//
// A new file is always the envelope, for one persona too: the app reads no bare object from a file, and its later
// versions read the envelope with exactly that type and version 1 and a list that is not empty (Q27). A bare object
// that came in stays one while it holds one persona. exported_at is left out of a new file: it would be the clock.
//
// Where the app and the design differ: avatar_path is a file name on the app's server (D-10), so it is a web address
// only where it looks like one, and is never written anew; attached_world_book_id is the id of a row in one account, so
// it goes back only where it came from; the two pronouns that a later version has (reflexive_pronoun,
// possessive_pronoun_standalone, D-11) and all else ride in the twin.
type personaFile struct{}

const (
	personaID   = "lumiverse-persona"
	envelope    = "lumiverse_personas"
	personasKey = "personas"
	indexFact   = "index" // of the persona in the list of its raw document
	atFact      = "at"    // of the persona in the list of the file that it came from
)

func (personaFile) Info() formats.Info {
	return formats.Info{ID: personaID, App: name, AppLabel: label, Kind: canonical.KindPersona, Label: "Lumiverse personas", Containers: []formats.Container{formats.JSON}}
}

func (personaFile) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	if t, _ := d.Root.Get("type").Text(); t == envelope {
		if d.Root.Get(personasKey).Kind() == jsondoc.KindArray {
			return formats.Bid{Score: 1, Reason: "type " + envelope}
		}
		return formats.No("not a list of personas, though type says " + envelope)
	}
	if d.Root.Has("spec") || d.Root.Has("schemaVersion") {
		return formats.No("not a Lumiverse persona: it says that it is another kind of file")
	}
	for _, n := range []string{"name", "subjective_pronoun", "objective_pronoun"} {
		if d.Root.Get(n).Kind() != jsondoc.KindString {
			return formats.No("not a Lumiverse persona: " + n + " is not there as text")
		}
	}
	return formats.Bid{Score: 0.95, Reason: "a name with subjective and objective pronouns"}
}

// injectAt are the numbers of description_position.
var injectAt = []fieldmap.Word{
	{Canon: "prompt", Num: 0}, {Canon: "author_note_top", Num: 1}, {Canon: "author_note_bottom", Num: 2}, {Canon: "in_chat", Num: 4}, {Canon: "none", Num: 99},
}

// injectAs are the words of description_role.
var injectAs = []fieldmap.Word{{Canon: "system", Num: 0}, {Canon: "user", Num: 1}, {Canon: "assistant", Num: 2}}

const editorOnly = "Lumiverse's editor keeps it and its server does not read it"

// personaMap is the field map of one persona object.
var personaMap = fieldmap.Map[personas.Body]{
	fieldmap.New("name", personas.Name, fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("content", personas.Content, fieldmap.At("description", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.tagline", personas.Tagline, fieldmap.At("title", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.pronounSet.subjective", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Subjective }), fieldmap.At("subjective_pronoun", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.pronounSet.objective", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Objective }), fieldmap.At("objective_pronoun", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("identity.pronounSet.possessive", personas.Pronoun(func(g *canonical.PronounSet) **string { return &g.Possessive }), fieldmap.At("possessive_pronoun", fieldmap.Text())),
	imageRow(),
	fieldmap.New("knowledgeRefs", personas.Book(personas.LocalID), fieldmap.At("attached_world_book_id", fieldmap.Text().Required(jsondoc.Null))).
		Noted("Lumiverse knows a world book by an id of the account; it goes back only into the file that it came from"),
	fieldmap.New("chatInjection.position", personas.Position, fieldmap.At("metadata.description_position", personas.Nearest(injectAt, map[string]string{"depth": "in_chat"}, "prompt"))).Parked(editorOnly),
	fieldmap.New("chatInjection.depth", personas.Depth, fieldmap.At("metadata.description_depth", fieldmap.Number())).Parked(editorOnly),
	fieldmap.New("chatInjection.role", personas.Role, fieldmap.At("metadata.description_role", fieldmap.Enum(injectAs, true))).Parked(editorOnly),
}

// personaCovers also knows what says nothing outside one account: row ids and times.
var personaCovers = personaMap.Coverage("id", "user_id", "created_at", "updated_at")

func webAddress(v *jsondoc.Value) *string {
	s, _ := v.Text()
	if low := strings.ToLower(s); strings.HasPrefix(low, "http://") || strings.HasPrefix(low, "https://") {
		return &s
	}
	return nil
}

// imageRow: avatar_path is a file name of the server. Only where it is a web address does it say something elsewhere,
// and only there is another one written.
func imageRow() fieldmap.Row[personas.Body] {
	return fieldmap.Custom("presentation.imageUrl", "avatar_path", []string{"avatar_path"},
		func(obj *jsondoc.Value, b *personas.Body, _ fieldmap.Warn) {
			if s := webAddress(obj.Get("avatar_path")); s != nil {
				personas.Image.Set(b, *s)
			}
		},
		func(a, b *personas.Body) bool {
			x, okx := personas.Image.Get(a)
			y, oky := personas.Image.Get(b)
			return okx == oky && x == y
		},
		func(obj *jsondoc.Value, b *personas.Body, _ fieldmap.Near) {
			if webAddress(obj.Get("avatar_path")) == nil {
				return
			}
			if s, ok := personas.Image.Get(b); ok {
				obj.Set("avatar_path", jsondoc.String(s))
			} else {
				obj.Set("avatar_path", jsondoc.Null())
			}
		}).Noted("Lumiverse keeps the file name of a picture on its server here, not a web address")
}

func (personaFile) Fields() []formats.Field { return personaMap.Fields("") }

// listOf is the personas of a document: the list of an envelope, or the one object.
func listOf(root *jsondoc.Value) (list []*jsondoc.Value, prefix func(i int) string) {
	if l := root.Get(personasKey); l.Kind() == jsondoc.KindArray {
		for _, v := range l.Elems() {
			list = append(list, v)
		}
		return list, func(i int) string { return personasKey + "[" + strconv.Itoa(i) + "]." }
	}
	return []*jsondoc.Value{root}, func(int) string { return "" }
}

func (personaFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: "object"}
	warn := func(s string) { out.Warnings = append(out.Warnings, s) }
	bare := d.Root.Get(personasKey).Kind() != jsondoc.KindArray
	if !bare {
		out.Variant = "list"
		if n, ok := d.Root.Get("version").Int(); !ok || n != 1 {
			warn("version is not 1; Lumiverse reads only version 1 of this file")
		}
	}
	vals, prefix := listOf(d.Root)
	var list []*canonical.Entity
	var read []int
	for i, v := range vals {
		if v.Kind() != jsondoc.KindObject {
			if len(vals) == 1 && bare {
				return nil, fault.New(fault.Damaged, "", "a persona must be an object, and this is %s", v.Kind())
			}
			warn(strings.TrimSuffix(prefix(i), ".") + " is " + v.Kind().String() + " and no persona; it is left out")
			continue
		}
		b := &personas.Body{}
		personaMap.Read(v, b, func(p, what string) { warn(prefix(i) + p + " " + what) })
		facts := jsondoc.Object()
		facts.Set(indexFact, jsondoc.Int(int64(i)))
		raw := d
		if len(list) > 0 {
			facts.Set(indexFact, jsondoc.Int(0))
			facts.Set(atFact, jsondoc.Int(int64(i)))
			raw = newPersonas([]*jsondoc.Value{v.Clone()})
		}
		read = append(read, i)
		list = append(list, &canonical.Entity{Kind: canonical.KindPersona, Body: b, Original: []*canonical.Escrow{{Bucket: personaID, Raw: raw, Unmapped: facts}}})
	}
	if len(list) == 0 {
		return nil, fault.New(fault.Damaged, personasKey, "this file holds no persona")
	}
	out.Entity, out.More = personas.Gather(list, 0)
	out.Unmapped = func() []string {
		var paths []string
		if !bare {
			paths = envelopeCovers.Unmapped(d.Root)
		}
		for _, i := range read {
			for _, p := range unmappedOf(vals[i]) {
				paths = append(paths, prefix(i)+p)
			}
		}
		return paths
	}
	return out, nil
}

var envelopeCovers = fieldmap.Map[personas.Body]{}.Coverage("type", "version", "exported_at", personasKey)

// unmappedOf lists what one persona says that has no canonical home: add-ons one by one, switches only where they are on.
func unmappedOf(v *jsondoc.Value) (out []string) {
	for _, p := range personaCovers.Unmapped(v) {
		x := v.At(strings.Split(p, ".")...)
		if on, ok := x.Bool(); ok && !on {
			continue
		}
		if x.Kind() == jsondoc.KindArray {
			for i := range x.Elems() {
				out = append(out, p+"["+strconv.Itoa(i)+"]")
			}
			continue
		}
		out = append(out, p)
	}
	if a := v.Get("avatar_path"); a.Kind() == jsondoc.KindString && webAddress(a) == nil {
		if s, _ := a.Text(); s != "" {
			out = append(out, "avatar_path")
		}
	}
	return out
}

func newPersonas(list []*jsondoc.Value) *jsondoc.Doc {
	root := jsondoc.Object()
	root.Set("type", jsondoc.String(envelope))
	root.Set("version", jsondoc.Int(1))
	root.Set(personasKey, jsondoc.Array(list...))
	return jsondoc.NewDoc(root, "  ")
}

// ownObject is the persona's object in the document that it came from, with where it stood in the file.
func ownObject(e *canonical.Entity) (v *jsondoc.Value, at int) {
	o := e.Bucket(personaID)
	if o == nil || o.Raw == nil {
		return nil, -1
	}
	list, _ := listOf(o.Raw.Root)
	i, _ := o.Unmapped.Get(indexFact).Int()
	if i < 0 || i >= int64(len(list)) || list[i].Kind() != jsondoc.KindObject {
		return nil, -1
	}
	at = int(i)
	if n, ok := o.Unmapped.Get(atFact).Int(); ok && n >= 0 && n < 1<<30 {
		at = int(n)
	}
	return list[i], at
}

func (personaFile) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	pieces, err := personas.Pieces(e, ctx, "a Lumiverse persona file")
	if err != nil {
		return nil, err
	}
	var doc *jsondoc.Doc // the fullest file that a piece came from
	most := 0
	for _, x := range pieces {
		if v, _ := ownObject(x); v != nil {
			raw := x.Bucket(personaID).Raw
			if l, _ := listOf(raw.Root); len(l) > most {
				doc, most = raw, len(l)
			}
		}
	}
	if doc == nil {
		doc = newPersonas(nil)
	} else {
		doc = doc.Clone()
	}
	bare := doc.Root.Get(personasKey).Kind() != jsondoc.KindArray
	if bare && len(pieces) > 1 {
		doc, bare = newPersonas(nil), false
	}
	list, _ := listOf(doc.Root)
	if bare {
		list = []*jsondoc.Value{doc.Root}
	}
	used := map[int]bool{}
	out := make([]*jsondoc.Value, len(pieces))
	for i, x := range pieces {
		v, at := ownObject(x)
		fresh := v == nil
		switch {
		case fresh:
			v = jsondoc.Object()
			for _, n := range []string{"name", "description", "subjective_pronoun", "objective_pronoun"} {
				v.Set(n, jsondoc.String(""))
			}
		case at < len(list) && !used[at] && jsondoc.Equal(list[at], v):
			used[at], v = true, list[at]
		default:
			v = v.Clone()
		}
		b := x.Body.(*personas.Body)
		if fresh {
			personaMap.Fill(v, b, func(r fieldmap.Row[personas.Body]) bool { return r.Path == "knowledgeRefs" }, nil)
		} else {
			was := &personas.Body{}
			personaMap.Read(v, was, nil)
			personaMap.Overlay(v, b, was, nil, nil)
		}
		out[i] = v
	}
	if !bare && !inPlace(list, out) {
		doc.Root.Get(personasKey).SetElems(out)
	}
	return personas.Written(doc, ctx)
}

// inPlace reports that the personas are the objects of the list in their order; what is no persona between them stays.
func inPlace(list, out []*jsondoc.Value) bool {
	n := 0
	for _, v := range list {
		if v.Kind() != jsondoc.KindObject {
			continue
		}
		if n >= len(out) || out[n] != v {
			return false
		}
		n++
	}
	return n == len(out)
}
