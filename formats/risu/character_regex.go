package risu

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// scriptsPath is where a card of that variant holds its scripts.
func scriptsPath(v tavern.Variant) []string {
	return strings.Split(v.Prefix()+"extensions.risuai.customScripts", ".")
}

// scriptsIn takes the scripts out of a card: those of its module where that speaks of them, as in the app.
func scriptsIn(root *jsondoc.Value, v tavern.Variant, m *module) ([]*canonical.Entity, []string) {
	set := regex.SetName(app.NameIn(root, v))
	if l := m.list("regex"); l != nil {
		return scripts.Sets(l, m.obj.Get(regex.RecordKey), set, modulePath+".regex")
	}
	path := scriptsPath(v)
	beside := root.At(append(path[:len(path)-1:len(path)-1], regex.RecordKey)...)
	return scripts.Sets(root.At(path...), beside, set, strings.Join(path, "."))
}

// badScripts lists what of a card's scripts is none.
func badScripts(root *jsondoc.Value, v tavern.Variant, m *module) []string {
	if l := m.list("regex"); l != nil {
		return scripts.BadIn(l, modulePath+".regex")
	}
	path := strings.Join(scriptsPath(v), ".")
	switch list := root.At(scriptsPath(v)...); list.Kind() {
	case jsondoc.KindArray, jsondoc.KindAbsent, jsondoc.KindNull:
		return scripts.BadIn(list, path)
	default:
		return []string{path}
	}
}

// ExtractRegex implements formats.RegexExtractor.
func (character) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	twin := e.Bucket(name)
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	sets, warnings := scriptsIn(twin.Raw.Root, tavern.VariantOf(twin), moduleOf(twin))
	return sets, warnings, nil
}

// RegexFields implements formats.RegexFielder.
func (character) RegexFields() []formats.Field { return moduleFile{}.RegexFields() }

// writeScripts writes the scripts into the card, and gives what the module holds then; nil where it stays as it is.
// First is the number of the first set in the encoder's context.
func writeScripts(d *tavern.Draft, m *module, sets []*canonical.Entity, first int) (*edit, error) {
	if sets == nil {
		return nil, nil
	}
	root, path := d.Doc.Root, scriptsPath(d.Variant)
	usual := []string{regex.SetName(app.NameIn(root, d.Variant))}
	if d.Twin != nil {
		old := tavern.VariantOf(d.Twin)
		was, _ := scriptsIn(d.Twin.Raw.Root, old, m)
		inModule := m.list("regex") != nil
		if regex.SameSets(was, sets) && (!inModule || d.Container == formats.CharX) {
			return nil, nil
		}
		usual = append(usual, regex.SetName(app.NameIn(d.Twin.Raw.Root, old)))
		if inModule && d.Container == formats.CharX && root.At(path...) == nil {
			return moduleScripts(d, sets, usual, first)
		}
	}
	var list, record *jsondoc.Value
	if len(sets) > 0 {
		var err error
		if list, record, err = listOf(d, sets, usual, first); err != nil {
			return nil, err
		}
		for _, e := range sets {
			if scripts.Twin(e) == nil {
				d.Warnings = append(d.Warnings, foreignScripts(e.Body.(*canonical.RegexSet))...)
			}
		}
	} else if root.At(path...).Kind() != jsondoc.KindArray || root.At(path...).Len() == 0 {
		list = root.At(path...) // nothing that was a script
	}
	regex.Put(root, path, list, record)
	if m.list("regex") != nil && d.Container == formats.CharX {
		return moduleScripts(d, sets, usual, first)
	}
	return nil, nil
}

func listOf(d *tavern.Draft, sets []*canonical.Entity, usual []string, first int) (list, record *jsondoc.Value, err error) {
	return scripts.List(sets, usual, func(set int, p, after, why string) {
		d.Near = append(d.Near, formats.Near{Piece: first + set, Path: p, After: after, Why: why})
	})
}

// moduleScripts is the list of a module that says what the sets say.
func moduleScripts(d *tavern.Draft, sets []*canonical.Entity, usual []string, first int) (*edit, error) {
	e := &edit{name: "regex", recordKey: regex.RecordKey, list: jsondoc.Array()}
	if len(sets) == 0 {
		return e, nil
	}
	had := len(d.Near)
	var err error
	e.list, e.record, err = listOf(d, sets, usual, first)
	if d.Doc.Root.At(scriptsPath(d.Variant)...) != nil {
		d.Near = d.Near[:had] // told of when the card's copy was written
	}
	return e, err
}
