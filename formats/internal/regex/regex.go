// Package regex is what apps share that keep find-and-replace scripts: reading and writing a list of scripts over the
// list that it came from, values that an app holds only roughly, leftovers of a script, the sets inside a card, and the
// script shape of the Tavern family, which SillyTavern writes and Lumiverse reads too. The tables of other shapes live
// with their app. Patterns are JavaScript and data: nothing here compiles or runs one.
package regex

import (
	"fmt"
	"slices"
	"strconv"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Rule is one script.
type Rule = canonical.RegexRule

// Dialect is one way of writing scripts. Dialects hold no state between calls.
type Dialect struct {
	ID    string   // stable name, kept in escrow: "tavern", "lumiverse"
	App   string   // whose leftovers these are, in RegexRule.Extras
	Label string   // the app in words
	Park  []string // object of a script for what the app has no field for
	Rows  fieldmap.Map[Rule]
	IDKey string // member with the script's own id; "" when there is none

	// Bad says why an object is no script, "" when it is one.
	Bad func(row *jsondoc.Value) string
	// Read completes a rule with what the app takes where a member is missing, and warns of what is odd.
	Read func(row *jsondoc.Value, r *Rule, warn fieldmap.Warn)
	// After has the last word on the rules of a list; may be nil.
	After func(rules []Rule)
	// New is a script that says nothing yet, with the members that the app demands.
	New func(r *Rule, index int, taken func(id string) bool) *jsondoc.Value
	// Order: the app runs the list in its order and has no numbers, so that rules are written in the order of theirs.
	Order bool
	// Companion reports a row that only says the rest of the script before it: an app that needs two scripts for one
	// rule. Companions makes those of a row. Both may be nil.
	Companion  func(script, row *jsondoc.Value) bool
	Companions func(r *Rule, script *jsondoc.Value) []*jsondoc.Value
	// Settle has the last word on the scripts of a list that was edited; fresh tells the new ones. May be nil.
	Settle func(rules []Rule, rows []*jsondoc.Value, fresh func(i int) bool)
}

// Decode reads the elements of a list. At gives the index in the list of each rule. What is no script is passed over:
// bad receives its index and why.
func (d *Dialect) Decode(list *jsondoc.Value, warn func(i int, path, what string), bad func(i int, why string)) (rules []Rule, at []int) {
	rules = []Rule{}
	var ids canonical.IDs
	var script *jsondoc.Value
	for i, row := range list.Elems() {
		if d.Companion != nil && script != nil && d.Companion(script, row) {
			continue
		}
		script = nil
		why := ""
		if row.Kind() != jsondoc.KindObject {
			why = "is " + row.Kind().String() + " and no script"
		} else {
			why = d.Bad(row)
		}
		if why != "" {
			if bad != nil {
				bad(i, why)
			}
			continue
		}
		tell := func(path, what string) {
			if warn != nil {
				warn(i, path, what)
			}
		}
		r := Rule{ID: strconv.Itoa(len(rules))}
		d.Rows.Read(row, &r, tell)
		if d.Read != nil {
			d.Read(row, &r, tell)
		}
		if d.IDKey != "" {
			if s, ok := row.Get(d.IDKey).Text(); ok && s != "" {
				r.ID = s
			}
		}
		r.ID = ids.Unique(r.ID)
		rules = append(rules, r)
		at = append(at, i)
		script = row
	}
	if d.After != nil {
		d.After(rules)
	}
	return rules, at
}

// Encode writes rules over list, which is edited in place: a rule that is in the list (by id) changes only where it
// differs, others get a new script, and what is no script stays behind the script that it followed. Near receives what
// the app holds only roughly.
func (d *Dialect) Encode(rules []Rule, list *jsondoc.Value, near fieldmap.Near) {
	if near == nil {
		near = func(string, string, string) {}
	}
	was, at := d.Decode(list, nil, nil)
	index := map[string]int{}
	for i, r := range was {
		index[r.ID] = i
	}
	order := d.order(rules)
	var rows []*jsondoc.Value
	for _, e := range list.Elems() {
		rows = append(rows, e)
	}
	taken := map[string]bool{}
	for _, r := range rows {
		if s, ok := r.Get(d.IDKey).Text(); ok {
			taken[s] = true
		}
	}
	with, gone := d.companions(rows, at), map[*jsondoc.Value]bool{} // before anything changes
	for _, list := range with {
		for _, r := range list {
			gone[r] = true
		}
	}
	same := len(rules) == len(was)
	out := make([]*jsondoc.Value, 0, len(rules))
	sorted := make([]Rule, 0, len(rules))
	kept := map[int]bool{} // of was
	fresh := map[int]bool{}
	for n, i := range order {
		r := rules[i]
		tell := func(path, after, why string) { near(fmt.Sprintf("rules[%d].%s", i, path), after, why) }
		if d.Order && r.SortOrder != nil {
			tell("sortOrder", "place "+strconv.Itoa(n+1)+" in the list", d.Label+" has no such number and runs scripts in the order of the list, so they are written in this order")
		}
		sorted = append(sorted, r)
		if j, ok := index[r.ID]; ok && !kept[j] {
			kept[j] = true
			same = same && j == n
			row := rows[at[j]]
			changed := d.Rows.Overlay(row, &r, &was[j], nil, tell)
			d.tidy(row)
			out = append(out, row)
			if d.Companions != nil && len(changed) > 0 {
				if now := d.Companions(&r, row); !sameRows(now, with[row]) {
					with[row], same = now, false
				}
			}
			continue
		}
		same, fresh[n] = false, true
		row := d.New(&r, n, func(id string) bool { return taken[id] })
		if s, ok := row.Get(d.IDKey).Text(); ok {
			taken[s] = true
		}
		d.Rows.Fill(row, &r, nil, tell)
		d.tidy(row)
		out = append(out, row)
		if d.Companions != nil {
			with[row] = d.Companions(&r, row)
		}
	}
	if same {
		return
	}
	if d.Settle != nil {
		d.Settle(sorted, out, func(i int) bool { return fresh[i] })
	}
	list.SetElems(d.withBad(rows, at, out, with, gone))
}

// companions lists the companions of each script.
func (d *Dialect) companions(rows []*jsondoc.Value, at []int) map[*jsondoc.Value][]*jsondoc.Value {
	with := map[*jsondoc.Value][]*jsondoc.Value{}
	if d.Companion != nil {
		for _, i := range at {
			for j := i + 1; j < len(rows) && d.Companion(rows[i], rows[j]); j++ {
				with[rows[i]] = append(with[rows[i]], rows[j])
			}
		}
	}
	return with
}

func sameRows(a, b []*jsondoc.Value) bool {
	return slices.EqualFunc(a, b, func(x, y *jsondoc.Value) bool { return jsondoc.Equal(x, y) })
}

// order is the sequence in which the app is to run the rules.
func (d *Dialect) order(rules []Rule) []int {
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	if d.Order {
		slices.SortStableFunc(order, func(a, b int) int {
			x, y := canonical.Or(rules[a].SortOrder, 0), canonical.Or(rules[b].SortOrder, 0)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
	}
	return order
}

// withBad puts companions behind their script, and what is no script behind the script that it followed, or at the
// start. Gone are the companions that the list had.
func (d *Dialect) withBad(rows []*jsondoc.Value, at []int, out []*jsondoc.Value, with map[*jsondoc.Value][]*jsondoc.Value, gone map[*jsondoc.Value]bool) []*jsondoc.Value {
	if len(at) == len(rows) && len(with) == 0 {
		return out
	}
	good := map[int]bool{}
	for _, i := range at {
		good[i] = true
	}
	there := map[*jsondoc.Value]bool{}
	for _, r := range out {
		there[r] = true
	}
	behind := map[*jsondoc.Value][]*jsondoc.Value{}
	var last *jsondoc.Value
	for i, r := range rows {
		switch {
		case gone[r]:
		case good[i] && there[r]:
			last = r
		case !good[i]:
			behind[last] = append(behind[last], r)
		}
	}
	all := append([]*jsondoc.Value{}, behind[nil]...)
	for _, r := range out {
		all = append(append(append(all, r), with[r]...), behind[r]...)
	}
	return all
}

// Fields is the field map of a set as seen from the canonical side.
func (d *Dialect) Fields() []formats.Field { return d.Rows.Fields("rules[].") }

// SameRules reports whether two lists of rules say the same.
func SameRules(a, b []Rule) bool {
	same, err := canonical.Same(&canonical.RegexSet{Rules: a}, &canonical.RegexSet{Rules: b})
	return err == nil && same
}
