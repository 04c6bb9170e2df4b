//go:build js && wasm

package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall/js"
	"time"

	"bunzai/edge/api"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// version is set by the build (-X main.version).
var version = "dev"

func main() {
	// Linear memory never shrinks, and the isolate has 128 MiB for everything: the collector starts to work hard early.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(48 << 20)

	g := js.Global()
	settings := g.Get("__bunzaiSettings")
	seed, n := settings.Get("seed").String(), 0
	cfg := api.Config{
		Version: version,
		Origins: words(settings.Get("origins").String()),
		Tokens:  words(settings.Get("tokens").String()),
		Limiter: limiter{},
		Now:     time.Now,
		NewID: func() string {
			n++
			return fmt.Sprintf("%s-%d", seed, n)
		},
	}
	if settings.Get("log").Bool() {
		log := g.Get("__bunzaiLog")
		cfg.Log = func(line []byte) { log.Invoke(string(line)) }
	}
	d := &door{service: api.New(cfg)}
	exports := g.Get("Object").New()
	exports.Set("maxBody", d.service.MaxBody())
	for name, f := range map[string]func([]js.Value) string{
		"admit": d.admit, "finish": d.finish, "busy": d.busy, "broke": d.broke, "convert": d.convert,
	} {
		exports.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args) }))
	}
	g.Get("__bunzaiReady").Invoke(exports)
	select {}
}

// words are separated by blanks or commas.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
}

// limiter carries over what the platform's rate limiter said before the call.
type limiter struct{}

func (limiter) Allow(r *api.Request) (bool, time.Duration) {
	if r.Remote != "limited" {
		return true, 0
	}
	return false, time.Minute
}

type door struct{ service *api.Service }

// head is the answer without its body, which is emitted before.
type head struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    bool        `json:"body"`
	Broken  bool        `json:"broken"`
}

// request reads (method, path, query, headers, length, id, limited).
func request(args []js.Value) *api.Request {
	headers := args[3]
	r := &api.Request{
		Method: args[0].String(), Path: args[1].String(), Query: args[2].String(), Length: int64(args[4].Float()), ID: args[5].String(),
		Header: func(name string) string {
			if v := headers.Call("get", name); v.Type() == js.TypeString {
				return v.String()
			}
			return ""
		},
	}
	if args[6].Bool() {
		r.Remote = "limited"
	}
	return r
}

// admit answers a request whose body was not read, or returns ">" and the request's id when the body is to be read.
func (d *door) admit(args []js.Value) string {
	r := request(args)
	res, _ := d.service.Admit(r)
	if res == nil {
		return ">" + r.ID
	}
	return d.answer(res)
}

// finish answers an admitted request. Behind the request's arguments: bytes of the body, and what stopped it from being
// read ("", "large", "broken").
func (d *door) finish(args []js.Value) string {
	r := request(args)
	switch args[8].String() {
	case "large":
		return d.answer(d.service.Finish(r, nil, d.service.TooLarge(0)))
	case "broken":
		return d.answer(d.service.Finish(r, nil, api.NotArrived()))
	}
	return d.answer(d.service.Finish(r, newBody(int64(args[7].Float())), nil))
}

func (d *door) busy(args []js.Value) string { return d.answer(d.service.Busy(request(args), 1)) }

// broke answers a request under which another instance died; behind the request's arguments: its memory when it had too
// little, else 0.
func (d *door) broke(args []js.Value) string {
	return d.answer(d.service.Broke(request(args), int64(args[7].Float())))
}

// converted is what convert returns for one object of a bucket.
type converted struct {
	Problem *api.Problem `json:"problem"`
	Result  *api.Result  `json:"result"`
	Broken  bool         `json:"broken"`
}

// convert turns a body (name, query, bytes) without a request around it. A fourth argument above 0 says that another
// instance had only so much memory and died of the body.
func (d *door) convert(args []js.Value) string {
	if memory := int64(args[3].Float()); memory > 0 {
		return string(plain.Marshal(converted{Problem: d.service.OutOfMemory(memory)}))
	}
	res, p := d.service.Convert(args[0].String(), args[1].String(), newBody(int64(args[2].Float())))
	out := converted{Problem: p, Result: res, Broken: p != nil && p.Status >= 500}
	if res != nil {
		if err := emit(res.Data); err != nil {
			return ""
		}
	}
	return string(plain.Marshal(out))
}

func (d *door) answer(res *api.Response) string {
	h := head{Status: res.Status, Broken: res.Broken, Body: res.Body != nil}
	for _, f := range res.Header {
		h.Headers = append(h.Headers, [2]string{f.Name, f.Value})
	}
	if res.Body != nil {
		if err := emit(res.Body); err != nil {
			return ""
		}
	}
	return string(plain.Marshal(h))
}

// emit hands over the pieces of a rope: ranges of the request's body as such, everything else as bytes.
func emit(r *rope.Rope) error {
	var buf []byte
	for s := range r.Segments() {
		switch src := s.Src.(type) {
		case *body:
			emitRange(s.Off, s.Len)
		case rope.Bytes:
			emitBytes(src[s.Off : s.Off+s.Len])
		default:
			for off := int64(0); off < s.Len; {
				if buf == nil {
					buf = make([]byte, 256<<10)
				}
				n, err := s.Src.ReadAt(buf[:min(int64(len(buf)), s.Len-off)], s.Off+off)
				if n == 0 && err != nil {
					return err
				}
				emitBytes(buf[:n])
				off += int64(n)
			}
		}
	}
	return nil
}
