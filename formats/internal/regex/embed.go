package regex

import (
	"slices"
	"strconv"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Bucket is the escrow of a set that was taken out of a card or a preset: the list of its scripts. Unmapped says the
// host and the dialect.
const Bucket = "regex-scripts"

// RecordKey stands beside the list of a host that holds several sets in it, or one under a name of its own: names and
// numbers of rules, so that reading splits them again.
const RecordKey = "bunzai_regex_sets"

// Where is the place of an element, for messages.
func Where(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// SetName is what a set inside a named piece is called.
func SetName(host string) string { return canonical.RegexSetName(host) }

// Sets takes the sets out of a list of scripts: none, one, or those that an earlier merge recorded. Where is the path
// of the list, for messages.
func (d *Dialect) Sets(list, record *jsondoc.Value, name, where string) (out []*canonical.Entity, warnings []string) {
	if list.Kind() != jsondoc.KindArray {
		if list != nil && !list.IsNull() {
			warnings = append(warnings, where+" is "+list.Kind().String()+" where a list of scripts is expected; it is kept for the way back")
		}
		return nil, warnings
	}
	if list.Len() == 0 && recorded(record, 0) == nil {
		return nil, nil
	}
	rules, at := d.Decode(list, d.warn(where, &warnings), d.bad(where, &warnings))
	parts := recorded(record, len(rules))
	if parts == nil {
		return []*canonical.Entity{d.entity(&canonical.RegexSet{Name: name, Rules: rules}, list.Clone())}, warnings
	}
	from := 0
	for i, p := range parts {
		lo, hi := 0, list.Len()
		if i > 0 && from < len(at) {
			lo = at[from]
		} else if i > 0 {
			lo = hi
		}
		if next := from + p.count; i+1 < len(parts) {
			if next < len(at) {
				hi = at[next]
			}
			if p.count == 0 {
				hi = lo
			}
		}
		own := make([]*jsondoc.Value, 0, hi-lo)
		for j := lo; j < hi; j++ {
			own = append(own, list.Elem(j).Clone())
		}
		raw := jsondoc.Array()
		if i == 0 {
			raw = list.Clone() // it is what a new list begins with, so it keeps its style
		}
		raw.SetElems(own)
		rules, _ := d.Decode(raw, nil, nil) // ids are unique in a set, not among all
		out = append(out, d.entity(&canonical.RegexSet{Name: p.name, Description: p.description, Rules: rules}, raw))
		from += p.count
	}
	return out, warnings
}

func (d *Dialect) entity(set *canonical.RegexSet, raw *jsondoc.Value) *canonical.Entity {
	un := jsondoc.Object()
	un.Set("host", jsondoc.String(d.App))
	un.Set("dialect", jsondoc.String(d.ID))
	return &canonical.Entity{Kind: canonical.KindRegex, ID: canonical.Slug(set.Name), Body: set,
		Original: []*canonical.Escrow{{Bucket: Bucket, Raw: &jsondoc.Doc{Root: raw}, Unmapped: un}}}
}

func (d *Dialect) warn(where string, out *[]string) func(i int, path, what string) {
	return func(i int, path, what string) { *out = append(*out, Where(where, i)+"."+path+" "+what) }
}

func (d *Dialect) bad(where string, out *[]string) func(i int, why string) {
	return func(i int, why string) {
		*out = append(*out, Where(where, i)+" "+why+"; it is left out, the other scripts are read, and it is kept for the way back to the same app only")
	}
}

// Warnings are the functions that Decode takes, for messages that name the place.
func (d *Dialect) Warnings(where string, out *[]string) (warn func(i int, path, what string), bad func(i int, why string)) {
	return d.warn(where, out), d.bad(where, out)
}

// BadIn lists the places of a list that hold no script.
func (d *Dialect) BadIn(list *jsondoc.Value, where string) (out []string) {
	d.Decode(list, nil, func(i int, _ string) {
		if !list.Elem(i).IsNull() {
			out = append(out, Where(where, i))
		}
	})
	return out
}

type part struct {
	name        string
	description *string
	count       int
}

// recorded reads the boundaries of a merge; nil when there are none, or they do not fit the rules that are there now.
func recorded(record *jsondoc.Value, rules int) (out []part) {
	if record.Len() > formats.MostMerged {
		return nil
	}
	sum := 0
	for _, e := range record.Elems() {
		n, ok := e.Get("ruleCount").Int()
		name, named := e.Get("name").Text()
		if !ok || !named || n < 0 || n > int64(rules) {
			return nil
		}
		p := part{name: name, count: int(n)}
		if s, ok := e.Get("description").Text(); ok {
			p.description = &s
		}
		out = append(out, p)
		sum += p.count
	}
	if sum != rules {
		return nil
	}
	return out
}

// Twin is the list that a set came from, ready to be edited, when it came from this app in this dialect.
func (d *Dialect) Twin(e *canonical.Entity) *jsondoc.Value {
	for _, o := range e.Original {
		host, _ := o.Unmapped.Get("host").Text()
		id, _ := o.Unmapped.Get("dialect").Text()
		if o.Raw == nil || host != d.App || id != d.ID {
			continue
		}
		root := o.Raw.Root.Clone()
		if at, ok := o.Unmapped.Get("list").Text(); ok && at != "" {
			root = root.Get(at)
		}
		switch root.Kind() {
		case jsondoc.KindArray:
			return root
		case jsondoc.KindObject:
			return jsondoc.Array(root.Clone())
		}
	}
	return nil
}

// List writes sets as one list, and what is recorded of them (nil when nothing needs to be). Near receives the number
// of a set, from 0. Usual are the names that go without saying.
func (d *Dialect) List(sets []*canonical.Entity, usual []string, near func(set int, path, after, why string)) (list, record *jsondoc.Value, err error) {
	var rows []*jsondoc.Value
	var numbers []*float64
	for i, e := range sets {
		set, ok := e.Body.(*canonical.RegexSet)
		if !ok {
			return nil, nil, fault.New(fault.WrongKind, "", "the piece %q is a %s and no regex set", e.ID, e.Kind)
		}
		own := d.Twin(e)
		if own == nil {
			own = jsondoc.Array()
		}
		d.Encode(set.Rules, own, func(path, after, why string) {
			if near != nil {
				near(i, path, after, why)
			}
		})
		if i == 0 {
			list = own
		}
		for _, row := range own.Elems() {
			rows = append(rows, row)
		}
		for _, r := range set.Rules {
			numbers = append(numbers, r.SortOrder)
		}
		p := jsondoc.Object()
		p.Set("name", jsondoc.String(set.Name))
		p.Set("ruleCount", jsondoc.Int(int64(len(set.Rules))))
		if set.Description != nil {
			p.Set("description", jsondoc.String(*set.Description))
		}
		if record == nil {
			record = jsondoc.Array()
		}
		record.AppendElem(p)
	}
	if len(sets) > 1 {
		for i := list.Len(); i < len(rows); i++ {
			rows[i] = rows[i].Clone()
		}
		list.SetElems(rows)
		if d.Settle != nil {
			all, at := d.Decode(list, nil, nil)
			var own []*jsondoc.Value
			for i := range all {
				all[i].SortOrder = numbers[i]
				own = append(own, list.Elem(at[i]))
			}
			d.Settle(all, own, func(int) bool { return false })
		}
		return list, record, nil
	}
	if set := sets[0].Body.(*canonical.RegexSet); set.Description == nil && list.Len() > 0 && slices.Contains(usual, set.Name) {
		record = nil
	}
	return list, record, nil
}

// SameSets reports whether two lists of sets say the same.
func SameSets(a, b []*canonical.Entity) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if same, err := canonical.Same(a[i].Body, b[i].Body); err != nil || !same {
			return false
		}
	}
	return true
}

// Put makes list and record the members of holder at key; nil removes them.
func Put(root *jsondoc.Value, path []string, list, record *jsondoc.Value) {
	recordPath := append(path[:len(path)-1:len(path)-1], RecordKey)
	for _, x := range []struct {
		path []string
		v    *jsondoc.Value
	}{{path, list}, {recordPath, record}} {
		switch old := root.At(x.path...); {
		case x.v == nil && old != nil:
			fieldmap.Drop(root, x.path)
		case x.v != nil && !(old != nil && jsondoc.Equal(old, x.v) && string(old.Raw()) == string(x.v.Raw())):
			fieldmap.Put(root, x.path, x.v)
		}
	}
}
