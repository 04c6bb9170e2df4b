// Package limits holds the bounds that keep a hostile file from exhausting memory or time. Every door
// passes one Limits value in; nothing below reads a global. Limits are inclusive: exactly the value passes.
package limits

import "bunzai/fault"

// Limits bounds what one file may cost. Sizes are bytes.
type Limits struct {
	Name string // profile name, shown in refusals

	Archive        int64 // size of a ZIP file as it lies on disk
	ArchiveEntries int64 // ZIP entries, folder entries counted
	Entry          int64 // inflated bytes of one ZIP entry that is inflated; raw copies do not count
	Inflated       int64 // inflated bytes of all ZIP entries together that are inflated
	Ratio          int64 // inflated : packed of one entry, checked beyond 1 MiB of output

	JSON      int64 // bytes of one JSON document
	JSONDepth int64 // nesting levels

	PNGChunks int64 // chunks in one PNG
	PNGText   int64 // bytes of one text chunk, inflated, and of all card chunks together

	Items  int64 // of one list that is read piece by piece: lorebook entries, scripts, prompts, assets, personas
	Pixels int64 // of a picture that is decoded, which only happens to a portrait that must become a PNG

	Raise string // words that tell how to raise these limits; empty when nothing does
}

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Card is the default profile: any usual card, nothing that could hurt a browser tab.
func Card() Limits {
	return Limits{
		Name: "card", Archive: 96 * mib, ArchiveEntries: 512, Entry: 64 * mib, Inflated: 96 * mib, Ratio: 200,
		JSON: 64 * mib, JSONDepth: 512, PNGChunks: 100_000, PNGText: 64 * mib,
		Items: 12_000, Pixels: 16_777_216,
		Raise: "open it with large limits",
	}
}

// Large is for real cards with thousands of pictures. Pictures pass through uninflated, so memory stays flat.
func Large() Limits {
	l := Card()
	l.Name = "large"
	l.Archive, l.ArchiveEntries, l.Entry = 2*gib, 20_000, 256*mib
	l.Items = 50_000
	l.Raise = ""
	return l
}

// Backup is for an account archive of thousands of characters (.lvbak), which is streamed: rows go by one at a time and
// pictures pass through, so that Entry and Inflated bound the work and not the memory. JSON is one row. There is no
// bound on the ratio: the rows of a table resemble each other.
func Backup() Limits {
	l := Card()
	l.Name = "backup"
	l.Items = 1_000_000 // books of a backup are written one by one
	l.Archive, l.ArchiveEntries, l.Entry, l.Inflated, l.Ratio = 5*gib, 500_000, 20*gib, 20*gib, 1<<20
	l.Raise = ""
	return l
}

// Pack is for a ZIP that is a folder of files, each of which then has limits of its own: each. Files are taken out one at
// a time, so that Inflated bounds the work and not the memory.
func Pack(each Limits) Limits {
	l := each
	l.Name = "pack"
	l.Archive, l.ArchiveEntries, l.Entry, l.Inflated = 5*gib, 20_000, max(each.Archive, each.JSON), 20*gib
	return l
}

// Edge fits a server isolate of 128 MiB.
func Edge() Limits {
	l := Card()
	l.Name = "edge"
	l.Archive, l.Entry, l.Inflated, l.JSON, l.PNGText, l.Pixels = 24*mib, 12*mib, 16*mib, 12*mib, 12*mib, 4_194_304
	l.Items = 2_500
	l.Raise = "convert it on the page or with the command line, where the limits are higher"
	return l
}

// Advice tells how to raise a bound: the profile's words when the larger profile allows more than now, else nothing.
// Field picks the bound, as in lim.Advice(func(l Limits) int64 { return l.JSON }).
func (l Limits) Advice(field func(Limits) int64) string { return l.AdviceFor(field, 0) }

// AdviceFor is Advice for a file with that many: nothing when the larger profile would refuse it too. Found 0 means
// that nobody counted to the end.
func (l Limits) AdviceFor(field func(Limits) int64, found int64) string {
	next := Large()
	if l.Name == "edge" && found <= field(Card()) {
		next = Card()
	}
	if now, then := field(l), field(next); then > now && found <= then {
		return l.Raise
	}
	return ""
}

// Over is the refusal of a file that breaks the bound of that name. Found 0 means that counting stopped there.
func (l Limits) Over(where, name string, found int64) *fault.Error {
	var field func(Limits) int64
	unit := "bytes"
	switch name {
	case "Archive":
		field = func(l Limits) int64 { return l.Archive }
	case "ArchiveEntries":
		field, unit = func(l Limits) int64 { return l.ArchiveEntries }, "entries"
	case "Entry":
		field = func(l Limits) int64 { return l.Entry }
	case "Inflated":
		field = func(l Limits) int64 { return l.Inflated }
	case "JSON":
		field = func(l Limits) int64 { return l.JSON }
	case "JSONDepth":
		field, unit = func(l Limits) int64 { return l.JSONDepth }, "levels"
	case "PNGChunks":
		field, unit = func(l Limits) int64 { return l.PNGChunks }, "chunks"
	case "Items":
		field, unit = func(l Limits) int64 { return l.Items }, "items"
	case "Pixels":
		field, unit = func(l Limits) int64 { return l.Pixels }, "pixels"
	default:
		name, field = "PNGText", func(l Limits) int64 { return l.PNGText }
	}
	return fault.Over(where, fault.Limit{Name: name, Value: field(l), Found: found, Unit: unit, Raise: l.AdviceFor(field, found)})
}

// Named returns the profile of that name ("card", "large", "edge").
func Named(name string) (Limits, bool) {
	switch name {
	case "", "card":
		return Card(), true
	case "large":
		return Large(), true
	case "edge":
		return Edge(), true
	}
	return Limits{}, false
}
