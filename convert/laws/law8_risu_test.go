package laws

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bunzai/formats"
	"bunzai/formats/risu/rpack"
)

// risuRows are the rows of the app's export of that type. The importers take the rows as they are, so that what the app
// then does with them is asked: it splits keys, reads contents, and compiles flags.
func risuRows(data []byte, kind string) ([]obj, error) {
	v, err := parseObject(data)
	if err != nil {
		return nil, err
	}
	if v["type"] != kind {
		return nil, fmt.Errorf("type %v", v["type"])
	}
	rows, ok := v["data"].([]any)
	if !ok {
		return nil, fmt.Errorf("data is %T and no list", v["data"])
	}
	var out []obj
	for i, r := range rows {
		o, ok := r.(obj)
		if !ok {
			return nil, fmt.Errorf("row %d is no object", i)
		}
		out = append(out, o)
	}
	return out, nil
}

// risuLore follows importLoreBook and loadLoreBookV3Prompt (lorebook.svelte.ts).
func risuLore(data []byte, _ formats.Container) error {
	rows, err := risuRows(data, "risu")
	if err != nil {
		return err
	}
	return risuEntries(rows)
}

func risuEntries(rows []obj) error {
	folders := map[string]bool{}
	for _, r := range rows {
		if r["mode"] == "folder" {
			folders[fmt.Sprint(r["key"])] = true
		}
	}
	for i, r := range rows {
		for _, m := range []string{"key", "comment", "content", "secondkey", "mode"} {
			if _, ok := r[m].(string); !ok {
				return fmt.Errorf("row %d: %s is %v", i, m, r[m])
			}
		}
		for _, m := range []string{"alwaysActive", "selective"} {
			if _, ok := r[m].(bool); !ok {
				return fmt.Errorf("row %d: %s is %v", i, m, r[m])
			}
		}
		if _, ok := r["insertorder"].(float64); !ok {
			return fmt.Errorf("row %d: insertorder is %v", i, r["insertorder"])
		}
		if f, ok := r["folder"]; ok && !folders[fmt.Sprint(f)] {
			return fmt.Errorf("row %d: folder %v is not there", i, f)
		}
		if r["mode"] == "folder" {
			if !strings.HasPrefix(r["key"].(string), "\uf000folder:") {
				return fmt.Errorf("row %d: a folder with the key %v", i, r["key"])
			}
			continue
		}
		if r["useRegex"] == true {
			for _, k := range []string{"key", "secondkey"} {
				for _, part := range strings.Split(r[k].(string), ",") {
					// A comma inside a pattern is the one thing that cannot be written; the report tells of it.
					if part = strings.TrimSpace(part); part != "" && !strings.Contains(r[k].(string), ",") && !regexp.MustCompile(`^/[\s\S]*/[dgimsuvy]*$`).MatchString(part) {
						return fmt.Errorf("row %d: %q is no pattern", i, part)
					}
				}
			}
		}
	}
	return nil
}

// risuRegex follows importRegex and processScriptFull (scripts.ts).
func risuRegex(data []byte, _ formats.Container) error {
	rows, err := risuRows(data, "regex")
	if err != nil {
		return err
	}
	return risuScripts(rows)
}

func risuScripts(rows []obj) error {
	for i, r := range rows {
		for _, m := range []string{"comment", "in", "out", "type"} {
			if _, ok := r[m].(string); !ok {
				return fmt.Errorf("script %d: %s is %v", i, m, r[m])
			}
		}
		if t := r["type"].(string); !slices.Contains([]string{"editinput", "editoutput", "editprocess", "editdisplay", "edittrans", "disabled"}, t) {
			return fmt.Errorf("script %d: type %s", i, t)
		}
		if on, ok := r["ableFlag"].(bool); r["ableFlag"] != nil && !ok {
			return fmt.Errorf("script %d: ableFlag %v", i, r["ableFlag"])
		} else if on {
			f, ok := r["flag"].(string)
			if !ok {
				return fmt.Errorf("script %d: flag %v", i, r["flag"])
			}
			letters := regexp.MustCompile(`<(.+?)>`).ReplaceAllString(f, "")
			if strings.Trim(letters, "dgimsuvy") != "" || strings.Contains(letters, "u") && strings.Contains(letters, "v") {
				return fmt.Errorf("script %d: flags %q", i, f)
			}
		}
	}
	return nil
}

// risuModule follows readModule (modules.ts).
func risuModule(data []byte, _ formats.Container) error {
	if len(data) < 7 || data[0] != 111 || data[1] != 0 {
		return fmt.Errorf("no magic of a module")
	}
	n := 6 + int(binary.LittleEndian.Uint32(data[2:]))
	v, err := parseObject(rpack.Decode(data[6:n]))
	if err != nil {
		return err
	}
	m, ok := v["module"].(obj)
	if v["type"] != "risuModule" || !ok {
		return fmt.Errorf("type %v", v["type"])
	}
	for _, k := range []string{"name", "description", "id"} {
		if _, ok := m[k].(string); !ok {
			return fmt.Errorf("%s is %v", k, m[k])
		}
	}
	assets, blocks := list(m["assets"]), 0
	for {
		if n >= len(data) {
			return fmt.Errorf("no end mark")
		}
		if data[n] == 0 {
			break
		}
		if data[n] != 1 || blocks >= len(assets) {
			return fmt.Errorf("mark %d of block %d of %d assets", data[n], blocks, len(assets))
		}
		n += 5 + int(binary.LittleEndian.Uint32(data[n+1:]))
		blocks++
	}
	if blocks < len(assets) {
		return fmt.Errorf("%d blocks for %d assets", blocks, len(assets))
	}
	for i, a := range assets {
		if row := list(a); len(row) != 3 || !texts(a) {
			return fmt.Errorf("asset %d is %v", i, a)
		}
	}
	rows := func(k string) (out []obj) {
		for _, r := range list(m[k]) {
			out = append(out, r.(obj))
		}
		return out
	}
	if err := risuEntries(rows("lorebook")); err != nil {
		return err
	}
	return risuScripts(rows("regex"))
}
