package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
)

type convertCmd struct {
	unlocking
	Files      []string `arg:"" name:"file" help:"A file, or - for standard input. Several files, folders, ZIPs of cards and quoted patterns (\"cards/**/*.png\") with --out-dir or --out-zip."`
	To         string   `required:"" help:"The app: sillytavern, lumiverse, ... (bunzai formats lists them). The kind of file follows from the input."`
	Out        string   `short:"o" placeholder:"OUT" help:"One file: where to write, as a file, a folder, or - for standard output. Default: the suggested name in the current folder; standard output when the input is standard input."`
	OutDir     string   `placeholder:"DIR" help:"Many files: write all of them below this folder, which is made if need be."`
	OutZip     string   `placeholder:"FILE" help:"Many files: write all of them into this one ZIP."`
	NameBy     string   `enum:"file,card" default:"file" help:"Many files: name each output after its input file or after its card: file or card."`
	Jobs       int      `short:"j" placeholder:"N" help:"Many files: how many to convert at a time. Default: one for each processor. The output is the same."`
	ReportFile string   `placeholder:"FILE" help:"Many files: write what became of every part of each to this file, as JSON Lines."`
	Quiet      bool     `short:"q" help:"Print no progress and no report, only what went wrong."`
	Container  string   `enum:",${containers}" default:"" placeholder:"KIND" help:"Kind of file: ${containers}. Default: what the ending of OUT says, else the source's where the app writes it."`
	Spec       string   `placeholder:"v2|v3" help:"Card version, where the app has several."`
	Report     string   `enum:"text,json" default:"text" help:"Form of the report: text or json; of many files, json is one line for each."`
	JSON       bool     `name:"json" help:"The same as --report json."`
	Limits     string   `enum:"card,large" default:"card" help:"Bounds on what a file may cost: card (any usual card) or large (archives with thousands of pictures)."`
	AllowLoss  bool     `help:"Write even where archive content would be dropped."`
	Strict     bool     `help:"Refuse to write when anything would be lost; of many files, only those."`
	Force      bool     `help:"Replace existing output files. The inputs are never replaced."`
	All        bool     `help:"One file: list what is simply carried, too."`
}

func (c *convertCmd) asJSON() bool { return c.JSON || c.Report == "json" }

// result is the report as programs read it; the same shape as Conversion of js/src/types.ts, with the path.
type result struct {
	Path      string            `json:"path"` // "-" for standard output
	Size      int64             `json:"size"`
	FileName  string            `json:"fileName"`
	MediaType string            `json:"mediaType"`
	Container formats.Container `json:"container"`
	Report    *convert.Report   `json:"report"`
}

// Run converts one file, or many.
func (c *convertCmd) Run(s *streams) error {
	lim, _ := limits.Named(c.Limits)
	o := convert.Options{Limits: lim, To: c.To, Container: formats.Container(c.Container), Spec: c.Spec, AllowLoss: c.AllowLoss, Password: c.Password}
	if c.OutDir != "" || c.OutZip != "" {
		return c.runBatch(s, o)
	}
	many := "several files"
	if len(c.Files) == 1 {
		path := c.Files[0]
		info, err := os.Stat(path)
		switch {
		case err == nil && info.IsDir():
			many = path + ", a folder,"
		case path != "-" && os.IsNotExist(err) && isPattern(path):
			many = path + ", a pattern,"
		default:
			return c.runOne(s, path, o)
		}
	}
	return fault.New(fault.BadArgument, "", "say where to write what comes of %s with --out-dir DIR or --out-zip FILE.zip", many)
}

// endingOf is the kind of file that the ending of a path asks for; "" when it says none.
func endingOf(path string) formats.Container {
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	switch ending {
	case "jpg":
		ending = string(formats.JPEG)
	case "yml":
		ending = string(formats.YAML)
	}
	if slices.Contains(formats.Containers(), ending) {
		return formats.Container(ending)
	}
	return ""
}

// fits refuses a file whose ending says another kind than it is: apps go by the ending.
func (c *convertCmd) fits(out *convert.Output) error {
	want := endingOf(c.Out)
	if info, err := os.Stat(c.Out); want == "" || want == out.Container || c.Container != "" || err == nil && info.IsDir() {
		return nil
	}
	return fault.New(fault.BadArgument, "", "the ending of %s asks for the kind %s, and what comes of this is %s; name it %s, or say what you want with --container", c.Out, want, out.Container, out.Ext)
}

// runOne converts one file. The report goes to standard output, or to standard error when the data goes there.
func (c *convertCmd) runOne(s *streams, path string, o convert.Options) error {
	if c.ReportFile != "" {
		return fault.New(fault.BadArgument, "", "--report-file is for many files, with --out-dir or --out-zip; --report json prints the whole report of one")
	}
	f, err := s.open(path, o.Limits)
	if err != nil {
		return err
	}
	defer f.close()
	o.Name = f.name
	if o.Container == "" {
		o.Container = endingOf(c.Out)
	}
	engine := convert.New()
	out, err := engine.Convert(f.src, o)
	if fault.Is(err, fault.NotRecognized) && engine.OpenPack(f.src, o) != nil {
		return fault.New(fault.NotRecognized, "", "this is a ZIP with files in it and no card itself; to convert the cards inside, say where to write them with --out-dir DIR or --out-zip FILE.zip")
	}
	if err != nil {
		return err
	}
	if err := c.fits(out); err != nil {
		return err
	}
	asked := c.Out
	if asked == "" && path == "-" {
		asked = "-"
	}
	return c.write(s, out, asked, f)
}

// write puts a result where it was asked for, unless --strict refuses it, and prints the report.
func (c *convertCmd) write(s *streams, out *convert.Output, asked string, in *file) error {
	if lost := out.Report.Counts.Lost; c.Strict && lost > 0 {
		return refuse(out.Report)
	}
	reportTo := s.out
	path := "-"
	if asked == "-" {
		reportTo = s.err
		if _, err := out.Data.WriteTo(s.out); err != nil {
			return cannot("write to standard output", err)
		}
	} else {
		d, err := place(asked, out.FileName, in, c.Force)
		if err != nil {
			return err
		}
		if err := publish(d, out.Data); err != nil {
			return err
		}
		path = d.path
	}
	if c.asJSON() {
		s = &streams{out: reportTo}
		return s.writeJSON(result{path, out.Data.Size(), out.FileName, out.MediaType, out.Container, out.Report})
	}
	if c.Quiet {
		return nil
	}
	writeReport(reportTo, out.Report, path, out.Data.Size(), c.All)
	return nil
}

// lossError marks the refusal of --strict.
type lossError struct{ refusal *fault.Error }

func (e *lossError) Error() string { return e.refusal.Error() }
func (e *lossError) Unwrap() error { return e.refusal }

func refuse(r *convert.Report) error {
	var names []string
	for _, it := range r.Items {
		if it.Verdict == convert.Lost {
			names = append(names, it.Label)
		}
	}
	more := ""
	if len(names) > 12 {
		more = fmt.Sprintf(" and %d more", len(names)-12)
		names = names[:12]
	}
	return &lossError{fault.New(fault.WouldLose, "", "nothing was written: %s would lose %s%s", r.To.AppLabel, strings.Join(names, "; "), more)}
}

// writeReport prints the report for people: what is lost first, with before and after; what is carried only as a count.
func writeReport(w io.Writer, r *convert.Report, path string, size int64, all bool) {
	from := r.From.AppLabel
	if r.From.Variant != "" {
		from += " " + r.From.Variant
	}
	fmt.Fprintf(w, "%s (%s) -> %s (%s)", clean(from), r.From.Container, clean(r.To.AppLabel), r.To.Container)
	if path != "-" {
		fmt.Fprintf(w, ": %s, %s", clean(path), fault.Amount(size, "bytes"))
	}
	n := r.Counts
	fmt.Fprintf(w, "\n%d lost, %d changed, %d parked, %d carried\n", n.Lost, n.Changed, n.Parked, n.Carried)
	t := &table{}
	for _, it := range r.Items {
		if it.Verdict == convert.Carried && !all {
			continue
		}
		last := it.Reason
		if it.Verdict == convert.Changed {
			last = fmt.Sprintf("%s -> %s", value(it.Before), value(it.After))
			if it.Reason != "" {
				last += "; " + it.Reason
			}
		}
		t.row(string(it.Verdict), it.Label, it.Wire, last)
	}
	if len(t.rows) > 0 {
		fmt.Fprintln(w)
		t.write(w, "")
	}
	for _, x := range r.Warnings {
		fmt.Fprintln(w, "note:", clean(x))
	}
}

func value(s *string) string {
	if s == nil {
		return "nothing"
	}
	return "\"" + beginning(*s, 40) + "\""
}
