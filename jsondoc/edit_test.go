package jsondoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/rope"
)

// TestEdits shows source, edit and result side by side; ⏎ is \n and → a tab.
func TestEdits(t *testing.T) {
	arr := func(v *Value) []*Value {
		var out []*Value
		for _, e := range v.Elems() {
			out = append(out, e)
		}
		return out
	}
	for _, c := range []struct {
		name, in string
		edit     func(v *Value)
		want     string
	}{
		{"set keeps the rest", `{"z": 1.0, "a" :"\/" ,"m":[ ]}`, func(v *Value) { v.Set("a", Int(5)) }, `{"z": 1.0, "a" :5 ,"m":[ ]}`},
		{"set the same text", `{"a":"\u0041\/"}`, func(v *Value) { v.Set("a", String("A/")) }, `{"a":"\u0041\/"}`},
		{"set the same number", `{"a":1.0,"b":1e2}`, func(v *Value) { v.Set("a", Int(1)); v.Set("b", Float(100)) }, `{"a":1.0,"b":1e2}`},
		{"set the same double", `{"a":0.1000000000000000055}`, func(v *Value) { v.Set("a", Float(0.1)) }, `{"a":0.1000000000000000055}`},
		{"another spelling of another value", `{"a":0.1000000000000000055}`, func(v *Value) { v.Set("a", NumberText("0.1")) }, `{"a":0.1}`},
		{"the sign of zero counts", `{"a":-0}`, func(v *Value) { v.Set("a", Int(0)) }, `{"a":0}`},
		{"set the same word", `{"a":null,"b":true}`, func(v *Value) { v.Set("a", Null()); v.Set("b", Bool(true)) }, `{"a":null,"b":true}`},
		{"last duplicate", `{"a":1,"a":2,"A":3}`, func(v *Value) { v.Set("a", Int(9)) }, `{"a":1,"a":9,"A":3}`},
		{"delete all duplicates", `{"a":1,"b":0,"a":2}`, func(v *Value) { assert.True(t, v.Delete("a")); assert.False(t, v.Delete("a")) }, `{"b":0}`},

		{"append compact", `{"a":1,"b":2}`, func(v *Value) { v.Set("c", Int(3)) }, `{"a":1,"b":2,"c":3}`},
		{"append to one compact", `{"a":1}`, func(v *Value) { v.Set("c", Array(Int(1), Int(2))) }, `{"a":1,"c":[1,2]}`},
		{"append spaced", `{"a": 1, "b": 2}`, func(v *Value) { v.Set("c", Array(Int(1), Int(2))) }, `{"a": 1, "b": 2, "c": [1, 2]}`},
		{"append to one spaced", `{"a": 1}`, func(v *Value) { v.Set("c", Int(3)) }, `{"a": 1, "c": 3}`},
		{"append padded", `{ "a": 1, "b": 2 }`, func(v *Value) { v.Set("c", Int(3)) }, `{ "a": 1, "b": 2, "c": 3 }`},
		{"append indented", "{⏎  \"a\": 1,⏎  \"b\": 2⏎}⏎", func(v *Value) { v.Set("c", Int(3)) }, "{⏎  \"a\": 1,⏎  \"b\": 2,⏎  \"c\": 3⏎}⏎"},
		{"append to one indented", "{⏎→\"a\": 1⏎}", func(v *Value) { v.Set("c", Int(3)) }, "{⏎→\"a\": 1,⏎→\"c\": 3⏎}"},
		{"append crlf", "{\r\n\t\"a\":1\r\n}\r\n", func(v *Value) { o := Object(); o.Set("x", Int(1)); v.Set("c", o) }, "{\r\n\t\"a\":1,\r\n\t\"c\":{\r\n\t\t\"x\":1\r\n\t}\r\n}\r\n"},
		{"append comma first", "{ \"a\": 1⏎, \"b\": 2⏎}", func(v *Value) { v.Set("c", Int(3)) }, "{ \"a\": 1⏎, \"b\": 2⏎, \"c\": 3⏎}"},
		{"after a member", `{"a":1,"b":2}`, func(v *Value) { v.SetAfter("a", "c", Int(3)) }, `{"a":1,"c":3,"b":2}`},
		{"after the last", `{"a":1,"b":2}`, func(v *Value) { v.SetAfter("b", "c", Int(3)) }, `{"a":1,"b":2,"c":3}`},
		{"after nothing", `{"a":1,"b":2}`, func(v *Value) { v.SetAfter("x", "c", Int(3)) }, `{"a":1,"b":2,"c":3}`},
		{"after, but present", `{"a":1,"b":2}`, func(v *Value) { v.SetAfter("b", "a", Int(3)) }, `{"a":3,"b":2}`},
		{"after, indented", "{⏎ \"a\": 1,⏎ \"b\": 2⏎}", func(v *Value) { v.SetAfter("a", "c", Int(3)) }, "{⏎ \"a\": 1,⏎ \"c\": 3,⏎ \"b\": 2⏎}"},

		{"delete first", `{"a": 1, "b": 2}`, func(v *Value) { v.Delete("a") }, `{"b": 2}`},
		{"delete last", `{"a": 1, "b": 2 }`, func(v *Value) { v.Delete("b") }, `{"a": 1 }`},
		{"delete middle", "{⏎  \"a\": 1,⏎  \"b\": 2,⏎  \"c\": 3⏎}", func(v *Value) { v.Delete("b") }, "{⏎  \"a\": 1,⏎  \"c\": 3⏎}"},
		{"delete last indented", "{⏎  \"a\": 1,⏎  \"b\": 2⏎}", func(v *Value) { v.Delete("b") }, "{⏎  \"a\": 1⏎}"},
		{"delete first indented", "{⏎  \"a\": 1,⏎⏎  \"b\": 2⏎}", func(v *Value) { v.Delete("a") }, "{⏎  \"b\": 2⏎}"},
		{"delete only", "{⏎  \"a\": 1⏎}", func(v *Value) { v.Delete("a") }, "{}"},
		{"delete all, add one", "{⏎  \"a\": 1,⏎  \"b\": 2⏎}", func(v *Value) { v.Delete("a"); v.Delete("b"); v.Set("c", Int(3)) }, "{⏎  \"c\": 3⏎}"},
		{"nil deletes", `{"a":1,"b":2}`, func(v *Value) { v.Set("a", nil) }, `{"b":2}`},
		{"new name is escaped", `{}`, func(v *Value) { v.Set("a\"<\n", String("</&>")) }, `{"a\"<\n":"</&>"}`},

		{"empty object in an indented document", "{⏎    \"a\": {},⏎    \"b\": [ ]⏎}", func(v *Value) {
			v.Get("a").Set("x", Object())
			v.Get("a").Set("y", Array(String("s"), Array(Int(1))))
			v.Get("b").AppendElem(Null())
		}, "{⏎    \"a\": {⏎        \"x\": {},⏎        \"y\": [⏎            \"s\",⏎            [⏎                1⏎            ]⏎        ]⏎    },⏎    \"b\": [⏎        null⏎    ]⏎}"},
		{"inline object in an indented document stays inline", "{⏎  \"a\": {\"b\":1, \"c\":{}}⏎}", func(v *Value) {
			v.At("a", "c").Set("x", Array(Int(1), Int(2)))
		}, "{⏎  \"a\": {\"b\":1, \"c\":{\"x\":[1, 2]}}⏎}"},
		{"inline array in an indented document", "{⏎  \"a\": [\"b\"]⏎}", func(v *Value) { v.Get("a").AppendElem(String("c")) }, "{⏎  \"a\": [\"b\", \"c\"]⏎}"},
		{"replace deep inside", "[⏎  {⏎    \"a\": 1⏎  }⏎]", func(v *Value) { v.Elem(0).Set("a", Array(Object())); v.Elem(0).Get("a").Elem(0).Set("k", Int(1)) },
			"[⏎  {⏎    \"a\": [⏎      {⏎        \"k\": 1⏎      }⏎    ]⏎  }⏎]"},
		{"array root of an indented document", "[⏎→1⏎]", func(v *Value) { o := Object(); o.Set("a", Int(1)); v.AppendElem(o) }, "[⏎→1,⏎→{⏎→→\"a\": 1⏎→}⏎]"},

		{"elements: append and remove", `[1, 2, 3]`, func(v *Value) { e := arr(v); v.SetElems([]*Value{e[0], e[2], String("x")}) }, `[1, 3, "x"]`},
		{"elements: swap", "[⏎  1.0,⏎  {\"a\" : 1}⏎]", func(v *Value) { e := arr(v); v.SetElems([]*Value{e[1], e[0]}) }, "[⏎  {\"a\" : 1},⏎  1.0⏎]"},
		{"elements: rebuilt the same", `["\u0041",  "b" ,1.0]`, func(v *Value) { v.SetElems([]*Value{String("A"), String("b"), Int(1)}) }, `["\u0041",  "b" ,1.0]`},
		{"elements: one inserted", `["\u0041", "\u0042"]`, func(v *Value) { v.SetElems([]*Value{String("A"), String("x"), String("B")}) }, `["\u0041", "x", "\u0042"]`},
		{"elements: one changed", `["\u0041" , "b", "\u0043"]`, func(v *Value) { v.SetElems([]*Value{String("A"), String("x"), String("C")}) }, `["\u0041" , "x", "\u0043"]`},
		{"elements: cleared and refilled", "[⏎  1,⏎  2⏎]", func(v *Value) { v.SetElems(nil); v.SetElems([]*Value{Int(3), nil, Int(4)}) }, "[⏎  3,⏎  4⏎]"},
		{"elements: first removed", "[⏎  1,⏎  2⏎]", func(v *Value) { v.SetElems(arr(v)[1:]) }, "[⏎  2⏎]"},
		{"elements: in front", "[ 1, 2 ]", func(v *Value) { v.SetElems(append([]*Value{Int(0)}, arr(v)...)) }, "[ 0, 1, 2 ]"},
		{"elements: the same twice", "[1]", func(v *Value) { e := v.Elem(0); v.SetElems([]*Value{e, e}) }, "[1,1]"},
	} {
		mark := strings.NewReplacer("⏎", "\n", "→", "\t")
		in, want := mark.Replace(c.in), mark.Replace(c.want)
		for _, look := range []bool{false, true} {
			d := mustParse(t, []byte(in))
			if look {
				walk(d.Root)
			}
			keep := d.Clone()
			c.edit(d.Root)
			assert.Equal(t, want, string(d.Bytes()), c.name)
			assert.Equal(t, want != in, d.Dirty(), c.name)
			assert.Equal(t, in, string(keep.Bytes()), c.name)
			assert.Equal(t, want, string(d.Clone().Bytes()), c.name)
			assert.True(t, same(mustParse(t, d.Bytes()).Root, d.Root), c.name)
			var r rope.Rope
			d.AppendTo(&r)
			b, err := r.Bytes()
			require.NoError(t, err)
			assert.Equal(t, want, string(b), c.name)
		}
	}
}

func TestNewDoc(t *testing.T) {
	build := func() *Value {
		o := Object()
		o.Set("a", Array(Int(1), Object(), Array()))
		o.Set("b", Null())
		return o
	}
	assert.Equal(t, `{"a":[1,{},[]],"b":null}`, string(NewDoc(build(), "").Bytes()))
	assert.Equal(t, "{\n\t\"a\": [\n\t\t1,\n\t\t{},\n\t\t[]\n\t],\n\t\"b\": null\n}", string(NewDoc(build(), "\t").Bytes()))
	d := NewDoc(build(), "  ")
	d.Suffix = []byte("\n")
	d.Root.Get("a").Elem(1).Set("x", raw(t, `{ "kept" : 1.0 }`))
	assert.Equal(t, "{\n  \"a\": [\n    1,\n    {\n      \"x\": { \"kept\" : 1.0 }\n    },\n    []\n  ],\n  \"b\": null\n}\n", string(d.Bytes()))
	assert.True(t, d.Dirty())
	assert.Equal(t, string(d.Bytes()), string(d.Clone().Bytes()))
	assert.Equal(t, `"x"`, string(NewDoc(String("x"), "  ").Bytes()))
}

func TestNestedRaw(t *testing.T) {
	d := mustParse(t, []byte("{\n  \"a\": {\n    \"b\": {}\n  }\n}"))
	a := d.Root.Get("a")
	assert.Equal(t, "{\n    \"b\": {}\n  }", string(a.Raw()))
	a.Get("b").Set("c", Int(1))
	assert.Equal(t, "{\n    \"b\": {\n      \"c\": 1\n    }\n  }", string(a.Raw()))
	assert.Equal(t, "{\n      \"c\": 1\n    }", string(a.Get("b").Raw()))
}

func TestNothingIsShared(t *testing.T) {
	a, b := mustParse(t, []byte(`{"x":{"n":1}}`)), mustParse(t, []byte(`{}`))
	b.Root.Set("x", a.Root.Get("x"))
	b.Root.Get("x").Set("n", Int(2))
	b.Root.Set("whole", a.Root)
	b.Root.Get("whole").Delete("x")
	assert.Equal(t, `{"x":{"n":1}}`, string(a.Bytes()))
	assert.Equal(t, `{"x":{"n":2},"whole":{}}`, string(b.Bytes()))

	fresh := Object()
	fresh.Set("k", Int(1))
	a.Root.Set("f", fresh)
	b.Root.Set("f", fresh)
	fresh.Set("k", Int(2)) // it stands in a, so a changes and b does not
	assert.Equal(t, `{"x":{"n":1},"f":{"k":2}}`, string(a.Bytes()))
	assert.Equal(t, `{"k":1}`, string(b.Root.Get("f").Raw()))

	c := a.Root.Clone()
	c.Get("f").Set("k", Int(3))
	c.Get("x").Set("n", Int(3))
	assert.Equal(t, `{"x":{"n":1},"f":{"k":2}}`, string(a.Bytes()))
	assert.Equal(t, `{"x":{"n":3},"f":{"k":3}}`, string(c.Raw()))

	moved := a.Root.Get("x")
	a.Root.Delete("x")
	b.Root.Set("moved", moved)
	assert.Same(t, moved, b.Root.Get("moved"), "what stands nowhere is not cloned")
}

func TestNoCycles(t *testing.T) {
	v := Object()
	v.Set("self", v)
	inner := Object()
	v.Set("inner", inner)
	inner.Set("outer", v)
	arr := Array()
	arr.AppendElem(arr)
	arr.SetElems([]*Value{arr, arr})
	assert.Equal(t, `{"self":{},"inner":{"outer":{"self":{},"inner":{}}}}`, string(v.Raw()))
	assert.NotEmpty(t, arr.Raw())
	d := mustParse(t, []byte(`{"a":{}}`))
	d.Root.Get("a").Set("up", d.Root)
	assert.Equal(t, `{"a":{"up":{"a":{}}}}`, string(d.Bytes()))
}

func TestLargeObject(t *testing.T) {
	const n = 60_000
	var sb strings.Builder
	sb.WriteString("{")
	for i := range n {
		fmt.Fprintf(&sb, "\"key%d\":%d.0,", i, i)
	}
	sb.WriteString("\"key7\": \"again\"}")
	in := sb.String()
	d := mustParse(t, []byte(in))
	assert.Equal(t, n+1, d.Root.Len())
	s, _ := d.Root.Get("key7").Text()
	assert.Equal(t, "again", s)
	for i := range n {
		name := fmt.Sprintf("key%d", i)
		old := d.Root.Get(name)
		d.Root.Set(name, Null())
		d.Root.Set(name, old)
	}
	require.True(t, in == string(d.Bytes()))
	assert.False(t, d.Dirty())
	d.Root.Set("new", Int(1))
	assert.True(t, d.Root.Has("new"))
	assert.True(t, d.Root.Delete("new"))
	require.True(t, in == string(d.Bytes()))
	d.Root.SetAfter("key3", "new", Int(1))
	assert.True(t, strings.Contains(string(d.Bytes()), `"key3":3.0,"new": 1,"key4"`))
	for name := range d.Root.Members() {
		d.Root.Delete(name)
	}
	assert.Zero(t, d.Root.Len())
	assert.Equal(t, "{}", string(d.Bytes()))
}

func TestManyFreshMembers(t *testing.T) {
	v := Object()
	for i := range 1000 {
		v.Set(fmt.Sprint(i), Int(int64(i)))
		v.Set(fmt.Sprint(i), Int(int64(i+1)))
	}
	assert.Equal(t, 1000, v.Len())
	n, _ := v.Get("999").Int()
	assert.EqualValues(t, 1000, n)
	for i := range 990 {
		assert.True(t, v.Delete(fmt.Sprint(i)))
	}
	assert.Equal(t, `{"990":991,"991":992,"992":993,"993":994,"994":995,"995":996,"996":997,"997":998,"998":999,"999":1000}`, string(v.Raw()))
}

func TestMembersAndPaths(t *testing.T) {
	d := mustParse(t, []byte(`{"b":[{"c":"x"}],"a":1,"a":2,"__proto__":{"p":1}}`))
	var names []string
	for name, v := range d.Root.Members() {
		names = append(names, name+"="+string(v.Raw()))
	}
	assert.Equal(t, []string{`b=[{"c":"x"}]`, "a=1", "a=2", `__proto__={"p":1}`}, names)
	s, _ := d.Root.At("b", "0", "c").Text()
	assert.Equal(t, "x", s)
	assert.Same(t, d.Root, d.Root.At())
	for _, p := range [][]string{{"b", "1"}, {"b", "-1"}, {"b", "x"}, {"b", ""}, {"b", "99999999999999999999"}, {"a", "x"}, {"x", "y"}, {"toString"}} {
		assert.Nil(t, d.Root.At(p...), p)
	}
	assert.Equal(t, 4, d.Root.Len())
	assert.True(t, d.Root.Has("__proto__"))
}

func TestCleanDocumentIsOneRange(t *testing.T) {
	in := []byte("\xef\xbb\xbf {\"a\":[1,2,{\"b\":3}]}\n")
	d := mustParse(t, in)
	walk(d.Root)
	var r rope.Rope
	d.AppendTo(&r)
	segments := 0
	for s := range r.Segments() {
		segments++
		assert.EqualValues(t, len(in), s.Len)
	}
	assert.Equal(t, 1, segments)
	assert.Same(t, &in[0], &d.Bytes()[0])
}
