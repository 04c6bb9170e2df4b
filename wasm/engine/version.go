//go:build js && wasm

package main

// version is set by the build (-X main.version).
var version = "dev"
