package library

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/rope"
)

// Ref names a piece: its kind and id.
type Ref = canonical.PieceRef

// Summary is what a list shows of a piece.
type Summary struct {
	Kind canonical.Kind `json:"kind"`
	ID   string         `json:"id"`
	Name string         `json:"name"` // display name, may be ""
	Size int64          `json:"size"` // bytes of its canonical file
	// Problem says what is plainly wrong with a file that somebody else touched; "" when nothing is, or nobody looked.
	Problem string `json:"problem,omitempty"`
}

// Ref returns the piece's kind and id.
func (s Summary) Ref() Ref { return Ref{Kind: s.Kind, ID: s.ID} }

// File is the canonical file of a kept piece. It stays readable until Close, also when the piece is replaced meanwhile.
type File interface {
	rope.Source
	io.Closer
}

// Store keeps canonical files under kind and id. Ids are any text that is not empty: a Store makes of them what its
// ground needs, so that two ids never meet and none leaves its place. Each call is whole or without effect, also when
// other programs use the same ground; ctx ends a wait.
type Store interface {
	// List returns the pieces of one kind, or of all kinds for "", by kind in the order of canonical.Kinds and then by id.
	List(ctx context.Context, kind canonical.Kind) ([]Summary, error)
	// Open returns the file of a piece. There being none is a MissingError.
	Open(ctx context.Context, ref Ref) (File, error)
	// Create keeps a new piece; Size of the summary is not looked at. An id that is there already is ErrTaken.
	Create(ctx context.Context, s Summary, data *rope.Rope) error
	// Replace keeps a piece in place of what was there, if anything.
	Replace(ctx context.Context, s Summary, data *rope.Rope) error
	// Delete forgets a piece. There being none is a MissingError.
	Delete(ctx context.Context, ref Ref) error
}

// ErrTaken says that the id has a piece already.
var ErrTaken = errors.New("library: the id is taken")

// Missing is a fault of code fault.NoPiece that names every piece that is not there.
func Missing(of string, refs ...Ref) error {
	names := make([]string, len(refs))
	for i, r := range refs {
		names[i] = word(r.Kind) + ` "` + r.ID + `"`
	}
	if of == "" {
		return fault.New(fault.NoPiece, "", "the library has no %s", strings.Join(names, ", no "))
	}
	return fault.New(fault.NoPiece, "", "%s needs what the library does not have: %s; import it, or take the link out", of, strings.Join(names, ", "))
}

func word(k canonical.Kind) string {
	switch k {
	case canonical.KindRegex:
		return "regex set"
	case canonical.KindQuickReply:
		return "quick reply set"
	}
	return string(k)
}

// Sort brings summaries into the order of List.
func Sort(list []Summary) {
	kinds := canonical.Kinds()
	slices.SortFunc(list, func(a, b Summary) int {
		if d := slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind); d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// Memory is a Store that ends with the program. The zero value is empty and ready, also for several goroutines.
type Memory struct {
	mu     sync.Mutex
	pieces map[Ref]kept
}

type kept struct {
	Summary
	data []byte
}

type memoryFile struct{ rope.Bytes }

func (memoryFile) Close() error { return nil }

// List implements Store.
func (m *Memory) List(ctx context.Context, kind canonical.Kind) ([]Summary, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := []Summary{}
	for _, p := range m.pieces {
		if kind == "" || p.Kind == kind {
			out = append(out, p.Summary)
		}
	}
	Sort(out)
	return out, nil
}

// Open implements Store.
func (m *Memory) Open(ctx context.Context, ref Ref) (File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.pieces[ref]
	if !ok {
		return nil, Missing("", ref)
	}
	return memoryFile{p.data}, nil
}

// Create implements Store.
func (m *Memory) Create(ctx context.Context, s Summary, data *rope.Rope) error {
	return m.put(ctx, s, data, false)
}

// Replace implements Store.
func (m *Memory) Replace(ctx context.Context, s Summary, data *rope.Rope) error {
	return m.put(ctx, s, data, true)
}

func (m *Memory) put(ctx context.Context, s Summary, data *rope.Rope, replace bool) error {
	m.mu.Lock()
	_, taken := m.pieces[s.Ref()]
	m.mu.Unlock()
	if taken && !replace {
		return ErrTaken
	}
	var b bytes.Buffer // a copy: what the rope refers to may go away
	if _, err := data.WriteTo(&b); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.pieces[s.Ref()]; taken && !replace {
		return ErrTaken
	}
	if m.pieces == nil {
		m.pieces = map[Ref]kept{}
	}
	s.ID, s.Name, s.Size = strings.Clone(s.ID), strings.Clone(s.Name), data.Size() // a text may be a part of its file
	m.pieces[s.Ref()] = kept{s, b.Bytes()}
	return nil
}

// Delete implements Store.
func (m *Memory) Delete(ctx context.Context, ref Ref) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.pieces[ref]; !ok {
		return Missing("", ref)
	}
	delete(m.pieces, ref)
	return nil
}
