//go:build !js

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
)

const card = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","description":"A forest keeper.","personality":"kind","scenario":"","first_mes":"Hello, traveller.","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":["Hi."],"tags":["elf"],"creator":"me","character_version":"1","extensions":{}}}`

// cli runs the program in a folder of its own.
func cli(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(args, strings.NewReader(stdin), &o, &e)
	return code, o.String(), e.String()
}

func in(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
	return dir
}

func TestUsage(t *testing.T) {
	code, out, _ := cli(t, "")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, out, "Usage: bunzai <command>")
	for _, args := range [][]string{
		{"frobnicate"},
		{"convert", "x.json"},
		{"convert", "x.json", "--to"},
		{"detect", "x", "--limits", "huge"},
		{"detect", "no-such-file"},
		{"detect", "no-such-file", "nor-this"},
		{"inspect", "no-such-*.png"},
		{"convert", "x.json", "--to", "sillytavern", "--container", "gif"},
	} {
		code, out, errs := cli(t, "", args...)
		assert.Equal(t, exitUsage, code, args)
		assert.Empty(t, out, args)
		assert.Contains(t, errs, "bunzai: ", args)
	}
}

func TestVersion(t *testing.T) {
	code, out, _ := cli(t, "", "version", "--json")
	assert.Equal(t, exitDone, code)
	assert.JSONEq(t, `{"version":"dev"}`, out)
}

func TestDetect(t *testing.T) {
	in(t, "c.json", card)
	code, out, errs := cli(t, "", "detect", "c.json")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "SillyTavern")
	code, out, _ = cli(t, card, "detect", "-", "--json")
	assert.Equal(t, exitDone, code)
	var d struct {
		Format struct{ App string }
		File   struct{ Size int }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &d))
	assert.Equal(t, "sillytavern", d.Format.App)
	assert.Equal(t, len(card), d.File.Size)
}

func TestNotRecognized(t *testing.T) {
	in(t, "c.txt", "only words")
	for _, command := range []string{"detect", "inspect"} {
		code, _, errs := cli(t, "", command, "c.txt", "--json")
		assert.Equal(t, exitNotRecognized, code, command)
		var e struct{ Error failure }
		require.NoError(t, json.Unmarshal([]byte(errs), &e), errs)
		assert.Equal(t, string(fault.NotRecognized), e.Error.Code)
		assert.NotEmpty(t, e.Error.Message)
	}
}

func TestInspect(t *testing.T) {
	in(t, "c.json", strings.Replace(card, `"Sera"`, `"Sera\u001b[31m"`, 1))
	code, out, errs := cli(t, "", "inspect", "c.json")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "Sera")
	assert.NotContains(t, out, "\x1b", "a card does not steer the terminal")
	code, out, _ = cli(t, "", "inspect", "c.json", "--json")
	assert.Equal(t, exitDone, code)
	assert.True(t, json.Valid([]byte(out)))
}

func TestConvertToFile(t *testing.T) {
	in(t, "c.json", card)
	code, out, errs := cli(t, "", "convert", "c.json", "--to", "sillytavern")
	require.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "Sera.json")
	got, err := os.ReadFile("Sera.json")
	require.NoError(t, err)
	assert.Equal(t, card, string(got), "unedited and back to its own app: the same bytes")

	// It is there now: refused without force, replaced with it.
	code, _, errs = cli(t, "", "convert", "c.json", "--to", "sillytavern")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "--force")
	code, _, errs = cli(t, "", "convert", "c.json", "--to", "sillytavern", "--force")
	assert.Equal(t, exitDone, code, errs)

	require.NoError(t, os.Mkdir("sub", 0o755))
	code, out, errs = cli(t, "", "convert", "c.json", "--to", "sillytavern", "-o", "sub", "--report", "json")
	require.Equal(t, exitDone, code, errs)
	var r struct {
		Path   string
		Size   int
		Report struct{ Counts map[string]int }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Equal(t, filepath.Join("sub", "Sera.json"), r.Path)
	assert.Equal(t, len(card), r.Size)
	for _, v := range []string{"lost", "changed", "parked", "carried"} {
		assert.Contains(t, r.Report.Counts, v)
	}
	left, err := filepath.Glob("sub/.bunzai-*")
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary file stays")
}

func TestInputIsNeverOverwritten(t *testing.T) {
	in(t, "c.json", card)
	require.NoError(t, os.Link("c.json", "hard.json"))
	require.NoError(t, os.Symlink("c.json", "soft.json"))
	for _, out := range []string{"c.json", "./c.json", "hard.json", "soft.json"} {
		code, _, errs := cli(t, "", "convert", "c.json", "--to", "sillytavern", "-o", out, "--force")
		assert.Equal(t, exitUsage, code, out)
		assert.Contains(t, errs, "never overwritten", out)
	}
	got, err := os.ReadFile("c.json")
	require.NoError(t, err)
	assert.Equal(t, card, string(got))
}

func TestConvertStandardStreams(t *testing.T) {
	in(t, "c.json", card)
	for _, args := range [][]string{
		{"convert", "-", "--to", "sillytavern"},
		{"convert", "c.json", "--to", "sillytavern", "-o", "-"},
	} {
		code, out, errs := cli(t, card, args...)
		assert.Equal(t, exitDone, code, errs)
		assert.Equal(t, card, out, "data alone on standard output")
		assert.Contains(t, errs, "carried", "the report on standard error")
	}
	code, out, errs := cli(t, card, "convert", "-", "--to", "sillytavern", "-o", "/dev/null")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "carried")
}

func TestUnknownTarget(t *testing.T) {
	in(t, "c.json", card)
	code, out, errs := cli(t, "", "convert", "c.json", "--to", "nowhere", "--report", "json")
	assert.Equal(t, exitUsage, code)
	assert.Empty(t, out)
	assert.Contains(t, errs, `"code":"unknown-target"`)
}

func TestFormats(t *testing.T) {
	code, out, _ := cli(t, "", "formats")
	assert.Equal(t, exitDone, code)
	assert.Contains(t, out, "sillytavern")
	code, out, _ = cli(t, "", "formats", "--json")
	assert.Equal(t, exitDone, code)
	assert.True(t, json.Valid([]byte(out)))
}

func TestExitCodes(t *testing.T) {
	s := &streams{out: io.Discard, err: io.Discard}
	for err, want := range map[error]int{
		errors.New("x"):                                exitFailed,
		fault.New(fault.Damaged, "", "x"):              exitFailed,
		fault.New(fault.WrongKind, "", "x"):            exitFailed,
		fault.New(fault.BadArgument, "", "x"):          exitUsage,
		fault.New(fault.UnknownTarget, "", "x"):        exitUsage,
		fault.New(fault.NotRecognized, "", "x"):        exitNotRecognized,
		fault.New(fault.NoCard, "", "x"):               exitNotRecognized,
		fault.Over("", fault.Limit{Name: "Archive"}):   exitLimit,
		fault.New(fault.WouldLose, "", "x"):            exitLoss,
		&lossError{fault.New(fault.WouldLose, "", "")}: exitLoss,
	} {
		assert.Equal(t, want, s.fail(err, false), "%v", err)
		assert.Equal(t, want, s.fail(err, true), "%v", err)
	}
}

func TestLimitMessage(t *testing.T) {
	var e bytes.Buffer
	s := &streams{out: io.Discard, err: &e}
	code := s.fail(fault.Over("", fault.Limit{Name: "ArchiveEntries", Value: 512, Found: 2114, Unit: "entries", Raise: limits.Card().Raise}), false)
	assert.Equal(t, exitLimit, code)
	assert.Contains(t, e.String(), "512 entries")
	assert.Contains(t, e.String(), "2,114 entries")
	assert.Contains(t, e.String(), "--limits large")
}

// endless is standard input without an end.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

func TestSpoolIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	lim := limits.Card()
	lim.Archive, lim.JSON = 20<<20, 1<<20
	src := &endless{}
	_, err := (&streams{in: src}).spool(lim)
	assert.True(t, fault.Is(err, fault.OverLimit), "%v", err)
	assert.Less(t, src.read, int64(32<<20))

	f, err := (&streams{in: io.LimitReader(&endless{}, 12<<20)}).spool(lim)
	require.NoError(t, err)
	assert.EqualValues(t, 12<<20, f.src.Size())
	f.close()
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	assert.Empty(t, left, "no temporary file stays")
}

func TestReportRefusal(t *testing.T) {
	assert.Equal(t, "a b", clean("a\nb"))
	assert.Equal(t, "x\ufffdy", clean("x\u202ey"))
	assert.Equal(t, "one two", beginning("one\n  two", 20))
	assert.Equal(t, "ab…", beginning("abcdef", 3))
}

func TestServe(t *testing.T) {
	code, _, errs := cli(t, "", "serve", "--dir", t.TempDir())
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, errs, "the page is not built")

	root := fstest.MapFS{
		"index.html":           {Data: []byte("<!doctype html>")},
		"assets/x.js":          {Data: []byte("1")},
		"engine.wasm":          {Data: []byte("\x00asm")},
		"odd.unknown":          {Data: []byte("?")},
		".hidden":              {Data: []byte("secret")},
		"manifest.webmanifest": {Data: []byte("{}")},
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- serve(ctx, l, pageHandler(root, l.Addr().String(), (&serveCmd{}).endpoint(&streams{})))
	}()
	base := "http://" + l.Addr().String()
	get := func(method, path, host string) *http.Response {
		req, err := http.NewRequest(method, base+path, nil)
		require.NoError(t, err)
		if host != "" {
			req.Host = host
		}
		res, err := (&http.Client{Timeout: 5 * time.Second}).Do(req)
		require.NoError(t, err)
		res.Body.Close()
		return res
	}
	for path, want := range map[string]string{
		"/": "text/html; charset=utf-8", "/assets/x.js": "text/javascript; charset=utf-8", "/engine.wasm": "application/wasm",
		"/odd.unknown": "application/octet-stream", "/manifest.webmanifest": "application/manifest+json",
	} {
		res := get("GET", path, "")
		assert.Equal(t, 200, res.StatusCode, path)
		assert.Equal(t, want, res.Header.Get("Content-Type"), path)
		assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
		assert.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
		assert.NotContains(t, res.Header.Get("Content-Security-Policy"), "unsafe-inline")
	}
	for _, path := range []string{"/assets/", "/assets", "/nothing.js", "/.hidden", "/../go.mod"} {
		assert.Equal(t, 404, get("GET", path, "").StatusCode, path)
	}
	assert.Equal(t, 200, get("GET", "/healthz", "").StatusCode)
	assert.Equal(t, 200, get("GET", "/v1/formats", "").StatusCode)
	assert.Equal(t, 405, get("GET", "/v1/convert", "").StatusCode)
	assert.Equal(t, 421, get("GET", "/v1/formats", "cards.example:80").StatusCode)
	assert.Equal(t, 405, get("POST", "/", "").StatusCode)
	assert.Equal(t, 421, get("GET", "/", "cards.example:80").StatusCode)
	cancel()
	select {
	case err := <-done:
		assert.NoError(t, err)
	case <-time.After(5 * time.Second):
		t.Fatal("the server does not stop")
	}
}

// The page states its policy once for every host that serves it; this server sends the same.
func TestPolicyIsThePages(t *testing.T) {
	b, err := os.ReadFile("../../web/HEADERS.md")
	require.NoError(t, err)
	assert.Contains(t, string(b), contentSecurityPolicy)
}
