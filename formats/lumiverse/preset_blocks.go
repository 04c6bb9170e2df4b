package lumiverse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

type prompt = canonical.Prompt

// markers are Lumiverse's names of the built-ins.
var markers = []struct{ marker, slot string }{
	{"chat_history", prompts.ChatHistory}, {"world_info_before", "worldInfoBefore"}, {"world_info_after", "worldInfoAfter"}, {"char_description", "charDescription"},
	{"char_personality", "charPersonality"}, {"persona_description", "personaDescription"}, {"scenario", "scenario"}, {"dialogue_examples", "dialogueExamples"},
	{"main_prompt", "main"}, {"enhance_definitions", "enhanceDefinitions"}, {"jailbreak", "jailbreak"}, {"nsfw_prompt", "nsfw"},
}

const category = "category"

func slotOf(marker string) string {
	for _, m := range markers {
		if m.marker == marker {
			return m.slot
		}
	}
	return marker
}

func markerOf(slot string) string {
	for _, m := range markers {
		if m.slot == slot {
			return m.marker
		}
	}
	return slot
}

func marker(block *jsondoc.Value) string { s, _ := block.Get("marker").Text(); return s }

const appendRole = "_append"

// blockRows is a block that is no heading. A marker's role, position and depth mean nothing to the app while they are
// what every block starts with, so they are absent then.
var blockRows = fieldmap.Map[prompt]{
	fieldmap.New("name", fieldmap.Plain(func(p *prompt) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("content", fieldmap.Plain(func(p *prompt) *string { return &p.Content }), fieldmap.At("content", fieldmap.Text().Required(fieldmap.EmptyText))),
	slotRow(), roleRow(), placementRow(), depthRow(), blockMarkerRow(),
	fieldmap.New("enabled", fieldmap.Ptr(func(p *prompt) **bool { return &p.Enabled }), fieldmap.At("enabled", prompts.Switch().Required(func() *jsondoc.Value { return jsondoc.Bool(true) }))),
	fieldmap.New("injectionTrigger", fieldmap.Slice(func(p *prompt) *[]string { return &p.InjectionTrigger }, func(a, b string) bool { return a == b }), fieldmap.At("injectionTrigger", fieldmap.TextList("").Required(fieldmap.EmptyList))),
	fieldmap.New("systemPrompt", fieldmap.Ptr(func(p *prompt) **bool { return &p.SystemPrompt }), fieldmap.At("bunzai.systemPrompt", prompts.Switch())).Parked(parkedBlock),
	fieldmap.New("injectionOrder", fieldmap.Ptr(func(p *prompt) **float64 { return &p.InjectionOrder }), fieldmap.At("bunzai.injectionOrder", fieldmap.Number())).Parked("Lumiverse sends blocks of one depth in the order of the list; the number is kept in the block under bunzai for the way back"),
	fieldmap.New("forbidOverrides", fieldmap.Ptr(func(p *prompt) **bool { return &p.ForbidOverrides }), fieldmap.At("bunzai.forbidOverrides", prompts.Switch())).Parked(parkedBlock),
	fieldmap.New("isDefault", fieldmap.Ptr(func(p *prompt) **bool { return &p.IsDefault }), fieldmap.At("bunzai.isDefault", prompts.Switch())).Parked(parkedBlock),
	fieldmap.New("wrapInXml", fieldmap.Ptr(func(p *prompt) **bool { return &p.WrapInXML }), fieldmap.At("bunzai.wrapInXml", prompts.Switch())).Parked(parkedBlock),
	fieldmap.New("xmlTagName", fieldmap.Ptr(func(p *prompt) **string { return &p.XMLTagName }), fieldmap.At("bunzai.xmlTagName", fieldmap.Text())).Parked(parkedBlock),
}

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

func slotRow() fieldmap.Row[prompt] {
	return fieldmap.Custom("markerSlot", "marker", []string{"marker"},
		func(obj *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			switch v := obj.Get("marker"); v.Kind() {
			case jsondoc.KindString:
				if s := slotOf(marker(obj)); s != "" {
					p.MarkerSlot = &s
				}
			case jsondoc.KindAbsent, jsondoc.KindNull:
			default:
				warn("marker", "is "+v.Kind().String()+" where a text is expected; it is kept for the way back")
			}
		},
		func(a, b *prompt) bool { return samePtr(a.MarkerSlot, b.MarkerSlot) },
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			if p.MarkerSlot == nil || *p.MarkerSlot == category {
				obj.Set("marker", jsondoc.Null())
				return
			}
			obj.Set("marker", jsondoc.String(markerOf(*p.MarkerSlot)))
		})
}

// blockMarkerRow: a block whose text the app puts in is a marker; what another app says beyond that is parked.
func blockMarkerRow() fieldmap.Row[prompt] {
	park := []string{"bunzai", "marker"}
	structural := func(obj *jsondoc.Value) bool { return prompts.Structural(slotOf(marker(obj))) }
	return fieldmap.Custom("marker", "marker", []string{"marker", "bunzai.marker"},
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Warn) {
			if b, ok := obj.At(park...).Bool(); ok {
				p.Marker = &b
			} else if structural(obj) {
				p.Marker = canonical.Ptr(true)
			}
		},
		func(a, b *prompt) bool { return samePtr(a.Marker, b.Marker) },
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			if p.Marker == nil || *p.Marker == structural(obj) && *p.Marker {
				if fieldmap.Drop(obj, park); obj.Get("bunzai").Len() == 0 {
					obj.Delete("bunzai")
				}
				return
			}
			fieldmap.Put(obj, park, jsondoc.Bool(*p.Marker))
		}).Noted("Lumiverse tells a marker by its name")
}

var blockRoles = []string{"system", "user", "assistant"}

func roleRow() fieldmap.Row[prompt] {
	return fieldmap.Custom("role", "role", []string{"role"},
		func(obj *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			v := obj.Get("role")
			if v == nil || v.IsNull() {
				return
			}
			s, ok := v.Text()
			s = strings.TrimSuffix(s, appendRole)
			switch {
			case !ok || !slices.Contains(blockRoles, s):
				warn("role", "is none of the roles that are known; it is kept for the way back, and the app's default counts")
			case s == "system" && prompts.Structural(slotOf(marker(obj))):
			default:
				p.Role = &s
			}
		},
		func(a, b *prompt) bool { return samePtr(a.Role, b.Role) },
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			s := canonical.Or(p.Role, "system")
			if !slices.Contains(blockRoles, s) {
				s = "system"
			}
			if s != "system" && canonical.Or(p.Placement, "") == canonical.PlaceAppend {
				s += appendRole
			}
			obj.Set("role", jsondoc.String(s))
		}).Noted("Lumiverse has the roles system, user and assistant")
}

func placementRow() fieldmap.Row[prompt] {
	return fieldmap.Custom("placement", "position", []string{"position", "role"},
		func(obj *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			role, _ := obj.Get("role").Text()
			v := obj.Get("position")
			s, _ := v.Text()
			switch {
			case strings.HasSuffix(role, appendRole):
				p.Placement = canonical.Ptr(canonical.PlaceAppend)
			case s == "in_history":
				p.Placement = canonical.Ptr(canonical.PlaceInChat)
			case s == "post_history", s == "pre_history" && marker(obj) == "":
				p.Placement = canonical.Ptr(canonical.PlaceRelative)
			case s != "pre_history" && v != nil && !v.IsNull():
				warn("position", "is none of the positions that are known; it is kept for the way back, and the app's default counts")
			}
		},
		func(a, b *prompt) bool { return samePtr(a.Placement, b.Placement) },
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			role, _ := obj.Get("role").Text()
			role = strings.TrimSuffix(role, appendRole)
			switch canonical.Or(p.Placement, canonical.PlaceRelative) {
			case canonical.PlaceInChat:
				obj.Set("position", jsondoc.String("in_history"))
			case canonical.PlaceAppend:
				if role == "user" || role == "assistant" {
					role += appendRole
				}
			default:
				if s, _ := obj.Get("position").Text(); s != "post_history" {
					obj.Set("position", jsondoc.String("pre_history"))
				}
			}
			if was, ok := obj.Get("role").Text(); ok && was != role {
				obj.Set("role", jsondoc.String(role))
			}
		}).Noted("Lumiverse places a block before or after the chat, in it at a depth, or at the end of a message")
}

func depthRow() fieldmap.Row[prompt] {
	n := fieldmap.Number()
	return fieldmap.Custom("injectionDepth", "depth", []string{"depth"},
		func(obj *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			v := obj.Get("depth")
			if v == nil || v.IsNull() {
				return
			}
			f, odd := n.Read(v)
			if odd != "" {
				warn("depth", odd)
			}
			if f != nil && *f == 0 && marker(obj) != "" {
				return
			}
			p.InjectionDepth = f
		},
		func(a, b *prompt) bool { return samePtr(a.InjectionDepth, b.InjectionDepth) },
		func(obj *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			obj.Set("depth", n.Write(canonical.Or(p.InjectionDepth, 0), obj.Get("depth")))
		})
}

// groupRows is a category block.
var groupRows = fieldmap.Map[canonical.PromptGroup]{
	fieldmap.New("name", fieldmap.Plain(func(g *canonical.PromptGroup) *string { return &g.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("content", groupContent(), fieldmap.At("content", fieldmap.Text().Required(fieldmap.EmptyText))),
	fieldmap.New("enabled", fieldmap.Ptr(func(g *canonical.PromptGroup) **bool { return &g.Enabled }), fieldmap.At("enabled", prompts.Switch().Required(func() *jsondoc.Value { return jsondoc.Bool(true) }))),
	fieldmap.New("parentGroupId", fieldmap.Ptr(func(g *canonical.PromptGroup) **string { return &g.ParentGroupID }), fieldmap.At("bunzai.parentGroupId", fieldmap.Text())).Parked(parkedBlock),
	fieldmap.New("order", fieldmap.Ptr(func(g *canonical.PromptGroup) **float64 { return &g.Order }), fieldmap.At("bunzai.order", fieldmap.Number())).Parked(parkedBlock),
}

// groupContent: an empty text is none.
func groupContent() fieldmap.Access[canonical.PromptGroup, string] {
	a := fieldmap.Ptr(func(g *canonical.PromptGroup) **string { return &g.Content })
	set := a.Set
	a.Set = func(g *canonical.PromptGroup, s string) {
		if s != "" {
			set(g, s)
		}
	}
	return a
}

var (
	blockCover = blockRows.Coverage("id", "group", "variables", "bunzai", "isLocked")
	groupCover = groupRows.Coverage("id", "marker", "role", "position", "depth", "group", "bunzai", "isLocked", "injectionTrigger", "variables")
)

func blockFields() []formats.Field {
	out := append(blockRows.Fields("prompts[]."), groupRows.Fields("groups[].")...)
	for i := range out {
		out[i].Wire = "blocks[]." + out[i].Wire
	}
	return append(out,
		formats.Field{Path: "prompts", Wire: "blocks", Reads: true, Note: "Lumiverse needs a block for the chat history, and one is put in where there is none"},
		formats.Field{Path: "prompts[].id", Wire: "blocks[].id", Reads: true}, formats.Field{Path: "prompts[].groupId", Wire: "blocks[].group", Reads: true, Note: "a category in Lumiverse speaks for the blocks right behind it"},
		formats.Field{Path: "groups", Wire: "blocks (marker category)", Reads: true}, formats.Field{Path: "groups[].id", Wire: "blocks[].id", Reads: true})
}

// decodedLoom is a preset with the wire values that it came from.
type decodedLoom struct {
	body   *canonical.Preset
	blocks map[string]*jsondoc.Value
	ids    []string // in file order
	vars   map[string]variable
}

func (l *loom) list(obj *jsondoc.Value) *jsondoc.Value { return obj.Get(l.blocks) }

func (l *loom) decode(obj *jsondoc.Value, warn func(string)) decodedLoom {
	d := decodedLoom{body: &canonical.Preset{Prompts: []canonical.Prompt{}}, blocks: map[string]*jsondoc.Value{}, vars: map[string]variable{}}
	l.rows.Read(obj, d.body, func(path, what string) { warn(path + " " + what) })
	open := ""
	var out []prompt
	position := map[string]string{}
	var names, vars canonical.IDs
	for i, b := range l.list(obj).Elems() {
		if b.Kind() != jsondoc.KindObject {
			warn(fmt.Sprintf("%s[%d] is %s and no block; it is kept for the way back", l.blocks, i, b.Kind()))
			continue
		}
		id, _ := b.Get("id").Text()
		if id == "" {
			id = "block-" + strconv.Itoa(i)
		}
		if d.blocks[id] != nil {
			warn(fmt.Sprintf("%s[%d] has the id %s, which an earlier block has", l.blocks, i, formats.Shown(id)))
		}
		id = names.Unique(id)
		d.blocks[id] = b
		d.ids = append(d.ids, id)
		odd := func(path, what string) { warn("block " + formats.Shown(id) + ": " + path + " " + what) }
		if marker(b) == category {
			g := canonical.PromptGroup{ID: id}
			groupRows.Read(b, &g, odd)
			d.body.Groups = append(d.body.Groups, g)
			open = id
			continue
		}
		p := prompt{ID: id}
		blockRows.Read(b, &p, odd)
		if g := b.Get("group"); g != nil && open != "" { // absent: the category before it
			if s, _ := g.Text(); s != open {
				open = "" // the run ends here, whatever later blocks say
			}
		}
		if open != "" {
			p.GroupID = canonical.Ptr(open)
		}
		position[id], _ = b.Get("position").Text()
		out = append(out, p)
		l.readVariables(obj, b, id, &d, &vars, odd)
	}
	d.body.Prompts = append(d.body.Prompts, across(out, position)...)
	return d
}

// across moves blocks over the chat history to the side that they name.
func across(list []prompt, position map[string]string) []prompt {
	at := slices.IndexFunc(list, func(p prompt) bool { return prompts.SlotName(&p) == prompts.ChatHistory })
	if at < 0 {
		return list
	}
	var before, after, stay []prompt
	for i, p := range list {
		free := p.MarkerSlot == nil && canonical.Or(p.Placement, "") == canonical.PlaceRelative
		switch {
		case i < at && free && position[p.ID] == "post_history":
			after = append(after, p)
		case i > at && free && position[p.ID] == "pre_history":
			before = append(before, p)
		case i < at:
			stay = append(stay, p)
		}
	}
	moved := map[string]bool{}
	for _, p := range before {
		moved[p.ID] = true
	}
	out := append(append(stay, before...), list[at])
	out = append(out, after...)
	for _, p := range list[at+1:] {
		if !moved[p.ID] {
			out = append(out, p)
		}
	}
	return out
}

// newBlock is a block that says nothing yet.
func newBlock(id string) *jsondoc.Value {
	b := jsondoc.Object()
	b.Set("id", jsondoc.String(id))
	b.Set("name", jsondoc.String(""))
	b.Set("content", jsondoc.String(""))
	b.Set("role", jsondoc.String("system"))
	b.Set("enabled", jsondoc.Bool(true))
	b.Set("position", jsondoc.String("pre_history"))
	b.Set("depth", jsondoc.Int(0))
	b.Set("marker", jsondoc.Null())
	b.Set("isLocked", jsondoc.Bool(false))
	b.Set("color", jsondoc.Null())
	b.Set("injectionTrigger", jsondoc.Array())
	b.Set("characterTagTrigger", jsondoc.Array())
	b.Set("group", jsondoc.Null())
	b.Set("categoryMode", jsondoc.Null())
	return b
}

// encode writes what differs between p and what obj says; added is a prompt that the app needs beside them.
func (l *loom) encode(obj *jsondoc.Value, p *canonical.Preset, fresh func(seq []prompts.Item) []prompts.Item) {
	was := l.decode(obj, func(string) {})
	l.rows.Overlay(obj, p, was.body, nil, nil)
	l.writeBlocks(obj, p, was, fresh)
	l.writeVariables(obj, p, was)
}

// fill writes a new preset.
func (l *loom) fill(obj *jsondoc.Value, p *canonical.Preset) {
	l.rows.Fill(obj, p, nil, nil)
	was := l.decode(obj, func(string) {})
	l.writeBlocks(obj, p, was, withHistory)
	l.writeVariables(obj, p, was)
}

// withHistory puts the chat history in where a preset of another app has none: before the first prompt that belongs
// into or behind the chat, else at the end.
func withHistory(seq []prompts.Item) []prompts.Item {
	at := len(seq)
	for i, it := range seq {
		if it.Prompt == nil {
			continue
		}
		slot := prompts.SlotName(it.Prompt)
		if slot == prompts.ChatHistory {
			return seq
		}
		if at == len(seq) && (canonical.Or(it.Prompt.Placement, "") == canonical.PlaceInChat || slot == "jailbreak") {
			at = i
		}
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(seq, func(it prompts.Item) bool { return it.ID() == id })
	}
	return slices.Insert(slices.Clone(seq), at, prompts.Item{Prompt: &prompt{
		ID: canonical.UniqueID(prompts.ChatHistory, taken), Name: prompts.SlotOf(prompts.ChatHistory).Label, MarkerSlot: canonical.Ptr(prompts.ChatHistory), Marker: canonical.Ptr(true), Enabled: canonical.Ptr(true)}})
}

func (l *loom) writeBlocks(obj *jsondoc.Value, p *canonical.Preset, was decodedLoom, fresh func([]prompts.Item) []prompts.Item) {
	seq, before := prompts.Sequence(p), prompts.Sequence(was.body)
	if fresh != nil {
		seq = fresh(seq)
	}
	old := map[string]prompts.Item{}
	for _, it := range before {
		old[it.ID()] = it
	}
	used := map[string]bool{}
	var names canonical.IDs
	ids := make([]string, len(seq))
	sameOrder := len(seq) == len(before)
	for i, it := range seq {
		ids[i] = it.ID()
		if ids[i] == "" {
			ids[i] = "block-" + strconv.Itoa(i)
		}
		ids[i] = names.Unique(ids[i])
		used[ids[i]] = true
		sameOrder = sameOrder && before[i].ID() == ids[i] && (before[i].Group == nil) == (it.Group == nil)
	}
	post := false
	out := make([]*jsondoc.Value, len(seq))
	for i, it := range seq {
		b, o := was.blocks[ids[i]], old[ids[i]]
		isNew := b == nil || (o.Group == nil) != (it.Group == nil)
		if isNew {
			b = newBlock(ids[i])
		}
		out[i] = b
		if it.Group != nil {
			if isNew {
				b.Set("marker", jsondoc.String(category))
				groupRows.Fill(b, it.Group, nil, nil)
			} else {
				groupRows.Overlay(b, it.Group, o.Group, nil, nil)
			}
			continue
		}
		moved := isNew || !sameOrder
		if isNew {
			blockRows.Fill(b, it.Prompt, nil, nil)
			if prompts.Structural(prompts.SlotName(it.Prompt)) {
				b.Set("isLocked", jsondoc.Bool(true))
			}
			if s := prompts.SlotOf(prompts.SlotName(it.Prompt)); s != nil && it.Prompt.Name == "" {
				b.Set("name", jsondoc.String(s.Label))
			}
		} else {
			moved = moved || !samePtr(o.Prompt.Placement, it.Prompt.Placement)
			blockRows.Overlay(b, it.Prompt, o.Prompt, nil, nil)
		}
		if pos, _ := b.Get("position").Text(); moved && it.Prompt.MarkerSlot == nil {
			switch {
			case pos == "pre_history" && post:
				b.Set("position", jsondoc.String("post_history"))
			case pos == "post_history" && !post:
				b.Set("position", jsondoc.String("pre_history"))
			}
		}
		post = post || prompts.SlotName(it.Prompt) == prompts.ChatHistory
		if isNew || !samePtr(o.Prompt.GroupID, it.Prompt.GroupID) || !sameOrder && len(p.Groups) > 0 {
			g := jsondoc.Null()
			if id := canonical.Or(it.Prompt.GroupID, ""); id != "" && used[id] {
				g = jsondoc.String(id)
			}
			b.Set("group", g)
		}
	}
	if sameOrder {
		return
	}
	list := l.list(obj)
	if list.Kind() != jsondoc.KindArray {
		obj.Set(l.blocks, jsondoc.Array())
		list = l.list(obj)
	}
	list.SetElems(out)
}

func (l *loom) unmapped(root *jsondoc.Value) []string {
	obj, prefix := l.preset(root), ""
	var out []string
	if l.inside != "" {
		prefix = l.inside + "."
		for n, v := range root.Members() {
			switch n {
			case "type", "schemaVersion", l.inside, regexKey, regex.RecordKey:
			case "extensions":
				out = append(out, l.cover.Unmapped(jsondocWith(n, v))...)
			default:
				if !emptyValue(v) {
					out = append(out, n)
				}
			}
		}
	}
	for _, p := range l.cover.Unmapped(obj) {
		out = append(out, prefix+p)
	}
	seen := map[string]bool{}
	for i, b := range l.list(obj).Elems() {
		if b.Kind() != jsondoc.KindObject {
			if !b.IsNull() {
				out = append(out, prefix+l.blocks+"["+strconv.Itoa(i)+"]")
			}
			continue
		}
		cover := blockCover
		if marker(b) == category {
			cover = groupCover
		}
		for _, p := range append(cover.Unmapped(b), variablesUnmapped(b)...) {
			if !seen[p] {
				seen[p] = true
				out = append(out, prefix+l.blocks+"[]."+p)
			}
		}
	}
	return append(append(out, l.strayValues(obj, prefix)...), l.unmappedScripts(root)...)
}

// jsondocWith is an object with one member.
func jsondocWith(name string, v *jsondoc.Value) *jsondoc.Value {
	o := jsondoc.Object()
	o.Set(name, v.Clone())
	return o
}

func emptyValue(v *jsondoc.Value) bool {
	switch v.Kind() {
	case jsondoc.KindNull:
		return true
	case jsondoc.KindString:
		s, _ := v.Text()
		return s == ""
	}
	return (v.Kind() == jsondoc.KindArray || v.Kind() == jsondoc.KindObject) && v.Len() == 0
}
