package laws

import (
	"archive/zip"
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/testdata/samples"
)

// Law 4: no leak. In the samples every text "zq..." stands where no canonical field is: another app's file must not
// hold it, and the report must say where it stayed.

const sentinel = "zq"

// everything is all that a file says, unpacked: documents, names and contents of entries, chunks.
func everything(t testing.TB, data []byte) map[string]string {
	out := map[string]string{}
	w := apart(t, data)
	for _, d := range w.docs {
		out["document "+d.name] = d.text
	}
	switch {
	case bytes.HasPrefix(data, []byte(pngSignature)):
		chunks, behind := chunksOf(t, data)
		for i, c := range chunks {
			k, v, ok := c.text(t)
			if ok && (k == "chara" || k == "ccv3") {
				continue
			}
			if ok && strings.HasPrefix(k, "chara-ext-asset") {
				v = string(unbase64(t, v))
			}
			out["chunk "+c.kind+" "+string(rune('a'+i))] = k + " " + v + string(c.data)
		}
		out["behind"] = string(behind)
	case bytes.HasPrefix(data, []byte("PK")), bytes.HasPrefix(data, []byte("\xff\xd8")):
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		require.NoError(t, err)
		out["comment"] = z.Comment
		for _, f := range z.File {
			out["name "+f.Name] = f.Name
			out["entry "+f.Name] = string(unzip(t, f))
		}
	}
	return out
}

func noSentinel(t testing.TB, data []byte, what string) {
	t.Helper()
	for place, s := range everything(t, data) {
		if i := strings.Index(strings.ToLower(s), sentinel); i >= 0 {
			assert.Fail(t, "a leak", "%s: %s holds %q", what, place, s[max(0, i-30):min(len(s), i+40)])
		}
	}
}

func TestLaw4(t *testing.T) {
	for _, s := range samples.All() {
		p := read(t, s.Data)
		for _, w := range ways(p.Primary.Kind) {
			to := w.codec.Info()
			if to.App == p.Info.App || to.App == "bunzai" {
				continue // its own twin may be there; the canonical file carries it for the way back
			}
			t.Run(s.Name+"/"+w.String(), func(t *testing.T) {
				out, data := convertTo(t, s.Data, w.o)
				noSentinel(t, data, s.Name)
				everySentinelIsNamed(t, s, out.Report)
				// The same through the canonical file, which carries the twin.
				_, canon := convertTo(t, s.Data, convert.Options{To: "bunzai"})
				_, data = convertTo(t, canon, w.o)
				noSentinel(t, data, s.Name+" through bunzai")
			})
		}
	}
}

var (
	index  = regexp.MustCompile(`\[\d+\]`)
	keyed  = regexp.MustCompile(`(^|\.)entries\.[^.\[]+`)
	within = regexp.MustCompile(`#\d+`)
)

// wirePath is a wire path without the indices.
func wirePath(s string) string {
	return keyed.ReplaceAllString(index.ReplaceAllString(within.ReplaceAllString(s, ""), "[]"), "${1}entries[]")
}

// everySentinelIsNamed asserts that each planted text of the card document is below a path that the report calls lost.
func everySentinelIsNamed(t testing.TB, s samples.Sample, r *convert.Report) {
	t.Helper()
	var named []string
	extras := ""
	for _, i := range r.Items {
		if i.Verdict == convert.Lost && strings.HasSuffix(i.Path, ".extras") {
			extras += *i.Before // what is left over of a script
		}
		if rest, ok := strings.CutPrefix(i.Path, "original."); ok {
			_, rest, _ = strings.Cut(rest, ".")
			named = append(named, wirePath(rest))
		}
	}
	w := apart(t, s.Data)
	doc := w.docs[len(w.docs)-1] // ccv3 stands behind chara, and counts
	if d := w.doc("card.json"); d != "" {
		doc.text = d
	}
	for _, x := range scan(t, doc.text) {
		if text := doc.text[x.start:x.end]; !strings.Contains(text, sentinel) || strings.Contains(x.path, "uid") {
			continue
		}
		path := wirePath(x.path)
		ok := strings.Contains(extras, strings.Trim(doc.text[x.start:x.end], `"`))
		for _, n := range named {
			ok = ok || below(path, []string{n})
		}
		assert.True(t, ok, "%s stayed behind and the report does not say so", x.path)
	}
	for _, p := range w.rest {
		switch {
		case strings.HasPrefix(p.name, "x_meta/"):
			assert.Contains(t, named, "files.x_meta/", "archive entries stayed behind and the report does not say so")
		case strings.Contains(p.name, "zq-") || p.name == "module.risum" && !strings.HasPrefix(s.Name, "risu"):
			assert.Contains(t, named, "files."+p.name, "an archive entry stayed behind and the report does not say so")
		}
	}
}

// TestLaw4Twins gives an entity the escrow of an app that is not the target: nothing of it is written.
func TestLaw4Twins(t *testing.T) {
	for _, name := range []string{"v3.json", "full.charx", "wi.json"} {
		p := read(t, samples.Get(name).Data)
		for _, w := range ways(p.Primary.Kind) {
			if w.codec.Info().App == "bunzai" {
				continue
			}
			t.Run(name+"/"+w.String(), func(t *testing.T) {
				e := *p.Primary
				e.Original = nil
				for _, o := range p.Primary.Original {
					x := *o
					x.Bucket = "elsewhere"
					e.Original = append(e.Original, &x)
				}
				q := *p
				q.Primary = &e
				q.Books = nil
				for _, b := range p.Books {
					x := *b
					x.Original = nil
					for _, o := range b.Original {
						y := *o
						y.Unmapped = o.Unmapped.Clone()
						y.Unmapped.Set("host", strValue("elsewhere"))
						x.Original = append(x.Original, &y)
					}
					q.Books = append(q.Books, &x)
				}
				noSentinel(t, emit(t, &q, w.o), name)
			})
		}
	}
}
