package sillytavern

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// The answers to a preset's choices reach SillyTavern as variables: a prompt that stands first sets each with
// {{setvar::name::value}}, and prompts read them with {{getvar::name}}, the two macros that every version has, with the
// old engine as with the new one (public/scripts/variables.js, public/scripts/macros). {{trim}} takes the line breaks
// away, so that the prompt itself sends nothing. The values are set anew for every message, as the app that the choices
// come from does it; a condition around them would be text to the old engine, and would hold a chat to its first answer.
//
// What setvar cannot hold in both engines (a value with a macro, with "::", or with blanks around it) stands in the
// prompts themselves, where they read it.
//
// On the way in the prompt is folded back into the choices, with the values that were edited in it. One that says
// anything else is a prompt like any other.
const (
	variablesID   = "bunzai-variables"
	variablesName = "Variables"
	trimMacro     = "{{trim}}"
)

const (
	inlined  = "SillyTavern's {{setvar}} cannot hold this value in every version, so its text stands where the prompts read it"
	nameless = "SillyTavern knows an answer only as a variable, and this choice has none"
)

// maxInlined bounds what values put into prompts add to a preset.
const maxInlined = 4 << 20

// answer is what a choice comes to.
type answer struct {
	choice int // its place in the list
	name   string
	value  string
	set    bool // by setvar; otherwise it stands in the prompts
}

// answers are the answers that count, in the order in which they are set.
type answers struct {
	list []answer
	at   map[string]int // by name
}

func answersOf(p *canonical.Preset) answers {
	out := answers{at: map[string]int{}}
	if len(p.Choices) == 0 {
		return out
	}
	off := map[string]bool{}
	for i := range p.Prompts {
		off[p.Prompts[i].ID] = !canonical.Or(p.Prompts[i].Enabled, true)
	}
	// Of two of one name the last counts whose prompt is on.
	for _, skip := range []bool{true, false} {
		for i := range p.Choices {
			c := &p.Choices[i]
			block, _ := c.Extras.Get("block").Text()
			name := strings.TrimSpace(canonical.Or(c.Key, ""))
			if name == "" || off[block] != skip {
				continue
			}
			a := answer{choice: i, name: name, value: valueOf(c)}
			a.set = settable(a.name, a.value)
			if k, ok := out.at[name]; ok {
				out.list[k] = a
				continue
			}
			out.at[name] = len(out.list)
			out.list = append(out.list, a)
		}
	}
	return out
}

// settable reports what {{setvar::name::value}} says alike in both engines.
func settable(name, value string) bool {
	return !strings.ContainsAny(name, ":{}|\n") && value == strings.TrimSpace(value) &&
		!strings.Contains(value, "{{") && !strings.Contains(value, "}") && !strings.Contains(value, "::")
}

// valueOf is the text that a choice stands for.
func valueOf(c *canonical.Choice) string {
	text := func(o canonical.ChoiceOption) string { return canonical.Or(o.Value, o.Label) }
	s, isText := c.Default.Text()
	switch c.Type {
	case canonical.ChoiceToggle:
		if on, ok := c.Default.Bool(); ok && on || isText && s != "" && s != "0" && s != "false" {
			return "1"
		}
		return "0"
	case canonical.ChoiceOne:
		for _, o := range c.Options {
			if isText && o.ID == s {
				return text(o)
			}
		}
		if len(c.Options) > 0 {
			return text(c.Options[0])
		}
		return ""
	case canonical.ChoiceMany:
		on := map[string]bool{}
		for _, e := range c.Default.Elems() {
			id, _ := e.Text()
			on[id] = true
		}
		var parts []string
		for _, o := range c.Options {
			if on[o.ID] || isText && o.ID == s {
				parts = append(parts, text(o))
			}
		}
		return strings.Join(parts, canonical.Or(c.Separator, "\n\n"))
	}
	if !isText {
		s, _ = c.Default.Num()
	}
	return s
}

// answered is the default that gives a choice this value, nil when none does.
func answered(c *canonical.Choice, value string) *jsondoc.Value {
	switch c.Type {
	case canonical.ChoiceToggle:
		if value == "1" || value == "0" {
			return jsondoc.Bool(value == "1")
		}
		return nil
	case canonical.ChoiceOne:
		for _, o := range c.Options {
			if canonical.Or(o.Value, o.Label) == value {
				return jsondoc.String(o.ID)
			}
		}
		return nil
	case canonical.ChoiceMany:
		var ids []*jsondoc.Value
		rest, sep := value, canonical.Or(c.Separator, "\n\n")
		for _, o := range c.Options {
			after, ok := strings.CutPrefix(rest, canonical.Or(o.Value, o.Label))
			if !ok || after != "" && !strings.HasPrefix(after, sep) || value == "" {
				continue
			}
			ids, rest = append(ids, jsondoc.String(o.ID)), strings.TrimPrefix(after, sep)
		}
		x := *c
		if x.Default = jsondoc.Array(ids...); valueOf(&x) != value {
			return nil
		}
		return x.Default
	}
	return jsondoc.String(value)
}

// block is the text of the prompt that sets the variables, "" when there are none.
func (a answers) block() string {
	var b strings.Builder
	for _, x := range a.list {
		if x.set {
			b.WriteString("{{setvar::" + x.name + "::" + x.value + "}}\n")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + trimMacro
}

// readBlock takes the values out of a text that says what block writes and nothing else.
func readBlock(s string) (map[string]string, bool) {
	out := map[string]string{}
	s, ok := strings.CutSuffix(strings.TrimSpace(s), trimMacro)
	for ok {
		if s = strings.TrimSpace(s); s == "" {
			return out, len(out) > 0
		}
		if s, ok = strings.CutPrefix(s, "{{setvar::"); !ok {
			break
		}
		var in, name, value string
		if in, s, ok = strings.Cut(s, "}}"); !ok {
			break
		}
		if name, value, ok = strings.Cut(in, "::"); !ok || !settable(name, value) {
			break
		}
		if _, twice := out[name]; twice {
			break
		}
		out[name] = value
	}
	return nil, false
}

// into puts the way in which SillyTavern reads a variable in place of other apps' ways; left is what values may add yet.
func (a answers) into(s string, left *int) string {
	if len(a.list) == 0 || !strings.Contains(s, "{{") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "{{")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		n := strings.Index(s, "}}")
		if n < 0 {
			break
		}
		if k := strings.LastIndex(s[:n], "{{"); k > 0 { // the inner one of two
			b.WriteString(s[:k])
			s, n = s[k:], n-k
		}
		macro := s[:n+2]
		s = s[n+2:]
		name, ok := readsVariable(macro[2:n])
		k, known := a.at[name]
		switch {
		case !ok || !known:
			b.WriteString(macro)
		case a.list[k].set:
			b.WriteString("{{getvar::" + name + "}}")
		case *left < len(a.list[k].value):
			b.WriteString(macro)
		default:
			*left -= len(a.list[k].value)
			b.WriteString(a.list[k].value)
		}
	}
	b.WriteString(s)
	return b.String()
}

// readsVariable is the name in {{var::name}}, {{getvar::name}} and {{.name}}, however they are spelled.
func readsVariable(in string) (string, bool) {
	in = strings.TrimSpace(in)
	if s, ok := strings.CutPrefix(in, "."); ok {
		return strings.TrimSpace(s), true
	}
	macro, name, ok := strings.Cut(in, "::")
	switch strings.ToLower(strings.TrimSpace(macro)) {
	case "var", "promptvar", "presetvar", "getvar":
		return strings.TrimSpace(name), ok
	}
	return "", false
}

var heldContent = []string{"bunzai", "content"}

// fold takes what wire adds out of the body: d.body is then what the preset says, d.raw what its file does.
func (d *decoded) fold() {
	d.raw = d.body
	if len(d.body.Choices) == 0 {
		return
	}
	p := *d.body
	p.Prompts = slices.Clone(p.Prompts)
	a := answersOf(&p)
	for i := range p.Prompts {
		if strings.HasPrefix(p.Prompts[i].ID, variablesID) && d.foldBlock(&p, a, i) {
			a = answersOf(&p)
			break
		}
	}
	left := maxInlined
	for i := range p.Prompts { // as wire goes through them
		x := &p.Prompts[i]
		s, ok := d.rows[x.ID].At(heldContent...).Text()
		before := left
		if ok && a.into(s, &left) == x.Content {
			x.Content = s
			continue
		}
		left = before
		a.into(x.Content, &left)
	}
	d.body = &p
}

func (d *decoded) foldBlock(p *canonical.Preset, a answers, at int) bool {
	values, ok := readBlock(p.Prompts[at].Content)
	if !ok {
		return false
	}
	choices := slices.Clone(p.Choices)
	for _, x := range a.list {
		value, ok := values[x.name]
		if ok != x.set {
			return false
		}
		delete(values, x.name)
		if !ok || value == x.value {
			continue
		}
		if choices[x.choice].Default = answered(&choices[x.choice], value); choices[x.choice].Default == nil {
			return false
		}
	}
	if len(values) > 0 {
		return false
	}
	block := p.Prompts[at]
	d.block, d.blockAt = &block, at
	p.Choices = choices
	p.Prompts = slices.Delete(p.Prompts, at, at+1)
	return true
}

// wire is the preset as the file has it: with the prompt that sets the variables, read as SillyTavern reads them.
// Added is where that prompt stands, -1 for nowhere; d is what the file says so far.
func (d *decoded) wire(now *canonical.Preset, near fieldmap.Near) (out *canonical.Preset, added int) {
	if len(now.Choices) == 0 && d.block == nil && len(d.body.Choices) == 0 {
		return now, -1
	}
	a, was := answersOf(now), answersOf(d.body)
	same := len(now.Choices) == len(d.body.Choices)
	for i := 0; same && i < len(now.Choices); i++ {
		eq, err := canonical.Same(&now.Choices[i], &d.body.Choices[i])
		same = eq && err == nil
	}
	if !same {
		tellAnswers(now, a, near)
	}
	old, raw := map[string]*prompt{}, map[string]*prompt{}
	for i := range d.body.Prompts {
		old[d.body.Prompts[i].ID] = &d.body.Prompts[i]
	}
	for i := range d.raw.Prompts {
		raw[d.raw.Prompts[i].ID] = &d.raw.Prompts[i]
	}
	p := *now
	p.Prompts = slices.Clone(now.Prompts)
	d.held = make([]string, len(p.Prompts))
	left := maxInlined
	for i := range p.Prompts {
		x := &p.Prompts[i]
		before := left
		text := a.into(x.Content, &left)
		if o := old[x.ID]; o != nil && o.Content == x.Content {
			if same || was.into(o.Content, &before) == text {
				if x.Content = raw[x.ID].Content; x.Content != o.Content {
					d.held[i] = o.Content
				}
				continue
			}
		}
		if text != x.Content {
			d.held[i], x.Content = x.Content, text
		}
	}
	text := a.block()
	switch {
	case text == "", d.block == nil && len(d.body.Choices) > 0:
		return &p, -1
	case d.block == nil:
		d.block = &prompt{ID: variablesID, Name: variablesName, Role: canonical.Ptr("system"), SystemPrompt: canonical.Ptr(false), Marker: canonical.Ptr(false), Enabled: canonical.Ptr(true), Content: text}
		var ids canonical.IDs
		for _, x := range p.Prompts {
			ids.Use(x.ID)
		}
		for _, g := range p.Groups {
			ids.Use(g.ID)
		}
		d.block.ID = ids.Unique(variablesID)
	default:
		b := *d.block
		if text != was.block() {
			b.Content = text
		}
		d.block = &b
		if added = d.blockAt; added > 0 { // behind the prompt that it stood behind
			before := d.raw.Prompts[added-1].ID
			added = 1 + slices.IndexFunc(p.Prompts, func(x prompt) bool { return x.ID == before })
		}
	}
	p.Prompts = slices.Insert(p.Prompts, added, *d.block)
	d.held = slices.Insert(d.held, added, "")
	return &p, added
}

// keep parks the texts that wire changed beside what it wrote; row gives the prompt's row.
func (d *decoded) keep(i int, row *jsondoc.Value) {
	if i >= len(d.held) || row == nil {
		return
	}
	if now, _ := row.At(heldContent...).Text(); now == d.held[i] {
		return
	}
	if d.held[i] != "" {
		fieldmap.Put(row, heldContent, jsondoc.String(d.held[i]))
		return
	}
	if fieldmap.Drop(row, heldContent); row.Get("bunzai").Len() == 0 {
		row.Delete("bunzai")
	}
}

func tellAnswers(p *canonical.Preset, a answers, near fieldmap.Near) {
	for i := range p.Choices {
		c := &p.Choices[i]
		path := "choices[" + strconv.Itoa(i) + "].default"
		k, ok := a.at[strings.TrimSpace(canonical.Or(c.Key, ""))]
		switch {
		case c.Default == nil:
		case !ok:
			near(path, "not used", nameless)
		case a.list[k].choice != i:
			near(path, "not used", fmt.Sprintf("two choices have the variable %s, and the last that is on counts", formats.Shown(a.list[k].name)))
		case !a.list[k].set:
			near(path, "in the text of the prompts", inlined)
		}
	}
}

// choiceFields says what of a choice SillyTavern uses.
func choiceFields() []formats.Field {
	const at = "prompts[] (" + variablesID + "), {{setvar}}"
	return []formats.Field{{Path: "choices[].default", Wire: at, Reads: true}, {Path: "choices[].key", Wire: at, Reads: true}}
}
