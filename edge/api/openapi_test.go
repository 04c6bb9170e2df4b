package api

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

func jsonUnmarshal(s string, v any) error { return json.Unmarshal([]byte(s), v) }

func ask(s *Service, method, target string, body []byte, header map[string]string) *Response {
	path, query, _ := strings.Cut(target, "?")
	r := &Request{Method: method, Path: path, Query: query, Length: int64(len(body)), Header: func(n string) string { return header[n] }}
	return s.Serve(r, func(int64) (rope.Source, error) { return rope.Bytes(body), nil })
}

func text(t *testing.T, r *Response) string {
	if r.Body == nil {
		return ""
	}
	b, err := r.Body.Bytes()
	require.NoError(t, err)
	return string(b)
}

// schemaCheck is as much of JSON Schema as the document uses. It also wants that nothing is there that is not described.
type schemaCheck struct {
	t   *testing.T
	doc map[string]any
}

func (c schemaCheck) errors(schema map[string]any, v any, at string) (out []string) {
	bad := func(format string, args ...any) { out = append(out, at+": "+fmt.Sprintf(format, args...)) }
	if ref, ok := schema["$ref"].(string); ok {
		to, ok := c.doc["components"].(map[string]any)["schemas"].(map[string]any)[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
		require.True(c.t, ok, ref)
		return c.errors(to, v, at)
	}
	if any, ok := schema["anyOf"].([]any); ok {
		var all []string
		for _, s := range any {
			e := c.errors(s.(map[string]interface{}), v, at)
			if len(e) == 0 {
				return nil
			}
			all = append(all, e...)
		}
		return all
	}
	kind := ""
	switch x := v.(type) {
	case nil:
		kind = "null"
	case string:
		kind = "string"
		if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
			bad("%q is none of %v", v, enum)
		}
	case bool:
		kind = "boolean"
	case float64:
		kind = "number"
		if schema["type"] == "integer" && x == float64(int64(x)) {
			kind = "integer"
		}
	case []any:
		kind = "array"
		if items, ok := schema["items"].(map[string]any); ok {
			for i, e := range x {
				out = append(out, c.errors(items, e, at+"["+strconv.Itoa(i)+"]")...)
			}
		}
	case map[string]any:
		kind = "object"
		props, ok := schema["properties"].(map[string]any)
		if !ok {
			break
		}
		for k, e := range x {
			s, ok := props[k].(map[string]any)
			if !ok {
				bad("%q is not described", k)
				continue
			}
			out = append(out, c.errors(s, e, at+"."+k)...)
		}
		for _, k := range schema["required"].([]any) {
			if _, ok := x[k.(string)]; !ok {
				bad("%q is missing", k)
			}
		}
	}
	if want, ok := schema["type"]; ok && want != kind {
		bad("is %s and should be %s", kind, want)
	}
	return out
}

// The document describes what the handler does: every route in it answers, every answer fits its schema, and no answer
// has a status that the document does not know.
func TestOpenAPI(t *testing.T) {
	tight := limits.Edge()
	tight.JSONDepth = 5
	plainService, strict := New(Config{Version: "1"}), New(Config{Tokens: []string{"t"}, Origins: []string{"https://a.example"}, Limits: tight})
	var doc map[string]any
	r := ask(plainService, "GET", "/v1/openapi.json", nil, nil)
	require.Equal(t, 200, r.Status)
	require.NoError(t, json.Unmarshal([]byte(text(t, r)), &doc))
	assert.Equal(t, "3.1.0", doc["openapi"])
	assert.Equal(t, text(t, r), text(t, ask(New(Config{Version: "1"}), "GET", "/v1/openapi.json", nil, nil)), "the same each time")
	check := schemaCheck{t, doc}
	seen := map[string]bool{}
	one := func(s *Service, method, target string, body []byte, header map[string]string) {
		r := ask(s, method, target, body, header)
		path, _, _ := strings.Cut(target, "?")
		if strings.HasPrefix(path, "/v1/problems/") {
			path = "/v1/problems/{code}"
		}
		seen[method+" "+path] = seen[method+" "+path] || r.Status == 200
		op, ok := doc["paths"].(map[string]any)[path].(map[string]any)[strings.ToLower(method)].(map[string]any)
		require.True(t, ok, target)
		res, ok := op["responses"].(map[string]any)[strconv.Itoa(r.Status)].(map[string]any)
		if !assert.True(t, ok, "%s %s answers %d, which the document does not know: %s", method, target, r.Status, text(t, r)) || r.Status == 304 {
			return
		}
		kind, _, _ := strings.Cut(r.Get("Content-Type"), ";")
		media, ok := res["content"].(map[string]any)[kind].(map[string]any)
		if !assert.True(t, ok, "%s: %s", target, kind) {
			return
		}
		if r.Status >= 400 {
			assert.Contains(t, res["description"], r.code, target)
		}
		if schema, ok := media["schema"].(map[string]any); ok && strings.HasSuffix(kind, "json") {
			var v any
			require.NoError(t, json.Unmarshal([]byte(text(t, r)), &v))
			for _, e := range check.errors(schema, v, target) {
				assert.Fail(t, "the answer does not fit its schema", e)
			}
		}
		if h := r.Get("Bunzai-Report"); h != "" {
			var v any
			require.NoError(t, json.Unmarshal([]byte(h), &v))
			schema := res["headers"].(map[string]any)["Bunzai-Report"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
			assert.Empty(t, check.errors(schema, v, target))
		}
	}
	for _, f := range plainService.engine.Formats() {
		for _, x := range samples.All() {
			one(plainService, "POST", "/v1/convert?to="+f.App, x.Data, nil)
			one(plainService, "POST", "/v1/convert?to="+f.App, x.Data, map[string]string{"Accept": "multipart/mixed"})
		}
	}
	for _, x := range samples.All() {
		one(plainService, "POST", "/v1/detect", x.Data, nil)
		one(plainService, "POST", "/v1/inspect", x.Data, nil)
		one(strict, "POST", "/v1/inspect", x.Data, map[string]string{"Authorization": "Bearer t"})
	}
	for _, path := range []string{"/v1/detect", "/v1/inspect", "/v1/convert"} {
		for _, body := range []string{"", "x", "{}", "[]", "PK\x03\x04", "\x89PNG\r\n\x1a\n", "RIFF1234WEBPVP8 ", strings.Repeat("[", 100)} {
			one(plainService, "POST", path+"?to=nobody", []byte(body), nil)
			one(plainService, "POST", path, []byte(body), map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
			one(strict, "POST", path, []byte(body), nil)
			one(strict, "POST", path, []byte(body), map[string]string{"Authorization": "Bearer t"})
			one(strict, "POST", path, []byte(body), map[string]string{"Authorization": "Bearer t", "Origin": "https://b.example"})
		}
	}
	for _, path := range []string{"/v1/formats", "/v1/openapi.json", "/healthz", "/v1/problems/limit", "/v1/problems/nothing"} {
		one(plainService, "GET", path, nil, nil)
		one(plainService, "GET", path, nil, map[string]string{"If-None-Match": "*"})
	}
	for path, item := range doc["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			key := strings.ToUpper(method) + " " + path
			assert.True(t, seen[key], "%s is described and was not answered", key)
		}
	}
	assert.Len(t, seen, len(routes))
	ids := map[string]bool{}
	for _, rt := range routes {
		assert.False(t, ids[operationID(&rt)])
		ids[operationID(&rt)] = true
	}
}

// Every failure class of package fault has a status.
func TestClasses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range classes {
		assert.False(t, seen[c.Code])
		seen[c.Code] = true
		assert.GreaterOrEqual(t, c.Status, 400)
		assert.NotEmpty(t, c.Title)
	}
	for _, code := range []string{"empty", "not-recognized", "no-card", "unsupported", "damaged", "ambiguous", "password", "limit", "wrong-kind", "unknown-target", "would-lose", "bad-argument", "cancelled", "internal"} {
		assert.True(t, seen[code], code)
	}
}
