package datauri

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"bunzai/fault"
)

// DecodeCard decodes the value of a card chunk: base64 in any spelling that DecodeBase64 reads. A value that is JSON
// text as it is (it starts with an opening brace) comes back unchanged with raw true. Errors: Damaged (empty, or no
// base64).
func DecodeCard(value []byte) (text []byte, raw bool, err error) {
	v := bytes.TrimLeft(bytes.TrimPrefix(value, bom), " \t\r\n\v\f")
	switch {
	case len(bytes.TrimRight(v, "\x00 \t\r\n\v\f")) == 0:
		return nil, false, fault.New(fault.Damaged, "", "the card text is empty")
	case v[0] == '{':
		return value, true, nil
	}
	text, err = DecodeBase64(value)
	return text, false, err
}

var bom = []byte("\xef\xbb\xbf")

const (
	skip = 64 + iota // white space
	pad
	bad
)

// table holds the value of each base64 character of the standard and the URL alphabet.
var table = func() (t [256]byte) {
	for i := range t {
		t[i] = bad
	}
	for i := range byte(26) {
		t['A'+i], t['a'+i] = i, 26+i
	}
	for i := range byte(10) {
		t['0'+i] = 52 + i
	}
	t['+'], t['-'], t['/'], t['_'], t['='] = 62, 62, 63, 63, pad
	for _, c := range " \t\r\n\v\f" {
		t[c] = skip
	}
	return t
}()

// DecodeBase64 decodes base64 as real files spell it: standard and URL alphabet, also mixed; padding right, missing
// or too much; white space anywhere; a UTF-8 byte order mark before and NULs behind. Clean standard base64 takes the
// fast path into memory of its exact size. Error: Damaged, naming the first byte (counted from 0) that is no base64.
func DecodeBase64(b []byte) ([]byte, error) {
	if i := firstBad(b[:min(len(b), 1024)]); i >= 0 && len(b) > 4096 { // do not take memory for what is clearly none
		return nil, badByte(b, i)
	}
	end := len(b)
	for end > 0 && (b[end-1] == 0 || table[b[end-1]] == skip || table[b[end-1]] == pad) {
		end--
	}
	dst := make([]byte, base64.RawStdEncoding.DecodedLen(end))
	if n, err := base64.RawStdEncoding.Decode(dst, b[:end]); err == nil {
		return dst[:n], nil
	}
	return decodeTolerant(dst, b[:end])
}

// firstBad returns the index of the first byte that no base64 text holds (NUL and the mark are left to the decoder).
func firstBad(b []byte) int {
	for i, c := range b {
		if table[c] == bad && c != 0 && !(i < 3 && c == bom[i]) {
			return i
		}
	}
	return -1
}

func badByte(b []byte, i int) error {
	c := b[i]
	what := fmt.Sprintf("0x%02X", c)
	if c > ' ' && c < 0x7f {
		what = fmt.Sprintf("%q", c)
	}
	return fault.New(fault.Damaged, fmt.Sprintf("byte %d of the base64 text", i), "%s is no base64 character", what)
}

// decodeTolerant decodes b, whose trailing padding, white space and NULs are cut off, into dst.
func decodeTolerant(dst, b []byte) ([]byte, error) {
	start := 0
	if bytes.HasPrefix(b, bom) {
		start = len(bom)
	}
	var acc uint32
	have, n, padded := 0, 0, false
	for i := start; i < len(b); i++ {
		v := table[b[i]]
		switch {
		case v < 64 && !padded:
			acc = acc<<6 | uint32(v)
			if have++; have == 4 {
				dst[n], dst[n+1], dst[n+2] = byte(acc>>16), byte(acc>>8), byte(acc)
				n += 3
				acc, have = 0, 0
			}
		case v == skip:
		case v == pad:
			padded = true
		case v < 64:
			return nil, fault.New(fault.Damaged, fmt.Sprintf("byte %d of the base64 text", i), "the base64 text goes on after its padding")
		default:
			return nil, badByte(b, i)
		}
	}
	switch have {
	case 1:
		return nil, fault.New(fault.Damaged, fmt.Sprintf("byte %d of the base64 text", len(b)), "the base64 text is cut short: one character is left over")
	case 2:
		dst[n] = byte(acc >> 4)
		n++
	case 3:
		dst[n], dst[n+1] = byte(acc>>10), byte(acc>>2)
		n += 2
	}
	return dst[:n], nil
}
