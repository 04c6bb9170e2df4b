package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"bunzai/canonical"
	"bunzai/convert"
)

const ext = ".json"

// longest is the greatest length of a file name in bytes, without its extension. File systems take 255 bytes.
const longest = 200

// fileName is the name of a piece's file for its id, without extension. Lower-case letters, numbers, "-" and "_" stand for
// themselves, as long as no file system takes them for others; every other byte is %XX. So names differ on file systems
// that know no letter case or compose accents, and none has a dot, a separator or a device's name. An id too long for a
// name is cut and gets "~" and a hash of the whole; no other name has a "~".
func fileName(id string) string {
	var b strings.Builder
	cut := 0
	for i := 0; i < len(id); {
		r, n := utf8.DecodeRuneInString(id[i:])
		if plain(r, n) {
			b.WriteString(id[i : i+n])
		} else {
			for _, c := range []byte(id[i : i+n]) {
				b.WriteByte('%')
				b.WriteString(strings.ToUpper(hex.EncodeToString([]byte{c})))
			}
		}
		if i += n; b.Len() <= longest-33 {
			cut = b.Len()
		}
	}
	name := b.String()
	if len(name) > longest {
		sum := sha256.Sum256([]byte(id))
		return name[:cut] + "~" + hex.EncodeToString(sum[:16])
	}
	if canonical.Slug(name) != name && canonical.Slug(name) == name+"-id" { // a device of Windows
		return "%" + strings.ToUpper(hex.EncodeToString([]byte{name[0]})) + name[1:]
	}
	return name
}

func plain(r rune, n int) bool {
	switch {
	case r == '-' || r == '_':
		return true
	case r == utf8.RuneError && n == 1:
		return false
	case r < utf8.RuneSelf:
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	s := string(r)
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && convert.FoldName(s) == s && norm.NFC.PropertiesString(s).BoundaryBefore()
}

// idOf is the id that fileName made the name of. ok is false for a name that is cut or that it did not make.
func idOf(name string) (id string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		c, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	id = b.String()
	return id, id != "" && fileName(id) == name
}
