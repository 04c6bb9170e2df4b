package convert_test

import (
	"os"
	"path/filepath"
	"testing"

	"bunzai/convert"
	"bunzai/rope"
)

func TestLook2(t *testing.T) {
	e := convert.New()
	for _, n := range []string{"005-seraphina-v2.png", "023-seraphina-v3-small.png", "042-full-v3.json", "048-tavernkit.charx", "104-eu4-cjk.json", "046-hanyang-escape-risu.json"} {
		b, err := os.ReadFile(filepath.Join(corpus(t), n))
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Convert(rope.Bytes(b), convert.Options{To: "bunzai"})
		if err != nil {
			t.Log(n, "ERR", err)
			continue
		}
		t.Log(n, out.FileName, out.Data.Size(), out.Report.Counts)
		for _, i := range out.Report.Items {
			if i.Verdict == convert.Changed {
				t.Log("   ", i.Verdict, i.Path, i.Label, i.Reason)
			}
		}
		back, err := e.Convert(out.Data, convert.Options{To: "sillytavern"})
		if err != nil {
			t.Log(n, "BACK ERR", err)
			continue
		}
		bb, _ := back.Data.Bytes()
		t.Log(n, back.FileName, back.Container, len(b), len(bb), string(bb) == string(b), back.Report.Counts)
		for _, i := range back.Report.Items {
			if i.Verdict != convert.Carried {
				t.Log("   ", i.Verdict, i.Path, i.Label, i.Reason)
			}
		}
	}
}
