package risu

import (
	"fmt"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/rope"
)

// A V2 card has its pictures in two lists of extensions.risuai: pairs of a name and what holds the bytes, which is a
// chunk of the PNG (__asset:1), or, before 2024, the base64 text itself. An additional asset may have its file name or
// ending as a third element. The app reads them in V2 cards alone, and data.assets in V3 cards alone.
var pictureLists = []struct{ key, role string }{{"emotions", canonical.RoleEmotion}, {"additionalAssets", canonical.RoleOther}}

func hasLists(root *jsondoc.Value, v tavern.Variant) bool {
	if v != tavern.V2 || root.At("data", "assets").Len() > 0 {
		return false
	}
	for _, l := range pictureLists {
		if extensions(root, v).At("risuai", l.key).Kind() == jsondoc.KindArray {
			return true
		}
	}
	return false
}

// idleLists are the lists of a card where the app does not look.
func idleLists(root *jsondoc.Value, v tavern.Variant) (out []string) {
	if hasLists(root, v) {
		return nil
	}
	for _, l := range pictureLists {
		if extensions(root, v).At("risuai", l.key).Len() > 0 {
			out = append(out, v.Prefix()+"extensions.risuai."+l.key)
		}
	}
	return out
}

// readLists reads the pictures of a V2 card.
func readLists(s *tavern.Source, c *body) {
	if !hasLists(s.Root, s.Variant) {
		return
	}
	for _, l := range pictureLists {
		list := extensions(s.Root, s.Variant).At("risuai", l.key)
		for i, v := range list.Elems() {
			where := fmt.Sprintf("%sextensions.risuai.%s[%d]", s.Variant.Prefix(), l.key, i)
			a := readPicture(v, l.role, s.Res)
			if a == nil {
				s.Warn(where, "is no pair of a name and a picture; it is kept for the way back")
				continue
			}
			if a.Blob == nil {
				s.Warn(where, "names "+formats.Shown(a.Ref)+", which is not in this file; the link is kept, the picture is missing")
			}
			c.Media.Assets = append(c.Media.Assets, a)
		}
	}
}

func readPicture(v *jsondoc.Value, role string, res *tavern.Resources) *canonical.Asset {
	x, y, ok := pair(v)
	if !ok {
		return nil
	}
	name, okx := x.Text()
	ref, oky := y.Text()
	if !okx || !oky {
		return nil
	}
	a := &canonical.Asset{Role: role, Name: &name}
	if role == canonical.RoleEmotion {
		a.Label = &name
	}
	if third, ok := v.Elem(2).Text(); ok {
		ext := third[strings.LastIndexByte(third, '.')+1:]
		a.Ext = &ext
	}
	if a.Blob, a.Ref = res.Resolve(ref); a.Blob == nil && len(ref) >= 64 {
		if b := blob.FromBase64(rope.FromBytes([]byte(ref)), res.Limits); blob.Ext(b, "") != "bin" {
			a.Blob, a.Ref = b, ""
		}
	}
	if a.Blob != nil {
		if m := blob.Mime(a.Blob, canonical.Or(a.Ext, "")); m != "application/octet-stream" {
			a.Mime, a.Ext = &m, nil
		}
	}
	return a
}

// writeLists brings the lists of a V2 card in step with the assets of the body.
func writeLists(d *tavern.Draft, c *body) error {
	if d.Twin == nil || !hasLists(d.Twin.Raw.Root, tavern.VariantOf(d.Twin)) {
		return nil
	}
	risuai := extensions(d.Doc.Root, d.Variant).Get("risuai")
	if d.Variant != tavern.V2 { // the assets stand in data.assets now
		for _, l := range pictureLists {
			risuai.Delete(l.key)
		}
		return nil
	}
	if tavern.SameMedia(c, d.Was) {
		return nil
	}
	for _, l := range pictureLists {
		list := risuai.Get(l.key)
		var old []*jsondoc.Value
		for _, v := range list.Elems() {
			old = append(old, v)
		}
		used := make([]bool, len(old))
		said := func(i int) *canonical.Asset { return readPicture(old[i], l.role, d.TwinRes) }
		var mine []*canonical.Asset
		for _, a := range c.Media.Assets {
			if (a.Role == canonical.RoleEmotion) == (l.role == canonical.RoleEmotion) {
				mine = append(mine, a)
			}
		}
		find := func(fits func(x *canonical.Asset) bool) int {
			for i := range old {
				if x := said(i); !used[i] && x != nil && fits(x) {
					return i
				}
			}
			return -1
		}
		out := make([]*jsondoc.Value, len(mine))
		for i, a := range mine {
			k := find(func(x *canonical.Asset) bool { return sameName(x, a) && sameBlob(x.Blob, a.Blob) && x.Ref == a.Ref })
			if k < 0 {
				k = find(func(x *canonical.Asset) bool { return sameName(x, a) || a.Blob != nil && sameBlob(x.Blob, a.Blob) })
			}
			var was *canonical.Asset
			if k >= 0 {
				used[k], out[i], was = true, old[k], said(k)
			} else {
				out[i] = jsondoc.Array(jsondoc.String(""), jsondoc.String(""))
			}
			if err := putPicture(out[i], a, was); err != nil {
				return err
			}
		}
		if list.Kind() != jsondoc.KindArray {
			if len(out) == 0 {
				continue
			}
			risuai.Set(l.key, jsondoc.Array())
			list = risuai.Get(l.key)
		}
		list.SetElems(out)
	}
	return nil
}

func putPicture(v *jsondoc.Value, a, was *canonical.Asset) error {
	vs := []*jsondoc.Value{}
	for _, x := range v.Elems() {
		vs = append(vs, x)
	}
	if was == nil || !sameName(was, a) {
		vs[0] = jsondoc.String(canonical.Or(a.Name, ""))
	}
	switch {
	case was != nil && sameBlob(was.Blob, a.Blob) && was.Ref == a.Ref:
	case a.Blob == nil:
		vs[1] = jsondoc.String(a.Ref)
	default:
		uri, err := blob.URI(a.Blob, canonical.Or(a.Ext, ""))
		if err != nil {
			return err
		}
		vs[1] = jsondoc.String(uri[strings.IndexByte(uri, ',')+1:])
	}
	v.SetElems(vs)
	return nil
}

func sameName(a, b *canonical.Asset) bool {
	return canonical.Or(a.Name, "") == canonical.Or(b.Name, "")
}

func sameBlob(a, b *canonical.Blob) bool {
	same, err := canonical.SameBlob(a, b)
	return err == nil && same
}

// dropVoice takes links to the files of a voice out of a card that no longer has them: they lie in chunks of a V2 PNG,
// where alone the app reads them, and a link to a chunk that is not there makes it refuse the card.
func dropVoice(d *tavern.Draft) {
	if d.Twin == nil || d.TwinContainer() != formats.PNG || d.Container == formats.PNG {
		return
	}
	files := extensions(d.Doc.Root, d.Variant).At("risuai", vits)
	var gone []string
	for k, v := range files.Members() {
		if s, _ := v.Text(); strings.HasPrefix(s, "__asset:") {
			gone = append(gone, k)
		}
	}
	for _, k := range gone {
		files.Delete(k)
	}
	if len(gone) > 0 {
		d.Warnings = append(d.Warnings, "the files of the voice ("+vits+") stay behind: Risu reads them only from the chunks of a PNG card of version 2")
	}
}

// withMeta adds what the app noted of pictures that go or are replaced: the entry x_meta/ that stands right before the
// picture's own. It may hold what the picture was made with, and nothing reads it.
func withMeta(d *tavern.Draft, gone map[string]bool) map[string]bool {
	out := map[string]bool{}
	for p := range gone {
		out[p] = true
	}
	if d.Twin == nil {
		return out
	}
	put := map[string]*canonical.Blob{}
	for _, f := range d.Assets {
		put[f.Path] = f.Blob
	}
	note := ""
	for _, f := range d.Twin.Files {
		path := tavern.CleanEntryPath(f.Path)
		if strings.HasPrefix(path, metaFolder) {
			note = path
			continue
		}
		if b := put[path]; note != "" && (gone[path] || b != nil && !sameBlob(b, f.Blob)) {
			out[note] = true
		}
		note = ""
	}
	return out
}

const metaFolder = "x_meta/"

// maxAsset is the size above which Risu drops an entry of an archive, and with it refuses the card.
const maxAsset = 50 << 20

// unseen tells of the assets of a new card that the app does not take.
func unseen(d *tavern.Draft, c *body) (out []formats.Near) {
	if d.Twin != nil {
		return nil
	}
	add := func(path string, a *canonical.Asset) {
		if why := refused(a); why != "" {
			out = append(out, formats.Near{Path: path, After: "not taken", Why: why})
		}
	}
	if p := c.Media.Portrait; p != nil && p.Blob != nil {
		add("media.portrait", p)
	}
	for i, a := range c.Media.Assets {
		add(fmt.Sprintf("media.assets[%d]", i), a)
	}
	return out
}

func refused(a *canonical.Asset) string {
	switch {
	case a.Blob == nil && (strings.HasPrefix(strings.ToLower(a.Ref), "http")):
		return "Risu takes only files that lie in the card, and this is a link; the file keeps the link"
	case a.Blob == nil || a.Blob.Size < 0:
		return ""
	case a.Blob.Size > maxAsset:
		return "Risu drops files above 50 MiB on import and refuses the card that names them; make this one smaller"
	}
	return ""
}
