package samples

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
)

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Chunk is a PNG chunk before its length and CRC.
type Chunk struct {
	Type string
	Data []byte
}

// Text is a tEXt chunk.
func Text(keyword, value string) Chunk { return Chunk{"tEXt", []byte(keyword + "\x00" + value)} }

// Card is a tEXt chunk with base64 of a card.
func Card(keyword, card string) Chunk { return Text(keyword, base64Of(card)) }

// ZText is a zTXt chunk.
func ZText(keyword, value string) Chunk {
	return Chunk{"zTXt", append([]byte(keyword+"\x00\x00"), deflated(value)...)}
}

// IText is an iTXt chunk, packed or not.
func IText(keyword, value string, packed bool) Chunk {
	head, body := keyword+"\x00\x00\x00en\x00karta\x00", []byte(value)
	if packed {
		head, body = keyword+"\x00\x01\x00en\x00karta\x00", deflated(value)
	}
	return Chunk{"iTXt", append([]byte(head), body...)}
}

func deflated(s string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.Bytes()
}

// Dot is a sound PNG picture of two by two pixels in one of 256 colours.
func Dot(n byte) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i := range 4 {
		img.Set(i%2, i/2, color.NRGBA{n, 255 - n, 128, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// PNG is a picture with chunks right before its end.
func PNG(chunks ...Chunk) []byte { return Picture(nil, chunks, nil) }

// Picture is a picture with chunks before and after its pixels, and bytes behind it.
func Picture(before, after []Chunk, behind []byte) []byte {
	src := Dot(200)
	out := append([]byte{}, src[:8]...)
	for at := 8; at < len(src); {
		n := int(binary.BigEndian.Uint32(src[at:])) + 12
		switch string(src[at+4 : at+8]) {
		case "IDAT":
			out = appendChunks(out, before)
		case "IEND":
			out = appendChunks(out, after)
		}
		out = append(out, src[at:at+n]...)
		at += n
	}
	return append(out, behind...)
}

func appendChunks(out []byte, chunks []Chunk) []byte {
	for _, c := range chunks {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c.Data)))
		body := append([]byte(c.Type), c.Data...)
		out = append(out, body...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
	}
	return out
}

// frame is an fcTL chunk of the APNG specification.
func frame(seq byte) Chunk {
	return Chunk{"fcTL", []byte{0, 0, 0, seq, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0}}
}

func fdat(seq byte) Chunk {
	src := Dot(7)
	for at := 8; at < len(src); {
		n := int(binary.BigEndian.Uint32(src[at:]))
		if string(src[at+4:at+8]) == "IDAT" {
			return Chunk{"fdAT", append([]byte{0, 0, 0, seq}, src[at+8:at+8+n]...)}
		}
		at += n + 12
	}
	panic("no IDAT")
}

// JPEG is the smallest thing that begins and ends as a JPEG.
func JPEG() []byte {
	return []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9")
}

// Entry is a member of an archive.
type Entry struct {
	Name   string
	Data   []byte
	Stored bool
	Stream bool // sizes and CRC follow the data, as a streaming writer leaves them
}

// Archive is a ZIP behind prefix.
func Archive(prefix []byte, entries ...Entry) []byte {
	var b bytes.Buffer
	b.Write(prefix)
	w := zip.NewWriter(&b)
	w.SetOffset(int64(len(prefix)))
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate}
		if e.Stored {
			h.Method = zip.Store
		}
		if e.Stream {
			f, err := w.CreateHeader(h)
			must(err)
			_, err = f.Write(e.Data)
			must(err)
			continue
		}
		packed := e.Data
		if !e.Stored {
			var d bytes.Buffer
			f, err := flate.NewWriter(&d, 1) // not the level that our writer takes: a repacked entry shows
			must(err)
			_, err = f.Write(e.Data)
			must(err)
			must(f.Close())
			packed = d.Bytes()
		}
		h.CRC32, h.CompressedSize64, h.UncompressedSize64 = crc32.ChecksumIEEE(e.Data), uint64(len(packed)), uint64(len(e.Data))
		f, err := w.CreateRaw(h)
		must(err)
		_, err = io.Copy(f, bytes.NewReader(packed))
		must(err)
	}
	must(w.SetComment("a comment"))
	must(w.Close())
	return b.Bytes()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func charxEntries(scheme string) []Entry {
	return []Entry{
		{Name: "card.json", Data: []byte(charxCard(scheme))},
		{Name: "assets/icon/image/main.png", Data: Dot(11), Stored: true},
		{Name: "assets/emotion/image/happy.png", Data: Dot(12), Stored: true},
		{Name: "assets/emotion/image/sad.png", Data: Dot(13)},
		{Name: "assets/background/image/wood.png", Data: Dot(14)},
		{Name: "x_meta/0.json", Data: []byte(`{"type":"PNG","zq":"zq-x_meta"}`)},
		{Name: "module.risum", Data: []byte("\x6f\x00zq-risum\x00\xff\xfe"), Stored: true},
		{Name: "zq folder/", Stored: true},
		{Name: "zq folder/zq-notes.txt", Data: []byte("zq-an unlisted member")},
	}
}

func streamed(es []Entry) []Entry {
	for i := range es {
		es[i].Stream = true
	}
	return es
}

func cardLast(es []Entry) []Entry { return append(append([]Entry{}, es[1:]...), es[0]) }
