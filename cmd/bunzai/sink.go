package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	slash "path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/rope"
)

// sink is where many files go. Paths are relative, with slashes, made of names from convert.FileName.
type sink interface {
	put(path string, data *rope.Rope) error
	finish() error
	abandon()
}

// diskError marks a failure that would hit every further file too.
type diskError struct{ cause *fault.Error }

func (e *diskError) Error() string { return e.cause.Error() }
func (e *diskError) Unwrap() error { return e.cause }

func isDisk(err error) bool {
	var d *diskError
	return errors.As(err, &d)
}

func disk(what string, err error) error { return &diskError{fault.As(cannot(what, err))} }

// place makes the sink: a folder that is new or empty, or a ZIP.
func (c *importCmd) place(asked string, in *file) (sink, error) {
	if strings.EqualFold(filepath.Ext(asked), ".zip") {
		return openZip(asked, "import.zip", in, c.Force)
	}
	list, err := os.ReadDir(asked)
	switch {
	case err == nil && len(list) > 0 && !c.Force:
		return nil, fault.New(fault.BadArgument, "", "the folder %s is not empty; name another with -o, or write into it with --force", asked)
	case err != nil && !os.IsNotExist(err):
		return nil, cannot("write", err)
	}
	return openFolder(asked)
}

// folderSink writes each file beside its place and then moves it there, so that nobody ever sees half a file. It never
// leaves its folder, also not through a link in it. Several goroutines may put at once.
type folderSink struct {
	dir     string
	root    *os.Root
	keep    bool   // refuse to replace what is there
	guarded inputs // must stay, also without keep
	temp    atomic.Int64
}

// openFolder makes the folder where it is missing.
func openFolder(dir string) (*folderSink, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, cannot("make the folder "+dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, cannot("open the folder", err)
	}
	s := &folderSink{dir: dir, root: root}
	f, err := s.create(".") // better to hear of it now than once for each file
	if err != nil {
		root.Close()
		return nil, cannot("write into "+dir, err)
	}
	f.Close()
	_ = root.Remove(filepath.Base(f.Name()))
	return s, nil
}

// create makes a temporary file in a folder of the root.
func (s *folderSink) create(dir string) (*os.File, error) {
	for {
		name := slash.Join(dir, fmt.Sprintf(".bunzai-%d-%d", os.Getpid(), s.temp.Add(1)))
		f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if !errors.Is(err, os.ErrExist) {
			return f, err
		}
	}
}

func (s *folderSink) put(path string, data *rope.Rope) (err error) {
	full := filepath.Join(s.dir, filepath.FromSlash(path))
	if dir := slash.Dir(path); dir != "." {
		if err := s.root.MkdirAll(dir, 0o755); err != nil {
			return disk("make the folder "+filepath.Dir(full), err)
		}
	}
	if err := s.mayPut(path, full); err != nil {
		return err
	}
	f, err := s.create(slash.Dir(path))
	if err != nil {
		return disk("write "+full, err)
	}
	temp := slash.Join(slash.Dir(path), filepath.Base(f.Name()))
	defer func() {
		if err != nil {
			f.Close()
			_ = s.root.Remove(temp)
		}
	}()
	if err := copyTo(f, data); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return disk("write "+full, err)
	}
	if err := s.root.Rename(temp, path); err != nil {
		return disk("write "+full, err)
	}
	return nil
}

// mayPut refuses a place that is taken.
func (s *folderSink) mayPut(path, full string) error {
	info, err := s.root.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return disk("write "+full, err)
	case info.IsDir():
		return fault.New(fault.BadArgument, "", "%s is a folder", full)
	case s.guarded.has(full, info):
		return fault.New(fault.BadArgument, "", "%s is one of the inputs, which are never overwritten; write to another folder", full)
	case s.keep:
		return fault.New(fault.BadArgument, "", "%s exists; write to another folder, or replace it with --force", full)
	}
	return nil
}

// inputs are directory entries by realName. Some file systems take letter case for nothing and others do not, so that the
// entries themselves are compared, too.
type inputs map[string][]fs.FileInfo

// has takes the entry's own info (os.Lstat).
func (in inputs) has(path string, entry fs.FileInfo) bool {
	if len(in) == 0 {
		return false
	}
	return slices.ContainsFunc(in[realName(path)], func(x fs.FileInfo) bool { return os.SameFile(x, entry) })
}

func (in inputs) add(path string, entry fs.FileInfo) {
	name := realName(path)
	in[name] = append(in[name], entry)
}

// realName is equal for two names of one directory entry: the folder is followed through links, the entry itself is not.
func realName(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	dir, base := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return convert.FoldName(filepath.Join(dir, base))
}

func (s *folderSink) finish() error { return s.root.Close() }
func (s *folderSink) abandon()      { s.root.Close() }

// copyTo tells a place that cannot be written to from data that cannot be read.
func copyTo(w io.Writer, data *rope.Rope) error {
	t := &teller{w: w}
	if _, err := data.WriteTo(t); t.err != nil {
		return disk("write", t.err)
	} else if err != nil {
		return fault.As(err)
	}
	return nil
}

type teller struct {
	w   io.Writer
	err error
}

func (t *teller) Write(p []byte) (int, error) {
	n, err := t.w.Write(p)
	if err != nil {
		t.err = err
	}
	return n, err
}

// zipSink writes one ZIP as it goes, beside its place. JSON is deflated, archives and pictures are stored; there is no
// time in it, so that the same backup gives the same bytes.
type zipSink struct {
	path string
	f    *os.File
	z    *zip.Writer
}

// openZip begins the ZIP; suggested is its name where asked is a folder, and in is the input that must stay.
func openZip(asked, suggested string, in *file, force bool) (*zipSink, error) {
	d, err := place(asked, suggested, in, force)
	if err != nil {
		return nil, err
	}
	if d.plain {
		return nil, fault.New(fault.BadArgument, "", "%s is no regular file", asked)
	}
	f, err := os.CreateTemp(filepath.Dir(d.path), temporary+"*")
	if err != nil {
		return nil, cannot("write into "+filepath.Dir(d.path), err)
	}
	return &zipSink{path: d.path, f: f, z: zip.NewWriter(f)}, nil
}

func (s *zipSink) put(path string, data *rope.Rope) error {
	h := &zip.FileHeader{Name: path, Method: zip.Store, UncompressedSize64: uint64(data.Size())}
	//lint:ignore SA1019 CreateRaw writes this field and not Modified
	h.ModifiedDate = 1<<5 | 1 // 1 January 1980, the first day a ZIP can state
	h.SetMode(0o644)
	sum := crc32.NewIEEE()
	if err := copyTo(sum, data); err != nil { // read once before anything of it is written
		return err
	}
	h.CRC32 = sum.Sum32()
	packed := data
	if strings.HasSuffix(path, ".json") {
		var b bytes.Buffer
		fw, _ := flate.NewWriter(&b, flate.DefaultCompression)
		if err := copyTo(fw, data); err != nil {
			return err
		}
		if err := fw.Close(); err != nil {
			return err
		}
		h.Method, packed = zip.Deflate, rope.FromBytes(b.Bytes())
	}
	h.CompressedSize64 = uint64(packed.Size())
	w, err := s.z.CreateRaw(h)
	if err != nil {
		return disk("write", err)
	}
	if err := copyTo(w, packed); isDisk(err) {
		return err
	} else if err != nil {
		return disk("write", err) // half an entry: the ZIP cannot go on
	}
	return nil
}

func (s *zipSink) finish() error {
	err := s.z.Close()
	if err == nil {
		err = s.f.Chmod(0o644)
	}
	if err == nil {
		err = s.f.Sync()
	}
	if err == nil {
		err = s.f.Close()
	}
	if err == nil {
		err = os.Rename(s.f.Name(), s.path)
	}
	if err != nil {
		s.abandon()
		return cannot("write "+s.path, err)
	}
	return nil
}

func (s *zipSink) abandon() {
	s.f.Close()
	os.Remove(s.f.Name())
}

// newScratch is a temporary file.
func newScratch() (formats.Scratch, func(), error) {
	f, err := os.CreateTemp("", "bunzai-*")
	if err != nil {
		return nil, nil, cannot("make a temporary file", err)
	}
	return f, func() {
		f.Close()
		os.Remove(f.Name())
	}, nil
}
