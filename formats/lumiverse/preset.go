package lumiverse

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// preset reads the three shapes of a Lumiverse preset: the bare loom object that the app exports and imports, LumiHub's
// wrapper around it, and the row of the app's own API. A file goes back in the shape that it came in; a preset of
// another app becomes a bare loom object. The design's codec knows the wrapper alone and writes SillyTavern presets.
//
// A block stands where Lumiverse sends it: a block on the wrong side of the chat history moves across it when a prompt
// is put together, so its place in the model is the one after the move (prompt-assembly.service.ts).
type preset struct{}

const presetID = "lumiverse-preset"

const (
	parkedPreset = "Lumiverse's presets have no such setting; it is kept under bunzai in the preset's further metadata for the way back"
	parkedBlock  = "Lumiverse's blocks have no such setting; it is kept in the block under bunzai for the way back"
)

func (preset) Info() formats.Info {
	return formats.Info{ID: presetID, App: name, AppLabel: label, Kind: canonical.KindPreset, Label: "Lumiverse preset", Containers: []formats.Container{formats.JSON}}
}

// loom is one shape: where the preset lies in the file, and where its parts lie in it.
type loom struct {
	name   string
	inside string // member that holds the preset; "" = the root
	blocks string
	at     func(place string) string
	rows   fieldmap.Map[canonical.Preset]
	cover  *fieldmap.Coverage
}

var (
	bareLoom = newLoom("loom", "", "blocks", func(s string) string { return s })
	hubLoom  = newLoom("lumihub", "preset", "blocks", func(s string) string { return s })
	rowLoom  = newLoom("row", "", "prompt_order", func(s string) string {
		top, _, _ := strings.Cut(s, ".")
		switch top {
		case "name":
			return s
		case "samplerOverrides", "customBody":
			return "parameters." + s
		case "promptBehavior", "completionSettings", "advancedSettings":
			return "prompts." + s
		case "passthroughMetadata":
			return strings.Replace(s, "passthroughMetadata", "metadata", 1)
		}
		return "metadata." + s
	})
)

func newLoom(shape, inside, blocks string, at func(string) string) *loom {
	w := prompts.W
	null := func(path, place string) prompts.Wire {
		return prompts.Wire{Path: path, Places: []string{place}, Null: true}
	}
	wires := []prompts.Wire{
		w("description", "description"),
		null("samplers.temperature", "samplerOverrides.temperature"), null("samplers.topP", "samplerOverrides.topP"), null("samplers.topK", "samplerOverrides.topK"),
		null("samplers.minP", "samplerOverrides.minP"), null("samplers.frequencyPenalty", "samplerOverrides.frequencyPenalty"), null("samplers.presencePenalty", "samplerOverrides.presencePenalty"),
		null("samplers.repetitionPenalty", "samplerOverrides.repetitionPenalty"), null("samplers.maxContext", "samplerOverrides.contextSize"), null("samplers.maxTokens", "samplerOverrides.maxTokens"),
		w("systemPrompts.impersonation", "promptBehavior.impersonationPrompt"), w("systemPrompts.newChat", "promptBehavior.newChatPrompt"),
		w("systemPrompts.newGroupChat", "promptBehavior.newGroupChatPrompt"), w("systemPrompts.continueNudge", "promptBehavior.continueNudge"), w("systemPrompts.groupNudge", "promptBehavior.groupNudge"),
		w("systemPrompts.assistantPrefill", "completionSettings.assistantPrefill"), w("systemPrompts.assistantImpersonation", "completionSettings.assistantImpersonation"),
		w("behavior.sendIfEmpty", "promptBehavior.sendIfEmpty"), w("behavior.namesBehavior", "completionSettings.namesBehavior"),
		w("behavior.continuePrefill", "completionSettings.continuePrefill"), w("behavior.continuePostfix", "completionSettings.continuePostfix"),
		w("apiOptions.streamResponses", "samplerOverrides.streaming"), w("apiOptions.claudeUseSystemPrompt", "completionSettings.useSystemPrompt"),
		w("apiOptions.squashSystemMessages", "completionSettings.squashSystemMessages"), w("apiOptions.functionCalling", "completionSettings.enableFunctionCalling"),
		w("apiOptions.enableWebSearch", "completionSettings.enableWebSearch"), w("media.imageInlining", "completionSettings.sendInlineMedia"), w("generation.seed", "advancedSettings.seed"),
	}
	l := &loom{name: shape, inside: inside, blocks: blocks, at: at}
	l.rows = append(fieldmap.Map[canonical.Preset]{
		fieldmap.New("name", fieldmap.Plain(func(p *canonical.Preset) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText))),
	}, prompts.Table(wires, at, "passthroughMetadata.bunzai", parkedPreset)...)
	l.cover = l.rows.Coverage(blocks, at("promptVariables"), at("passthroughMetadata")+".bunzai", "type", "id", at("schemaVersion"), "createdAt", "updatedAt", "created_at", "updated_at", "provider", "engine", at("source"), at("isDefault"),
		regexKey, regex.RecordKey, "extensions."+regexKey, "extensions."+regex.RecordKey, "extensions."+hubKey+"."+regexKey, "extensions."+hubKey+"."+regex.RecordKey)
	return l
}

// preset is the object that holds the preset.
func (l *loom) preset(root *jsondoc.Value) *jsondoc.Value {
	if l.inside != "" {
		return root.Get(l.inside)
	}
	return root
}

// loomOf tells the shape of a document, nil with the reason when it is none.
func loomOf(root *jsondoc.Value) (*loom, float64, string) {
	if root.Kind() != jsondoc.KindObject {
		return nil, 0, "not a JSON object"
	}
	object := func(names ...string) bool {
		for _, n := range names {
			if root.Get(n).Kind() != jsondoc.KindObject {
				return false
			}
		}
		return true
	}
	t, typed := root.Get("type").Text()
	switch {
	case t == "lumiverse_preset":
		if root.At("preset", "blocks").Kind() == jsondoc.KindArray {
			return hubLoom, 1, "type lumiverse_preset with blocks"
		}
		return nil, 0, "type is lumiverse_preset, but preset.blocks is missing"
	case typed:
		return nil, 0, "its type is " + t
	case root.Get("blocks").Kind() == jsondoc.KindArray:
		for _, b := range root.Get("blocks").Elems() {
			if b.Kind() == jsondoc.KindObject && !b.Has("content") && !b.Has("marker") && !b.Has("role") {
				return nil, 0, "its blocks are no prompts"
			}
		}
		if _, named := root.Get("name").Text(); !named && root.Get("samplerOverrides") == nil && root.Get("schemaVersion") == nil {
			return nil, 0, "blocks, but nothing else of a preset"
		}
		return bareLoom, 0.95, "a list of blocks"
	case root.Get("prompt_order").Kind() == jsondoc.KindArray && object("parameters", "prompts", "metadata"):
		return rowLoom, 0.95, "prompt_order, parameters, prompts and metadata"
	}
	return nil, 0, "not a preset: it has no blocks"
}

func (preset) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	_, score, why := loomOf(d.Root)
	return formats.Bid{Score: score, Reason: why}
}

func (preset) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	l, _, why := loomOf(d.Root)
	if l == nil {
		return nil, fault.New(fault.NotRecognized, "", "this is no preset of Lumiverse: %s", why)
	}
	out := &formats.Decoded{Container: formats.JSON, Variant: l.name}
	obj := l.preset(d.Root)
	p := l.decode(obj, func(w string) { out.Warnings = append(out.Warnings, w) }).body
	if on, ok := obj.At(strings.Split(l.at("samplerOverrides.enabled"), ".")...).Bool(); ok && !on {
		out.Warnings = append(out.Warnings, "the preset's sampler settings are switched off in Lumiverse; another app that reads them will use them")
	}
	id := canonical.Slug(p.Name)
	if p.Name == "" {
		id = "preset"
	}
	un := jsondoc.Object()
	un.Set("shape", jsondoc.String(l.name))
	out.Entity = &canonical.Entity{Kind: canonical.KindPreset, ID: id, Body: p, Original: []*canonical.Escrow{{Bucket: presetID, Raw: d, Unmapped: un}}}
	out.Unmapped = func() []string { return l.unmapped(d.Root) }
	return out, nil
}

func (preset) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	p, ok := e.Body.(*canonical.Preset)
	if !ok {
		return nil, fault.New(fault.WrongKind, "", "a preset file holds presets, and this is a %s", e.Kind)
	}
	if ctx.Container != "" && ctx.Container != formats.JSON {
		return nil, fault.New(fault.UnknownTarget, "", "a Lumiverse preset is a JSON file; there is no container %q for it", ctx.Container)
	}
	out := &formats.Encoded{Container: formats.JSON, Ext: ".json", MediaType: "application/json"}
	var doc *jsondoc.Doc
	if o := e.Bucket(presetID); o != nil && o.Raw != nil {
		if l, _, _ := loomOf(o.Raw.Root); l != nil {
			doc = o.Raw.Clone()
			l.encode(l.preset(doc.Root), p, nil)
			if err := l.writeScripts(doc.Root, o.Raw.Root, ctx.RegexSets, out); err != nil {
				return nil, err
			}
		}
	}
	if doc == nil {
		root := newPreset()
		bareLoom.fill(root, p)
		if err := bareLoom.writeScripts(root, nil, ctx.RegexSets, out); err != nil {
			return nil, err
		}
		doc = jsondoc.NewDoc(root, "  ")
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
	return append(append(append(bareLoom.rows.Fields(""), blockFields()...), choiceFields()...), formats.Field{Path: "behaviorRefs", Wire: "extensions.regex_scripts", Reads: true})
}

// newPreset is a loom object that says nothing yet. What is not there takes the app's default when it is imported.
func newPreset() *jsondoc.Value {
	root := jsondoc.Object()
	root.Set("name", jsondoc.String(""))
	root.Set("description", jsondoc.String(""))
	root.Set("coverUrl", jsondoc.Null())
	root.Set("schemaVersion", jsondoc.Int(1))
	root.Set("blocks", jsondoc.Array())
	root.Set("source", jsondoc.Null())
	root.Set("isDefault", jsondoc.Bool(false))
	s := jsondoc.Object()
	s.Set("enabled", jsondoc.Bool(true))
	for _, n := range []string{"maxTokens", "contextSize", "temperature", "topP", "minP", "topK", "frequencyPenalty", "presencePenalty", "repetitionPenalty"} {
		s.Set(n, jsondoc.Null())
	}
	root.Set("samplerOverrides", s)
	body := jsondoc.Object()
	body.Set("enabled", jsondoc.Bool(false))
	body.Set("rawJson", jsondoc.String("{}"))
	root.Set("customBody", body)
	for _, n := range []string{"promptBehavior", "completionSettings", "advancedSettings", "modelProfiles"} {
		root.Set(n, jsondoc.Object())
	}
	root.Set("lastProfileKey", jsondoc.Null())
	root.Set("promptVariables", jsondoc.Object())
	return root
}
