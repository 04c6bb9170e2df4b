//go:build js && wasm

package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/rope"
)

const card = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","description":"A forest keeper.","personality":"kind","scenario":"","first_mes":"Hello \ud83d, traveller.","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":["Hi."],"tags":["elf"],"creator":"me","character_version":"1","extensions":{}}}`

func array(b []byte) js.Value {
	a := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(a, b)
	return a
}

func blob(b []byte) js.Value { return js.Global().Get("Blob").New([]any{array(b)}) }

// call calls an exported function as JavaScript does, and awaits it.
func call(t *testing.T, name string, args ...any) (js.Value, js.Value) {
	t.Helper()
	f := promising(doors()[name])
	defer f.Release()
	return awaitBoth(f.Invoke(args...))
}

// awaitBoth returns what a promise resolved to, or what it rejected with.
func awaitBoth(p js.Value) (v, rejected js.Value) {
	done := make(chan struct{})
	yes := js.FuncOf(func(_ js.Value, a []js.Value) any { v = a[0]; close(done); return nil })
	no := js.FuncOf(func(_ js.Value, a []js.Value) any { rejected = a[0]; close(done); return nil })
	defer yes.Release()
	defer no.Release()
	p.Call("then", yes, no)
	<-done
	return v, rejected
}

func stringify(v js.Value) string { return js.Global().Get("JSON").Call("stringify", v).String() }

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// fakeReader gives the page's main thread a FileReaderSync, which only Workers have.
const fakeReader = `globalThis.FileReaderSync = class {
	readAsArrayBuffer(blob) {
		const url = URL.createObjectURL(blob), x = new XMLHttpRequest();
		x.open('GET', url, false);
		x.overrideMimeType('text/plain; charset=x-user-defined');
		x.send();
		URL.revokeObjectURL(url);
		globalThis.syncReads = (globalThis.syncReads ?? 0) + 1;
		return Uint8Array.from(x.responseText, (c) => c.charCodeAt(0) & 255).buffer;
	}
}`

func withReader(t *testing.T) {
	js.Global().Call("eval", fakeReader)
	t.Cleanup(func() { js.Global().Delete("FileReaderSync"); js.Global().Delete("syncReads") })
}

func TestSourcesReadByOffset(t *testing.T) {
	data := noise(1<<20 + 123)
	check := func(t *testing.T, v js.Value) {
		in, err := inputOf(v)
		require.NoError(t, err)
		require.EqualValues(t, len(data), in.src.Size())
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 300 {
			off := r.Int64N(int64(len(data)))
			n := r.Int64N(200)
			if i%10 == 0 {
				n = r.Int64N(300_000)
			}
			p := make([]byte, n)
			m, err := in.src.ReadAt(p, off)
			want := data[off:min(off+n, int64(len(data)))]
			require.Equal(t, len(want), m)
			if m < len(p) {
				require.Equal(t, io.EOF, err)
			} else {
				require.NoError(t, err)
			}
			require.True(t, bytes.Equal(want, p[:m]), "%d bytes from %d", n, off)
		}
		_, err = in.src.ReadAt(make([]byte, 1), int64(len(data)))
		assert.Equal(t, io.EOF, err)
	}
	t.Run("Uint8Array", func(t *testing.T) { check(t, array(data)) })
	t.Run("Uint8Array inside a larger buffer", func(t *testing.T) {
		wide := array(append(append(make([]byte, 7), data...), 1, 2, 3))
		check(t, wide.Call("subarray", 7, 7+len(data)))
	})
	t.Run("ArrayBuffer", func(t *testing.T) { check(t, array(data).Get("buffer")) })
	t.Run("Blob awaited", func(t *testing.T) { check(t, blob(data)) })
	t.Run("Blob read at once", func(t *testing.T) {
		withReader(t)
		check(t, blob(data))
	})
}

func TestWalksCostFewReads(t *testing.T) {
	withReader(t)
	in, err := inputOf(blob(noise(1 << 20)))
	require.NoError(t, err)
	p := make([]byte, 46)
	for off := int64(0); off < 900_000; off += 90 {
		_, err := in.src.ReadAt(p, off)
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, js.Global().Get("syncReads").Int(), 15, "10,000 small reads cost one read a block")
}

func TestOutput(t *testing.T) {
	data := noise(2<<20 + 5)
	for _, c := range []struct {
		name string
		in   js.Value
	}{{"bytes", array(data)}, {"blob", blob(data)}, {"small bytes", array(data[:1000])}} {
		in, err := inputOf(c.in)
		require.NoError(t, err)
		n := in.src.Size()
		r := &rope.Rope{}
		r.AppendString("head")
		r.AppendRange(in.src, 10, n-20)
		for range 1000 {
			r.AppendString("x") // many small pieces
		}
		r.AppendRange(computed{n}, 0, n)
		r.AppendRange(in.src, n-5, 5)
		want := append([]byte("head"), data[10:n-10]...)
		want = append(want, strings.Repeat("x", 1000)...)
		want = append(want, bytes.Repeat([]byte{'c'}, int(n))...)
		want = append(want, data[n-5:n]...)

		a, err := bytesOf(r)
		require.NoError(t, err)
		got := make([]byte, a.Length())
		js.CopyBytesToGo(got, a)
		assert.True(t, bytes.Equal(want, got), c.name)

		b, err := blobOf(r, "image/png")
		require.NoError(t, err)
		assert.Equal(t, "image/png", b.Get("type").String())
		buf, err := await(b.Call("arrayBuffer"))
		require.NoError(t, err)
		got = make([]byte, b.Get("size").Int())
		js.CopyBytesToGo(got, js.Global().Get("Uint8Array").New(buf))
		assert.True(t, bytes.Equal(want, got), c.name)
	}
	empty, err := bytesOf(&rope.Rope{})
	require.NoError(t, err)
	assert.Equal(t, 0, empty.Length())
}

// computed is a Source that has its bytes from nowhere.
type computed struct{ size int64 }

func (c computed) Size() int64 { return c.size }
func (c computed) ReadAt(p []byte, off int64) (int, error) {
	for i := range p {
		p[i] = 'c'
	}
	return len(p), nil
}

func TestReadFailures(t *testing.T) {
	gone := js.Global().Call("eval", `(() => { const b = new Blob(['0123456789']); b.slice = () => { throw new DOMException('gone', 'NotReadableError'); }; return b; })()`)
	_, e := call(t, "detect", gone)
	assert.Equal(t, "damaged", e.Get("code").String())
	assert.Contains(t, e.Get("message").String(), "NotReadableError: gone")
	rejects := js.Global().Call("eval", `(() => { const b = new Blob(['0123456789']); b.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException('moved', 'NotFoundError')) }); return b; })()`)
	_, e = call(t, "detect", rejects)
	assert.Equal(t, "damaged", e.Get("code").String())
	assert.Contains(t, e.Get("message").String(), "moved")
}

func TestArguments(t *testing.T) {
	good := array([]byte(card))
	object := js.Global().Get("Object")
	for _, c := range []struct {
		name string
		call string
		args []any
		want string // part of the message; "" = it works
	}{
		{"none", "detect", nil, "undefined"},
		{"null", "detect", []any{js.Null()}, "null"},
		{"text", "detect", []any{"card.png"}, "a string"},
		{"other object", "inspect", []any{object.New()}, "another object"},
		{"undefined options", "detect", []any{good, js.Undefined()}, ""},
		{"null options", "detect", []any{good, js.Null()}, ""},
		{"empty options", "detect", []any{good, object.New()}, ""},
		{"undefined option", "detect", []any{good, js.ValueOf(map[string]any{"name": js.Undefined()})}, ""},
		{"options of a wrong kind", "detect", []any{good, 5}, "must be an object"},
		{"unknown option", "detect", []any{good, map[string]any{"nmae": "x"}}, `"nmae"`},
		{"wrong type", "detect", []any{good, map[string]any{"name": 5}}, `"name" must be text`},
		{"null option", "detect", []any{good, map[string]any{"name": nil}}, `"name" must be text`},
		{"unknown limits", "detect", []any{good, map[string]any{"limits": "huge"}}, "card, large, edge"},
		{"flag", "inspect", []any{good, map[string]any{"assets": "yes"}}, `"assets" must be true or false`},
		{"no target", "convert", []any{good}, `"to" is missing`},
		{"container", "convert", []any{good, map[string]any{"to": "sillytavern", "container": "gif"}}, "png, json, charx"},
		{"output", "convert", []any{good, map[string]any{"to": "sillytavern", "output": "file"}}, "bytes, blob"},
		{"formats", "formats", []any{1}, "no argument"},
		{"formats undefined", "formats", []any{js.Undefined()}, ""},
	} {
		v, e := call(t, c.call, c.args...)
		if c.want == "" {
			assert.False(t, v.IsUndefined(), c.name)
			assert.NotContains(t, stringify(v), "undefined", c.name)
			continue
		}
		require.False(t, e.IsUndefined(), c.name)
		assert.True(t, e.InstanceOf(js.Global().Get("Error")), c.name)
		assert.Equal(t, "BunzaiError", e.Get("name").String(), c.name)
		assert.Equal(t, "bad-argument", e.Get("code").String(), c.name)
		assert.Contains(t, e.Get("message").String(), c.want, c.name)
		assert.True(t, e.Get("limit").IsNull(), c.name)
		assert.Equal(t, js.TypeString, e.Get("where").Type(), c.name)
	}
	_, e := call(t, "convert", good, map[string]any{"to": "nowhere"})
	assert.Equal(t, "unknown-target", e.Get("code").String())
}

func TestFailureShape(t *testing.T) {
	e := failure(fault.Over("entry card.json", fault.Limit{Name: "Entry", Value: 64 << 20, Found: 5 << 30, Unit: "bytes", Raise: "open it with large limits"}))
	assert.Equal(t, "limit", e.Get("code").String())
	assert.Equal(t, "entry card.json", e.Get("where").String())
	assert.Equal(t, `{"name":"Entry","value":67108864,"found":5368709120,"unit":"bytes","raise":"open it with large limits"}`, stringify(e.Get("limit")))
	assert.Equal(t, "internal", failure(errors.New("x")).Get("code").String())
}

func TestPanicIsAFailureAndTheNextCallWorks(t *testing.T) {
	var none *struct{ n int }
	for name, work := range map[string]door{
		"nil":    func([]js.Value) (js.Value, error) { return js.ValueOf(none.n), nil },
		"range":  func(a []js.Value) (js.Value, error) { return a[5], nil },
		"js":     func([]js.Value) (js.Value, error) { return js.Global().Call("eval", "null.x"), nil },
		"string": func([]js.Value) (js.Value, error) { panic("boom") },
	} {
		f := promising(work)
		_, e := awaitBoth(f.Invoke())
		f.Release()
		assert.Equal(t, "internal", e.Get("code").String(), name)
	}
	v, e := call(t, "detect", array([]byte(card)))
	assert.True(t, e.IsUndefined())
	assert.Equal(t, "sillytavern", v.Get("format").Get("app").String())
}

func TestConvertKeepsBytesAndSurrogates(t *testing.T) {
	for _, in := range []js.Value{array([]byte(card)), array([]byte(card)).Get("buffer"), blob([]byte(card))} {
		v, e := call(t, "convert", in, map[string]any{"to": "sillytavern", "name": "c.json", "output": "bytes"})
		require.True(t, e.IsUndefined(), "%v", e)
		got := make([]byte, v.Get("data").Length())
		js.CopyBytesToGo(got, v.Get("data"))
		assert.Equal(t, card, string(got))
		assert.Equal(t, len(card), v.Get("size").Int())
		assert.Equal(t, "json", v.Get("container").String())
	}
	v, e := call(t, "inspect", array([]byte(card)))
	require.True(t, e.IsUndefined())
	assert.True(t, js.Global().Call("eval", `(v) => JSON.stringify(v).includes('\\ud83d')`).Invoke(v).Bool(), "a lone surrogate arrives as one")
	v, _ = call(t, "convert", array([]byte(card)), map[string]any{"to": "sillytavern", "dryRun": true})
	assert.True(t, v.Get("data").IsNull())
	assert.Equal(t, len(card), v.Get("size").Int())
	v, _ = call(t, "convert", blob([]byte(card)), map[string]any{"to": "sillytavern"})
	assert.True(t, v.Get("data").InstanceOf(js.Global().Get("Blob")))
}

func TestResultsArePlainAndStay(t *testing.T) {
	v, e := call(t, "convert", array([]byte(card)), map[string]any{"to": "sillytavern"})
	require.True(t, e.IsUndefined())
	before := stringify(v.Get("report"))
	for range 20 {
		big := strings.Replace(card, "A forest keeper.", strings.Repeat("big ", 500_000), 1)
		_, e := call(t, "convert", array([]byte(big)), map[string]any{"to": "sillytavern"})
		require.True(t, e.IsUndefined())
	}
	assert.Equal(t, before, stringify(v.Get("report")))
	plain := js.Global().Call("eval", `(v) => { const ok = (x) => x === null || ['string', 'number', 'boolean'].includes(typeof x) || (Array.isArray(x) ? x.every(ok) : Object.getPrototypeOf(x) === Object.prototype && Object.values(x).every(ok)); return ok(v); }`)
	assert.True(t, plain.Invoke(v.Get("report")).Bool())
}

func TestCallableAfterIdle(t *testing.T) {
	for range 3 {
		_, e := call(t, "detect", blob([]byte(card)))
		assert.True(t, e.IsUndefined())
		time.Sleep(150 * time.Millisecond)
	}
}

func TestManyOpenCalls(t *testing.T) {
	f := promising(doors()["detect"])
	defer f.Release()
	var open []js.Value
	for range 50 {
		open = append(open, f.Invoke(blob([]byte(card))))
	}
	for _, p := range open {
		v, e := awaitBoth(p)
		require.True(t, e.IsUndefined())
		assert.EqualValues(t, len(card), v.Get("file").Get("size").Int())
	}
}

// findGo leaves the loader's Go object, which the runner's page keeps to itself, in globalThis.go.
const findGo = `if (!globalThis.go) {
	const make = Go.prototype._makeFuncWrapper;
	Go.prototype._makeFuncWrapper = function (id) { globalThis.go = this; return make.call(this, id); };
}`

// handles counts the JavaScript values that Go holds: the size of the loader's own table.
func handles(t *testing.T) int {
	js.Global().Call("eval", findGo)
	f := js.FuncOf(func(js.Value, []js.Value) any { return nil })
	f.Release()
	for range 3 {
		runtime.GC()
		time.Sleep(20 * time.Millisecond) // finalizers
	}
	n := js.Global().Get("go").Get("_ids").Get("size").Int()
	require.Greater(t, n, 7)
	return n
}

func TestTenThousandCallsLeaveNothing(t *testing.T) {
	f := promising(doors()["convert"])
	defer f.Release()
	in, opt := array([]byte(card)), js.ValueOf(map[string]any{"to": "sillytavern"})
	bad := js.ValueOf(map[string]any{"to": "nowhere"})
	before := handles(t)
	for i := range 10_000 {
		o := opt
		if i%10 == 0 {
			o = bad
		}
		awaitBoth(f.Invoke(in, o))
	}
	after := handles(t)
	assert.InDelta(t, before, after, 50)
}

// ranged is an input read by offset, as bunzai's JavaScript hands over files of Node.
func ranged(t *testing.T, b []byte, later bool, fail string) js.Value {
	t.Helper()
	o := js.Global().Get("Object").New()
	o.Set("size", len(b))
	read := js.FuncOf(func(_ js.Value, a []js.Value) any {
		off, n := a[0].Int(), a[1].Int()
		if fail == "short" {
			n--
		}
		v := array(b[off : off+n])
		if later {
			return js.Global().Get("Promise").Call("resolve", v)
		}
		return v
	})
	t.Cleanup(read.Release)
	o.Set("read", read)
	return o
}

func TestRanged(t *testing.T) {
	for _, later := range []bool{false, true} {
		v, rejected := call(t, "convert", ranged(t, []byte(card), later, ""), map[string]any{"to": "sillytavern", "output": "parts"})
		require.True(t, rejected.IsUndefined(), stringify(rejected))
		var got []byte
		parts := v.Get("parts")
		for i := range parts.Length() {
			p := parts.Index(i)
			if is(p, js.Global().Get("Uint8Array")) {
				b := make([]byte, p.Length())
				js.CopyBytesToGo(b, p)
				got = append(got, b...)
				continue
			}
			off, n := p.Index(0).Int(), p.Index(1).Int()
			got = append(got, card[off:off+n]...)
		}
		assert.Equal(t, card, string(got))
		assert.True(t, v.Get("data").IsNull())

		b, rejected := call(t, "convert", ranged(t, []byte(card), later, ""), map[string]any{"to": "sillytavern", "output": "blob"})
		require.True(t, rejected.IsUndefined(), stringify(rejected))
		assert.Equal(t, len(card), b.Get("data").Get("size").Int())
	}
	_, rejected := call(t, "detect", ranged(t, []byte(card), true, "short"))
	assert.Equal(t, "damaged", rejected.Get("code").String())
	assert.Contains(t, rejected.Get("message").String(), "shorter")
}
