package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	slash "path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
)

// batch converts many files. Workers convert side by side, each holding one card; names are given, and results told, in
// the order of the plan, so that the output does not depend on how many there are.
type batch struct {
	c      *convertCmd
	s      *streams
	o      convert.Options
	engine *convert.Engine
	plan   *plan
	to     sink
	zip    bool // the sink takes one file at a time, in order
	tally  *tally
	named  turns
	told   turns
	stop   context.CancelCauseFunc // with what makes going on useless
}

// outcome is what became of one input.
type outcome struct {
	status status
	path   string // below the output
	out    *convert.Output
	size   int64
	err    error
	f      *file // open until the result is written
}

type status string

const (
	converted status = "converted"
	failed    status = "failed"
	skipped   status = "skipped" // no card: nothing is lost by leaving it
)

// runBatch converts everything that the arguments name into one folder or one ZIP.
func (c *convertCmd) runBatch(s *streams, o convert.Options) (err error) {
	switch {
	case c.OutDir != "" && c.OutZip != "":
		return fault.New(fault.BadArgument, "", "--out-dir and --out-zip exclude each other")
	case c.Out != "":
		return fault.New(fault.BadArgument, "", "-o names one file; with several they go into --out-dir DIR or --out-zip FILE.zip alone")
	case c.OutZip == "-":
		return fault.New(fault.BadArgument, "", "--out-zip needs a file; a ZIP of several cards cannot go to standard output")
	case c.Jobs < 0:
		return fault.New(fault.BadArgument, "", "--jobs must be 1 or more")
	}
	engine := convert.New()
	if _, err := engine.Registry.Target(c.To, canonical.KindCharacter); fault.Is(err, fault.UnknownTarget) {
		return err
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(softMemory))
	}
	b := &batch{c: c, s: s, o: o, engine: engine, plan: newPlan(s, engine, o.Limits)}
	if err := c.possible(engine); err != nil {
		return err
	}
	for _, path := range []string{c.OutDir, c.OutZip, c.ReportFile} {
		if info, err := os.Stat(path); err == nil && !b.isInput(path, info) {
			b.plan.not = append(b.plan.not, info)
		}
	}
	for _, arg := range c.Files {
		if err := b.plan.take(arg, len(c.Files) == 1); err != nil {
			return err
		}
	}
	if err := b.plan.spares(c.ReportFile, "--report-file"); err != nil {
		return err
	}
	if err := b.plan.spares(c.OutZip, "--out-zip"); err != nil {
		return err
	}
	if err := b.plan.hopeless(); err != nil {
		return err
	}
	if err := b.open(); err != nil {
		return err
	}
	inner, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	ctx, unhook := signal.NotifyContext(inner, os.Interrupt, syscall.SIGTERM)
	defer unhook()
	context.AfterFunc(ctx, unhook) // a second Ctrl-C ends the program at once
	b.stop = stop
	b.work(ctx)
	return b.finish(ctx.Err() != nil, context.Cause(inner))
}

// possible refuses a container or a version that no file of the app has, before anything is read.
func (c *convertCmd) possible(engine *convert.Engine) error {
	if c.OutZip != "" && c.ReportFile != "" && filepath.Clean(c.OutZip) == filepath.Clean(c.ReportFile) {
		return fault.New(fault.BadArgument, "", "--out-zip and --report-file name the same file")
	}
	container, spec := c.Container == "", c.Spec == ""
	for _, x := range engine.Registry.Codecs() {
		i := x.Info()
		spec = spec || slices.Contains(i.Specs, c.Spec) // an app may take another one of a card of its own
		if i.App != c.To && i.ID != c.To {
			continue
		}
		_, back := x.(formats.Returner)
		container = container || back || slices.Contains(i.Containers, formats.Container(c.Container))
	}
	switch {
	case !container:
		return fault.New(fault.UnknownTarget, "", "%s has no files of the kind %q", c.To, c.Container)
	case !spec:
		return fault.New(fault.UnknownTarget, "", "there is no version %q of cards; known are v2 and v3", c.Spec)
	}
	return nil
}

// isInput tells a card, which is never overwritten, from what an earlier run may have written to the same place.
func (b *batch) isInput(path string, info os.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	f, err := b.s.open(path, b.o.Limits)
	if err != nil {
		return true
	}
	defer f.close()
	d, err := b.engine.Detect(f.src, b.o)
	return err != nil || d.Winner != nil
}

// spares refuses to write to one of the inputs.
func (p *plan) spares(path, flag string) error {
	if info, err := os.Lstat(path); path == "" || err != nil || !p.seen.has(path, info) {
		return nil
	}
	return fault.New(fault.BadArgument, "", "%s is one of the inputs, which are never overwritten; name another file with %s", path, flag)
}

// hopeless reports a plan in which nothing can be opened.
func (p *plan) hopeless() error {
	var first error
	for _, it := range p.items {
		if !fault.Is(it.err, fault.BadArgument) {
			return nil
		}
		if first == nil {
			first = it.err
		}
	}
	if first == nil {
		return fault.New(fault.NoCard, "", "there is no file to read%s", p.leftOut(" (", ")"))
	}
	return first
}

// leftOut says in words what the plan has not taken, "" for nothing.
func (p *plan) leftOut(before, after string) string {
	if p.hidden == 0 {
		return ""
	}
	return before + counted(p.hidden, "hidden file or folder was", "hidden files or folders were") + " left out" + after
}

// open makes the output and the report.
func (b *batch) open() (err error) {
	c := b.c
	if b.tally, err = newTally(b.s, c, len(b.plan.items)); err != nil {
		return err
	}
	if c.OutZip != "" {
		b.zip = true
		b.to, err = openZip(c.OutZip, "cards.zip", &file{}, c.Force)
	} else {
		var f *folderSink
		if f, err = openFolder(c.OutDir); err == nil {
			f.keep, f.guarded = !c.Force, b.plan.seen
			b.to = f
		}
	}
	if err != nil {
		b.tally.abandon()
	}
	return err
}

// work runs the workers to the end of the plan, or until ctx ends; what was begun is then still finished.
func (b *batch) work(ctx context.Context) {
	jobs := b.c.Jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	todo := make(chan int)
	var all sync.WaitGroup
	for range min(jobs, len(b.plan.items)) {
		all.Go(func() {
			for i := range todo {
				b.one(i)
			}
		})
	}
	for i := range b.plan.items {
		if ctx.Err() != nil {
			break
		}
		select {
		case todo <- i:
		case <-ctx.Done():
		}
	}
	close(todo)
	all.Wait()
}

// one converts, names, writes and tells of one input.
func (b *batch) one(i int) {
	it := &b.plan.items[i]
	r := b.convert(it)
	b.named.wait(i)
	if r.err == nil {
		r.path = slash.Join(it.dir, b.name(it, r.out))
		if b.zip {
			b.put(r)
		}
	}
	b.named.done()
	if r.err == nil && !b.zip {
		b.put(r)
	}
	if r.f != nil {
		r.f.close()
	}
	b.told.wait(i)
	if err := b.tally.add(it, r); err != nil {
		b.stop(err)
	}
	b.told.done()
}

// name is the output's name in its folder: the input's with the new extension, or the card's own.
func (b *batch) name(it *item, out *convert.Output) string {
	ext := out.Ext
	name := out.FileName
	if b.c.NameBy == "file" && it.base != "" {
		name = convert.FileName(stem(it.base), ext)
	}
	return b.plan.namesOf(it.dir).Take(name, ext)
}

// put writes one result. A full disk ends the batch, since every further file would hit it too.
func (b *batch) put(r *outcome) {
	err := b.to.put(r.path, r.out.Data)
	if err == nil {
		return
	}
	r.status, r.err = failed, err
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS)
	if isDisk(err) && (full || b.zip) {
		b.stop(err)
	}
}

// convert opens and converts one input; nothing of it can end the batch.
func (b *batch) convert(it *item) (r *outcome) {
	r = &outcome{}
	defer func() {
		if x := recover(); x != nil {
			r.err = fault.New(fault.Internal, "", "bunzai itself failed at this file, please report it: %v", x)
		}
		if r.status = converted; r.err != nil {
			r.status = failed
			if it.skip || (it.err == nil && b.noCard(r)) {
				r.status = skipped
			}
			r.out = nil
		}
	}()
	var warnings []string
	if r.f, warnings, r.err = b.plan.open(it); r.err != nil {
		return r
	}
	o := b.o
	o.Name = r.f.name
	if r.out, r.err = b.engine.Convert(r.f.src, o); r.err != nil {
		if it.pack != nil && startsWith(r.f.src, "PK") && fault.Is(r.err, fault.NotRecognized) {
			r.err = fault.New(fault.NotRecognized, "", "this is a ZIP inside a ZIP and no card; ZIPs in a ZIP are not opened")
		}
		return r
	}
	r.size = r.out.Data.Size()
	r.out.Report.Warnings = append(r.out.Report.Warnings, warnings...)
	if b.c.Strict && r.out.Report.Counts.Lost > 0 {
		r.err = refuse(r.out.Report)
	}
	return r
}

// noCard tells a file that is no card at all from one that is and cannot be converted.
func (b *batch) noCard(r *outcome) bool {
	switch fault.As(r.err).Code {
	case fault.NotRecognized, fault.NoCard:
		return true
	case fault.Unsupported:
		if r.f == nil {
			return false
		}
		d, err := b.engine.Detect(r.f.src, b.o)
		return err == nil && d.Winner == nil && d.Kind != "png" && d.Kind != "zip" && d.Kind != "json"
	}
	return false
}

// startsWith looks at the first bytes.
func startsWith(src io.ReaderAt, head string) bool {
	got := make([]byte, len(head))
	n, _ := src.ReadAt(got, 0)
	return string(got[:n]) == head
}

// finish closes the output and says how it went; fatal is what made going on useless. The output ZIP of a batch that was
// stopped is not kept.
func (b *batch) finish(stopped bool, fatal error) error {
	t := b.tally
	stopped = stopped && t.done < len(b.plan.items)
	if b.zip && (stopped || fatal != nil || t.counts[converted] == 0) {
		b.to.abandon()
		t.nothing = true
	} else if err := b.to.finish(); err != nil {
		t.nothing = b.zip
		fatal = err
	}
	if err := t.finish(b.plan); err != nil && fatal == nil {
		fatal = err
	}
	n := len(b.plan.items)
	switch {
	case fatal != nil:
		return fatal
	case stopped:
		return fault.New(fault.Cancelled, "", "stopped after %d of %s", t.done, counted(n, "file", "files"))
	case t.counts[failed] > 0:
		return fault.New(fault.Damaged, "", "%d of %s could not be converted", t.counts[failed], counted(n, "file", "files"))
	case t.counts[converted] == 0:
		return fault.New(fault.NoCard, "", "there is no card among %s", counted(n, "file", "files"))
	}
	return nil
}

// turns lets workers pass one by one, in the order of the plan.
type turns struct {
	mu   sync.Mutex
	cond *sync.Cond
	next int
}

func (t *turns) wait(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cond == nil {
		t.cond = sync.NewCond(&t.mu)
	}
	for t.next != i {
		t.cond.Wait()
	}
}

func (t *turns) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	t.cond.Broadcast()
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fault.Amount(int64(n), many)
}
