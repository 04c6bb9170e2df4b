package tavern

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

// regexKey is the member of extensions that holds a card's scripts.
const regexKey = "regex_scripts"

// RegexPath is where a card of that variant holds its scripts.
func (v Variant) RegexPath() []string { return strings.Split(v.prefix()+"extensions."+regexKey, ".") }

// RegexRecord is what stands beside the scripts of a merge.
func (v Variant) RegexRecord() []string {
	return strings.Split(v.prefix()+"extensions."+regex.RecordKey, ".")
}

// NameIn is the name of the character in a document.
func (a *App) NameIn(root *jsondoc.Value, v Variant) string {
	c := &canonical.Character{}
	fieldmap.Map[character]{a.Rows(v)[0]}.Read(root, c, nil) // the name is the first row
	return c.Identity.Name
}

// RegexIn reads the scripts of a card document.
func (a *App) RegexIn(root *jsondoc.Value, v Variant, d *regex.Dialect) ([]*canonical.Entity, []string) {
	return d.Sets(root.At(v.RegexPath()...), root.At(v.RegexRecord()...), regex.SetName(a.NameIn(root, v)), strings.Join(v.RegexPath(), "."))
}

// ExtractRegex takes the embedded scripts out of the app's own escrow.
func (a *App) ExtractRegex(e *canonical.Entity, d *regex.Dialect) ([]*canonical.Entity, []string, error) {
	twin := e.Bucket(a.Name)
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	sets, warnings := a.RegexIn(twin.Raw.Root, variant(twin), d)
	return sets, warnings, nil
}

// WriteRegex applies the three-way contract of the embedded scripts: nil leaves the twin alone, none removes them, one
// or more replace what is there. First is the number of the first set in the encoder's context.
func (d *Draft) WriteRegex(sets []*canonical.Entity, dial *regex.Dialect, first int) error {
	if sets == nil {
		return nil
	}
	root, v := d.Doc.Root, d.Variant
	path := v.RegexPath()
	var was *jsondoc.Value // the list as the twin holds it
	usual := []string{regex.SetName(d.App.NameIn(root, v))}
	if d.Twin != nil {
		old := variant(d.Twin)
		have, _ := d.App.RegexIn(d.Twin.Raw.Root, old, dial)
		if regex.SameSets(have, sets) {
			return nil
		}
		was = d.Twin.Raw.Root.At(old.RegexPath()...)
		usual = append(usual, regex.SetName(d.App.NameIn(d.Twin.Raw.Root, old)))
	}
	var list, record *jsondoc.Value
	if len(sets) > 0 {
		var err error
		list, record, err = dial.List(sets, usual, func(set int, p, after, why string) {
			d.Near = append(d.Near, formats.Near{Piece: first + set, Path: p, After: after, Why: why})
		})
		if err != nil {
			return err
		}
	} else if k := root.At(path...).Kind(); k != jsondoc.KindArray || root.At(path...).Len() == 0 {
		return nil // nothing that was a script
	}
	regex.Put(root, path, list, record)
	if d.Second == nil {
		return nil
	}
	sv, _ := Classify(d.Second.Root)
	if now := d.Second.Root.At(sv.RegexPath()...); was != nil && !jsondoc.Equal(now, was) {
		if now != nil {
			d.Warnings = append(d.Warnings, "the two card chunks of this PNG hold different regex scripts; the edit goes into the one that counts, the other stays as it is")
		}
		return nil
	}
	if list != nil {
		list = list.Clone()
	}
	if record != nil {
		record = record.Clone()
	}
	regex.Put(d.Second.Root, sv.RegexPath(), list, record)
	return nil
}

// badScripts lists what stands in the place of scripts and is no list. What is no script in a list is told of by the
// codec, which knows the shape.
func badScripts(root *jsondoc.Value, v Variant) []string {
	switch x := root.At(v.RegexPath()...); x.Kind() {
	case jsondoc.KindArray, jsondoc.KindAbsent, jsondoc.KindNull:
		return nil
	default:
		return []string{strings.Join(v.RegexPath(), ".")}
	}
}
