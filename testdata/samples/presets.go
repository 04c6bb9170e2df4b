package samples

// presets are preset files of SillyTavern and Lumiverse in every shape.
func presets() []Sample {
	var out []Sample
	add := func(name, s string) { out = append(out, Sample{Name: name, Kind: Preset, Data: []byte(s)}) }
	add("preset-st.json", stPreset)
	add("preset-st-compact.json", compact(stPreset))
	add("preset-st-odd.json", stPresetOdd)
	add("preset-st-headings.json", stPresetHeadings)
	add("preset-st-wiki.json", stPresetWiki)
	add("preset-st-old.json", stPresetOld)
	add("preset-st-manager.json", stPromptManager)
	add("preset-textgen.json", stTextgen)
	add("preset-koboldai.json", `{"temp": 0.7, "rep_pen": 1.1, "rep_pen_range": 1024, "typical": 1.0, "top_p": 0.9, "top_k": 0, "sampler_order": [6, 0, 1], "zq_x": "zq-kobold"}`)
	add("preset-novelai.json", `{"order": [1, 5, 0], "temperature": 1.05, "max_length": 90, "top_k": 12, "top_p": 0.9, "repetition_penalty": 1.5, "repetition_penalty_frequency": 0.02, "max_context": 8192, "prefix": "zq-novel"}`)
	add("preset-instruct.json", `{"name": "Plain", "system_prompt": "Answer as {{char}}.", "input_sequence": "zq-in", "output_sequence": "zq-out", "wrap": true, "names_behavior": "force"}`)
	add("preset-context.json", `{"story_string": "zq-{{description}}", "chat_start": "zq-start", "example_separator": "zq-sep", "name": "Story"}`)
	add("preset-sysprompt.json", `{"name": "Two texts", "content": "Before.", "post_history": "After."}`)
	add("preset-reasoning.json", `{"name": "Think", "prefix": "zq-<think>", "suffix": "zq-</think>", "separator": "\n"}`)
	add("preset-master.json", `{"instruct": {"name": "zq-A", "input_sequence": "zq-in", "output_sequence": "zq-out", "system_prompt": "One."}, "sysprompt": {"name": "zq-B", "content": "Two.", "post_history": ""},
 "preset": {"name": "zq-C", "temp": 0.5, "top_p": 1, "rep_pen": 1.0}, "srw": {"value": "zq-srw", "show": false}}`)
	add("preset-lumi.json", lumiPreset)
	add("preset-lumihub.json", `{"type": "lumiverse_preset", "schemaVersion": 1, "compatibility": {"zq": "zq-hub"}, "cover_url": null, "preset": `+indented(lumiPreset, " ")+`}`)
	add("preset-lumi-row.json", lumiRow)
	return out
}

const presetScripts = `[{"id": "s1", "scriptName": "Trim", "findRegex": "/a+/g", "replaceString": "a", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": true, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null}]`

// stPreset is a chat completion preset with every setting, two orders, an unused prompt and scripts of its own.
const stPreset = `{
    "name": "Full",
    "chat_completion_source": "zq-openai",
    "openai_model": "zq-model",
    "custom_url": "https://zq-secret.example",
    "reverse_proxy": "https://zq-proxy.example",
    "proxy_password": "zq-password",
    "custom_include_headers": "zq-headers",
    "temperature": 0.90,
    "frequency_penalty": 0,
    "presence_penalty": null,
    "top_p": 1.0,
    "top_k": 40,
    "top_a": 0,
    "min_p": 0.05,
    "repetition_penalty": 1,
    "openai_max_context": 16384,
    "openai_max_tokens": 800,
    "max_context_unlocked": true,
    "stream_openai": true,
    "names_behavior": -1,
    "send_if_empty": "go on",
    "impersonation_prompt": "Speak as {{user}}.",
    "new_chat_prompt": "[New]",
    "new_group_chat_prompt": "[New group]",
    "new_example_chat_prompt": "[Example]",
    "continue_nudge_prompt": "[Continue]",
    "group_nudge_prompt": "[Only {{char}}]",
    "wi_format": "{0}",
    "scenario_format": "{{scenario}}",
    "personality_format": "{{personality}}",
    "bias_preset_selected": "Default (none)",
    "wrap_in_quotes": false,
    "assistant_prefill": "Sure:",
    "assistant_impersonation": "",
    "use_sysprompt": true,
    "squash_system_messages": false,
    "media_inlining": true,
    "video_inlining": false,
    "inline_image_quality": "auto",
    "continue_prefill": false,
    "continue_postfix": "\n",
    "function_calling": false,
    "show_thoughts": true,
    "reasoning_effort": "medium",
    "enable_web_search": false,
    "request_images": false,
    "custom_prompt_post_processing": "",
    "seed": -1,
    "n": 1,
    "verbosity": "zq-auto",
    "prompts": [
        {"identifier": "jailbreak", "name": "Post-History Instructions", "system_prompt": true, "role": "system", "content": "Stay in character."},
        {"identifier": "main", "name": "Main Prompt", "system_prompt": true, "role": "system", "content": "Write {{char}}'s next line.", "forbid_overrides": true},
        {"identifier": "chatHistory", "name": "Chat History", "system_prompt": true, "marker": true},
        {"identifier": "worldInfoBefore", "name": "World Info (before)", "system_prompt": true, "marker": true},
        {"identifier": "charDescription", "name": "Char Description", "system_prompt": true, "marker": true},
        {"identifier": "enhanceDefinitions", "name": "Enhance Definitions", "role": "system", "content": "", "system_prompt": true, "marker": false},
        {"identifier": "3f2a-custom", "name": "<Rules>", "role": "user", "content": "keep me", "system_prompt": false, "marker": false, "injection_position": 1, "injection_depth": 2, "injection_order": 50, "injection_trigger": ["normal", "swipe"], "forbid_overrides": false, "zq_row": "zq-row"},
        {"identifier": "unused", "name": "Unused", "role": "assistant", "content": "not sent", "injection_position": 0, "injection_depth": 4, "enabled": true}
    ],
    "prompt_order": [
        {"character_id": 100000, "order": [{"identifier": "main", "enabled": true}]},
        {"character_id": 100001, "order": [
            {"identifier": "main", "enabled": true},
            {"identifier": "worldInfoBefore", "enabled": false},
            {"identifier": "charDescription", "enabled": true},
            {"identifier": "enhanceDefinitions", "enabled": false},
            {"identifier": "chatHistory", "enabled": true, "zq_item": "zq-item"},
            {"identifier": "3f2a-custom", "enabled": true},
            {"identifier": "jailbreak", "enabled": true}
        ]}
    ],
    "extensions": {"regex_scripts": ` + presetScripts + `, "zq_ext": {"a": "zq-ext"}}
}`

// stPresetOdd has what real files have: numbers and switches as texts, rows that are none, references to nothing.
const stPresetOdd = `{"temperature": "0.7", "top_p": "1", "stream_openai": "true", "openai_max_tokens": "", "names_in_completion": true, "claude_use_sysprompt": true, "image_inlining": false,
 "prompts": [null, {"name": "First", "content": "no identifier", "role": 0}, {"identifier": "a", "name": "A", "content": "role as a number", "role": 1, "system_prompt": "false", "injection_position": "1", "injection_depth": "3"},
  {"identifier": "b", "name": "B", "content": "assistant", "role": 2, "injection_position": 1, "injection_depth": 0}, {"identifier": "chatHistory", "name": "Chat History", "marker": true}],
 "prompt_order": [null, {"identifier": "b", "enabled": true}, {"identifier": "gone", "enabled": true}, {"identifier": "a", "enabled": "false"}, {"identifier": "chatHistory", "enabled": true}],
 "zq": "zq-odd"}`

// stPresetHeadings has headings drawn with dashes.
const stPresetHeadings = `{
  "temperature": 1,
  "openai_max_context": 8192,
  "prompts": [
    {"identifier": "main", "name": "Main Prompt", "role": "system", "content": "Hello.", "system_prompt": true},
    {"identifier": "h1", "name": "━━ Style ━━", "role": "system", "content": ""},
    {"identifier": "p1", "name": "Short", "role": "system", "content": "Be short.", "injection_position": 0},
    {"identifier": "p2", "name": "Long", "role": "system", "content": "Be long."},
    {"identifier": "h2", "name": "──Empty──", "content": ""},
    {"identifier": "h3", "name": "━ Last", "content": ""},
    {"identifier": "chatHistory", "name": "Chat History", "marker": true, "system_prompt": true},
    {"identifier": "p3", "name": "=== Style ===", "role": "system", "content": "keep me"}
  ],
  "prompt_order": [{"character_id": "100001", "order": [
    {"identifier": "main", "enabled": true}, {"identifier": "h1", "enabled": true}, {"identifier": "p1", "enabled": true}, {"identifier": "p2", "enabled": false},
    {"identifier": "h2", "enabled": false}, {"identifier": "h3", "enabled": true}, {"identifier": "chatHistory", "enabled": true}, {"identifier": "p3", "enabled": true}]}]
}`

const stPresetWiki = `{"temperature": 1, "prompts": [
 {"identifier": "c", "name": "===Core===", "content": ""}, {"identifier": "s", "name": "<Sub>", "content": "", "role": "system"}, {"identifier": "x", "name": "<Rules>", "content": "keep me", "role": "system"},
 {"identifier": "main", "name": "Main", "content": "m", "role": "system"}, {"identifier": "chatHistory", "name": "Chat History", "marker": true}],
 "prompt_order": [{"character_id": 100001, "order": [{"identifier": "main", "enabled": true}, {"identifier": "c", "enabled": true}, {"identifier": "s", "enabled": true}, {"identifier": "x", "enabled": true}, {"identifier": "chatHistory", "enabled": true}]}]}`

// stPresetOld is from before prompts had a list.
const stPresetOld = `{"temperature": 0.9, "frequency_penalty": 0.7, "openai_max_context": 4095, "main_prompt": "Write.", "nsfw_prompt": "", "jailbreak_prompt": "Go on.", "nsfw_toggle": true, "wrap_in_quotes": false, "zq": "zq-old"}`

const stTextgen = `{
    "temp": 0.8,
    "temperature_last": true,
    "top_p": 0.95,
    "top_k": 0,
    "rep_pen": 1.10,
    "freq_pen": 0,
    "max_length": 8192,
    "genamt": 350,
    "dry_sequence_breakers": "[\"zq\"]",
    "sampler_order": [6, 0, 1],
    "streaming": true,
    "json_schema": null
}`

const lumiBlocks = `[
    {"id": "b-main", "name": "Main Prompt", "content": "You are {{char}}. {{var::tone}}", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "main_prompt", "isLocked": false, "color": "zq-red", "injectionTrigger": [], "characterTagTrigger": ["zq-tag"], "group": null, "categoryMode": null,
      "variables": [
        {"id": "v1", "name": "tone", "label": "Tone", "type": "select", "defaultValue": "o1", "description": "How it sounds", "options": [{"id": "o1", "label": "Dry", "value": "Be dry."}, {"id": "o2", "label": "Warm", "value": "Be warm.", "zq": "zq-option"}]},
        {"id": "v2", "name": "pace", "label": "Pace", "type": "slider", "defaultValue": 5, "min": 0, "max": 10, "step": 1, "zq": "zq-variable"},
        {"id": "v3", "name": "loud", "label": "Loud", "type": "switch", "defaultValue": 1},
        {"id": "v4", "name": "likes", "label": "Likes", "type": "multiselect", "defaultValue": ["a"], "separator": ", ", "options": [{"id": "a", "label": "A", "value": "apples"}, {"id": "b", "label": "B", "value": "books"}]}
      ]},
    {"id": "b-cat", "name": "Style", "content": "", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "category", "isLocked": false, "color": null, "injectionTrigger": [], "group": null, "categoryMode": "radio"},
    {"id": "b-1", "name": "Child by place", "content": "one", "role": "user", "enabled": true, "position": "pre_history", "depth": 0, "marker": null, "isLocked": false, "color": null, "injectionTrigger": ["continue"]},
    {"id": "b-2", "name": "Child by name", "content": "two", "role": "system", "enabled": false, "position": "pre_history", "depth": 0, "marker": null, "isLocked": false, "color": null, "injectionTrigger": [], "group": "b-cat"},
    {"id": "b-3", "name": "Of nobody", "content": "three", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": null, "isLocked": false, "color": null, "injectionTrigger": [], "group": null},
    {"id": "b-desc", "name": "Char Description", "content": "", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "char_description", "isLocked": true, "color": null, "injectionTrigger": [], "group": null},
    {"id": "b-hist", "name": "Chat History", "content": "", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "chat_history", "isLocked": true, "color": null, "injectionTrigger": [], "group": null},
    {"id": "b-in", "name": "Reminder", "content": "deep", "role": "system", "enabled": true, "position": "in_history", "depth": 4, "marker": null, "isLocked": false, "color": null, "injectionTrigger": [], "group": null},
    {"id": "b-app", "name": "Suffix", "content": " (ooc)", "role": "user_append", "enabled": true, "position": "in_history", "depth": 1, "marker": null, "isLocked": false, "color": null, "injectionTrigger": [], "group": null, "zq_block": "zq-block"},
    {"id": "b-post", "name": "After", "content": "last", "role": "assistant", "enabled": true, "position": "post_history", "depth": 0, "marker": null, "isLocked": false, "color": null, "injectionTrigger": [], "group": null}
  ]`

const lumiSettings = `"samplerOverrides": {"enabled": true, "maxTokens": 2000, "contextSize": 32000, "temperature": 0.8, "topP": null, "minP": 0.1, "topK": null, "frequencyPenalty": null, "presencePenalty": 0.5, "repetitionPenalty": null, "streaming": true},
  "customBody": {"enabled": false, "rawJson": "{\"zq\":1}"}`

const lumiPrompts = `"promptBehavior": {"continueNudge": "[Go on]", "emptySendNudge": "zq-empty", "impersonationPrompt": "[As user]", "groupNudge": "[Only one]", "newChatPrompt": "[New]", "newGroupChatPrompt": "[Group]", "sendIfEmpty": ""},
  "completionSettings": {"assistantPrefill": "Hm:", "assistantImpersonation": "", "continuePrefill": false, "continuePostfix": " ", "namesBehavior": 0, "squashSystemMessages": true, "useSystemPrompt": true, "enableWebSearch": false, "sendInlineMedia": true, "enableFunctionCalling": false, "includeUsage": false},
  "advancedSettings": {"seed": -1, "customStopStrings": ["zq-stop"], "collapseMessages": false}`

// lumiPreset is a bare loom object with categories, placements and variables.
const lumiPreset = `{
  "id": "0001",
  "name": "Loom",
  "description": "of every kind",
  "coverUrl": null,
  "schemaVersion": 1,
  "createdAt": 1779825988,
  "updatedAt": 1779826080770,
  "blocks": ` + lumiBlocks + `,
  "source": null,
  "isDefault": false,
  ` + lumiSettings + `,
  ` + lumiPrompts + `,
  "modelProfiles": {"zq": {"a": "zq-profile"}},
  "lastProfileKey": null,
  "promptVariables": {"b-main": {"tone": "o2", "pace": 7}, "zq-gone": {"x": "zq-stray"}},
  "extensions": {"regex_scripts": [{"name": "Cut", "script_id": "cut", "find_regex": "b+", "replace_string": "b", "flags": "g", "placement": ["ai_output"], "scope": "global", "target": ["display"], "disabled": false, "sort_order": 0}]}
}`

const lumiRow = `{"id": "0002", "provider": "loom", "engine": "classic", "name": "Row", "parameters": {` + lumiSettings + `},
  "prompt_order": ` + lumiBlocks + `,
  "prompts": {` + lumiPrompts + `},
  "metadata": {"description": "a row", "promptVariables": {"b-main": {"loud": 0}}, "isDefault": false, "_zq": "zq-meta"}, "created_at": 1779825988, "updated_at": 1779825990}`

// stPromptManager is what SillyTavern's prompt manager exports: added prompts, and an order that names the app's own too.
const stPromptManager = `{
    "version": 1,
    "type": "full",
    "data": {
        "prompts": [
            {"identifier": "aaaaaaaa-0000-4000-8000-000000000001", "name": "Style", "role": "system", "content": "Be terse.", "system_prompt": false, "marker": false, "injection_position": 1, "injection_depth": 2, "injection_order": 100, "injection_trigger": [], "forbid_overrides": false, "zq": "zq-manager prompt"},
            {"identifier": "aaaaaaaa-0000-4000-8000-000000000002", "name": "Tone", "role": "user", "content": "Be kind.", "system_prompt": false, "marker": false}
        ],
        "prompt_order": [
            {"identifier": "main", "enabled": true},
            {"identifier": "aaaaaaaa-0000-4000-8000-000000000002", "enabled": false, "zq": "zq-manager order"},
            {"identifier": "chatHistory", "enabled": true},
            {"identifier": "aaaaaaaa-0000-4000-8000-000000000001", "enabled": true}
        ],
        "zq": "zq-manager data"
    },
    "zq": "zq-manager"
}`
