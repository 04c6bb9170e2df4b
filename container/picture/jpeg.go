package picture

import (
	"bytes"
	"image"
	"image/jpeg"
	"sync"

	"bunzai/limits"
	"bunzai/rope"
)

// quality of the JPEG pictures that are written; they are previews of a picture that is kept beside them.
const quality = 90

// ToJPEG decodes the PNG, JPEG, GIF or WebP picture in src and returns it as a JPEG, see ToPNG. What is transparent
// becomes white.
func ToJPEG(src rope.Source, lim limits.Limits) ([]byte, error) {
	d, err := open(src, lim, true)
	if err != nil {
		return nil, err
	}
	img := image.NewRGBA(image.Rect(0, 0, d.w, d.h))
	for y := range d.h {
		row := img.Pix[y*img.Stride:]
		for x := range d.w {
			r, g, b, a := d.at(x, y)
			p := row[4*x : 4*x+4 : 4*x+4]
			p[0], p[1], p[2], p[3] = onWhite(r, a), onWhite(g, a), onWhite(b, a), 255
		}
	}
	return asJPEG(img)
}

func onWhite(c, a byte) byte { return byte((int(c)*int(a) + 255*(255-int(a)) + 127) / 255) }

func asJPEG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality})
	return out.Bytes(), err
}

// PlainJPEG is the picture of an archive card that has none: 400 by 600 pixels in one soft grey, always the same bytes.
var PlainJPEG = sync.OnceValue(func() []byte {
	img := image.NewGray(image.Rect(0, 0, 400, 600))
	for i := range img.Pix {
		img.Pix[i] = 0xc8
	}
	b, _ := asJPEG(img) // a bytes.Buffer does not fail
	return b
})
