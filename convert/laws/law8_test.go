package laws

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image/png"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/formats"
)

// Law 8: the target app accepts it. The readers here are as strict as the apps, written from formats/*.md and from
// nothing of ours. App data comes as encoding/json gives it.

type obj = map[string]any

// accepts maps a codec to the rules of its app. A codec without rules fails TestLaw8, so that none is forgotten.
var accepts = map[string]func(data []byte, c formats.Container) error{
	"sillytavern":          silly,
	"sillytavern-lorebook": worldInfo,
	"lumiverse":            lumi,
	"sillytavern-regex":    stRegex,
	"lumiverse-regex":      lumiRegex,
	"risu-lorebook":        risuLore,
	"risu-regex":           risuRegex,
	"risu-module":          risuModule,
	"bunzai":               canonicalFile, "bunzai-lorebook": canonicalFile, "bunzai-regex": canonicalFile,
}

func TestLaw8(t *testing.T) {
	eachPair(t, func(t *testing.T, x written) {
		i := x.w.codec.Info()
		if i.App == x.p.Info.App {
			return // what the user has stays as it is
		}
		ok, known := accepts[i.ID]
		require.True(t, known, "no rules of the app are known for %s: write them here", i.ID)
		assert.NoError(t, ok(x.data, x.report.To.Container))
	})
}

func canonicalFile(data []byte, _ formats.Container) error {
	var v map[string]json.RawMessage // the escrow may hold numbers that Go has no place for
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if string(v["schemaVersion"]) != `"1"` || v["kind"] == nil || v["body"] == nil {
		return fmt.Errorf("no canonical file")
	}
	return nil
}

func parseObject(text []byte) (v obj, err error) {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, fmt.Errorf("a byte order mark, which JSON.parse refuses")
	}
	err = json.Unmarshal(text, &v)
	return v, err
}

// stPNG reads a PNG as SillyTavern's character-card-parser.js does: png-chunks-extract 1.0.0 checks every CRC, IHDR and
// IEND; png-chunk-text 1.0.0 throws on a NUL in any tEXt value; ccv3 before chara, first one wins.
func stPNG(data []byte, rules func(obj) error) (obj, error) {
	if !bytes.HasPrefix(data, []byte(pngSignature)) {
		return nil, fmt.Errorf("no PNG signature")
	}
	texts := map[string]string{}
	for at, n := 8, 0; ; n++ {
		if at+12 > len(data) {
			return nil, fmt.Errorf("no IEND")
		}
		l := int(binary.BigEndian.Uint32(data[at:]))
		if at+12+l > len(data) {
			return nil, fmt.Errorf("chunk %d runs past the end", n)
		}
		kind, body := string(data[at+4:at+8]), data[at+8:at+8+l]
		if crc32.ChecksumIEEE(data[at+4:at+8+l]) != binary.BigEndian.Uint32(data[at+8+l:]) {
			return nil, fmt.Errorf("chunk %s has a wrong CRC", kind)
		}
		if n == 0 && kind != "IHDR" {
			return nil, fmt.Errorf("IHDR is not first")
		}
		if kind == "tEXt" {
			k, v, ok := bytes.Cut(body, []byte{0})
			if !ok || bytes.IndexByte(v, 0) >= 0 || len(k) == 0 || len(k) > 79 {
				return nil, fmt.Errorf("a tEXt chunk that png-chunk-text refuses: %q", k)
			}
			if low := strings.ToLower(string(k)); texts[low] == "" {
				texts[low] = string(v)
			}
		}
		at += 12 + l
		if kind == "IEND" {
			break
		}
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("no picture: %w", err)
	}
	v, ok := texts["ccv3"]
	if !ok {
		v, ok = texts["chara"]
	}
	if !ok {
		return nil, fmt.Errorf("no ccv3 and no chara in a tEXt chunk")
	}
	text, err := base64.StdEncoding.DecodeString(v)
	if err != nil {
		return nil, err
	}
	// V2 readers look at chara.
	if two, ok := texts["chara"]; ok {
		t, err := base64.StdEncoding.DecodeString(two)
		if err != nil {
			return nil, err
		}
		c, err := parseObject(t)
		if err != nil {
			return nil, fmt.Errorf("chara: %w", err)
		}
		if err := rules(c); err != nil {
			return nil, fmt.Errorf("chara: %w", err)
		}
	}
	return parseObject(text)
}

var v2Members = []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt", "post_history_instructions", "alternate_greetings", "tags", "creator", "character_version", "extensions"}

// cardRules are TavernCardValidator.js for V2 and V3, and the specs' rules on types, which hold for what is new.
func cardRules(c obj) error {
	data, ok := c["data"].(obj)
	if !ok {
		return fmt.Errorf("no data")
	}
	switch c["spec"] {
	case "chara_card_v2":
		if c["spec_version"] != "2.0" {
			return fmt.Errorf("spec_version %v", c["spec_version"])
		}
	case "chara_card_v3":
		if v, err := strconv.ParseFloat(fmt.Sprint(c["spec_version"]), 64); err != nil || v < 3 || v >= 4 {
			return fmt.Errorf("spec_version %v", c["spec_version"])
		}
		if _, ok := data["group_only_greetings"].([]any); !ok {
			return fmt.Errorf("group_only_greetings must be there")
		}
	default:
		return fmt.Errorf("spec %v", c["spec"])
	}
	for _, m := range v2Members {
		switch v := data[m].(type) {
		case string:
			if m == "alternate_greetings" || m == "tags" || m == "extensions" {
				return fmt.Errorf("%s is a text", m)
			}
		case []any:
			if m != "alternate_greetings" && m != "tags" {
				return fmt.Errorf("%s is a list", m)
			}
			for _, e := range v {
				if _, ok := e.(string); !ok {
					return fmt.Errorf("%s holds %v", m, e)
				}
			}
		case obj:
			if m != "extensions" {
				return fmt.Errorf("%s is an object", m)
			}
		default:
			return fmt.Errorf("%s is missing or null", m)
		}
	}
	if b, has := data["character_book"]; has {
		if err := bookRules(b); err != nil {
			return fmt.Errorf("character_book: %w", err)
		}
	}
	for i, a := range list(data["assets"]) {
		for _, m := range []string{"type", "uri", "name", "ext"} {
			if s, ok := a.(obj)[m].(string); !ok || s == "" {
				return fmt.Errorf("assets[%d].%s is %v", i, m, a.(obj)[m])
			}
		}
	}
	return nil
}

func list(v any) []any { l, _ := v.([]any); return l }

func texts(v any) bool {
	l, ok := v.([]any)
	for _, e := range l {
		if _, text := e.(string); !text {
			return false
		}
	}
	return ok
}

func whole(v any) bool { f, ok := v.(float64); return ok && f == float64(int64(f)) }

// bookRules are the V2 and V3 rules of character_book.
func bookRules(v any) error {
	b, ok := v.(obj)
	if !ok {
		return fmt.Errorf("no object")
	}
	if _, ok := b["extensions"].(obj); !ok {
		return fmt.Errorf("extensions must be an object")
	}
	entries, ok := b["entries"].([]any)
	if !ok {
		return fmt.Errorf("entries must be a list")
	}
	ids := map[any]bool{}
	for i, x := range entries {
		e, ok := x.(obj)
		if !ok {
			return fmt.Errorf("entries[%d] is no object", i)
		}
		_, content := e["content"].(string)
		_, ext := e["extensions"].(obj)
		_, enabled := e["enabled"].(bool)
		_, order := e["insertion_order"].(float64)
		if !texts(e["keys"]) || !content || !ext || !enabled || !order {
			return fmt.Errorf("entries[%d] lacks keys, content, extensions, enabled or insertion_order: %v", i, e)
		}
		if id, has := e["id"]; has && (ids[id] || !whole(id)) {
			return fmt.Errorf("entries[%d].id %v is no whole number or not unique", i, id)
		} else if has {
			ids[id] = true
		}
		for m, v := range e {
			bad := false
			switch m {
			case "case_sensitive", "selective", "constant", "use_regex":
				_, bool := v.(bool)
				bad = !bool
			case "name", "comment":
				_, text := v.(string)
				bad = !text
			case "secondary_keys":
				bad = !texts(v)
			case "priority":
				_, num := v.(float64)
				bad = !num
			case "position":
				bad = v != "before_char" && v != "after_char"
			}
			if bad {
				return fmt.Errorf("entries[%d].%s is %v", i, m, v)
			}
		}
		x := e["extensions"].(obj)
		for m, top := range map[string]float64{"position": 7, "role": 2, "selectiveLogic": 3} {
			if v, has := x[m]; has {
				if f, num := v.(float64); !num || f < 0 || f > top || !whole(v) {
					return fmt.Errorf("entries[%d].extensions.%s is %v", i, m, v)
				}
			}
		}
	}
	return nil
}

func silly(data []byte, c formats.Container) error {
	var card obj
	var err error
	switch c {
	case formats.PNG:
		card, err = stPNG(data, cardRules)
	case formats.JSON:
		card, err = parseObject(data)
	case formats.CharX:
		card, err = stCharx(data)
	}
	if err != nil {
		return err
	}
	if err := cardRules(card); err != nil {
		return err
	}
	x := card["data"].(obj)["extensions"].(obj)
	if v, has := x["regex_scripts"]; has {
		if err := stScriptList(v); err != nil {
			return fmt.Errorf("extensions.regex_scripts: %w", err)
		}
	}
	if d, has := x["depth_prompt"]; has {
		o, ok := d.(obj)
		_, prompt := o["prompt"].(string)
		if !ok || !prompt {
			return fmt.Errorf("depth_prompt %v", d)
		}
	}
	return nil
}

// stCharx reads an archive as SillyTavern's charx.js: an entry that ends in card.json with a spec, and embedded assets
// that are there.
func stCharx(data []byte) (obj, error) {
	at := bytes.Index(data, []byte("PK\x03\x04"))
	if at < 0 {
		return nil, fmt.Errorf("no ZIP")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	var card obj
	for _, f := range z.File {
		if files[f.Name] || strings.Contains(f.Name, `\`) || strings.HasPrefix(f.Name, "/") || strings.Contains("/"+f.Name+"/", "/../") {
			return nil, fmt.Errorf("entry name %q", f.Name)
		}
		files[f.Name] = true
		if f.Method != zip.Store && f.Method != zip.Deflate || f.Flags&1 != 0 {
			return nil, fmt.Errorf("%s: method %d, flags %x", f.Name, f.Method, f.Flags)
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if card == nil && strings.HasSuffix(f.Name, "card.json") {
			if card, err = parseObject(b.Bytes()); err != nil {
				return nil, err
			}
		}
	}
	if card == nil || card["spec"] == nil {
		return nil, fmt.Errorf("no card.json with a spec")
	}
	data2, _ := card["data"].(obj)
	used := map[string]bool{}
	for i, a := range list(data2["assets"]) {
		uri, _ := a.(obj)["uri"].(string)
		p, embedded := strings.CutPrefix(uri, "embeded://")
		if !embedded {
			continue
		}
		if !files[p] || used[p] || path.Clean(p) != p {
			return nil, fmt.Errorf("assets[%d] names %s, which is not there or named twice", i, p)
		}
		used[p] = true
		if ext := strings.TrimPrefix(path.Ext(p), "."); ext == "" || ext != strings.ToLower(ext) {
			return nil, fmt.Errorf("assets[%d]: %s has no plain ending", i, p)
		}
	}
	return card, nil
}

// worldInfo are the rules of a World Info file: entries keyed by uid, every field of its type (world-info.js).
func worldInfo(data []byte, _ formats.Container) error {
	w, err := parseObject(data)
	if err != nil {
		return err
	}
	entries, ok := w["entries"].(obj)
	if !ok {
		return fmt.Errorf("entries must be an object keyed by uid")
	}
	types := map[string]string{
		"uid": "n", "key": "l", "keysecondary": "l", "comment": "s", "content": "s", "constant": "b", "vectorized": "b", "selective": "b",
		"selectiveLogic": "3", "addMemo": "b", "order": "n", "position": "7", "disable": "b", "ignoreBudget": "b", "excludeRecursion": "b",
		"preventRecursion": "b", "delayUntilRecursion": "bn", "probability": "n0", "useProbability": "b", "depth": "n", "outletName": "s",
		"role": "20", "group": "s", "groupOverride": "b", "groupWeight": "n", "scanDepth": "n0", "caseSensitive": "b0", "matchWholeWords": "b0",
		"useGroupScoring": "b0", "automationId": "s", "sticky": "n0", "cooldown": "n0", "delay": "n0", "matchPersonaDescription": "b",
		"matchCharacterDescription": "b", "matchCharacterPersonality": "b", "matchCharacterDepthPrompt": "b", "matchScenario": "b",
		"matchCreatorNotes": "b", "triggers": "l", "displayIndex": "n", "characterFilter": "o", "extensions": "o",
	}
	for key, x := range entries {
		e, ok := x.(obj)
		if !ok {
			return fmt.Errorf("entry %s is no object", key)
		}
		if !whole(e["uid"]) || fmt.Sprint(e["uid"]) != key {
			return fmt.Errorf("entry %s has uid %v", key, e["uid"])
		}
		for _, m := range []string{"key", "keysecondary", "comment", "content", "constant", "selective", "order", "position", "disable"} {
			if _, has := e[m]; !has {
				return fmt.Errorf("entry %s lacks %s", key, m)
			}
		}
		for m, v := range e {
			want, known := types[m]
			if !known {
				return fmt.Errorf("entry %s has %s, which is no field of World Info", key, m)
			}
			good := v == nil && strings.Contains(want, "0")
			switch x := v.(type) {
			case float64:
				top := map[byte]float64{'7': 7, '3': 3, '2': 2}[want[0]]
				good = strings.Contains(want, "n") || top > 0 && x >= 0 && x <= top && whole(v)
			case string:
				good = want == "s"
			case bool:
				good = strings.Contains(want, "b")
			case []any:
				good = want == "l" && texts(v)
			case obj:
				good = want == "o"
			}
			if !good {
				return fmt.Errorf("entry %s: %s is %v", key, m, v)
			}
		}
	}
	return nil
}

// lumi is the checklist of lumiverse.md 9.1 with the reading rules of 1.3 and 2.4.
func lumi(data []byte, c formats.Container) error {
	var card obj
	var err error
	switch c {
	case formats.PNG:
		card, err = stPNG(data, lumiCard) // stricter than Lumiverse, which also takes other chunks and wrong CRCs
	case formats.JSON:
		card, err = parseObject(data)
	case formats.CharX:
		if card, err = stCharx(data); err == nil {
			err = lumiArchive(data)
		}
	}
	if err != nil {
		return err
	}
	return lumiCard(card)
}

func lumiCard(card obj) error {
	if s := card["spec"]; s != "chara_card_v2" && s != "chara_card_v3" {
		return fmt.Errorf("spec %v", s)
	}
	d, ok := card["data"].(obj)
	if !ok {
		return fmt.Errorf("no data")
	}
	for _, m := range []string{"name", "description", "personality", "scenario", "first_mes", "mes_example", "creator", "creator_notes", "system_prompt", "post_history_instructions"} {
		if v, has := d[m]; has {
			if _, text := v.(string); !text {
				return fmt.Errorf("%s is %v, which the app stores as a text", m, v)
			}
		}
	}
	for _, m := range []string{"tags", "alternate_greetings"} {
		if v, has := d[m]; has && !texts(v) {
			return fmt.Errorf("%s is %v", m, v)
		}
	}
	if v, has := d["extensions"]; has {
		x, ok := v.(obj)
		if !ok {
			return fmt.Errorf("extensions is %v", v)
		}
		for _, m := range []string{"expressions", "expression_groups", "alternate_avatars", "world_book_id", "world_book_ids", "databank_ids", "avatar_crop_image_id", "original_image_id", "risu_asset_map"} {
			if _, has := x[m]; has {
				return fmt.Errorf("extensions.%s means nothing outside the account that made it", m)
			}
		}
	}
	if x, ok := d["extensions"].(obj); ok && x["regex_scripts"] != nil {
		if err := lumiScripts(x["regex_scripts"], "character"); err != nil {
			return fmt.Errorf("extensions.regex_scripts: %w", err)
		}
	}
	if b, has := d["character_book"]; has && b != nil {
		return lumiBook(b, "keys", "enabled")
	}
	return nil
}

func lumiBook(v any, keys, on string) error {
	b, ok := v.(obj)
	if !ok {
		return fmt.Errorf("a book is no object")
	}
	for i, x := range list(b["entries"]) {
		e, ok := x.(obj)
		if !ok {
			return fmt.Errorf("entries[%d] is no object", i)
		}
		if !texts(e[keys]) {
			return fmt.Errorf("entries[%d].%s is %v", i, keys, e[keys])
		}
		if _, ok := e["content"].(string); !ok {
			return fmt.Errorf("entries[%d].content is %v", i, e["content"])
		}
		if v, has := e[on]; has {
			if _, ok := v.(bool); !ok {
				return fmt.Errorf("entries[%d].%s is %v", i, on, v)
			}
		}
		if v, has := e["position"]; has {
			if f, ok := v.(float64); !ok || f < 0 || f > 8 || !whole(v) {
				return fmt.Errorf("entries[%d].position is %v", i, v)
			}
		}
		if v, has := e["role"]; has && v != nil && v != "system" && v != "user" && v != "assistant" {
			return fmt.Errorf("entries[%d].role is %v", i, v)
		}
		ext, _ := e["extensions"].(obj)
		for _, o := range []obj{e, ext} {
			if v, has := o["selective_logic"]; has {
				if f, ok := v.(float64); !ok || f < 0 || f > 3 {
					return fmt.Errorf("entries[%d].selective_logic is %v", i, v)
				}
			}
			for m := range o {
				switch m {
				case "selectiveLogic", "useProbability", "caseSensitive", "matchWholeWords", "scanDepth", "groupWeight", "groupOverride", "preventRecursion", "excludeRecursion", "delayUntilRecursion", "automationId":
					return fmt.Errorf("entries[%d] has %s: Lumiverse's own flags are in snake case, and this one would be read in their place", i, m)
				}
			}
		}
	}
	return nil
}

func lumiArchive(data []byte) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	files := map[string]*zip.File{}
	first := ""
	for _, f := range z.File {
		files[f.Name] = f
		if _, image := images[strings.TrimPrefix(path.Ext(f.Name), ".")]; image && first == "" {
			first = f.Name
		}
	}
	if files["card.json"] == nil {
		return fmt.Errorf("card.json must be at the root")
	}
	for n := range files {
		if strings.HasPrefix(n, "assets/icon/image/main.") && first != n {
			return fmt.Errorf("%s must stand before every other picture, and %s does", n, first)
		}
	}
	m := files["lumiverse_modules.json"]
	if m == nil {
		return nil
	}
	r, err := m.Open()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		return err
	}
	mod, err := parseObject(b.Bytes())
	if err != nil {
		return err
	}
	if _, ok := mod["version"].(float64); !ok {
		return fmt.Errorf("modules: version must be a number")
	}
	seen := map[string]bool{}
	check := func(v any) error {
		p, _ := v.(string)
		if _, image := images[strings.TrimPrefix(path.Ext(p), ".")]; files[p] == nil || seen[p] || !image {
			return fmt.Errorf("modules: the path %v is not there, not unique, or no picture", v)
		}
		seen[p] = true
		return nil
	}
	if x, ok := mod["expressions"].(obj); ok {
		for _, p := range x["mappings"].(obj) {
			if err := check(p); err != nil {
				return err
			}
		}
	}
	if x, ok := mod["expression_groups"].(obj); ok {
		for _, g := range x["groups"].(obj) {
			for _, p := range g.(obj) {
				if err := check(p); err != nil {
					return err
				}
			}
		}
	}
	for _, a := range list(mod["alternate_avatars"]) {
		if err := check(a.(obj)["path"]); err != nil {
			return err
		}
	}
	if v, has := mod["regex_scripts"]; has {
		if err := lumiScripts(v, "character"); err != nil {
			return fmt.Errorf("modules: regex_scripts: %w", err)
		}
	}
	for i, w := range list(mod["world_books"]) {
		o, _ := w.(obj)
		if o["type"] != "lumiverse_world_book" {
			return fmt.Errorf("modules: world_books[%d] is %v", i, o["type"])
		}
		if err := lumiBook(o, "key", "disabled"); err != nil {
			return fmt.Errorf("modules: world_books[%d]: %w", i, err)
		}
	}
	return nil
}

var images = map[string]bool{"png": true, "jpg": true, "jpeg": true, "gif": true, "webp": true, "avif": true, "bmp": true, "svg": true}

// stRegex reads a file as SillyTavern's regex import: a script or a list of them.
func stRegex(data []byte, _ formats.Container) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if o, ok := v.(obj); ok {
		v = []any{o}
	}
	return stScriptList(v)
}

// stScriptList are the types of a script that the engine relies on; it throws where placement is missing.
func stScriptList(v any) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("scripts are no list: %v", v)
	}
	ids := map[any]bool{}
	for i, x := range list {
		s, ok := x.(obj)
		if !ok {
			return fmt.Errorf("script %d is no object", i)
		}
		if n, _ := s["scriptName"].(string); strings.TrimSpace(n) == "" {
			return fmt.Errorf("script %d has no name", i)
		}
		for _, m := range []string{"id", "findRegex", "replaceString"} {
			if _, ok := s[m].(string); !ok {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
		if ids[s["id"]] || s["id"] == "" {
			return fmt.Errorf("script %d: id %v is empty or stands twice", i, s["id"])
		}
		ids[s["id"]] = true
		places, ok := s["placement"].([]any)
		for _, p := range places {
			if f, _ := p.(float64); f != 1 && f != 2 && f != 3 && f != 5 && f != 6 {
				return fmt.Errorf("script %d: placement %v", i, p)
			}
		}
		if !ok || !texts(s["trimStrings"]) {
			return fmt.Errorf("script %d: placement and trimStrings must be lists", i)
		}
		for _, m := range []string{"disabled", "markdownOnly", "promptOnly", "runOnEdit"} {
			if _, ok := s[m].(bool); !ok {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
		if f, ok := s["substituteRegex"].(float64); !ok || f < 0 || f > 2 || !whole(f) {
			return fmt.Errorf("script %d: substituteRegex is %v", i, s["substituteRegex"])
		}
		for _, m := range []string{"minDepth", "maxDepth"} {
			if _, ok := s[m].(float64); !ok && s[m] != nil {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
	}
	return nil
}

// lumiRegex reads a file as Lumiverse's regex import, and asks for the envelope that the app writes.
func lumiRegex(data []byte, _ formats.Container) error {
	v, err := parseObject(data)
	if err != nil {
		return err
	}
	if _, ok := v["version"].(float64); !ok || v["type"] != "lumiverse_regex_scripts" {
		return fmt.Errorf("version %v, type %v", v["version"], v["type"])
	}
	if _, ok := v["exported_at"].(float64); !ok {
		return fmt.Errorf("exported_at %v", v["exported_at"])
	}
	return lumiScripts(v["scripts"], "global")
}

// lumiScripts are the rules of regex-scripts.service.ts for scripts in the app's own shape.
func lumiScripts(v any, scope string) error {
	list, ok := v.([]any)
	if !ok {
		return fmt.Errorf("scripts are no list: %v", v)
	}
	oneOf := func(v any, words string) bool {
		l, ok := v.([]any)
		for _, e := range l {
			s, _ := e.(string)
			ok = ok && s != "" && strings.Contains(" "+words+" ", " "+s+" ")
		}
		return ok
	}
	ids := map[any]bool{}
	last := -1.0
	for i, x := range list {
		s, ok := x.(obj)
		if !ok {
			return fmt.Errorf("script %d is no object", i)
		}
		for _, m := range []string{"name", "find_regex", "replace_string", "flags", "description", "substitute_macros"} {
			if _, ok := s[m].(string); !ok {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
		if strings.TrimSpace(s["name"].(string)) == "" {
			return fmt.Errorf("script %d has no name", i)
		}
		seen := map[rune]bool{}
		for _, f := range s["flags"].(string) {
			if seen[f] || !strings.ContainsRune("dgimsuvy", f) {
				return fmt.Errorf("script %d: flags %v", i, s["flags"])
			}
			seen[f] = true
		}
		if !oneOf(s["placement"], "user_input ai_output world_info reasoning memory") {
			return fmt.Errorf("script %d: placement %v", i, s["placement"])
		}
		if t, _ := s["target"].([]any); len(t) == 0 || !oneOf(s["target"], "prompt response display") {
			return fmt.Errorf("script %d: target %v", i, s["target"])
		}
		if s["scope"] != scope || s["scope_id"] != nil {
			return fmt.Errorf("script %d: scope %v %v", i, s["scope"], s["scope_id"])
		}
		for _, m := range []string{"pack_id", "preset_id", "character_id", "user_id"} {
			if s[m] != nil {
				return fmt.Errorf("script %d: %s is %v, of another library", i, m, s[m])
			}
		}
		if m := s["substitute_macros"]; m != "none" && m != "raw" && m != "escaped" && m != "after" {
			return fmt.Errorf("script %d: substitute_macros %v", i, m)
		}
		for _, m := range []string{"min_depth", "max_depth"} {
			if f, ok := s[m].(float64); s[m] != nil && (!ok || f < 0 || !whole(f)) {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
		for _, m := range []string{"run_on_edit", "disabled"} {
			if _, ok := s[m].(bool); !ok {
				return fmt.Errorf("script %d: %s is %v", i, m, s[m])
			}
		}
		if f, ok := s["sort_order"].(float64); ok {
			if f <= last && f >= 0 { // the app sorts by them; numbers below 0 come from an app that has an order of its own
				return fmt.Errorf("script %d: sort_order %v does not follow %v", i, f, last)
			}
			last = f
		}
		if _, ok := s["metadata"].(obj); !ok || !texts(s["trim_strings"]) {
			return fmt.Errorf("script %d: metadata or trim_strings", i)
		}
		if id := s["script_id"]; id != nil && id != "" {
			if ids[id] {
				return fmt.Errorf("script %d: script_id %v stands twice", i, id)
			}
			ids[id] = true
		}
	}
	return nil
}
