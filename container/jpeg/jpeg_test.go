package jpeg

import (
	"bytes"
	"image"
	stdjpeg "image/jpeg"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/rope"
)

func picture(w, h int) []byte {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = byte(i * i * 31)
	}
	var b bytes.Buffer
	stdjpeg.Encode(&b, m, nil)
	return b.Bytes()
}

func TestLength(t *testing.T) {
	p := string(picture(200, 100))
	zip := "PK\x03\x04 a zip with \xff\xd9 and \xff\xd8 in it"
	app1 := "\xff\xe1\x00\x0cthumb\xff\xd8\xff\xd9x"
	for name, c := range map[string]struct {
		in   string
		want int
	}{
		"a JPEG":                    {p, len(p)},
		"a JPEG and a ZIP":          {p + zip, len(p)},
		"a thumbnail in a segment":  {p[:2] + app1 + p[2:] + zip, len(p) + len(app1)},
		"fill bytes before markers": {p[:2] + "\xff\xff\xff" + p[2:] + zip, len(p) + 3},
		"fill bytes before EOI":     {p[:len(p)-2] + "\xff\xff\xff\xd9" + zip, len(p) + 2},
		"by hand":                   {"\xff\xd8\xff\xda\x00\x02a\xff\x00b\xff\xd0c\xff\xd7\xff\xc4\x00\x03x\xff\xda\x00\x02d\xff\xd9" + zip, 27},
		"nothing but marks":         {"\xff\xd8\xff\xd9", 4},
		"TEM and RST":               {"\xff\xd8\xff\x01\xff\xd3\xff\xd9..", 8},
		"two pictures":              {p + p, len(p)},
	} {
		n, ok := Length(rope.Bytes(c.in))
		assert.True(t, ok, name)
		assert.Equal(t, int64(c.want), n, name)
	}
	for name, s := range map[string]string{
		"empty": "", "PNG": "\x89PNG\r\n\x1a\n", "no end": p[:len(p)-2], "cut in its entropy data": p[:len(p)-50], "cut in a segment": p[:10],
		"no marker where one must be": p[:2] + "\xff\xe0\x00\x02x" + p[2:], "length 1": "\xff\xd8\xff\xe0\x00\x01\xff\xd9", "length past the end": "\xff\xd8\xff\xe0\xff\xff\xff\xd9",
		"SOI inside": "\xff\xd8\xff\xd8\xff\xd9", "only fill": "\xff\xd8" + strings.Repeat("\xff", 100000), "zero marker": "\xff\xd8\xff\x00\xff\xd9",
	} {
		_, ok := Length(rope.Bytes(s))
		assert.False(t, ok, name)
	}
	for n := range len(p) {
		_, ok := Length(rope.Bytes(p[:n]))
		require.False(t, ok, n)
	}
}

func TestIs(t *testing.T) {
	assert.True(t, Is(rope.Bytes("\xff\xd8\xff\xe0")))
	assert.False(t, Is(rope.Bytes("\xff\xd8")))
	assert.False(t, Is(rope.Bytes("RIFF....WEBP")))
}

// A big picture in front of an archive costs one buffer.
func TestLengthMemory(t *testing.T) {
	r := rope.FromBytes([]byte("\xff\xd8\xff\xda\x00\x02"))
	data := bytes.Repeat([]byte("entropy\xff\x00"), 1<<16)
	for range 64 {
		r.Append(data)
	}
	r.AppendString("\xff\xd9PK")
	var a, b runtime.MemStats
	runtime.ReadMemStats(&a)
	n, ok := Length(r)
	runtime.ReadMemStats(&b)
	assert.True(t, ok)
	assert.Equal(t, r.Size()-2, n)
	assert.Less(t, b.TotalAlloc-a.TotalAlloc, uint64(128<<10))
}

func FuzzLength(f *testing.F) {
	f.Add(picture(8, 8))
	f.Add([]byte("\xff\xd8\xff\xda\x00\x02a\xff\x00b\xff\xd0\xff\xd9PK"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, ok := Length(rope.Bytes(b))
		if ok {
			require.LessOrEqual(t, n, int64(len(b)))
			require.Equal(t, "\xff\xd9", string(b[n-2:n]))
			m, ok := Length(rope.Bytes(b[:n]))
			require.True(t, ok)
			require.Equal(t, n, m)
		}
	})
}

func BenchmarkLength(b *testing.B) {
	p := picture(2000, 2000)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		Length(rope.Bytes(p))
	}
}
