// Package picture turns a JPEG, GIF or WebP picture into a PNG of the same pixels, and any of these or a PNG into a JPEG,
// for the two places where an app can show nothing else: the picture of a PNG card, and the one before an archive. It is the only package that decodes pixels, and it looks at the stated
// size first: what has more than Limits.Pixels is refused before anything is allocated for it. It knows no card.
package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/webp"

	"bunzai/container/media"
	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// Kind names the picture in words ("a JPEG picture"), "" for what ToPNG does not read.
func Kind(head []byte) string {
	switch ext, _ := media.Sniff(head); ext {
	case "jpg":
		return "a JPEG picture"
	case "gif":
		return "a GIF picture"
	case "webp":
		return "a WebP picture"
	}
	return ""
}

// ToPNG decodes the picture in src and returns it as a PNG: of a GIF the first frame on its canvas, of a JPEG turned as
// its Exif orientation says. Colour profiles are not carried. Errors: Unsupported (another kind, or an animated WebP),
// Damaged, OverLimit (Pixels; Entry for the bytes of the picture).
func ToPNG(src rope.Source, lim limits.Limits) ([]byte, error) {
	d, err := open(src, lim, false)
	if err != nil {
		return nil, err
	}
	return encode(d.at, d.w, d.h, d.solid), nil
}

// bitmap is a picture as pixels.
type bitmap struct {
	at    pixels
	w, h  int
	solid bool // every pixel is opaque
}

// open decodes a picture; a PNG only when asked, since turning one into PNG means nothing.
func open(src rope.Source, lim limits.Limits, withPNG bool) (*bitmap, error) {
	if src.Size() > lim.Entry {
		return nil, lim.Over("", "Entry", src.Size())
	}
	data, err := rope.View(src, 0, src.Size())
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Message: "the picture could not be read", Err: err}
	}
	head := data[:min(len(data), media.HeadSize)]
	what := Kind(head)
	ext, _ := media.Sniff(head)
	var config func(io.Reader) (image.Config, error)
	var decode func(io.Reader) (image.Image, error)
	var w, h int // what the parts of the file state, where that is more than its head does
	switch ext {
	case "jpg":
		config, decode = jpeg.DecodeConfig, jpeg.Decode
		// Each scan of a progressive picture visits every block: hundreds of tiny ones would take minutes.
		if n := bytes.Count(data, []byte{0xff, 0xda}); n > maxScans {
			return nil, fault.New(fault.Damaged, "", "the JPEG picture has %d scans, where real ones have about 10", n)
		}
	case "gif":
		config, decode = gif.DecodeConfig, gif.Decode
	case "webp":
		config, decode = webp.DecodeConfig, webp.Decode
		var animated bool
		if w, h, animated = webpSize(data); animated {
			return nil, fault.New(fault.Unsupported, "", "the WebP picture is animated, and only still ones are read")
		}
	case "png":
		if !withPNG {
			return nil, fault.New(fault.Unsupported, "", "the picture is a PNG already")
		}
		what, config, decode = "a PNG picture", png.DecodeConfig, png.Decode
	default:
		return nil, fault.New(fault.Unsupported, "", "only JPEG, GIF and WebP pictures can be turned into another kind")
	}
	c, err := config(bytes.NewReader(data))
	if err != nil {
		return nil, damaged(what, err)
	}
	w, h = max(w, c.Width), max(h, c.Height)
	if w == 0 || h == 0 {
		return nil, damaged(what, nil)
	}
	if n := int64(w) * int64(h); n > lim.Pixels {
		return nil, fault.At(lim.Over("", "Pixels", n), fmt.Sprintf("%d x %d pixels", w, h))
	}
	img, err := safely(decode, bytes.NewReader(data))
	if err != nil {
		return nil, damaged(what, err)
	}
	canvas := img.Bounds()
	if ext == "gif" {
		canvas = image.Rect(0, 0, c.Width, c.Height) // the first frame may be smaller
	}
	at, w, h := reader(img), canvas.Dx(), canvas.Dy()
	if ext == "jpg" {
		at, w, h = turned(at, w, h, orientation(data))
	}
	return &bitmap{at, w, h, opaque(img, canvas.Dx(), canvas.Dy())}, nil
}

const maxScans = 100

func damaged(what string, err error) error {
	return &fault.Error{Code: fault.Damaged, Message: what + " is damaged or of an unusual kind", Err: err}
}

// safely keeps a fault of a decoder from ending the process.
func safely(decode func(io.Reader) (image.Image, error), r io.Reader) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return decode(r)
}

// webpSize is the largest size that any part of a WebP states: the extended header promises one, the pixels have their
// own.
func webpSize(b []byte) (w, h int, animated bool) {
	le := binary.LittleEndian
	for at := int64(12); at+8 <= int64(len(b)); {
		n := int64(le.Uint32(b[at+4:]))
		d := b[at+8 : min(at+8+n, int64(len(b)))]
		switch string(b[at : at+4]) {
		case "VP8X":
			if len(d) >= 10 {
				animated = d[0]&2 != 0
				w = max(w, 1+int(d[4])|int(d[5])<<8|int(d[6])<<16)
				h = max(h, 1+int(d[7])|int(d[8])<<8|int(d[9])<<16)
			}
		case "VP8 ":
			if len(d) >= 10 {
				w = max(w, int(le.Uint16(d[6:]))&0x3fff)
				h = max(h, int(le.Uint16(d[8:]))&0x3fff)
			}
		case "VP8L":
			if len(d) >= 5 {
				v := le.Uint32(d[1:])
				w = max(w, 1+int(v&0x3fff))
				h = max(h, 1+int(v>>14&0x3fff))
			}
		case "ANIM", "ANMF":
			animated = true
		}
		at += 8 + n + n&1
	}
	return min(w, math.MaxInt32), min(h, math.MaxInt32), animated
}
