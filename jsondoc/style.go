package jsondoc

import "bytes"

// style is how fresh values are laid out.
type style struct {
	indented bool
	unit     string // one level of indentation
	eol      string
	colon    string // between name and value
	gap      string // after a comma, where all stands on one line
}

var compact = style{eol: "\n", colon: ":"}

// styleOf is the style of a fresh document.
func styleOf(indent string) *style {
	if indent == "" {
		return &compact
	}
	return &style{indented: true, unit: indent, eol: "\n", colon: ": ", gap: " "}
}

// styleIn reads the style off the source that v comes from: the first member found by going into first children.
func styleIn(v *Value) *style {
	if v.src == nil {
		return &compact
	}
	st := compact
	b := v.src.b
	i := 0
	if bytes.HasPrefix(b, bom) {
		i = len(bom)
	}
	i = skipSpace(b, i)
	base := b[backSpace(b, i):i]
	if k := bytes.LastIndexByte(base, '\n'); k >= 0 {
		base = base[k+1:]
	} else {
		base = nil
	}
	for level := 0; i < len(b) && (b[i] == '{' || b[i] == '['); level++ {
		open := i
		i = skipSpace(b, i+1)
		if b[i] == '}' || b[i] == ']' {
			break
		}
		if !st.indented && level == 0 {
			st.readLead(b[open+1:i], base)
		}
		if b[open] == '{' {
			st.colon = colonAt(b, i)
			st.setGap()
			return &st
		}
	}
	if st.indented {
		st.colon = ": "
	}
	st.setGap()
	return &st
}

// readLead takes unit and line end from the white space before a first child; base is the container's own indentation.
func (st *style) readLead(lead, base []byte) {
	in, ok := indentAfterBreak(lead)
	if !ok {
		st.indented = false
		return
	}
	st.indented = true
	if bytes.HasPrefix(in, base) {
		st.unit = string(in[len(base):])
	}
	st.eol = "\n"
	if bytes.Contains(lead, []byte("\r\n")) {
		st.eol = "\r\n"
	}
}

func (st *style) setGap() {
	st.gap = ""
	if n := len(st.colon); n > 0 && st.colon[n-1] == ' ' {
		st.gap = " "
	}
}

// colonAt returns the colon and the white space around it, of the member whose name starts at key.
func colonAt(b []byte, key int) string {
	end := skipString(b, key)
	colon := skipSpace(b, end)
	return string(b[end:skipSpace(b, colon+1)])
}

// indentAfterBreak returns what stands after the last line break of lead.
func indentAfterBreak(lead []byte) ([]byte, bool) {
	k := bytes.LastIndexByte(lead, '\n')
	if k < 0 {
		return nil, false
	}
	return lead[k+1:], true
}

// lineIndent returns the indentation of the source line on which v starts. Lines of more than 64 KiB have none.
func lineIndent(v *Value) []byte {
	if v.src == nil {
		return nil
	}
	from := max(int(v.off)-64<<10, 0)
	line := v.src.b[from:v.off]
	k := bytes.LastIndexByte(line, '\n')
	if k < 0 && from > 0 {
		return nil
	}
	line = line[k+1:]
	n := 0
	for n < len(line) && (line[n] == ' ' || line[n] == '\t') {
		n++
	}
	return line[:n]
}
