// Package samples makes the test inputs that the repository owns: cards and lorebooks in every envelope, spelling and
// container that the laws have to hold for. It uses the standard library only, so that a fault in our own readers and
// writers cannot hide in the inputs. Nothing here is copied from anywhere, and nothing depends on clock or chance.
//
// Every text "zq-..." stands in a place that no canonical field has: another app's file must not hold it.
package samples

import "strings"

// Kinds of a sample.
const (
	Character = "character"
	Lorebook  = "lorebook"

	Persona    = "persona"
	QuickReply = "quickreply"
	Regex      = "regex"
	Preset     = "preset"
)

// Sample is one input file.
type Sample struct {
	Name string // file name
	Kind string
	Data []byte
	// Foreign says that the app whose codec reads it cannot read it itself, so that it writes another file
	// (corrections.md, 2).
	Foreign bool
}

// All returns every sample, always the same and in the same order.
func All() []Sample {
	var out []Sample
	add := func(kind, name string, data []byte) { out = append(out, Sample{Name: name, Kind: kind, Data: data}) }
	text := func(kind, name, s string) { add(kind, name, []byte(s)) }

	text(Character, "v1.json", v1)
	text(Character, "v1-compact.json", compact(v1))
	text(Character, "flat-tabs.json", indented(flat, "\t"))
	text(Character, "v2.json", v2)
	text(Character, "v2-compact.json", compact(v2))
	text(Character, "v2-mirrors.json", indented(mirrors, "    "))
	text(Character, "v2-partial.json", partial)
	text(Character, "v2-odd-types.json", oddTypes)
	text(Character, "v3.json", v3)
	text(Character, "v3-crlf.json", strings.ReplaceAll(v3, "\n", "\r\n"))
	text(Character, "v3-bom-tabs.json", "\xef\xbb\xbf"+indented(v3, "\t")+"\n")
	text(Character, "v3-odd-text.json", oddText)
	text(Character, "v3-pictures.json", v3Pictures())
	text(Character, "v3-odd-assets.json", oddAssets())
	text(Character, "v3-merged-books.json", mergedBooks)
	text(Character, "v2-book-slots.json", bookSlots)

	add(Character, "chara-only.png", PNG(Text("Software", "an editor"), Card("chara", compact(v2))))
	add(Character, "ccv3-only.png", PNG(Card("ccv3", v3)))
	add(Character, "both-same.png", PNG(Card("chara", compact(v3)), Card("ccv3", compact(v3))))
	add(Character, "both-different.png", PNG(Card("chara", compact(v2)), Card("ccv3", v3)))
	add(Character, "v1.png", PNG(Card("chara", v1)))
	add(Character, "ztxt.png", PNG(ZText("chara", base64Of(v2)), ZText("note", "a compressed note")))
	add(Character, "itxt.png", PNG(IText("ccv3", base64Of(v3), true), IText("Title", "ein Bild", false)))
	add(Character, "before-and-after.png", Picture(
		[]Chunk{Text("Author", "someone"), {"pHYs", []byte{0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1}}, Card("chara", compact(mirrors))},
		[]Chunk{Text("Comment", "behind the picture"), {"prVt", []byte("a private chunk")}}, nil))
	add(Character, "animated.png", Picture([]Chunk{{"acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}}, frame(0)}, []Chunk{frame(1), fdat(2), Card("ccv3", compact(v3))}, nil))
	add(Character, "asset-chunks.png", PNG(Card("ccv3", assetCard()), Text("chara-ext-asset_:0", base64Of(string(Dot(3)))), Text("chara-ext-asset_1", base64Of(string(Dot(4)))), Text("chara-ext-asset_:9", base64Of("zq-unlinked asset chunk"))))
	add(Character, "bytes-behind.png", append(PNG(Card("chara", compact(v2))), "bytes behind the end"...))

	add(Character, "full.charx", Archive(nil, charxEntries("embeded://")...))
	add(Character, "descriptors.charx", Archive(nil, streamed(charxEntries("embeded://"))...))
	add(Character, "behind-a-jpeg.charx", Archive(JPEG(), charxEntries("embedded://")...))
	add(Character, "card-last.charx", Archive(nil, cardLast(charxEntries("embeded://"))...))

	text(Character, "card.yaml", yamlCard)
	text(Character, "card-crlf.yaml", "\xef\xbb\xbf"+strings.ReplaceAll(yamlCard, "\n", "\r\n"))

	text(Character, "lumi-book.json", lumiCard)
	text(Character, "lumi-hub.json", lumiHub)
	add(Character, "lumi.png", PNG(Card("ccv3", lumiHub)))
	add(Character, "lumi.charx", Archive(nil, lumiEntries(lumiOneBook(), lumiOneWorld())...))
	add(Character, "lumi-two-books.charx", Archive(nil, lumiEntries(lumiCard, lumiModules)...))

	text(Character, "v2-regex.json", stRegexCard)
	text(Character, "v3-regex-sets.json", stTwoSets)
	add(Character, "regex.png", PNG(Card("chara", stRegexCard), Card("ccv3", strings.NewReplacer("card_v2", "card_v3", `"2.0"`, `"3.0"`).Replace(stRegexCard))))
	text(Character, "lumi-regex-card.json", lumiRegexCard)

	text(Character, "risu.json", RisuJSON())
	add(Character, "risu.png", risuPNG())
	add(Character, "risu-v2.png", risuV2())
	add(Character, "risu-locked.png", PNG(Text("chara-ext-asset_:1", base64Of(string(Dot(51)))), Text("chara", Locked(lockedCard, ""))))
	add(Character, "risu.charx", Archive(nil, risuEntries()...))
	text(Character, "risu-note.json", risuNoted())
	add(Character, "risu-note.charx", Archive(nil, noteEntries()...))
	add(Character, "risu.jpeg", Archive(RealJPEG(), risuEntries()...))

	text(Lorebook, "wi.json", wi)
	text(Lorebook, "wi-compact.json", compact(wi))
	text(Lorebook, "wi-old.json", indented(wiOld, "\t"))
	text(Lorebook, "wi-chub.json", wiChub)
	text(Lorebook, "book.json", bookFile)
	text(Lorebook, "lorebook-v3.json", lorebookV3)
	text(Lorebook, "wi-lumiverse.json", wiLumiverse)
	text(Regex, "regex-one.json", stOne)
	text(Regex, "regex-list.json", stList)
	text(Regex, "regex-list-compact.json", compact(stList))
	text(Regex, "regex-envelope.json", stEnvelope)
	text(Regex, "regex-bad-rows.json", stBad)
	text(Regex, "lumi-regex.json", lumiFull)
	text(Regex, "lumi-regex-reduced.json", lumiReduced)
	text(Lorebook, "risu-lore.json", risuLore)
	text(Lorebook, "risu-lore-compact.json", compact(risuLore))
	text(Lorebook, "risu-lore-list.json", risuLoreList)
	text(Regex, "risu-regex.json", risuRegex)
	text(Regex, "risu-regex-list.json", risuRegexList)
	text(Persona, "personas.json", stPersonas)
	text(Persona, "personas-old.json", stPersonasOld)
	text(Persona, "lumi-persona.json", lumiPerson)
	text(Persona, "lumi-personas.json", lumiPersonas)
	add(Persona, "risu-persona.png", Picture([]Chunk{{"pHYs", []byte{0, 0, 0x0b, 0x13, 0, 0, 0x0b, 0x13, 1}}, Text("Software", "an editor")}, []Chunk{Card("persona", risuPerson), {"prVt", []byte("a private chunk")}}, nil))
	add(Persona, "risu-persona-short.png", PNG(Card("persona", `{"name":"Dot","personaPrompt":"a dot"}`)))
	text(Persona, "risu-persona.json", risuPersonFile)
	text(QuickReply, "quick-replies.json", quickReplies)
	text(QuickReply, "quick-replies-tabs.json", indented(quickReplies, "	"))
	text(QuickReply, "quick-replies-v1.json", quickRepliesOld)
	text(QuickReply, "quick-reply.json", oneQuickReply)
	out = append(out, presets()...)
	out = append(out, risuModules()...)
	out = append(out, risuPresets()...)
	for i := range out {
		switch out[i].Name {
		case "regex-envelope.json", "risu-lore-list.json", "risu-regex-list.json", "book.json", "lorebook-v3.json", "wi-lumiverse.json", "risu-persona.json":
			out[i].Foreign = true
		}
	}
	return out
}

// Get returns the sample of that name; it panics when there is none.
func Get(name string) Sample {
	for _, s := range All() {
		if s.Name == name {
			return s
		}
	}
	panic("no sample " + name)
}

// compact takes the white space out of a JSON text.
func compact(s string) string { return indented(s, "") }

// indented writes a JSON text with that indentation, tokens untouched; "" is compact.
func indented(s, indent string) string {
	var b strings.Builder
	depth, text := 0, false
	line := func() {
		if indent != "" {
			b.WriteString("\n" + strings.Repeat(indent, depth))
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if text {
			b.WriteByte(c)
			if c == '\\' {
				i++
				b.WriteByte(s[i])
			}
			text = c != '"'
			continue
		}
		switch c {
		case ' ', '\t', '\r', '\n':
		case '"':
			text = true
			b.WriteByte(c)
		case '{', '[':
			b.WriteByte(c)
			j := i + 1
			for strings.IndexByte(" \t\r\n", s[j]) >= 0 {
				j++
			}
			if s[j] == '}' || s[j] == ']' {
				b.WriteByte(s[j])
				i = j
				continue
			}
			depth++
			line()
		case '}', ']':
			depth--
			line()
			b.WriteByte(c)
		case ',':
			b.WriteByte(c)
			line()
		case ':':
			b.WriteByte(c)
			if indent != "" {
				b.WriteByte(' ')
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
