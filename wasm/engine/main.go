//go:build js && wasm

package main

import (
	"runtime"
	"runtime/debug"
	"syscall/js"
)

func main() {
	// Linear memory never shrinks. A small heap is collected seldom, for speed; from the limit on the collector works
	// harder before memory grows.
	debug.SetGCPercent(150)
	debug.SetMemoryLimit(96 << 20)

	engine := js.Global().Get("Object").New()
	engine.Set("version", version)
	engine.Set("go", runtime.Version())
	for name, work := range doors() {
		engine.Set(name, promising(work))
	}
	js.Global().Set("__bunzai", engine)
	if ready := js.Global().Get("__bunzaiReady"); ready.Type() == js.TypeFunction {
		ready.Invoke(engine)
	}
	select {}
}
