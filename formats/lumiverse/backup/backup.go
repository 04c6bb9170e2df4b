// Package backup reads Lumiverse's account archive (.lvbak): a ZIP64 of a manifest, one file of JSON lines for each
// table of the app's database, and the files that rows name. A row is turned into the object that the app itself would
// export (a .charx, a world book, a persona, a preset, a regex file) and read by that codec; nothing here knows the
// fields of the canonical model. Wire facts are the app's own export and import (services/user-data).
//
// The archive is read by offset and never held: one row at a time, pictures as ranges of the source. World book entries
// and regex scripts, which lie in the order in which they were made, are first put where they can be read by offset
// (formats.Scratch).
//
// Where the app and the project's design differ:
//
//   - The app's import has no list of failed rows and stops at the first line that is no JSON; here a row stands alone.
//   - The design's regex scopes are account, character and preset, the app's are global, character and chat, with a
//     preset named by preset_id. All are read; a chat has no home outside the app, and no script gets a wider scope
//     than it had: one that is bound to both a character and a preset, or to one that is not in the archive, is imported
//     switched off (D-13).
//   - A script of a preset is switched off in the table while its preset is not the active one; the setting
//     presetRegexEnabled says what was wanted (Q22).
//   - Repeated lines of old archives are taken once, and a wrong checksum of a table is a warning (Q24).
//   - A column that should hold JSON and does not is kept as text in escrow with a warning; the row fails only where
//     nothing would be left of it (the blocks of a preset) or where it would reach further than before (placement and
//     target of a script).
//   - Columns without a place in the exported object ride in the escrow bucket "lumiverse-archive", but for user_id.
//   - secrets/ is never read.
package backup

import (
	"cmp"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"

	"bunzai/canonical"
	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/lumiverse"
	"bunzai/limits"
	"bunzai/rope"
)

// Bucket is the escrow of the row columns that have no place in what the app exports.
const Bucket = "lumiverse-archive"

// Reader implements formats.BackupReader.
type Reader struct{}

// Info implements formats.BackupReader.
func (Reader) Info() formats.BackupInfo {
	return formats.BackupInfo{App: "lumiverse", Label: "Lumiverse account backup (.lvbak)"}
}

// Detect implements formats.BackupReader. The name of the first entry is looked at before the directory is read.
func (Reader) Detect(src rope.Source) bool {
	head, err := rope.View(src, 0, min(src.Size(), 30+64))
	if err != nil || len(head) < 30 || string(head[:4]) != "PK\x03\x04" {
		return false
	}
	first := string(head[30:])
	ok := false
	for _, p := range []string{manifestPath, "manifest-stats.json", databaseDir, "files/", "lancedb/", "secrets/"} {
		ok = ok || strings.HasPrefix(first, p)
	}
	if !ok {
		return false
	}
	z, err := zip.Open(src, limits.Backup())
	if err != nil {
		return false
	}
	manifest, table := false, false
	for _, e := range z.Entries {
		manifest = manifest || e.Path == manifestPath
		table = table || strings.HasPrefix(e.Path, databaseDir)
	}
	return manifest && table
}

const (
	manifestPath = "manifest.json"
	databaseDir  = "database/"
)

// archive is an open backup.
type archive struct {
	zip      *zip.Archive
	lim      limits.Limits
	manifest *manifest
	tables   map[string]*zip.Entry
	twice    map[string]bool       // tables that are there more than once
	files    map[string]*zip.Entry // under files/images and files/avatars, by path
	report   *formats.BackupReport
	codecs   map[canonical.Kind]formats.Codec
	keep     *keeper
	done     bool
	packer   *flate.Writer

	images       map[string]string       // image id -> file name
	gallery      map[string][]galleryRow // character id -> pictures
	entries      map[string][]kept       // world book id -> rows
	scripts      map[owner][]kept        // whose scripts -> rows
	scriptOwners []owner
	wanted       map[string]map[string]bool // preset id -> scripts that are wanted on
	active       string                     // id of the active preset
	bookList     []string
	recent       []cachedBook
	bookIDs      map[string]string // world book id -> piece id
	bookRows     map[string]kept
	ids          map[canonical.Kind]map[string]bool
	setIDs       map[owner][]string
	owners       map[owner]*canonical.PieceRef
	setNames     map[owner]string
}

// Open implements formats.BackupReader. The limits are limits.Backup where none are given.
func (r Reader) Open(src rope.Source, o formats.BackupOptions) (formats.Backup, error) {
	lim := o.Limits
	if lim.Name == "" {
		lim = limits.Backup()
	}
	z, err := zip.Open(src, lim)
	if err != nil {
		return nil, err
	}
	a := &archive{
		zip: z, lim: lim, tables: map[string]*zip.Entry{}, twice: map[string]bool{}, files: map[string]*zip.Entry{},
		report: &formats.BackupReport{Source: r.Info()}, codecs: map[canonical.Kind]formats.Codec{}, keep: newKeeper(o.Scratch),
		images: map[string]string{}, gallery: map[string][]galleryRow{}, entries: map[string][]kept{}, scripts: map[owner][]kept{},
		wanted: map[string]map[string]bool{}, bookIDs: map[string]string{}, bookRows: map[string]kept{},
		ids: map[canonical.Kind]map[string]bool{}, setIDs: map[owner][]string{}, owners: map[owner]*canonical.PieceRef{}, setNames: map[owner]string{},
	}
	for _, c := range lumiverse.Codecs() {
		if k := c.Info().Kind; a.codecs[k] == nil {
			a.codecs[k] = c
		}
	}
	if err := a.directory(); err != nil {
		return nil, err
	}
	if a.manifest, err = readManifest(z, lim); err != nil {
		return nil, err
	}
	a.report.SchemaVersion, a.report.ExportedAt = a.manifest.schema, a.manifest.exportedAt
	if n := a.manifest.missing; n > 0 {
		a.warn("the app could not find %s when it made the backup", fault.Amount(n, "files"))
	}
	return a, nil
}

// directory sorts the entries, and refuses the whole archive where one could do harm.
func (a *archive) directory() error {
	var stated int64
	odd := 0
	for _, e := range a.zip.Entries {
		if e.Path == "" || e.Path != e.Name || strings.ContainsFunc(e.Name, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
			return fault.New(fault.Damaged, "entry "+formats.Shown(e.Name), "this name could lead out of the archive, and Lumiverse writes none like it; nothing was imported")
		}
		if e.Encrypted() {
			return fault.New(fault.Unsupported, "entry "+formats.Shown(e.Name), "the entry is encrypted, and Lumiverse encrypts none; nothing was imported")
		}
		if stated += e.Size; stated > a.lim.Inflated {
			return a.lim.Over("", "Inflated", stated)
		}
		top, rest, _ := strings.Cut(e.Path, "/")
		switch top {
		case "database":
			t, ok := strings.CutSuffix(rest, ".ndjson")
			switch {
			case rest == "":
			case !ok || t == "" || strings.Trim(t, "abcdefghijklmnopqrstuvwxyz_") != "":
				odd++
			case a.tables[t] != nil:
				a.twice[t] = true
			default:
				a.tables[t] = e
			}
		case "files":
			if strings.HasPrefix(rest, "images/") || strings.HasPrefix(rest, "avatars/") {
				if a.files[e.Path] == nil {
					a.files[e.Path] = e
				}
			}
		case "lancedb", "secrets", manifestPath, "manifest-stats.json":
		default:
			odd++
		}
	}
	if odd > 0 {
		a.warn("%s of no known kind lie in the archive and were left out", fault.Amount(int64(odd), "files"))
	}
	return nil
}

// Report implements formats.Backup.
func (a *archive) Report() *formats.BackupReport { return a.report }

// Pieces implements formats.Backup.
func (a *archive) Pieces(yield func(*formats.BackupPiece) bool) error {
	if a.done {
		return fault.New(fault.BadArgument, "", "this backup was read already; open it again")
	}
	a.done = true
	a.index()
	for _, step := range []func(yield func(*formats.BackupPiece) bool) bool{a.allBooks, a.personas, a.characters, a.presets, a.regex} {
		if !step(yield) {
			return nil
		}
	}
	a.leftTables()
	a.report.Warnings = append(a.report.Warnings, a.zip.Warnings...)
	return nil
}

// notImported are the tables that hold what only the app can use, in words.
var notImported = map[string]string{
	"chats": "chats are not imported", "messages": "chats are not imported", "settings": "settings of the account are not imported",
	"message_breakdowns": "chats are not imported", "chat_chunks": "chats are not imported", "chat_memory_cache": "chats are not imported",
	"packs": "packs are not imported", "loom_items": "packs are not imported", "loom_tools": "packs are not imported", "lumia_items": "packs are not imported",
	"theme_assets": "themes are not imported", "databanks": "databanks are not imported", "databank_documents": "databanks are not imported", "databank_chunks": "databanks are not imported",
	"global_addons": "add-ons of all personas are not imported",
}

var usedTables = []string{"world_books", "world_book_entries", "personas", "characters", "presets", "regex_scripts", "images", "character_gallery"}

// leftTables tells of every table that was left out, with its rows where the archive states them.
func (a *archive) leftTables() {
	var names []string
	for t := range a.tables {
		if !slices.Contains(usedTables, t) {
			names = append(names, t)
		}
	}
	slices.Sort(names)
	for _, t := range names {
		rows := a.countRows(t)
		if rows == 0 {
			continue
		}
		why := cmp.Or(notImported[t], "no app but Lumiverse has a use for it")
		if t == "settings" {
			why += ", but for the switches of preset regex scripts"
		}
		a.report.SkippedTables = append(a.report.SkippedTables, formats.SkippedTable{Table: t, Rows: rows, Reason: why})
	}
	vectors := 0
	secrets := false
	for _, e := range a.zip.Entries {
		if strings.HasPrefix(e.Path, "lancedb/") && !e.IsDir() {
			vectors++
		}
		secrets = secrets || strings.HasPrefix(e.Path, "secrets/")
	}
	if vectors > 0 {
		a.report.SkippedTables = append(a.report.SkippedTables, formats.SkippedTable{Table: "lancedb", Rows: -1, Reason: "search vectors are made anew by the app"})
	}
	if secrets {
		a.report.SkippedTables = append(a.report.SkippedTables, formats.SkippedTable{Table: "secrets", Rows: -1, Reason: "keys and passwords are never read"})
	}
}

// countRows is how many rows a table has: what the archive states, else counted.
func (a *archive) countRows(t string) int64 {
	if n, ok := a.manifest.counts[t]; ok {
		return n
	}
	n, err := a.countLines(t)
	if err != nil {
		return -1
	}
	return n
}

// uniqueID gives a piece an id that no other of its kind has.
func (a *archive) uniqueID(k canonical.Kind, id string) string {
	m := a.ids[k]
	if m == nil {
		m = map[string]bool{}
		a.ids[k] = m
	}
	id = canonical.UniqueID(id, func(s string) bool { return m[s] })
	m[id] = true
	return id
}
