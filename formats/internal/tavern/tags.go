package tavern

import (
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
)

// Texts of a card may show its assets: with Risu's macros ({{raw::Smile}}; assetRegex in its parser.svelte.ts), with its
// short image tag (<img="Smile">), and with the link to a file of the archive. Texts stay as they are; what leads nowhere
// in the new file is told.

// ShortTag is the image tag that Risu and Lumiverse fill in.
const ShortTag = `<img="`

// tagKinds are the names of Risu's macros for assets.
var tagKinds = map[string]bool{"raw": true, "path": true, "img": true, "image": true, "video": true, "audio": true, "bgm": true, "bg": true,
	"emotion": true, "asset": true, "video-img": true, "source": true}

// tagsIn calls found for every tag of a text that shows an asset.
func tagsIn(text string, found func(tag string)) {
	for rest := text; ; {
		i := strings.Index(rest, "{{")
		if i < 0 {
			break
		}
		rest = rest[i+2:]
		kind, name, ok := strings.Cut(rest[:min(len(rest), 512)], "::")
		if !ok || !tagKinds[kind] {
			continue
		}
		if n := strings.Index(name, "}}"); n > 0 {
			found("{{" + kind + "::" + name[:n] + "}}")
		}
	}
	for rest := text; ; {
		i := strings.Index(rest, ShortTag)
		if i < 0 {
			return
		}
		rest = rest[i+len(ShortTag):]
		if n := strings.IndexByte(rest[:min(len(rest), 512)], '"'); n > 0 {
			found(ShortTag + rest[:n] + `">`)
		}
	}
}

// tellTags warns of places in the texts that show assets and will not in the new file.
func (d *Draft) tellTags(c *character, ctx formats.EncodeContext) {
	if len(c.Media.Assets) == 0 || d.Twin != nil && container(d.Twin) == d.Container {
		return
	}
	var tags, links []string
	seen := map[string]bool{}
	add := func(list *[]string, s string) {
		if !seen[s] {
			seen[s] = true
			*list = append(*list, s)
		}
	}
	look := func(body any) {
		canonical.Walk(body, func(_ string, v any) {
			text, ok := v.(string)
			if !ok {
				return
			}
			if d.Twin == nil {
				tagsIn(text, func(tag string) {
					if d.App.Shows == nil || !d.App.Shows(tag, d.Container) {
						add(&tags, tag)
					}
				})
			}
			if strings.Contains(text, "embeded://") || strings.Contains(text, "embedded://") {
				for _, a := range c.Media.Assets {
					if archivePath(a.Ref) != "" && strings.Contains(text, a.Ref) && !d.holds(a.Ref) {
						add(&links, a.Ref)
					}
				}
			}
		})
	}
	texts := *c
	texts.Media = canonical.Media{}
	look(&texts)
	for _, list := range [][]*canonical.Entity{ctx.Lorebooks, ctx.RegexSets} {
		for _, e := range list {
			look(e.Body)
		}
	}
	if len(tags) > 0 {
		d.Warnings = append(d.Warnings, "texts of the card show its pictures with tags that "+d.App.Label+" does not fill in: "+some(tags)+". They stay in the texts as they are")
	}
	if len(links) > 0 {
		d.Warnings = append(d.Warnings, "texts of the card name files of the archive, which in the new file lie elsewhere, so that these links lead nowhere: "+some(links))
	}
}

// holds reports an asset list of the new card that has the link.
func (d *Draft) holds(uri string) bool {
	for _, v := range assetsOf(d.Doc.Root, d.Variant).Elems() {
		if s, _ := v.Get("uri").Text(); s == uri {
			return true
		}
	}
	return false
}

// some names the first few of a list and how many more there are.
func some(list []string) string {
	var shown []string
	for _, s := range list[:min(len(list), 3)] {
		shown = append(shown, clip(s))
	}
	out := strings.Join(shown, ", ")
	if n := len(list) - len(shown); n > 0 {
		out += " and " + strconv.Itoa(n) + " more"
	}
	return out
}
