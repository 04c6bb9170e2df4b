// Package yamldoc reads a YAML text whose root is a mapping as a JSON document, and writes single members of it back
// into the text, so that what nobody edits stays byte for byte: order, comments, quotes, anchors. The grammar is
// goccy/go-yaml's; this package bounds what a hostile text can cost and knows no format.
package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"

	"bunzai/fault"
	"bunzai/jsondoc"
)

// A YAML card is a few texts. The parser's time grows faster than the number of tokens and it descends once for each
// level, and aliases multiply what they name, so each is bounded by itself.
const (
	maxSize   = 1 << 20 // bytes of text
	maxTokens = 4096
	maxDepth  = 64
	maxValues = 20_000  // with every alias written out
	maxTexts  = 4 << 20 // bytes of texts, with every alias written out
)

const bom = "\xef\xbb\xbf"

// Doc is a YAML text and what it says.
type Doc struct {
	Text string
	Root *jsondoc.Value // an object; what JSON has no form for (dates, .inf, 0x1f) is text as it is spelled

	lines []string // of Text, each with its line break
	spans []span   // one for each member of Root, in order; nil when the text cannot be edited in place
}

// span is where a member stands: lines from, including, to, excluding. What belongs to nobody (blank lines, comments)
// is behind it.
type span struct {
	name     string
	from, to int
	node     ast.Node
}

// Parse reads text. Errors: OverLimit (YAML, YAMLTokens, YAMLDepth, YAMLAliases), Damaged with the line, Unsupported for
// several documents in one file, NotRecognized where the root is no mapping.
func Parse(text []byte) (*Doc, error) {
	if len(text) > maxSize {
		return nil, over("YAML", maxSize, int64(len(text)), "bytes")
	}
	if !utf8.Valid(text) {
		return nil, fault.New(fault.Damaged, "", "this YAML text is not UTF-8; open it in a text editor, choose Save As with the encoding UTF-8, and try again")
	}
	d := &Doc{Text: string(text)}
	plain := strings.ReplaceAll(strings.TrimPrefix(d.Text, bom), "\r\n", "\n")
	tokens, err := tokens(plain)
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, syntax(err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, fault.New(fault.Unsupported, "", "there are several YAML documents in this file, and a card is one")
		}
		body = doc.Body
	}
	if body == nil || body.Type() != ast.MappingType && body.Type() != ast.MappingValueType {
		return nil, fault.New(fault.NotRecognized, "", "this YAML text is no mapping of names to values")
	}
	r := &reader{anchors: map[string]ast.Node{}}
	if d.Root, err = r.value(body, 0); err != nil {
		return nil, err
	}
	d.place(body)
	return d, nil
}

func over(name string, value, found int64, unit string) error {
	return fault.Over("", fault.Limit{Name: name, Value: value, Found: found, Unit: unit})
}

// tokens scans with the bounds: the parser is given nothing that could hurt it.
func tokens(text string) (token.Tokens, error) {
	var s scanner.Scanner
	s.Init(text)
	var out token.Tokens
	flow, columns := 0, []int{}
	for {
		next, err := s.Scan()
		if err == io.EOF {
			return out, nil
		}
		for _, t := range next {
			switch t.Type {
			case token.MappingStartType, token.SequenceStartType:
				flow++
			case token.MappingEndType, token.SequenceEndType:
				flow = max(0, flow-1)
			case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
				if flow > 0 {
					break
				}
				at := t.Position.Column
				for len(columns) > 0 && columns[len(columns)-1] >= at {
					columns = columns[:len(columns)-1]
				}
				columns = append(columns, at)
			}
			if flow+len(columns) > maxDepth {
				return nil, over("YAMLDepth", maxDepth, 0, "levels")
			}
		}
		if out.Add(next...); len(out) > maxTokens {
			return nil, over("YAMLTokens", maxTokens, 0, "tokens")
		}
	}
}

// syntax words the parser's error, which holds a drawing of the place.
func syntax(err error) error {
	var e interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &e) {
		return &fault.Error{Code: fault.Damaged, Message: "this is no sound YAML", Err: err}
	}
	where := ""
	if t := e.GetToken(); t != nil && t.Position != nil {
		where = "line " + strconv.Itoa(t.Position.Line)
	}
	return &fault.Error{Code: fault.Damaged, Where: where, Message: "this is no sound YAML: " + e.GetMessage(), Err: err}
}

// reader turns nodes into JSON values.
type reader struct {
	anchors map[string]ast.Node
	values  int
	texts   int
}

func (r *reader) value(n ast.Node, depth int) (*jsondoc.Value, error) {
	if r.values++; r.values > maxValues {
		return nil, over("YAMLAliases", maxValues, 0, "values")
	}
	if depth > maxDepth {
		return nil, over("YAMLDepth", maxDepth, 0, "levels")
	}
	switch x := n.(type) {
	case nil, *ast.NullNode:
		return jsondoc.Null(), nil
	case *ast.MappingNode:
		obj := jsondoc.Object()
		for _, m := range x.Values {
			if err := r.member(obj, m, depth); err != nil {
				return nil, err
			}
		}
		return obj, nil
	case *ast.MappingValueNode:
		obj := jsondoc.Object()
		return obj, r.member(obj, x, depth)
	case *ast.SequenceNode:
		var list []*jsondoc.Value
		for _, e := range x.Values {
			v, err := r.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return jsondoc.Array(list...), nil
	case *ast.AnchorNode:
		r.anchors[x.Name.GetToken().Value] = x.Value
		return r.value(x.Value, depth)
	case *ast.AliasNode:
		name := x.Value.GetToken().Value
		to, ok := r.anchors[name]
		if !ok {
			return nil, fault.New(fault.Damaged, line(n), "this is no sound YAML: the alias *%s names no anchor before it", name)
		}
		return r.value(to, depth+1)
	case *ast.TagNode:
		return r.value(x.Value, depth)
	case *ast.BoolNode:
		return jsondoc.Bool(x.Value), nil
	case *ast.IntegerNode, *ast.FloatNode:
		if v := jsondoc.NumberText(n.GetToken().Value); v != nil {
			return v, nil
		}
		return r.text(n.GetToken().Value)
	case *ast.StringNode:
		if x.Token.Type == token.StringType { // 1e400 and integers of any length are numbers without quotes
			if v := jsondoc.NumberText(x.Value); v != nil {
				return v, nil
			}
		}
		return r.text(x.Value)
	case *ast.LiteralNode:
		return r.text(x.Value.Value)
	}
	return r.text(n.GetToken().Value)
}

func (r *reader) text(s string) (*jsondoc.Value, error) {
	if r.texts += len(s); r.texts > maxTexts {
		return nil, over("YAMLAliases", maxTexts, 0, "bytes")
	}
	return jsondoc.String(s), nil
}

func (r *reader) member(obj *jsondoc.Value, m *ast.MappingValueNode, depth int) error {
	v, err := r.value(m.Value, depth+1)
	if err != nil {
		return err
	}
	obj.Set(keyOf(m), v)
	return nil
}

func keyOf(m *ast.MappingValueNode) string {
	key := ast.Node(m.Key)
	if k, ok := key.(*ast.MappingKeyNode); ok && k.Value != nil {
		key = k.Value
	}
	if a, ok := key.(*ast.AnchorNode); ok {
		key = a.Value
	}
	if s, ok := key.(*ast.StringNode); ok {
		return s.Value
	}
	return key.GetToken().Value
}

func line(n ast.Node) string {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return "line " + strconv.Itoa(t.Position.Line)
	}
	return ""
}

// place finds the lines of each member. Members that do not each start a line of their own cannot be edited in place.
func (d *Doc) place(body ast.Node) {
	var members []*ast.MappingValueNode
	switch x := body.(type) {
	case *ast.MappingNode:
		if x.IsFlowStyle {
			return
		}
		members = x.Values
	case *ast.MappingValueNode:
		members = []*ast.MappingValueNode{x}
	}
	d.lines = strings.SplitAfter(d.Text, "\n")
	spans := make([]span, len(members))
	for i, m := range members {
		from := m.Key.GetToken().Position.Line - 1
		if from < 0 || from >= len(d.lines) || i > 0 && from <= spans[i-1].from {
			return
		}
		spans[i] = span{name: keyOf(m), from: from, node: m.Value}
	}
	for i := range spans {
		end := len(d.lines)
		if i+1 < len(spans) {
			end = spans[i+1].from
		}
		for end > spans[i].from+1 && nobodys(d.lines[end-1]) {
			end--
		}
		spans[i].to = end
	}
	d.spans = spans
}

// nobodys is a line that belongs to no member: blank, a comment from the first column, a document's end.
func nobodys(l string) bool {
	t := strings.TrimSpace(l)
	return t == "" || l[0] == '#' || t == "..." || t == "---"
}

// Looks reports a text with lines that start with each of the names and a colon, which is cheap to see.
func Looks(text []byte, names ...string) bool {
	text = bytes.TrimPrefix(text, []byte(bom))
	for _, n := range names {
		if !starts(text, n) {
			return false
		}
	}
	return true
}

func starts(text []byte, name string) bool {
	for l := range bytes.Lines(text) {
		l = bytes.TrimLeft(l, `"'`)
		if rest, ok := bytes.CutPrefix(l, []byte(name)); ok && bytes.HasPrefix(bytes.TrimLeft(rest, `"' `), []byte(":")) {
			return true
		}
	}
	return false
}
