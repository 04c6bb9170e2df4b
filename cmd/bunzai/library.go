package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/library"
	"bunzai/library/folder"
	"bunzai/limits"
)

// libraryCmd is the library over a folder. Pieces are named as they are listed: kind/id, or the id alone where no other
// kind has it.
type libraryCmd struct {
	Import libraryImportCmd `cmd:"" help:"Put files into the library: each piece once, with its links. Nothing is replaced."`
	List   libraryListCmd   `cmd:"" help:"List what the library holds."`
	Show   libraryShowCmd   `cmd:"" help:"Show a piece and what it links."`
	Export libraryExportCmd `cmd:"" help:"Write a piece as an app's file, with the lorebooks or regex sets that it links inside."`
	Attach libraryAttachCmd `cmd:"" help:"Link a lorebook, regex set or quick reply set to a piece, or move it in the order."`
	Detach libraryDetachCmd `cmd:"" help:"Take a link out. The linked piece stays in the library."`
	Delete libraryDeleteCmd `cmd:"" help:"Delete a piece from the library."`
}

// shelf is what every command of the library takes.
type shelf struct {
	Dir    string `env:"BUNZAI_LIBRARY" placeholder:"DIR" help:"The library's folder. Default: $BUNZAI_LIBRARY, else a folder of yours for programs' data."`
	Limits string `enum:"card,large" default:"card" help:"Bounds on what a file may cost: card (any usual card) or large (archives with thousands of pictures)."`
}

func (c *shelf) limits() limits.Limits {
	lim, _ := limits.Named(c.Limits)
	return lim
}

// place is the library's folder.
func (c *shelf) place() (string, error) {
	if c.Dir != "" {
		return c.Dir, nil
	}
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" { // data, not settings
		if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "bunzai", "library"), nil
		}
		if home := os.Getenv("HOME"); home != "" {
			return filepath.Join(home, ".local", "share", "bunzai", "library"), nil
		}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fault.New(fault.BadArgument, "", "say where the library is, with --dir DIR or BUNZAI_LIBRARY (%s)", err)
	}
	return filepath.Join(dir, "bunzai", "library"), nil
}

// open opens the library. One that was never written to is empty; only write makes the folder.
func (c *shelf) open(write bool) (store library.Store, dir string, done func(), err error) {
	if dir, err = c.place(); err != nil {
		return nil, "", nil, err
	}
	if !write {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return &library.Memory{}, dir, func() {}, nil
		}
	}
	s, err := folder.Open(dir)
	if err != nil {
		return nil, "", nil, err
	}
	return s, dir, func() { s.Close() }, nil
}

func refText(kind canonical.Kind, id string) string { return string(kind) + "/" + id }

type libraryImportCmd struct {
	shelf
	unlocking
	Files     []string `arg:"" name:"file" help:"Files, folders, ZIPs of cards, account backups (.lvbak) and quoted patterns; - is standard input."`
	Overwrite bool     `help:"Put each piece under its own id, in place of what is there."`
	JSON      bool     `name:"json" help:"Print JSON, a line for each file."`
}

// Run imports. Each file is on its own: one that cannot be read does not keep the others out.
func (c *libraryImportCmd) Run(s *streams) error {
	store, _, done, err := c.open(true)
	if err != nil {
		return err
	}
	defer done()
	r := &reading{unlocking: c.unlocking, Files: c.Files, Limits: c.Limits, did: "imported", last: linksOthers}
	call := map[library.Ref]string{}
	return r.each(s, c.JSON, func(engine *convert.Engine, f *file, o convert.Options) (any, []string, error) {
		saved, err := c.save(store, engine, f, o, call)
		if err != nil {
			return nil, nil, err
		}
		var cells []string
		for _, r := range saved {
			cells = append(cells, r.words())
		}
		return saved, []string{strings.Join(cells, "; ")}, nil
	})
}

// importedBundle is what became of a bundle.
type importedBundle struct{ *library.SaveResult }

// words says it in a line: "character/sera new, with lorebook/forest-2 new (forest is taken)".
func (r importedBundle) words() string {
	one := func(s library.Saved) string {
		how := map[string]string{library.Created: "new", library.Shared: "already there", library.Replaced: "saved"}[s.How]
		if s.How == library.Created && s.ID != s.Asked {
			how += " (" + s.Asked + " is taken)"
		}
		return refText(s.Kind, s.ID) + " " + how
	}
	out := one(*r.Primary)
	for i, x := range r.Related {
		if i == 0 {
			out += ", with "
		} else {
			out += ", "
		}
		out += one(x)
	}
	return out
}

// linksOthers peeks at a file: a canonical piece that may link pieces of other files is read after them.
func linksOthers(p *plan, it *item) bool {
	if it.path == "-" || it.err != nil || it.pack != nil {
		return false
	}
	f, err := p.s.open(it.path, p.lim)
	if err != nil {
		return false
	}
	defer f.close()
	head := make([]byte, 256)
	n, _ := f.src.ReadAt(head, 0)
	head = head[:n]
	for _, l := range canonical.LinkFields() {
		if bytes.Contains(head, []byte(`"schemaVersion"`)) && bytes.Contains(head, []byte(`"`+string(l.From)+`"`)) {
			return true
		}
	}
	return false
}

// save keeps what a file holds. Call is what became of the canonical pieces that the same call has read before: links
// to them follow.
func (c *libraryImportCmd) save(store library.Store, engine *convert.Engine, f *file, o convert.Options, call map[library.Ref]string) ([]importedBundle, error) {
	opt := library.SaveOptions{Overwrite: c.Overwrite, Limits: o.Limits}
	out := []importedBundle{}
	put := func(list []library.Bundle) error {
		for _, b := range list {
			r, err := library.SaveBundle(context.Background(), store, b, opt)
			if err != nil {
				return err
			}
			out = append(out, importedBundle{r})
		}
		return nil
	}
	p, err := engine.Read(f.src, o)
	if fault.Is(err, fault.NotRecognized) {
		if b, e := engine.ImportBackup(f.src, convert.BackupOptions{Name: o.Name}); e == nil {
			var failed error
			err = b.Each(func(x *convert.BackupPiece) bool {
				failed = put(library.Bundles(x.Pieces))
				return failed == nil
			})
			if err == nil {
				err = failed
			}
			return out, err
		}
	}
	if err != nil {
		return nil, err
	}
	list := library.Bundles(p)
	if p.Info.App != "bunzai" {
		return out, put(list)
	}
	asked := p.Primary.ID
	for i := range list {
		held := map[library.Ref]bool{} // the file's own pieces go before those of other files
		for _, x := range list[i].Related {
			held[library.Ref{Kind: x.Kind, ID: x.ID}] = true
		}
		renames := maps.Clone(call)
		maps.DeleteFunc(renames, func(r library.Ref, _ string) bool { return held[r] })
		list[i].Primary = canonical.RenameLinks(list[i].Primary, renames)
	}
	err = put(list)
	if err == nil && len(out) > 0 && out[0].Primary != nil {
		call[library.Ref{Kind: p.Primary.Kind, ID: asked}] = out[0].Primary.ID
	}
	return out, err
}

type libraryListCmd struct {
	shelf
	Kind string `enum:",character,lorebook,regex,persona,preset,quickreply" default:"" placeholder:"KIND" help:"Only this kind: character, lorebook, regex, persona, preset or quickreply."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run lists.
func (c *libraryListCmd) Run(s *streams) error {
	store, dir, done, err := c.open(false)
	if err != nil {
		return err
	}
	defer done()
	list, err := store.List(context.Background(), canonical.Kind(c.Kind))
	if err != nil {
		return err
	}
	if c.JSON {
		return s.writeJSON(list)
	}
	if len(list) == 0 {
		what := "nothing"
		if c.Kind != "" {
			what = "no " + c.Kind
		}
		fmt.Fprintf(s.err, "there is %s in the library (%s)\n", what, clean(dir))
		return nil
	}
	t := &table{}
	for _, x := range list {
		cells := []string{refText(x.Kind, x.ID), fault.Amount(x.Size, "bytes"), name(x.Name)}
		if x.Problem != "" {
			cells = append(cells, "damaged: the file "+x.Problem)
		}
		t.row(cells...)
	}
	t.write(s.out, "")
	return nil
}

type libraryShowCmd struct {
	shelf
	Piece string `arg:"" help:"The piece, as listed: kind/id, or the id alone."`
	JSON  bool   `name:"json" help:"Print JSON."`
	Full  bool   `help:"Print texts whole instead of their beginnings."`
}

// Run shows.
func (c *libraryShowCmd) Run(s *streams) error {
	store, _, done, err := c.open(false)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.Background()
	ref, err := library.Find(ctx, store, c.Piece)
	if err != nil {
		return err
	}
	links, err := library.LinksOf(ctx, store, ref, c.limits())
	if err != nil {
		return err
	}
	f, err := store.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := convert.New().Inspect(f, convert.Options{Limits: c.limits()})
	if err != nil {
		return err
	}
	if c.JSON {
		return s.writeJSON(struct {
			convert.Inspection
			Links []library.LinkView `json:"links"`
		}{*v, links})
	}
	s.printInspection(v, c.Full)
	for i, l := range links {
		if i == 0 {
			fmt.Fprintln(s.out, "links:")
		}
		state := ""
		if !l.Found {
			state = " (the library does not have it)"
		} else if _, err := library.Load(ctx, store, library.Ref{Kind: l.Kind, ID: l.ID}, c.limits()); err != nil {
			state = " (damaged: " + err.Error() + ")"
		}
		fmt.Fprintf(s.out, "  %s%s\n", clean(refText(l.Kind, l.ID)), state)
	}
	return nil
}

type libraryExportCmd struct {
	shelf
	unlocking
	Piece     string `arg:"" help:"The piece, as listed: kind/id, or the id alone."`
	To        string `required:"" help:"The app: sillytavern, lumiverse, ... (bunzai formats lists them)."`
	Out       string `short:"o" placeholder:"OUT" help:"Where to write, as a file, a folder, or - for standard output. Default: the suggested name in the current folder."`
	Container string `enum:",${containers}" default:"" placeholder:"KIND" help:"Kind of file: ${containers}. Default: what the ending of OUT says, else the app's usual one, or the one that the piece came in where it came from the same app."`
	Spec      string `placeholder:"v2|v3" help:"Card version, where the app has several."`
	Report    string `enum:"text,json" default:"text" help:"Form of the report: text or json."`
	JSON      bool   `name:"json" help:"The same as --report json."`
	AllowLoss bool   `help:"Write even where archive content would be dropped."`
	Strict    bool   `help:"Refuse to write when anything would be lost."`
	Force     bool   `help:"Replace an existing output file."`
	Quiet     bool   `short:"q" help:"Print no report, only what went wrong."`
	All       bool   `help:"List what is simply carried, too."`
}

// Run exports.
func (c *libraryExportCmd) Run(s *streams) error {
	store, _, done, err := c.open(false)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.Background()
	ref, err := library.Find(ctx, store, c.Piece)
	if err != nil {
		return err
	}
	o := convert.Options{Limits: c.limits(), To: c.To, Container: formats.Container(c.Container), Spec: c.Spec, AllowLoss: c.AllowLoss, Password: c.Password}
	if o.Container == "" {
		o.Container = endingOf(c.Out)
	}
	out, err := library.Export(ctx, convert.New(), store, ref, o)
	if err != nil {
		return err
	}
	if err := c.outside(out); err != nil {
		return err
	}
	w := &convertCmd{Out: c.Out, Report: c.Report, JSON: c.JSON, Strict: c.Strict, Force: c.Force, Quiet: c.Quiet, All: c.All}
	return w.write(s, out, c.Out, &file{})
}

// outside refuses to write an app's file in place of a piece of the library.
func (c *libraryExportCmd) outside(out *convert.Output) error {
	dir, err := c.place()
	if err != nil || c.Out == "-" {
		return err
	}
	path := c.Out
	if info, err := os.Stat(path); path == "" || err == nil && info.IsDir() {
		path = filepath.Join(path, out.FileName)
	}
	lib, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return cannot("write", err)
	}
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, lib) {
			return fault.New(fault.BadArgument, "", "%s is inside the library (%s), whose files are its pieces; write the export elsewhere with -o", path, dir)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

type libraryAttachCmd struct {
	shelf
	To    string `arg:"" name:"piece" help:"The piece that gets the link: a character, persona or preset."`
	Piece string `arg:"" name:"linked" help:"The lorebook, regex set or quick reply set."`
	At    int    `default:"0" placeholder:"N" help:"Place in the order, from 1. Default: the end."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run attaches.
func (c *libraryAttachCmd) Run(s *streams) error {
	if c.At < 0 {
		return fault.New(fault.BadArgument, "", "--at counts from 1")
	}
	return c.change(s, c.To, c.Piece, c.JSON, func(ctx context.Context, store library.Store, from, to library.Ref) (*library.SaveResult, error) {
		return library.Attach(ctx, store, from, to, c.At-1, c.limits())
	})
}

type libraryDetachCmd struct {
	shelf
	From  string `arg:"" name:"piece" help:"The piece that has the link."`
	Piece string `arg:"" name:"linked" help:"The linked piece; it need not be in the library any more."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// Run detaches.
func (c *libraryDetachCmd) Run(s *streams) error {
	return c.change(s, c.From, c.Piece, c.JSON, func(ctx context.Context, store library.Store, from, to library.Ref) (*library.SaveResult, error) {
		return library.Detach(ctx, store, from, to, c.limits())
	})
}

// change changes a link and prints the links as they are then.
func (c *shelf) change(s *streams, fromText, toText string, asJSON bool, do func(ctx context.Context, store library.Store, from, to library.Ref) (*library.SaveResult, error)) error {
	store, _, done, err := c.open(false)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.Background()
	from, err := library.Find(ctx, store, fromText, canonical.KindCharacter, canonical.KindPersona, canonical.KindPreset)
	if err != nil {
		return err
	}
	var kinds []canonical.Kind
	for _, f := range canonical.LinkFields() {
		if f.From == from.Kind {
			kinds = append(kinds, f.To)
		}
	}
	to, err := library.Find(ctx, store, toText, kinds...)
	if fault.Is(err, fault.NoPiece) { // a link to what is gone can still be taken out
		e, loadErr := library.Load(ctx, store, from, c.limits())
		if loadErr != nil {
			return loadErr
		}
		for _, l := range canonical.LinksOf(e) {
			if toText == l.To.ID || toText == refText(l.To.Kind, l.To.ID) {
				to, err = l.To, nil
			}
		}
	}
	if err != nil {
		return err
	}
	r, err := do(ctx, store, from, to)
	if err != nil {
		return err
	}
	if asJSON {
		return s.writeJSON(r)
	}
	names := make([]string, len(r.Links))
	for i, l := range r.Links {
		names[i] = refText(l.Kind, l.ID)
	}
	if len(names) == 0 {
		names = []string{"nothing"}
	}
	_, err = fmt.Fprintf(s.out, "%s links %s\n", clean(refText(from.Kind, from.ID)), clean(strings.Join(names, ", ")))
	return err
}

type libraryDeleteCmd struct {
	shelf
	Piece string `arg:"" help:"The piece, as listed: kind/id, or the id alone."`
}

// Run deletes.
func (c *libraryDeleteCmd) Run(s *streams) error {
	store, _, done, err := c.open(false)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.Background()
	ref, err := library.Find(ctx, store, c.Piece)
	if err != nil {
		return err
	}
	if err := store.Delete(ctx, ref); err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.out, "deleted", clean(refText(ref.Kind, ref.ID)))
	return err
}
