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
	if err != nil {
		return library.Summary{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return library.Summary{}, false
	}
	x := library.Summary{Kind: kind, Size: info.Size()}
	id, title := head(io.LimitReader(f, headSize))
	x.Name = title
	var ok bool
	if x.ID, ok = idOf(name); !ok {
		x.ID = id
		ok = id != "" && fileName(id) == name
	}
	return x, ok
}

// headSize bounds what is read of a file for its name; the name stands near the beginning.
const headSize = 256 << 10

// head finds the id and the display name at the beginning of a canonical file. What is not there is "".
func head(r io.Reader) (id, name string) {
	d := json.NewDecoder(r)
	next := func() json.Token {
		t, err := d.Token()
		if err != nil {
			return nil
		}
		return t
	}
	if next() != json.Delim('{') {
		return "", ""
	}
	for d.More() {
		switch next() {
		case "id":
			id, _ = next().(string)
		case "body", "identity": // one inside the other; the name is a member of either
			if next() != json.Delim('{') {
				return id, ""
			}
		case "name":
			name, _ = next().(string)
			return id, name
		default:
			var skip json.RawMessage
			if d.Decode(&skip) != nil {
				return id, ""
			}
		}
	}
	return id, ""
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
	return e
}
