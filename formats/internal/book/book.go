package book

import (
	"fmt"
	"strconv"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

type lorebook = canonical.Lorebook

func (d *Dialect) buildBook() fieldmap.Map[lorebook] {
	if d.isRisu() {
		return d.buildRisuBook()
	}
	p := func(r fieldmap.Row[lorebook]) fieldmap.Row[lorebook] {
		switch {
		case r.Path == "description" && d.Name == "lumiverse":
			return r
		case d == Tavern:
			return r.Parked(stIgnoresBook)
		}
		return r.Parked("the app keeps this with its own settings, not with a book; the file keeps the value")
	}
	return fieldmap.Map[lorebook]{
		fieldmap.New("name", fieldmap.Plain(func(b *lorebook) *string { return &b.Name }), fieldmap.At("name", fieldmap.Text())),
		p(fieldmap.New("description", fieldmap.Ptr(func(b *lorebook) **string { return &b.Description }), fieldmap.At("description", fieldmap.Text()))),
		p(fieldmap.New("globalScanDepth", fieldmap.Ptr(func(b *lorebook) **float64 { return &b.GlobalScanDepth }), fieldmap.At("scan_depth", fieldmap.Number()), fieldmap.At("scanDepth", fieldmap.Number()))),
		p(fieldmap.New("tokenBudget", fieldmap.Ptr(func(b *lorebook) **float64 { return &b.TokenBudget }), fieldmap.At("token_budget", fieldmap.Number()), fieldmap.At("tokenBudget", fieldmap.Number()))),
		p(fieldmap.New("globalRecursion", fieldmap.Ptr(func(b *lorebook) **bool { return &b.GlobalRecursion }), fieldmap.At("recursive_scanning", fieldmap.Bool()), fieldmap.At("recursiveScanning", fieldmap.Bool()))),
	}
}

// Decode reads a book object: the value of character_book, or the root of a file. Entries may be a list or an object
// keyed by uid. Where is the JSON path of the book, for messages.
func (d *Dialect) Decode(v *jsondoc.Value, where string, warn func(string)) (*lorebook, error) {
	if v.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, where, "a lorebook must be an object, and this is %s", v.Kind().String())
	}
	b := &lorebook{Entries: []*entry{}}
	d.BookRows().Read(v, b, func(path, what string) { warn(join(where, path) + " " + what) })
	if d.isRisu() && v.Get("entries").Kind() == jsondoc.KindArray {
		l := d.decodeRisu(v.Get("entries"), join(where, "entries"), warn)
		b.Entries, b.Categories = l.entries, l.folders
		return b, nil
	}
	entries, _ := d.decodeEntries(v, where, warn)
	b.Entries = entries
	return b, nil
}

func join(where, path string) string {
	if where == "" {
		return path
	}
	return where + "." + path
}

// decodeEntries returns the entries with the wire values that they came from.
func (d *Dialect) decodeEntries(v *jsondoc.Value, where string, warn func(string)) (out []*entry, vals []*jsondoc.Value) {
	out = []*entry{}
	list := v.Get("entries")
	rows := d.Rows()
	var ids canonical.IDs
	add := func(key, path string, e *jsondoc.Value) {
		if e.Kind() != jsondoc.KindObject {
			if !e.IsNull() {
				warn(path + " is " + e.Kind().String() + " and no lorebook entry; it is kept for the way back to the same app only")
			}
			return
		}
		c := &entry{}
		rows.Read(e, c, func(p, what string) { warn(path + "." + p + " " + what) })
		c.ID = key
		for _, n := range []string{"id", "uid"} {
			if x := e.Get(n); x != nil && !x.IsNull() {
				if s, ok := x.Text(); ok && s != "" {
					c.ID = s
					break
				}
				if s, ok := x.Num(); ok {
					c.ID = s
					break
				}
			}
		}
		c.ID = ids.Unique(c.ID)
		if blankKeys(c) {
			warn(path + " has a blank key; a blank key never fires, and it is not carried to another app")
		}
		out = append(out, c)
		vals = append(vals, e)
	}
	switch list.Kind() {
	case jsondoc.KindArray:
		for i, e := range list.Elems() {
			add(strconv.Itoa(i), fmt.Sprintf("%s[%d]", join(where, "entries"), i), e)
		}
	case jsondoc.KindObject:
		for k, e := range list.Members() {
			add(k, join(where, "entries")+"."+k, e)
		}
	case jsondoc.KindAbsent, jsondoc.KindNull:
	default:
		warn(join(where, "entries") + " is " + list.Kind().String() + " where a list of entries is expected; it is kept for the way back to the same app only")
	}
	return out, vals
}

func blankKeys(e *entry) bool {
	for _, t := range e.Triggers {
		if !isWord(t.Keyword) {
			return true
		}
	}
	return false
}

// Encode writes book over twin, the document that it came from in this dialect (a clone, edited in place), or as a new
// object when twin is nil. From is where it came from otherwise. Near receives what the app holds only roughly.
func (d *Dialect) Encode(b *lorebook, twin *jsondoc.Value, from *Source, near fieldmap.Near) *jsondoc.Value {
	fresh := twin.Kind() != jsondoc.KindObject
	if fresh {
		twin = d.newBook()
	}
	if fresh {
		d.BookRows().Fill(twin, b, nil, near)
		from.carryBook(d, twin)
	} else {
		was := &lorebook{}
		d.BookRows().Read(twin, was, nil)
		d.BookRows().Overlay(twin, b, was, nil, near)
	}
	d.encodeEntries(b, twin, fresh, from, near)
	if fresh && d == RisuBook && near != nil {
		risuSettings(b, near)
	}
	return twin
}

func (d *Dialect) newBook() *jsondoc.Value {
	v := jsondoc.Object()
	if d == LumiverseWorldBook {
		v.Set("version", jsondoc.Int(1))
		v.Set("type", jsondoc.String("lumiverse_world_book"))
		v.Set("name", jsondoc.String(""))
		v.Set("description", jsondoc.String(""))
		v.Set("metadata", jsondoc.Object())
		v.Set("entries", jsondoc.Array())
		v.Set("exported_at", jsondoc.Int(0))
		return v
	}
	if d.object {
		v.Set("entries", jsondoc.Object())
		return v
	}
	v.Set("name", jsondoc.String(""))
	if d == Tavern || d == RisuBook {
		v.Set("extensions", jsondoc.Object())
	}
	v.Set("entries", jsondoc.Array())
	return v
}

func (d *Dialect) encodeEntries(b *lorebook, twin *jsondoc.Value, fresh bool, from *Source, near fieldmap.Near) {
	if d.isRisu() {
		b = from.outspoken(b)
		if twin.Get("entries").Kind() != jsondoc.KindArray {
			if !fresh && len(b.Entries)+len(b.Categories) == 0 {
				return // no list, and nothing to write
			}
			was, _ := d.decodeEntries(twin, "", func(string) {}) // an object of entries stays one while nobody edits it
			if same, err := canonical.Same(&lorebook{Entries: was}, &lorebook{Entries: b.Entries}); !fresh && err == nil && same && len(b.Categories) == 0 {
				return
			}
			twin.Set("entries", jsondoc.Array())
		}
		d.encodeRisu(b, twin.Get("entries"), fresh, near)
		return
	}
	was, vals := d.decodeEntries(twin, "", func(string) {})
	at := map[string]int{}
	for i, e := range was {
		at[e.ID] = i
	}
	ids := newIDs(b.Entries, at, vals, twin.Get("entries"))
	rows := d.Rows()
	same := len(was) == len(b.Entries)
	out := make([]*jsondoc.Value, len(b.Entries))
	for i, e := range b.Entries {
		roughly := func(path, after, why string) {
			if near != nil {
				near(fmt.Sprintf("entries[%d].%s", i, path), after, why)
			}
		}
		if j, ok := at[e.ID]; ok {
			same = same && j == i
			rows.Overlay(vals[j], e, was[j], nil, roughly)
			out[i] = vals[j]
			continue
		}
		same = false
		out[i] = d.newEntry(ids[i], i)
		d.fill(out[i], e, from, roughly)
	}
	if same && !fresh {
		return
	}
	list := twin.Get("entries")
	if list.Kind() == jsondoc.KindObject || (list == nil && d.object) {
		obj := jsondoc.Object()
		for i, v := range out {
			key := ids[i]
			if j, ok := at[b.Entries[i].ID]; ok {
				key = keyOf(list, vals[j], key)
			}
			obj.Set(key, v)
		}
		twin.Set("entries", obj)
		return
	}
	if list.Kind() != jsondoc.KindArray {
		list = jsondoc.Array()
		twin.Set("entries", list)
		list = twin.Get("entries")
	}
	// What is no entry (a null, a text) stays while the entries keep their order, and goes when the list is rebuilt.
	list.SetElems(out)
}

func keyOf(obj, v *jsondoc.Value, def string) string {
	for k, m := range obj.Members() {
		if m == v {
			return k
		}
	}
	return def
}

// withoutBlankKeys is the entry as another app gets it: blank keys would fire always there.
func withoutBlankKeys(e *entry) *entry {
	if !blankKeys(e) {
		return e
	}
	c := *e
	c.Triggers = []canonical.Trigger{}
	for _, t := range e.Triggers {
		if isWord(t.Keyword) {
			c.Triggers = append(c.Triggers, t)
		}
	}
	return &c
}

// newIDs gives each entry a whole number that no other has: its own when it is one, else its place, bumped until free.
// Entries that are in the twin keep what they have.
func newIDs(entries []*entry, at map[string]int, vals []*jsondoc.Value, list *jsondoc.Value) []string {
	taken := map[int64]bool{}
	take := func(s string) {
		if k, err := strconv.ParseInt(s, 10, 64); err == nil {
			taken[k] = true
		}
	}
	for _, v := range vals {
		for _, n := range []string{"id", "uid"} {
			if k, ok := v.Get(n).Int(); ok {
				taken[k] = true
			} else if s, ok := v.Get(n).Text(); ok {
				take(s)
			}
		}
	}
	for id := range at {
		take(id)
	}
	for k := range list.Members() {
		take(k)
	}
	out := make([]string, len(entries))
	var wait []int
	for i, e := range entries {
		out[i] = e.ID
		if _, ok := at[e.ID]; ok {
			continue
		}
		if k, err := strconv.ParseInt(e.ID, 10, 32); err == nil && k >= 0 && !taken[k] {
			taken[k] = true
			out[i] = strconv.FormatInt(k, 10)
			continue
		}
		wait = append(wait, i)
	}
	free := int64(0) // everything between a place that was asked for and here is taken
	for _, i := range wait {
		k := max(int64(i), free)
		for taken[k] {
			k++
		}
		taken[k] = true
		free = k + 1
		out[i] = strconv.FormatInt(k, 10)
	}
	return out
}

// newEntry is an entry that says nothing yet, with the members that the app demands.
func (d *Dialect) newEntry(id string, index int) *jsondoc.Value {
	v := jsondoc.Object()
	num := jsondoc.NumberText(id)
	text := func(names ...string) {
		for _, n := range names {
			v.Set(n, jsondoc.String(""))
		}
	}
	list := func(names ...string) {
		for _, n := range names {
			v.Set(n, jsondoc.Array())
		}
	}
	switch {
	case d.object: // SillyTavern fills what is missing from its template only when its editor opens the book
		v.Set("uid", num)
		list("key", "keysecondary")
		text("comment", "content")
		v.Set("constant", jsondoc.Bool(false))
		v.Set("selective", jsondoc.Bool(true))
		v.Set("order", jsondoc.Int(100))
		v.Set("position", jsondoc.Int(0))
		v.Set("disable", jsondoc.Bool(false))
	case d.File:
		v.Set("uid", jsondoc.String("bunzai-"+id))
		list("key", "keysecondary")
		text("content", "comment")
		v.Set("order_value", jsondoc.Int(int64(index)))
		v.Set("disabled", jsondoc.Bool(false))
		v.Set("selective_logic", jsondoc.Int(2)) // any, as in other apps; without it Lumiverse takes all
		v.Set("use_regex", jsondoc.Bool(false))
		v.Set("extensions", jsondoc.Object())
	default:
		v.Set("id", num)
		list("keys", "secondary_keys")
		text("comment", "content")
		v.Set("enabled", jsondoc.Bool(true))
		v.Set("insertion_order", jsondoc.Int(100))
		v.Set("extensions", jsondoc.Object())
		if d.regexKey {
			// These three say that the numbers are Lumiverse's, see OfBook.
			v.Set("position", jsondoc.Int(0))
			x := v.Get("extensions")
			x.Set("selective_logic", jsondoc.Int(2))
			x.Set("uid", jsondoc.String("bunzai-"+id))
			x.Set("use_regex", jsondoc.Bool(false))
		} else {
			v.Set("use_regex", jsondoc.Bool(false))
		}
	}
	return v
}

// UnmappedIn lists what a file or book holds that has no canonical home, entries together: "entries[].mode".
func (d *Dialect) UnmappedIn(v *jsondoc.Value) []string {
	t := d.tables()
	out := t.all.Unmapped(v)
	for _, key := range []string{mergedKey, othersKey} { // the record of a merge is ours; what the books' own settings hold is not
		for i, part := range v.At("extensions", key).Elems() {
			for _, p := range t.all.Unmapped(part.Get("settings")) {
				out = append(out, fmt.Sprintf("extensions.%s[%d].settings.%s", key, i, p))
			}
		}
	}
	seen := map[string]bool{}
	add := func(e *jsondoc.Value) {
		for _, p := range append(t.entryCovers.Unmapped(e), t.rows.Unsaid(e)...) {
			if !seen[p] {
				seen[p] = true
				out = append(out, "entries[]."+p)
			}
		}
	}
	switch list := v.Get("entries"); list.Kind() {
	case jsondoc.KindArray:
		if d.isRisu() {
			return append(out, d.UnmappedInList(list, "entries")...)
		}
		for _, e := range list.Elems() {
			add(e)
		}
	case jsondoc.KindObject:
		for _, e := range list.Members() {
			add(e)
		}
	}
	return out
}
