package samples

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// RealJPEG is a small picture.
func RealJPEG() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for i := range 64 {
		img.Set(i%8, i/8, color.RGBA{uint8(4 * i), 40, 90, 255})
	}
	var b bytes.Buffer
	must(jpeg.Encode(&b, img, nil))
	return b.Bytes()
}

const cardScripts = `[
                    {"comment": "Bold", "in": "\\*(.+?)\\*", "out": "<b>$1</b>", "type": "editdisplay", "flag": "gi<order 3><cbs>", "ableFlag": true},
                    {"comment": "Off", "in": "x", "out": "y", "type": "disabled", "zq": "zq-risu script"}
                ]`

const cardTriggers = `[
                    {"comment": "Count", "type": "output", "conditions": [{"type": "var", "var": "n", "value": "3", "operator": "="}], "effect": [{"type": "setvar", "operator": "+=", "var": "n", "value": "1"}], "lowLevelAccess": true},
                    {"comment": "", "type": "start", "conditions": [], "effect": [{"type": "triggerlua", "code": "print('zq is data')"}]}
                ]`

// risuCard is a card as the app writes it. The places of assets, scripts and triggers are filled in.
const risuCard = `{
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        "name": "Rin",
        "description": "A courier.",
        "personality": "quick",
        "scenario": "A city.",
        "first_mes": "<img=\"Smile\"> Yes?",
        "mes_example": "",
        "creator_notes": "notes",
        "system_prompt": "",
        "post_history_instructions": "stay in the city",
        "alternate_greetings": ["Hello."],
        "character_book": {
            "scan_depth": 7,
            "token_budget": 900,
            "recursive_scanning": true,
            "extensions": {"risu_fullWordMatching": false},
            "entries": [
                {"keys": ["folder:00000000-0000-4000-8000-000000000001"], "content": "", "extensions": {"risu_case_sensitive": false}, "enabled": true, "insertion_order": 100, "constant": false, "selective": false, "name": "Places", "comment": "Places", "case_sensitive": false, "use_regex": false, "mode": "folder"},
                {"keys": ["inn", "tavern"], "content": "@@depth 2\n@@role user\nA warm inn.", "extensions": {"risu_case_sensitive": false, "zq": "zq-risu entry"}, "enabled": true, "insertion_order": 110, "constant": false, "selective": false, "name": "Inn", "comment": "Inn", "case_sensitive": false, "use_regex": false, "mode": "normal", "folder": "folder:00000000-0000-4000-8000-000000000001"},
                {"keys": ["gate"], "content": "@@dont_activate\nThe gate.", "extensions": {"risu_case_sensitive": false}, "enabled": true, "insertion_order": 90, "constant": true, "selective": false, "name": "Gate", "comment": "Gate", "case_sensitive": false, "use_regex": false, "mode": "constant"}
            ]
        },
        "tags": ["city"],
        "creator": "me",
        "character_version": "2",
        "extensions": {
            "risuai": {
                "bias": [["sigh", -20], ["ok", 5]],
                "viewScreen": "emotion",
                CODE
                "utilityBot": false,
                "sdData": [["always", "solo, 1girl"], ["negative", ""], ["|character's appearance", "red coat"]],
                "backgroundHTML": "<div>rain</div>",
                "license": "CC BY 4.0",
                "additionalText": "more",
                "virtualscript": "",
                "largePortrait": true,
                "lorePlus": true,
                "inlayViewScreen": false,
                "newGenData": {"prompt": "courier", "negative": "", "instructions": "draw", "emotionInstructions": ""},
                "vits": {},
                "lowLevelAccess": false,
                "defaultVariables": "n=0\ncoat=red",
                "prebuiltAssetCommand": "",
                "prebuiltAssetExclude": ["zq-asset-id"],
                "prebuiltAssetStyle": "",
                "moduleNamespace": "zq-namespace",
                "sidePanelHTML": "zq-side panel"
            },
            "zq_foreign": "zq-risu extensions"
        },
        "group_only_greetings": [],
        "nickname": "Ri",
        "source": ["risurealm:zq"],
        "creation_date": 1773632001837,
        "modification_date": 1773640782,
        "assets": ASSETS
    }
}`

func risuWith(code, assets string) string {
	card := strings.NewReplacer("CODE", code, "ASSETS", assets).Replace(risuCard)
	return strings.NewReplacer("zq-asset-id", "an-asset-id", "risurealm:zq", "risurealm:1", "zq is data", "a is data", "folder:", "\\uf000folder:").Replace(card)
}

const risuCode = `"customScripts": ` + cardScripts + `,
                "triggerscript": ` + cardTriggers + `,`

// RisuJSON is the card as a JSON file: pictures as text, with the app's media type for everything.
func RisuJSON() string {
	uri := func(b []byte) string { return "data:application/octet-stream;base64," + base64Of(string(b)) }
	return risuWith(risuCode, `[
            {"type": "x-risu-asset", "uri": "`+uri(Dot(41))+`", "name": "Hat.png", "ext": "png"},
            {"type": "emotion", "uri": "`+uri(Dot(42))+`", "name": "Smile", "ext": "png"},
            {"type": "icon", "uri": "`+uri(Dot(43))+`", "name": "main", "ext": "png"}
        ]`)
}

func risuPNG() []byte {
	card := risuWith(risuCode, `[
            {"type": "background", "uri": "https://example.org/street.png", "name": "street", "ext": "png"},
            {"type": "x-risu-asset", "uri": "__asset:1", "name": "Hat.png", "ext": "png"},
            {"type": "emotion", "uri": "__asset:2", "name": "Smile", "ext": "png"},
            {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}
        ]`)
	return PNG(Text("chara-ext-asset_:1", base64Of(string(Dot(41)))), Text("chara-ext-asset_2", base64Of(string(Dot(42)))), Card("ccv3", compact(card)))
}

// risuV2 is a PNG of the first half of 2024: pictures in lists of names and chunks, and one as text.
func risuV2() []byte {
	card := `{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Old Rin", "description": "A courier.", "personality": "", "scenario": "", "first_mes": "Yes?", "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [], "tags": [], "creator": "", "character_version": "undefined",
 "extensions": {"risuai": {"emotions": [["Smile", "__asset:1"], ["Cry", "` + base64Of(string(Dot(52))) + `"]], "additionalAssets": [["Hat", "__asset:2", "hat.png"]], "bias": [], "viewScreen": "none", "vits": {"model.onnx": "__asset:3"}, "zq": "zq-risu v2"}}}}`
	return PNG(Text("chara-ext-asset_:1", base64Of(string(Dot(51)))), Text("chara-ext-asset_:2", base64Of(string(Dot(53)))), Text("chara-ext-asset_:3", base64Of("zq-a voice model")), Card("chara", card))
}

// cardLore are the entries of the module: what the card says of them, in the app's own shape.
const cardLore = `[
        {"key": "folder:00000000-0000-4000-8000-000000000001", "comment": "Places", "content": "", "mode": "folder", "insertorder": 100, "alwaysActive": false, "secondkey": "", "selective": false, "bookVersion": 2},
        {"key": "inn, tavern", "comment": "Inn", "content": "@@depth 2\n@@role user\nA warm inn.", "mode": "normal", "insertorder": 110, "alwaysActive": false, "secondkey": "", "selective": false, "bookVersion": 2, "folder": "folder:00000000-0000-4000-8000-000000000001", "zq": "zq-risu lore"},
        {"key": "gate", "comment": "Gate", "content": "@@dont_activate\nThe gate.", "mode": "constant", "insertorder": 90, "alwaysActive": true, "secondkey": "", "selective": false, "bookVersion": 2}
      ]`

func cardModule() []byte {
	return Module(strings.NewReplacer("folder:", "\\uf000folder:", "zq is data", "a is data").Replace(`{
  "module": {
    "name": "Rin Module",
    "description": "Module for Rin",
    "id": "00000000-0000-4000-8000-000000000002",
    "trigger": ` + cardTriggers + `,
    "regex": ` + cardScripts + `,
    "lorebook": ` + cardLore + `,
    "assets": [],
    "zq_module": "zq-risu module"
  },
  "type": "risuModule"
}`))
}

// risuEntries are those of an archive in the app's order: what it notes of a picture before the picture, the module,
// the card.
func risuEntries() []Entry {
	card := risuWith("", `[
            {"type": "x-risu-asset", "uri": "embeded://assets/other/image/Hat.png.png", "name": "Hat.png", "ext": "png"},
            {"type": "emotion", "uri": "embeded://assets/emotion/image/a:b.png", "name": "a:b", "ext": "png"},
            {"type": "emotion", "uri": "embeded://assets/emotion/image/smile.png", "name": "Smile", "ext": "png"},
            {"type": "icon", "uri": "embeded://assets/icon/image/main.png", "name": "main", "ext": "png"}
        ]`)
	return []Entry{
		{Name: "x_meta/Hat.png.json", Data: []byte(`{"type":"PNG"}`)},
		{Name: "assets/other/image/Hat.png.png", Data: Dot(41), Stored: true},
		{Name: "x_meta/a_b.json", Data: []byte(`{"zq-note": "zq-risu x_meta"}`)},
		{Name: "assets/emotion/image/a_b.png", Data: Dot(44), Stored: true},
		{Name: "assets/emotion/image/Smile.png", Data: Dot(42), Stored: true},
		{Name: "assets/icon/image/main.png", Data: Dot(43), Stored: true},
		{Name: "module.risum", Data: cardModule(), Stored: true},
		{Name: "card.json", Data: []byte(card)},
	}
}

// noteEntry is the entry that says the note of the character, as it is written for Risu, in the shape of a card.
const noteEntry = `{"keys": [], "content": "@@depth 3\n@@role user\n@@priority 10000\n@@unrecursive\n[Rin never lies.]", "extensions": {"bunzai": {"characterNote": true}}, "enabled": true, "insertion_order": 100, "constant": true, "selective": false, "name": "Character note", "comment": "Character note", "use_regex": false, "mode": "normal"}`

// risuNoted is a card with a note, in the note's own place and in the marked entry.
func risuNoted() string {
	card := strings.Replace(RisuJSON(), `"zq_foreign"`, `"depth_prompt": {"prompt": "[Rin never lies.]", "depth": 3, "role": "user"},
            "zq_foreign"`, 1)
	return strings.Replace(card, `}
            ]
        },
        "tags"`, `},
                `+noteEntry+`
            ]
        },
        "tags"`, 1)
}

// noteEntries is an archive that has been in the app: the note's own place is empty, the entry is in the card and in the
// module, and nothing else is in the lorebook.
func noteEntries() []Entry {
	lore := `{"key": "", "comment": "Character note", "content": "@@depth 3\n@@role user\n@@priority 10000\n@@unrecursive\n[Rin never lies.]", "mode": "normal", "insertorder": 100, "alwaysActive": true, "secondkey": "", "selective": false, "bookVersion": 2, "extentions": {"bunzai": {"characterNote": true}, "risu_case_sensitive": false}}`
	module := `{"module": {"name": "Rin Module", "description": "", "id": "00000000-0000-4000-8000-000000000003", "trigger": [], "regex": [], "lorebook": [` + lore + `], "assets": []}, "type": "risuModule"}`
	card := `{"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Rin", "description": "A courier.", "personality": "", "scenario": "", "first_mes": "Yes?", "mes_example": "", "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [], "character_book": {"extensions": {"risu_fullWordMatching": false}, "entries": [` + noteEntry + `]},
 "tags": [], "creator": "", "character_version": "", "extensions": {"risuai": {}, "depth_prompt": {"depth": 0, "prompt": ""}}, "group_only_greetings": [], "assets": [{"type": "icon", "uri": "embeded://assets/icon/image/main.png", "name": "main", "ext": "png"}]}}`
	return []Entry{{Name: "assets/icon/image/main.png", Data: Dot(43), Stored: true}, {Name: "module.risum", Data: Module(module), Stored: true}, {Name: "card.json", Data: []byte(card)}}
}

// lockedCard is a card as Risu encrypted it in the first half of 2024.
const lockedCard = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Secret Rin","description":"A courier. 배달부","personality":"","scenario":"","first_mes":"Yes?","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":[],"tags":[],"creator":"me","character_version":"1","extensions":{"risuai":{"emotions":[["Smile","__asset:1"]],"additionalAssets":[],"bias":[],"viewScreen":"emotion","zq":"zq-risu locked"}}}}`

// LockedCard is that card with another description.
func LockedCard(description string) string {
	return strings.Replace(lockedCard, "A courier. 배달부", description, 1)
}

// Locked is the text of a chunk in which Risu encrypted a card; "" is its own password.
func Locked(card, password string) string {
	meta := `{"usePassword":true}`
	if password == "" {
		password, meta = "RISU_NONE", "{}"
	}
	seal, _ := RisuGCM(password)
	c := seal([]byte(card))
	return fmt.Sprintf("rcc||rccv1||%s||%x||%s", base64Of(string(c)), sha256.Sum256(c), base64Of(meta))
}
