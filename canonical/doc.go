// Package canonical is the hub: one model of characters, lorebooks, regex sets, personas, presets and quick
// replies that every app format translates to and from. It knows no app and no container.
//
// Beside the types live what works on any of them, driven by reflection over the JSON names: Diff and Walk (paths and
// changes), Label and Text (words for people), MarshalBody and UnmarshalBody, EncodeEntity and DecodeEntity (the
// canonical file), Clone, and the tables of links. A new field needs its line in the struct, a row of words in
// label.go, and go generate for the schema. What one app does with a field does not belong here.
//
// A pointer field that is nil is absent in the source: nothing is invented on read, and nothing is written for it.
// An explicit false, 0 or "" is a non-nil pointer to that value. Null on the wire counts as absent here and is kept
// by the escrow (Original), so that a file written back to its own format still says null.
package canonical
