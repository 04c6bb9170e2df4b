// Package plain writes the engine's results as JSON for JavaScript and for programs that read the command line's
// output. It differs from encoding/json where those readers need it: a nil list is [] and never null, text keeps its
// lone surrogates (written \ud83d, as JavaScript has them), a number that is no number is null, and nothing but
// exported struct fields with a JSON-like type is written. It knows no format and nothing of JavaScript.
package plain

import (
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Append adds the JSON text of v to dst. Struct fields take the name of their json tag, else their own with a small
// first letter; "-" leaves one out; an embedded struct is laid flat. Functions and channels are left out of structs.
func Append(dst []byte, v any) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	return value(dst, reflect.ValueOf(v))
}

// Marshal is Append to nothing.
func Marshal(v any) []byte { return Append(nil, v) }

func value(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return AppendString(dst, v.String())
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(dst, "null"...)
		}
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return value(dst, v.Elem())
	case reflect.Slice, reflect.Array:
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = value(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		return object(dst, v)
	case reflect.Struct:
		dst = append(dst, '{')
		sep := false
		for _, f := range fieldsOf(v.Type()) {
			x := v.FieldByIndex(f.index)
			if f.omitEmpty && x.IsZero() {
				continue
			}
			if sep {
				dst = append(dst, ',')
			}
			sep = true
			dst = append(dst, f.key...)
			dst = value(dst, x)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// object writes a map with text keys, sorted.
func object(dst []byte, v reflect.Value) []byte {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, k.String()), ':')
		dst = value(dst, v.MapIndex(k))
	}
	return append(dst, '}')
}

type field struct {
	index     []int
	key       string // quoted, with the colon
	omitEmpty bool
}

var fieldCache sync.Map // reflect.Type -> []field

func fieldsOf(t reflect.Type) []field {
	if f, ok := fieldCache.Load(t); ok {
		return f.([]field)
	}
	f := collect(t, nil)
	fieldCache.Store(t, f)
	return f
}

func collect(t reflect.Type, at []int) (out []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), at...), i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			out = append(out, collect(f.Type, index)...)
			continue
		}
		if !f.IsExported() || f.Type.Kind() == reflect.Func || f.Type.Kind() == reflect.Chan {
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name[:1]) + f.Name[1:]
		}
		out = append(out, field{index, string(AppendString(nil, name)) + ":", strings.Contains(opts, "omitempty")})
	}
	return out
}

const hexDigits = "0123456789abcdef"

// AppendString adds s as a JSON string. A surrogate in its three-byte form becomes its escape; any other byte that is
// no UTF-8 becomes the replacement character.
func AppendString(dst []byte, s string) []byte {
	if n := len(s) + len(`""`); len(dst)+n > cap(dst) { // append would grow a long text by a quarter, again and again
		dst = slices.Grow(dst, max(n, min(cap(dst), 4<<20)))
	}
	valid := utf8.ValidString(s)
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && (valid || c < utf8.RuneSelf) {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			dst = append(dst, s[from:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		if c == 0xed && i+2 < len(s) && s[i+1]&0xe0 == 0xa0 && s[i+2]&0xc0 == 0x80 {
			u := 0xd000 | uint(s[i+1]&0x3f)<<6 | uint(s[i+2]&0x3f)
			dst = append(dst, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
			i += 3
		} else {
			dst = append(dst, "\ufffd"...)
			i++
		}
		from = i
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}
