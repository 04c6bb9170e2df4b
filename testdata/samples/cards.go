package samples

import "strings"

const v1 = `{
  "name": "Ada",
  "description": "A clockmaker.\nShe says \"tick\".",
  "personality": "dry",
  "scenario": "Her shop.",
  "first_mes": "Hm?",
  "mes_example": "<START>\n{{user}}: a & b\n{{char}}: Hm.",
  "zq_note": "zq-v1 root",
  "zq_number": 1.0
}
`

const flat = `{
"name": "Bob", "description": "A baker.", "personality": "warm", "scenario": "", "first_mes": "Bread?", "mes_example": "",
"creator_notes": "flat notes", "system_prompt": "flat system", "post_history_instructions": "flat after", "tags": ["bread", "B\u00e4cker"],
"creator": "me", "character_version": "1.1", "alternate_greetings": ["Rolls?", "Cake?"],
"extensions": {"talkativeness": 0.25, "world": "Bakery", "depth_prompt": {"prompt": "smell of bread", "depth": 4, "role": "system", "zq": "zq-flat depth"}, "zq": {"z": 1, "a": 2, "m": {"y": 1, "b": 2}}},
"character_book": {"name": "Flour", "entries": [{"keys": ["rye"], "content": "Rye is dark.", "enabled": true, "insertion_order": 10, "id": 3, "extensions": {}}], "extensions": {}},
"zq_flat": "zq-flat root"
}`

// numbers are spellings that a reader through float64 would bend.
const numbers = `{"a": 1.0, "b": 0.0000001, "c": 1e21, "d": -0, "e": 1e400, "f": 12345678901234567890, "g": 1E+2, "h": 0.10}`

const v2 = `{
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "zq_root": "zq-v2 root",
    "data": {
        "name": "C\u00e9cile",
        "description": "Line one\nLine two \u2014 caf\u00e9, <b>bold</b> \u0026 more",
        "personality": "calm",
        "scenario": "A harbour.",
        "first_mes": "Ahoy \ud83d\ude42",
        "mes_example": "<START>\n{{user}}: hi",
        "creator_notes": "notes",
        "system_prompt": "{{original}} stay calm",
        "post_history_instructions": "be brief",
        "alternate_greetings": ["One", "Two", "Three"],
        "tags": ["sea", "Sea", "harbour"],
        "creator": "someone",
        "character_version": "2.3",
        "zq_data": {"deep": ["zq-v2 data", {"k": "zq-v2 deep"}]},
        "zq_null": null,
        "extensions": {
            "talkativeness": "0.5",
            "fav": false,
            "world": "Harbour lore",
            "depth_prompt": {"prompt": "Salt in the air.", "depth": 3, "role": "user"},
            "zq_numbers": ` + numbers + `,
            "zq_ext": "zq-v2 extensions",
            "regex_scripts": [{"scriptName": "A to b", "findRegex": "/a/g", "replaceString": "b", "zq_rule": "zq-v2 script"}]
        },
        "character_book": {
            "name": "Harbour",
            "description": "About the harbour",
            "scan_depth": 7,
            "token_budget": 900,
            "recursive_scanning": true,
            "zq_book": "zq-v2 book",
            "extensions": {"zq_bookext": "zq-v2 book extensions"},
            "entries": [
                {"keys": ["tide", "/ebb|flow/i"], "content": "Tides turn.", "extensions": {"position": 4, "depth": 9, "role": 1, "selectiveLogic": 2, "useProbability": true, "probability": 40, "sticky": 3, "cooldown": 5, "delay": 2, "group": "g", "group_weight": 50, "group_override": true, "scan_depth": 6, "case_sensitive": null, "match_whole_words": false, "use_group_scoring": true, "exclude_recursion": true, "prevent_recursion": false, "delay_until_recursion": 2, "vectorized": false, "automation_id": "auto", "display_index": 1, "triggers": ["swipe"], "ignore_budget": true, "outlet_name": "", "match_persona_description": true, "match_character_description": false, "match_character_personality": true, "match_character_depth_prompt": false, "match_scenario": true, "match_creator_notes": false, "zq_entryext": "zq-v2 entry extensions"}, "enabled": true, "insertion_order": 100.0, "name": "Tides", "comment": "a private note", "priority": 5, "id": 1, "selective": true, "secondary_keys": ["moon"], "constant": false, "position": "after_char", "use_regex": true, "zq_entry": "zq-v2 entry"},
                {"keys": ["gull"], "content": "Gulls cry.", "extensions": {}, "enabled": false, "insertion_order": -0, "comment": "Gulls", "id": 2, "position": "before_char"},
                {"id": 7, "keys": ["rope", "knot"], "content": "Knots hold.", "extensions": {"position": 1, "useProbability": false, "probability": 0}, "enabled": true, "insertion_order": 20, "comment": "", "secondary_keys": [], "selective": true, "constant": true, "position": "after_char"}
            ]
        }
    }
}`

const mirrors = `{
"name": "Dora", "description": "An export.", "personality": "", "scenario": "Here.", "first_mes": "Hi.", "mes_example": "",
"creatorcomment": "from the form", "avatar": "Dora.png", "chat": "Dora - 2025-8-30 @05h 10m 11s 122ms", "talkativeness": "0.5", "fav": true,
"tags": ["x", "y"], "create_date": "2025-8-30 @05h 10m 11s 122ms", "spec": "chara_card_v2", "spec_version": "2.0", "zq_mirror": "zq-mirror root",
"data": {"name": "Dora", "description": "An export.", "personality": "", "scenario": "Here.", "first_mes": "Hi.", "mes_example": "",
"creator_notes": "from the form", "system_prompt": "", "post_history_instructions": "", "tags": ["x", "y"], "creator": "", "character_version": "",
"alternate_greetings": [], "extensions": {"talkativeness": "0.5", "fav": true, "world": "", "depth_prompt": {"prompt": "", "depth": 4, "role": "system"}, "zq": ["zq-mirror ext"]}}
}`

// partial has its texts at the root and a data that lacks most of them.
const partial = `{"spec": "chara_card_v2", "spec_version": "2.0", "name": "Root name", "description": "root description", "personality": "root personality", "first_mes": "root first", "scenario": "", "mes_example": "",
 "data": {"name": "Data name", "personality": "data personality", "extensions": {"zq": "zq-partial"}}}`

const oddTypes = `{
  "spec": "chara_card_v2",
  "spec_version": 2,
  "data": {
    "name": "Eve",
    "Name": "zq-Bob",
    "NAME": "zq-Cy",
    "description": null,
    "personality": null,
    "scenario": null,
    "first_mes": "Hi",
    "mes_example": null,
    "tags": "fantasy, elf ,, magic",
    "character_version": 1.2,
    "alternate_greetings": "just one",
    "creator": null,
    "extensions": {"talkativeness": "", "depth_prompt": {"prompt": "x", "depth": "", "role": "system"}, "zq": "zq-odd"},
    "character_book": null
  }
}`

const v3 = `{
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Fay",
        "nickname": "Fee",
        "description": "A fairy.",
        "personality": "bright",
        "scenario": "A wood.",
        "first_mes": "Hello {{user}}!",
        "mes_example": "",
        "creator_notes": "English notes",
        "creator_notes_multilingual": {"fr": "des notes", "de": "Notizen"},
        "system_prompt": "system",
        "post_history_instructions": "after",
        "alternate_greetings": ["A", "B"],
        "group_only_greetings": ["G1", "G2"],
        "tags": ["fae"],
        "creator": "me",
        "character_version": "3",
        "source": ["https://example.org/fay", "id-7"],
        "creation_date": 1700000000,
        "modification_date": 1700000001,
        "assets": [
            {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"},
            {"type": "emotion", "uri": "https://example.org/happy.png", "name": "happy", "ext": "png"},
            {"type": "x-risu-asset", "uri": "https://example.org/hat.webp", "name": "hat", "ext": "webp", "zq_asset": "zq-v3 asset"}
        ],
        "zq_v3": "zq-v3 data",
        "extensions": {"depth_prompt": {"prompt": "Glitter.", "depth": 4, "role": "system"}, "zq_ext": {"z": "zq-v3 ext"}},
        "character_book": {
            "name": "Wood",
            "entries": [
                {"keys": ["oak"], "content": "@@depth 4\nOaks are old.", "extensions": {"zq": "zq-v3 entry"}, "enabled": true, "insertion_order": 1, "use_regex": false, "case_sensitive": false, "constant": false, "id": "first", "name": "Oak", "comment": "Oak"},
                {"keys": ["fern\\d+"], "content": "Ferns.", "extensions": {}, "enabled": true, "insertion_order": 2, "use_regex": true, "case_sensitive": true, "id": 5}
            ],
            "extensions": {}
        }
    }
}`

const oddText = "{\"spec\": \"chara_card_v3\", \"spec_version\": \"3.0\", \"data\": {\"name\": \"漢字 é 🙂\", \"description\": \"lone \\ud83d half, \\udc00 other\", " +
	"\"personality\": \"tab\\tcr\\r\\nnul\\u0000slash\\/\", \"scenario\": \"\u2028 and \u2029\", \"first_mes\": \"日本語 \\u65e5\", \"mes_example\": \"\", \"creator_notes\": \"\", " +
	"\"system_prompt\": \"\", \"post_history_instructions\": \"\", \"tags\": [\"日\", \"\", \"🙂\"], \"creator\": \"\", \"character_version\": \"\", " +
	"\"alternate_greetings\": [\"same\", \"same\", \"\"], \"group_only_greetings\": [], \"creation_date\": \"2025-8-30 @05h 10m 11s 122ms\", \"modification_date\": 1700000000123, " +
	"\"extensions\": {\"zq\": \"zq-text\", \"zq\": \"zq-text twice\", \"empty\": {}, \"none\": [ ]}, \"character_book\": {\"entries\": {\"4\": {\"keys\": [\"\", \" \", \"a\"], \"content\": \"keyed by uid\", \"id\": 4}, \"0\": {\"key\": [\"b\"], \"content\": \"zero\", \"uid\": 0}}}}}"

// mergedBooks is a card whose book is two books under one roof.
const mergedBooks = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Gus", "description": "Two books.", "personality": "", "scenario": "", "first_mes": "Hi", "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "tags": [], "creator": "", "character_version": "", "alternate_greetings": [], "group_only_greetings": [], "extensions": {},
 "character_book": {"name": "First", "scan_depth": 3, "extensions": {"zq": "zq-merged first", "bunzai_source_books": [{"name": "First", "entryCount": 1, "entryIds": [0]}, {"name": "Second", "entryCount": 2, "entryIds": [1, 2], "settings": {"name": "Second", "token_budget": 50, "extensions": {"zq": "zq-merged second"}}}]},
  "entries": [{"id": 0, "keys": ["a"], "content": "A", "enabled": true, "insertion_order": 1, "extensions": {}}, {"id": 1, "keys": ["b"], "content": "B", "enabled": true, "insertion_order": 1, "extensions": {}}, {"id": 2, "keys": ["c"], "content": "C", "enabled": true, "insertion_order": 1, "extensions": {}}]}}}`

func withAssets(list string) string {
	from := strings.Index(v3, `"assets": [`) + len(`"assets": `)
	to := strings.Index(v3[from:], "],") + from + 1
	return v3[:from] + list + v3[to:]
}

func v3Pictures() string {
	uri := func(n byte) string { return "data:image/png;base64," + base64Of(string(Dot(n))) }
	return withAssets(`[
            {"type": "icon", "uri": "` + uri(1) + `", "name": "main", "ext": "png"},
            {"type": "emotion", "uri": "` + uri(2) + `", "name": "happy", "ext": "png"},
            {"type": "background", "uri": "` + uri(3) + `", "name": "wood", "ext": "png"},
            {"type": "user_icon", "uri": "` + uri(4) + `", "name": "me", "ext": "png"},
            {"type": "other", "uri": "missing.png", "name": "gone", "ext": "png"}
        ]`)
}

func assetCard() string {
	return withAssets(`[
            {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"},
            {"type": "emotion", "uri": "__asset:0", "name": "happy", "ext": "png"},
            {"type": "emotion", "uri": "__asset:1", "name": "sad", "ext": "png"}
        ]`)
}

func charxCard(scheme string) string {
	return withAssets(`[
            {"type": "icon", "uri": "` + scheme + `assets/icon/image/main.png", "name": "main", "ext": "png"},
            {"type": "emotion", "uri": "` + scheme + `assets/emotion/image/happy.png", "name": "happy", "ext": "png"},
            {"type": "emotion", "uri": "` + scheme + `assets/emotion/image/sad.png", "name": "sad", "ext": "png", "zq_asset": "zq-charx asset"},
            {"type": "background", "uri": "` + scheme + `assets/background/image/wood.png", "name": "wood", "ext": "png"}
        ]`)
}

// oddAssets has elements that lack members or spell them in other ways, and things that are no asset.
func oddAssets() string {
	uri := func(n byte) string { return "data:image/png;base64," + base64Of(string(Dot(n))) }
	return withAssets(`[
            null,
            {"type": "Icon", "uri": "` + uri(31) + `", "name": "Main", "ext": "PNG"},
            {"uri": "https://example.org/untyped.png", "name": "untyped", "ext": "png"},
            {"type": "emotion", "uri": "` + uri(32) + `", "ext": ""},
            "zq-text",
            {"type": "expression", "name": "happy", "uri": "` + uri(33) + `"},
            {"type": "expression", "name": "happy", "uri": "` + uri(34) + `", "ext": "unknown"},
            {"type": "x_thing", "name": "happy", "uri": "` + uri(35) + `", "ext": "bin"}
        ]`)
}

// bookSlots is a card with a copy of its book in each place where one may stand; the one in extensions is older.
const bookSlots = `{"spec": "chara_card_v2", "spec_version": "2.0",
 "character_book": {"name": "Twice", "extensions": {}, "entries": [{"id": 0, "keys": ["a"], "content": "A", "enabled": true, "insertion_order": 1, "extensions": {}}]},
 "data": {"name": "Ida", "description": "", "personality": "", "scenario": "", "first_mes": "Hi", "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "tags": [], "creator": "", "character_version": "", "alternate_greetings": [],
 "extensions": {"character_book": {"name": "Older", "extensions": {}, "entries": []}},
 "character_book": {"name": "Twice", "extensions": {}, "entries": [{"id": 0, "keys": ["a"], "content": "A", "enabled": true, "insertion_order": 1, "extensions": {}}]}}}`

// yamlCard is a card of text-generation-webui with what its app does not know.
const yamlCard = `# a card as YAML
---
name: Ada Quell # the clockmaker
context: |-
  {{char}} keeps the tower clock: "never late".

  She counts [everything] # even this
greeting: "Hm? \x41 moment, \u00e9."
# what the app does not read
personality: 'dry, it''s said'
tags: [clock, 'two words']
example_dialogue: >
  {{user}}: zq-hello
  {{char}}: Hm.

turn_template: "zq-<|user|>\\n"
odd: &odd
  - 1.0
  - 0x1F
  - ~
again: *odd
`
