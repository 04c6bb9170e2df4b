package picture

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image"
	"image/color"

	"github.com/klauspost/compress/flate"
)

// pixels gives the colour at a place of a picture whose corner is 0, 0; not multiplied by a.
type pixels func(x, y int) (r, g, b, a byte)

// reader reads the kinds that the decoders make without a detour through color.Color. What lies outside of img is
// transparent.
func reader(img image.Image) pixels {
	in := img.Bounds()
	var at pixels
	switch m := img.(type) {
	case *image.YCbCr:
		at = func(x, y int) (r, g, b, a byte) {
			c := m.COffset(x, y)
			r, g, b = color.YCbCrToRGB(m.Y[m.YOffset(x, y)], m.Cb[c], m.Cr[c])
			return r, g, b, 255
		}
	case *image.Gray:
		at = func(x, y int) (r, g, b, a byte) {
			v := m.Pix[m.PixOffset(x, y)]
			return v, v, v, 255
		}
	case *image.NRGBA:
		at = func(x, y int) (r, g, b, a byte) {
			p := m.Pix[m.PixOffset(x, y):]
			return p[0], p[1], p[2], p[3]
		}
	case *image.Paletted:
		pal := make([]color.NRGBA, 256)
		for i, c := range m.Palette {
			pal[i] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		at = func(x, y int) (r, g, b, a byte) {
			c := pal[m.Pix[m.PixOffset(x, y)]]
			return c.R, c.G, c.B, c.A
		}
	default:
		at = func(x, y int) (r, g, b, a byte) {
			c := color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
			return c.R, c.G, c.B, c.A
		}
	}
	return func(x, y int) (r, g, b, a byte) {
		if !(image.Point{X: x, Y: y}).In(in) {
			return 0, 0, 0, 0
		}
		return at(x, y)
	}
}

// opaque reports whether every pixel of the canvas is covered.
func opaque(img image.Image, w, h int) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque() && img.Bounds() == image.Rect(0, 0, w, h)
}

// encode writes w by h pixels as a PNG of 8 bits a channel, row by row: image/png would add its decoder to the engine.
func encode(at pixels, w, h int, solid bool) []byte {
	n, kind := 4, byte(6)
	if solid {
		n, kind = 3, 2
	}
	var out, z bytes.Buffer
	out.WriteString("\x89PNG\r\n\x1a\n")
	ihdr := binary.BigEndian.AppendUint32(nil, uint32(w))
	ihdr = append(binary.BigEndian.AppendUint32(ihdr, uint32(h)), 8, kind, 0, 0, 0)
	chunk(&out, "IHDR", ihdr)

	z.WriteString("\x78\x9c")
	sum := adler32.New()
	fw, _ := flate.NewWriter(&z, 6) // the level is one that there is
	row, above := make([]byte, n*w), make([]byte, n*w)
	line := make([]byte, 1+n*w)
	for y := range h {
		for x := range w {
			r, g, b, a := at(x, y)
			p := row[n*x:]
			p[0], p[1], p[2] = r, g, b
			if !solid {
				p[3] = a
			}
		}
		filtered(line, row, above, n)
		fw.Write(line) // a bytes.Buffer does not fail
		sum.Write(line)
		row, above = above, row
		if z.Len() > 1<<20 {
			chunk(&out, "IDAT", z.Bytes())
			z.Reset()
		}
	}
	fw.Close()
	z.Write(binary.BigEndian.AppendUint32(nil, sum.Sum32()))
	chunk(&out, "IDAT", z.Bytes())
	chunk(&out, "IEND", nil)
	return out.Bytes()
}

// filtered writes the row behind the Paeth filter, the one that suits photographs and paintings, into line.
func filtered(line, row, above []byte, n int) {
	line[0] = 4
	out := line[1:][:len(row)]
	above = above[:len(row)]
	for i := range n {
		out[i] = row[i] - above[i]
	}
	for i := n; i < len(row); i++ {
		out[i] = row[i] - paeth(row[i-n], above[i], above[i-n])
	}
}

// paeth predicts from left, above and the corner between them (PNG 9.4).
func paeth(a, b, c byte) byte {
	pa, pb := int(b)-int(c), int(a)-int(c)
	pc := pa + pb
	pa, pb, pc = max(pa, -pa), max(pb, -pb), max(pc, -pc)
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func chunk(out *bytes.Buffer, kind string, data []byte) {
	var n [4]byte
	binary.BigEndian.PutUint32(n[:], uint32(len(data)))
	out.Write(n[:])
	out.WriteString(kind)
	out.Write(data)
	binary.BigEndian.PutUint32(n[:], crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, data))
	out.Write(n[:])
}
