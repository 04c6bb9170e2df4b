//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"bunzai/edge"
	"bunzai/edge/api"
	"bunzai/fault"
	"bunzai/limits"
)

// endpoint is the handler under /v1 and /healthz.
func (c *serveCmd) endpoint(s *streams) http.Handler {
	lim, _ := limits.Named(c.Limits)
	cfg := edge.Config{Config: api.Config{Version: version, Limits: lim, Origins: c.Origin, Now: time.Now}}
	if c.Token != "" {
		cfg.Tokens = []string{c.Token}
	}
	if c.Log {
		var mu sync.Mutex
		cfg.Log = func(line []byte) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(s.err, "%s\n", line)
		}
	}
	return edge.Handler(cfg)
}

// contentSecurityPolicy lets the page load its own files, compile its engine and show pictures that it made itself.
// It is the policy of web/csp.ts, as a header.
const contentSecurityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; " +
	"worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// mediaTypes are the kinds of file that the page consists of. The system's own table is not asked: it differs from
// machine to machine, and browsers want application/wasm.
var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".ico": "image/x-icon", ".jpg": "image/jpeg",
	".js": "text/javascript; charset=utf-8", ".json": "application/json", ".map": "application/json", ".mjs": "text/javascript; charset=utf-8",
	".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain; charset=utf-8", ".wasm": "application/wasm",
	".webmanifest": "application/manifest+json", ".webp": "image/webp", ".woff2": "font/woff2", ".charx": "application/zip",
}

// Run serves until the program is told to stop.
func (c *serveCmd) Run(s *streams) error {
	dir, err := c.page()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return fault.New(fault.BadArgument, "", "cannot listen on port %d of 127.0.0.1: %s; choose another one with --port", c.Port, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(s.out, "http://%s/\n", l.Addr())
	fmt.Fprintln(s.err, "bunzai serves", dir, "to this machine only; stop it with Ctrl+C")
	return serve(ctx, l, pageHandler(os.DirFS(dir), l.Addr().String(), c.endpoint(s)))
}

func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	go func() {
		<-ctx.Done()
		short, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = srv.Shutdown(short)
	}()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// page finds the folder of the built page.
func (c *serveCmd) page() (string, error) {
	dirs := []string{filepath.Join("web", "dist")}
	if exe, err := os.Executable(); err == nil {
		dirs = append(dirs, filepath.Join(filepath.Dir(exe), "..", "web", "dist"))
	}
	if c.Dir != "" {
		dirs = []string{c.Dir}
	}
	for _, d := range dirs {
		if info, err := os.Stat(filepath.Join(d, "index.html")); err == nil && info.Mode().IsRegular() {
			return d, nil
		}
	}
	return "", fault.New(fault.BadArgument, "", "the page is not built: there is no index.html in %s; run make build, or name the folder with --dir", strings.Join(dirs, " or "))
}

// pageHandler serves the files of a built page and the endpoint, and nothing to other hosts' pages. addr is its own host
// and port.
func pageHandler(root fs.FS, addr string, endpoint http.Handler) http.Handler {
	_, port, _ := net.SplitHostPort(addr)
	files := http.FileServerFS(root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		// A foreign name that points to 127.0.0.1 is somebody else's page asking.
		if host, p, err := net.SplitHostPort(r.Host); err != nil || p != port || (host != "127.0.0.1" && host != "localhost") {
			http.Error(w, "this server answers to 127.0.0.1 and localhost only", http.StatusMisdirectedRequest)
			return
		}
		if edge.Owns(r.URL.Path) {
			endpoint.ServeHTTP(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" || name == "." {
			name = "index.html"
		}
		if info, err := fs.Stat(root, name); err != nil || info.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			http.NotFound(w, r)
			return
		}
		if t, ok := mediaTypes[strings.ToLower(path.Ext(name))]; ok {
			h.Set("Content-Type", t)
		} else {
			h.Set("Content-Type", "application/octet-stream")
		}
		files.ServeHTTP(w, r)
	})
}
