//go:build !js

package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/limits"
	"bunzai/testdata/samples"
)

// TestMain lets a test run this program in a process of its own: with BUNZAI_TEST_RUN set, the test binary is bunzai.
func TestMain(m *testing.M) {
	if os.Getenv("BUNZAI_TEST_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// numbered is a card like no other.
func numbered(i int) string {
	return strings.NewReplacer("Sera", fmt.Sprintf("Sera %d", i), `"extensions":{}`, fmt.Sprintf(`"extensions":{"number":%d}`, i)).Replace(card)
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

// tree is every file below a folder with its content, by path with slashes.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return out
}

// entries is every entry of a ZIP with its content, and the names in order.
func entries(t *testing.T, path string) (map[string]string, []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer z.Close()
	out := map[string]string{}
	var order []string
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		require.NotContains(t, out, f.Name)
		out[f.Name] = string(b)
		order = append(order, f.Name)
	}
	return out, order
}

type packed struct{ name, content string }

func makeZip(t *testing.T, path string, method uint16, files ...packed) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(f)
	for _, x := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: x.name, Method: method})
		require.NoError(t, err)
		_, err = io.WriteString(w, x.content)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())
}

func keys(m map[string]string) []string {
	out := []string{}
	for k := range m {
		out = append(out, k)
	}
	return out
}

// lines reads JSON Lines: one for each file, and the summary.
func lines(t *testing.T, text string) (list []line, last lastLine) {
	t.Helper()
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, s := range all[:len(all)-1] {
		var l line
		require.NoError(t, json.Unmarshal([]byte(s), &l), s)
		list = append(list, l)
	}
	require.NoError(t, json.Unmarshal([]byte(all[len(all)-1]), &last))
	return list, last
}

// TestBatchOf500: 500 cards in one call, one of them broken: the others convert, each to the bytes that converting it
// alone gives, whatever the number of workers.
func TestBatchOf500(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 500 {
		switch text := numbered(i); {
		case i == 250:
			writeFile(t, "cards/c250.png", string(samples.PNG(samples.Card("chara", text))[:120]))
		case i%2 == 0:
			writeFile(t, fmt.Sprintf("cards/c%03d.png", i), string(samples.PNG(samples.Card("chara", text))))
		default:
			writeFile(t, fmt.Sprintf("cards/c%03d.json", i), text)
		}
	}
	var first map[string]string
	for _, jobs := range []string{"1", "8"} {
		out := "out" + jobs
		code, stdout, stderr := cli(t, "", "convert", "cards", "--to", "lumiverse", "--out-dir", out, "--jobs", jobs, "--report-file", out+".jsonl")
		require.Equal(t, exitFailed, code, stderr)
		assert.Contains(t, stdout, "500 files -> "+out+": 499 converted, 1 failed, 0 skipped\n")
		assert.Contains(t, stdout, filepath.Join("cards", "c250.png")+"  the file ends inside this chunk")
		assert.Contains(t, stdout, "499 files  data.extensions.number", "losses are told once for all")
		assert.Contains(t, stderr, "bunzai: 1 of 500 files could not be converted")
		got := tree(t, out)
		require.Len(t, got, 499)
		if first == nil {
			first = got
		}
		assert.Equal(t, first, got, "the same whatever --jobs")
		report, err := os.ReadFile(out + ".jsonl")
		require.NoError(t, err)
		list, last := lines(t, string(report))
		require.Len(t, list, 500)
		for i, l := range list {
			assert.True(t, strings.HasPrefix(filepath.Base(l.Source), fmt.Sprintf("c%03d.", i)), "in the order of the inputs")
			if i == 250 {
				assert.Equal(t, failed, l.Status)
				assert.Equal(t, "damaged", l.Error.Code)
			} else {
				require.Equal(t, converted, l.Status)
				assert.Equal(t, 1, l.Report.Counts.Lost)
				assert.EqualValues(t, len(got[filepath.Base(l.Path)]), l.Size)
			}
		}
		assert.Equal(t, 499, last.Summary.Converted)
	}
	code, _, stderr := cli(t, "", "convert", "cards", "--to", "lumiverse", "--out-zip", "all.zip", "-q")
	require.Equal(t, exitFailed, code, stderr)
	inZip, order := entries(t, "all.zip")
	assert.Equal(t, first, inZip)
	assert.IsIncreasing(t, order)
	for _, i := range []int{0, 1, 2, 251, 498, 499} {
		name := fmt.Sprintf("c%03d.%s", i, map[int]string{0: "png", 1: "json"}[i%2])
		code, _, stderr := cli(t, "", "convert", "cards/"+name, "--to", "lumiverse", "-o", "one", "--force")
		require.Equal(t, exitDone, code, stderr)
		b, err := os.ReadFile("one")
		require.NoError(t, err)
		assert.Equal(t, first[name], string(b), name)
	}
}

// TestBatchInputs: what is taken, what is left out, and where it goes.
func TestBatchInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "cards/b.json", numbered(1))
	writeFile(t, "cards/a:b/c.json", numbered(2))
	writeFile(t, "cards/a*b/c.json", numbered(3))
	writeFile(t, "cards/sub/deep/x.json", numbered(4))
	writeFile(t, "cards/README.md", "cards of mine")
	writeFile(t, "cards/photo.png", string(samples.PNG()))
	writeFile(t, "cards/photo.jpg", string(samples.JPEG()))
	writeFile(t, "cards/.hidden/x.json", numbered(5))
	writeFile(t, "cards/.hidden.json", numbered(6))
	writeFile(t, "other/b.json", numbered(7))
	require.NoError(t, os.Symlink("sub", "cards/link"))
	require.NoError(t, os.Symlink("b.json", "cards/linked.json"))
	require.NoError(t, os.Symlink("nowhere", "cards/gone.json"))
	require.NoError(t, os.Symlink("..", "cards/sub/up"))
	makeZip(t, "cards/pack.zip", zip.Deflate, packed{"one/z.json", numbered(8)}, packed{"z.json", numbered(9)}, packed{"__MACOSX/._z.json", "x"})
	makeZip(t, "cards/card.zip", zip.Deflate, packed{"card.json", `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Zip","first_mes":"Hi"}}`})

	code, stdout, _ := cli(t, "", "convert", "cards", "--to", "lumiverse", "--container", "json", "--out-dir", "out")
	assert.Equal(t, exitFailed, code)
	assert.ElementsMatch(t, []string{"b.json", "a_b/c.json", "a_b (2)/c.json", "sub/deep/x.json", "linked.json", "pack/one/z.json", "pack/z.json", "card.json"}, keys(tree(t, "out")))
	assert.Contains(t, stdout, "14 files -> out: 8 converted, 1 failed, 5 skipped; 3 hidden files or folders were left out\n")
	assert.Contains(t, stdout, "README.md")
	assert.Contains(t, stdout, "there is no file "+filepath.Join("cards", "gone.json"))
	assert.Contains(t, stdout, "a link to a folder, which is not followed")

	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"cards/sub", "other"}, exitDone, []string{"sub/deep/x.json", "other/b.json"}},
		{[]string{"cards/b.json", "other/b.json", "cards/../cards/b.json"}, exitDone, []string{"b.json", "b (2).json"}},
		{[]string{"cards/**/*.json"}, exitFailed, []string{"b.json", "a_b/c.json", "a_b (2)/c.json", "sub/deep/x.json", "linked.json"}},
		{[]string{"cards/[a-c].json", "cards/s*/**"}, exitDone, []string{"b.json", "sub/deep/x.json"}},
		{[]string{"cards/pack.zip"}, exitDone, []string{"one/z.json", "z.json"}},
		{[]string{"cards/card.zip"}, exitDone, []string{"card.json"}},
		{[]string{"cards/pack.zip", "cards/b.json"}, exitDone, []string{"pack/one/z.json", "pack/z.json", "b.json"}},
		{[]string{"cards/b.json", "no-such-file.json", "*.nothing"}, exitFailed, []string{"b.json"}},
		{[]string{"cards/README.md", "cards/photo.png", "cards/photo.jpg"}, exitNotRecognized, []string{}},
		{[]string{"cards/README.md", "cards/b.json"}, exitDone, []string{"b.json"}},
		{[]string{"-", "cards/b.json"}, exitDone, []string{"b.json", "Sera.json"}},
	} {
		require.NoError(t, os.RemoveAll("out"))
		code, stdout, stderr := cli(t, card, append([]string{"convert", "--to", "lumiverse", "--container", "json", "--out-dir", "out"}, c.args...)...)
		assert.Equal(t, c.code, code, "%v: %s%s", c.args, stdout, stderr)
		assert.ElementsMatch(t, c.want, keys(tree(t, "out")), "%v: %s", c.args, stdout)
	}

	// By the card's name: what single convert suggests, made distinct.
	require.NoError(t, os.RemoveAll("out"))
	writeFile(t, "same/1.json", card)
	writeFile(t, "same/2.json", strings.Replace(card, "Sera", "SERA", 1))
	writeFile(t, "same/3.json", strings.Replace(card, "Sera", "A/B", 1))
	writeFile(t, "same/4.json", strings.Replace(card, "Sera", "A:B", 1))
	code, _, stderr := cli(t, "", "convert", "same", "--to", "sillytavern", "--out-dir", "out", "--name-by", "card")
	require.Equal(t, exitDone, code, stderr)
	assert.ElementsMatch(t, []string{"Sera.json", "SERA (2).json", "A_B.json", "A_B (2).json"}, keys(tree(t, "out")), "KF-128, KF-129")
}

// TestBatchUsage: mistakes are told before anything is written.
func TestBatchUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.json", card)
	writeFile(t, "b.json", card)
	writeFile(t, "file", "x")
	require.NoError(t, os.Mkdir("empty", 0o755))
	makeZip(t, "pack.zip", zip.Store, packed{"x/a.json", card})
	for _, c := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "--out-dir DIR or --out-zip", []string{"a.json", "b.json"}},
		{exitUsage, "--out-dir DIR or --out-zip", []string{"."}},
		{exitUsage, "--out-dir DIR or --out-zip", []string{"*.json"}},
		{exitNotRecognized, "--out-dir DIR or --out-zip", []string{"pack.zip"}},
		{exitUsage, "exclude each other", []string{"a.json", "--out-dir", "o", "--out-zip", "o.zip"}},
		{exitUsage, "-o names one file", []string{"a.json", "b.json", "-o", "o", "--out-dir", "o"}},
		{exitUsage, "standard output", []string{"a.json", "--out-zip", "-"}},
		{exitUsage, "--jobs", []string{"a.json", "--out-dir", "o", "--jobs", "-1"}},
		{exitUsage, "--report-file is for many", []string{"a.json", "--report-file", "r"}},
		{exitUsage, `there is no app "nowhere"`, []string{"a.json", "--out-dir", "o", "--to", "nowhere"}},
		{exitUsage, "there is no file typo.json", []string{"typo.json", "--out-dir", "o"}},
		{exitUsage, "no file is named like t*.json", []string{"t*.json", "--out-dir", "o"}},
		{exitNotRecognized, "there is no file to read", []string{"empty", "--out-dir", "o"}},
		{exitUsage, "one of the inputs", []string{"pack.zip", "--out-zip", "pack.zip", "--force"}},
		{exitUsage, "exists", []string{"a.json", "--out-zip", "pack.zip"}},
		{exitUsage, "exists", []string{"a.json", "--out-dir", "o", "--report-file", "file"}},
		{exitFailed, "make the folder", []string{"a.json", "--out-dir", "file/o"}},
	} {
		before := tree(t, ".")
		code, out, errs := cli(t, "", append([]string{"convert", "--to", "lumiverse"}, c.args...)...)
		assert.Equal(t, c.code, code, "%v: %s", c.args, errs)
		assert.Contains(t, errs, c.says, "%v", c.args)
		assert.Empty(t, out, "%v", c.args)
		assert.Equal(t, before, tree(t, "."), "%v", c.args)
	}
}

// TestBatchKeeps: neither an input nor, without --force, another file is replaced.
func TestBatchKeeps(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, n := range []string{"a.json", "b.json", "c.json"} {
		writeFile(t, "cards/"+n, numbered(i))
	}
	require.NoError(t, os.Symlink("cards", "alias"))
	before := tree(t, "cards")
	for _, out := range []string{"cards", "alias", "./cards/"} {
		code, stdout, _ := cli(t, "", "convert", "cards", "--to", "lumiverse", "--out-dir", out, "--force")
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, stdout, "one of the inputs, which are never overwritten", out)
		assert.Equal(t, before, tree(t, "cards"), out)
	}
	// Another kind of file has room beside them.
	code, _, stderr := cli(t, "", "convert", "cards", "--to", "lumiverse", "--out-dir", "cards", "--container", "charx")
	require.Equal(t, exitDone, code, stderr)
	assert.Len(t, tree(t, "cards"), 6)

	writeFile(t, "out/b.json", "mine")
	code, stdout, _ := cli(t, "", "convert", "cards/a.json", "cards/b.json", "--to", "lumiverse", "--out-dir", "out")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "replace it with --force")
	assert.Equal(t, "mine", tree(t, "out")["b.json"])
	assert.Len(t, tree(t, "out"), 2)
	code, _, stderr = cli(t, "", "convert", "cards/a.json", "cards/b.json", "--to", "lumiverse", "--out-dir", "out", "--force")
	require.Equal(t, exitDone, code, stderr)
	assert.NotEqual(t, "mine", tree(t, "out")["b.json"])

	// A link in the output folder leads nowhere else.
	require.NoError(t, os.MkdirAll("led/x", 0o755))
	require.NoError(t, os.Mkdir("elsewhere", 0o755))
	require.NoError(t, os.Symlink(filepath.Join("..", "..", "elsewhere"), "led/x/sub"))
	writeFile(t, "deep/sub/a.json", card)
	writeFile(t, "deep/b.json", card)
	code, stdout, _ = cli(t, "", "convert", "deep", "--to", "lumiverse", "--out-dir", "led/x", "--force")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "escapes")
	assert.Empty(t, tree(t, "elsewhere"))
	assert.FileExists(t, "led/x/b.json")

	// An output folder inside the input is no input the next time; nor is the ZIP or the report.
	require.NoError(t, os.Mkdir("in", 0o755))
	writeFile(t, "in/a.json", card)
	for range 2 {
		code, stdout, stderr = cli(t, "", "convert", "in", "--to", "lumiverse", "--out-dir", "in/out", "--report-file", "in/r.json", "--force")
		require.Equal(t, exitDone, code, stderr)
		assert.Contains(t, stdout, "1 file -> ")
	}
	for range 2 {
		_, stdout, stderr = cli(t, "", "convert", "in", "--to", "lumiverse", "--out-zip", "in/o.zip", "--force")
		assert.NotContains(t, stdout, "o.zip/", stderr)
	}
}

// TestBatchHostileZip: names of a ZIP decide nothing about where is written.
func TestBatchHostileZip(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("work", 0o755))
	t.Chdir("work")
	makeZip(t, "bad.zip", zip.Store,
		packed{"../evil.json", numbered(0)}, packed{`..\evil.json`, numbered(1)}, packed{"/abs.json", numbered(2)}, packed{"C:/drive.json", numbered(3)},
		packed{"x/../../evil.json", numbered(4)}, packed{"a.json", numbered(5)}, packed{"a.json", numbered(6)}, packed{"A.JSON", numbered(7)},
		packed{"CON/aux.json", numbered(8)}, packed{"a.json/b.json", numbered(9)}, packed{"x./y .json", numbered(10)}, packed{strings.Repeat("n", 300) + ".json", numbered(11)},
		packed{"t\u202egnp.json", numbered(12)}, packed{"x//./y.json", numbered(13)})
	code, stdout, stderr := cli(t, "", "convert", "bad.zip", "--to", "lumiverse", "--out-dir", "out")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "14 files -> out: 10 converted, 4 failed", stderr)
	assert.Contains(t, stdout, "leads out of the archive")
	assert.ElementsMatch(t, []string{"abs.json", "a (2).json", "a (3).json", "A (4).json", "_CON/_aux.json", "a.json/b.json", "x/y.json", strings.Repeat("n", 150) + ".json", "tgnp.json", "x (2)/y.json"}, keys(tree(t, "out")))
	up, err := os.ReadDir("..")
	require.NoError(t, err)
	assert.Len(t, up, 1, "nothing beside the folder")

	// A bomb, a wrong checksum and a ZIP in the ZIP are each one file's own matter.
	var inner bytes.Buffer
	z := zip.NewWriter(&inner)
	w, _ := z.Create("x/a.json")
	_, _ = io.WriteString(w, card)
	require.NoError(t, z.Close())
	makeZip(t, "mixed.zip", zip.Deflate, packed{"good.json", card}, packed{"bomb.json", strings.Repeat(" ", 40<<20)}, packed{"nested.zip", inner.String()})
	code, stdout, _ = cli(t, "", "convert", "mixed.zip", "--to", "lumiverse", "--out-dir", "out2")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, stdout, "3 files -> out2: 1 converted, 1 failed, 1 skipped")
	assert.Contains(t, stdout, "the limit Ratio is 200")
	assert.Contains(t, stdout, "ZIPs in a ZIP are not opened")

	makeZip(t, "crc.zip", zip.Store, packed{"a.json", card})
	b, err := os.ReadFile("crc.zip")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("crc.zip", bytes.Replace(b, []byte("kind"), []byte("mind"), 1), 0o644))
	code, stdout, stderr = cli(t, "", "convert", "crc.zip", "--to", "lumiverse", "--out-dir", "out3")
	assert.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "the checksum in the ZIP does not match")
}

// TestBatchOf10000Entries: a ZIP of many small cards is within the limits, one of too many is refused as one file.
func TestBatchOf10000Entries(t *testing.T) {
	t.Chdir(t.TempDir())
	var files []packed
	for i := range 10_000 {
		files = append(files, packed{fmt.Sprintf("d%d/%d.txt", i%7, i), "words"})
	}
	files[5000] = packed{"x.json", card}
	makeZip(t, "many.zip", zip.Store, files...)
	code, stdout, stderr := cli(t, "", "convert", "many.zip", "--to", "lumiverse", "--out-zip", "out.zip")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "10,000 files -> out.zip: 1 converted, 0 failed, 9,999 skipped")
	assert.Contains(t, stdout, "and 9,959 more")
	_, order := entries(t, "out.zip")
	assert.Equal(t, []string{"x.json"}, order)

	for i := range 10_001 {
		files = append(files, packed{fmt.Sprintf("e%d.txt", i), ""})
	}
	makeZip(t, "more.zip", zip.Store, files...)
	code, stdout, stderr = cli(t, "", "convert", "more.zip", "--to", "lumiverse", "--out-dir", "out")
	assert.Equal(t, exitFailed, code, stderr)
	assert.Contains(t, stdout, "1 file -> out: 0 converted, 1 failed")
	assert.Contains(t, stdout, "ArchiveEntries")
}

// TestBatchStrict: what would lose something is refused, the others are written.
func TestBatchStrict(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "in/plain.json", card)
	writeFile(t, "in/extra.json", numbered(1))
	code, stdout, _ := cli(t, "", "convert", "in", "--to", "lumiverse", "--out-dir", "out", "--strict", "--json")
	assert.Equal(t, exitFailed, code)
	list, last := lines(t, stdout)
	require.Len(t, list, 2)
	assert.Equal(t, "would-lose", list[0].Error.Code)
	assert.Equal(t, filepath.Join("out", "plain.json"), list[1].Path)
	assert.Equal(t, 1, last.Summary.Failed)
	assert.Equal(t, []string{"plain.json"}, keys(tree(t, "out")))

	code, stdout, stderr := cli(t, "", "convert", "in", "--to", "lumiverse", "--out-dir", "out", "--force", "--quiet")
	assert.Equal(t, exitDone, code)
	assert.Empty(t, stdout+stderr)
	code, stdout, stderr = cli(t, "", "convert", "in", "nothing.json", "--to", "lumiverse", "--out-dir", "out", "--force", "--quiet")
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "nothing.json  there is no file")
}

// TestBatchLongNames: what a card calls its fields does not fill the summary.
func TestBatchLongNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 3 {
		writeFile(t, fmt.Sprintf("in/%d.json", i), strings.Replace(card, `"extensions":{}`, fmt.Sprintf(`"extensions":{"%s":%d}`, strings.Repeat("long", 100_000), i), 1))
	}
	code, stdout, stderr := cli(t, "", "convert", "in", "--to", "lumiverse", "--out-dir", "out")
	require.Equal(t, exitDone, code, stderr)
	assert.Contains(t, stdout, "3 files  data.extensions.longlong")
	assert.Less(t, len(stdout), 2000)
}

// TestBatchSurvivesItsOwnFaults: where bunzai itself breaks at a file, that file has failed and nothing else.
func TestBatchSurvivesItsOwnFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.json", card)
	s := &streams{}
	b := &batch{c: &convertCmd{}, s: s, plan: newPlan(s, nil, limits.Card())} // no engine at all
	r := b.convert(&item{label: "a.json", path: "a.json"})
	assert.Equal(t, failed, r.status)
	assert.Contains(t, r.err.Error(), "bunzai itself failed at this file, please report it")
	r.f.close()
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, 40)
	p.every = 0
	p.step(10, 1, "x.png")
	p.end()
	assert.Equal(t, "10 of 40 files, 1 failed\n", b.String(), "plain lines where there is no terminal")
	b.Reset()
	p.bar = true
	p.step(10, 0, "cards/a\x1b[31m.png")
	assert.Equal(t, "\r[######..................] 10/40  cards/a\ufffd[31m.png", strings.TrimRight(b.String(), " "))
	p.end()
	assert.True(t, strings.HasSuffix(b.String(), " \r"), "the bar goes")
}

// TestReadMany: detect and inspect of several files give a row for each, whatever is wrong with one.
func TestReadMany(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "in/a.json", card)
	writeFile(t, "in/b.png", string(samples.PNG(samples.Card("chara", numbered(2)))))
	writeFile(t, "in/words.txt", "only words")
	code, out, errs := cli(t, "", "detect", "in")
	assert.Equal(t, exitDone, code, errs)
	assert.Equal(t, []string{"a.json", "b.png", "words.txt"}, firstOf(out))
	assert.Contains(t, out, "a.json     SillyTavern character")
	assert.Contains(t, out, "words.txt  - this is plain text and no card")
	code, out, errs = cli(t, "", "inspect", "in/*.{json,png}")
	assert.Equal(t, exitDone, code, errs)
	assert.Regexp(t, `b\.png +Sera 2 +SillyTavern character card +2 greetings, 0 entries, 0 assets`, out)

	writeFile(t, "in/broken.json", card[:100])
	for _, command := range []string{"detect", "inspect"} {
		code, out, errs = cli(t, "", command, "in", "--json")
		assert.Equal(t, exitFailed, code)
		assert.Contains(t, errs, "1 of 4 files could not be read")
		var got []string
		for l := range strings.Lines(out) {
			var r struct {
				Source string
				Result *struct{ Format struct{ App string } }
				Error  *failure
			}
			require.NoError(t, json.Unmarshal([]byte(l), &r), l)
			switch {
			case r.Error != nil:
				got = append(got, r.Error.Code)
			default:
				got = append(got, r.Result.Format.App)
			}
		}
		assert.Equal(t, []string{"sillytavern", "sillytavern", "damaged", "not-recognized"}, got, command)
	}
	code, _, errs = cli(t, "", "detect", "in/words.txt", "in/words.txt", "in/w*.txt")
	assert.Equal(t, exitNotRecognized, code)
	assert.Contains(t, errs, "nothing that bunzai knows among 1 file")
}

// firstOf is the file name at the start of each row.
func firstOf(out string) (names []string) {
	for l := range strings.Lines(out) {
		names = append(names, filepath.Base(strings.Fields(l)[0]))
	}
	return names
}

// Two inputs whose names differ by letter case only are two where the file system says so, and one where it does not.
func TestBatchLetterCase(t *testing.T) {
	in(t, "a.json", card)
	require.NoError(t, os.WriteFile("A.json", []byte(strings.ReplaceAll(card, "Sera", "Zoe")), 0o644))
	list, err := os.ReadDir(".")
	require.NoError(t, err)
	code, _, errs := cli(t, "", "convert", "a.json", "A.json", "./a.json", "--to", "sillytavern", "--out-dir", "out")
	require.Equal(t, exitDone, code, errs)
	got, err := os.ReadDir("out")
	require.NoError(t, err)
	assert.Len(t, got, len(list))
}
