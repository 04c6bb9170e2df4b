// Package library keeps pieces that a person collects: characters, lorebooks, regex sets, personas, presets and quick
// replies, each as a canonical file of its own under its kind and id, linked by id.
//
// What lives here is what is true of every library: how a file that was read becomes kept pieces (SaveBundle), how
// linked pieces come together again for a file (Export), how links change (Attach, Detach). Where the bytes are is a
// Store: Memory here, a folder in library/folder, a browser's database in wasm/idb. A Store knows bytes and names and
// nothing of what they mean.
//
// # One rule for what is there already
//
// Importing never replaces. A piece whose id is taken gets the next free one (x, x-2, x-3), unless the library holds the
// very same piece under one of these: then that one is used, and the result says so. So three cards with one book in all
// of them share it, and a card that is imported again adds nothing.
package library
