package lumiverse

import (
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

type choice = canonical.Choice

// variable is where a choice came from.
type variable struct {
	block, name string
	def         *jsondoc.Value
	choice      choice
}

// variableTypes are Lumiverse's kinds of a variable; the first of a type is what a new one becomes.
var variableTypes = []struct{ wire, canon string }{
	{"select", canonical.ChoiceOne}, {"multiselect", canonical.ChoiceMany}, {"switch", canonical.ChoiceToggle},
	{"text", canonical.ChoiceInput}, {"textarea", canonical.ChoiceInput}, {"number", canonical.ChoiceInput}, {"slider", canonical.ChoiceInput},
}

// creatorDefault is the default of a variable whose user chose a value; it rides in the choice's extras.
const creatorDefault = "defaultValue"

// heldDefault is where it stands while the variable has no name, without which nobody can choose.
var heldDefault = []string{"bunzai", creatorDefault}

// further are settings of a variable that ride in the choice's extras, beside its block and its kind.
var further = []string{"rows", "min", "max", "step"}

// choiceRows is a variable's definition; kind, options and default have their own code.
var choiceRows = fieldmap.Map[choice]{
	fieldmap.New("key", fieldmap.Ptr(func(c *choice) **string { return &c.Key }), fieldmap.At("name", fieldmap.Text())),
	fieldmap.New("label", fieldmap.Plain(func(c *choice) *string { return &c.Label }), fieldmap.At("label", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("readme", fieldmap.Ptr(func(c *choice) **string { return &c.Readme }), fieldmap.At("description", fieldmap.Text())),
	fieldmap.New("separator", fieldmap.Ptr(func(c *choice) **string { return &c.Separator }), fieldmap.At("separator", fieldmap.Text())),
	fieldmap.New("min", fieldmap.Ptr(func(c *choice) **float64 { return &c.Min }), fieldmap.At("bunzai.min", fieldmap.Number())).Parked(parkedChoice),
	fieldmap.New("placeholder", fieldmap.Ptr(func(c *choice) **string { return &c.Placeholder }), fieldmap.At("bunzai.placeholder", fieldmap.Text())).Parked(parkedChoice),
	fieldmap.New("suggestions", fieldmap.Slice(func(c *choice) *[]string { return &c.Suggestions }, sameText), fieldmap.At("bunzai.suggestions", fieldmap.TextList(""))).Parked(parkedChoice),
	fieldmap.New("randomPick", fieldmap.Ptr(func(c *choice) **bool { return &c.RandomPick }), fieldmap.At("bunzai.randomPick", fieldmap.Bool())).Parked(parkedChoice),
	fieldmap.New("sortOrder", fieldmap.Ptr(func(c *choice) **float64 { return &c.SortOrder }), fieldmap.At("bunzai.sortOrder", fieldmap.Number())).Parked(parkedChoice),
}

const parkedChoice = "Lumiverse's variables have no such setting; it is kept in the variable under bunzai for the way back"

func sameText(a, b string) bool { return a == b }

type option = canonical.ChoiceOption

var optionRows = fieldmap.Map[option]{
	fieldmap.New("label", fieldmap.Plain(func(o *option) *string { return &o.Label }), fieldmap.At("label", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("value", fieldmap.Ptr(func(o *option) **string { return &o.Value }), fieldmap.At("value", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("description", fieldmap.Ptr(func(o *option) **string { return &o.Description }), fieldmap.At("bunzai.description", fieldmap.Text())).Parked(parkedChoice),
	fieldmap.New("enablesPrompts", fieldmap.Slice(func(o *option) *[]string { return &o.EnablesPrompts }, sameText), fieldmap.At("bunzai.enablesPrompts", fieldmap.TextList(""))).Parked(parkedEffect),
	setRow(),
}

const parkedEffect = "a variable of Lumiverse has a value and does nothing else; it is kept in the option under bunzai for the way back"

// setRow parks what an option writes into variables.
func setRow() fieldmap.Row[option] {
	same := func(a, b *option) bool {
		return slices.EqualFunc(a.Set, b.Set, func(x, y canonical.Pair[*jsondoc.Value]) bool {
			return x.Key == y.Key && jsondoc.Equal(x.Value, y.Value)
		})
	}
	return fieldmap.Custom("set", "bunzai.set", []string{"bunzai.set"},
		func(obj *jsondoc.Value, o *option, _ fieldmap.Warn) {
			for k, v := range obj.At("bunzai", "set").Members() {
				o.Set = append(o.Set, canonical.Pair[*jsondoc.Value]{Key: k, Value: v.Clone()})
			}
		}, same,
		func(obj *jsondoc.Value, o *option, _ fieldmap.Near) {
			at := []string{"bunzai", "set"}
			if len(o.Set) == 0 {
				fieldmap.Drop(obj, at)
				return
			}
			m := jsondoc.Object()
			for _, p := range o.Set {
				m.Set(p.Key, p.Value.Clone())
			}
			fieldmap.Put(obj, at, m)
		}).Parked(parkedEffect)
}

var (
	choiceCover = choiceRows.Coverage("id", "type", "defaultValue", "options", "rows", "min", "max", "step", "bunzai.defaultValue")
	optionCover = optionRows.Coverage("id")
)

func choiceFields() []formats.Field {
	out := choiceRows.Fields("choices[].")
	for i := range out {
		out[i].Wire = "blocks[].variables[]." + out[i].Wire
	}
	for _, f := range optionRows.Fields("choices[].options[].") {
		f.Wire = "blocks[].variables[].options[]." + f.Wire
		out = append(out, f)
	}
	for _, f := range []struct{ path, wire string }{{"id", "id"}, {"type", "type"}, {"options", "options"}, {"default", "defaultValue"}, {"extras", "min, max, step, rows"}} {
		out = append(out, formats.Field{Path: "choices[]." + f.path, Wire: "blocks[].variables[]." + f.wire, Reads: true})
	}
	return append(out, formats.Field{Path: "choices", Wire: "blocks[].variables", Reads: true, Note: "a variable of Lumiverse belongs to a block; it has a value and sets nothing else"})
}

func readOptions(def *jsondoc.Value) (out []option, vals map[string]*jsondoc.Value) {
	vals = map[string]*jsondoc.Value{}
	for _, o := range def.Get("options").Elems() {
		id, ok := o.Get("id").Text()
		if !ok || vals[id] != nil {
			continue
		}
		x := option{ID: id}
		optionRows.Read(o, &x, nil)
		out, vals[id] = append(out, x), o
	}
	return out, vals
}

// readValue is a value of a variable as the model has it: a text, a list of texts, or true and false.
func readValue(canon string, v *jsondoc.Value) *jsondoc.Value {
	switch v.Kind() {
	case jsondoc.KindString, jsondoc.KindBool:
		return v.Clone()
	case jsondoc.KindArray:
		return v.Clone()
	case jsondoc.KindNumber:
		n, _ := v.Num()
		if canon == canonical.ChoiceToggle {
			return jsondoc.Bool(n != "0")
		}
		return jsondoc.String(n)
	}
	return nil
}

func writeValue(wire string, v *jsondoc.Value) *jsondoc.Value {
	switch wire {
	case "switch":
		if b, ok := v.Bool(); ok && b {
			return jsondoc.Int(1)
		}
		if s, ok := v.Text(); ok && s != "" && s != "0" && s != "false" {
			return jsondoc.Int(1)
		}
		return jsondoc.Int(0)
	case "number", "slider":
		if s, ok := v.Text(); ok {
			if n := jsondoc.NumberText(s); n != nil {
				return n
			}
		}
		return jsondoc.Int(0)
	case "multiselect":
		if s, ok := v.Text(); ok {
			return jsondoc.Array(jsondoc.String(s))
		}
		if v.Kind() != jsondoc.KindArray {
			return jsondoc.Array()
		}
		return v.Clone()
	}
	if v == nil {
		return jsondoc.String("")
	}
	return v.Clone()
}

// chosen is the user's value of a variable, nil when it has its default. Values are keyed by block and name.
func (l *loom) chosen(obj *jsondoc.Value, block, name string) *jsondoc.Value {
	return obj.At(append(strings.Split(l.at("promptVariables"), "."), block, name)...)
}

func (l *loom) readVariables(obj, block *jsondoc.Value, id string, d *decodedLoom, names *canonical.IDs, odd func(path, what string)) {
	for i, def := range block.Get("variables").Elems() {
		wire, _ := def.Get("type").Text()
		canon := ""
		for _, t := range variableTypes {
			if t.wire == wire {
				canon = t.canon
			}
		}
		if def.Kind() != jsondoc.KindObject || canon == "" {
			odd("variables["+strconv.Itoa(i)+"]", "is no variable of a known type; it is kept for the way back")
			continue
		}
		own, _ := def.Get("id").Text()
		if own == "" {
			own = id + "-" + strconv.Itoa(i)
		}
		if _, taken := d.vars[own]; taken {
			own = id + "-" + own
		}
		own = names.Unique(own)
		c := choice{ID: own, Type: canon}
		choiceRows.Read(def, &c, func(p, what string) { odd("variables["+strconv.Itoa(i)+"]."+p, what) })
		c.Options, _ = readOptions(def)
		name := canonical.Or(c.Key, "")
		c.Default = readValue(canon, def.Get("defaultValue"))
		c.Extras = jsondoc.Object()
		c.Extras.Set("block", jsondoc.String(id))
		c.Extras.Set("type", jsondoc.String(wire))
		if v := def.At(heldDefault...); v != nil {
			c.Extras.Set(creatorDefault, v.Clone())
		}
		if v := l.chosen(obj, id, name); v != nil {
			if c.Default = readValue(canon, v); def.Get("defaultValue") != nil {
				c.Extras.Set(creatorDefault, def.Get("defaultValue").Clone())
			}
		}
		for _, f := range further {
			if v := def.Get(f); v.Kind() == jsondoc.KindNumber {
				c.Extras.Set(f, v.Clone())
			}
		}
		d.vars[own] = variable{id, name, def, c}
		d.body.Choices = append(d.body.Choices, c)
	}
}

func (l *loom) writeVariables(obj *jsondoc.Value, p *canonical.Preset, was decodedLoom) {
	blocks := map[string]*jsondoc.Value{}
	first := ""
	for _, b := range l.list(obj).Elems() {
		id, _ := b.Get("id").Text()
		if blocks[id] == nil {
			blocks[id] = b
		}
		if first == "" && marker(b) != category {
			first = id
		}
	}
	kept := map[string]bool{}
	for i := range p.Choices {
		c := &p.Choices[i]
		o, ok := was.vars[c.ID]
		if ok && !kept[c.ID] {
			kept[c.ID] = true
			l.overlayVariable(obj, o, c)
			continue
		}
		id, _ := c.Extras.Get("block").Text()
		if blocks[id] == nil || marker(blocks[id]) == category {
			id = first
		}
		if b := blocks[id]; b != nil {
			list := b.Get("variables")
			if list.Kind() != jsondoc.KindArray {
				b.Set("variables", jsondoc.Array())
				list = b.Get("variables")
			}
			v := newVariable(c)
			if name, _ := v.Get("name").Text(); c.Extras.Get(creatorDefault) != nil {
				fieldmap.Put(obj, append(strings.Split(l.at("promptVariables"), "."), id, name), v.Get("defaultValue").Clone())
				v.Set("defaultValue", c.Extras.Get(creatorDefault).Clone())
			}
			list.AppendElem(v)
		}
	}
	for id, o := range was.vars {
		if kept[id] {
			continue
		}
		if b := blocks[o.block]; b != nil {
			var out []*jsondoc.Value
			n := 0
			for _, def := range b.Get("variables").Elems() {
				if n++; def != o.def {
					out = append(out, def)
				}
			}
			if len(out) < n {
				b.Get("variables").SetElems(out)
				fieldmap.Drop(obj, append(strings.Split(l.at("promptVariables"), "."), o.block, o.name))
			}
		}
	}
}

func (l *loom) overlayVariable(obj *jsondoc.Value, o variable, c *choice) {
	choiceRows.Overlay(o.def, c, &o.choice, nil, nil)
	values := strings.Split(l.at("promptVariables"), ".")
	name := canonical.Or(c.Key, "")
	if v := l.chosen(obj, o.block, o.name); v != nil && name != o.name && name != "" {
		of := obj.At(append(values[:len(values):len(values)], o.block)...)
		of.SetAfter(o.name, name, v.Clone())
		of.Delete(o.name)
	}
	wire, _ := o.def.Get("type").Text()
	if held := o.def.At(heldDefault...); held != nil && name != "" {
		fieldmap.Put(obj, append(values[:len(values):len(values)], o.block, name), o.def.Get("defaultValue").Clone())
		o.def.Set("defaultValue", held.Clone())
		if fieldmap.Drop(o.def, heldDefault); o.def.Get("bunzai").Len() == 0 {
			o.def.Delete("bunzai")
		}
	}
	if v := l.chosen(obj, o.block, o.name); v != nil && name == "" { // a variable without a name has no value of its own
		if d := o.def.Get("defaultValue"); d != nil {
			fieldmap.Put(o.def, heldDefault, d.Clone())
		}
		o.def.Set("defaultValue", writeValue(wire, c.Default))
		obj.At(append(values[:len(values):len(values)], o.block)...).Delete(o.name)
	}
	if c.Type != o.choice.Type {
		wire = wireType(c)
		o.def.Set("type", jsondoc.String(wire))
	}
	if !jsondoc.Equal(c.Default, o.choice.Default) {
		if l.chosen(obj, o.block, name) != nil {
			fieldmap.Put(obj, append(values[:len(values):len(values)], o.block, name), writeValue(wire, c.Default))
		} else {
			o.def.Set("defaultValue", writeValue(wire, c.Default))
		}
	}
	if !jsondoc.Equal(c.Extras, o.choice.Extras) {
		for _, f := range further {
			if v := c.Extras.Get(f); v.Kind() == jsondoc.KindNumber {
				o.def.Set(f, v.Clone())
			}
		}
	}
	writeOptions(o.def, o.choice.Options, c.Options)
}

// writeOptions keeps the options that stay as they are.
func writeOptions(def *jsondoc.Value, was, now []option) {
	_, vals := readOptions(def)
	old := map[string]*option{}
	for i := range was {
		old[was[i].ID] = &was[i]
	}
	same := len(was) == len(now)
	out := make([]*jsondoc.Value, len(now))
	for i := range now {
		x := &now[i]
		same = same && was[i].ID == x.ID
		if v := vals[x.ID]; v != nil {
			optionRows.Overlay(v, x, old[x.ID], nil, nil)
			out[i] = v
			continue
		}
		v := jsondoc.Object()
		v.Set("id", jsondoc.String(x.ID))
		v.Set("label", jsondoc.String(""))
		v.Set("value", jsondoc.String(""))
		optionRows.Fill(v, x, nil, nil)
		out[i] = v
	}
	if same {
		return
	}
	if def.Get("options").Kind() != jsondoc.KindArray {
		def.Set("options", jsondoc.Array())
	}
	def.Get("options").SetElems(out)
}

// wireType is the kind of variable that a choice becomes: the one it came from while that says the same.
func wireType(c *choice) string {
	own, _ := c.Extras.Get("type").Text()
	first := ""
	for _, t := range variableTypes {
		if t.canon == c.Type {
			if t.wire == own {
				return own
			}
			if first == "" {
				first = t.wire
			}
		}
	}
	if first == "" {
		return "text"
	}
	return first
}

func newVariable(c *choice) *jsondoc.Value {
	wire := wireType(c)
	v := jsondoc.Object()
	v.Set("id", jsondoc.String(c.ID))
	v.Set("name", jsondoc.String(canonical.Or(c.Key, c.ID)))
	v.Set("label", jsondoc.String(""))
	v.Set("type", jsondoc.String(wire))
	v.Set("defaultValue", writeValue(wire, c.Default))
	choiceRows.Fill(v, c, nil, nil)
	if wire == "select" || wire == "multiselect" {
		v.Set("options", jsondoc.Array())
		writeOptions(v, nil, c.Options)
	}
	for _, f := range further {
		if x := c.Extras.Get(f); x.Kind() == jsondoc.KindNumber {
			v.Set(f, x.Clone())
		}
	}
	return v
}

func variablesUnmapped(block *jsondoc.Value) (out []string) {
	for _, v := range block.Get("variables").Elems() {
		for _, p := range choiceCover.Unmapped(v) {
			out = append(out, "variables[]."+p)
		}
		for _, o := range v.Get("options").Elems() {
			for _, p := range optionCover.Unmapped(o) {
				out = append(out, "variables[].options[]."+p)
			}
		}
	}
	return out
}

// strayValues are values whose block or variable is gone; the app forgets them.
func (l *loom) strayValues(obj *jsondoc.Value, prefix string) (out []string) {
	d := l.decode(obj, func(string) {})
	known := map[[2]string]bool{}
	for _, v := range d.vars {
		known[[2]string{v.block, v.name}] = true
	}
	for block, m := range obj.At(strings.Split(l.at("promptVariables"), ".")...).Members() {
		for name := range m.Members() {
			if !known[[2]string{block, name}] {
				out = append(out, prefix+l.at("promptVariables")+"."+block+"."+name)
			}
		}
	}
	return out
}
