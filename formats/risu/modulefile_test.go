package risu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/risu/risum"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

func moduleBytes(t *testing.T, doc string, assets ...string) []byte {
	t.Helper()
	d, err := jsondoc.Parse([]byte(doc), limits.Card())
	require.NoError(t, err)
	f := &risum.File{Doc: d}
	for _, a := range assets {
		f.Assets = append(f.Assets, rope.FromBytes([]byte(a)))
	}
	r, err := f.Write()
	require.NoError(t, err)
	b, err := r.Bytes()
	require.NoError(t, err)
	return b
}

func openModule(t *testing.T, b []byte) (*formats.Decoded, *canonical.Character) {
	t.Helper()
	in, err := formats.Open(rope.Bytes(b), "m.risum", limits.Card())
	require.NoError(t, err)
	require.Equal(t, 1.0, moduleFile{}.Detect(in).Score)
	d, err := moduleFile{}.Decode(in)
	require.NoError(t, err)
	return d, d.Entity.Character()
}

func packModule(t *testing.T, e *canonical.Entity, ctx formats.EncodeContext) []byte {
	t.Helper()
	ctx.Limits = limits.Card()
	out, err := moduleFile{}.Encode(e, ctx)
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return b
}

const (
	pngHead = "\x89PNG\r\n\x1a\nfirst"
	gifHead = "GIF89a second"
	twoPics = `{"module":{"name":"M","description":"","id":"1","assets":[["a","","png"],["b.png","","png"]]},"type":"risuModule"}`
)

func TestModuleAssets(t *testing.T) {
	file := moduleBytes(t, twoPics, pngHead, gifHead)
	d, c := openModule(t, file)
	require.Len(t, c.Media.Assets, 2)
	assert.Equal(t, "a", *c.Media.Assets[0].Name)
	assert.Equal(t, "image/png", *c.Media.Assets[0].Mime)
	assert.Equal(t, "image/gif", *c.Media.Assets[1].Mime, "the bytes say it")
	assert.Equal(t, file, packModule(t, d.Entity, formats.EncodeContext{}))

	edit := func(f func(c *canonical.Character)) *canonical.Character {
		e := *d.Entity
		body := *c
		body.Media.Assets = append([]*canonical.Asset{}, c.Media.Assets...)
		f(&body)
		e.Body = &body
		_, again := openModule(t, packModule(t, &e, formats.EncodeContext{}))
		return again
	}
	raw := func(a *canonical.Asset) string {
		s, err := a.Blob.Raw()
		require.NoError(t, err)
		b, err := rope.View(s, 0, s.Size())
		require.NoError(t, err)
		return string(b)
	}
	again := edit(func(c *canonical.Character) {
		c.Media.Assets[0], c.Media.Assets[1] = c.Media.Assets[1], c.Media.Assets[0]
	})
	assert.Equal(t, gifHead, raw(again.Media.Assets[0]))
	assert.Equal(t, "b.png", *again.Media.Assets[0].Name)
	again = edit(func(c *canonical.Character) {
		c.Media.Assets = append(c.Media.Assets[1:], &canonical.Asset{Name: canonical.Ptr("new"), Blob: canonical.RawBlob(rope.FromBytes([]byte("\xff\xd8\xffnew")), "")}, &canonical.Asset{Name: canonical.Ptr("link"), Ref: "https://example.com/a.png"})
	})
	require.Len(t, again.Media.Assets, 2)
	assert.Equal(t, gifHead, raw(again.Media.Assets[0]))
	assert.Equal(t, "\xff\xd8\xffnew", raw(again.Media.Assets[1]))
	assert.Equal(t, "image/jpeg", *again.Media.Assets[1].Mime)
	again = edit(func(c *canonical.Character) {
		x := *c.Media.Assets[0]
		x.Blob = canonical.RawBlob(rope.FromBytes([]byte("\xff\xd8\xffother")), "")
		c.Media.Assets[0] = &x
	})
	assert.Equal(t, "image/jpeg", *again.Media.Assets[0].Mime, "its ending follows the new bytes")
	again = edit(func(c *canonical.Character) {
		x := *c.Media.Assets[0]
		x.Name, x.Blob = canonical.Ptr("renamed"), canonical.RawBlob(rope.FromBytes([]byte(gifHead)), "")
		c.Media.Assets[0] = &x
	})
	assert.Equal(t, "renamed", *again.Media.Assets[0].Name)
	assert.Equal(t, gifHead, raw(again.Media.Assets[0]))
	assert.Equal(t, gifHead, raw(again.Media.Assets[1]))
}

// KF-126: a module without assets converts.
func TestKF126(t *testing.T) {
	for _, doc := range []string{
		`{"module":{"name":"M"},"type":"risuModule"}`,
		`{"module":{"name":"M","assets":null,"lorebook":null,"regex":null},"type":"risuModule"}`,
		`{"module":{"name":"M","assets":[null,["only a name"]]},"type":"risuModule"}`,
	} {
		file := moduleBytes(t, doc)
		d, c := openModule(t, file)
		assert.Equal(t, "M", c.Identity.Name)
		for _, a := range c.Media.Assets {
			assert.Nil(t, a.Blob)
		}
		books, _, err := moduleFile{}.ExtractBooks(d.Entity)
		require.NoError(t, err)
		assert.Empty(t, books)
		assert.Equal(t, file, packModule(t, d.Entity, formats.EncodeContext{}))
	}
}

// Blocks and elements that do not fit together are told of, and come back.
func TestModuleUneven(t *testing.T) {
	for name, file := range map[string][]byte{
		"fewer": moduleBytes(t, twoPics, pngHead),
		"more":  moduleBytes(t, twoPics, pngHead, gifHead, "third"),
		"empty": moduleBytes(t, twoPics, "", gifHead),
	} {
		d, c := openModule(t, file)
		assert.NotEmpty(t, d.Warnings, name)
		require.Len(t, c.Media.Assets, 2)
		assert.Equal(t, file, packModule(t, d.Entity, formats.EncodeContext{}), name)
		e := *d.Entity
		body := *c
		body.Identity.Name = "N"
		e.Body = &body
		_, again := openModule(t, packModule(t, &e, formats.EncodeContext{}))
		assert.Equal(t, "N", again.Identity.Name)
		assert.Len(t, again.Media.Assets, 2, name)
	}
}

func TestModuleCode(t *testing.T) {
	d, _ := openModule(t, moduleBytes(t, `{"module":{"name":"M","cjs":"alert(1)","backgroundEmbedding":"<b>","trigger":[{"comment":"","type":"start","conditions":[],"effect":[{"type":"triggerlua","code":"x"}]}]},"type":"risuModule"}`))
	var says []string
	for _, s := range d.Entity.Original[0].Unmapped.Get("hasExecutableContent").Elems() {
		w, _ := s.Text()
		says = append(says, w)
	}
	assert.Equal(t, []string{"JavaScript (cjs)"}, says)
	assert.Equal(t, []string{"module.cjs"}, d.Unmapped())
}

func TestModuleRefused(t *testing.T) {
	good := string(moduleBytes(t, twoPics, pngHead))
	for name, c := range map[string]struct {
		s    string
		code fault.Code
	}{
		"cut in the document":  {good[:40], fault.Damaged},
		"length of 4 GiB":      {good[:2] + "\xff\xff\xff\xff" + good[6:], fault.Damaged},
		"another version":      {"o\x01" + good[2:], fault.Unsupported},
		"a list as a document": {string(moduleBytes(t, `[]`)), fault.Damaged},
		"a mark of nobody":     {strings.TrimSuffix(good, "\x00") + "\x07", fault.Damaged},
	} {
		in, err := formats.Open(rope.Bytes(c.s), "m.risum", limits.Card())
		require.NoError(t, err)
		assert.Equal(t, 1.0, moduleFile{}.Detect(in).Score, name)
		_, err = moduleFile{}.Decode(in)
		require.Error(t, err, name)
		assert.True(t, fault.Is(err, c.code), "%s: %v", name, err)
	}
	// A cut in the assets leaves the rest readable, with a warning.
	d, c := openModule(t, []byte(good[:len(good)-5]))
	assert.NotEmpty(t, d.Warnings)
	assert.Equal(t, "M", c.Identity.Name)
}

// A module from scratch: what a character has of one.
func TestNewModule(t *testing.T) {
	c := &canonical.Character{Identity: canonical.Identity{Name: "Made"}, Behavior: &canonical.Behavior{ModuleToggles: canonical.Ptr("a=b"), Privileged: canonical.Ptr(true)}}
	c.Media.Assets = []*canonical.Asset{{Name: canonical.Ptr("pic"), Blob: canonical.RawBlob(rope.FromBytes([]byte(pngHead)), "")}}
	book := func(name string, entries ...string) *canonical.Entity {
		b := &canonical.Lorebook{Name: name}
		for _, s := range entries {
			b.Entries = append(b.Entries, &canonical.Entry{ID: s, Content: s, Enabled: canonical.Ptr(true)})
		}
		return &canonical.Entity{Kind: canonical.KindLorebook, ID: canonical.Slug(name), Body: b}
	}
	books := []*canonical.Entity{book("One", "a", "b"), book("Two", "c")}
	books[0].Lorebook().GlobalScanDepth = canonical.Ptr(3.0)
	out := packModule(t, &canonical.Entity{Kind: canonical.KindCharacter, ID: "made", Body: c}, formats.EncodeContext{Lorebooks: books})
	d, again := openModule(t, out)
	assert.Empty(t, d.Warnings)
	assert.Equal(t, "Made", again.Identity.Name)
	assert.Equal(t, c.Behavior, again.Behavior)
	require.Len(t, again.Media.Assets, 1)
	got, _, err := moduleFile{}.ExtractBooks(d.Entity)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, "One", got[0].Lorebook().Name)
	assert.Equal(t, 3.0, *got[0].Lorebook().GlobalScanDepth)
	assert.Equal(t, "c", got[1].Lorebook().Entries[0].Content)
	assert.Equal(t, out, packModule(t, d.Entity, formats.EncodeContext{Lorebooks: got}))
}

// 100,000 entries are over every bound; what fits is read.
func TestModuleManyEntries(t *testing.T) {
	row := `{"key":"k","comment":"c","content":"@@depth 2\nx","insertorder":1}`
	many := func(n int) []byte {
		return moduleBytes(t, `{"module":{"name":"M","lorebook":[`+strings.TrimSuffix(strings.Repeat(row+",", n), ",")+`]},"type":"risuModule"}`)
	}
	in, err := formats.Open(rope.Bytes(many(100_000)), "m.risum", limits.Large())
	require.NoError(t, err)
	_, err = moduleFile{}.Decode(in)
	assert.True(t, fault.Is(err, fault.OverLimit), "%v", err)
	d, _ := openModule(t, many(12_000))
	books, _, err := moduleFile{}.ExtractBooks(d.Entity)
	require.NoError(t, err)
	assert.Len(t, books[0].Lorebook().Entries, 12_000)
}

func FuzzModule(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/files/risu-module*")
	for _, p := range files {
		if b, err := os.ReadFile(p); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := formats.Open(rope.Bytes(b), "m.risum", limits.Card())
		if err != nil || (moduleFile{}).Detect(in).Score == 0 {
			return
		}
		d, err := moduleFile{}.Decode(in)
		if err != nil {
			if fault.Is(err, fault.Internal) {
				t.Fatal(err)
			}
			return
		}
		d.Unmapped()
		books, _, err := moduleFile{}.ExtractBooks(d.Entity)
		if err != nil {
			t.Fatal(err)
		}
		sets, _, err := moduleFile{}.ExtractRegex(d.Entity)
		if err != nil {
			t.Fatal(err)
		}
		if books == nil {
			books = []*canonical.Entity{}
		}
		if sets == nil {
			sets = []*canonical.Entity{}
		}
		out, err := moduleFile{}.Encode(d.Entity, formats.EncodeContext{Limits: limits.Card(), Lorebooks: books, RegexSets: sets})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := out.Data.Bytes(); err != nil || string(again) != string(b) {
			t.Fatalf("%q became %q", b, again)
		}
	})
}
