package picture

import (
	"encoding/binary"
	"image"
)

// orientation is the Exif orientation of a JPEG, 1 to 8; 1 when it states none. (Exif 2.3, 4.6.4; tag 0x0112)
func orientation(b []byte) int {
	for at := 2; at+4 <= len(b) && b[at] == 0xff; {
		m, n := b[at+1], int(binary.BigEndian.Uint16(b[at+2:]))
		if m == 0xda || n < 2 || at+2+n > len(b) {
			break
		}
		d := b[at+4 : at+2+n]
		if m == 0xe1 && len(d) > 14 && string(d[:6]) == "Exif\x00\x00" {
			return tiffOrientation(d[6:])
		}
		at += 2 + n
	}
	return 1
}

func tiffOrientation(d []byte) int {
	var o binary.ByteOrder = binary.LittleEndian
	if string(d[:2]) == "MM" {
		o = binary.BigEndian
	}
	at := int64(o.Uint32(d[4:]))
	if at+2 > int64(len(d)) {
		return 1
	}
	n := int64(o.Uint16(d[at:]))
	for i := range n {
		e := at + 2 + 12*i
		if e+12 > int64(len(d)) {
			break
		}
		if o.Uint16(d[e:]) == 0x0112 {
			if v := int(o.Uint16(d[e+8:])); v >= 1 && v <= 8 {
				return v
			}
		}
	}
	return 1
}

// turned is img as orientation o says that it is to be shown.
func turned(img image.Image, o int) image.Image {
	if o < 2 {
		return img
	}
	src, ok := flat(img).(*image.RGBA)
	if !ok {
		rgba := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
		for y := range rgba.Rect.Dy() {
			for x := range rgba.Rect.Dx() {
				rgba.Set(x, y, img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y))
			}
		}
		src = rgba
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if o >= 5 {
		w, h = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := x, y
			switch o {
			case 2:
				u = w - 1 - x
			case 3:
				u, v = w-1-x, h-1-y
			case 4:
				v = h - 1 - y
			case 5:
				u, v = y, x
			case 6:
				u, v = y, w-1-x
			case 7:
				u, v = h-1-y, w-1-x
			case 8:
				u, v = h-1-y, x
			}
			copy(out.Pix[y*out.Stride+4*x:][:4], src.Pix[v*src.Stride+4*u:][:4])
		}
	}
	return out
}
