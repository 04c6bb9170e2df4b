package risum

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/formats/risu/rpack"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// file is a source that is no memory, so that ranges of it can be told from copies.
type file struct{ rope.Bytes }

func block(b string) string {
	return "\x01" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(b)))) + string(rpack.Encode([]byte(b)))
}

func module(doc string, assets ...string) string {
	s := "\x6f\x00" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(doc)))) + string(rpack.Encode([]byte(doc)))
	for _, a := range assets {
		s += block(a)
	}
	return s + "\x00"
}

func open(t *testing.T, s string) (*File, *file) {
	t.Helper()
	src := &file{rope.Bytes(s)}
	f, err := Open(src, limits.Card())
	require.NoError(t, err)
	return f, src
}

func written(t *testing.T, f *File) string {
	t.Helper()
	r, err := f.Write()
	require.NoError(t, err)
	b, err := r.Bytes()
	require.NoError(t, err)
	return string(b)
}

const small = "{\n  \"module\": {\n    \"name\": \"N\",\n    \"id\": \"1\"\n  },\n  \"type\": \"risuModule\"\n}"

func TestVector(t *testing.T) {
	b, err := hex.DecodeString("6f004e000000e6202d40e2b24c052097e620f2d32d05209720a52000200ee2209720c1200020d34848050f482097f4f420d32000202000202cf22a20cfcf7b00200f6c2c05209720790e48b2db40e2b24c05207b0104000000c40d1eb800")
	require.NoError(t, err)
	f, _ := open(t, string(b))
	assert.Empty(t, f.Warnings)
	m, where := Module(f.Doc.Root)
	assert.Equal(t, "module", where)
	name, _ := m.Get("name").Text()
	assert.Equal(t, "T", name)
	require.Len(t, f.Assets, 1)
	a, err := f.Assets[0].Bytes()
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 1, 2, 255}, a)
	assert.Equal(t, string(b), written(t, f))
	assert.Equal(t, module(string(f.Doc.Bytes()), "\x00\x01\x02\xff"), string(b))
}

func TestUnchanged(t *testing.T) {
	big := strings.Repeat("x", 100_000)
	for name, s := range map[string]string{
		"no assets":         module(small),
		"one":               module(small, "a"),
		"several":           module(small, "a", "", big, "\x00\x01"),
		"compact":           module(`{"module":{},"type":"risuModule"}`),
		"members at root":   module(`{"name":"N","type":"risuModule"}`),
		"bare":              string(rpack.Encode([]byte(`{"name":"N","type":"risuModule"}`))),
		"byte order mark":   module("\xef\xbb\xbf" + small + "\n\x00"),
		"no end":            strings.TrimSuffix(module(small, "a"), "\x00"),
		"tail":              module(small, "a") + "more",
		"asset cut off":     strings.TrimSuffix(module(small, "a", big), "xx\x00"),
		"length cut off":    strings.TrimSuffix(module(small), "\x00") + "\x01\x05\x00",
		"length of 4 GiB":   strings.TrimSuffix(module(small), "\x00") + "\x01\xff\xff\xff\xffabc",
		"broken UTF-8":      module("{\"module\":{\"name\":\"\xff\xfe\x80\"}}"),
		"many empty blocks": module(small, make([]string, 500)...),
	} {
		t.Run(name, func(t *testing.T) {
			f, src := open(t, s)
			assert.Equal(t, s, written(t, f))
			r, err := f.Write()
			require.NoError(t, err)
			own := int64(0)
			for g := range r.Segments() {
				if g.Src != rope.Source(src) {
					own += g.Len
				}
			}
			assert.LessOrEqual(t, own, int64(head+1+marked*len(f.Assets)), "what is unchanged is a range of the input")
		})
	}
}

func TestWarnings(t *testing.T) {
	for s, want := range map[string]string{
		strings.TrimSuffix(module(small, "a"), "\x00"):                          "without its end mark",
		module(small) + "more":                                                  "4 bytes follow the end mark",
		strings.TrimSuffix(module(small, "a"), "\x00") + "\x01\xff\xff\xff\xff": "asset 2 of the module is cut off",
	} {
		f, _ := open(t, s)
		require.Len(t, f.Warnings, 1)
		assert.Contains(t, f.Warnings[0], want)
	}
}

func TestEdit(t *testing.T) {
	s := module(small, "first", "second")
	f, src := open(t, s)
	d := f.Doc.Clone()
	m, _ := Module(d.Root)
	m.Set("name", jsondoc.String("Näme"))
	f.Doc = d
	f.Assets = append(f.Assets[:1:1], rope.FromBytes([]byte("new")))
	assert.Equal(t, module(strings.Replace(small, `"N"`, `"Näme"`, 1), "first", "new"), written(t, f))
	r, err := f.Write()
	require.NoError(t, err)
	for g := range r.Segments() {
		if g.Src == rope.Source(src) {
			continue
		}
		assert.Less(t, g.Len, int64(12), "only what changed is written anew")
	}

	f, _ = open(t, strings.TrimSuffix(module(small), "\x00"))
	f.Assets = append(f.Assets, rope.FromBytes([]byte("new")))
	assert.Equal(t, module(small, "new"), written(t, f), "a changed module gets its end mark")

	f, _ = open(t, string(rpack.Encode([]byte(`{"name":"N","type":"risuModule"}`))))
	f.Assets = append(f.Assets, rope.FromBytes([]byte("new")))
	f, _ = open(t, written(t, f))
	m, where := Module(f.Doc.Root)
	assert.Equal(t, "module", where)
	name, _ := m.Get("name").Text()
	assert.Equal(t, "N", name)
	assert.Len(t, f.Assets, 1)
}

func TestRefused(t *testing.T) {
	lim := limits.Card()
	lim.JSON, lim.Items, lim.Archive = 100, 3, 400
	for name, c := range map[string]struct {
		s    string
		code fault.Code
		says string
	}{
		"nothing behind the magic": {"\x6f\x00", fault.Damaged, "cut off"},
		"no length":                {"\x6f\x00\x01\x00\x00", fault.Damaged, "cut off"},
		"document past the end":    {"\x6f\x00\xff\x00\x00\x00\xe6", fault.Damaged, "255 bytes"},
		"document of 4 GiB":        {"\x6f\x00\xff\xff\xff\xff\xe6\x7b", fault.Damaged, "only 2 bytes follow"},
		"later version":            {"\x6f\x01\x00\x00\x00\x00", fault.Unsupported, "version 1"},
		"no module":                {"hello", fault.Damaged, "no Risu module"},
		"not JSON":                 {module("{nope"), fault.Damaged, "document of the module"},
		"no object":                {module("[1]"), fault.Damaged, "must be a JSON object"},
		"empty document":           {module(""), fault.Empty, "document of the module"},
		"unknown mark":             {strings.TrimSuffix(module(small), "\x00") + "\x02", fault.Damaged, "a byte 02"},
		"long document":            {module(`{"a":"` + strings.Repeat("x", 100) + `"}`), fault.OverLimit, "JSON"},
		"many assets":              {module("{}", "", "", "", ""), fault.OverLimit, "Items"},
		"long list":                {module(`{"module":{"lorebook":[1,2,3,4]}}`), fault.OverLimit, "module.lorebook"},
		"large file":               {module("{}", strings.Repeat("x", 400)), fault.OverLimit, "Archive"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(rope.Bytes(c.s), lim)
			require.Error(t, err)
			assert.True(t, fault.Is(err, c.code), "%v", err)
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestIs(t *testing.T) {
	assert.True(t, Is(rope.Bytes(module(small))))
	assert.True(t, Is(rope.Bytes("\x6f\x03")))
	assert.True(t, Is(rope.Bytes(rpack.Encode([]byte("{\n")))))
	for _, s := range []string{"", "o", "ok, a text", "\xe6\x97\xa5\xe6\x9c\xac", "{}", "PK\x03\x04"} {
		assert.False(t, Is(rope.Bytes(s)), "%q", s)
	}
}

// Every module of the corpus, through an edit that is taken back.
func TestCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/corpus/*.risum")
	if len(files) == 0 {
		t.Skip("the corpus is not here")
	}
	for _, p := range files {
		t.Run(filepath.Base(p), func(t *testing.T) {
			b, err := os.ReadFile(p)
			require.NoError(t, err)
			f, _ := open(t, string(b))
			assert.Empty(t, f.Warnings)
			m, _ := Module(f.Doc.Root)
			name := m.Get("name").Clone()
			m.Set("name", jsondoc.String("other"))
			assert.NotEqual(t, string(b), written(t, f))
			m.Set("name", name)
			assert.Equal(t, string(b), written(t, f))
		})
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(module(small, "a", "")))
	f.Add([]byte(module(small) + "tail"))
	f.Add(rpack.Encode([]byte(`{"type":"risuModule"}`)))
	f.Add([]byte("\x6f\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Open(rope.Bytes(b), limits.Card())
		if err != nil {
			if fault.Is(err, fault.Internal) {
				t.Fatal(err)
			}
			return
		}
		if got := written(t, m); got != string(b) {
			t.Fatalf("%x became %x", b, got)
		}
	})
}
