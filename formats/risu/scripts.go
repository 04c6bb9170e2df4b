package risu

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

type rule = canonical.RegexRule

// scripts is the app's script object (customscript in its database.svelte.ts, run by scripts.ts): in its regex file,
// in modules, cards and presets. A script has one type, which says when it runs; a rule that runs at two times is two
// scripts. Flags count only with ableFlag, and hold commands between angle brackets beside the letters. An import takes
// a script as it is, so that what the app has no field for can be parked in it.
var scripts = makeScripts()

const (
	typeInput   = "editinput"
	typeOutput  = "editoutput"
	typePrompt  = "editprocess"
	typeDisplay = "editdisplay"
	typeOff     = "disabled"
)

// scriptTypes says what the types mean; a disabled script does not say any more what it was.
var scriptTypes = []struct {
	name            string
	phases, targets []string
}{
	{typeInput, []string{canonical.PhaseInput}, []string{"response"}},
	{typeOutput, []string{canonical.PhaseOutput}, []string{"response"}},
	{typePrompt, []string{canonical.PhaseInput, canonical.PhaseOutput}, []string{"prompt"}},
	{typeDisplay, []string{canonical.PhaseInput, canonical.PhaseOutput}, []string{"display"}},
	{typeOff, []string{canonical.PhaseOutput}, []string{"response"}},
}

func makeScripts() *regex.Dialect {
	d := &regex.Dialect{ID: "risu", App: "risu", Label: label, Park: []string{"bunzai"}}
	text := fieldmap.Text()
	const no = "Risu has no such field; the script keeps it for the way back"
	d.Rows = fieldmap.Map[rule]{
		fieldmap.New("label", fieldmap.Plain(func(r *rule) *string { return &r.Label }), fieldmap.At("comment", text.Required(fieldmap.EmptyText))),
		fieldmap.New("find", fieldmap.Plain(func(r *rule) *string { return &r.Find }), fieldmap.At("in", text.Required(fieldmap.EmptyText))),
		d.Parked("note", func(r *rule) **string { return &r.Note }),
		fieldmap.New("trimStrings", fieldmap.Slice(func(r *rule) *[]string { return &r.TrimStrings }, func(a, b string) bool { return a == b }), fieldmap.At("bunzai.trimStrings", fieldmap.TextList(""))).Parked(no),
		fieldmap.New("minDepth", regex.Numeral(func(r *rule) **float64 { return &r.MinDepth }), fieldmap.At("bunzai.minDepth", fieldmap.Number())).Parked(no),
		fieldmap.New("maxDepth", regex.Numeral(func(r *rule) **float64 { return &r.MaxDepth }), fieldmap.At("bunzai.maxDepth", fieldmap.Number())).Parked(no),
		fieldmap.New("runOnEdit", fieldmap.Ptr(func(r *rule) **bool { return &r.RunOnEdit }), fieldmap.At("bunzai.runOnEdit", fieldmap.Bool())).Parked(no),
	}
	d.Rows = append(d.Rows, whenGroup().Rows()...)
	d.Rows = append(d.Rows, howGroup().Rows()...)
	d.Rows = append(d.Rows, regex.Leftovers{Of: scriptLeftovers, Put: putScriptLeftover}.Row(d))
	d.Bad = func(row *jsondoc.Value) string {
		for _, n := range []string{"in", "out", "type"} {
			if row.Has(n) {
				return ""
			}
		}
		return "has no in, out and type, so it is no script of Risu's"
	}
	d.Read = readScript
	d.New = func(r *rule, _ int, _ func(id string) bool) *jsondoc.Value {
		v := jsondoc.Object()
		for _, n := range []string{"comment", "in", "out"} {
			v.Set(n, jsondoc.String(""))
		}
		v.Set("type", jsondoc.String(typeOutput))
		return v
	}
	d.Companions = companions
	d.Companion = func(script, row *jsondoc.Value) bool {
		if row.Get("bunzai").Len() == 0 {
			return false
		}
		if part, _ := row.At("bunzai", "part").Bool(); !part {
			return false
		}
		for _, n := range []string{"in", "out", "comment", "flag", "ableFlag"} {
			if !jsondoc.Equal(script.Get(n), row.Get(n)) {
				return false // it was edited: a script of its own now
			}
		}
		return true
	}
	return d
}

// whenGroup: the type. Near tells once, at the first field that differs.
func whenGroup() *fieldmap.Group[rule] {
	phases, targets := regex.Texts(func(r *rule) *[]string { return &r.Phases }), regex.Texts(func(r *rule) *[]string { return &r.Targets })
	g := &fieldmap.Group[rule]{Wire: "type", Park: []string{"bunzai"}, Covers: []string{"type"}, Members: []fieldmap.Member[rule]{
		fieldmap.MemberOf("phases", phases, regex.ListExact()),
		fieldmap.MemberOf("targets", targets, regex.ListExact()),
		fieldmap.MemberOf("enabled", fieldmap.Ptr(func(r *rule) **bool { return &r.Enabled }), fieldmap.Bool()),
	}}
	g.Derive = func(obj *jsondoc.Value, r *rule, warn fieldmap.Warn) {
		kind, ok := obj.Get("type").Text()
		r.Enabled = canonical.Ptr(kind != typeOff)
		for _, t := range scriptTypes {
			if t.name == kind {
				r.Phases, r.Targets = slices.Clone(t.phases), slices.Clone(t.targets)
				return
			}
		}
		r.Phases = []string{}
		switch {
		case !ok:
			warn("type", "is missing, so the script runs nowhere")
		case kind == "edittrans":
			warn("type", "is edittrans: the script changes translations, and no other app has such scripts")
		default:
			warn("type", "is "+strconv.Quote(kind)+", which Risu does not know; the script runs nowhere")
		}
	}
	g.Put = func(obj *jsondoc.Value, r *rule, near fieldmap.Near) {
		now := &rule{}
		g.Derive(obj, now, func(string, string) {})
		if g.Same(now, r) {
			return
		}
		kinds, path, why := typesOf(r)
		if why != "" {
			near(path, strings.Join(kinds, " and "), why+"; what was asked for is kept for the way back")
		}
		obj.Set("type", jsondoc.String(kinds[0]))
	}
	return g
}

// typesOf is how Risu runs a rule: the types of its scripts, and what is not as asked, with the field that asks it.
func typesOf(r *rule) (types []string, path, why string) {
	if !canonical.Or(r.Enabled, true) {
		return []string{typeOff}, "", ""
	}
	in, others := regex.Only(r.Phases, []string{canonical.PhaseInput, canonical.PhaseOutput})
	if r.Phases == nil && r.Targets == nil {
		return []string{typeOutput}, "", ""
	}
	in2, odd := regex.Only(r.Targets, regex.Targets)
	stored := len(in2) == 0 || slices.Contains(in2, "response")
	display, prompt := slices.Contains(in2, "display") || slices.Contains(others, canonical.PhaseDisplay), slices.Contains(in2, "prompt")
	for _, p := range []string{canonical.PhasePrompt, canonical.PhaseRequest} {
		prompt = prompt || slices.Contains(others, p)
	}
	switch {
	case len(in) == 0 && !display && !prompt || len(in) == 0 && len(r.Phases) > 0 && !slices.ContainsFunc(others, func(p string) bool {
		return p == canonical.PhaseDisplay || p == canonical.PhasePrompt || p == canonical.PhaseRequest
	}):
		if len(r.Phases) == 0 {
			return []string{typeOff}, "phases", "the script runs nowhere, and Risu has no script without a time to run"
		}
		return []string{typeOff}, "phases", "Risu has no scripts for " + strings.Join(others, ", ")
	case stored && len(in) > 0:
		for _, p := range in {
			types = append(types, map[string]string{canonical.PhaseInput: typeInput, canonical.PhaseOutput: typeOutput}[p])
		}
		switch {
		case len(others) > 0:
			return types, "phases", "Risu has no scripts for " + strings.Join(others, ", ")
		case len(in2) > 1 || len(odd) > 0:
			return types, "targets", "a script that changes the stored text does so for both views in Risu"
		}
		return types, "", ""
	}
	if display {
		types = append(types, typeDisplay)
	}
	if prompt {
		types = append(types, typePrompt)
	}
	if len(types) == 0 {
		return []string{typeOff}, "targets", "Risu does not know " + strings.Join(odd, ", ")
	}
	if len(in) == 1 || len(others) > 0 {
		return types, "phases", "Risu shows and sends all messages alike: the script runs for those of both sides and nowhere else"
	}
	return types, "", ""
}

// companions are the further scripts of a rule that Risu runs at two times.
func companions(r *rule, script *jsondoc.Value) (out []*jsondoc.Value) {
	types, _, _ := typesOf(r)
	for _, t := range types[1:] {
		v := script.Clone()
		v.Set("type", jsondoc.String(t))
		mark := jsondoc.Object()
		mark.Set("part", jsondoc.Bool(true))
		v.Set("bunzai", mark)
		out = append(out, v)
	}
	return out
}

// flagText is the member flag taken apart.
type flagText struct {
	letters string   // what stands outside the brackets
	tags    []string // "<order 3>", as they stand
	actions []string // what stands inside, cut at commas
}

func parseFlag(s string) (f flagText) {
	for s != "" {
		i := strings.IndexByte(s, '<')
		end := -1
		if i >= 0 {
			end = strings.IndexByte(s[i:], '>')
		}
		if end < 2 {
			f.letters += s
			break
		}
		f.letters += s[:i]
		f.tags = append(f.tags, s[i:i+end+1])
		for _, a := range strings.Split(s[i+1:i+end], ",") {
			f.actions = append(f.actions, strings.TrimSpace(a))
		}
		s = s[i+end+1:]
	}
	return f
}

// flagsIn is what counts of a script's flags: nothing without ableFlag.
func flagsIn(row *jsondoc.Value) flagText {
	if on, _ := fieldmap.Bool().Read(row.Get("ableFlag")); on == nil || !*on {
		return flagText{}
	}
	s, _ := row.Get("flag").Text()
	return parseFlag(s)
}

// effective are the flags that the app gives to the pattern.
func (f flagText) effective() string {
	s := f.letters
	if s == "" {
		return "g"
	}
	if s, _ = regex.Flags(s, "dgimsuvy"); s == "" {
		return "u"
	}
	return s
}

func (f flagText) has(action string) bool { return slices.Contains(f.actions, action) }

// order is N of <order N>: scripts with a higher one run first, and without one it is 0.
func (f flagText) order() (n float64, ok bool) {
	for _, a := range f.actions {
		if rest, is := strings.CutPrefix(a, "order "); is {
			if k, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 53); err == nil {
				n, ok = float64(k), true
			}
		}
	}
	return n, ok
}

// without leaves actions out.
func (f flagText) without(drop func(action string) bool) flagText {
	out := flagText{letters: f.letters}
	for _, t := range f.tags {
		var kept []string
		for _, a := range strings.Split(t[1:len(t)-1], ",") {
			if !drop(strings.TrimSpace(a)) {
				kept = append(kept, a)
			}
		}
		if len(kept) > 0 {
			out = out.with(strings.Join(kept, ","))
		}
	}
	return out
}

func (f flagText) with(actions string) flagText {
	f.tags = append(slices.Clone(f.tags), "<"+actions+">")
	for _, a := range strings.Split(actions, ",") {
		f.actions = append(slices.Clone(f.actions), strings.TrimSpace(a))
	}
	return f
}

// ourAction reports the actions that fields speak of.
func ourAction(a string) bool {
	return a == "cbs" || a == "no_end_nl" || strings.HasPrefix(a, "order ")
}

// howGroup: the flags and what they decide with them. The app adds a line break behind a replacement that ends in ">"
// unless the flags say no_end_nl, writes a line break for $n and the whole match for {{data}}.
func howGroup() *fieldmap.Group[rule] {
	str := func(f func(r *rule) **string) fieldmap.Access[rule, string] { return fieldmap.Ptr(f) }
	g := &fieldmap.Group[rule]{Wire: "flag", Park: []string{"bunzai"}, Covers: []string{"flag", "ableFlag", "out"}, Members: []fieldmap.Member[rule]{
		fieldmap.MemberOf("replace", fieldmap.Plain(func(r *rule) *string { return &r.Replace }), fieldmap.Text()),
		fieldmap.MemberOf("flags", str(func(r *rule) **string { return &r.Flags }), fieldmap.Text()),
		fieldmap.MemberOf("useFlags", fieldmap.Ptr(func(r *rule) **bool { return &r.UseFlags }), fieldmap.Bool()),
		fieldmap.MemberOf("substituteFind", str(func(r *rule) **string { return &r.SubstituteFind }), fieldmap.Text()),
		fieldmap.MemberOf("sortOrder", regex.Numeral(func(r *rule) **float64 { return &r.SortOrder }), fieldmap.Number()),
	}}
	g.Derive = func(obj *jsondoc.Value, r *rule, warn fieldmap.Warn) {
		f := flagsIn(obj)
		if v := obj.Get("out"); v != nil && !v.IsNull() {
			t, odd := fieldmap.Text().Read(v)
			if odd != "" {
				warn("out", odd)
			}
			if t != nil {
				r.Replace = fromRisu(*t, f)
			}
		}
		r.Flags = canonical.Ptr(f.effective())
		if s, _ := obj.Get("flag").Text(); s != "" {
			if on, _ := fieldmap.Bool().Read(obj.Get("ableFlag")); on == nil || !*on {
				r.UseFlags = canonical.Ptr(false)
			}
		}
		r.SubstituteFind = canonical.Ptr(canonical.SubstituteNone)
		if f.has("cbs") {
			r.SubstituteFind = canonical.Ptr(canonical.SubstituteRaw)
		}
		if n, ok := f.order(); ok {
			r.SortOrder = canonical.Ptr(-n)
		}
	}
	g.Put = func(obj *jsondoc.Value, r *rule, near fieldmap.Near) {
		now := &rule{}
		g.Derive(obj, now, func(string, string) {})
		if g.Same(now, r) {
			return
		}
		f := flagsIn(obj)
		if flags := canonical.Or(r.Flags, "g"); flags != f.effective() {
			kept, left := regex.Flags(flags, "dgimsuvy")
			f.letters = kept
			if left != "" {
				near("flags", kept, "Risu does not take the flags "+strconv.Quote(left)+"; they are kept for the way back")
			}
			if kept == "" {
				f.letters = "u" // with no letter the app takes g
				if flags == "" {
					near("flags", "u", "Risu has no script without flags: with none it replaces every match; u is the nearest")
				}
			}
		}
		f = f.setAction("cbs", func(a string) bool { return a == "cbs" }, macros(r, near))
		if n, ok := f.order(); r.SortOrder == nil && ok || r.SortOrder != nil && (!ok || -n != *r.SortOrder) {
			action, want := "", false
			if r.SortOrder != nil && (ok || *r.SortOrder != 0) {
				k := math.Trunc(-*r.SortOrder)
				if k != -*r.SortOrder {
					near("sortOrder", "order "+wholeNumber(k), "Risu orders scripts by whole numbers; the exact one is kept for the way back")
				}
				action, want = "order "+wholeNumber(k), true
			}
			f = f.without(func(a string) bool { return strings.HasPrefix(a, "order ") })
			if want {
				f = f.with(action)
			}
		}
		old, _ := obj.Get("out").Text()
		out, noBreak, odd := toRisu(r.Replace, old)
		if odd != "" {
			near("replace", out, odd)
		}
		if fromRisu(old, f) == r.Replace {
			out, noBreak = old, f.has("no_end_nl")
		}
		f = f.setAction("no_end_nl", func(a string) bool { return a == "no_end_nl" }, noBreak || !strings.HasSuffix(out, ">") && f.has("no_end_nl"))
		if out != old || obj.Get("out") == nil {
			obj.Set("out", jsondoc.String(out))
		}
		before := flagsIn(obj)
		switch changed := f.letters != before.letters || !slices.Equal(f.tags, before.tags); {
		case changed && f.effective() == "g" && len(f.tags) == 0 && r.UseFlags == nil && obj.Get("flag") == nil:
		case changed, r.UseFlags != nil && *r.UseFlags && now.UseFlags != nil:
			obj.Set("flag", jsondoc.String(f.letters+strings.Join(f.tags, "")))
			obj.Set("ableFlag", jsondoc.Bool(true))
		}
	}
	return g
}

func wholeNumber(f float64) string { return strconv.FormatFloat(f+0, 'f', -1, 64) }

func (f flagText) setAction(action string, is func(string) bool, on bool) flagText {
	switch {
	case on && !f.has(action):
		return f.with(action)
	case !on && f.has(action):
		return f.without(is)
	}
	return f
}

// macros reports whether macros in the pattern are to be filled in.
func macros(r *rule, near fieldmap.Near) bool {
	switch s := canonical.Or(r.SubstituteFind, canonical.SubstituteNone); s {
	case canonical.SubstituteNone:
		return false
	case canonical.SubstituteRaw:
	default:
		near("substituteFind", canonical.SubstituteRaw, "Risu fills macros of a pattern in as they are; the other way ("+s+") is kept for the way back")
	}
	return true
}

const wholeData = "{{data}}"

// fromRisu turns a replacement into JavaScript's.
func fromRisu(out string, f flagText) string {
	s := strings.ReplaceAll(strings.ReplaceAll(out, "$n", "\n"), wholeData, "$&")
	if strings.HasSuffix(s, ">") && !f.has("no_end_nl") {
		s += "\n"
	}
	return s
}

// toRisu turns JavaScript's replacement into the app's. NoBreak says that the app must add no line break at the end.
// Old is what stands there now.
func toRisu(s, old string) (out string, noBreak bool, odd string) {
	out = s
	if rest, ok := strings.CutSuffix(out, ">\n"); ok {
		out = rest + ">"
	} else {
		noBreak = strings.HasSuffix(out, ">")
	}
	if strings.Contains(out, "$n") {
		odd = "Risu writes a line break for every $n; the exact text is kept for the way back"
	}
	if strings.Contains(out, wholeData) {
		odd = "Risu writes the whole match for every {{data}}; the exact text is kept for the way back"
	}
	if strings.Contains(old, "$n") && !strings.Contains(old, "\n") {
		out = strings.ReplaceAll(out, "\n", "$n")
	}
	if !strings.Contains(old, "$&") {
		out = plainMatch(out)
	}
	return out, noBreak, odd
}

// plainMatch writes {{data}} for every $& that stands for the whole match.
func plainMatch(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '$' && i+1 < len(s) {
			switch s[i+1] {
			case '$':
				b.WriteString("$$")
				i++
				continue
			case '&':
				b.WriteString(wholeData)
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// readScript warns of what only Risu does.
func readScript(row *jsondoc.Value, r *rule, warn fieldmap.Warn) {
	f := flagsIn(row)
	for _, a := range f.actions {
		if !ourAction(a) && a != "" {
			warn("flag", "says <"+a+">, which only Risu does")
		}
	}
	if strings.HasPrefix(r.Replace, "@@") {
		name, _, _ := strings.Cut(r.Replace, " ")
		warn("out", "is a command of Risu's ("+strconv.Quote(name)+"); another app would write it out as text")
	}
	if canonical.Or(r.SubstituteFind, canonical.SubstituteNone) != canonical.SubstituteNone && strings.Contains(r.Find, "{{") {
		return
	}
	if r.Find == "" {
		return // a heading among scripts: it does nothing
	}
	if why := regex.Broken(r.Find, canonical.Or(r.Flags, "g")); why != "" {
		warn("in", why)
	}
}

// scriptKnown are the members that the rows speak of.
var scriptKnown = map[string]bool{"comment": true, "in": true, "out": true, "type": true, "flag": true, "ableFlag": true, "bunzai": true}

// Names of leftovers that stand inside a member.
const (
	leftActions = "actions" // of flag
	leftType    = "type"    // one that means nothing elsewhere
)

func scriptLeftovers(row *jsondoc.Value) *jsondoc.Value {
	var out *jsondoc.Value
	put := func(name string, v *jsondoc.Value) {
		if out == nil {
			out = jsondoc.Object()
		}
		out.Set(name, v)
	}
	for k, v := range row.Members() {
		if !scriptKnown[k] {
			put(k, v.Clone())
		}
	}
	if kind, ok := row.Get("type").Text(); ok && !slices.ContainsFunc(scriptTypes, func(t struct {
		name            string
		phases, targets []string
	}) bool {
		return t.name == kind
	}) {
		put(leftType, jsondoc.String(kind))
	}
	if f := flagsIn(row).without(ourAction); len(f.tags) > 0 {
		put(leftActions, jsondoc.String(strings.Join(f.tags, "")))
	}
	return out
}

func putScriptLeftover(row *jsondoc.Value, _ *rule, name string, v *jsondoc.Value) {
	switch s, _ := v.Text(); {
	case name == leftActions:
		f := flagsIn(row).without(func(a string) bool { return !ourAction(a) })
		for _, t := range parseFlag(s).tags {
			f = f.with(t[1 : len(t)-1])
		}
		row.Set("flag", jsondoc.String(f.letters+strings.Join(f.tags, "")))
		row.Set("ableFlag", jsondoc.Bool(true))
	case name == leftType:
		if s != "" {
			row.Set("type", jsondoc.String(s))
		}
	case v == nil:
		row.Delete(name)
	default:
		row.Set(name, v)
	}
}
