package convert

import (
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"sync"

	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

// Pack is a ZIP that is a folder of files, read by offset. Its methods may be called by several goroutines at once.
type Pack struct {
	Files []PackFile // in the order of the directory, without folders

	mu sync.Mutex // an Archive counts what is inflated
	a  *zip.Archive
}

// PackFile is one file of a Pack.
type PackFile struct {
	Name string // as the archive has it
	// Path has slashes, and no empty part, "." or "..". It is "" where the name is unsafe: such a file must not be opened.
	Path string

	entry *zip.Entry
}

// OpenPack opens a ZIP that is a folder of files. It is nil for everything else: a card, whatever its name is, an archive
// of an app that is known, and what is no ZIP or a broken one. o.Limits are those of one file; the ZIP has limits.Pack.
func (e *Engine) OpenPack(src rope.Source, o Options) *Pack {
	in, err := formats.Open(src, o.Name, limits.Pack(o.limits()))
	if err != nil || in.Kind != "zip" || !formats.IsFolder(in) {
		return nil
	}
	if _, codec := e.detect(in); codec != nil {
		return nil
	}
	a, err := in.ZIP()
	if err != nil {
		return nil
	}
	p := &Pack{a: a}
	for _, x := range a.Entries {
		if x.IsDir() {
			continue
		}
		var parts []string
		for s := range strings.SplitSeq(x.Path, "/") {
			if s != "" && s != "." {
				parts = append(parts, s)
			}
		}
		p.Files = append(p.Files, PackFile{x.Name, strings.Join(parts, "/"), x})
	}
	return p
}

// Spool takes a stream to its end, so that it can be read by offset; drop lets the result go.
type Spool func(io.Reader) (src rope.Source, drop func(), err error)

// Open gives the content of one file. Stored content stays a range of the ZIP; deflated content goes through spool, at
// most as many bytes as one file may have. Warnings say what is damaged but readable. drop is never nil without an error.
func (p *Pack) Open(f *PackFile, spool Spool) (src rope.Source, warnings []string, drop func(), err error) {
	x := f.entry
	if f.Path == "" {
		return nil, nil, nil, fault.New(fault.Damaged, "entry "+fmt.Sprintf("%q", f.Name), "the name of this entry leads out of the archive, as in a file made to overwrite others; it is not opened")
	}
	if !x.Stored() {
		return p.inflate(x, spool)
	}
	p.mu.Lock()
	raw, err := x.Raw()
	p.mu.Unlock()
	if err != nil {
		return nil, nil, nil, err
	}
	sum := crc32.NewIEEE()
	if _, err := raw.WriteTo(sum); err != nil {
		return nil, nil, nil, &fault.Error{Code: fault.Damaged, Message: "the file could not be read: " + err.Error(), Err: err}
	}
	if sum.Sum32() != x.CRC32 {
		warnings = append(warnings, "the checksum in the ZIP does not match, so the file may be damaged")
	}
	return raw, warnings, func() {}, nil
}

func (p *Pack) inflate(x *zip.Entry, spool Spool) (src rope.Source, warnings []string, drop func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, err := x.Open()
	if err != nil {
		return nil, nil, nil, err
	}
	before := len(p.a.Warnings)
	if src, drop, err = spool(r); err != nil {
		return nil, nil, nil, err
	}
	return src, slices.Clone(p.a.Warnings[before:]), drop, nil
}
