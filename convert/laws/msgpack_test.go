package laws

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/testdata/samples"
)

// unpackPreset opens a .risupreset with eyes of its own: what stands before the preset's bytes, and the MessagePack data
// of the preset.
func unpackPreset(t testing.TB, data []byte) (head string, plain []byte) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	outer, err := io.ReadAll(z)
	require.NoError(t, err)
	at := max(bytes.Index(outer, []byte("\xa6preset\xc5")), bytes.Index(outer, []byte("\xa6preset\xc4")), bytes.Index(outer, []byte("\xa4pres\xc5")), bytes.Index(outer, []byte("\xa4pres\xc4")), bytes.Index(outer, []byte("\xa6preset\xc6")))
	require.Positive(t, at, "no preset in the outer map")
	name := 1 + int(outer[at]&31)
	width := 1 << (outer[at+name] - 0xc4)
	n := binary.BigEndian.Uint64(append(make([]byte, 8-width), outer[at+name+1:at+name+1+width]...))
	require.EqualValues(t, len(outer), at+name+1+width+int(n), "the bytes end where the file ends")
	_, open := samples.RisuGCM("risupreset")
	plain, err = open(outer[at+name+1+width:])
	require.NoError(t, err)
	return string(outer[:at+name]), plain
}

// showMsgPack writes MessagePack data as JSON. What JSON does not have is a text with its bytes.
func showMsgPack(b []byte) string {
	s, rest := msgShow(b)
	if len(rest) > 0 {
		panic("bytes behind the end")
	}
	return s
}

func msgShow(b []byte) (string, []byte) {
	c := b[0]
	n := func(width int) int {
		v := binary.BigEndian.Uint64(append(make([]byte, 8-width), b[1:1+width]...))
		b = b[width:]
		return int(v)
	}
	take := func(n int) []byte {
		x := b[1 : 1+n]
		b = b[n:]
		return x
	}
	text := func(n int) (string, []byte) {
		q, err := json.Marshal(string(take(n)))
		if err != nil {
			panic(err)
		}
		return string(q), b[1:]
	}
	odd := func(sort string, n int) (string, []byte) {
		return `"` + sort + " " + hex.EncodeToString(take(n)) + `"`, b[1:]
	}
	float := func(f float64) (string, []byte) {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return `"` + strconv.FormatFloat(f, 'g', -1, 64) + `"`, b[1:]
		}
		return strconv.FormatFloat(f, 'f', -1, 64), b[1:]
	}
	many := func(n int, open, shut string, pairs bool) (string, []byte) {
		out := open
		rest := b[1:]
		for i := range n {
			var s string
			if i > 0 {
				out += ","
			}
			if pairs {
				s, rest = msgShow(rest)
				out += s + ":"
			}
			s, rest = msgShow(rest)
			out += s
		}
		return out + shut, rest
	}
	switch {
	case c < 0x80:
		return strconv.Itoa(int(c)), b[1:]
	case c < 0x90:
		return many(int(c&15), "{", "}", true)
	case c < 0xa0:
		return many(int(c&15), "[", "]", false)
	case c < 0xc0:
		return text(int(c & 31))
	case c >= 0xe0:
		return strconv.Itoa(int(int8(c))), b[1:]
	}
	switch c {
	case 0xc0:
		return "null", b[1:]
	case 0xc2, 0xc3:
		return strconv.FormatBool(c == 0xc3), b[1:]
	case 0xc4, 0xc5, 0xc6:
		return odd("bytes", n(1<<(c-0xc4)))
	case 0xc7, 0xc8, 0xc9:
		return odd("ext", 1+n(1<<(c-0xc7)))
	case 0xca:
		return float(float64(math.Float32frombits(uint32(n(4)))))
	case 0xcb:
		return float(math.Float64frombits(uint64(n(8))))
	case 0xcc, 0xcd, 0xce, 0xcf:
		return strconv.Itoa(n(1 << (c - 0xcc))), b[1:]
	case 0xd0:
		return strconv.Itoa(int(int8(n(1)))), b[1:]
	case 0xd1:
		return strconv.Itoa(int(int16(n(2)))), b[1:]
	case 0xd2:
		return strconv.Itoa(int(int32(n(4)))), b[1:]
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		if s, rest := odd("ext", 1+1<<(c-0xd4)); s != `"ext 0000"` {
			return s, rest
		}
		return "null", b[1:]
	case 0xd9, 0xda, 0xdb:
		return text(n(1 << (c - 0xd9)))
	case 0xdc, 0xdd:
		return many(n(2<<(c-0xdc)), "[", "]", false)
	case 0xde, 0xdf:
		return many(n(2<<(c-0xde)), "{", "}", true)
	}
	panic("no MessagePack")
}
