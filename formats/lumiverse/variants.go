package lumiverse

import (
	"fmt"
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/jsondoc"
)

// row is one variant with the rows that it was read from.
type row struct {
	variant *canonical.Variant
	texts   map[string]*jsondoc.Value // by field
	avatar  *slot
}

// altText is a field that may have alternates.
type altText struct {
	name string
	get  func(v *canonical.Variant) *string
	set  func(v *canonical.Variant, s string)
}

// texts are the fields that may have alternates, in the order of the app.
var texts = []altText{
	{"description", func(v *canonical.Variant) *string {
		if i := v.Overrides.Identity; i != nil {
			return i.Description
		}
		return nil
	}, func(v *canonical.Variant, s string) {
		v.Overrides.Identity = &canonical.VariantIdentity{Description: &s}
	}},
	{"personality", func(v *canonical.Variant) *string {
		if p := v.Overrides.Persona; p != nil {
			return p.Personality
		}
		return nil
	}, func(v *canonical.Variant, s string) { persona(v).Personality = &s }},
	{"scenario", func(v *canonical.Variant) *string {
		if p := v.Overrides.Persona; p != nil {
			return p.Scenario
		}
		return nil
	}, func(v *canonical.Variant, s string) { persona(v).Scenario = &s }},
}

func persona(v *canonical.Variant) *canonical.VariantPersona {
	if v.Overrides.Persona == nil {
		v.Overrides.Persona = &canonical.VariantPersona{}
	}
	return v.Overrides.Persona
}

// readVariants makes one variant of the rows that share a label. The first description, personality, scenario and
// avatar of a label go together, then the second ones, so that no row is lost.
func (n *native) readVariants(c *body, byPath map[string][]*canonical.Asset) {
	at := map[string]*row{}    // label and turn -> variant
	ids := map[*row][]string{} // ids that were joined
	parts := map[*row][]string{}
	turns := map[string]int{} // field and label -> how many came
	variant := func(field, label string, has bool, r *jsondoc.Value) *row {
		id, _ := r.Get("id").Text()
		key := field + "\x00" + id // rows without a label stand alone
		if has {
			turn := turns[field+"\x00"+label]
			turns[field+"\x00"+label]++
			key = fmt.Sprintf("%d\x00%s", turn, label)
		}
		x := at[key]
		if x == nil || !has {
			x = &row{variant: &canonical.Variant{ID: id}, texts: map[string]*jsondoc.Value{}}
			if has {
				x.variant.Label = &label
			}
			at[key] = x
			n.vars = append(n.vars, x)
		}
		ids[x] = append(ids[x], id)
		parts[x] = append(parts[x], field)
		return x
	}
	if f, _ := n.find("alternate_fields", jsondoc.KindObject); f != nil {
		for _, t := range texts {
			for _, r := range f.Get(t.name).Elems() {
				content, ok := r.Get("content").Text()
				if !ok {
					continue
				}
				l, has := r.Get("label").Text()
				x := variant(t.name, l, has, r)
				x.texts[t.name] = r
				t.set(x.variant, content)
			}
		}
	}
	for _, s := range n.slots {
		if s.kind != avatar || s.blob == nil {
			continue
		}
		l, has := s.obj.Get("label").Text()
		x := variant("avatar", l, has, s.obj)
		x.avatar = s
		p := &canonical.Asset{Role: canonical.RolePortrait}
		n.place(c, s, p, false)
		x.variant.Overrides.Media = &canonical.VariantMedia{Portrait: p}
		view := other(l)
		if l == "" {
			view = other(x.variant.ID)
		}
		switch {
		case n.claim(s, byPath, func(a *canonical.Asset, exact bool) bool { return a.Role == canonical.RoleOther }) != nil:
			n.pics[s.asset].copy = true
			s.asset = p
		case !n.listed:
			n.place(c, s, view, true)
			s.asset = p
		}
	}
	var names canonical.IDs
	for i, x := range n.vars {
		if x.variant.ID == "" {
			x.variant.ID = fmt.Sprintf("variant-%d", i+1)
		}
		x.variant.ID = names.Unique(x.variant.ID)
		c.Variants = append(c.Variants, x.variant)
		if l := ids[x]; len(l) > 1 && !allSame(l) {
			n.joined = append(n.joined, fmt.Sprintf("the alternate %s named %q are read as one variant; each goes back to its own row", strings.Join(parts[x], ", "), canonical.Or(x.variant.Label, "")))
		}
	}
}

func allSame(l []string) bool {
	for _, s := range l {
		if s != l[0] {
			return false
		}
	}
	return true
}

func sameVariants(a, b []*canonical.Variant) bool {
	same, err := canonical.Same(&body{Variants: a}, &body{Variants: b})
	return err == nil && same
}

// variants writes the rows of the variants over those that are there. Ref gives the reference of an avatar.
func (w *writer) variants() {
	was := make([]*canonical.Variant, len(w.n.vars))
	byID := map[string]*row{}
	for i, x := range w.n.vars {
		was[i] = x.variant
		byID[x.variant.ID] = x
	}
	now := w.body.Variants
	if len(now) == 0 && len(was) == 0 || !w.refsChanged && w.same && sameVariants(now, was) {
		return
	}
	inOrder, last := true, -1 // what is left stands as it stood, what is new comes after
	for _, v := range now {
		i := slices.IndexFunc(was, func(o *canonical.Variant) bool { return o.ID == v.ID })
		if i < 0 {
			i = len(was)
		}
		inOrder = inOrder && i >= last
		last = i
	}
	label := func(i int, v *canonical.Variant) *jsondoc.Value {
		return jsondoc.String(canonical.Or(v.Label, fmt.Sprintf("Variant %d", i+1)))
	}
	for _, t := range texts {
		var want []*jsondoc.Value
		for i, v := range now {
			text := t.get(v)
			if text == nil {
				continue
			}
			x := byID[v.ID]
			var r *jsondoc.Value
			if x != nil {
				r = x.texts[t.name]
			}
			if r == nil {
				r = jsondoc.Object()
				r.Set("id", jsondoc.String(w.rowID(i, v)))
				r.Set("label", label(i, v))
			} else if canonical.Or(x.variant.Label, "") != canonical.Or(v.Label, "") {
				r.Set("label", label(i, v))
			}
			r.Set("content", jsondoc.String(*text))
			want = append(want, r)
		}
		w.putRows("alternate_fields", t.name, want, inOrder, func(r *jsondoc.Value) bool { _, ok := r.Get("content").Text(); return ok })
	}
	var want []*jsondoc.Value
	for i, v := range now {
		m := v.Overrides.Media
		if m == nil || m.Portrait == nil || m.Portrait.Blob == nil {
			continue
		}
		x := byID[v.ID]
		var r *jsondoc.Value
		if x != nil && x.avatar != nil {
			r = x.avatar.obj
			if canonical.Or(x.variant.Label, "") != canonical.Or(v.Label, "") {
				r.Set("label", label(i, v))
			}
		} else {
			r = jsondoc.Object()
			r.Set("id", jsondoc.String(w.rowID(i, v)))
			r.Set("label", label(i, v))
		}
		if ref := w.avatars[v]; ref != "" {
			key := "path"
			if x != nil && x.avatar != nil {
				key = x.avatar.key
			}
			r.Set(key, jsondoc.String(ref))
		}
		want = append(want, r)
	}
	known := map[*jsondoc.Value]bool{}
	for _, s := range w.n.slots {
		known[s.obj] = s.kind == avatar && s.blob != nil
	}
	w.putRows("alternate_avatars", "", want, inOrder, func(r *jsondoc.Value) bool { return known[r] })
}

// rowID is the id of a new row; an avatar's id is a file name too, where main means the portrait.
func (w *writer) rowID(i int, v *canonical.Variant) string {
	switch {
	case v.ID == "":
		return fmt.Sprintf("variant-%d", i+1)
	case strings.EqualFold(cleaned(v.ID), "main"):
		return "variant-" + v.ID
	}
	return v.ID
}

// putRows makes want the rows of a list. Rows that could not be read stay; while the variants keep their order, rows
// keep theirs.
func (w *writer) putRows(key, field string, want []*jsondoc.Value, inOrder bool, readable func(r *jsondoc.Value) bool) {
	kind := jsondoc.KindArray
	if field != "" {
		kind = jsondoc.KindObject
	}
	holder, src := w.n.find(key, kind)
	list := holder
	if field != "" {
		list = holder.Get(field)
	}
	if list.Kind() != jsondoc.KindArray {
		if len(want) == 0 {
			return
		}
		if field == "" {
			w.holder(key).Set(key, jsondoc.Array(want...))
			return
		}
		if holder == nil {
			h := w.holder(key)
			h.Set(key, jsondoc.Object())
			holder = h.Get(key)
		}
		holder.Set(field, jsondoc.Array(want...))
		return
	}
	wanted := map[*jsondoc.Value]bool{}
	for _, r := range want {
		wanted[r] = true
	}
	var out []*jsondoc.Value
	have := map[*jsondoc.Value]bool{}
	for _, r := range list.Elems() {
		if !readable(r) || inOrder && wanted[r] {
			out = append(out, r)
			have[r] = true
		}
	}
	var fresh []*jsondoc.Value
	for _, r := range want {
		if !have[r] {
			fresh = append(fresh, r)
		}
	}
	if inOrder {
		out = append(out, fresh...)
	} else {
		out = append(fresh, out...)
	}
	list.SetElems(out)
	if len(out) > 0 {
		return
	}
	if field == "" {
		src.v.Delete(key)
		return
	}
	holder.Delete(field)
	if holder.Len() == 0 {
		src.v.Delete(key)
	}
}
