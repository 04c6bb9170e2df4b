package laws

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"bunzai/formats"
	"bunzai/formats/risu/rpack"
)

func init() {
	accepts["risu-preset"] = risuPreset
}

// risuPreset imports as importPreset does (risu.md 5.1 to 5.5), and looks at what the app reads without a check.
func risuPreset(data []byte, c formats.Container) error {
	if c != formats.JSON {
		if c == formats.Risup {
			if !bytes.HasPrefix(data, []byte("\x10\x03\xfc")) {
				return fmt.Errorf("no RPack of a gzip stream")
			}
			data = rpack.Decode(data)
		}
		head, plain := unpackPreset(testing.TB(new(testing.T)), data)
		if head != "\xde\x00\x03\xadpresetVersion\x02\xa4type\xa6preset\xa6preset" {
			return fmt.Errorf("outer map %q", head)
		}
		data = []byte(showMsgPack(plain))
	}
	p, err := parseObject(data)
	if err != nil {
		return err
	}
	if _, ok := p["name"].(string); !ok { // the app gives a preset without one a name
		return fmt.Errorf("name is %v", p["name"])
	}
	for _, n := range []string{"temperature", "frequencyPenalty", "PresensePenalty", "top_p", "top_k", "top_a", "min_p", "repetition_penalty", "maxContext", "maxResponse"} {
		if v, has := p[n]; has {
			if f, ok := v.(float64); !ok || math.IsNaN(f) {
				return fmt.Errorf("%s is %v", n, v)
			}
		}
	}
	if v, has := p["reasonEffort"]; has && !oneOf(v, -1, 0, 1, 2) {
		return fmt.Errorf("reasonEffort %v", v)
	}
	s, ok := p["promptSettings"].(obj)
	for _, n := range []string{"assistantPrefill", "postEndInnerFormat"} {
		if _, text := s[n].(string); !ok || !text {
			return fmt.Errorf("promptSettings.%s is %v", n, s[n])
		}
	}
	items, ok := p["promptTemplate"].([]any)
	if !ok {
		return fmt.Errorf("promptTemplate is %v", p["promptTemplate"])
	}
	chats := 0
	for i, v := range items {
		x, _ := v.(obj)
		bad := func(n string) error {
			b, _ := json.Marshal(v)
			return fmt.Errorf("promptTemplate[%d]: %s: %s", i, n, b)
		}
		_, text := x["text"].(string)
		switch x["type"] {
		case "plain", "jailbreak", "cot":
			if !text || !slices.Contains([]any{"user", "bot", "system"}, x["role"]) || !slices.Contains([]any{"normal", "globalNote", "main"}, x["type2"]) {
				return bad("text, role or type2")
			}
		case "chatML":
			if !text {
				return bad("text")
			}
		case "chat":
			chats++
			_, from := x["rangeStart"].(float64)
			_, to := x["rangeEnd"].(float64)
			if !from || !to && x["rangeEnd"] != "end" {
				return bad("range")
			}
		case "cache":
			if _, ok := x["depth"].(float64); !ok || !slices.Contains([]any{"user", "assistant", "system", "all"}, x["role"]) {
				return bad("depth or role")
			}
		case "persona", "description", "lorebook", "authornote", "memory", "postEverything":
		default:
			return bad("type")
		}
	}
	if chats == 0 {
		return fmt.Errorf("no chat is sent")
	}
	for i, v := range list(p["regex"]) {
		r, _ := v.(obj)
		for _, n := range []string{"comment", "in", "out", "type"} {
			if _, ok := r[n].(string); !ok {
				return fmt.Errorf("regex[%d].%s is %v", i, n, r[n])
			}
		}
	}
	return nil
}
