package jsondoc

import (
	"math"
	"strconv"
)

// String makes a string. Lone surrogates in WTF-8 form are written as \ud83d, other bytes that are no UTF-8 as they are.
func String(s string) *Value { return &Value{kind: KindString, text: s} }

// Bool makes true or false.
func Bool(b bool) *Value { return &Value{kind: KindBool, text: strconv.FormatBool(b)} }

// Int makes a whole number.
func Int(n int64) *Value { return &Value{kind: KindNumber, text: strconv.FormatInt(n, 10)} }

// Float makes a number in its shortest spelling, as JavaScript prints it, except that negative zero keeps its
// sign. NaN and the infinities become null, as with JSON.stringify.
func Float(f float64) *Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Null()
	}
	return &Value{kind: KindNumber, text: formatFloat(f), float: true}
}

// NumberText makes a number of that spelling; nil when it is no JSON number.
func NumberText(spelling string) *Value {
	if spelling == "" || spelling[0] != '-' && (spelling[0] < '0' || spelling[0] > '9') {
		return nil
	}
	if _, err := validate([]byte(spelling), true); err != nil {
		return nil
	}
	return &Value{kind: KindNumber, text: spelling}
}

// Null makes null.
func Null() *Value { return &Value{kind: KindNull, text: "null"} }

// Object makes an empty object.
func Object() *Value { return &Value{kind: KindObject, kids: &kids{}} }

// Array makes an array of vs; nil ones are left out.
func Array(vs ...*Value) *Value {
	v := &Value{kind: KindArray, kids: &kids{}}
	if len(vs) > 0 {
		v.kids.list = make([]kid, 0, len(vs))
	}
	for _, e := range vs {
		v.AppendElem(e)
	}
	return v
}
