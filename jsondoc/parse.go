package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"bunzai/fault"
	"bunzai/limits"
)

// kept sees every text that becomes a document; only a test sets it, to see that nobody writes to one afterwards.
var kept func(b []byte)

// deepest is the nesting that jsontext accepts; no limit goes beyond it.
const deepest = 10_000

var bom = []byte("\xef\xbb\xbf")

// Parse checks b against the limits and the JSON grammar and returns it as a document. Duplicate names and
// invalid UTF-8 inside strings are accepted, as real cards have them; so are a UTF-8 byte order mark before the
// root and NUL bytes after it. b is kept, not copied.
//
// Errors: fault.OverLimit for JSON and JSONDepth, fault.Empty, fault.Unsupported for UTF-16, and fault.Damaged
// with line, column and byte for what is not JSON.
func Parse(b []byte, lim limits.Limits) (*Doc, error) {
	maxSize := min(lim.JSON, math.MaxInt32)
	if int64(len(b)) > maxSize {
		return nil, lim.Over("", "JSON", int64(len(b)))
	}
	if len(b) == 0 {
		return nil, fault.New(fault.Empty, "", "the JSON text is empty")
	}
	if isUTF16(b) {
		return nil, fault.New(fault.Unsupported, "", "this JSON file is saved as UTF-16, and JSON must be UTF-8; "+
			"open it in a text editor, choose Save As with the encoding UTF-8, and try again")
	}
	start := 0
	if bytes.HasPrefix(b, bom) {
		start = len(bom)
	}
	start = skipSpace(b, start)
	end := len(b)
	for end > start && (isSpace(b[end-1]) || b[end-1] == 0) {
		end--
	}

	maxDepth := min(max(lim.JSONDepth, 0), deepest)
	jumps, names, tooDeep := prescan(b[:end], int(maxDepth))
	if tooDeep >= 0 {
		return nil, overDepth(b, tooDeep, maxDepth, lim.Over("", "JSONDepth", 0).Limit.Raise)
	}
	repeated, err := validate(b[start:end], names > maxNames)
	if err != nil {
		return nil, syntaxError(b[:end], start, err)
	}
	if kept != nil {
		kept(b)
	}
	src := newSource(b[:len(b):len(b)], jumps)
	return &Doc{
		Prefix: b[:start:start],
		Root:   &Value{src: src, owner: top, off: uint32(start), end: uint32(end), kind: kindOf(b[start])},
		Suffix: b[end:len(b):len(b)],

		Repeated: repeated,

		src: src,
	}, nil
}

// Raw parses b as one value, to be put into a document as it is spelled. White space around it is dropped.
// Errors are those of Parse.
func Raw(b []byte, lim limits.Limits) (*Value, error) {
	d, err := Parse(b, lim)
	if err != nil {
		return nil, err
	}
	d.Root.owner = nil
	return d.Root, nil
}

func newDecoder(b []byte, repeats bool) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(b), jsontext.AllowDuplicateNames(repeats), jsontext.AllowInvalidUTF8(true))
}

// maxNames bounds the names that are remembered to find one that stands twice; a text that has more is not looked
// through for it. No book of a thousand entries comes near.
const maxNames = 100_000

// validate judges b, which has no white space around the value, and returns the path of the first name that stands
// twice in one object; none when repeats are not to be looked for.
func validate(b []byte, repeats bool) (repeated string, err error) {
	d := newDecoder(b, repeats)
	_, err = d.ReadValue()
	if errors.Is(err, jsontext.ErrDuplicateName) {
		if e := new(jsontext.SyntacticError); errors.As(err, &e) {
			repeated = dotted(e.JSONPointer)
		}
		d = newDecoder(b, true)
		_, err = d.ReadValue()
	}
	if err != nil {
		return "", err
	}
	if n := d.InputOffset(); n != int64(len(b)) {
		return "", &trailingError{n}
	}
	return repeated, nil
}

// dotted spells a pointer as a person reads a path: entries[3].content.
func dotted(p jsontext.Pointer) string {
	var out strings.Builder
	for name := range p.Tokens() {
		switch _, number := index(name); {
		case number:
			out.WriteString("[" + name + "]")
		case out.Len() > 0:
			out.WriteString("." + name)
		default:
			out.WriteString(name)
		}
	}
	return out.String()
}

// trailingError says that something follows the root value.
type trailingError struct{ off int64 }

func (e *trailingError) Error() string { return fmt.Sprintf("text after the value at byte %d", e.off) }

// isUTF16 knows the byte order marks, and ASCII punctuation with its other half zero.
func isUTF16(b []byte) bool {
	if len(b) < 2 {
		return false
	}
	x, y := b[0], b[1]
	switch {
	case x == 0xff && y == 0xfe, x == 0xfe && y == 0xff:
		return true
	case len(b) >= 4 && len(b)%2 == 0 && (x == '{' || x == '[') && y == 0 && b[3] == 0:
		return true
	case len(b) >= 4 && len(b)%2 == 0 && x == 0 && (y == '{' || y == '[') && b[2] == 0:
		return true
	}
	return false
}

// overDepth is the refusal of a text that is nested beyond the limit.
func overDepth(b []byte, off int, limit int64, raise string) error {
	e := fault.Over("", fault.Limit{Name: "JSONDepth", Value: limit, Unit: "levels", Raise: raise})
	e.Message = "the JSON is nested too deep at " + placeOf(b, off).String() + ": " + e.Message
	return e
}

func isEOF(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }
