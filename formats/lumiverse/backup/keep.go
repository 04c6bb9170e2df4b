package backup

import (
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
)

// memoryKept is how many bytes of rows are kept where there is no scratch file.
const memoryKept = 64 << 20

// kept is a row that was put aside.
type kept struct {
	off   int64
	n     int64 // line of its table
	len   int32
	piece int32
}

// keeper puts rows aside so that they can be read by offset: a table holds them in the order in which they were made,
// and a book needs all of its own.
type keeper struct {
	file formats.Scratch
	mem  [][]byte // without a file: pieces of memory, kept.which kept.piece counts
	size int64
}

func newKeeper(file formats.Scratch) *keeper { return &keeper{file: file} }

func (k *keeper) put(n int64, line []byte) (kept, error) {
	at := kept{off: k.size, len: int32(len(line)), n: n}
	if k.file == nil {
		if k.size+int64(len(line)) > memoryKept {
			return kept{}, fault.Over("", fault.Limit{Name: "memory for world books and regex scripts", Value: memoryKept, Unit: "bytes",
				Raise: "import the archive with the command line, which keeps them on disk"})
		}
		last := len(k.mem) - 1
		if last < 0 || len(k.mem[last])+len(line) > cap(k.mem[last]) {
			k.mem = append(k.mem, make([]byte, 0, max(len(line), 1<<20)))
			last++
		}
		at.off, at.piece = int64(len(k.mem[last])), int32(last)
		k.mem[last] = append(k.mem[last], line...)
	} else if _, err := k.file.Write(line); err != nil {
		return kept{}, &fault.Error{Code: fault.Internal, Message: "the temporary file cannot be written: " + err.Error(), Err: err}
	}
	k.size += int64(len(line))
	return at, nil
}

// get returns the bytes of a row, which must not be changed.
func (k *keeper) get(at kept) ([]byte, error) {
	if k.file == nil {
		end := at.off + int64(at.len)
		return k.mem[at.piece][at.off:end:end], nil
	}
	b := make([]byte, at.len)
	if _, err := k.file.ReadAt(b, at.off); err != nil {
		return nil, &fault.Error{Code: fault.Internal, Message: "the temporary file cannot be read: " + err.Error(), Err: err}
	}
	return b, nil
}

// again parses a row that was put aside.
func (a *archive) again(table string, at kept) (*row, error) {
	b, err := a.keep.get(at)
	if err != nil {
		return nil, err
	}
	return a.parse(table, at.n, b)
}

// pieceLimits are the limits of one piece: it came out of an archive that was let in.
func (a *archive) pieceLimits() limits.Limits {
	l := limits.Large()
	l.Archive = max(l.Archive, a.lim.Archive)
	l.Inflated = max(l.Inflated, l.Entry)
	return l
}
