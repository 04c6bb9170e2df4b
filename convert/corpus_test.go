package convert_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunzai/convert"
	"bunzai/limits"
	"bunzai/rope"
)

// corpus finds the shared test corpus beside a checkout; a user's clone has none.
func corpus(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if d := filepath.Join(dir, "shared", "corpus"); isDir(d) {
			return d
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no shared corpus beside this checkout; the project's own tests cover the same laws")
		}
		dir = up
	}
}

func isDir(p string) bool { s, err := os.Stat(p); return err == nil && s.IsDir() }

func TestLook(t *testing.T) {
	e := convert.New()
	files, _ := filepath.Glob(filepath.Join(corpus(t), "*"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		d, err := e.Detect(rope.Bytes(b), convert.Options{Limits: limits.Card()})
		if err != nil {
			t.Log(filepath.Base(f), "ERR", err)
			continue
		}
		if d.Winner == nil {
			_, err := e.Read(rope.Bytes(b), convert.Options{})
			t.Log(filepath.Base(f), "NONE", err)
			continue
		}
		out, err := e.Convert(rope.Bytes(b), convert.Options{To: d.Winner.App})
		if err != nil {
			t.Log(filepath.Base(f), "CONVERT", err)
			continue
		}
		ob, _ := out.Data.Bytes()
		t.Log(filepath.Base(f), d.Winner.ID, d.Bids[0].Score, out.FileName, len(b), len(ob), string(b) == string(ob), out.Report.Counts, out.Report.Warnings)
	}
}
