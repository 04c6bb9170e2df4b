package convert_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// assetRow is an element of a card's assets.
type assetRow struct{ typ, name, link string }

// risuArchive is an archive as Risu writes one: the entries, and the card last.
func risuArchive(t testing.TB, rows []assetRow, entries ...file) string {
	t.Helper()
	list := []any{}
	for _, r := range rows {
		list = append(list, map[string]string{"type": r.typ, "uri": "embeded://" + r.link, "name": r.name, "ext": "png"})
	}
	card, err := json.Marshal(map[string]any{"spec": "chara_card_v3", "spec_version": "3.0", "data": map[string]any{"name": "Ann", "description": "", "personality": "", "scenario": "", "first_mes": "", "mes_example": "", "creator_notes": "",
		"system_prompt": "", "post_history_instructions": "", "alternate_greetings": []any{}, "group_only_greetings": []any{}, "tags": []any{}, "creator": "", "character_version": "", "extensions": map[string]any{"risuai": map[string]any{}}, "assets": list}})
	require.NoError(t, err)
	return archive("", append(entries, file{name: "card.json", data: string(card)})...)
}

func numbered(n int) string { return picture("", tEXt("n", fmt.Sprint(n))) }

// shown are the numbers of the pictures of a card, in order, with their names.
func shown(t testing.TB, p *convert.Pieces) (out []string) {
	t.Helper()
	for _, a := range p.Primary.Character().Media.Assets {
		if a.Blob == nil {
			out = append(out, canonical.Or(a.Name, "")+" missing")
			continue
		}
		raw, err := a.Blob.Raw()
		require.NoError(t, err)
		b, err := rope.View(raw, 0, raw.Size())
		require.NoError(t, err)
		for n := range 9 {
			if string(b) == numbered(n) {
				out = append(out, canonical.Or(a.Name, "")+" "+fmt.Sprint(n))
			}
		}
	}
	return out
}

func risuFile(t testing.TB, p *convert.Pieces, to string, c formats.Container) (string, *convert.Report) {
	t.Helper()
	out, err := engine.Emit(p, convert.Options{To: to, Container: c})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b), out.Report
}

// TestRisuAssetsOfOneName: exports of the last days of 2025 gave assets of one name one link, while their files were
// told apart (kwaroran/Risuai #1187); names that clean to the same still lead to that.
func TestRisuAssetsOfOneName(t *testing.T) {
	const dir = "assets/other/image/"
	for _, c := range []struct {
		name  string
		rows  []assetRow
		files []string
		want  []string
		told  int
	}{
		{"one link for three files", []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat", dir + "hat.png"}},
			[]string{dir + "hat.png", dir + "hat_1.png", dir + "hat_2.png"}, []string{"hat 0", "hat 1", "hat 2"}, 2},
		{"a name that looks like a number", []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat_1", dir + "hat_1.png"}},
			[]string{dir + "hat.png", dir + "hat_1.png", dir + "hat_1_1.png"}, []string{"hat 0", "hat 1", "hat_1 2"}, 2},
		{"links that agree with their files", []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat", dir + "hat_1.png"}},
			[]string{dir + "hat.png", dir + "hat_1.png"}, []string{"hat 0", "hat 1"}, 0},
		{"names that clean to the same", []assetRow{{"x-risu-asset", "a:b", dir + "a:b.png"}, {"x-risu-asset", "a?b", dir + "a?b.png"}},
			[]string{dir + "a_b.png", dir + "a_b_1.png"}, []string{"a:b 0", "a?b 1"}, 1},
		{"two assets that share one file", []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "cap", dir + "hat.png"}},
			[]string{dir + "hat.png"}, []string{"hat 0", "cap 0"}, 0},
		{"a link to no file", []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "cap", dir + "cap.png"}},
			[]string{dir + "hat.png"}, []string{"hat 0", "cap missing"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var entries []file
			for i, name := range c.files {
				entries = append(entries, file{name: name, data: numbered(i)})
			}
			in := risuArchive(t, c.rows, entries...)
			p := read(t, in)
			require.Equal(t, "risu", p.Info.ID)
			assert.Equal(t, c.want, shown(t, p))
			said := strings.Join(p.Warnings, "\n")
			if c.told > 0 {
				assert.Contains(t, said, fmt.Sprintf("data.assets has %d link", c.told))
			} else {
				assert.NotContains(t, said, "fault of Risu's export")
			}
			same, _ := risuFile(t, p, "risu", "")
			assert.Equal(t, in, same)
			if strings.Contains(strings.Join(c.want, " "), "missing") {
				assert.Contains(t, said, "Risu refuses the whole card for it")
			}
			for _, w := range []struct {
				app string
				to  formats.Container
			}{{"risu", formats.PNG}, {"risu", formats.JSON}, {"sillytavern", formats.CharX}, {"lumiverse", formats.CharX}} {
				out, rep := risuFile(t, p, w.app, w.to)
				var want []string
				missing := 0
				for _, s := range c.want {
					if strings.HasSuffix(s, " missing") {
						missing++
						continue // a link into another file, for which Risu refuses the whole card
					}
					want = append(want, s)
				}
				assert.Equal(t, want, shown(t, read(t, out)), "%s %s", w.app, w.to)
				lost := 0
				for _, i := range rep.Items {
					if i.Verdict == convert.Lost && strings.HasPrefix(i.Path, "media.assets") {
						lost++
					}
				}
				assert.Equal(t, missing, lost, "%s %s: a link that leads nowhere is told: %+v", w.app, w.to, rep.Items)
			}
		})
	}
	t.Run("one of them is edited", func(t *testing.T) {
		rows := []assetRow{{"x-risu-asset", "hat", dir + "hat.png"}, {"x-risu-asset", "hat", dir + "hat.png"}}
		in := risuArchive(t, rows, file{name: dir + "hat.png", data: numbered(0)}, file{name: dir + "hat_1.png", data: numbered(1)})
		p := read(t, in)
		list := p.Primary.Character().Media.Assets
		p.Primary.Character().Media.Assets = list[1:]
		out, _ := risuFile(t, p, "risu", "")
		assert.Equal(t, []string{"hat 1"}, shown(t, read(t, out)), "the first is gone and the second is what it was")
		p = read(t, in)
		list = p.Primary.Character().Media.Assets
		list[1].Blob = canonical.RawBlob(rope.FromBytes([]byte(numbered(5))), "image/png")
		out, _ = risuFile(t, p, "risu", "")
		assert.Equal(t, []string{"hat 0", "hat 5"}, shown(t, read(t, out)))
	})
}

// TestRisuFilesBesideTheCard: files that no asset names stay with Risu and are told elsewhere; what the app noted of a
// picture goes when the picture does.
func TestRisuFilesBesideTheCard(t *testing.T) {
	const dir = "assets/other/image/"
	rows := []assetRow{{"x-risu-asset", "a", dir + "a.png"}, {"emotion", "a", "assets/emotion/image/a.png"}, {"x-risu-asset", "b", dir + "b.png"}}
	in := risuArchive(t, rows,
		file{name: "x_meta/a.json", data: `{"parameters":"of other a"}`}, file{name: dir + "a.png", data: numbered(0)},
		file{name: "x_meta/a_1.json", data: `{"type":"PNG"}`}, file{name: "assets/emotion/image/a.png", data: numbered(1)},
		file{name: "x_meta/b.json", data: `{"type":"PNG"}`}, file{name: dir + "b.png", data: numbered(2)},
		file{name: dir + "nobody.png", data: numbered(3)})
	p := read(t, in)
	out, rep := risuFile(t, p, "risu", "")
	assert.Equal(t, in, out)
	assert.Zero(t, rep.Counts.Lost)
	_, rep = risuFile(t, p, "sillytavern", formats.CharX)
	var told []string
	for _, i := range rep.Items {
		if strings.Contains(i.Path, ".files.") {
			told = append(told, fmt.Sprint(i.Path, " ", i.Count))
		}
	}
	assert.ElementsMatch(t, []string{"original.risu.files.assets/other/image/nobody.png 1", "original.risu.files.x_meta/ 3"}, told)

	p = read(t, in)
	c := p.Primary.Character()
	c.Identity.Name = "Bob"
	out, _ = risuFile(t, p, "risu", "")
	names, _ := unzip(t, out)
	was, _ := unzip(t, in)
	assert.Equal(t, was, names, "an edit elsewhere leaves every file where it was")

	c.Media.Assets = c.Media.Assets[1:]
	out, _ = risuFile(t, p, "risu", "")
	names, _ = unzip(t, out)
	assert.Equal(t, []string{"x_meta/a_1.json", "assets/emotion/image/a.png", "x_meta/b.json", dir + "b.png", dir + "nobody.png", "card.json"}, names)
	assert.Equal(t, []string{"a 1", "b 2"}, shown(t, read(t, out)))

	p = read(t, in)
	p.Primary.Character().Media.Assets[2].Blob = canonical.RawBlob(rope.FromBytes([]byte(numbered(7))), "image/png")
	out, _ = risuFile(t, p, "risu", "")
	names, _ = unzip(t, out)
	assert.NotContains(t, names, "x_meta/b.json", "it told of the picture that was replaced")
	assert.Contains(t, names, "x_meta/a.json")
	assert.Equal(t, []string{"a 0", "a 1", "b 7"}, shown(t, read(t, out)))
}

// TestRisuPictureLists: a V2 card has two lists of pictures, each of which keeps its order; there is none across them.
func TestRisuPictureLists(t *testing.T) {
	in := string(samples.Get("risu-v2.png").Data)
	names := func(p *convert.Pieces) (out []string) {
		for _, a := range p.Primary.Character().Media.Assets {
			require.NotNil(t, a.Blob)
			out = append(out, *a.Name)
		}
		return out
	}
	p := read(t, in)
	require.Equal(t, []string{"Smile", "Cry", "Hat"}, names(p))
	for _, c := range []formats.Container{formats.CharX, formats.JPEG, formats.JSON} {
		out, rep := risuFile(t, p, "risu", c)
		assert.Equal(t, []string{"Smile", "Cry", "Hat"}, names(read(t, out)), c)
		for _, i := range rep.Items[:rep.Counts.Lost+rep.Counts.Changed] {
			assert.True(t, strings.HasPrefix(i.Path, "persona.voice"), "%s: %+v", c, i)
		}
		assert.NotContains(t, out, "__asset:", "a link to a chunk that is not there makes Risu refuse the card")
		assert.Contains(t, strings.Join(rep.Warnings, " "), "the files of the voice (vits) stay behind")
	}
	list := p.Primary.Character().Media.Assets
	p.Primary.Character().Media.Assets = []*canonical.Asset{list[1], list[0], list[2]}
	out, rep := risuFile(t, p, "risu", "")
	assert.Equal(t, []string{"Cry", "Smile", "Hat"}, names(read(t, out)))
	assert.Zero(t, rep.Counts.Changed)

	p.Primary.Character().Media.Assets = []*canonical.Asset{list[2], list[0], list[1]}
	out, rep = risuFile(t, p, "risu", "")
	assert.Equal(t, []string{"Smile", "Cry", "Hat"}, names(read(t, out)), "the emotions stand in a list of their own")
	assert.Equal(t, 1, rep.Counts.Changed, "%+v", rep.Items[0])
	assert.Contains(t, rep.Items[0].Reason, "its own order")
}

// TestRisuUnknownFiles: a file of a kind that its bytes do not say keeps what the card says of it in every container,
// and has an ending by which it can be found.
func TestRisuUnknownFiles(t *testing.T) {
	said := []struct{ ext, ending string }{{"foo", "foo"}, {"unknown", "bin"}, {"onnx", "onnx"}, {"tar.gz", "bin"}, {"ttf", "ttf"}, {"PNG", "png"}, {"json", "bin"}}
	card := func(uri func(i int) string) string {
		list := []any{}
		for i, s := range said {
			list = append(list, map[string]string{"type": "x-risu-asset", "uri": uri(i), "name": fmt.Sprint("thing ", i), "ext": s.ext})
		}
		list = append(list, map[string]string{"type": "emotion", "uri": "data:application/octet-stream;base64," + b64([]byte(numbered(1))), "name": "joy", "ext": "jpg"})
		return string(small(with("extensions", map[string]any{"risuai": map[string]any{}}), with("assets", list)))
	}
	in := card(func(i int) string {
		return "data:application/octet-stream;base64," + b64([]byte("no kind of picture "+fmt.Sprint(i)))
	})
	p := read(t, in)
	require.Len(t, p.Primary.Character().Media.Assets, len(said)+1)
	file := in
	for _, c := range []formats.Container{formats.CharX, formats.PNG, formats.JPEG, formats.JSON, formats.CharX} {
		p := read(t, file)
		out, rep := risuFile(t, p, "risu", c)
		for _, i := range rep.Items[:rep.Counts.Lost+rep.Counts.Changed] {
			assert.Equal(t, "media.portrait", i.Path, "%s: %+v", c, i) // the JPEG's own picture
		}
		var ext []string
		if c == formats.CharX || c == formats.JPEG {
			names, content := unzip(t, out)
			for _, n := range names[:len(said)] {
				ext = append(ext, n[strings.LastIndexByte(n, '.')+1:])
			}
			for i, s := range said {
				assert.Equal(t, s.ending, ext[i])
				assert.Contains(t, content["card.json"], `"ext":"`+s.ext+`"`)
			}
			assert.Contains(t, names, "assets/emotion/image/joy.png")
		}
		file = out
	}
	for _, to := range []string{"sillytavern", "lumiverse"} {
		_, rep := risuFile(t, p, to, formats.CharX)
		for _, i := range rep.Items[:rep.Counts.Lost+rep.Counts.Changed] {
			assert.NotContains(t, i.Label, "file ending", "%s: %+v", to, i)
		}
	}
}

// TestRisuEmptyFile: Risu never sees an archive entry without bytes, and refuses the card that names it.
func TestRisuEmptyFile(t *testing.T) {
	in := string(small(with("extensions", map[string]any{"risuai": map[string]any{}}), with("assets", []any{
		map[string]string{"type": "x-risu-asset", "uri": "data:application/octet-stream;base64,", "name": "nothing", "ext": "png"},
		map[string]string{"type": "x-risu-asset", "uri": "data:application/octet-stream;base64," + b64([]byte(numbered(1))), "name": "one", "ext": "png"},
	})))
	out, rep := risuFile(t, read(t, in), "risu", formats.CharX)
	names, content := unzip(t, out)
	assert.Equal(t, []string{"assets/other/image/one.png", "card.json"}, names)
	assert.NotContains(t, content["card.json"], "nothing")
	assert.Equal(t, 1, rep.Counts.Lost)
	assert.Contains(t, strings.Join(rep.Warnings, " "), "an empty file: nothing")
	for _, c := range []formats.Container{formats.PNG, formats.JSON} { // these can hold it
		out, rep := risuFile(t, read(t, in), "risu", c)
		assert.Zero(t, rep.Counts.Lost, c)
		assert.Len(t, read(t, out).Primary.Character().Media.Assets, 2)
	}
}

// TestRisuSeveralMainIcons: of several icons named main Risu shows the last, other apps the first.
func TestRisuSeveralMainIcons(t *testing.T) {
	icons := func(ext map[string]any) string {
		var list []any
		for i, name := range []string{"main", "other", "main"} {
			list = append(list, map[string]string{"type": "icon", "uri": "data:image/png;base64," + b64([]byte(numbered(i))), "name": name, "ext": "png"})
		}
		return string(small(with("extensions", ext), with("assets", list)))
	}
	portrait := func(p *convert.Pieces) string {
		raw, err := p.Primary.Character().Media.Portrait.Blob.Raw()
		require.NoError(t, err)
		b, err := rope.View(raw, 0, raw.Size())
		require.NoError(t, err)
		return string(b)
	}
	risu := read(t, icons(map[string]any{"risuai": map[string]any{}}))
	require.Equal(t, "risu", risu.Info.App)
	assert.Equal(t, numbered(2), portrait(risu))
	for _, c := range []formats.Container{formats.CharX, formats.PNG, formats.JPEG, formats.JSON} {
		out, rep := risuFile(t, risu, "risu", c)
		assert.Equal(t, numbered(2), portrait(read(t, out)), c)
		assert.Zero(t, rep.Counts.Lost+rep.Counts.Changed)
	}
	other := read(t, icons(map[string]any{}))
	assert.Equal(t, numbered(0), portrait(other))
	for _, c := range []formats.Container{formats.CharX, formats.PNG, formats.JPEG, formats.JSON} {
		out, rep := risuFile(t, other, "risu", c)
		p := read(t, out)
		assert.Equal(t, numbered(0), portrait(p), c)
		told := 0
		for _, i := range rep.Items[:rep.Counts.Lost+rep.Counts.Changed] {
			if strings.HasPrefix(i.Path, "media") {
				told++
				assert.Equal(t, "media.assets[1].name", i.Path)
			}
		}
		assert.Equal(t, 1, told, "the other one has another name")
	}
}

// TestRisuRefusesArchive: what Risu itself would not take out of an archive is told.
func TestRisuRefusesArchive(t *testing.T) {
	v3 := with("extensions", map[string]any{"risuai": map[string]any{}})
	deep := cardFile(v3)
	deep.name = "Ann/card.json"
	assert.Contains(t, strings.Join(read(t, archive("", deep)).Warnings, " "), "Risu looks for it at the top alone")
	old := cardFile(v3)
	old.data = strings.Replace(strings.Replace(old.data, "chara_card_v3", "chara_card_v2", 1), `"3.0"`, `"2.0"`, 1)
	assert.Contains(t, strings.Join(read(t, archive("", old)).Warnings, " "), "Risu takes only V3 cards out of an archive")
	assert.NotContains(t, strings.Join(read(t, archive("", cardFile(v3))).Warnings, " "), "Risu")
}
