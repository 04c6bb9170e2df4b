package book

import "bunzai/jsondoc"

// Follow brings a second copy of books up to date: v holds the entries of was one after the other, perhaps with other
// titles and ids, as an app merges them. Only what now differs from was is written, so that the copy keeps its own
// ways; from are the sources of now. It reports false, and changes nothing, where the copy does not fit.
func (d *Dialect) Follow(v *jsondoc.Value, was, now []*lorebook, from []*Source) bool {
	list := v.Get("entries")
	total := 0
	for _, b := range was {
		total += len(b.Entries)
	}
	if len(was) != len(now) || list.Kind() != jsondoc.KindArray || list.Len() != total {
		return false
	}
	var vals []*jsondoc.Value
	for _, e := range list.Elems() {
		if e.Kind() != jsondoc.KindObject {
			return false
		}
		vals = append(vals, e)
	}
	if len(was) == 1 {
		said := &lorebook{}
		d.BookRows().Read(v, said, nil)
		d.BookRows().OverlayEdited(v, now[0], was[0], said)
	}
	rows := d.Rows()
	var out []*jsondoc.Value
	first := 0
	for i, b := range now {
		at := map[string]int{}
		for j, e := range was[i].Entries {
			at[e.ID] = j
		}
		var fresh []*entry
		for _, e := range b.Entries {
			if _, ok := at[e.ID]; !ok {
				fresh = append(fresh, e)
			}
		}
		ids := newIDs(fresh, map[string]int{}, append(vals[:len(vals):len(vals)], out...), nil)
		for _, e := range b.Entries {
			j, ok := at[e.ID]
			if !ok {
				x := d.newEntry(ids[0], first+len(out))
				ids = ids[1:]
				d.fill(x, e, from[i], nil)
				out = append(out, x)
				continue
			}
			said := &entry{}
			rows.Read(vals[first+j], said, nil)
			rows.OverlayEdited(vals[first+j], e, was[i].Entries[j], said)
			out = append(out, vals[first+j])
		}
		first += len(was[i].Entries)
	}
	list.SetElems(out)
	return true
}
