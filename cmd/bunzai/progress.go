package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress tells how far a batch is: a bar on a terminal, else a line now and then.
type progress struct {
	w     io.Writer
	total int
	bar   bool
	every time.Duration
	last  time.Time
	drawn bool
}

func newProgress(w io.Writer, total int) *progress {
	p := &progress{w: w, total: total, every: progressEvery, last: time.Now()}
	if isTerminal(w) && os.Getenv("TERM") != "dumb" {
		p.bar, p.every, p.last = true, 100*time.Millisecond, time.Time{}
	}
	return p
}

// isTerminal reports a character device. That is also said of /dev/null, where a bar does no harm.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

const barCells = 24

// step tells of the state after a file, unless something was told a moment ago.
func (p *progress) step(done, failed int, label string) {
	if time.Since(p.last) < p.every {
		return
	}
	p.last = time.Now()
	bad := ""
	if failed > 0 {
		bad = fmt.Sprintf(", %d failed", failed)
	}
	if !p.bar {
		fmt.Fprintf(p.w, "%d of %d files%s\n", done, p.total, bad)
		return
	}
	full := barCells * done / max(p.total, 1)
	text := fmt.Sprintf("[%s%s] %d/%d%s  %s", strings.Repeat("#", full), strings.Repeat(".", barCells-full), done, p.total, bad, clean(label))
	fmt.Fprintf(p.w, "\r%-78s", cut(text, 78))
	p.drawn = true
}

// end takes the bar away.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprintf(p.w, "\r%78s\r", "")
	}
}
