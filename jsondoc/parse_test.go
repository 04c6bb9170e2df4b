package jsondoc

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
)

// accepted are texts that must be read and come out byte for byte.
var accepted = []string{
	`{}`, `[]`, `null`, `true`, `-0`, `""`, " \r\n\t{ } \n",
	`{"a":1e400,"b":-0,"c":1.0,"d":12345678901234567890,"e":0.1000000000000000055,"f":1E+2}`,
	`{"a":"\/\u0041\ud83d\ude00\n","b":"\ud83d lone","c":"\ude00\ud83d","d":"\u0000"}`,
	`{"a":1,"a":2,"A":3,"a":{"a":[]}}`,
	"\xef\xbb\xbf{\"bom\":true}", "\xef\xbb\xbf\r\n{\"bom\":true}\r\n",
	"{\"bad utf8\":\"\xff\xc0 \xed\xa0\xbd\"}", "{\"\xff\":1}",
	"{\r\n\t\"crlf\": [\r\n\t\t1,\r\n\t\t2\r\n\t]\r\n}\r\n",
	"{ \"a\" : 1\n, \"b\" :\t2\n\n}",
	`{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}`,
	"{\"a\":1}\x00", "{\"a\":1}\n\x00\x00 ",
	`{"":{"":""}}`, `["<>&` + "\u2028\u2029\x7f" + `"]`,
	`[[[[[[[[[[[[[[[[[[[[[[[["deep"]]]]]]]]]]]]]]]]]]]]]]]]`,
}

func TestParseKeepsEveryByte(t *testing.T) {
	for _, in := range accepted {
		d, err := Parse([]byte(in), limits.Card())
		require.NoError(t, err, "%q", in)
		assert.Equal(t, in, string(d.Bytes()))
		assert.False(t, d.Dirty(), "%q", in)
		walk(d.Root)
		assert.Equal(t, in, string(d.Bytes()), "after looking at every value")
		assert.False(t, d.Dirty(), "%q", in)
		whole := string(d.Prefix) + string(d.Root.Raw()) + string(d.Suffix)
		assert.Equal(t, in, whole)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ in, message, where string }{
		{`{"a":1,}`, `expected a name in double quotes but found '}' at line 1, column 8 (byte 7); there is one comma too many before it`, ""},
		{"{\n  \"é\": 1\n  \"b\": 2\n}", `expected ',' or '}' but found '"' at line 3, column 3 (byte 14)`, ""},
		{`{"data":{"tags":["a" "b"]}}`, `expected ',' or ']' but found '"' at line 1, column 22 (byte 21)`, "data.tags"},
		{`{"data":{"entries":[{"a b":1},{"a b":tru}]}}`, `expected 'e' but found '}' at line 1, column 41 (byte 40)`, `data.entries[1]["a b"]`},
		{`{"0":{"1":x}}`, `expected a value but found 'x' at line 1, column 11 (byte 10)`, `["0"]["1"]`},
		{`{"a" 1}`, `expected ':' but found '1'`, "a"},
		{`{a:1}`, `expected a name in double quotes but found 'a'`, ""},
		{`{'a':1}`, `found "'" at line 1, column 2 (byte 1); JSON needs double quotes`, ""},
		{`{"a":1} x`, `expected the end of the file but found 'x' at line 1, column 9 (byte 8)`, ""},
		{`{"a":"b`, `expected a closing '"' but found the end of the file at line 1, column 8 (byte 7); the file seems to be cut off`, "a"},
		{`{"a":"b\"`, `expected a closing '"' but found the end of the file`, "a"},
		{`{"a":["b"`, `expected a closing ']' but found the end of the file`, "a"},
		{`{"a":`, `expected a value but found the end of the file`, "a"},
		{`{"a":1, `, `expected a name in double quotes but found the end of the file`, ""},
		{`[1,`, `expected a value but found the end of the file`, ""},
		{`{"a":tr`, `but found the end of the file`, "a"},
		{"\ufeff", `expected a value but found the end of the file`, ""},
		{" \n", `expected a value but found the end of the file`, ""},
		{"{\"a\":\"x\ny\"}", `found a line break at line 1, column 8 (byte 7)`, "a"},
		{`{"a":"\x"}`, `expected an escape`, "a"},
		{`{"a":"\ud83"}`, `expected an escape`, "a"},
		{`{"a":01}`, `expected ',' or '}' but found '1'`, ""},
		{`{"a":-}`, `expected a digit but found '}'`, "a"},
		{`{"a":1.}`, `expected a digit but found '}'`, "a"},
		{`{"a":NaN}`, `expected a value but found 'N'`, "a"},
		{`{"a":1 // one`, `JSON has no comments`, ""},
		{`<!DOCTYPE html>`, `expected a value but found '<' at line 1, column 1 (byte 0); this looks like a web page`, ""},
		{"\xef\xbb\xbf x", `found 'x' at line 1, column 2 (byte 4)`, ""},
		{"{\"a\":\u00a01}", "found '\u00a0' (U+00A0)", "a"},
		{"\x00{}", "found the control character U+0000", ""},
		{"[1]}", "expected the end of the file but found '}'", ""},
		{"[1}", "expected ',' or ']' but found '}'", ""},
	} {
		_, err := Parse([]byte(c.in), limits.Card())
		var e *fault.Error
		require.True(t, errors.As(err, &e), "%q is accepted", c.in)
		assert.Equal(t, fault.Damaged, e.Code, c.in)
		assert.True(t, strings.HasPrefix(e.Message, "this is not valid JSON: "), e.Message)
		assert.Contains(t, e.Message, c.message, c.in)
		assert.Equal(t, c.where, e.Where, c.in)
	}
}

func TestParseRefusesUTF16(t *testing.T) {
	for _, in := range []string{
		"\xff\xfe{\x00}\x00", "\xfe\xff\x00{\x00}", "{\x00\"\x00", "\x00{\x00}", "\xff\xfe",
	} {
		_, err := Parse([]byte(in), limits.Card())
		require.True(t, fault.Is(err, fault.Unsupported), "%q: %v", in, err)
		assert.Contains(t, err.Error(), "UTF-16")
		assert.Contains(t, err.Error(), "UTF-8")
	}
	_, err := Parse(nil, limits.Card())
	assert.True(t, fault.Is(err, fault.Empty))
}

func nested(n int, open, end string) []byte {
	return []byte(strings.Repeat(open, n) + strings.Repeat(end, n))
}

func TestDepthLimit(t *testing.T) {
	lim := limits.Card()
	exact := int(lim.JSONDepth)
	d, err := Parse(nested(exact, "[", "]"), lim)
	require.NoError(t, err)
	assert.Equal(t, exact, walk(d.Root))
	text := []byte(`{"a":` + strings.Repeat(`{"a":`, exact-1) + "1" + strings.Repeat("}", exact))
	d, err = Parse(text, lim)
	require.NoError(t, err)
	assert.Equal(t, exact+1, walk(d.Root))

	for _, text := range [][]byte{
		nested(exact+1, "[", "]"),
		append(append([]byte(`{"extensions":`), nested(200_000, "[", "]")...), '}'),
		nested(200_000, "[", "]"), nested(100_000, `{"a":`, "}"),
		bytes.Repeat([]byte("["), 5_000_000),
	} {
		start := time.Now()
		_, err := Parse(text, lim)
		assert.Less(t, time.Since(start), time.Second)
		e := fault.As(err)
		require.Equal(t, fault.OverLimit, e.Code)
		require.NotNil(t, e.Limit)
		assert.Equal(t, "JSONDepth", e.Limit.Name)
		assert.EqualValues(t, 512, e.Limit.Value)
		assert.Contains(t, e.Message, "nested too deep at line 1")
		assert.Contains(t, e.Message, "512 levels")
		_, err = Parse([]byte(`{}`), lim)
		assert.NoError(t, err, "the next call works")
	}
	assert.NoError(t, second(Parse([]byte(`["[[[[[[\"[[[["]`), limits.Limits{JSON: 100, JSONDepth: 1})), "brackets inside strings do not count")
	lim.JSONDepth = 1 << 40
	assert.NoError(t, second(Parse(nested(10_000, "[", "]"), lim)))
	assert.True(t, fault.Is(second(Parse(nested(10_001, "[", "]"), lim)), fault.OverLimit))
	lim.JSONDepth = 0
	assert.NoError(t, second(Parse([]byte(`1`), lim)))
	assert.True(t, fault.Is(second(Parse([]byte(`[]`), lim)), fault.OverLimit))
}

func second(_ *Doc, err error) error { return err }

func TestSizeLimit(t *testing.T) {
	lim := limits.Card()
	lim.JSON = 7
	assert.NoError(t, second(Parse([]byte(`{"a":1}`), lim)))
	e := fault.As(second(Parse([]byte(`{"a":10}`), lim)))
	require.Equal(t, fault.OverLimit, e.Code)
	assert.Equal(t, "the limit JSON is 7 bytes, and this file has 8 bytes; "+lim.Raise, e.Message)
}

func TestPath(t *testing.T) {
	assert.EqualValues(t, "data.character_book.entries[3].keys",
		Path("").Name("data").Name("character_book").Name("entries").Index(3).Name("keys"))
	assert.EqualValues(t, `["a b"].名["0"][""]["q\"\\"]`, Path("").Name("a b").Name("名").Name("0").Name("").Name(`q"\`))
	assert.EqualValues(t, `[0]`, Path("").Index(0))
}

func TestRepeated(t *testing.T) {
	for s, want := range map[string]string{
		`{"a":1,"b":{"c":[0,{"d":1,"d":2}]}}`: "b.c[1].d",
		`{"a":1,"a":1}`:                       "a",
		`{"a":{"x":1},"b":{"x":1}}`:           "",
		`{"a":1,"A":2}`:                       "",
		`{"a":1,"\u0061":2}`:                  "a",
		`{"0":1,"0":2}`:                       "[0]",
		`[]`:                                  "",
	} {
		d, err := Parse([]byte(s), limits.Card())
		require.NoError(t, err, s)
		assert.Equal(t, want, d.Repeated, s)
		assert.Equal(t, s, string(d.Bytes()))
	}
}
