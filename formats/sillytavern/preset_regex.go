package sillytavern

import (
	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

// presetScripts is where SillyTavern keeps the regex scripts that are bound to a preset.
var presetScripts = []string{"extensions", "regex_scripts"}

func presetSets(root *jsondoc.Value, name string) ([]*canonical.Entity, []string) {
	return scripts.Sets(root.At(presetScripts...), root.At("extensions", regex.RecordKey), regex.SetName(name), "extensions.regex_scripts")
}

// ExtractRegex implements formats.RegexExtractor.
func (preset) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	o := e.Bucket(presetID)
	p, ok := e.Body.(*canonical.Preset)
	if o == nil || o.Raw == nil || !ok {
		return nil, nil, nil
	}
	obj, _ := presetIn(o.Raw.Root)
	sets, warnings := presetSets(obj, p.Name)
	return sets, warnings, nil
}

// RegexFields implements formats.RegexFielder.
func (preset) RegexFields() []formats.Field {
	const why = "SillyTavern shows the scripts of a preset under the preset's name; the file keeps it for the way back"
	return append([]formats.Field{{Path: "name", Wire: "extensions." + regex.RecordKey, Note: why}, {Path: "description", Wire: "extensions." + regex.RecordKey, Note: why}}, scripts.Fields()...)
}

// writeScripts applies the three-way contract: nil leaves the twin alone, none removes its scripts, one or more replace
// them. Twin is the file that the preset came from, nil for a new one.
func writeScripts(root, twin *jsondoc.Value, name string, sets []*canonical.Entity, out *formats.Encoded) error {
	if sets == nil {
		return nil
	}
	usual := []string{regex.SetName(name)}
	if twin != nil {
		was := name
		if s, ok := twin.Get("name").Text(); ok {
			was = s
		} else if len(sets) == 1 { // the file's name is the preset's, and the set was called after it
			if s, ok := sets[0].Body.(*canonical.RegexSet); ok && scripts.Twin(sets[0]) != nil && twin.At("extensions", regex.RecordKey) == nil {
				usual = append(usual, s.Name)
				was = ""
				if have, _ := presetSets(twin, ""); len(have) == 1 {
					have[0].Body.(*canonical.RegexSet).Name = s.Name
					if regex.SameSets(have, sets) {
						return nil
					}
				}
			}
		}
		if have, _ := presetSets(twin, was); regex.SameSets(have, sets) {
			return nil
		}
		usual = append(usual, regex.SetName(was))
	}
	var list, record *jsondoc.Value
	if len(sets) > 0 {
		var err error
		list, record, err = scripts.List(sets, usual, func(set int, p, after, why string) {
			out.Near = append(out.Near, formats.Near{Piece: 1 + set, Path: p, After: after, Why: why})
		})
		if err != nil {
			return err
		}
		out.Warnings = append(out.Warnings, foreignSets(sets)...)
	} else if v := root.At(presetScripts...); v.Kind() != jsondoc.KindArray || v.Len() == 0 {
		return nil
	}
	regex.Put(root, presetScripts, list, record)
	return nil
}
