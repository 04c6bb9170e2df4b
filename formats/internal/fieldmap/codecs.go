package fieldmap

import (
	"math"
	"strconv"
	"strings"

	"bunzai/jsondoc"
)

// Dropped reports a warning of Read that says that a value, or a part of it, has no meaning that could go elsewhere.
func Dropped(warning string) bool {
	return strings.Contains(warning, "means nothing elsewhere") || strings.Contains(warning, "the app's default counts")
}

// EmptyText writes "".
func EmptyText() *jsondoc.Value { return jsondoc.String("") }

// EmptyList writes [].
func EmptyList() *jsondoc.Value { return jsondoc.Array() }

// textOf reads a text; numbers and booleans are taken as their spelling.
func textOf(v *jsondoc.Value) (string, bool) {
	if s, ok := v.Text(); ok {
		return s, true
	}
	if n, ok := v.Num(); ok {
		return n, true
	}
	if b, ok := v.Bool(); ok {
		return strconv.FormatBool(b), true
	}
	return "", false
}

// Text is a text. A number is read as its spelling; an object or list is no text.
func Text() Codec[string] {
	return Codec[string]{
		Read: func(v *jsondoc.Value) (*string, string) {
			if s, ok := textOf(v); ok {
				return &s, ""
			}
			return nil, "is " + v.Kind().String() + " where a text is expected; it is kept for the way back but means nothing elsewhere"
		},
		Write: func(s string, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.String(s) },
	}
}

// Number is a number; text that spells one is read too and written back as text.
func Number() Codec[float64] {
	return Codec[float64]{
		Read: func(v *jsondoc.Value) (*float64, string) {
			if f, ok := v.Float(); ok {
				return &f, ""
			}
			if s, ok := v.Text(); ok {
				if f, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
					return &f, ""
				}
				if strings.TrimSpace(s) == "" {
					return nil, "is an empty text where a number is expected; the app's default counts"
				}
			}
			return nil, "is " + v.Kind().String() + " where a number is expected; the app's default counts"
		},
		Write: func(f float64, old *jsondoc.Value) *jsondoc.Value {
			if old.Kind() == jsondoc.KindString {
				return jsondoc.String(strconv.FormatFloat(f, 'f', -1, 64))
			}
			return jsondoc.Float(f)
		},
	}
}

// Bool is a switch; "true" and "false" as text and 0 and 1 are read too.
func Bool() Codec[bool] {
	return Codec[bool]{
		Read: func(v *jsondoc.Value) (*bool, string) {
			if b, ok := v.Bool(); ok {
				return &b, ""
			}
			s, _ := textOf(v)
			switch strings.ToLower(strings.TrimSpace(s)) {
			case "true", "1":
				t := true
				return &t, "is " + v.Kind().String() + " where true or false is expected; read as true"
			case "false", "0":
				f := false
				return &f, "is " + v.Kind().String() + " where true or false is expected; read as false"
			}
			return nil, "is " + v.Kind().String() + " where true or false is expected; the app's default counts"
		},
		Write: func(b bool, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.Bool(b) },
	}
}

// Not is Bool with the meaning turned round.
func Not() Codec[bool] {
	c := Bool()
	return Codec[bool]{
		Read: func(v *jsondoc.Value) (*bool, string) {
			b, w := c.Read(v)
			if b != nil {
				n := !*b
				b = &n
			}
			return b, w
		},
		Write: func(b bool, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.Bool(!b) },
	}
}

// Word is one row of an Enum: the canonical word and its wire number and wire word.
type Word struct {
	Canon string
	Num   float64
	Text  string
}

// Enum reads a number, text that spells the number, or a word; it writes numbers (asText false) or words, keeping the
// kind that stands there now. A word without a Text is its canonical spelling.
func Enum(words []Word, asText bool) Codec[string] {
	return Codec[string]{
		Read: func(v *jsondoc.Value) (*string, string) {
			if n, ok := Number().Read(v); ok == "" && n != nil {
				for _, w := range words {
					if w.Num == *n {
						return &w.Canon, ""
					}
				}
			} else if s, ok := v.Text(); ok {
				for _, w := range words {
					if strings.EqualFold(s, w.Text) || strings.EqualFold(s, w.Canon) {
						return &w.Canon, ""
					}
				}
			}
			s, _ := textOf(v)
			return nil, "holds " + strconv.Quote(s) + ", which is none of the known values; it is kept, and the app's default counts"
		},
		Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
			for _, w := range words {
				if w.Canon != s {
					continue
				}
				text := w.Text
				if text == "" {
					text = w.Canon
				}
				switch {
				case old.Kind() == jsondoc.KindNumber:
					return jsondoc.Float(w.Num)
				case old.Kind() == jsondoc.KindString, asText:
					return jsondoc.String(text)
				}
				return jsondoc.Float(w.Num)
			}
			return jsondoc.String(s) // a word of another app: kept as it is, read back as unknown
		},
	}
}

// TextList is a list of texts; split (",") also takes one text and splits it; without split one text is a list of one.
func TextList(split string) Codec[[]string] {
	return Codec[[]string]{
		Read: func(v *jsondoc.Value) (*[]string, string) {
			out := []string{}
			if s, ok := v.Text(); ok {
				if split == "" {
					if s != "" {
						out = append(out, s)
					}
					return &out, "is one text where a list is expected; read as a list of one"
				}
				for _, p := range strings.Split(s, split) {
					if p = strings.TrimSpace(p); p != "" {
						out = append(out, p)
					}
				}
				return &out, "is one text where a list is expected; split at the commas"
			}
			if v.Kind() != jsondoc.KindArray {
				return nil, "is " + v.Kind().String() + " where a list is expected; it is kept for the way back but means nothing elsewhere"
			}
			odd := ""
			for _, e := range v.Elems() {
				if s, ok := textOf(e); ok {
					out = append(out, s)
				} else {
					odd = "holds " + e.Kind().String() + " among its texts; it is kept for the way back but means nothing elsewhere"
				}
			}
			return &out, odd
		},
		Write: func(list []string, old *jsondoc.Value) *jsondoc.Value {
			return WriteList(list, old, func(s string, was *jsondoc.Value) bool { t, ok := textOf(was); return ok && t == s }, jsondoc.String)
		},
	}
}

// WriteList rebuilds a list, reusing the elements of old that already say the same, so that an edit of one element
// touches one element.
func WriteList[E any](list []E, old *jsondoc.Value, says func(e E, was *jsondoc.Value) bool, make func(e E) *jsondoc.Value) *jsondoc.Value {
	if old.Kind() != jsondoc.KindArray {
		old = jsondoc.Array()
	}
	var was []*jsondoc.Value
	for _, e := range old.Elems() {
		was = append(was, e)
	}
	used := map[int]bool{}
	next := 0
	out := []*jsondoc.Value{}
	for _, e := range list {
		hit := -1
		for j := next; j < len(was); j++ {
			if !used[j] && says(e, was[j]) {
				hit = j
				break
			}
		}
		for j := 0; hit < 0 && j < next; j++ {
			if !used[j] && says(e, was[j]) {
				hit = j
			}
		}
		if hit < 0 {
			out = append(out, make(e))
			continue
		}
		used[hit] = true
		next = hit + 1
		out = append(out, was[hit])
	}
	old.SetElems(out)
	return old
}
