package samples

// wi is a World Info file with every entry field, uids with gaps and out of order, and members of nobody.
const wi = `{
    "name": "World",
    "extensions": {"zq_ext": "zq-wi extensions"},
    "zq_root": "zq-wi root",
    "entries": {
        "4": {
            "uid": 4, "key": ["clock", "/gears?\\/x/i"], "keysecondary": ["brass"], "comment": "Clock", "content": "The great clock.", "constant": false,
            "vectorized": false, "selective": true, "selectiveLogic": 3, "addMemo": true, "order": 100, "position": 4, "disable": false, "ignoreBudget": true,
            "excludeRecursion": false, "preventRecursion": true, "delayUntilRecursion": 2, "probability": 100, "useProbability": true, "depth": 4, "role": 0,
            "outletName": "", "group": "g1,g2", "groupOverride": false, "groupWeight": 100, "scanDepth": null, "caseSensitive": null, "matchWholeWords": true,
            "useGroupScoring": false, "automationId": "x", "sticky": null, "cooldown": 3, "delay": 0, "triggers": ["normal", "swipe"], "displayIndex": 0,
            "matchPersonaDescription": false, "matchCharacterDescription": true, "matchCharacterPersonality": false, "matchCharacterDepthPrompt": false,
            "matchScenario": false, "matchCreatorNotes": true, "characterFilter": {"isExclude": true, "names": ["Ada"], "tags": ["t-1"], "zq": "zq-wi filter"}, "zq_entry": "zq-wi entry"
        },
        "0": {"uid": 0, "key": ["zero"], "keysecondary": [], "comment": "Zero", "content": "Uid 0 is a uid.", "constant": true, "selective": false, "order": 1.0, "position": 0, "disable": true, "role": null, "delayUntilRecursion": false, "extensions": {"position": 6, "zq": "zq-wi entry extensions"}},
        "17": {"uid": 17, "key": ["outlet"], "keysecondary": [], "comment": "", "content": "Out.", "constant": false, "selective": true, "order": 50, "position": 7, "outletName": "here", "disable": false, "probability": 0, "useProbability": true, "delayUntilRecursion": true},
        "18": {"uid": 18, "key": [], "keysecondary": [], "comment": "Note", "content": "Note top.", "constant": true, "selective": true, "order": 50, "position": 2, "disable": false, "zq_numbers": ` + numbers + `}
    },
    "originalData": {"name": "World", "entries": [{"zq": "zq-wi original"}]}
}`

const wiOld = `{"entries": {
"0": {"uid": 0, "key": ["old"], "keysecondary": [], "comment": "Old", "content": "Few fields.", "constant": false, "selective": false, "order": 100, "position": 1, "disable": false},
"2": {"uid": 2, "key": "a, b", "content": "Keys in one text."}
}}`

// wiChub has both spellings of every name, as Chub's raw export does, and book settings that World Info ignores.
const wiChub = `{"name": "Dual", "description": "both spellings", "is_creation": false, "scan_depth": 2, "token_budget": 500, "recursive_scanning": false, "extensions": {"chub": {"zq": "zq-chub"}},
 "entries": {
  "1": {"uid": 1, "id": 1, "key": ["a"], "keys": ["a"], "keysecondary": ["s"], "secondary_keys": ["s"], "comment": "One", "name": "One", "content": "First.", "constant": false, "selective": true, "selectiveLogic": 0, "order": 10, "insertion_order": 10, "position": 1, "disable": false, "enabled": true, "case_sensitive": false, "priority": 10, "probability": 100, "useProbability": true, "extensions": {"position": 1, "zq": "zq-chub entry"}},
  "2": {"uid": 2, "id": 2, "key": ["b"], "keys": ["b"], "keysecondary": [], "secondary_keys": [], "comment": "Two", "name": "Two", "content": "Second.", "constant": true, "selective": false, "order": 20, "insertion_order": 20, "position": 0, "disable": true, "enabled": false, "extensions": {}}
 }}`

const bookFile = `{
  "name": "Bare book",
  "description": "as in a V2 card",
  "scan_depth": 5,
  "extensions": {"zq": "zq-bare"},
  "entries": [
    {"keys": ["one"], "content": "1", "extensions": {"position": 3}, "enabled": true, "insertion_order": 3, "name": "One", "id": 0, "priority": 9},
    {"keys": ["two"], "content": "2", "extensions": {}, "enabled": true, "insertion_order": "40", "comment": "Two", "position": "before_char"}
  ]
}`

const lorebookV3 = `{"spec": "lorebook_v3", "data": {"name": "Enveloped", "extensions": {"zq": "zq-envelope"}, "entries": [
 {"keys": ["x+", "y"], "content": "patterns", "extensions": {}, "enabled": true, "insertion_order": 1, "use_regex": true, "constant": false},
 {"keys": ["plain"], "content": "plain", "extensions": {}, "enabled": false, "insertion_order": 2, "use_regex": false, "constant": true}]}}`

// wiLumiverse is shaped as Lumiverse's "sillytavern" lorebook export.
const wiLumiverse = `{"name": "From Lumiverse", "description": "", "entries": {
 "0": {"uid": 0, "keys": ["lamp"], "secondary_keys": ["oil"], "comment": "Lamp", "content": "It burns.", "enabled": true, "insertion_order": 5, "position": 4, "depth": 2, "role": "user", "selective": true, "constant": false, "selectiveLogic": 2, "useProbability": true, "probability": 80, "group": "light", "group_override": false, "group_weight": 100, "case_sensitive": false, "match_whole_words": false, "use_regex": false, "prevent_recursion": true, "exclude_recursion": false, "delay_until_recursion": false, "priority": 10, "zq_x": "zq-lumi entry"}}}`
