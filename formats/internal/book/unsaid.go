package book

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// What an entry leaves unsaid: apps have different defaults, so an entry that is silent may mean another thing in a
// new place. What the source means is then said there, and parked as unsaid, so that the way back is silent again.

// defaults are what a dialect means by an entry that does not say it, as canonical words; "" where nothing is known.
type defaults struct{ position, mode, logic string }

func (d *Dialect) defaults() defaults {
	switch {
	case d == Tavern: // convertCharacterBook in SillyTavern's world-info.js
		return defaults{canonical.PosCharacter, simple, canonical.LogicAndAny}
	case d == WorldInfo: // newWorldInfoEntryDefinition there
		return defaults{canonical.PosWorld, advanced, canonical.LogicAndAny}
	case d.isRisu():
		return defaults{mode: simple, logic: canonical.LogicAndAny}
	}
	return defaults{canonical.PosWorld, simple, canonical.LogicAndAll} // Lumiverse's table of entries
}

// silent is one field with a default.
type silent struct {
	field string
	at    func(e *entry) **string
	of    func(d defaults) string
	home  func(d *Dialect) fieldmap.Codec[string]
	// always tells that a new entry of the dialect has a value here in any case.
	always func(d *Dialect) bool
}

var silents = []silent{
	{"position", func(e *entry) **string { return &e.Position }, func(d defaults) string { return d.position },
		func(d *Dialect) fieldmap.Codec[string] { return nearest(d.position) }, func(d *Dialect) bool { return d.object || d == LumiverseBook }},
	{"triggerMode", func(e *entry) **string { return &e.TriggerMode }, func(d defaults) string { return d.mode },
		func(*Dialect) fieldmap.Codec[string] { return modeCodec() }, func(d *Dialect) bool { return d.object }},
	{"selectiveLogic", func(e *entry) **string { return &e.SelectiveLogic }, func(d defaults) string { return d.logic },
		func(d *Dialect) fieldmap.Codec[string] { return fieldmap.Enum(d.logic, false) }, func(d *Dialect) bool { return d.regexKey }},
}

// stOrder is SillyTavern's order of an entry that says none.
const stOrder = 100.0

func unsaidPath(field string) string { return parkPath("unsaid." + field) }

// silentRow makes a row know its own parked word.
func (d *Dialect) silentRow(r fieldmap.Row[entry]) fieldmap.Row[entry] {
	for _, s := range silents {
		if s.field == r.Path {
			return fieldmap.Silent(r, fieldmap.Ptr(s.at), unsaidPath(s.field), fieldmap.Text(), s.home(d))
		}
	}
	return r
}

// explicit is the entry with what its source means by its silence, where this dialect would mean something else by it,
// and the fields that were filled in.
func (d *Dialect) explicit(e *entry, from *Source) (*entry, []silent) {
	x, here := *e, d.defaults()
	var filled []silent
	for _, s := range silents {
		p, means := s.at(&x), from.means(e.ID, s)
		if *p != nil || means == "" || s.of(here) == "" || means == s.of(here) && !s.always(d) {
			continue
		}
		*p = &means
		filled = append(filled, s)
	}
	return &x, filled
}

// fill writes a new entry. Near is told where the app takes another place than others for an entry that names none.
func (d *Dialect) fill(obj *jsondoc.Value, e *entry, from *Source, near fieldmap.Near) {
	x, filled := d.explicit(e, from)
	if t, c := canonical.Or(e.Title, ""), canonical.Or(e.Comment, ""); t != "" && c != "" && t != c {
		obj.Set("name", jsondoc.String(t)) // the comment stands beside it, and is what the apps show
	}
	order := e.SortOrder == nil && from != nil && from.d.Name == Tavern.Name && d.regexKey
	if order { // else Lumiverse would go by the place in the list
		x.SortOrder = canonical.Ptr(stOrder)
	}
	d.Rows().Fill(obj, withoutBlankKeys(x), nil, near)
	if order {
		fieldmap.Put(obj, strings.Split(unsaidPath("sortOrder"), "."), fieldmap.Number().Write(stOrder, nil))
	}
	if d == Tavern && x.Position != nil { // the specification's word beside SillyTavern's number, as the app writes both
		obj.Set("position", coarse(d.position).Write(*x.Position, nil))
	}
	from.carry(d, obj, e.ID)
	for _, s := range filled {
		fieldmap.Put(obj, strings.Split(unsaidPath(s.field), "."), jsondoc.String(**s.at(x)))
	}
	if x.Position == nil && from == nil && near != nil {
		after := "before the character"
		if d == Tavern {
			after = "after the character"
		}
		near("position", after, "the file names no place for this entry; a SillyTavern card then means after the character, Lumiverse and a World Info file mean before it")
	}
}

// Outspoken is the book of e for Risu, where secondary keys sleep unless an entry says otherwise: entries that mean by
// their silence that they count say so.
func Outspoken(e *canonical.Entity) *lorebook { return SourceOf(e).outspoken(e.Lorebook()) }

func (s *Source) outspoken(b *lorebook) *lorebook {
	if s == nil || b == nil || s.d.defaults().mode != advanced {
		return b
	}
	x := *b
	x.Entries = make([]*entry, len(b.Entries))
	for i, e := range b.Entries {
		if x.Entries[i] = e; e.TriggerMode == nil && len(e.SecondaryTriggers) > 0 {
			said := *e
			said.TriggerMode = canonical.Ptr(advanced)
			x.Entries[i] = &said
		}
	}
	return &x
}
