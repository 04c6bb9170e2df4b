// Package risu reads and writes what RisuAI exchanges: lorebooks, regex scripts and modules. The substitution of bytes that its
// packed files are written in and the container of modules lie in folders of their own. Wire facts are the app's own
// readers and writers (lorebook.svelte.ts, scripts.ts, modules.ts).
//
// Where the app and the design that the project follows differ:
//
//   - A file of bare rows is read, although the app takes only its export: writing for Risu makes the export.
//   - @@unrecursive keeps an entry's text from waking others and @@no_recursive_search keeps it from being woken, as the
//     app's source has it.
package risu

import "bunzai/formats"

// Codecs lists what this app reads and writes, in registration order.
func Codecs() []formats.Codec {
	return []formats.Codec{loreFile{}, scriptFile{}, moduleFile{}}
}
