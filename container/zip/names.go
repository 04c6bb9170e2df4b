package zip

import (
	"encoding/binary"
	"hash/crc32"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cp437 holds the upper half of IBM code page 437, the charset of names without the UTF-8 flag.
var cp437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐" +
	"└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

// decodeName turns the bytes of a name into text. Valid UTF-8 is taken as it is, flagged or not (most writers
// forget the flag); other bytes are looked up in the Unicode path field, then read as code page 437.
func decodeName(raw, extra []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	if s, ok := unicodePath(raw, extra); ok {
		return s
	}
	var b strings.Builder
	for _, c := range raw {
		if c < 0x80 {
			b.WriteByte(c)
		} else {
			b.WriteRune(cp437[c-0x80])
		}
	}
	return b.String()
}

// unicodePath reads Info-ZIP's field 0x7075: version 1, CRC-32 of the raw name, UTF-8 name.
func unicodePath(raw, extra []byte) (string, bool) {
	f, ok := extraField(extra, extraUnicode)
	if !ok || len(f) < 6 || f[0] != 1 || binary.LittleEndian.Uint32(f[1:]) != crc32.ChecksumIEEE(raw) || !utf8.Valid(f[5:]) {
		return "", false
	}
	return string(f[5:]), true
}

// cleanPath makes a name fit for look-up on every platform alike: backslashes are slashes, leading "/" and "./"
// go. A name that climbs out of the archive, names a drive, holds NUL or is empty gives "".
func cleanPath(name string) string {
	if strings.IndexByte(name, 0) >= 0 {
		return ""
	}
	p := strings.ReplaceAll(name, `\`, "/")
	for {
		if q, ok := strings.CutPrefix(p, "./"); ok {
			p = q
		} else if q, ok := strings.CutPrefix(p, "/"); ok {
			p = q
		} else {
			break
		}
	}
	if p == "." || len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') {
		return ""
	}
	if strings.Contains(p, "..") {
		for s := range strings.SplitSeq(p, "/") {
			if s == ".." {
				return ""
			}
		}
	}
	return p
}

// shown is a name as messages carry it: at most 80 characters, with what does not print escaped.
func shown(name string) string {
	const most = 80
	n := 0
	for i := range name {
		if n++; n > most {
			name = name[:i] + "..."
			break
		}
	}
	q := strconv.Quote(name)
	q = q[1 : len(q)-1]
	if q == "" {
		return "without a name"
	}
	return strings.ReplaceAll(q, `\\`, `\`)
}

// extraField returns the content of the first extra field with that id.
func extraField(extra []byte, id uint16) ([]byte, bool) {
	for len(extra) >= 4 {
		n := int(binary.LittleEndian.Uint16(extra[2:]))
		if 4+n > len(extra) {
			return nil, false
		}
		if binary.LittleEndian.Uint16(extra) == id {
			return extra[4 : 4+n], true
		}
		extra = extra[4+n:]
	}
	return nil, false
}
