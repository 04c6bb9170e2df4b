package risu

import (
	"bunzai/canonical"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/formats/risu/risum"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// modulePath is the entry of an archive that holds the module of the card: its entries, scripts and triggers count
// instead of the card's own (processzip.ts, characterCards.ts).
const modulePath = "module.risum"

// module is the module of a card.
type module struct {
	file *risum.File
	obj  *jsondoc.Value // the object with its members
}

// moduleIn opens the module among the files of an archive. Without one both results are nil.
func moduleIn(files []canonical.File, lim limits.Limits) (*module, error) {
	for _, f := range files {
		if tavern.CleanEntryPath(f.Path) != modulePath {
			continue
		}
		raw, err := f.Blob.Raw()
		if err != nil {
			return nil, err
		}
		m, err := risum.Open(raw, lim)
		if err != nil {
			return nil, err
		}
		obj, _ := risum.Module(m.Doc.Root)
		return &module{m, obj}, nil
	}
	return nil, nil
}

// readable marks, in the escrow of a card, a module that was read: it counts on the way back too.
const readable = "module"

// moduleOf is the module of a card's escrow; nil when there is none that was read.
func moduleOf(e *canonical.Escrow) *module {
	if e == nil {
		return nil
	}
	if on, _ := e.Unmapped.Get(readable).Bool(); !on {
		return nil
	}
	m, err := moduleIn(e.Files, limits.Large()) // it passed the limits of whoever read it
	if err != nil {
		return nil
	}
	return m
}

// list is a list of the module that counts instead of the card's; nil where the module does not speak of it.
func (m *module) list(name string) *jsondoc.Value {
	if m == nil {
		return nil
	}
	if v := m.obj.Get(name); v.Kind() == jsondoc.KindArray {
		return v
	}
	return nil
}

// lore is the module's lorebook where it counts: an empty one wipes the card's in the app, a known fault.
func (m *module) lore() *jsondoc.Value {
	if v := m.list("lorebook"); v.Len() > 0 {
		return v
	}
	return nil
}

// readModule takes the triggers out of the module, as the app does.
func readModule(s *tavern.Source, c *body) {
	m, err := moduleIn(s.Res.Files, s.Res.Limits)
	if err != nil {
		s.Warn("", "the module of the archive ("+modulePath+") cannot be read: "+err.Error()+". It is kept for the way back to Risu; what the card itself says counts")
		return
	}
	if m == nil {
		return
	}
	for _, w := range m.file.Warnings {
		s.Warn("", modulePath+": "+w)
	}
	v := m.list("trigger")
	if v == nil {
		return
	}
	ts, odd := triggers().Read(v)
	if odd != "" {
		s.Warn("", modulePath+": trigger "+odd)
	}
	acc := list(behavior, func(g *canonical.Behavior) *[]canonical.CardTrigger { return &g.TriggerScripts }, sameTrigger)
	if len(*ts) > 0 || v.Len() > 0 {
		acc.Set(c, *ts)
	} else {
		acc.Clear(c)
	}
}

// overruled lists places of the card that the module overrules with something else, and what of the module has no
// canonical home.
func (m *module) overruled(root *jsondoc.Value, v tavern.Variant) (out []string) {
	if m == nil {
		return nil
	}
	for _, x := range [][2]string{{"trigger", "triggerscript"}, {"regex", "customScripts"}} {
		key := x[1]
		own := extensions(root, v).At("risuai", key)
		if l := m.list(x[0]); l != nil && !fieldmap.Blank(own) && !jsondoc.Equal(l, own) {
			out = append(out, v.Prefix()+"extensions.risuai."+key)
		}
	}
	return out
}

// moduleCovers are the members of a module that are read, or that say nothing of their own.
var moduleCovers = map[string]bool{"name": true, "description": true, "id": true, "lorebook": true, "regex": true, "trigger": true, "type": true}

func (m *module) unmapped() (out []string) {
	if m == nil {
		return nil
	}
	for k, v := range m.obj.Members() {
		if !moduleCovers[k] && !fieldmap.Blank(v) && !isFalse(v) {
			out = append(out, modulePath+"."+k)
		}
	}
	if v := m.list("trigger"); v != nil {
		wrap := jsondoc.Object()
		wrap.Set("trigger", v.Clone())
		for _, p := range oddTriggers("trigger")(wrap) {
			out = append(out, modulePath+"."+p)
		}
	}
	if l := m.lore(); l != nil {
		out = append(out, book.RisuLore.UnmappedInList(l, modulePath+".lorebook")...)
	}
	return out
}

func isFalse(v *jsondoc.Value) bool { b, ok := v.Bool(); return ok && !b }

// writeModule writes into the module what was edited of the triggers, the lorebook and the scripts; a nil list is left
// alone. The card was written before, so that both say the same.
func writeModule(d *tavern.Draft, m *module, c *body, lore, scripts *edit) error {
	acc := list(behavior, func(g *canonical.Behavior) *[]canonical.CardTrigger { return &g.TriggerScripts }, sameTrigger)
	now, _ := acc.Get(c)
	was, _ := acc.Get(d.Was)
	changed := false
	if !acc.Same(now, was) && m.list("trigger") != nil {
		m.obj.Set("trigger", triggers().Write(now, m.obj.Get("trigger")))
		changed = true
		if card := extensions(d.Twin.Raw.Root, tavern.VariantOf(d.Twin)); !card.Get("risuai").Has("triggerscript") {
			extensions(d.Doc.Root, d.Variant).Get("risuai").Delete("triggerscript") // the module says it, as it did
		}
	}
	for _, e := range []*edit{lore, scripts} {
		if e == nil {
			continue
		}
		changed = true
		m.obj.Set(e.name, e.list)
		if e.record != nil {
			m.obj.Set(e.recordKey, e.record)
		} else {
			m.obj.Delete(e.recordKey)
		}
	}
	if !changed {
		return nil
	}
	data, err := m.file.Write()
	if err != nil {
		return err
	}
	d.Assets = append(d.Assets, tavern.FileOut{Path: modulePath, Blob: canonical.RawBlob(data, "")})
	return nil
}

// edit is a list of a module that was edited, and what is recorded beside it.
type edit struct {
	name, recordKey string
	list, record    *jsondoc.Value
}

// unpackCard writes what only the module said into a card without an archive, where no module can lie.
func unpackCard(d *tavern.Draft, m *module, c *body) {
	if m.list("trigger") == nil {
		return
	}
	var rows fieldmap.Map[body]
	for _, r := range own(d.Variant) {
		if r.Path == "behavior.triggerScripts" {
			rows = append(rows, r)
		}
	}
	now := &body{}
	rows.Read(d.Doc.Root, now, nil)
	rows.Overlay(d.Doc.Root, c, now, nil, nil)
}
