// Package blob moves assets between the forms that containers hold them in: raw bytes, base64 text in a data URI, a
// stored or deflated ZIP entry. It decodes nothing until a writer needs another form.
package blob

import (
	"io"
	"strings"

	"bunzai/canonical"
	"bunzai/container/datauri"
	"bunzai/container/media"
	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// FromEntry wraps an archive entry as it lies in the archive.
func FromEntry(e *zip.Entry) (*canonical.Blob, error) {
	data, err := e.Raw()
	if err != nil {
		return nil, err
	}
	crc := e.CRC32
	b := &canonical.Blob{Data: data, Size: e.Size, CRC: &crc, Mime: media.MimeOf(extOf(e.Path))}
	if !e.Stored() {
		b.Form = canonical.FormDeflate
		b.Decode = func() (rope.Source, error) {
			raw, err := e.ReadAll()
			return rope.Bytes(raw), err
		}
		b.Peek = func(n int) ([]byte, error) {
			r, err := e.Open()
			if err != nil {
				return nil, err
			}
			h := make([]byte, n)
			n, err = io.ReadFull(r, h)
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				err = nil
			}
			return h[:n], err
		}
	}
	return b, nil
}

// Into adds b to an archive under name, in the form it has where a ZIP can hold that.
func Into(w *zip.Writer, name string, b *canonical.Blob) error {
	switch {
	case b.Form == canonical.FormDeflate && b.CRC != nil && b.Size >= 0:
		return w.AddPacked(name, 8, b.Data, *b.CRC, b.Size)
	case b.Form == canonical.FormRaw && b.CRC != nil:
		return w.AddPacked(name, 0, b.Data, *b.CRC, b.Data.Size())
	}
	raw, err := b.Raw()
	if err != nil {
		return fault.At(err, "picture for "+name)
	}
	return w.Store(name, raw)
}

// FromURI wraps a data URI; nil when s is none. The text is decoded when the bytes are first needed.
func FromURI(s string, lim limits.Limits) *canonical.Blob {
	u, ok := datauri.Parse(s)
	if !ok {
		return nil
	}
	b := &canonical.Blob{Form: canonical.FormBase64, Data: rope.FromBytes([]byte(u.Data)), Size: -1, Mime: u.Mime}
	if !u.Base64 {
		raw, err := u.Bytes(lim.Entry)
		if err != nil {
			return nil
		}
		return canonical.RawBlob(rope.FromBytes(raw), u.Mime)
	}
	b.Decode = func() (rope.Source, error) {
		raw, err := u.Bytes(lim.Entry)
		if f := fault.As(err); f != nil && f.Code == fault.OverLimit {
			err = lim.Over(f.Where, "Entry", f.Limit.Found)
		}
		return rope.Bytes(raw), err
	}
	return b
}

// URI writes b as a data URI.
func URI(b *canonical.Blob, ext string) (string, error) {
	mime := Mime(b, ext)
	if b.Form == canonical.FormBase64 {
		text, err := b.Data.Bytes()
		if err != nil {
			return "", err
		}
		if raw, err := datauri.DecodeBase64(text); err != nil {
			return "", err
		} else if !cleanBase64(text) {
			return datauri.Encode(mime, raw), nil
		}
		return "data:" + mime + ";base64," + string(text), nil
	}
	raw, err := b.Raw()
	if err != nil {
		return "", err
	}
	data, err := rope.View(raw, 0, raw.Size())
	if err != nil {
		return "", err
	}
	return datauri.Encode(mime, data), nil
}

func cleanBase64(b []byte) bool {
	return len(b)%4 == 0 && !strings.ContainsAny(string(b[max(0, len(b)-4):]), " \n\r-_")
}

// Head returns the first bytes of the raw content, for sniffing; nil when they cannot be read.
func Head(b *canonical.Blob) []byte {
	if b == nil || b.Data == nil {
		return nil
	}
	switch b.Form {
	case canonical.FormRaw:
		h, err := rope.View(b.Data, 0, min(64, b.Data.Size()))
		if err != nil {
			return nil
		}
		return h
	case canonical.FormBase64:
		t, err := rope.View(b.Data, 0, min(88, b.Data.Size()))
		if err != nil {
			return nil
		}
		h, err := datauri.DecodeBase64(t[:len(t)/4*4])
		if err != nil {
			return nil
		}
		return h
	}
	if b.Peek != nil {
		h, err := b.Peek(64)
		if err != nil {
			return nil
		}
		return h
	}
	raw, err := b.Raw()
	if err != nil {
		return nil
	}
	h, err := rope.View(raw, 0, min(64, raw.Size()))
	if err != nil {
		return nil
	}
	return h
}

// Ext is the extension of the bytes, without dot, lower case: sniffed, else the media type's, else the given one.
func Ext(b *canonical.Blob, declared string) string {
	if ext, _ := media.Sniff(Head(b)); ext != "" {
		return ext
	}
	declared = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(declared), "."))
	if media.MimeOf(declared) != "" {
		return declared
	}
	if b != nil {
		if ext := media.ExtOf(b.Mime); ext != "" {
			return ext
		}
	}
	if declared == "" || declared == "unknown" || len(declared) > 8 || strings.Trim(declared, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return "bin"
	}
	return declared
}

// Mime is the media type of the bytes.
func Mime(b *canonical.Blob, declared string) string {
	if _, mime := media.Sniff(Head(b)); mime != "" {
		return mime
	}
	if m := media.MimeOf(declared); m != "" {
		return m
	}
	if b != nil && b.Mime != "" {
		return b.Mime
	}
	return "application/octet-stream"
}

// Folder is the kind folder of a CHARX asset path, as Risu writes it: image, audio, video, model, font, code, other.
func Folder(mime string) string {
	switch {
	case strings.HasPrefix(mime, "image/"):
		return "image"
	case strings.HasPrefix(mime, "audio/"):
		return "audio"
	case strings.HasPrefix(mime, "video/"):
		return "video"
	case strings.HasPrefix(mime, "font/"):
		return "fonts"
	}
	return "other"
}

func extOf(path string) string {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[i+1:]
	}
	return ""
}

// FromBase64 wraps base64 text, read by offset where it is clean.
func FromBase64(text *rope.Rope, lim limits.Limits) *canonical.Blob {
	b := &canonical.Blob{Form: canonical.FormBase64, Data: text, Size: -1}
	b.Decode = func() (rope.Source, error) {
		if src, ok := datauri.DecodeBase64Source(text); ok {
			return src, nil
		}
		if text.Size()/4*3 > lim.Entry {
			return nil, lim.Over("", "Entry", text.Size()/4*3)
		}
		t, err := text.Bytes()
		if err != nil {
			return nil, err
		}
		raw, err := datauri.DecodeBase64(t)
		return rope.Bytes(raw), err
	}
	return b
}
