package convert

import (
	"bunzai/canonical"
	"bunzai/container/media"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/all"
	"bunzai/limits"
	"bunzai/rope"
)

// BackupOptions steer the import of an account backup.
type BackupOptions struct {
	Name   string
	Limits limits.Limits // zero: limits.Backup
	// Scratch keeps rows that are needed again; nil: memory, and a refusal of tables that need much of it.
	Scratch formats.Scratch
}

// Backup is an open account backup, read once from front to back.
type Backup struct {
	Info formats.BackupInfo
	e    *Engine
	b    formats.Backup
}

// ImportBackup opens an account backup: a file of thousands of pieces, which Each gives one by one. A file that is none
// is fault.NotRecognized.
func (e *Engine) ImportBackup(src rope.Source, o BackupOptions) (*Backup, error) {
	if src.Size() == 0 {
		return nil, fault.New(fault.Empty, "", "the file is empty (0 bytes)")
	}
	if o.Limits.Name == "" {
		o.Limits = limits.Backup()
	}
	readers := all.Backups()
	for _, r := range readers {
		if !r.Detect(src) {
			continue
		}
		b, err := r.Open(src, formats.BackupOptions{Name: o.Name, Limits: o.Limits, Scratch: o.Scratch})
		if err != nil {
			return nil, err
		}
		return &Backup{Info: r.Info(), e: e, b: b}, nil
	}
	// A ZIP gets the reader's own words for what is missing in it.
	if head, err := rope.View(src, 0, min(4, src.Size())); err == nil && string(head) == "PK\x03\x04" {
		if _, err := readers[0].Open(src, formats.BackupOptions{Name: o.Name, Limits: o.Limits}); err != nil {
			return nil, err
		}
	}
	return nil, fault.New(fault.NotRecognized, "", "this is no account backup that bunzai reads; import reads %s, and convert reads single cards", readers[0].Info().Label)
}

// BackupPiece is one piece of a backup, ready for Emit.
type BackupPiece struct {
	*formats.BackupPiece
	Pieces *Pieces
}

// Each gives every piece: lorebooks, personas, characters, presets, regex sets. What is linked comes inside the piece
// (Books, Regex) and as a piece of its own. Memory holds one piece at a time, unless yield keeps them.
func (b *Backup) Each(yield func(*BackupPiece) bool) error {
	return b.b.Pieces(func(p *formats.BackupPiece) bool {
		return yield(&BackupPiece{p, &Pieces{Primary: p.Entity, Books: p.Books, Regex: p.Regex, Info: p.Info, Container: p.Container,
			Detection: Detection{Winner: &p.Info}, Unmapped: func() []string { return nil }}})
	})
}

// Report tells what became of every row; it is whole when Each has ended.
func (b *Backup) Report() *formats.BackupReport { return b.b.Report() }

// Emit writes one piece for o.To: the file, and the pictures that it has no place for. No file at all means that the
// piece is inside another one. An app without a file for the kind gets a canonical file, so that nothing is left
// behind; the note says so. Without a report from o, nothing is compared.
func (b *Backup) Emit(p *BackupPiece, o Options) (files []*Output, note string, err error) {
	o.Limits = p.Limits
	to := o.To
	target, err := b.e.Registry.Target(to, p.Entity.Kind)
	if fault.Is(err, fault.WrongKind) {
		note = fault.As(err).Message + ", so it is written as a canonical file"
		o.To = "bunzai"
		target, err = b.e.Registry.Target(o.To, p.Entity.Kind)
	}
	if err != nil {
		return nil, "", err
	}
	if p.Owner != nil && to != "bunzai" {
		if x, err := b.e.Registry.Target(to, p.Owner.Kind); err == nil {
			if _, inside := x.(formats.RegexExtractor); inside {
				return nil, "", nil
			}
		}
		// A file of its own would apply everywhere.
		note = "regex scripts of one character or preset are written as canonical files"
		o.To = "bunzai"
		if target, err = b.e.Registry.Target(o.To, p.Entity.Kind); err != nil {
			return nil, "", err
		}
	}
	one := *p.Pieces
	if one.Primary.Bucket(target.Info().ID) == nil {
		one.Container = "" // the app's own usual one, not an archive for each character
	}
	if p.Entity.Kind == canonical.KindPersona {
		one.Books = nil // a persona names its book and never holds it
	}
	out, err := b.e.Emit(&one, o)
	if err != nil {
		return nil, note, err
	}
	files = []*Output{out}
	if per, ok := p.Entity.Body.(*canonical.Persona); ok && o.To != "bunzai" && out.Container == formats.JSON && per.Media != nil && per.Media.Portrait != nil && per.Media.Portrait.Blob != nil {
		pic := per.Media.Portrait.Blob
		raw, err := pic.Raw()
		if err != nil {
			return nil, note, err
		}
		head, err := rope.View(raw, 0, min(64, raw.Size()))
		if err != nil {
			return nil, note, fault.As(err)
		}
		ext, mime := media.Sniff(head)
		if ext == "" {
			mime = canonical.Or(per.Media.Portrait.Mime, "application/octet-stream")
			if ext = media.ExtOf(mime); ext == "" {
				ext = "bin"
			}
		}
		files = append(files, &Output{Data: rope.Of(raw), FileName: FileName(NameOf(p.Entity, o.Name), "."+ext), Ext: "." + ext, MediaType: mime})
	}
	return files, note, nil
}
