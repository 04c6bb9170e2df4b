//go:build js

package main

import "bunzai/fault"

// Run refuses: the command line of the npm package has neither sockets nor the page.
func (c *serveCmd) Run(*streams) error {
	return fault.New(fault.Unsupported, "", "the npm package does not hold the page and cannot serve it; build bunzai from its source and run make serve there")
}
