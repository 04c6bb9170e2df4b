package laws

import (
	"regexp"
	"sort"
	"strings"
)

// risuCarries is carries for Risu's own rows: what the app has no member for stands in lines of the content, and
// exactly what it holds roughly under bunzai.
var risuCarries = map[string]string{
	"identity.name":                  "name",
	"attribution.creatorNotes":       "description",
	"behavior.backgroundHTML":        "backgroundEmbedding",
	"behavior.moduleToggles":         "customModuleToggle",
	"behavior.privileged":            "lowLevelAccess",
	"media":                          "assets",
	"media.assets[].name":            "assets emotions additionalAssets",
	"media.assets[].content":         "assets emotions additionalAssets",
	"media.assets[].ext":             "assets",
	"bias":                           "bias",
	"persona.imagePrompt":            "newGenData",
	"persona.imagePrompt.rows":       "sdData",
	"persona.voice":                  "vits",
	"behavior.triggerScripts":        "triggerscript trigger",
	"behavior.prebuiltAsset.command": "prebuiltAssetCommand",
	"behavior.prebuiltAsset.exclude": "prebuiltAssetExclude",
	"behavior.prebuiltAsset.style":   "prebuiltAssetStyle",
	"globalMatchWholeWords":          "risu_fullWordMatching",
	"prompts.depthInjections":        "depth_prompt content", // the entry that says the note, in the card and in its module
	"name":                           "bunzai_lorebooks bunzai_regex_sets",
	"categories[].id":                "key folder",
	"categories[].name":              "comment name",
	"entries[].title":                "comment",
	"entries[].comment":              "bunzai",
	"entries[].content":              "content bunzai",
	"entries[].enabled":              "content bunzai",
	"entries[].constant":             "alwaysActive content bunzai",
	"entries[].triggers":             "key useRegex secondkey bunzai selective content",
	"entries[].secondaryTriggers":    "key useRegex secondkey bunzai selective content",
	"entries[].triggerMode":          "selective content bunzai secondkey",
	"entries[].selectiveLogic":       "selective content bunzai secondkey",
	"entries[].position":             "content bunzai",
	"entries[].depth":                "content bunzai",
	"entries[].role":                 "content bunzai",
	"entries[].outletName":           "content bunzai",
	"entries[].probability":          "content bunzai activationPercent",
	"entries[].useProbability":       "content bunzai activationPercent",
	"entries[].matchWholeWords":      "content bunzai",
	"entries[].scanDepth":            "content bunzai",
	"entries[].delay":                "content bunzai",
	"entries[].priority":             "content bunzai",
	"entries[].excludeRecursion":     "content bunzai",
	"entries[].preventRecursion":     "content bunzai",
	"entries[].caseSensitive":        "risu_case_sensitive case_sensitive",
	"entries[].sortOrder":            "insertorder",
	"entries[].categoryId":           "folder bunzai",
	"rules[].label":                  "comment",
	"rules[].find":                   "in",
	"rules[].replace":                "out flag ableFlag bunzai",
	"rules[].flags":                  "flag ableFlag bunzai",
	"rules[].useFlags":               "flag ableFlag bunzai",
	"rules[].substituteFind":         "flag ableFlag bunzai",
	"rules[].sortOrder":              "flag ableFlag bunzai",
	"rules[].phases":                 "type bunzai",
	"rules[].targets":                "type bunzai",
	"rules[].enabled":                "type bunzai",
	"rules[].extras.risu.actions":    "flag ableFlag",
}

func risuMayTouch(generic, wirePath string) bool {
	switch {
	case generic == "categories[].id": // another folder
		return true
	case strings.HasPrefix(generic, "rules[].targets"), strings.HasPrefix(generic, "rules[].phases"):
		return true // a second script comes or goes, and the others move
	}
	best, list := "", generic[strings.LastIndexByte(generic, '.')+1:]
	for k, v := range risuCarries {
		if len(k) > len(best) && (generic == k || strings.HasPrefix(generic, k) && strings.ContainsAny(generic[len(k):len(k)+1], ".[")) {
			best, list = k, v
		}
	}
	for _, step := range strings.FieldsFunc(wirePath, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		for _, n := range strings.Fields(list) {
			if flatName(n) == flatName(step) {
				return true
			}
		}
	}
	// An object for what is not the app's own, made for what is parked in it.
	return strings.HasSuffix(wirePath, ".extentions") && (strings.Contains(list, "bunzai") || strings.Contains(generic, "entries[]"))
}

// sameFlags reports members of a script that may say the same flags in another way.
func sameFlags(generic, path string) bool {
	return (strings.HasPrefix(path, "data[") || strings.HasPrefix(path, "module.") || strings.Contains(path, ".customScripts[")) && strings.HasPrefix(generic, "rules[]") && (strings.HasSuffix(path, ".flag") || strings.HasSuffix(path, ".ableFlag"))
}

var risuContent = regexp.MustCompile(`^(data|module\.lorebook|data\.character_book\.entries)\[\d+\]\.content$`)

// sameDecorators reports two contents of which one is the other with its decorators in another order.
func sameDecorators(path, a, b string) bool {
	if !risuContent.MatchString(path) {
		return false
	}
	sorted := func(s string) (string, string) {
		s = strings.Replace(s, "@@@end", "@@depth 0", 1)
		lines := strings.Split(strings.Trim(s, `"`), `\n`)
		n := 0
		for n < len(lines) && strings.HasPrefix(lines[n], "@@") {
			n++
		}
		sort.Strings(lines[:n])
		return strings.Join(lines[:n], "\n"), strings.Join(lines[n:], "\n")
	}
	la, ba := sorted(a)
	lb, bb := sorted(b)
	return la == lb && ba == bb
}
