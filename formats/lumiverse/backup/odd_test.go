package backup_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/lumiverse/backup"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/lvbak"
)

func one() lvbak.Account {
	return lvbak.Account{Tables: map[string][]string{"characters": {lvbak.Row("id", "c1", "name", "Ann", "extensions", `json:{}`)}}}
}

// TestManifest: versions 1 to 3, first or last, and every refusal.
func TestManifest(t *testing.T) {
	for _, v := range []int{1, 2, 3} {
		for _, last := range []bool{false, true} {
			a := one()
			a.Manifest, a.Last = lvbak.Manifest(v, ""), last
			require.True(t, backup.Reader{}.Detect(rope.Bytes(a.Build())))
			list, rep := read(t, a.Build())
			require.Len(t, list, 1)
			require.EqualValues(t, v, rep.SchemaVersion)
		}
	}
	for m, c := range map[string]struct {
		code fault.Code
		says string
	}{
		lvbak.Manifest(4, ""):                             {fault.Unsupported, "schema version 4, and this version of bunzai reads 1 to 3"},
		lvbak.Manifest(0, ""):                             {fault.Damaged, "whole number from 1"},
		`{"schemaVersion": 1.5, "producer": "lumiverse"}`: {fault.Damaged, "whole number from 1"},
		`{"producer": "lumiverse"}`:                       {fault.Damaged, "no schemaVersion"},
		`{"schemaVersion": 1, "producer": "other"}`:       {fault.NotRecognized, `"other"`},
		`{"schemaVersion": 1}`:                            {fault.NotRecognized, "no Lumiverse account backup"},
		`{`:                                               {fault.Damaged, "JSON"},
		`[]`:                                              {fault.Damaged, "must be an object"},
	} {
		a := one()
		a.Manifest = m
		_, err := backup.Reader{}.Open(rope.Bytes(a.Build()), formats.BackupOptions{})
		require.True(t, fault.Is(err, c.code), "%s: %v", m, err)
		require.Contains(t, err.Error(), c.says)
	}
}

// TestLineLimit: 4 MiB in line format 1, 64 MiB where none is stated, what format 2 states.
func TestLineLimit(t *testing.T) {
	long := lvbak.Row("id", "c2", "name", "Long", "description", strings.Repeat("x", 5<<20))
	for more, failed := range map[string]int64{"": 0, `, "ndjsonFormatVersion": 1`: 1, `, "ndjsonFormatVersion": 2`: 0, `, "ndjsonFormatVersion": 2, "ndjsonMaxRecordBytes": 1048576`: 1} {
		a := one()
		a.Manifest = lvbak.Manifest(1, more)
		a.Tables["characters"] = append([]string{long}, a.Tables["characters"]...)
		list, rep := read(t, a.Build())
		require.Equal(t, failed, rep.FailedRows, more)
		require.Len(t, list, 2-int(failed))
	}
}

// TestRefused: archives that could do harm are refused whole.
func TestRefused(t *testing.T) {
	for path, code := range map[string]fault.Code{
		"../evil.png": fault.Damaged, "/abs.png": fault.Damaged, "files/images/a\nb.png": fault.Damaged, `files\images\a.png`: fault.Damaged,
		"C:/x.png": fault.Damaged, "./x.png": fault.Damaged, "files/../../x": fault.Damaged,
	} {
		a := one()
		a.Files = map[string][]byte{path: []byte("x")}
		_, err := backup.Reader{}.Open(rope.Bytes(a.Build()), formats.BackupOptions{})
		require.True(t, fault.Is(err, code), "%q: %v", path, err)
	}
	a := one()
	a.Files = map[string][]byte{"files/images/x.png": []byte("x")}
	a.Opts = map[string]lvbak.Opts{"files/images/x.png": {Flags: 1}}
	_, err := backup.Reader{}.Open(rope.Bytes(a.Build()), formats.BackupOptions{})
	require.True(t, fault.Is(err, fault.Unsupported), "%v", err)
	require.Contains(t, err.Error(), "encrypted")

	// What the directory states counts, and so do entries.
	a.Opts = map[string]lvbak.Opts{"files/images/x.png": {Size: 21 << 30}}
	_, err = backup.Reader{}.Open(rope.Bytes(a.Build()), formats.BackupOptions{})
	require.True(t, fault.Is(err, fault.OverLimit), "%v", err)
	few := limits.Backup()
	few.ArchiveEntries = 2
	_, err = backup.Reader{}.Open(rope.Bytes(a.Build()), formats.BackupOptions{Limits: few})
	require.True(t, fault.Is(err, fault.OverLimit), "%v", err)
}

// TestDamagedTables (lumiverse.md 9 Q24): a wrong checksum is a warning; a table that breaks off keeps what came before and stops no other.
func TestDamagedTables(t *testing.T) {
	a := one()
	a.Opts = map[string]lvbak.Opts{"database/characters.ndjson": {CRC: 1, Size: 5}}
	list, rep := read(t, a.Build())
	require.Len(t, list, 1)
	require.Zero(t, rep.FailedRows)
	require.Contains(t, strings.Join(rep.Warnings, "\n"), "it was read whole")

	a = one()
	a.Tables["world_books"] = []string{lvbak.Row("id", "b1", "name", "Town", "metadata", `json:{}`)}
	b := a.Build()
	at := bytes.Index(b, []byte("characters.ndjson")) + len("characters.ndjson") + 20
	for i := range 12 {
		b[at+i] = 0xff
	}
	list, rep = read(t, b)
	require.Len(t, list, 1)
	require.Equal(t, canonical.KindLorebook, list[0].Entity.Kind)
	require.EqualValues(t, 1, rep.FailedRows)
	require.Contains(t, rep.Failed[0].Reason, "the table breaks off here")

	a = one()
	a.Opts = map[string]lvbak.Opts{"database/characters.ndjson": {Method: 93}}
	list, rep = read(t, a.Build())
	require.Empty(t, list)
	require.EqualValues(t, 1, rep.FailedRows)
}

// TestRepeated: the first row of an id counts (lumiverse.md 9 Q24).
func TestRepeated(t *testing.T) {
	a := one()
	row := a.Tables["characters"][0]
	a.Tables["characters"] = []string{row, row, lvbak.Row("id", "c1", "name", "Other")}
	list, rep := read(t, a.Build())
	require.Len(t, list, 1)
	require.Equal(t, "Ann", list[0].Entity.Character().Identity.Name)
	require.Contains(t, strings.Join(rep.Warnings, "\n"), "table characters: 2 rows with an id that was there before, and was taken once; 1 of them said something else")
}

// TestScopes: where scripts go, and that none reaches further than it did (lumiverse.md 11 D-13), and that a script of a
// preset is on where the app's list says so (lumiverse.md 9 Q22).
func TestScopes(t *testing.T) {
	a := whole()
	a.Tables["regex_scripts"] = []string{
		lvbak.Script("r1", "folder", "A"), lvbak.Script("r2", "scope", "account"), lvbak.Script("r3", "target", "display"),
		lvbak.Script("r4", "scope", "character", "scope_id", "c1"), lvbak.Script("r5", "scope", "character", "scope_id", "c1", "preset_id", "p1"),
		lvbak.Script("r6", "scope", "preset", "scope_id", "p1"), lvbak.Script("r7", "preset_id", "p1", "disabled", 1),
		lvbak.Script("r8", "preset_id", "gone"), lvbak.Script("r9", "scope", "character", "scope_id", "gone"),
		lvbak.Script("r10", "scope", nil), lvbak.Script("r11", "preset_id", 5),
	}
	a.Tables["settings"] = []string{lvbak.Row("key", "presetRegexEnabled:p1", "value", `json:["r7"]`)}
	list, rep := read(t, a.Build())
	on := map[string]bool{}
	owner := map[string]string{}
	for _, p := range of(list, canonical.KindRegex) {
		for _, r := range p.Entity.Body.(*canonical.RegexSet).Rules {
			on[r.Label] = canonical.Or(r.Enabled, true)
			if p.Owner != nil {
				owner[r.Label] = string(p.Owner.Kind)
			}
		}
	}
	require.Equal(t, map[string]bool{"Rule r1": true, "Rule r2": true, "Rule r3": true, "Rule r4": true, "Rule r5": false, "Rule r6": false, "Rule r7": true, "Rule r8": false, "Rule r9": false}, on)
	require.Equal(t, map[string]string{"Rule r4": "character", "Rule r5": "character", "Rule r6": "preset", "Rule r7": "preset"}, owner)
	require.EqualValues(t, 2, rep.FailedRows)
	targets := map[string]string{}
	for _, l := range rep.UnresolvedLinks {
		targets[l.ID+" "+l.Field] = l.Target
	}
	require.Equal(t, map[string]string{"c1 extensions.world_book_ids": "gone", "r8 preset_id": "gone", "r9 scope_id": "gone"}, targets)
	checkLinks(t, list)
}

// TestSoftColumns: a column that cannot be read is kept in escrow, and the row is there.
func TestSoftColumns(t *testing.T) {
	a := one()
	a.Tables["characters"] = []string{lvbak.Row("id", "c1", "name", "Ann", "tags", "not json", "extensions", "[1]", "description", "d", "later_column", "x", "user_id", "secret-user")}
	list, rep := read(t, a.Build())
	require.Len(t, list, 1)
	require.Zero(t, rep.FailedRows)
	require.Len(t, rep.Warnings, 2)
	left := string(list[0].Entity.Bucket(backup.Bucket).Raw.Bytes())
	require.Contains(t, left, "not json")
	require.Contains(t, left, "later_column")
	require.NotContains(t, left, "secret-user")
}

// TestAlias: an image may lie under another path (schema 3), and a picture that is not there is told.
func TestAlias(t *testing.T) {
	a := one()
	a.Manifest = lvbak.Manifest(3, `, "fileAliases": [{"path": "files/images/i1.png", "payloadPath": "files/images/i9.png", "required": true}]`)
	a.Tables["characters"] = []string{lvbak.Row("id", "c1", "name", "Ann", "image_id", "i1"), lvbak.Row("id", "c2", "name", "Bea", "image_id", "i2"), lvbak.Row("id", "c3", "name", "Cee", "avatar_path", "old.png")}
	a.Tables["images"] = []string{lvbak.Image("i1"), lvbak.Image("i2")}
	a.Files = map[string][]byte{"files/images/i9.png": lvbak.Pixel(1), "files/avatars/old.png": lvbak.Pixel(2)}
	list, rep := read(t, a.Build())
	require.Len(t, list, 3)
	require.NotNil(t, list[0].Entity.Character().Media.Portrait)
	require.Nil(t, list[1].Entity.Character().Media.Portrait)
	require.NotNil(t, list[2].Entity.Character().Media.Portrait)
	require.Len(t, rep.MissingBinaries, 1)
	require.Equal(t, "files/images/i2.png is not in the archive", rep.MissingBinaries[0].Reason)
}

// TestBookOnce: a book that many link is decoded once while it is kept, and what is kept has a bound.
func TestBookOnce(t *testing.T) {
	for _, big := range []bool{false, true} {
		text := "c"
		if big {
			text = strings.Repeat("c", 3<<20)
		}
		a := one()
		a.Tables = map[string][]string{}
		for b := range 4 {
			a.Tables["world_books"] = append(a.Tables["world_books"], lvbak.Row("id", fmt.Sprint("b", b), "name", fmt.Sprint("B", b)))
			a.Tables["world_book_entries"] = append(a.Tables["world_book_entries"], lvbak.Row("id", fmt.Sprint("e", b), "world_book_id", fmt.Sprint("b", b), "key", `json:["k"]`, "content", text))
		}
		for c := range 8 {
			a.Tables["characters"] = append(a.Tables["characters"], lvbak.Row("id", fmt.Sprint("c", c), "name", fmt.Sprint("C", c), "extensions", fmt.Sprintf(`json:{"world_book_ids": ["b%d"]}`, c%4)))
		}
		list, rep := read(t, a.Build())
		require.Zero(t, rep.FailedRows, "%v", rep.Failed)
		books := map[string]*canonical.Entity{}
		for _, p := range of(list, canonical.KindLorebook) {
			books[p.Entity.ID] = p.Entity
		}
		same := 0
		for _, p := range of(list, canonical.KindCharacter) {
			require.Len(t, p.Books, 1)
			if p.Books[0] == books[p.Books[0].ID] {
				same++
			}
			ok, err := canonical.Same(p.Books[0].Body, books[p.Books[0].ID].Body)
			require.NoError(t, err)
			require.True(t, ok)
		}
		if big {
			require.Less(t, same, 8, "more than is kept are decoded again")
		} else {
			require.Equal(t, 8, same)
		}
	}
}

// TestUncropped (lumiverse.md 9 Q26): the uncropped picture of an alternate avatar comes along, which the app itself
// leaves behind.
func TestUncropped(t *testing.T) {
	a := one()
	a.Tables["characters"] = []string{lvbak.Row("id", "c1", "name", "Ann", "extensions", `json:{"alternate_avatars": [{"id": "v1", "label": "L", "image_id": "i1", "original_image_id": "i2"}]}`)}
	a.Tables["images"] = []string{lvbak.Image("i1"), lvbak.Image("i2")}
	a.Files = map[string][]byte{"files/images/i1.png": lvbak.Pixel(1), "files/images/i2.png": lvbak.Pixel(2)}
	list, rep := read(t, a.Build())
	require.Empty(t, rep.MissingBinaries)
	var got []string
	for _, x := range list[0].Entity.Character().Media.Assets {
		r, err := x.Blob.Raw()
		require.NoError(t, err)
		b, err := rope.View(r, 0, r.Size())
		require.NoError(t, err)
		got = append(got, string(b))
	}
	require.Contains(t, got, string(lvbak.Pixel(2)))
}

// TestStop: whoever has enough gets no more.
func TestStop(t *testing.T) {
	x, err := backup.Reader{}.Open(rope.Bytes(whole().Build()), formats.BackupOptions{})
	require.NoError(t, err)
	n := 0
	require.NoError(t, x.Pieces(func(*formats.BackupPiece) bool { n++; return n < 2 }))
	require.Equal(t, 2, n)
	require.Error(t, x.Pieces(func(*formats.BackupPiece) bool { return true }))
}

// TestFlatMemory reads an archive of half a GiB that is made while it is read: memory does not grow with it.
func TestFlatMemory(t *testing.T) {
	src, characters := lvbak.Big(511 << 20)
	var before, m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x, err := backup.Reader{}.Open(src, formats.BackupOptions{})
	require.NoError(t, err)
	n, peak := 0, uint64(0)
	require.NoError(t, x.Pieces(func(p *formats.BackupPiece) bool {
		if n++; n%200 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		return true
	}))
	rep := x.Report()
	require.EqualValues(t, characters, rep.Imported.Characters)
	require.Zero(t, rep.FailedRows, "%v", rep.Failed)
	require.Empty(t, rep.MissingBinaries)
	grew := int64(peak) - int64(before.HeapAlloc)
	t.Logf("%s: %s held at most", fault.Amount(src.Size(), "bytes"), fault.Amount(grew, "bytes"))
	require.Less(t, grew, int64(48<<20))
}

func FuzzPieces(f *testing.F) {
	f.Add(whole().Build())
	f.Add(one().Build())
	last := whole()
	last.Last, last.Manifest = true, lvbak.Manifest(3, "")
	f.Add(last.Build())
	f.Fuzz(func(t *testing.T, b []byte) {
		lim := limits.Backup()
		lim.Inflated, lim.Entry = 8<<20, 8<<20
		x, err := backup.Reader{}.Open(rope.Bytes(b), formats.BackupOptions{Limits: lim})
		if err != nil {
			return
		}
		if err := x.Pieces(func(p *formats.BackupPiece) bool { return p.Entity != nil }); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRow reads one row in every table.
func FuzzRow(f *testing.F) {
	for table, rows := range whole().Tables {
		for _, r := range rows {
			f.Add(table, r)
		}
	}
	f.Fuzz(func(t *testing.T, table, line string) {
		a := whole()
		if _, ok := a.Tables[table]; !ok || strings.ContainsAny(line, "\n") {
			return
		}
		a.Tables[table] = append([]string{line}, a.Tables[table]...)
		list, rep := read(t, a.Build())
		for _, x := range rep.Failed {
			if strings.Contains(x.Reason, "bunzai itself failed") {
				t.Fatal(fmt.Sprint(x))
			}
		}
		checkLinks(t, list)
	})
}
