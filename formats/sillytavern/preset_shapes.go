package sillytavern

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/prompts"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

const (
	parkedPreset  = "SillyTavern has no such setting; it is kept under extensions.bunzai for the way back"
	parkedChoices = "SillyTavern's presets ask no questions: the answer is set in the prompt called Variables, and the rest is kept under extensions.bunzai for the way back"
	parkedName    = "SillyTavern names a preset by its file"
)

// chat is the chat completion preset.
var chat = chatShape()

func chatShape() *shape {
	w := prompts.W
	wires := []prompts.Wire{
		w("samplers.temperature", "temperature"), w("samplers.frequencyPenalty", "frequency_penalty"), w("samplers.presencePenalty", "presence_penalty"),
		w("samplers.topP", "top_p"), w("samplers.topK", "top_k"), w("samplers.topA", "top_a"), w("samplers.minP", "min_p"),
		w("samplers.repetitionPenalty", "repetition_penalty"), w("samplers.maxContext", "openai_max_context"), w("samplers.maxTokens", "openai_max_tokens"),
		{Path: "samplers.promptPostProcessing", Places: []string{"custom_prompt_post_processing"}, Codec: postProcessing()},
		w("systemPrompts.impersonation", "impersonation_prompt"), w("systemPrompts.newChat", "new_chat_prompt"), w("systemPrompts.newGroupChat", "new_group_chat_prompt"),
		w("systemPrompts.newExampleChat", "new_example_chat_prompt"), w("systemPrompts.continueNudge", "continue_nudge_prompt"), w("systemPrompts.groupNudge", "group_nudge_prompt"),
		w("systemPrompts.assistantPrefill", "assistant_prefill"), w("systemPrompts.assistantImpersonation", "assistant_impersonation"),
		w("templates.worldInfoFormat", "wi_format"), w("templates.scenarioFormat", "scenario_format"), w("templates.personalityFormat", "personality_format"),
		w("behavior.wrapInQuotes", "wrap_in_quotes"), w("behavior.namesBehavior", "names_behavior"),
		w("behavior.sendIfEmpty", "send_if_empty"), w("behavior.continuePrefill", "continue_prefill"), w("behavior.continuePostfix", "continue_postfix"),
		w("apiOptions.streamResponses", "stream_openai"), w("apiOptions.claudeUseSystemPrompt", "use_sysprompt", "claude_use_sysprompt"),
		w("apiOptions.useMakerSuiteSystemPrompt", "use_makersuite_sysprompt"), w("apiOptions.squashSystemMessages", "squash_system_messages"),
		w("apiOptions.functionCalling", "function_calling"), w("apiOptions.showThoughts", "show_thoughts"), w("apiOptions.reasoningEffort", "reasoning_effort"),
		w("apiOptions.enableWebSearch", "enable_web_search"), w("apiOptions.requestImages", "request_images"),
		w("media.imageInlining", "media_inlining", "image_inlining"), w("media.inlineImageQuality", "inline_image_quality"), w("media.videoInlining", "video_inlining"),
		w("generation.seed", "seed"), w("generation.completions", "n"), w("generation.maxContextUnlocked", "max_context_unlocked"), w("generation.biasPreset", "bias_preset_selected"),
	}
	s := &shape{name: "chat", score: 0.9}
	s.rows = append(fieldmap.Map[canonical.Preset]{nameRow().Noted(parkedName)}, prompts.Table(wires, same, "extensions.bunzai", parkedPreset)...)
	for i, r := range s.rows {
		if r.Path == "behavior.namesBehavior" {
			s.rows[i] = namesRow()
		}
		if r.Path == "apiOptions.reasoningEffort" {
			acc := prompts.TextAccess(r.Path)
			s.rows[i] = fieldmap.ParkAt(fieldmap.New(r.Path, acc, fieldmap.At("reasoning_effort", effort())), acc, "extensions.bunzai."+r.Path, fieldmap.Text(), effort(),
				"SillyTavern knows auto, min, low, medium, high and max; the nearest of them is written, and the exact word is kept for the way back")
		}
	}
	s.rows = append(s.rows, prompts.ParkChoices("extensions.bunzai.choices", parkedChoices))
	s.cover = s.rows.Coverage("prompts", "prompt_order", "extensions.bunzai", "extensions.regex_scripts", "extensions."+regex.RecordKey)
	return s
}

func same(s string) string { return s }

func nameRow() fieldmap.Row[canonical.Preset] {
	return fieldmap.New("name", fieldmap.Plain(func(p *canonical.Preset) *string { return &p.Name }), fieldmap.At("name", fieldmap.Text().Required(fieldmap.EmptyText)))
}

// postProcessing: "" is none, and claude is what merge was called.
func postProcessing() fieldmap.Codec[string] {
	c := fieldmap.Text()
	return fieldmap.Codec[string]{
		Read: func(v *jsondoc.Value) (*string, string) {
			if s, ok := v.Text(); ok && s == "" {
				return canonical.Ptr("none"), ""
			}
			return c.Read(v)
		},
		Write: func(s string, _ *jsondoc.Value) *jsondoc.Value {
			if s == "none" {
				s = ""
			}
			return jsondoc.String(s)
		},
	}
}

// namesRow also reads the old switch, which knows two of the values.
func namesRow() fieldmap.Row[canonical.Preset] {
	const home, old = "names_behavior", "names_in_completion"
	n := fieldmap.Number()
	value := func(p *canonical.Preset) *float64 {
		if p.Behavior == nil {
			return nil
		}
		return p.Behavior.NamesBehavior
	}
	return fieldmap.Custom("behavior.namesBehavior", home, []string{home, old},
		func(obj *jsondoc.Value, p *canonical.Preset, warn fieldmap.Warn) {
			var f *float64
			if v := obj.Get(home); v != nil && !v.IsNull() {
				x, odd := n.Read(v)
				if odd != "" {
					warn(home, odd)
				}
				f = x
			} else if b, ok := obj.Get(old).Bool(); ok {
				f = canonical.Ptr(0.0)
				if b {
					*f = 1
				}
			}
			if f != nil {
				if p.Behavior == nil {
					p.Behavior = &canonical.PresetBehavior{}
				}
				p.Behavior.NamesBehavior = f
			}
		},
		func(a, b *canonical.Preset) bool {
			x, y := value(a), value(b)
			return x == y || x != nil && y != nil && *x == *y
		},
		func(obj *jsondoc.Value, p *canonical.Preset, _ fieldmap.Near) {
			f := value(p)
			switch {
			case f == nil:
				obj.Delete(home)
				obj.Delete(old)
			case obj.Get(home) == nil && obj.Get(old).Kind() == jsondoc.KindBool && (*f == 0 || *f == 1):
				obj.Set(old, jsondoc.Bool(*f == 1))
			default:
				obj.Set(home, n.Write(*f, obj.Get(home)))
				obj.Delete(old)
			}
		})
}

// efforts are words of other apps and the nearest one that SillyTavern has.
var efforts = map[string]string{
	"auto": "auto", "min": "min", "low": "low", "medium": "medium", "high": "high", "max": "max",
	"none": "min", "off": "min", "disabled": "min", "minimal": "min", "minimum": "min", "0": "low", "1": "medium", "2": "high", "med": "medium", "normal": "medium", "default": "auto", "": "auto",
	"xhigh": "max", "very_high": "max", "extra_high": "max", "maximum": "max", "ultra": "max",
}

// effort reads any word and writes one that SillyTavern knows.
func effort() fieldmap.Codec[string] {
	return fieldmap.Codec[string]{Read: fieldmap.Text().Read, Write: func(s string, _ *jsondoc.Value) *jsondoc.Value {
		near, ok := efforts[strings.ToLower(strings.TrimSpace(s))]
		if !ok {
			near = "auto"
		}
		return jsondoc.String(near)
	}}
}

// samplerRows are those of a sampler preset below prefix.
func samplerRows(prefix string, wires ...prompts.Wire) fieldmap.Map[canonical.Preset] {
	for i := range wires {
		wires[i].Null = true // what tells the shape stays there
	}
	return prompts.Table(wires, func(s string) string { return prefix + s }, "", "")
}

func textgenWires() []prompts.Wire {
	w := prompts.W
	return []prompts.Wire{
		w("samplers.temperature", "temp"), w("samplers.topP", "top_p"), w("samplers.topK", "top_k"), w("samplers.topA", "top_a"), w("samplers.minP", "min_p"),
		w("samplers.frequencyPenalty", "freq_pen"), w("samplers.presencePenalty", "presence_pen"), w("samplers.repetitionPenalty", "rep_pen"),
		w("samplers.maxContext", "max_length"), w("samplers.maxTokens", "genamt"), w("apiOptions.streamResponses", "streaming"), w("generation.seed", "seed"),
	}
}

func newShape(name string, score float64, rows fieldmap.Map[canonical.Preset], texts ...textPrompt) *shape {
	s := &shape{name: name, score: score, rows: rows, texts: texts}
	known := []string{"extensions.regex_scripts", "extensions." + regex.RecordKey}
	for _, t := range texts {
		known = append(known, t.path)
	}
	s.cover = s.rows.Coverage(known...)
	return s
}

func named(rows ...fieldmap.Row[canonical.Preset]) fieldmap.Map[canonical.Preset] {
	return append(fieldmap.Map[canonical.Preset]{nameRow()}, rows...)
}

var (
	textgen = newShape("text-completion", 0.85, named(samplerRows("", textgenWires()...)...))
	kobold  = newShape("koboldai", 0.85, named(samplerRows("",
		prompts.W("samplers.temperature", "temp"), prompts.W("samplers.topP", "top_p"), prompts.W("samplers.topK", "top_k"), prompts.W("samplers.topA", "top_a"), prompts.W("samplers.minP", "min_p"),
		prompts.W("samplers.repetitionPenalty", "rep_pen"), prompts.W("samplers.maxContext", "max_length"), prompts.W("samplers.maxTokens", "genamt"))...))
	novel = newShape("novelai", 0.85, named(samplerRows("",
		prompts.W("samplers.temperature", "temperature"), prompts.W("samplers.topP", "top_p"), prompts.W("samplers.topK", "top_k"), prompts.W("samplers.topA", "top_a"), prompts.W("samplers.minP", "min_p"),
		prompts.W("samplers.frequencyPenalty", "repetition_penalty_frequency"), prompts.W("samplers.presencePenalty", "repetition_penalty_presence"), prompts.W("samplers.repetitionPenalty", "repetition_penalty"),
		prompts.W("samplers.maxContext", "max_context"), prompts.W("samplers.maxTokens", "max_length"))...))
	instruct  = newShape("instruct", 0.9, named(), textPrompt{"system_prompt", "main"})
	context   = newShape("context", 0.9, named())
	sysprompt = newShape("sysprompt", 0.9, named(), textPrompt{"content", "main"}, textPrompt{"post_history", "jailbreak"})
	reasoning = newShape("reasoning", 0.9, named())
	// A master export has no name of its own: the file's counts.
	master = newShape("master", 0.9, samplerRows("preset.", textgenWires()...), textPrompt{"sysprompt.content", "main"}, textPrompt{"instruct.system_prompt", "main"}, textPrompt{"sysprompt.post_history", "jailbreak"})
)

// shapeOf tells which settings file an object is, or nil with the reason; it looks at names and types only.
func shapeOf(root *jsondoc.Value) (*shape, string) {
	if root.Kind() != jsondoc.KindObject {
		return nil, "not a JSON object"
	}
	for _, foreign := range []string{"spec", "entries", "data", "blocks", "body", "promptTemplate", "kind", "findRegex", "qrList", "parameters", "personas"} {
		if root.Has(foreign) {
			return nil, "it has " + foreign + ", so it is another file"
		}
	}
	if t, ok := root.Get("type").Text(); ok {
		return nil, "its type is " + t
	}
	if s, why := chatSigns(root); s != nil {
		return s, why
	}
	for _, s := range []*shape{novel, instruct, context, kobold, textgen, reasoning, sysprompt} {
		if why := signs(s, root); why != "" {
			return s, why
		}
	}
	for _, x := range sections {
		if v := root.Get(x.name); v.Kind() == jsondoc.KindObject && signs(x.shape, v) != "" {
			return master, "a master export: it holds " + x.name
		}
	}
	return nil, "not a preset or template: it has no settings of one"
}

// sections are those of a master export.
var sections = []struct {
	name  string
	shape *shape
}{{"instruct", instruct}, {"context", context}, {"sysprompt", sysprompt}, {"preset", textgen}, {"reasoning", reasoning}}

func has(v *jsondoc.Value, names ...string) bool {
	for _, n := range names {
		if !v.Has(n) {
			return false
		}
	}
	return true
}

func hasAny(v *jsondoc.Value, names ...string) string {
	for _, n := range names {
		if v.Has(n) {
			return n
		}
	}
	return ""
}

func isText(v *jsondoc.Value) bool { return v.Kind() == jsondoc.KindString }

func chatSigns(root *jsondoc.Value) (*shape, string) {
	switch {
	case root.Get("prompts").Kind() == jsondoc.KindArray:
		return chat, "a list of prompts"
	case root.Get("prompt_order").Kind() == jsondoc.KindArray:
		return chat, "prompt_order"
	case root.Get("prompts") != nil && root.Get("prompts").IsNull() && hasAny(root, "openai_max_context", "openai_max_tokens", "chat_completion_source") != "":
		return chat, "chat completion settings"
	}
	if root.Has("temperature") {
		if n := hasAny(root, "openai_max_context", "openai_max_tokens", "impersonation_prompt", "chat_completion_source"); n != "" {
			return chat, "temperature and " + n
		}
		if root.Has("top_p") && hasAny(root, "messages", "model", "order", "tail_free_sampling", "typical_p", "context_length", "repetition_penalty_range", "max_tokens") == "" {
			return chat, "temperature and top_p"
		}
	}
	if root.Has("chat_completion_source") {
		return chat, "chat_completion_source"
	}
	if n := hasAny(root, "openai_max_context", "openai_max_tokens"); n != "" {
		if m := hasAny(root, "frequency_penalty", "presence_penalty", "top_p", "impersonation_prompt", "main_prompt", "jailbreak_prompt", "wi_format", "stream_openai"); m != "" {
			return chat, n + " and " + m
		}
	}
	if isText(root.Get("main_prompt")) && (isText(root.Get("jailbreak_prompt")) || isText(root.Get("nsfw_prompt"))) {
		return chat, "main_prompt and jailbreak_prompt"
	}
	return nil, ""
}

// signs says why an object is of that shape, "" when it is not.
func signs(s *shape, v *jsondoc.Value) string {
	switch s {
	case novel:
		if o := v.Get("order"); o.Kind() == jsondoc.KindArray && hasAny(v, "tail_free_sampling", "repetition_penalty", "repetition_penalty_range") != "" && !v.Has("model") {
			return "NovelAI's order of samplers"
		}
	case instruct:
		if isText(v.Get("input_sequence")) && isText(v.Get("output_sequence")) {
			return "input_sequence and output_sequence"
		}
	case context:
		if isText(v.Get("story_string")) {
			return "story_string"
		}
	case kobold:
		if has(v, "temp", "rep_pen") && hasAny(v, "typical_p", "mirostat_mode", "grammar_string") == "" && hasAny(v, "typical", "mirostat", "grammar", "ikgen", "use_default_badwordsids") != "" {
			return "KoboldAI's sampler settings"
		}
	case textgen:
		if v.Has("temp") && hasAny(v, "rep_pen", "top_p") != "" {
			return "text completion sampler settings"
		}
	case reasoning:
		if isText(v.Get("prefix")) && isText(v.Get("suffix")) && isText(v.Get("separator")) {
			return "prefix, suffix and separator"
		}
	case sysprompt:
		if !isText(v.Get("name")) || !isText(v.Get("content")) {
			return ""
		}
		if isText(v.Get("post_history")) {
			return "name, content and post_history"
		}
		for n := range v.Members() {
			switch n {
			case "name", "content", "post_history", "extensions":
			default:
				return "" // any object may have a name and a content
			}
		}
		return "name and content and nothing else"
	}
	return ""
}
