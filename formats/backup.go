package formats

import (
	"io"

	"bunzai/canonical"
	"bunzai/limits"
	"bunzai/rope"
)

// BackupReader reads the account backups of one app: files of thousands of pieces of every kind, too large to hold.
// It is no codec: what it finds goes through the app's codecs, one piece after the other.
type BackupReader interface {
	// Info names the app and the file: "lumiverse", "Lumiverse account backup (.lvbak)".
	Info() BackupInfo
	// Detect reports a backup of the app by its first bytes and its directory; it does not fail and decodes no row.
	Detect(src rope.Source) bool
	// Open reads the manifest and the directory. Errors are *fault.Error.
	Open(src rope.Source, o BackupOptions) (Backup, error)
}

// BackupInfo names a kind of backup.
type BackupInfo struct {
	App   string `json:"app"`
	Label string `json:"label"`
}

// BackupOptions steer the reading of a backup.
type BackupOptions struct {
	Name   string // file name, for messages
	Limits limits.Limits
	// Scratch keeps the rows that are needed again later. Nil: memory, and tables that need much of it are refused.
	Scratch Scratch
}

// Scratch is a file that is written to its end and read by offset.
type Scratch interface {
	io.ReaderAt
	io.Writer // appends
}

// Backup is an open backup. It may be read once, by one goroutine.
type Backup interface {
	// Pieces yields every piece in the order lorebooks, personas, characters, presets, regex sets, until yield returns
	// false. A row that cannot be read is told in the report and stops nothing. An error is a file that cannot be read
	// at all any more.
	Pieces(yield func(*BackupPiece) bool) error
	// Report tells what became of the rows; it is whole when Pieces has ended.
	Report() *BackupReport
}

// BackupPiece is one piece with what it links. The linked pieces come as pieces of their own too: books before,
// regex sets after what links them.
type BackupPiece struct {
	Entity    *canonical.Entity
	Info      Info // of the codec that read it
	Container Container
	Books     []*canonical.Entity
	Regex     []*canonical.Entity
	// Owner is what a regex set belongs to: a character or a preset of this backup; nil for any other piece.
	Owner *canonical.PieceRef
	// Limits fit this piece: it was let in by the limits of the backup, which are wider than those of a card.
	Limits limits.Limits
	Table  string
	Row    int64  // line of the table, from 1; 0 when several rows made it
	RowID  string // as the app names it
}

// BackupReport tells what became of every row.
type BackupReport struct {
	Source        BackupInfo   `json:"source"`
	SchemaVersion int64        `json:"schemaVersion"`
	ExportedAt    string       `json:"exportedAt"` // as written
	Imported      BackupCounts `json:"imported"`
	// Failed are the rows that made no piece, at most MaxBackupNotes; FailedRows counts them all.
	Failed     []FailedRow `json:"failed"`
	FailedRows int64       `json:"failedRows"`
	// SkippedTables are those of no use outside the app.
	SkippedTables   []SkippedTable   `json:"skippedTables"`
	MissingBinaries []MissingBinary  `json:"missingBinaries"`
	UnresolvedLinks []UnresolvedLink `json:"unresolvedLinks"`
	Warnings        []string         `json:"warnings"`
	// Cut says that a list was cut at MaxBackupNotes.
	Cut bool `json:"cut"`
}

// MaxBackupNotes bounds each list of a BackupReport.
const MaxBackupNotes = 5000

// BackupCounts are pieces by kind, and the rows inside the two kinds that gather rows.
type BackupCounts struct {
	Lorebooks       int64 `json:"lorebook"`
	Personas        int64 `json:"persona"`
	Characters      int64 `json:"character"`
	Presets         int64 `json:"preset"`
	RegexSets       int64 `json:"regex"`
	LorebookEntries int64 `json:"lorebookEntries"`
	RegexRules      int64 `json:"regexRules"`
}

// FailedRow is a row that made no piece. Row is its line from 1, 0 when the table itself could not be read.
type FailedRow struct {
	Table  string `json:"table"`
	Row    int64  `json:"row"`
	ID     string `json:"id"` // "" when it could not be read
	Reason string `json:"reason"`
}

// SkippedTable is a table that was left out. Rows is -1 when nobody counted them.
type SkippedTable struct {
	Table  string `json:"table"`
	Rows   int64  `json:"rows"`
	Reason string `json:"reason"`
}

// MissingBinary is a picture that a row names and the backup does not have.
type MissingBinary struct {
	Table  string `json:"table"`
	Row    int64  `json:"row"`
	ID     string `json:"id"`
	Field  string `json:"field"` // "image_id", "extensions.expressions.mappings.joy"
	Name   string `json:"name"`  // image id or file name
	Reason string `json:"reason"`
}

// UnresolvedLink is a link of a row to a piece that the backup does not have.
type UnresolvedLink struct {
	Table  string `json:"table"`
	Row    int64  `json:"row"`
	ID     string `json:"id"`
	Field  string `json:"field"`
	Target string `json:"target"`
}
