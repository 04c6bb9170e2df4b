//go:build js && wasm

package idb

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// idKey is the text that stands for an id in the database. JavaScript has no text for bytes that are no UTF-8, so that
// such an id is written in hexadecimal after "\x00x"; one that begins with "\x00" of itself is written so, too.
func idKey(id string) string {
	if utf8.ValidString(id) && !strings.HasPrefix(id, "\x00") {
		return id
	}
	return "\x00x" + hex.EncodeToString([]byte(id))
}

func unkey(s string) string {
	if code, ok := strings.CutPrefix(s, "\x00x"); ok {
		if b, err := hex.DecodeString(code); err == nil {
			return string(b)
		}
	}
	return s
}
