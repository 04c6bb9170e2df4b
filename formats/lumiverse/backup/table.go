package backup

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
)

// errStop ends the reading of a table because nobody wants more.
var errStop = errors.New("stop")

// lines reads a table line by line; n counts from 1 and skips nothing. A line over the limit comes as nil. The bytes
// belong to fn. An error is the table's: it breaks off there.
func (a *archive) lines(table string, fn func(n int64, line []byte) error) error {
	e := a.tables[table]
	if e == nil {
		return nil
	}
	if a.twice[table] {
		return fault.New(fault.Ambiguous, "entry "+e.Path, "the archive has this table more than once and nothing says which one counts")
	}
	src, err := e.Stream()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(src, 128<<10)
	var line []byte
	over := false
	for n := int64(1); ; {
		part, err := r.ReadSlice('\n')
		if !over {
			if int64(len(line)+len(part)) > a.manifest.lines+2 { // the break is not part of the row
				over, line = true, nil
			} else {
				line = append(line, part...)
			}
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		text := bytes.TrimSpace(line)
		if over || int64(len(text)) > a.manifest.lines {
			if ferr := fn(n, nil); ferr != nil {
				return ferr
			}
		} else if len(text) > 0 {
			if ferr := fn(n, text); ferr != nil {
				return ferr
			}
		}
		if err == io.EOF {
			return nil
		}
		line, over = nil, false
		n++
	}
}

// countLines counts the rows of a table.
func (a *archive) countLines(table string) (n int64, err error) {
	e := a.tables[table]
	src, err := e.Stream()
	if err != nil {
		return 0, err
	}
	buf := make([]byte, 64<<10)
	last := byte('\n')
	for {
		k, err := src.Read(buf)
		n += int64(bytes.Count(buf[:k], []byte("\n")))
		if k > 0 {
			last = buf[k-1]
		}
		if err == io.EOF {
			if last != '\n' {
				n++
			}
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// row is one row of a table.
type row struct {
	a     *archive
	table string
	n     int64
	id    string
	v     *jsondoc.Value
	used  map[string]bool
	left  *jsondoc.Value // columns that could not be read, as they are
}

// rows reads a table row by row. Rows that cannot be read, and what fn cannot use, become failed rows; repeated ids are
// taken once. It returns false when fn gave errStop.
func (a *archive) rows(table string, fn func(r *row) error) bool {
	seen := map[[16]byte]uint64{}
	repeated, differ := int64(0), int64(0)
	err := a.lines(table, func(n int64, line []byte) error {
		r, err := a.parse(table, n, line)
		if err != nil {
			a.fail(table, n, "", err)
			return nil
		}
		if r.id != "" {
			k, s := sha256.Sum256([]byte(r.id)), sha256.Sum256(line)
			key, h := [16]byte(k[:16]), binary.LittleEndian.Uint64(s[:8])
			if was, ok := seen[key]; ok {
				repeated++
				if was != h {
					differ++
				}
				return nil
			}
			seen[key] = h
		}
		return a.guard(r, fn)
	})
	if repeated > 0 {
		words := "was there before, and was taken once"
		if differ > 0 {
			words += fmt.Sprintf("; %d of them said something else than the first, which counts", differ)
		}
		a.warn("table %s: %s with an id that %s", table, fault.Amount(repeated, "rows"), words)
	}
	if err == errStop {
		return false
	}
	if err != nil {
		a.fail(table, 0, "", fault.New(fault.As(err).Code, "", "the table breaks off here, and the rest of it is missing: %s", fault.As(err).Error()))
	}
	return true
}

// guard keeps a row that nobody foresaw from ending the import.
func (a *archive) guard(r *row, fn func(r *row) error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			a.fail(r.table, r.n, r.id, fault.New(fault.Internal, "", "bunzai itself failed at this row (%v); please report it", x))
			err = nil
		}
	}()
	if err := fn(r); err == errStop {
		return err
	} else if err != nil {
		a.fail(r.table, r.n, r.id, err)
	}
	return nil
}

// parse reads one line. Nil stands for a line that is over the limit.
func (a *archive) parse(table string, n int64, line []byte) (*row, error) {
	if line == nil {
		return nil, fault.New(fault.OverLimit, "", "the row has more than %s, the most that a row of this archive may have", fault.Amount(a.manifest.lines, "bytes"))
	}
	d, err := jsondoc.Parse(line, a.lim)
	if err != nil {
		return nil, err
	}
	if d.Root.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, "", "a row must be an object, and this is %s", d.Root.Kind().String())
	}
	r := &row{a: a, table: table, n: n, v: d.Root, used: map[string]bool{"user_id": true}, left: jsondoc.Object()}
	if id := d.Root.Get("id"); id != nil {
		if s, ok := id.Text(); ok {
			r.id = s
		} else if s, ok := id.Num(); ok {
			r.id = s
		}
	}
	return r, nil
}

// needID is the check of tables whose rows are named by others.
func (r *row) needID() error {
	if r.id == "" {
		return fault.New(fault.Damaged, "id", "the row has no id")
	}
	return nil
}

// text is a text column; ok is false for null, a missing one, and what is no text.
func (r *row) text(col string) (s string, ok bool) {
	r.used[col] = true
	v := r.v.Get(col)
	if s, ok := v.Text(); ok {
		return s, true
	}
	if s, ok := v.Num(); ok { // SQLite gives a number back that was put into a text column without a type
		return s, true
	}
	if v != nil && !v.IsNull() {
		r.odd(col, "is "+v.Kind().String()+" where a text is expected")
	}
	return "", false
}

// flag is a 0/1 column.
func (r *row) flag(col string) (on, ok bool) {
	r.used[col] = true
	v := r.v.Get(col)
	if b, ok := v.Bool(); ok {
		return b, true
	}
	if f, ok := v.Float(); ok {
		return f != 0, true
	}
	if v != nil && !v.IsNull() {
		r.odd(col, "is "+v.Kind().String()+" where 0 or 1 is expected")
	}
	return false, false
}

// plain is a column as it is: a number, a text, null; nil when it is missing.
func (r *row) plain(col string) *jsondoc.Value {
	r.used[col] = true
	return r.v.Get(col)
}

// json is a column that holds JSON as text; nil for null and a missing one. One that cannot be read, or is of another
// kind, is an error that names the column.
func (r *row) json(col string, kind jsondoc.Kind) (*jsondoc.Value, error) {
	r.used[col] = true
	v := r.v.Get(col)
	if v == nil || v.IsNull() {
		return nil, nil
	}
	if s, ok := v.Text(); ok {
		if s == "" {
			return nil, nil
		}
		d, err := jsondoc.Parse([]byte(s), r.a.lim)
		if err != nil {
			return nil, fault.At(err, col)
		}
		v = d.Root
	}
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != kind {
		return nil, fault.New(fault.Damaged, col, "the column holds %s where %s is expected", v.Kind().String(), kind.String())
	}
	return v, nil
}

// soft is json for a column that the row can do without: what cannot be read is kept as it is, with a warning.
func (r *row) soft(col string, kind jsondoc.Kind) *jsondoc.Value {
	v, err := r.json(col, kind)
	if err != nil {
		r.odd(col, "cannot be read ("+fault.As(err).Message+")")
		return nil
	}
	return v
}

// odd keeps a column for escrow and warns.
func (r *row) odd(col, what string) {
	if r.left.Has(col) {
		return
	}
	r.left.Set(col, r.v.Get(col))
	r.warn("the column %s %s; it is kept as it is", col, what)
}

func (r *row) warn(format string, args ...any) {
	r.a.warn("%s: %s", r.where(), fmt.Sprintf(format, args...))
}

// where names the row in a message.
func (r *row) where() string {
	name, _ := r.v.Get("name").Text()
	s := fmt.Sprintf("table %s, row %d", r.table, r.n)
	if name != "" {
		s += " (" + formats.Shown(name) + ")"
	}
	return s
}

// leftover is what of the row has no place in the object that the app exports.
func (r *row) leftover() *jsondoc.Value {
	out := jsondoc.Object()
	for k, v := range r.v.Members() {
		if !r.used[k] || r.left.Has(k) {
			out.Set(k, v)
		}
	}
	for k, v := range r.left.Members() {
		out.Set(k, v)
	}
	return out
}

func (a *archive) warn(format string, args ...any) {
	if len(a.report.Warnings) >= formats.MaxBackupNotes {
		a.report.Cut = true
		return
	}
	a.report.Warnings = append(a.report.Warnings, fmt.Sprintf(format, args...))
}

func (a *archive) fail(table string, n int64, id string, err error) {
	a.report.FailedRows++
	if len(a.report.Failed) >= formats.MaxBackupNotes {
		a.report.Cut = true
		return
	}
	a.report.Failed = append(a.report.Failed, formats.FailedRow{Table: table, Row: n, ID: formats.Shown(id), Reason: fault.As(err).Error()})
}

func (r *row) unresolved(field, target string) {
	l := &r.a.report.UnresolvedLinks
	if len(*l) >= formats.MaxBackupNotes {
		r.a.report.Cut = true
		return
	}
	*l = append(*l, formats.UnresolvedLink{Table: r.table, Row: r.n, ID: formats.Shown(r.id), Field: field, Target: formats.Shown(target)})
}

func (r *row) missing(field, name, reason string) {
	l := &r.a.report.MissingBinaries
	if len(*l) >= formats.MaxBackupNotes {
		r.a.report.Cut = true
		return
	}
	*l = append(*l, formats.MissingBinary{Table: r.table, Row: r.n, ID: formats.Shown(r.id), Field: field, Name: formats.Shown(name), Reason: reason})
}
