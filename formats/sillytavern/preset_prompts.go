package sillytavern

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/jsondoc"
)

type prompt = canonical.Prompt

const parkedPrompt = "SillyTavern's prompts have no such setting; it is kept in the prompt under bunzai for the way back"

var roleWords = []fieldmap.Word{{Canon: "system", Num: 0}, {Canon: "user", Num: 1}, {Canon: "assistant", Num: 2}, {Canon: "tool", Num: 3}}

var placeWords = []fieldmap.Word{
	{Canon: canonical.PlaceRelative, Num: 0}, {Canon: canonical.PlaceInChat, Num: 1}, {Canon: canonical.PlaceAppend, Num: 2},
	{Canon: canonical.PlaceAppendPreset, Num: 3}, {Canon: canonical.PlacePrependPreset, Num: 4},
}

// promptRows is a row of prompts[].
var promptRows = fieldmap.Map[prompt]{
	fieldmap.New("name", fieldmap.Plain(func(p *prompt) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("systemPrompt", fieldmap.Ptr(func(p *prompt) **bool { return &p.SystemPrompt }), fieldmap.At("system_prompt", prompts.Switch())),
	markerRow(),
	rough("role", fieldmap.Ptr(func(p *prompt) **string { return &p.Role }), "role", fieldmap.Enum(roleWords, true), map[string]string{"tool": "system"}, "system",
		"SillyTavern's prompts are the system's, the user's or the assistant's; the exact role is kept for the way back"),
	fieldmap.New("content", fieldmap.Plain(func(p *prompt) *string { return &p.Content }), fieldmap.At("content", fieldmap.Text().Required(fieldmap.EmptyText))),
	rough("placement", fieldmap.Ptr(func(p *prompt) **string { return &p.Placement }), "injection_position", fieldmap.Enum(placeWords, false), map[string]string{canonical.PlaceAppend: canonical.PlaceInChat}, canonical.PlaceRelative,
		"SillyTavern places a prompt in the list or in the chat at a depth; the exact place is kept for the way back"),
	fieldmap.New("injectionDepth", fieldmap.Ptr(func(p *prompt) **float64 { return &p.InjectionDepth }), fieldmap.At("injection_depth", fieldmap.Number())),
	fieldmap.New("injectionOrder", fieldmap.Ptr(func(p *prompt) **float64 { return &p.InjectionOrder }), fieldmap.At("injection_order", fieldmap.Number())),
	fieldmap.New("forbidOverrides", fieldmap.Ptr(func(p *prompt) **bool { return &p.ForbidOverrides }), fieldmap.At("forbid_overrides", prompts.Switch())),
	fieldmap.New("injectionTrigger", fieldmap.Slice(func(p *prompt) *[]string { return &p.InjectionTrigger }, func(a, b string) bool { return a == b }), fieldmap.At("injection_trigger", fieldmap.TextList(""))),
	fieldmap.New("isDefault", fieldmap.Ptr(func(p *prompt) **bool { return &p.IsDefault }), fieldmap.At("bunzai.isDefault", prompts.Switch())).Parked(parkedPrompt),
	fieldmap.New("wrapInXml", fieldmap.Ptr(func(p *prompt) **bool { return &p.WrapInXML }), fieldmap.At("bunzai.wrapInXml", prompts.Switch())).Parked(parkedPrompt),
	fieldmap.New("xmlTagName", fieldmap.Ptr(func(p *prompt) **string { return &p.XMLTagName }), fieldmap.At("bunzai.xmlTagName", fieldmap.Text())).Parked(parkedPrompt),
}

// rough is a row of words of which SillyTavern knows the first few: another one goes to the nearest, else to def, and
// the exact one is parked.
func rough(path string, acc fieldmap.Access[prompt, string], place string, c fieldmap.Codec[string], near map[string]string, def, why string) fieldmap.Row[prompt] {
	home := fieldmap.Codec[string]{Read: c.Read, Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
		switch s {
		case "system", "user", "assistant", canonical.PlaceRelative, canonical.PlaceInChat:
		default:
			n, ok := near[s]
			if s = n; !ok {
				s = def
			}
		}
		return c.Write(s, old)
	}}
	return fieldmap.ParkAt(fieldmap.New(path, acc, fieldmap.At(place, home)), acc, "bunzai."+path, fieldmap.Text(), home, why)
}

// markerRow: what the row says counts; a built-in that the app fills is a marker without saying so.
func markerRow() fieldmap.Row[prompt] {
	c := prompts.Switch()
	return fieldmap.Custom("marker", "marker", []string{"marker"},
		func(obj *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			if v := obj.Get("marker"); v != nil && !v.IsNull() {
				b, odd := c.Read(v)
				if odd != "" {
					warn("marker", odd)
				}
				p.Marker = b
			}
			if id, ok := obj.Get("identifier").Text(); ok && p.Marker == nil && prompts.Structural(id) {
				p.Marker = canonical.Ptr(true)
			}
		},
		func(a, b *prompt) bool {
			return (a.Marker == nil) == (b.Marker == nil) && canonical.Or(a.Marker, false) == canonical.Or(b.Marker, false)
		},
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			if p.Marker == nil {
				obj.Delete("marker")
				return
			}
			obj.Set("marker", c.Write(*p.Marker, obj.Get("marker")))
		})
}

var promptCover = promptRows.Coverage("identifier", "enabled", "bunzai", "bunzai.content", "extension", "position")

func promptFields() []formats.Field {
	out := promptRows.Fields("prompts[].")
	for i := range out {
		out[i].Wire = "prompts[]." + out[i].Wire
	}
	return append(out,
		formats.Field{Path: "prompts[].id", Wire: "prompts[].identifier", Reads: true, Note: "SillyTavern knows its built-in prompts by their identifier"},
		formats.Field{Path: "prompts[].markerSlot", Wire: "prompts[].identifier", Reads: true},
		formats.Field{Path: "prompts[].enabled", Wire: "prompt_order[].order[].enabled", Reads: true},
		formats.Field{Path: "prompts[].groupId", Wire: "prompt_order[].order", Reads: true, Note: "a heading in SillyTavern speaks for all that follows it"},
		formats.Field{Path: "groups", Wire: "prompts[] (a divider)", Reads: true, Note: "SillyTavern has headings by their name alone; nothing else of a group has a place"},
	)
}

// order is the sequence that counts: one list of prompt_order, or the list itself where it is flat.
type order struct {
	items *jsondoc.Value // array of {identifier, enabled}
	at    map[string]*jsondoc.Value
	ids   []string
}

// global is the character_id under which SillyTavern keeps the order for all characters; legacy is the older one.
const global, legacy = "100001", "100000"

// orderOf picks the sequence that counts.
func orderOf(root *jsondoc.Value, warn func(string)) *order {
	list := root.Get("prompt_order")
	if list.Kind() != jsondoc.KindArray {
		if list != nil && !list.IsNull() {
			warn("prompt_order is " + list.Kind().String() + " where a list is expected; it is kept for the way back, and the prompts stand in the order of the file")
		}
		return nil
	}
	var best *jsondoc.Value
	rank, length := 0, 0
	flat := false
	for _, e := range list.Elems() {
		o := e.Get("order")
		if o.Kind() != jsondoc.KindArray {
			flat = flat || e.Has("identifier")
			continue
		}
		if o.Len() == 0 {
			continue
		}
		r := 1
		switch id := idText(e.Get("character_id")); id {
		case global:
			r = 3
		case legacy:
			r = 2
		}
		if r > rank || r == rank && r == 1 && o.Len() > length {
			best, rank, length = o, r, o.Len()
		}
	}
	if best == nil && flat {
		best = list
	}
	if best == nil {
		return nil
	}
	out := &order{items: best, at: map[string]*jsondoc.Value{}}
	for i, e := range best.Elems() {
		id := idText(e.Get("identifier"))
		switch {
		case id == "":
			warn(fmt.Sprintf("prompt_order: item %d is no reference to a prompt (%s); it is kept for the way back", i+1, e.Kind()))
		case out.at[id] != nil:
			warn(fmt.Sprintf("prompt_order: %s stands there twice; the first counts", formats.Shown(id)))
		default:
			out.at[id] = e
			out.ids = append(out.ids, id)
		}
	}
	return out
}

func idText(v *jsondoc.Value) string {
	if s, ok := v.Text(); ok {
		return s
	}
	s, _ := v.Num()
	return s
}

// legacyTexts are prompts of presets from before there was a list.
var legacyTexts = []struct{ member, id string }{{"main_prompt", "main"}, {"nsfw_prompt", "nsfw"}, {"jailbreak_prompt", "jailbreak"}}

// rowsOf finds the rows of prompts[] by their identifier, in file order.
func rowsOf(root *jsondoc.Value, warn func(string)) (ids []string, at map[string]*jsondoc.Value) {
	at = map[string]*jsondoc.Value{}
	list := root.Get("prompts")
	if list.Kind() != jsondoc.KindArray {
		if list != nil && !list.IsNull() {
			warn("prompts is " + list.Kind().String() + " where a list is expected; it is kept for the way back")
		}
		return nil, at
	}
	for i, e := range list.Elems() {
		if e.Kind() != jsondoc.KindObject {
			warn(fmt.Sprintf("prompts[%d] is %s and no prompt; it is kept for the way back", i, e.Kind()))
			continue
		}
		id := idText(e.Get("identifier"))
		if id == "" {
			id = "prompt-" + strconv.Itoa(i)
			warn(fmt.Sprintf("prompts[%d] has no identifier; it is called %s here, and SillyTavern gives it one of its own", i, id))
		}
		if at[id] != nil {
			warn(fmt.Sprintf("prompts[%d] has the identifier %s, which an earlier prompt has; the first counts, and this one is kept for the way back", i, formats.Shown(id)))
			continue
		}
		at[id] = e
		ids = append(ids, id)
	}
	return ids, at
}

// unmappedRows lists what rows hold that has no canonical home, and rows that do not count.
func unmappedRows(root *jsondoc.Value) (out []string) {
	ids, at := rowsOf(root, func(string) {})
	seen := map[string]bool{}
	counted := map[*jsondoc.Value]bool{}
	for _, id := range ids {
		counted[at[id]] = true
		for _, p := range promptCover.Unmapped(at[id]) {
			if !seen[p] {
				seen[p] = true
				out = append(out, "prompts[]."+p)
			}
		}
	}
	for i, e := range root.Get("prompts").Elems() {
		if !counted[e] && !e.IsNull() {
			out = append(out, "prompts["+strconv.Itoa(i)+"]")
		}
	}
	o := orderOf(root, func(string) {})
	if o == nil {
		return out
	}
	other := false
	for _, e := range root.Get("prompt_order").Elems() {
		for n, m := range e.Members() {
			if n != "character_id" && n != "order" && n != "identifier" && n != "enabled" && !m.IsNull() && !seen["prompt_order."+n] {
				seen["prompt_order."+n] = true
				out = append(out, "prompt_order[]."+n)
			}
		}
		other = other || e.Get("order") != o.items && e.Get("order").Len() > 0
	}
	if other {
		out = append(out, "prompt_order (the orders of other characters)")
	}
	for _, e := range o.items.Elems() {
		for n := range e.Members() {
			if n != "identifier" && n != "enabled" && !seen["prompt_order.order."+n] {
				seen["prompt_order.order."+n] = true
				out = append(out, "prompt_order[].order[]."+n)
			}
		}
	}
	return out
}

// toNoPrompt begins what is said of a reference without a prompt.
const toNoPrompt = "prompt_order refers to "

// prompts reads rows, sequence and headings.
func (d *decoded) prompts(root *jsondoc.Value, warn func(string)) {
	ids, at := rowsOf(root, warn)
	d.rows, d.list = at, orderOf(root, warn)
	for _, l := range legacyTexts {
		if s, ok := root.Get(l.member).Text(); ok && s != "" && at[l.id] == nil && root.Get("prompts").Kind() != jsondoc.KindArray {
			d.body.Prompts = append(d.body.Prompts, prompt{ID: l.id, Content: s, MarkerSlot: canonical.Ptr(l.id)})
		}
	}
	style := dividers(ids, at)
	sequence := ids
	if d.list != nil {
		sequence = nil
		for _, id := range d.list.ids {
			if at[id] == nil {
				if !prompts.Structural(id) || len(ids) > 0 {
					warn(toNoPrompt + formats.Shown(id) + ", and there is no such prompt; the reference is kept for the way back")
				}
				continue
			}
			sequence = append(sequence, id)
		}
		for _, id := range ids {
			if d.list.at[id] == nil {
				sequence = append(sequence, id)
			}
		}
	}
	group, parent := "", ""
	for _, id := range sequence {
		row := at[id]
		on := canonical.Ptr(false)
		listed := d.list != nil && d.list.at[id] != nil
		switch {
		case listed:
			if b, _ := prompts.Switch().Read(d.list.at[id].Get("enabled")); b != nil {
				on = b
			}
		case d.list == nil:
			on, _ = prompts.Switch().Read(row.Get("enabled"))
		}
		if name, level := style(row); level > 0 {
			g := canonical.PromptGroup{ID: id, Name: name, Enabled: on}
			if d.list != nil && !listed {
				// a heading that is not used stands before nothing
			} else if level == 1 {
				group, parent = id, id
			} else {
				group = id
				if parent != "" {
					g.ParentGroupID = canonical.Ptr(parent)
				}
			}
			d.body.Groups = append(d.body.Groups, g)
			continue
		}
		p := prompt{ID: id, Enabled: on}
		promptRows.Read(row, &p, func(path, what string) { warn("prompt " + formats.Shown(id) + ": " + path + " " + what) })
		if prompts.SlotOf(id) != nil {
			p.MarkerSlot = canonical.Ptr(id)
		}
		if group != "" && (d.list == nil || listed) {
			p.GroupID = canonical.Ptr(group)
		}
		d.body.Prompts = append(d.body.Prompts, p)
	}
}

// dividers tells how a preset writes headings, one way a file: "nemo-wiki" is ===name=== and <name> below it, else two
// adjacent dashes of the box-drawing kind, or one before the name, as Lumiverse writes it. A row with content is never
// a heading, whatever its name looks like.
func dividers(ids []string, at map[string]*jsondoc.Value) func(row *jsondoc.Value) (name string, level int) {
	heading := func(row *jsondoc.Value) (string, bool) {
		name, _ := row.Get("name").Text()
		content, text := row.Get("content").Text()
		if name == "" || text && strings.TrimSpace(content) != "" || !text && row.Get("content") != nil && !row.Get("content").IsNull() {
			return "", false
		}
		if b, _ := row.Get("marker").Bool(); b || prompts.SlotOf(idText(row.Get("identifier"))) != nil {
			return "", false
		}
		return strings.TrimSpace(name), true
	}
	wiki := func(name string) (string, int) {
		if in := strings.TrimSpace(strings.Trim(name, "=")); in != "" && strings.HasPrefix(name, "==") && strings.HasSuffix(name, "==") {
			return in, 1
		}
		if in, ok := strings.CutPrefix(name, "<"); ok && strings.HasSuffix(in, ">") && !strings.HasPrefix(in, "/") && len(in) > 1 {
			return in[:len(in)-1], 2
		}
		return "", 0
	}
	nemo := false
	for _, id := range ids {
		if name, ok := heading(at[id]); ok {
			_, level := wiki(name)
			nemo = nemo || level == 1
		}
	}
	return func(row *jsondoc.Value) (string, int) {
		name, ok := heading(row)
		switch {
		case !ok:
		case nemo:
			return wiki(name)
		case dashed(name):
			if in := strings.TrimSpace(strings.Trim(name, dashes+" ")); in != "" {
				return in, 1
			}
			return name, 1
		}
		return "", 0
	}
}

// dashes are the box-drawing dashes that people draw headings with.
const dashes = "─━═┄┅┈┉╌╍"

func dashed(name string) bool {
	run := 0
	for _, r := range name {
		if !strings.ContainsRune(dashes, r) {
			run = 0
			continue
		}
		if run++; run == 2 {
			return true
		}
	}
	return strings.HasPrefix(name, "━")
}

// headingName writes a new name where the old one stood, its drawing kept.
func headingName(old, name string) string {
	trimmed := strings.TrimSpace(old)
	in := strings.TrimSpace(strings.Trim(trimmed, dashes+" ="))
	if s, ok := strings.CutPrefix(trimmed, "<"); ok && strings.HasSuffix(s, ">") {
		in = strings.TrimSuffix(s, ">")
	}
	if i := strings.Index(old, in); i >= 0 && in != "" {
		return old[:i] + name + old[i+len(in):]
	}
	return "━━ " + name
}

// write brings prompts[] and prompt_order to what now says; d is what root says.
func (d decoded) write(root *jsondoc.Value, now *canonical.Preset, near fieldmap.Near) {
	if d.raw == nil {
		d.raw = d.body
	}
	was := d.raw
	now, added := d.wire(now, near)
	if d.rows == nil {
		d.rows = map[string]*jsondoc.Value{}
	}
	old := map[string]*prompt{}
	for i := range was.Prompts {
		old[was.Prompts[i].ID] = &was.Prompts[i]
	}
	oldGroup := map[string]*canonical.PromptGroup{}
	for i := range was.Groups {
		oldGroup[was.Groups[i].ID] = &was.Groups[i]
	}
	used := map[string]bool{}
	var free canonical.IDs
	for id := range d.rows {
		free.Use(id)
	}
	wire := func(id string) string { // the identifier that a line gets
		if id == "" {
			id = "prompt"
		}
		if used[id] {
			id = free.Unique(id)
		}
		free.Use(id)
		used[id] = true
		return id
	}
	index := map[*prompt]int{} // in the list that is to be written
	for i := range now.Prompts {
		index[&now.Prompts[i]] = i
		if added >= 0 && i > added {
			index[&now.Prompts[i]] = i - 1
		}
	}
	place := map[*prompt]int{}
	for i := range now.Prompts {
		place[&now.Prompts[i]] = i
	}
	roughly := func(p *prompt) fieldmap.Near {
		return func(path, after, why string) { near(fmt.Sprintf("prompts[%d].%s", index[p], path), after, why) }
	}
	seq := prompts.Sequence(now)
	ids := make([]string, len(seq))
	for i, it := range seq { // what is there keeps its identifier
		if id := it.ID(); d.rows[id] != nil && !used[id] {
			used[id] = true
			ids[i] = id
		}
	}
	for i, it := range seq { // built-ins go by their own name
		if ids[i] == "" && it.Prompt != nil && prompts.SlotOf(prompts.SlotName(it.Prompt)) != nil && !used[prompts.SlotName(it.Prompt)] {
			ids[i] = wire(prompts.SlotName(it.Prompt))
		}
	}
	var fresh []*jsondoc.Value
	for i, it := range seq {
		if ids[i] == "" {
			ids[i] = wire(it.ID())
		}
		id := ids[i]
		row := d.rows[id]
		switch {
		case it.Group != nil:
			g := it.Group
			if o := oldGroup[id]; o != nil {
				if o.Name != g.Name {
					name, _ := row.Get("name").Text()
					row.Set("name", jsondoc.String(headingName(name, g.Name)))
				}
				continue
			}
			row = jsondoc.Object()
			row.Set("identifier", jsondoc.String(id))
			row.Set("name", jsondoc.String("━━ "+g.Name+" ━━"))
			row.Set("role", jsondoc.String("system"))
			row.Set("content", jsondoc.String(""))
			row.Set("system_prompt", jsondoc.Bool(false))
			row.Set("marker", jsondoc.Bool(false))
		case old[id] != nil && row != nil:
			promptRows.Overlay(row, it.Prompt, old[id], nil, roughly(it.Prompt))
			d.keep(place[it.Prompt], row)
			continue
		case old[id] != nil: // a text of an old preset that has no list
			for _, l := range legacyTexts {
				if l.id == id && old[id].Content != it.Prompt.Content {
					root.Set(l.member, jsondoc.String(it.Prompt.Content))
				}
			}
			continue
		default:
			row = jsondoc.Object()
			row.Set("identifier", jsondoc.String(id))
			row.Set("name", jsondoc.String(""))
			promptRows.Fill(row, it.Prompt, nil, roughly(it.Prompt))
			if !prompts.Structural(id) && !row.Has("content") {
				row.Set("content", jsondoc.String(""))
			}
			if row.Get("marker") == nil && prompts.Structural(id) {
				row.Set("marker", jsondoc.Bool(true))
			}
			d.keep(place[it.Prompt], row)
		}
		d.rows[id] = row
		fresh = append(fresh, row)
	}
	d.writeRows(root, used, fresh)
	d.writeOrder(root, was, seq, ids)
}

// writeRows takes removed prompts out of prompts[] and adds new ones at its end.
func (d decoded) writeRows(root *jsondoc.Value, used map[string]bool, fresh []*jsondoc.Value) {
	gone := map[*jsondoc.Value]bool{}
	for id, row := range d.rows {
		gone[row] = !used[id]
	}
	list := root.Get("prompts")
	if list.Kind() != jsondoc.KindArray {
		if len(fresh) == 0 {
			return
		}
		root.Set("prompts", jsondoc.Array())
		list = root.Get("prompts")
	}
	var out []*jsondoc.Value
	for _, e := range list.Elems() {
		if !gone[e] {
			out = append(out, e)
		}
	}
	if n := len(out) + len(fresh); n != list.Len() || len(fresh) > 0 {
		list.SetElems(append(out, fresh...))
	}
}

// writeOrder brings the sequence and the switches to what now says.
func (d decoded) writeOrder(root *jsondoc.Value, was *canonical.Preset, seq []prompts.Item, ids []string) {
	before := prompts.Sequence(was)
	sameOrder := len(before) == len(seq)
	for i := 0; sameOrder && i < len(seq); i++ {
		sameOrder = before[i].ID() == ids[i] && d.rows[ids[i]] != nil
	}
	wasOn := map[string]*bool{}
	for _, it := range before {
		if it.Group != nil {
			wasOn[it.ID()] = it.Group.Enabled
		} else {
			wasOn[it.ID()] = it.Prompt.Enabled
		}
	}
	list := root.Get("prompt_order")
	if d.list == nil && list.Kind() != jsondoc.KindArray && root.Get("prompts").Kind() == jsondoc.KindArray && len(before) > 0 {
		d.ownOrder(root, seq, ids, sameOrder, wasOn)
		return
	}
	if d.list == nil {
		if len(seq) == 0 || root.Get("prompts").Kind() != jsondoc.KindArray {
			return
		}
		if sameOrder && !slices.ContainsFunc(seq, func(it prompts.Item) bool { return !sameSwitch(wasOn[it.ID()], it) }) {
			return
		}
		d.list = newOrder(root)
	}
	last := len(seq) // what is not used stays unused while nothing after it is
	for last > 0 && d.list.at[ids[last-1]] == nil && !seq[last-1].Enabled() && wasOn[ids[last-1]] != nil && sameOrder {
		last--
	}
	if !sameOrder {
		last = len(seq)
		for last > 0 && d.list.at[ids[last-1]] == nil && !seq[last-1].Enabled() && wasOn[ids[last-1]] != nil && seq[last-1].Group == nil {
			last--
		}
	}
	rebuild := !sameOrder
	for i := range last {
		it, id := seq[i], ids[i]
		item := d.list.at[id]
		if item == nil {
			item = jsondoc.Object()
			item.Set("identifier", jsondoc.String(id))
			item.Set("enabled", jsondoc.Bool(it.Enabled()))
			if row := d.rows[id]; row != nil && idText(row.Get("identifier")) != id {
				row.Set("identifier", jsondoc.String(id)) // what is referred to needs the name
			}
			d.list.at[id] = item
			rebuild = true
			continue
		}
		if on, ok := wasOn[id]; !ok || !sameSwitch(on, it) {
			item.Set("enabled", prompts.Switch().Write(it.Enabled(), item.Get("enabled")))
		}
	}
	if !rebuild {
		return
	}
	// What is no reference to a prompt stays behind what it stood behind.
	behind := map[string][]*jsondoc.Value{}
	prev := ""
	here, removed := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		here[id] = true
	}
	for id := range wasOn {
		removed[id] = !here[id]
	}
	seen := map[string]bool{}
	for _, e := range d.list.items.Elems() {
		id := idText(e.Get("identifier"))
		switch {
		case removed[id]:
		case here[id] && !seen[id]:
			seen[id] = true
			prev = id
		default:
			behind[prev] = append(behind[prev], e)
		}
	}
	out := append([]*jsondoc.Value{}, behind[""]...)
	for i := range last {
		out = append(append(out, d.list.at[ids[i]]), behind[ids[i]]...)
	}
	d.list.items.SetElems(out)
}

// ownOrder serves a file without prompt_order: the list itself is the sequence, and each row has its switch.
func (d decoded) ownOrder(root *jsondoc.Value, seq []prompts.Item, ids []string, sameOrder bool, wasOn map[string]*bool) {
	for i, it := range seq {
		row := d.rows[ids[i]]
		on, ok := wasOn[ids[i]]
		if row == nil || ok && sameSwitch(on, it) {
			continue
		}
		var now *bool
		if it.Group != nil {
			now = it.Group.Enabled
		} else {
			now = it.Prompt.Enabled
		}
		if now == nil {
			row.Delete("enabled")
			continue
		}
		row.Set("enabled", prompts.Switch().Write(*now, row.Get("enabled")))
	}
	if sameOrder {
		return
	}
	place := map[*jsondoc.Value]int{}
	for i, id := range ids {
		place[d.rows[id]] = i
	}
	var known, out []*jsondoc.Value
	for _, e := range root.Get("prompts").Elems() {
		if _, ok := place[e]; ok {
			known = append(known, e)
		}
	}
	slices.SortStableFunc(known, func(a, b *jsondoc.Value) int { return place[a] - place[b] })
	for _, e := range root.Get("prompts").Elems() {
		if _, ok := place[e]; ok {
			e, known = known[0], known[1:]
		}
		out = append(out, e)
	}
	root.Get("prompts").SetElems(out)
}

func sameSwitch(on *bool, it prompts.Item) bool {
	var now *bool
	if it.Group != nil {
		now = it.Group.Enabled
	} else {
		now = it.Prompt.Enabled
	}
	return (on == nil) == (now == nil) && canonical.Or(on, true) == canonical.Or(now, true)
}

// newOrder adds the sequence for all characters.
func newOrder(root *jsondoc.Value) *order {
	list := root.Get("prompt_order")
	if list.Kind() != jsondoc.KindArray {
		root.Set("prompt_order", jsondoc.Array())
		list = root.Get("prompt_order")
	}
	e := jsondoc.Object()
	e.Set("character_id", jsondoc.Int(100001))
	e.Set("order", jsondoc.Array())
	list.AppendElem(e)
	return &order{items: list.Elem(list.Len() - 1).Get("order"), at: map[string]*jsondoc.Value{}}
}

// fill writes a new chat completion preset.
func (s *shape) fill(root *jsondoc.Value, p *canonical.Preset, near fieldmap.Near) {
	s.rows.Fill(root, p, nil, near)
	root.Set("prompts", jsondoc.Array())
	root.Set("prompt_order", jsondoc.Array())
	d := decoded{body: &canonical.Preset{}, rows: map[string]*jsondoc.Value{}, list: newOrder(root)}
	d.write(root, p, near)
}
