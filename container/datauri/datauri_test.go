package datauri

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/rope"
)

// file is a Source that is no memory.
type file struct{ rope.Source }

// allocated returns how many bytes fn takes from the heap, all in all.
func allocated(fn func()) int64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	fn()
	runtime.ReadMemStats(&b)
	return int64(b.TotalAlloc - a.TotalAlloc)
}

func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// KF-040 and each other spelling that real files have.
func TestDecodeBase64(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"standard", "YWJjZA==", "abcd"},
		{"no padding", "YWJjZA", "abcd"},
		{"part of the padding", "YWJjZA=", "abcd"},
		{"too much padding", "YWJjZA=====", "abcd"},
		{"padding where none belongs", "YWJj=", "abc"},
		{"url alphabet", "_-8", "\xff\xef"},
		{"standard alphabet", "/+8", "\xff\xef"},
		{"mixed alphabets", "_+8/-w", "\xff\xef\x3f\xfb"},
		{"line breaks", "YW\r\nJj\nZA==\n", "abcd"},
		{"blanks and tabs", " Y W\tJ j Z\vA\f", "abcd"},
		{"padding apart", "YWJjZA =\n=", "abcd"},
		{"trailing NUL", "YWJjZA==\x00", "abcd"},
		{"trailing NULs and blanks", "YWJjZA\x00 \x00\n", "abcd"},
		{"trailing blank", "YWJjZA== ", "abcd"},
		{"byte order mark", "\xef\xbb\xbfYWJjZA==", "abcd"},
		{"unused bits set", "YWJjZB==", "abcd"},
		{"empty", "", ""},
		{"only padding", "====", ""},
		{"only white space", " \n", ""},
	} {
		got, err := DecodeBase64([]byte(c.in))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, string(got), c.name)
	}
	for _, c := range []struct{ name, in, want string }{
		{"bad character", "YW!jZA==", `'!' is no base64 character (byte 2 of the base64 text)`},
		{"bad byte", "YWJj\xffA==", `0xFF is no base64 character (byte 4 of the base64 text)`},
		{"NUL inside", "YWJj\x00ZA==", `0x00 is no base64 character (byte 4 of the base64 text)`},
		{"goes on after padding", "YWI=YWI=", "the base64 text goes on after its padding (byte 4 of the base64 text)"},
		{"one character left", "YWJjZ", "the base64 text is cut short: one character is left over (byte 5 of the base64 text)"},
		{"one character with padding", "Y===", "the base64 text is cut short: one character is left over (byte 1 of the base64 text)"},
		{"mark inside", "YWJj\xef\xbb\xbf", "0xEF is no base64 character (byte 4 of the base64 text)"},
	} {
		_, err := DecodeBase64([]byte(c.in))
		require.True(t, fault.Is(err, fault.Damaged), c.name)
		assert.Equal(t, c.want, err.Error(), c.name)
	}
}

func TestDecodeBase64EverySpelling(t *testing.T) {
	for n := range 70 {
		want := noise(n)
		std := base64.StdEncoding.EncodeToString(want)
		lines := func(s string) string {
			var b strings.Builder
			for i := range s {
				b.WriteByte(s[i])
				if i%7 == 6 {
					b.WriteString("\r\n ")
				}
			}
			return b.String()
		}
		url := base64.URLEncoding.EncodeToString(want)
		for _, s := range []string{std, strings.TrimRight(std, "="), url, strings.TrimRight(url, "="), lines(std), lines(url), std + "\x00", std + "="} {
			got, err := DecodeBase64([]byte(s))
			require.NoError(t, err)
			require.Equal(t, want, got, s)
		}
	}
}

func TestDecodeBase64Memory(t *testing.T) {
	const n = 32 << 20
	clean := []byte(strings.Repeat("A", n))
	got := allocated(func() { DecodeBase64(clean) })
	assert.LessOrEqual(t, got, int64(n/4*3+64<<10), "one buffer of the exact size")

	none := bytes.Repeat([]byte("!"), n)
	got = allocated(func() {
		_, err := DecodeBase64(none)
		assert.True(t, fault.Is(err, fault.Damaged))
		_, _, err = DecodeCard(none)
		assert.True(t, fault.Is(err, fault.Damaged))
	})
	assert.Less(t, got, int64(64<<10), "nothing for what is clearly no base64")

	clean[n-5] = '\n'
	clean[n-9] = '!'
	got = allocated(func() { DecodeBase64(clean) })
	assert.LessOrEqual(t, got, int64(n/4*3+64<<10), "the slow path uses the same buffer")
}

func TestDecodeCard(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		raw            bool
	}{
		{"base64", "eyJhIjoxfQ==", `{"a":1}`, false},
		{"url alphabet without padding", "eyJhIjoxfQ", `{"a":1}`, false},
		{"lines", "eyJh\nIjox\nfQ==", `{"a":1}`, false},
		{"raw JSON", `{"a":1}`, `{"a":1}`, true},
		{"raw JSON after blanks", "\n {\"a\":1}", "\n {\"a\":1}", true},
		{"raw JSON after a mark", "\xef\xbb\xbf{}", "\xef\xbb\xbf{}", true},
	} {
		got, raw, err := DecodeCard([]byte(c.in))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, string(got), c.name)
		assert.Equal(t, c.raw, raw, c.name)
	}
	for _, s := range []string{"", " \n", "\x00", "\xef\xbb\xbf"} {
		_, _, err := DecodeCard([]byte(s))
		assert.True(t, fault.Is(err, fault.Damaged), "%q", s)
	}
	_, _, err := DecodeCard([]byte("not a card"))
	assert.NoError(t, err, "these letters happen to be base64; the JSON reader refuses what they say")
	_, _, err = DecodeCard([]byte("<html>"))
	assert.True(t, fault.Is(err, fault.Damaged))
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want URI
		out  string
		size int64
	}{
		{"data:image/png;base64,YWJj", URI{Mime: "image/png", Base64: true, Data: "YWJj", Off: 22}, "abc", 3},
		{"DATA:Image/PNG;BASE64,YWI=", URI{Mime: "image/png", Base64: true, Data: "YWI=", Off: 22}, "ab", 2},
		{" \n data: image/png ; base64 , YWJj", URI{Mime: "image/png", Base64: true, Data: " YWJj", Off: 29}, "abc", 3},
		{"data:,a%20b+c", URI{Data: "a%20b+c", Off: 6}, "a b+c", 5},
		{"data:text/plain;charset=utf-8,%C3%A4%", URI{Mime: "text/plain", Params: "charset=utf-8", Data: "%C3%A4%", Off: 30}, "ä%", 1},
		{"data:text/plain;charset=utf-8;name=a.txt;base64,YQ", URI{Mime: "text/plain", Params: "charset=utf-8;name=a.txt", Base64: true, Data: "YQ", Off: 48}, "a", 1},
		{"data:image/png;base64;x=1,YQ==", URI{Mime: "image/png", Params: "x=1", Base64: true, Data: "YQ==", Off: 26}, "a", 1},
		{"data:image/png;base64,YWI%3D", URI{Mime: "image/png", Base64: true, Data: "YWI%3D", Off: 22}, "ab", 4},
		{"data:image/png;base64,%2B%2f%2b8", URI{Mime: "image/png", Base64: true, Data: "%2B%2f%2b8", Off: 22}, "\xfb\xff\xbc", 7},
		{"data:image/svg+xml;utf8,<svg a=',' b='%zz'/>", URI{Mime: "image/svg+xml", Params: "utf8", Data: "<svg a=',' b='%zz'/>", Off: 24}, "<svg a=',' b='%zz'/>", 18},
		{"data:;base64,", URI{Base64: true, Off: 13}, "", 0},
	} {
		u, ok := Parse(c.in)
		require.True(t, ok, c.in)
		assert.Equal(t, c.want, u, c.in)
		assert.Equal(t, u.Data, c.in[u.Off:])
		b, err := u.Bytes(100)
		require.NoError(t, err, c.in)
		assert.Equal(t, c.out, string(b), c.in)
		assert.Equal(t, c.size, u.Size(), c.in)
	}
	for _, s := range []string{"", "data:", "data:image/png;base64", "http://x/y,z", "data", "embeded://a,b", "data:" + strings.Repeat("x", maxHead) + ",y"} {
		_, ok := Parse(s)
		assert.False(t, ok, s)
	}
}

func TestBytesIsBounded(t *testing.T) {
	for name, s := range map[string]string{
		"clean":           Encode("image/png", make([]byte, 1000)),
		"white space":     "data:;base64," + strings.Repeat("QUFB \n", 333) + "QQ==",
		"percent escapes": "data:," + strings.Repeat("%41", 1000),
		"escaped base64":  "data:;base64," + strings.Repeat("%51%55FB", 333) + "QQ",
		"plain":           "data:," + strings.Repeat("%", 1000),
	} {
		u, ok := Parse(s)
		require.True(t, ok)
		b, err := u.Bytes(1000)
		require.NoError(t, err, name)
		assert.Len(t, b, 1000, name)
		_, err = u.Bytes(999)
		require.True(t, fault.Is(err, fault.OverLimit), name)
	}
	_, err := URI{Base64: true, Data: "YW!j"}.Bytes(10)
	assert.True(t, fault.Is(err, fault.Damaged))
	_, err = URI{Base64: true, Data: "YW!%20"}.Bytes(10)
	assert.True(t, fault.Is(err, fault.Damaged))

	u := URI{Base64: true, Data: strings.Repeat("A", 32<<20)}
	got := allocated(func() { _, err = u.Bytes(1 << 20) })
	assert.True(t, fault.Is(err, fault.OverLimit))
	assert.Less(t, got, int64(64<<10))
	got = allocated(func() { _, err = u.Bytes(24 << 20) })
	assert.NoError(t, err)
	assert.Less(t, got, int64(24<<20+64<<10), "the text is not copied")
}

func TestEncode(t *testing.T) {
	assert.Equal(t, "data:image/png;base64,", Encode("image/png", nil))
	assert.Equal(t, "data:image/png;base64,YWI=", Encode("image/png", []byte("ab")))
	for _, n := range []int{1, 3071, 3072, 3073, 10000} {
		b := noise(n)
		assert.Equal(t, "data:x/y;base64,"+base64.StdEncoding.EncodeToString(b), Encode("x/y", b))
	}
	b := noise(5 << 20) // KF-140
	got := allocated(func() { Encode("image/png", b) })
	assert.Less(t, got, int64(5<<20*4/3+64<<10), "one buffer")
}

// same reads src in every small way and compares it with want.
func same(t *testing.T, want []byte, src rope.Source) {
	t.Helper()
	require.Equal(t, int64(len(want)), src.Size())
	got, err := rope.Of(src).Bytes()
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
	if len(want) <= 64 {
		for off := range len(want) + 2 {
			for n := range len(want) + 3 {
				p := make([]byte, n)
				m, err := src.ReadAt(p, int64(off))
				rest := max(len(want)-off, 0)
				require.Equal(t, min(n, rest), m, "%d at %d", n, off)
				require.True(t, bytes.Equal(want[min(off, len(want)):][:m], p[:m]))
				if m < n || off >= len(want) {
					require.Equal(t, io.EOF, err)
				} else {
					require.NoError(t, err)
				}
			}
		}
	} else {
		require.NoError(t, iotest.TestReader(rope.Reader(src), want))
		for range 50 {
			off := rand.IntN(len(want))
			n := rand.IntN(len(want) - off)
			p := make([]byte, n)
			m, err := src.ReadAt(p, int64(off))
			require.NoError(t, err)
			require.True(t, m == n && bytes.Equal(want[off:off+n], p))
		}
	}
	_, err = src.ReadAt(make([]byte, 1), -1)
	require.Error(t, err)
}

func TestSources(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 6, 7, 20, 47, 48, 1000, piece - 1, piece, piece + 1, 3*piece + 2} {
		raw := noise(n)
		text := []byte(base64.StdEncoding.EncodeToString(raw))
		for _, wrap := range []func([]byte) rope.Source{
			func(b []byte) rope.Source { return rope.Bytes(b) },
			func(b []byte) rope.Source { return file{rope.Bytes(b)} },
		} {
			enc := EncodeBase64Source(wrap(raw))
			same(t, text, enc)
			dec, ok := DecodeBase64Source(wrap(text))
			require.True(t, ok, n)
			same(t, raw, dec)
			back, ok := DecodeBase64Source(enc)
			require.True(t, ok)
			same(t, raw, back)
		}
	}
}

func TestDecodeBase64SourceRefuses(t *testing.T) {
	long := base64.StdEncoding.EncodeToString(noise(9000))
	for name, s := range map[string]string{
		"no padding": "YWJjZA", "url alphabet": "_-8=", "line break": "YWJj\nYWJ", "blank": " YWJjZA=", "NUL": "YWJjZA=\x00",
		"three pads": "Y===", "pad inside": "YW=jYWJj", "raw JSON": `{"a":10}`, "late line break": long[:len(long)-8] + "\nYWJjYWJ",
		"url head": "-_" + long[2:], "one newline behind": long + "\n",
	} {
		_, ok := DecodeBase64Source(rope.Bytes(s))
		assert.False(t, ok, name)
	}
	_, ok := DecodeBase64Source(broken{})
	assert.False(t, ok)
	for _, c := range []string{"!", "\n", "=", "_"} {
		i := 6001
		d, ok := DecodeBase64Source(rope.Bytes(long[:i] + c + long[i+1:]))
		require.True(t, ok, "only head and tail are looked at")
		_, err := rope.Of(d).WriteTo(io.Discard)
		require.True(t, fault.Is(err, fault.Damaged), "%q %v", c, err)
		p := make([]byte, 1)
		_, err = d.ReadAt(p, int64(i/4*3))
		require.True(t, fault.Is(err, fault.Damaged), "%q %v", c, err)
	}
	_, err := EncodeBase64Source(broken{}).ReadAt(make([]byte, 10), 0)
	assert.ErrorContains(t, err, "disk gone")
}

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("disk gone") }
func (broken) Size() int64                       { return 12 }

// Nothing is held whole: a 256 MB picture turns into base64 and back within a few buffers.
func TestSourcesMemory(t *testing.T) {
	src := &zeroes{256 << 20}
	d, ok := DecodeBase64Source(EncodeBase64Source(src))
	require.True(t, ok)
	require.Equal(t, src.n, d.Size())
	var err error
	got := allocated(func() { _, err = rope.Of(d).WriteTo(io.Discard) })
	require.NoError(t, err)
	assert.Less(t, got, int64(2<<20))
}

type zeroes struct{ n int64 }

func (z *zeroes) Size() int64 { return z.n }
func (z *zeroes) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), z.n-off))
	clear(p[:n])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func FuzzDecodeBase64(f *testing.F) {
	for _, s := range []string{"", "YWJj", "YW\nI=", "_-8", "YWI=YWI=", "\xef\xbb\xbfYQ", "rcc||x", "{}", strings.Repeat("YWJj", 2000)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := DecodeBase64(b)
		want, errStd := base64.StdEncoding.DecodeString(string(b))
		if errStd == nil {
			require.NoError(t, err)
			require.True(t, bytes.Equal(want, got))
		}
		if err == nil {
			again, err := DecodeBase64([]byte(base64.URLEncoding.EncodeToString(got) + "\n\x00"))
			require.NoError(t, err)
			require.True(t, bytes.Equal(got, again))
		} else {
			require.True(t, fault.Is(err, fault.Damaged))
		}
		DecodeCard(b)
		if d, ok := DecodeBase64Source(rope.Bytes(b)); ok {
			if all, errSrc := rope.Of(d).Bytes(); errSrc == nil {
				require.NoError(t, err)
				require.True(t, bytes.Equal(got, all))
			}
		}
		text, err := rope.Of(EncodeBase64Source(file{rope.Bytes(b)})).Bytes()
		require.NoError(t, err)
		require.Equal(t, base64.StdEncoding.EncodeToString(b), string(text))
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"data:,", "data:image/png;base64,YWJj", "DATA: a ; b ;base64 ,%59%57", "data:text/plain,%4", "data:;;;,%%%41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, ok := Parse(s)
		if !ok {
			return
		}
		require.Equal(t, s[u.Off:], u.Data)
		b, err := u.Bytes(1 << 20)
		if err != nil {
			return
		}
		if u.Base64 {
			require.LessOrEqual(t, int64(len(b)), u.Size())
		}
		_, err = u.Bytes(int64(len(b)))
		require.NoError(t, err)
		if len(b) > 0 {
			_, err = u.Bytes(int64(len(b)) - 1)
			require.True(t, fault.Is(err, fault.OverLimit))
		}
		v, ok := Parse(Encode(u.Mime, b))
		if len(u.Mime) < maxHead-100 { // a longer one is written, but no data URI to read
			require.True(t, ok)
			again, err := v.Bytes(1 << 20)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, again))
		}
	})
}

func BenchmarkDecodeBase64(b *testing.B) {
	raw := noise(8 << 20)
	std := base64.StdEncoding.EncodeToString(raw)
	var lines strings.Builder
	for i := 0; i < len(std); i += 76 {
		fmt.Fprintln(&lines, std[i:min(i+76, len(std))])
	}
	for name, s := range map[string]string{"clean": std, "lines of 76": lines.String(), "url alphabet": base64.RawURLEncoding.EncodeToString(raw), "unpadded": strings.TrimRight(std, "=")} {
		in := []byte(s)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				DecodeBase64(in)
			}
		})
	}
}

func BenchmarkSources(b *testing.B) {
	raw := noise(8 << 20)
	text := []byte(base64.StdEncoding.EncodeToString(raw))
	for kind, wrap := range map[string]func([]byte) rope.Source{"memory": func(b []byte) rope.Source { return rope.Bytes(b) }, "file": func(b []byte) rope.Source { return file{rope.Bytes(b)} }} {
		dec, _ := DecodeBase64Source(wrap(text))
		for name, src := range map[string]rope.Source{"encode": EncodeBase64Source(wrap(raw)), "decode": dec} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(raw)))
				b.ReportAllocs()
				for b.Loop() {
					rope.Of(src).WriteTo(io.Discard)
				}
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	raw := noise(8 << 20)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		Encode("image/png", raw)
	}
}
