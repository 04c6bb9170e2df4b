package backup_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/testdata/lvbak"
)

// broken are rows that cannot be imported, one for each reason.
type brokenRow struct{ table, line, reason string }

var broken = []brokenRow{
	{"characters", `{"id": "x1", "name": "cut`, "JSON"},
	{"characters", `["x2"]`, "a row must be an object"},
	{"characters", lvbak.Row("name", "no id"), "the row has no id"},
	{"characters", lvbak.Row("id", "x4", "name", "  "), "the character has no name"},
	{"characters", lvbak.Row("id", "x5", "name", nil, "description", "d"), "the character has no name"},
	{"characters", `{"id": "x6", "name": "` + strings.Repeat("x", 4<<20) + `"}`, "the most that a row of this archive may have"},
	{"personas", `nonsense`, "JSON"},
	{"personas", lvbak.Row("id", "x8", "name", nil), "the persona has no name"},
	{"world_books", `"a text"`, "a row must be an object"},
	{"world_book_entries", lvbak.Row("id", "x10", "content", "nobody's"), "the entry names no world book"},
	{"world_book_entries", lvbak.Row("id", "x11", "world_book_id", "gone", "content", "c"), "which is not in the archive"},
	{"presets", lvbak.Row("id", "x12", "name", "p", "prompt_order", "json:{not json"), "JSON"},
	{"presets", lvbak.Row("id", "x13", "name", "p", "prompt_order", nil), "the preset has no blocks"},
	{"regex_scripts", lvbak.Script("x14", "scope", "chat", "scope_id", "ch"), "applies to one chat"},
	{"regex_scripts", lvbak.Script("x15", "scope", "character", "scope_id", nil), "its scope_id does not say which"},
	{"regex_scripts", lvbak.Script("x16", "scope", "preset", "scope_id", " "), "its scope_id does not say which"},
	{"regex_scripts", lvbak.Script("x17", "scope", "galaxy"), "which nobody knows"},
	{"regex_scripts", lvbak.Script("x18", "placement", "ai_output"), "placement"},
	{"regex_scripts", lvbak.Script("x19", "name", ""), "the script has no name"},
	{"images", lvbak.Row("id", "x20", "filename", nil), "the picture has no file name"},
}

// TestTenThousand is an account of 10,000 rows of which 20 are broken, each in its own way, and told one by one
// (lumiverse.md 11 D-14).
func TestTenThousand(t *testing.T) {
	tables := map[string][]string{}
	add := func(table, line string) { tables[table] = append(tables[table], line) }
	for i := range 2000 {
		ext := fmt.Sprintf(`json:{"world_book_ids": ["b%d"]}`, i%200)
		add("characters", lvbak.Row("id", fmt.Sprintf("c%d", i), "name", fmt.Sprintf("Name %d", i), "description", strings.Repeat("text ", 20), "first_mes", "Hi", "tags", `json:["a"]`, "alternate_greetings", `json:[]`, "extensions", ext, "image_id", fmt.Sprintf("i%d", i%100), "created_at", 1700000000, "updated_at", 1700000000))
	}
	for i := range 500 {
		add("personas", lvbak.Row("id", fmt.Sprintf("pe%d", i), "name", fmt.Sprintf("Me %d", i), "description", "d", "metadata", `json:{}`, "subjective_pronoun", "they", "objective_pronoun", "them", "possessive_pronoun", "their", "attached_world_book_id", fmt.Sprintf("b%d", i%200)))
	}
	for i := range 200 {
		add("world_books", lvbak.Row("id", fmt.Sprintf("b%d", i), "name", fmt.Sprintf("Book %d", i), "description", "", "metadata", `json:{}`))
	}
	for i := range 5080 { // not one book after the other
		add("world_book_entries", lvbak.Row("id", fmt.Sprintf("e%d", i), "world_book_id", fmt.Sprintf("b%d", i%200), "uid", fmt.Sprintf("u%d", i), "key", `json:["k"]`, "keysecondary", `json:[]`, "content", fmt.Sprintf("text %d", i), "comment", "c", "position", 0, "extensions", `json:{}`))
	}
	for i := range 100 {
		add("presets", lvbak.Row("id", fmt.Sprintf("p%d", i), "name", fmt.Sprintf("Preset %d", i), "parameters", `json:{}`, "prompts", `json:{}`, "metadata", `json:{}`, "prompt_order", `json:[{"id": "k", "name": "Main", "content": "x", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": null}]`))
	}
	for i := range 2000 {
		switch i % 4 {
		case 0:
			add("regex_scripts", lvbak.Script(fmt.Sprintf("r%d", i), "folder", fmt.Sprintf("F%d", i%3)))
		case 1:
			add("regex_scripts", lvbak.Script(fmt.Sprintf("r%d", i), "scope", "character", "scope_id", fmt.Sprintf("c%d", i)))
		case 2:
			add("regex_scripts", lvbak.Script(fmt.Sprintf("r%d", i), "preset_id", fmt.Sprintf("p%d", i%100)))
		case 3:
			add("regex_scripts", lvbak.Script(fmt.Sprintf("r%d", i), "scope", "account"))
		}
	}
	files := map[string][]byte{}
	for i := range 100 {
		add("images", lvbak.Image(fmt.Sprintf("i%d", i)))
		files[fmt.Sprintf("files/images/i%d.png", i)] = lvbak.Pixel(uint8(i))
	}
	rows := 0
	for _, l := range tables {
		rows += len(l)
	}
	for i, b := range broken { // scattered among the good ones
		l := tables[b.table]
		at := len(l) * (i + 1) / (len(broken) + 2)
		tables[b.table] = append(l[:at:at], append([]string{b.line}, l[at:]...)...)
	}
	require.Equal(t, 9980, rows)

	for _, a := range []lvbak.Account{
		{Tables: tables, Files: files},
		{Tables: tables, Files: files, Last: true, Manifest: lvbak.Manifest(3, `, "ndjsonFormatVersion": 2, "ndjsonMaxRecordBytes": 4194304`)},
	} {
		list, rep := read(t, a.Build())
		require.EqualValues(t, len(broken), rep.FailedRows)
		for i, b := range broken {
			found := false
			for _, f := range rep.Failed {
				found = found || f.Table == b.table && strings.Contains(f.Reason, b.reason)
			}
			require.True(t, found, "%d: %s: %s in %v", i, b.table, b.reason, rep.Failed)
		}
		require.EqualValues(t, 2000, rep.Imported.Characters)
		require.EqualValues(t, 500, rep.Imported.Personas)
		require.EqualValues(t, 200, rep.Imported.Lorebooks)
		require.EqualValues(t, 5080, rep.Imported.LorebookEntries)
		require.EqualValues(t, 100, rep.Imported.Presets)
		require.EqualValues(t, 2000, rep.Imported.RegexRules)
		require.Empty(t, rep.MissingBinaries)
		checkLinks(t, list)
		order(t, list)
	}
}

// checkLinks: every link of a piece names a piece that is there, inside it and on its own.
func checkLinks(t *testing.T, list []*formats.BackupPiece) {
	t.Helper()
	there := map[canonical.PieceRef]bool{}
	for _, p := range list {
		ref := canonical.PieceRef{Kind: p.Entity.Kind, ID: p.Entity.ID}
		require.False(t, there[ref], "two pieces %v", ref)
		there[ref] = true
	}
	for _, p := range list {
		inside := map[canonical.PieceRef]bool{}
		for _, b := range append(append([]*canonical.Entity{}, p.Books...), p.Regex...) {
			inside[canonical.PieceRef{Kind: b.Kind, ID: b.ID}] = true
		}
		for _, l := range canonical.LinksOf(p.Entity) {
			require.True(t, there[l.To], "%s %s: %v", p.Entity.Kind, p.Entity.ID, l.To)
			require.True(t, inside[l.To], "%s %s: %v", p.Entity.Kind, p.Entity.ID, l.To)
		}
	}
}

// order: lorebooks, personas, characters, presets, regex sets.
func order(t *testing.T, list []*formats.BackupPiece) {
	t.Helper()
	kinds := []canonical.Kind{canonical.KindLorebook, canonical.KindPersona, canonical.KindCharacter, canonical.KindPreset, canonical.KindRegex}
	at := 0
	for _, p := range list {
		for kinds[at] != p.Entity.Kind {
			at++
			require.Less(t, at, len(kinds), "%s out of order", p.Entity.Kind)
		}
	}
}
