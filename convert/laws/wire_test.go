package laws

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/formats/risu/rpack"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// The laws look at files with eyes of their own: a chunk walk, the standard library's ZIP reader and a JSON scanner,
// none of them the code under test.

const pngSignature = "\x89PNG\r\n\x1a\n"

// wire is a file taken apart: its JSON documents by name, and everything else in order.
type wire struct {
	docs []doc
	rest []part
}

type doc struct{ name, text string }

// part is a chunk, an archive entry as it is packed, or bytes before and after.
type part struct{ name, bytes string }

func (w wire) doc(name string) string {
	for _, d := range w.docs {
		if d.name == name {
			return d.text
		}
	}
	return ""
}

func isDocEntry(name string) bool { return name == "card.json" || name == "lumiverse_modules.json" }

func apart(t testing.TB, data []byte) (w wire) {
	t.Helper()
	switch {
	case bytes.HasPrefix(data, []byte(pngSignature)):
		chunks, behind := chunksOf(t, data)
		for _, c := range chunks {
			if k, v, ok := c.text(t); ok && (strings.EqualFold(k, "chara") || strings.EqualFold(k, "ccv3") || k == "persona") {
				w.docs = append(w.docs, doc{strings.ToLower(k), cardText(t, v)})
				continue
			}
			w.rest = append(w.rest, part{c.kind, string(c.raw)})
		}
		w.rest = append(w.rest, part{"behind", string(behind)})
	case bytes.Contains(data[:min(len(data), 4)], []byte("PK")) || bytes.HasPrefix(data, []byte("\xff\xd8")):
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		for _, f := range z.File {
			raw, err := f.OpenRaw()
			require.NoError(t, err)
			packed, err := io.ReadAll(raw)
			require.NoError(t, err)
			if isDocEntry(f.Name) {
				w.docs = append(w.docs, doc{f.Name, string(unzip(t, f))})
				w.rest = append(w.rest, part{f.Name, ""})
				continue
			}
			if f.Name == "module.risum" {
				if text, blocks, ok := moduleText(t, unzip(t, f)); ok {
					w.docs = append(w.docs, doc{f.Name, text})
					w.rest = append(w.rest, part{f.Name, blocks})
					continue
				}
			}
			if strings.HasSuffix(f.Name, "/") {
				w.rest = append(w.rest, part{f.Name, ""})
				continue
			}
			w.rest = append(w.rest, part{f.Name, fmt.Sprint(f.Method, f.Modified.Unix(), f.CRC32, " ") + string(packed)})
		}
		w.rest = append(w.rest, part{"comment", z.Comment}, part{"prefix", string(data[:bytes.Index(data, []byte("PK\x03\x04"))])})
	case bytes.HasPrefix(data, []byte("o\x00")):
		n := 6 + int(binary.LittleEndian.Uint32(data[2:]))
		w.docs = []doc{{"module", string(rpack.Decode(data[6:n]))}}
		for n < len(data) && data[n] == 1 {
			m := 5 + int(binary.LittleEndian.Uint32(data[n+1:]))
			w.rest = append(w.rest, part{"assets/block", string(data[n : n+m])})
			n += m
		}
		w.rest = append(w.rest, part{"end", string(data[n:])})
	case len(data) > 2 && data[0] == 0xe6 && data[1] == 0x20:
		w.docs = []doc{{"module", string(rpack.Decode(data))}}
	case bytes.HasPrefix(data, []byte("\x10\x03\xfc")):
		w = apart(t, rpack.Decode(data))
		w.rest = append(w.rest, part{"RPack", ""})
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		head, plain := unpackPreset(t, data)
		w.docs = []doc{{"preset", showMsgPack(plain)}}
		w.rest = []part{{"outer", head}}
	case strings.IndexAny(strings.TrimLeft(strings.TrimPrefix(string(data), "\xef\xbb\xbf"), " \t\r\n"), "{[") != 0:
		w.docs = []doc{{"file", yamlLines(data)}}
	default:
		w.docs = []doc{{"file", string(data)}}
	}
	return w
}

// cardText is the document in a card chunk: base64, or one that Risu encrypted with its own password.
func cardText(t testing.TB, v string) string {
	t.Helper()
	if !strings.HasPrefix(v, "rcc||") {
		return string(unbase64(t, v))
	}
	p := strings.Split(v, "||")
	require.Len(t, p, 5)
	sealed, err := base64.StdEncoding.DecodeString(p[2])
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256(sealed)), p[3])
	key := sha256.Sum256([]byte("RISU_NONE"))
	b, err := aes.NewCipher(key[:])
	require.NoError(t, err)
	g, err := cipher.NewGCM(b)
	require.NoError(t, err)
	text, err := g.Open(nil, make([]byte, 12), sealed, nil)
	require.NoError(t, err)
	return string(text)
}

// yamlLines is a YAML text as a JSON object: what stands from each line with a name up to the next one, letter by letter.
func yamlLines(data []byte) string {
	out, name, value, comments := []string{}, "#", "", 0
	put := func() {
		v, _ := json.Marshal(value)
		out = append(out, fmt.Sprintf("%q:%s", name, v))
	}
	for i, l := range strings.SplitAfter(string(data), "\n") {
		k, _, named := strings.Cut(l, ":")
		if k = strings.Trim(k, `"'`); named && k != "" && (k[0]|0x20 >= 'a' && k[0]|0x20 <= 'z') || strings.HasPrefix(l, "#") && i > 0 {
			put()
			if name, value = k, ""; l[0] == '#' {
				comments++
				name = fmt.Sprint("#", comments)
			}
		}
		value += l
	}
	put()
	return "{" + strings.Join(out, ",") + "}"
}

// moduleText takes a Risu module apart: its document, unpacked, and what follows it.
func moduleText(t testing.TB, b []byte) (text, rest string, ok bool) {
	if len(b) < 6 || b[0] != 0x6f || b[1] != 0 || binary.LittleEndian.Uint32(b[2:]) > uint32(len(b)-6) {
		return "", "", false
	}
	end := 6 + binary.LittleEndian.Uint32(b[2:])
	return string(rpack.Decode(b[6:end])), string(b[end:]), true
}

func unzip(t testing.TB, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	require.NoError(t, err)
	b, err := io.ReadAll(r)
	require.NoError(t, err, f.Name)
	return b
}

func unbase64(t testing.TB, s string) []byte {
	t.Helper()
	s = strings.NewReplacer("\n", "", "\r", "", " ", "", "-", "+", "_", "/", "=", "", "\x00", "").Replace(s)
	b, err := base64.RawStdEncoding.DecodeString(s)
	require.NoError(t, err)
	return b
}

type chunk struct {
	kind string
	data []byte
	raw  []byte
}

func chunksOf(t testing.TB, data []byte) (out []chunk, behind []byte) {
	t.Helper()
	at := len(pngSignature)
	for at+12 <= len(data) {
		n := int(binary.BigEndian.Uint32(data[at:])) + 12
		require.LessOrEqual(t, at+n, len(data), "a chunk runs past the end")
		c := chunk{string(data[at+4 : at+8]), data[at+8 : at+n-4], data[at : at+n]}
		out = append(out, c)
		at += n
		if c.kind == "IEND" {
			break
		}
	}
	return out, data[at:]
}

// text returns keyword and value of a text chunk.
func (c chunk) text(t testing.TB) (keyword, value string, ok bool) {
	k, v, found := bytes.Cut(c.data, []byte{0})
	if !found {
		return "", "", false
	}
	inflate := func(b []byte) string {
		r, err := zlib.NewReader(bytes.NewReader(b))
		require.NoError(t, err)
		out, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(out)
	}
	switch c.kind {
	case "tEXt":
		return string(k), string(v), true
	case "zTXt":
		return string(k), inflate(v[1:]), true
	case "iTXt":
		packed := v[0] == 1
		rest := bytes.SplitN(v[2:], []byte{0}, 3)[2]
		if packed {
			return string(k), inflate(rest), true
		}
		return string(k), string(rest), true
	}
	return "", "", false
}

// scalar is a leaf of a JSON text: a scalar, or an empty object or list, where it stands.
type scalar struct {
	path       string // data.tags[2]; a repeated name is data.a#2
	start, end int
}

// scan lists the leaves of a JSON text in order. It is no judge of syntax.
func scan(t testing.TB, s string) []scalar {
	t.Helper()
	p := &scanner{s: s}
	p.space()
	if strings.HasPrefix(s, "\xef\xbb\xbf") {
		p.at = 3
		p.space()
	}
	p.value("")
	return p.out
}

type scanner struct {
	s   string
	at  int
	out []scalar
}

func (p *scanner) space() {
	for p.at < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.at]) >= 0 {
		p.at++
	}
}

func (p *scanner) text() string {
	from := p.at
	for p.at++; p.s[p.at] != '"'; p.at++ {
		if p.s[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
	return p.s[from:p.at]
}

func (p *scanner) value(path string) {
	from := p.at
	switch c := p.s[p.at]; c {
	case '"':
		p.text()
	case '{', '[':
		p.at++
		p.space()
		n, seen := 0, map[string]int{}
		for p.s[p.at] != '}' && p.s[p.at] != ']' {
			sub := path + "[" + strconv.Itoa(n) + "]"
			if c == '{' {
				name := strings.Trim(p.text(), `"`)
				if seen[name]++; seen[name] > 1 {
					name += "#" + strconv.Itoa(seen[name])
				}
				if sub = name; path != "" {
					sub = path + "." + name
				}
				p.space()
				p.at++ // :
				p.space()
			}
			p.value(sub)
			n++
			p.space()
			if p.s[p.at] == ',' {
				p.at++
				p.space()
			}
		}
		p.at++
		if n > 0 {
			return
		}
	default:
		for p.at < len(p.s) && strings.IndexByte(" \t\r\n,]}", p.s[p.at]) < 0 {
			p.at++
		}
	}
	p.out = append(p.out, scalar{path, from, p.at})
}

// delta is what an edit did to one JSON text.
type delta struct {
	changed []string // leaves whose spelling is another
	gone    []string
	added   []string
	// layout is false when anything but the leaves' spelling is another: white space, names, order. It is judged only
	// where no leaf came or went.
	layout bool
}

func (d delta) paths() []string {
	return append(append(append([]string{}, d.changed...), d.gone...), d.added...)
}

func compare(t testing.TB, before, after string) delta {
	t.Helper()
	a, b := scan(t, before), scan(t, after)
	at := map[string]scalar{}
	for _, x := range b {
		at[x.path] = x
	}
	d := delta{layout: true}
	was := map[string]bool{}
	for _, x := range a {
		was[x.path] = true
		y, ok := at[x.path]
		switch {
		case !ok:
			d.gone = append(d.gone, x.path)
		case before[x.start:x.end] != after[y.start:y.end]:
			d.changed = append(d.changed, x.path)
		}
	}
	for _, y := range b {
		if !was[y.path] {
			d.added = append(d.added, y.path)
		}
	}
	d.gone, d.added = withoutFilled(d.gone, d.added), withoutFilled(d.added, d.gone)
	if len(d.gone)+len(d.added) > 0 {
		return d
	}
	i, j := 0, 0
	for k := range a {
		if a[k].path != b[k].path || before[i:a[k].start] != after[j:b[k].start] {
			d.layout = false
			return d
		}
		i, j = a[k].end, b[k].end
	}
	d.layout = before[i:] == after[j:]
	return d
}

// withoutFilled leaves out of list an empty object or list that is no leaf any more because something stands in it.
func withoutFilled(list, inside []string) (out []string) {
	for _, p := range list {
		filled := false
		for _, q := range inside {
			filled = filled || strings.HasPrefix(q, p+".") || strings.HasPrefix(q, p+"[")
		}
		if !filled {
			out = append(out, p)
		}
	}
	return out
}

// sameRest asserts that everything but the JSON documents is the same, byte for byte and in order.
func sameRest(t testing.TB, a, b wire) {
	t.Helper()
	var x, y []string
	for _, p := range a.rest {
		x = append(x, p.name)
	}
	for _, p := range b.rest {
		y = append(y, p.name)
	}
	require.Equal(t, x, y, "other chunks or entries, in order")
	for i := range a.rest {
		assert.True(t, a.rest[i].bytes == b.rest[i].bytes, "%s is not byte for byte the same", a.rest[i].name)
	}
}

func TestScan(t *testing.T) {
	var got []string
	s := "\xef\xbb\xbf{ \"a\": [1.0, {\"b\":\"x\\\"]\"} , {} ], \"a\":null}\n"
	for _, x := range scan(t, s) {
		got = append(got, x.path+"="+s[x.start:x.end])
	}
	assert.Equal(t, []string{"a[0]=1.0", `a[1].b="x\"]"`, "a[2]={}", "a#2=null"}, got)
	d := compare(t, `{"a":1, "b":[2]}`, `{"a":1, "b":[3]}`)
	assert.Equal(t, delta{changed: []string{"b[0]"}, layout: true}, d)
	assert.False(t, compare(t, `{"a":1, "b":2}`, `{"a":1,"b":2}`).layout)
	assert.Equal(t, []string{"b"}, compare(t, `{"a":1, "b":2}`, `{"a":1}`).gone)
}

// sameMeaning reports whether two spelled leaves say the same.
func sameMeaning(t testing.TB, a, b string) bool {
	t.Helper()
	x, err := jsondoc.Raw([]byte(a), limits.Card())
	require.NoError(t, err)
	y, err := jsondoc.Raw([]byte(b), limits.Card())
	require.NoError(t, err)
	return jsondoc.Equal(x, y)
}
