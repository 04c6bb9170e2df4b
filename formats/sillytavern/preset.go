package sillytavern

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// preset reads and writes every settings file that SillyTavern exports: the chat completion preset with its prompts,
// the sampler presets of text completion, KoboldAI and NovelAI, the instruct, context, system prompt and reasoning
// templates, and the master export that holds several of them. Each is a shape; a file goes back in the shape that it
// came in, and a preset of another app becomes a chat completion preset.
//
// prompts[] is never rewritten: an edit touches the row that it edits, and a new order touches prompt_order only. The
// connection settings that may hold an address, a password or headers (reverse_proxy, proxy_password, custom_url, ...)
// stay in the file for SillyTavern itself, as SillyTavern writes them, and never go into another app's file.
type preset struct{}

const presetID = "sillytavern-preset"

func (preset) Info() formats.Info {
	return formats.Info{ID: presetID, App: "sillytavern", AppLabel: label, Kind: canonical.KindPreset, Label: "SillyTavern preset", Containers: []formats.Container{formats.JSON}}
}

func (preset) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	obj, _ := presetIn(d.Root)
	s, why := shapeOf(obj)
	if s == nil {
		return formats.No(why)
	}
	return formats.Bid{Score: s.score, Reason: why}
}

var managerCover = fieldmap.Map[canonical.Preset]{}.Coverage("version", "type", "data")

// presetIn is the object with the settings, and where it stands: data in an export of the prompt manager
// ({version, type: full or character, data: {prompts, prompt_order}}, PromptManager.js), else the root.
func presetIn(root *jsondoc.Value) (obj *jsondoc.Value, where string) {
	_, versioned := root.Get("version").Num()
	t, _ := root.Get("type").Text()
	if data := root.Get("data"); versioned && (t == "full" || t == "character") && data.Get("prompts").Kind() == jsondoc.KindArray {
		return data, "data."
	}
	return root, ""
}

func (preset) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	if d.Root.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, "", "a preset must be an object, and this is %s", d.Root.Kind())
	}
	obj, where := presetIn(d.Root)
	s, why := shapeOf(obj)
	if s == nil {
		return nil, fault.New(fault.NotRecognized, "", "this is no preset of SillyTavern: %s", why)
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: s.name}
	if where != "" {
		out.Variant = "prompt-manager"
		out.Warnings = append(out.Warnings, "this is an export of the prompt manager: it holds the prompts that were added and their order, none of the preset's settings and none of the app's own prompts")
	}
	warn := func(w string) { out.Warnings = append(out.Warnings, w) }
	p := s.decode(obj, func(w string) {
		if where == "" || !strings.HasPrefix(w, toNoPrompt) { // to the app's own prompts, which such a file leaves out
			warn(w)
		}
	}).body
	un := jsondoc.Object()
	un.Set("shape", jsondoc.String(s.name))
	prompts.NameAfterFile(p, un, baseName(in.Name))
	if held := secretsIn(d.Root); len(held) > 0 {
		warn("the preset holds connection settings that may be secret (" + strings.Join(held, ", ") + "): they stay in a file for SillyTavern and in bunzai's own, and go to no other app; take them out before you share the file")
	}
	out.Entity = &canonical.Entity{Kind: canonical.KindPreset, ID: canonical.Slug(p.Name), Body: p, Original: []*canonical.Escrow{{Bucket: presetID, Raw: d, Unmapped: un}}}
	if p.Name == "" {
		out.Entity.ID = "preset"
	}
	out.Unmapped = func() []string {
		paths := s.unmapped(obj)
		for i := range paths {
			paths[i] = where + paths[i]
		}
		if where != "" {
			paths = append(paths, managerCover.Unmapped(d.Root)...)
		}
		return paths
	}
	return out, nil
}

func (preset) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	p, ok := e.Body.(*canonical.Preset)
	if !ok {
		return nil, fault.New(fault.WrongKind, "", "a preset file holds presets, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a SillyTavern preset is a JSON file; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.JSON, Ext: ".json", MediaType: "application/json"}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	var doc *jsondoc.Doc
	s := chat
	if o := e.Bucket(presetID); o != nil && o.Raw != nil && o.Raw.Root.Kind() == jsondoc.KindObject {
		doc = o.Raw.Clone()
		was, _ := presetIn(o.Raw.Root)
		now, _ := presetIn(doc.Root)
		if x, _ := shapeOf(was); x != nil {
			s = x
		}
		s.encode(now, prompts.Said(p, o), near)
		if err := writeScripts(now, was, p.Name, ctx.RegexSets, out); err != nil {
			return nil, err
		}
	} else {
		root := jsondoc.Object()
		chat.fill(root, p, near)
		if err := writeScripts(root, nil, p.Name, ctx.RegexSets, out); err != nil {
			return nil, err
		}
		doc = jsondoc.NewDoc(root, "    ")
	}
	if s != chat {
		out.Fields = s.fields()
	}
	r := &rope.Rope{}
	doc.AppendTo(r)
	if r.Size() > ctx.Limits.JSON {
		return nil, ctx.Limits.Over("", "JSON", r.Size())
	}
	out.Data = r
	return out, nil
}

func (preset) Fields() []formats.Field {
	return append(chat.fields(), formats.Field{Path: "behaviorRefs", Wire: "extensions.regex_scripts", Reads: true})
}

// Secret implements formats.SecretKeeper.
func (preset) Secret(path string) bool {
	for _, s := range secrets {
		if path == s || strings.HasSuffix(path, "."+s) {
			return true
		}
	}
	return false
}

// secrets are the settings that SillyTavern itself offers to leave out of an export.
var secrets = []string{
	"reverse_proxy", "proxy_password", "custom_url", "custom_include_body", "custom_exclude_body", "custom_include_headers",
	"vertexai_region", "vertexai_express_project_id", "azure_base_url", "azure_deployment_name", "workers_ai_account_id",
	"apikey", "oaiapikey", "api_key", "openrouter_api_key",
}

func secretsIn(root *jsondoc.Value) (held []string) {
	for _, s := range secrets {
		if t, ok := root.Get(s).Text(); ok && t != "" {
			held = append(held, s)
		}
	}
	return held
}

// decoded is a preset with the wire values that it came from.
type decoded struct {
	body *canonical.Preset
	raw  *canonical.Preset         // the prompts as the file has them; see fold
	rows map[string]*jsondoc.Value // prompt or heading by its identifier
	list *order                    // the sequence that counts; nil when the file has none

	block   *prompt  // the prompt that sets the variables; nil when there is none
	blockAt int      // where it stands in raw
	held    []string // by prompt that is written: the text that stands for the written one; see keep
}

// shape is one kind of settings file.
type shape struct {
	name  string
	score float64
	rows  fieldmap.Map[canonical.Preset]
	texts []textPrompt // members that are prompts
	cover *fieldmap.Coverage
}

// textPrompt is a member that holds one prompt.
type textPrompt struct{ path, slot string }

func (s *shape) decode(root *jsondoc.Value, warn func(string)) decoded {
	d := decoded{body: &canonical.Preset{Prompts: []canonical.Prompt{}}}
	s.rows.Read(root, d.body, func(path, what string) { warn(path + " " + what) })
	if s == chat {
		d.prompts(root, warn)
		d.fold()
		return d
	}
	for _, t := range s.texts {
		if c, ok := root.At(strings.Split(t.path, ".")...).Text(); ok && c != "" {
			d.body.Prompts = append(d.body.Prompts, canonical.Prompt{ID: t.path, Content: c, MarkerSlot: canonical.Ptr(t.slot)})
		}
	}
	return d
}

// encode writes what differs between p and what root says.
func (s *shape) encode(root *jsondoc.Value, p *canonical.Preset, near fieldmap.Near) {
	was := s.decode(root, func(string) {})
	nameless := func(r fieldmap.Row[canonical.Preset]) bool { return r.Path == "name" && !root.Has("name") } // the file's name is the preset's
	s.rows.Overlay(root, p, was.body, nameless, near)
	if s == chat {
		was.write(root, p, near)
		return
	}
	for _, t := range s.texts {
		path, now := strings.Split(t.path, "."), ""
		for i := range p.Prompts {
			if p.Prompts[i].ID == t.path {
				now = p.Prompts[i].Content
			}
		}
		if old, _ := root.At(path...).Text(); old != now {
			fieldmap.Put(root, path, jsondoc.String(now))
		}
	}
}

func (s *shape) fields() []formats.Field {
	out := s.rows.Fields("")
	if s == chat {
		return append(append(out, promptFields()...), choiceFields()...)
	}
	if len(s.texts) > 0 {
		out = append(out, formats.Field{Path: "prompts[].content", Wire: s.texts[0].path, Reads: true},
			formats.Field{Path: "prompts[].markerSlot", Wire: s.texts[0].path, Reads: true})
	}
	return out
}

func (s *shape) unmapped(root *jsondoc.Value) []string {
	var out []string
	for _, p := range s.cover.Unmapped(root) {
		if (preset{}).Secret(p) { // first, since a long list is cut
			out = append([]string{p}, out...)
		} else {
			out = append(out, p)
		}
	}
	out = append(out, scripts.BadIn(root.At(presetScripts...), "extensions.regex_scripts")...)
	if s == chat {
		out = append(out, unmappedRows(root)...)
	}
	return out
}
