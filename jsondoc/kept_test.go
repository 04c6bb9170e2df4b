package jsondoc_test

import (
	"context"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/edge/api"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/library"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/lvbak"
	"bunzai/testdata/samples"
)

// A document keeps the bytes that it was parsed from, and long texts are parts of them: nobody may write to them again,
// whoever made them. Every text that any reader hands to Parse is watched here, on every way through the engine.
func TestNobodyWritesToWhatWasParsed(t *testing.T) {
	for name, data := range files(t) {
		t.Run(name, func(t *testing.T) {
			for _, far := range []bool{false, true} {
				w := watching(t)
				src := w.source(data, far)
				engine := convert.New()
				_, err := engine.Detect(src, convert.Options{})
				require.NoError(t, err)
				_, _ = engine.Inspect(src, convert.Options{})
				p, err := engine.Read(src, convert.Options{Name: name})
				if err != nil {
					w.check("refused")
					continue // what is refused was parsed, too
				}
				for _, e := range p.All() {
					full, err := canonical.EncodeEntity(e)
					require.NoError(t, err)
					text, err := full.Bytes()
					require.NoError(t, err)
					again, err := engine.Read(rope.Bytes(text), convert.Options{})
					require.NoError(t, err)
					_, err = engine.Emit(again, convert.Options{To: "bunzai"})
					require.NoError(t, err)
				}
				for _, c := range engine.Registry.Codecs() {
					info := c.Info()
					if info.Kind != p.Primary.Kind {
						continue
					}
					for _, k := range append([]formats.Container{""}, info.Containers...) {
						out, err := engine.Emit(p, convert.Options{To: info.App, Container: k, AllowLoss: true})
						if err != nil {
							continue // not every piece has a place in every app
						}
						_, err = out.Data.WriteTo(io.Discard)
						require.NoError(t, err)
						b, err := out.Data.Bytes()
						require.NoError(t, err)
						_, err = engine.Convert(rope.Bytes(b), convert.Options{To: "bunzai"})
						assert.NoError(t, err, info.ID)
					}
				}
				store := &library.Memory{}
				for _, b := range library.Bundles(p) {
					_, _ = library.SaveBundle(context.Background(), store, b, library.SaveOptions{})
				}
				list, err := store.List(context.Background(), "")
				require.NoError(t, err)
				for _, s := range list {
					_, _ = library.Export(context.Background(), engine, store, s.Ref(), convert.Options{To: "sillytavern", AllowLoss: true})
				}
				service := api.New(api.Config{})
				for _, path := range []string{"/v1/detect", "/v1/inspect", "/v1/convert"} {
					q := ""
					if path == "/v1/convert" {
						q = "to=lumiverse"
					}
					r := &api.Request{Method: "POST", Path: path, Query: q, Length: src.Size(), Header: func(n string) string {
						return map[string]string{"Content-Type": "application/octet-stream", "Accept": "multipart/mixed"}[n]
					}}
					res := service.Serve(r, func(int64) (rope.Source, error) { return src, nil })
					if res.Body != nil {
						_, err = res.Body.WriteTo(io.Discard)
						require.NoError(t, err)
					}
				}
				w.check("after everything")
			}
		})
	}
}

// The rows of an account go by one after the other; what is kept of one must not lie where the next one is read.
func TestNobodyWritesToTheRowsOfABackup(t *testing.T) {
	long := strings.Repeat("a long text without escapes ", 4000)
	var chars, books, entries, scripts []string
	for _, id := range []string{"1", "2", "3"} {
		chars = append(chars, lvbak.Row("id", "c"+id, "name", "Ann "+id, "description", long+id, "extensions", `json:{"world_book_ids":["b`+id+`"]}`))
		books = append(books, lvbak.Row("id", "b"+id, "name", "Book "+id, "description", long+id, "metadata", `json:{}`))
		entries = append(entries, lvbak.Row("id", "e"+id, "world_book_id", "b"+id, "uid", "u"+id, "key", `json:["k"]`, "keysecondary", `json:[]`, "content", long+id, "extensions", `json:{}`))
		scripts = append(scripts, lvbak.Script("r"+id))
	}
	data := lvbak.Account{Tables: map[string][]string{"characters": chars, "world_books": books, "world_book_entries": entries, "regex_scripts": scripts}}.Build()
	for _, disk := range []bool{false, true} {
		w := watching(t)
		o := convert.BackupOptions{}
		if disk {
			f, err := os.CreateTemp(t.TempDir(), "")
			require.NoError(t, err)
			defer f.Close()
			o.Scratch = f
		}
		b, err := convert.New().ImportBackup(rope.Bytes(data), o)
		require.NoError(t, err)
		var all []*convert.BackupPiece
		require.NoError(t, b.Each(func(p *convert.BackupPiece) bool {
			_, _, err := b.Emit(p, convert.Options{To: "sillytavern", AllowLoss: true})
			require.NoError(t, err)
			all = append(all, p)
			return true
		}))
		n := 0
		for _, p := range all {
			if c := p.Entity.Character(); c != nil {
				n++
				text := canonical.Or(c.Identity.Description, "")
				assert.True(t, strings.HasPrefix(text, long) && len(text) == len(long)+1, p.Entity.ID)
			}
		}
		assert.Equal(t, 3, n)
		w.check("after the import")
	}
}

// far hides that its bytes lie in memory.
type far struct{ rope.Source }

// watcher remembers every text that was parsed.
type watcher struct {
	t     *testing.T
	seed  maphash.Seed
	texts [][]byte
	sums  []uint64
}

func watching(t *testing.T) *watcher {
	w := &watcher{t: t, seed: maphash.MakeSeed()}
	stop := jsondoc.Kept(w.add)
	t.Cleanup(stop)
	return w
}

func (w *watcher) add(b []byte) {
	w.texts = append(w.texts, b)
	w.sums = append(w.sums, maphash.Bytes(w.seed, b))
}

// source is a copy of data that is watched, too.
func (w *watcher) source(data []byte, hidden bool) rope.Source {
	own := append([]byte(nil), data...)
	w.add(own)
	if hidden {
		return far{rope.Bytes(own)}
	}
	return rope.Bytes(own)
}

func (w *watcher) check(when string) {
	w.t.Helper()
	require.NotEmpty(w.t, w.texts)
	for i, b := range w.texts {
		if maphash.Bytes(w.seed, b) != w.sums[i] {
			w.t.Errorf("%s: a text of %d bytes was written to: %.80q", when, len(b), b)
		}
	}
}

// files are the samples, a card of long texts in every container, and the corpus where it is there.
func files(t *testing.T) map[string][]byte {
	out := map[string][]byte{}
	for _, s := range samples.All() {
		out[s.Name] = s.Data
	}
	long := strings.Repeat("A long text that needs no decoding. ", 3000)
	card := []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Long","description":"` + long + `","first_mes":"` + long + `!","character_book":{"entries":[{"keys":["k"],"content":"` + long + `?","enabled":true,"insertion_order":1,"extensions":{"x":"` + long + `"}}]},"extensions":{"y":"` + long + `"}}}`)
	for _, k := range []formats.Container{formats.JSON, formats.PNG, formats.CharX} {
		o, err := convert.New().Convert(rope.Bytes(card), convert.Options{To: "lumiverse", Container: k, Limits: limits.Card()})
		require.NoError(t, err)
		b, err := o.Data.Bytes()
		require.NoError(t, err)
		out["long."+string(k)] = b
	}
	for dir, up := ".", ""; ; dir = up {
		abs, err := filepath.Abs(dir)
		require.NoError(t, err)
		list, _ := filepath.Glob(filepath.Join(abs, "shared", "corpus", "*.*"))
		for _, f := range list {
			if b, err := os.ReadFile(f); err == nil && len(b) > 0 {
				out["corpus/"+filepath.Base(f)] = b
			}
		}
		if up = filepath.Dir(abs); len(list) > 0 || up == abs {
			return out
		}
	}
}
