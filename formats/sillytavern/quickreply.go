package sillytavern

import (
	"fmt"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// quickReply reads and writes sets of quick replies (extensions/quick-reply): version 2 ({version, name, qrList,
// idIndex, ...}), the older slots ({name, quickReplySlots, ...}, version 1), and one reply alone, which the app exports
// as its bare object. A new file is version 2, the only one that the app imports; what came in as slots or as one
// reply goes back as that.
//
// Switches and all else without a field of its own lie in the extras of the set and of each reply, under their names of
// version 2, whichever version they came from. What only counts or mirrors (version, idIndex, numberOfSlots, ...) stays
// in the twin. The scripts are data: shown, never run.
type quickReply struct{}

const quickReplyID = "sillytavern-quickreply"

type (
	qrSet = canonical.QuickReplySet
	qrRow = canonical.QuickReply
)

func (quickReply) Info() formats.Info {
	return formats.Info{ID: quickReplyID, App: "sillytavern", AppLabel: label, Kind: canonical.KindQuickReply, Label: "SillyTavern quick replies", Containers: []formats.Container{formats.JSON}}
}

// qrForm is one shape of the file.
type qrForm struct {
	id    string
	list  string // member with the replies; "" where the root is the one reply
	set   fieldmap.Map[qrSet]
	reply fieldmap.Map[qrRow]
	// Members that are no content: ids, counters, mirrors.
	setKeeps, replyKeeps []string
}

var (
	qrName = fieldmap.New("name", fieldmap.Plain(func(s *qrSet) *string { return &s.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText)))

	// The switches, as version 2 names them.
	setSwitches   = []string{"disableSend", "placeBeforeInput", "injectInput", "onlyBorderColor"}
	replySwitches = []string{"showLabel", "preventAutoExecute", "executeOnStartup", "executeOnUser", "executeOnAi", "executeOnChatChange", "executeOnGroupMemberDraft", "executeOnNewChat", "executeBeforeGeneration"}

	qrV2     = newForm("v2", "qrList", "message", "isHidden", nil, nil, []string{"version", "idIndex"}, []string{"id"})
	qrSingle = newForm("single", "", "message", "isHidden", nil, nil, nil, []string{"id"})
	qrV1     = newForm("v1", "quickReplySlots", "mes", "hidden",
		map[string]string{"disableSend": "quickActionEnabled", "placeBeforeInput": "placeBeforeInputEnabled", "injectInput": "AutoInputInject"},
		map[string]string{"executeOnStartup": "autoExecute_appStartup", "executeOnUser": "autoExecute_userMessage", "executeOnAi": "autoExecute_botMessage",
			"executeOnChatChange": "autoExecute_chatLoad", "executeOnGroupMemberDraft": "autoExecute_groupMemberDraft", "executeOnNewChat": "autoExecute_newChat",
			"executeBeforeGeneration": "autoExecute_beforeGeneration"},
		[]string{"quickReplyEnabled", "numberOfSlots", "selectedPreset"}, []string{"enabled", "id"})
)

// newForm makes the two field maps of a shape. Set and reply say where a switch has another name than in version 2.
func newForm(id, list, message, hidden string, set, reply map[string]string, setKeeps, replyKeeps []string) *qrForm {
	f := &qrForm{id: id, list: list, setKeeps: setKeeps, replyKeeps: replyKeeps}
	setBag := func(s *qrSet) **jsondoc.Value { return &s.Extras }
	bag := func(r *qrRow) **jsondoc.Value { return &r.Extras }
	if list != "" {
		f.set = fieldmap.Map[qrSet]{qrName}
		for _, n := range setSwitches {
			f.set = append(f.set, inBag(setBag, n, renamed(set, n), switchInBag()))
		}
		f.set = append(f.set, restOf(setBag, f.set, append(setKeeps[:len(setKeeps):len(setKeeps)], list)))
	}
	f.reply = fieldmap.Map[qrRow]{
		fieldmap.New("label", fieldmap.Plain(func(r *qrRow) *string { return &r.Label }), fieldmap.At("label", fieldmap.Text().Required(fieldmap.EmptyText))),
		fieldmap.New("message", fieldmap.Plain(func(r *qrRow) *string { return &r.Message }), fieldmap.At(message, fieldmap.Text().Required(fieldmap.EmptyText))),
		fieldmap.New("title", fieldmap.Ptr(func(r *qrRow) **string { return &r.Title }), fieldmap.At("title", fieldmap.Text())),
		fieldmap.New("hidden", fieldmap.Ptr(func(r *qrRow) **bool { return &r.Hidden }), fieldmap.At(hidden, fieldmap.Bool())),
	}
	for _, n := range replySwitches {
		f.reply = append(f.reply, inBag(bag, n, renamed(reply, n), switchInBag()))
	}
	if id == "v1" {
		f.reply = append(f.reply, inBag(bag, "contextList", "contextMenu", menuInBag()))
	}
	f.reply = append(f.reply, restOf(bag, f.reply, replyKeeps))
	return f
}

func renamed(names map[string]string, n string) string {
	if w, ok := names[n]; ok {
		return w
	}
	return n
}

// inBag ties one member on the wire to one member of the extras.
func inBag[B any](bag func(b *B) **jsondoc.Value, member, wire string, c fieldmap.Codec[*jsondoc.Value]) fieldmap.Row[B] {
	return fieldmap.New("extras."+member, fieldmap.Access[B, *jsondoc.Value]{
		Get: func(b *B) (*jsondoc.Value, bool) { v := (*bag(b)).Get(member); return v, v != nil },
		Set: func(b *B, v *jsondoc.Value) {
			if *bag(b) == nil {
				*bag(b) = jsondoc.Object()
			}
			(*bag(b)).Set(member, v)
		},
		Clear: func(b *B) { (*bag(b)).Delete(member) },
		Same:  jsondoc.Equal,
	}, fieldmap.At(wire, c))
}

// switchInBag is a switch of the extras: text that spells it is read too; what is none is kept as it is.
func switchInBag() fieldmap.Codec[*jsondoc.Value] {
	b := fieldmap.Bool()
	return fieldmap.Codec[*jsondoc.Value]{
		Read: func(v *jsondoc.Value) (**jsondoc.Value, string) {
			x := v.Clone()
			on, odd := b.Read(v)
			if on != nil {
				x = jsondoc.Bool(*on)
			}
			return &x, odd
		},
		Write: func(v, _ *jsondoc.Value) *jsondoc.Value { return v.Clone() },
	}
}

// menuInBag is the old context menu, [{preset, chain}], as the contextList of version 2, [{set, isChained}].
func menuInBag() fieldmap.Codec[*jsondoc.Value] {
	names := [][2]string{{"preset", "set"}, {"chain", "isChained"}}
	swap := func(v *jsondoc.Value, from, to int) *jsondoc.Value {
		out := jsondoc.Array()
		for _, e := range v.Elems() {
			x := jsondoc.Object()
			if e.Kind() != jsondoc.KindObject {
				x = e.Clone()
			}
			for k, m := range e.Members() {
				for _, n := range names {
					if k == n[from] {
						k = n[to]
					}
				}
				x.Set(k, m.Clone())
			}
			out.AppendElem(x)
		}
		return out
	}
	return fieldmap.Codec[*jsondoc.Value]{
		Read: func(v *jsondoc.Value) (**jsondoc.Value, string) {
			x := v.Clone()
			if v.Kind() == jsondoc.KindArray {
				x = swap(v, 0, 1)
			}
			return &x, ""
		},
		Write: func(v, _ *jsondoc.Value) *jsondoc.Value {
			if v.Kind() == jsondoc.KindArray {
				return swap(v, 1, 0)
			}
			return v.Clone()
		},
	}
}

// restOf is the row of every member that no other row speaks of: it lies in the extras under its own name. A name that
// another row has, in the extras or on the wire, is never written by it.
func restOf[B any](bag func(b *B) **jsondoc.Value, rows fieldmap.Map[B], keeps []string) fieldmap.Row[B] {
	taken := map[string]bool{}
	for _, r := range rows {
		taken[r.Wire] = true
		if n, ok := strings.CutPrefix(r.Path, "extras."); ok {
			taken[n] = true
		}
	}
	for _, k := range keeps {
		taken[k] = true
	}
	rest := func(v *jsondoc.Value) *jsondoc.Value {
		out := jsondoc.Object()
		for k := range v.Members() {
			if !taken[k] && !out.Has(k) {
				out.Set(k, v.Get(k).Clone()) // of a name that stands twice the last counts
			}
		}
		return out
	}
	return fieldmap.Custom("extras", "its other members", nil,
		func(obj *jsondoc.Value, b *B, _ fieldmap.Warn) {
			for k, v := range rest(obj).Members() {
				if *bag(b) == nil {
					*bag(b) = jsondoc.Object()
				}
				(*bag(b)).Set(k, v.Clone())
			}
		},
		func(a, b *B) bool { return jsondoc.Equal(rest(*bag(a)), rest(*bag(b))) },
		func(obj *jsondoc.Value, b *B, _ fieldmap.Near) {
			now := rest(*bag(b))
			for k, v := range now.Members() {
				if !jsondoc.Equal(obj.Get(k), v) {
					obj.Set(k, v.Clone())
				}
			}
			for k := range rest(obj).Members() {
				if !now.Has(k) {
					obj.Delete(k)
				}
			}
		})
}

// formOf tells the shape of a document; nil is none, with the reason.
func formOf(root *jsondoc.Value) (*qrForm, string) {
	has := func(v *jsondoc.Value, names ...string) (n int) {
		for _, x := range names {
			if v.Has(x) {
				n++
			}
		}
		return n
	}
	if root.Has("spec") || root.Has("schemaVersion") {
		return nil, "it says that it is another kind of file"
	}
	named := root.Get("name").Kind() == jsondoc.KindString
	list := root.Get("qrList")
	switch _, whole := root.Get("version").Int(); {
	case root.Get("quickReplySlots").Kind() == jsondoc.KindArray:
		return qrV1, "quickReplySlots"
	case named && list.Kind() == jsondoc.KindArray:
		for _, e := range list.Elems() {
			if e.Kind() == jsondoc.KindObject && has(e, "label", "message") == 0 {
				return nil, "qrList holds what is no quick reply"
			}
		}
		return qrV2, "a name and qrList"
	case named && whole && (list == nil || list.IsNull()) && has(root, setSwitches...)+has(root, "idIndex") > 1:
		return qrV2, "a version and the settings of a set, without qrList"
	case root.Get("message").Kind() == jsondoc.KindString && root.Get("label").Kind() == jsondoc.KindString && has(root, replySwitches...)+has(root, "isHidden", "contextList", "automationId") > 0:
		return qrSingle, "one quick reply"
	case emptySettings(root):
		return nil, ""
	}
	return nil, "no name with qrList, and no quickReplySlots"
}

// emptySettings reports the app's settings of quick replies that link to no set: there is nothing in them, so they are
// read as an empty set and never written back as what they are.
func emptySettings(root *jsondoc.Value) bool {
	list := root.Get("setList")
	if list == nil {
		list = root.At("config", "setList")
	}
	return list.Kind() == jsondoc.KindArray && list.Len() == 0 && (root.Has("isEnabled") || root.Has("isCombined") || root.Get("name").Kind() == jsondoc.KindString)
}

func (quickReply) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	f, why := formOf(d.Root)
	switch {
	case f != nil:
		return formats.Bid{Score: 0.9, Reason: why}
	case why == "":
		return formats.Bid{Score: 0.7, Reason: "settings of quick replies without a set"}
	}
	return formats.No("not a quick reply set: " + why)
}

// replies reads the replies with the wire values that they came from.
func (f *qrForm) replies(root *jsondoc.Value, warn func(string)) (out []qrRow, vals []*jsondoc.Value) {
	out = []qrRow{}
	var ids canonical.IDs
	add := func(path string, v *jsondoc.Value) {
		if v.Kind() != jsondoc.KindObject {
			if !v.IsNull() {
				warn(path + " is " + v.Kind().String() + " and no quick reply; it is kept for the way back to SillyTavern only")
			}
			return
		}
		r := qrRow{}
		at := path
		if at != "" {
			at += "."
		}
		f.reply.Read(v, &r, func(p, what string) { warn(at + p + " " + what) })
		r.ID = strconv.Itoa(len(out) + 1)
		if f != qrV1 { // a slot has no id: the app numbers it by its place
			if s, ok := v.Get("id").Text(); ok && s != "" {
				r.ID = s
			} else if s, ok := v.Get("id").Num(); ok {
				r.ID = s
			}
		}
		if id := ids.Unique(r.ID); id != r.ID {
			warn(at + "id is " + formats.Shown(r.ID) + " like that of another reply; here it counts as " + formats.Shown(id))
			r.ID = id
		}
		out, vals = append(out, r), append(vals, v)
	}
	if f.list == "" {
		add("", root)
		return out, vals
	}
	switch list := root.Get(f.list); list.Kind() {
	case jsondoc.KindArray:
		for i, v := range list.Elems() {
			add(f.list+"["+strconv.Itoa(i)+"]", v)
		}
	case jsondoc.KindAbsent, jsondoc.KindNull:
	default:
		warn(f.list + " is " + list.Kind().String() + " where a list is expected; it is kept for the way back to SillyTavern only")
	}
	return out, vals
}

func (quickReply) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	f, why := formOf(d.Root)
	if f == nil && why != "" {
		return nil, fault.New(fault.Damaged, "", "this is no set of quick replies: %s", why)
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: "settings"}
	warn := func(s string) { out.Warnings = append(out.Warnings, s) }
	s := &qrSet{Replies: []qrRow{}}
	o := &canonical.Escrow{Bucket: quickReplyID, Raw: d, Unmapped: jsondoc.Object()}
	if f == nil {
		warn("these are settings of quick replies that name no set, so this is an empty set")
		s.Name, _ = d.Root.Get("name").Text()
	} else {
		out.Variant = f.id
		f.set.Read(d.Root, s, func(p, what string) { warn(p + " " + what) })
		s.Replies, _ = f.replies(d.Root, warn)
		for _, r := range s.Replies {
			links(r, s.Name, warn)
		}
	}
	o.Unmapped.Set("variant", jsondoc.String(out.Variant))
	id := canonical.Slug(s.Name)
	if s.Name == "" {
		id = canonical.Slug(baseName(in.Name))
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindQuickReply, ID: id, Body: s, Original: []*canonical.Escrow{o}}
	return out, nil
}

// links warns of the sets that a reply opens and that are not in this file.
func links(r qrRow, set string, warn func(string)) {
	for _, e := range r.Extras.Get("contextList").Elems() {
		who := "the quick reply " + strconv.Quote(formats.Shown(r.Label))
		switch name, ok := e.Get("set").Text(); {
		case ok && name == set && name != "":
		case ok && name != "":
			warn(who + " opens the set " + strconv.Quote(formats.Shown(name)) + ", which is not in this file; SillyTavern needs it beside this one")
		default:
			warn(who + " has a menu entry that names no set; it is kept as it is")
		}
	}
}

func (quickReply) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	s, _ := e.Body.(*qrSet)
	if s == nil {
		return nil, fault.New(fault.WrongKind, "", "a quick reply file holds quick replies, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "quick replies are a JSON file; there is no container %q for them", ctx.Container)
	}
	var f *qrForm
	var doc *jsondoc.Doc
	if o := e.Bucket(quickReplyID); o != nil && o.Raw != nil {
		if f, _ = formOf(o.Raw.Root); f != nil {
			doc = o.Raw.Clone()
		}
	}
	switch {
	case f == qrSingle && (len(s.Replies) != 1 || s.Name != "" || s.Extras != nil):
		// It is a set now, of which the one reply was the first.
		list, root := jsondoc.Array(doc.Root.Clone()), newQRSet()
		root.Set("qrList", list)
		f, doc = qrV2, jsondoc.NewDoc(root, "    ")
		f.write(doc.Root, s, false)
	case f != nil:
		f.write(doc.Root, s, false)
	default:
		doc = jsondoc.NewDoc(newQRSet(), "    ")
		qrV2.write(doc.Root, s, true)
	}
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	return &formats.Encoded{Data: r, Container: formats.JSON, Ext: ".json", MediaType: "application/json"}, nil
}

// newQRSet is a set that says nothing; SillyTavern has a default for every switch.
func newQRSet() *jsondoc.Value {
	v := jsondoc.Object()
	v.Set("version", jsondoc.Int(2))
	v.Set("name", jsondoc.String(""))
	v.Set("qrList", jsondoc.Array())
	v.Set("idIndex", jsondoc.Int(0))
	return v
}

// write brings a document up to date.
func (f *qrForm) write(root *jsondoc.Value, s *qrSet, fresh bool) {
	if fresh {
		f.set.Fill(root, s, nil, nil)
	} else {
		was := &qrSet{}
		f.set.Read(root, was, nil)
		f.set.Overlay(root, s, was, nil, nil)
	}
	was, vals := f.replies(root, func(string) {})
	at := map[string]int{}
	for i, r := range was {
		at[r.ID] = i
	}
	if f.list == "" {
		f.reply.Overlay(root, &s.Replies[0], &was[0], nil, nil)
		return
	}
	ids := newQRIDs(root, was, vals, s.Replies)
	same := len(was) == len(s.Replies)
	used := map[int]bool{}
	out := make([]*jsondoc.Value, len(s.Replies))
	for i := range s.Replies {
		r := &s.Replies[i]
		if j, ok := at[r.ID]; ok && !used[j] {
			used[j], same = true, same && i == j
			f.reply.Overlay(vals[j], r, &was[j], nil, nil)
			out[i] = vals[j]
			continue
		}
		same = false
		v := jsondoc.Object()
		if f != qrV1 {
			v.Set("id", jsondoc.Int(ids[i]))
		}
		for _, row := range f.reply[:3] { // label, message, title
			v.Set(row.Wire, jsondoc.String(""))
		}
		f.reply.Fill(v, r, nil, nil)
		out[i] = v
	}
	if same {
		return
	}
	if root.Get(f.list).Kind() != jsondoc.KindArray {
		root.Set(f.list, jsondoc.Array())
	}
	root.Get(f.list).SetElems(out)
	if f == qrV1 {
		count(root, "numberOfSlots", int64(len(out)), false)
		return
	}
	top := int64(0)
	for _, v := range out {
		top = max(top, qrNumber(v.Get("id")))
	}
	count(root, "idIndex", top, true)
}

// count sets a counter that is there, keeping text where it is text; atLeast never lowers it.
func count(root *jsondoc.Value, name string, n int64, atLeast bool) {
	old := root.Get(name)
	if old == nil || atLeast && qrNumber(old) >= n {
		return
	}
	if old.Kind() == jsondoc.KindString {
		root.Set(name, jsondoc.String(fmt.Sprint(n)))
		return
	}
	root.Set(name, jsondoc.Int(n))
}

// qrNumber is an id as a number, also where it is text; 0 for none.
func qrNumber(v *jsondoc.Value) int64 {
	n, ok := v.Int()
	if !ok {
		s, _ := v.Text()
		n, _ = strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	}
	if n < 0 || n > 1<<50 {
		return 0
	}
	return n
}

// newQRIDs gives each reply that is not in the document a number: its own where that is free, else the next one above
// every number in use, as the app counts.
func newQRIDs(root *jsondoc.Value, was []qrRow, vals []*jsondoc.Value, now []qrRow) []int64 {
	taken, top := map[int64]bool{}, qrNumber(root.Get("idIndex"))
	use := func(n int64) { taken[n], top = true, max(top, n) }
	known := map[string]bool{}
	for i, r := range was {
		known[r.ID] = true
		use(qrNumber(vals[i].Get("id")))
		use(qrNumber(jsondoc.String(r.ID)))
	}
	out := make([]int64, len(now))
	for i, r := range now {
		n := qrNumber(jsondoc.String(r.ID))
		if known[r.ID] || n == 0 || taken[n] {
			continue
		}
		use(n)
		out[i] = n
	}
	for i, r := range now {
		if out[i] == 0 && !known[r.ID] {
			out[i] = top + 1
			use(out[i])
		}
	}
	return out
}

func (quickReply) Fields() []formats.Field {
	var out []formats.Field
	for _, r := range qrV2.set {
		if r.Path == "name" || r.Path == "extras" {
			out = append(out, r.Field)
		}
	}
	for _, r := range qrV2.reply {
		if r.Path == "extras" || !strings.HasPrefix(r.Path, "extras.") {
			x := r.Field
			x.Path, x.Wire = "replies[]."+x.Path, "qrList[]."+x.Wire
			out = append(out, x)
		}
	}
	return out
}
