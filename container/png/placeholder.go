package png

import (
	"encoding/binary"
	"sync"

	"bunzai/rope"
)

// Placeholder returns the picture of a card that has none: a sound PNG of 400 by 600 pixels in one soft colour, the
// same bytes each time, under 3 KB. Its pixel data is one fixed-Huffman deflate block written by hand (RFC 1951,
// 3.2.6), so no compressor is linked for it.
func Placeholder() []byte { return placeholder() }

var placeholder = sync.OnceValue(func() []byte {
	const width, height = 400, 600
	const pixels = (1 + width) * height // filter byte and palette indexes, all zero
	var z bits
	z.out = []byte{0x78, 0x01}
	z.put(1, 1)     // last block
	z.put(1, 2)     // fixed Huffman codes, least bit first
	z.code(0x30, 8) // the literal 0
	n := 1
	for ; n+258 <= pixels; n += 258 {
		z.code(0xc5, 8) // length 258, symbol 285
		z.code(0, 5)    // distance 1
	}
	for ; n < pixels; n++ {
		z.code(0x30, 8)
	}
	z.code(0, 7) // end of block
	z.flush()
	idat := binary.BigEndian.AppendUint32(z.out, uint32(pixels%65521)<<16|1) // Adler-32 of that many zeros

	ihdr := binary.BigEndian.AppendUint32(nil, width)
	ihdr = binary.BigEndian.AppendUint32(ihdr, height)
	ihdr = append(ihdr, 8, 3, 0, 0, 0) // 8 bits of a palette, deflate, adaptive filters, not interlaced

	r := &rope.Rope{}
	r.AppendString(signature)
	for _, c := range []struct {
		kind string
		data []byte
	}{{"IHDR", ihdr}, {"PLTE", []byte{0xc9, 0xc4, 0xd6}}, {"IDAT", idat}, {"IEND", nil}} {
		appendData(r, c.kind, c.data)
	}
	b, _ := r.Bytes() // memory segments cannot fail to read
	return b
})

// bits packs deflate codes.
type bits struct {
	out []byte
	acc uint32
	n   uint
}

// put writes n bits, least first.
func (b *bits) put(v uint32, n uint) {
	b.acc |= v << b.n
	for b.n += n; b.n >= 8; b.n -= 8 {
		b.out = append(b.out, byte(b.acc))
		b.acc >>= 8
	}
}

// code writes a Huffman code of n bits, greatest bit first.
func (b *bits) code(v uint32, n uint) {
	for n > 0 {
		n--
		b.put(v>>n&1, 1)
	}
}

func (b *bits) flush() {
	if b.n > 0 {
		b.out = append(b.out, byte(b.acc))
		b.acc, b.n = 0, 0
	}
}
