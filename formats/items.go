package formats

import (
	"strings"

	"bunzai/jsondoc"
	"bunzai/limits"
)

// itemLists are the lists of things that codecs read piece by piece. Each piece costs some kilobytes of memory however
// small it is in the file, so their number is bounded before any of them is read.
var itemLists = func() (out [][]string) {
	for _, p := range []string{
		"entries", "data", "data.entries", "data.character_book.entries", "data.extensions.character_book.entries",
		"character_book.entries", "extensions.character_book.entries", "data.assets", "assets",
		"data.extensions.regex_scripts", "extensions.regex_scripts", "scripts", "prompts", "blocks", "preset.blocks",
		"qrList", "quickReplySlots", "personas", "persona_descriptions", "related",
		"module.lorebook", "module.regex", "module.trigger", "module.assets", "lorebook", "regex", "trigger", "promptTemplate", "formatingOrder", "bunzai.prompts",
	} {
		out = append(out, strings.Split(p, "."))
	}
	return out
}()

// CheckItems refuses a document with a list of more than Limits.Items.
func CheckItems(d *jsondoc.Doc, lim limits.Limits) error {
	over := func(v *jsondoc.Value, where string) error {
		if k := v.Kind(); (k == jsondoc.KindArray || k == jsondoc.KindObject) && int64(v.Len()) > lim.Items {
			return lim.Over(where, "Items", int64(v.Len()))
		}
		return nil
	}
	if d.Root.Kind() == jsondoc.KindArray {
		return over(d.Root, "")
	}
	for _, p := range itemLists {
		if err := over(d.Root.At(p...), strings.Join(p, ".")); err != nil {
			return err
		}
	}
	return nil
}

// ParseBounded is jsondoc.Parse with the bound on lists of things.
func ParseBounded(b []byte, lim limits.Limits) (*jsondoc.Doc, error) {
	d, err := jsondoc.Parse(b, lim)
	if err == nil {
		err = CheckItems(d, lim)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}
