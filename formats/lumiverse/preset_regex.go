package lumiverse

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

// scriptPlaces are where a preset's scripts may stand, in the order in which they count; the first is the home. LumiHub
// puts them beside the preset, the app into its extensions.
func (l *loom) scriptPlaces() [][]string {
	out := [][]string{{"extensions", regexKey}, {regexKey}, {"extensions", hubKey, regexKey}}
	if l.inside != "" {
		out = [][]string{{regexKey}, {"extensions", regexKey}, {l.inside, regexKey}, {l.inside, "extensions", regexKey}, {"extensions", hubKey, regexKey}, {l.inside, "extensions", hubKey, regexKey}}
	}
	return out
}

// scripts finds the list that counts; path is nil when there is none.
func (l *loom) scripts(root *jsondoc.Value) (path []string, list, record *jsondoc.Value) {
	for _, p := range l.scriptPlaces() {
		record := root.At(append(p[:len(p)-1:len(p)-1], regex.RecordKey)...)
		if v := root.At(p...); v.Kind() == jsondoc.KindArray && (v.Len() > 0 || record.Len() > 0) {
			return p, v, record
		}
	}
	return nil, nil, nil
}

func (l *loom) sets(root *jsondoc.Value) ([]*canonical.Entity, []string) {
	path, list, record := l.scripts(root)
	if path == nil {
		return nil, nil
	}
	name, _ := l.preset(root).Get("name").Text()
	return dialectOf(list, fullScripts).Sets(list, record, regex.SetName(name), strings.Join(path, "."))
}

// unmappedScripts lists what is no script, and copies that say something else than those that count.
func (l *loom) unmappedScripts(root *jsondoc.Value) (out []string) {
	path, list, _ := l.scripts(root)
	if path == nil {
		return nil
	}
	d := dialectOf(list, fullScripts)
	out = d.BadIn(list, strings.Join(path, "."))
	rules, _ := d.Decode(list, nil, nil)
	for _, p := range l.scriptPlaces() {
		v := root.At(p...)
		if v == list || v.Kind() != jsondoc.KindArray || v.Len() == 0 {
			continue
		}
		if other, _ := dialectOf(v, fullScripts).Decode(v, nil, nil); !regex.SameRules(rules, other) {
			out = append(out, strings.Join(p, "."))
		}
	}
	return out
}

// ExtractRegex implements formats.RegexExtractor.
func (preset) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	o := e.Bucket(presetID)
	if o == nil || o.Raw == nil {
		return nil, nil, nil
	}
	l, _, _ := loomOf(o.Raw.Root)
	if l == nil {
		return nil, nil, nil
	}
	sets, warnings := l.sets(o.Raw.Root)
	return sets, warnings, nil
}

// RegexFields implements formats.RegexFielder.
func (preset) RegexFields() []formats.Field {
	const why = "Lumiverse binds the scripts of a preset one by one; the preset keeps the set's name for the way back"
	return append([]formats.Field{{Path: "name", Wire: regex.RecordKey, Note: why}, {Path: "description", Wire: regex.RecordKey, Note: why}}, fullScripts.Fields()...)
}

// writeScripts applies the three-way contract to every place that holds scripts. Twin is the document that the preset
// came from, nil for a new one.
func (l *loom) writeScripts(root, twin *jsondoc.Value, sets []*canonical.Entity, out *formats.Encoded) error {
	if sets == nil {
		return nil
	}
	name, _ := l.preset(root).Get("name").Text()
	usual := []string{regex.SetName(name)}
	dial, path := fullScripts, l.scriptPlaces()[0]
	if twin != nil {
		if have, _ := l.sets(twin); regex.SameSets(have, sets) {
			return nil
		}
		was, _ := l.preset(twin).Get("name").Text()
		usual = append(usual, regex.SetName(was))
		if p, list, _ := l.scripts(twin); p != nil {
			path, dial = p, dialectOf(list, fullScripts)
		}
	}
	var list, record *jsondoc.Value
	if len(sets) > 0 {
		var err error
		list, record, err = dial.List(sets, usual, func(set int, p, after, why string) {
			out.Near = append(out.Near, formats.Near{Piece: 1 + set, Path: p, After: after, Why: why})
		})
		if err != nil {
			return err
		}
	}
	for _, p := range l.scriptPlaces() { // other copies would be read again, here or by the app
		if v := root.At(p...); v.Len() > 0 && (list == nil || strings.Join(p, ".") != strings.Join(path, ".")) {
			regex.Put(root, p, nil, nil)
		}
	}
	if list == nil {
		return nil
	}
	regex.Put(root, path, list, record)
	for _, e := range sets {
		if set, ok := e.Body.(*canonical.RegexSet); ok && fullScripts.Twin(e) == nil && stScripts.Twin(e) == nil {
			out.Warnings = append(append(out.Warnings, regex.Foreign(set, true)...), refusedScripts(set)...)
		}
	}
	return nil
}
