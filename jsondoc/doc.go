// Package jsondoc holds a JSON text as an ordered document over its source bytes: member order, duplicate names,
// number spelling, escapes and white space of everything that nobody edits come out byte for byte, and an edit
// changes only the bytes that carry it. Syntax is judged by jsontext; this package knows no format and no container.
//
// A Value is a place in the source until somebody looks inside; then its children are found, one level at a time.
// Values are not safe for concurrent use; a Clone may be used by another goroutine than its original.
// The bytes given to Parse must not change while the document or anything taken from it is in use, and stay in memory
// as long: that goes for values, for texts of more than 64 KiB, and so for what a codec made of them. Who keeps a text
// longer than the file that it came from takes strings.Clone of it.
package jsondoc

import "bunzai/rope"

// Doc is one JSON text: what stands before the root value (byte order mark, white space), the root, and what
// stands after it (white space, NUL bytes).
type Doc struct {
	Prefix []byte
	Root   *Value
	Suffix []byte

	// Repeated is the path of the first name that stands more than once in one object; "" when none does (a text of more
	// than 100,000 names is not looked through). Get sees the last of them, as every reader in JavaScript does, and none is lost on the way out.
	Repeated string

	src   *source // the text that was parsed; nil for a fresh document
	style *style  // how a fresh document is laid out; nil when it is read off the source
}

// NewDoc makes a document of a fresh root. The indent is one level of indentation ("  ", "\t"); empty means compact.
// A root that already belongs to a document is cloned.
func NewDoc(root *Value, indent string) *Doc {
	if root != nil && root.owner != nil {
		root = root.Clone()
	}
	if root != nil {
		root.owner = top
	}
	return &Doc{Root: root, style: styleOf(indent)}
}

// AppendTo adds the current text to r. Unchanged stretches are added as ranges of the source bytes, not copied.
func (d *Doc) AppendTo(r *rope.Rope) {
	if d == nil {
		return
	}
	d.write().appendTo(r)
}

// Bytes returns the current text; it is the source itself when nothing changed, so it must not be written to.
func (d *Doc) Bytes() []byte {
	if d == nil {
		return nil
	}
	return d.write().bytes()
}

// Clone returns an independent document. It costs what was edited, not what is carried.
func (d *Doc) Clone() *Doc {
	if d == nil {
		return nil
	}
	c := *d
	if d.Root != nil {
		c.Root = d.Root.Clone()
		c.Root.owner = top
	}
	return &c
}

// Dirty reports whether the current text differs from the source by any edit that is still visible; a value
// that was changed and changed back is clean. A fresh document is dirty.
func (d *Doc) Dirty() bool {
	if d == nil {
		return false
	}
	return d.src == nil || !d.write().isWhole(d.src)
}

func (d *Doc) write() *sink {
	s := &sink{}
	s.edge(d.src, d.Prefix, 0)
	st := d.style
	if d.Root != nil {
		if st == nil {
			st = styleIn(d.Root)
		}
		s.in = outermost(st, d.base())
		s.value(d.Root)
	}
	if d.src != nil {
		s.edge(d.src, d.Suffix, len(d.src.b)-len(d.Suffix))
	} else {
		s.edge(nil, d.Suffix, 0)
	}
	return s
}

// base is the indentation of the line on which the root starts.
func (d *Doc) base() []byte {
	if in, ok := indentAfterBreak(d.Prefix); ok {
		return in
	}
	return nil
}
