package formats

import (
	"sort"

	"bunzai/canonical"
	"bunzai/fault"
)

// Registry is the list of codecs in registration order: folder names sorted, inside a folder as the folder lists them.
type Registry struct{ codecs []Codec }

// NewRegistry takes the codecs of each folder. Folders are sorted by name, so that ties never depend on the caller.
func NewRegistry(folders map[string][]Codec) *Registry {
	names := make([]string, 0, len(folders))
	for n := range folders {
		names = append(names, n)
	}
	sort.Strings(names)
	r := &Registry{}
	for _, n := range names {
		r.codecs = append(r.codecs, folders[n]...)
	}
	return r
}

// Codecs lists all codecs in registration order.
func (r *Registry) Codecs() []Codec { return r.codecs }

// Ranked is one codec's bid.
type Ranked struct {
	Codec Codec
	Bid   Bid
}

// Detect asks every codec and returns all bids in registration order, and the winner: the highest score above 0.5,
// the first registered on a tie; nil when nobody claims the input.
func (r *Registry) Detect(in *Input) (winner Codec, bids []Ranked) {
	best := 0.5
	for _, c := range r.codecs {
		b := c.Detect(in)
		bids = append(bids, Ranked{c, b})
		if b.Score > best {
			best, winner = b.Score, c
		}
	}
	return winner, bids
}

// Target finds the codec that writes kind for app (or the codec of that very id).
func (r *Registry) Target(app string, kind canonical.Kind) (Codec, error) {
	return r.TargetIn(app, kind, "", nil)
}

// TargetIn is Target where an app has several files of a kind: with a container it is the first codec that writes it,
// and the codec that e came from, which has an escrow bucket there, goes before the others.
func (r *Registry) TargetIn(app string, kind canonical.Kind, container Container, e *canonical.Entity) (Codec, error) {
	known := false
	var found []Codec
	for _, c := range r.codecs {
		i := c.Info()
		switch {
		case i.Kind == kind && i.ID == app && i.App != app:
			return c, nil
		case i.Kind == kind && i.App == app && e != nil && e.Bucket(i.ID) != nil:
			found = append([]Codec{c}, found...)
		case i.Kind == kind && i.App == app:
			found = append(found, c)
		}
		known = known || i.App == app || i.ID == app
	}
	for _, c := range found {
		if container != "" && Writes(c, e, container) {
			return c, nil
		}
	}
	if len(found) > 0 {
		return found[0], nil
	}
	if known {
		return nil, fault.New(fault.WrongKind, "", "%s has no file for a %s", app, kind)
	}
	return nil, fault.New(fault.UnknownTarget, "", "there is no app %q; known apps: %s", app, joinApps(r))
}

func joinApps(r *Registry) string {
	s, seen := "", map[string]bool{}
	for _, c := range r.codecs {
		if a := c.Info().App; !seen[a] {
			seen[a] = true
			if s != "" {
				s += ", "
			}
			s += a
		}
	}
	return s
}
