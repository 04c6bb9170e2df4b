package fieldmap

import (
	"strings"
	"sync"

	"bunzai/jsondoc"
)

// index finds the rows that an object may speak of.
type index struct {
	words   int // length of a bit set of rows
	always  []uint64
	parents []parent
}

// parent is an object in which rows have places.
type parent struct {
	path  []string
	names map[string][]int // member -> rows
}

// indexes holds the index of each long map, by its first row: maps are made once and kept.
var indexes sync.Map

func (m Map[B]) index() *index {
	if x, ok := indexes.Load(&m[0]); ok {
		return x.(*index)
	}
	x := &index{words: (len(m) + 63) / 64}
	x.always = make([]uint64, x.words)
	at := map[string]int{}
	for i, r := range m {
		if len(r.covers) == 0 {
			x.always[i/64] |= 1 << (i % 64)
		}
		for _, p := range r.covers {
			dir := strings.Join(p[:len(p)-1], ".")
			k, ok := at[dir]
			if !ok {
				k = len(x.parents)
				at[dir] = k
				x.parents = append(x.parents, parent{p[:len(p)-1], map[string][]int{}})
			}
			name := p[len(p)-1]
			x.parents[k].names[name] = append(x.parents[k].names[name], i)
		}
	}
	indexes.Store(&m[0], x)
	return x
}

// present is the set of rows with at least one place in obj.
func (x *index) present(obj *jsondoc.Value) []uint64 {
	hit := append([]uint64(nil), x.always...)
	for _, p := range x.parents {
		for name := range obj.At(p.path...).Members() {
			for _, i := range p.names[name] {
				hit[i/64] |= 1 << (i % 64)
			}
		}
	}
	return hit
}
