// Package datauri reads and writes data URIs and base64: bounded, tolerant of what real files hold, and by offset
// where the text is clean, so that a picture can change between raw bytes and base64 without being held whole.
// It knows no format; the one thing it knows of cards is how the value of a card chunk is spelled.
//
// Wire facts: RFC 2397 (data URIs), RFC 4648 (base64 and its URL alphabet).
package datauri

import (
	"encoding/base64"
	"strings"

	"bunzai/fault"
)

// URI is a parsed data URI. Data shares memory with the parsed string.
type URI struct {
	Mime   string // lower case, without parameters; empty when the URI has none (RFC 2397: text/plain)
	Params string // the parameters as they stand, without base64, joined by ";"
	Base64 bool
	Data   string // still encoded
	Off    int    // where Data starts in the parsed string
}

// maxHead is how far the comma may stand from the start; no media type is that long.
const maxHead = 4096

const space = " \t\r\n\v\f"

// Parse takes a data URI apart: data:[mime][;params][;base64],data. The scheme and base64 may have any letter case,
// white space may stand around each part. false for what is no data URI.
func Parse(s string) (URI, bool) {
	start := len(s) - len(strings.TrimLeft(s, space))
	if len(s)-start < 6 || !strings.EqualFold(s[start:start+5], "data:") {
		return URI{}, false
	}
	head := s[start+5:]
	comma := strings.IndexByte(head[:min(len(head), maxHead)], ',')
	if comma < 0 {
		return URI{}, false
	}
	u := URI{Off: start + 5 + comma + 1}
	u.Data = s[u.Off:]
	mime, rest, more := strings.Cut(head[:comma], ";")
	u.Mime = strings.ToLower(strings.Trim(mime, space))
	var params []string
	for more {
		var p string
		p, rest, more = strings.Cut(rest, ";")
		if p = strings.Trim(p, space); strings.EqualFold(p, "base64") {
			u.Base64 = true
		} else if p != "" {
			params = append(params, p)
		}
	}
	u.Params = strings.Join(params, ";")
	return u, true
}

// Size returns how many bytes Data decodes to, from its length: exact for clean base64, else never too small but
// for escapes that are none.
func (u URI) Size() int64 {
	n := int64(len(u.Data))
	if !u.Base64 {
		return n - 2*int64(strings.Count(u.Data, "%"))
	}
	d := u.Data
	for range 2 {
		d = strings.TrimSuffix(d, "=")
	}
	n = int64(len(d))
	return n/4*3 + max(n%4-1, 0)
}

// Bytes decodes Data: base64 as tolerant as DecodeBase64 (percent escapes in it are read too), else percent escapes,
// where a percent sign that starts no escape stays as it is. Errors: OverLimit (more than max bytes), Damaged.
func (u URI) Bytes(max int64) ([]byte, error) {
	d := u.Data
	over := func(n int64) error {
		return fault.Over("data URI", fault.Limit{Name: "size of a data URI", Value: max, Found: n, Unit: "bytes"})
	}
	if int64(len(d)) > max && (!u.Base64 || u.Size() > max) {
		// White space and escapes make the text longer than its content: count what it holds before refusing.
		if n := u.count(); n > max {
			return nil, over(n)
		}
	}
	var out []byte
	switch {
	case u.Base64 && strings.IndexByte(d, '%') >= 0:
		var err error
		if out, err = DecodeBase64(unescape(d)); err != nil {
			return nil, err
		}
	case u.Base64:
		var err error
		if out, err = DecodeBase64([]byte(d)); err != nil {
			return nil, err
		}
	default:
		out = unescape(d)
	}
	if int64(len(out)) > max {
		return nil, over(int64(len(out)))
	}
	return out, nil
}

// count returns the decoded size by looking at every byte and keeping none.
func (u URI) count() int64 {
	var n int64
	for i := 0; i < len(u.Data); i++ {
		c, w := escape(u.Data[i:])
		i += w - 1
		if !u.Base64 || table[c] < 64 {
			n++
		}
	}
	if u.Base64 {
		n = n/4*3 + max(n%4-1, 0)
	}
	return n
}

// escape returns the first byte of s, decoded, and how many bytes of s it takes.
func escape(s string) (byte, int) {
	if s[0] == '%' && len(s) >= 3 {
		if h, l := hex(s[1]), hex(s[2]); h < 16 && l < 16 {
			return h<<4 | l, 3
		}
	}
	return s[0], 1
}

func hex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

func unescape(s string) []byte {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return append(out, s...)
		}
		out = append(out, s[:i]...)
		c, w := escape(s[i:])
		out = append(out, c)
		s = s[i+w:]
	}
	return out
}

// Encode returns b as a base64 data URI of that media type. The text is made in pieces: nothing but it is held.
func Encode(mime string, b []byte) string {
	var s strings.Builder
	s.Grow(len("data:;base64,") + len(mime) + base64.StdEncoding.EncodedLen(len(b)))
	s.WriteString("data:")
	s.WriteString(mime)
	s.WriteString(";base64,")
	const piece = 3 << 10
	var buf [piece / 3 * 4]byte
	for len(b) > 0 {
		n := min(len(b), piece)
		m := base64.StdEncoding.EncodedLen(n)
		base64.StdEncoding.Encode(buf[:m], b[:n])
		s.Write(buf[:m])
		b = b[n:]
	}
	return s.String()
}
