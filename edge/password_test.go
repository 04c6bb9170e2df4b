package edge_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/edge/api"
	"bunzai/testdata/samples"
)

func TestPassword(t *testing.T) {
	const secret = "50% Geheim 비밀"
	s, log := server(t, api.Config{Origins: []string{"*"}})
	in := samples.PNG(samples.Text("chara", samples.Locked(samples.LockedCard("d"), secret)))
	for _, path := range []string{"/v1/inspect", "/v1/convert?to=sillytavern"} {
		for header, says := range map[string]string{"": "give the password", "wrong-77": "does not open", "%zz": "cannot be read", "%ff": "cannot be read"} {
			a := do(t, "POST", s.URL+path, in, "Bunzai-Password", header)
			m := a.json(t)
			want, status := "password", 422
			if strings.HasPrefix(header, "%") {
				want, status = "bad-argument", 400
			}
			assert.Equal(t, status, a.StatusCode)
			assert.Equal(t, want, m["code"], header)
			assert.Contains(t, m["detail"], says)
			assert.NotContains(t, string(a.body), "wrong-77")
		}
		a := do(t, "POST", s.URL+path, in, "Bunzai-Password", url.PathEscape(secret))
		require.Equal(t, 200, a.StatusCode, "%s", a.body)
		assert.NotContains(t, string(a.body), secret)
	}
	a := do(t, "POST", s.URL+"/v1/convert?to=risu", in, "Bunzai-Password", url.PathEscape(secret))
	assert.Equal(t, string(in), string(a.body), "it stays locked with its password")
	a = do(t, "POST", s.URL+"/v1/detect", in)
	assert.Equal(t, "risu", a.json(t)["format"].(map[string]any)["id"])

	for _, l := range log.all {
		assert.NotContains(t, l, "Geheim")
		assert.NotContains(t, l, url.PathEscape(secret))
		assert.NotContains(t, l, "wrong-77")
	}
	assert.NotEmpty(t, log.all)
	a = do(t, "OPTIONS", s.URL+"/v1/convert", nil, "Origin", "https://example.org", "Access-Control-Request-Method", "POST")
	assert.Contains(t, a.Header.Get("Access-Control-Allow-Headers"), "Bunzai-Password")
	a = do(t, "GET", s.URL+"/v1/openapi.json", nil)
	assert.Equal(t, 3, strings.Count(string(a.body), `"name":"Bunzai-Password"`), "on each address that takes a file")
}
