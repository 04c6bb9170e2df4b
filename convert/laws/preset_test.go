package laws

import (
	"fmt"
	"slices"

	"bunzai/formats"
)

func init() {
	accepts["sillytavern-preset"] = stPreset
	accepts["lumiverse-preset"] = loomPreset
	accepts["bunzai-preset"] = canonicalFile
	for _, n := range []string{
		"Preset.behaviorRefs", "Prompt.id", "Prompt.markerSlot", "Prompt.groupId", "PromptGroup.id", "PromptGroup.parentGroupId", "Choice.id", "Choice.type", "ChoiceOption.id",
	} {
		notEdited[n] = true
	}
	for path, members := range map[string]string{
		"samplers.temperature":                 "temperature temp",
		"samplers.frequencyPenalty":            "frequency_penalty freq_pen repetition_penalty_frequency",
		"samplers.presencePenalty":             "presence_penalty presence_pen repetition_penalty_presence PresensePenalty",
		"samplers.repetitionPenalty":           "repetition_penalty rep_pen",
		"samplers.maxContext":                  "openai_max_context max_length max_context contextSize maxContext",
		"samplers.maxTokens":                   "openai_max_tokens genamt max_length maxTokens maxResponse",
		"samplers.promptPostProcessing":        "custom_prompt_post_processing",
		"systemPrompts.impersonation":          "impersonation_prompt impersonationPrompt",
		"systemPrompts.newChat":                "new_chat_prompt newChatPrompt",
		"systemPrompts.newGroupChat":           "new_group_chat_prompt newGroupChatPrompt",
		"systemPrompts.newExampleChat":         "new_example_chat_prompt",
		"systemPrompts.continueNudge":          "continue_nudge_prompt continueNudge",
		"systemPrompts.groupNudge":             "group_nudge_prompt groupNudge",
		"templates.worldInfoFormat":            "wi_format",
		"apiOptions.streamResponses":           "stream_openai streaming streamResponses",
		"apiOptions.claudeUseSystemPrompt":     "claude_use_sysprompt use_sysprompt useSystemPrompt",
		"apiOptions.useMakerSuiteSystemPrompt": "use_makersuite_sysprompt",
		"apiOptions.functionCalling":           "function_calling enableFunctionCalling",
		"media.imageInlining":                  "image_inlining media_inlining sendInlineMedia",
		"media.inlineImageQuality":             "inline_image_quality",
		"media.videoInlining":                  "video_inlining",
		"generation.completions":               "n",
		"generation.biasPreset":                "bias_preset_selected",
		"prompts[].content":                    "content post_history system_prompt main_prompt nsfw_prompt jailbreak_prompt text mainPrompt jailbreak globalNote bunzai",
		"prompts[].placement":                  "injection_position position role placement",
		"prompts[].role":                       "role bunzai",
		"prompts[].injectionDepth":             "injection_depth depth",
		"choices[].key":                        "name promptVariables defaultValue",
		"choices[].readme":                     "description",
		"behavior.namesBehavior":               "names_behavior names_in_completion namesBehavior",
		"prompts[].enabled":                    "enabled prompt_order identifier promptTemplate bunzai", // an unused prompt comes into the order, by its name
		"apiOptions.reasoningEffort":           "reasoningEffort reasonEffort bunzai",
		"prompts[].marker":                     "marker bunzai",
	} {
		carries[path] = members
	}
}

// stPreset are the rules of a chat completion preset: sillytavern.md 7.1 and 7.2 (openai.js, PromptManager.js).
func stPreset(data []byte, _ formats.Container) error {
	p, err := parseObject(data)
	if err != nil {
		return err
	}
	types := map[string]string{
		"temperature": "n", "frequency_penalty": "n", "presence_penalty": "n", "top_p": "n", "top_k": "n", "top_a": "n", "min_p": "n", "repetition_penalty": "n",
		"openai_max_context": "n", "openai_max_tokens": "n", "names_behavior": "n", "seed": "n", "n": "n",
		"wrap_in_quotes": "b", "stream_openai": "b", "continue_prefill": "b", "use_sysprompt": "b", "use_makersuite_sysprompt": "b", "squash_system_messages": "b", "function_calling": "b",
		"show_thoughts": "b", "enable_web_search": "b", "request_images": "b", "media_inlining": "b", "video_inlining": "b", "max_context_unlocked": "b",
		"name": "s", "impersonation_prompt": "s", "new_chat_prompt": "s", "new_group_chat_prompt": "s", "new_example_chat_prompt": "s", "continue_nudge_prompt": "s", "group_nudge_prompt": "s",
		"assistant_prefill": "s", "assistant_impersonation": "s", "wi_format": "s", "scenario_format": "s", "personality_format": "s", "send_if_empty": "s", "continue_postfix": "s",
		"inline_image_quality": "s", "bias_preset_selected": "s", "custom_prompt_post_processing": "s", "reasoning_effort": "s",
		"prompts": "l", "prompt_order": "l", "extensions": "o",
	}
	for m, v := range p {
		ok := false
		switch v.(type) {
		case float64:
			ok = types[m] == "n"
		case bool:
			ok = types[m] == "b"
		case string:
			ok = types[m] == "s"
		case []any:
			ok = types[m] == "l"
		case obj:
			ok = types[m] == "o"
		}
		if !ok {
			return fmt.Errorf("%s is %v", m, v)
		}
	}
	if w, has := p["reasoning_effort"]; has && !slices.Contains([]any{"auto", "min", "low", "medium", "high", "max"}, w) {
		return fmt.Errorf("reasoning_effort %v is none of the app's words", w)
	}
	rows, ok := p["prompts"].([]any)
	if !ok {
		return fmt.Errorf("prompts must be a list")
	}
	ids := map[string]bool{}
	for i, x := range rows {
		r, ok := x.(obj)
		id, named := r["identifier"].(string)
		if !ok || !named || id == "" || ids[id] {
			return fmt.Errorf("prompts[%d]: identifier %v is missing or stands there twice", i, r["identifier"])
		}
		ids[id] = true
		if _, ok := r["name"].(string); !ok {
			return fmt.Errorf("prompts[%d]: name is %v", i, r["name"])
		}
		if _, ok := r["content"].(string); !ok && r["marker"] != true {
			return fmt.Errorf("prompts[%d]: content is %v", i, r["content"])
		}
		if v, has := r["role"]; has && !slices.Contains([]any{"system", "user", "assistant"}, v) {
			return fmt.Errorf("prompts[%d]: role is %v", i, v)
		}
		if v, has := r["injection_position"]; has && v != 0.0 && v != 1.0 {
			return fmt.Errorf("prompts[%d]: injection_position is %v", i, v)
		}
		for _, m := range []string{"injection_depth", "injection_order"} {
			if v, has := r[m]; has {
				if _, num := v.(float64); !num {
					return fmt.Errorf("prompts[%d]: %s is %v", i, m, v)
				}
			}
		}
		if v, has := r["injection_trigger"]; has && !texts(v) {
			return fmt.Errorf("prompts[%d]: injection_trigger is %v", i, v)
		}
	}
	orders, ok := p["prompt_order"].([]any)
	if !ok || len(orders) != 1 {
		return fmt.Errorf("prompt_order must be a list with the global order")
	}
	o, _ := orders[0].(obj)
	if o["character_id"] != 100001.0 {
		return fmt.Errorf("prompt_order: character_id is %v", o["character_id"])
	}
	seen := map[string]bool{}
	for i, x := range list(o["order"]) {
		r, _ := x.(obj)
		id, _ := r["identifier"].(string)
		if _, on := r["enabled"].(bool); !on || !ids[id] || seen[id] {
			return fmt.Errorf("order[%d] is %v", i, x)
		}
		seen[id] = true
	}
	if len(seen) != len(ids) {
		return fmt.Errorf("%d prompts and %d in the order: what is not there is unused", len(ids), len(seen))
	}
	return nil
}

// loomPreset is the checklist of lumiverse.md 9.1 with the types of 5.2 and 5.3.
func loomPreset(data []byte, _ formats.Container) error {
	p, err := parseObject(data)
	if err != nil {
		return err
	}
	if _, typed := p["type"]; typed {
		return fmt.Errorf("a bare loom object has no type")
	}
	blocks, ok := p["blocks"].([]any)
	if !ok {
		return fmt.Errorf("blocks must be a list")
	}
	ids := map[string]bool{}
	history := 0
	open := ""
	for i, x := range blocks {
		b, _ := x.(obj)
		id, _ := b["id"].(string)
		if id == "" || ids[id] {
			return fmt.Errorf("blocks[%d]: id %v is missing or stands there twice", i, b["id"])
		}
		ids[id] = true
		for _, m := range []string{"name", "content", "role", "position"} {
			if _, text := b[m].(string); !text {
				return fmt.Errorf("blocks[%d]: %s is %v", i, m, b[m])
			}
		}
		if !slices.Contains([]any{"system", "user", "assistant", "user_append", "assistant_append"}, b["role"]) || !slices.Contains([]any{"pre_history", "post_history", "in_history"}, b["position"]) {
			return fmt.Errorf("blocks[%d]: role %v, position %v", i, b["role"], b["position"])
		}
		_, num := b["depth"].(float64)
		_, on := b["enabled"].(bool)
		if !num || !on || !texts(b["injectionTrigger"]) {
			return fmt.Errorf("blocks[%d] lacks depth, enabled or injectionTrigger: %v", i, b)
		}
		if b["marker"] == "chat_history" {
			history++
		}
		if b["marker"] == "category" {
			open = id
			continue
		}
		g, has := b["group"]
		if !has {
			return fmt.Errorf("blocks[%d]: group must be said", i)
		}
		if g != nil && g != open {
			return fmt.Errorf("blocks[%d]: its group %v is not the category before it", i, g)
		}
		if b["marker"] == nil && (b["position"] == "pre_history" && history > 0 || b["position"] == "post_history" && history == 0) {
			return fmt.Errorf("blocks[%d]: the app would move it across the chat history", i)
		}
	}
	if history != 1 {
		return fmt.Errorf("%d chat_history blocks", history)
	}
	s, ok := p["samplerOverrides"].(obj)
	for m, v := range s {
		switch v.(type) {
		case nil, float64:
		case bool:
			if m != "enabled" && m != "streaming" {
				return fmt.Errorf("samplerOverrides.%s is %v", m, v)
			}
		default:
			return fmt.Errorf("samplerOverrides.%s is %v", m, v)
		}
	}
	if !ok {
		return fmt.Errorf("samplerOverrides must be an object")
	}
	for block, v := range p["promptVariables"].(obj) {
		if !ids[block] {
			return fmt.Errorf("promptVariables: no block %s", block)
		}
		_ = v
	}
	return nil
}
