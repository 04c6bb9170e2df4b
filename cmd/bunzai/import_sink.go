package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"bunzai/fault"
	"bunzai/formats"
	"bunzai/rope"
)

// sink is where the files of an import go.
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
		d, err := place(asked, "import.zip", in, c.Force)
		if err != nil {
			return nil, err
		}
		if d.plain {
			return nil, fault.New(fault.BadArgument, "", "%s is no regular file", asked)
		}
		f, err := os.CreateTemp(filepath.Dir(d.path), ".bunzai-*")
		if err != nil {
			return nil, cannot("write", err)
		}
		return &zipSink{path: d.path, f: f, z: zip.NewWriter(f)}, nil
	}
	list, err := os.ReadDir(asked)
	switch {
	case err == nil && len(list) > 0 && !c.Force:
		return nil, fault.New(fault.BadArgument, "", "the folder %s is not empty; name another with -o, or write into it with --force", asked)
	case err != nil && !os.IsNotExist(err):
		return nil, cannot("write", err)
	}
	return &folderSink{root: asked, made: map[string]bool{}}, nil
}

// folderSink writes each file beside its place and then moves it there, so that nobody ever sees half a file.
type folderSink struct {
	root string
	made map[string]bool
}

func (s *folderSink) put(path string, data *rope.Rope) (err error) {
	full := filepath.Join(s.root, filepath.FromSlash(path))
	dir := filepath.Dir(full)
	if !s.made[dir] {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return disk("make the folder "+dir, err)
		}
		s.made[dir] = true
	}
	f, err := os.CreateTemp(dir, ".bunzai-*")
	if err != nil {
		return disk("write", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := copyTo(f, data); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return disk("write", err)
	}
	if err := f.Close(); err != nil {
		return disk("write "+full, err)
	}
	if err := os.Rename(f.Name(), full); err != nil {
		return disk("write "+full, err)
	}
	return nil
}

func (s *folderSink) finish() error { return nil }
func (s *folderSink) abandon()      {}

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

func (s *zipSink) put(path string, data *rope.Rope) error {
	h := &zip.FileHeader{Name: path, Method: zip.Store, UncompressedSize64: uint64(data.Size())}
	h.Modified = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first day a ZIP can state
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
	if err := copyTo(w, packed); err != nil {
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
