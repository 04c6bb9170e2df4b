package book

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// folderMark begins the key of a folder; members name the whole key. Without the private-use character it is met in
// files of other tools.
const (
	folderMark  = "\uf000folder:"
	folderPlain = "folder:"
)

type category = canonical.Category

// folderID is the id in a folder's key or in a member's reference to it.
func folderID(key string) string {
	if id, ok := strings.CutPrefix(key, folderMark); ok {
		return id
	}
	return strings.TrimPrefix(key, folderPlain)
}

// isFolder knows a folder by its key, whatever its mode says, and by its mode.
func isFolder(row *jsondoc.Value) bool {
	if mode, _ := row.Get("mode").Text(); mode == "folder" {
		return true
	}
	return strings.HasPrefix(folderKey(row), folderMark)
}

// folderKey is the first key of a row: a text, or the first of a list.
func folderKey(row *jsondoc.Value) string {
	for _, n := range []string{"key", "keys"} {
		v := row.Get(n)
		if v.Kind() == jsondoc.KindArray {
			v = v.Elem(0)
		}
		if s, ok := v.Text(); ok {
			return s
		}
	}
	return ""
}

func (d *Dialect) folderRows() fieldmap.Map[category] {
	m := fieldmap.Map[category]{}
	name := fieldmap.Plain(func(c *category) *string { return &c.Name })
	if d.File {
		m = append(m, fieldmap.New("name", name, fieldmap.At("comment", fieldmap.Text().Required(fieldmap.EmptyText))))
	} else {
		m = append(m, fieldmap.New("name", name, fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText)), fieldmap.At("comment", fieldmap.Text().Required(fieldmap.EmptyText))))
	}
	const why = "a folder of Risu has only a name; it is kept among the folder's foreign extensions"
	return append(m,
		fieldmap.New("sortOrder", fieldmap.Ptr(func(c *category) **float64 { return &c.SortOrder }), fieldmap.At(d.ext+".bunzai.sortOrder", fieldmap.Number())).Parked(why),
		fieldmap.New("enabled", fieldmap.Ptr(func(c *category) **bool { return &c.Enabled }), fieldmap.At(d.ext+".bunzai.enabled", fieldmap.Bool())).Parked(why))
}

// risuList is a list of entries and folders taken apart; at of each is its index in the list.
type risuList struct {
	entries   []*entry
	vals      []*jsondoc.Value
	at        []int
	folders   []category
	folderAt  []int
	folderVal []*jsondoc.Value
}

func (d *Dialect) decodeRisu(list *jsondoc.Value, where string, warn func(string)) (l risuList) {
	defer lastHead.Store(nil) // it would hold the document
	l.entries = []*entry{}
	rows, folders := d.Rows(), d.folderRows()
	var ids, folderIDs canonical.IDs
	refs := map[string]string{} // what members may say -> the folder's id
	ref := func(s, id string) {
		if _, taken := refs[s]; s != "" && !taken {
			refs[s] = id
		}
	}
	var wants []string
	for i, row := range list.Elems() {
		path := fmt.Sprintf("%s[%d]", where, i)
		tell := func(p, what string) { warn(path + "." + p + " " + what) }
		if row.Kind() != jsondoc.KindObject {
			if !row.IsNull() {
				warn(path + " is " + row.Kind().String() + " and no lorebook entry; it is kept for the way back to the same app only")
			}
			continue
		}
		if isFolder(row) {
			key, own := folderKey(row), ""
			own, _ = row.Get("id").Text()
			c := category{}
			folders.Read(row, &c, tell)
			id := folderID(key)
			if id == "" {
				id = own
			}
			c.ID = folderIDs.Unique(id)
			ref(key, c.ID)
			ref(folderID(key), c.ID)
			ref(own, c.ID)
			l.folders, l.folderAt, l.folderVal = append(l.folders, c), append(l.folderAt, i), append(l.folderVal, row)
			continue
		}
		e := &entry{}
		rows.Read(row, e, tell)
		e.ID = strconv.Itoa(i)
		for _, n := range []string{"id", "uid"} {
			if v := row.Get(n); v != nil && !v.IsNull() {
				if s, ok := v.Text(); ok && s != "" {
					e.ID = s
					break
				} else if s, ok := v.Num(); ok {
					e.ID = s
					break
				}
			}
		}
		e.ID = ids.Unique(e.ID)
		l.entries, l.vals, l.at = append(l.entries, e), append(l.vals, row), append(l.at, i)
		want, _ := row.Get("folder").Text()
		if want == "" {
			if s, ok := row.At(d.ext, "bunzai", "categoryId").Text(); ok {
				e.CategoryID = &s
			}
		}
		wants = append(wants, want)
	}
	for i, want := range wants {
		if want == "" {
			continue
		}
		id, ok := refs[want]
		if !ok {
			id, ok = refs[folderID(want)]
		}
		if !ok {
			id = folderID(want)
			warn(fmt.Sprintf("%s[%d].folder names a folder that is not there", where, l.at[i]))
		}
		l.entries[i].CategoryID = &id
	}
	return l
}

// encodeRisu writes entries and folders over list, which is edited in place.
func (d *Dialect) encodeRisu(b *lorebook, list *jsondoc.Value, fresh bool, near fieldmap.Near) {
	defer lastHead.Store(nil)
	was := d.decodeRisu(list, "", func(string) {})
	at, folderAt := map[string]int{}, map[string]int{}
	for i, e := range was.entries {
		at[e.ID] = i
	}
	for i, c := range was.folders {
		folderAt[c.ID] = i
	}
	keys := map[string]string{} // of folders
	same := len(was.entries) == len(b.Entries) && len(was.folders) == len(b.Categories)
	folders := make([]*jsondoc.Value, len(b.Categories))
	rows := d.folderRows()
	for i := range b.Categories {
		c := &b.Categories[i]
		if j, ok := folderAt[c.ID]; ok {
			same = same && i == j
			rows.Overlay(was.folderVal[j], c, &was.folders[j], nil, nil)
			folders[i], keys[c.ID] = was.folderVal[j], folderKey(was.folderVal[j])
			continue
		}
		same = false
		keys[c.ID] = folderMark + c.ID
		folders[i] = d.newFolder(keys[c.ID])
		rows.Fill(folders[i], c, nil, nil)
	}
	ids := newIDs(b.Entries, at, was.vals, nil)
	out := make([]*jsondoc.Value, len(b.Entries))
	for i, e := range b.Entries {
		tell := func(path, after, why string) {
			if near != nil {
				near(fmt.Sprintf("entries[%d].%s", i, path), after, why)
			}
		}
		j, old := at[e.ID]
		if old {
			same = same && i == j
			out[i] = was.vals[j]
			if len(d.Rows().Overlay(out[i], e, was.entries[j], nil, tell)) > 0 {
				d.settleContent(out[i], e, tell)
			}
		} else {
			same = false
			out[i] = d.newRisuEntry(ids[i])
			d.Rows().Fill(out[i], withoutBlankKeys(e), nil, tell)
			d.settleContent(out[i], e, tell)
		}
		var before *string
		if old {
			before = was.entries[j].CategoryID
		}
		if !samePtr(before, e.CategoryID) {
			d.putFolder(out[i], e.CategoryID, keys, old)
		}
	}
	if same && !fresh {
		return
	}
	list.SetElems(d.placed(b, was, at, folderAt, out, folders))
}

// putFolder writes the reference to a folder. A new entry with one that is not there would show nowhere in the app, so
// that it is parked.
func (d *Dialect) putFolder(row *jsondoc.Value, id *string, keys map[string]string, old bool) {
	park := []string{d.ext, "bunzai", "categoryId"}
	key := keys[canonical.Or(id, "")]
	if key == "" && id != nil && old && row.Get("folder") != nil {
		key = folderMark + *id
	}
	switch {
	case key != "":
		row.Set("folder", jsondoc.String(key))
	case row.Get("folder") != nil:
		row.Delete("folder")
	}
	if key == "" && id != nil {
		fieldmap.Put(row, park, jsondoc.String(*id))
	} else if row.At(park...) != nil {
		fieldmap.Drop(row, park)
	}
}

// placed puts folders and what is no entry back among the entries: each before the entry that it stood before, a new
// folder before the first of its members.
func (d *Dialect) placed(b *lorebook, was risuList, at, folderAt map[string]int, out, folders []*jsondoc.Value) []*jsondoc.Value {
	var all []*jsondoc.Value
	type waiting struct {
		index int
		id    string
		v     *jsondoc.Value
	}
	var wait []waiting // in the order of the list that was, then the new ones
	for i, c := range b.Categories {
		index := -1
		if j, ok := folderAt[c.ID]; ok {
			index = was.folderAt[j]
		}
		wait = append(wait, waiting{index, c.ID, folders[i]})
	}
	done := map[string]bool{}
	next := 0
	for i, e := range b.Entries {
		index := -1
		if j, ok := at[e.ID]; ok {
			index = was.at[j]
		}
		for next < len(wait) && (done[wait[next].id] || wait[next].index >= 0 && wait[next].index < index) {
			if !done[wait[next].id] {
				done[wait[next].id] = true
				all = append(all, wait[next].v)
			}
			next++
		}
		if c := canonical.Or(e.CategoryID, ""); c != "" && !done[c] {
			if k := slices.IndexFunc(wait, func(w waiting) bool { return w.id == c && w.index < 0 }); k >= 0 {
				done[c] = true
				all = append(all, wait[k].v)
			}
		}
		all = append(all, out[i])
	}
	for _, w := range wait {
		if !done[w.id] {
			all = append(all, w.v)
		}
	}
	return all
}

// newRisuEntry is an entry as the app makes one, without what it says by itself.
func (d *Dialect) newRisuEntry(id string) *jsondoc.Value {
	if !d.File {
		v := d.newEntry(id, 0)
		v.Set("constant", jsondoc.Bool(false))
		v.Set("selective", jsondoc.Bool(false))
		v.Set("mode", jsondoc.String("normal"))
		return v
	}
	v := jsondoc.Object()
	v.Set("key", jsondoc.String(""))
	v.Set("comment", jsondoc.String(""))
	v.Set("content", jsondoc.String(""))
	v.Set("mode", jsondoc.String("normal"))
	v.Set("insertorder", jsondoc.Int(100))
	v.Set("alwaysActive", jsondoc.Bool(false))
	v.Set("secondkey", jsondoc.String(""))
	v.Set("selective", jsondoc.Bool(false))
	v.Set("bookVersion", jsondoc.Int(2)) // else the app would turn <char> and <user> of the text into macros
	return v
}

func (d *Dialect) newFolder(key string) *jsondoc.Value {
	v := d.newRisuEntry("0")
	if d.File {
		v.Set("key", jsondoc.String(key))
		v.Delete("bookVersion")
	} else {
		v.Delete("id")
		v.Set("keys", jsondoc.Array(jsondoc.String(key)))
		v.Set("name", jsondoc.String(""))
	}
	v.Set("mode", jsondoc.String("folder"))
	return v
}

// DecodeList reads a list of the app's own entries: the member data of a lorebook file, the lorebook of a module.
func (d *Dialect) DecodeList(list *jsondoc.Value, where string, warn func(string)) *lorebook {
	l := d.decodeRisu(list, where, warn)
	return &lorebook{Entries: l.entries, Categories: l.folders}
}

// EncodeList writes the entries and folders of a book over list, which is edited in place; an empty list gets new ones.
func (d *Dialect) EncodeList(b *lorebook, list *jsondoc.Value, near fieldmap.Near) {
	d.encodeRisu(b, list, false, near)
}

// UnmappedInList lists what the rows of a list hold that has no canonical home, with prefix.
func (d *Dialect) UnmappedInList(list *jsondoc.Value, prefix string) (out []string) {
	t := d.tables()
	seen := map[string]bool{}
	add := func(p string) {
		if !seen[p] {
			seen[p] = true
			out = append(out, prefix+"[]."+p)
		}
	}
	for i, row := range list.Elems() {
		switch {
		case row.Kind() != jsondoc.KindObject:
			if !row.IsNull() {
				out = append(out, fmt.Sprintf("%s[%d]", prefix, i))
			}
		case isFolder(row):
			for _, p := range risuFolderCovers[d].Unmapped(row) {
				add(p)
			}
		default:
			for _, p := range append(t.entryCovers.Unmapped(row), t.rows.Unsaid(row)...) {
				if s, ok := row.Get("mode").Text(); p == "mode" && ok && s == "normal" {
					continue
				}
				add(p)
			}
			for _, name := range d.unread(row) {
				add("content (" + name + ")")
			}
		}
	}
	return out
}

// unread names the decorators of an entry that no field holds. Their lines stay in the text, where other apps take them
// for text or throw them away.
func (d *Dialect) unread(row *jsondoc.Value) (out []string) {
	if row.At(d.ext, "bunzai", "content") != nil {
		return nil // another app's text, which only looks like them
	}
	h := headOf(row)
	if len(h.lines) == 0 {
		return nil
	}
	taken := d.taken(row, &h)
	for i, x := range h.lines {
		if !taken[i] {
			name, _, _ := strings.Cut(strings.TrimLeft(x.raw, jsSpace), " ")
			out = append(out, name[:min(len(name), 40)])
		}
	}
	return out
}

var risuFolderCovers = map[*Dialect]*fieldmap.Coverage{
	RisuLore: RisuLore.folderRows().Coverage("key", "mode", "insertorder", "alwaysActive", "secondkey", "selective", "useRegex", "bookVersion", "id", "loreCache"),
	RisuBook: RisuBook.folderRows().Coverage("keys", "mode", "insertion_order", "constant", "selective", "secondary_keys", "use_regex", "enabled", "case_sensitive", "id", "extensions.risu_case_sensitive", "extensions.risu_loreCache"),
}

// RecordKey stands beside a module's lorebook when it holds several books, or one that says more than its entries:
// names, numbers of rows and settings, so that reading splits them again.
const RecordKey = "bunzai_lorebooks"

// Books takes the lorebooks out of a module's list: none, one, or those that were recorded. Name is what a book is
// called that has no name of its own; where is the path of the list, for messages.
func (d *Dialect) Books(list, record *jsondoc.Value, name, where string) (out []*canonical.Entity, warnings []string) {
	warn := func(w string) { warnings = append(warnings, w) }
	if list.Kind() != jsondoc.KindArray {
		if list != nil && !list.IsNull() {
			warn(where + " is " + list.Kind().String() + " where a list of lorebook entries is expected; it is kept for the way back")
		}
		return nil, warnings
	}
	parts := recordedRows(record, list.Len())
	if parts == nil {
		if list.Len() == 0 {
			return nil, nil
		}
		parts = []counted{{part{name: name}, list.Len()}}
	}
	rows := elems(list)
	from := 0
	for i, p := range parts {
		var raw *jsondoc.Value
		silent := func(string) {}
		if i == 0 && len(parts) == 1 {
			raw, silent = list.Clone(), warn
		} else {
			own := make([]*jsondoc.Value, p.count)
			for j := range own {
				own[j] = rows[from+j].Clone()
			}
			if raw = jsondoc.Array(); i == 0 {
				raw = list.Clone() // it is what a new list begins with, so it keeps its style
			}
			raw.SetElems(own)
		}
		b := d.DecodeList(raw, where, silent)
		if p.settings != nil {
			d.BookRows().Read(p.settings, b, nil)
		}
		b.Name = p.name
		out = append(out, d.entity(b, raw, d.Name))
		from += p.count
	}
	if len(parts) > 1 {
		d.decodeRisu(list, where, warn) // places are those of the module
	}
	return out, warnings
}

// counted is a book of a list with the number of its rows.
type counted struct {
	part
	count int
}

func recordedRows(record *jsondoc.Value, rows int) (out []counted) {
	if record.Len() > formats.MostMerged {
		return nil
	}
	sum := 0
	for _, p := range record.Elems() {
		name, ok := p.Get("name").Text()
		n, okn := p.Get("entryCount").Int()
		if !ok || !okn || n < 0 || n > int64(rows) {
			return nil
		}
		q := counted{part{name: name}, int(n)}
		if s := p.Get("settings"); s.Kind() == jsondoc.KindObject {
			q.settings = s
		}
		sum += q.count
		out = append(out, q)
	}
	if sum != rows {
		return nil
	}
	return out
}

// ListOf writes books as one list, and what is recorded of them (nil when nothing needs to be). Usual are the names
// that go without saying. Near receives the number of a book, 1 the first.
func (d *Dialect) ListOf(books []*canonical.Entity, usual []string, near PieceNear) (list, record *jsondoc.Value, err error) {
	var rows []*jsondoc.Value
	record = jsondoc.Array()
	plain := true
	for i, x := range books {
		b := Outspoken(x)
		if b == nil {
			return nil, nil, fault.New(fault.WrongKind, "", "the piece %q is a %s and no lorebook", x.ID, x.Kind)
		}
		own := d.ListTwin(x)
		if own == nil {
			own = jsondoc.Array()
		}
		d.EncodeList(b, own, func(path, after, why string) {
			if near != nil {
				near(i+1, path, after, why)
			}
		})
		if i == 0 {
			list = own
		}
		n := len(rows)
		for _, e := range own.Elems() {
			if i > 0 {
				e = e.Clone()
			}
			rows = append(rows, e)
		}
		p := jsondoc.Object()
		p.Set("name", jsondoc.String(b.Name))
		p.Set("entryCount", jsondoc.Int(int64(len(rows)-n)))
		settings := jsondoc.Object()
		d.BookRows().Fill(settings, b, nil, nil)
		settings.Delete("name")
		if settings.Len() > 0 {
			p.Set("settings", settings)
		}
		plain = plain && settings.Len() == 0
		record.AppendElem(p)
	}
	if len(books) == 1 && plain && list.Len() > 0 && slices.Contains(usual, books[0].Lorebook().Name) {
		record = nil
	}
	if len(books) > 1 {
		list.SetElems(rows)
	}
	return list, record, nil
}

// ListTwin is the list that a book came from in the app's own shape, ready to be edited; nil when it came from elsewhere.
func (d *Dialect) ListTwin(e *canonical.Entity) *jsondoc.Value {
	root := d.Twin(e)
	if root.Kind() == jsondoc.KindObject {
		root = root.Get("data")
	}
	if root.Kind() == jsondoc.KindArray {
		return root.Clone()
	}
	return nil
}
