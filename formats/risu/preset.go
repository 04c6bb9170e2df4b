package risu

import (
	"math"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/formats/risu/msgpack"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// preset reads and writes Risu's presets: packed (.risup, and .risupreset before August 2024) and as a bare JSON object.
// The document is the same in all three; a packed one keeps the bytes of every value that nobody edits, misspelt names
// and leftovers of the app's editor included, and a preset that says the same as its file is that file again.
//
//   - A sampler of -1000 is one that is not sent; temperature, frequencyPenalty and PresensePenalty are hundredths.
//   - The prompts are promptTemplate. Without one the app is in its old mode: the three texts mainPrompt, jailbreak and
//     globalNote in the order of formatingOrder; a preset in it stays so while only texts are edited.
//   - Risu has no switch for a prompt and sends only what it has an item for. Other prompts are kept whole under
//     bunzai.prompts, which the app does not know.
//   - The connection settings that may hold a key or an address stay in the file for Risu and go to no other app.
type preset struct{}

const (
	presetID     = "risu-preset"
	unset        = -1000
	parkedPreset = "Risu's presets have no such setting; it is kept in the preset under bunzai for the way back, which lasts until Risu itself saves the preset"
	parkedItem   = "Risu's prompts have no such setting; it is kept in the prompt under bunzai for the way back"
)

func (preset) Info() formats.Info {
	return formats.Info{ID: presetID, App: "risu", AppLabel: label, Kind: canonical.KindPreset, Label: "Risu preset", Containers: []formats.Container{formats.Risup, formats.RisuPreset, formats.JSON}}
}

func (preset) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		switch looksPacked(in.Source) {
		case formats.Risup:
			return formats.Bid{Score: 1, Reason: "RPack and gzip around a preset"}
		case formats.RisuPreset:
			return formats.Bid{Score: 1, Reason: "gzip around a preset"}
		}
		return formats.No("not a packed preset")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	why := presetSigns(d.Root)
	if why == "" {
		return formats.No("not a preset of Risu: it has none of its names")
	}
	return formats.Bid{Score: 0.95, Reason: why}
}

// presetSigns says why an object is a preset of Risu, "" when it is none. The misspelt names are Risu's alone.
func presetSigns(root *jsondoc.Value) string {
	if root.Kind() != jsondoc.KindObject || root.Has("spec") || root.Has("prompts") || root.Has("entries") {
		return ""
	}
	if t := root.Get("promptTemplate"); t.Kind() == jsondoc.KindArray && (t.Len() == 0 || t.Elem(0).Get("type").Kind() == jsondoc.KindString) {
		return "promptTemplate"
	}
	if root.Get("formatingOrder").Kind() == jsondoc.KindArray {
		return "formatingOrder"
	}
	if root.Get("PresensePenalty").Kind() == jsondoc.KindNumber {
		return "PresensePenalty"
	}
	if root.Has("promptTemplate") && isText(root.Get("mainPrompt")) {
		return "promptTemplate and mainPrompt"
	}
	return ""
}

// signed makes sure that a JSON file is known as what it is: a packed preset may have none of the names that tell. The
// value is the one that the app takes where there is none (presetTemplate of its database.svelte.ts).
func signed(root *jsondoc.Value) error {
	if presetSigns(root) == "" {
		root.Set("PresensePenalty", jsondoc.Int(70))
	}
	if presetSigns(root) == "" {
		return fault.New(fault.WouldLose, "", "as JSON this preset would be taken for something else, since it has a member spec, prompts or entries; write it as risup")
	}
	return nil
}

func isText(v *jsondoc.Value) bool { return v.Kind() == jsondoc.KindString }

// presetRows are the settings that have a common meaning.
var presetRows = func() fieldmap.Map[canonical.Preset] {
	w := func(path, place string, c fieldmap.Codec[float64]) prompts.Wire {
		return prompts.Wire{Path: path, Places: []string{place}, Codec: c}
	}
	rows := append(fieldmap.Map[canonical.Preset]{
		fieldmap.New("name", fieldmap.Plain(func(p *canonical.Preset) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	}, prompts.Table([]prompts.Wire{
		w("samplers.temperature", "temperature", hundredths()), w("samplers.frequencyPenalty", "frequencyPenalty", hundredths()), w("samplers.presencePenalty", "PresensePenalty", hundredths()),
		w("samplers.topP", "top_p", sampler()), w("samplers.topK", "top_k", sampler()), w("samplers.topA", "top_a", sampler()), w("samplers.minP", "min_p", sampler()),
		w("samplers.repetitionPenalty", "repetition_penalty", sampler()), w("samplers.maxContext", "maxContext", fieldmap.Number()), w("samplers.maxTokens", "maxResponse", fieldmap.Number()),
		prompts.W("systemPrompts.assistantPrefill", "promptSettings.assistantPrefill"), prompts.W("apiOptions.reasoningEffort", "reasonEffort"),
	}, func(place string) string { return place }, "bunzai", parkedPreset)...)
	for i, r := range rows {
		if r.Path == "apiOptions.reasoningEffort" {
			acc := prompts.TextAccess(r.Path)
			rows[i] = fieldmap.ParkAt(fieldmap.New(r.Path, acc, fieldmap.At("reasonEffort", effort())), acc, "bunzai."+r.Path, fieldmap.Text(), effort(),
				"Risu knows minimal, low, medium and high; the nearest of them is written, and the exact word is kept for the way back")
		}
	}
	return append(rows, prompts.ParkChoices("bunzai.choices", "Risu's presets ask their questions in another way; they are kept under bunzai for the way back, and their macros stay in the prompts unresolved"), groupsRow())
}()

// sampler is a number of which -1000 says that it is not sent.
func sampler() fieldmap.Codec[float64] {
	n := fieldmap.Number()
	return fieldmap.Codec[float64]{
		Read: func(v *jsondoc.Value) (*float64, string) {
			f, odd := n.Read(v)
			if f != nil && *f == unset {
				return nil, ""
			}
			return f, odd
		},
		Write: n.Write,
		Empty: func() *jsondoc.Value { return jsondoc.Int(unset) },
	}
}

// hundredths is a sampler that is written a hundred times as large: 80 is 0.8.
func hundredths() fieldmap.Codec[float64] {
	c := sampler()
	return fieldmap.Codec[float64]{
		Read: func(v *jsondoc.Value) (*float64, string) {
			f, odd := c.Read(v)
			if f != nil {
				*f /= 100
			}
			return f, odd
		},
		Write: func(f float64, old *jsondoc.Value) *jsondoc.Value {
			if was, _ := c.Read(old); was != nil && *was/100 == f {
				return old.Clone()
			}
			x := f * 100
			if r := math.Round(x*1e9) / 1e9; r/100 == f {
				x = r
			}
			return c.Write(x, old)
		},
		Empty: c.Empty,
	}
}

// efforts are Risu's numbers and the words that mean them, the usual one first.
var efforts = []struct {
	num   int64
	words []string
}{
	{-1, []string{"minimal", "min", "minimum", "none", "off", "disabled"}},
	{0, []string{"low"}},
	{1, []string{"medium", "auto", "med", "normal", "default"}},
	{2, []string{"high", "max", "maximum", "xhigh", "very_high", "extra_high", "ultra"}},
}

func effort() fieldmap.Codec[string] {
	return fieldmap.Codec[string]{
		Read: func(v *jsondoc.Value) (*string, string) {
			if n, ok := v.Int(); ok {
				for _, e := range efforts {
					if e.num == n {
						return &e.words[0], ""
					}
				}
			}
			return nil, "holds " + formats.Shown(string(v.Raw())) + ", which is none of the known values; it is kept, and the app's default counts"
		},
		Write: func(s string, _ *jsondoc.Value) *jsondoc.Value {
			for _, e := range efforts {
				for _, w := range e.words {
					if strings.EqualFold(strings.TrimSpace(s), w) {
						return jsondoc.Int(e.num)
					}
				}
			}
			return jsondoc.Int(1)
		},
	}
}

// groupsRow parks the headings of other apps as they are in a canonical file.
func groupsRow() fieldmap.Row[canonical.Preset] {
	c := fieldmap.Codec[[]canonical.PromptGroup]{
		Read: func(v *jsondoc.Value) (*[]canonical.PromptGroup, string) {
			var out []canonical.PromptGroup
			for _, e := range v.Elems() {
				var x canonical.PromptGroup
				if canonical.UnmarshalBody(e, &x) == nil {
					out = append(out, x)
				}
			}
			if len(out) == 0 {
				return nil, ""
			}
			return &out, ""
		},
		Write: func(list []canonical.PromptGroup, old *jsondoc.Value) *jsondoc.Value {
			out := make([]*jsondoc.Value, len(list))
			for i := range list {
				out[i] = canonical.MarshalBody(&list[i])
				if was := old.Elem(i); was.Kind() == jsondoc.KindObject { // what stays keeps its layout
					become(was, out[i])
					out[i] = was
				}
			}
			if old.Kind() != jsondoc.KindArray {
				return jsondoc.Array(out...)
			}
			old.SetElems(out)
			return old
		},
	}
	acc := fieldmap.Slice(func(p *canonical.Preset) *[]canonical.PromptGroup { return &p.Groups }, func(a, b canonical.PromptGroup) bool {
		same, err := canonical.Same(&a, &b)
		return same && err == nil
	})
	return fieldmap.New("groups", acc, fieldmap.At("bunzai.groups", c)).Parked("Risu's presets have no headings; they are kept under bunzai for the way back")
}

// become makes the members of obj those of to.
func become(obj, to *jsondoc.Value) {
	var gone []string
	for n := range obj.Members() {
		if !to.Has(n) {
			gone = append(gone, n)
		}
	}
	for _, n := range gone {
		obj.Delete(n)
	}
	for n, v := range to.Members() {
		if !jsondoc.Equal(obj.Get(n), v) {
			obj.Set(n, v)
		}
	}
}

// secrets are the settings that the app blanks in an export, or that name a server.
var secrets = []string{"openAIKey", "proxyKey", "forceReplaceUrl", "forceReplaceUrl2", "textgenWebUIStreamURL", "textgenWebUIBlockingURL", "koboldURL"}

// Secret implements formats.SecretKeeper.
func (preset) Secret(path string) bool {
	for _, s := range secrets {
		if path == s {
			return true
		}
	}
	return false
}

var presetCover = presetRows.Coverage("promptTemplate", "formatingOrder", "regex", "bunzai", strings.Join(parkedList, "."))

func (preset) Decode(in *formats.Input) (*formats.Decoded, error) {
	out := &formats.Decoded{Container: formats.JSON}
	warn := func(w string) { out.Warnings = append(out.Warnings, w) }
	un := jsondoc.Object()
	esc := &canonical.Escrow{Bucket: presetID, Unmapped: un}
	if in.IsJSON() {
		d, err := in.Doc()
		if err != nil {
			return nil, err
		}
		if d.Root.Kind() != jsondoc.KindObject || presetSigns(d.Root) == "" {
			return nil, fault.New(fault.NotRecognized, "", "this is no preset of Risu: it has none of its names")
		}
		esc.Raw = d
	} else {
		p, err := unpack(in.Source, in.Limits)
		if err != nil {
			return nil, err
		}
		if k := p.inner.JSON.Root.Kind(); k != jsondoc.KindObject {
			return nil, fault.New(fault.Damaged, "preset", "a preset must be an object, and this is %s", k)
		}
		out.Container, out.Warnings = p.as, p.warnings
		esc.Raw, esc.Media = p.inner.JSON, canonical.RawBlob(rope.Of(in.Source), "application/octet-stream")
	}
	out.Variant = "template"
	root := esc.Raw.Root
	if root.Get("promptTemplate").Kind() != jsondoc.KindArray {
		out.Variant = "legacy"
	}
	un.Set("container", jsondoc.String(string(out.Container)))
	body := decodePreset(root, warn).body
	prompts.NameAfterFile(body, un, baseName(in.Name))
	var held []string
	for _, s := range secrets {
		if t, ok := root.Get(s).Text(); ok && t != "" {
			held = append(held, s)
		}
	}
	if len(held) > 0 {
		warn("the preset holds connection settings that may be secret (" + strings.Join(held, ", ") + "): they stay in a file for Risu and in bunzai's own, and go to no other app; take them out before you share the file")
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindPreset, ID: canonical.Slug(body.Name), Body: body, Original: []*canonical.Escrow{esc}}
	if body.Name == "" {
		out.Entity.ID = "preset"
	}
	out.Unmapped = func() []string { return unmappedPreset(root) }
	return out, nil
}

func baseName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return strings.TrimSuffix(name, "_preset")
}

func unmappedPreset(root *jsondoc.Value) []string {
	var out []string
	for _, p := range presetCover.Unmapped(root) {
		switch {
		case (preset{}).Secret(p): // first, since a long list is cut
			out = append([]string{p}, out...)
		case root.Get("promptTemplate").Kind() != jsondoc.KindArray && legacyText(p) != nil:
		default:
			out = append(out, p)
		}
	}
	return append(out, unmappedItems(root)...)
}

func (preset) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	p, ok := e.Body.(*canonical.Preset)
	if !ok {
		return nil, fault.New(fault.WrongKind, "", "a preset file holds presets, and this is a %s", e.Kind)
	}
	out := &formats.Encoded{Container: ctx.Container}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	var doc *jsondoc.Doc
	var twin *packed
	if o := e.Bucket(presetID); o != nil && o.Raw != nil && o.Raw.Root.Kind() == jsondoc.KindObject {
		doc = o.Raw.Clone()
		if o.Media != nil {
			raw, err := o.Media.Raw()
			if err == nil {
				twin, err = unpack(raw, ctx.Limits)
			}
			if err != nil {
				return nil, fault.At(err, "sourceMedia")
			}
		}
		if out.Container == "" {
			s, _ := o.Unmapped.Get("container").Text()
			out.Container = formats.Container(s)
		}
		encodePreset(doc.Root, prompts.Said(p, o), false, near)
		if twin != nil && out.Container == formats.JSON {
			doc = jsondoc.NewDoc(doc.Root.Clone(), "  ")
		}
	} else {
		root := newPreset()
		encodePreset(root, p, true, near)
		doc = jsondoc.NewDoc(root, "  ")
	}
	if out.Container == "" {
		out.Container = formats.Risup
	}
	switch out.Container {
	case formats.JSON:
		if err := signed(doc.Root); err != nil {
			return nil, err
		}
		r := &rope.Rope{}
		doc.AppendTo(r)
		if r.Size() > ctx.Limits.JSON {
			return nil, ctx.Limits.Over("", "JSON", r.Size())
		}
		out.Data, out.Ext, out.MediaType = r, ".json", "application/json"
		return out, nil
	case formats.Risup, formats.RisuPreset:
	default:
		return nil, fault.New(fault.UnknownTarget, "", "a Risu preset is packed (risup, risupreset) or JSON; there is no container %q for it", out.Container)
	}
	var plain []byte
	if twin != nil {
		plain = twin.inner.Encode(doc.Root)
	} else {
		plain = msgpack.Encode(doc.Root)
	}
	if int64(len(plain)) > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", int64(len(plain)))
	}
	data, err := pack(plain, twin, out.Container)
	if err != nil {
		return nil, err
	}
	out.Data, out.Ext, out.MediaType = data, "."+string(out.Container), "application/octet-stream"
	return out, nil
}

// newPreset is a preset that says nothing yet; what is not there takes the app's default when it is imported.
// promptSettings is taken as a whole, so a new one is whole.
func newPreset() *jsondoc.Value {
	root := jsondoc.Object()
	root.Set("name", jsondoc.String(""))
	root.Set("promptTemplate", jsondoc.Array())
	s := jsondoc.Object()
	s.Set("assistantPrefill", jsondoc.String(""))
	s.Set("postEndInnerFormat", jsondoc.String(""))
	for _, n := range []string{"sendChatAsSystem", "sendName", "utilOverride"} {
		s.Set(n, jsondoc.Bool(false))
	}
	root.Set("promptSettings", s)
	return root
}

func (preset) Fields() []formats.Field {
	return append(presetRows.Fields(""), itemFields()...)
}
