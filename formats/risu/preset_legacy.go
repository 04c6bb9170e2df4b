package risu

import "bunzai/jsondoc"

// legacyTexts are the texts of the old mode, with the item that each one is the same as.
var legacyTexts = []struct{ word, member, typ, type2 string }{
	{"main", "mainPrompt", "plain", "main"}, {"jailbreak", "jailbreak", "jailbreak", "normal"}, {"globalNote", "globalNote", "plain", "globalNote"},
}

// legacySlots are the other words of formatingOrder.
var legacySlots = []struct{ word, typ string }{
	{"description", "description"}, {"personaPrompt", "persona"}, {"lorebook", "lorebook"}, {"authorNote", "authornote"}, {"postEverything", "postEverything"},
	{"chats", "chat"}, {"lastChat", "chat"},
}

// legacyText is the member of a text, nil when path is none.
func legacyText(path string) *string {
	for i := range legacyTexts {
		if legacyTexts[i].member == path {
			return &legacyTexts[i].member
		}
	}
	return nil
}

// legacyItems shows the old mode as items: the texts and slots in the order of formatingOrder; without an order the texts
// alone. The role of a text goes without saying. Members names where the text of an item stands.
func legacyItems(root *jsondoc.Value) (items []*jsondoc.Value, members []string) {
	var words []string
	last := false
	if order := root.Get("formatingOrder"); order.Kind() == jsondoc.KindArray {
		for _, w := range order.Elems() {
			s, _ := w.Text()
			words = append(words, s)
			last = last || s == "lastChat"
		}
	} else {
		words = []string{"main", "jailbreak", "globalNote"}
	}
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w] {
			continue
		}
		seen[w] = true
		for _, l := range legacyTexts {
			if text, ok := root.Get(l.member).Text(); ok && l.word == w {
				item := jsondoc.Object()
				item.Set("type", jsondoc.String(l.typ))
				item.Set("text", jsondoc.String(text))
				item.Set("type2", jsondoc.String(l.type2))
				items, members = append(items, item), append(members, l.member)
			}
		}
		for _, l := range legacySlots {
			if l.word != w {
				continue
			}
			item := jsondoc.Object()
			item.Set("type", jsondoc.String(l.typ))
			switch {
			case w == "lastChat":
				item.Set("rangeStart", jsondoc.Int(-1))
				item.Set("rangeEnd", jsondoc.String("end"))
			case w == "chats" && last:
				item.Set("rangeStart", jsondoc.Int(0))
				item.Set("rangeEnd", jsondoc.Int(-1))
			case w == "chats":
				item.Set("rangeStart", jsondoc.Int(0))
				item.Set("rangeEnd", jsondoc.String("end"))
			}
			items, members = append(items, item), append(members, "")
		}
	}
	return items, members
}
