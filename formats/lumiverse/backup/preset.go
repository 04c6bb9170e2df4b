package backup

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
)

const presetTable = "presets"

// presets yields every preset.
func (a *archive) presets(yield func(*formats.BackupPiece) bool) bool {
	codec := a.codecs[canonical.KindPreset]
	if codec == nil {
		return a.notYet(presetTable, "presets")
	}
	return a.rows(presetTable, func(r *row) error {
		if err := r.needID(); err != nil {
			return err
		}
		v, left, err := r.loom()
		if err != nil {
			return err
		}
		o := owner{canonical.KindPreset, r.id}
		ext := jsondoc.Object()
		if a.scriptsInto(ext, o, "regex_scripts"); ext.Len() > 0 {
			v.Set("extensions", ext)
		}
		e, err := a.decode(codec, r, v)
		if err != nil {
			return err
		}
		e.ID = a.uniqueID(e.Kind, e.ID)
		p := a.piece(codec, e, r)
		if err := a.ownScripts(codec, p, o, &e.Body.(*canonical.Preset).BehaviorRefs); err != nil {
			return err
		}
		l := r.leftover()
		for k, m := range left.Members() {
			l.Set(k, m)
		}
		escrow(e, presetTable, l)
		a.report.Imported.Presets++
		if !yield(p) {
			return errStop
		}
		return nil
	})
}

// loom is the preset object that the app exports, from its row: blocks are the column prompt_order, the rest lies in
// parameters, prompts and metadata. Left is what of those has no place in it.
func (r *row) loom() (v, left *jsondoc.Value, err error) {
	blocks, err := r.json("prompt_order", jsondoc.KindArray)
	if err != nil {
		return nil, nil, err
	}
	if blocks == nil {
		return nil, nil, fault.New(fault.Damaged, "prompt_order", "the preset has no blocks")
	}
	left = jsondoc.Object()
	meta, params, prompts := r.soft("metadata", jsondoc.KindObject).Clone(), r.soft("parameters", jsondoc.KindObject).Clone(), r.soft("prompts", jsondoc.KindObject).Clone()
	take := func(from *jsondoc.Value, name string) *jsondoc.Value {
		m := from.Get(name)
		if m != nil {
			from.Delete(name)
		}
		return m
	}
	v = jsondoc.Object()
	v.Set("id", r.plain("id"))
	name, _ := r.text("name")
	v.Set("name", jsondoc.String(name))
	put := func(name string, m *jsondoc.Value) {
		if m != nil {
			v.Set(name, m)
		}
	}
	put("description", take(meta, "description"))
	cover := take(meta, "coverUrl")
	if old := take(meta, "cover_url"); cover == nil {
		cover = old
	}
	put("coverUrl", cover)
	put("presetVersion", take(meta, "_lumiverse_preset_version"))
	hub := jsondoc.Object()
	for k, m := range meta.Members() {
		if strings.HasPrefix(k, "_lumiverse_") {
			hub.Set(k, m)
		}
	}
	for k := range hub.Members() {
		meta.Delete(k)
	}
	schema, source, isDefault := take(meta, "schemaVersion"), take(meta, "source"), take(meta, "isDefault")
	profiles, last, vars := take(meta, "modelProfiles"), take(meta, "lastProfileKey"), take(meta, "promptVariables")
	if hub.Len() > 0 {
		put("lumihubMeta", hub)
	}
	if meta.Len() > 0 {
		put("passthroughMetadata", meta)
	}
	if schema == nil {
		schema = jsondoc.Int(1)
	}
	put("schemaVersion", schema)
	put("createdAt", r.plain("created_at"))
	put("updatedAt", r.plain("updated_at"))
	put("cacheRevision", r.plain("cache_revision"))
	put("blocks", blocks)
	put("source", source)
	put("isDefault", isDefault)
	put("samplerOverrides", take(params, "samplerOverrides"))
	put("customBody", take(params, "customBody"))
	put("promptBehavior", take(prompts, "promptBehavior"))
	put("completionSettings", take(prompts, "completionSettings"))
	put("advancedSettings", take(prompts, "advancedSettings"))
	put("modelProfiles", profiles)
	put("lastProfileKey", last)
	put("promptVariables", vars)
	if params.Len() > 0 {
		left.Set("parameters", params)
	}
	if prompts.Len() > 0 {
		left.Set("prompts", prompts)
	}
	return v, left, nil
}
