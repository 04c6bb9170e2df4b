package lumiverse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

type rule = regex.Rule

// fullScripts are the rows of a regex file, bundled those of lumiverse_modules.json and of a card, which lack some
// members when new; stScripts are SillyTavern's rows, which the app reads too. All three are read alike.
var (
	fullScripts = scriptDialect(false)
	bundled     = scriptDialect(true)
	stScripts   = regex.Tavern(name, label)
)

// maxPattern is the length of a pattern that the app takes.
const maxPattern = 10000

// scriptDialect is the app's script object (regex-scripts.service.ts). In a bundle a new script belongs to the
// character; in a file it is global, since ids of another library mean nothing.
func scriptDialect(inCard bool) *regex.Dialect {
	d := &regex.Dialect{ID: "lumiverse", App: name, Label: label, Park: []string{"metadata", "bunzai"}}
	text := fieldmap.Text()
	depth := func(path, wire string, field func(r *rule) **float64) fieldmap.Row[rule] {
		return regex.Rough[float64]{Path: path, Wire: wire, Acc: regex.Numeral(field), Exact: regex.NumberExact(),
			Read: func(row *jsondoc.Value) (float64, bool, string) {
				v := row.Get(wire)
				if v == nil || v.IsNull() {
					return noDepth, true, "" // a parked one may say more
				}
				f, odd := fieldmap.Number().Read(v)
				if f == nil {
					return noDepth, true, odd
				}
				return *f, true, odd
			},
			Write: func(row *jsondoc.Value, _ *rule, f float64) {
				if f == noDepth {
					row.Set(wire, jsondoc.Null())
					return
				}
				row.Set(wire, fieldmap.Number().Write(f, row.Get(wire)))
			},
			Clear: func(row *jsondoc.Value, _ *rule) { row.Set(wire, jsondoc.Null()) },
			Near: func(f float64) (float64, string, string) {
				switch {
				case f == noDepth:
					return f, "", ""
				case f < 0:
					return noDepth, "no limit", "Lumiverse counts depths from 0; less is no limit there, and the number is kept for the way back"
				case f != math.Trunc(f):
					n := math.Trunc(f)
					return n, strconv.FormatFloat(n, 'f', -1, 64), "Lumiverse has whole depths only; the number is kept for the way back"
				}
				return f, "", ""
			},
		}.Row(d)
	}
	d.Rows = fieldmap.Map[rule]{
		fieldmap.New("label", fieldmap.Plain(func(r *rule) *string { return &r.Label }), fieldmap.At("name", text.Required(fieldmap.EmptyText))),
		fieldmap.New("note", fieldmap.Ptr(func(r *rule) **string { return &r.Note }), fieldmap.At("description", text.Required(fieldmap.EmptyText))),
		fieldmap.New("find", fieldmap.Plain(func(r *rule) *string { return &r.Find }), fieldmap.At("find_regex", text.Required(fieldmap.EmptyText))),
		flagsRow(d),
		fieldmap.New("replace", fieldmap.Plain(func(r *rule) *string { return &r.Replace }), fieldmap.At("replace_string", text.Required(fieldmap.EmptyText))),
		fieldmap.New("trimStrings", fieldmap.Slice(func(r *rule) *[]string { return &r.TrimStrings }, func(a, b string) bool { return a == b }), fieldmap.At("trim_strings", fieldmap.TextList("").Required(fieldmap.EmptyList))),
		wordsRow(d, "phases", "placement", "place", unmappedPlacements, phaseWords, func(r *rule) *[]string { return &r.Phases }),
		wordsRow(d, "targets", "target", "target", unmappedTargets, targetWords, func(r *rule) *[]string { return &r.Targets }),
		macrosRow(d),
		depth("minDepth", "min_depth", func(r *rule) **float64 { return &r.MinDepth }),
		depth("maxDepth", "max_depth", func(r *rule) **float64 { return &r.MaxDepth }),
		fieldmap.New("runOnEdit", fieldmap.Ptr(func(r *rule) **bool { return &r.RunOnEdit }), fieldmap.At("run_on_edit", fieldmap.Bool())),
		fieldmap.New("enabled", fieldmap.Ptr(func(r *rule) **bool { return &r.Enabled }), fieldmap.At("disabled", fieldmap.Not())),
		fieldmap.New("sortOrder", regex.Numeral(func(r *rule) **float64 { return &r.SortOrder }), fieldmap.At("sort_order", fieldmap.Number())),
		regex.Leftovers{Of: leftovers, Put: putLeftover, Owners: append([]string{"id", "scope", "created_at", "updated_at"}, regex.Owners...)}.Row(d),
	}
	d.Bad = func(row *jsondoc.Value) string {
		if s, ok := row.Get("name").Text(); !ok || strings.TrimSpace(s) == "" {
			return "has no name, and Lumiverse takes no script without one"
		}
		if row.Get("find_regex") == nil {
			return "has no find_regex"
		}
		return ""
	}
	d.Read = readScript
	d.After = func(rules []rule) {
		for i := 1; i < len(rules); i++ {
			if canonical.Or(rules[i].SortOrder, 0) < canonical.Or(rules[i-1].SortOrder, 0) {
				return
			}
		}
		for i := range rules {
			rules[i].SortOrder = nil // the numbers say no more than the list
		}
	}
	d.New = func(r *rule, index int, taken func(id string) bool) *jsondoc.Value {
		return newScript(r, index, inCard)
	}
	d.Settle = settle
	return d
}

// noDepth stands for a limit that is not there.
var noDepth = math.Inf(-1)

const (
	unmappedPlacements = "unmappedPlacements"
	unmappedTargets    = "unmappedTargets"
	flagSet            = "dgimsuvy"
)

func flagsNear(flags string) (string, string, string) {
	kept, left := regex.Flags(flags, flagSet)
	if left == "" {
		return flags, "", ""
	}
	return kept, kept, "Lumiverse refuses a script with the flags " + strconv.Quote(left) + "; they are kept for the way back"
}

func flagsRow(d *regex.Dialect) fieldmap.Row[rule] {
	return regex.Rough[string]{Path: "flags", Wire: "flags", Acc: fieldmap.Ptr(func(r *rule) **string { return &r.Flags }), Exact: regex.TextExact(),
		Read: func(row *jsondoc.Value) (string, bool, string) {
			s, ok := row.Get("flags").Text()
			return s, ok, ""
		},
		Write: func(row *jsondoc.Value, _ *rule, s string) { row.Set("flags", jsondoc.String(s)) },
		Clear: func(row *jsondoc.Value, _ *rule) { row.Set("flags", jsondoc.String("g")) }, // absent is g in the model, gi in the app
		Near:  flagsNear,
	}.Row(d)
}

func wordsOf(known []string, wire map[string]string) regex.Words {
	back := map[string]string{}
	for c, w := range wire {
		back[w] = c
	}
	return regex.Words{Known: known,
		Wire:  func(c string) *jsondoc.Value { return jsondoc.String(wire[c]) },
		Canon: func(v *jsondoc.Value) (string, bool) { s, _ := v.Text(); c, ok := back[s]; return c, ok }}
}

var (
	phaseWords = wordsOf([]string{canonical.PhaseInput, canonical.PhaseOutput, canonical.PhaseLorebook, canonical.PhaseReasoning, canonical.PhaseMemory},
		map[string]string{canonical.PhaseInput: "user_input", canonical.PhaseOutput: "ai_output", canonical.PhaseLorebook: "world_info", canonical.PhaseReasoning: "reasoning", canonical.PhaseMemory: "memory"})
	targetWords = wordsOf(regex.Targets, map[string]string{"prompt": "prompt", "response": "response", "display": "display"})
)

// wordsRow maps placement and target. A lone text counts as a list of one and stays one; words that the app does not
// know yet ride in the leftovers.
func wordsRow(d *regex.Dialect, path, wire, word, leftover string, words regex.Words, field func(r *rule) *[]string) fieldmap.Row[rule] {
	return regex.Rough[[]string]{Path: path, Wire: wire, Acc: regex.Texts(field), Exact: regex.ListExact(),
		Read: func(row *jsondoc.Value) ([]string, bool, string) {
			v := row.Get(wire)
			if v == nil || v.IsNull() {
				return nil, false, ""
			}
			list, unknown := words.Read(v)
			odd := ""
			if len(unknown) > 0 {
				odd = "holds a " + word + " that is not known (" + string(unknown[0].Raw()) + "); it is kept for the way back"
			}
			return list, true, odd
		},
		Write: func(row *jsondoc.Value, r *rule, list []string) {
			row.Set(wire, words.Write(row.Get(wire), list, r.Extras.At(name, leftover)))
		},
		Clear: func(row *jsondoc.Value, r *rule) { row.Delete(wire) },
		Near: func(list []string) ([]string, string, string) {
			in, others := regex.Only(list, words.Known)
			switch {
			case len(others) == 0 && (len(in) > 0 || path != "targets"):
				return in, "", ""
			case len(in) == 0 && path == "targets":
				return []string{"response"}, "response", "Lumiverse needs a target and knows only prompt, response and display; what was asked for is kept for the way back"
			}
			after := strings.Join(in, ", ")
			if after == "" {
				after = "nowhere"
			}
			return in, after, "Lumiverse has no " + word + " called " + strings.Join(others, ", ") + "; the script does not run there, and the " + word + " is kept for the way back"
		},
	}.Row(d)
}

var macroModes = []string{canonical.SubstituteNone, canonical.SubstituteRaw, canonical.SubstituteEscaped, canonical.SubstituteAfter}

func macrosRow(d *regex.Dialect) fieldmap.Row[rule] {
	return regex.Rough[string]{Path: "substituteFind", Wire: "substitute_macros", Acc: fieldmap.Ptr(func(r *rule) **string { return &r.SubstituteFind }), Exact: regex.TextExact(),
		Read: func(row *jsondoc.Value) (string, bool, string) {
			v := row.Get("substitute_macros")
			if v == nil || v.IsNull() {
				return "", false, ""
			}
			if s, _ := v.Text(); slices.Contains(macroModes, s) {
				return s, true, ""
			}
			return "", false, "is " + string(v.Raw()) + ", a way of filling macros that is not known; it is kept, and counts as none elsewhere"
		},
		Write: func(row *jsondoc.Value, _ *rule, s string) { row.Set("substitute_macros", jsondoc.String(s)) },
		Clear: func(row *jsondoc.Value, _ *rule) { row.Delete("substitute_macros") },
		Near: func(s string) (string, string, string) {
			if slices.Contains(macroModes, s) {
				return s, "", ""
			}
			return canonical.SubstituteNone, canonical.SubstituteNone, "Lumiverse does not fill macros in this way (" + s + "); it is kept for the way back"
		},
	}.Row(d)
}

// readScript completes a rule with what the app takes where a member is missing.
func readScript(row *jsondoc.Value, r *rule, warn fieldmap.Warn) {
	if r.Flags == nil {
		r.Flags = canonical.Ptr("gi")
	}
	if row.Get("placement") == nil && r.Phases == nil {
		r.Phases = []string{canonical.PhaseOutput}
	}
	if row.Get("target") == nil && r.Targets == nil {
		r.Targets = []string{"response"}
	}
	for _, p := range []**float64{&r.MinDepth, &r.MaxDepth} {
		if *p != nil && **p == noDepth {
			*p = nil
		}
	}
	if len(r.Find) > maxPattern {
		warn("find_regex", "is longer than "+strconv.Itoa(maxPattern)+" characters, which Lumiverse refuses")
	}
	if canonical.Or(r.SubstituteFind, canonical.SubstituteNone) != canonical.SubstituteNone && strings.Contains(r.Find, "{{") {
		return
	}
	if why := regex.Broken(r.Find, canonical.Or(r.Flags, "")); why != "" {
		warn("find_regex", why)
	}
	if s, _ := row.Get("scope").Text(); s == "chat" || s == "character" && !row.Get("scope_id").IsNull() && row.Get("scope_id") != nil {
		warn("scope", "ties the script to a "+s+" of the library that it came from; elsewhere it counts for all")
	}
}

// newScript is a script that says nothing yet.
func newScript(r *rule, index int, inCard bool) *jsondoc.Value {
	v := jsondoc.Object()
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
	text("name")
	if !inCard {
		text("script_id")
	}
	text("find_regex", "replace_string")
	if !inCard {
		list("actions")
	}
	v.Set("flags", jsondoc.String("g"))
	list("placement")
	if inCard {
		v.Set("scope", jsondoc.String("character"))
	} else {
		v.Set("scope", jsondoc.String("global"))
	}
	v.Set("scope_id", jsondoc.Null())
	v.Set("target", jsondoc.Array(jsondoc.String("response")))
	v.Set("min_depth", jsondoc.Null())
	v.Set("max_depth", jsondoc.Null())
	list("trim_strings")
	v.Set("run_on_edit", jsondoc.Bool(false))
	v.Set("substitute_macros", jsondoc.String(canonical.SubstituteNone))
	v.Set("disabled", jsondoc.Bool(false))
	v.Set("sort_order", jsondoc.Int(int64(index)))
	text("description")
	if !inCard {
		text("folder")
	}
	v.Set("metadata", jsondoc.Object())
	if strings.TrimSpace(r.Label) == "" {
		v.Set("name", jsondoc.String("Rule "+strconv.Itoa(index+1)))
	}
	return v
}

// settle gives the scripts numbers in the order of the list where the rules have none of their own, and changes as few
// as it can; an id that stands twice is emptied, since the app takes the second for the first (Q21).
func settle(rules []rule, rows []*jsondoc.Value, fresh func(i int) bool) {
	seen := map[string]bool{}
	numbered := false
	for i, row := range rows {
		numbered = numbered || rules[i].SortOrder != nil
		if id, _ := row.Get("script_id").Text(); id != "" {
			if seen[id] {
				row.Set("script_id", jsondoc.String(""))
			}
			seen[id] = true
		}
	}
	last := math.Inf(-1)
	for i, row := range rows {
		f, ok := row.Get("sort_order").Float()
		if numbered {
			if rules[i].SortOrder == nil && fresh(i) {
				row.Delete("sort_order")
			}
			continue
		}
		if !ok {
			f = 0
		}
		if f < last || f == last && (fresh(i) || fresh(i-1)) {
			f = last + 1
			row.Set("sort_order", jsondoc.Float(f))
		}
		last = f
	}
}

// mapped are the members that the rows speak of, or that say nothing.
var mapped = map[string]bool{
	"name": true, "description": true, "find_regex": true, "flags": true, "replace_string": true, "trim_strings": true, "placement": true, "target": true,
	"substitute_macros": true, "min_depth": true, "max_depth": true, "run_on_edit": true, "disabled": true, "sort_order": true,
}

func leftovers(row *jsondoc.Value) *jsondoc.Value {
	var out *jsondoc.Value
	put := func(name string, v *jsondoc.Value) {
		if out == nil {
			out = jsondoc.Object()
		}
		out.Set(name, v.Clone())
	}
	for k, v := range row.Members() {
		s, isText := v.Text()
		switch {
		case mapped[k], v.IsNull(), isText && s == "":
		case k == "scope" && (s == "global" || s == "character" && (row.Get("scope_id") == nil || row.Get("scope_id").IsNull())):
		case (v.Kind() == jsondoc.KindArray || v.Kind() == jsondoc.KindObject) && v.Len() == 0:
		case k == "metadata" && v.Kind() == jsondoc.KindObject:
			if m := ownMetadata(v); m.Len() > 0 {
				put(k, m)
			}
		default:
			put(k, v)
		}
	}
	for _, x := range []struct {
		member, name string
		words        regex.Words
	}{{"placement", unmappedPlacements, phaseWords}, {"target", unmappedTargets, targetWords}} {
		if _, unknown := x.words.Read(row.Get(x.member)); len(unknown) > 0 {
			list := jsondoc.Array()
			for _, u := range unknown {
				list.AppendElem(u.Clone())
			}
			put(x.name, list)
		}
	}
	return out
}

// ownMetadata is a script's metadata without what the app notes down for itself and what is parked there.
func ownMetadata(v *jsondoc.Value) *jsondoc.Value {
	out := jsondoc.Object()
	for k, m := range v.Members() {
		s, _ := m.Text()
		if k == "bunzai" || k == "regex_performance" || k == "source" && (s == "card_bundle" || s == "charx_bundle") {
			continue
		}
		out.Set(k, m.Clone())
	}
	return out
}

func putLeftover(row *jsondoc.Value, r *rule, name string, v *jsondoc.Value) {
	words := func(member string, w regex.Words) {
		list, _ := w.Read(row.Get(member))
		row.Set(member, w.Write(row.Get(member), list, v))
	}
	switch {
	case name == unmappedPlacements:
		words("placement", phaseWords)
	case name == unmappedTargets:
		words("target", targetWords)
	case name == "metadata":
		m := row.Get("metadata")
		if m.Kind() != jsondoc.KindObject {
			if v != nil {
				row.Set("metadata", v)
			}
			return
		}
		for k := range ownMetadata(m).Members() {
			if v.Get(k) == nil {
				m.Delete(k)
			}
		}
		for k, x := range v.Members() {
			if !jsondoc.Equal(m.Get(k), x) {
				m.Set(k, x.Clone())
			}
		}
	case v == nil:
		row.Delete(name)
	default:
		row.Set(name, v)
	}
}
