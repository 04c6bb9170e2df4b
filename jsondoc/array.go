package jsondoc

import "iter"

// Elem returns element i, or nil when there is none or v is no array.
func (v *Value) Elem(i int) *Value {
	if v == nil || v.kind != KindArray {
		return nil
	}
	if k := v.open(); i >= 0 && i < len(k.list) {
		return v.child(i)
	}
	return nil
}

// Elems yields index and value of each element.
func (v *Value) Elems() iter.Seq2[int, *Value] {
	return func(yield func(int, *Value) bool) {
		if v == nil || v.kind != KindArray {
			return
		}
		for i := 0; i < len(v.open().list); i++ {
			if !yield(i, v.child(i)) {
				return
			}
		}
	}
}

// AppendElem adds an element. v must be an array and val not nil, else nothing happens.
func (v *Value) AppendElem(val *Value) {
	if v == nil || v.kind != KindArray || val == nil {
		return
	}
	k := v.open()
	k.list = append(k.list, kid{val: v.adopt(val)})
	k.live++
	k.changed = true
}

// SetElems makes vs the elements. One that is the same pointer as before keeps its bytes and the white space
// around it, wherever it moves; so does one that says the same as the element it lines up with from the start
// or from the end. Others take the style of their siblings. nil elements are left out. v must be an array, else
// nothing happens.
func (v *Value) SetElems(vs []*Value) {
	if v == nil || v.kind != KindArray {
		return
	}
	k := v.open()
	old := k.list
	at := make(map[*Value]int, len(old))
	for i := range old {
		if old[i].val != nil {
			at[old[i].val] = i
		}
	}
	from := make([]int, 0, len(vs)) // index in old, or -1
	want := make([]*Value, 0, len(vs))
	used := make([]bool, len(old))
	for _, e := range vs {
		if e == nil {
			continue
		}
		i, ok := at[e]
		if !ok || used[i] {
			i = -1
		} else {
			used[i] = true
		}
		from, want = append(from, i), append(want, e)
	}
	lineUp := func(n, o int) bool {
		if from[n] >= 0 {
			return from[n] == o
		}
		if used[o] || !same(v.peek(&old[o]), want[n]) {
			return false
		}
		from[n], used[o] = o, true
		return true
	}
	n := 0
	for n < len(want) && n < len(old) && lineUp(n, n) {
		n++
	}
	for a, b := len(want)-1, len(old)-1; a >= n && b >= n && lineUp(a, b); {
		a, b = a-1, b-1
	}
	if len(want) == len(old) {
		for i := range from {
			if from[i] < 0 && !used[i] {
				from[i], used[i] = i, true
			}
		}
	}

	list := make([]kid, len(want))
	moved := len(want) != len(old)
	for i, e := range want {
		o := from[i]
		if o != i {
			moved = true
		}
		if o < 0 {
			list[i] = kid{val: v.adopt(e)}
			continue
		}
		list[i] = old[o]
	}
	for i := range old {
		if !used[i] && old[i].val != nil {
			old[i].val.owner = nil
		}
	}
	k.list, k.live = list, len(list)
	k.changed = k.changed || moved
	for i, e := range want {
		v.put(i, e)
	}
}

// peek returns the value of kd without keeping it.
func (v *Value) peek(kd *kid) *Value {
	if kd.val != nil {
		return kd.val
	}
	return v.peekOriginal(kd)
}
