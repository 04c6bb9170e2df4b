package png

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	stdpng "image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// chunk writes one chunk with a right CRC.
func chunk(kind string, data ...string) string {
	d := strings.Join(data, "")
	p := binary.BigEndian.AppendUint32(nil, uint32(len(d)))
	p = append(p, kind+d...)
	return string(binary.BigEndian.AppendUint32(p, crc32.ChecksumIEEE([]byte(kind+d))))
}

func deflated(s string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func tEXt(k, v string) string { return chunk("tEXt", k, "\x00", v) }
func zTXt(k, v string) string { return chunk("zTXt", k, "\x00\x00", deflated(v)) }
func iTXt(k, v string) string { return chunk("iTXt", k, "\x00\x00\x00en\x00karta\x00", v) }
func iTXz(k, v string) string { return chunk("iTXt", k, "\x00\x01\x00en\x00karta\x00", deflated(v)) }

// picture is a sound PNG: IHDR, IDAT, IEND, as strings to put text between.
func picture() (head, idat, iend string) {
	m := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i * 31)
	}
	m.SetGray(0, 0, color.Gray{7})
	var b bytes.Buffer
	stdpng.Encode(&b, m)
	s := b.String()
	return s[:33], s[33 : len(s)-12], s[len(s)-12:]
}

// build puts text chunks before and after the picture data.
func build(before, after string) string {
	h, d, e := picture()
	return h + before + d + after + e
}

// counted is a Source that is no memory and counts what is read of it.
type counted struct {
	rope.Source
	reads int
	bytes int64
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	n, err := c.Source.ReadAt(p, off)
	c.bytes += int64(n)
	return n, err
}

// fill is n times one byte, held nowhere.
type fill struct {
	b byte
	n int64
}

func (f *fill) Size() int64 { return f.n }
func (f *fill) ReadAt(p []byte, off int64) (int, error) {
	n := int(min(int64(len(p)), f.n-off))
	for i := range n {
		p[i] = f.b
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// allocated returns how many bytes fn takes from the heap, all in all.
func allocated(fn func()) int64 {
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	fn()
	runtime.ReadMemStats(&b)
	return int64(b.TotalAlloc - a.TotalAlloc)
}

func open(t testing.TB, s string) *File {
	t.Helper()
	f, err := Open(rope.Bytes(s), limits.Card())
	require.NoError(t, err)
	return f
}

func str(t testing.TB, r *rope.Rope) string {
	t.Helper()
	b, err := r.Bytes()
	require.NoError(t, err)
	require.Equal(t, r.Size(), int64(len(b)))
	return string(b)
}

// strict walks a PNG as a strict decoder does and returns its chunks, each with length, type, data and CRC.
func strict(t testing.TB, s string) (chunks []string) {
	t.Helper()
	require.True(t, strings.HasPrefix(s, signature))
	for pos := 8; pos < len(s); {
		require.LessOrEqual(t, pos+12, len(s), "chunk header and CRC")
		n := int(binary.BigEndian.Uint32([]byte(s[pos:])))
		require.Less(t, int64(n), int64(1<<31))
		require.LessOrEqual(t, pos+12+n, len(s), "chunk data")
		kind, data := s[pos+4:pos+8], s[pos+8:pos+8+n]
		require.Equal(t, crc32.ChecksumIEEE([]byte(kind+data)), binary.BigEndian.Uint32([]byte(s[pos+8+n:])), "CRC of "+kind)
		if kind == "tEXt" {
			k, v, ok := strings.Cut(data, "\x00")
			require.True(t, ok && len(k) > 0 && len(k) < 80 && !strings.Contains(v, "\x00"), "tEXt "+k)
		}
		chunks = append(chunks, s[pos:pos+12+n])
		pos += 12 + n
		if len(chunks) == 1 {
			require.Equal(t, "IHDR", kind)
		}
		if kind == "IEND" {
			require.Equal(t, len(s), pos, "IEND is last")
			return chunks
		}
	}
	require.Fail(t, "no IEND")
	return nil
}

func decodes(t testing.TB, s string) {
	t.Helper()
	_, err := stdpng.Decode(strings.NewReader(s))
	require.NoError(t, err)
}

func TestIsAndDimensions(t *testing.T) {
	p := build("", "")
	assert.True(t, Is(rope.Bytes(p)))
	w, h, ok := Dimensions(rope.Bytes(p))
	assert.Equal(t, []any{32, 32, true}, []any{w, h, ok})

	bomb := p[:16] + "\x7f\xff\xff\xff\x7f\xff\xff\xff" + p[24:]
	w, h, ok = Dimensions(rope.Bytes(bomb))
	assert.Equal(t, []any{math.MaxInt32, math.MaxInt32, true}, []any{w, h, ok})
	_, err := Open(rope.Bytes(bomb), limits.Card())
	assert.NoError(t, err, "the picture's size costs nothing here")

	for name, s := range map[string]string{
		"empty": "", "short": p[:7], "jpeg": "\xff\xd8\xff\xe0", "riff named png (KF-027)": "RIFF....WEBPVP8 ",
	} {
		assert.False(t, Is(rope.Bytes(s)), name)
		_, _, ok := Dimensions(rope.Bytes(s))
		assert.False(t, ok, name)
		_, err := Open(rope.Bytes(s), limits.Card())
		want := fault.NotRecognized
		if s == "" {
			want = fault.Empty
		}
		assert.True(t, fault.Is(err, want), name)
	}
	for name, s := range map[string]string{
		"cut": p[:23], "zero": p[:16] + "\x00\x00\x00\x00" + p[20:], "too large": p[:16] + "\x80\x00\x00\x00" + p[20:],
		"other chunk first": signature + tEXt("a", "bbbbbbbbbbbb"),
	} {
		_, _, ok := Dimensions(rope.Bytes(s))
		assert.False(t, ok, name)
	}
}

// KF-001 to KF-007, and Q2: where the chunk stands and how it is spelled does not matter.
func TestTexts(t *testing.T) {
	const card = "eyJuYW1lIjoiTWlhIn0="
	for name, write := range map[string]func(k, v string) string{"tEXt": tEXt, "zTXt": zTXt, "iTXt": iTXt, "iTXt compressed": iTXz} {
		for place, p := range map[string]string{
			"before":     build(tEXt("Software", "Editor")+write("Chara", card), ""),
			"after IDAT": build(tEXt("Software", "Editor"), write("Chara", card)),
		} {
			for kind, src := range map[string]rope.Source{"memory": rope.Bytes(p), "file": &counted{Source: rope.Bytes(p)}} {
				f, err := Open(src, limits.Card())
				require.NoError(t, err)
				require.Len(t, f.Texts(), 2, "%s %s %s", name, place, kind)
				assert.Equal(t, "Software", f.Texts()[0].Keyword)
				assert.Equal(t, "Chara", f.Texts()[1].Keyword, "letter case is kept")
				v, err := f.Text(f.Texts()[1])
				require.NoError(t, err, "%s %s %s", name, place, kind)
				assert.Equal(t, card, string(v), "from after the NUL to the end, no more and no less")
				r, err := f.Value(f.Texts()[1])
				require.NoError(t, err)
				assert.Equal(t, card, str(t, r))
				assert.Empty(t, f.Warnings)
			}
		}
	}
	f := open(t, build(tEXt("Software", "Editor"), "")) // KF-002
	require.Len(t, f.Texts(), 1)
	assert.False(t, IsCardKeyword(f.Texts()[0].Keyword))
	assert.Empty(t, open(t, build("", "")).Texts())
}

func TestTextEdges(t *testing.T) {
	for _, c := range []struct {
		name, chunk, want string
		code              fault.Code
		says              string
	}{
		{name: "empty value", chunk: tEXt("chara", "")},
		{name: "NULs in the value", chunk: tEXt("chara", "a\x00b\x00"), want: "a\x00b\x00"},
		{name: "no language, no translation", chunk: chunk("iTXt", "chara\x00\x00\x00\x00\x00x"), want: "x"},
		{name: "long translation", chunk: chunk("iTXt", "chara\x00\x00\x00de\x00", strings.Repeat("ä", 5000), "\x00x"), want: "x"},
		{name: "no separator", chunk: chunk("tEXt", "chara"), code: fault.Damaged, says: "no value"},
		{name: "iTXt without end of language", chunk: chunk("iTXt", "chara\x00\x00\x00en"), code: fault.Damaged, says: "language"},
		{name: "iTXt ends in its flags", chunk: chunk("iTXt", "chara\x00\x00"), code: fault.Damaged, says: "before its text"},
		{name: "iTXt flag", chunk: chunk("iTXt", "chara\x00\x02\x00\x00\x00x"), code: fault.Damaged, says: "flag of this text chunk is 2"},
		{name: "zTXt method", chunk: chunk("zTXt", "chara\x00\x07x"), code: fault.Damaged, says: "method 7"},
		{name: "zTXt no data", chunk: chunk("zTXt", "chara\x00\x00"), code: fault.Damaged, says: "damaged"},
		{name: "zTXt no zlib", chunk: chunk("zTXt", "chara\x00\x00plain text"), code: fault.Damaged, says: "damaged"},
		{name: "zTXt cut", chunk: chunk("zTXt", "chara\x00\x00", deflated("some longer text")[:9]), code: fault.Damaged, says: "damaged"},
	} {
		f := open(t, build(c.chunk, ""))
		require.Len(t, f.Texts(), 1, c.name)
		v, err := f.Text(f.Texts()[0])
		if c.code != "" {
			require.True(t, fault.Is(err, c.code), "%s: %v", c.name, err)
			assert.Contains(t, err.Error(), c.says, c.name)
			assert.Contains(t, fault.As(err).Where, "at byte 33", c.name)
			continue
		}
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, string(v), c.name)
	}

	long := strings.Repeat("k", 300)
	f := open(t, build(tEXt(long, "v")+chunk("tEXt", strings.Repeat("n", 2000)), ""))
	require.Len(t, f.Texts(), 1)
	assert.Equal(t, long, f.Texts()[0].Keyword, "longer than PNG allows, still read")
	assert.Equal(t, []string{"1 text chunks have no keyword and were passed over"}, f.Warnings)

	_, err := f.Text(Text{Chunk: 99})
	assert.True(t, fault.Is(err, fault.BadArgument))
	_, err = f.Text(Text{Chunk: 0})
	assert.True(t, fault.Is(err, fault.BadArgument))
}

func TestSharedMemory(t *testing.T) {
	p := rope.Bytes(build(tEXt("chara", "abcd"), ""))
	f, err := Open(p, limits.Card())
	require.NoError(t, err)
	v, err := f.Text(f.Texts()[0])
	require.NoError(t, err)
	assert.Same(t, &p[33+8+6], &v[0], "a view, not a copy")
}

// Corrections row 15: damaged but readable is read, with a warning.
func TestDamagedButReadable(t *testing.T) {
	bad := []byte(tEXt("chara", "abcd"))
	bad[len(bad)-1] ^= 1
	f := open(t, build(string(bad), ""))
	assert.Empty(t, f.Warnings, "nothing is read only to check it")
	v, err := f.Text(f.Texts()[0])
	require.NoError(t, err)
	assert.Equal(t, "abcd", string(v))
	assert.True(t, f.Chunks[1].BadCRC)
	assert.Equal(t, []string{"chunk tEXt at byte 33 has a wrong checksum (CRC); its text was read as it is"}, f.Warnings)
	f.Text(f.Texts()[0])
	assert.Len(t, f.Warnings, 1, "said once")

	z := deflated("abcd")
	for name, s := range map[string]string{
		"wrong":   z[:len(z)-1] + "\xff",
		"missing": z[:len(z)-4],
	} {
		f := open(t, build(chunk("zTXt", "chara\x00\x00", s), ""))
		v, err := f.Text(f.Texts()[0])
		require.NoError(t, err, name)
		assert.Equal(t, "abcd", string(v))
		require.Len(t, f.Warnings, 1, name)
		assert.Contains(t, f.Warnings[0], "Adler-32")
	}

	f = open(t, build(tEXt("chara", "abcd"), "")+"PK trailing")
	assert.Equal(t, []string{"11 bytes stand after the end of the picture (IEND)"}, f.Warnings)

	p := build(tEXt("chara", "abcd"), "")
	f = open(t, p[:len(p)-12])
	assert.Equal(t, []string{"the file has no IEND chunk; it may be cut short"}, f.Warnings)

	f = open(t, p[:33+8+10]) // ends with the card's data, before its CRC
	v, err = f.Text(f.Texts()[0])
	require.NoError(t, err)
	assert.Equal(t, "abcd", string(v))
	assert.True(t, f.Chunks[1].BadCRC)
	assert.Equal(t, []string{"the file is cut short: it ends inside the checksum of the tEXt chunk at byte 33"}, f.Warnings)

	f = open(t, build(tEXt("chara", "abcd"), "\x00\x00\x00\x01\x01\x02\x03\x04garbage"))
	require.Len(t, f.Warnings, 1)
	assert.Contains(t, f.Warnings[0], "is no PNG chunk")
}

func TestManyWarningsStayFew(t *testing.T) {
	bad := []byte(tEXt("note", "x"))
	bad[len(bad)-1] ^= 1
	f := open(t, build(strings.Repeat(string(bad), 1000), ""))
	for _, x := range f.Texts() {
		f.Text(x)
	}
	require.Len(t, f.Warnings, maxWarning+1)
	assert.Equal(t, fmt.Sprintf("and %d more", 1000-maxWarning), f.Warnings[maxWarning])
}

// KF-009, and corrections row 15: whatever the length of the rest, a prefix is refused in words or read with a
// warning, and what is written from it is sound.
func TestCutAtEveryByte(t *testing.T) {
	p := build(tEXt("a", "note")+tEXt("chara", "abcd"), zTXt("ccv3", "efgh"))
	whole := strings.Index(p, "IDAT") - 4 // from here the chara chunk is complete
	isCard := IsCardKeyword
	for n := range len(p) {
		f, err := Open(rope.Bytes(p[:n]), limits.Card())
		if err != nil {
			assert.Less(t, n, 33, "the first chunk is there: %v", err)
			continue
		}
		require.NotEmpty(t, f.Warnings, n)
		if n > whole {
			v, err := f.Text(f.Texts()[1])
			require.NoError(t, err, n)
			require.Equal(t, "abcd", string(v))
		}
		require.Equal(t, p[:n], str(t, f.Without(nil)), "the portrait comes as it came")
		out, err := f.Replace(isCard, Addition{Keyword: "chara", Value: []byte("new")})
		require.NoError(t, err)
		g := open(t, str(t, out))
		strict(t, str(t, out))
		require.Empty(t, g.Warnings, n)
		cards := 0
		for _, x := range g.Texts() {
			if isCard(x.Keyword) {
				cards++
				v, err := g.Text(x)
				require.NoError(t, err)
				require.Equal(t, "new", string(v))
			}
		}
		require.Equal(t, 1, cards, n)
	}
	for _, n := range []int{10, 28} {
		_, err := Open(rope.Bytes(p[:n]), limits.Card())
		require.True(t, fault.Is(err, fault.Damaged))
		assert.Contains(t, err.Error(), "cut short or damaged")
	}
}

func TestWithout(t *testing.T) {
	note, asset := tEXt("Comment", "chara"), tEXt("chara-ext-asset_:0", "AAAA")
	h, d, e := picture()
	p := h + note + tEXt("chara", "1") + zTXt("CCV3", "2") + asset + d + iTXt("Chara", "3") + iTXz("ccv3", "4") + e + "tail"
	f := open(t, p)
	assert.Equal(t, h+note+asset+d+e+"tail", str(t, f.Without(IsCardKeyword)))
	all := func(k string) bool { _, ok := AssetPath(k); return ok || IsCardKeyword(k) }
	assert.Equal(t, h+note+d+e+"tail", str(t, f.Without(all)))
	assert.Equal(t, p, str(t, f.Without(nil)))
	assert.Equal(t, p, str(t, f.Without(func(string) bool { return false })))

	n := 0
	for s := range f.Without(IsCardKeyword).Segments() {
		assert.Equal(t, rope.Source(rope.Bytes(p)), s.Src)
		n++
	}
	assert.Equal(t, 3, n, "ranges of the source only")
}

func TestReplace(t *testing.T) {
	h, d, e := picture()
	note, asset := tEXt("Comment", "x"), tEXt("chara-ext-asset_:0", "AAAA")
	add := []Addition{{Keyword: "chara", Value: []byte("one")}, {Keyword: "ccv3", From: &counted{Source: rope.Bytes("two")}}}
	fresh := tEXt("chara", "one") + tEXt("ccv3", "two")
	for _, c := range []struct{ name, in, want string }{
		{"none before: right before IEND", h + note + d + e, h + note + d + fresh + e},
		{"in the place of the first", h + note + tEXt("ccv3", "o") + asset + d + tEXt("chara", "o") + e, h + note + fresh + asset + d + e},
		{"all types and cases", h + zTXt("CHARA", "o") + iTXt("cCv3", "o") + d + iTXz("chara", "o") + e, h + fresh + d + e},
		{"bytes after IEND stay after it", h + d + e + "PK\x03\x04 and more", h + d + fresh + e + "PK\x03\x04 and more"},
		{"no IEND", h + d, h + d + fresh + e},
		{"no IEND, old card", h + tEXt("chara", "o") + d, h + fresh + d + e},
		{"IEND without its CRC", h + d + e[:8], h + d + fresh + e},
		{"half a header", h + d + "\x00\x00\x00", h + d + fresh + e},
		{"garbage where a chunk should be", h + d + "garbage garbage", h + d + fresh + e + "garbage garbage"},
		{"cut card at the end", h + d + tEXt("chara", "old")[:15], h + d + fresh + e},
		{"cut note at the end", h + d + tEXt("Comment", "old")[:17], h + d + tEXt("Comment", "o") + fresh + e},
		{"nothing but IHDR", h, h + fresh + e},
	} {
		for kind, src := range map[string]rope.Source{"memory": rope.Bytes(c.in), "file": &counted{Source: rope.Bytes(c.in)}} {
			f, err := Open(src, limits.Card())
			require.NoError(t, err)
			out, err := f.Replace(IsCardKeyword, add...)
			require.NoError(t, err)
			require.Equal(t, c.want, str(t, out), "%s, %s", c.name, kind)
		}
	}
	f := open(t, h+note+d+e)
	out, err := f.Replace(nil)
	require.NoError(t, err)
	assert.Equal(t, h+note+d+e, str(t, out))
	decodes(t, str(t, out))
}

func TestReplaceRefuses(t *testing.T) {
	f := open(t, build("", ""))
	for name, a := range map[string]Addition{
		"no keyword":       {Value: []byte("x")},
		"keyword too long": {Keyword: strings.Repeat("k", 80)},
		"NUL in keyword":   {Keyword: "a\x00b"},
		"NUL in value":     {Keyword: "a", Value: []byte("a\x00b")},
		"value too long":   {Keyword: "a", From: &fill{'A', 1 << 31}},
	} {
		_, err := f.Replace(nil, a)
		assert.True(t, fault.Is(err, fault.BadArgument), "%s: %v", name, err)
	}
	_, err := f.Replace(nil, Addition{Keyword: "a", From: failing{}})
	assert.True(t, fault.Is(err, fault.Internal), "%v", err)
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errors.New("disk gone") }
func (failing) Size() int64                       { return 9 }

// KF-010: an animated picture stays animated.
func TestAnimated(t *testing.T) {
	h, d, e := picture()
	anim := h + chunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00") + chunk("fcTL", strings.Repeat("\x00", 26)) + d +
		chunk("fcTL", strings.Repeat("\x01", 26)) + chunk("fdAT", "\x00\x00\x00\x02frame")
	f := open(t, anim+tEXt("chara", "old")+e)
	assert.True(t, Animated(f))
	out, err := f.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: []byte("new")})
	require.NoError(t, err)
	assert.Equal(t, anim+tEXt("chara", "new")+e, str(t, out))
	strict(t, str(t, out))
	assert.False(t, Animated(open(t, build("", ""))))
}

// KF-119: the path of an asset chunk in each known spelling.
func TestKeywords(t *testing.T) {
	for k, want := range map[string]string{"chara-ext-asset_:0": "0", "chara-ext-asset_0": "0", "chara-ext-asset_:a/b": "a/b", "Chara-Ext-Asset_:7": "7"} {
		p, ok := AssetPath(k)
		assert.True(t, ok)
		assert.Equal(t, want, p, k)
	}
	for _, k := range []string{"chara", "chara-ext-asset", ""} {
		_, ok := AssetPath(k)
		assert.False(t, ok, k)
	}
	for k, want := range map[string]bool{"chara": true, "CHARA": true, "ccv3": true, "CcV3": true, "ccv2": false, "": false, "chara ": false, "chara-ext-asset_:0": false} {
		assert.Equal(t, want, IsCardKeyword(k), k)
	}
}

func TestPlaceholder(t *testing.T) {
	p := Placeholder()
	assert.Less(t, len(p), 3<<10)
	assert.Equal(t, p, Placeholder())
	strict(t, string(p))
	m, err := stdpng.Decode(bytes.NewReader(p))
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 400, 600), m.Bounds())
	assert.Equal(t, color.RGBA{0xc9, 0xc4, 0xd6, 0xff}, m.At(399, 599))
	f := open(t, string(p))
	assert.Empty(t, f.Warnings)
	out, err := f.Replace(nil, Addition{Keyword: "chara", Value: []byte("e30=")})
	require.NoError(t, err)
	decodes(t, str(t, out))
}

func TestLimitsAreInclusive(t *testing.T) {
	text := strings.Repeat("A", 1000)
	for name, c := range map[string]string{"tEXt": tEXt("x", text), "zTXt": zTXt("x", text), "iTXt": iTXt("x", text), "iTXt compressed": iTXz("x", text)} {
		lim := limits.Card()
		lim.PNGText = 1000
		f, err := Open(rope.Bytes(build(c, "")), lim)
		require.NoError(t, err)
		v, err := f.Text(f.Texts()[0])
		require.NoError(t, err, name)
		assert.Equal(t, text, string(v))
		f.lim.PNGText = 999
		_, err = f.Text(f.Texts()[0])
		require.True(t, fault.Is(err, fault.OverLimit), "%s: %v", name, err)
		assert.Equal(t, "PNGText", fault.As(err).Limit.Name)
	}
	lim := limits.Card()
	lim.PNGChunks = 4
	_, err := Open(rope.Bytes(build(tEXt("a", "b"), "")), lim)
	assert.NoError(t, err)
	_, err = Open(rope.Bytes(build(tEXt("a", "b"), tEXt("a", "b"))), lim)
	require.True(t, fault.Is(err, fault.OverLimit))
	assert.Equal(t, "the limit PNGChunks is 4 chunks, and this file has more; open it with large limits", err.Error())

	// All card chunks together, each counted once.
	lim = limits.Card()
	lim.PNGText = 2500
	f, err := Open(rope.Bytes(build(tEXt("chara", text)+zTXt("ccv3", text)+tEXt("note", text)+zTXt("Chara", text), "")), lim)
	require.NoError(t, err)
	for range 2 {
		for _, i := range []int{0, 1, 2} {
			_, err = f.Text(f.Texts()[i])
			require.NoError(t, err)
		}
		_, err = f.Text(f.Texts()[3])
		require.True(t, fault.Is(err, fault.OverLimit))
	}
}

// A text that is longer than what is gathered at once is inflated into memory of its size.
func TestLongCompressedText(t *testing.T) {
	for _, n := range []int{inflateOnce - 1, inflateOnce, inflateOnce + 1, 5<<20 + 3} {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmno"[i%15]
		}
		p := build("", zTXt("ccv3", string(b)))
		f, err := Open(&counted{Source: rope.Bytes(p)}, limits.Card())
		require.NoError(t, err)
		var v []byte
		got := allocated(func() { v, err = f.Text(f.Texts()[0]) })
		require.NoError(t, err)
		assert.True(t, bytes.Equal(b, v))
		assert.Empty(t, f.Warnings)
		assert.LessOrEqual(t, got, int64(n)+5<<20)
	}
}

// zeros is a zlib stream of n MiB of zeros, made of repeated flushed blocks.
func zeros(n int) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write(make([]byte, 16<<20))
	w.Flush()
	block := b.String()
	b.Reset()
	w.Reset(&b)
	w.Close()
	return "\x78\xda" + strings.Repeat(block, n/16) + b.String() + "\x00\x00\x00\x00"
}

// The PNG cases of the shared set of hostile inputs, made here.
func TestHostile(t *testing.T) {
	h, d, e := picture()
	lie := func(n uint32) string {
		c := []byte(tEXt("chara", "AAAA"))
		binary.BigEndian.PutUint32(c, n)
		return string(c)
	}
	for _, n := range []uint32{1<<31 - 1, 1 << 31, math.MaxUint32, 1 << 30} {
		for place, p := range map[string]string{"before IDAT": build(lie(n), ""), "after IDAT": build("", lie(n))} {
			for kind, src := range map[string]rope.Source{"memory": rope.Bytes(p), "file": &counted{Source: rope.Bytes(p)}} {
				var f *File
				var err, terr error
				got := allocated(func() {
					if f, err = Open(src, limits.Card()); err == nil {
						_, terr = f.Text(f.Texts()[0])
					}
				})
				name := fmt.Sprintf("%d %s %s", n, place, kind)
				require.NoError(t, err, name)
				require.Len(t, f.Warnings, 1, name)
				assert.Contains(t, f.Warnings[0], "cut short", name)
				require.True(t, fault.Is(terr, fault.Damaged), name)
				assert.Contains(t, terr.Error(), "the file ends inside this chunk", name)
				assert.Less(t, got, int64(64<<10), name)
			}
		}
	}

	t.Run("300k chunks", func(t *testing.T) {
		p := h + strings.Repeat(tEXt("note", "x"), 300_000) + tEXt("ccv3", "e30=") + d + e
		src := &counted{Source: rope.Bytes(p)}
		var err error
		got := allocated(func() { _, err = Open(src, limits.Card()) })
		require.True(t, fault.Is(err, fault.OverLimit))
		assert.NotContains(t, err.Error(), "large limits", "they do not raise this one")
		assert.Less(t, src.reads, 60)
		assert.Less(t, got, int64(40<<20))

		lim := limits.Card()
		lim.PNGChunks = 1_000_000
		src.reads = 0
		f, err := Open(src, lim)
		require.NoError(t, err)
		assert.Len(t, f.Texts(), 300_001)
		assert.Less(t, src.reads, 120)
	})
	t.Run("10k card chunks", func(t *testing.T) {
		card := base64.StdEncoding.EncodeToString(make([]byte, 12000))
		p := h + strings.Repeat(tEXt("chara", card), 10_000) + d + e // 160 MB of cards
		f := open(t, p)
		require.Len(t, f.Texts(), 10_000)
		read := 0
		var err error
		for _, x := range f.Texts() {
			if _, err = f.Text(x); err != nil {
				break
			}
			read++
		}
		assert.True(t, fault.Is(err, fault.OverLimit))
		assert.Equal(t, 64<<20/16000, read)
		out, err := f.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: []byte("e30=")})
		require.NoError(t, err)
		assert.Equal(t, h+tEXt("chara", "e30=")+d+e, str(t, out))
	})
	t.Run("1 GB of zeros", func(t *testing.T) {
		z := zeros(1024)
		for name, p := range map[string]string{
			"zTXt": build("", chunk("zTXt", "chara\x00\x00", z)),
			"iTXt": build("", chunk("iTXt", "ccv3\x00\x01\x00\x00\x00", z)),
		} {
			f, err := Open(&counted{Source: rope.Bytes(p)}, limits.Card())
			require.NoError(t, err)
			got := allocated(func() { _, err = f.Text(f.Texts()[0]) })
			require.True(t, fault.Is(err, fault.OverLimit), "%s %v", name, err)
			assert.Less(t, got, int64(5<<20), name)
			_, err = f.Value(f.Texts()[0])
			assert.True(t, fault.Is(err, fault.OverLimit))
		}
	})
	t.Run("150 MB of text", func(t *testing.T) {
		const n = 150 << 20
		head := binary.BigEndian.AppendUint32(nil, n+6)
		r := rope.FromBytes([]byte(h + string(head) + "tEXtchara\x00"))
		r.AppendRange(&fill{'!', n}, 0, n)
		r.AppendString("\x00\x00\x00\x00" + d + e)
		src := &counted{Source: r}
		var f *File
		var err, terr error
		got := allocated(func() {
			if f, err = Open(src, limits.Card()); err == nil {
				_, terr = f.Text(f.Texts()[0])
			}
		})
		require.NoError(t, err)
		require.True(t, fault.Is(terr, fault.OverLimit))
		assert.Equal(t, "the limit PNGText is 64 MiB, and this file has 150 MiB; nothing raises it (chunk tEXt at byte 33)", terr.Error())
		assert.Less(t, got, int64(64<<10))
		assert.Less(t, src.bytes, int64(8<<10), "never read")
		v, err := f.Value(f.Texts()[0])
		require.NoError(t, err)
		assert.Equal(t, int64(n), v.Size(), "as a range it costs nothing")
	})
}

// Big picture data is jumped over.
func TestOpenReadsHeadersOnly(t *testing.T) {
	r := rope.FromBytes([]byte(func() string { h, _, _ := picture(); return h }()))
	for range 100 {
		const n = 8 << 20
		r.Append(append(binary.BigEndian.AppendUint32(nil, n), "IDAT"...))
		r.AppendRange(&fill{0, n}, 0, n)
		r.Append([]byte{1, 2, 3, 4})
	}
	r.AppendString(tEXt("chara", "e30=") + chunk("IEND"))
	src := &counted{Source: r}
	f, err := Open(src, limits.Card())
	require.NoError(t, err)
	assert.Len(t, f.Chunks, 103)
	assert.Len(t, f.Texts(), 1)
	assert.LessOrEqual(t, src.reads, 103)
	assert.Less(t, src.bytes, int64(103*windowMin))
}

func TestReadErrors(t *testing.T) {
	p := build(tEXt("chara", strings.Repeat("A", 5000)), "")
	src := &flaky{Source: rope.Bytes(p), from: 600}
	_, err := Open(src, limits.Card())
	require.Error(t, err)
	assert.True(t, fault.Is(err, fault.Internal))
	src.from = 1 << 30
	f, err := Open(src, limits.Card())
	require.NoError(t, err)
	src.from = 600
	_, err = f.Text(f.Texts()[0])
	assert.Equal(t, "the file could not be read: disk gone (chunk tEXt at byte 33)", err.Error())
}

type flaky struct {
	rope.Source
	from int64
}

func (f *flaky) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, errors.New("disk gone")
	}
	return f.Source.ReadAt(p, off)
}

// corpus returns the PNG files that lie beside the repository, if they do.
func corpus(t testing.TB) []string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if filepath.Dir(dir) == dir {
			t.Skip("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "..", "shared", "corpus", "*.png"))
	if len(files) == 0 {
		t.Skip("no corpus: ../shared/corpus/*.png beside the repository")
	}
	return files
}

// The round trip law over real files: the same values written again leave every other chunk byte for byte.
func TestCorpusRoundTrip(t *testing.T) {
	for _, name := range corpus(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			f, err := Open(&counted{Source: rope.Bytes(b)}, limits.Card())
			require.NoError(t, err)
			t.Log(len(f.Chunks), "chunks", f.Texts(), f.Warnings)
			var add []Addition
			adjacent, prev := true, -1
			cards := map[int]bool{}
			for _, x := range f.Texts() {
				v, err := f.Text(x)
				require.NoError(t, err)
				if IsCardKeyword(x.Keyword) {
					add = append(add, Addition{Keyword: x.Keyword, Value: v})
					adjacent = adjacent && (prev < 0 || x.Chunk == prev+1) && f.Chunks[x.Chunk].Type == "tEXt"
					prev = x.Chunk
					cards[x.Chunk] = true
				}
			}
			out, err := f.Replace(IsCardKeyword, add...)
			require.NoError(t, err)
			s := str(t, out)
			if adjacent {
				assert.True(t, s == string(b), "identical")
			}
			if len(f.Warnings) == 0 {
				strict(t, s)
				decodes(t, s)
			}
			g := open(t, s)
			var want, got []string
			for i, c := range f.Chunks {
				if !cards[i] {
					want = append(want, string(b[c.Off-8:c.Off+c.Len+4]))
				}
			}
			isCard := map[int]bool{}
			for _, x := range g.Texts() {
				isCard[x.Chunk] = IsCardKeyword(x.Keyword)
			}
			for i, c := range g.Chunks {
				if !isCard[i] {
					got = append(got, s[c.Off-8:c.Off+c.Len+4])
				}
			}
			assert.Equal(t, want, got)

			bare := str(t, f.Without(IsCardKeyword))
			decodes(t, bare)
			for _, x := range open(t, bare).Texts() {
				assert.False(t, IsCardKeyword(x.Keyword))
			}
		})
	}
}

// Whatever comes in: no panic, what is written is a sound row of chunks that holds the new card and no old one.
func FuzzOpen(f *testing.F) {
	h, d, e := picture()
	for _, s := range []string{
		"", signature, h, build(tEXt("chara", "abcd"), zTXt("ccv3", "x")), h + iTXt("chara", "x") + iTXz("CCV3", "y") + d + e + "tail",
		h + tEXt("chara", "x")[:15], h + d + "garbage garbage", signature + chunk("CgBI", "x") + h[8:] + d, h + d + e[:8], string(Placeholder()),
		h + "\xff\xff\xff\xfftEXtchara\x00AAAA" + d + e, h + "\x00\x00\x00\x00fdAT", h + chunk("IEND", "x"),
	} {
		f.Add([]byte(s))
	}
	lim := limits.Card()
	lim.PNGText, lim.PNGChunks = 1<<16, 1000
	f.Fuzz(func(t *testing.T, b []byte) {
		Dimensions(rope.Bytes(b))
		p, err := Open(rope.Bytes(b), lim)
		q, err2 := Open(&counted{Source: rope.Bytes(b)}, lim)
		require.Equal(t, err, err2)
		if err != nil {
			return
		}
		require.Equal(t, p.Chunks, q.Chunks)
		require.Equal(t, p.Texts(), q.Texts())
		for _, x := range p.Texts() {
			v, err := p.Text(x)
			w, err2 := q.Text(x)
			require.Equal(t, err == nil, err2 == nil)
			require.Equal(t, v, w)
			require.LessOrEqual(t, int64(len(v)), lim.PNGText)
			if r, err := p.Value(x); err == nil {
				str(t, r)
			}
		}
		require.Equal(t, string(b), str(t, p.Without(nil)))
		str(t, p.Without(IsCardKeyword))
		out, err := p.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: []byte("bmV3")})
		require.NoError(t, err)
		out2, err := q.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: []byte("bmV3")})
		require.NoError(t, err)
		s := str(t, out)
		require.Equal(t, s, str(t, out2))
		big := lim
		big.PNGChunks += 2
		g, err := Open(rope.Bytes(s), big)
		require.NoError(t, err)
		require.GreaterOrEqual(t, g.iend, 0)
		require.NotContains(t, strings.Join(g.Warnings, "\n"), "cut short")
		cards := 0
		for _, x := range g.Texts() {
			if IsCardKeyword(x.Keyword) {
				cards++
				v, err := g.Text(x)
				require.NoError(t, err)
				require.Equal(t, "bmV3", string(v))
			}
		}
		require.Equal(t, 1, cards)
		again, err := g.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: []byte("bmV3")})
		require.NoError(t, err)
		require.Equal(t, s, str(t, again), "writing again changes nothing")
	})
}

func BenchmarkOpen(b *testing.B) {
	h, d, e := picture()
	for name, p := range map[string]string{
		"usual card":      h + tEXt("chara", strings.Repeat("A", 200<<10)) + strings.Repeat(chunk("IDAT", strings.Repeat("x", 8192)), 128) + e,
		"90k tiny chunks": h + strings.Repeat(tEXt("note", "x"), 90_000) + d + e,
	} {
		for kind, src := range map[string]rope.Source{"memory": rope.Bytes(p), "file": &counted{Source: rope.Bytes(p)}} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.SetBytes(int64(len(p)))
				b.ReportAllocs()
				for b.Loop() {
					Open(src, limits.Card())
				}
			})
		}
	}
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("eyJuYW1lIjoiTWlhIn0x", 8<<20/20)
	for name, c := range map[string]string{"tEXt": tEXt("chara", text), "zTXt": zTXt("chara", text)} {
		b.Run(name, func(b *testing.B) {
			f := open(b, build(c, ""))
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				f.Text(f.Texts()[0])
			}
		})
	}
}

func BenchmarkReplace(b *testing.B) {
	text := []byte(strings.Repeat("A", 8<<20))
	f := open(b, build(tEXt("chara", "old"), ""))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		f.Replace(IsCardKeyword, Addition{Keyword: "chara", Value: text})
	}
}
