package book

import (
	"strings"
	"sync/atomic"

	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// group is a set of fields that Risu holds together, with the lines of the content that it takes.
type group struct {
	fieldmap.Group[entry]
	// claims marks the lines of the content that are read; nil when there are none.
	claims func(obj *jsondoc.Value, h *head) []bool
}

func (d *Dialect) group(wire string, covers []string, members ...fieldmap.Member[entry]) *group {
	return &group{Group: fieldmap.Group[entry]{Wire: wire, Park: []string{d.ext, "bunzai"}, Covers: covers, Members: members, Shorten: onlyHead, Tidy: d.File}}
}

// onlyHead leaves the decorators of a content, which is all that a group looks at.
func onlyHead(member string, v *jsondoc.Value) *jsondoc.Value {
	if s, ok := v.Text(); ok && member == "content" {
		h := parseHead(s)
		h.body = ""
		return jsondoc.String(h.String())
	}
	return v
}

// edit changes the decorators of an entry.
func edit(obj *jsondoc.Value, change func(h *head)) {
	s, _ := obj.Get("content").Text()
	h := parseHead(s)
	change(&h)
	if t := h.String(); t != s {
		obj.Set("content", jsondoc.String(t))
	}
}

// headOf takes the content of an entry apart, to be looked at and not changed. The rows of one entry ask for it one
// after the other, so that the last one is kept.
func headOf(obj *jsondoc.Value) head {
	v := obj.Get("content")
	if v == nil {
		return head{}
	}
	if k := lastHead.Load(); k != nil && k.of == v {
		return k.head
	}
	s, _ := v.Text()
	h := head{body: s}
	if strings.Contains(s, "@@") {
		h = parseHead(s)
	}
	lastHead.Store(&keptHead{v, h})
	return h
}

// keptHead holds on to the value, so that no other can have its address; a text in a document never changes in place.
type keptHead struct {
	of   *jsondoc.Value
	head head
}

var lastHead atomic.Pointer[keptHead]

func named(names ...string) func(x decorator) bool {
	return func(x decorator) bool {
		for _, n := range names {
			if x.name == n {
				return true
			}
		}
		return false
	}
}

// marked marks the lines for which yes.
func marked(h *head, yes func(x decorator) bool) []bool {
	out := make([]bool, len(h.lines))
	for i, x := range h.lines {
		out[i] = yes(x)
	}
	return out
}
