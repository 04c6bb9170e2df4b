package jsondoc

// layout is how one container is laid out: the white space around its children.
type layout struct {
	sep   string // after a comma, before a child that is not the first
	tail  string // after a child, before the comma
	inner style  // for fresh values inside
	base  []byte // indentation of the line on which children start
}

// frame is a container that is being written. Its layout is worked out when a fresh value first asks for it.
type frame struct {
	v    *Value // nil at the outermost frame, whose layout is given
	l    layout
	done bool
}

// frames are the containers that are being written, outermost first.
type frames []frame

// outermost is the frame around a value whose line is indented by base.
func outermost(st *style, base []byte) frames {
	return frames{{l: layout{inner: *st, base: base}, done: true}}
}

func (fs *frames) push(v *Value) { *fs = append(*fs, frame{v: v}) }

func (fs *frames) pop() { *fs = (*fs)[:len(*fs)-1] }

// layout returns the layout of the innermost frame.
func (fs frames) layout() *layout {
	f := &fs[len(fs)-1]
	if !f.done {
		up := fs[:len(fs)-1].layout()
		if f.v.src == nil || f.v.kids.origin.n == 0 {
			f.l.invent(&up.inner, up.base)
		} else {
			f.l.read(f.v, &up.inner, up.base)
		}
		f.done = true
	}
	return &f.l
}

// invent lays out a container that had no children, in the style around it.
func (l *layout) invent(st *style, base []byte) {
	l.inner, l.base, l.sep = *st, base, st.gap
	if st.indented {
		l.base = append(append(make([]byte, 0, len(base)+len(st.unit)), base...), st.unit...)
		l.sep = st.eol + string(l.base)
	}
}

// read takes the layout of v from its children in the source.
func (l *layout) read(v *Value, st *style, base []byte) {
	b, o := v.src.b, &v.kids.origin
	lead := b[v.off+1 : o.first]
	l.inner, l.base = *st, base
	if v.kind == KindObject {
		l.inner.colon = colonAt(b, int(o.last))
	}
	l.inner.readLead(lead, base)
	if in, ok := indentAfterBreak(lead); ok {
		l.base = in
	}
	l.inner.setGap()
	switch {
	case o.n > 1:
		l.sep = string(b[backSpace(b, int(o.last)):o.last])
		l.tail = string(b[o.prevEnd:skipSpace(b, int(o.prevEnd))])
		if !l.inner.indented {
			l.inner.gap = l.sep
		}
	case l.inner.indented:
		l.sep = string(lead)
	default:
		l.sep = l.inner.gap
	}
}
