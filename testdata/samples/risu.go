package samples

import (
	"encoding/binary"
	"encoding/hex"
	"strings"
)

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

// rpackTable is what each byte becomes in Risu's packed files.
const rpackTable = "c40d1e0bbd2b3f55fc456ef566534f1ae0bb309486ba6bbf41506f9befdeb710" +
	"611720df3289a89d6dabc990000c5dafd2c156e516649182657497ca23d652d1" +
	"ffb4a0e82f8a58385a60199649dbd7c83b3e434ba56347aa6a2992f415cf6234" +
	"78d31d3ce2058e2a570e1bcd4c2df2402c2579480fb27ab5a76c37e69c7b547e" +
	"fe87dc9a02e433a2ebb12e03dd99a6b0e7d58818837cf6bee15c9fc321461f08" +
	"4ed076125feefd8f44eaa35e8b2809359e69cc0ac78507ad4af377e967d4da84" +
	"8093b64d73fa27267f04c6fbf1723951c236a968acf8edc5b9cbce75a43d81d9" +
	"42701c9511bcd88c98f959a113f7147db3ec71c0e38df001ae5b310624223ab8"

// RPack packs text as Risu does.
func RPack(s string) string {
	table, err := hex.DecodeString(rpackTable)
	if err != nil {
		panic(err)
	}
	b := []byte(s)
	for i, c := range b {
		b[i] = table[c]
	}
	return string(b)
}

// Module is a Risu module file with that document and these assets.
func Module(doc string, assets ...string) []byte {
	num := func(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
	s := "\x6f\x00" + num(len(doc)) + RPack(doc)
	for _, a := range assets {
		s += "\x01" + num(len(a)) + RPack(a)
	}
	return []byte(s + "\x00")
}

// risuModule is a module with everything, as the app lays it out, and members of nobody.
const risuModule = `{
  "module": {
    "name": "Harbour",
    "description": "A module of a harbour.",
    "id": "22222222-0000-4000-8000-000000000002",
    "lorebook": [
      {"key": "\uf000folder:q", "comment": "Quays", "mode": "folder", "content": "", "secondkey": "", "insertorder": 100, "alwaysActive": false, "selective": false},
      {"key": "quay, pier", "comment": "Quay", "mode": "normal", "content": "@@depth 3\n@@role system\nStone and rope.", "secondkey": "", "insertorder": 100, "alwaysActive": false, "selective": false, "folder": "\uf000folder:q", "bookVersion": 2},
      {"key": "", "comment": "Always", "mode": "normal", "content": "The sea is near.", "secondkey": "", "insertorder": 10, "alwaysActive": true, "selective": false, "bookVersion": 2, "_id": "zq-risu _id"}
    ],
    "regex": [
      {"comment": "Show", "in": "\\[sea\\]", "out": "<b>sea</b>", "type": "editdisplay", "flag": "gi<order 2>", "ableFlag": true},
      {"comment": "Hide", "in": "\\[x\\]", "out": "", "type": "editprocess"}
    ],
    "trigger": [{"comment": "On output", "type": "output", "conditions": [], "effect": [{"type": "triggerlua", "code": "-- lua"}], "lowLevelAccess": false}],
    "backgroundEmbedding": "<style>p { color: navy }</style>",
    "customModuleToggle": "=Harbour=divider\nharbour.on=On",
    "lowLevelAccess": true,
    "hideIcon": false,
    "namespace": "zq-risu namespace",
    "displayOrder": 800,
    "assets": [["gull", "", "png"], ["wave.png", "", "png"], ["none", "", ""]]
  },
  "type": "risuModule"
}`

// risuModuleJSON is the flat form that the app reads too.
const risuModuleJSON = `{"name":"Flat","description":"","id":"33333333-0000-4000-8000-000000000003","regex":[],"lorebook":[{"key":"a","comment":"A","mode":"normal","content":"a","secondkey":"","insertorder":1,"alwaysActive":false,"selective":false,"bookVersion":2}],"cjs":"","zq_member":"zq-risu flat","type":"risuModule"}`

func risuModules() []Sample {
	return []Sample{
		{Name: "risu-module.risum", Kind: Character, Data: Module(risuModule, string(Dot(11)), string(Dot(12)))},
		{Name: "risu-module-compact.risum", Kind: Character, Data: Module(compact(risuModule), string(Dot(11)), string(Dot(12)), "")},
		{Name: "risu-module-bare.risum", Kind: Character, Data: []byte(RPack(compact(strings.Replace(risuModuleJSON, `"Flat"`, `"Bare"`, 1))))},
		{Name: "risu-module.json", Kind: Character, Data: []byte(risuModuleJSON)},
	}
}
