package jsondoc

import "strconv"

// Text returns the decoded text of a string. A lone surrogate such as \ud83d is kept as its three bytes of
// generalized UTF-8 (WTF-8), and bytes of the source that are no UTF-8 stay as they are; String writes both back.
// A long text may share the memory that was given to Parse.
func (v *Value) Text() (string, bool) {
	if v.Kind() != KindString {
		return "", false
	}
	if v.src == nil || v.text != "" {
		return v.text, true
	}
	s := unquote(v.src.b[v.off:v.end])
	if len(s) <= keptText {
		v.text = s
	}
	return s, true
}

// keptText is the length up to which a decoded text stays with its value, as one text is asked for several times on the
// way through a conversion. A longer one is most likely a picture.
const keptText = 64 << 10

// Bool returns the value of true or false.
func (v *Value) Bool() (value, ok bool) {
	if v.Kind() != KindBool {
		return false, false
	}
	return v.spelling()[0] == 't', true
}

// Num returns a number as it is spelled.
func (v *Value) Num() (string, bool) {
	if v.Kind() != KindNumber {
		return "", false
	}
	return v.spelling(), true
}

// Float returns a number as the nearest float64; ok is false beyond its range, as for 1e400.
func (v *Value) Float() (f float64, ok bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.spelling(), 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// Int returns a number that is exactly an int64, however it is spelled: 4, 4.0 and 1e2, but not 1.5.
func (v *Value) Int() (int64, bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	s := v.spelling()
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	return readDecimal(s).int64()
}

// spelling is the text of a number, a word, or null.
func (v *Value) spelling() string {
	if v.src == nil {
		return v.text
	}
	return string(v.src.b[v.off:v.end])
}
