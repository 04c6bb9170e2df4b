package jsondoc

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is a place inside a document as people read it: data.character_book.entries[3].keys. A name that is not
// a plain identifier is written ["as a string"]. The zero Path is the root.
type Path string

// Name returns the path of the member of that name.
func (p Path) Name(name string) Path {
	switch {
	case !isIdent(name):
		return p + Path("["+quoteText(name)+"]")
	case p == "":
		return Path(name)
	}
	return p + "." + Path(name)
}

// Index returns the path of element i.
func (p Path) Index(i int) Path { return p + Path("["+strconv.Itoa(i)+"]") }

// String returns the path as text.
func (p Path) String() string { return string(p) }

func isIdent(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '$', c >= 0x80:
		case c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return s != ""
}

// pointerPath turns jsontext's pointer into a Path. The text decides whether a step is a name or an index.
func pointerPath(b []byte, ptr jsontext.Pointer) Path {
	var p Path
	for step := range ptr.Tokens() {
		i := skipSpace(b, 0)
		array := i < len(b) && b[i] == '['
		b = stepInto(b, step)
		if n, err := strconv.Atoi(step); err == nil && array {
			p = p.Index(n)
		} else {
			p = p.Name(strings.ToValidUTF8(step, "\uFFFD"))
		}
	}
	return p
}

// stepInto returns the rest of b from the child that step names, or nil. b may be damaged further on.
func stepInto(b []byte, step string) []byte {
	i := skipSpace(b, 0)
	if i >= len(b) {
		return nil
	}
	s := newSource(b, nil)
	sk := s.skipperAt(0)
	switch b[i] {
	case '[':
		n, err := strconv.Atoi(step)
		i = skipSpace(b, i+1)
		for ; err == nil && n > 0 && i < len(b); n-- {
			i = skipSpace(b, sk.value(i))
			if i < len(b) && b[i] == ',' {
				i = skipSpace(b, i+1)
			} else {
				return nil
			}
		}
		return b[min(i, len(b)):]
	case '{':
		var last []byte
		for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; {
			end := skipString(b, i)
			name := b[i:end]
			i = skipSpace(b, end)
			if i >= len(b) || b[i] != ':' {
				break
			}
			i = skipSpace(b, i+1)
			if len(name) >= 2 && bytes.HasSuffix(name, []byte{'"'}) && unquote(name) == step {
				last = b[i:]
			}
			if i >= len(b) {
				break
			}
			i = skipSpace(b, sk.value(i))
			if i < len(b) && b[i] == ',' {
				i = skipSpace(b, i+1)
			}
		}
		return last
	}
	return nil
}
