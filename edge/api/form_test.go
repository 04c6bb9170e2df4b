package api

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/rope"
)

func TestSplit(t *testing.T) {
	big := strings.Repeat("\r\n--bounda", 20_000) // almost the boundary, over many windows
	for _, c := range []struct{ name, body, want string }{
		{"one part", "--boundary\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--boundary--", "x"},
		{"preamble and epilogue", "hello\r\n--boundary\r\nA: b\r\n\r\nx\r\n--boundary--\r\nbye", "x"},
		{"blanks behind the boundary", "--boundary \t\r\nA: b\r\n\r\nx\r\n--boundary--", "x"},
		{"empty part", "--boundary\r\nA: b\r\n\r\n\r\n--boundary--", ""},
		{"no headers", "--boundary\r\n\r\nx\r\n--boundary--", "x"},
		{"line ends inside", "--boundary\r\nA: b\r\n\r\n\r\nx\r\n\r\n--boundary--", "\r\nx\r\n"},
		{"almost the boundary", "--boundary\r\nA: b\r\n\r\n" + big + "\r\n--boundary--", big},
	} {
		t.Run(c.name, func(t *testing.T) {
			parts, err := split(rope.Bytes(c.body), "boundary")
			require.NoError(t, err)
			require.Len(t, parts, 1)
			got, err := parts[0].data.Bytes()
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
	for _, body := range []string{"", "--", "--boundary", "--boundary\r\n", "--boundary\r\nA: b\r\n\r\nx", "--boundaryx\r\n\r\n", "--boundary\r\nA: b\r\nx\r\n--boundary--"} {
		_, err := split(rope.Bytes(body), "boundary")
		assert.Error(t, err, body)
	}
	_, err := split(rope.Bytes(strings.Repeat("--b\r\n\r\nx\r\n", 21)+"--b--"), "b")
	assert.ErrorContains(t, err, "more than 20 parts")
}

// Any bytes come out of a form as they went in, and no body makes split fail otherwise than with an error.
func FuzzSplit(f *testing.F) {
	f.Add([]byte("x"), []byte(""))
	f.Add([]byte("\r\n--"), []byte("\r\n--b--\r\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		_, _ = split(rope.Bytes(first), "b")
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for _, data := range [][]byte{first, second} {
			p, err := w.CreateFormFile("file", "name")
			require.NoError(t, err)
			_, err = p.Write(data)
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		parts, err := split(rope.Bytes(form.Bytes()), w.Boundary())
		require.NoError(t, err)
		require.Len(t, parts, 2)
		for i, data := range [][]byte{first, second} {
			b, err := parts[i].data.Bytes()
			require.NoError(t, err)
			assert.Equal(t, string(data), string(b))
		}
	})
}

func TestDisposition(t *testing.T) {
	for name, want := range map[string]string{
		"card.png":       `attachment; filename="card.png"`,
		"漢字.png":         `attachment; filename="__.png"; filename*=UTF-8''%E6%BC%A2%E5%AD%97.png`,
		`a"b\c.png`:      `attachment; filename="a_b_c.png"; filename*=UTF-8''a%22b%5Cc.png`,
		"a\r\nb.png":     `attachment; filename="a__b.png"; filename*=UTF-8''a%0D%0Ab.png`,
		"100%25 x.png":   `attachment; filename="100_25 x.png"; filename*=UTF-8''100%2525%20x.png`,
		"\U0001f600.png": `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`,
	} {
		assert.Equal(t, want, disposition(name))
	}
}

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "*/*": false, "multipart/*": false, "multipart/mixed": true, "text/html, Multipart/Mixed;q=0.5": true, "multipart/mixed; q=0": false,
	} {
		assert.Equal(t, want, accepts(header, "multipart/mixed"), header)
	}
}

// The report stays short enough for a header, in ASCII, and says how much it leaves out.
func TestShortReport(t *testing.T) {
	r := &convert.Report{Counts: convert.Counts{Lost: 1000, Carried: 5}}
	for range 1000 {
		r.Items = append(r.Items, convert.Item{Verdict: convert.Lost, Path: "entries[1].漢", Reason: "\U0001f600 no place\n"})
	}
	h := shortReport(r)
	assert.LessOrEqual(t, len(h), maxReportHeader)
	assert.Greater(t, len(h), maxReportHeader-300)
	assert.Equal(t, -1, strings.IndexFunc(h, func(r rune) bool { return r < 0x20 || r > 0x7e }))
	assert.Contains(t, h, `\u6f22`)
	assert.Contains(t, h, `\ud83d\ude00`)
	var got ShortReport
	require.NoError(t, jsonUnmarshal(h, &got))
	assert.Equal(t, 1000, len(got.Items)+got.Cut)
	assert.Equal(t, "\U0001f600 no place\n", got.Items[0].Reason)
	assert.Equal(t, http.CanonicalHeaderKey("bunzai-report"), "Bunzai-Report")
}
