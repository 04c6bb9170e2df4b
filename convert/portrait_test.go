package convert_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	stdpng "image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

func redJPEG(t testing.TB, w, h int) string {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = []byte{255, 0, 0, 255}[i%4]
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, nil))
	return b.String()
}

func blueGIF(t testing.TB) string {
	m := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.NRGBA{0, 0, 255, 255}})
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, m, nil))
	return b.String()
}

// pixelWebP is a lossless WebP of one clear pixel.
func pixelWebP(t testing.TB) string {
	b, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	return string(b)
}

func portraitOf(t testing.TB, file string) string {
	t.Helper()
	a := read(t, file).Primary.Character().Media.Portrait
	require.NotNil(t, a)
	require.NotNil(t, a.Blob)
	raw, err := a.Blob.Raw()
	require.NoError(t, err)
	b, err := rope.View(raw, 0, raw.Size())
	require.NoError(t, err)
	return string(b)
}

// TestKF011: a portrait that is no PNG is what the PNG card shows, and stays as it was.
func TestKF011(t *testing.T) {
	photo := redJPEG(t, 40, 30)
	charx := func(pic, ext string) string {
		path := "assets/icon/image/main." + ext
		return archive("", cardFile(named("Ann"), with("assets", []any{map[string]string{"type": "icon", "name": "main", "ext": ext, "uri": "embeded://" + path}})), file{name: path, data: pic})
	}
	for _, c := range []struct {
		name, pic, ext string
		size           image.Point
		want           color.NRGBA
	}{
		{"JPEG", photo, "jpg", image.Pt(40, 30), color.NRGBA{254, 0, 0, 255}},
		{"GIF", blueGIF(t), "gif", image.Pt(8, 8), color.NRGBA{0, 0, 255, 255}},
		{"WebP", pixelWebP(t), "webp", image.Pt(1, 1), color.NRGBA{0, 0, 0, 0}},
	} {
		t.Run("KF-011 "+c.name, func(t *testing.T) {
			out, rep := written(t, charx(c.pic, c.ext), formats.PNG)
			strictPNG(t, out)
			shown, err := stdpng.Decode(strings.NewReader(out))
			require.NoError(t, err)
			assert.Equal(t, c.size, shown.Bounds().Size(), "the card shows the picture")
			assert.Equal(t, c.want, color.NRGBAModel.Convert(shown.At(3, 3)))
			assert.Contains(t, strings.Join(rep.Warnings, "\n"), "the PNG card shows it turned into PNG; the picture itself is kept, unchanged, among its assets")
			assert.Equal(t, convert.Counts{Carried: rep.Counts.Carried, Parked: rep.Counts.Parked}, rep.Counts, "nothing is changed or lost")
			assert.Equal(t, c.pic, portraitOf(t, out), "the portrait is the picture itself")

			again, _ := written(t, out, formats.PNG)
			assert.Equal(t, out, again, "unedited: the same bytes")
			bob := edited(t, out, "Bob", formats.PNG)
			assert.Equal(t, "Bob", nameIn(t, bob))
			assert.Equal(t, c.pic, portraitOf(t, bob))

			arc, _ := written(t, out, formats.CharX)
			_, content := unzip(t, arc)
			assert.Equal(t, c.pic, content["assets/icon/image/main."+c.ext])
			assert.Len(t, content, 2, "the picture made for the PNG card does not come along")
			js, _ := written(t, out, formats.JSON)
			assert.Equal(t, c.pic, portraitOf(t, js))
		})
	}
	t.Run("every app's PNG", func(t *testing.T) {
		for _, to := range targets(engine) {
			if to.container != formats.PNG {
				continue
			}
			out, err := engine.Convert(sourceOf(charx(photo, "jpg")), convert.Options{To: to.app, Container: to.container, Spec: to.spec})
			require.NoError(t, err)
			b, err := out.Data.Bytes()
			require.NoError(t, err)
			shown, err := stdpng.Decode(bytes.NewReader(b))
			require.NoError(t, err)
			assert.Equal(t, image.Pt(40, 30), shown.Bounds().Size(), to)
			if to.spec == "v2" { // no assets there, so the picture that it shows is the portrait, and the report says so
				continue
			}
			assert.Equal(t, photo, portraitOf(t, string(b)), to)
			for _, i := range out.Report.Items {
				if i.Verdict == convert.Lost || i.Verdict == convert.Changed {
					assert.NotContains(t, i.Path, "media", "%v %+v", to, i)
				}
			}
		}
	})
	t.Run("the JPEG in front of an archive", func(t *testing.T) {
		out, _ := written(t, photo+archive("", cardFile(named("Ann"))), formats.PNG)
		shown, err := stdpng.Decode(strings.NewReader(out))
		require.NoError(t, err)
		assert.Equal(t, image.Pt(40, 30), shown.Bounds().Size())
		assert.Equal(t, photo, portraitOf(t, out))
		bob := edited(t, photo+archive("", cardFile(named("Ann"))), "Bob", formats.CharX)
		assert.Equal(t, photo, bob[:len(photo)])
		assert.Equal(t, photo, portraitOf(t, bob))
		_, content := unzip(t, bob)
		assert.Len(t, content, 1, "it stands in front, and no copy of it inside")
	})
	t.Run("another app gives the card a new picture", func(t *testing.T) {
		out, _ := written(t, charx(photo, "jpg"), formats.PNG)
		mark := tEXt("bunzai", "carrier:transcoded")
		require.Equal(t, 1, strings.Count(out, mark))
		drawn := strings.Replace(out, mark, "", 1)
		assert.Equal(t, pngSignature, portraitOf(t, drawn)[:8], "without the mark the picture counts")
		assert.NotContains(t, portraitOf(t, drawn), "ccv3")
		require.Len(t, read(t, drawn).Primary.Character().Media.Assets, 1, "and the old one is an asset")
	})
	t.Run("the portrait is replaced by a PNG", func(t *testing.T) {
		out, _ := written(t, charx(photo, "jpg"), formats.PNG)
		p := read(t, out)
		fresh := picture(tEXt("n", "fresh"), "")
		p.Primary.Character().Media.Portrait = &canonical.Asset{Role: canonical.RolePortrait, Blob: canonical.RawBlob(rope.FromBytes([]byte(fresh)), "image/png")}
		b, rep := emitted(t, p, formats.PNG)
		assert.Equal(t, 0, rep.Counts.Lost+rep.Counts.Changed, "%+v", rep.Items[:min(3, len(rep.Items))])
		assert.NotContains(t, b, "carrier:transcoded")
		assert.Equal(t, fresh, portraitOf(t, b))
	})
	t.Run("a V2 card has no assets, so the portrait is what it shows", func(t *testing.T) {
		p := read(t, charx(photo, "jpg"))
		out, err := engine.Emit(p, convert.Options{To: "sillytavern", Container: formats.PNG, Spec: "v2"})
		require.NoError(t, err)
		b, err := out.Data.Bytes()
		require.NoError(t, err)
		if strings.Contains(string(b), "assets") {
			return
		}
		shown, err := stdpng.Decode(bytes.NewReader(b))
		require.NoError(t, err)
		assert.Equal(t, image.Pt(40, 30), shown.Bounds().Size())
	})
	t.Run("what cannot be turned is said", func(t *testing.T) {
		out, rep := written(t, charx(photo[:100], "jpg"), formats.PNG)
		assert.Contains(t, strings.Join(rep.Warnings, "\n"), "shows a plain picture, since it could not be turned into PNG: a JPEG picture is damaged")
		assert.Equal(t, photo[:100], portraitOf(t, out))
		huge := strings.Replace(photo, "\xff\xc0\x00\x11\x08\x00\x1e\x00\x28", "\xff\xc0\x00\x11\x08\xff\xff\xff\xff", 1)
		require.NotEqual(t, photo, huge)
		cost := measured(func() { out, rep = written(t, charx(huge, "jpg"), formats.PNG) })
		assert.Contains(t, strings.Join(rep.Warnings, "\n"), "the limit Pixels is 16,777,216 pixels")
		assert.Equal(t, huge, portraitOf(t, out))
		assert.Less(t, cost.live, int64(16*mib))
	})
	t.Run("the largest picture fits the budget", func(t *testing.T) {
		big := charx(redJPEG(t, 4096, 4096), "jpg")
		cost := measured(func() { written(t, big, formats.PNG) })
		t.Logf("4096 x 4096 JPEG: %v, %d MiB live", cost.wall, cost.live/mib)
		assert.Less(t, cost.live, int64(160*mib))
		assert.EqualValues(t, 4096*4096, limits.Card().Pixels)
	})
}
