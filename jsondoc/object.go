package jsondoc

import (
	"iter"
	"slices"
)

// Get returns the member of exactly that name; of several the last, as JavaScript's JSON.parse has it. It is nil
// when there is none or v is no object.
func (v *Value) Get(name string) *Value {
	if v == nil || v.kind != KindObject {
		return nil
	}
	if i := v.open().find(name); i >= 0 {
		return v.child(i)
	}
	return nil
}

// Has reports whether there is a member of exactly that name.
func (v *Value) Has(name string) bool {
	return v != nil && v.kind == KindObject && v.open().find(name) >= 0
}

// Members yields name and value of each member in order, duplicates included. Members may be set and deleted
// meanwhile; one that is inserted in the middle may shift what comes next.
func (v *Value) Members() iter.Seq2[string, *Value] {
	return func(yield func(string, *Value) bool) {
		if v == nil || v.kind != KindObject {
			return
		}
		k := v.open()
		for i := range k.children() {
			if !yield(k.names[i], v.child(i)) {
				return
			}
		}
	}
}

// Set gives the last member of that name another value in place, or appends one. A scalar that says the same
// as the present one changes nothing, so the source's spelling stays; nil deletes. v must be an object, else
// nothing happens.
func (v *Value) Set(name string, val *Value) { v.set(name, val, -1) }

// SetAfter is Set, but a new member is placed behind the member named after, if there is one.
func (v *Value) SetAfter(after, name string, val *Value) {
	if v == nil || v.kind != KindObject {
		return
	}
	v.set(name, val, v.open().find(after))
}

func (v *Value) set(name string, val *Value, after int) {
	if v == nil || v.kind != KindObject {
		return
	}
	if val == nil {
		v.Delete(name)
		return
	}
	k := v.open()
	if i := k.find(name); i >= 0 {
		v.put(i, val)
		return
	}
	val = v.adopt(val) // first, as it may clone v itself
	k.changed = true
	k.live++
	at := len(k.list)
	if after >= 0 {
		at = after + 1
	}
	k.list = slices.Insert(k.list, at, kid{val: val})
	k.names = slices.Insert(k.names, at, name)
	if at < len(k.list)-1 {
		k.index, k.dups = nil, nil
	} else if k.index != nil {
		k.index[name] = int32(at)
	}
}

// Delete removes all members of that name and reports whether there was one.
func (v *Value) Delete(name string) bool {
	if v == nil || v.kind != KindObject {
		return false
	}
	k := v.open()
	last := k.find(name)
	if last < 0 {
		return false
	}
	k.changed = true
	k.bury(last)
	if k.index == nil {
		for i := last - 1; i >= 0; i-- {
			if k.list[i].key != gone && k.names[i] == name {
				k.bury(i)
			}
		}
	} else {
		for _, i := range k.dups[name] {
			k.bury(int(i))
		}
		delete(k.index, name)
		delete(k.dups, name)
	}
	n := len(k.list)
	for n > 0 && k.list[n-1].key == gone {
		n--
	}
	k.list, k.names = k.list[:n], k.names[:n]
	return true
}

func (k *kids) bury(i int) {
	if val := k.list[i].val; val != nil {
		val.owner = nil
	}
	k.list[i] = kid{key: gone}
	k.live--
}

// find returns the index of the last live member of that name, or -1.
func (k *kids) find(name string) int {
	if k.index == nil && len(k.list) < indexFrom {
		for i := len(k.list) - 1; i >= 0; i-- {
			if k.names[i] == name && k.list[i].key != gone {
				return i
			}
		}
		return -1
	}
	if k.index == nil {
		k.index = make(map[string]int32, k.live)
		for i := range k.list {
			if k.list[i].key != gone {
				name := k.names[i]
				if was, ok := k.index[name]; ok {
					if k.dups == nil {
						k.dups = map[string][]int32{}
					}
					k.dups[name] = append(k.dups[name], was)
				}
				k.index[name] = int32(i)
			}
		}
	}
	if i, ok := k.index[name]; ok {
		return int(i)
	}
	return -1
}
