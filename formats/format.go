// Package formats holds the contract that every app format keeps, the sniffed input they share, and the registry
// that picks the best bid. One folder per app lives below; a format imports another format never, and what several
// apps share lies in formats/internal.
package formats

import (
	"slices"

	"bunzai/canonical"
	"bunzai/limits"
	"bunzai/rope"
)

// Container is the kind of file around a piece.
type Container string

const (
	PNG        Container = "png"        // card chunks in a PNG
	JSON       Container = "json"       // a JSON document
	CharX      Container = "charx"      // a ZIP with card.json
	Risum      Container = "risum"      // a Risu module
	YAML       Container = "yaml"       // a YAML text; written only back into the file that came in
	JPEG       Container = "jpeg"       // a JPEG picture with a ZIP with card.json behind it
	Risup      Container = "risup"      // a preset of Risu, packed since August 2024
	RisuPreset Container = "risupreset" // a preset of Risu, packed before
)

// Containers lists every kind of file, for the doors that check what they are asked for.
func Containers() []string {
	return []string{string(PNG), string(JSON), string(CharX), string(JPEG), string(Risum), string(Risup), string(RisuPreset), string(YAML)}
}

// Info names a codec. App is what the user says after --to; the codec follows from app and kind.
type Info struct {
	ID         string         // "sillytavern", "sillytavern-lorebook"
	App        string         // "sillytavern"
	AppLabel   string         // "SillyTavern"
	Kind       canonical.Kind // what it reads and writes
	Label      string         // "SillyTavern character card"
	Containers []Container    // what it can write, the default for a new file first
	Specs      []string       // versions that can be asked for ("v2", "v3"); nil when there is one
}

// Bid is a codec's claim on an input. Score 0 means no; the best bid above 0.5 wins, the first registered on a tie.
type Bid struct {
	Score  float64
	Reason string // why, in words: "chunk chara holds a card", "no card chunk"
}

// No is a bid of nothing, with the reason.
func No(reason string) Bid { return Bid{Reason: reason} }

// Codec translates one kind of one app between its wire files and the canonical model. A codec holds no state:
// calls never see each other, and never change their arguments.
type Codec interface {
	Info() Info
	// Detect bids on an input without decoding it wholly; it must not fail.
	Detect(in *Input) Bid
	// Decode reads the piece. Errors are *fault.Error.
	Decode(in *Input) (*Decoded, error)
	// Encode writes the piece. An unedited entity with this codec's own escrow comes out as the file that came in.
	Encode(e *canonical.Entity, ctx EncodeContext) (*Encoded, error)
	// Fields is the field map as seen from the canonical side: which paths have a place in this app's files.
	Fields() []Field
}

// Returner is implemented by codecs that give some pieces back in a container in which they write nothing new.
type Returner interface {
	// Returns names the container besides Info's in which e can go back to the app it came from; "" when there is none.
	Returns(e *canonical.Entity) Container
}

// Writes tells whether c writes e into the container: one of its own, or the one that e came in.
func Writes(c Codec, e *canonical.Entity, container Container) bool {
	if slices.Contains(c.Info().Containers, container) {
		return true
	}
	r, ok := c.(Returner)
	return ok && e != nil && e.Bucket(c.Info().ID) != nil && container != "" && r.Returns(e) == container
}

// BookExtractor is implemented by character codecs whose embedded lorebooks are not (only) a character_book.
type BookExtractor interface {
	// ExtractBooks returns the lorebooks that the character carries, in order; ids are not yet unique.
	ExtractBooks(e *canonical.Entity) ([]*canonical.Entity, []string, error)
}

// RegexExtractor is implemented by codecs of characters and presets whose files carry regex scripts.
type RegexExtractor interface {
	// ExtractRegex returns the regex sets that the piece carries, in order; ids are not yet unique.
	ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error)
}

// RegexFielder is implemented beside RegexExtractor: the field map of the embedded regex rules.
type RegexFielder interface {
	RegexFields() []Field
}

// BookFielder is implemented by character codecs: the field map of the lorebooks that they embed.
type BookFielder interface {
	BookFields() []Field
}

// EscrowReader is implemented by codecs that know the escrow of pieces which were taken out of other files.
type EscrowReader interface {
	// UnmappedOf lists what of an escrow has no canonical home; false for one that the codec does not know.
	UnmappedOf(o *canonical.Escrow) (paths []string, ok bool)
}

// SecretKeeper is implemented by codecs whose files may hold secrets that have no canonical home: addresses, passwords,
// headers. They never go to another app, and a report names them without showing them.
type SecretKeeper interface {
	// Secret reports whether the wire path (as in Unmapped) holds one.
	Secret(path string) bool
}

// Decoded is what a file held.
type Decoded struct {
	Entity    *canonical.Entity
	Container Container
	Variant   string   // "v1", "flat", "v2", "v3", ...
	Warnings  []string // odd but readable, in plain words with the place
	// More are further pieces of the same kind in the same file (a backup of many personas), after Entity.
	More []*canonical.Entity
	// Unmapped lists the wire paths with content and no canonical home, in file order; nil when there are none. It is a
	// function because it is not always asked for.
	Unmapped func() []string
}

// EncodeContext is everything that an encoder may depend on beside the entity.
type EncodeContext struct {
	Container Container // "" = the source's container where the codec writes it, else the default
	Spec      string    // "" = the source's version, else the app's usual one
	// Lorebooks are the resolved books. Nil: not resolved, the twin's book is left alone. Non-nil and empty: every
	// embedded copy is removed. Non-empty: they replace what is embedded.
	Lorebooks []*canonical.Entity
	// RegexSets are the resolved regex sets, with the same three meanings as Lorebooks.
	RegexSets []*canonical.Entity
	// More are further pieces of the same kind for the same file. A format that holds one piece a file leaves them out;
	// the report names them.
	More      []*canonical.Entity
	Limits    limits.Limits
	AllowLoss bool // write even where archive content would be dropped
	// Password locks a card again that came encrypted, as it opened it; "" is none. It is never shown or kept.
	Password string
}

// Encoded is a finished file.
type Encoded struct {
	Data      *rope.Rope
	Container Container
	Spec      string
	Ext       string // with dot: ".png"
	MediaType string
	Warnings  []string
	// Left are wire paths of the app's own document that were left out and that no canonical field stands for.
	Left []string
	Near []Near
	// Fields are rows that hold for this file alone and go before the codec's own: what this container only parks.
	Fields []Field
	// KeepsEscrow says that the file carries the source's own data along (the canonical file does).
	KeepsEscrow bool
}

// Near is a value that the app's own field holds only roughly. The exact one is parked in the file for the way back,
// so decoding gives it again; the report must still say what the app itself sees.
type Near struct {
	Piece int    // 0 the primary, then Lorebooks, RegexSets and More of the context, in that order
	Path  string // canonical path in that piece
	After string // what the app sees
	Why   string
}

// Field says where a canonical path lives in an app's files.
type Field struct {
	Path  string // canonical body path or its prefix: "identity.name", "entries[].priority", "media.assets"
	Wire  string // where it is written, in the app's words: "data.nickname"
	Reads bool   // the app uses it; false = the file keeps it and the app ignores it (parked)
	Note  string // what a person should know when it is parked, changed or lost
}
