package tavern

import (
	"fmt"
	pathpkg "path"
	"strings"
	"unicode"

	"bunzai/canonical"
	"bunzai/container/png"
	"bunzai/formats"
	"bunzai/formats/internal/blob"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// Resources are the bytes beside a card document.
type Resources struct {
	Container formats.Container
	Carrier   *canonical.Blob                   // the picture of a PNG card without its data chunks; nil elsewhere
	Entry     func(path string) *canonical.Blob // an archive entry; nil func when there is no archive
	Chunk     func(name string) *canonical.Blob // a chara-ext-asset_ chunk of a PNG
	Files     []canonical.File                  // every entry of an archive
	Prefix    *canonical.Blob                   // what stands before an archive; nil when nothing does
	Limits    limits.Limits
}

// placeholder reports that the carrier is the picture that bunzai puts into a PNG card that has none.
func (r *Resources) placeholder() bool {
	if r.Carrier == nil {
		return false
	}
	same, err := rope.Equal(r.Carrier.Data, rope.Bytes(png.Placeholder()))
	return err == nil && same
}

// portrait returns the carrier as an asset.
func (r *Resources) portrait() *canonical.Asset {
	if r.Carrier == nil || r.placeholder() {
		return nil
	}
	return &canonical.Asset{Role: canonical.RolePortrait, Mime: canonical.Ptr("image/png"), Blob: r.Carrier}
}

var roleOf = map[string]string{
	"icon": canonical.RolePortrait, "emotion": canonical.RoleEmotion, "expression": canonical.RoleEmotion,
	"outfit": canonical.RoleOutfit, "pose": canonical.RolePose, "background": canonical.RoleBackground,
}

var typeOf = map[string]string{
	canonical.RolePortrait: "icon", canonical.RoleEmotion: "emotion", canonical.RoleOutfit: "outfit",
	canonical.RolePose: "pose", canonical.RoleBackground: "background", canonical.RoleOther: "other",
}

// readAssets reads data.assets into media, resolving each uri. The main icon becomes the portrait, unless a PNG's own
// picture is it.
func readAssets(list *jsondoc.Value, res *Resources, c *character, warn fieldmap.Warn) {
	c.Media.Portrait = res.portrait()
	if list.Kind() != jsondoc.KindArray {
		return
	}
	main := mainIcon(list)
	for i, v := range list.Elems() {
		a := readAsset(v, res)
		if a == nil {
			if !v.IsNull() {
				warn(fmt.Sprintf("assets[%d]", i), "is "+v.Kind().String()+" and no asset; it is kept for the way back")
			}
			continue
		}
		if i == main && res.Container != formats.PNG && (a.Blob != nil || isURL(a.Ref)) {
			c.Media.Portrait = asPortrait(a)
			continue
		}
		if i == main && a.Ref == ccDefault {
			continue // the app's or the carrier's own picture: nothing to carry
		}
		if i == main && res.placeholder() && a.Blob != nil {
			c.Media.Portrait = asPortrait(a)
			continue
		}
		if a.Blob == nil && a.Ref != "" && a.Ref != ccDefault && !isURL(a.Ref) {
			warn(fmt.Sprintf("assets[%d].uri", i), "names "+clip(a.Ref)+", which is not in this file; the link is kept, the picture is missing")
		}
		c.Media.Assets = append(c.Media.Assets, a)
	}
}

// ReadMedia reads the portrait and data.assets of a document, as body does.
func ReadMedia(root *jsondoc.Value, v Variant, res *Resources) canonical.Media {
	c := &canonical.Character{}
	readAssets(assetsOf(root, v), res, c, func(string, string) {})
	return c.Media
}

// asPortrait drops the name that the spec gives to the portrait: it says nothing of its own.
func asPortrait(a *canonical.Asset) *canonical.Asset {
	if a.Name != nil && strings.EqualFold(*a.Name, "main") {
		a.Name = nil
	}
	return a
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}

const ccDefault = "ccdefault:"

func isURL(s string) bool {
	l := strings.ToLower(s)
	return strings.HasPrefix(l, "https://") || strings.HasPrefix(l, "http://")
}

// mainIcon is the index of the icon named main, else of the first icon, else -1.
func mainIcon(list *jsondoc.Value) int {
	first := -1
	for i, v := range list.Elems() {
		if t, _ := v.Get("type").Text(); !strings.EqualFold(t, "icon") {
			continue
		}
		if n, _ := v.Get("name").Text(); strings.EqualFold(n, "main") {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

func readAsset(v *jsondoc.Value, res *Resources) *canonical.Asset {
	if v.Kind() != jsondoc.KindObject {
		return nil
	}
	text := func(name string) *string {
		if s, ok := v.Get(name).Text(); ok {
			return &s
		}
		return nil
	}
	a := &canonical.Asset{Role: canonical.RoleOther, Name: text("name"), Ext: text("ext")}
	typ := canonical.Or(text("type"), "")
	if r, ok := roleOf[strings.ToLower(typ)]; ok {
		a.Role = r
	}
	if typeOf[a.Role] != typ && typ != "" {
		a.Type = &typ
	}
	if a.Role == canonical.RoleEmotion {
		a.Label = a.Name
	}
	uri := canonical.Or(text("uri"), "")
	a.Blob, a.Ref = res.resolve(uri)
	if a.Blob != nil {
		if p, ok := v.Get("path").Text(); ok && a.Ref == "" {
			a.Ref = p // the archive that it was taken from
		}
		// The type stated by the data URI or by the entry's name is enough here: looking into every picture of a large
		// archive would cost more than the rest of the work.
		m := a.Blob.Mime
		if m == "" {
			m = blob.Mime(a.Blob, canonical.Or(a.Ext, ""))
		}
		if m != "application/octet-stream" {
			a.Mime, a.Ext = &m, nil // the bytes say it; a wrong or empty ending means nothing
		}
	}
	return a
}

// resolve finds the bytes behind a uri. Ref is what stays to be said about where they were: the archive path or the
// link, and nothing for a data URI.
func (r *Resources) resolve(uri string) (b *canonical.Blob, ref string) {
	low := strings.ToLower(uri)
	switch {
	case strings.HasPrefix(low, "data:"):
		if b := blob.FromURI(uri, r.Limits); b != nil {
			return b, ""
		}
	case strings.HasPrefix(low, ccDefault):
		return nil, ccDefault
	case strings.HasPrefix(low, "embeded://"), strings.HasPrefix(low, "embedded://"):
		if r.Entry != nil {
			return r.Entry(uri[strings.Index(uri, "://")+3:]), uri
		}
	case strings.HasPrefix(low, "__asset:"):
		name := uri[len("__asset:"):]
		if r.Chunk != nil {
			if b := r.Chunk(name); b != nil {
				return b, uri
			}
		}
		if r.Entry != nil {
			return r.Entry(name), uri
		}
	}
	return nil, uri
}

// FileOut is a file that an archive gains or replaces.
type FileOut struct {
	Path    string
	Blob    *canonical.Blob
	Instead string // the entry of the twin in whose place it goes; "" = behind what is there
	First   bool   // before all other pictures: the portrait, for apps that take the first one
}

// assetPlan is how the assets of a body go into one container.
type assetPlan struct {
	list  *jsondoc.Value // the assets member; nil = leave it out
	files []FileOut      // for an archive
}

// ListHooks let an app choose where the pictures of a list lie in an archive, and see each element as it is made.
type ListHooks struct {
	Path func(a *canonical.Asset) string // the archive path of a; the app writes the files itself. Nil: the CCv3 scheme
	Made func(a *canonical.Asset, v *jsondoc.Value)
}

// AssetList builds data.assets for the draft's container over the list that stands there; nil when there is none to
// write. With hooks.Path the files of an archive are the caller's.
func (d *Draft) AssetList(body *canonical.Character, hooks ListHooks) (*jsondoc.Value, error) {
	p, err := planAssets(body, d.Container, assetsOf(d.Doc.Root, d.Variant), d.TwinRes, nil, hooks)
	if err != nil {
		return nil, err
	}
	return p.list, nil
}

// planAssets builds the assets list for a container. Old is the list that stands in the twin (nil for none) with the
// assets that it was read as; unchanged ones keep their object. Paths maps archive paths that are taken.
func planAssets(c *character, container formats.Container, old *jsondoc.Value, oldRes *Resources, taken func(path string) bool, hooks ListHooks) (*assetPlan, error) {
	p := &assetPlan{}
	list := jsondoc.Array()
	used := map[string]bool{}
	free := func(path string) bool { return !used[strings.ToLower(path)] && (taken == nil || !taken(path)) }
	add := func(a *canonical.Asset, typ, name string, v *jsondoc.Value) error {
		uri := a.Ref
		declared := canonical.Or(a.Ext, "")
		ext := declared
		switch {
		case a.Blob == nil:
			if !isURL(uri) && uri != ccDefault && v == nil {
				return nil // a link into another file: it means nothing here, and the report says so
			}
		case container == formats.CharX && hooks.Path != nil:
			path := hooks.Path(a)
			ext = strings.TrimPrefix(pathpkg.Ext(path), ".")
			uri = "embeded://" + path
			if strings.EqualFold(archivePath(a.Ref), path) && v != nil {
				uri = a.Ref // as it was spelled
			}
		case container == formats.CharX:
			path := archivePath(a.Ref)
			if path != "" && !used[strings.ToLower(path)] {
				ext = strings.TrimPrefix(pathpkg.Ext(path), ".")
			} else {
				ext = blob.Ext(a.Blob, declared)
				path = uniquePath("assets/"+folderType(typ)+"/"+blob.Folder(blob.Mime(a.Blob, ext))+"/"+cleanName(name), ext, free)
			}
			used[strings.ToLower(path)] = true
			p.files = append(p.files, FileOut{Path: path, Blob: a.Blob})
			uri = "embeded://" + path
			if strings.EqualFold(archivePath(a.Ref), path) && v != nil {
				uri = a.Ref // as it was spelled
			}
		default:
			ext = blob.Ext(a.Blob, declared)
			keep := false
			if v != nil {
				was := readAsset(v, oldRes)
				same, err := canonical.SameBlob(was.Blob, a.Blob)
				keep = err == nil && same && oldRes.Container == container
			}
			if keep {
				uri, _ = v.Get("uri").Text()
			} else {
				var err error
				if uri, err = blob.URI(a.Blob, ext); err != nil {
					return err
				}
			}
		}
		if v == nil {
			v = jsondoc.Object()
			v.Set("type", jsondoc.String(typ))
			v.Set("uri", jsondoc.String(uri))
			v.Set("name", jsondoc.String(name))
			if declared != "" && a.Blob == nil {
				ext = declared
			}
			v.Set("ext", jsondoc.String(extOr(ext)))
		} else {
			v.Set("type", jsondoc.String(typ))
			v.Set("uri", jsondoc.String(uri))
			if a.Name != nil || v.Has("name") {
				v.Set("name", jsondoc.String(name))
			}
		}
		if hooks.Made != nil {
			hooks.Made(a, v)
		}
		list.AppendElem(v)
		return nil
	}
	reuse := matchAssets(c, old, oldRes)
	if m := c.Media.Portrait; m != nil {
		switch {
		case container == formats.PNG && isPNG(m.Blob):
			if v := reuse[m]; v != nil && len(c.Media.Assets) == 0 {
				// the picture is the carrier now
			}
			if len(c.Media.Assets) > 0 || old != nil {
				v := jsondoc.Object()
				v.Set("type", jsondoc.String("icon"))
				v.Set("uri", jsondoc.String(ccDefault))
				v.Set("name", jsondoc.String("main"))
				v.Set("ext", jsondoc.String("png"))
				list.AppendElem(v)
			}
		default:
			if err := add(m, "icon", canonical.Or(m.Name, "main"), reuse[m]); err != nil {
				return nil, err
			}
		}
	}
	for _, a := range c.Media.Assets {
		typ := canonical.Or(a.Type, typeOf[a.Role])
		if typ == "" {
			typ = "other"
		}
		if err := add(a, typ, canonical.Or(a.Name, canonical.Or(a.Label, a.Role)), reuse[a]); err != nil {
			return nil, err
		}
	}
	if list.Len() > 0 || old != nil {
		p.list = list
	}
	return p, nil
}

func isPNG(b *canonical.Blob) bool { return b != nil && string(headOf(b, 8)) == "\x89PNG\r\n\x1a\n" }

func headOf(b *canonical.Blob, n int) []byte {
	h := blob.Head(b)
	return h[:min(n, len(h))]
}

// matchAssets pairs the assets of a body with the objects of the old list that say the same.
func matchAssets(c *character, old *jsondoc.Value, res *Resources) map[*canonical.Asset]*jsondoc.Value {
	out := map[*canonical.Asset]*jsondoc.Value{}
	if old.Kind() != jsondoc.KindArray || res == nil {
		return out
	}
	used := map[int]bool{}
	all := append([]*canonical.Asset{}, c.Media.Assets...)
	if c.Media.Portrait != nil {
		all = append(all, c.Media.Portrait)
	}
	type row struct {
		a *canonical.Asset
		v *jsondoc.Value
	}
	byKey := map[string][]int{}
	var rows []row
	for _, v := range old.Elems() {
		a := readAsset(v, res)
		rows = append(rows, row{a, v})
		if a != nil {
			k := assetKey(a)
			byKey[k] = append(byKey[k], len(rows)-1)
		}
	}
	for _, a := range all {
		for _, i := range byKey[assetKey(a)] {
			if !used[i] {
				used[i] = true
				out[a] = rows[i].v.Clone()
				break
			}
		}
	}
	return out
}

func assetKey(a *canonical.Asset) string {
	name := canonical.Or(a.Name, "")
	if a.Role == canonical.RolePortrait && strings.EqualFold(name, "main") {
		name = ""
	}
	return a.Role + "\x00" + name
}

func extOr(ext string) string {
	if ext == "" {
		return "unknown"
	}
	return ext
}

// ArchivePath is the look-up form of the archive path that a ref names, as embeded:// or plain; "" for anything else.
func ArchivePath(ref string) string {
	p := archivePath(ref)
	if p == "" {
		p = ref
	}
	if p = CleanEntryPath(p); safePath(p) {
		return p
	}
	return ""
}

// archivePath is the path inside an archive that a ref names, or "".
func archivePath(ref string) string {
	low := strings.ToLower(ref)
	for _, s := range []string{"embeded://", "embedded://", "__asset:"} {
		if strings.HasPrefix(low, s) {
			if p := ref[len(s):]; safePath(p) && s != "__asset:" {
				return p
			}
			return ""
		}
	}
	return ""
}

func safePath(p string) bool {
	if p == "" || len(p) > 512 || strings.ContainsAny(p, "\\\x00:") || strings.HasPrefix(p, "/") {
		return false
	}
	for _, part := range strings.Split(p, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// folderType is the type folder of a CHARX path.
func folderType(typ string) string {
	switch strings.ToLower(typ) {
	case "icon", "background", "user_icon", "emotion":
		return strings.ToLower(typ)
	case "expression":
		return "emotion"
	}
	return "other"
}

// cleanName keeps letters, digits, "_", "-", "." and spaces of a name for use in a path.
func cleanName(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '.' || r == ' ' || unicode.IsMark(r) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	s := strings.Trim(b.String(), " .")
	if r := []rune(s); len(r) > 100 {
		s = strings.Trim(string(r[:100]), " .")
	}
	if s == "" {
		return "unnamed"
	}
	return s
}

// uniquePath adds the extension, unless the name has it, and a number until the path is free.
func uniquePath(base, ext string, free func(path string) bool) string {
	base = strings.TrimSuffix(base, "."+ext)
	p := base + "." + ext
	for i := 2; !free(p); i++ {
		p = fmt.Sprintf("%s-%d.%s", base, i, ext)
	}
	return p
}
