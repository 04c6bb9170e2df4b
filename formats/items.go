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

// MostMerged is how many books or sets one list may be recorded to hold; a longer record is not followed, since each
// piece costs memory however few elements are its own.
const MostMerged = 1000

// keyed are the lists among them whose elements have lists of keys, or a text of keys between commas.
var keyed = func() (out [][]string) {
	for _, p := range itemLists {
		switch p[len(p)-1] {
		case "entries", "data", "lorebook":
			out = append(out, p)
		}
	}
	return out
}()

var keyNames = []string{"key", "keys", "keysecondary", "secondary_keys", "secondkey", "keywords"}

func tooManyKeys(list *jsondoc.Value, where string, lim limits.Limits) error {
	check := func(e *jsondoc.Value) error {
		for _, name := range keyNames {
			n := int64(0)
			switch v := e.Get(name); v.Kind() {
			case jsondoc.KindArray:
				n = int64(v.Len())
			case jsondoc.KindString:
				if int64(len(v.Raw())) > lim.Items {
					s, _ := v.Text()
					n = 1 + int64(strings.Count(s, ","))
				}
			}
			if n > lim.Items {
				return lim.Over(strings.TrimPrefix(where+"[]."+name, "[]."), "Items", n)
			}
		}
		return nil
	}
	switch list.Kind() {
	case jsondoc.KindArray:
		for _, e := range list.Elems() {
			if err := check(e); err != nil {
				return err
			}
		}
	case jsondoc.KindObject:
		for _, e := range list.Members() {
			if err := check(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckItems refuses a document with a list of more than Limits.Items, the keys of a lorebook entry among them.
func CheckItems(d *jsondoc.Doc, lim limits.Limits) error {
	over := func(v *jsondoc.Value, where string) error {
		if k := v.Kind(); (k == jsondoc.KindArray || k == jsondoc.KindObject) && int64(v.Len()) > lim.Items {
			return lim.Over(where, "Items", int64(v.Len()))
		}
		return nil
	}
	if d.Root.Kind() == jsondoc.KindArray {
		if err := over(d.Root, ""); err != nil {
			return err
		}
		return tooManyKeys(d.Root, "", lim)
	}
	for _, p := range itemLists {
		if err := over(d.Root.At(p...), strings.Join(p, ".")); err != nil {
			return err
		}
	}
	for _, p := range keyed {
		if err := tooManyKeys(d.Root.At(p...), strings.Join(p, "."), lim); err != nil {
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
