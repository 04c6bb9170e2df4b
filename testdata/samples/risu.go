package samples

// risuLore is a Risu lorebook export with folders, decorators of every kind, patterns, and members of nobody.
const risuLore = `{
  "type": "risu",
  "ver": 1,
  "zq_root": "zq-risu root",
  "data": [
    {"key": "\uf000folder:11111111-0000-4000-8000-000000000001", "comment": "Places", "mode": "folder", "content": "", "secondkey": "", "insertorder": 100, "alwaysActive": false, "selective": false},
    {"key": "inn, tavern", "comment": "Inn", "mode": "normal", "content": "@@depth 2\n@@role user\nA warm inn.", "secondkey": "", "insertorder": 110, "alwaysActive": false, "selective": false, "folder": "\uf000folder:11111111-0000-4000-8000-000000000001", "bookVersion": 2},
    {"key": "cellar", "comment": "Cellar", "mode": "normal", "content": "@@exclude_keys closed, dark\n@@dont_activate\n@@probability 40\n@@unknown thing\n@@@end\nIt is cold.", "secondkey": "closed, dark", "insertorder": 90, "alwaysActive": false, "selective": false, "folder": "\uf000folder:11111111-0000-4000-8000-000000000001", "bookVersion": 2, "id": "cellar-id"},
    {"key": "/gears?\\/x/i", "comment": "Clock", "mode": "normal", "content": "@@position after_desc\n@@scan_depth 3\n@@activate_only_after 5\n@@match_full_word\n@@priority 12\n@@unrecursive\n@@no_recursive_search\nThe great clock.", "secondkey": "/brass/", "insertorder": 100, "alwaysActive": false, "selective": true, "useRegex": true, "bookVersion": 2, "extentions": {"risu_case_sensitive": true, "sticky": 3, "zq": "zq-risu entry extension"}},
    {"key": "", "comment": "Rules", "mode": "constant", "content": "@@position pt_rules\n@@keep_activate_after_match\nAlways.", "secondkey": "", "insertorder": 1.0, "alwaysActive": true, "selective": false, "activationPercent": 100, "loreCache": null},
    {"key": "old", "comment": "Old", "mode": "normal", "content": "Before version 2.", "secondkey": "", "insertorder": 5, "alwaysActive": false, "selective": false, "activationPercent": 0, "zq_entry": "zq-risu entry"},
    {"key": "\uf000folder:lost", "comment": "A folder that lost its mode", "content": "", "insertorder": 100, "alwaysActive": false, "selective": false, "secondkey": "", "folder": "\uf000folder:lost"},
    {"key": "n", "comment": "N", "mode": "normal", "content": "n", "secondkey": "", "insertorder": ` + "1e2" + `, "alwaysActive": false, "selective": false, "folder": "folder:lost", "bookVersion": "2"}
  ]
}`

// risuLoreList is the bare list that tools around Risu write.
const risuLoreList = `[
    {"key": "\uf000folder:world", "comment": "World", "insertorder": 100, "mode": "folder", "alwaysActive": false, "selective": false, "secondkey": "", "content": "", "useRegex": false},
    {"key": "sea, coast", "comment": "Sea", "insertorder": 100, "mode": "normal", "alwaysActive": false, "selective": true, "secondkey": "salt, wave", "content": "It is wide.", "folder": "\uf000folder:world", "useRegex": false, "extentions": {"risu_case_sensitive": false, "zq": "zq-risu list"}}
]`

// risuRegex is a Risu regex export: every type, flags with commands, replacements that only the app reads so.
const risuRegex = `{"type":"regex","data":[
 {"comment":"In","in":"\\bteh\\b","out":"the","type":"editinput"},
 {"comment":"Out","in":"a(b)","out":"$1$n{{data}}","type":"editoutput","flag":"gi<order 3><cbs>","ableFlag":true},
 {"comment":"Prompt","in":"secret","out":"","type":"editprocess","flag":"i","ableFlag":false,"zq_row":"zq-risu script"},
 {"comment":"Display","in":"\\{X\\}","out":"<div class=\"x\">$&</div>","type":"editdisplay","flag":"g<order 1>sm","ableFlag":true},
 {"comment":"Closed","in":"b","out":"<b>","type":"editdisplay","flag":"g<no_end_nl,move_top>","ableFlag":true},
 {"comment":"Off","in":"off","out":"@@emo happy","type":"disabled","flag":"","ableFlag":true},
 {"comment":"Translated","in":"t","out":"u","type":"edittrans"},
 {"comment":"-- heading --","in":"","out":"","type":"disabled"},
 {"comment":"Third party","in":"c","out":"d","type":"editdisplay","ableFlag":true,"flags":"g"}
]}`

const risuRegexList = `[
    {"comment": "Stars", "in": "\\*([^*]+)\\*", "out": "", "outFile": "zq-risu file.md", "type": "editoutput", "flag": "g", "ableFlag": true},
    {"comment": "Spaces", "in": "  +", "out": " ", "type": "editinput", "flag": "gi", "ableFlag": true}
]`
