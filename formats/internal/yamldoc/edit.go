package yamldoc

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/ast"

	"bunzai/jsondoc"
)

// Write returns the text with the members of root: what is the same keeps its lines, a changed member gets lines of its
// own in the style that it had, a new one stands at the end. Whole reports that this was not possible and the text is
// written anew, so that comments and layout are gone. A nil text means that YAML cannot hold root within the bounds.
func (d *Doc) Write(root *jsondoc.Value) (text []byte, whole bool) {
	if jsondoc.Equal(d.Root, root) {
		return []byte(d.Text), false
	}
	now := d
	for name, v := range root.Members() {
		if jsondoc.Equal(now.Root.Get(name), v) {
			continue
		}
		if now = now.set(name, v); now == nil {
			return anew(root), true
		}
	}
	for name := range d.Root.Members() {
		if root.Has(name) {
			continue
		}
		if now = now.set(name, nil); now == nil {
			return anew(root), true
		}
	}
	return []byte(now.Text), false
}

// set gives one member another value; nil removes it. It returns nil where the text did not then say exactly that.
func (d *Doc) set(name string, v *jsondoc.Value) *Doc {
	at := -1
	for i, s := range d.spans {
		if s.name == name {
			at = i
		}
	}
	if at < 0 && (v == nil || d.spans == nil) {
		return nil
	}
	want := d.Root.Clone()
	want.Set(name, v)
	for _, s := range spellings(name, v, d.old(at)) {
		if x, err := Parse([]byte(d.with(at, s))); err == nil && jsondoc.Equal(x.Root, want) {
			return x
		}
	}
	return nil
}

func (d *Doc) old(at int) ast.Node {
	if at < 0 {
		return nil
	}
	return d.spans[at].node
}

// with is the text with those lines in place of the member's; -1 is behind the last member.
func (d *Doc) with(at int, lines string) string {
	if strings.Contains(d.Text, "\r\n") {
		lines = strings.ReplaceAll(lines, "\n", "\r\n")
	}
	if at < 0 {
		end := d.spans[len(d.spans)-1].to
		head := strings.Join(d.lines[:end], "")
		if !strings.HasSuffix(head, "\n") {
			head += "\n"
		}
		return head + lines + strings.Join(d.lines[end:], "")
	}
	s := d.spans[at]
	if !strings.HasSuffix(d.lines[s.to-1], "\n") { // the last line of a text without a line break at its end
		lines = strings.TrimRight(lines, "\r\n")
	}
	return strings.Join(d.lines[:s.from], "") + lines + strings.Join(d.lines[s.to:], "")
}

// plain reports a text that YAML reads as it stands without quotes, whatever else its grammar says: it starts with a
// letter, holds letters, digits and a few signs of prose, and ends in one of them.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && !strings.ContainsRune(" _,.'()-", rune(c))) {
			return false
		}
	}
	return s != "" && !strings.HasSuffix(s, " ") && !reserved[strings.ToLower(s)]
}

// reserved words are no texts for some reader or other.
var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// spellings are the ways to write a member, the one nearest to how it stood first; the last always holds.
func spellings(name string, v *jsondoc.Value, old ast.Node) (out []string) {
	if v == nil {
		return []string{""}
	}
	key := name
	if !plain(name) {
		key = quoted(jsondoc.String(name))
	}
	s, isText := v.Text()
	literal, wasLiteral := old.(*ast.LiteralNode)
	if isText && printable(s) {
		if wasLiteral || strings.Contains(s, "\n") {
			indent := "  "
			if wasLiteral {
				indent = indentOf(literal)
			}
			out = append(out, key+": "+block(s, indent))
		} else if x, ok := old.(*ast.StringNode); ok || old == nil {
			spelled := ""
			if ok {
				spelled = x.GetToken().Origin
			}
			switch spelled = strings.TrimSpace(spelled); {
			case strings.HasPrefix(spelled, "'"):
				out = append(out, key+": '"+strings.ReplaceAll(s, "'", "''")+"'\n")
			case !strings.HasPrefix(spelled, `"`) && plain(s):
				out = append(out, key+": "+s+"\n")
			}
		}
	}
	return append(out, key+": "+quoted(v)+"\n")
}

// quoted is the JSON spelling, which is YAML too.
func quoted(v *jsondoc.Value) string {
	return strings.TrimSpace(string(jsondoc.NewDoc(v.Clone(), "").Bytes()))
}

// printable reports a text that YAML holds without escapes.
func printable(s string) bool {
	for _, r := range s {
		if r != '\n' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == unicode.ReplacementChar) {
			return false
		}
	}
	return true
}

// block writes a literal block: every line as it is, the line breaks at the end said by the sign.
func block(s, indent string) string {
	body := strings.TrimRight(s, "\n")
	sign := "|"
	switch n := len(s) - len(body); {
	case n == 0:
		sign = "|-"
	case n > 1 || body == "":
		sign = "|+"
	}
	if strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\n") || body == "" {
		sign = "|" + string('0'+byte(min(len(indent), 9))) + sign[1:]
	}
	var b strings.Builder
	b.WriteString(sign + "\n")
	for l := range strings.Lines(body + "\n") {
		if l != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(l)
	}
	b.WriteString(strings.Repeat("\n", max(0, len(s)-len(body)-1)))
	return b.String()
}

// indentOf is the indentation of a literal block as it stands.
func indentOf(n *ast.LiteralNode) string {
	for l := range strings.Lines(n.Value.GetToken().Origin) {
		if t := strings.TrimLeft(l, " "); t != "" && t != "\n" && len(t) < len(l) {
			return l[:len(l)-len(t)]
		}
	}
	return "  "
}

// anew writes every member in its plainest form; nil when that cannot be read again.
func anew(root *jsondoc.Value) []byte {
	var b bytes.Buffer
	for name, v := range root.Members() {
		s := spellings(name, v, nil)
		b.WriteString(s[0])
	}
	if x, err := Parse(b.Bytes()); err == nil && jsondoc.Equal(x.Root, root) {
		return b.Bytes()
	}
	b.Reset()
	for name, v := range root.Members() {
		b.WriteString(quoted(jsondoc.String(name)) + ": " + quoted(v) + "\n")
	}
	if x, err := Parse(b.Bytes()); err != nil || !jsondoc.Equal(x.Root, root) {
		return nil
	}
	return b.Bytes()
}
