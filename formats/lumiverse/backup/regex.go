package backup

import (
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/jsondoc"
)

const scriptTable = "regex_scripts"

// scriptColumns are those of a script in the app's export file, in its order.
var scriptColumns = []column{
	{"name", text}, {"script_id", text}, {"find_regex", text}, {"replace_string", text}, {"actions", list}, {"flags", text},
	{"placement", list}, {"scope", text}, {"scope_id", plain}, {"target", list}, {"min_depth", plain}, {"max_depth", plain},
	{"trim_strings", list}, {"run_on_edit", flag}, {"substitute_macros", text}, {"disabled", flag}, {"sort_order", plain},
	{"description", text}, {"folder", text}, {"metadata", object},
}

// checkScript refuses a script of which too little is left, or that would reach further than before.
func (r *row) checkScript() error {
	if n, _ := r.v.Get("name").Text(); strings.TrimSpace(n) == "" {
		return fault.New(fault.Damaged, "name", "the script has no name")
	}
	if _, ok := r.v.Get("find_regex").Text(); !ok {
		return fault.New(fault.Damaged, "find_regex", "the script has no pattern")
	}
	if _, err := r.json("placement", jsondoc.KindArray); err != nil {
		return err
	}
	return r.listTarget()
}

// listTarget makes a list of the target column, which old rows have as a bare word.
func (r *row) listTarget() error {
	s, ok := r.v.Get("target").Text()
	if !ok {
		return nil
	}
	switch t := strings.Trim(s, "\" "); t {
	case "prompt", "response", "display":
		r.v.Set("target", jsondoc.Array(jsondoc.String(t)))
		return nil
	}
	_, err := r.json("target", jsondoc.KindArray)
	return err
}

// scriptOwner is whose script it is. No scope is ever widened: what cannot be placed is an error.
func (r *row) scriptOwner() (owner, error) {
	id := func(col string) string {
		s, _ := r.v.Get(col).Text()
		return strings.TrimSpace(s)
	}
	scope, ok := r.v.Get("scope").Text()
	if !ok {
		return owner{}, fault.New(fault.Damaged, "scope", "the script states no scope, so nobody knows where it applies")
	}
	switch scope {
	case "global":
		if p := id("preset_id"); p != "" {
			return owner{canonical.KindPreset, p}, nil
		}
		if p := r.v.Get("preset_id"); p != nil && !p.IsNull() && p.Kind() != jsondoc.KindString {
			return owner{}, fault.New(fault.Damaged, "preset_id", "the script belongs to a preset, but which one cannot be read")
		}
		return owner{}, nil
	case "account":
		return owner{}, nil
	case "character", "preset":
		s := id("scope_id")
		if s == "" {
			return owner{}, fault.New(fault.Damaged, "scope_id", "the script applies to one %s, but its scope_id does not say which", scope)
		}
		return owner{canonical.Kind(scope), s}, nil
	case "chat":
		return owner{}, fault.New(fault.WrongKind, "scope", "the script applies to one chat, and chats are not imported")
	}
	return owner{}, fault.New(fault.Damaged, "scope", "the script has the scope %q, which nobody knows", formats.Shown(scope))
}

// script is the object of a script as the app exports it, and what of the row has no place there.
func (a *archive) script(r *row, o owner) (v, left *jsondoc.Value) {
	r.listTarget()
	v = jsondoc.Object()
	r.into(v, scriptColumns)
	preset, _ := r.v.Get("preset_id").Text()
	switch {
	case o.kind == canonical.KindPreset && o.id != a.active:
		if on, ok := a.wanted[o.id]; ok {
			v.Set("disabled", jsondoc.Bool(!on[r.id]))
		}
	case o.kind == canonical.KindCharacter && strings.TrimSpace(preset) != "":
		if off, _ := v.Get("disabled").Bool(); !off {
			v.Set("disabled", jsondoc.Bool(true))
			r.warn("the script applies to one character while one preset is active; no file says both, so it is imported switched off")
		}
	}
	m := v.Get("metadata")
	left = r.leftover()
	if p := m.Get("regex_performance"); p != nil { // local timing
		left.Set("metadata.regex_performance", p)
		m.Delete("regex_performance")
	}
	return v, left
}

// scriptList are the scripts of an owner, by sort order.
func (a *archive) scriptList(o owner, fits func(r *row) bool) (scripts, left []*jsondoc.Value) {
	type one struct {
		v, left *jsondoc.Value
		order   float64
	}
	var all []one
	for _, at := range a.scripts[o] {
		r, err := a.again(scriptTable, at)
		if err != nil {
			a.fail(scriptTable, at.n, "", err)
			continue
		}
		if fits != nil && !fits(r) {
			continue
		}
		v, l := a.script(r, o)
		f, _ := r.v.Get("sort_order").Float()
		all = append(all, one{v, l, f})
	}
	slices.SortStableFunc(all, func(x, y one) int {
		switch {
		case x.order < y.order:
			return -1
		case x.order > y.order:
			return 1
		}
		return 0
	})
	for _, x := range all {
		scripts, left = append(scripts, x.v), append(left, x.left)
	}
	return scripts, left
}

// scriptsInto puts the scripts of an owner into the object that the app exports with it.
func (a *archive) scriptsInto(v *jsondoc.Value, o owner, key string) {
	list, _ := a.scriptList(o, nil)
	if len(list) == 0 {
		return
	}
	for _, s := range list {
		if o.kind == canonical.KindCharacter { // as in a .charx: the character is the one beside it
			s.Set("scope", jsondoc.String("character"))
			s.Set("scope_id", jsondoc.Null())
		} else {
			s.Set("scope", jsondoc.String("global"))
			s.Set("scope_id", jsondoc.Null())
		}
	}
	v.Set(key, jsondoc.Array(list...))
}

// ownScripts links the scripts of a character or a preset, which come as a piece of their own later.
func (a *archive) ownScripts(codec formats.Codec, p *formats.BackupPiece, o owner, refs *[]string) error {
	if len(a.scripts[o]) == 0 {
		return nil
	}
	ref := &canonical.PieceRef{Kind: p.Entity.Kind, ID: p.Entity.ID}
	a.owners[o] = ref
	x, ok := codec.(formats.RegexExtractor)
	if !ok {
		return nil
	}
	sets, _, err := x.ExtractRegex(p.Entity)
	if err != nil {
		return err
	}
	*refs = nil
	for _, s := range sets {
		s.ID = a.uniqueID(canonical.KindRegex, s.ID)
		*refs = append(*refs, s.ID)
		a.setIDs[o] = append(a.setIDs[o], s.ID)
	}
	if len(sets) > 0 {
		a.setNames[o] = sets[0].Body.(*canonical.RegexSet).Name
	}
	p.Regex = sets
	return nil
}

func mimeOf(b *canonical.Blob, file string) string {
	return blob.Mime(b, file[strings.LastIndexByte(file, '.')+1:])
}

// regex yields every regex set: those of the account by folder, then those of characters and presets.
func (a *archive) regex(yield func(*formats.BackupPiece) bool) bool {
	codec := a.codecs[canonical.KindRegex]
	if codec == nil {
		return a.notYet(scriptTable, "regex scripts")
	}
	for _, o := range a.scriptOwners {
		if o.kind == "" {
			if !a.accountSets(codec, yield) {
				return false
			}
			continue
		}
		if !a.ownedSet(codec, o, yield) {
			return false
		}
	}
	return true
}

// accountSets yields one set for each folder of scripts that apply everywhere.
func (a *archive) accountSets(codec formats.Codec, yield func(*formats.BackupPiece) bool) bool {
	var folders []string
	for _, at := range a.scripts[owner{}] {
		r, err := a.again(scriptTable, at)
		if err != nil {
			continue
		}
		if f := folder(r); !slices.Contains(folders, f) {
			folders = append(folders, f)
		}
	}
	for _, f := range folders {
		list, left := a.scriptList(owner{}, func(r *row) bool { return folder(r) == f })
		name := f
		if name == "" {
			name = "Regex scripts"
		}
		if !a.yieldSet(codec, list, left, name, "", nil, "", yield) {
			return false
		}
	}
	return true
}

func folder(r *row) string {
	s, _ := r.v.Get("folder").Text()
	return s
}

// ownedSet yields the scripts of a character or a preset, also of one that is not in the archive.
func (a *archive) ownedSet(codec formats.Codec, o owner, yield func(*formats.BackupPiece) bool) bool {
	list, left := a.scriptList(o, nil)
	ref := a.owners[o]
	name := a.setNames[o]
	if ref == nil {
		name = "Regex scripts of the " + string(o.kind) + " " + o.id
		for _, at := range a.scripts[o] {
			r, err := a.again(scriptTable, at)
			if err != nil {
				continue
			}
			field := "scope_id"
			if s, _ := r.v.Get("scope").Text(); s == "global" {
				field = "preset_id"
			}
			r.unresolved(field, o.id)
		}
		// Without what they belong to, scripts that are on would apply everywhere in an app that knows no such bond.
		for _, v := range list {
			v.Set("disabled", jsondoc.Bool(true))
		}
		a.warn("table %s: %s of the %s %s, which is not in the archive, are imported switched off", scriptTable, fault.Amount(int64(len(list)), "scripts"), o.kind, formats.Shown(o.id))
	} else if name == "" {
		name = ref.ID
	}
	id := ""
	if l := a.setIDs[o]; len(l) > 0 {
		id = l[0]
	}
	return a.yieldSet(codec, list, left, name, id, ref, o.id, yield)
}

// yieldSet reads scripts as the app's export file.
func (a *archive) yieldSet(codec formats.Codec, list, left []*jsondoc.Value, name, id string, ref *canonical.PieceRef, rowID string, yield func(*formats.BackupPiece) bool) bool {
	if len(list) == 0 {
		return true
	}
	r := &row{a: a, table: scriptTable, id: rowID, v: jsondoc.Object(), used: map[string]bool{}, left: jsondoc.Object()}
	r.v.Set("name", jsondoc.String(name))
	return a.guard(r, func(r *row) error {
		v := jsondoc.Object()
		v.Set("version", jsondoc.Int(1))
		v.Set("type", jsondoc.String("lumiverse_regex_scripts"))
		v.Set("scripts", jsondoc.Array(list...))
		v.Set("exported_at", jsondoc.Int(0))
		e, err := a.decode(codec, r, v)
		if err != nil {
			return err
		}
		b := e.Body.(*canonical.RegexSet)
		b.Name = name
		if id == "" {
			id = a.uniqueID(canonical.KindRegex, canonical.Slug(name))
		}
		e.ID = id
		some := slices.ContainsFunc(left, func(l *jsondoc.Value) bool { return l.Len() > 0 })
		if some {
			escrow(e, scriptTable, jsondoc.Array(left...))
		}
		a.report.Imported.RegexSets++
		a.report.Imported.RegexRules += int64(len(b.Rules))
		p := a.piece(codec, e, r)
		p.Owner = ref
		if !yield(p) {
			return errStop
		}
		return nil
	}) != errStop
}
