package jsondoc

import (
	"bytes"

	"bunzai/rope"
)

// source is a validated JSON text. It never changes, so documents and clones in several goroutines may share it.
type source struct {
	b     []byte
	rs    rope.Source
	jumps []span
}

func newSource(b []byte, jumps []span) *source {
	return &source{b: b, rs: rope.Bytes(b), jumps: jumps}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// backSpace returns the start of the white space that ends at i.
func backSpace(b []byte, i int) int {
	for i > 0 && isSpace(b[i-1]) {
		i--
	}
	return i
}

// skipString returns the offset after the string whose opening quote is at i, or len(b) when it never ends.
func skipString(b []byte, i int) int {
	for i++; ; i++ {
		k := bytes.IndexByte(b[i:], '"')
		if k < 0 {
			return len(b)
		}
		start := i
		i += k
		n := i
		for n > start && b[n-1] == '\\' {
			n--
		}
		if (i-n)&1 == 0 {
			return i + 1
		}
	}
}

// skipScalar returns the offset after the number or word at i.
func skipScalar(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\r', '\t', ':', 0:
			return i
		}
		i++
	}
	return i
}

// skipper walks the children of one container; at is the index of the next jump that can matter.
type skipper struct {
	src *source
	at  int
}

func (s *source) skipperAt(off int) skipper { return skipper{s, s.findJump(off)} }

// value returns the offset after the value at i.
func (s *skipper) value(i int) int {
	b := s.src.b
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return s.container(i)
	}
	return skipScalar(b, i)
}

func (s *skipper) container(i int) int {
	if end, ok := s.jump(i); ok {
		return end
	}
	b := s.src.b
	depth := 1
	for i++; i < len(b); {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			if end, ok := s.jump(i); ok {
				i = end
				continue
			}
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}

func (s *skipper) jump(i int) (int, bool) {
	j := s.src.jumps
	if s.at < len(j) && int(j[s.at].off) == i {
		end := int(j[s.at].end)
		s.at = int(j[s.at].next)
		return end, true
	}
	return 0, false
}
