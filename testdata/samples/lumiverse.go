package samples

import "strings"

// lumiCard is a card as Lumiverse exports it, with the book in its own dialect.
const lumiCard = `{
  "spec": "chara_card_v3",
  "spec_version": "3.0",
  "data": {
    "name": "Hal",
    "description": "A lighthouse keeper.",
    "personality": "gruff",
    "scenario": "A storm.",
    "first_mes": "Who's there?",
    "mes_example": "",
    "creator": "me",
    "creator_notes": "notes",
    "system_prompt": "",
    "post_history_instructions": "",
    "tags": ["sea"],
    "alternate_greetings": ["Come in."],
    "character_book": {
      "name": "Light",
      "description": "",
      "entries": [
        {"id": 0, "keys": ["lamp"], "secondary_keys": ["oil"], "content": "It burns.", "comment": "Lamp", "enabled": true, "insertion_order": 5, "position": 4, "depth": 2, "selective": true, "constant": false, "case_sensitive": false, "match_whole_words": true, "role": "user", "group": "light", "extensions": {"priority": 10, "sticky": 0, "cooldown": 0, "delay": 0, "selective_logic": 1, "use_probability": true, "use_regex": false, "prevent_recursion": true, "exclude_recursion": false, "delay_until_recursion": false, "group_override": false, "group_weight": 100, "probability": 80, "scan_depth": null, "automation_id": null, "vectorized": false, "uid": "zq-uid-1", "zq": "zq-lumi entry"}},
        {"id": 1, "keys": ["st[oa]rm"], "secondary_keys": [], "content": "It howls.", "comment": "Storm", "enabled": false, "insertion_order": 6, "position": 8, "depth": 4, "selective": false, "constant": true, "case_sensitive": true, "match_whole_words": false, "extensions": {"priority": 10, "selective_logic": 2, "use_probability": true, "use_regex": true, "probability": 100, "outlet_name": "sky", "uid": "zq-uid-2"}}
      ]
    },
    "extensions": {"lumiverse_zq": "zq-lumi extensions", "ttsVoice": {"connectionId": "zq-voice", "voice": "deep"}}
  }
}`

const lumiModules = `{
  "version": 1,
  "expressions": {"enabled": true, "defaultExpression": "calm", "mappings": {"calm": "assets/other/image/expr_calm.png", "glad": "assets/other/image/expr_glad.png"}},
  "expression_groups": {"groups": {"Mira": {"glad": "assets/other/image/exprg_Mira--glad.png"}}},
  "alternate_fields": {"description": [{"id": "01-a", "label": "Winter", "content": "A keeper in snow."}], "scenario": [{"id": "01-c", "label": "Winter", "content": "Snow."}]},
  "alternate_avatars": [{"id": "01-b", "label": "Winter", "path": "assets/icon/image/01-b.png"}],
  "world_books": [{"version": 1, "type": "lumiverse_world_book", "name": "Light", "description": "", "metadata": {"zq": "zq-lumi metadata"}, "entries": [
    {"uid": "zq-uid-1", "key": ["lamp"], "keysecondary": ["oil"], "content": "It burns.", "comment": "Lamp", "position": 4, "depth": 2, "role": "user", "order_value": 5, "selective": true, "constant": false, "disabled": false, "selective_logic": 1, "group_name": "light", "group_override": false, "group_weight": 100, "probability": 80, "use_probability": true, "scan_depth": null, "case_sensitive": false, "match_whole_words": true, "use_regex": false, "prevent_recursion": true, "exclude_recursion": false, "delay_until_recursion": false, "priority": 10, "sticky": 0, "cooldown": 0, "delay": 0, "automation_id": null, "vectorized": false, "extensions": {"zq": "zq-lumi world entry"}}], "exported_at": 1700000000},
   {"version": 1, "type": "lumiverse_world_book", "name": "Sea", "description": "the sea", "metadata": {}, "entries": [
    {"uid": "zq-uid-3", "key": ["wave"], "keysecondary": [], "content": "It rolls.", "comment": "Wave", "position": 0, "depth": 4, "role": null, "order_value": 100, "selective": false, "constant": false, "disabled": false, "selective_logic": 0, "group_name": "", "group_override": false, "group_weight": 100, "probability": 100, "use_probability": true, "scan_depth": 3, "case_sensitive": false, "match_whole_words": false, "use_regex": false, "prevent_recursion": false, "exclude_recursion": false, "delay_until_recursion": true, "priority": 10, "sticky": 2, "cooldown": 0, "delay": 0, "automation_id": null, "vectorized": false, "extensions": {}}], "exported_at": 1700000000}],
  "regex_scripts": [{"name": "A to b", "zq_rule": "zq-lumi script", "find_regex": "a", "replace_string": "b", "flags": "g", "placement": ["ai_output"], "target": ["display"]}],
  "zq_modules": "zq-lumi modules"
}`

// lumiHub is a JSON card with its sidecar inside, and the signs of the app.
const lumiHub = `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Iva", "description": "An engineer.", "personality": "", "scenario": "", "first_mes": "Yes?", "mes_example": "", "creator": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "tags": [], "alternate_greetings": [],
 "extensions": {"alternate_fields": {"personality": [{"id": "02-a", "label": "Night", "content": "tired"}]}, "landing_perspective_layers": [{"id": "zq-layer", "image_id": "zq-image", "intensity": 0.60}], "world_book_ids": ["zq-world-id"], "zq": "zq-hub"}}}`

// lumiOneBook is the archive's card: its book is the one world book of the sidecar in the card's dialect.
func lumiOneBook() string {
	i := strings.Index(lumiCard, "},\n        {\"id\": 1")
	j := strings.Index(lumiCard, "\n      ]\n    },\n    \"extensions\"")
	return lumiCard[:i+1] + lumiCard[j:]
}

func lumiOneWorld() string {
	i := strings.Index(lumiModules, ",\n   {\"version\": 1")
	j := strings.Index(lumiModules, "],\n  \"regex_scripts\"")
	return lumiModules[:i] + lumiModules[j:]
}

func lumiEntries(card, modules string) []Entry {
	return []Entry{
		{Name: "card.json", Data: []byte(card)},
		{Name: "assets/icon/image/main.png", Data: Dot(21)},
		{Name: "assets/icon/image/01-b.png", Data: Dot(22)},
		{Name: "assets/other/image/expr_calm.png", Data: Dot(23)},
		{Name: "assets/other/image/expr_glad.png", Data: Dot(24)},
		{Name: "assets/other/image/exprg_Mira--glad.png", Data: Dot(25)},
		{Name: "assets/other/image/gallery_77.png", Data: Dot(26)},
		{Name: "zq-readme.txt", Data: []byte("zq-lumi readme")},
		{Name: "lumiverse_modules.json", Data: []byte(modules)},
	}
}
