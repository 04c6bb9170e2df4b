package library

import (
	"context"
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/limits"
)

// Find makes a Ref of what a person wrote: kind/id, or an id alone where only one of the kinds has it (no kinds: all).
// What fits nothing is fault.NoPiece, what fits several is fault.Ambiguous and names them.
func Find(ctx context.Context, store Store, text string, kinds ...canonical.Kind) (Ref, error) {
	if len(kinds) == 0 {
		kinds = canonical.Kinds()
	}
	if kind, id, ok := strings.Cut(text, "/"); ok && slices.Contains(canonical.Kinds(), canonical.Kind(kind)) {
		ref := Ref{Kind: canonical.Kind(kind), ID: id}
		if !slices.Contains(kinds, ref.Kind) {
			return ref, fault.New(fault.BadArgument, "", "%s is a %s, and here is asked for a %s", text, word(ref.Kind), words(kinds))
		}
		f, err := store.Open(ctx, ref)
		if err != nil {
			return ref, err
		}
		return ref, f.Close()
	}
	var found []Ref
	for _, k := range kinds {
		ref := Ref{Kind: k, ID: text}
		f, err := store.Open(ctx, ref)
		if fault.Is(err, fault.NoPiece) {
			continue
		}
		if err != nil {
			return ref, err
		}
		f.Close()
		found = append(found, ref)
	}
	switch len(found) {
	case 0:
		return Ref{}, fault.New(fault.NoPiece, "", "the library has no %s with the id %q", words(kinds), text)
	case 1:
		return found[0], nil
	}
	names := make([]string, len(found))
	for i, r := range found {
		names[i] = string(r.Kind) + "/" + r.ID
	}
	return Ref{}, fault.New(fault.Ambiguous, "", "%q is the id of several pieces; write %s", text, strings.Join(names, " or "))
}

func words(kinds []canonical.Kind) string {
	if len(kinds) == len(canonical.Kinds()) {
		return "piece"
	}
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = word(k)
	}
	return strings.Join(list, " or ")
}

// LinkView is one link of a piece, for showing.
type LinkView struct {
	Field string         `json:"field"` // canonical path: knowledgeRefs
	Kind  canonical.Kind `json:"kind"`
	ID    string         `json:"id"`
	// Embedded: files carry the linked piece inside, so that its absence refuses an export.
	Embedded bool `json:"embedded"`
	Found    bool `json:"found"` // the library has it
}

// LinksOf lists the links of a kept piece and whether they lead anywhere.
func LinksOf(ctx context.Context, store Store, ref Ref, lim limits.Limits) ([]LinkView, error) {
	e, err := Load(ctx, store, ref, lim)
	if err != nil {
		return nil, err
	}
	out := []LinkView{}
	for _, l := range canonical.LinksOf(e) {
		f, err := store.Open(ctx, l.To)
		if err == nil {
			f.Close()
		} else if !fault.Is(err, fault.NoPiece) {
			return nil, err
		}
		out = append(out, LinkView{l.Field.Path, l.To.Kind, l.To.ID, l.Field.Embedded, err == nil})
	}
	return out, nil
}
