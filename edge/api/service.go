package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// Limiter decides whether a caller may go on. It may be called by several goroutines at once.
type Limiter interface {
	// Allow reports whether the request may go on, and if not, after how long it is worth trying again.
	Allow(r *Request) (ok bool, retry time.Duration)
}

// Config is what the operator decides. The zero Config is a public endpoint with the edge limits, without CORS.
type Config struct {
	Version string
	Limits  limits.Limits // the zero value means limits.Edge()
	// Origins lists the web origins ("https://example.org") whose pages may call; "*" lets any. Empty means none.
	Origins []string
	// Tokens lists the bearer tokens of which POST routes want one. Empty means that they want none.
	Tokens  []string
	Limiter Limiter // asked before a body is read; nil means no limit

	// Log gets one line of JSON a request, without line end. It holds no card content, no names and no addresses.
	Log func(line []byte)
	// NewID makes the id of a request that brings none. Nil means a counter.
	NewID func() string
	// Now is the clock of the log. Nil means that no durations are logged.
	Now func() time.Time
}

// Request is one call. Only Body is read after Admit.
type Request struct {
	Method string
	Path   string
	Query  string // raw, without "?"
	// Header returns the first value of a header field, "" when it is absent. The name is in canonical form.
	Header func(name string) string
	Remote string // the caller's address, for the Limiter alone
	Length int64  // bytes of the body as declared; -1 when not
	ID     string // request id; Admit fills it in

	start time.Time
}

// Response is the answer. Body is read by the door, after which nothing of the request is needed any more.
type Response struct {
	Status int
	Header []Field
	Body   *rope.Rope // nil for none
	// Broken says that this was a fault of bunzai itself: a door that keeps its process should start a fresh one.
	Broken bool

	code string // of the problem, for the log
	note note   // for the log
}

// Field is one header field.
type Field struct{ Name, Value string }

// Get returns the first value of a field.
func (r *Response) Get(name string) string {
	for _, f := range r.Header {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

func (r *Response) set(name, value string) {
	for i := range r.Header {
		if r.Header[i].Name == name {
			r.Header[i].Value = value
			return
		}
	}
	r.Header = append(r.Header, Field{name, value})
}

// note is what the log may know of a conversion.
type note struct {
	from, to, container string
	in, out             int64
}

// Service answers requests. It is safe for use by several goroutines.
type Service struct {
	cfg    Config
	engine *convert.Engine
	tokens [][sha256.Size]byte

	counter struct {
		sync.Mutex
		n uint64
	}
	formats document
	openapi document
}

// document is a constant answer, made at first use.
type document struct {
	once sync.Once
	body []byte
	tag  string
}

func (d *document) get(build func() []byte) ([]byte, string) {
	d.once.Do(func() {
		d.body = build()
		sum := sha256.Sum256(d.body)
		d.tag = fmt.Sprintf("\"%x\"", sum[:16])
	})
	return d.body, d.tag
}

// New returns a Service. It does no work of size: the engine and the documents are made at first use.
func New(cfg Config) *Service {
	if cfg.Limits.Name == "" {
		cfg.Limits = limits.Edge()
	}
	s := &Service{cfg: cfg, engine: convert.New()}
	for _, t := range cfg.Tokens {
		s.tokens = append(s.tokens, sha256.Sum256([]byte(t)))
	}
	return s
}

// multipartRoom is what a form may have around its file.
const multipartRoom = 64 << 10

// MaxBody is the most that a body may have, in bytes.
func (s *Service) MaxBody() int64 {
	return max(s.cfg.Limits.Archive, s.cfg.Limits.JSON) + multipartRoom
}

// Serve answers a request. read reads the body, at most limit bytes; it fails with TooLarge as soon as there are more.
func (s *Service) Serve(r *Request, read func(limit int64) (rope.Source, error)) *Response {
	res, limit := s.Admit(r)
	if res != nil {
		return res
	}
	body, err := read(limit)
	return s.Finish(r, body, err)
}

// Admit checks what can be checked before the body is read: route, method, origin, token, rate, declared length and
// type. It returns the final answer, or nil and how many bytes of body to read for Finish.
func (s *Service) Admit(r *Request) (res *Response, limit int64) {
	if s.cfg.Now != nil {
		r.start = s.cfg.Now()
	}
	s.identify(r)
	defer func() {
		if x := recover(); x != nil {
			res = s.panicked(x)
		}
		if res != nil {
			s.seal(r, res)
		}
	}()
	rt, res := s.route(r)
	switch {
	case res != nil:
		return res, 0
	case rt.body:
		if res := s.admitBody(r); res != nil {
			return res, 0
		}
		return nil, s.MaxBody()
	}
	if q, p := query(r.Query, rt); p != nil {
		return p.response(), 0
	} else {
		return rt.serve(s, &call{req: r, route: rt, query: q}), 0
	}
}

// Finish answers an admitted request whose body was read, or could not be.
func (s *Service) Finish(r *Request, body rope.Source, err error) (res *Response) {
	s.identify(r)
	if s.cfg.Now != nil && r.start.IsZero() {
		r.start = s.cfg.Now()
	}
	defer func() {
		if x := recover(); x != nil {
			res = s.panicked(x)
		}
		s.seal(r, res)
	}()
	rt, res := s.route(r)
	if res != nil {
		return res
	}
	if err != nil {
		return s.failed(err)
	}
	c := &call{req: r, route: rt, src: body}
	q, p := query(r.Query, rt)
	if p != nil {
		return p.response()
	}
	c.query = q
	if p := c.unlock(); p != nil {
		return p.response()
	}
	if p := c.unpack(); p != nil {
		return p.response()
	}
	c.note.in = c.src.Size()
	res = rt.serve(s, c)
	res.note = c.note
	return res
}

// TooLarge is the error of a body with more than limit bytes.
func (s *Service) TooLarge(found int64) error {
	return s.cfg.Limits.Over("request body", "Archive", found)
}

func (s *Service) identify(r *Request) {
	if r.ID != "" {
		return
	}
	for _, name := range []string{"Cf-Ray", "X-Request-Id"} {
		if id := r.Header(name); cleanID(id) {
			r.ID = id
			return
		}
	}
	if s.cfg.NewID != nil {
		r.ID = s.cfg.NewID()
		return
	}
	s.counter.Lock()
	s.counter.n++
	r.ID = strconv.FormatUint(s.counter.n, 10)
	s.counter.Unlock()
}

func cleanID(id string) bool {
	if id == "" || len(id) > 100 {
		return false
	}
	return strings.IndexFunc(id, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.'
	}) < 0
}

// route finds the route, or answers for a path or method that has none.
func (s *Service) route(r *Request) (*route, *Response) {
	var allowed []string
	for i := range routes {
		rt := &routes[i]
		if !rt.matches(r.Path) {
			continue
		}
		if rt.method == r.Method || (r.Method == "HEAD" && rt.method == "GET") {
			if origin := r.Header("Origin"); origin != "" && rt.method == "POST" && len(s.cfg.Origins) > 0 && !s.allows(origin) {
				// The browser would withhold the answer anyway; there is no reason to work for it.
				return nil, newProblem(codeForbidden, "pages of %s may not call this endpoint", cut(origin)).response()
			}
			return rt, nil
		}
		allowed = append(allowed, rt.method)
		if rt.method == "GET" {
			allowed = append(allowed, "HEAD")
		}
	}
	switch {
	case len(allowed) == 0:
		return nil, newProblem(codeNotFound, "there is nothing at this address; GET /v1/openapi.json lists what there is").response()
	case r.Method == "OPTIONS":
		return nil, s.options(r, append(allowed, "OPTIONS"))
	}
	res := newProblem(codeMethod, "%s is answered here, and nothing else", strings.Join(allowed, ", ")).response()
	res.set("Allow", strings.Join(append(allowed, "OPTIONS"), ", "))
	return nil, res
}

func cut(s string) string {
	if len(s) > 100 {
		s = s[:100]
	}
	return strings.ToValidUTF8(s, "")
}

func (s *Service) allows(origin string) bool {
	return slices.Contains(s.cfg.Origins, "*") || slices.Contains(s.cfg.Origins, origin)
}

// options answers OPTIONS, and a browser's question before a call from another origin.
func (s *Service) options(r *Request, allowed []string) *Response {
	res := &Response{Status: 204}
	list := strings.Join(allowed, ", ")
	res.set("Allow", list)
	if r.Header("Origin") == "" || r.Header("Access-Control-Request-Method") == "" {
		return res
	}
	if !s.allows(r.Header("Origin")) {
		return newProblem(codeForbidden, "pages of %s may not call this endpoint", cut(r.Header("Origin"))).response()
	}
	res.set("Access-Control-Allow-Methods", list)
	res.set("Access-Control-Allow-Headers", "Authorization, Bunzai-Password, Content-Type, Content-Disposition, If-None-Match, X-Request-Id")
	res.set("Access-Control-Max-Age", "86400")
	return res
}

// admitBody checks a request with a body.
func (s *Service) admitBody(r *Request) *Response {
	if s.cfg.Limiter != nil {
		if ok, retry := s.cfg.Limiter.Allow(r); !ok {
			res := newProblem(codeRate, "too many requests; try again later").response()
			if retry > 0 {
				res.set("Retry-After", strconv.FormatInt(int64((retry+time.Second-1)/time.Second), 10))
			}
			return res
		}
	}
	if !s.authorized(r.Header("Authorization")) {
		res := newProblem(codeUnauthorized, "this endpoint wants a token: send the header Authorization: Bearer TOKEN").response()
		res.set("Www-Authenticate", `Bearer realm="bunzai"`)
		return res
	}
	if p := bodyType(r); p != nil {
		return p.response()
	}
	if r.Length > s.MaxBody() {
		return s.failed(s.TooLarge(r.Length))
	}
	if r.Length == 0 {
		return s.failed(fault.New(fault.Empty, "", "the request has no body; send the file as the body or as the one file of a form"))
	}
	return nil
}

// authorized compares without telling by its time how much of a token is right.
func (s *Service) authorized(header string) bool {
	if len(s.tokens) == 0 {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	ok := 0
	for i := range s.tokens {
		ok |= subtle.ConstantTimeCompare(sum[:], s.tokens[i][:])
	}
	return ok == 1 && strings.EqualFold(scheme, "Bearer")
}

func (s *Service) failed(err error) *Response { return problemOf(err).response() }

func (s *Service) panicked(x any) *Response {
	res := newProblem(string(fault.Internal), "bunzai met a fault of its own (%s); your file is untouched and other requests still work. Please report it", cut(fmt.Sprint(x))).response()
	res.Broken = true
	return res
}

// Busy is the answer of a door that has no room for another body now.
func (s *Service) Busy(r *Request, seconds int) *Response {
	s.identify(r)
	res := newProblem(codeBusy, "the endpoint is busy; try again in a moment").response()
	res.set("Retry-After", strconv.Itoa(seconds))
	s.seal(r, res)
	return res
}

// Broke is the answer of a door whose process died under the request. Memory is what the process may have, when it died
// for want of more; else 0.
func (s *Service) Broke(r *Request, memory int64) *Response {
	s.identify(r)
	p := newProblem(string(fault.Internal), "bunzai stopped while it worked on this file; your file is untouched and other requests still work. Please report it")
	if memory > 0 {
		p = problemOf(s.outOfMemory(memory))
	}
	res := p.response()
	s.seal(r, res)
	return res
}

// outOfMemory is the refusal of a file whose parts are so many that working on them needs more than there is.
func (s *Service) outOfMemory(memory int64) error {
	return fault.Over("", fault.Limit{Name: "Memory", Value: memory, Unit: "bytes", Raise: s.cfg.Limits.Raise})
}

// OutOfMemory is Broke for Convert.
func (s *Service) OutOfMemory(memory int64) *Problem { return problemOf(s.outOfMemory(memory)) }

// seal adds what every answer has, and logs it.
func (s *Service) seal(r *Request, res *Response) {
	res.set("X-Request-Id", r.ID)
	res.set("X-Content-Type-Options", "nosniff")
	res.set("Content-Security-Policy", "default-src 'none'; sandbox")
	res.set("Referrer-Policy", "no-referrer")
	if res.Get("Cache-Control") == "" {
		res.set("Cache-Control", "no-store")
	}
	if len(s.cfg.Origins) > 0 {
		any := slices.Contains(s.cfg.Origins, "*")
		if !any {
			res.set("Vary", "Origin")
		}
		if origin := r.Header("Origin"); origin != "" && s.allows(origin) {
			if any {
				origin = "*"
			}
			res.set("Access-Control-Allow-Origin", origin)
			if res.Get("Access-Control-Allow-Methods") == "" {
				res.set("Access-Control-Expose-Headers", "Bunzai-Report, Content-Disposition, ETag, Retry-After, X-Request-Id")
			}
		}
	}
	if res.Body != nil {
		res.set("Content-Length", strconv.FormatInt(res.Body.Size(), 10))
		res.note.out = res.Body.Size()
		if r.Method == "HEAD" {
			res.Body, res.note.out = nil, 0
		}
	}
	s.log(r, res)
}

type logLine struct {
	Msg       string   `json:"msg"`
	ID        string   `json:"id"`
	Method    string   `json:"method"`
	Route     string   `json:"route"`
	Status    int      `json:"status"`
	Code      string   `json:"code,omitempty"`
	From      string   `json:"from,omitempty"`
	To        string   `json:"to,omitempty"`
	Container string   `json:"container,omitempty"`
	In        int64    `json:"in"`
	Out       int64    `json:"out"`
	MS        *float64 `json:"ms,omitempty"`
}

func (s *Service) log(r *Request, res *Response) {
	if s.cfg.Log == nil {
		return
	}
	l := logLine{Msg: "request", ID: r.ID, Status: res.Status, Code: res.code, From: res.note.from, To: res.note.to, Container: res.note.container, In: res.note.in, Out: res.note.out}
	// A path or method that nobody knows could be anything, so it is not repeated.
	for _, rt := range routes {
		if rt.matches(r.Path) {
			l.Route = rt.path
		}
	}
	if slices.Contains([]string{"GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"}, r.Method) {
		l.Method = r.Method
	}
	if s.cfg.Now != nil && !r.start.IsZero() {
		ms := float64(s.cfg.Now().Sub(r.start).Microseconds()) / 1000
		l.MS = &ms
	}
	s.cfg.Log(plain.Marshal(l))
}

// query reads the query strictly: a misspelled name would otherwise be ignored in silence.
func query(raw string, rt *route) (map[string]string, *Problem) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, newProblem(string(fault.BadArgument), "the query cannot be read; write special characters as %%XX")
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	out := map[string]string{}
	for _, name := range names {
		if p := rt.take(out, name, values[name], "the query"); p != nil {
			return nil, p
		}
	}
	return out, nil
}

func (rt *route) take(out map[string]string, name string, values []string, where string) *Problem {
	i := slices.IndexFunc(rt.params, func(p param) bool { return p.name == name })
	switch {
	case i < 0 && len(rt.params) == 0:
		return newProblem(string(fault.BadArgument), "%s has %q, and this address takes none", where, cut(name))
	case i < 0:
		known := make([]string, len(rt.params))
		for k, p := range rt.params {
			known[k] = p.name
		}
		return newProblem(string(fault.BadArgument), "%s has %q; this address takes: %s", where, cut(name), strings.Join(known, ", "))
	case len(values) > 1:
		return newProblem(string(fault.BadArgument), "%s has %q more than once", where, name)
	}
	if p := rt.params[i]; len(p.enum) > 0 && !slices.Contains(p.enum, values[0]) {
		return newProblem(string(fault.BadArgument), "%q must be one of %s, and is %q", name, strings.Join(p.enum, ", "), cut(values[0]))
	}
	out[name] = values[0]
	return nil
}

// NotArrived is the error of a body that broke off.
func NotArrived() error {
	return fault.New(fault.Cancelled, "request body", "the body did not arrive whole; send it again")
}

// Result is a conversion outside a request, as bulk work wants it.
type Result struct {
	FileName  string            `json:"fileName"`
	MediaType string            `json:"mediaType"`
	Container formats.Container `json:"container"`
	Size      int64             `json:"size"`
	Report    *convert.Report   `json:"report"`
	Data      *rope.Rope        `json:"-"`
}

// Convert is POST /v1/convert without HTTP around it: the same query, limits and failures.
func (s *Service) Convert(name, rawQuery string, src rope.Source) (res *Result, p *Problem) {
	defer func() {
		if x := recover(); x != nil {
			res, p = nil, newProblem(string(fault.Internal), "bunzai met a fault of its own (%s)", cut(fmt.Sprint(x)))
		}
	}()
	i := slices.IndexFunc(routes, func(rt route) bool { return rt.path == "/v1/convert" })
	q, p := query(rawQuery, &routes[i])
	if p != nil {
		return nil, p
	}
	c := &call{route: &routes[i], query: q, src: src, name: name}
	out, p := c.convert(s)
	if p != nil {
		return nil, p
	}
	return &Result{out.FileName, out.MediaType, out.Container, out.Data.Size(), out.Report, out.Data}, nil
}
