package tavern

import (
	"fmt"
	pathpkg "path"
	"strconv"
	"strings"
	"unicode"

	"bunzai/canonical"
	"bunzai/container/jpeg"
	"bunzai/container/media"
	"bunzai/container/picture"
	"bunzai/container/png"
	"bunzai/fault"
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
	other     string // the app's type of an asset without a role; "" = other
	standIn   bool   // the carrier was made of the main icon
}

// typeOf is the type of an asset that says none.
func (r *Resources) typeOf(role string) string { return typeFor(role, r.other) }

// additional is Risu's type of an asset that is neither icon nor emotion, as other is in other apps.
const additional = "x-risu-asset"

func typeFor(role, other string) string {
	if role == canonical.RoleOther && other != "" {
		return other
	}
	return typeOf[role]
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

// front reports a picture before an archive: it is the portrait of a card that names none. The plain picture that bunzai
// puts there is none.
func (r *Resources) front() bool {
	if r.Prefix == nil || !strings.HasPrefix(blob.Mime(r.Prefix, ""), "image/") {
		return false
	}
	plain, err := rope.Equal(r.Prefix.Data, rope.Bytes(picture.PlainJPEG()))
	return err != nil || !plain
}

// jpeg reports a JPEG picture before an archive.
func (r *Resources) jpeg() bool { return r.Prefix != nil && jpeg.Is(r.Prefix.Data) }

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
	defer func() {
		if c.Media.Portrait == nil && res.front() {
			c.Media.Portrait = &canonical.Asset{Role: canonical.RolePortrait, Mime: canonical.Ptr(blob.Mime(res.Prefix, "")), Blob: res.Prefix}
		}
	}()
	if list.Kind() != jsondoc.KindArray {
		return
	}
	main, written := res.mainIcon(list), res.written(list)
	if n := len(written); n > 0 {
		warn("assets", fmt.Sprintf("has %d links that stand there more than once or for a file that was renamed, a fault of Risu's export; each asset gets the file that was written for it", n))
	}
	for i, v := range list.Elems() {
		a := readAsset(v, res, written[i])
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
		if i == main && (res.standIn || res.placeholder()) && a.Blob != nil {
			c.Media.Portrait = asPortrait(a)
			continue
		}
		if a.Blob == nil && a.Ref != "" && a.Ref != ccDefault && !isURL(a.Ref) {
			what := "names " + clip(a.Ref) + ", which is not in this file; the link is kept, the picture is missing"
			if _, chunk := chunkName(a.Ref); res.other == additional && (chunk || archivePath(a.Ref) != "") {
				what += "; Risu refuses the whole card for it"
			}
			warn(fmt.Sprintf("assets[%d].uri", i), what)
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
	l := scheme(s)
	return strings.HasPrefix(l, "https://") || strings.HasPrefix(l, "http://")
}

// scheme is the start of a uri in lower case, long enough for every scheme; the rest may be megabytes of base64.
func scheme(uri string) string { return strings.ToLower(uri[:min(len(uri), 16)]) }

// mainIcon is the index of the icon named main, else of the first icon, else -1. Of several named main Risu shows the
// last, which overwrites the others when it takes the card in.
func (r *Resources) mainIcon(list *jsondoc.Value) int {
	first, last := -1, -1
	for i, v := range list.Elems() {
		if t, _ := v.Get("type").Text(); !strings.EqualFold(t, "icon") {
			continue
		}
		if n, _ := v.Get("name").Text(); strings.EqualFold(n, "main") {
			if r.other != additional {
				return i
			}
			last = i
		}
		if first < 0 {
			first = i
		}
	}
	if last >= 0 {
		return last
	}
	return first
}

// readAsset reads an element; entry is the archive path that counts instead of its link, "" for none.
func readAsset(v *jsondoc.Value, res *Resources, entry string) *canonical.Asset {
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
	if typeOf[a.Role] != typ && typ != "" && typ != additional {
		a.Type = &typ
	}
	if a.Role == canonical.RoleEmotion {
		a.Label = a.Name
	}
	uri := canonical.Or(text("uri"), "")
	if entry != "" {
		uri = embeded + entry
	}
	a.Blob, a.Ref = res.resolve(uri)
	if a.Blob != nil {
		if p, ok := v.Get("path").Text(); ok && a.Ref == "" {
			a.Ref = p // the archive that it was taken from
		}
		// The type stated by the data URI or by the entry's name is enough here: looking into every picture of a large
		// archive would cost more than the rest of the work.
		m := a.Blob.Mime
		if m == "" || m == octets { // Risu says it of everything
			m = blob.Mime(a.Blob, canonical.Or(a.Ext, ""))
		}
		if m != octets {
			a.Mime, a.Ext = &m, nil // the bytes say it; a wrong or empty ending means nothing
		}
	}
	return a
}

// Resolve finds the bytes behind a uri of a card; see resolve.
func (r *Resources) Resolve(uri string) (b *canonical.Blob, ref string) { return r.resolve(uri) }

// resolve finds the bytes behind a uri. Ref is what stays to be said about where they were: the archive path or the
// link, and nothing for a data URI.
func (r *Resources) resolve(uri string) (b *canonical.Blob, ref string) {
	low := scheme(uri)
	switch {
	case strings.HasPrefix(low, "data:"):
		if b := blob.FromURI(uri, r.Limits); b != nil {
			if _, err := b.Raw(); err == nil || fault.Is(err, fault.OverLimit) {
				return b, ""
			}
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
	empty []string       // names of assets without bytes that were left out
}

// ListHooks let an app choose where the pictures of a list lie in an archive, and see each element as it is made.
type ListHooks struct {
	Path func(a *canonical.Asset) string // the archive path of a; the app writes the files itself. Nil: the CCv3 scheme
	Made func(a *canonical.Asset, v *jsondoc.Value)

	Other  string // App.Other
	Chunks bool   // App.Chunks
	Bare   bool   // the picture before the archive goes
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

// planAssets builds the assets list for a container. Old is the list that stands in the twin (nil for none), read with
// oldRes: elements of unchanged assets keep their bytes, an edited one changes where it was edited, and what reading
// passes over (the ccdefault: icon, what is no asset) stays where it stood. Taken tells which archive paths are in use.
func planAssets(c *character, container formats.Container, old *jsondoc.Value, oldRes *Resources, taken func(path string) bool, hooks ListHooks) (*assetPlan, error) {
	b := &listBuilder{assetPlan: &assetPlan{}, container: container, hooks: hooks, taken: taken, used: map[string]bool{}}
	list := old.Clone() // its elements are edited in place
	rows := oldRows(list, oldRes)
	b.sameHome = rows != nil && oldRes.Container == container
	match := matchAssets(c, rows, oldRes)
	if m := c.Media.Portrait; m != nil && match[m] == nil {
		for _, r := range rows {
			if r.passed && r.a != nil {
				match[m] = r // the icon that stands for the app's or the carrier's own picture
			}
		}
	}
	for a, r := range match {
		if b.keeps(a, r) {
			b.used[strings.ToLower(CleanEntryPath(archivePath(a.Ref)))] = true
			if name, ok := chunkName(a.Ref); ok {
				b.used[name] = true
			}
		}
	}
	for _, a := range c.Media.Assets {
		typ := canonical.Or(a.Type, typeFor(a.Role, hooks.Other))
		if typ == "" {
			typ = "other"
		}
		name := canonical.Or(a.Name, canonical.Or(a.Label, a.Role))
		if hooks.Other == additional && match[a] == nil && c.Media.Portrait != nil && strings.EqualFold(typ, "icon") && strings.EqualFold(name, "main") {
			name += " 2" // it would take the portrait's place in the app
		}
		if err := b.add(a, typ, name, match[a]); err != nil {
			return nil, err
		}
	}
	if m := c.Media.Portrait; m != nil {
		n := len(b.out)
		carrier := container == formats.PNG && isPNG(m.Blob)
		switch {
		case !hooks.Bare && oldRes != nil && oldRes.front() && b.container == oldRes.Container && match[m] == nil && sameBlobs(m.Blob, oldRes.Prefix):
			// the picture stands before the archive, as it did
		case carrier && match[m] == nil && (b.sameHome || n == 0):
			// the picture is the carrier, as it was; no element says so
		case carrier:
			b.addCarrier(match[m])
		default:
			typ := "icon"
			if match[m] != nil {
				typ = canonical.Or(m.Type, typ) // as it is spelled there
			}
			if err := b.add(m, typ, canonical.Or(m.Name, "main"), match[m]); err != nil {
				return nil, err
			}
		}
		if len(b.out) > n {
			x := b.out[n]
			b.out = b.out[:n]
			b.insert(x)
		}
	}
	for _, r := range rows {
		if r.passed && !r.taken {
			b.insert(element{r.v, r.index})
		}
	}
	if len(b.out) > 0 || old != nil {
		if b.list = list; list.Kind() != jsondoc.KindArray {
			b.list = jsondoc.Array()
		}
		vs := make([]*jsondoc.Value, len(b.out))
		for i, x := range b.out {
			vs[i] = x.v
		}
		b.list.SetElems(vs)
	}
	return b.assetPlan, nil
}

// listBuilder puts the elements of a list together.
type listBuilder struct {
	*assetPlan
	container formats.Container
	hooks     ListHooks
	taken     func(path string) bool
	used      map[string]bool // archive paths, lower case
	sameHome  bool            // the old list is of this container, so that its links hold
	out       []element
}

// element is a value of the new list and its place in the old one; -1 for a new one.
type element struct {
	v   *jsondoc.Value
	was int
}

// insert puts an element behind the one that stood before it, else in front.
func (b *listBuilder) insert(x element) {
	at, best := 0, -1
	for i, y := range b.out {
		if x.was >= 0 && y.was < x.was && y.was > best {
			at, best = i+1, y.was
		}
	}
	b.out = append(b.out[:at:at], append([]element{x}, b.out[at:]...)...)
}

func (b *listBuilder) free(path string) bool {
	return !b.used[strings.ToLower(path)] && (b.taken == nil || !b.taken(path))
}

func sameBlobs(a, b *canonical.Blob) bool {
	same, err := canonical.SameBlob(a, b)
	return err == nil && same
}

// keeps reports an asset whose bytes are where the old element says.
func (b *listBuilder) keeps(a *canonical.Asset, r *oldRow) bool {
	if r == nil || !b.sameHome || a.Blob == nil || r.a.Blob == nil {
		return false
	}
	same, err := canonical.SameBlob(r.a.Blob, a.Blob)
	return err == nil && same
}

// place finds where the bytes of an asset go: its uri and the ext that fits.
func (b *listBuilder) place(a *canonical.Asset, typ, name string, r *oldRow) (uri, ext string, err error) {
	declared := DeclaredExt(a)
	switch {
	case a.Blob == nil:
		return a.Ref, declared, nil
	case b.container == formats.CharX && b.hooks.Path != nil:
		path := b.hooks.Path(a)
		uri = "embeded://" + path
		if strings.EqualFold(archivePath(a.Ref), path) && r != nil {
			uri = a.Ref // as it was spelled
		}
		return uri, saidExt(a, strings.TrimPrefix(pathpkg.Ext(path), ".")), nil
	case b.keeps(a, r):
		uri, _ = r.v.Get("uri").Text()
		if r.entry != "" {
			uri = embeded + r.entry // once the list changes, the link must say which file it is
		}
		return uri, canonical.Or(r.ext, ""), nil
	case b.container == formats.CharX:
		path := archivePath(a.Ref)
		ext = strings.TrimPrefix(pathpkg.Ext(path), ".")
		hidden := b.hooks.Other == additional && strings.EqualFold(ext, "json") // Risu passes over such files and then misses them
		if path == "" || b.used[strings.ToLower(path)] || hidden || (r != nil && b.sameHome && !strings.EqualFold(ext, blob.Ext(a.Blob, declared))) {
			ext = blob.Ext(a.Blob, declared)
			ending := ext
			if b.hooks.Other == additional && ext == "json" {
				ending = "bin"
			}
			path = uniquePath("assets/"+folderType(typ)+"/"+blob.Folder(blob.Mime(a.Blob, ext))+"/"+cleanName(name), ending, b.free)
		}
		b.used[strings.ToLower(path)] = true
		b.files = append(b.files, FileOut{Path: path, Blob: a.Blob})
		uri = "embeded://" + path
		if strings.EqualFold(archivePath(a.Ref), path) && r != nil {
			uri = a.Ref
		}
		return uri, saidExt(a, ext), nil
	}
	ext = blob.Ext(a.Blob, declared)
	ext = saidExt(a, ext)
	if b.container == formats.PNG && b.hooks.Chunks {
		name := ""
		if r != nil && b.sameHome {
			old, _ := r.v.Get("uri").Text()
			name, _ = chunkName(old) // new bytes go where the old ones were
		}
		for n := 1; name == "" || b.used[name]; n++ {
			if s := strconv.Itoa(n); b.free(s) {
				name = s
			}
		}
		b.used[name] = true
		b.files = append(b.files, FileOut{Path: name, Blob: a.Blob})
		return "__asset:" + name, ext, nil
	}
	uri, err = blob.URI(a.Blob, ext)
	return uri, ext, err
}

// DeclaredExt is the ext that an asset is said to have; "" when nothing says it.
func DeclaredExt(a *canonical.Asset) string {
	return canonical.Or(a.Ext, media.ExtOf(canonical.Or(a.Mime, "")))
}

// octets is the media type that says nothing.
const octets = "application/octet-stream"

// saidExt is the ext of an element whose file has that ending. What the card says of bytes of an unknown kind stays.
func saidExt(a *canonical.Asset, ext string) string {
	said := canonical.Or(a.Ext, "")
	if a.Mime != nil || said == "" || len(said) > 20 || strings.Contains(said, "..") || strings.Trim(strings.ToLower(said), "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
		return ext
	}
	return said
}

func (b *listBuilder) add(a *canonical.Asset, typ, name string, r *oldRow) error {
	if r == nil && DeadLink(a) || b.refused(a, r) {
		return nil // it means nothing here, and the report says so
	}
	uri, ext, err := b.place(a, typ, name, r)
	if err != nil {
		return err
	}
	x := element{was: -1}
	if r == nil {
		x.v = jsondoc.Object()
		x.v.Set("type", jsondoc.String(typ))
		x.v.Set("uri", jsondoc.String(uri))
		x.v.Set("name", jsondoc.String(name))
		x.v.Set("ext", jsondoc.String(extOr(ext)))
	} else {
		r.taken = true
		x = element{r.v, r.index}
		if typ != r.typ {
			x.v.Set("type", jsondoc.String(typ))
		}
		if now, _ := x.v.Get("uri").Text(); uri != now {
			x.v.Set("uri", jsondoc.String(uri))
			if a.Blob != nil && !strings.EqualFold(ext, canonical.Or(r.ext, "")) {
				x.v.Set("ext", jsondoc.String(extOr(ext)))
			}
		}
		if a.Role == canonical.RolePortrait && strings.EqualFold(name, canonical.Or(r.a.Name, "")) {
			// the portrait is main by what it is
		} else if !samePtr(a.Name, r.a.Name) {
			x.v.Set("name", jsondoc.String(name))
		}
		if !samePtr(a.Ext, r.a.Ext) && (a.Blob == nil || a.Ext != nil && b.keeps(a, r)) {
			setOr(x.v, "ext", a.Ext, func(s string, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.String(s) })
		}
	}
	if b.hooks.Made != nil {
		b.hooks.Made(a, x.v)
	}
	b.out = append(b.out, x)
	return nil
}

// refused reports an asset that would make Risu refuse the whole card: a link into an archive or to a chunk that is not
// there, and an archive entry without bytes, which its reader never sees. What lay so in the file of the same kind stays.
func (b *listBuilder) refused(a *canonical.Asset, r *oldRow) bool {
	if b.hooks.Other != additional || r != nil && b.sameHome && sameBlobs(a.Blob, r.a.Blob) {
		return false
	}
	if a.Blob == nil {
		_, chunk := chunkName(a.Ref)
		return chunk || strings.HasPrefix(scheme(a.Ref), embeded) || strings.HasPrefix(scheme(a.Ref), "embedded://")
	}
	if b.container != formats.CharX || a.Blob.Data.Size() > 0 && a.Blob.Size != 0 {
		return false
	}
	b.empty = append(b.empty, canonical.Or(a.Name, a.Role))
	return true
}

// addCarrier is the element that says that the picture of a PNG card is the main icon.
func (b *listBuilder) addCarrier(r *oldRow) {
	x := element{jsondoc.Object(), -1}
	if r != nil {
		r.taken = true
		x = element{r.v, r.index}
	}
	if r == nil || !strings.EqualFold(r.typ, "icon") {
		x.v.Set("type", jsondoc.String("icon"))
	}
	x.v.Set("uri", jsondoc.String(ccDefault))
	if r == nil {
		x.v.Set("name", jsondoc.String("main"))
		x.v.Set("ext", jsondoc.String("png"))
	}
	b.out = append(b.out, x)
}

// DeadLink reports an asset that only names a place in another file, and so is left out of a new card.
func DeadLink(a *canonical.Asset) bool { return a.Blob == nil && !isURL(a.Ref) && a.Ref != ccDefault }

func isPNG(b *canonical.Blob) bool { return b != nil && string(headOf(b, 8)) == "\x89PNG\r\n\x1a\n" }

func headOf(b *canonical.Blob, n int) []byte {
	h := blob.Head(b)
	return h[:min(n, len(h))]
}

// oldRow is an element of the list that stands in the twin.
type oldRow struct {
	v      *jsondoc.Value
	index  int
	a      *canonical.Asset // nil when it is no asset
	typ    string           // the type as it is written, also where a says it by its role
	ext    *string
	entry  string // the archive path that counts instead of the link; "" for none
	passed bool   // reading passes over it
	taken  bool
}

func oldRows(old *jsondoc.Value, res *Resources) (rows []*oldRow) {
	if old.Kind() != jsondoc.KindArray || res == nil {
		return nil
	}
	main, written := res.mainIcon(old), res.written(old)
	for i, v := range old.Elems() {
		r := &oldRow{v: v, index: i, a: readAsset(v, res, written[i]), entry: written[i]}
		r.passed = r.a == nil
		if r.a != nil {
			if s, ok := v.Get("ext").Text(); ok {
				r.ext = &s
			}
			if r.typ = canonical.Or(r.a.Type, res.typeOf(r.a.Role)); r.typ == "" {
				r.typ = "other"
			}
			r.passed = i == main && r.a.Ref == ccDefault
		}
		rows = append(rows, r)
	}
	return rows
}

// matchAssets pairs the assets of a body with the elements that they were read from: by role and name with the same
// bytes, by role and name, by the link, and by the bytes alone.
func matchAssets(c *character, rows []*oldRow, res *Resources) map[*canonical.Asset]*oldRow {
	out := map[*canonical.Asset]*oldRow{}
	if len(rows) == 0 {
		return out
	}
	all := c.Media.Assets[:len(c.Media.Assets):len(c.Media.Assets)]
	if c.Media.Portrait != nil && (res.standIn || res.portrait() == nil) { // else the twin's portrait is its carrier, which no element holds
		all = append(all, c.Media.Portrait)
	}
	byKey, byRef, bySize := map[string][]*oldRow{}, map[string][]*oldRow{}, map[int64][]*oldRow{}
	for _, r := range rows {
		if r.passed {
			continue
		}
		byKey[assetKey(r.a)] = append(byKey[assetKey(r.a)], r)
		if r.a.Ref != "" {
			byRef[r.a.Ref] = append(byRef[r.a.Ref], r)
		}
		if r.a.Blob != nil {
			bySize[r.a.Blob.Data.Size()] = append(bySize[r.a.Blob.Data.Size()], r)
		}
	}
	used := map[*oldRow]bool{}
	pair := func(list func(a *canonical.Asset) []*oldRow, fits func(a *canonical.Asset, r *oldRow) bool) {
		for _, a := range all {
			if out[a] != nil {
				continue
			}
			for _, r := range list(a) {
				if !used[r] && (fits == nil || fits(a, r)) {
					used[r], out[a] = true, r
					break
				}
			}
		}
	}
	sameBytes := func(a *canonical.Asset, r *oldRow) bool {
		same, err := canonical.SameBlob(a.Blob, r.a.Blob)
		return err == nil && same && (a.Blob != nil || a.Ref == r.a.Ref)
	}
	key := func(a *canonical.Asset) []*oldRow { return byKey[assetKey(a)] }
	pair(key, sameBytes)
	pair(key, nil)
	pair(func(a *canonical.Asset) []*oldRow { return byRef[a.Ref] }, nil)
	pair(func(a *canonical.Asset) []*oldRow {
		if a.Blob == nil {
			return nil
		}
		return bySize[a.Blob.Data.Size()]
	}, sameBytes)
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

// chunkName is the name of the asset chunk of a PNG that a ref names.
func chunkName(ref string) (string, bool) {
	if !strings.HasPrefix(scheme(ref), "__asset:") {
		return "", false
	}
	return ref[len("__asset:"):], true
}

// archivePath is the path inside an archive that a ref names, or "".
func archivePath(ref string) string {
	low := scheme(ref)
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
	if stem, _, _ := strings.Cut(s, "."); device[strings.ToUpper(stem)] {
		return "_" + s // Windows has no file of that name
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
