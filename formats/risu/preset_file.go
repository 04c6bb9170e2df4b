package risu

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"bunzai/container/rcc"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/risu/msgpack"
	"bunzai/formats/risu/rpack"
	"bunzai/limits"
	"bunzai/rope"
)

// A packed preset is, from the inside:
//
//	msgpack of the preset
//	AES-256-GCM with the app's one key, a nonce of zeros, no additional data; the tag stands behind
//	msgpack {presetVersion, type: "preset", preset: bytes}
//	gzip                                                                    .risupreset, until August 2024
//	RPack                                                                   .risup
//
// The key is in every copy of the app and hides nothing. PresetVersion is 2; before July 2024 it was 0, and the bytes
// stood in pres (storage/database.svelte.ts, downloadPreset and importPreset).

const (
	gzipHead  = "\x1f\x8b\x08"
	presetKey = "risupreset" // its SHA-256 is the key
)

// packedAs tells by the first bytes how a preset is packed, "" when it is not.
func packedAs(head []byte) formats.Container {
	switch {
	case bytes.HasPrefix(head, []byte(gzipHead)):
		return formats.RisuPreset
	case bytes.HasPrefix(rpack.Decode(head[:min(len(head), 3)]), []byte(gzipHead)):
		return formats.Risup
	}
	return ""
}

// packed is a packed preset, opened.
type packed struct {
	as       formats.Container
	gz       *rope.Rope // the gzip stream, as ranges of the file
	outer    []byte
	from, to int // where the value of preset stands in outer
	inner    *msgpack.Doc
	warnings []string
}

// looksPacked inflates the first bytes only and tells whether a preset may lie in them.
func looksPacked(src rope.Source) formats.Container {
	head, err := rope.View(src, 0, min(src.Size(), 4096))
	if err != nil {
		return ""
	}
	as := packedAs(head)
	if as == "" {
		return ""
	}
	if as == formats.Risup {
		head = rpack.Decode(head)
	}
	z, err := gzip.NewReader(bytes.NewReader(head))
	if err != nil {
		return ""
	}
	p := make([]byte, 64)
	n, _ := io.ReadFull(z, p)
	if p = p[:n]; n < 8 || p[0]&0xf0 != 0x80 && p[0] != 0xde && p[0] != 0xdf {
		return ""
	}
	for _, key := range []string{"presetVersion", "pres", "type"} {
		if i := bytes.Index(p[:min(n, 24)], []byte(key)); i == 2 || i == 4 || i == 6 {
			return as
		}
	}
	return ""
}

// unpack opens a packed preset. Errors: Damaged (with what is wrong), Unsupported (another presetVersion), OverLimit
// (Entry for the file and for what it inflates to, an eighth of what an entry of an archive may have; Ratio, JSON, JSONDepth, Items).
func unpack(src rope.Source, lim limits.Limits) (*packed, error) {
	lim.Entry /= 8 // it lies in memory several times over: packed, inflated, deciphered and as a document
	if src.Size() > lim.Entry {
		return nil, lim.Over("", "Entry", src.Size())
	}
	head, err := rope.View(src, 0, min(src.Size(), 3))
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Message: "the file could not be read: " + err.Error(), Err: err}
	}
	p := &packed{as: packedAs(head)}
	switch p.as {
	case formats.Risup:
		p.gz = rpack.Unpacked(src)
	case formats.RisuPreset:
		p.gz = rope.Of(src)
	default:
		return nil, fault.New(fault.NotRecognized, "", "this is no packed preset of Risu: it does not start as one")
	}
	outer, broken, err := p.inflate(lim)
	if err != nil {
		return nil, err
	}
	p.outer = outer
	sealed, err := p.sealed()
	if err == nil {
		var plain []byte
		if plain, err = open(sealed); err == nil {
			p.inner, err = msgpack.Parse(plain, lim)
		}
	}
	if err != nil {
		if broken != nil && !fault.Is(err, fault.OverLimit) {
			return nil, &fault.Error{Code: fault.Damaged, Where: "gzip", Err: broken, Message: "the preset is cut short or damaged: it cannot be unpacked to its end"}
		}
		return nil, err
	}
	if broken != nil {
		p.warnings = append(p.warnings, "the file's gzip frame is damaged at its end ("+broken.Error()+"), and the preset in it is whole")
	}
	return p, formats.CheckItems(p.inner.JSON, lim)
}

// inflate unpacks the gzip stream, counting. Broken is what is wrong with the stream behind what could be read.
func (p *packed) inflate(lim limits.Limits) (out []byte, broken, err error) {
	data, err := p.gz.Bytes()
	if err != nil {
		return nil, nil, &fault.Error{Code: fault.Damaged, Message: "the file could not be read: " + err.Error(), Err: err}
	}
	from := bytes.NewReader(data)
	z, err := gzip.NewReader(from)
	if err != nil {
		return nil, nil, &fault.Error{Code: fault.Damaged, Where: "gzip", Message: "the preset is damaged: its gzip header cannot be read", Err: err}
	}
	z.Multistream(false)
	const free = 1 << 20 // below it no ratio is asked for
	most := min(lim.Entry, max(free, lim.Ratio*int64(len(data))))
	var b bytes.Buffer
	b.Grow(min(int(most)+1, 8*len(data)))
	n, broken := io.Copy(&b, io.LimitReader(z, most+1))
	if n > most {
		if most == lim.Entry {
			return nil, nil, lim.Over("gzip", "Entry", 0)
		}
		return nil, nil, fault.Over("gzip", fault.Limit{Name: "Ratio", Value: lim.Ratio, Unit: "to 1"})
	}
	if broken == nil && from.Len() > 0 {
		p.warnings = append(p.warnings, fault.Amount(int64(from.Len()), "bytes")+" stand behind the end of the preset; they are kept while nothing is edited")
	}
	if errors.Is(broken, io.ErrUnexpectedEOF) {
		broken = errors.New("it ends too early")
	}
	return b.Bytes(), broken, nil
}

// sealed finds the encrypted bytes in the outer map.
func (p *packed) sealed() ([]byte, error) {
	list, ok, err := msgpack.Members(p.outer)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotRecognized, "", "this is a gzip file, but no preset of Risu is in it")
	}
	var version *int64
	var held *msgpack.Member
	typ := ""
	for i, m := range list {
		switch m.Key {
		case "presetVersion":
			version = m.Whole
		case "type":
			typ = m.Text
		case "preset", "pres":
			held = &list[i]
		}
	}
	switch {
	case typ != "preset" && typ != "":
		return nil, fault.New(fault.NotRecognized, "type", "this is a packed file of Risu of the type %s, and no preset", formats.Shown(typ))
	case version == nil:
		return nil, fault.New(fault.Damaged, "presetVersion", "this packed file has no presetVersion, so it is no preset of Risu")
	case *version != 0 && *version != 2:
		return nil, fault.New(fault.Unsupported, "presetVersion", "the preset is of version %d, and bunzai knows 0 and 2; export it from an older version of Risu, or as JSON", *version)
	case held == nil || held.Bytes == nil:
		return nil, fault.New(fault.Damaged, "preset", "this preset of Risu is empty: the bytes of the preset are missing")
	}
	p.from, p.to = held.From, held.To
	return held.Bytes, nil
}

func open(sealed []byte) ([]byte, error) {
	g := rcc.GCM(presetKey)
	plain, err := g.Open(nil, make([]byte, g.NonceSize()), sealed, nil)
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Where: "preset", Err: err, Message: "the preset in this file is damaged: its seal does not fit (Risu's own key was used). Download or export it again"}
	}
	return plain, nil
}

// pack writes the msgpack of a preset. What the file that it came from says already is taken from there; twin is nil
// for a new preset.
func pack(plain []byte, twin *packed, as formats.Container) (*rope.Rope, error) {
	var gz *rope.Rope
	if twin != nil && bytes.Equal(plain, twin.inner.Data()) {
		gz = twin.gz
	} else {
		g := rcc.GCM(presetKey)
		sealed := g.Seal(nil, make([]byte, g.NonceSize()), plain, nil)
		var outer []byte
		if twin != nil {
			outer = append(msgpack.AppendBin(append(outer, twin.outer[:twin.from]...), sealed), twin.outer[twin.to:]...)
		} else {
			outer = msgpack.AppendBin([]byte("\xde\x00\x03\xadpresetVersion\x02\xa4type\xa6preset\xa6preset"), sealed)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b) // no name, no time: the same bytes each time
		if _, err := z.Write(outer); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		gz = rope.FromBytes(b.Bytes())
	}
	if as == formats.Risup {
		return rpack.Packed(gz), nil
	}
	return gz, nil
}
