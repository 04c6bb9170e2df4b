package library

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// Bundle is a piece with the pieces that came inside its file and that it links.
type Bundle struct {
	Primary *canonical.Entity
	Related []*canonical.Entity
}

// Bundles makes bundles of a file that was read: one of its main piece with all that it carries, and one of each further
// piece of its kind.
func Bundles(p *convert.Pieces) []Bundle {
	out := []Bundle{{Primary: p.Alone(), Related: append(slices.Clone(p.Books), p.Regex...)}}
	for _, e := range p.More {
		out = append(out, Bundle{Primary: e})
	}
	return out
}

// SaveOptions steer SaveBundle.
type SaveOptions struct {
	// Overwrite puts every piece under its own id, in place of what is there: for an editor that saves what it opened.
	// Without it nothing is replaced; see the package.
	Overwrite bool
	// Limits bound each canonical file by JSON, so that what is kept can be read again; zero is limits.Card.
	Limits limits.Limits
}

func (o SaveOptions) limits() limits.Limits {
	if o.Limits.Name == "" {
		return limits.Card()
	}
	return o.Limits
}

// How a piece was saved.
const (
	Created  = "created"  // under an id of its own
	Shared   = "shared"   // not written: the library holds the very same piece
	Replaced = "replaced" // in place of what was there, or new, with Overwrite
)

// Saved is one piece as it is kept now.
type Saved struct {
	Summary
	Asked string `json:"asked"` // the id that it came with; ID differs when that was taken
	How   string `json:"how"`   // Created, Shared, Replaced
}

// SaveResult tells what SaveBundle did.
type SaveResult struct {
	Primary *Saved  `json:"primary"` // nil when it was not saved
	Related []Saved `json:"related"`
	// Links of the primary as they are saved, in model order.
	Links []Ref `json:"links"`
	// Partial: it failed after something had been written, which stays.
	Partial bool `json:"partial"`
}

// Renames returns what got another id than it came with.
func (r *SaveResult) Renames() map[Ref]string {
	out := map[Ref]string{}
	all := r.Related
	if r.Primary != nil {
		all = append(slices.Clone(all), *r.Primary)
	}
	for _, s := range all {
		if s.ID != s.Asked {
			out[Ref{Kind: s.Kind, ID: s.Asked}] = s.ID
		}
	}
	return out
}

// SaveBundle keeps a piece and what it links: related pieces first (lorebooks, regex sets, then the others), and last
// the primary, with every link field following the related pieces that got another id. Everything is checked before
// anything is written.
//
// An error names the piece. When something had been written by then, the result says Partial and what; that stays, and
// saving again finds it there and shares it.
func SaveBundle(ctx context.Context, store Store, b Bundle, o SaveOptions) (*SaveResult, error) {
	out := &SaveResult{Related: []Saved{}, Links: []Ref{}}
	if err := check(b); err != nil {
		return out, err
	}
	related := slices.Clone(b.Related)
	kinds := canonical.Kinds()
	slices.SortStableFunc(related, func(x, y *canonical.Entity) int {
		return slices.Index(kinds, x.Kind) - slices.Index(kinds, y.Kind)
	})
	for _, e := range related {
		s, err := save(ctx, store, e, o)
		if err != nil {
			return out, failed(out, e, err)
		}
		out.Related = append(out.Related, *s)
	}
	e := canonical.RenameLinks(b.Primary, out.Renames())
	s, err := save(ctx, store, e, o)
	if err != nil {
		return out, failed(out, e, err)
	}
	out.Primary = s
	for _, l := range canonical.LinksOf(e) {
		out.Links = append(out.Links, l.To)
	}
	return out, nil
}

// check is the preflight: nothing of a bundle is written when a part of it cannot be.
func check(b Bundle) error {
	one := func(e *canonical.Entity, what string) error {
		switch {
		case e == nil:
			return fault.New(fault.BadArgument, "", "the bundle lacks %s", what)
		case canonical.KindOf(e.Body) == "" || canonical.KindOf(e.Body) != e.Kind:
			return fault.New(fault.BadArgument, "", "%s is called a %q and has the body of a %q", what, e.Kind, canonical.KindOf(e.Body))
		case e.ID == "":
			return fault.New(fault.BadArgument, "", "%s, a %s, has no id", what, word(e.Kind))
		}
		return nil
	}
	if err := one(b.Primary, "the main piece"); err != nil {
		return err
	}
	seen := map[Ref]bool{{Kind: b.Primary.Kind, ID: b.Primary.ID}: true}
	for i, e := range b.Related {
		if err := one(e, "related piece "+strconv.Itoa(i+1)); err != nil {
			return err
		}
		ref := Ref{Kind: e.Kind, ID: e.ID}
		if seen[ref] {
			return fault.New(fault.BadArgument, "", "the bundle holds two pieces that are %s %q", word(e.Kind), e.ID)
		}
		seen[ref] = true
	}
	return nil
}

// failed puts the piece's name before what went wrong.
func failed(r *SaveResult, e *canonical.Entity, err error) error {
	wrote := 0
	for _, s := range r.Related {
		if s.How != Shared {
			wrote++
		}
	}
	r.Partial = wrote > 0
	f := *fault.As(err)
	f.Message = fmt.Sprintf("%s %q was not saved: %s", word(e.Kind), e.ID, f.Message)
	if r.Partial {
		f.Message += fmt.Sprintf("; what was saved before it stays (%d)", wrote)
	}
	f.Err = err
	return &f
}

// save keeps one piece.
func save(ctx context.Context, store Store, e *canonical.Entity, o SaveOptions) (*Saved, error) {
	asked := e.ID
	if o.Overwrite {
		s, data, err := encode(e, asked, o)
		if err == nil {
			err = store.Replace(ctx, s, data)
		}
		return &Saved{s, asked, Replaced}, err
	}
	for n := 1; ; n++ {
		id := asked
		if n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		s, data, err := encode(e, id, o)
		if err != nil {
			return nil, err
		}
		err = store.Create(ctx, s, data)
		if err == nil {
			return &Saved{s, asked, Created}, nil
		}
		if !errors.Is(err, ErrTaken) {
			return nil, err
		}
		same, err := holds(ctx, store, s.Ref(), data)
		if err != nil {
			return nil, err
		}
		if same {
			return &Saved{s, asked, Shared}, nil
		}
	}
}

// encode writes a piece under an id.
func encode(e *canonical.Entity, id string, o SaveOptions) (Summary, *rope.Rope, error) {
	x := *e
	x.ID = id
	data, err := canonical.EncodeEntityWithin(&x, o.limits())
	if err != nil {
		return Summary{}, nil, err
	}
	return Summary{Kind: x.Kind, ID: id, Name: convert.OwnName(&x), Size: data.Size()}, data, nil
}

// holds tells whether the store has exactly this.
func holds(ctx context.Context, store Store, ref Ref, data *rope.Rope) (bool, error) {
	f, err := store.Open(ctx, ref)
	if fault.Is(err, fault.NoPiece) {
		return false, nil // deleted meanwhile; the next id will do
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	return rope.Equal(f, data)
}
