package api

import (
	"fmt"

	"bunzai/fault"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// Codes of failures that only a door has; the others are those of package fault.
const (
	codeNotFound     = "not-found"
	codeMethod       = "method-not-allowed"
	codeMediaType    = "media-type"
	codeUnauthorized = "unauthorized"
	codeForbidden    = "forbidden"
	codeRate         = "too-many-requests"
	codeBusy         = "busy"
)

// Problem is a failure as RFC 9457 writes it, with what package fault knows.
type Problem struct {
	Type   string    `json:"type"` // address of the class, below this endpoint
	Title  string    `json:"title"`
	Status int       `json:"status"`
	Detail string    `json:"detail"` // what is wrong and what to do, for people
	Code   string    `json:"code"`
	Where  string    `json:"where"` // a chunk, a ZIP entry, a JSON path; may be empty
	Limit  *LimitHit `json:"limit"`
}

// LimitHit says which limit refused a file.
type LimitHit struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
	Found int64  `json:"found"` // 0 when counting stopped at the limit
	Unit  string `json:"unit"`
	Raise string `json:"raise"` // what raises it; empty when nothing does
}

// ProblemClass is one class of failures.
type ProblemClass struct {
	Code   string `json:"code"`
	Title  string `json:"title"`
	Status int    `json:"status"`
}

// classes lists every class of failures with its status.
var classes = []ProblemClass{
	{string(fault.Empty), "No bytes", 400},
	{string(fault.BadArgument), "Wrong argument", 400},
	{string(fault.UnknownTarget), "No such target", 400},
	{codeUnauthorized, "A token is missing or wrong", 401},
	{codeForbidden, "Origin not allowed", 403},
	{codeNotFound, "No such address", 404},
	{codeMethod, "Method not allowed", 405},
	{string(fault.Cancelled), "The body did not arrive", 408},
	{string(fault.OverLimit), "Over a limit", 413},
	{codeMediaType, "Body type not supported", 415},
	{string(fault.NotRecognized), "Not recognised", 415},
	{string(fault.Unsupported), "Not supported", 415},
	{string(fault.NoCard), "No card inside", 422},
	{string(fault.Damaged), "Damaged file", 422},
	{string(fault.Ambiguous), "Ambiguous file", 422},
	{string(fault.Password), "A password is needed", 422},
	{string(fault.WrongKind), "The app has no such kind", 422},
	{string(fault.WouldLose), "Content would be lost", 422},
	{codeRate, "Too many requests", 429},
	{string(fault.Internal), "Fault of the endpoint", 500},
	{codeBusy, "Busy", 503},
}

func classOf(code string) ProblemClass {
	for _, c := range classes {
		if c.Code == code {
			return c
		}
	}
	return classOf(string(fault.Internal))
}

func newProblem(code, format string, args ...any) *Problem {
	c := classOf(code)
	return &Problem{Type: "/v1/problems/" + c.Code, Title: c.Title, Status: c.Status, Code: c.Code, Detail: fmt.Sprintf(format, args...)}
}

func problemOf(err error) *Problem {
	f := fault.As(err)
	p := newProblem(string(f.Code), "%s", f.Message)
	p.Where = f.Where
	if l := f.Limit; l != nil {
		p.Limit = &LimitHit{l.Name, l.Value, l.Found, l.Unit, l.Raise}
	}
	return p
}

func (p *Problem) response() *Response {
	return &Response{
		Status: p.Status,
		Header: []Field{{"Content-Type", "application/problem+json"}},
		Body:   rope.FromBytes(plain.Marshal(p)),
		Broken: p.Code == string(fault.Internal),
		code:   p.Code,
	}
}
