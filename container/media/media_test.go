package media

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSniff(t *testing.T) {
	ihdr := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + strings.Repeat("x", 17)
	for _, c := range []struct{ head, ext, mime string }{
		{ihdr + "\x00\x00\x00\x00IDAT", "png", "image/png"},
		{ihdr + "\x00\x00\x00\x08acTL", "png", "image/apng"},
		{ihdr + "\x00\x00\x00\x02tEXta\x00\x00\x00\x00\x00\x00\x00\x00\x08acTL", "png", "image/apng"},
		{ihdr + "\xff\xff\xff\xfftEXt", "png", "image/png"},
		{"\x89PNG\r\n\x1a\n", "png", "image/png"},
		{"\xff\xd8\xff\xe0", "jpg", "image/jpeg"},
		{"GIF89a", "gif", "image/gif"}, {"GIF87a", "gif", "image/gif"},
		{"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp", "image/webp"},
		{"RIFF\x00\x00\x00\x00WAVEfmt ", "wav", "audio/wav"},
		{"RIFF\x00\x00\x00\x00AVI ", "", ""},
		{"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00", "avif", "image/avif"},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif", "avif", "image/avif"},
		{"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1heic", "heic", "image/heic"},
		{"\x00\x00\x00\x14ftypisom\x00\x00\x00\x00", "mp4", "video/mp4"},
		{"\x00\x00\x00\x14ftypM4A \x00\x00\x00\x00", "m4a", "audio/mp4"},
		{"\x00\x00\x00\x14ftypqt  \x00\x00\x00\x00", "mov", "video/quicktime"},
		{"\xff\xff\xff\xffftyp", "", ""},
		{"\x1a\x45\xdf\xa3\x9fB\x82\x84webm", "webm", "video/webm"},
		{"\x1a\x45\xdf\xa3\x9fB\x82\x88matroska", "mkv", "video/x-matroska"},
		{"\x1a\x45\xdf\xa3", "", ""},
		{"BM\x00\x10\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00", "bmp", "image/bmp"},
		{"BM is a shop; a text that starts so is none", "", ""},
		{"<svg xmlns='x'>", "svg", "image/svg+xml"}, {"\xef\xbb\xbf\n<svg>", "svg", "image/svg+xml"},
		{"<?xml version='1.0'?>\n<!-- x --><svg viewBox='0'", "svg", "image/svg+xml"},
		{"<?xml version='1.0'?><html>", "", ""}, {"<svgfoo>", "", ""}, {"<html><svg>", "", ""}, {"text <svg>", "", ""}, {"<svg", "", ""},
		{"ID3\x04", "mp3", "audio/mpeg"}, {"\xff\xfb\x90\x00", "mp3", "audio/mpeg"}, {"\xff\xf3\x40\xc0", "mp3", "audio/mpeg"},
		{"\xff\xfe{\x00", "", ""}, {"\xff\xfb\xff\xff", "", ""}, {"\xff\xf1\x50\x80", "", ""},
		{"OggS\x00", "ogg", "audio/ogg"}, {"fLaC", "flac", "audio/flac"},
		{"\x00\x01\x00\x00\x00\x0f\x00\x80\x00\x03\x00\x70", "ttf", "font/ttf"}, {"OTTO", "otf", "font/otf"},
		{"wOFF", "woff", "font/woff"}, {"wOF2", "woff2", "font/woff2"}, {"%PDF-1.7", "pdf", "application/pdf"},
		{"", "", ""}, {"{\"a\":1}", "", ""}, {"PK\x03\x04", "", ""}, {"plain", "", ""},
	} {
		ext, mime := Sniff([]byte(c.head))
		assert.Equal(t, []string{c.ext, c.mime}, []string{ext, mime}, "%q", c.head)
	}
}

func TestTypes(t *testing.T) {
	for ext, mime := range map[string]string{
		"png": "image/png", ".PNG": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "apng": "image/apng", "webp": "image/webp", "avif": "image/avif",
		"svg": "image/svg+xml", "mp3": "audio/mpeg", "webm": "video/webm", "ogg": "audio/ogg", "woff2": "font/woff2", "": "", "xyz": "",
	} {
		assert.Equal(t, mime, MimeOf(ext), ext)
	}
	for mime, ext := range map[string]string{
		"image/png": "png", "IMAGE/JPEG": "jpg", "image/apng": "png", "image/jpg": "jpg", "audio/webm": "webm", "audio/mpeg; x=1": "mp3", "": "", "a/b": "",
		"text/plain;charset=utf-8": "txt", "video/ogg": "ogv", "application/yaml": "yaml",
	} {
		assert.Equal(t, ext, ExtOf(mime), mime)
	}
	for _, e := range types {
		assert.NotEmpty(t, ExtOf(e[1]))
		assert.NotEmpty(t, MimeOf(e[0]))
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00mif1avif"))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ext, mime := Sniff(b)
		assert.Equal(t, ext == "", mime == "")
	})
}

func BenchmarkSniff(b *testing.B) {
	h := []byte(strings.Repeat("no kind at all ", 64))
	b.SetBytes(int64(len(h)))
	for b.Loop() {
		Sniff(h)
	}
}
