// Package api is the endpoint itself: routes, checks, answers, problem details, the OpenAPI document. It knows neither
// net/http nor JavaScript, so that the same code answers behind a socket (package edge) and inside a Worker
// (wasm/worker), where net/http alone would take a sixth of the size that the platform allows. What a card is stays
// in convert and below; sockets, streams and bindings stay with the doors.
//
// A Service holds nothing that a request could change: every call works on values of its own.
package api
