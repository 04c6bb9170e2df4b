package samples

// stPersonas is a backup of four personas, the default one not the first, with every member of a descriptor, depth and
// role 0, the deprecated position, two of one name, one that is described nowhere, and a description of nobody.
const stPersonas = `{
  "personas": {
    "1700000000000-Bo.png": "Bo",
    "1.png": "Ann",
    "2.png": "Ann",
    "user-default.png": "Cleo"
  },
  "persona_descriptions": {
    "1700000000000-Bo.png": {"description": "{{user}} is a tailor.\nHe hums.", "position": 0, "depth": 2, "role": 0, "lorebook": "", "title": "the tailor", "connections": [{"type": "character", "id": "zq-Ada.png"}]},
    "1.png": {"description": "{{user}} is a diver.", "position": 4, "depth": 0, "role": 0, "lorebook": "Sea", "title": "the diver", "connections": [], "zq_alternatives": ["zq-one", {"text": "zq-two"}], "zq_numbers": ` + numbers + `},
    "2.png": {"description": "{{user}} is a baker.", "position": 1, "depth": 3.0, "role": 2, "lorebook": ""},
    "zq-gone.png": {"description": "zq-orphan", "position": 9}
  },
  "default_persona": "1.png",
  "zq_root": "zq-backup root"
}
`

// stPersonasOld is an old backup: few members, null for missing, no default.
const stPersonasOld = `{"personas": {"a.png": "Dot", "b.png": ""}, "persona_descriptions": {"a.png": {"description": "{{user}} is old.", "position": 9, "lorebook": null}, "b.png": {"description": "nameless", "position": 3}}}`

const lumiPerson = `{
    "id": "7f0c9a52-1111-4222-8333-0123456789ab", "user_id": "u-1", "name": "Mira", "title": "keeper", "description": "{{user}} keeps a lighthouse.",
    "folder": "zq-folder", "subjective_pronoun": "she", "objective_pronoun": "her", "possessive_pronoun": "her", "reflexive_pronoun": "zq-herself", "possessive_pronoun_standalone": "zq-hers",
    "avatar_path": "zq-mira.png", "image_id": "zq-image", "attached_world_book_id": "7f0c9a52-2222-4222-8333-0123456789ab", "is_default": true, "is_narrator": false,
    "metadata": {"addons": [{"id": "zq-a", "label": "zq-storm", "content": "zq-addon", "enabled": true, "sort_order": 0}, {"id": "zq-b", "label": "zq-calm", "content": "zq-addon 2", "enabled": false, "sort_order": 1}],
      "description_position": 4, "description_depth": 0, "description_role": "user", "avatar_crop_image_id": "zq-crop"},
    "created_at": 1700000000, "updated_at": 1700000001.0
  }`

const lumiPersonas = `{"type": "lumiverse_personas", "version": 1, "exported_at": "2026-07-16T10:00:00.000Z", "zq_root": "zq-envelope", "personas": [
  ` + lumiPerson + `,
  {"id": "7f0c9a52-3333-4222-8333-0123456789ab", "user_id": "u-1", "name": "Noa", "title": "", "description": "", "folder": "", "subjective_pronoun": "", "objective_pronoun": "", "possessive_pronoun": "", "avatar_path": null, "image_id": null, "attached_world_book_id": null, "is_default": false, "is_narrator": true, "metadata": {}, "created_at": 1700000000, "updated_at": 1700000000},
  {"id": "7f0c9a52-4444-4222-8333-0123456789ab", "name": "Mira", "description": "Another Mira.", "subjective_pronoun": "they", "objective_pronoun": "them", "avatar_path": "https://example.org/mira.png", "metadata": {"description_position": 99}}
]}`

// quickReplies is a version 2 set with every switch, two of which say something else than the default.
const quickReplies = `{
    "version": 2,
    "name": "Tools",
    "disableSend": false,
    "placeBeforeInput": true,
    "injectInput": false,
    "color": "rgba(10, 20, 30, 0.50)",
    "onlyBorderColor": false,
    "qrList": [
        {"id": 1, "icon": "fa-dice", "showLabel": true, "label": "Roll", "title": "rolls a die", "message": "/roll 1d20 | /echo {{pipe}}", "contextList": [{"set": "Gone", "isChained": false}, {"set": "Tools", "isChained": true}], "preventAutoExecute": true, "isHidden": false, "executeOnStartup": false, "executeOnUser": false, "executeOnAi": true, "executeOnChatChange": false, "executeOnGroupMemberDraft": false, "executeOnNewChat": false, "executeBeforeGeneration": false, "automationId": "zq-auto"},
        {"id": 4, "showLabel": false, "label": "", "title": "", "message": "hidden text", "contextList": [], "preventAutoExecute": false, "isHidden": true, "automationId": "", "zq_row": {"b": 1, "a": ` + numbers + `}},
        {"id": 2, "label": "Empty", "message": ""}
    ],
    "idIndex": 4,
    "zq_set": "kept"
}`

const quickRepliesOld = `{
  "name": "Old",
  "quickReplyEnabled": true,
  "quickReplySlots": [
    {"mes": "/help", "label": "HELP", "enabled": true, "title": "help", "hidden": false, "autoExecute_appStartup": false, "autoExecute_userMessage": true, "contextMenu": [{"preset": "More", "chain": true}], "automationId": "x", "zq_slot": 1.0},
    {"mes": "", "label": "blank", "enabled": false},
    {"mes": "hi", "label": "HELP", "enabled": true, "hidden": true}
  ],
  "numberOfSlots": 3,
  "selectedPreset": "Old",
  "quickActionEnabled": false,
  "placeBeforeInputEnabled": true,
  "AutoInputInject": true
}`

const oneQuickReply = `{"id": 7, "showLabel": false, "label": "Solo", "title": "", "message": "/echo solo", "contextList": [], "preventAutoExecute": true, "isHidden": false, "executeOnStartup": false, "executeOnUser": false, "executeOnAi": false, "executeOnChatChange": false, "executeOnGroupMemberDraft": false, "automationId": ""}`

// risuPerson is a persona as Risu's export lays it out, with members of its own store and of nobody.
const risuPerson = `{"name":"Mira 미라","personaPrompt":"{{user}} keeps a lighthouse.\nShe hums.","note":"[the keeper]","bunzai":{"chatInjection":{"position":"in_chat","depth":0,"role":"user"},"identity":{"pronounSet":{"subjective":"she"}}},"largePortrait":true,"embeddedModule":{"name":"zq-module","id":"1"},"zq_member":"zq-risu persona"}`

// risuPersonFile is the same as the app keeps it, as a JSON file, which the app itself does not read.
const risuPersonFile = `{
  "name": "Noa",
  "personaPrompt": "{{user}} is a tailor.",
  "icon": "zq-assets/abc.png",
  "id": "44444444-0000-4000-8000-000000000004"
}`
