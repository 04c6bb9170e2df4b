package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/wasm/plain"
)

// line is one input of a batch as programs read it: a line of JSON Lines.
type line struct {
	Source    string            `json:"source"`
	Status    status            `json:"status"`
	Path      string            `json:"path"` // in --out-zip the name there; "" when nothing was written
	Size      int64             `json:"size"`
	MediaType string            `json:"mediaType"`
	Container formats.Container `json:"container"`
	Report    *convert.Report   `json:"report"`
	Error     *failure          `json:"error"`
}

// lastLine closes the lines.
type lastLine struct {
	Summary struct {
		Files      int    `json:"files"`
		Converted  int    `json:"converted"`
		Failed     int    `json:"failed"`
		Skipped    int    `json:"skipped"`
		NotStarted int    `json:"notStarted"`
		Hidden     int    `json:"hidden"` // left out, and not among the files
		Output     string `json:"output"` // "" when there is none
	} `json:"summary"`
}

// tally counts what became of the inputs and prints it. It keeps no report longer than it takes to print it.
type tally struct {
	c        *convertCmd
	s        *streams
	progress *progress
	total    int
	done     int
	counts   map[status]int
	reasons  map[status][]reason // the first of each
	lost     groups
	changed  groups
	notes    groups
	raise    int  // files that --limits large might let through
	nothing  bool // no output is kept

	lines io.Writer // JSON Lines, nil for none
	buf   *bufio.Writer
	file  *os.File // the report file under its temporary name
}

type reason struct{ label, text string }

// newTally opens the report file.
func newTally(s *streams, c *convertCmd, total int) (*tally, error) {
	t := &tally{c: c, s: s, total: total, counts: map[status]int{}, reasons: map[status][]reason{}}
	if !c.Quiet {
		t.progress = newProgress(s.err, total)
	}
	var to []io.Writer
	if c.asJSON() {
		to = append(to, s.out)
	}
	if c.ReportFile != "" {
		if info, err := os.Stat(c.ReportFile); err == nil && !c.Force {
			if info.IsDir() {
				return nil, fault.New(fault.BadArgument, "", "%s is a folder; name a file with --report-file", c.ReportFile)
			}
			return nil, fault.New(fault.BadArgument, "", "%s exists; name another file with --report-file, or replace it with --force", c.ReportFile)
		}
		f, err := os.CreateTemp(filepath.Dir(c.ReportFile), temporary+"*")
		if err != nil {
			return nil, cannot("write the report", err)
		}
		t.file = f
		t.buf = bufio.NewWriter(f)
		to = append(to, t.buf)
	}
	if len(to) > 0 {
		t.lines = io.MultiWriter(to...)
	}
	return t, nil
}

// abandon removes the report file.
func (t *tally) abandon() {
	if t.file != nil {
		t.file.Close()
		os.Remove(t.file.Name())
		t.file = nil
	}
}

func (t *tally) print(v any) error {
	if t.lines == nil {
		return nil
	}
	if _, err := t.lines.Write(append(plain.Marshal(v), '\n')); err != nil {
		return cannot("write the report", err)
	}
	return nil
}

// add takes the next outcome, in the order of the plan.
func (t *tally) add(it *item, r *outcome) error {
	t.done++
	t.counts[r.status]++
	l := line{Source: it.label, Status: r.status}
	if r.status == converted {
		l.Path = r.path
		if t.c.OutZip == "" {
			l.Path = filepath.Join(t.c.OutDir, filepath.FromSlash(r.path))
		}
		l.Size, l.MediaType, l.Container, l.Report = r.size, r.out.MediaType, r.out.Container, r.out.Report
		t.group(r.out.Report)
	} else {
		f := fault.As(r.err)
		x := failureOf(f)
		l.Error = &x
		if f.Limit != nil && f.Limit.Raise == limits.Card().Raise {
			t.raise++
		}
		if list := t.reasons[r.status]; len(list) < shownRows {
			t.reasons[r.status] = append(list, reason{brief(it.label, 100), brief(f.Error(), 400)})
		}
	}
	if t.progress != nil {
		t.progress.step(t.done, t.counts[failed], it.label)
	}
	return t.print(l)
}

// group adds the report of one file to what is said of all.
func (t *tally) group(r *convert.Report) {
	seen := map[string]bool{}
	for _, it := range r.Items {
		g := &t.lost
		switch it.Verdict {
		case convert.Lost:
		case convert.Changed:
			g = &t.changed
		default:
			continue
		}
		g.add(seen, string(it.Verdict), general(it), it.Reason)
	}
	for _, w := range r.Warnings {
		t.notes.add(seen, "note", "", w)
	}
}

// general is what an item is about without the number or name that only its own file has: "Entries: comment" for
// "Entry 3 (The inn): comment".
func general(it convert.Item) string {
	if rest, ok := strings.CutPrefix(it.Path, "original."); ok {
		_, rest, _ = strings.Cut(rest, ".")
		if strings.HasPrefix(rest, "files.") {
			return "archive entries that no asset names"
		}
		if rest == "" {
			return "more of what only the source app knows"
		}
		return canonical.Generic(rest)
	}
	generic := canonical.Generic(it.Path)
	if generic == it.Path {
		word, _, _ := strings.Cut(it.Label, ` "`) // Lorebook "Inn"
		return word
	}
	for _, k := range canonical.Kinds() {
		if l := canonical.Label(canonical.NewBody(k), generic); l != generic {
			return l
		}
	}
	return generic
}

// groups counts in how many files something was said.
type groups struct {
	by   map[reason]int // index in list
	list []group
	more int // files whose group is not in the list
}

type group struct {
	reason
	files int
}

// maxGroups bounds the memory for files that each say something else.
const maxGroups = 2000

// add counts a file once for each thing said; seen is the file's own.
func (g *groups) add(seen map[string]bool, verdict, label, text string) {
	k := reason{brief(label, 100), brief(text, 400)}
	id := verdict + "\x00" + k.label + "\x00" + k.text
	if seen[id] {
		return
	}
	seen[id] = true
	if g.by == nil {
		g.by = map[reason]int{}
	}
	i, ok := g.by[k]
	if !ok {
		if len(g.list) >= maxGroups {
			g.more++
			return
		}
		i = len(g.list)
		g.by[k] = i
		g.list = append(g.list, group{reason: k})
	}
	g.list[i].files++
}

// brief is text that is kept until the end, so that the long names of a hostile card cost neither memory nor a page.
func brief(s string, n int) string { return strings.Clone(beginning(s, n)) }

// most is the list with what concerns most files first.
func (g *groups) most() []group {
	sort.SliceStable(g.list, func(i, j int) bool { return g.list[i].files > g.list[j].files })
	return g.list
}

// finish prints the summary and puts the report file in its place.
func (t *tally) finish(p *plan) (err error) {
	if t.progress != nil {
		t.progress.end()
	}
	var last lastLine
	x := &last.Summary
	x.Files, x.Converted, x.Failed, x.Skipped, x.NotStarted, x.Hidden = t.total, t.counts[converted], t.counts[failed], t.counts[skipped], t.total-t.done, p.hidden
	if x.Output = t.c.OutDir + t.c.OutZip; t.nothing {
		x.Output = ""
	}
	err = t.print(last)
	if t.file != nil {
		err = cmp.Or(err, t.buf.Flush(), t.file.Chmod(0o644), t.file.Close())
		if err == nil {
			err = os.Rename(t.file.Name(), t.c.ReportFile)
		}
		if err != nil {
			os.Remove(t.file.Name())
			err = cannot("write the report", err)
		}
	}
	switch {
	case t.c.asJSON():
	case t.c.Quiet:
		t.list(t.s.err, failed)
	default:
		t.write(t.s.out, p)
	}
	return err
}

// write prints the summary for people.
func (t *tally) write(w io.Writer, p *plan) {
	fmt.Fprintf(w, "%s -> %s:", counted(t.total, "file", "files"), clean(t.c.OutDir+t.c.OutZip))
	for i, st := range []status{converted, failed, skipped} {
		fmt.Fprintf(w, "%s %s", []string{"", ",", ","}[i], fault.Amount(int64(t.counts[st]), string(st)))
	}
	if t.done < t.total {
		fmt.Fprintf(w, ", %s", fault.Amount(int64(t.total-t.done), "not begun"))
	}
	fmt.Fprintln(w, p.leftOut("; ", ""))
	if t.nothing && t.counts[converted] > 0 {
		fmt.Fprintf(w, "%s was not written\n", clean(t.c.OutZip))
	}
	t.list(w, failed)
	t.list(w, skipped)
	for _, g := range []struct {
		title string
		*groups
	}{{"lost", &t.lost}, {"changed", &t.changed}, {"notes", &t.notes}} {
		list := g.most()
		t.part(w, g.title, len(list)-len(some(list)), func(tab *table) {
			before := ""
			for _, x := range some(list) {
				text := x.text
				if text != "" && text == before {
					text = "(the same)"
				}
				before = x.text
				if x.label == "" {
					tab.row(counted(x.files, "file", "files"), text)
				} else {
					tab.row(counted(x.files, "file", "files"), x.label, text)
				}
			}
		})
	}
	if t.raise > 0 {
		fmt.Fprintf(w, "\n%s refused by a limit that --limits large raises\n", counted(t.raise, "file was", "files were"))
	}
}

// list prints the files of one status with their reasons.
func (t *tally) list(w io.Writer, st status) {
	t.part(w, string(st), t.counts[st]-len(t.reasons[st]), func(tab *table) {
		for _, r := range t.reasons[st] {
			tab.row(r.label, r.text)
		}
	})
}

// part prints one list of the summary; more is how many rows are left out.
func (t *tally) part(w io.Writer, title string, more int, rows func(*table)) {
	tab := &table{}
	rows(tab)
	if len(tab.rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	tab.write(w, "  ")
	if more > 0 {
		fmt.Fprintf(w, "  and %s; --report-file lists them all\n", fault.Amount(int64(more), "more"))
	}
}
