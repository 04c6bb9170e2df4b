package laws

import (
	"fmt"

	"bunzai/formats"
)

func init() { accepts["lumiverse-lorebook"] = lumiWorldBook }

// lumiWorldBook is Lumiverse's world book file (lumiverse.md 6.2, 6.3): its type, a version that is a number, and
// entries in the app's own names and numbers.
func lumiWorldBook(data []byte, _ formats.Container) error {
	v, err := parseObject(data)
	if err != nil {
		return err
	}
	if v["type"] != "lumiverse_world_book" || !whole(v["version"]) {
		return fmt.Errorf("type %v, version %v", v["type"], v["version"])
	}
	if _, ok := v["name"].(string); !ok {
		return fmt.Errorf("name is %T", v["name"])
	}
	return lumiBook(v, "key", "disabled")
}
