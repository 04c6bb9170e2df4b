package book

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// What an entry leaves unsaid: apps have different defaults, so a new entry that is silent may mean another thing.

// unsaid is parked beside the selective logic of a new Lumiverse entry whose source says none: the file names the
// source's default, since Lumiverse's own is another, and reading it back says nothing again.
const unsaid = "unsaid"

// logicRow counts the parked word only while the app still says the default.
func (d *Dialect) logicRow(acc fieldmap.Access[entry, string]) fieldmap.Row[entry] {
	home := fieldmap.Enum(d.logic, false)
	r := row(d, "selectiveLogic", acc, home)
	if !d.regexKey {
		return r
	}
	silent := acc
	silent.Set = func(e *entry, s string) {
		if s == unsaid {
			acc.Clear(e)
		}
	}
	exact := fieldmap.Text()
	asDefault := fieldmap.Codec[string]{Read: home.Read, Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
		if s == unsaid {
			s = canonical.LogicAndAny
		}
		return home.Write(s, old)
	}}
	return fieldmap.ParkAt(r, silent, parkPath("selectiveLogic"), exact, asDefault, "")
}

// fill writes a new entry and says where the app takes another place than others for an entry that names none.
func (d *Dialect) fill(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
	d.Rows().Fill(obj, withoutBlankKeys(e), nil, near)
	if d.regexKey && e.SelectiveLogic == nil {
		fieldmap.Put(obj, strings.Split(parkPath("selectiveLogic"), "."), jsondoc.String(unsaid))
	}
	if e.Position == nil && near != nil {
		after := "before the character"
		if d == Tavern {
			after = "after the character"
		}
		near("position", after, "the file names no place for this entry; a SillyTavern card then means after the character, Lumiverse and a World Info file mean before it")
	}
}
