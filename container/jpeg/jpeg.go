// Package jpeg finds where a JPEG picture ends, so that the picture in front of an archive (Risu's "charx-jpeg") can
// be used without what follows it. It walks markers, decodes no pixels and knows nothing of cards.
//
// Wire facts: ITU-T T.81, annex B (markers, segments, entropy-coded data).
package jpeg

import (
	"bufio"
	"io"

	"bunzai/rope"
)

// Is reports whether src starts as a JPEG does: SOI and another marker.
func Is(src rope.Source) bool {
	var p [3]byte
	n, _ := src.ReadAt(p[:], 0)
	return n == 3 && p == [3]byte{0xff, 0xd8, 0xff}
}

// Length returns the offset just after the end mark (EOI) of the JPEG that src starts with. Thumbnails inside its
// segments are passed over. false when src is no JPEG, has no end mark, or is damaged before it. The picture is read
// once, in pieces of 64 KiB; nothing after it is used.
func Length(src rope.Source) (int64, bool) {
	if !Is(src) {
		return 0, false
	}
	s := scanner{r: bufio.NewReaderSize(io.NewSectionReader(src, 0, src.Size()), 64<<10)}
	s.skip(2)
	for m, ok := s.marker(); ok; {
		switch {
		case m == 0xd9: // EOI
			return s.at, true
		case m == 0x01, m >= 0xd0 && m <= 0xd7: // TEM, RSTn: no segment
			m, ok = s.marker()
			continue
		case m == 0x00, m == 0xd8:
			return 0, false
		}
		hi, _ := s.byte()
		lo, fine := s.byte()
		n := int(hi)<<8 | int(lo)
		if !fine || n < 2 || !s.skip(n-2) {
			return 0, false
		}
		if m == 0xda { // SOS
			m, ok = s.entropy()
		} else {
			m, ok = s.marker()
		}
	}
	return 0, false
}

// scanner reads forward and knows where it is.
type scanner struct {
	r  *bufio.Reader
	at int64
}

func (s *scanner) byte() (byte, bool) {
	b, err := s.r.ReadByte()
	s.at++
	return b, err == nil
}

func (s *scanner) skip(n int) bool {
	m, err := s.r.Discard(n)
	s.at += int64(m)
	return err == nil
}

// marker reads 0xff, any number of fill bytes, and returns the byte that names the marker.
func (s *scanner) marker() (byte, bool) {
	if b, ok := s.byte(); !ok || b != 0xff {
		return 0, false
	}
	return s.name()
}

func (s *scanner) name() (byte, bool) {
	for {
		if b, ok := s.byte(); !ok || b != 0xff {
			return b, ok
		}
	}
}

// entropy passes over entropy-coded data to the first marker that is neither a stuffed zero nor a restart.
func (s *scanner) entropy() (byte, bool) {
	for {
		b, err := s.r.ReadSlice(0xff)
		s.at += int64(len(b))
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil {
			return 0, false
		}
		if m, ok := s.name(); !ok || m != 0 && (m < 0xd0 || m > 0xd7) {
			return m, ok
		}
	}
}
