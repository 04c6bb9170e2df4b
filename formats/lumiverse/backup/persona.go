package backup

import (
	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/rope"
)

const personaTable = "personas"

// personaColumns are those of the API object of a persona. The two last pronouns are of later versions.
var personaColumns = []column{
	{"id", plain}, {"name", text}, {"title", text}, {"description", text}, {"folder", text},
	{"subjective_pronoun", text}, {"objective_pronoun", text}, {"possessive_pronoun", text},
	{"reflexive_pronoun", text}, {"possessive_pronoun_standalone", text},
	{"avatar_path", plain}, {"image_id", plain}, {"attached_world_book_id", plain},
	{"is_default", flag}, {"is_narrator", flag}, {"metadata", object}, {"created_at", plain}, {"updated_at", plain},
}

// personas yields every persona.
func (a *archive) personas(yield func(*formats.BackupPiece) bool) bool {
	codec := a.codecs[canonical.KindPersona]
	if codec == nil {
		return a.notYet(personaTable, "personas")
	}
	return a.rows(personaTable, func(r *row) error {
		if err := r.needID(); err != nil {
			return err
		}
		if _, ok := r.v.Get("name").Text(); !ok {
			return fault.New(fault.Damaged, "name", "the persona has no name")
		}
		v := jsondoc.Object()
		for _, n := range []string{"subjective_pronoun", "objective_pronoun"} { // what the app knows its personas by
			if !r.v.Has(n) {
				r.v.Set(n, jsondoc.String(""))
			}
		}
		r.into(v, personaColumns)
		link, _ := r.text("attached_world_book_id")
		file := jsondoc.Object() // the form that the app reads from a file, too
		file.Set("type", jsondoc.String("lumiverse_personas"))
		file.Set("version", jsondoc.Int(1))
		file.Set("personas", jsondoc.Array(v))
		e, err := a.decode(codec, r, file)
		if err != nil {
			return err
		}
		e.ID = a.uniqueID(e.Kind, e.ID)
		b := e.Body.(*canonical.Persona)
		b.KnowledgeRefs = nil
		p := a.piece(codec, e, r)
		if link != "" {
			if x := a.book(link); x != nil {
				b.KnowledgeRefs = []string{x.ID}
				p.Books = []*canonical.Entity{x}
			} else {
				r.unresolved("attached_world_book_id", link)
			}
		}
		if pic := a.personaPicture(r); pic != nil {
			if b.Media == nil {
				b.Media = &canonical.PersonaMedia{}
			}
			b.Media.Portrait = pic
		}
		escrow(e, personaTable, r.leftover())
		a.report.Imported.Personas++
		if !yield(p) {
			return errStop
		}
		return nil
	})
}

// personaPicture is the picture of a persona; nil when it has none.
func (a *archive) personaPicture(r *row) *canonical.Asset {
	image, _ := r.text("image_id")
	avatar, _ := r.text("avatar_path")
	var file, why string
	var b *canonical.Blob
	switch {
	case image != "":
		if file, b, why = a.image(image); b == nil {
			r.missing("image_id", image, why)
		}
	case avatar != "":
		if file, b, why = a.file("files/avatars/" + avatar); b == nil {
			r.missing("avatar_path", avatar, why)
		}
	}
	if b == nil {
		return nil
	}
	mime := mimeOf(b, file)
	return &canonical.Asset{Role: canonical.RolePortrait, Ref: file, Mime: &mime, Blob: b}
}

// decode gives the object that the app exports to the codec that reads it.
func (a *archive) decode(codec formats.Codec, r *row, v *jsondoc.Value) (*canonical.Entity, error) {
	data := &rope.Rope{}
	jsondoc.NewDoc(v, "  ").AppendTo(data)
	b, err := data.Bytes()
	if err != nil {
		return nil, err
	}
	name, _ := r.v.Get("name").Text()
	in, err := formats.Open(rope.Bytes(b), name, a.pieceLimits())
	if err != nil {
		return nil, err
	}
	d, err := codec.Decode(in)
	if err != nil {
		return nil, err
	}
	for _, w := range d.Warnings {
		r.warn("%s", w)
	}
	return d.Entity, nil
}

func (a *archive) piece(codec formats.Codec, e *canonical.Entity, r *row) *formats.BackupPiece {
	return &formats.BackupPiece{Entity: e, Info: codec.Info(), Container: formats.JSON, Limits: a.pieceLimits(), Table: r.table, Row: r.n, RowID: r.id}
}

// notYet tells of a table for whose kind there is no codec.
func (a *archive) notYet(table, words string) bool {
	if a.tables[table] != nil {
		a.report.SkippedTables = append(a.report.SkippedTables, formats.SkippedTable{Table: table, Rows: a.countRows(table), Reason: "this version of bunzai does not read " + words + " yet"})
	}
	return true
}
