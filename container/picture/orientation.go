package picture

import "encoding/binary"

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

// turned reads a picture of w by h pixels as orientation o says that it is to be shown.
func turned(at pixels, w, h, o int) (pixels, int, int) {
	if o < 2 {
		return at, w, h
	}
	if o >= 5 {
		w, h = h, w
	}
	return func(x, y int) (r, g, b, a byte) {
		switch o {
		case 2:
			x = w - 1 - x
		case 3:
			x, y = w-1-x, h-1-y
		case 4:
			y = h - 1 - y
		case 5:
			x, y = y, x
		case 6:
			x, y = y, w-1-x
		case 7:
			x, y = h-1-y, w-1-x
		case 8:
			x, y = h-1-y, x
		}
		return at(x, y)
	}, w, h
}
