package msgpack

// Member is one pair of a map.
type Member struct {
	Key   string // "" for one that is no text
	From  int    // where its value starts in the data
	To    int    // and ends
	Bytes []byte // the data of a value of bytes, nil for any other
	Text  string // of a value that is a text
	Whole *int64 // of a value that is a whole number
}

// Members lists the pairs of a map without looking into their values; ok is false for what is no map.
func Members(b []byte) (out []Member, ok bool, err error) {
	t, err := next(b, 0)
	if err != nil || t.kind != kMap {
		return nil, false, err
	}
	at := t.head
	for range t.n {
		var m Member
		k, err := next(b, at)
		if err != nil {
			return nil, true, err
		}
		if k.kind == kText {
			m.Key = string(k.data(b, at))
		}
		if m.From, err = end(b, at); err != nil {
			return nil, true, err
		}
		if m.To, err = end(b, m.From); err != nil {
			return nil, true, err
		}
		switch v, _ := next(b, m.From); v.kind {
		case kBin:
			m.Bytes = v.data(b, m.From)
		case kText:
			m.Text = string(v.data(b, m.From))
		case kUint:
			n := int64(v.n)
			m.Whole = &n
		case kInt:
			m.Whole = &v.i
		}
		out = append(out, m)
		at = m.To
	}
	return out, true, nil
}
