package laws

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bunzai/formats"
)

func init() {
	accepts["sillytavern-persona"], accepts["lumiverse-persona"], accepts["sillytavern-quickreply"] = stBackup, lumiPersonaList, stQuickReplies
	accepts["risu-persona"] = risuPersona
	accepts["bunzai-persona"], accepts["bunzai-quickreply"] = canonicalFile, canonicalFile
}

// oneOf reports a number among those.
func oneOf(v any, nums ...float64) bool {
	f, ok := v.(float64)
	return ok && slices.Contains(nums, f)
}

// stBackup restores as personas.js does: both objects must be there, a descriptor needs its persona, and the default
// must be one of them.
func stBackup(data []byte, _ formats.Container) error {
	root, err := parseObject(data)
	if err != nil {
		return err
	}
	names, ok := root["personas"].(obj)
	descs, ok2 := root["persona_descriptions"].(obj)
	if !ok || !ok2 || len(names) == 0 {
		return fmt.Errorf("personas and persona_descriptions are not both objects with something in them")
	}
	if d := root["default_persona"]; d != nil && names[d.(string)] == nil {
		return fmt.Errorf("default_persona %v is none of the personas", d)
	}
	for id, n := range names {
		if _, ok := n.(string); !ok || id == "" || strings.ContainsAny(id, `/\`) || !strings.Contains(id, ".") {
			return fmt.Errorf("persona %q: no picture's file name with a name", id)
		}
		if descs[id] == nil {
			return fmt.Errorf("persona %q has no descriptor", id)
		}
	}
	for id, v := range descs {
		d, ok := v.(obj)
		switch {
		case !ok || names[id] == nil:
			return fmt.Errorf("descriptor %q belongs to nobody", id)
		case !oneOf(d["position"], 0, 1, 2, 3, 4, 9):
			return fmt.Errorf("%s: position %v", id, d["position"])
		case d["role"] != nil && !oneOf(d["role"], 0, 1, 2):
			return fmt.Errorf("%s: role %v", id, d["role"])
		}
		if f, ok := d["depth"].(float64); d["depth"] != nil && (!ok || f < 0) {
			return fmt.Errorf("%s: depth %v", id, d["depth"])
		}
		for _, n := range []string{"description", "title", "lorebook"} {
			if _, ok := d[n].(string); !ok && (d[n] != nil || n == "description") {
				return fmt.Errorf("%s: %s is %v", id, n, d[n])
			}
		}
	}
	return nil
}

// lumiPersonaList reads as the app's later versions do: exactly that type, version 1, a list that is not empty.
func lumiPersonaList(data []byte, _ formats.Container) error {
	root, err := parseObject(data)
	if err != nil {
		return err
	}
	list, _ := root["personas"].([]any)
	if root["type"] != "lumiverse_personas" || !oneOf(root["version"], 1) || len(list) == 0 {
		return fmt.Errorf("type, version or list")
	}
	for i, v := range list {
		p, _ := v.(obj)
		for _, n := range []string{"name", "description", "subjective_pronoun", "objective_pronoun"} {
			if _, ok := p[n].(string); !ok {
				return fmt.Errorf("personas[%d].%s is %v", i, n, p[n])
			}
		}
		for _, n := range []string{"title", "folder", "possessive_pronoun"} {
			if _, ok := p[n].(string); !ok && p[n] != nil {
				return fmt.Errorf("personas[%d].%s is %v", i, n, p[n])
			}
		}
		for _, n := range []string{"id", "user_id", "avatar_path", "image_id", "attached_world_book_id"} {
			if p[n] != nil {
				return fmt.Errorf("personas[%d].%s names something of another account: %v", i, n, p[n])
			}
		}
		if m, ok := p["metadata"].(obj); p["metadata"] != nil && !ok || m["description_position"] != nil && !oneOf(m["description_position"], 0, 1, 2, 4, 99) {
			return fmt.Errorf("personas[%d].metadata is %v", i, p["metadata"])
		}
	}
	return nil
}

// risuPersona imports as importUserPersona does: a PNG, its first tEXt chunk persona, a name and a prompt that say
// something.
func risuPersona(data []byte, c formats.Container) error {
	if c != formats.PNG || !bytes.HasPrefix(data, []byte(pngSignature)) {
		return fmt.Errorf("Risu reads a persona from a PNG, and this is %q", c)
	}
	t := testing.TB(new(testing.T))
	chunks, _ := chunksOf(t, data)
	for _, x := range chunks {
		k, v, ok := x.text(t)
		if !ok || x.kind != "tEXt" || k != "persona" {
			continue
		}
		p, err := parseObject(unbase64(t, v))
		if err != nil {
			return err
		}
		for _, n := range []string{"name", "personaPrompt"} {
			if s, _ := p[n].(string); s == "" {
				return fmt.Errorf("%s is %v", n, p[n])
			}
		}
		if _, text := p["note"].(string); p["note"] != nil && !text {
			return fmt.Errorf("note is %v", p["note"])
		}
		return nil
	}
	return fmt.Errorf("no chunk persona")
}

// stQuickReplies imports as the quick reply extension does: a whole version, a name, rows with ids of their own.
func stQuickReplies(data []byte, _ formats.Container) error {
	root, err := parseObject(data)
	if err != nil {
		return err
	}
	_, named := root["name"].(string)
	list, ok := root["qrList"].([]any)
	top, counts := root["idIndex"].(float64)
	if v, whole := root["version"].(float64); !whole || v != math.Trunc(v) || !named || !ok || !counts {
		return fmt.Errorf("version, name, qrList or idIndex")
	}
	seen := map[float64]bool{}
	for i, v := range list {
		r, _ := v.(obj)
		id, ok := r["id"].(float64)
		if !ok || seen[id] || id > top {
			return fmt.Errorf("qrList[%d].id is %v, idIndex %v", i, r["id"], top)
		}
		seen[id] = true
		for _, n := range []string{"label", "message", "title"} {
			if _, ok := r[n].(string); !ok {
				return fmt.Errorf("qrList[%d].%s is %v", i, n, r[n])
			}
		}
	}
	return nil
}
