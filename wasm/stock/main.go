//go:build js && wasm

// Package main is the endpoint under github.com/syumai/workers as that package's own template runs it: one instance for
// each request. It is what wasm/worker is measured against (make edge-bench) and is deployed by nobody.
package main

import (
	"github.com/syumai/workers"

	"bunzai/edge"
	"bunzai/edge/api"
)

func main() { workers.Serve(edge.Handler(edge.Config{Config: api.Config{}})) }
