package samples

// stOne is one script as SillyTavern exports it, with a member of nobody.
const stOne = `{
    "id": "6f0b8f0e-0000-4000-8000-000000000001",
    "scriptName": "Hide asides",
    "findRegex": "/\\(aside:[^)]*\\)/gi",
    "replaceString": "<i>{{match}}</i>",
    "trimStrings": ["(aside:", ")"],
    "placement": [2, 1],
    "disabled": false,
    "markdownOnly": true,
    "promptOnly": false,
    "runOnEdit": true,
    "substituteRegex": 2,
    "minDepth": null,
    "maxDepth": 3,
    "zq_script": {"deep": ["zq-script one"]}
}`

// stList has the four combinations of the switches, every way of writing a pattern, numbers of old, and odd types.
const stList = `[
    {"id": "a", "scriptName": "Neither", "findRegex": "/x/g", "replaceString": "[$0]", "trimStrings": [], "placement": [1, 2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null},
    {"id": "b", "scriptName": "Display", "findRegex": "plain text", "replaceString": "$1 and $<n>, cost $5", "trimStrings": ["a"], "placement": [2], "disabled": true, "markdownOnly": true, "promptOnly": false, "runOnEdit": false, "substituteRegex": 1, "minDepth": 0, "maxDepth": -1},
    {"id": "c", "scriptName": "Prompt", "findRegex": "/(?<n>y)\\k<n>(?!z)/is", "replaceString": "a $$ b", "trimStrings": [], "placement": [5, 6], "disabled": false, "markdownOnly": false, "promptOnly": true, "runOnEdit": true, "substituteRegex": 2, "minDepth": -1, "maxDepth": 4},
    {"id": "d", "scriptName": "Both", "findRegex": "/abc/", "replaceString": "$$1 [$&] ${{match}}", "trimStrings": [], "placement": [3, 2, 9], "disabled": false, "markdownOnly": true, "promptOnly": true, "runOnEdit": true, "substituteRegex": true, "minDepth": 2, "maxDepth": 2, "zq_list": "zq-list d"},
    {"scriptName": "Old display", "findRegex": "/a/b/gi", "replaceString": "", "trimStrings": [], "placement": [0], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": false},
    {"scriptName": "Old display and output", "findRegex": "/https?:\\/\\/a.b/path", "replaceString": "", "trimStrings": [], "placement": [0, 2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0},
    {"id": "d", "scriptName": "Old sendas", "findRegex": "/x/gg", "replaceString": "", "trimStrings": [], "placement": [4], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 7},
    {"scriptName": "Old sendas and input", "findRegex": "/(/x", "replaceString": "", "trimStrings": "lone", "placement": [4, 1], "disabled": false, "runOnEdit": true, "minDepth": "2", "maxDepth": ""}
]`

// stEnvelope is a list under a roof that SillyTavern itself does not read.
const stEnvelope = `{
  "version": 1,
  "name": "My scripts",
  "zq_root": "zq-envelope root",
  "scripts": [
    {"id": "e1", "scriptName": "One", "findRegex": "/1/g", "replaceString": "one", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null},
    {"id": "e2", "scriptName": "Two", "findRegex": "/2/", "replaceString": "two", "trimStrings": [], "placement": [1], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null}
  ]
}`

// stBad has rows that are no scripts between good ones.
const stBad = `[
	{"id": "g1", "scriptName": "Good", "findRegex": "/g/g", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null},
	{"id": "zq-bad", "findRegex": "/zq-nameless/g", "replaceString": "", "placement": [2]},
	"zq-a text",
	{"id": "g2", "scriptName": "Good too", "findRegex": "/h/g", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null}
]
`

// lumiFull is a regex export of Lumiverse.
const lumiFull = `{
  "version": 1,
  "type": "lumiverse_regex_scripts",
  "exported_at": 1760000000,
  "zq_root": "zq-full root",
  "scripts": [
    {"name": "Trim tail", "script_id": "zq_trim_tail", "find_regex": "\\s+$", "replace_string": "", "actions": [{"id": "a1", "type": "send", "content": "zq-action"}], "flags": "g", "placement": ["ai_output", "memory"], "scope": "global", "scope_id": null, "target": ["display", "prompt"], "min_depth": null, "max_depth": 4, "trim_strings": [], "run_on_edit": false, "substitute_macros": "none", "disabled": false, "sort_order": 0, "description": "the end", "folder": "zq-Tidy", "metadata": {"zq": "zq-full metadata", "regex_performance": {"ms": 3}}},
    {"name": "Emphasis", "script_id": "", "find_regex": "\\*(.+?)\\*", "replace_string": "<b>$&</b> costs $$5", "actions": [], "flags": "", "placement": ["user_input", "reasoning"], "scope": "global", "scope_id": null, "target": ["response", "display"], "min_depth": 0, "max_depth": null, "trim_strings": ["*"], "run_on_edit": true, "substitute_macros": "after", "disabled": true, "sort_order": 5, "description": "", "folder": "", "metadata": {}},
    {"name": "Later app", "script_id": "", "find_regex": "[\\p{L}--[a-z]]", "replace_string": "$0", "actions": [], "flags": "gv", "placement": ["world_info", "zq_place"], "scope": "global", "scope_id": null, "target": ["prompt", "zq_target"], "min_depth": null, "max_depth": null, "trim_strings": [], "run_on_edit": false, "substitute_macros": "find", "disabled": false, "sort_order": 5, "description": "", "folder": "", "metadata": {}}
  ]
}`

// lumiReduced is a bare list of scripts as older archives hold them.
const lumiReduced = `[
  {"name": "Old target", "find_regex": "a/b", "replace_string": "$1", "flags": "gi", "placement": ["ai_output"], "scope": "character", "scope_id": null, "target": "display", "min_depth": 1, "max_depth": 2, "trim_strings": [], "run_on_edit": false, "substitute_macros": "escaped", "disabled": false, "sort_order": 0, "description": "", "metadata": {"source": "charx_bundle"}},
  {"name": "Bare", "find_regex": "b", "zq_x": "zq-reduced"}
]`

// stScripts are the scripts of a card.
const stScripts = `[
                {"id": "6f0b8f0e-0000-4000-8000-00000000000a", "scriptName": "Card one", "findRegex": "/one/g", "replaceString": "{{match}}!", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": true, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null, "zq_card": "zq-card script"},
                {"id": "6f0b8f0e-0000-4000-8000-00000000000b", "scriptName": "Card two", "findRegex": "two", "replaceString": "2", "trimStrings": ["t"], "placement": [1, 3], "disabled": true, "markdownOnly": false, "promptOnly": false, "runOnEdit": false, "substituteRegex": 1, "minDepth": 0, "maxDepth": 9}
            ]`

const stRegexCard = `{
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Jo", "description": "A proofreader.", "personality": "", "scenario": "", "first_mes": "Yes?", "mes_example": "",
        "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [], "tags": [], "creator": "", "character_version": "",
        "extensions": {
            "regex_scripts": ` + stScripts + `,
            "zq_ext": "zq-regex card"
        }
    }
}`

// stTwoSets is a card whose scripts are two sets, as a merge records them.
const stTwoSets = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Kim", "description": "", "personality": "", "scenario": "", "first_mes": "Hi", "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [], "group_only_greetings": [], "tags": [], "creator": "", "character_version": "",
 "extensions": {"regex_scripts": [
  {"id": "t1", "scriptName": "T1", "findRegex": "/1/", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null},
  {"id": "t2", "scriptName": "T2", "findRegex": "/2/", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null},
  {"id": "t3", "scriptName": "T3", "findRegex": "/3/", "replaceString": "", "trimStrings": [], "placement": [2], "disabled": false, "markdownOnly": false, "promptOnly": false, "runOnEdit": true, "substituteRegex": 0, "minDepth": null, "maxDepth": null}
 ], "bunzai_regex_sets": [{"name": "Tidy", "ruleCount": 2}, {"name": "Voice", "ruleCount": 1, "description": "how she speaks"}]}}}`

// lumiRegexCard is a JSON card with scripts in the app's own shape.
const lumiRegexCard = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Lee", "description": "", "personality": "", "scenario": "", "first_mes": "Hi", "mes_example": "", "creator": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "tags": [], "alternate_greetings": [],
 "extensions": {"zq": "zq-lumi regex", "regex_scripts": [
  {"name": "Own", "find_regex": "own", "replace_string": "$&", "flags": "", "placement": ["ai_output"], "scope": "character", "scope_id": null, "target": ["response"], "min_depth": null, "max_depth": null, "trim_strings": [], "run_on_edit": false, "substitute_macros": "none", "disabled": false, "sort_order": 0, "description": "", "metadata": {"source": "card_bundle", "zq": "zq-lumi script"}},
  {"name": "Own too", "find_regex": "too", "replace_string": "", "flags": "g", "placement": ["memory"], "scope": "character", "scope_id": null, "target": ["prompt"], "min_depth": null, "max_depth": null, "trim_strings": [], "run_on_edit": false, "substitute_macros": "none", "disabled": false, "sort_order": 1, "description": "", "metadata": {}}
 ]}}}`
