//go:build js && wasm

// Command engine is bunzai compiled for JavaScript (GOOS=js): it registers detect, inspect, convert, formats and the
// calls of a library on globalThis.__bunzai, calls globalThis.__bunzaiReady with the same object, and stays. js/src/types.ts is its contract.
//
// What lives here is the way in and out: bytes of JavaScript as a rope.Source, a rope as a Blob or bytes, options,
// errors, promises. What a card is, is known further down.
//
// Every call returns a promise at once and works in a goroutine, so that waiting for JavaScript never blocks
// JavaScript. Results are plain objects and copies: nothing in them points into the engine's memory.
package main
