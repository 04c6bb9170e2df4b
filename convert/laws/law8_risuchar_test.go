package laws

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/jpeg"
	"io"
	"path"
	"strings"
	"testing"

	"bunzai/formats"
)

func init() { accepts["risu"] = risuCard }

// risuCard are the reading rules of risu.md, sections 1 to 3.
func risuCard(data []byte, c formats.Container) error {
	var card obj
	var err error
	held := func(uri string) (string, bool) { return "", false } // the bytes that a uri names
	switch c {
	case formats.PNG:
		if card, err = stPNG(unlocked(data), risuData); err == nil {
			held, err = risuChunks(data)
		}
	case formats.JSON:
		card, err = parseObject(data)
	case formats.CharX, formats.JPEG:
		if c == formats.JPEG {
			if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
				return fmt.Errorf("no JPEG picture: %w", err)
			}
		}
		card, held, err = risuArchive(data)
		if err == nil && card["spec"] != "chara_card_v3" {
			return fmt.Errorf("spec %v in an archive", card["spec"])
		}
	default:
		return fmt.Errorf("container %s", c)
	}
	if err != nil {
		return err
	}
	if err := risuData(card); err != nil {
		return err
	}
	mains, seen := 0, map[string]bool{}
	for i, a := range list(card["data"].(obj)["assets"]) {
		x := a.(obj)
		uri := x["uri"].(string)
		if x["type"] == "icon" && x["name"] == "main" {
			mains++
		}
		scheme, _, _ := strings.Cut(uri, ":")
		switch scheme {
		case "data":
			_, b64, _ := strings.Cut(uri, ",")
			if raw, err := base64.StdEncoding.DecodeString(b64); err != nil || len(raw) == 0 {
				return fmt.Errorf("assets[%d]: no base64 behind the comma", i)
			}
		case "ccdefault", "http", "https":
		default:
			b, ok := held(uri)
			if !ok || seen[uri] {
				return fmt.Errorf("assets[%d] names %s, which is not there or named twice: the app refuses the card", i, uri)
			}
			if len(b) == 0 || len(b) > 50<<20 {
				return fmt.Errorf("assets[%d] has %d bytes", i, len(b))
			}
			seen[uri] = true
		}
	}
	if mains > 1 {
		return fmt.Errorf("%d main icons", mains)
	}
	return nil
}

// unlocked is a PNG card with its encrypted chunk opened, as the app does before it looks at the card.
func unlocked(data []byte) []byte {
	if !bytes.Contains(data, []byte("\x00rcc||")) {
		return data
	}
	t := testing.TB(new(testing.T))
	chunks, _ := chunksOf(t, data)
	out := []byte(pngSignature)
	for _, c := range chunks {
		body := c.data
		if k, v, ok := c.text(t); ok && strings.HasPrefix(v, "rcc||") {
			body = []byte(k + "\x00" + base64.StdEncoding.EncodeToString([]byte(cardText(t, v))))
		}
		out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		body = append([]byte(c.kind), body...)
		out = binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	}
	return out
}

// risuData are the members that the reader takes without a check.
func risuData(c obj) error {
	if err := cardRules(c); err != nil {
		return err
	}
	d := c["data"].(obj)
	if b, ok := d["character_book"].(obj); ok {
		// Settings count only when all three are there.
		for i, e := range list(b["entries"]) {
			x := e.(obj)
			for _, k := range list(x["keys"]) {
				if strings.HasPrefix(k.(string), "\uf000folder:") && x["mode"] != "folder" {
					return fmt.Errorf("entries[%d] is a folder that lost its mode", i)
				}
			}
			if x["enabled"] == false && !strings.Contains(x["content"].(string), "@@dont_activate") {
				return fmt.Errorf("entries[%d] is switched off and the app would switch it on", i)
			}
		}
	}
	r, ok := d["extensions"].(obj)["risuai"].(obj)
	if !ok {
		return fmt.Errorf("no extensions.risuai, so that this card is not known again")
	}
	for k, v := range r {
		bad := false
		switch k {
		case "bias", "sdData", "customScripts", "triggerscript", "prebuiltAssetExclude":
			_, is := v.([]any)
			bad = !is
		case "viewScreen", "backgroundHTML", "additionalText", "virtualscript", "license", "defaultVariables", "prebuiltAssetStyle", "toggles":
			_, is := v.(string)
			bad = !is
		case "utilityBot", "largePortrait", "lorePlus", "inlayViewScreen", "lowLevelAccess":
			_, is := v.(bool)
			bad = !is
		case "newGenData", "vits":
			_, is := v.(obj)
			bad = !is
		}
		if bad {
			return fmt.Errorf("risuai.%s is %v", k, v)
		}
	}
	for i, s := range list(r["customScripts"]) {
		if err := risuScript(s); err != nil {
			return fmt.Errorf("customScripts[%d]: %w", i, err)
		}
	}
	return nil
}

func risuScript(v any) error {
	s, ok := v.(obj)
	if !ok {
		return fmt.Errorf("no object")
	}
	for _, m := range []string{"comment", "in", "out", "type"} {
		if _, text := s[m].(string); !text {
			return fmt.Errorf("%s is %v", m, s[m])
		}
	}
	return nil
}

// risuChunks finds the asset chunks of a PNG.
func risuChunks(data []byte) (func(uri string) (string, bool), error) {
	found := map[string]string{}
	for at := 8; at+12 <= len(data); {
		n := int(binary.BigEndian.Uint32(data[at:]))
		if string(data[at+4:at+8]) == "tEXt" {
			k, v, _ := bytes.Cut(data[at+8:at+8+n], []byte{0})
			if name, ok := strings.CutPrefix(string(k), "chara-ext-asset_:"); ok {
				raw, err := base64.StdEncoding.DecodeString(string(v))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", k, err)
				}
				found["__asset:"+name] = string(raw)
			}
		}
		at += 12 + n
	}
	return func(uri string) (string, bool) { s, ok := found[uri]; return s, ok }, nil
}

// risuArchive reads an archive as the app's scanner does: local headers with sizes, methods 0 and 8, no empty entries.
func risuArchive(data []byte) (card obj, held func(string) (string, bool), err error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	files := map[string]string{}
	for i, f := range z.File {
		if f.Method != zip.Store && f.Method != zip.Deflate || f.Flags&(1|8) != 0 {
			return nil, nil, fmt.Errorf("%s: method %d, flags %x", f.Name, f.Method, f.Flags)
		}
		if _, twice := files[f.Name]; twice || path.Clean(f.Name) != f.Name || strings.ContainsAny(f.Name, `<>:"\|?*`) {
			return nil, nil, fmt.Errorf("entry name %q", f.Name)
		}
		if f.UncompressedSize64 == 0 {
			return nil, nil, fmt.Errorf("%s is empty", f.Name)
		}
		r, err := f.Open()
		if err != nil {
			return nil, nil, err
		}
		b, err := io.ReadAll(r)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case f.Name == "card.json":
			if card, err = parseObject(b); err != nil {
				return nil, nil, err
			}
			if i != len(z.File)-1 {
				return nil, nil, fmt.Errorf("card.json is not last")
			}
		case strings.HasSuffix(f.Name, ".json"):
			return nil, nil, fmt.Errorf("%s: the app passes over .json", f.Name)
		}
		files[f.Name] = string(b)
	}
	if card == nil {
		return nil, nil, fmt.Errorf("no card.json")
	}
	return card, func(uri string) (string, bool) {
		s, ok := files[strings.TrimPrefix(uri, "embeded://")]
		return s, ok
	}, nil
}
