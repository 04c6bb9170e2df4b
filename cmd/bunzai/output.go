package main

import (
	"io/fs"
	"os"
	"path/filepath"

	"bunzai/fault"
	"bunzai/rope"
)

// destination is where a result goes, checked before any work is done where the name is known.
type destination struct {
	path  string // "" for standard output
	plain bool   // not a regular file (a pipe, /dev/null): written to, never replaced
}

// place decides the output path: what was asked for, inside it when that is a folder, else the suggested name in the
// current folder. It refuses the input itself, and an existing file without force.
func place(asked, suggested string, in *file, force bool) (destination, error) {
	path := asked
	if path == "" {
		path = suggested
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, suggested)
		info, err = os.Stat(path)
	}
	switch {
	case err != nil && os.IsNotExist(err):
		return destination{path: path}, nil
	case err != nil:
		return destination{}, cannot("write", err)
	case in.info != nil && os.SameFile(info, in.info):
		return destination{}, fault.New(fault.BadArgument, "", "%s is the input itself, which is never overwritten; name another file with -o", path)
	case info.IsDir():
		return destination{}, fault.New(fault.BadArgument, "", "%s is a folder", path)
	case !info.Mode().IsRegular():
		return destination{path: path, plain: true}, nil
	case !force:
		return destination{}, fault.New(fault.BadArgument, "", "%s exists; name another file with -o, or replace it with --force", path)
	}
	return destination{path: path}, nil
}

// publish writes the whole result beside its place and then moves it there, so that nobody ever sees half a file.
func publish(d destination, data *rope.Rope) (err error) {
	if d.plain {
		f, err := os.OpenFile(d.path, os.O_WRONLY, 0)
		if err != nil {
			return cannot("write", err)
		}
		defer f.Close()
		if _, err := data.WriteTo(f); err != nil {
			return cannot("write "+d.path, err)
		}
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(d.path), temporary+"*")
	if err != nil {
		return cannot("write", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := data.WriteTo(f); err != nil {
		return cannot("write "+d.path, err)
	}
	mode := fs.FileMode(0o644)
	if old, err := os.Stat(d.path); err == nil {
		mode = old.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return cannot("write", err)
	}
	if err := f.Sync(); err != nil {
		return cannot("write "+d.path, err)
	}
	if err := f.Close(); err != nil {
		return cannot("write "+d.path, err)
	}
	if err := os.Rename(f.Name(), d.path); err != nil {
		return cannot("write "+d.path, err)
	}
	return nil
}
