// Package tavern is the character card of the Tavern family: V1, flat, V2 and V3 envelopes, the shared field map from
// their data to the canonical character, CCv3 assets, and the containers around them (PNG chunks, JSON, a ZIP with
// card.json). SillyTavern, Lumiverse and others are dialects of it.
package tavern

import (
	"strings"

	"bunzai/fault"
	"bunzai/jsondoc"
)

// Variant is the envelope of a card.
type Variant string

const (
	V1   Variant = "v1"   // six fields at the root
	Flat Variant = "flat" // V2 fields at the root
	V2   Variant = "v2"
	V3   Variant = "v3"
	YAML Variant = "yaml" // a flat card as YAML, with the names of text-generation-webui: context and greeting
)

// Wrapped reports an envelope with data.
func (v Variant) Wrapped() bool { return v == V2 || v == V3 }

// prefix is where the fields stand.
func (v Variant) prefix() string {
	if v.Wrapped() {
		return "data."
	}
	return ""
}

var (
	v1Signs   = []string{"description", "personality", "scenario", "first_mes", "mes_example"}
	flatSigns = []string{"alternate_greetings", "system_prompt", "post_history_instructions", "creator_notes", "extensions", "character_version", "character_book"}
	// settingsSigns mark files of the Tavern family that are no cards: presets, instruct and context templates.
	settingsSigns = []string{"prompt_order", "chat_completion_source", "temperature", "temp", "input_sequence", "story_string", "qrList", "scriptName", "findRegex", "blocks"}
	// personaSigns mark personas of other apps, which also have a name and a description.
	personaSigns = []string{"subjective_pronoun", "objective_pronoun", "nameColor", "boxColor", "personaStats"}
)

// Classify tells which card a JSON object is, or "" with the reason. It looks at names only.
func Classify(root *jsondoc.Value) (v Variant, why string) {
	if root.Kind() != jsondoc.KindObject {
		return "", "not a JSON object"
	}
	if spec, ok := root.Get("spec").Text(); ok {
		switch {
		case spec == "chara_card_v2":
			return V2, "spec is chara_card_v2"
		case spec == "chara_card_v3":
			return V3, "spec is chara_card_v3"
		case strings.HasPrefix(spec, "chara_card_v"):
			return V3, "spec is " + spec + ", newer than V3; read as V3"
		}
		return "", "spec is " + spec + ", which is no character card"
	}
	data := root.Get("data")
	if data.Kind() == jsondoc.KindObject {
		if _, ok := root.Get("type").Text(); ok && root.Has("exportedAt") {
			return "", "a library wrapper; the file inside it is what counts"
		}
		_, named := data.Get("name").Text()
		for _, s := range v1Signs {
			if named && data.Has(s) && !data.Has("entries") {
				return V2, "data looks like a card, but spec is missing; read as V2"
			}
		}
		return "", "it has data but no spec, and data is no card"
	}
	if _, ok := root.Get("name").Text(); !ok {
		return "", "no spec and no name"
	}
	switch e := root.Get("entries"); e.Kind() {
	case jsondoc.KindObject, jsondoc.KindArray:
		return "", "it has entries, so it is a lorebook and no card"
	}
	if root.Get("prompts").Kind() == jsondoc.KindArray {
		return "", "it has prompts, so it is a preset and no card"
	}
	for _, s := range settingsSigns {
		if root.Has(s) {
			return "", "it has " + s + ", so it is a settings file and no card"
		}
	}
	for _, s := range personaSigns {
		if root.Has(s) {
			return "", "it has " + s + ", so it is a persona and no card"
		}
	}
	if root.Get("persona").Kind() == jsondoc.KindObject && root.Has("greeting") {
		return "", "it has persona and greeting, so it is an Agnai character and no card"
	}
	v1, flat := false, 0
	for _, s := range v1Signs {
		v1 = v1 || root.Has(s)
	}
	for _, s := range flatSigns {
		if root.Has(s) {
			flat++
		}
	}
	switch {
	case flat > 0 && v1:
		return Flat, "name and V2 fields at the root"
	case v1:
		return V1, "name and V1 fields at the root"
	case flat > 1 && root.Has("alternate_greetings"):
		return Flat, "name and V2 fields at the root"
	}
	return "", "a name alone makes no card"
}

// Check refuses a card that names its spec but holds nothing.
func Check(root *jsondoc.Value, v Variant, where string) error {
	if !v.Wrapped() || root.Get("data").Kind() == jsondoc.KindObject {
		return nil
	}
	for _, s := range append([]string{"name"}, v1Signs...) {
		if root.Has(s) {
			return nil // the fields stand at the root; they are read there
		}
	}
	spec, _ := root.Get("spec").Text()
	if !root.Has("data") {
		return fault.New(fault.Damaged, joinWhere(where, "data"), "spec says %s, so data must be an object with the card's fields, and it is missing", spec)
	}
	return fault.New(fault.Damaged, joinWhere(where, "data"), "spec says %s, so data must be an object with the card's fields, and it is %s", spec, root.Get("data").Kind())
}

func joinWhere(where, path string) string {
	switch {
	case where == "":
		return path
	case path == "":
		return where
	}
	return where + ", " + path
}
