package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	slash "path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// maxItems bounds the files of one batch: each costs a few hundred bytes of memory.
const maxItems = 200_000

// item is one input of a batch.
type item struct {
	label string // as messages and reports name it
	path  string // on disk; "-" is standard input
	pack  *packRef
	entry int    // in the pack
	dir   string // where the result goes, relative to the output, with slashes; "" is the output itself
	base  string // the file's own name
	// err says why it is not even opened; skip that this is no failure.
	err  error
	skip bool
}

// packRef is a ZIP of cards that is open while items of it are in work.
type packRef struct {
	path string
	name string
	o    convert.Options
	mu   sync.Mutex
	left int // items that are not done
	f    *file
	p    *convert.Pack
}

// plan is what a batch is going to read, in order, with the output folder of each file. All of it is decided before
// anything is written.
type plan struct {
	s      *streams
	engine *convert.Engine
	lim    limits.Limits
	items  []item
	hidden int // files and folders with a dot in front, left out
	// not are the places that are written to, so that they are no input.
	not   []fs.FileInfo
	seen  inputs
	stdin bool                      // is an input
	dirs  map[string]string         // folder of the input -> folder of the output
	names map[string]*convert.Names // by folder of the output
}

func newPlan(s *streams, engine *convert.Engine, lim limits.Limits) *plan {
	return &plan{s: s, engine: engine, lim: lim, seen: inputs{}, dirs: map[string]string{"": ""}, names: map[string]*convert.Names{}}
}

// namesOf are the names of one output folder.
func (p *plan) namesOf(dir string) *convert.Names {
	if p.names[dir] == nil {
		p.names[dir] = &convert.Names{}
	}
	return p.names[dir]
}

// outDir is the output folder for an input folder: its parts made fit for every file system, and no two input folders
// in one output folder. "" is the output itself.
func (p *plan) outDir(dir string) string {
	if out, ok := p.dirs[dir]; ok {
		return out
	}
	parent := p.outDir(slash.Dir("/" + dir)[1:])
	out := slash.Join(parent, p.namesOf(parent).Take(convert.FileName(slash.Base(dir), ""), ""))
	p.dirs[dir] = out
	return out
}

func (p *plan) add(it item, dir string) error {
	if len(p.items) >= maxItems {
		return fault.New(fault.BadArgument, "", "there are more than %s; convert them in several runs", fault.Amount(maxItems, "files"))
	}
	it.dir = p.outDir(dir)
	p.items = append(p.items, it)
	return nil
}

// refuse adds an input that is not opened.
func (p *plan) refuse(path string, skip bool, err error) error {
	return p.add(item{label: path, path: path, err: err, skip: skip}, "")
}

// open opens an item; warnings say what of it is damaged but readable.
func (p *plan) open(it *item) (f *file, warnings []string, err error) {
	switch {
	case it.err != nil:
		return nil, nil, it.err
	case it.pack != nil:
		return it.pack.take(p.s, p.engine, it, p.lim)
	}
	f, err = p.s.open(it.path, p.lim)
	return f, nil, err
}

// take adds what one argument names. alone says that there is no other argument: the content of a folder or a ZIP then
// goes to the output itself, and below a folder of its name otherwise.
func (p *plan) take(arg string, alone bool) error {
	if arg == "-" {
		if p.stdin {
			return nil
		}
		p.stdin = true
		return p.add(item{label: "-", path: "-"}, "")
	}
	info, err := os.Stat(arg)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isPattern(arg):
		return p.pattern(arg)
	case err != nil:
		return p.refuse(arg, false, cannot("open", err))
	case info.IsDir():
		dir := ""
		if abs, err := filepath.Abs(arg); err == nil && !alone {
			dir = filepath.Base(abs)
		}
		return p.walk(arg, dir)
	}
	own := ""
	if !alone {
		own = stem(filepath.Base(arg))
	}
	return p.file(arg, "", own, info)
}

// isPattern reports a name with the signs of a pattern.
func isPattern(arg string) bool { return strings.ContainsAny(arg, "*?[{") }

// pattern adds the files that a pattern finds. They keep their folders below the part of it that has no sign.
func (p *plan) pattern(arg string) error {
	o := []doublestar.GlobOption{doublestar.WithNoHidden(), doublestar.WithNoFollow()}
	if runtime.GOOS == "windows" {
		o = append(o, doublestar.WithCaseInsensitive())
	}
	found, err := doublestar.FilepathGlob(arg, o...)
	if err != nil {
		return p.refuse(arg, false, fault.New(fault.BadArgument, "", "%s is no pattern that bunzai understands; it may have *, ?, [a-z], {a,b}, and ** for any folders", arg))
	}
	fixed, _ := doublestar.SplitPattern(filepath.ToSlash(arg))
	slices.Sort(found)
	files := 0
	for _, path := range found {
		info, err := os.Lstat(path)
		if err == nil && info.IsDir() {
			continue // its files are named by the pattern or not meant
		}
		files++
		dir := ""
		if rel, err := filepath.Rel(filepath.FromSlash(fixed), path); err == nil {
			if dir = filepath.ToSlash(filepath.Dir(rel)); dir == "." {
				dir = ""
			}
		}
		if err := p.found(path, dir); err != nil {
			return err
		}
	}
	if files == 0 {
		return p.refuse(arg, false, fault.New(fault.BadArgument, "", "no file is named like %s", arg))
	}
	return nil
}

// walk adds the files of a folder and the folders in it, sorted by name. What begins with a dot is left out. A link to
// a file is followed, one to a folder is not, since it could lead in a circle.
func (p *plan) walk(path, dir string) error {
	list, err := os.ReadDir(path)
	if err != nil {
		return p.refuse(path, false, cannot("open the folder", err))
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") {
			p.hidden++
			continue
		}
		full := filepath.Join(path, e.Name())
		if e.IsDir() {
			if p.ours(full) {
				continue
			}
			if err := p.walk(full, slash.Join(dir, e.Name())); err != nil {
				return err
			}
			continue
		}
		if err := p.found(full, dir); err != nil {
			return err
		}
	}
	return nil
}

// ours reports a place that this run writes to.
func (p *plan) ours(path string) bool {
	if len(p.not) == 0 {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, x := range p.not {
		if os.SameFile(info, x) {
			return true
		}
	}
	return false
}

// found adds a directory entry that nobody named.
func (p *plan) found(path, dir string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return p.refuse(path, false, cannot("open", err))
	case info.IsDir():
		return p.refuse(path, true, fault.New(fault.NotRecognized, "", "this is a link to a folder, which is not followed; name that folder itself"))
	case p.ours(path):
		return nil
	}
	return p.file(path, dir, stem(filepath.Base(path)), info)
}

// file adds one file, or the files in it when it is a ZIP of cards: these go below own in dir.
func (p *plan) file(path, dir, own string, info fs.FileInfo) error {
	entry, err := os.Lstat(path)
	if err != nil {
		return p.refuse(path, false, cannot("open", err))
	}
	if p.seen.has(path, entry) {
		return nil // named twice
	}
	p.seen.add(path, entry)
	if !info.Mode().IsRegular() { // opening it could wait for ever
		return p.refuse(path, true, fault.New(fault.NotRecognized, "", "this is a pipe or a device and no file; convert it alone"))
	}
	whole := item{label: path, path: path, base: filepath.Base(path)}
	if !startsLikeZip(path) {
		return p.add(whole, dir)
	}
	ref := &packRef{path: path, name: filepath.Base(path), o: convert.Options{Name: filepath.Base(path), Limits: p.lim}}
	pack, err := ref.open(p.s, p.engine)
	if err != nil || pack == nil {
		return p.add(whole, dir)
	}
	defer ref.close()
	for i, f := range pack.Files {
		it := item{label: path + "/" + f.Name, path: path, pack: ref, entry: i, base: slash.Base(f.Path)}
		if f.Path == "" {
			_, _, _, it.err = pack.Open(&f, nil)
			if err := p.add(it, ""); err != nil {
				return err
			}
			continue
		}
		if hiddenPath(f.Path) {
			p.hidden++
			continue
		}
		ref.left++
		in := strings.TrimSuffix(f.Path, it.base)
		if err := p.add(it, slash.Join(dir, own, in)); err != nil {
			return err
		}
	}
	return nil
}

// hiddenPath reports a part with a dot in front, or the folder in which macOS keeps a shadow of each file.
func hiddenPath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(part, ".") || part == "__MACOSX" {
			return true
		}
	}
	return false
}

// startsLikeZip looks at the first two bytes.
func startsLikeZip(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false // said when it is its turn
	}
	defer f.Close()
	var head [2]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "PK"
}

func stem(name string) string {
	if s := strings.TrimSuffix(name, filepath.Ext(name)); s != "" {
		return s
	}
	return name
}

// open opens the ZIP; nil is one that is no folder of files.
func (r *packRef) open(s *streams, engine *convert.Engine) (*convert.Pack, error) {
	if r.p != nil {
		return r.p, nil
	}
	f, err := s.open(r.path, limits.Pack(r.o.Limits))
	if err != nil {
		return nil, err
	}
	if r.p = engine.OpenPack(f.src, r.o); r.p == nil {
		f.close()
		return nil, nil
	}
	r.f = f
	return r.p, nil
}

func (r *packRef) close() {
	if r.f != nil {
		r.f.close()
	}
	r.f, r.p = nil, nil
}

// take opens an item of the ZIP. Its close must be called.
func (r *packRef) take(s *streams, engine *convert.Engine, it *item, lim limits.Limits) (f *file, warnings []string, err error) {
	r.mu.Lock()
	p, err := r.open(s, engine)
	r.mu.Unlock()
	if err == nil && (p == nil || it.entry >= len(p.Files) || slash.Base(p.Files[it.entry].Path) != it.base) {
		err = fault.New(fault.Damaged, "", "the ZIP changed while it was read; convert it again")
	}
	if err != nil {
		r.done()
		return nil, nil, err
	}
	src, warnings, drop, err := p.Open(&p.Files[it.entry], func(in io.Reader) (rope.Source, func(), error) {
		one := &streams{in: in}
		f, err := one.spool(lim)
		if err != nil {
			return nil, nil, err
		}
		return f.src, f.close, nil
	})
	if err != nil {
		r.done()
		return nil, nil, err
	}
	return &file{src: src, name: it.base, close: func() {
		drop()
		r.done()
	}}, warnings, nil
}

// done counts an item off and closes the ZIP after the last.
func (r *packRef) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left--; r.left <= 0 {
		r.close()
	}
}
