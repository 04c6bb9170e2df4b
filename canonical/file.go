package canonical

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// FileExt is how the name of a canonical file ends.
const FileExt = ".bunzai.json"

// RelatedName is the member of a canonical file that holds the files of the pieces that ride in it; an unknown member to
// this package, so that it stands in Extra.
const RelatedName = "related"

// placeName is the member that keeps the Ref of a picture whose bytes stand in "ref".
const placeName = "path"

// EncodeEntity writes an entity as a canonical file: JSON with two spaces of indentation,
//
//	{"schemaVersion": "1", "kind", "id", "body", "original": {bucket: {"raw", "rawPrefix", "rawSuffix", "unmapped",
//	"sourceMedia": {"b64", "mime"}, "files": {path: base64}}}, "notes"}
//
// with absent parts left out. The bytes of a picture are written as a data URI in its "ref"; its Ref, when it has
// one, goes to "path" beside it. "raw" is the source document with its exact bytes; what stands before and after its
// root (byte order mark, white space) is in rawPrefix and rawSuffix. Large base64 is made while the rope is read.
// File.Header, the media types of escrowed files and checksums are not written.
//
// Errors: a Blob that cannot be decoded (with its place), two buckets of one name, a body that is not of the kind.
func EncodeEntity(e *Entity) (*rope.Rope, error) { return encodeEntity(e, 0) }

// EncodeEntityWithin is EncodeEntity with the bound of lim.JSON on the whole file. Beyond it the error is
// fault.OverLimit and tells to keep the archive form; sizes that are known are added up before anything is inflated.
func EncodeEntityWithin(e *Entity, lim limits.Limits) (*rope.Rope, error) {
	return encodeEntity(e, lim.JSON)
}

func encodeEntity(e *Entity, most int64) (*rope.Rope, error) {
	if e == nil || KindOf(e.Body) == "" || KindOf(e.Body) != e.Kind {
		kind, body := Kind(""), any(nil)
		if e != nil {
			kind, body = e.Kind, e.Body
		}
		return nil, fault.New(fault.Internal, "", "a piece of kind %q cannot have a body of type %T", kind, body)
	}
	v, p, ok := bodyOf(e.Body)
	if !ok {
		return nil, fault.New(fault.Internal, "", "the piece %q has no body", e.ID)
	}
	w := &fileWriter{special: map[*jsondoc.Value]func() error{}, most: most}
	enc := &encoder{bag: w.verbatim, asset: w.asset, trail: trail{{name: "body", idx: -1}}}
	root := jsondoc.Object()
	root.Set("schemaVersion", jsondoc.String(SchemaVersion))
	root.Set("kind", jsondoc.String(string(e.Kind)))
	root.Set("id", jsondoc.String(e.ID))
	body := enc.body(p, v)
	for _, r := range required[e.Kind] {
		if r.kind == jsondoc.KindArray && body.Get(r.path).Kind() == jsondoc.KindAbsent {
			body.Set(r.path, jsondoc.Array()) // a list that nobody made; readers ask for it
		}
	}
	root.Set("body", body)
	if len(e.Original) > 0 {
		all := jsondoc.Object()
		for _, b := range e.Original {
			if all.Has(b.Bucket) {
				return nil, fault.New(fault.Internal, "original", "two buckets are named %q", b.Bucket)
			}
			all.Set(b.Bucket, w.escrow(enc, b))
		}
		root.Set("original", all)
	}
	if e.Notes != nil {
		root.Set("notes", notesJSON(enc, e.Notes))
	}
	if e.Extra != nil {
		enc.unpark(root, e.Extra)
	}
	if err := w.check(w.known); err != nil {
		return nil, err
	}
	if err := w.value(root, ""); err != nil {
		return nil, err
	}
	w.buf = append(w.buf, '\n')
	w.flush()
	if err := w.check(w.out.Size()); err != nil {
		return nil, err
	}
	return &w.out, nil
}

// fileWriter lays out a tree of fresh values; special ones write themselves.
type fileWriter struct {
	out     rope.Rope
	buf     []byte
	special map[*jsondoc.Value]func() error
	known   int64 // sizes that are known before anything is written
	most    int64 // 0 = no bound
}

func (w *fileWriter) check(size int64) error {
	if w.most > 0 && size > w.most {
		return fault.Over("", fault.Limit{Name: "JSON", Value: w.most, Found: size, Unit: "bytes",
			Raise: "keep the archive form (a ZIP), where pictures lie beside the JSON and not in it"})
	}
	return nil
}

func (w *fileWriter) flush() {
	if len(w.buf) > 0 {
		w.out.Append(bytes.Clone(w.buf))
		w.buf = w.buf[:0]
	}
}

// bytes adds b, which does not change; a long one without a copy.
func (w *fileWriter) bytes(b []byte) {
	if len(b) < 4096 {
		w.buf = append(w.buf, b...)
		return
	}
	w.flush()
	w.out.Append(b)
}

func (w *fileWriter) value(v *jsondoc.Value, indent string) error {
	if fn, ok := w.special[v]; ok {
		return fn()
	}
	deeper := indent + "  "
	first := true
	begin := func(open byte) {
		if first {
			w.buf = append(w.buf, open)
		} else {
			w.buf = append(w.buf, ',')
		}
		first = false
		w.buf = append(append(w.buf, '\n'), deeper...)
	}
	switch v.Kind() {
	case jsondoc.KindObject:
		for name, x := range v.Members() {
			begin('{')
			w.quoted(name)
			w.buf = append(w.buf, ": "...)
			if err := w.value(x, deeper); err != nil {
				return err
			}
		}
		if first {
			w.buf = append(w.buf, "{}"...)
			return nil
		}
		w.buf = append(append(append(w.buf, '\n'), indent...), '}')
	case jsondoc.KindArray:
		for _, x := range v.Elems() {
			begin('[')
			if err := w.value(x, deeper); err != nil {
				return err
			}
		}
		if first {
			w.buf = append(w.buf, "[]"...)
			return nil
		}
		w.buf = append(append(append(w.buf, '\n'), indent...), ']')
	case jsondoc.KindString:
		s, _ := v.Text()
		w.quoted(s)
	case jsondoc.KindNumber:
		s, _ := v.Num()
		w.buf = append(w.buf, s...)
	default:
		w.bytes(v.Raw())
	}
	return nil
}

// quoted adds a string; jsondoc escapes what needs it.
func (w *fileWriter) quoted(s string) {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			w.bytes(jsondoc.String(s).Raw())
			return
		}
	}
	w.buf = append(append(append(w.buf, '"'), s...), '"')
}

// verbatim has a value written as it is spelled.
func (w *fileWriter) verbatim(v *jsondoc.Value) {
	w.special[v] = func() error { w.bytes(v.Raw()); return nil }
}

// asset puts the bytes of a picture into "ref" of its object.
func (w *fileWriter) asset(obj *jsondoc.Value, ref string, b *Blob, where string) {
	mime := b.Mime
	if strings.ContainsFunc(mime, func(r rune) bool { return r <= ' ' || r == ',' || r >= 0x7f }) {
		mime = ""
	}
	uri := jsondoc.Null()
	obj.Set("ref", uri)
	if ref != "" {
		obj.SetAfter("ref", placeName, jsondoc.String(ref))
	}
	w.later(uri, "data:"+mime+";base64,", b, where)
}

// later has v written as a string of head and the base64 of b.
func (w *fileWriter) later(v *jsondoc.Value, head string, b *Blob, where string) {
	if b.Size > 0 {
		w.known += b64Size(b.Size)
	}
	w.special[v] = func() error {
		q := jsondoc.String(head).Raw()
		w.buf = append(w.buf, q[:len(q)-1]...)
		if err := w.base64(b); err != nil {
			return fault.At(err, where)
		}
		w.buf = append(w.buf, '"')
		return w.check(w.out.Size())
	}
}

func (w *fileWriter) base64(b *Blob) error {
	if b.Form == FormBase64 {
		_, clean, err := cleanBase64(b.Data)
		if err != nil {
			return err
		}
		if clean {
			w.flush()
			w.out.AppendRope(b.Data)
			return nil
		}
	}
	raw, err := b.Raw()
	if err != nil {
		return err
	}
	if raw.Size() > 64<<10 {
		w.flush()
		s := b64Source{raw}
		w.out.AppendRange(&s, 0, s.Size())
		return nil
	}
	small, err := rope.View(raw, 0, raw.Size())
	if err != nil {
		return err
	}
	w.buf = base64.StdEncoding.AppendEncode(w.buf, small)
	return nil
}

func (w *fileWriter) escrow(enc *encoder, b *Escrow) *jsondoc.Value {
	out := jsondoc.Object()
	if b.Raw != nil && b.Raw.Root != nil {
		full := b.Raw.Bytes()
		raw := full[len(b.Raw.Prefix) : len(full)-len(b.Raw.Suffix)]
		v := jsondoc.Null()
		w.special[v] = func() error { w.bytes(raw); return nil }
		w.known += int64(len(raw))
		out.Set("raw", v)
		if len(b.Raw.Prefix) > 0 {
			out.Set("rawPrefix", jsondoc.String(string(b.Raw.Prefix)))
		}
		if len(b.Raw.Suffix) > 0 {
			out.Set("rawSuffix", jsondoc.String(string(b.Raw.Suffix)))
		}
	}
	if b.Unmapped != nil {
		u := b.Unmapped.Clone()
		w.verbatim(u)
		out.Set("unmapped", u)
	}
	where := jsondoc.Path("original").Name(b.Bucket)
	if b.Media != nil {
		m, data := jsondoc.Object(), jsondoc.Null()
		m.Set("b64", data)
		m.Set("mime", jsondoc.String(b.Media.Mime))
		w.later(data, "", b.Media, where.Name("sourceMedia").String())
		out.Set("sourceMedia", m)
	}
	if b.Files != nil {
		v := jsondoc.Null()
		out.Set("files", v)
		items := make([]*jsondoc.Value, len(b.Files))
		for i, f := range b.Files {
			items[i] = jsondoc.Null()
			w.later(items[i], "", f.Blob, where.Name("files").Name(f.Path).String())
		}
		w.special[v] = func() error { return w.files(b.Files, items) }
	}
	return out
}

// files writes by hand, because an archive may hold several entries of one name.
func (w *fileWriter) files(files []File, items []*jsondoc.Value) error {
	const indent = "\n      "
	if len(files) == 0 {
		w.buf = append(w.buf, "{}"...)
		return nil
	}
	for i, f := range files {
		w.buf = append(w.buf, "{,"[min(i, 1)])
		w.buf = append(w.buf, indent+"  "...)
		w.quoted(f.Path)
		w.buf = append(w.buf, ": "...)
		if err := w.value(items[i], ""); err != nil {
			return err
		}
	}
	w.buf = append(append(w.buf, indent...), '}')
	return nil
}

// DecodeEntity reads a canonical file of any kind, whatever a program other than EncodeEntity wrote into it: members
// that the model does not know are kept in Entity.Extra (by path from the root) and in the Extra of the body.
//
// It fails closed: the version must be known, the kind one of Kinds, the id a text that is not empty, and the body an
// object with the members that its kind needs. Errors are fault.Damaged with the JSON path, fault.Unsupported for a
// newer version or another kind, and those of jsondoc.Parse for "raw".
func DecodeEntity(doc *jsondoc.Doc, lim limits.Limits) (*Entity, error) {
	if doc == nil || doc.Root.Kind() != jsondoc.KindObject {
		kind := jsondoc.KindAbsent
		if doc != nil {
			kind = doc.Root.Kind()
		}
		return nil, fault.New(fault.Damaged, "", "a bunzai file is a JSON object, and this is %s", kind)
	}
	root := doc.Root
	if err := checkVersion(root.Get("schemaVersion")); err != nil {
		return nil, err
	}
	kind, err := readKind(root.Get("kind"))
	if err != nil {
		return nil, err
	}
	e := &Entity{Kind: kind, Body: NewBody(kind)}
	id, ok := root.Get("id").Text()
	if !ok || id == "" {
		return nil, fault.New(fault.Damaged, "id", "id should be a text that is not empty, and here it is %s", seen(root.Get("id")))
	}
	e.ID = id
	body := root.Get("body")
	if body.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, "body", "body should be an object, and here it is %s", body.Kind())
	}
	for _, r := range required[kind] {
		if v := body.At(strings.Split(r.path, ".")...); v.Kind() != r.kind {
			return nil, fault.New(fault.Damaged, "body."+r.path, "every %s needs %s, which should be %s, and here it is %s",
				kind.words(), r.path, r.kind, v.Kind())
		}
	}
	v, p, _ := bodyOf(e.Body)
	d := &decoder{asset: readAsset}
	if err := d.body(p, body, v); err != nil {
		return nil, inBody(err)
	}
	if err := checkEntries(e); err != nil {
		return nil, err
	}

	rest := &decoder{}
	for name, x := range root.Members() {
		rest.trail = append(rest.trail[:0], step{name: name, idx: -1})
		switch name {
		case "schemaVersion", "kind", "id", "body":
		case "original":
			if e.Original, err = readOriginal(rest, x, lim); err != nil {
				return nil, err
			}
		case "notes":
			if e.Notes, err = readNotes(rest, x); err != nil {
				return nil, err
			}
		case parkedName:
			if x.Kind() == jsondoc.KindObject {
				for path, y := range x.Members() {
					rest.park(path, y)
				}
				break
			}
			rest.park(name, x)
		default:
			rest.park(rest.trail.text(), x)
		}
	}
	e.Extra = rest.extra
	return e, nil
}

// inBody puts "body." before the JSON path of an error.
func inBody(err error) error {
	c := *fault.As(err)
	switch {
	case c.Where == "":
		c.Where = "body"
	case strings.HasPrefix(c.Where, "["):
		c.Where = "body" + c.Where
	default:
		c.Where = "body." + c.Where
	}
	return &c
}

// seen names a value in a message: a short text is shown.
func seen(v *jsondoc.Value) string {
	if s, ok := v.Text(); ok {
		return strconv.Quote(clip(s, 40))
	}
	return v.Kind().String()
}

func checkVersion(v *jsondoc.Value) error {
	s, ok := v.Text()
	switch n, err := strconv.Atoi(s); {
	case s == SchemaVersion:
		return nil
	case v == nil:
		return fault.New(fault.Damaged, "schemaVersion", "this is not a bunzai file: it has no schemaVersion")
	case !ok:
		return fault.New(fault.Damaged, "schemaVersion", "schemaVersion should be the text %q, and here it is %s", SchemaVersion, v.Kind())
	case err == nil && n > 1:
		return fault.New(fault.Unsupported, "schemaVersion", "this file was made by a newer bunzai (schemaVersion %s), "+
			"and this one reads up to %s; use a newer bunzai to open it", clip(s, 20), SchemaVersion)
	}
	return fault.New(fault.Damaged, "schemaVersion", "schemaVersion should be %q, and here it is %s", SchemaVersion, seen(v))
}

func readKind(v *jsondoc.Value) (Kind, error) {
	s, _ := v.Text()
	var names []string
	for _, k := range Kinds() {
		if s == string(k) {
			return k, nil
		}
		names = append(names, string(k))
	}
	switch s {
	case "pack", "htmldoc":
		return "", fault.New(fault.Unsupported, "kind", "bunzai does not read pieces of the kind %s", s)
	}
	return "", fault.New(fault.Damaged, "kind", "kind should be one of %s, and here it is %s", strings.Join(names, ", "), seen(v))
}

func (k Kind) words() string {
	switch k {
	case KindRegex:
		return "regex set"
	case KindQuickReply:
		return "quick reply set"
	}
	return string(k)
}

type need struct {
	path string
	kind jsondoc.Kind
}

var required = map[Kind][]need{
	KindCharacter:  {{"identity.name", jsondoc.KindString}},
	KindLorebook:   {{"name", jsondoc.KindString}, {"entries", jsondoc.KindArray}},
	KindRegex:      {{"name", jsondoc.KindString}, {"rules", jsondoc.KindArray}},
	KindPersona:    {{"name", jsondoc.KindString}, {"content", jsondoc.KindString}},
	KindPreset:     {{"name", jsondoc.KindString}, {"prompts", jsondoc.KindArray}},
	KindQuickReply: {{"name", jsondoc.KindString}, {"replies", jsondoc.KindArray}},
}

// checkEntries demands what links within a book rely on: entries with unique ids.
func checkEntries(e *Entity) error {
	b := e.Lorebook()
	if b == nil {
		return nil
	}
	at := make(map[string]int, len(b.Entries))
	for i, x := range b.Entries {
		where := fmt.Sprintf("body.entries[%d].id", i)
		if x.ID == "" {
			return fault.New(fault.Damaged, where, "every lorebook entry needs an id, and entry %d has none", i+1)
		}
		if j, taken := at[x.ID]; taken {
			return fault.New(fault.Damaged, where, "lorebook entries %d and %d have the same id %q", j+1, i+1, clip(x.ID, 40))
		}
		at[x.ID] = i
	}
	return nil
}

// readAsset takes the bytes out of "ref", when it is a base64 data URI. Anything else stays a text.
func readAsset(obj *jsondoc.Value, where string) (ref string, b *Blob, err error) {
	text, ok := stringBytes(obj.Get("ref"))
	if !ok || !bytes.HasPrefix(text, []byte("data:")) {
		return "", nil, nil
	}
	head, _, ok := bytes.Cut(text[:min(len(text), 4096)], []byte{','})
	if !ok {
		return "", nil, nil
	}
	data := text[len(head)+1:]
	mime, ok := bytes.CutSuffix(head[len("data:"):], []byte(";base64"))
	if !ok {
		return "", nil, nil
	}
	if b, ok = base64Blob(data, string(mime)); !ok {
		return "", nil, nil
	}
	if p := obj.Get(placeName); p != nil {
		if ref, ok = p.Text(); !ok {
			return "", nil, fault.New(fault.Damaged, where+"."+placeName, "%s.%s should be text, and here it is %s", where, placeName, p.Kind())
		}
	}
	return ref, b, nil
}

// stringBytes is the decoded text of a string, shared with the source where it has no escapes.
func stringBytes(v *jsondoc.Value) ([]byte, bool) {
	if v.Kind() != jsondoc.KindString {
		return nil, false
	}
	raw := v.Raw()
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 {
		return in[:len(in):len(in)], true
	}
	s, _ := v.Text()
	return []byte(s), true
}

func readBase64(d *decoder, v *jsondoc.Value, mime string) (*Blob, error) {
	text, ok := stringBytes(v)
	if !ok {
		return nil, d.expected("base64 text", v)
	}
	b, ok := base64Blob(text, mime)
	if !ok {
		where := d.trail.text()
		return nil, fault.New(fault.Damaged, where, "%s should be base64, and it holds other characters", where)
	}
	return b, nil
}

func readOriginal(d *decoder, v *jsondoc.Value, lim limits.Limits) ([]*Escrow, error) {
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != jsondoc.KindObject {
		return nil, d.expected("an object", v)
	}
	var out []*Escrow
	for name, x := range v.Members() {
		if v.Get(name) != x {
			continue // a later bucket of that name counts
		}
		d.trail.name(name)
		b, err := readEscrow(d, name, x, lim)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
		d.trail.pop()
	}
	return out, nil
}

func readEscrow(d *decoder, name string, v *jsondoc.Value, lim limits.Limits) (*Escrow, error) {
	if v.Kind() != jsondoc.KindObject {
		return nil, d.expected("an object", v)
	}
	b := &Escrow{Bucket: name}
	var edge [2]string
	for name, x := range v.Members() {
		d.trail.name(name)
		switch name {
		case "raw":
		case "rawPrefix", "rawSuffix":
			s, ok := x.Text()
			if !ok {
				return nil, d.expected("text", x)
			}
			if name == "rawPrefix" {
				edge[0] = s
			} else {
				edge[1] = s
			}
		case "unmapped":
			if x.IsNull() {
				break
			}
			if x.Kind() != jsondoc.KindObject {
				return nil, d.expected("an object", x)
			}
			b.Unmapped = x.Clone()
		case "sourceMedia":
			if x.IsNull() {
				break
			}
			if x.Kind() != jsondoc.KindObject {
				return nil, d.expected("an object", x)
			}
			mime, _ := x.Get("mime").Text()
			for member, y := range x.Members() {
				d.trail.name(member)
				switch member {
				case "b64":
					m, err := readBase64(d, y, mime)
					if err != nil {
						return nil, err
					}
					b.Media = m
				case "mime":
					if y.Kind() != jsondoc.KindString {
						return nil, d.expected("text", y)
					}
				default:
					d.park(d.trail.text(), y)
				}
				d.trail.pop()
			}
			if b.Media == nil {
				d.trail.name("b64")
				return nil, d.expected("base64 text", nil)
			}
		case "files":
			if x.IsNull() {
				break
			}
			if x.Kind() != jsondoc.KindObject {
				return nil, d.expected("an object", x)
			}
			if n := int64(x.Len()); lim.ArchiveEntries > 0 && n > lim.ArchiveEntries {
				return nil, lim.Over(d.trail.text(), "ArchiveEntries", n)
			}
			b.Files = []File{}
			for path, y := range x.Members() {
				d.trail.name(path)
				blob, err := readBase64(d, y, "")
				if err != nil {
					return nil, err
				}
				b.Files = append(b.Files, File{Path: path, Blob: blob})
				d.trail.pop()
			}
		default:
			d.park(d.trail.text(), x)
		}
		d.trail.pop()
	}
	if raw := v.Get("raw"); raw != nil {
		text := raw.Raw()
		if edge[0] != "" || edge[1] != "" {
			text = []byte(edge[0] + string(text) + edge[1])
		}
		doc, err := jsondoc.Parse(text, lim)
		if err != nil {
			d.trail.name("raw")
			return nil, fault.At(err, d.trail.text())
		}
		b.Raw = doc
	} else if edge[0] != "" || edge[1] != "" {
		return nil, fault.New(fault.Damaged, d.trail.text(), "there is a rawPrefix or rawSuffix without raw")
	}
	return b, nil
}
