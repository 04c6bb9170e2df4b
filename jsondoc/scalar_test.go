package jsondoc

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/limits"
)

func raw(tb testing.TB, s string) *Value {
	tb.Helper()
	v, err := Raw([]byte(s), limits.Card())
	if err != nil {
		tb.Fatalf("%q: %v", s, err)
	}
	return v
}

func TestText(t *testing.T) {
	for _, c := range []struct{ source, text, written string }{
		{`""`, "", `""`},
		{`"a\/b"`, "a/b", `"a/b"`},
		{`"\"\\\b\f\n\r\t"`, "\"\\\b\f\n\r\t", `"\"\\\b\f\n\r\t"`},
		{`"\u0000\u001F"`, "\x00\x1f", `"\u0000\u001f"`},
		{`"\u00e9\u6f22\uD83D\uDE42"`, "é漢🙂", `"é漢🙂"`},
		{`"lone \ud83d end"`, "lone \xed\xa0\xbd end", `"lone \ud83d end"`},
		{`"\ude42\ud83d"`, "\xed\xb9\x82\xed\xa0\xbd", `"\ude42\ud83d"`},
		{`"\ud83d\ud83d\ude42"`, "\xed\xa0\xbd🙂", `"\ud83d🙂"`},
		{`"\ud83d\n"`, "\xed\xa0\xbd\n", `"\ud83d\n"`},
		{`"\udbff\uD800\uDFFF"`, "\xed\xaf\xbf\U000103ff", "\"\\udbff\U000103ff\""},
		{"\"\xff\xc0\xed\xa0\"", "\xff\xc0\xed\xa0", "\"\xff\xc0\xed\xa0\""},
		{"\"<START> a & b \u2028\u2029\x7f\"", "<START> a & b \u2028\u2029\x7f", "\"<START> a & b \u2028\u2029\x7f\""},
		{`"\\u0041 \\\\\""`, `\u0041 \\"`, `"\\u0041 \\\\\""`},
		{`"\ufeff"`, "\ufeff", "\"\ufeff\""},
	} {
		s, ok := raw(t, c.source).Text()
		require.True(t, ok)
		assert.Equal(t, c.text, s, c.source)
		assert.Equal(t, c.written, string(String(s).Raw()), c.source)
		back, _ := raw(t, c.written).Text()
		assert.Equal(t, c.text, back, c.source)
	}
	for _, v := range []*Value{nil, Null(), Int(1), Object()} {
		_, ok := v.Text()
		assert.False(t, ok)
	}
}

func TestTextAllocatesOnlyTheString(t *testing.T) {
	v := raw(t, `"`+strings.Repeat("plain text ", 100)+`"`)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { v.Text() }), 1.0)
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		source string
		n      int64
		whole  bool
		f      float64
		finite bool
	}{
		{"0", 0, true, 0, true}, {"-0", 0, true, math.Copysign(0, -1), true},
		{"4", 4, true, 4, true}, {"4.0", 4, true, 4, true}, {"1e2", 100, true, 100, true}, {"1.50e1", 15, true, 15, true},
		{"120e-1", 12, true, 12, true}, {"-7.00", -7, true, -7, true},
		{"1.5", 0, false, 1.5, true}, {"1e-1", 0, false, 0.1, true},
		{"9223372036854775807", math.MaxInt64, true, math.MaxInt64, true},
		{"-9223372036854775808", math.MinInt64, true, math.MinInt64, true},
		{"-9223372036854775808.0", math.MinInt64, true, math.MinInt64, true},
		{"9223372036854775808", 0, false, 9223372036854775808, true},
		{"12345678901234567890", 0, false, 12345678901234567890, true},
		{"1e18", 1e18, true, 1e18, true}, {"1e19", 0, false, 1e19, true},
		{"1e400", 0, false, 0, false}, {"0e999999999999999999999", 0, true, 0, true},
		{"1e999999999999999999999", 0, false, 0, false},
	} {
		v := raw(t, c.source)
		n, ok := v.Int()
		assert.Equal(t, c.whole, ok, c.source)
		assert.Equal(t, c.n, n, c.source)
		f, ok := v.Float()
		assert.Equal(t, c.finite, ok, c.source)
		assert.Equal(t, math.Float64bits(c.f), math.Float64bits(f), c.source)
		s, ok := v.Num()
		assert.True(t, ok)
		assert.Equal(t, c.source, s)
	}
}

func TestFloatSpelling(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", 0.1: "0.1", 100: "100", 1e20: "100000000000000000000", 1e21: "1e+21", 1.5e300: "1.5e+300",
		1e-6: "0.000001", 1e-7: "1e-7", 1.25e-10: "1.25e-10", -2.5: "-2.5", 123456789.125: "123456789.125",
		math.Inf(1): "null", 5e-324: "5e-324",
	} {
		assert.Equal(t, want, string(Float(f).Raw()))
	}
	assert.Equal(t, "-0", string(Float(math.Copysign(0, -1)).Raw()))
	assert.Equal(t, "null", string(Float(math.NaN()).Raw()))
	assert.Equal(t, "1.0", string(NumberText("1.0").Raw()))
	for _, s := range []string{"", "01", "+1", "1.", "NaN", `"1"`, "1 ", " 1", "1,2", "true", "[1]"} {
		assert.Nil(t, NumberText(s), s)
	}
}

func TestScalarsOfOtherKinds(t *testing.T) {
	b, ok := raw(t, "true").Bool()
	assert.True(t, b && ok)
	b, ok = raw(t, "false").Bool()
	assert.True(t, !b && ok)
	b, ok = Bool(true).Bool()
	assert.True(t, b && ok)
	_, ok = raw(t, `"true"`).Bool()
	assert.False(t, ok)
	_, ok = raw(t, `"1"`).Int()
	assert.False(t, ok)
	assert.True(t, raw(t, "null").IsNull())
	assert.True(t, Null().IsNull())
}

func TestNilValue(t *testing.T) {
	var v *Value
	assert.Equal(t, KindAbsent, v.Kind())
	assert.False(t, v.IsNull())
	assert.Nil(t, v.Get("a"))
	assert.Nil(t, v.At("a", "b"))
	assert.Nil(t, v.Elem(0))
	assert.Nil(t, v.Clone())
	assert.Nil(t, v.Raw())
	assert.False(t, v.Has("a"))
	assert.False(t, v.Delete("a"))
	assert.Zero(t, v.Len())
	v.Set("a", Null())
	v.SetAfter("b", "a", Null())
	v.SetElems([]*Value{Null()})
	v.AppendElem(Null())
	for range v.Members() {
		t.Fail()
	}
	for range v.Elems() {
		t.Fail()
	}
	_, ok := v.Bool()
	assert.False(t, ok)
	var d *Doc
	assert.Nil(t, d.Bytes())
	assert.Nil(t, d.Clone())
	assert.False(t, d.Dirty())
	assert.Empty(t, (&Doc{}).Bytes())
	assert.Empty(t, NewDoc(nil, "").Bytes())
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
	}{
		{`{"a":1,"b":[true,null]}`, `{ "b": [ true, null ], "a": 1.0 }`, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true}, {`{"a":1,"a":2}`, `{"a":1}`, false},
		{`{"a":1}`, `{"a":1,"b":null}`, false}, {`{"a":1,"b":null}`, `{"a":1}`, false},
		{`{"a":1}`, `{"A":1}`, false}, {`{}`, `[]`, false}, {`[]`, `[ ]`, true}, {`[1,2]`, `[2,1]`, false}, {`[1]`, `[1,1]`, false},
		{`"\u0041\/"`, `"A/"`, true}, {`"a"`, `"b"`, false}, {`true`, `false`, false}, {`null`, `null`, true}, {`null`, `0`, false},
		{`1e2`, `100`, true}, {`1e400`, `10e399`, true}, {`1e400`, `1e401`, false}, {`-0`, `0.0`, true}, {`-1`, `1`, false},
		{`12345678901234567890`, `12345678901234567891`, false}, {`0.1`, `0.10`, true}, {`0.1`, `0.1000000000000000055`, false},
		{`1e99999999999999999999`, `1e99999999999999999999`, true}, {`1e99999999999999999999`, `1e99999999999999999998`, false},
	} {
		assert.Equal(t, c.equal, Equal(raw(t, c.a), raw(t, c.b)), "%s %s", c.a, c.b)
		assert.Equal(t, c.equal, Equal(raw(t, c.b), raw(t, c.a)), "%s %s", c.b, c.a)
	}
	assert.True(t, Equal(nil, nil))
	assert.False(t, Equal(nil, Null()))
	assert.False(t, Equal(Null(), nil))
	fresh := Object()
	fresh.Set("a", Array(Int(1), String("x")))
	assert.True(t, Equal(raw(t, `{"a":[1,"x"]}`), fresh))
}

func TestTextIsDecodedOnce(t *testing.T) {
	long := strings.Repeat("iVBORw0KGgo", 10_000)
	d, err := Parse([]byte(`{"short":"a\nb","long":"`+long+`"}`), limits.Card())
	require.NoError(t, err)
	for name, want := range map[string]string{"short": "a\nb", "long": long} {
		v := d.Root.Get(name)
		first, _ := v.Text()
		assert.Equal(t, want, first)
		assert.Zero(t, testing.AllocsPerRun(10, func() { v.Text() }), name)
		again, _ := v.Clone().Text()
		assert.Equal(t, want, again)
	}
}
