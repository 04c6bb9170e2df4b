package formats

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"strings"

	"bunzai/rope"
)

const (
	lumiverseBackup = "a Lumiverse account backup (.lvbak)"
	backupAdvice    = "it holds a whole account, and the command line takes all of it out: bunzai import FILE.lvbak -o FOLDER"
)

// startsLikeBackup knows an account backup that is too large to be opened as a card, by its first entry alone: a table
// of the database, or a manifest that names the app.
func startsLikeBackup(src rope.Source) bool {
	head, err := rope.View(src, 0, min(src.Size(), 8<<10))
	if err != nil || len(head) < 30 || string(head[:4]) != "PK\x03\x04" {
		return false
	}
	le := binary.LittleEndian
	n, m := int(le.Uint16(head[26:])), int(le.Uint16(head[28:]))
	if 30+n+m > len(head) {
		return false
	}
	name, data := string(head[30:30+n]), head[30+n+m:]
	if strings.HasPrefix(name, "database/") && strings.HasSuffix(name, ".ndjson") {
		return true
	}
	if name != "manifest.json" {
		return false
	}
	if le.Uint16(head[8:]) == 8 {
		text := make([]byte, 16<<10)
		k, _ := io.ReadFull(flate.NewReader(bytes.NewReader(data)), text) // it may be cut short: what came counts
		data = text[:k]
	}
	return bytes.Contains(data, []byte(`"producer"`)) && bytes.Contains(data, []byte(`"lumiverse"`))
}
