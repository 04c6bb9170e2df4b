// Package edge is the endpoint behind a socket: package api as a net/http Handler. `bunzai serve` mounts it, and so can
// any Go server. Routes and answers live in edge/api; here are only sockets: bodies counted while they are read,
// answers streamed from the rope, and a bound on how many bodies are held at once.
package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"bunzai/edge/api"
	"bunzai/fault"
	"bunzai/rope"
)

// Config is api.Config and what a server of many requests needs besides.
type Config struct {
	api.Config
	// AtOnce is how many bodies are held at once; more are answered 503 with Retry-After. 0 means 8.
	AtOnce int
}

// Handler returns the endpoint. It answers /v1/... and /healthz; everything else is 404.
func Handler(cfg Config) http.Handler {
	if cfg.AtOnce <= 0 {
		cfg.AtOnce = 8
	}
	return &handler{service: api.New(cfg.Config), slots: make(chan struct{}, cfg.AtOnce)}
}

// Owns reports whether the endpoint answers a path, for servers that have other things to serve.
func Owns(path string) bool {
	return path == "/healthz" || path == "/v1" || strings.HasPrefix(path, "/v1/")
}

type handler struct {
	service *api.Service
	slots   chan struct{}
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := &api.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Get, Remote: r.RemoteAddr, Length: r.ContentLength}
	res, limit := h.service.Admit(req)
	if res == nil {
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
			body, err := h.read(w, r, limit)
			res = h.service.Finish(req, body, err)
		default:
			res = h.service.Busy(req, 1)
		}
	}
	if res.Status >= 400 && r.ContentLength != 0 {
		// What is left of the body is not worth reading.
		w.Header().Set("Connection", "close")
	}
	for _, f := range res.Header {
		w.Header().Set(f.Name, f.Value)
	}
	w.WriteHeader(res.Status)
	if res.Body != nil {
		// A failure here is the client's connection; the length in the header tells it that something is missing.
		_, _ = res.Body.WriteTo(w)
	}
}

// read takes the body into memory, counting. With more than limit bytes it stops at once.
func (h *handler) read(w http.ResponseWriter, r *http.Request, limit int64) (rope.Source, error) {
	var b bytes.Buffer
	if r.ContentLength > 0 {
		b.Grow(int(min(r.ContentLength, limit)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return rope.Bytes(b.Bytes()), nil
	case errors.As(err, &large):
		return nil, h.service.TooLarge(0)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault.New(fault.Cancelled, "request body", "the body ended after %s", strconv.Itoa(b.Len())+" bytes")
	}
	return nil, fault.New(fault.Cancelled, "request body", "the body could not be read")
}
