package lumiverse

import (
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

// further are settings of a variable that ride in the choice's extras, beside its block and its kind.
var further = []string{"rows", "min", "max", "step"}

// choiceRows is a variable's definition; kind, options and default have their own code.
var choiceRows = fieldmap.Map[choice]{
	fieldmap.New("key", fieldmap.Ptr(func(c *choice) **string { return &c.Key }), fieldmap.At("name", fieldmap.Text())),
	fieldmap.New("label", fieldmap.Plain(func(c *choice) *string { return &c.Label }), fieldmap.At("label", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("readme", fieldmap.Ptr(func(c *choice) **string { return &c.Readme }), fieldmap.At("description", fieldmap.Text())),
	fieldmap.New("separator", fieldmap.Ptr(func(c *choice) **string { return &c.Separator }), fieldmap.At("separator", fieldmap.Text())),
}

type option = canonical.ChoiceOption

var optionRows = fieldmap.Map[option]{
	fieldmap.New("label", fieldmap.Plain(func(o *option) *string { return &o.Label }), fieldmap.At("label", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("value", fieldmap.Ptr(func(o *option) **string { return &o.Value }), fieldmap.At("value", fieldmap.Text().Required(fieldmap.EmptyText))),
}

var (
	choiceCover = choiceRows.Coverage("id", "type", "defaultValue", "options", "rows", "min", "max", "step")
	optionCover = optionRows.Coverage("id")
)

func choiceFields() []formats.Field {
	out := choiceRows.Fields("choices[].")
	for i := range out {
		out[i].Wire = "blocks[].variables[]." + out[i].Wire
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
		if v := l.chosen(obj, id, name); v != nil {
			c.Default = readValue(canon, v)
		}
		c.Extras = jsondoc.Object()
		c.Extras.Set("block", jsondoc.String(id))
		c.Extras.Set("type", jsondoc.String(wire))
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
			list.AppendElem(newVariable(c))
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
	if v := l.chosen(obj, o.block, o.name); v != nil && name == "" { // a variable without a name has no value of its own
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
