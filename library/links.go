package library

import (
	"context"
	"fmt"
	"slices"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// Load reads one piece.
func Load(ctx context.Context, store Store, ref Ref, lim limits.Limits) (*canonical.Entity, error) {
	b, err := read(ctx, store, ref, lim)
	if err != nil {
		return nil, err
	}
	doc, err := jsondoc.Parse(b, lim)
	if err != nil {
		return nil, unread(ref, err)
	}
	e, err := canonical.DecodeEntity(doc, lim)
	if err != nil {
		return nil, unread(ref, err)
	}
	return e, is(e, ref)
}

// read takes a piece's file into memory of its own, since it is closed while the piece lives.
func read(ctx context.Context, store Store, ref Ref, lim limits.Limits) ([]byte, error) {
	f, err := store.Open(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Size() > lim.JSON {
		return nil, unread(ref, lim.Over("", "JSON", f.Size()))
	}
	b := make([]byte, f.Size())
	if n, err := f.ReadAt(b, 0); n < len(b) {
		return nil, unread(ref, err)
	}
	return b, nil
}

// is refuses a file that somebody put under another name.
func is(e *canonical.Entity, ref Ref) error {
	if e.Kind != ref.Kind || e.ID != ref.ID {
		return unread(ref, fault.New(fault.Damaged, "", "the file holds %s %q", word(e.Kind), e.ID))
	}
	return nil
}

func unread(ref Ref, err error) error {
	f := *fault.As(err)
	f.Message = fmt.Sprintf("%s %q of the library cannot be read: %s", word(ref.Kind), ref.ID, f.Message)
	f.Err = err
	return &f
}

// Linked is what the links of a piece lead to that files carry inside, in the order of the links, each piece once.
type Linked struct {
	Books   []*canonical.Entity
	Regex   []*canonical.Entity
	Missing []Ref // that a file needs
	Adrift  []Ref // that lead nowhere, and that a file is whole without
}

// ResolveLinks reads the pieces that files carry inside the file of e: the lorebooks and regex sets of a character, the
// regex sets of a preset. Other links are references that no file needs, and are not read. What is not there is listed
// and is no error: only whoever writes a file knows whether the target carries it.
func ResolveLinks(ctx context.Context, store Store, e *canonical.Entity, lim limits.Limits) (*Linked, error) {
	out := &Linked{}
	seen := map[Ref]bool{}
	for _, l := range canonical.LinksOf(e) {
		if !(l.Field.Embedded || l.Field.Optional) || seen[l.To] {
			continue
		}
		seen[l.To] = true
		x, err := Load(ctx, store, l.To, lim)
		switch {
		case fault.Is(err, fault.NoPiece) && l.Field.Optional:
			out.Adrift = append(out.Adrift, l.To)
		case fault.Is(err, fault.NoPiece):
			out.Missing = append(out.Missing, l.To)
		case err != nil:
			return nil, err
		case x.Kind == canonical.KindLorebook:
			out.Books = append(out.Books, x)
		default:
			out.Regex = append(out.Regex, x)
		}
	}
	return out, nil
}

// Export writes a piece for the app o.To, with what it links inside where the app's files carry that. The linked list is
// the whole truth: a book that was in the file once and is linked no more is not written. Books and sets that are
// switched off are left out and the report names them.
//
// A missing lorebook of a character, or regex set of a preset, refuses the export to an app that carries such pieces
// (fault.NoPiece, naming every one); for other apps, and of other links, it is a warning of the report.
func Export(ctx context.Context, engine *convert.Engine, store Store, ref Ref, o convert.Options) (*convert.Output, error) {
	if o.Limits.Name == "" {
		o.Limits = limits.Card()
	}
	if o.Name == "" {
		o.Name = ref.ID // some files are named by their file name alone
	}
	e, err := Load(ctx, store, ref, o.Limits)
	if err != nil {
		return nil, err
	}
	own, err := engine.Registry.Target("bunzai", ref.Kind)
	if err != nil {
		return nil, err
	}
	// As the engine reads a canonical file, but for the container: a kept piece goes out as the target's usual file.
	p := &convert.Pieces{Primary: e, Info: own.Info(), Unmapped: func() []string { return nil }}
	linked, err := ResolveLinks(ctx, store, e, o.Limits)
	if err != nil {
		return nil, err
	}
	if o.To == "" {
		return nil, fault.New(fault.BadArgument, "", "say which app to export to")
	}
	target, err := engine.Registry.TargetIn(o.To, ref.Kind, o.Container, e)
	if err != nil {
		return nil, err
	}
	_, books := target.(formats.BookExtractor)
	_, regex := target.(formats.RegexExtractor)
	var needed []Ref
	for _, m := range linked.Missing {
		if m.Kind == canonical.KindLorebook && books || m.Kind == canonical.KindRegex && regex {
			needed = append(needed, m)
		} else {
			linked.Adrift = append(linked.Adrift, m)
		}
	}
	for _, m := range linked.Adrift {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the library does not have %s %q, which is linked here; the file is written without it", word(m.Kind), m.ID))
	}
	if len(needed) > 0 {
		return nil, Missing(word(ref.Kind)+` "`+ref.ID+`"`, needed...)
	}
	p.Books, p.Regex = linked.Books, linked.Regex
	out, err := engine.Emit(p, o)
	if err == nil && out.Report != nil {
		out.Report.From.Container = formats.JSON // what is kept
	}
	return out, err
}

// Attach links a piece to another one: a lorebook to a character or persona, a regex set to a character or preset, quick
// replies to a preset. at is the place in the list from 0; anything outside it is the end. One that is linked already
// moves there. The linked piece must be there.
//
// Two programs that change the links of one piece at the same moment may lose one of the changes.
func Attach(ctx context.Context, store Store, from, to Ref, at int, lim limits.Limits) (*SaveResult, error) {
	f, err := store.Open(ctx, to)
	if err != nil {
		return nil, err
	}
	f.Close()
	return relink(ctx, store, from, to, lim, func(list []string) ([]string, error) {
		list = slices.DeleteFunc(list, func(id string) bool { return id == to.ID })
		if at < 0 || at > len(list) {
			at = len(list)
		}
		return slices.Insert(list, at, to.ID), nil
	})
}

// Detach takes a link out; the linked piece stays in the library. A link that is not there is fault.BadArgument.
func Detach(ctx context.Context, store Store, from, to Ref, lim limits.Limits) (*SaveResult, error) {
	return relink(ctx, store, from, to, lim, func(list []string) ([]string, error) {
		if !slices.Contains(list, to.ID) {
			return nil, fault.New(fault.BadArgument, "", "%s %q does not link %s %q", word(from.Kind), from.ID, word(to.Kind), to.ID)
		}
		return slices.DeleteFunc(list, func(id string) bool { return id == to.ID }), nil
	})
}

func relink(ctx context.Context, store Store, from, to Ref, lim limits.Limits, change func([]string) ([]string, error)) (*SaveResult, error) {
	e, err := Load(ctx, store, from, lim)
	if err != nil {
		return nil, err
	}
	list, ok := canonical.Links(e, to.Kind)
	if !ok {
		return nil, fault.New(fault.BadArgument, "", "a %s has no links to a %s", word(from.Kind), word(to.Kind))
	}
	if list, err = change(list); err != nil {
		return nil, err
	}
	return SaveBundle(ctx, store, Bundle{Primary: canonical.WithLinks(e, to.Kind, list)}, SaveOptions{Overwrite: true, Limits: lim})
}
