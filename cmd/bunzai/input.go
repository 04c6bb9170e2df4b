package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// memorySpool is how much of standard input is kept in memory before a temporary file takes it.
const memorySpool = 8 << 20

// file is an opened input. It is read by offset; close lets it go.
type file struct {
	src   rope.Source
	name  string      // for messages and for the name of the output
	info  fs.FileInfo // nil for standard input
	close func()
}

type diskSource struct {
	*os.File
	size int64
}

func (d diskSource) Size() int64 { return d.size }

// open opens a path, or standard input for "-".
func (s *streams) open(path string, lim limits.Limits) (*file, error) {
	if path == "-" {
		return s.spool(lim)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cannot("open", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, cannot("open", err)
	}
	if info.IsDir() {
		f.Close()
		return nil, fault.New(fault.BadArgument, "", "%s is a folder; name a file", path)
	}
	if !info.Mode().IsRegular() { // a pipe or a device cannot be read by offset
		defer f.Close()
		one := &streams{in: f}
		in, err := one.spool(lim)
		if in != nil {
			in.name = filepath.Base(path)
		}
		return in, err
	}
	return &file{diskSource{f, info.Size()}, filepath.Base(path), info, func() { f.Close() }}, nil
}

// spool takes standard input to its end, at most as many bytes as an archive may have, so that it can be read by offset.
func (s *streams) spool(lim limits.Limits) (*file, error) {
	bound := max(lim.Archive, lim.JSON)
	in := io.LimitReader(s.in, bound+1)
	tooMuch := func() error {
		return fault.Over("", fault.Limit{Name: "Archive", Value: bound, Unit: "bytes", Raise: lim.Raise})
	}
	var head bytes.Buffer
	if _, err := io.CopyN(&head, in, memorySpool); err == io.EOF {
		if int64(head.Len()) > bound {
			return nil, tooMuch()
		}
		return &file{rope.Bytes(head.Bytes()), "", nil, func() {}}, nil
	} else if err != nil {
		return nil, unread(err)
	}
	f, err := os.CreateTemp("", "bunzai-*")
	if err != nil {
		return nil, cannot("make a temporary file", err)
	}
	drop := func() {
		f.Close()
		os.Remove(f.Name())
	}
	n, err := io.Copy(f, io.MultiReader(&head, in))
	switch {
	case err != nil:
		err = unread(err)
	case n > bound:
		err = tooMuch()
	}
	if err != nil {
		drop()
		return nil, err
	}
	return &file{diskSource{f, n}, "", nil, drop}, nil
}

// unread is a failure of a stream; what the stream itself says is kept.
func unread(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return cannot("read standard input", err)
}

// temporary begins the names of files that are written beside their place.
const temporary = ".bunzai-"

// cannot is a failure of the file system, in words.
func cannot(what string, err error) error {
	e := &fault.Error{Code: fault.Internal, Message: "cannot " + what + ": " + err.Error(), Err: err}
	var p *fs.PathError
	if errors.As(err, &p) {
		switch {
		case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(filepath.Base(p.Path), temporary):
			e.Code, e.Message = fault.BadArgument, "there is no folder "+filepath.Dir(p.Path)+"; make it first, or write elsewhere"
		case errors.Is(err, fs.ErrNotExist):
			e.Code, e.Message = fault.BadArgument, "there is no file "+p.Path
		case errors.Is(err, fs.ErrPermission):
			e.Code, e.Message = fault.BadArgument, "no permission to "+what+" "+p.Path
		}
	}
	return e
}
