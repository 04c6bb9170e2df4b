package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
)

// importCmd takes an account backup apart. It ends with 0 when the archive could be read, also where rows of it could
// not: the report names each. With --strict that is 1, after everything else was written.
type importCmd struct {
	File   string `arg:"" help:"The account backup (.lvbak); - is standard input."`
	Out    string `short:"o" placeholder:"DIR|OUT.zip" help:"Where to write: a folder, or one ZIP when the name ends in .zip. Default: a folder named for the file, in the current one."`
	To     string `default:"lumiverse" help:"The app: lumiverse, sillytavern, ...; bunzai for canonical files. Kinds that the app has no file for become canonical files."`
	Report string `enum:"text,json" default:"text" help:"Form of the report: text or json."`
	JSON   bool   `name:"json" help:"The same as --report json."`
	Limits string `enum:"backup,large,card" default:"backup" help:"Bounds on what the archive may cost: backup (5 GiB, 500,000 entries), large or card."`
	Strict bool   `help:"End with code 1 when rows failed or pieces could not be written. What could be read is written all the same."`
	Force  bool   `help:"Replace existing files, and write into a folder that is not empty."`
}

// imported is the report as programs read it.
type imported struct {
	Path   string                `json:"path"`
	To     string                `json:"to"`
	Files  []importedFile        `json:"files"`
	Failed []unwritten           `json:"notWritten"` // pieces that were read and could not be written
	Report *formats.BackupReport `json:"report"`
}

type importedFile struct {
	Path string         `json:"path"` // in the folder or the ZIP
	Kind canonical.Kind `json:"kind"`
	Name string         `json:"name"`
	Size int64          `json:"size"`
	Row  string         `json:"row"`  // the app's id
	Lost int            `json:"lost"` // fields that the app has no place for
	Note string         `json:"note"`
}

type unwritten struct {
	Kind   canonical.Kind `json:"kind"`
	Name   string         `json:"name"`
	Row    string         `json:"row"`
	Reason string         `json:"reason"`
}

// folders are where the kinds go.
var folders = map[canonical.Kind]string{
	canonical.KindLorebook: "lorebooks", canonical.KindPersona: "personas", canonical.KindCharacter: "characters",
	canonical.KindPreset: "presets", canonical.KindRegex: "regex", canonical.KindQuickReply: "quick-replies",
}

// softMemory is where the collector starts to work harder: what an import holds at a time is far less, and garbage should
// not pile up to several times that.
const softMemory = 144 << 20

// Run imports.
func (c *importCmd) Run(s *streams) error {
	lim := limits.Backup()
	if c.Limits != "backup" {
		lim, _ = limits.Named(c.Limits)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(softMemory))
	}
	engine := convert.New()
	if _, err := engine.Registry.Target(c.To, canonical.KindCharacter); fault.Is(err, fault.UnknownTarget) {
		return err
	}
	f, err := s.open(c.File, lim)
	if err != nil {
		return err
	}
	defer f.close()
	scratch, drop, err := newScratch()
	if err != nil {
		return err
	}
	defer drop()
	b, err := engine.ImportBackup(f.src, convert.BackupOptions{Name: f.name, Limits: lim, Scratch: scratch})
	if err != nil {
		return err
	}
	asked := c.Out
	if asked == "" {
		asked = "import"
		if f.name != "" {
			asked = convert.FileName(strings.TrimSuffix(f.name, filepath.Ext(f.name)), "")
		}
	}
	w, err := c.place(asked, f)
	if err != nil {
		return err
	}
	out := &imported{Path: asked, To: c.To, Files: []importedFile{}, Failed: []unwritten{}, Report: b.Report()}
	if err := c.writeAll(s, b, f, w, out); err != nil {
		w.abandon()
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	if c.JSON || c.Report == "json" {
		if err := s.writeJSON(out); err != nil {
			return err
		}
	} else {
		out.write(s.out)
	}
	if n := out.Report.FailedRows + int64(len(out.Failed)); c.Strict && n > 0 {
		return fault.New(fault.Damaged, "", "%s could not be imported; all others were", fault.Amount(n, "rows or pieces"))
	}
	return nil
}

// progressEvery is how often the progress is told.
const progressEvery = 2 * time.Second

func (c *importCmd) writeAll(s *streams, b *convert.Backup, f *file, w sink, out *imported) error {
	names := map[string]*convert.Names{}
	told := time.Now()
	o := convert.Options{Name: f.name, To: c.To, SkipReport: c.To == "lumiverse" || c.To == "bunzai"}
	var fatal error
	err := b.Each(func(p *convert.BackupPiece) bool {
		name := convert.NameOf(p.Entity, "")
		failed := func(err error) {
			out.Failed = append(out.Failed, unwritten{p.Entity.Kind, name, p.RowID, fault.As(err).Error()})
		}
		files, note, err := b.Emit(p, o)
		if err != nil {
			failed(err)
			return true
		}
		dir := folders[p.Entity.Kind]
		if names[dir] == nil {
			names[dir] = &convert.Names{}
		}
		for i, x := range files {
			path := dir + "/" + names[dir].Take(x.FileName, x.Ext)
			if err := w.put(path, x.Data); err != nil {
				if isDisk(err) {
					fatal = err
					return false
				}
				failed(err)
				return true
			}
			one := importedFile{Path: path, Kind: p.Entity.Kind, Name: name, Size: x.Data.Size(), Row: p.RowID, Note: note}
			if x.Report != nil && i == 0 {
				one.Lost = x.Report.Counts.Lost
			}
			out.Files = append(out.Files, one)
		}
		if time.Since(told) > progressEvery {
			told = time.Now()
			fmt.Fprintf(s.err, "%s: %s written\n", dir, fault.Amount(int64(len(out.Files)), "files"))
		}
		return true
	})
	if fatal != nil {
		return fatal
	}
	return err
}

// write prints the report for people.
func (r *imported) write(w io.Writer) {
	rep := r.Report
	n := rep.Imported
	fmt.Fprintf(w, "%s, schema %d -> %s: %s\n", rep.Source.Label, rep.SchemaVersion, clean(r.Path), fault.Amount(int64(len(r.Files)), "files"))
	fmt.Fprintf(w, "imported: %d characters, %d lorebooks with %d entries, %d personas, %d presets, %d regex sets with %d rules\n",
		n.Characters, n.Lorebooks, n.LorebookEntries, n.Personas, n.Presets, n.RegexSets, n.RegexRules)
	part := func(title string, total int64, rows func(t *table)) {
		if total == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s: %d\n", title, total)
		t := &table{}
		rows(t)
		t.write(w, "  ")
	}
	row := func(n int64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("row %d", n)
	}
	part("rows that failed", rep.FailedRows, func(t *table) {
		for _, x := range some(rep.Failed) {
			t.row(x.Table, row(x.Row), x.ID, x.Reason)
		}
	})
	part("pieces that could not be written", int64(len(r.Failed)), func(t *table) {
		for _, x := range some(r.Failed) {
			t.row(string(x.Kind), x.Name, x.Reason)
		}
	})
	part("missing pictures", int64(len(rep.MissingBinaries)), func(t *table) {
		for _, x := range some(rep.MissingBinaries) {
			t.row(x.Table, row(x.Row), x.Field, x.Name, x.Reason)
		}
	})
	part("links to what is not in the archive", int64(len(rep.UnresolvedLinks)), func(t *table) {
		for _, x := range some(rep.UnresolvedLinks) {
			t.row(x.Table, row(x.Row), x.Field, x.Target)
		}
	})
	part("tables that were left out", int64(len(rep.SkippedTables)), func(t *table) {
		for _, x := range rep.SkippedTables {
			rows := ""
			if x.Rows >= 0 {
				rows = fault.Amount(x.Rows, "rows")
			}
			t.row(x.Table, rows, x.Reason)
		}
	})
	notes := map[string]int{}
	var order []string
	lossy := 0
	for _, f := range r.Files {
		if f.Note != "" {
			if notes[f.Note] == 0 {
				order = append(order, f.Note)
			}
			notes[f.Note]++
		}
		if f.Lost > 0 {
			lossy++
		}
	}
	for _, x := range order {
		fmt.Fprintf(w, "note: %s (%s)\n", clean(x), fault.Amount(int64(notes[x]), "files"))
	}
	if lossy > 0 {
		fmt.Fprintf(w, "note: %s lose something that %s has no place for; --report json says how much, bunzai convert says what\n", fault.Amount(int64(lossy), "files"), clean(r.To))
	}
	for _, x := range some(rep.Warnings) {
		fmt.Fprintln(w, "note:", clean(x))
	}
	if k := len(rep.Warnings) - shownRows; k > 0 {
		fmt.Fprintf(w, "note: and %d more; --report json lists them\n", k)
	}
}

// shownRows bounds each list of the report for people.
const shownRows = 40

func some[T any](l []T) []T { return l[:min(len(l), shownRows)] }
