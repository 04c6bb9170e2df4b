package samples

import (
	"bytes"
	"compress/gzip"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

func risuPresets() []Sample {
	var out []Sample
	add := func(name string, b []byte) { out = append(out, Sample{Name: name, Kind: Preset, Data: b}) }
	add("preset-risu.json", []byte(plainOnly(risuPreset)))
	add("preset-risu-old.json", []byte(risuPresetOld))
	add("preset-risu-parked.json", []byte(risuPresetParked))
	add("preset.risup", []byte(RPack(string(RisuPreset(MsgPack(risuPreset), false)))))
	add("preset-old-mode.risup", []byte(RPack(string(RisuPreset(MsgPack(risuPresetOld), false)))))
	add("preset.risupreset", RisuPreset(MsgPack(risuPreset), false))
	add("preset-version-0.risupreset", RisuPreset(MsgPack(risuPresetOld), true))
	return out
}

// risuPreset has every sort of item, leftovers of other sorts in some, misspelt names, secrets, and what only
// MessagePack can say: see MsgPack.
const risuPreset = `{
  "name": "Harbour",
  "apiType": "zq-api",
  "openAIKey": "zq-key",
  "koboldURL": "https://zq-kobold.example",
  "temperature": 85,
  "frequencyPenalty": -1000,
  "PresensePenalty": 5.5,
  "maxContext": 32000,
  "maxResponse": 900,
  "top_p": 0.95,
  "top_k": "!f32 40",
  "min_p": -1000,
  "repetition_penalty": "!f64 1",
  "mainPrompt": "zq-unused main",
  "jailbreak": "",
  "globalNote": "",
  "formatingOrder": ["main", "chats"],
  "forceReplaceUrl": "",
  "customFlags": [8, 22, 300, 70000, -5, -200, -40000, -3000000000, 5000000000],
  "bias": [["zq-word", -101]],
  "reasonEffort": 2,
  "thinkingTokens": "!undefined",
  "verbosity": null,
  "proxyRequestModel": "!undefined",
  "zq_bytes": "!bin 00ff80",
  "zq_ext": "!ext 5 0102030405",
  "zq_nan": "!nan",
  "zq_long": "!str16 zq-short text in a long frame",
  "promptSettings": {"assistantPrefill": "Right:", "postEndInnerFormat": "zq-end", "sendChatAsSystem": false, "sendName": false, "utilOverride": false, "maxThoughtTagDepth": -1},
  "promptTemplate": [
    {"type": "plain", "type2": "main", "text": "Write {{char}}'s next line.", "role": "system", "name": "Opening"},
    {"type": "persona", "innerFormat": "zq-<user>{{slot}}</user>"},
    {"type": "description"},
    {"type": "lorebook", "text": "zq-left over", "role": "system", "type2": "normal"},
    {"type": "plain", "type2": "normal", "text": "Two lines.\nNo more.", "role": "user", "zq_item": "zq-item"},
    {"type": "cot", "type2": "normal", "text": "Think first.", "role": "system"},
    {"type": "chat", "rangeStart": 0, "rangeEnd": -4, "chatAsOriginalOnSystem": true},
    {"type": "memory"},
    {"type": "cache", "name": "point", "depth": 2, "role": "all"},
    {"type": "jailbreak", "type2": "normal", "text": "The switch is on.", "role": "system", "name": "Switch"},
    {"type": "chat", "rangeStart": -4, "rangeEnd": "end"},
    {"type": "authornote", "defaultText": "zq-default"},
    {"type": "chatML", "text": "<|im_start|>system\nIn markup.<|im_end|>"},
    {"type": "plain", "type2": "globalNote", "text": "Stay in character.", "role": "bot"},
    {"type": "postEverything"}
  ],
  "customPromptTemplateToggle": "zq-toggle=Loud",
  "regex": [],
  "zq_root": {"b": 1, "a": [1, 0.5, true, null, {}]}
}`

// risuPresetOld is one of the old mode, which has texts and an order; KF-109's null among it.
const risuPresetOld = `{
  "name": "Before templates",
  "temperature": 70,
  "PresensePenalty": 70,
  "mainPrompt": "Play {{char}}.",
  "jailbreak": "Anything goes.",
  "globalNote": "",
  "formatingOrder": ["main", "description", "personaPrompt", "chats", "lastChat", "jailbreak", "lorebook", "globalNote", "authorNote"],
  "promptTemplate": null
}`

// risuPresetParked was written from another app's preset: names, switches and settings that Risu does not have.
const risuPresetParked = `{
  "name": "Guest",
  "promptTemplate": [
    {"type": "plain", "text": "One.", "role": "system", "type2": "main", "bunzai": {"id": "main"}},
    {"type": "plain", "text": "Two.", "role": "system", "type2": "normal", "bunzai": {"id": "x", "placement": "in_chat", "injectionDepth": 0, "groupId": "g", "role": "tool"}},
    {"type": "chat", "rangeStart": 0, "rangeEnd": "end"}
  ],
  "reasonEffort": 1,
  "bunzai": {
    "groups": [{"id": "g", "name": "Heading"}],
    "apiOptions": {"streamResponses": false, "reasoningEffort": "auto"},
    "prompts": [
      {"at": 1, "item": {"type": "plain", "text": "Off.", "role": "bot", "type2": "normal", "bunzai": {"id": "off"}}},
      {"at": 3, "item": {"name": "Scenario", "bunzai": {"markerSlot": "scenario", "enabled": true}}}
    ]
  }
}`

// plainOnly takes the notation of MsgPack out.
func plainOnly(s string) string {
	for _, r := range []struct{ note, plain string }{
		{`"!f32 40"`, "40"}, {`"!f64 1"`, "1"}, {`"!undefined"`, "null"}, {`"!bin 00ff80"`, `"zq-bytes"`}, {`"!ext 5 0102030405"`, `"zq-ext"`}, {`"!nan"`, "null"}, {"!str16 ", ""},
	} {
		s = strings.ReplaceAll(s, r.note, r.plain)
	}
	return s
}

// MsgPack turns JSON into MessagePack as msgpackr writes it. A text that starts with ! is notation: !undefined, !nan,
// !f32 N, !f64 N, !bin HEX, !ext TYPE HEX, !str16 TEXT (in a frame that is wider than it needs).
func MsgPack(s string) []byte {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	return msgValue(d)
}

func msgValue(d *json.Decoder) []byte {
	t, err := d.Token()
	must(err)
	switch x := t.(type) {
	case nil:
		return []byte{0xc0}
	case bool:
		if x {
			return []byte{0xc3}
		}
		return []byte{0xc2}
	case json.Number:
		return msgNumber(x.String())
	case string:
		return msgText(x)
	case json.Delim:
		var body []byte
		n := 0
		for d.More() {
			body = append(body, msgValue(d)...)
			n++
		}
		_, err := d.Token()
		must(err)
		switch {
		case x == '{':
			return append(binary.BigEndian.AppendUint16([]byte{0xde}, uint16(n/2)), body...)
		case n < 16:
			return append([]byte{0x90 | byte(n)}, body...)
		}
		return append(binary.BigEndian.AppendUint16([]byte{0xdc}, uint16(n)), body...)
	}
	panic("no JSON")
}

func msgNumber(s string) []byte {
	f, err := strconv.ParseFloat(s, 64)
	must(err)
	b := func(head byte, n int) []byte {
		out := binary.BigEndian.AppendUint64(nil, uint64(int64(f)))
		return append([]byte{head}, out[8-n:]...)
	}
	switch {
	case f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxUint32:
		return binary.BigEndian.AppendUint64([]byte{0xcb}, math.Float64bits(f))
	case f >= -32 && f < 128:
		return b(0, 1)[1:]
	case f >= 0 && f < 1<<8:
		return b(0xcc, 1)
	case f >= 0 && f < 1<<16:
		return b(0xcd, 2)
	case f >= 0:
		return b(0xce, 4)
	case f >= -1<<7:
		return b(0xd0, 1)
	case f >= -1<<15:
		return b(0xd1, 2)
	}
	return b(0xd2, 4)
}

func msgText(s string) []byte {
	word, rest, _ := strings.Cut(s, " ")
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		must(err)
		return b
	}
	num := func(bits int) float64 {
		f, err := strconv.ParseFloat(rest, bits)
		must(err)
		return f
	}
	switch word {
	case "!undefined":
		return []byte{0xd4, 0, 0}
	case "!nan":
		return []byte("\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00")
	case "!f32":
		return binary.BigEndian.AppendUint32([]byte{0xca}, math.Float32bits(float32(num(32))))
	case "!f64":
		return binary.BigEndian.AppendUint64([]byte{0xcb}, math.Float64bits(num(64)))
	case "!bin":
		b := unhex(rest)
		return append([]byte{0xc4, byte(len(b))}, b...)
	case "!ext":
		typ, data, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(typ)
		must(err)
		b := unhex(data)
		return append([]byte{0xc7, byte(len(b)), byte(n)}, b...)
	case "!str16":
		return append(binary.BigEndian.AppendUint16([]byte{0xda}, uint16(len(rest))), rest...)
	}
	switch n := len(s); {
	case n < 32:
		return append([]byte{0xa0 | byte(n)}, s...)
	case n < 256:
		return append([]byte{0xd9, byte(n)}, s...)
	}
	return append(binary.BigEndian.AppendUint16([]byte{0xda}, uint16(len(s))), s...)
}

// RisuGCM is AES-256-GCM with the SHA-256 of a word as its key and a nonce of zeros, as Risu has it.
func RisuGCM(word string) (seal func(plain []byte) []byte, open func(sealed []byte) ([]byte, error)) {
	key := sha256.Sum256([]byte(word))
	b, err := aes.NewCipher(key[:])
	must(err)
	g, err := cipher.NewGCM(b)
	must(err)
	nonce := make([]byte, 12)
	return func(plain []byte) []byte { return g.Seal(nil, nonce, plain, nil) },
		func(sealed []byte) ([]byte, error) { return g.Open(nil, nonce, sealed, nil) }
}

// RisuPreset is a .risupreset around MessagePack data; old is presetVersion 0.
func RisuPreset(plain []byte, old bool) []byte {
	seal, _ := RisuGCM("risupreset")
	sealed := seal(plain)
	head := "\xde\x00\x03\xadpresetVersion\x02\xa4type\xa6preset\xa6preset\xc5"
	if old {
		head = "\xde\x00\x03\xadpresetVersion\x00\xa4type\xa6preset\xa4pres\xc5"
	}
	outer := append(binary.BigEndian.AppendUint16([]byte(head), uint16(len(sealed))), sealed...)
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, 1) // not the level that our writer takes: a repacked preset shows
	must(err)
	_, err = z.Write(outer)
	must(err)
	must(z.Close())
	return b.Bytes()
}
