package jsondoc

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is a place inside a document as people read it: data.character_book.entries[3].keys. A name that is not
// a plain identifier is written ["as a string"]. The zero Path is the root.
type Path string

// Name returns the path of the member of that name.
func (p Path) Name(name string) Path { return Path(AppendName([]byte(p), name)) }

// Index returns the path of element i.
func (p Path) Index(i int) Path { return Path(AppendIndex([]byte(p), i)) }

// AppendName adds the step to the member of that name to the path in dst.
func AppendName(dst []byte, name string) []byte {
	switch {
	case !isIdent(name):
		return append(appendQuoted(append(dst, '['), name), ']')
	case len(dst) > 0:
		dst = append(dst, '.')
	}
	return append(dst, name...)
}

// AppendIndex adds the step to element i to the path in dst.
func AppendIndex(dst []byte, i int) []byte {
	return append(strconv.AppendInt(append(dst, '['), int64(i), 10), ']')
}

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

// faultPath returns the path at which jsontext stops in b, which is not valid. It reads token by token, as only
// then jsontext can say whether a step of its pointer is a name or an index; the bytes.Reader keeps b from being
// written to between tokens.
func faultPath(b []byte) Path {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var err error
	for err == nil {
		_, err = d.ReadToken()
	}
	var syn *jsontext.SyntacticError
	if !errors.As(err, &syn) {
		return ""
	}
	var p Path
	level := 0
	for step := range syn.JSONPointer.Tokens() {
		level++
		if len(p) > 300 {
			return p + "…" // for people; the message has line and column
		}
		if level <= d.StackDepth() {
			if kind, _ := d.StackIndex(level); kind == '[' {
				p += Path("[" + step + "]")
				continue
			}
		}
		p = p.Name(shorten(step))
	}
	return p
}

// shorten cuts a long name at a whole character.
func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
