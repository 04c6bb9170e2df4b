//go:build js && wasm

// Package main is the endpoint (edge/api) as a WebAssembly program for Workers. One instance stays and answers request
// after request; edge/worker/src/engine.ts starts it, replaces it when it has grown or failed, and does all waiting.
//
// A call never waits: JavaScript reads the body, counts it, and hands it over; the answer comes back as pieces. So no
// stream, timer or promise of one request is ever touched while another one runs, which the platform forbids, and a
// finished answer does not need the instance any more. Bytes cross without handles: the imports below copy between the
// body and linear memory, and a range of the body that the answer repeats crosses as two numbers.
//
// What the endpoint answers is in edge/api; only the crossing is here.
package main
