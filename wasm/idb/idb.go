//go:build js && wasm

// Package idb keeps a library in the browser's database (IndexedDB): the canonical files in one object store, by kind and
// id, and beside them in another what a list shows, so that listing reads no file. Both change in one transaction.
//
// A Store opens its database for each call and closes it after, so that an engine which is put aside holds nothing, and
// no tab keeps another one waiting.
package idb

import (
	"context"
	"errors"
	"syscall/js"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/library"
	"bunzai/rope"
)

// version is of the layout of the database.
const version = 1

// Names of the object stores. The key of a piece is [kind, id].
const (
	files     = "files"     // Blob
	summaries = "summaries" // {kind, id, name, size}
)

// Store is a library.Store over the database of a name.
type Store struct {
	Name string
	// Blob makes a Blob of a rope, and Source reads one; the engine has its own ways to do both.
	Blob   func(*rope.Rope) (js.Value, error)
	Source func(js.Value) rope.Source
}

// Check opens the database, to hear now if it cannot be.
func (s *Store) Check(ctx context.Context) error {
	db, err := s.open(ctx)
	if err == nil {
		db.Call("close")
	}
	return err
}

func factory() (f js.Value) {
	defer func() { _ = recover() }() // where storage is forbidden, asking for it throws
	return js.Global().Get("indexedDB")
}

// open opens the database, and makes it where there is none.
func (s *Store) open(ctx context.Context) (js.Value, error) {
	if err := ctx.Err(); err != nil {
		return js.Undefined(), err
	}
	f := factory()
	if !f.Truthy() {
		return js.Undefined(), fault.New(fault.Unsupported, "", "there is no place for a library here: IndexedDB, the database of browsers, is missing or forbidden (as in some private windows, and outside of browsers, where the command line keeps a library in a folder)")
	}
	req, err := try(func() js.Value { return f.Call("open", s.Name, version) })
	if err != nil {
		return js.Undefined(), err
	}
	upgrade := js.FuncOf(func(js.Value, []js.Value) any {
		db := req.Get("result")
		db.Call("createObjectStore", files)
		db.Call("createObjectStore", summaries)
		return nil
	})
	defer upgrade.Release()
	req.Set("onupgradeneeded", upgrade)
	if err := wait(req, "success"); err != nil {
		return js.Undefined(), err
	}
	return req.Get("result"), nil
}

// transaction runs work in one transaction and waits until all of it is in the database. Work only makes requests: a
// transaction that nobody asks anything ends by itself.
func (s *Store) transaction(ctx context.Context, mode string, stores []any, work func(tx js.Value)) error {
	db, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer db.Call("close")
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := try(func() js.Value {
		if mode == "readwrite" {
			o := js.Global().Get("Object").New()
			o.Set("durability", "strict") // on the disk, and not only on its way
			return db.Call("transaction", stores, mode, o)
		}
		return db.Call("transaction", stores, mode)
	})
	if err != nil {
		return err
	}
	// Events come only when this goroutine waits, so that none is missed between the requests and here.
	if _, err := try(func() js.Value { work(tx); return js.Undefined() }); err != nil {
		tx.Call("abort")
		return err
	}
	return wait(tx, "complete")
}

// List implements library.Store.
func (s *Store) List(ctx context.Context, kind canonical.Kind) ([]library.Summary, error) {
	var req js.Value
	err := s.transaction(ctx, "readonly", []any{summaries}, func(tx js.Value) {
		req = tx.Call("objectStore", summaries).Call("getAll")
	})
	if err != nil {
		return nil, err
	}
	list := req.Get("result")
	out := []library.Summary{}
	for i := range list.Length() {
		x := list.Index(i)
		sum := library.Summary{Kind: canonical.Kind(x.Get("kind").String()), ID: unkey(x.Get("id").String()), Name: x.Get("name").String(), Size: int64(x.Get("size").Float())}
		if kind == "" || sum.Kind == kind {
			out = append(out, sum)
		}
	}
	library.Sort(out)
	return out, nil
}

type file struct{ rope.Source }

func (file) Close() error { return nil }

// Open implements library.Store.
func (s *Store) Open(ctx context.Context, ref library.Ref) (library.File, error) {
	var req js.Value
	err := s.transaction(ctx, "readonly", []any{files}, func(tx js.Value) {
		req = tx.Call("objectStore", files).Call("get", key(ref))
	})
	if err != nil {
		return nil, err
	}
	blob := req.Get("result")
	if blob.IsUndefined() {
		return nil, library.Missing("", ref)
	}
	return file{s.Source(blob)}, nil
}

// Create implements library.Store.
func (s *Store) Create(ctx context.Context, x library.Summary, data *rope.Rope) error {
	return s.put(ctx, "add", x, data)
}

// Replace implements library.Store.
func (s *Store) Replace(ctx context.Context, x library.Summary, data *rope.Rope) error {
	return s.put(ctx, "put", x, data)
}

func (s *Store) put(ctx context.Context, how string, x library.Summary, data *rope.Rope) error {
	if x.ID == "" {
		return fault.New(fault.BadArgument, "", "a piece without an id cannot be kept")
	}
	if how == "add" { // before much is written for nothing; add itself decides
		if f, err := s.Open(ctx, x.Ref()); err == nil {
			f.Close()
			return library.ErrTaken
		}
	}
	blob, err := s.Blob(data)
	if err != nil {
		return err
	}
	err = s.transaction(ctx, "readwrite", []any{files, summaries}, func(tx js.Value) {
		sum := js.Global().Get("Object").New()
		sum.Set("kind", string(x.Kind))
		sum.Set("id", idKey(x.ID))
		sum.Set("name", x.Name)
		sum.Set("size", data.Size())
		tx.Call("objectStore", summaries).Call(how, sum, key(x.Ref()))
		tx.Call("objectStore", files).Call(how, blob, key(x.Ref()))
	})
	var d *domError
	switch {
	case errors.As(err, &d) && d.name == "ConstraintError":
		return library.ErrTaken
	case errors.As(err, &d) && d.name == "QuotaExceededError":
		return fault.New(fault.OverLimit, "", "the browser gives this page no more room; delete pieces from the library, or free space on the disk")
	}
	return err
}

// Delete implements library.Store.
func (s *Store) Delete(ctx context.Context, ref library.Ref) error {
	f, err := s.Open(ctx, ref)
	if err != nil {
		return err
	}
	f.Close()
	return s.transaction(ctx, "readwrite", []any{files, summaries}, func(tx js.Value) {
		tx.Call("objectStore", files).Call("delete", key(ref))
		tx.Call("objectStore", summaries).Call("delete", key(ref))
	})
}

func key(ref library.Ref) js.Value {
	return js.Global().Get("Array").Call("of", string(ref.Kind), idKey(ref.ID))
}
