// Package folder keeps a library in a folder: the file of a piece is <kind>/<id>.json, a canonical file that a person can
// read, copy and put under version control.
//
// A file is written beside its place, brought to the disk, and then put there in one step, so that nobody ever sees half
// of it and a lost power leaves the old or the new. Files that are no pieces are left alone and not listed. Nothing is
// ever read or written outside the folder, also through a link in it.
package folder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/library"
	"bunzai/rope"
)

// Store is a library.Store over a folder, for several goroutines and several programs at once. Create never replaces the
// file of another program where the file system has hard links; on others (FAT) two programs that create the same id in
// the same moment may.
type Store struct {
	root *os.Root
	dir  string
	temp atomic.Int64
}

// Open opens a library in dir; it is made when the first piece is kept. Close it after use.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, broken("make the folder", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, broken("open the folder", err)
	}
	return &Store{root: root, dir: dir}, nil
}

// Close lets the folder go.
func (s *Store) Close() error { return s.root.Close() }

func path(ref library.Ref) string { return string(ref.Kind) + "/" + fileName(ref.ID) + ext }

func known(kind canonical.Kind) error {
	if !slices.Contains(canonical.Kinds(), kind) {
		return fault.New(fault.BadArgument, "", "there is no kind %q", kind)
	}
	return nil
}

func valid(ref library.Ref) error {
	if err := known(ref.Kind); err != nil {
		return err
	}
	if ref.ID == "" {
		return fault.New(fault.BadArgument, "", "a piece without an id cannot be kept")
	}
	return nil
}

// List implements library.Store. Of each file only the beginning is read.
func (s *Store) List(ctx context.Context, kind canonical.Kind) ([]library.Summary, error) {
	kinds := canonical.Kinds()
	if kind != "" {
		if err := known(kind); err != nil {
			return nil, err
		}
		kinds = []canonical.Kind{kind}
	}
	out := []library.Summary{}
	for _, k := range kinds {
		list, err := fs.ReadDir(s.root.FS(), string(k))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, broken("list the folder", err)
		}
		for _, d := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			name, isJSON := strings.CutSuffix(d.Name(), ext)
			if !isJSON || strings.HasPrefix(name, ".") || d.IsDir() {
				continue
			}
			if x, ok := s.summary(k, name); ok {
				out = append(out, x)
			}
		}
	}
	library.Sort(out)
	return out, nil
}

// summary reads the head of a file. A file that somebody else put there, under a name that is not its id's, is no piece.
func (s *Store) summary(kind canonical.Kind, name string) (library.Summary, bool) {
	f, err := s.root.Open(string(kind) + "/" + name + ext)
	if err != nil { // a link that leads out of the folder, or no permission
		id, ok := idOf(name)
		return library.Summary{Kind: kind, ID: id, Problem: "cannot be opened; a link to a file elsewhere is not followed"}, ok
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return library.Summary{}, false
	}
	x := library.Summary{Kind: kind, Size: info.Size()}
	h := headOf(io.LimitReader(f, headSize))
	x.Name = h.name
	var ok bool
	if x.ID, ok = idOf(name); !ok {
		x.ID = h.id
		ok = h.id != "" && fileName(h.id) == name
	}
	switch {
	case !endsWell(f, info.Size()):
		x.Problem = "is cut off or empty"
	case h.kind != string(kind):
		x.Problem = "is no " + string(kind) + " inside"
	case h.id != x.ID:
		x.Problem = "says another id inside"
	}
	return x, ok
}

// endsWell reports a file that ends as a JSON object does.
func endsWell(f io.ReaderAt, size int64) bool {
	tail := make([]byte, min(size, 64))
	n, _ := f.ReadAt(tail, size-int64(len(tail)))
	return strings.HasSuffix(strings.TrimRight(string(tail[:n]), " \t\r\n"), "}")
}

// headSize bounds what is read of a file for its name; the name stands near the beginning.
const headSize = 256 << 10

// head is what stands at the beginning of a canonical file; what is not there is "".
type head struct{ kind, id, name string }

func headOf(r io.Reader) (h head) {
	d := json.NewDecoder(r)
	next := func() json.Token {
		t, err := d.Token()
		if err != nil {
			return nil
		}
		return t
	}
	if next() != json.Delim('{') {
		return h
	}
	for d.More() {
		switch next() {
		case "kind":
			h.kind, _ = next().(string)
		case "id":
			h.id, _ = next().(string)
		case "body", "identity": // one inside the other; the name is a member of either
			if next() != json.Delim('{') {
				return h
			}
		case "name":
			h.name, _ = next().(string)
			return h
		default:
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return h
			}
		}
	}
	return h
}

type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

// Open implements library.Store.
func (s *Store) Open(ctx context.Context, ref library.Ref) (library.File, error) {
	if err := errors.Join(ctx.Err(), valid(ref)); err != nil {
		return nil, err
	}
	f, err := s.root.Open(path(ref))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, library.Missing("", ref)
	}
	if err != nil {
		return nil, broken("read", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path(ref))
	}
	if err != nil {
		f.Close()
		return nil, broken("read", err)
	}
	return file{f, info.Size()}, nil
}

// Create implements library.Store.
func (s *Store) Create(ctx context.Context, x library.Summary, data *rope.Rope) error {
	return s.put(ctx, x.Ref(), data, func(temp, to string) error {
		err := s.root.Link(temp, to)
		if err == nil {
			_ = s.root.Remove(temp)
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			return library.ErrTaken
		}
		// No hard links here.
		if _, err := s.root.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			if err == nil {
				err = library.ErrTaken
			}
			return err
		}
		return s.root.Rename(temp, to)
	})
}

// Replace implements library.Store.
func (s *Store) Replace(ctx context.Context, x library.Summary, data *rope.Rope) error {
	return s.put(ctx, x.Ref(), data, s.root.Rename)
}

func (s *Store) put(ctx context.Context, ref library.Ref, data *rope.Rope, place func(temp, to string) error) (err error) {
	if err := errors.Join(ctx.Err(), valid(ref)); err != nil {
		return err
	}
	dir := string(ref.Kind)
	if err := s.root.MkdirAll(dir, 0o755); err != nil {
		return broken("make the folder", err)
	}
	var f *os.File
	var temp string
	for f == nil {
		temp = fmt.Sprintf("%s/.bunzai-%d-%d", dir, os.Getpid(), s.temp.Add(1))
		if f, err = s.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
			return broken("write into", err)
		}
	}
	defer func() {
		if err != nil {
			f.Close()
			_ = s.root.Remove(temp)
		}
	}()
	w := &writer{f: f}
	if _, err := data.WriteTo(w); w.err != nil {
		return broken("write", w.err)
	} else if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return broken("write", err)
	}
	if err := f.Close(); err != nil {
		return broken("write", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := place(temp, path(ref)); errors.Is(err, library.ErrTaken) {
		return err
	} else if err != nil {
		return broken("write", err)
	}
	if d, err := s.root.Open(dir); err == nil { // so that the name is on the disk, too, where a folder can be synced
		_ = d.Sync()
		d.Close()
	}
	return nil
}

// writer tells a disk that fails from data that cannot be read.
type writer struct {
	f   *os.File
	err error
}

func (w *writer) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	if err != nil {
		w.err = err
	}
	return n, err
}

// Delete implements library.Store.
func (s *Store) Delete(ctx context.Context, ref library.Ref) error {
	if err := errors.Join(ctx.Err(), valid(ref)); err != nil {
		return err
	}
	err := s.root.Remove(path(ref))
	if errors.Is(err, fs.ErrNotExist) {
		return library.Missing("", ref)
	}
	if err != nil {
		return broken("delete", err)
	}
	return nil
}

// broken is a failure of the file system, in words.
func broken(what string, err error) error {
	e := &fault.Error{Code: fault.Internal, Message: "the library cannot " + what + ": " + err.Error(), Err: err}
	if errors.Is(err, fs.ErrPermission) {
		e.Code, e.Message = fault.BadArgument, "no permission to "+what+" in the library: "+err.Error()
	}
	if strings.Contains(err.Error(), "escapes from parent") { // what os.Root says, which has no value of its own
		e.Code, e.Message = fault.BadArgument, "the library cannot "+what+" through a link that leads out of its folder; put the file or folder itself there: "+err.Error()
	}
	return e
}
