package api

import (
	"reflect"
	"slices"
	"strings"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// param is one query parameter; a form may carry it as a field, too.
type param struct {
	name, about string
	enum        []string
	required    bool
}

// route is one line of the table that the handler and the OpenAPI document are both made of.
type route struct {
	method, path string // a path part in braces stands for one part
	about        string
	body         bool
	params       []param
	result       any    // value of the type of the JSON answer; nil for a file
	media        string // of the answer
	codes        []string
	serve        func(s *Service, c *call) *Response
}

// call is one request at work.
type call struct {
	req   *Request
	route *route
	query map[string]string
	src   rope.Source
	name  string
	note  note

	password string // never logged
}

// Health is the answer of GET /healthz.
type Health struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

var (
	nameParam = param{name: "name", about: "File name, for messages and for the name of the result. It never decides the format."}
	reading   = []string{string(fault.Empty), string(fault.BadArgument), codeUnauthorized, codeForbidden, string(fault.Cancelled), string(fault.OverLimit), codeMediaType, codeRate, string(fault.Internal), codeBusy}
	decoding  = append(slices.Clone(reading), string(fault.NotRecognized), string(fault.Unsupported), string(fault.NoCard), string(fault.Damaged), string(fault.Ambiguous), string(fault.Password))
	routes    []route
)

func init() {
	routes = []route{
		{
			method: "POST", path: "/v1/detect", about: "Say what a file is, with every format's bid.", body: true,
			params: []param{nameParam}, result: convert.DetectionView{}, media: "application/json", codes: reading, serve: detect,
		},
		{
			method: "POST", path: "/v1/inspect", about: "Show what a file holds: texts, greetings, lorebook, pictures, and where it can go.", body: true,
			params: []param{nameParam}, result: convert.Inspection{}, media: "application/json", codes: decoding, serve: inspect,
		},
		{
			method: "POST", path: "/v1/convert", body: true,
			about: "Turn a file into another app's file. The report comes in the header Bunzai-Report (JSON in ASCII, cut when long), and whole as the first part of multipart/mixed when the request accepts that.",
			params: []param{
				{name: "to", about: "The app, as GET /v1/formats names it. The kind of file follows from the input.", required: true},
				{name: "container", about: "Kind of file; by default the source's where the app writes it.", enum: formats.Containers()},
				{name: "spec", about: "Card version, where the app has several.", enum: []string{"v2", "v3"}},
				{name: "allowLoss", about: "Write even where archive content would be dropped.", enum: []string{"true", "false"}},
				nameParam,
			},
			codes: append(slices.Clone(decoding), string(fault.UnknownTarget), string(fault.WrongKind), string(fault.WouldLose)), serve: convertFile,
		},
		{method: "GET", path: "/v1/formats", about: "List the formats with their field maps.", result: []convert.FormatView{}, media: "application/json", serve: listFormats},
		{method: "GET", path: "/v1/openapi.json", about: "This document.", result: map[string]any{}, media: "application/json", serve: openAPI},
		{method: "GET", path: "/v1/problems/{code}", about: "Say what a class of failures means.", result: ProblemClass{}, media: "application/json", codes: []string{codeNotFound}, serve: problemClass},
		{method: "GET", path: "/healthz", about: "Say that the endpoint runs.", result: Health{}, media: "application/json", serve: health},
	}
}

func (rt *route) matches(path string) bool {
	prefix, _, open := strings.Cut(rt.path, "{")
	if !open {
		return path == rt.path
	}
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && rest != "" && !strings.Contains(rest, "/")
}

// jsonAnswer writes a result. Nothing of it is kept.
func jsonAnswer(v any) *Response {
	return &Response{Status: 200, Header: []Field{{"Content-Type", "application/json"}}, Body: rope.FromBytes(plain.Marshal(v))}
}

func (c *call) options(s *Service) convert.Options {
	o := convert.Options{Name: c.query["name"], Limits: s.cfg.Limits, Password: c.password}
	if o.Name == "" {
		o.Name = c.name
	}
	return o
}

func detect(s *Service, c *call) *Response {
	d, err := s.engine.Detect(c.src, c.options(s))
	if err != nil {
		return s.failed(err)
	}
	if d.Winner != nil {
		c.note.from = d.Winner.ID
	}
	return jsonAnswer(d.View())
}

func inspect(s *Service, c *call) *Response {
	v, err := s.engine.Inspect(c.src, c.options(s))
	if err != nil {
		return s.failed(err)
	}
	if v.Format != nil {
		c.note.from = v.Format.ID
	}
	return jsonAnswer(v)
}

// convert does the work of POST /v1/convert.
func (c *call) convert(s *Service) (*convert.Output, *Problem) {
	o := c.options(s)
	o.To, o.Container, o.Spec, o.AllowLoss = c.query["to"], formats.Container(c.query["container"]), c.query["spec"], c.query["allowLoss"] == "true"
	if o.To == "" {
		return nil, newProblem(string(fault.BadArgument), "\"to\" is missing: it names the app, such as ?to=sillytavern; GET /v1/formats lists them")
	}
	out, err := s.engine.Convert(c.src, o)
	if err != nil {
		return nil, problemOf(err)
	}
	return out, nil
}

func convertFile(s *Service, c *call) *Response {
	out, p := c.convert(s)
	if p != nil {
		return p.response()
	}
	c.note.from, c.note.to, c.note.container = out.Report.From.ID, out.Report.To.ID, string(out.Container)
	res := &Response{Status: 200, Body: out.Data}
	file := []Field{{"Content-Type", out.MediaType}, {"Content-Disposition", disposition(out.FileName)}}
	if !accepts(c.req.Header("Accept"), "multipart/mixed") {
		res.Header = append(file, Field{"Bunzai-Report", shortReport(out.Report)})
		return res
	}
	body, boundary, err := mixed([]part{
		{[]Field{{"Content-Type", "application/json"}, {"Content-Disposition", `inline; name="report"`}}, rope.FromBytes(plain.Marshal(out.Report))},
		{file, out.Data},
	})
	if err != nil {
		return s.failed(err)
	}
	res.Body = body
	res.Header = []Field{{"Content-Type", "multipart/mixed; boundary=" + boundary}, {"Bunzai-Report", shortReport(out.Report)}}
	return res
}

func (d *document) serve(c *call, build func() []byte) *Response {
	body, tag := d.get(build)
	res := &Response{Status: 200, Header: []Field{{"Content-Type", "application/json"}}, Body: rope.FromBytes(body)}
	if matches(c.req.Header("If-None-Match"), tag) {
		res = &Response{Status: 304}
	}
	res.set("ETag", tag)
	res.set("Cache-Control", "public, max-age=300, must-revalidate")
	return res
}

// matches compares ETags weakly, as RFC 9110 wants it for If-None-Match.
func matches(header, tag string) bool {
	for _, t := range strings.Split(header, ",") {
		if t = strings.TrimPrefix(strings.TrimSpace(t), "W/"); t == tag || t == "*" {
			return true
		}
	}
	return false
}

func listFormats(s *Service, c *call) *Response {
	return s.formats.serve(c, func() []byte { return plain.Marshal(s.engine.Formats()) })
}

func openAPI(s *Service, c *call) *Response {
	return s.openapi.serve(c, func() []byte { return plain.Marshal(describe(s.cfg.Version, len(s.tokens) > 0)) })
}

func problemClass(_ *Service, c *call) *Response {
	code := strings.TrimPrefix(c.req.Path, "/v1/problems/")
	if k := classOf(code); k.Code == code {
		return jsonAnswer(k)
	}
	return newProblem(codeNotFound, "there is no class of failures with that name").response()
}

func health(s *Service, _ *call) *Response { return jsonAnswer(Health{"ok", s.cfg.Version}) }

// typeOf is the Go type of a route's answer.
func (rt *route) typeOf() reflect.Type { return reflect.TypeOf(rt.result) }
