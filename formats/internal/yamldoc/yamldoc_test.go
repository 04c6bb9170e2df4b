package yamldoc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/jsondoc"
)

const sample = `# a card
name: Ann # the name
context: |-
  She keeps the clock.

  "{{char}}: quoted" # no comment
greeting: "Hm? \x41\u00e9"
# about the rest
extra: &e
  - 1.0
  - 0x1F
  - 2001-02-03
  - [~, yes, true, .inf, 1e400]
again: *e
'quoted key': 'it''s'
folded: >
  one
  two

? asked
: last
`

func parse(t *testing.T, s string) *Doc {
	t.Helper()
	d, err := Parse([]byte(s))
	require.NoError(t, err)
	return d
}

func TestParse(t *testing.T) {
	d := parse(t, sample)
	assert.Equal(t, `{"name":"Ann","context":"She keeps the clock.\n\n\"{{char}}: quoted\" # no comment","greeting":"Hm? Aé",`+
		`"extra":[1.0,"0x1F","2001-02-03",[null,"yes",true,".inf",1e400]],"again":[1.0,"0x1F","2001-02-03",[null,"yes",true,".inf",1e400]],`+
		`"quoted key":"it's","folded":"one two\n","asked":"last"}`, string(d.Root.Raw()))
	crlf := parse(t, "\xef\xbb\xbf"+strings.ReplaceAll(sample, "\n", "\r\n"))
	assert.True(t, jsondoc.Equal(d.Root, crlf.Root))
}

// TestEdit: an edit touches the lines of its member and nothing else.
func TestEdit(t *testing.T) {
	for _, x := range []struct{ name, to, was, is string }{
		{"name", "Bob", "name: Ann # the name\n", "name: Bob\n"},
		{"name", "B: #b", "name: Ann # the name\n", "name: \"B: #b\"\n"},
		{"name", "yes", "name: Ann # the name\n", "name: \"yes\"\n"},
		{"name", "a\nb\n", "name: Ann # the name\n", "name: |\n  a\n  b\n"},
		{"greeting", "Plain", `greeting: "Hm? \x41\u00e9"`, `greeting: "Plain"`},
		{"greeting", "a\u2028\x07", `greeting: "Hm? \x41\u00e9"`, "greeting: \"a\u2028\\u0007\""},
		{"quoted key", "o'clock", `'quoted key': 'it''s'`, `quoted key: 'o''clock'`},
		{"context", "one", "context: |-\n  She keeps the clock.\n\n  \"{{char}}: quoted\" # no comment\n", "context: |-\n  one\n"},
		{"context", "  indented\nno", "context: |-\n  She keeps the clock.\n\n  \"{{char}}: quoted\" # no comment\n", "context: |2-\n    indented\n  no\n"},
		{"asked", "other", "? asked\n: last\n", "asked: other\n"},
		{"folded", "x\n\n", "folded: >\n  one\n  two\n", "folded: \"x\\n\\n\"\n"}, // the blank line behind it would join a block,
	} {
		for _, nl := range []string{"\n", "\r\n"} {
			turn := func(s string) string { return strings.ReplaceAll(s, "\n", nl) }
			d := parse(t, turn(sample))
			root := d.Root.Clone()
			root.Set(x.name, jsondoc.String(x.to))
			text, whole := d.Write(root)
			assert.False(t, whole, "%s", x.name)
			assert.Equal(t, turn(strings.Replace(sample, x.was, x.is, 1)), string(text), "%s", x.name)
			got, _ := parse(t, string(text)).Root.Get(x.name).Text()
			assert.Equal(t, x.to, got)
		}
	}
}

func TestAddAndRemove(t *testing.T) {
	d := parse(t, "name: Ann\ncontext: c\n# end\n")
	root := d.Root.Clone()
	root.Set("tags", jsondoc.Array(jsondoc.String("a: b"), jsondoc.Null()))
	text, whole := d.Write(root)
	assert.False(t, whole)
	assert.Equal(t, "name: Ann\ncontext: c\ntags: [\"a: b\",null]\n# end\n", string(text))
	root.Delete("context")
	text, _ = d.Write(root)
	assert.Equal(t, "name: Ann\ntags: [\"a: b\",null]\n# end\n", string(text))
	same, _ := d.Write(d.Root.Clone())
	assert.Equal(t, d.Text, string(same))
	d = parse(t, "name: Ann\ncontext: c")
	root = d.Root.Clone()
	root.Set("context", jsondoc.String("d"))
	text, _ = d.Write(root)
	assert.Equal(t, "name: Ann\ncontext: d", string(text))
}

// TestWhole: where one member cannot be edited alone, the text is written anew and that is said.
func TestWhole(t *testing.T) {
	for _, s := range []string{"{name: Ann, context: c}\n", "name: &a Ann\ncontext: c\nalias: *a\n"} {
		d := parse(t, s)
		root := d.Root.Clone()
		root.Set("name", jsondoc.String("Bob"))
		text, whole := d.Write(root)
		assert.True(t, whole)
		assert.True(t, jsondoc.Equal(root, parse(t, string(text)).Root))
	}
}

func TestHostile(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'j'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [*" + strings.Join(strings.Split(strings.Repeat(p, 9), ""), ", *") + "]\n"
	}
	for name, s := range map[string]string{
		"size":     "name: " + strings.Repeat("x", maxSize),
		"brackets": "name: " + strings.Repeat("[", 200_000),
		"dashes":   "name:\n  " + strings.Repeat("- ", 200_000) + "a",
		"mappings": "name: " + strings.Repeat("{a: ", 100_000),
		"asked":    strings.Repeat("? ", 200_000) + "a",
		"members":  strings.Repeat("a: b\n", 100_000),
		"bomb":     bomb,
		"texts":    "a: &a \"" + strings.Repeat("x", 500_000) + "\"\nb: [" + strings.Repeat("*a, ", 100) + "*a]\n",
		"itself":   "a: &a [*a]\n",
	} {
		_, err := Parse([]byte(s))
		require.Error(t, err, name)
		assert.True(t, fault.Is(err, fault.OverLimit), "%s: %v", name, err)
		assert.NotContains(t, err.Error(), "\n")
	}
	for _, s := range []string{"name: 'open\n", "a: b\na: c\n", "- a\n", "just text", "a: *b\n", "a: 1\n---\nb: 2\n", "a: \xff", ""} {
		_, err := Parse([]byte(s))
		require.Error(t, err, s)
		assert.False(t, fault.Is(err, fault.Internal), s)
	}
}

// FuzzEdit: no text panics or hangs, and what Write says it wrote is what is read again.
func FuzzEdit(f *testing.F) {
	f.Add(sample, "name", "x")
	f.Add("a: |+\n\n  b\n\nc: 'd'\r\n", "a", " \n")
	f.Add("{a: b}", "c", "- d")
	f.Fuzz(func(t *testing.T, s, name, to string) {
		d, err := Parse([]byte(s))
		if err != nil {
			return
		}
		root := d.Root.Clone()
		root.Set(name, jsondoc.String(strings.ToValidUTF8(to, "?")))
		text, _ := d.Write(root)
		if text == nil {
			return
		}
		x, err := Parse(text)
		if err != nil || !jsondoc.Equal(x.Root, root) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
