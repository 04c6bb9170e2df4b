package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

var red, blue = color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}

// halves is w by h pixels, the left half red and the right half blue.
func halves(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := red
			if x >= w/2 {
				c = blue
			}
			m.Set(x, y, c)
		}
	}
	return m
}

func jpegOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}))
	return b.Bytes()
}

func gifOf(t testing.TB, w, h int, frame image.Rectangle) []byte {
	pal := color.Palette{color.NRGBA{}, red, blue}
	f := image.NewPaletted(frame, pal)
	for i := range f.Pix {
		f.Pix[i] = 1
	}
	second := image.NewPaletted(image.Rect(0, 0, w, h), pal)
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{f, second}, Delay: []int{1, 1}, Config: image.Config{ColorModel: pal, Width: w, Height: h}}))
	return b.Bytes()
}

// webpPixel is a lossless WebP of 1 by 1 pixel.
func webpPixel(t testing.TB) []byte {
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	return b
}

// lossless is the head of a lossless WebP of that size, without its pixels.
func lossless(w, h int) []byte {
	v := uint32(w-1) | uint32(h-1)<<14
	d := binary.LittleEndian.AppendUint32([]byte{0x2f}, v)
	return append([]byte("RIFF\xff\x00\x00\x00WEBPVP8L\x10\x00\x00\x00"), append(d, make([]byte, 11)...)...)
}

// extended puts the extended header of a WebP of 1 by 1 pixels in front of the parts of b.
func extended(flags byte, b []byte) []byte {
	return append([]byte("RIFF\xff\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"+string(flags)+"\x00\x00\x00\x00\x00\x00\x00\x00\x00"), b[12:]...)
}

// exif puts an Exif orientation behind the start mark of a JPEG.
func exif(b []byte, o uint16, little bool) []byte {
	tiff := "MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01" + string([]byte{byte(o >> 8), byte(o)}) + "\x00\x00\x00\x00\x00\x00"
	if little {
		tiff = "II\x2a\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string([]byte{byte(o), byte(o >> 8)}) + "\x00\x00\x00\x00\x00\x00"
	}
	seg := "Exif\x00\x00" + tiff
	return []byte("\xff\xd8\xff\xe1" + string([]byte{byte((len(seg) + 2) >> 8), byte(len(seg) + 2)}) + seg + string(b[2:]))
}

func decoded(t testing.TB, b []byte) image.Image {
	t.Helper()
	out, err := ToPNG(rope.Bytes(b), limits.Card())
	require.NoError(t, err)
	m, err := png.Decode(bytes.NewReader(out))
	require.NoError(t, err)
	return m
}

func is(t testing.TB, want color.Color, m image.Image, x, y int) {
	t.Helper()
	r, g, b, a := want.RGBA()
	r2, g2, b2, a2 := m.At(x, y).RGBA()
	for _, d := range [][2]uint32{{r, r2}, {g, g2}, {b, b2}, {a, a2}} {
		assert.InDelta(t, d[0]>>8, d[1]>>8, 3, "pixel %d,%d is %v", x, y, m.At(x, y))
	}
}

func TestToPNG(t *testing.T) {
	t.Run("JPEG", func(t *testing.T) {
		m := decoded(t, jpegOf(t, halves(32, 16)))
		assert.Equal(t, image.Rect(0, 0, 32, 16), m.Bounds())
		is(t, red, m, 4, 4)
		is(t, blue, m, 28, 4)
	})
	t.Run("grey JPEG", func(t *testing.T) {
		g := image.NewGray(image.Rect(0, 0, 8, 8))
		for i := range g.Pix {
			g.Pix[i] = 77
		}
		is(t, color.Gray{77}, decoded(t, jpegOf(t, g)), 3, 3)
	})
	t.Run("GIF: the first frame", func(t *testing.T) {
		m := decoded(t, gifOf(t, 10, 6, image.Rect(0, 0, 10, 6)))
		assert.Equal(t, image.Rect(0, 0, 10, 6), m.Bounds())
		is(t, red, m, 9, 5)
	})
	t.Run("GIF: a frame inside the canvas", func(t *testing.T) {
		m := decoded(t, gifOf(t, 10, 6, image.Rect(2, 3, 4, 5)))
		assert.Equal(t, image.Rect(0, 0, 10, 6), m.Bounds())
		is(t, color.NRGBA{}, m, 0, 0)
		is(t, red, m, 3, 4)
	})
	t.Run("WebP", func(t *testing.T) {
		assert.Equal(t, image.Rect(0, 0, 1, 1), decoded(t, webpPixel(t)).Bounds())
	})
	t.Run("every pixel, also where it is clear", func(t *testing.T) {
		pal := make(color.Palette, 256)
		for i := range pal {
			pal[i] = color.NRGBA{byte(i * 7), byte(i * 31), byte(255 - i), 255}
		}
		pal[9] = color.NRGBA{}
		f := image.NewPaletted(image.Rect(0, 0, 37, 23), pal)
		for i := range f.Pix {
			f.Pix[i] = byte(i * i >> 3)
		}
		var b bytes.Buffer
		require.NoError(t, gif.Encode(&b, f, nil))
		want, err := gif.Decode(bytes.NewReader(b.Bytes()))
		require.NoError(t, err)
		m := decoded(t, b.Bytes())
		for y := range 23 {
			for x := range 37 {
				require.Equal(t, color.NRGBAModel.Convert(want.At(x, y)), color.NRGBAModel.Convert(m.At(x, y)), "%d,%d", x, y)
			}
		}
	})
	t.Run("the same bytes each time", func(t *testing.T) {
		src := rope.Bytes(jpegOf(t, halves(64, 64)))
		a, err := ToPNG(src, limits.Card())
		require.NoError(t, err)
		b, err := ToPNG(src, limits.Card())
		require.NoError(t, err)
		assert.Equal(t, a, b)
	})
}

// TestOrientation: the red half is where a viewer shows it. (Exif: 1 is as stored, 3 upside down, 6 turned right, ...)
func TestOrientation(t *testing.T) {
	for o, red := range map[uint16]string{1: "left", 2: "right", 3: "right", 4: "left", 5: "top", 6: "top", 7: "bottom", 8: "bottom", 9: "left"} {
		for _, little := range []bool{false, true} {
			m := decoded(t, exif(jpegOf(t, halves(32, 16)), o, little))
			x, y := map[string]int{"left": 3, "right": 28, "top": 8, "bottom": 8}[red], map[string]int{"left": 8, "right": 8, "top": 3, "bottom": 28}[red]
			want := image.Rect(0, 0, 32, 16)
			if o >= 5 && o <= 8 {
				want = image.Rect(0, 0, 16, 32)
			}
			require.Equal(t, want, m.Bounds(), o)
			is(t, color.NRGBA{255, 0, 0, 255}, m, x, y)
		}
	}
}

func TestToPNGRefuses(t *testing.T) {
	photo := jpegOf(t, halves(32, 16))
	huge := bytes.Clone(photo)
	i := bytes.Index(huge, []byte{0xff, 0xc0})
	copy(huge[i+5:], []byte{0xff, 0xff, 0xff, 0xff})
	canvas := gifOf(t, 4, 4, image.Rect(0, 0, 4, 4))
	copy(canvas[6:], []byte{0xff, 0xff, 0xff, 0xff})
	scan := photo[bytes.Index(photo, []byte{0xff, 0xda}):]
	for _, c := range []struct {
		name string
		file []byte
		code fault.Code
		says string
	}{
		{"JPEG of 65,535 by 65,535 pixels", huge, fault.OverLimit, "the limit Pixels is 16,777,216 pixels, and this file has 4,294,836,225 pixels; nothing raises it (65535 x 65535 pixels)"},
		{"GIF of 65,535 by 65,535 pixels", canvas, fault.OverLimit, "Pixels"},
		{"WebP of 16,384 by 16,384 pixels", lossless(16384, 16384), fault.OverLimit, "268,435,456 pixels"},
		{"WebP that promises 1 by 1 pixel", extended(0, lossless(16384, 16384)), fault.OverLimit, "268,435,456 pixels"},
		{"animated WebP", extended(2, lossless(1, 1)), fault.Unsupported, "animated"},
		{"WebP without pixels", lossless(100, 100), fault.Damaged, "a WebP picture is damaged"},
		{"JPEG cut short", photo[:200], fault.Damaged, "a JPEG picture is damaged"},
		{"JPEG of 1,000 scans", bytes.Join([][]byte{photo[:len(photo)-len(scan)], bytes.Repeat(scan[:20], 1000)}, nil), fault.Damaged, "1000 scans"},
		{"GIF cut short", gifOf(t, 4, 4, image.Rect(0, 0, 4, 4))[:20], fault.Damaged, "a GIF picture is damaged"},
		{"BMP", []byte("BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00\x01"), fault.Unsupported, "only JPEG, GIF and WebP"},
		{"text", []byte("hello"), fault.Unsupported, "only JPEG, GIF and WebP"},
		{"nothing", nil, fault.Unsupported, "only JPEG, GIF and WebP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := testing.AllocsPerRun(1, func() {
				_, err := ToPNG(rope.Bytes(c.file), limits.Card())
				require.Error(t, err)
				f := fault.As(err)
				assert.Equal(t, c.code, f.Code, f)
				assert.Contains(t, f.Error(), c.says)
			})
			assert.Less(t, n, 10_000.0)
		})
	}
	t.Run("more bytes than an entry may have", func(t *testing.T) {
		lim := limits.Card()
		lim.Entry = 100
		_, err := ToPNG(rope.Bytes(photo), lim)
		assert.True(t, fault.Is(err, fault.OverLimit))
	})
}

func TestKind(t *testing.T) {
	assert.Equal(t, "a JPEG picture", Kind([]byte("\xff\xd8\xff\xe0")))
	assert.Equal(t, "a WebP picture", Kind([]byte("RIFF....WEBP")))
	assert.Equal(t, "", Kind([]byte("\x89PNG\r\n\x1a\n")))
}

// FuzzToPNG: whatever comes in, a PNG or a fault for people comes out.
func FuzzToPNG(f *testing.F) {
	f.Add(jpegOf(f, halves(16, 8)))
	f.Add(exif(jpegOf(f, halves(16, 8)), 6, true))
	f.Add(gifOf(f, 4, 4, image.Rect(1, 1, 3, 3)))
	f.Add(webpPixel(f))
	f.Add(extended(0, webpPixel(f)))
	lim := limits.Card()
	lim.Pixels = 1 << 16
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := ToPNG(rope.Bytes(b), lim)
		if err != nil {
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.NotEqual(t, fault.Internal, e.Code)
			return
		}
		c, err := png.DecodeConfig(bytes.NewReader(out))
		require.NoError(t, err)
		require.LessOrEqual(t, c.Width*c.Height, 1<<16)
	})
}

func BenchmarkToPNG(b *testing.B) {
	for name, side := range map[string]int{"1 MP": 1024, "16 MP": 4096} {
		m := image.NewNRGBA(image.Rect(0, 0, side, side))
		x := uint32(1)
		for i := range m.Pix {
			x = x*1664525 + 1013904223
			m.Pix[i] = byte(x>>24)/8 + byte(i/4%side*200/side)
			if i%4 == 3 {
				m.Pix[i] = 255
			}
		}
		src := rope.Bytes(jpegOf(b, m))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(side * side))
			for b.Loop() {
				if _, err := ToPNG(src, limits.Card()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
