package convert

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

// What stays behind although the source's own app is the target, or the source is a kept piece: the escrow of a piece
// goes back where the codec writes over it, and nowhere else. What was written is read again, and what it lacks is named.

const (
	leftInFile  = "the new file has no place for it; it stays in your original file"
	leftInPiece = "bunzai knows no common meaning for it, and the new file holds nothing of that sort; it stays in the piece that you keep"
)

// left names what the source's format has and the new file of the same format lacks; more are places that the codec left out.
func (r *reporter) left(p, back *Pieces, more []string) {
	var paths []string
	if !sameDocument(p, back) {
		paths = p.Unmapped()
	}
	for _, m := range more {
		if !slices.Contains(paths, m) {
			paths = append(paths, m)
		}
	}
	r.lacks("original."+p.Info.App+".", paths, back.Unmapped, leftInFile, func(path string) *string { return preview(p, path) })
	held := map[string]bool{}
	if o := back.Primary.Bucket(r.to.ID); o != nil {
		for _, f := range o.Files {
			held[f.Path] = true
		}
	}
	files := slices.DeleteFunc(r.unnamedFiles(p, p.Primary.Bucket(r.to.ID)), func(f canonical.File) bool { return held[f.Path] })
	r.filesLeft(p.Info.App, files, "the new file holds no files beside the card's pictures; it stays in your original file")
}

// sameDocument tells cheaply that a file came out as it was, so that there is nothing to look for.
func sameDocument(p, back *Pieces) bool {
	a, b := p.Primary.Bucket(p.Info.ID), back.Primary.Bucket(p.Info.ID)
	return p.Container == back.Container && a != nil && b != nil && a.Raw != nil && b.Raw != nil && bytes.Equal(a.Raw.Root.Raw(), b.Raw.Root.Raw())
}

// leftOfPieces names what the escrow of kept pieces has and the new file lacks.
func (r *reporter) leftOfPieces(e *Engine, p, back *Pieces) {
	n := 0
	for _, list := range [][]*canonical.Entity{{p.Primary}, p.Books, p.Regex, p.More} {
		for _, x := range list {
			for _, o := range x.Original {
				var paths []string
				for _, path := range e.unmapped(o) {
					// A card's books and scripts are pieces of their own, which say it themselves.
					if n > 0 || !strings.Contains(path, "entries[]") && !strings.Contains(path, "character_book") && !strings.Contains(path, "regex_scripts") {
						paths = append(paths, path)
					}
				}
				app := o.Bucket
				if c := e.codec(o.Bucket); c != nil {
					app = c.Info().App
				}
				r.piece0(n, func() {
					r.lacks("original."+app+".", paths, back.Unmapped, leftInPiece, func(path string) *string {
						if v := o.Raw.Root.At(strings.Split(path, ".")...); v != nil {
							return text(v)
						}
						return nil
					})
				})
			}
			n++
		}
	}
}

// adrift names what a kept piece links and its file does not hold.
func (r *reporter) adrift(p *Pieces) {
	held := map[string]bool{}
	for _, x := range p.All() {
		held[string(x.Kind)+"/"+x.ID] = true
	}
	for _, l := range canonical.LinksOf(p.Primary) {
		if (l.Field.Embedded || l.Field.Optional) && !held[string(l.To.Kind)+"/"+l.To.ID] {
			label := string(l.To.Kind) + " " + strconv.Quote(l.To.ID)
			r.add(Item{Verdict: Lost, Path: l.Field.Path, Label: label, Count: 1, Before: text(label),
				Reason: "the file only names this piece and does not hold it; export the character from the library that has both"})
		}
	}
}

// piece0 runs f and marks the lost items that it added as those of piece n.
func (r *reporter) piece0(n int, f func()) {
	before := len(r.items[Lost])
	f()
	for i := before; i < len(r.items[Lost]); i++ {
		r.items[Lost][i].Piece = n
	}
}

// lacks adds the paths that the new file does not have. A book's path stands in a card below the place of the book.
func (r *reporter) lacks(prefix string, paths []string, back func() []string, why string, value func(path string) *string) {
	if len(paths) == 0 {
		return
	}
	have := back()
	n := 0
	for _, path := range paths {
		bare := strings.TrimPrefix(path, "data.")
		if rest, ok := strings.CutPrefix(path, "module.risum.lorebook[]."); ok { // Risu's module and card say the same entries
			bare = "entries[]." + rest
		}
		if slices.ContainsFunc(have, func(h string) bool { return h == path || h == bare || strings.HasSuffix(h, "."+bare) }) {
			continue
		}
		if n++; n > maxUnmapped {
			continue
		}
		item := Item{Verdict: Lost, Path: prefix + path, Label: path, Count: 1, Reason: why, Before: value(path)}
		if r.secret != nil && r.secret(path) {
			item.Before = nil
		}
		r.add(item)
	}
	if n > maxUnmapped {
		r.add(Item{Verdict: Lost, Path: strings.TrimSuffix(prefix, "."), Label: strconv.Itoa(n-maxUnmapped) + " more places", Count: n - maxUnmapped, Reason: why})
	}
}

// unmapped lists what of an escrow has no canonical home, as its codec tells it.
func (e *Engine) unmapped(o *canonical.Escrow) []string {
	if o.Raw == nil {
		return nil
	}
	for _, c := range e.Registry.Codecs() {
		if t, ok := c.(formats.EscrowReader); ok {
			if paths, ok := t.UnmappedOf(o); ok {
				return paths
			}
		}
	}
	c := e.codec(o.Bucket)
	if c == nil { // the scripts of a card or a preset
		host, _ := o.Unmapped.Get("host").Text()
		c, _ = e.Registry.Target(host, canonical.KindRegex)
	}
	if c == nil {
		return nil
	}
	doc := &rope.Rope{}
	o.Raw.AppendTo(doc)
	in, err := formats.Open(doc, "", limits.Large()) // it passed the limits of whoever read it
	if err != nil {
		return nil
	}
	d, err := c.Decode(in)
	if err != nil || d.Unmapped == nil {
		return nil
	}
	return d.Unmapped()
}
