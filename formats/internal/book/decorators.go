package book

import (
	"slices"
	"strconv"
	"strings"
)

// Decorators are lines that begin with @@ at the start of an entry's content (Character Card V3, Risu): settings that
// have no member of their own. The app trims the content, takes lines as long as they begin with @@, and shows only the
// rest; a name ends at the first space, arguments at commas. A line that begins with @@@ counts only behind one that the
// app did not understand, and is left to the text here; but @@@end is an old spelling of @@end. Facts: decorators.ts of
// kwaroran/ccardlib, lorebook.svelte.ts of the app.

// decorator is one line; the zero name is a line that is left to the text.
type decorator struct {
	raw  string // the line as it stands, without its line feed
	name string
	args []string
}

func (x decorator) arg() string {
	if len(x.args) == 0 {
		return ""
	}
	return x.args[0]
}

// number is the whole number that the app reads from the first argument: the digits that it begins with.
func (x decorator) number() (float64, bool) {
	s := x.arg()
	n := 0
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	k, err := strconv.ParseInt(s[:n], 10, 53)
	return float64(k), err == nil
}

// head is a content taken apart.
type head struct {
	before string // white space before the first line
	lines  []decorator
	body   string
	noBody bool // the content ends with its last decorator
}

// maxDecorators bounds what is taken for settings: more lines than this are text.
const maxDecorators = 100

// maxArguments bounds what a line may list: one with more is text.
const maxArguments = 1000

const jsSpace = " \t\n\r\v\f\u00a0\ufeff\u2028\u2029"

func parseHead(content string) (h head) {
	rest := strings.TrimLeft(content, jsSpace)
	if !strings.HasPrefix(rest, "@@") {
		return head{body: content, noBody: content == ""}
	}
	h.before = content[:len(content)-len(rest)]
	for len(h.lines) <= maxDecorators {
		raw, next, more := strings.Cut(rest, "\n")
		line := strings.Trim(raw, jsSpace)
		if !strings.HasPrefix(line, "@@") {
			h.body = rest
			return h
		}
		h.lines = append(h.lines, parseDecorator(raw, line))
		if rest = next; !more {
			h.noBody = true
			return h
		}
	}
	return head{body: content}
}

func parseDecorator(raw, line string) decorator {
	x := decorator{raw: raw}
	if line == "@@@end" {
		line = "@@end"
	}
	if strings.HasPrefix(line, "@@@") || !strings.HasPrefix(line, "@@") {
		return x
	}
	name, args, _ := strings.Cut(line[2:], " ")
	if strings.Count(args, ",") >= maxArguments {
		return x
	}
	x.name = name
	for _, a := range strings.Split(args, ",") {
		if a = strings.Trim(a, jsSpace); a != "" {
			x.args = append(x.args, a)
		}
	}
	return x
}

func (h *head) String() string {
	if len(h.lines) == 0 {
		return h.body
	}
	var b strings.Builder
	b.WriteString(h.before)
	for i, x := range h.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(x.raw)
	}
	if !h.noBody {
		b.WriteString("\n" + h.body)
	}
	return b.String()
}

// last is the last line of one of the names; ok is false when there is none.
func (h *head) last(names ...string) (x decorator, ok bool) {
	for _, l := range h.lines {
		if l.name != "" && slices.Contains(names, l.name) {
			x, ok = l, true
		}
	}
	return x, ok
}

func (h *head) count(name string) (n int) {
	for _, l := range h.lines {
		if l.name == name {
			n++
		}
	}
	return n
}

// replace puts lines in the place of those that taken names, behind all others when it names none. A line that says
// what one of the old ones says keeps its spelling.
func (h *head) replace(taken func(x decorator) bool, lines ...string) {
	old := map[string]decorator{}
	says := func(x decorator) string { return x.name + "\n" + strings.Join(x.args, "\n") }
	at := len(h.lines)
	kept := h.lines[:0:0]
	for _, x := range h.lines {
		if taken(x) {
			if _, ok := old[says(x)]; !ok {
				old[says(x)] = x
			}
			at = len(kept)
			continue
		}
		kept = append(kept, x)
	}
	if len(old) == 0 {
		at = len(kept)
	}
	fresh := make([]decorator, len(lines))
	for i, l := range lines {
		fresh[i] = parseDecorator(l, l)
		if o, ok := old[says(fresh[i])]; ok {
			fresh[i] = o
		}
	}
	h.lines = slices.Insert(kept, at, fresh...)
}

// without is the content as other apps get it: the lines that are taken into fields are gone.
func (h *head) without(taken []bool) string {
	if !slices.Contains(taken, true) {
		return h.String()
	}
	c := head{before: h.before, body: h.body, noBody: h.noBody}
	for i, x := range h.lines {
		if !taken[i] {
			c.lines = append(c.lines, x)
		}
	}
	return c.String()
}

// with is the wire content for a text that without would give: the taken lines stay where they are while the lines that
// are left to the text are the same, else they stand first.
func (h *head) with(taken []bool, text string) string {
	var own, free head
	for i, x := range h.lines {
		if taken[i] {
			own.lines = append(own.lines, x)
		} else {
			free.lines = append(free.lines, x)
		}
	}
	if len(own.lines) == 0 {
		return text
	}
	c := head{before: h.before, lines: h.lines}
	free.before = h.before
	free.noBody = true
	lead := free.String()
	switch {
	case len(free.lines) == 0:
		c.body, c.noBody = text, text == ""
	case text == lead:
		c.noBody = true
	case strings.HasPrefix(text, lead+"\n"):
		c.body = text[len(lead)+1:]
	default:
		c.lines, c.body = own.lines, text
	}
	return c.String()
}
