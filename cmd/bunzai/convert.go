package main

import (
	"fmt"
	"io"
	"strings"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
)

type convertCmd struct {
	reading
	To        string `required:"" help:"The app: sillytavern, lumiverse, ... (bunzai formats lists them). The kind of file follows from the input."`
	Out       string `short:"o" placeholder:"OUT" help:"Where to write: a file, a folder, or - for standard output. Default: the suggested name in the current folder; standard output when the input is standard input."`
	Container string `enum:",png,json,charx" default:"" help:"Kind of file: png, json or charx. Default: the source's where the app writes it."`
	Spec      string `placeholder:"v2|v3" help:"Card version, where the app has several."`
	Report    string `enum:"text,json" default:"text" help:"Form of the report: text or json."`
	JSON      bool   `name:"json" help:"The same as --report json."`
	AllowLoss bool   `help:"Write even where archive content would be dropped."`
	Strict    bool   `help:"Refuse to write when anything would be lost."`
	Force     bool   `help:"Replace an existing output file."`
	All       bool   `help:"List what is simply carried, too."`
}

// result is the report as programs read it; the same shape as Conversion of js/src/types.ts, with the path.
type result struct {
	Path      string            `json:"path"` // "-" for standard output
	Size      int64             `json:"size"`
	FileName  string            `json:"fileName"`
	MediaType string            `json:"mediaType"`
	Container formats.Container `json:"container"`
	Report    *convert.Report   `json:"report"`
}

// Run converts. The report goes to standard output, or to standard error when the data goes there.
func (c *convertCmd) Run(s *streams) error {
	f, o, err := c.open(s)
	if err != nil {
		return err
	}
	defer f.close()
	o.To, o.Container, o.Spec, o.AllowLoss = c.To, formats.Container(c.Container), c.Spec, c.AllowLoss
	out, err := convert.New().Convert(f.src, o)
	if err != nil {
		return err
	}
	asked := c.Out
	if asked == "" && c.File == "-" {
		asked = "-"
	}
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
		d, err := place(asked, out.FileName, f, c.Force)
		if err != nil {
			return err
		}
		if err := publish(d, out.Data); err != nil {
			return err
		}
		path = d.path
	}
	if c.JSON || c.Report == "json" {
		s = &streams{out: reportTo}
		return s.writeJSON(result{path, out.Data.Size(), out.FileName, out.MediaType, out.Container, out.Report})
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
