package risu

import (
	"fmt"
	"slices"
	"strconv"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/jsondoc"
)

type prompt = canonical.Prompt

// slots are the items that the app fills, or a part of whose text it may put another one for. An item is dispatched on
// its type alone: members that the editor left over from another type say nothing.
var slots = []struct{ typ, type2, slot string }{
	{"plain", "main", "main"}, {"plain", "globalNote", "jailbreak"}, {"chat", "", prompts.ChatHistory}, {"persona", "", "personaDescription"},
	{"description", "", "charDescription"}, {"lorebook", "", "worldInfoBefore"}, {"authornote", "", "authorNote"}, {"memory", "", "memory"},
	{"postEverything", "", "postEverything"}, {"cache", "", "cache"},
}

// laterChat is the slot of a chat item that is not the first: a further range of the history.
const laterChat = "chatRange"

func typeOf(item *jsondoc.Value) string { s, _ := item.Get("type").Text(); return s }

// textual reports an item that holds a text.
func textual(typ string) bool {
	return typ == "plain" || typ == "jailbreak" || typ == "cot" || typ == "chatML"
}

// slotOf is what an item stands for by its type, "" for a text.
func slotOf(item *jsondoc.Value) string {
	typ := typeOf(item)
	type2, _ := item.Get("type2").Text()
	for _, s := range slots {
		if s.typ == typ && (s.type2 == "" || s.type2 == type2) {
			return s.slot
		}
	}
	if textual(typ) {
		return ""
	}
	return typ
}

func samePtr[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// itemRows is an item of promptTemplate. Slot and identifier, which depend on the other items, are not among them.
var itemRows = fieldmap.Map[prompt]{
	fieldmap.New("name", fieldmap.Plain(func(p *prompt) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text())),
	contentRow(), itemRoleRow(), itemMarkerRow(),
	fieldmap.New("systemPrompt", fieldmap.Ptr(func(p *prompt) **bool { return &p.SystemPrompt }), fieldmap.At("bunzai.systemPrompt", prompts.Switch())).Parked(parkedItem),
	fieldmap.New("placement", fieldmap.Ptr(func(p *prompt) **string { return &p.Placement }), fieldmap.At("bunzai.placement", fieldmap.Text())).
		Parked("Risu sends a prompt where it stands in the list, and not at a depth in the chat; the place is kept in the prompt under bunzai for the way back"),
	fieldmap.New("injectionDepth", fieldmap.Ptr(func(p *prompt) **float64 { return &p.InjectionDepth }), fieldmap.At("bunzai.injectionDepth", fieldmap.Number())).
		Parked("Risu sends a prompt where it stands in the list, and not at a depth in the chat; the depth is kept in the prompt under bunzai for the way back"),
	fieldmap.New("injectionOrder", fieldmap.Ptr(func(p *prompt) **float64 { return &p.InjectionOrder }), fieldmap.At("bunzai.injectionOrder", fieldmap.Number())).Parked(parkedItem),
	fieldmap.New("forbidOverrides", fieldmap.Ptr(func(p *prompt) **bool { return &p.ForbidOverrides }), fieldmap.At("bunzai.forbidOverrides", prompts.Switch())).Parked(parkedItem),
	fieldmap.New("injectionTrigger", fieldmap.Slice(func(p *prompt) *[]string { return &p.InjectionTrigger }, func(a, b string) bool { return a == b }), fieldmap.At("bunzai.injectionTrigger", fieldmap.TextList(""))).Parked(parkedItem),
	fieldmap.New("isDefault", fieldmap.Ptr(func(p *prompt) **bool { return &p.IsDefault }), fieldmap.At("bunzai.isDefault", prompts.Switch())).Parked(parkedItem),
	fieldmap.New("groupId", fieldmap.Ptr(func(p *prompt) **string { return &p.GroupID }), fieldmap.At("bunzai.groupId", fieldmap.Text())).Parked(parkedItem),
	fieldmap.New("wrapInXml", fieldmap.Ptr(func(p *prompt) **bool { return &p.WrapInXML }), fieldmap.At("bunzai.wrapInXml", prompts.Switch())).Parked(parkedItem),
	fieldmap.New("xmlTagName", fieldmap.Ptr(func(p *prompt) **string { return &p.XMLTagName }), fieldmap.At("bunzai.xmlTagName", fieldmap.Text())).Parked(parkedItem),
}

func park(item *jsondoc.Value, name string, v *jsondoc.Value) {
	if v != nil {
		fieldmap.Put(item, []string{"bunzai", name}, v)
		return
	}
	if fieldmap.Drop(item, []string{"bunzai", name}); item.Get("bunzai").Kind() == jsondoc.KindObject && item.Get("bunzai").Len() == 0 {
		item.Delete("bunzai")
	}
}

// contentRow: only a text item has a text of its own.
func contentRow() fieldmap.Row[prompt] {
	c := fieldmap.Text()
	return fieldmap.Custom("content", "text", []string{"text", "bunzai.content"},
		func(item *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			v := item.At("bunzai", "content")
			if textual(typeOf(item)) {
				v = item.Get("text")
			}
			if v == nil || v.IsNull() {
				return
			}
			s, odd := c.Read(v)
			if odd != "" {
				warn("text", odd)
			}
			p.Content = canonical.Or(s, "")
		},
		func(a, b *prompt) bool { return a.Content == b.Content },
		func(item *jsondoc.Value, p *prompt, near fieldmap.Near) {
			switch {
			case textual(typeOf(item)):
				item.Set("text", jsondoc.String(p.Content))
			case p.Content == "":
				park(item, "content", nil)
			default:
				park(item, "content", jsondoc.String(p.Content))
				near("content", "", "Risu fills this prompt itself and has no text for it; the text is kept in the prompt under bunzai for the way back")
			}
		})
}

// itemRoles are Risu's words; older files have others for the model's role.
var itemRoles = []struct{ wire, canon string }{{"system", "system"}, {"user", "user"}, {"bot", "assistant"}, {"assistant", "assistant"}, {"char", "assistant"}}

func itemRoleRow() fieldmap.Row[prompt] {
	return fieldmap.Custom("role", "role", []string{"role", "bunzai.role"},
		func(item *jsondoc.Value, p *prompt, warn fieldmap.Warn) {
			exact, parked := item.At("bunzai", "role").Text()
			if !textual(typeOf(item)) {
				if parked {
					p.Role = &exact
				}
				return
			}
			v := item.Get("role")
			s, _ := v.Text()
			for _, r := range itemRoles {
				if r.wire == s {
					p.Role = canonical.Ptr(r.canon)
				}
			}
			switch {
			case parked && p.Role != nil && *p.Role == "system":
				p.Role = &exact
			case p.Role == nil && v != nil && !v.IsNull() && typeOf(item) != "chatML":
				warn("role", "is none of the roles that are known; it is kept for the way back, and the app's default counts")
			}
		},
		func(a, b *prompt) bool { return samePtr(a.Role, b.Role) },
		func(item *jsondoc.Value, p *prompt, near fieldmap.Near) {
			if !textual(typeOf(item)) {
				if p.Role != nil {
					park(item, "role", jsondoc.String(*p.Role))
				} else {
					park(item, "role", nil)
				}
				return
			}
			role, exact := "system", false
			switch s := canonical.Or(p.Role, "system"); s {
			case "system", "user":
				role = s
			case "assistant":
				role = "bot"
			default:
				exact = true
				park(item, "role", jsondoc.String(s))
				near("role", "system", "Risu's prompts are the system's, the user's or the bot's; the exact role is kept for the way back")
			}
			if !exact {
				park(item, "role", nil)
			}
			item.Set("role", jsondoc.String(role))
		}).Noted("an item that Risu fills has no role")
}

// itemMarkerRow: an item that holds no text is a marker.
func itemMarkerRow() fieldmap.Row[prompt] {
	return fieldmap.Custom("marker", "type", []string{"type", "bunzai.marker"},
		func(item *jsondoc.Value, p *prompt, _ fieldmap.Warn) {
			if b, ok := item.At("bunzai", "marker").Bool(); ok {
				p.Marker = &b
			} else if !textual(typeOf(item)) {
				p.Marker = canonical.Ptr(true)
			}
		},
		func(a, b *prompt) bool { return samePtr(a.Marker, b.Marker) },
		func(item *jsondoc.Value, p *prompt, _ fieldmap.Near) {
			if p.Marker == nil || *p.Marker && !textual(typeOf(item)) {
				park(item, "marker", nil)
				return
			}
			park(item, "marker", jsondoc.Bool(*p.Marker))
		}).Noted("Risu tells a marker by its type")
}

func itemFields() []formats.Field {
	out := itemRows.Fields("prompts[].")
	for i := range out {
		out[i].Wire = "promptTemplate[]." + out[i].Wire
	}
	const noID = "Risu's prompts have no identifiers; it is kept in the prompt under bunzai for the way back"
	return append(out,
		formats.Field{Path: "prompts", Wire: "promptTemplate", Reads: true, Note: "Risu sends no chat without an item for it, and one is put in where there is none"},
		formats.Field{Path: "prompts[].id", Wire: "promptTemplate[].bunzai.id", Note: noID},
		formats.Field{Path: "prompts[].markerSlot", Wire: "promptTemplate[].type", Reads: true},
		formats.Field{Path: "prompts[].enabled", Wire: "promptTemplate", Reads: true, Note: "Risu's prompts have no switch: what is in the list is on"})
}

// entry is one prompt with its wire item.
type entry struct {
	item *jsondoc.Value
	off  bool // it stands under bunzai.prompts
}

// decodedPreset is a preset with the wire values that it came from.
type decodedPreset struct {
	body    *canonical.Preset
	seq     []entry // as body.Prompts
	byID    map[string]int
	virtual bool // the items were made from the texts of the old mode
	added   bool // an item for the chat was put in that is no prompt of the preset; see withChat
}

var parkedList = []string{"bunzai", "prompts"}

func decodePreset(root *jsondoc.Value, warn func(string)) decodedPreset {
	d := decodedPreset{body: &canonical.Preset{Prompts: []prompt{}}, byID: map[string]int{}}
	presetRows.Read(root, d.body, func(path, what string) { warn(path + " " + what) })
	tpl := root.Get("promptTemplate")
	switch tpl.Kind() {
	case jsondoc.KindArray:
		for i, item := range tpl.Elems() {
			if item.Kind() != jsondoc.KindObject || typeOf(item) == "" {
				warn(fmt.Sprintf("promptTemplate[%d] is no prompt (%s without a type); it is kept for the way back", i, item.Kind()))
				continue
			}
			d.seq = append(d.seq, entry{item: item})
		}
	case jsondoc.KindAbsent, jsondoc.KindNull:
		d.virtual = true
	default:
		d.virtual = true
		warn("promptTemplate is " + tpl.Kind().String() + " where a list is expected; it is kept for the way back, and the preset is read as one of the old mode")
	}
	if d.virtual {
		items, _ := legacyItems(root)
		for _, item := range items {
			d.seq = append(d.seq, entry{item: item})
		}
	}
	for _, e := range root.At(parkedList...).Elems() {
		at, ok := e.Get("at").Int()
		if item := e.Get("item"); ok && item.Kind() == jsondoc.KindObject {
			d.seq = slices.Insert(d.seq, int(max(0, min(at, int64(len(d.seq))))), entry{item, true})
		}
	}
	d.seq = slices.DeleteFunc(d.seq, func(x entry) bool {
		put := isAdded(x.item)
		d.added = d.added || put
		return put
	})
	ids, slots := idsOf(d.seq), slotsOf(d.seq)
	chats, texts, between := 0, false, false // a text between two parts of the chat
	for i, x := range d.seq {
		p := prompt{ID: ids[i], Enabled: canonical.Ptr(!x.off)}
		odd := func(path, what string) { warn("prompt " + formats.Shown(ids[i]) + ": " + path + " " + what) }
		itemRows.Read(x.item, &p, odd)
		if x.off {
			if on, ok := x.item.At("bunzai", "enabled").Bool(); ok {
				p.Enabled = &on
			}
		}
		if !x.off && typeOf(x.item) == "chat" {
			chats++
			between = between || texts
		}
		texts = chats > 0 && (texts || !x.off && textual(typeOf(x.item)))
		if d.virtual { // the old mode has no switches and no roles
			p.Enabled, p.Marker = nil, nil
		}
		if slots[i] != "" {
			p.MarkerSlot = &slots[i]
		}
		d.byID[p.ID] = i
		d.body.Prompts = append(d.body.Prompts, p)
	}
	if between {
		warn("the preset sends the chat history in " + strconv.Itoa(chats) + " parts with prompts between them; another app sends it in one, where the first part stands")
	}
	return d
}

// idsOf names the prompts: as another app named them, else after what they are. No two are equal.
func idsOf(seq []entry) []string {
	var ids canonical.IDs
	out := make([]string, len(seq))
	for i, x := range seq {
		if s, ok := x.item.At("bunzai", "id").Text(); ok && s != "" {
			out[i] = ids.Unique(s)
		}
	}
	for i, x := range seq {
		if out[i] != "" {
			continue
		}
		word := slotOf(x.item)
		if word == "" || prompts.SlotOf(word) != nil {
			word = typeOf(x.item) // the names of the built-ins belong to other apps
		}
		if word == "" {
			word = "prompt"
		}
		out[i] = ids.Unique("risu-" + word)
	}
	return out
}

// unmappedItems lists what items hold that has no canonical home, each place once.
func unmappedItems(root *jsondoc.Value) (out []string) {
	seen := map[string]bool{}
	add := func(path string) {
		if !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	for i, item := range root.Get("promptTemplate").Elems() {
		if item.Kind() != jsondoc.KindObject || typeOf(item) == "" {
			if !item.IsNull() {
				add("promptTemplate[" + strconv.Itoa(i) + "]")
			}
			continue
		}
		typ := typeOf(item)
		if typ == "jailbreak" || typ == "cot" || typ == "chatML" {
			add("promptTemplate[" + strconv.Itoa(i) + "].type (" + typ + ")")
		}
		for name, v := range item.Members() {
			switch name {
			case "type", "name", "bunzai":
				continue
			case "type2", "role", "text":
				if textual(typ) {
					continue
				}
			case "rangeStart":
				if n, ok := v.Int(); typ == "chat" && ok && (n == 0 || n == unset) {
					continue
				}
			case "rangeEnd":
				if s, _ := v.Text(); typ == "chat" && s == "end" {
					continue
				}
			}
			if on, ok := v.Bool(); !fieldmap.Blank(v) && (!ok || on) {
				add("promptTemplate[]." + name)
			}
		}
	}
	return out
}

// noItem is a prompt that Risu has no item for, under bunzai.prompts.
func noItem(item *jsondoc.Value) bool { return typeOf(item) == "" }

// newItem is an item for a prompt of another app that says nothing yet.
func newItem(p *prompt) *jsondoc.Value {
	item := jsondoc.Object()
	slot := prompts.SlotName(p)
	for _, s := range slots {
		if s.slot != slot || s.type2 != "" {
			continue
		}
		item.Set("type", jsondoc.String(s.typ))
		switch s.typ {
		case "chat":
			item.Set("rangeStart", jsondoc.Int(0))
			item.Set("rangeEnd", jsondoc.String("end"))
		case "cache":
			item.Set("name", jsondoc.String(""))
			item.Set("depth", jsondoc.Int(0))
			item.Set("role", jsondoc.String("all"))
		}
		return item
	}
	if slot == laterChat {
		item.Set("type", jsondoc.String("chat"))
		item.Set("rangeStart", jsondoc.Int(0))
		item.Set("rangeEnd", jsondoc.String("end"))
		return item
	}
	if prompts.Structural(slot) || slot != "" && prompts.SlotOf(slot) == nil && p.Content == "" {
		return item
	}
	type2 := "normal"
	for _, s := range slots {
		if s.slot == slot && s.type2 != "" {
			type2 = s.type2
		}
	}
	item.Set("type", jsondoc.String("plain"))
	item.Set("text", jsondoc.String(""))
	item.Set("role", jsondoc.String("system"))
	item.Set("type2", jsondoc.String(type2))
	return item
}

// encodePreset writes what differs between p and what root says; into a fresh root everything.
func encodePreset(root *jsondoc.Value, p *canonical.Preset, fresh bool, near fieldmap.Near) {
	was, held := decodePreset(root, func(string) {}), string(root.Get("bunzai").Raw())
	nameless := func(r fieldmap.Row[canonical.Preset]) bool { return r.Path == "name" && !fresh && !root.Has("name") } // the file's name is the preset's
	if fresh {
		presetRows.Fill(root, p, nil, near)
	} else {
		presetRows.Overlay(root, p, was.body, nameless, near)
	}
	was.write(root, p, fresh, near)
	if now := root.Get("bunzai"); now.Kind() == jsondoc.KindObject && string(now.Raw()) != held {
		prune(root, now)
	}
}

// prune takes groups that hold nothing any more out of what is parked, and the whole where nothing is left.
func prune(root, held *jsondoc.Value) {
	var gone []string
	for n, v := range held.Members() {
		if v.Kind() == jsondoc.KindObject && v.Len() == 0 {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		held.Delete(n)
	}
	if held.Len() == 0 {
		root.Delete("bunzai")
	}
}

// write brings the items to what now says; d is what root says.
func (d decodedPreset) write(root *jsondoc.Value, now *canonical.Preset, fresh bool, near fieldmap.Near) {
	before := make([]string, len(d.seq))
	for i, x := range d.seq {
		before[i] = string(x.item.Raw())
	}
	seq := make([]entry, 0, len(now.Prompts)+1)
	want := make([]*prompt, 0, len(now.Prompts)+1)
	used := make([]bool, len(d.seq))
	same := len(now.Prompts) == len(d.seq)
	for i := range now.Prompts {
		p := &now.Prompts[i]
		tell := func(path, after, why string) { near(fmt.Sprintf("prompts[%d].%s", i, path), after, why) }
		on := canonical.Or(p.Enabled, true)
		j, ok := d.byID[p.ID]
		ok = ok && !used[j]
		var x entry
		if ok {
			used[j] = true
			x.item = d.seq[j].item
			held := x.item.Get("bunzai").Len()
			itemRows.Overlay(x.item, p, &d.body.Prompts[j], nil, tell)
			if held > 0 && x.item.Get("bunzai").Len() == 0 {
				x.item.Delete("bunzai")
			}
		} else {
			x.item = newItem(p)
			itemRows.Fill(x.item, p, nil, tell)
			if noItem(x.item) {
				tell("markerSlot", "", "Risu has no item for this: it adds personality and scenario to the description itself, and sends example messages before the chat; the prompt is kept under bunzai for the way back")
			}
		}
		x.off = !on || noItem(x.item)
		if on, said := x.item.At("bunzai", "enabled").Bool(); noItem(x.item) && (!said || on != canonical.Or(p.Enabled, true)) {
			park(x.item, "enabled", jsondoc.Bool(canonical.Or(p.Enabled, true)))
		}
		if !on && (!ok || !d.seq[j].off) {
			tell("enabled", "left out", "Risu's prompts have no switch, so one that is off is left out of the list; it is kept under bunzai for the way back")
		}
		same = same && ok && j == i && x.off == d.seq[j].off
		seq, want = append(seq, x), append(want, p)
	}
	if fresh || d.added && !same {
		seq, want = withChat(seq, want)
	}
	settle(seq, want)
	if same && d.virtual {
		d.writeTexts(root, before)
		return
	}
	if !same || fresh {
		writeList(root, seq)
	}
}

// withChat puts an item for the chat in where a preset of another app has none: before what belongs behind the chat,
// else at the end.
func withChat(seq []entry, want []*prompt) ([]entry, []*prompt) {
	at := len(seq)
	for i, x := range seq {
		if x.off {
			continue
		}
		if typeOf(x.item) == "chat" {
			return seq, want
		}
		if at == len(seq) && slotOf(x.item) == "jailbreak" {
			at = i
		}
	}
	item := newItem(&prompt{MarkerSlot: canonical.Ptr(prompts.ChatHistory)})
	park(item, addedMark, jsondoc.Bool(true))
	return slices.Insert(seq, at, entry{item: item}), slices.Insert(want, at, nil)
}

// addedMark tells an item that Risu needs and the preset does not have, so that reading does not make a prompt of it.
const addedMark = "added"

func isAdded(item *jsondoc.Value) bool {
	yes, _ := item.At("bunzai", addedMark).Bool()
	return yes && typeOf(item) == "chat"
}

// settle makes the items say the identifiers and slots that are wanted, where place and type say others.
func settle(seq []entry, want []*prompt) {
	for range 3 { // a name that is said may take one from another prompt
		ids, differ := idsOf(seq), false
		for i, p := range want {
			if p != nil && p.ID != "" && ids[i] != p.ID {
				differ = true
				park(seq[i].item, "id", jsondoc.String(p.ID))
			}
		}
		if !differ {
			break
		}
	}
	slots := slotsOf(seq)
	for i, p := range want {
		if p != nil && slots[i] != prompts.SlotName(p) {
			park(seq[i].item, "markerSlot", jsondoc.String(prompts.SlotName(p)))
		}
	}
}

// slotsOf tells what each prompt stands for, "" for a text.
func slotsOf(seq []entry) []string {
	out := make([]string, len(seq))
	chat := false
	for i, x := range seq {
		out[i] = slotOf(x.item)
		if typeOf(x.item) == "chat" {
			if chat {
				out[i] = laterChat
			}
			chat = true
		}
		if s, ok := x.item.At("bunzai", "markerSlot").Text(); ok {
			out[i] = s
		}
	}
	return out
}

// writeList makes seq the prompts of root: what is on is the list, the rest is kept beside it. What is no prompt stays
// behind the prompt that it followed.
func writeList(root *jsondoc.Value, seq []entry) {
	tpl := root.Get("promptTemplate")
	fresh := tpl.Kind() != jsondoc.KindArray // items of the old mode
	if fresh {
		root.Set("promptTemplate", jsondoc.Array())
		tpl = root.Get("promptTemplate")
	}
	here := map[*jsondoc.Value]bool{}
	for _, x := range seq {
		here[x.item] = !x.off
	}
	behind := map[*jsondoc.Value][]*jsondoc.Value{}
	var last *jsondoc.Value
	for _, e := range tpl.Elems() {
		switch {
		case here[e]:
			last = e
		case e.Kind() != jsondoc.KindObject || typeOf(e) == "":
			behind[last] = append(behind[last], e)
		}
	}
	wrapper := map[*jsondoc.Value]*jsondoc.Value{}
	for _, e := range root.At(parkedList...).Elems() {
		wrapper[e.Get("item")] = e
	}
	for _, x := range seq {
		if textual(typeOf(x.item)) && x.item.Get("role") == nil && typeOf(x.item) != "chatML" && fresh {
			x.item.SetAfter("text", "role", jsondoc.String("system"))
		}
	}
	list, kept := append([]*jsondoc.Value{}, behind[nil]...), []*jsondoc.Value{}
	for i, x := range seq {
		if !x.off {
			list = append(append(list, x.item), behind[x.item]...)
			continue
		}
		w := wrapper[x.item]
		if w == nil {
			w = jsondoc.Object()
			w.Set("at", jsondoc.Int(int64(i)))
			w.Set("item", x.item)
		} else {
			w.Set("at", jsondoc.Int(int64(i)))
		}
		kept = append(kept, w)
	}
	tpl.SetElems(list)
	switch old := root.At(parkedList...); {
	case len(kept) == 0 && old != nil:
		park(root, "prompts", nil)
	case len(kept) > 0 && old.Kind() == jsondoc.KindArray:
		old.SetElems(kept)
	case len(kept) > 0:
		park(root, "prompts", jsondoc.Array(kept...))
	}
}

// writeTexts serves the old mode: an edited text goes to its member. Any other edit needs a template, which the app then
// uses instead.
func (d decodedPreset) writeTexts(root *jsondoc.Value, before []string) {
	now := map[string]string{}
	for i, x := range d.seq {
		raw := string(x.item.Raw())
		if raw == before[i] {
			continue
		}
		plain, member := x.item.Clone(), ""
		_, members := legacyItems(root)
		member = members[i]
		was, _ := root.Get(member).Text()
		text, _ := plain.Get("text").Text()
		plain.Set("text", jsondoc.String(was))
		if member == "" || string(plain.Raw()) != before[i] {
			writeList(root, d.seq)
			return
		}
		now[member] = text
	}
	for _, l := range legacyTexts {
		if s, ok := now[l.member]; ok {
			root.Set(l.member, jsondoc.String(s))
		}
	}
}
