//go:build js && wasm

package main

import (
	"context"
	"syscall/js"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/library"
	"bunzai/rope"
	"bunzai/wasm/idb"
)

// The calls of a library take (input, options) as the others do; input is null but for libraryImport.

// shelf reads the options that every call of the library has, and opens it.
func shelf(args []js.Value, known ...string) (*idb.Store, options, convert.Options, error) {
	o, err := optionsOf(arg(args, 1), append([]string{"library", "limits"}, known...)...)
	if err != nil {
		return nil, nil, convert.Options{}, err
	}
	opt, err := common(o)
	if err != nil {
		return nil, nil, convert.Options{}, err
	}
	name, err := o.text("library")
	if err == nil && name == "" {
		err = badArgument("the option \"library\" is missing: it names the database")
	}
	if err != nil {
		return nil, nil, convert.Options{}, err
	}
	return &idb.Store{
		Name:   name,
		Blob:   func(r *rope.Rope) (js.Value, error) { return blobOf(r, "application/json") },
		Source: func(b js.Value) rope.Source { return blobInput(b).src },
	}, o, opt, nil
}

// ref reads a piece's kind and id out of two options.
func ref(o options, kind, id string) (library.Ref, error) {
	var all []string
	for _, k := range canonical.Kinds() {
		all = append(all, string(k))
	}
	k, err := o.oneOf(kind, all...)
	if err != nil {
		return library.Ref{}, err
	}
	i, err := o.text(id)
	if err == nil && (k == "" || i == "") {
		err = badArgument("the options %q and %q are needed: they name a piece", kind, id)
	}
	return library.Ref{Kind: canonical.Kind(k), ID: i}, err
}

func libraryOpen(args []js.Value) (js.Value, error) {
	s, _, _, err := shelf(args)
	if err != nil {
		return js.Undefined(), err
	}
	return js.Null(), s.Check(context.Background())
}

func libraryImport(args []js.Value) (js.Value, error) {
	s, o, opt, err := shelf(args, "name", "overwrite", "password")
	if err != nil {
		return js.Undefined(), err
	}
	over, err := o.flag("overwrite")
	if err != nil {
		return js.Undefined(), err
	}
	in, err := inputOf(arg(args, 0))
	if err != nil {
		return js.Undefined(), err
	}
	p, err := convert.New().Read(in.src, opt)
	if err != nil {
		return js.Undefined(), err
	}
	out := []*library.SaveResult{}
	for _, b := range library.Bundles(p) {
		r, err := library.SaveBundle(context.Background(), s, b, library.SaveOptions{Overwrite: over, Limits: opt.Limits})
		if err != nil {
			return js.Undefined(), err
		}
		out = append(out, r)
	}
	return plainValue(out), nil
}

func libraryList(args []js.Value) (js.Value, error) {
	s, o, _, err := shelf(args, "kind")
	if err != nil {
		return js.Undefined(), err
	}
	var kind library.Ref
	if _, given := o["kind"]; given {
		o["id"] = js.ValueOf("any")
		if kind, err = ref(o, "kind", "id"); err != nil {
			return js.Undefined(), err
		}
	}
	list, err := s.List(context.Background(), kind.Kind)
	if err != nil {
		return js.Undefined(), err
	}
	return plainValue(list), nil
}

func libraryShow(args []js.Value) (js.Value, error) {
	s, o, opt, err := shelf(args, "kind", "id", "assets")
	if err != nil {
		return js.Undefined(), err
	}
	piece, err := ref(o, "kind", "id")
	if err != nil {
		return js.Undefined(), err
	}
	assets, err := o.flag("assets")
	if err != nil {
		return js.Undefined(), err
	}
	ctx := context.Background()
	links, err := library.LinksOf(ctx, s, piece, opt.Limits)
	if err != nil {
		return js.Undefined(), err
	}
	f, err := s.Open(ctx, piece)
	if err != nil {
		return js.Undefined(), err
	}
	defer f.Close()
	v, err := convert.New().Inspect(f, opt)
	if err != nil {
		return js.Undefined(), err
	}
	out := plainValue(struct {
		convert.Inspection
		Links []library.LinkView `json:"links"`
	}{*v, links})
	if assets {
		err = setAllData(out, v)
	}
	return out, err
}

func libraryExport(args []js.Value) (js.Value, error) {
	s, o, opt, err := shelf(args, append([]string{"kind", "id", "name", "password"}, targetOptions...)...)
	if err != nil {
		return js.Undefined(), err
	}
	piece, err := ref(o, "kind", "id")
	if err != nil {
		return js.Undefined(), err
	}
	dry, output, err := target(o, &opt)
	if err != nil {
		return js.Undefined(), err
	}
	c, err := library.Export(context.Background(), convert.New(), s, piece, opt)
	if err != nil {
		return js.Undefined(), err
	}
	return answer(c, dry, false, output != "bytes")
}

func libraryAttach(args []js.Value) (js.Value, error) {
	return relink(args, func(ctx context.Context, s library.Store, from, to library.Ref, at int, opt convert.Options) (*library.SaveResult, error) {
		return library.Attach(ctx, s, from, to, at, opt.Limits)
	})
}

func libraryDetach(args []js.Value) (js.Value, error) {
	return relink(args, func(ctx context.Context, s library.Store, from, to library.Ref, _ int, opt convert.Options) (*library.SaveResult, error) {
		return library.Detach(ctx, s, from, to, opt.Limits)
	})
}

func relink(args []js.Value, do func(ctx context.Context, s library.Store, from, to library.Ref, at int, opt convert.Options) (*library.SaveResult, error)) (js.Value, error) {
	s, o, opt, err := shelf(args, "kind", "id", "linkedKind", "linkedId", "at")
	if err != nil {
		return js.Undefined(), err
	}
	from, err := ref(o, "kind", "id")
	if err != nil {
		return js.Undefined(), err
	}
	to, err := ref(o, "linkedKind", "linkedId")
	if err != nil {
		return js.Undefined(), err
	}
	at := -1
	if v, given := o["at"]; given {
		if v.Type() != js.TypeNumber || v.Float() != float64(v.Int()) || v.Int() < 0 {
			return js.Undefined(), badArgument("the option \"at\" must be a whole number from 0")
		}
		at = v.Int()
	}
	r, err := do(context.Background(), s, from, to, at, opt)
	if err != nil {
		return js.Undefined(), err
	}
	return plainValue(r.Links), nil
}

func libraryDelete(args []js.Value) (js.Value, error) {
	s, o, _, err := shelf(args, "kind", "id")
	if err != nil {
		return js.Undefined(), err
	}
	piece, err := ref(o, "kind", "id")
	if err != nil {
		return js.Undefined(), err
	}
	return js.Null(), s.Delete(context.Background(), piece)
}
