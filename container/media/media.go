// Package media tells what kind of file some bytes are by their first bytes, and which extension and media type go
// together. It decodes nothing and knows no card format; a ZIP or JSON is none of its kinds.
package media

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// HeadSize is how many bytes of a file are enough for Sniff. Fewer are fine.
const HeadSize = 1024

// Sniff returns the extension (lower case, no dot) and media type of the picture, sound, film, font or document that
// starts with head, "" and "" when it knows none. An animated PNG is ("png", "image/apng").
func Sniff(head []byte) (ext, mime string) {
	ext = sniff(head)
	if ext == "png" && animated(head) {
		return ext, "image/apng"
	}
	return ext, MimeOf(ext)
}

func sniff(h []byte) string {
	has := func(off int, s string) bool { return len(h) >= off+len(s) && string(h[off:off+len(s)]) == s }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "png"
	case has(0, "\xff\xd8\xff"):
		return "jpg"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "gif"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "webp"
	case has(0, "RIFF") && has(8, "WAVE"):
		return "wav"
	case has(4, "ftyp"):
		return brand(h)
	case has(0, "\x1a\x45\xdf\xa3"): // EBML: the document type stands in its header
		switch doc := h[:min(len(h), 64)]; {
		case bytes.Contains(doc, []byte("webm")):
			return "webm"
		case bytes.Contains(doc, []byte("matroska")):
			return "mkv"
		}
	case has(0, "OggS"):
		return "ogg"
	case has(0, "fLaC"):
		return "flac"
	case has(0, "ID3"), layer3(h):
		return "mp3"
	case has(0, "wOFF"):
		return "woff"
	case has(0, "wOF2"):
		return "woff2"
	case has(0, "OTTO"):
		return "otf"
	case has(0, "\x00\x01\x00\x00\x00") && len(h) >= 12, has(0, "true\x00"):
		return "ttf"
	case has(0, "%PDF-"):
		return "pdf"
	case bitmap(h):
		return "bmp"
	case vector(h):
		return "svg"
	}
	return ""
}

// brand tells ISO media files apart by their major brand, and AVIF also by a compatible one.
func brand(h []byte) string {
	if len(h) < 12 {
		return ""
	}
	switch b := string(h[8:12]); b {
	case "avif", "avis":
		return "avif"
	case "mif1", "msf1", "heic", "heix", "heim", "heis", "hevc", "hevx":
		n := min(int64(binary.BigEndian.Uint32(h)), int64(len(h)))
		for i := int64(16); i+4 <= n; i += 4 {
			if c := string(h[i : i+4]); c == "avif" || c == "avis" {
				return "avif"
			}
		}
		return "heic"
	case "qt  ":
		return "mov"
	case "M4A ", "M4B ":
		return "m4a"
	}
	return "mp4"
}

// layer3 knows a bare MP3 frame. Only layer III counts: the other bit patterns are UTF-16 marks and AAC.
func layer3(h []byte) bool {
	return len(h) >= 3 && h[0] == 0xff && h[1]&0xe6 == 0xe2 && h[1]&0x18 != 0x08 && h[2]>>4 != 15 && h[2]>>4 != 0 && h[2]>>2&3 != 3
}

// bitmap wants a sound header behind "BM", since two letters are no proof.
func bitmap(h []byte) bool {
	if len(h) < 18 || string(h[:2]) != "BM" || binary.LittleEndian.Uint32(h[6:]) != 0 {
		return false
	}
	switch binary.LittleEndian.Uint32(h[14:]) {
	case 12, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

// vector knows SVG text: <svg at the start, or after an XML declaration.
func vector(h []byte) bool {
	h = bytes.TrimLeft(bytes.TrimPrefix(h, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(h, []byte("<")) {
		return false
	}
	if i := bytes.Index(h, []byte("<svg")); i == 0 || i > 0 && bytes.HasPrefix(h, []byte("<?xml")) {
		return len(h) > i+4 && strings.IndexByte(" \t\r\n>/", h[i+4]) >= 0
	}
	return false
}

// animated looks for acTL among the chunks of head that come before IDAT.
func animated(h []byte) bool {
	for pos := int64(8); pos+8 <= int64(len(h)); {
		switch string(h[pos+4 : pos+8]) {
		case "acTL":
			return true
		case "IDAT":
			return false
		}
		pos += 12 + int64(binary.BigEndian.Uint32(h[pos:]))
	}
	return false
}

// types pairs extensions with media types; of several rows with one extension or one media type the first counts.
var types = [][2]string{
	{"png", "image/png"}, {"jpg", "image/jpeg"}, {"jpeg", "image/jpeg"}, {"gif", "image/gif"}, {"webp", "image/webp"},
	{"avif", "image/avif"}, {"heic", "image/heic"}, {"bmp", "image/bmp"}, {"svg", "image/svg+xml"}, {"ico", "image/x-icon"},
	{"png", "image/apng"}, {"apng", "image/apng"}, {"jpg", "image/jpg"}, {"ico", "image/vnd.microsoft.icon"}, {"bmp", "image/x-ms-bmp"},
	{"mp3", "audio/mpeg"}, {"ogg", "audio/ogg"}, {"oga", "audio/ogg"}, {"opus", "audio/ogg"}, {"wav", "audio/wav"}, {"flac", "audio/flac"},
	{"m4a", "audio/mp4"}, {"aac", "audio/aac"}, {"mp3", "audio/mp3"}, {"wav", "audio/x-wav"}, {"wav", "audio/wave"}, {"flac", "audio/x-flac"},
	{"m4a", "audio/x-m4a"}, {"ogg", "application/ogg"},
	{"webm", "video/webm"}, {"webm", "audio/webm"}, {"mp4", "video/mp4"}, {"m4v", "video/mp4"}, {"mov", "video/quicktime"}, {"mkv", "video/x-matroska"}, {"ogv", "video/ogg"},
	{"ttf", "font/ttf"}, {"otf", "font/otf"}, {"woff", "font/woff"}, {"woff2", "font/woff2"}, {"ttf", "application/x-font-ttf"},
	{"woff", "application/font-woff"}, {"otf", "application/x-font-opentype"},
	{"pdf", "application/pdf"}, {"json", "application/json"}, {"txt", "text/plain"}, {"md", "text/markdown"}, {"html", "text/html"},
	{"css", "text/css"}, {"js", "text/javascript"}, {"lua", "text/x-lua"}, {"zip", "application/zip"},
	{"yaml", "application/yaml"}, {"yml", "application/yaml"}, {"glb", "model/gltf-binary"},
}

var mimes, exts = func() (map[string]string, map[string]string) {
	m, e := map[string]string{}, map[string]string{}
	for _, t := range types {
		if _, ok := m[t[0]]; !ok {
			m[t[0]] = t[1]
		}
		if _, ok := e[t[1]]; !ok {
			e[t[1]] = t[0]
		}
	}
	return m, e
}()

// MimeOf returns the media type of an extension (any letter case, with or without its dot), "" when unknown.
func MimeOf(ext string) string { return mimes[strings.ToLower(strings.TrimPrefix(ext, "."))] }

// ExtOf returns the extension (no dot) of a media type (any letter case, parameters ignored), "" when unknown.
func ExtOf(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return exts[strings.ToLower(strings.TrimSpace(mime))]
}
