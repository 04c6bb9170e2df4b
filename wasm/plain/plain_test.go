package plain

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

type inner struct {
	A int    `json:"a"`
	B string `json:"b,omitempty"`
}

type outer struct {
	inner
	Inner   inner
	List    []string          `json:"list"`
	Map     map[string]int    `json:"map"`
	Ptr     *string           `json:"ptr"`
	Any     any               `json:"any"`
	Skip    string            `json:"-"`
	Fn      func()            `json:"fn"`
	private int               //nolint
	Named   map[string]string `json:"named"`
}

func TestMarshal(t *testing.T) {
	text := "x"
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, `null`},
		{"numbers", []any{1, int64(-2), uint8(3), 1.5, math.NaN(), math.Inf(1)}, `[1,-2,3,1.5,null,null]`},
		{"nil list", []string(nil), `[]`},
		{"nil map", map[string]int(nil), `{}`},
		{"sorted map", map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{"struct", outer{private: 1}, `{"a":0,"inner":{"a":0},"list":[],"map":{},"ptr":null,"any":null,"named":{}}`},
		{"pointer", &outer{Ptr: &text, Any: true, inner: inner{A: 1, B: "b"}}, `{"a":1,"b":"b","inner":{"a":0},"list":[],"map":{},"ptr":"x","any":true,"named":{}}`},
	} {
		assert.Equal(t, c.want, string(Marshal(c.in)), c.name)
	}
}

func TestString(t *testing.T) {
	for in, want := range map[string]string{
		"":                              `""`,
		"a\"b\\c":                       `"a\"b\\c"`,
		"\n\r\t\x00\x1f":                `"\n\r\t\u0000\u001f"`,
		"Ünï 😀 \u2028":                  "\"Ünï 😀 \u2028\"",
		"lone \xed\xa0\xbd":             `"lone \ud83d"`,
		"low \xed\xb8\x80 end":          `"low \ude00 end"`,
		"cut \xed\xa0":                  "\"cut \ufffd\ufffd\"",
		"raw \xff\xfe":                  "\"raw \ufffd\ufffd\"",
		"real replacement \ufffd stays": "\"real replacement \ufffd stays\"",
	} {
		got := string(AppendString(nil, in))
		assert.Equal(t, want, got)
		assert.True(t, json.Valid([]byte(got)))
	}
}

// Any bytes, put together of what text and broken text are made of, come out as JSON that says the same.
func TestAnyString(t *testing.T) {
	parts := []string{"a", "\"", "\\", "/", "\x00", "\x1f", " ", "\x7f", "é", "\u2028", "\ufffd", "\U0001f600", "\x80", "\xc3", "\xed\xa0", "\xed\x9f\xbf", "\xf0\x9f", "\xff", "\n", "\t", "\r"}
	surrogates := []string{"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xbf\xbf"} // D83D, DE00, DFFF
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var s, want strings.Builder
		for range r.IntN(12) {
			if r.IntN(5) == 0 { // whole, so that a part before it does not take its first byte
				k := r.IntN(len(surrogates))
				s.WriteString("." + surrogates[k] + ".")
				want.WriteString("." + []string{`\ud83d`, `\ude00`, `\udfff`}[k] + ".")
				continue
			}
			p := parts[r.IntN(len(parts))]
			s.WriteString(p + ".")
			if utf8.ValidString(p) {
				b, _ := json.Marshal(p)
				want.WriteString(string(b[1:len(b)-1]) + ".")
			} else {
				want.WriteString(strings.Repeat("\ufffd", len(p)) + ".")
			}
		}
		before := "before" // what is there already stays
		got := AppendString([]byte(before), s.String())
		var x, y string
		assert.NoError(t, json.Unmarshal(got[len(before):], &x), "%q", s.String())
		assert.NoError(t, json.Unmarshal([]byte(`"`+want.String()+`"`), &y))
		if x != y || string(got[:len(before)]) != before {
			t.Fatalf("%q became %s", s.String(), got)
		}
		if strings.Count(string(got), `\ud`) != strings.Count(want.String(), `\ud`) {
			t.Fatalf("%q lost a surrogate: %s", s.String(), got)
		}
	}
}
