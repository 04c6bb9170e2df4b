// Package canonical is the hub: one model of characters, lorebooks, regex sets, personas, presets and quick
// replies that every app format translates to and from. It knows no app and no container.
//
// A pointer field that is nil is absent in the source: nothing is invented on read, and nothing is written for it.
// An explicit false, 0 or "" is a non-nil pointer to that value. Null on the wire counts as absent here and is kept
// by the escrow (Original), so that a file written back to its own format still says null.
package canonical
