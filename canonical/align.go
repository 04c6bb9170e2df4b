package canonical

import (
	"hash/maphash"
	"math"
	"reflect"
	"slices"
)

// list compares two lists: their elements are paired first, so that a removed one does not shift all that follow.
func (d *differ) list(p *plan, a, b reflect.Value) {
	n, m := a.Len(), b.Len()
	if n == 0 && m == 0 || n == m && a.UnsafePointer() == b.UnsafePointer() {
		return
	}
	if n == m && p.elem.typ == entryType && sameIDs(a, b) {
		for i := range n {
			d.element(p, a, b, i, i)
		}
		return
	}
	if n == m && d.equal(p, a, b) {
		return
	}
	al := aligner{d: d, p: p, a: a, b: b}
	al.run()
	taken := make([]bool, m)
	for i, j := range al.pair {
		if j >= 0 {
			taken[j] = true
			if i >= al.head && i < n-al.tail { // the others are known to be equal
				d.element(p, a, b, i, j)
			}
			continue
		}
		d.trail.index(i, false)
		d.emit(present(p.elem, a.Index(i)), nil)
		d.trail.pop()
	}
	for j := range taken {
		if !taken[j] {
			d.trail.index(j, true)
			d.emit(nil, present(p.elem, b.Index(j)))
			d.trail.pop()
		}
	}
	if al.moved {
		d.emit(a.Interface(), b.Interface())
		d.out[len(d.out)-1].Order = true
	}
}

func (d *differ) element(p *plan, a, b reflect.Value, i, j int) {
	d.trail.index(i, false)
	d.diff(p.elem, a.Index(i), b.Index(j))
	d.trail.pop()
}

var entryType = reflect.TypeFor[*Entry]()

func entryAt(l reflect.Value, i int) *Entry { return l.Index(i).Interface().(*Entry) }

// sameIDs reports whether two books have the same unique ids in the same order and mostly the same entries behind them.
func sameIDs(a, b reflect.Value) bool {
	agree, n := 0, a.Len()
	seen := make(map[string]struct{}, n)
	for i := range n {
		x, y := entryAt(a, i), entryAt(b, i)
		if x == nil || y == nil || x.ID != y.ID {
			return false
		}
		seen[x.ID] = struct{}{}
		if sameEntry(x, y) {
			agree++
		}
	}
	return len(seen) == n && agree*2 >= n
}

func sameEntry(x, y *Entry) bool {
	return x.Content == y.Content || x.Title != nil && y.Title != nil && *x.Title == *y.Title
}

// aligner pairs the elements of a with those of b.
type aligner struct {
	d     *differ
	p     *plan
	a, b  reflect.Value
	pair  []int  // for each element of a the index in b, or -1
	used  []bool // which elements of b have a partner
	moved bool   // the partners stand in another order

	head, tail int // how many elements are equal at the beginning and at the end
}

func (al *aligner) run() {
	n, m := al.a.Len(), al.b.Len()
	al.pair, al.used = make([]int, n), make([]bool, m)
	for i := range al.pair {
		al.pair[i] = -1
	}
	head, tail := 0, 0
	for head < min(n, m) && al.same(head, head) {
		al.set(head, head)
		head++
	}
	for head+tail < min(n, m) && al.same(n-1-tail, m-1-tail) {
		al.set(n-1-tail, m-1-tail)
		tail++
	}
	al.head, al.tail = head, tail
	switch {
	case head+tail == min(n, m):
		return // the rest was only added or only removed
	case n == m && n == head+tail+1 && al.p.elem.op == opText:
		al.set(head, head) // one text was edited
		return
	}
	if al.p.elem.typ == entryType {
		al.byID()
	}
	al.exact()
	for _, key := range al.p.keys {
		al.by(key)
	}
	anchors := al.order()
	al.gaps(anchors)
}

func (al *aligner) set(i, j int) { al.pair[i], al.used[j] = j, true }

func (al *aligner) same(i, j int) bool {
	return al.d.equal(al.p.elem, al.a.Index(i), al.b.Index(j))
}

// byID pairs entries of the same id, when ids are unique in both books and most of the pairs are the same entry.
func (al *aligner) byID() {
	index := func(l reflect.Value) map[string]int {
		out := make(map[string]int, l.Len())
		for i := range l.Len() {
			if e := entryAt(l, i); e != nil {
				out[e.ID] = i
			}
		}
		if len(out) < l.Len() {
			return nil
		}
		return out
	}
	ia, ib := index(al.a), index(al.b)
	if ia == nil || ib == nil {
		return
	}
	matched, agree := 0, 0
	for i := range al.a.Len() {
		x := entryAt(al.a, i)
		if j, ok := ib[x.ID]; ok {
			matched++
			if sameEntry(x, entryAt(al.b, j)) {
				agree++
			}
		}
	}
	if matched*2 <= min(len(ia), len(ib)) || agree*2 < matched {
		return
	}
	for i := range al.pair { // what looked like the same head or tail may have another id
		al.pair[i] = -1
	}
	clear(al.used)
	al.head, al.tail = 0, 0
	for i := range al.pair {
		if j, ok := ib[entryAt(al.a, i).ID]; ok {
			al.set(i, j)
		}
	}
}

// bucketScan bounds how many elements of one hash are compared by content.
const bucketScan = 64

// exact pairs equal elements, the first with the first.
func (al *aligner) exact() {
	at := map[uint64][]int{}
	h := hasher{}
	for j, used := range al.used {
		if !used {
			k := h.of(al.p.elem, al.b.Index(j))
			at[k] = append(at[k], j)
		}
	}
	for i, j := range al.pair {
		if j >= 0 {
			continue
		}
		k := h.of(al.p.elem, al.a.Index(i))
		list := at[k]
		for q := 0; q < min(len(list), bucketScan); q++ {
			if al.same(i, list[q]) {
				al.set(i, list[q])
				copy(list[1:q+1], list[:q]) // closes the gap on the short side
				at[k] = list[1:]
				break
			}
		}
	}
}

// by pairs elements of the same key, the first with the first.
func (al *aligner) by(key func(reflect.Value) (uint64, bool)) {
	at := map[uint64][]int{}
	for j, used := range al.used {
		if used {
			continue
		}
		if k, ok := key(al.b.Index(j)); ok {
			at[k] = append(at[k], j)
		}
	}
	if len(at) == 0 {
		return
	}
	for i, j := range al.pair {
		if j >= 0 {
			continue
		}
		if k, ok := key(al.a.Index(i)); ok {
			if list := at[k]; len(list) > 0 {
				al.set(i, list[0])
				at[k] = list[1:]
			}
		}
	}
}

// order finds the longest run of pairs that stand in the same order in both lists and returns which elements of a
// are in it; any other pair was moved.
func (al *aligner) order() []bool {
	var ends []int // ends[k] is the element of a that ends the best run of length k+1
	prev := make([]int, len(al.pair))
	for i, j := range al.pair {
		if j < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(ends, j, func(e, j int) int { return al.pair[e] - j })
		if k == len(ends) {
			ends = append(ends, i)
		} else {
			ends[k] = i
		}
		prev[i] = -1
		if k > 0 {
			prev[i] = ends[k-1]
		}
	}
	in := make([]bool, len(al.pair))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = prev[i] {
			in[i] = true
		}
	}
	for i, j := range al.pair {
		al.moved = al.moved || j >= 0 && !in[i]
	}
	return in
}

// gaps pairs what is left between two anchors.
func (al *aligner) gaps(anchor []bool) {
	var as, bs []int
	j := 0
	fill := func(until int) {
		for ; j < until; j++ {
			if !al.used[j] {
				bs = append(bs, j)
			}
		}
		al.gap(as, bs)
		as, bs = as[:0], bs[:0]
	}
	for i := range al.pair {
		switch {
		case anchor[i]:
			fill(al.pair[i])
		case al.pair[i] < 0:
			as = append(as, i)
		}
	}
	fill(al.b.Len())
}

// gapCells bounds the table of one gap; a larger gap is paired by position.
const gapCells = 1 << 14

// gap pairs as many of as and bs as there are, in order, those that are most alike.
func (al *aligner) gap(as, bs []int) {
	p, q := len(as), len(bs)
	if p == 0 || q == 0 {
		return
	}
	if p == q || p*q > gapCells {
		for k := range min(p, q) {
			al.maybe(as[k], bs[k])
		}
		return
	}
	// best[x][y]: the greatest likeness of the first x of as and the first y of bs.
	w := q + 1
	best := make([]float32, (p+1)*w)
	like := make([]float32, p*q)
	for x := 1; x <= p; x++ {
		for y := 1; y <= q; y++ {
			// A little more than nothing for any pair, so that as many as possible are made.
			l := 1e-3 + likeness(al.p.elem, al.a.Index(as[x-1]), al.b.Index(bs[y-1]))
			like[(x-1)*q+y-1] = l
			best[x*w+y] = max(best[(x-1)*w+y], best[x*w+y-1], best[(x-1)*w+y-1]+l)
		}
	}
	for x, y := p, q; x > 0 && y > 0; {
		switch v := best[x*w+y]; {
		case v == best[(x-1)*w+y-1]+like[(x-1)*q+y-1]:
			al.maybe(as[x-1], bs[y-1])
			x, y = x-1, y-1
		case v == best[(x-1)*w+y]:
			x--
		default:
			y--
		}
	}
}

// maybe pairs two elements, unless they are pictures that have nothing in common.
func (al *aligner) maybe(i, j int) {
	e := al.p.elem
	if e.op == opRef {
		e = e.elem
	}
	if e.whole && likeness(al.p.elem, al.a.Index(i), al.b.Index(j)) == 0 {
		return
	}
	al.set(i, j)
}

// likeness says how much two elements have in common: for texts the share of common beginning and end, for structs
// the number of texts that are the same, and such shares.
func likeness(p *plan, a, b reflect.Value) float32 {
	switch p.op {
	case opText:
		return alike(a.String(), b.String())
	case opOpt, opRef:
		if !a.IsNil() && !b.IsNil() {
			return likeness(p.elem, a.Elem(), b.Elem())
		}
	case opStruct:
		var sum float32
		for i := range p.fields {
			f := &p.fields[i]
			if f.provenance || f.plan.op != opText && f.plan.op != opOpt {
				continue
			}
			sum += likeness(f.plan, a.Field(f.index), b.Field(f.index))
		}
		return sum
	}
	return 0
}

// alikeSpan bounds how much of either end of a text is looked at.
const alikeSpan = 2048

func alike(a, b string) float32 {
	n, short := max(len(a), len(b)), min(len(a), len(b))
	if n == 0 {
		return 0
	}
	k, t := 0, 0
	for k < min(short, alikeSpan) && a[k] == b[k] {
		k++
	}
	for t < min(short-k, alikeSpan) && a[len(a)-1-t] == b[len(b)-1-t] {
		t++
	}
	return float32(k+t) / float32(min(n, 2*alikeSpan))
}

// hasher hashes what equal compares, Blobs left out.
type hasher struct{ h maphash.Hash }

var seed = maphash.MakeSeed() // decides nothing but the layout of tables

func (h *hasher) of(p *plan, v reflect.Value) uint64 {
	h.h.SetSeed(seed)
	h.add(p, v)
	return h.h.Sum64()
}

func (h *hasher) add(p *plan, v reflect.Value) {
	switch p.op {
	case opText:
		h.text(v.String())
	case opBool:
		if v.Bool() {
			h.h.WriteByte(1)
		} else {
			h.h.WriteByte(2)
		}
	case opNum:
		f := v.Float()
		if f == 0 {
			f = 0 // negative zero equals zero
		}
		h.number(math.Float64bits(f))
	case opOpt, opRef:
		if v.IsNil() {
			h.h.WriteByte(0)
		} else {
			h.h.WriteByte(3)
			h.add(p.elem, v.Elem())
		}
	case opStruct:
		for i := range p.fields {
			if f := &p.fields[i]; !f.provenance {
				h.add(f.plan, v.Field(f.index))
			}
		}
	case opList:
		h.number(uint64(v.Len()))
		for i := range v.Len() {
			h.add(p.elem, v.Index(i))
		}
	case opMap, opJSON, opBlob:
		// Equal in more than one spelling or order: told apart by equal alone.
	}
}

func (h *hasher) text(s string) {
	h.number(uint64(len(s)))
	h.h.WriteString(s)
}

func (h *hasher) number(n uint64) {
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	h.h.Write(b[:])
}

// textKey makes the key of an element from texts; ok is false when all are empty.
func textKey(parts ...string) (uint64, bool) {
	var h hasher
	h.h.SetSeed(seed)
	some := false
	for _, p := range parts {
		some = some || p != ""
		h.text(p)
	}
	return h.h.Sum64(), some
}

type keyFunc = func(reflect.Value) (uint64, bool)

// keyOf adapts a typed key to a reflected element.
func keyOf[T any](fn func(*T) (uint64, bool)) keyFunc {
	return func(v reflect.Value) (uint64, bool) {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return 0, false
			}
			v = v.Elem()
		}
		return fn(v.Addr().Interface().(*T))
	}
}

// keysOf returns by what elements of a list are recognized when they are not equal, the best first.
func keysOf(t reflect.Type) []keyFunc {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return keyTable[t]
}

var keyTable = map[reflect.Type][]keyFunc{
	reflect.TypeFor[Entry](): {
		keyOf(func(e *Entry) (uint64, bool) { return textKey(Or(e.Title, ""), e.Content) }),
		keyOf(func(e *Entry) (uint64, bool) { return textKey(Or(e.Title, "")) }),
		keyOf(func(e *Entry) (uint64, bool) { return textKey(e.Content) }),
	},
	reflect.TypeFor[Category](): {
		keyOf(func(c *Category) (uint64, bool) { return textKey(c.ID) }),
		keyOf(func(c *Category) (uint64, bool) { return textKey(c.Name) }),
	},
	reflect.TypeFor[Trigger](): {
		keyOf(func(t *Trigger) (uint64, bool) { return textKey(t.Keyword) }),
	},
	reflect.TypeFor[Effect](): {
		keyOf(func(e *Effect) (uint64, bool) { return textKey(e.Type, e.Variable) }),
	},
	reflect.TypeFor[Asset](): {
		keyOf(func(a *Asset) (uint64, bool) {
			if Or(a.Name, "") == "" && Or(a.Label, "") == "" {
				return 0, false
			}
			return textKey(a.Role, Or(a.Name, ""), Or(a.Label, ""))
		}),
		keyOf(func(a *Asset) (uint64, bool) { return textKey(Or(a.Name, "")) }),
	},
	reflect.TypeFor[Greeting](): {
		keyOf(func(g *Greeting) (uint64, bool) { return textKey(g.Text) }),
		keyOf(func(g *Greeting) (uint64, bool) { return textKey(Or(g.Title, "")) }),
	},
	reflect.TypeFor[DepthInjection](): {
		keyOf(func(i *DepthInjection) (uint64, bool) { return textKey(i.Text) }),
	},
	reflect.TypeFor[Row](): {
		keyOf(func(r *Row) (uint64, bool) { return textKey(r.Label) }),
	},
	reflect.TypeFor[Swatch](): {
		keyOf(func(s *Swatch) (uint64, bool) { return textKey(s.Hex) }),
	},
	reflect.TypeFor[Bias](): {
		keyOf(func(b *Bias) (uint64, bool) { return textKey(b.Phrase) }),
	},
	reflect.TypeFor[Variant](): {
		keyOf(func(v *Variant) (uint64, bool) { return textKey(v.ID) }),
		keyOf(func(v *Variant) (uint64, bool) { return textKey(Or(v.Label, "")) }),
	},
	reflect.TypeFor[CardRegex](): {
		keyOf(func(r *CardRegex) (uint64, bool) { return textKey(r.Find, r.Replace) }),
		keyOf(func(r *CardRegex) (uint64, bool) { return textKey(Or(r.Label, "")) }),
	},
	reflect.TypeFor[CardTrigger](): {
		keyOf(func(t *CardTrigger) (uint64, bool) { return textKey(Or(t.Label, "")) }),
	},
	reflect.TypeFor[RegexRule](): {
		keyOf(func(r *RegexRule) (uint64, bool) { return textKey(r.Label, r.Find, r.Replace) }),
		keyOf(func(r *RegexRule) (uint64, bool) { return textKey(r.Label) }),
		keyOf(func(r *RegexRule) (uint64, bool) { return textKey(r.Find) }),
	},
	reflect.TypeFor[QuickReply](): {
		keyOf(func(r *QuickReply) (uint64, bool) { return textKey(r.Label) }),
		keyOf(func(r *QuickReply) (uint64, bool) { return textKey(r.Message) }),
	},
	reflect.TypeFor[Prompt](): {
		keyOf(func(p *Prompt) (uint64, bool) { return textKey(p.ID) }),
		keyOf(func(p *Prompt) (uint64, bool) { return textKey(p.Name) }),
		keyOf(func(p *Prompt) (uint64, bool) { return textKey(p.Content) }),
	},
	reflect.TypeFor[PromptGroup](): {
		keyOf(func(g *PromptGroup) (uint64, bool) { return textKey(g.ID) }),
		keyOf(func(g *PromptGroup) (uint64, bool) { return textKey(g.Name) }),
	},
	reflect.TypeFor[Choice](): {
		keyOf(func(c *Choice) (uint64, bool) { return textKey(c.ID) }),
		keyOf(func(c *Choice) (uint64, bool) { return textKey(c.Label) }),
	},
	reflect.TypeFor[ChoiceOption](): {
		keyOf(func(o *ChoiceOption) (uint64, bool) { return textKey(o.ID) }),
		keyOf(func(o *ChoiceOption) (uint64, bool) { return textKey(o.Label) }),
	},
}
