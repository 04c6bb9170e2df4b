package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"bunzai/fault"
)

// place is where in a text a byte lies, for people: line and column count from 1, the column in characters.
type place struct{ line, column, off int }

func placeOf(b []byte, off int) place {
	off = min(max(off, 0), len(b))
	start := bytes.LastIndexByte(b[:off], '\n') + 1
	line := b[start:off]
	if start == 0 {
		line = bytes.TrimPrefix(line, bom)
	}
	return place{1 + bytes.Count(b[:off], []byte{'\n'}), 1 + utf8.RuneCount(line), off}
}

func (p place) String() string {
	return fmt.Sprintf("line %d, column %d (byte %d)", p.line, p.column, p.off)
}

// syntaxError words what jsontext found wrong in b; the text that was judged began at start.
func syntaxError(b []byte, start int, err error) error {
	off, expected, where := len(b), "a value", Path("")
	var tail *trailingError
	var syn *jsontext.SyntacticError
	switch {
	case errors.As(err, &tail):
		off, expected = start+int(tail.off), "the end of the file"
		off = skipSpace(b, off)
	case errors.As(err, &syn):
		off = start + int(syn.ByteOffset)
		off, expected = expectation(b, off, start, syn)
		where = faultPath(b[start:])
	}
	off = min(off, len(b))
	e := fault.New(fault.Damaged, string(where), "this is not valid JSON: expected %s but found %s at %s%s",
		expected, found(b, off), placeOf(b, off), hint(b, off, start))
	e.Err = err
	return e
}

// expectation says what should stand where jsontext stopped.
func expectation(b []byte, off, start int, syn *jsontext.SyntacticError) (int, string) {
	if isEOF(syn.Err) {
		last := backSpace(b, len(b)) - 1
		switch open := openEnd(b, start); {
		case open == '"':
			return len(b), `a closing '"'`
		case last >= start && (b[last] == ':' || b[last] == ',' && open == ']'):
			return len(b), "a value"
		case last >= start && b[last] == ',':
			return len(b), "a name in double quotes"
		case open == '}':
			return len(b), "a closing '}'"
		case open == ']':
			return len(b), "a closing ']'"
		}
		return len(b), "a value"
	}
	msg := syn.Err.Error()
	if _, s, ok := strings.Cut(msg, "(expecting "); ok {
		if k := strings.LastIndexByte(s, ')'); k >= 0 {
			s = s[:k]
		}
		switch s {
		case "non-control character":
			s = `an escape such as \n or \t (a line break or control character may not stand in a string)`
		case `'"'`:
			s = `a name in double quotes`
		case "digit":
			s = "a digit"
		}
		return off, s
	}
	switch {
	case strings.Contains(msg, "escape"):
		return off, `an escape (\" \\ \/ \b \f \n \r \t or \u with four hexadecimal digits)`
	case errors.Is(syn.Err, jsontext.ErrNonStringName), strings.Contains(msg, "name"):
		return skipSpace(b, off), "a name in double quotes"
	}
	return off, "a value"
}

// openEnd returns the character that would close what is still open at the end of b, or 0.
func openEnd(b []byte, start int) byte {
	var stack []byte
	inString := false
	for i := start; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			stack = append(stack, c+2) // '}' and ']' stand two after their openers
		case c == '}', c == ']':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	switch {
	case inString:
		return '"'
	case len(stack) == 0:
		return 0
	}
	return stack[len(stack)-1]
}

// found names the character at off.
func found(b []byte, off int) string {
	if off >= len(b) {
		return "the end of the file"
	}
	r, n := utf8.DecodeRune(b[off:])
	switch {
	case r == utf8.RuneError && n <= 1:
		return fmt.Sprintf("the byte 0x%02X", b[off])
	case r == '\n', r == '\r':
		return "a line break"
	case r == '\t':
		return "a tab"
	case r < ' ', r == 0x7f:
		return fmt.Sprintf("the control character U+%04X", r)
	case r == '\'':
		return `"'"`
	case r > 0x7e:
		return fmt.Sprintf("'%c' (U+%04X)", r, r)
	}
	return fmt.Sprintf("'%c'", r)
}

// hint adds what usually caused the fault.
func hint(b []byte, off, start int) string {
	if off >= len(b) {
		return "; the file seems to be cut off"
	}
	if k := backSpace(b, off); (b[off] == '}' || b[off] == ']') && k > start && b[k-1] == ',' {
		return "; there is one comma too many before it"
	}
	switch {
	case b[off] == '/' || b[off] == '#':
		return "; JSON has no comments"
	case b[off] == '\'':
		return "; JSON needs double quotes"
	case b[off] == '<' && off == start:
		return "; this looks like a web page"
	}
	return ""
}
