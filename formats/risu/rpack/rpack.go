// Package rpack is Risu's RPack: a fixed substitution of bytes that hides nothing and changes no length. Modules
// (.risum) and presets (.risup) are written in it. Here lies the substitution alone; no file format is known.
package rpack

import (
	_ "embed"
	"encoding/hex"
	"strings"

	"bunzai/rope"
)

// table.txt holds, in hexadecimal, what each byte from 00 to ff becomes. The way back is derived from it.
//
//go:embed table.txt
var table string

type mapping [256]byte

var enc, dec = func() (enc, dec mapping) {
	b, err := hex.DecodeString(strings.Join(strings.Fields(table), ""))
	if err != nil || len(b) != len(enc) {
		panic("rpack: table.txt does not hold 256 bytes")
	}
	seen := [256]bool{}
	for i, c := range b {
		if seen[c] {
			panic("rpack: two bytes of table.txt are equal")
		}
		seen[c] = true
		enc[i], dec[c] = c, byte(i)
	}
	return enc, dec
}()

func (m *mapping) over(b []byte) {
	for i, c := range b {
		b[i] = m[c]
	}
}

func (m *mapping) copyOf(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = m[c]
	}
	return out
}

// Encode returns b packed; b is not changed.
func Encode(b []byte) []byte { return enc.copyOf(b) }

// Decode returns b unpacked; b is not changed. Every input is valid.
func Decode(b []byte) []byte { return dec.copyOf(b) }

// Packed returns src packed, done while it is read: nothing is held in memory. What Unpacked made is taken back to the
// range that it came from.
func Packed(src rope.Source) *rope.Rope { return through(src, &enc, &dec) }

// Unpacked returns src unpacked, done while it is read, and Packed's way back.
func Unpacked(src rope.Source) *rope.Rope { return through(src, &dec, &enc) }

func through(src rope.Source, m, back *mapping) *rope.Rope {
	out := &rope.Rope{}
	for s := range rope.Of(src).Segments() {
		if v, ok := s.Src.(*view); ok && v.m == back {
			out.AppendRange(v.Source, s.Off, s.Len)
			continue
		}
		out.AppendRange(&view{s.Src, m}, s.Off, s.Len)
	}
	return out
}

type view struct {
	rope.Source
	m *mapping
}

// ReadAt implements io.ReaderAt.
func (v *view) ReadAt(p []byte, off int64) (int, error) {
	n, err := v.Source.ReadAt(p, off)
	v.m.over(p[:n])
	return n, err
}
