//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"strings"
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/library"
	"bunzai/library/storetest"
)

var databases int

// database is the name of one that nobody has used.
func database(t *testing.T) string {
	databases++
	name := fmt.Sprintf("test-%d", databases)
	t.Cleanup(func() { js.Global().Get("indexedDB").Call("deleteDatabase", name) })
	return name
}

func TestDatabase(t *testing.T) {
	storetest.Run(t, func(t *testing.T) library.Store {
		s, _, _, err := shelf([]js.Value{js.Null(), js.ValueOf(map[string]any{"library": database(t)})})
		require.NoError(t, err)
		require.NoError(t, s.Check(context.Background()))
		return s
	})
}

const bookCard = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","first_mes":"Hello.","extensions":{},"character_book":{"name":"Forest","extensions":{},"entries":[{"keys":["oak"],"content":"Old oak.","extensions":{},"enabled":true,"insertion_order":1,"id":1}]}}}`

func TestLibraryCalls(t *testing.T) {
	db := database(t)
	do := func(name string, input any, o map[string]any) js.Value {
		t.Helper()
		o["library"] = db
		v, bad := call(t, name, input, o)
		require.True(t, bad.IsUndefined(), "%s: %v", name, bad)
		return v
	}
	refuse := func(name string, o map[string]any) js.Value {
		t.Helper()
		o["library"] = db
		_, bad := call(t, name, js.Null(), o)
		require.False(t, bad.IsUndefined(), name)
		return bad
	}
	sera := func(more ...any) map[string]any {
		o := map[string]any{"kind": "character", "id": "sera"}
		for i := 0; i < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	assert.Equal(t, "[]", stringify(do("libraryList", js.Null(), map[string]any{})))
	assert.Equal(t, "null", stringify(do("libraryOpen", js.Null(), map[string]any{})))
	got := do("libraryImport", blob([]byte(bookCard)), map[string]any{"name": "sera.json"})
	assert.Equal(t, "created", got.Index(0).Get("primary").Get("how").String())
	assert.Equal(t, `[{"kind":"lorebook","id":"forest"}]`, stringify(got.Index(0).Get("links")))
	got = do("libraryImport", array([]byte(bookCard)), map[string]any{})
	assert.Equal(t, "shared", got.Index(0).Get("primary").Get("how").String())
	assert.Equal(t, 2, do("libraryList", js.Null(), map[string]any{}).Length())
	assert.Equal(t, 1, do("libraryList", js.Null(), map[string]any{"kind": "lorebook"}).Length())
	show := do("libraryShow", js.Null(), sera("assets", true))
	assert.Equal(t, "Sera", show.Get("pieces").Index(0).Get("name").String())
	assert.Equal(t, `[{"field":"knowledgeRefs","kind":"lorebook","id":"forest","embedded":true,"found":true}]`, stringify(show.Get("links")))
	out := do("libraryExport", js.Null(), sera("to", "sillytavern", "output", "bytes"))
	b := make([]byte, out.Get("data").Length())
	js.CopyBytesToGo(b, out.Get("data"))
	assert.Equal(t, bookCard, string(b))
	assert.Equal(t, "Blob", do("libraryExport", js.Null(), sera("to", "lumiverse")).Get("data").Get("constructor").Get("name").String())
	assert.True(t, do("libraryExport", js.Null(), sera("to", "lumiverse", "dryRun", true)).Get("data").IsNull())

	do("libraryImport", blob([]byte(strings.ReplaceAll(bookCard, "oak", "elm"))), map[string]any{})
	links := do("libraryAttach", js.Null(), sera("linkedKind", "lorebook", "linkedId", "forest-2", "at", 0))
	assert.Equal(t, `[{"kind":"lorebook","id":"forest-2"},{"kind":"lorebook","id":"forest"}]`, stringify(links))
	links = do("libraryDetach", js.Null(), sera("linkedKind", "lorebook", "linkedId", "forest-2"))
	assert.Equal(t, `[{"kind":"lorebook","id":"forest"}]`, stringify(links))
	do("libraryDelete", js.Null(), map[string]any{"kind": "lorebook", "id": "forest"})
	bad := refuse("libraryExport", sera("to", "sillytavern"))
	assert.Equal(t, "no-piece", bad.Get("code").String())
	assert.Equal(t, `character "sera" needs what the library does not have: lorebook "forest"; import it, or take the link out`, bad.Get("message").String())

	for name, o := range map[string]map[string]any{
		"libraryShow":   {"kind": "character"},
		"libraryDelete": {"kind": "hero", "id": "x"},
		"libraryList":   {"kind": ""},
		"libraryAttach": sera("linkedKind", "lorebook", "linkedId", "forest-2", "at", -1),
		"libraryExport": sera(),
	} {
		assert.Equal(t, "bad-argument", refuse(name, o).Get("code").String(), name)
	}
	assert.Equal(t, "no-piece", refuse("libraryShow", map[string]any{"kind": "character", "id": "nobody"}).Get("code").String())
	assert.Equal(t, "no-piece", refuse("libraryDelete", map[string]any{"kind": "character", "id": "nobody"}).Get("code").String())
}

// Without a database there is an error that says so, and no library.
func TestNoDatabase(t *testing.T) {
	d := js.Global().Get("Object").Call("getOwnPropertyDescriptor", js.Global(), "indexedDB")
	hide := js.Global().Get("Object").New()
	hide.Set("value", js.Undefined())
	hide.Set("configurable", true)
	js.Global().Get("Object").Call("defineProperty", js.Global(), "indexedDB", hide)
	defer js.Global().Get("Object").Call("defineProperty", js.Global(), "indexedDB", d)
	_, bad := call(t, "libraryOpen", js.Null(), map[string]any{"library": "x"})
	assert.Equal(t, "unsupported", bad.Get("code").String())
	assert.Contains(t, bad.Get("message").String(), "IndexedDB")
}
