package jsondoc

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

const hexDigits = "0123456789abcdef"

// appendQuoted writes s as a JSON string. Only quotes, backslashes, control characters and lone surrogates are escaped.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			dst = append(append(dst, s[from:i]...), '\\', c)
		case c < ' ':
			dst = append(dst, s[from:i]...)
			switch c {
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
		case c == 0xed && i+2 < len(s) && s[i+1] >= 0xa0 && s[i+1] <= 0xbf && s[i+2]&0xc0 == 0x80:
			dst = append(dst, s[from:i]...)
			dst = append(dst, '\\', 'u', 'd', hexDigits[8|s[i+1]>>2&7], hexDigits[s[i+1]&3<<2|s[i+2]>>4&3], hexDigits[s[i+2]&15])
			i += 2
		default:
			continue
		}
		from = i + 1
	}
	return append(append(dst, s[from:]...), '"')
}

// unquote decodes a JSON string with its quotes. A long text that needs no decoding, which most likely is a picture,
// is the source's own memory and no copy.
func unquote(q []byte) string {
	q = q[1 : len(q)-1]
	i := bytes.IndexByte(q, '\\')
	switch {
	case i < 0 && len(q) > keptText:
		return unsafe.String(unsafe.SliceData(q), len(q))
	case i < 0:
		return string(q)
	}
	var s strings.Builder
	s.Grow(len(q))
	decode(&s, q, i)
	return s.String()
}

// unquoteTo decodes a JSON string with its quotes into s.
func unquoteTo(s *strings.Builder, q []byte) {
	q = q[1 : len(q)-1]
	if i := bytes.IndexByte(q, '\\'); i >= 0 {
		decode(s, q, i)
	} else {
		s.Write(q)
	}
}

// decode writes q, whose first backslash is at i.
func decode(s *strings.Builder, q []byte, i int) {
	for i >= 0 && i+1 < len(q) {
		s.Write(q[:i])
		c := q[i+1]
		n := 2
		switch c {
		case 'n':
			s.WriteByte('\n')
		case 'r':
			s.WriteByte('\r')
		case 't':
			s.WriteByte('\t')
		case 'b':
			s.WriteByte('\b')
		case 'f':
			s.WriteByte('\f')
		case 'u':
			r := hex4(q[i:])
			n = 6
			if utf16.IsSurrogate(r) {
				if i+6 < len(q) {
					if pair := utf16.DecodeRune(r, hex4(q[i+6:])); pair != utf8.RuneError {
						s.WriteRune(pair)
						n = 12
						break
					}
				}
				s.Write([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
				break
			}
			s.WriteRune(max(r, 0))
		default:
			s.WriteByte(c)
		}
		q = q[min(i+n, len(q)):]
		if len(q) > 0 && q[0] == '\\' {
			i = 0
		} else {
			i = bytes.IndexByte(q, '\\')
		}
	}
	s.Write(q)
}

// hex4 reads \u and four digits, or returns -1.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
