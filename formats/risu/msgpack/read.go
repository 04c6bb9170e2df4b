package msgpack

import (
	"encoding/base64"
	"math"
	"strconv"

	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// Doc is MessagePack data and the JSON document that shows it.
type Doc struct {
	JSON *jsondoc.Doc
	data []byte
}

// Data returns the bytes that were read; they must not be changed.
func (d *Doc) Data() []byte { return d.data }

// binPrefix stands before the base64 of bytes in the document.
const binPrefix = "data:application/octet-stream;base64,"

// Parse shows b as a compact JSON document. Order, repeated keys and texts that are no UTF-8 are kept. What JSON does not
// have is shown as near as it can be and keeps its bytes while nobody edits it: undefined, NaN and the infinities as null;
// bytes as a data URI; another extension as {"$ext": type, "data": base64}; a key that is no text as its JSON text.
// B is kept, not copied.
//
// Errors: fault.Damaged with the byte, fault.OverLimit for JSON (the size of the document), JSONDepth, and Items: there may
// be a hundred times as many values in all, each of which costs some tens of bytes however small it is in the file.
func Parse(b []byte, lim limits.Limits) (*Doc, error) {
	r := reader{b: b, lim: lim, out: make([]byte, 0, len(b)+len(b)/4)}
	at, err := r.value(0, 1)
	if err != nil {
		return nil, err
	}
	if at != len(b) {
		return nil, damaged(at, "%d bytes stand behind its end", len(b)-at)
	}
	d, err := jsondoc.Parse(r.out, lim)
	if err != nil {
		return nil, err
	}
	return &Doc{d, b}, nil
}

type reader struct {
	b   []byte
	lim limits.Limits
	out []byte
	n   int64 // values so far
}

const valuesPerItem = 100

func (r *reader) value(at int, depth int64) (int, error) {
	if r.n++; r.n > valuesPerItem*r.lim.Items {
		return 0, fault.Over("MessagePack, byte "+strconv.Itoa(at), fault.Limit{Name: "Items", Value: valuesPerItem * r.lim.Items, Unit: "values",
			Raise: r.lim.Advice(func(l limits.Limits) int64 { return l.Items })})
	}
	t, err := next(r.b, at)
	if err != nil {
		return 0, err
	}
	if int64(len(r.out))+int64(t.size()) > r.lim.JSON {
		return 0, r.lim.Over("", "JSON", 0)
	}
	from := at
	at += t.head
	switch t.kind {
	case kNil:
		r.out = append(r.out, "null"...)
	case kBool:
		r.out = strconv.AppendBool(r.out, t.n == 1)
	case kUint:
		r.out = strconv.AppendUint(r.out, t.n, 10)
	case kInt:
		r.out = strconv.AppendInt(r.out, t.i, 10)
	case kFloat32, kFloat64:
		if math.IsNaN(t.f) || math.IsInf(t.f, 0) {
			r.out = append(r.out, "null"...)
		} else {
			r.out = append(r.out, jsondoc.Float(t.f).Raw()...)
		}
	case kText:
		r.text(string(t.data(r.b, from)))
		at += int(t.n)
	case kBin:
		r.out = append(append(r.out, '"'), binPrefix...)
		r.out = append(base64.StdEncoding.AppendEncode(r.out, t.data(r.b, from)), '"')
		at += int(t.n)
	case kExt:
		if d := t.data(r.b, from); t.ext == 0 && len(d) == 1 && d[0] == 0 {
			r.out = append(r.out, "null"...)
		} else {
			r.out = append(strconv.AppendInt(append(r.out, `{"$ext":`...), int64(t.ext), 10), `,"data":"`...)
			r.out = append(base64.StdEncoding.AppendEncode(r.out, d), `"}`...)
		}
		at += int(t.n)
	case kArray, kMap:
		if depth > r.lim.JSONDepth {
			return 0, tooDeep(from, r.lim)
		}
		open, shut := byte('['), byte(']')
		if t.kind == kMap {
			open, shut = '{', '}'
		}
		r.out = append(r.out, open)
		for i := range t.n {
			if i > 0 {
				r.out = append(r.out, ',')
			}
			if t.kind == kMap {
				if at, err = r.key(at, depth+1); err != nil {
					return 0, err
				}
			}
			if at, err = r.value(at, depth+1); err != nil {
				return 0, err
			}
		}
		r.out = append(r.out, shut)
	}
	return at, nil
}

// size bounds from below what the value becomes in JSON.
func (t token) size() uint64 {
	switch t.kind {
	case kText, kArray:
		return t.n
	case kBin, kExt:
		return t.n / 3 * 4
	case kMap:
		return 4 * t.n
	}
	return 1
}

func (r *reader) text(s string) { r.out = append(r.out, jsondoc.String(s).Raw()...) }

// key writes a key and its colon.
func (r *reader) key(at int, depth int64) (int, error) {
	t, err := next(r.b, at)
	if err != nil {
		return 0, err
	}
	if t.kind == kText {
		if int64(len(r.out))+int64(t.n) > r.lim.JSON {
			return 0, r.lim.Over("", "JSON", 0)
		}
		r.text(string(t.data(r.b, at)))
		at += t.head + int(t.n)
	} else {
		if t.kind == kExt || t.kind >= kArray {
			return 0, damaged(at, "a key is no text and no number")
		}
		from := len(r.out)
		if at, err = r.value(at, depth); err != nil {
			return 0, err
		}
		shown := string(r.out[from:])
		r.out = r.out[:from]
		r.text(shown)
	}
	r.out = append(r.out, ':')
	return at, nil
}
