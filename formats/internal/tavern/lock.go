package tavern

import (
	"bytes"
	"strings"

	"bunzai/container/png"
	"bunzai/container/rcc"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
)

// A card that came encrypted (package rcc) stays so in a PNG for its own app: whoever locked it wants it locked, and the
// chunk of a card that nobody edits is the one that came. A changed one is locked anew with the password that opens the
// old chunk; without that password it is refused, not written in the open. The password itself is never kept.

// lockedFact says in the escrow of a PNG card that its chunk is encrypted.
const lockedFact = "locked"

// locked is the encrypted chunk of the twin, opened.
type locked struct {
	*rcc.Lock
	chunk []byte // as it stands
	plain []byte
	key   string
}

// lock opens the twin's chunk; nil where the twin is not encrypted. Error: Password.
func (d *Draft) lock() (*locked, error) {
	if d.Twin == nil || d.Twin.Media == nil || d.TwinContainer() != formats.PNG {
		return nil, nil
	}
	if on, _ := d.Twin.Unmapped.Get(lockedFact).Bool(); !on {
		return nil, nil
	}
	keyword, _ := d.Twin.Unmapped.Get("chunk").Text()
	raw, err := d.Twin.Media.Raw()
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	f, err := png.Open(raw, limits.Large()) // it passed the limits of whoever read it
	if err != nil {
		return nil, fault.At(err, "sourceMedia")
	}
	for _, t := range f.Texts() {
		if !strings.EqualFold(t.Keyword, keyword) {
			continue
		}
		v, err := f.Text(t)
		if err != nil || !rcc.Is(v) {
			continue
		}
		l := &locked{chunk: v}
		if l.Lock, err = rcc.Parse(v); err != nil {
			continue
		}
		if l.plain, l.key, err = l.Open(d.password); err != nil {
			e := *fault.As(err)
			e.Message += ". The card is locked again with it; written as another kind of file it needs none and is open to everybody"
			return nil, &e
		}
		return l, nil
	}
	return nil, fault.New(fault.Damaged, "sourceMedia", "the card came encrypted, and its picture does not hold the encrypted card any more; write it as another kind of file, which is open to everybody")
}

// text is the card's chunk, locked.
func (l *locked) text(c Chunk, lim limits.Limits, out *formats.Encoded) ([]png.Addition, error) {
	v, plain := l.chunk, c.Doc.Bytes()
	if !bytes.Equal(plain, l.plain) {
		v = l.Seal(plain, l.key)
		if l.Password {
			out.Warnings = append(out.Warnings, "the changed card is locked again with its password, as Risu locks it; who has the old file and this one can find out parts of both without the password")
		}
	}
	if int64(len(v)) > lim.PNGText {
		return nil, lim.Over("chunk "+c.Keyword, "PNGText", int64(len(v)))
	}
	return []png.Addition{{Keyword: c.Keyword, Value: v}}, nil
}
