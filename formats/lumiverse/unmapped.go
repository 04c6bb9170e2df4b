package lumiverse

import (
	"fmt"
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/regex"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

// missing collects wire paths, each once.
type missing struct {
	list []string
	seen map[string]bool
}

func (m *missing) add(path string) {
	if !m.seen[path] {
		m.seen[path] = true
		m.list = append(m.list, path)
	}
}

// some adds a path that holds something.
func (m *missing) some(path string, v *jsondoc.Value) {
	if v != nil && !emptyValue(v) {
		m.add(path)
	}
}

// members adds the members of v that hold something and are none of those named.
func (m *missing) members(path string, v *jsondoc.Value, known ...string) {
	for k, x := range v.Members() {
		if !slices.Contains(known, k) {
			m.some(path+"."+k, x)
		}
	}
}

// moreUnmapped lists what the sidecar, its copies in the card and the card's books hold that has no canonical home.
func (n *native) moreUnmapped() []string {
	m := &missing{seen: map[string]bool{}}
	for _, p := range append(append([]string{}, n.unmapped...), unmappedRegex(n.root, n.v, n.side)...) {
		m.add(p)
	}
	if n.side == nil && n.res != nil {
		for _, f := range n.res.Files {
			if tavern.CleanEntryPath(f.Path) == sidecar {
				m.add(sidecar) // it cannot be read
			}
		}
	}
	if h := n.ext().Get(hubKey); h.Kind() != jsondoc.KindObject {
		m.some(n.v.Prefix()+"extensions."+hubKey, h)
	}
	for _, key := range []string{"expressions", "expression_groups", "alternate_fields", "alternate_avatars"} {
		n.otherCopies(m, key)
	}
	if e, s := n.find("expressions", jsondoc.KindObject); e != nil {
		n.missingExpressions(m, e, s.where+".expressions")
	}
	n.missingGroups(m)
	n.missingTexts(m)
	n.missingAvatars(m)
	for _, s := range n.sources() {
		if s.flat {
			continue
		}
		for k, v := range s.v.Members() {
			switch k {
			case "version", "expressions", "expression_groups", "alternate_fields", "alternate_avatars", regex.RecordKey:
			case worldBooks:
				if v.Kind() != jsondoc.KindArray {
					m.some(s.where+"."+k, v)
				}
			case regexKey:
				if v.Kind() != jsondoc.KindArray {
					m.add(s.where + "." + k)
				}
			default:
				if (v.Kind() == jsondoc.KindArray || v.Kind() == jsondoc.KindObject) && v.Len() == 0 {
					continue
				}
				m.add(s.where + "." + k)
			}
		}
	}
	n.missingBooks(m)
	return m.list
}

// otherCopies lists the values of a key that do not count: of the wrong kind, or behind another that says something else.
func (n *native) otherCopies(m *missing, key string) {
	kind := jsondoc.KindObject
	if key == "alternate_avatars" {
		kind = jsondoc.KindArray
	}
	counts, from := n.find(key, kind)
	if key == "expression_groups" {
		_, from, _ = n.groups()
		counts = from.v.Get(key)
	}
	for _, s := range n.sources() {
		v := s.v.Get(key)
		if v == nil || from.v == s.v || counts != nil && jsondoc.Equal(v, counts) {
			continue
		}
		m.some(s.where+"."+key, v)
	}
}

func (n *native) missingExpressions(m *missing, e *jsondoc.Value, where string) {
	for k, v := range e.Members() {
		on, isBool := v.Bool()
		t, isText := v.Text()
		switch {
		case k == "mappings" && v.Kind() == jsondoc.KindObject:
			missingTexts(m, where+".mappings", v)
		case k == "enabled" && isBool && on, isText && t == "":
		case k == "mappings":
			m.some(where+"."+k, v)
		default:
			m.add(where + "." + k)
		}
	}
}

// missingTexts lists what is no text where only references stand.
func missingTexts(m *missing, where string, v *jsondoc.Value) {
	for k, x := range v.Members() {
		if x.Kind() != jsondoc.KindString {
			m.some(where+"."+k, x)
		}
	}
}

func (n *native) missingGroups(m *missing) {
	g, s, where := n.groups()
	if g == nil {
		return
	}
	if strings.HasSuffix(where, ".groups") {
		m.members(s.where+".expression_groups", s.v.Get("expression_groups"), "groups")
	}
	for char, l := range g.Members() {
		if l.Kind() != jsondoc.KindObject {
			m.some(where+"."+char, l)
			continue
		}
		missingTexts(m, where+"."+char, l)
	}
}

func (n *native) missingTexts(m *missing) {
	f, s := n.find("alternate_fields", jsondoc.KindObject)
	for k, l := range f.Members() {
		where := s.where + ".alternate_fields." + k
		if l.Kind() != jsondoc.KindArray || !slices.ContainsFunc(texts, func(t altText) bool { return t.name == k }) {
			m.some(where, l)
			continue
		}
		for i, r := range l.Elems() {
			if _, ok := r.Get("content").Text(); !ok {
				m.some(fmt.Sprintf("%s[%d]", where, i), r)
				continue
			}
			missingRow(m, where+"[]", r, "content")
		}
	}
}

func (n *native) missingAvatars(m *missing) {
	l, s := n.find("alternate_avatars", jsondoc.KindArray)
	for i, r := range l.Elems() {
		key := "path"
		if r.Get(key) == nil {
			key = "image_id"
		}
		if t, _ := r.Get(key).Text(); t == "" {
			m.some(fmt.Sprintf("%s.alternate_avatars[%d]", s.where, i), r)
			continue
		}
		missingRow(m, s.where+".alternate_avatars[]", r, key)
	}
}

// missingRow lists the members of a row beside its id, its label and one more.
func missingRow(m *missing, where string, r *jsondoc.Value, known string) {
	for k, x := range r.Members() {
		if k == known || (k == "id" || k == "label") && x.Kind() == jsondoc.KindString {
			continue
		}
		m.some(where+"."+k, x)
	}
}

// missingBooks lists what the books have that no lorebook has, and what books that do not count say beyond those that do.
func (n *native) missingBooks(m *missing) {
	books, _, err := extract(n.root, n.v, n.side)
	if err != nil {
		return
	}
	have := map[string]bool{}
	for _, b := range books {
		for _, e := range b.Lorebook().Entries {
			have[says(e)] = true
		}
	}
	beyond := func(d *book.Dialect, v *jsondoc.Value, where string) {
		b, err := d.Decode(v, where, func(string) {})
		if err != nil {
			return
		}
		for i, e := range b.Entries {
			if !have[says(e)] {
				m.add(fmt.Sprintf("%s.entries[%d]", where, i))
			}
		}
	}
	for _, s := range n.sources() {
		if s.flat {
			continue
		}
		for i, v := range s.v.Get(worldBooks).Elems() {
			where := fmt.Sprintf("%s.%s[%d]", s.where, worldBooks, i)
			if v.Kind() != jsondoc.KindObject {
				m.some(where, v)
				continue
			}
			for _, p := range book.LumiverseWorldBook.UnmappedIn(v) {
				m.add(where + "." + p)
			}
			beyond(book.LumiverseWorldBook, v, where)
		}
	}
	first, at := book.Find(n.root, n.v.Prefix())
	for _, where := range []string{n.v.Prefix() + "character_book", n.v.Prefix() + "extensions.character_book", "character_book"} {
		v := n.root.At(strings.Split(where, ".")...)
		if v.Kind() != jsondoc.KindObject {
			m.some(where, v)
			continue
		}
		if where != at {
			if jsondoc.Equal(v, first) {
				continue
			}
			for _, p := range book.OfBook(v).UnmappedIn(v) {
				m.add(where + "." + p)
			}
		}
		beyond(book.OfBook(v), v, where)
	}
}

// says is what tells one entry from another: its keys and its text.
func says(e *canonical.Entry) string {
	var b strings.Builder
	for _, t := range e.Triggers {
		b.WriteString(t.Keyword)
		b.WriteByte(0)
	}
	b.WriteByte(0)
	b.WriteString(e.Content)
	return b.String()
}
