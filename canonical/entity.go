package canonical

import (
	"bunzai/jsondoc"
	"bunzai/rope"
)

// SchemaVersion is the version of the model that this build writes. Readers accept older ones.
const SchemaVersion = "1"

// Kind is the closed set of things that bunzai knows.
type Kind string

const (
	KindCharacter  Kind = "character"
	KindLorebook   Kind = "lorebook"
	KindRegex      Kind = "regex"
	KindPersona    Kind = "persona"
	KindPreset     Kind = "preset"
	KindQuickReply Kind = "quickreply"
)

// Kinds lists every kind in the order in which bundles are saved: linked pieces before what links them.
func Kinds() []Kind {
	return []Kind{KindLorebook, KindRegex, KindQuickReply, KindPersona, KindPreset, KindCharacter}
}

// Entity is one piece: the wrapper around a body. Body is *Character, *Lorebook, *RegexSet, *Persona, *Preset or
// *QuickReplySet, as Kind says.
type Entity struct {
	Kind     Kind
	ID       string // slug, see Slug
	Body     any
	Original []*Escrow // in order; the first bucket names the source
	Notes    []Note
	Extra    *jsondoc.Value // unknown members of a canonical file, kept; nil otherwise
}

// Note is an author's note about the piece; no app format carries it.
type Note struct {
	ID   string  `json:"id"`
	Text string  `json:"text"`
	At   string  `json:"at"` // ISO 8601
	By   *string `json:"by"`
}

// Escrow is what one format carried that has no canonical home, kept so that a file written back to its own
// format is the file that came in. A target reads only its own bucket.
type Escrow struct {
	Bucket   string         // format id, or the dialect ("character-book")
	Raw      *jsondoc.Doc   // the source document, never edited in place; nil when there is none
	Unmapped *jsondoc.Value // object with the codec's own facts, e.g. {"variant":"v2"}; nil when none
	Media    *Blob          // the carrier picture (PNG without its card chunks), nil for JSON and ZIP
	Files    []File         // every entry of a source archive, in order; nil when it was none
}

// File is one archive entry in escrow.
type File struct {
	Path   string // as in the archive
	Blob   *Blob
	Header []byte // the archive's own record of the entry, opaque here; nil when rebuilt from a canonical file
}

// Bucket returns the escrow of that name, or nil.
func (e *Entity) Bucket(name string) *Escrow {
	for _, b := range e.Original {
		if b.Bucket == name {
			return b
		}
	}
	return nil
}

// Character returns the body, or nil when the entity is of another kind.
func (e *Entity) Character() *Character { c, _ := e.Body.(*Character); return c }

// Lorebook returns the body, or nil when the entity is of another kind.
func (e *Entity) Lorebook() *Lorebook { b, _ := e.Body.(*Lorebook); return b }

// Form is how the bytes of a Blob lie in the source.
type Form uint8

const (
	FormRaw     Form = iota // the bytes themselves
	FormBase64              // base64 text
	FormDeflate             // a raw deflate stream
)

// Blob is an asset in the form in which it came. It changes form only when a writer needs another one.
type Blob struct {
	Form Form
	Data *rope.Rope // the bytes in that form
	Size int64      // size of the raw bytes; -1 when not known without decoding
	CRC  *uint32    // CRC-32 of the raw bytes when the source states it
	Mime string     // media type sniffed or declared; "" when unknown
	// Decode turns Data into raw bytes, bounded by the limits of whoever made the Blob. Nil for FormRaw.
	Decode func() (rope.Source, error)
	// Peek returns the first n raw bytes (fewer when there are fewer) without decoding the rest; nil when Decode is
	// the only way.
	Peek func(n int) ([]byte, error)
}

// RawBlob wraps raw bytes.
func RawBlob(data *rope.Rope, mime string) *Blob {
	return &Blob{Data: data, Size: data.Size(), Mime: mime}
}

// Raw returns the raw bytes.
func (b *Blob) Raw() (rope.Source, error) {
	if b.Form == FormRaw || b.Decode == nil {
		return b.Data, nil
	}
	return b.Decode()
}

// SameBlob reports whether two blobs hold the same raw bytes; blobs of the same form over the same ranges are equal without reading.
func SameBlob(a, b *Blob) (bool, error) {
	if a == nil || b == nil {
		return a == b, nil
	}
	if a.Form == b.Form {
		if same, err := rope.Equal(a.Data, b.Data); err == nil && same {
			return true, nil
		}
		if a.Form == FormRaw {
			return rope.Equal(a.Data, b.Data)
		}
	}
	if a.Size >= 0 && b.Size >= 0 && a.Size != b.Size {
		return false, nil
	}
	x, err := a.Raw()
	if err != nil {
		return false, err
	}
	y, err := b.Raw()
	if err != nil {
		return false, err
	}
	return rope.Equal(x, y)
}

// Map is a JSON object with its order kept.
type Map[V any] []Pair[V]

// Pair is one member of a Map.
type Pair[V any] struct {
	Key   string
	Value V
}

// Get returns the value of the last member of that key.
func (m Map[V]) Get(key string) (v V, ok bool) {
	for _, p := range m {
		if p.Key == key {
			v, ok = p.Value, true
		}
	}
	return v, ok
}

// Ptr returns a pointer to v: the way to set an optional field.
func Ptr[T any](v T) *T { return &v }

// Or returns *p, or def when p is nil.
func Or[T any](p *T, def T) T {
	if p == nil {
		return def
	}
	return *p
}
