package edge_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/edge"
	"bunzai/edge/api"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// lines is a log of the tests.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(b))
}

func server(t *testing.T, cfg api.Config) (*httptest.Server, *lines) {
	l := &lines{}
	cfg.Log = l.add
	if cfg.Version == "" {
		cfg.Version = "1.2.3"
	}
	s := httptest.NewServer(edge.Handler(edge.Config{Config: cfg}))
	t.Cleanup(s.Close)
	return s, l
}

type answer struct {
	*http.Response
	body []byte
}

func (a answer) json(t *testing.T) map[string]any {
	var m map[string]any
	require.NoError(t, json.Unmarshal(a.body, &m), "%s", a.body)
	return m
}

func do(t *testing.T, method, url string, body []byte, header ...string) answer {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := (&http.Client{Timeout: time.Minute}).Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res, b}
}

func sample(name string) []byte { return samples.Get(name).Data }

func TestRoutes(t *testing.T) {
	s, _ := server(t, api.Config{})
	card := sample("v2.json")

	a := do(t, "GET", s.URL+"/healthz", nil)
	assert.Equal(t, 200, a.StatusCode)
	assert.JSONEq(t, `{"status":"ok","version":"1.2.3"}`, string(a.body))

	a = do(t, "POST", s.URL+"/v1/detect", card)
	assert.Equal(t, 200, a.StatusCode)
	assert.Equal(t, "json", a.json(t)["file"].(map[string]any)["kind"])
	assert.NotNil(t, a.json(t)["format"])

	a = do(t, "POST", s.URL+"/v1/inspect", card)
	assert.Equal(t, 200, a.StatusCode)
	assert.NotEmpty(t, a.json(t)["pieces"])

	want, err := convert.New().Convert(rope.Bytes(card), convert.Options{Limits: limits.Edge(), To: "sillytavern", Container: "png"})
	require.NoError(t, err)
	bytesOf, err := want.Data.Bytes()
	require.NoError(t, err)
	a = do(t, "POST", s.URL+"/v1/convert?to=sillytavern&container=png", card)
	require.Equal(t, 200, a.StatusCode, "%s", a.body)
	assert.Equal(t, "image/png", a.Header.Get("Content-Type"))
	assert.Equal(t, fmt.Sprint(len(a.body)), a.Header.Get("Content-Length"))
	assert.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"))
	assert.Equal(t, "no-store", a.Header.Get("Cache-Control"))
	assert.True(t, bytes.Equal(bytesOf, a.body), "the bytes are the engine's")
	var short api.ShortReport
	require.NoError(t, json.Unmarshal([]byte(a.Header.Get("Bunzai-Report")), &short))
	assert.Equal(t, want.Report.Counts, short.Counts)

	t.Run("multipart/mixed", func(t *testing.T) {
		a := do(t, "POST", s.URL+"/v1/convert?to=sillytavern&container=png", card, "Accept", "multipart/mixed, */*;q=0.1")
		kind, params, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
		require.NoError(t, err)
		assert.Equal(t, "multipart/mixed", kind)
		m := multipart.NewReader(bytes.NewReader(a.body), params["boundary"])
		p, err := m.NextRawPart()
		require.NoError(t, err)
		assert.Equal(t, "application/json", p.Header.Get("Content-Type"))
		var full convert.Report
		require.NoError(t, json.NewDecoder(p).Decode(&full))
		assert.Equal(t, want.Report.Counts, full.Counts)
		p, err = m.NextRawPart()
		require.NoError(t, err)
		assert.Equal(t, "image/png", p.Header.Get("Content-Type"))
		assert.Contains(t, p.Header.Get("Content-Disposition"), "attachment; filename=")
		got, err := io.ReadAll(p)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(bytesOf, got))
		_, err = m.NextRawPart()
		assert.Equal(t, io.EOF, err)
	})

	t.Run("a form", func(t *testing.T) {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		require.NoError(t, w.WriteField("to", "sillytavern"))
		f, err := w.CreateFormFile("card", "my card.json")
		require.NoError(t, err)
		_, err = f.Write(card)
		require.NoError(t, err)
		require.NoError(t, w.WriteField("container", "png"))
		require.NoError(t, w.Close())
		a := do(t, "POST", s.URL+"/v1/convert", b.Bytes(), "Content-Type", w.FormDataContentType())
		require.Equal(t, 200, a.StatusCode, "%s", a.body)
		assert.True(t, bytes.Equal(bytesOf, a.body))
		a = do(t, "POST", s.URL+"/v1/convert?container=json", b.Bytes(), "Content-Type", w.FormDataContentType())
		assert.Equal(t, 400, a.StatusCode)
		assert.Contains(t, a.json(t)["detail"], `"container" is given more than once`)
	})

	t.Run("formats has an ETag by content", func(t *testing.T) {
		a := do(t, "GET", s.URL+"/v1/formats", nil)
		require.Equal(t, 200, a.StatusCode)
		tag := a.Header.Get("ETag")
		require.NotEmpty(t, tag)
		for header, status := range map[string]int{tag: 304, "W/" + tag: 304, `"other", ` + tag: 304, "*": 304, `"other"`: 200} {
			b := do(t, "GET", s.URL+"/v1/formats", nil, "If-None-Match", header)
			assert.Equal(t, status, b.StatusCode, header)
			assert.Equal(t, tag, b.Header.Get("ETag"))
			assert.Equal(t, status == 304, len(b.body) == 0)
		}
		h := do(t, "HEAD", s.URL+"/v1/formats", nil)
		assert.Equal(t, fmt.Sprint(len(a.body)), h.Header.Get("Content-Length"))
		assert.Empty(t, h.body)
		other, _ := server(t, api.Config{Version: "9"})
		assert.Equal(t, tag, do(t, "GET", other.URL+"/v1/formats", nil).Header.Get("ETag"), "by content, not by process")
	})
}

func TestProblems(t *testing.T) {
	tight := limits.Edge()
	tight.JSONDepth = 10
	s, _ := server(t, api.Config{Limits: tight})
	deep := []byte(strings.Repeat("[", 30) + strings.Repeat("]", 30))
	for _, c := range []struct {
		method, path string
		body         string
		header       []string
		status       int
		code, detail string
	}{
		{"GET", "/v1/nothing", "", nil, 404, "not-found", "/v1/openapi.json"},
		{"GET", "/v1/problems/nothing", "", nil, 404, "not-found", ""},
		{"GET", "/v1/convert", "", nil, 405, "method-not-allowed", "POST"},
		{"DELETE", "/v1/formats", "", nil, 405, "method-not-allowed", "GET, HEAD"},
		{"POST", "/v1/detect", "", nil, 400, "empty", "no body"},
		{"POST", "/v1/convert", "{}", nil, 400, "bad-argument", `"to" is missing`},
		{"POST", "/v1/convert?to=", "{}", nil, 400, "bad-argument", `"to" is missing`},
		{"POST", "/v1/convert?To=x", "{}", nil, 400, "bad-argument", "takes: to, container, spec, allowLoss, name"},
		{"POST", "/v1/convert?to=a&to=b", "{}", nil, 400, "bad-argument", "more than once"},
		{"POST", "/v1/convert?to=%zz", "{}", nil, 400, "bad-argument", "the query cannot be read"},
		{"POST", "/v1/convert?to=x&container=gif", "{}", nil, 400, "bad-argument", "png, json, charx"},
		{"POST", "/v1/convert?to=nobody", string(sample("v2.json")), nil, 400, "unknown-target", "nobody"},
		{"GET", "/v1/formats?x=1", "", nil, 400, "bad-argument", "takes none"},
		{"POST", "/v1/inspect", "a text", nil, 415, "not-recognized", "no card"},
		{"POST", "/v1/inspect", `{"a":1}`, nil, 415, "not-recognized", ""},
		{"POST", "/v1/inspect", `{"spec":"chara_card_v2","data":{`, nil, 422, "damaged", ""},
		{"POST", "/v1/inspect", string(deep), nil, 413, "limit", "JSONDepth"},
		{"POST", "/v1/inspect", "x", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "media-type", "application/octet-stream"},
		{"POST", "/v1/inspect", "x", []string{"Content-Type", "multipart/mixed; boundary=x"}, 415, "media-type", "multipart/form-data"},
		{"POST", "/v1/inspect", "x", []string{"Content-Encoding", "gzip"}, 415, "media-type", "encoded"},
		{"POST", "/v1/inspect", "x", []string{"Content-Type", "multipart/form-data"}, 400, "bad-argument", "no boundary"},
		{"POST", "/v1/inspect", "x", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "bad-argument", "boundary is not in it"},
		{"POST", "/v1/inspect", "--b--\r\n", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "bad-argument", "no file"},
		{"POST", "/v1/inspect", "--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "bad-argument", "cut short"},
		{"POST", "/v1/inspect", "--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n\r\n--b--", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "empty", ""},
		{"POST", "/v1/inspect", "--b\r\nContent-Disposition: form-data; name=a; filename=x\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=b; filename=y\r\n\r\n2\r\n--b--", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "bad-argument", "more than one file"},
		{"POST", "/v1/inspect", "--b\r\nContent-Disposition: form-data; name=z\r\n\r\n1\r\n--b--", []string{"Content-Type", "multipart/form-data; boundary=b"}, 400, "bad-argument", "the form has \"z\""},
	} {
		t.Run(c.method+" "+c.path+" "+c.code, func(t *testing.T) {
			a := do(t, c.method, s.URL+c.path, []byte(c.body), c.header...)
			require.Equal(t, c.status, a.StatusCode, "%s", a.body)
			assert.Equal(t, "application/problem+json", a.Header.Get("Content-Type"))
			m := a.json(t)
			assert.Equal(t, c.code, m["code"])
			assert.Equal(t, float64(c.status), m["status"])
			assert.Contains(t, m["detail"], c.detail)
			assert.NotEmpty(t, m["title"])
			assert.NotEmpty(t, a.Header.Get("X-Request-Id"))
			about := do(t, "GET", s.URL+m["type"].(string), nil)
			assert.Equal(t, 200, about.StatusCode)
			assert.Equal(t, c.code, about.json(t)["code"])
			if c.status == 405 {
				assert.Contains(t, a.Header.Get("Allow"), "OPTIONS")
			}
			if c.code == "limit" {
				l := m["limit"].(map[string]any)
				assert.Equal(t, "JSONDepth", l["name"])
				assert.Equal(t, float64(10), l["value"])
				assert.Equal(t, "levels", l["unit"])
			}
		})
	}
}

// A body above the limit is refused while it is read, and what is left of it is not read (KF-149).
func TestBodyLimit(t *testing.T) {
	l := limits.Edge()
	l.Archive, l.JSON = 1<<20, 1<<20
	s, log := server(t, api.Config{Limits: l})
	addr := strings.TrimPrefix(s.URL, "http://")
	for name, header := range map[string]string{
		"declared":   "Content-Length: 104857600\r\n",
		"undeclared": "Transfer-Encoding: chunked\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			require.NoError(t, err)
			defer c.Close()
			require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
			_, err = io.WriteString(c, "POST /v1/detect HTTP/1.1\r\nHost: x\r\n"+header+"\r\n")
			require.NoError(t, err)
			sent := make(chan int, 1)
			go func() {
				n, block := 0, bytes.Repeat([]byte("x"), 64<<10)
				for n < 100<<20 {
					if name == "undeclared" {
						if _, err := fmt.Fprintf(c, "%x\r\n%s\r\n", len(block), block); err != nil {
							break
						}
					} else if _, err := c.Write(block); err != nil {
						break
					}
					n += len(block)
				}
				sent <- n
			}()
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			require.NoError(t, err)
			b, _ := io.ReadAll(res.Body)
			assert.Equal(t, 413, res.StatusCode, "%s", b)
			assert.True(t, res.Close, "the connection ends")
			assert.Contains(t, string(b), `"code":"limit"`)
			n := <-sent
			assert.Less(t, n, 32<<20, "most of the body is never taken")
		})
	}
	assert.Equal(t, 200, do(t, "POST", s.URL+"/v1/detect", sample("v2.json")).StatusCode)
	for _, x := range log.all {
		assert.NotContains(t, x, "xxxx")
	}
	// Exactly the limit passes, one more does not.
	whole := int(l.Archive) + 64<<10
	assert.Equal(t, 200, do(t, "POST", s.URL+"/v1/detect", bytes.Repeat([]byte("x"), whole)).StatusCode)
	assert.Equal(t, 413, do(t, "POST", s.URL+"/v1/detect", bytes.Repeat([]byte("x"), whole+1)).StatusCode)
}

// TestFileNames, for KF-127: the header of a download is sound whatever the name holds.
func TestFileNames(t *testing.T) {
	s, _ := server(t, api.Config{})
	card := []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"漢字 é \"x\"\r\nSet-Cookie: a=b","description":"d","first_mes":"m"}}`)
	a := do(t, "POST", s.URL+"/v1/convert?to=sillytavern", card)
	require.Equal(t, 200, a.StatusCode, "%s", a.body)
	h := a.Header.Get("Content-Disposition")
	assert.True(t, strings.HasPrefix(h, `attachment; filename="__ _ _x___Set-Cookie_ a=b.json"; filename*=UTF-8''%E6%BC%A2%E5%AD%97%20%C3%A9%20_x_`), h)
	assert.Empty(t, a.Header.Get("Set-Cookie"))
	_, params, err := mime.ParseMediaType(strings.Replace(h, `filename="__ _ _x___Set-Cookie_ a=b.json"; `, "", 1))
	require.NoError(t, err)
	assert.Equal(t, "漢字 é _x___Set-Cookie_ a=b.json", params["filename"])

	nameless := []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"","description":"d","first_mes":"m"}}`)
	for _, header := range [][]string{{"Content-Disposition", `attachment; filename="sent.json"`}, {"Content-Disposition", `attachment; filename*=UTF-8''sent.json`}} {
		a = do(t, "POST", s.URL+"/v1/convert?to=sillytavern", nameless, header...)
		assert.Equal(t, `attachment; filename="sent.json"`, a.Header.Get("Content-Disposition"))
	}
	a = do(t, "POST", s.URL+"/v1/convert?to=sillytavern&name=asked.png", nameless, "Content-Disposition", `attachment; filename="sent.json"`)
	assert.Equal(t, `attachment; filename="asked.json"`, a.Header.Get("Content-Disposition"))
}

func TestCORS(t *testing.T) {
	card := sample("v2.json")
	none, _ := server(t, api.Config{})
	a := do(t, "POST", none.URL+"/v1/detect", card, "Origin", "https://a.example")
	assert.Equal(t, 200, a.StatusCode)
	assert.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))

	some, _ := server(t, api.Config{Origins: []string{"https://a.example", "https://b.example"}})
	a = do(t, "POST", some.URL+"/v1/convert?to=sillytavern", card, "Origin", "https://b.example")
	assert.Equal(t, "https://b.example", a.Header.Get("Access-Control-Allow-Origin"))
	assert.Equal(t, "Origin", a.Header.Get("Vary"))
	assert.Contains(t, a.Header.Get("Access-Control-Expose-Headers"), "Bunzai-Report")
	a = do(t, "POST", some.URL+"/v1/detect", card)
	assert.Equal(t, 200, a.StatusCode, "callers that are no pages")
	a = do(t, "POST", some.URL+"/v1/detect", card, "Origin", "https://evil.example")
	assert.Equal(t, 403, a.StatusCode)
	assert.Empty(t, a.Header.Get("Access-Control-Allow-Origin"))

	ask := []string{"Origin", "https://a.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization, content-type"}
	a = do(t, "OPTIONS", some.URL+"/v1/convert", nil, ask...)
	assert.Equal(t, 204, a.StatusCode)
	assert.Equal(t, "https://a.example", a.Header.Get("Access-Control-Allow-Origin"))
	assert.Contains(t, a.Header.Get("Access-Control-Allow-Methods"), "POST")
	assert.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), "Authorization")
	ask[1] = "https://evil.example"
	assert.Equal(t, 403, do(t, "OPTIONS", some.URL+"/v1/convert", nil, ask...).StatusCode)

	every, _ := server(t, api.Config{Origins: []string{"*"}})
	a = do(t, "POST", every.URL+"/v1/inspect", []byte("text"), "Origin", "https://x.example")
	assert.Equal(t, 415, a.StatusCode)
	assert.Equal(t, "*", a.Header.Get("Access-Control-Allow-Origin"), "a page reads failures, too")
	a = do(t, "OPTIONS", every.URL+"/v1/formats", nil)
	assert.Equal(t, 204, a.StatusCode)
	assert.Equal(t, "GET, HEAD, OPTIONS", a.Header.Get("Allow"))
}

type limiter struct{ left int }

func (l *limiter) Allow(*api.Request) (bool, time.Duration) {
	l.left--
	return l.left >= 0, 1500 * time.Millisecond
}

func TestTokensAndRate(t *testing.T) {
	card := sample("v2.json")
	s, log := server(t, api.Config{Tokens: []string{"first-secret", "second-secret"}, Limiter: &limiter{left: 7}})
	for _, header := range []string{"", "Bearer", "Bearer wrong", "Basic first-secret", "first-secret"} {
		a := do(t, "POST", s.URL+"/v1/detect", card, "Authorization", header)
		assert.Equal(t, 401, a.StatusCode, header)
		assert.Equal(t, `Bearer realm="bunzai"`, a.Header.Get("WWW-Authenticate"))
	}
	assert.Equal(t, 200, do(t, "POST", s.URL+"/v1/detect", card, "Authorization", "Bearer first-secret").StatusCode)
	assert.Equal(t, 200, do(t, "POST", s.URL+"/v1/detect", card, "Authorization", "bearer second-secret").StatusCode)
	a := do(t, "POST", s.URL+"/v1/detect", card, "Authorization", "Bearer first-secret")
	assert.Equal(t, 429, a.StatusCode)
	assert.Equal(t, "2", a.Header.Get("Retry-After"))
	assert.Equal(t, 200, do(t, "GET", s.URL+"/v1/formats", nil).StatusCode, "what is public stays so")
	assert.NotContains(t, strings.Join(log.all, ""), "secret")
}

func TestRequestIDAndLog(t *testing.T) {
	clock := time.Unix(0, 0)
	s, log := server(t, api.Config{NewID: func() string { return "made" }, Now: func() time.Time { clock = clock.Add(7 * time.Millisecond); return clock }})
	card := []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Secretname","description":"Secrettext","first_mes":"m"}}`)
	for _, c := range [][]string{
		{"made"}, {"ray-1", "Cf-Ray", "ray-1", "X-Request-Id", "mine"}, {"mine", "X-Request-Id", "mine"}, {"made", "X-Request-Id", "a b"}, {"made", "X-Request-Id", strings.Repeat("a", 101)},
	} {
		a := do(t, "POST", s.URL+"/v1/convert?to=sillytavern&container=png&name=Secretfile", card, c[1:]...)
		assert.Equal(t, c[0], a.Header.Get("X-Request-Id"))
	}
	do(t, "POST", s.URL+"/v1/convert?to=Secretapp", card)
	do(t, "POST", s.URL+"/v1/Secretpath", card)
	require.Len(t, log.all, 7)
	assert.NotContains(t, strings.Join(log.all, ""), "Secret")
	var l map[string]any
	require.NoError(t, json.Unmarshal([]byte(log.all[1]), &l))
	assert.Equal(t, "ray-1", l["id"])
	assert.Equal(t, "/v1/convert", l["route"])
	assert.Equal(t, float64(200), l["status"])
	assert.Equal(t, "png", l["container"])
	assert.Equal(t, float64(len(card)), l["in"])
	assert.NotZero(t, l["out"])
	assert.Equal(t, float64(7), l["ms"])
	assert.Contains(t, log.all[5], `"code":"unknown-target"`)
}

// One request must not poison the next: many kinds at once, each with its own right answer.
func TestTogether(t *testing.T) {
	s := httptest.NewServer(edge.Handler(edge.Config{AtOnce: 64}))
	defer s.Close()
	card, png := sample("v2.json"), sample("chara-only.png")
	want := do(t, "POST", s.URL+"/v1/convert?to=sillytavern&container=charx", card)
	require.Equal(t, 200, want.StatusCode)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Go(func() {
			switch i % 4 {
			case 0:
				a := do(t, "POST", s.URL+"/v1/convert?to=sillytavern&container=charx", card)
				assert.True(t, bytes.Equal(want.body, a.body))
			case 1:
				assert.Equal(t, 415, do(t, "POST", s.URL+"/v1/inspect", []byte("no card")).StatusCode)
			case 2:
				assert.Equal(t, 200, do(t, "POST", s.URL+"/v1/inspect", png).StatusCode)
			case 3:
				assert.Equal(t, 200, do(t, "GET", s.URL+"/v1/openapi.json", nil).StatusCode)
			}
		})
	}
	wg.Wait()
}

// A server that holds as many bodies as it may says so and stays well.
func TestBusy(t *testing.T) {
	h := edge.Handler(edge.Config{AtOnce: 1})
	slow, feed := io.Pipe()
	first := httptest.NewRequest("POST", "/v1/detect", slow)
	done := make(chan int)
	go func() {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, first)
		done <- w.Code
	}()
	_, err := feed.Write([]byte("{")) // from here on the first holds the only place
	require.NoError(t, err)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/detect", strings.NewReader("{}")))
	assert.Equal(t, 503, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	require.NoError(t, feed.Close())
	assert.Equal(t, 200, <-done)
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/detect", strings.NewReader("{}")))
	assert.Equal(t, 200, w.Code)
}

// A panic is an answer, and the next request is well.
func TestPanic(t *testing.T) {
	s, log := server(t, api.Config{Limiter: panics{}})
	a := do(t, "POST", s.URL+"/v1/detect", sample("v2.json"))
	assert.Equal(t, 500, a.StatusCode)
	assert.Equal(t, "internal", a.json(t)["code"])
	assert.Equal(t, 200, do(t, "GET", s.URL+"/healthz", nil).StatusCode)
	assert.Len(t, log.all, 2)
}

type panics struct{}

func (panics) Allow(*api.Request) (bool, time.Duration) { panic("a fault") }
