package api

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime"
	"strconv"
	"strings"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// bodyType refuses bodies whose declared type says that they are no file.
func bodyType(r *Request) *Problem {
	if enc := strings.TrimSpace(r.Header("Content-Encoding")); enc != "" && !strings.EqualFold(enc, "identity") {
		return newProblem(codeMediaType, "the body is encoded (%s); send the file as it is", cut(enc))
	}
	t := mediaType(r.Header("Content-Type"))
	switch {
	case t == "multipart/form-data":
		if boundaryOf(r) == "" {
			return newProblem(string(fault.BadArgument), "the form's Content-Type has no boundary")
		}
	case strings.HasPrefix(t, "multipart/"), t == "application/x-www-form-urlencoded", strings.HasPrefix(t, "message/"):
		return newProblem(codeMediaType, "the body is declared as %s; send the file itself with Content-Type: application/octet-stream, or as the one file of a multipart/form-data form", cut(t))
	}
	return nil
}

func mediaType(header string) string {
	t, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

func boundaryOf(r *Request) string {
	_, params, err := mime.ParseMediaType(r.Header("Content-Type"))
	if b := params["boundary"]; err == nil && len(b) <= 70 {
		return b
	}
	return ""
}

// unpack takes the file out of a form. The file stays where it lies: a range of the body.
func (c *call) unpack() *Problem {
	if mediaType(c.req.Header("Content-Type")) != "multipart/form-data" {
		_, params, err := mime.ParseMediaType(c.req.Header("Content-Disposition"))
		if err == nil {
			c.name = params["filename"]
		}
		if c.src.Size() == 0 {
			return problemOf(fault.New(fault.Empty, "", "the request has no body; send the file as the body or as the one file of a form"))
		}
		return nil
	}
	parts, err := split(c.src, boundaryOf(c.req))
	if err != nil {
		return problemOf(err)
	}
	var file rope.Source
	for _, p := range parts {
		_, params, err := mime.ParseMediaType(p.disposition)
		if err != nil {
			return newProblem(string(fault.BadArgument), "a part of the form has a Content-Disposition that cannot be read")
		}
		if name, isFile := params["filename"]; isFile {
			if file != nil {
				return newProblem(string(fault.BadArgument), "the form has more than one file; send one a request")
			}
			if p.encoded {
				return newProblem(codeMediaType, "the form's file has a Content-Transfer-Encoding; send it as it is")
			}
			file, c.name = p.data, name
			continue
		}
		if p.data.Size() > 200 {
			return newProblem(string(fault.BadArgument), "the form has a long field %q; a file's part needs a filename", cut(params["name"]))
		}
		value, err := p.data.Bytes()
		if err != nil {
			return problemOf(err)
		}
		if _, twice := c.query[params["name"]]; twice {
			return newProblem(string(fault.BadArgument), "%q is given more than once", cut(params["name"]))
		}
		if p := c.route.take(c.query, params["name"], []string{string(value)}, "the form"); p != nil {
			return p
		}
	}
	switch {
	case file == nil:
		return newProblem(string(fault.BadArgument), "the form has no file; give the part of the file a filename")
	case file.Size() == 0:
		return problemOf(fault.New(fault.Empty, "", "the form's file is empty"))
	}
	c.src = file
	return nil
}

// formPart is one part of a form.
type formPart struct {
	disposition string
	encoded     bool
	data        *rope.Rope
}

const (
	maxParts   = 20
	maxHeaders = 8 << 10
	window     = 64 << 10
)

// split finds the parts of a form by offset (RFC 2046, RFC 7578) without copying them.
func split(src rope.Source, boundary string) ([]formPart, error) {
	bad := func(what string) error {
		return fault.New(fault.BadArgument, "request body", "the form cannot be read: %s", what)
	}
	delim := []byte("\r\n--" + boundary)
	at := int64(0)
	// The first delimiter may stand at the very beginning, without a line end before it.
	head, err := rope.View(src, 0, min(src.Size(), int64(len(delim)-2)))
	if err != nil {
		return nil, err
	}
	if bytes.Equal(head, delim[2:]) {
		at = int64(len(head))
	} else {
		i, err := find(src, 0, delim)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, bad("its boundary is not in it")
		}
		at = i + int64(len(delim))
	}
	var out []formPart
	for {
		rest, err := rope.View(src, at, min(maxHeaders, src.Size()-at))
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(rest, []byte("--")) {
			return out, nil
		}
		pad := bytes.TrimLeft(rest, " \t")
		if !bytes.HasPrefix(pad, []byte("\r\n")) {
			return nil, bad("a boundary is not followed by a line end")
		}
		if len(out) == maxParts {
			return nil, bad("it has more than " + strconv.Itoa(maxParts) + " parts")
		}
		at += int64(len(rest) - len(pad))
		n := bytes.Index(pad, []byte("\r\n\r\n"))
		if n < 0 {
			return nil, bad("a part has no end of its headers")
		}
		p := formPart{}
		for _, line := range strings.Split(string(pad[2:max(n, 2)]), "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			switch value = strings.TrimSpace(value); strings.ToLower(strings.TrimSpace(name)) {
			case "content-disposition":
				p.disposition = value
			case "content-transfer-encoding":
				p.encoded = !strings.EqualFold(value, "binary") && !strings.EqualFold(value, "8bit") && !strings.EqualFold(value, "7bit")
			}
		}
		start := at + int64(n) + 4
		// An empty part's data may begin with its end: the line end of the headers is the delimiter's.
		i, err := find(src, start-2, delim)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, bad("its end is missing; perhaps the upload was cut short")
		}
		p.data = &rope.Rope{}
		p.data.AppendRange(src, start, i-start)
		out = append(out, p)
		at = i + int64(len(delim))
	}
}

// find returns the offset of the first pat at or after from, -1 when there is none.
func find(src rope.Source, from int64, pat []byte) (int64, error) {
	for from+int64(len(pat)) <= src.Size() {
		n := min(window+int64(len(pat)), src.Size()-from)
		b, err := rope.View(src, from, n)
		if err != nil {
			return 0, err
		}
		if i := bytes.Index(b, pat); i >= 0 {
			return from + int64(i), nil
		}
		from += n - int64(len(pat)) + 1
	}
	return -1, nil
}

// part is one part of an answer.
type part struct {
	header []Field
	data   *rope.Rope
}

// mixed joins parts to multipart/mixed. The boundary is a hash of all that it separates, so none of it can hold it.
func mixed(parts []part) (*rope.Rope, string, error) {
	h := sha256.New()
	for _, p := range parts {
		if _, err := p.data.WriteTo(h); err != nil {
			return nil, "", err
		}
	}
	boundary := fmt.Sprintf("bunzai-%x", h.Sum(nil)[:16])
	out := &rope.Rope{}
	for _, p := range parts {
		var b strings.Builder
		b.WriteString("\r\n--" + boundary + "\r\n")
		for _, f := range p.header {
			b.WriteString(f.Name + ": " + f.Value + "\r\n")
		}
		b.WriteString("Content-Length: " + strconv.FormatInt(p.data.Size(), 10) + "\r\n\r\n")
		s := b.String()
		if out.Size() == 0 {
			s = s[2:]
		}
		out.AppendString(s)
		out.AppendRope(p.data)
	}
	out.AppendString("\r\n--" + boundary + "--\r\n")
	return out, boundary, nil
}

// accepts reports whether an Accept header names a type with a weight above zero. Wildcards do not count: who wants
// the special form asks for it.
func accepts(header, want string) bool {
	for _, item := range strings.Split(header, ",") {
		fields := strings.Split(item, ";")
		if !strings.EqualFold(strings.TrimSpace(fields[0]), want) {
			continue
		}
		for _, f := range fields[1:] {
			if k, v, _ := strings.Cut(strings.TrimSpace(f), "="); strings.EqualFold(k, "q") {
				q, err := strconv.ParseFloat(v, 64)
				return err == nil && q > 0
			}
		}
		return true
	}
	return false
}

// disposition writes a file name for RFC 6266: an ASCII form for old clients and the whole name for the others.
func disposition(name string) string {
	ascii := strings.Map(func(r rune) rune {
		if r < 0x20 || r > 0x7e || r == '"' || r == '\\' || r == '%' {
			return '_'
		}
		return r
	}, name)
	s := `attachment; filename="` + ascii + `"`
	if ascii == name {
		return s
	}
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("!#$&+-.^_`|~", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return s + "; filename*=UTF-8''" + b.String()
}

// ShortReport is the report as the header Bunzai-Report carries it.
type ShortReport struct {
	From   convert.End    `json:"from"`
	To     convert.End    `json:"to"`
	Counts convert.Counts `json:"counts"`
	Items  []ShortItem    `json:"items"` // lost first, then changed and parked; what is simply carried is only counted
	Cut    int            `json:"cut"`   // items left out because a header must stay short
}

// ShortItem is one line of a ShortReport. It holds no values of the card.
type ShortItem struct {
	Verdict convert.Verdict `json:"verdict"`
	Piece   int             `json:"piece"`
	Path    string          `json:"path"`
	Reason  string          `json:"reason"`
}

// maxReportHeader bounds the header in bytes: proxies refuse headers of 8 KiB in all.
const maxReportHeader = 4 << 10

func shortReport(r *convert.Report) string {
	short := ShortReport{From: r.From, To: r.To, Counts: r.Counts}
	var items []ShortItem
	for _, it := range r.Items {
		if it.Verdict != convert.Carried {
			items = append(items, ShortItem{it.Verdict, it.Piece, it.Path, it.Reason})
		}
	}
	size := len(asciiJSON(plain.Marshal(short))) + 20
	for i, it := range items {
		if size += len(asciiJSON(plain.Marshal(it))) + 1; size > maxReportHeader {
			short.Cut = len(items) - i
			break
		}
		short.Items = append(short.Items, it)
	}
	return string(asciiJSON(plain.Marshal(short)))
}

// asciiJSON writes every other character as \uXXXX, so that JSON fits into a header field.
func asciiJSON(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}
