package regex

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Tavern returns the dialect of SillyTavern's script objects (its regex/engine.js) for an app that keeps them: the
// file, and extensions.regex_scripts of a card.
func Tavern(app, label string) *Dialect {
	d := &Dialect{ID: "tavern", App: app, Label: label, Park: []string{"bunzai"}, IDKey: "id", Order: true}
	text := fieldmap.Text()
	d.Rows = fieldmap.Map[Rule]{
		fieldmap.New("label", fieldmap.Plain(func(r *Rule) *string { return &r.Label }), fieldmap.At("scriptName", text.Required(fieldmap.EmptyText))),
		d.Parked("note", func(r *Rule) **string { return &r.Note }),
		stFindRow(),
		stFlagsRow(d),
		stReplaceRow().Noted("SillyTavern has no way to write a dollar before a digit, nor the text before or behind a match"),
		fieldmap.New("trimStrings", fieldmap.Slice(func(r *Rule) *[]string { return &r.TrimStrings }, func(a, b string) bool { return a == b }), fieldmap.At("trimStrings", fieldmap.TextList("").Required(fieldmap.EmptyList))),
		stPhasesRow(d),
		stTargetsRow(d),
		stMacrosRow(d),
		fieldmap.New("minDepth", Numeral(func(r *Rule) **float64 { return &r.MinDepth }), fieldmap.At("minDepth", fieldmap.Number().Required(jsondoc.Null))),
		fieldmap.New("maxDepth", Numeral(func(r *Rule) **float64 { return &r.MaxDepth }), fieldmap.At("maxDepth", fieldmap.Number().Required(jsondoc.Null))),
		fieldmap.New("runOnEdit", fieldmap.Ptr(func(r *Rule) **bool { return &r.RunOnEdit }), fieldmap.At("runOnEdit", fieldmap.Bool())),
		fieldmap.New("enabled", fieldmap.Ptr(func(r *Rule) **bool { return &r.Enabled }), fieldmap.At("disabled", fieldmap.Not())),
		Leftovers{Of: stLeftovers, Put: stPutLeftover, Owners: Owners}.Row(d),
	}
	d.Bad = func(row *jsondoc.Value) string {
		if s, ok := row.Get("scriptName").Text(); ok && strings.TrimSpace(s) != "" {
			return ""
		}
		return "has no scriptName, and SillyTavern takes no script without a name"
	}
	d.Read = func(row *jsondoc.Value, r *Rule, warn fieldmap.Warn) {
		if r.Targets == nil {
			r.Targets = []string{"response"} // neither switch is there
		}
		if row.Get("placement") == nil {
			warn("placement", "is missing, and SillyTavern needs it; the script runs nowhere")
		}
		if s, ok := row.Get("findRegex").Text(); ok {
			if _, _, _, odd := Split(s); odd != "" {
				warn("findRegex", odd)
			}
		}
		if canonical.Or(r.SubstituteFind, canonical.SubstituteNone) != canonical.SubstituteNone && strings.Contains(r.Find, "{{") {
			return // what it is after its macros is not known here
		}
		if why := Broken(r.Find, canonical.Or(r.Flags, "")); why != "" {
			warn("findRegex", why)
		}
	}
	d.New = func(r *Rule, index int, taken func(id string) bool) *jsondoc.Value {
		v := jsondoc.Object()
		v.Set("id", jsondoc.String(stID(r, index, taken)))
		for _, n := range []string{"scriptName", "findRegex", "replaceString"} {
			v.Set(n, jsondoc.String(""))
		}
		v.Set("trimStrings", jsondoc.Array())
		v.Set("placement", jsondoc.Array())
		for _, n := range []string{"disabled", "markdownOnly", "promptOnly"} {
			v.Set(n, jsondoc.Bool(false))
		}
		v.Set("runOnEdit", jsondoc.Bool(true))
		v.Set("substituteRegex", jsondoc.Int(0))
		v.Set("minDepth", jsondoc.Null())
		v.Set("maxDepth", jsondoc.Null())
		if strings.TrimSpace(r.Label) == "" {
			v.Set("scriptName", jsondoc.String("Rule "+strconv.Itoa(index+1)))
		}
		return v
	}
	return d
}

// stID is the rule's own id when it is a UUID, else one made of what the rule says: the same rule gets the same id.
func stID(r *Rule, index int, taken func(id string) bool) string {
	if isUUID(r.ID) && !taken(r.ID) {
		return r.ID
	}
	for n := index; ; n++ {
		h := sha256.Sum256([]byte(strings.Join([]string{"bunzai regex script", strconv.Itoa(n), r.ID, r.Label, r.Find, canonical.Or(r.Flags, ""), r.Replace}, "\x00")))
		h[6], h[8] = h[6]&0x0f|0x40, h[8]&0x3f|0x80
		x := hex.EncodeToString(h[:16])
		if id := x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]; !taken(id) {
			return id
		}
	}
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') || !dash && strings.IndexByte("0123456789abcdefABCDEF", s[i]) < 0 {
			return false
		}
	}
	return true
}

const stFlagSet = "gmixXsuUAJ"

func stFlagsNear(flags string) (n, after, why string) {
	kept, left := Flags(flags, stFlagSet)
	if left == "" {
		return flags, "", ""
	}
	return kept, kept, "SillyTavern does not take the flags " + left + "; they are kept for the way back"
}

func stFindRow() fieldmap.Row[Rule] {
	return fieldmap.Custom("find", "findRegex", []string{"findRegex"},
		func(row *jsondoc.Value, r *Rule, warn fieldmap.Warn) {
			v := row.Get("findRegex")
			if v == nil || v.IsNull() {
				return
			}
			t, odd := fieldmap.Text().Read(v)
			if odd != "" {
				warn("findRegex", odd)
			}
			if t != nil {
				r.Find, _, _, _ = Split(*t)
			}
		},
		func(a, b *Rule) bool { return a.Find == b.Find },
		func(row *jsondoc.Value, r *Rule, _ fieldmap.Near) { stPutFind(row, r) })
}

func stPutFind(row *jsondoc.Value, r *Rule) {
	old, _ := row.Get("findRegex").Text()
	flags, _, _ := stFlagsNear(canonical.Or(r.Flags, "g"))
	row.Set("findRegex", jsondoc.String(Join(old, r.Find, flags)))
}

func stFlagsRow(d *Dialect) fieldmap.Row[Rule] {
	return Rough[string]{Path: "flags", Wire: "findRegex", Acc: fieldmap.Ptr(func(r *Rule) **string { return &r.Flags }), Exact: TextExact(),
		Read: func(row *jsondoc.Value) (string, bool, string) {
			s, ok := row.Get("findRegex").Text()
			_, flags, _, _ := Split(s)
			return flags, ok, ""
		},
		Write: func(row *jsondoc.Value, r *Rule, _ string) { stPutFind(row, r) },
		Clear: stPutFind,
		Near:  stFlagsNear,
	}.Row(d)
}

func stReplaceRow() fieldmap.Row[Rule] {
	return fieldmap.Custom("replace", "replaceString", []string{"replaceString"},
		func(row *jsondoc.Value, r *Rule, warn fieldmap.Warn) {
			v := row.Get("replaceString")
			if v == nil || v.IsNull() {
				return
			}
			t, odd := fieldmap.Text().Read(v)
			if odd != "" {
				warn("replaceString", odd)
			}
			if t != nil {
				r.Replace = FromTavern(*t)
			}
		},
		func(a, b *Rule) bool { return a.Replace == b.Replace },
		func(row *jsondoc.Value, r *Rule, _ fieldmap.Near) {
			whole := wholeMatch
			if old, ok := row.Get("replaceString").Text(); ok && strings.Contains(old, "$0") && !strings.Contains(strings.ToLower(old), wholeMatch) {
				whole = "$0"
			}
			row.Set("replaceString", jsondoc.String(ToTavern(r.Replace, whole)))
		})
}

// phases in canonical order, with SillyTavern's numbers.
var stPhases = []string{canonical.PhaseInput, canonical.PhaseOutput, canonical.PhaseSlash, canonical.PhaseLorebook, canonical.PhaseReasoning}
var stNumbers = map[string]int64{canonical.PhaseInput: 1, canonical.PhaseOutput: 2, canonical.PhaseSlash: 3, canonical.PhaseLorebook: 5, canonical.PhaseReasoning: 6}

// Numbers of old: 0 was the display of Markdown, 4 was /sendas.
const (
	oldDisplay = 0
	oldSendAs  = 4
)

func numberOf(v *jsondoc.Value) (int64, bool) {
	f, _ := fieldmap.Number().Read(v)
	if f == nil || *f != math.Trunc(*f) || math.Abs(*f) > 1e6 {
		return 0, false
	}
	return int64(*f), true
}

func isNumber(n int64) func(v *jsondoc.Value) bool {
	return func(v *jsondoc.Value) bool { k, ok := numberOf(v); return ok && k == n }
}

var stWords = Words{
	Known: stPhases,
	Wire:  func(w string) *jsondoc.Value { return jsondoc.Int(stNumbers[w]) },
	Canon: func(v *jsondoc.Value) (string, bool) {
		k, ok := numberOf(v)
		for w, n := range stNumbers {
			if ok && n == k {
				return w, true
			}
		}
		return "", false
	},
	Gone: func(v *jsondoc.Value) bool { k, ok := numberOf(v); return ok && (k == oldDisplay || k == oldSendAs) },
}

// stPlaces reads placement as the app upgrades it: 0 goes and makes the script one of the display and the prompt, alone
// it stands for every place; 4 goes, alone it stands for slash commands.
func stPlaces(row *jsondoc.Value) (words []string, unknown []*jsondoc.Value, display bool) {
	all := elems(row.Get("placement"))
	words, unknown = stWords.Read(row.Get("placement"))
	display = slices.ContainsFunc(all, isNumber(oldDisplay))
	switch {
	case display && len(all) == 1:
		words = slices.Clone(stPhases)
	case slices.ContainsFunc(all, isNumber(oldSendAs)) && len(words)+len(unknown) == 0:
		words = []string{canonical.PhaseSlash}
	}
	return words, unknown, display
}

// stUpgrade writes placement without numbers of old, and the switches that they stood for.
func stUpgrade(row *jsondoc.Value, words []string, unknown *jsondoc.Value) {
	_, _, display := stPlaces(row)
	row.Set("placement", stWords.Write(row.Get("placement"), words, unknown))
	if display {
		row.Set("markdownOnly", jsondoc.Bool(true))
		row.Set("promptOnly", jsondoc.Bool(true))
	}
}

func unknownPlaces(r *Rule, app string) *jsondoc.Value {
	return r.Extras.At(app, unmappedPlacements)
}

func listOf(vs []*jsondoc.Value) *jsondoc.Value {
	list := jsondoc.Array()
	for _, v := range vs {
		list.AppendElem(v.Clone())
	}
	return list
}

const unmappedPlacements = "unmappedPlacements"

func stPhasesRow(d *Dialect) fieldmap.Row[Rule] {
	return Rough[[]string]{Path: "phases", Wire: "placement", Acc: Texts(func(r *Rule) *[]string { return &r.Phases }), Exact: ListExact(),
		Covers: []string{"markdownOnly", "promptOnly"},
		Read: func(row *jsondoc.Value) ([]string, bool, string) {
			v := row.Get("placement")
			odd := ""
			if v != nil && v.Kind() != jsondoc.KindArray {
				odd = "is " + v.Kind().String() + " where a list of numbers is expected"
			}
			words, _, _ := stPlaces(row)
			return words, v != nil, odd
		},
		Write: func(row *jsondoc.Value, r *Rule, words []string) { stUpgrade(row, words, unknownPlaces(r, d.App)) },
		Clear: func(row *jsondoc.Value, r *Rule) { stUpgrade(row, nil, unknownPlaces(r, d.App)) },
		Near: func(words []string) ([]string, string, string) {
			in, others := Only(words, stPhases)
			if len(others) == 0 {
				return in, "", ""
			}
			return in, orNothing(in), "SillyTavern has no place for " + strings.Join(others, ", ") + "; the script does not run there, and the place is kept for the way back"
		},
	}.Row(d)
}

func orNothing(words []string) string {
	if len(words) == 0 {
		return "nowhere"
	}
	return strings.Join(words, ", ")
}

// Targets in canonical order.
var Targets = []string{"prompt", "response", "display"}

// stTargetsRow: neither switch changes the stored text, either or both only what is shown or sent.
func stTargetsRow(d *Dialect) fieldmap.Row[Rule] {
	sw := func(row *jsondoc.Value, name string) bool {
		b, _ := fieldmap.Bool().Read(row.Get(name))
		return b != nil && *b
	}
	return Rough[[]string]{Path: "targets", Wire: "markdownOnly, promptOnly", Acc: Texts(func(r *Rule) *[]string { return &r.Targets }), Exact: ListExact(),
		Covers: []string{"markdownOnly", "promptOnly", "placement"},
		Read: func(row *jsondoc.Value) ([]string, bool, string) {
			shown, sent := sw(row, "markdownOnly"), sw(row, "promptOnly")
			if _, _, display := stPlaces(row); display {
				shown, sent = true, true
			}
			out := []string{}
			if sent {
				out = append(out, "prompt")
			}
			if shown {
				out = append(out, "display")
			}
			if !shown && !sent {
				out = append(out, "response")
			}
			return out, true, ""
		},
		Write: func(row *jsondoc.Value, _ *Rule, t []string) {
			if words, unknown, display := stPlaces(row); display {
				stUpgrade(row, words, listOf(unknown))
			}
			for _, x := range [][2]string{{"markdownOnly", "display"}, {"promptOnly", "prompt"}} {
				if want := slices.Contains(t, x[1]); sw(row, x[0]) != want || row.Get(x[0]) == nil {
					row.Set(x[0], jsondoc.Bool(want))
				}
			}
		},
		Clear: func(row *jsondoc.Value, _ *Rule) {
			if words, unknown, display := stPlaces(row); display {
				stUpgrade(row, words, listOf(unknown))
			}
			row.Set("markdownOnly", jsondoc.Bool(false))
			row.Set("promptOnly", jsondoc.Bool(false))
		},
		Near: func(t []string) ([]string, string, string) {
			in, others := Only(t, Targets)
			switch {
			case len(others) == 0 && (len(in) == 1 || slices.Equal(in, []string{"prompt", "display"})):
				return in, "", ""
			case len(others) > 0 && !slices.Contains(in, "response") && len(in) > 0:
				return in, strings.Join(in, ", "), "SillyTavern does not know " + strings.Join(others, ", ") + "; it is kept for the way back"
			}
			return []string{"response"}, "response", "a script that changes the stored text does so for both views in SillyTavern; what was asked for is kept for the way back"
		},
	}.Row(d)
}

var stModes = []string{canonical.SubstituteNone, canonical.SubstituteRaw, canonical.SubstituteEscaped}

func stMacrosRow(d *Dialect) fieldmap.Row[Rule] {
	return Rough[string]{Path: "substituteFind", Wire: "substituteRegex", Acc: fieldmap.Ptr(func(r *Rule) **string { return &r.SubstituteFind }), Exact: TextExact(),
		Read: func(row *jsondoc.Value) (string, bool, string) {
			v := row.Get("substituteRegex")
			if v == nil || v.IsNull() {
				return "", false, ""
			}
			if b, ok := v.Bool(); ok {
				if b {
					return canonical.SubstituteRaw, true, ""
				}
				return canonical.SubstituteNone, true, ""
			}
			if n, ok := numberOf(v); ok && n >= 0 && n < int64(len(stModes)) {
				return stModes[n], true, ""
			}
			return "", false, "is " + string(v.Raw()) + ", which is no way of filling macros that SillyTavern knows; it is kept, and counts as none"
		},
		Write: func(row *jsondoc.Value, _ *Rule, t string) {
			n := max(slices.Index(stModes, t), 0)
			if _, ok := row.Get("substituteRegex").Bool(); ok && n < 2 {
				row.Set("substituteRegex", jsondoc.Bool(n == 1))
				return
			}
			row.Set("substituteRegex", jsondoc.Int(int64(n)))
		},
		Clear: func(row *jsondoc.Value, _ *Rule) { row.Delete("substituteRegex") },
		Near: func(t string) (string, string, string) {
			if slices.Contains(stModes, t) {
				return t, "", ""
			}
			return canonical.SubstituteNone, canonical.SubstituteNone, "SillyTavern does not fill macros in this way (" + t + "); it is kept for the way back"
		},
	}.Row(d)
}

// stKnown are the members that the rows speak of.
var stKnown = map[string]bool{
	"id": true, "scriptName": true, "findRegex": true, "replaceString": true, "trimStrings": true, "placement": true, "disabled": true,
	"markdownOnly": true, "promptOnly": true, "runOnEdit": true, "substituteRegex": true, "minDepth": true, "maxDepth": true, "bunzai": true,
}

func stLeftovers(row *jsondoc.Value) *jsondoc.Value {
	var out *jsondoc.Value
	put := func(name string, v *jsondoc.Value) {
		if out == nil {
			out = jsondoc.Object()
		}
		out.Set(name, v.Clone())
	}
	for k, v := range row.Members() {
		if !stKnown[k] {
			put(k, v)
		}
	}
	if _, unknown, _ := stPlaces(row); len(unknown) > 0 {
		put(unmappedPlacements, listOf(unknown))
	}
	return out
}

func stPutLeftover(row *jsondoc.Value, _ *Rule, name string, v *jsondoc.Value) {
	switch {
	case name == unmappedPlacements:
		words, _, _ := stPlaces(row)
		stUpgrade(row, words, v)
	case v == nil:
		row.Delete(name)
	default:
		row.Set(name, v)
	}
}
