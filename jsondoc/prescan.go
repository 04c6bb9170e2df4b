package jsondoc

import (
	"bytes"
	"sort"
)

// span says where a large container lies, so that walking past it costs nothing. next is the index of the first
// span that is not inside it. Spans are in the order of off.
type span struct{ off, end, next uint32 }

const (
	jumpSize  = 256 // smaller containers are simply walked again
	jumpEvery = 8   // beyond jumpDepth only each eighth level is kept, which bounds the table by the text's own size
	jumpDepth = 16
)

const (
	scanPlain = iota
	scanQuote
	scanOpen
	scanClose
	scanColon
)

var scanClass = func() (t [256]uint8) {
	t['"'], t['{'], t['['], t['}'], t[']'], t[':'] = scanQuote, scanOpen, scanOpen, scanClose, scanClose, scanColon
	return
}()

// prescan counts nesting and names without judging syntax and notes the large containers. When the text is nested
// deeper than limit it returns the offset of the bracket that is too deep; otherwise -1.
func prescan(b []byte, limit int) (jumps []span, names, tooDeep int) {
	var open []uint32 // indices into jumps of the kept containers that are open
	depth := 0
	for i := 0; i < len(b); {
		switch scanClass[b[i]] {
		case scanPlain:
			i++
		case scanColon:
			names++
			i++
		case scanQuote:
			k := bytes.IndexByte(b[i+1:], '"')
			if k < 0 {
				return jumps, names, -1
			}
			if k == 0 || b[i+k] != '\\' {
				i += k + 2
			} else {
				i = skipString(b, i)
			}
		case scanOpen:
			if depth++; depth > limit {
				return nil, names, i
			}
			if depth <= jumpDepth || depth%jumpEvery == 0 {
				open = append(open, uint32(len(jumps)))
				jumps = append(jumps, span{off: uint32(i)})
			}
			i++
		case scanClose:
			i++
			if depth <= jumpDepth || depth%jumpEvery == 0 {
				if len(open) == 0 {
					return jumps, names, -1 // more closed than opened: the validator will say so
				}
				k := open[len(open)-1]
				open = open[:len(open)-1]
				if i-int(jumps[k].off) < jumpSize {
					jumps = jumps[:k] // whatever it holds is smaller still and gone already
				} else {
					jumps[k].end, jumps[k].next = uint32(i), uint32(len(jumps))
				}
			}
			depth--
		}
	}
	return jumps, names, -1
}

// findJump returns the index of the first span at or after off.
func (s *source) findJump(off int) int {
	return sort.Search(len(s.jumps), func(i int) bool { return int(s.jumps[i].off) >= off })
}
