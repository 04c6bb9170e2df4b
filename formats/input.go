package formats

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"bunzai/container/datauri"
	"bunzai/container/jpeg"
	"bunzai/container/media"
	"bunzai/container/png"
	"bunzai/container/rcc"
	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// Input is one file, sniffed once and shared by every Detect and by Decode. Parts are parsed when first asked for,
// and never twice.
type Input struct {
	Source rope.Source
	Name   string // file name as given, for messages only; it never decides the format
	// Password opens an encrypted card; "" is none. It is set before anything is asked for, and never shown or kept.
	Password string
	Limits   limits.Limits

	Kind  string // "png", "zip", "json", "text", "jpeg", "webp", ..., "unknown"
	Label string // Kind in words for people: "a PNG picture"

	PNG func() (*png.File, error)
	ZIP func() (*zip.Archive, error)
	// Doc is the JSON document of a JSON file.
	Doc func() (*jsondoc.Doc, error)
	// Card is the character card document of any container: the JSON file itself, the best card chunk of a PNG,
	// card.json of a ZIP.
	Card func() (*CardDoc, error)
}

// Open sniffs src by its first bytes. It fails only on an empty or unreadable source.
func Open(src rope.Source, name string, lim limits.Limits) (*Input, error) {
	if src.Size() == 0 {
		return nil, fault.New(fault.Empty, "", "the file is empty (0 bytes)")
	}
	in := &Input{Source: src, Name: name, Limits: lim}
	head, err := rope.View(src, 0, min(src.Size(), 512))
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Message: "the file could not be read: " + err.Error(), Err: err}
	}
	in.Kind, in.Label = sniff(src, head)
	in.PNG = sync.OnceValues(func() (*png.File, error) { return png.Open(src, lim) })
	in.ZIP = sync.OnceValues(func() (*zip.Archive, error) { return zip.Open(src, lim) })
	in.Doc = sync.OnceValues(func() (*jsondoc.Doc, error) { return parseSource(src, lim) })
	in.Card = sync.OnceValues(func() (*CardDoc, error) { return in.card() })
	return in, nil
}

func parseSource(src rope.Source, lim limits.Limits) (*jsondoc.Doc, error) {
	if src.Size() > lim.JSON {
		return nil, lim.Over("", "JSON", src.Size())
	}
	b, err := rope.View(src, 0, src.Size())
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Message: "the file could not be read: " + err.Error(), Err: err}
	}
	return ParseBounded(b, lim)
}

// IsZip reports a ZIP, also one behind a picture.
func (in *Input) IsZip() bool { return in.Kind == "zip" }

// IsPNG reports a PNG.
func (in *Input) IsPNG() bool { return in.Kind == "png" }

// IsJSON reports text that starts like a JSON document.
func (in *Input) IsJSON() bool { return in.Kind == "json" }

func sniff(src rope.Source, head []byte) (kind, label string) {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case png.Is(src):
		if !endsAsPNG(src) && zip.IsZip(src) && !cardPNG(src) {
			return "zip", "a PNG picture with a ZIP archive behind it"
		}
		return "png", "a PNG picture"
	case bytes.HasPrefix(head, []byte("PK")):
		return "zip", "a ZIP archive"
	case len(text) > 0 && (text[0] == '{' || text[0] == '['):
		return "json", "a JSON document"
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "json", "a UTF-16 text"
	}
	if len(head) > 6 && head[0] == 'o' && head[1] < 9 { // no text has such a character
		return "risum", "a Risu module"
	}
	ext, mime := media.Sniff(head)
	if ext == "jpg" || ext == "" {
		if zip.IsZip(src) {
			if jpeg.Is(src) {
				return "zip", "a JPEG picture with a ZIP archive behind it"
			}
			return "zip", "a ZIP archive behind other data"
		}
	}
	switch low := bytes.ToLower(text[:min(len(text), 64)]); {
	case ext == "jpg":
		return "jpeg", "a JPEG picture"
	case ext == "" && (bytes.HasPrefix(low, []byte("<!doctype html")) || bytes.HasPrefix(low, []byte("<html"))):
		return "html", "a web page (HTML)"
	case ext != "":
		return ext, "a " + strings.ToUpper(ext) + " file (" + mime + ")"
	case len(text) == 0:
		return "text", "blank text"
	case isText(head):
		return "text", "plain text"
	}
	return "unknown", "a file of an unknown kind"
}

// endsAsPNG reports a file that ends in an IEND chunk, so that nothing lies behind the picture.
func endsAsPNG(src rope.Source) bool {
	const iend = "\x00\x00\x00\x00IEND\xaeB`\x82"
	tail, err := rope.View(src, max(0, src.Size()-int64(len(iend))), min(src.Size(), int64(len(iend))))
	return err == nil && string(tail) == iend
}

// cardPNG reports a PNG that has a card chunk of its own.
func cardPNG(src rope.Source) bool {
	p, err := png.Open(src, limits.Card())
	if err != nil {
		return true // the PNG's own error says more
	}
	for _, t := range p.Texts() {
		if png.IsCardKeyword(t.Keyword) {
			return true
		}
	}
	return false
}

func isText(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != 0x0c {
			return false
		}
	}
	return true
}

// CardDoc is a character card document and where it was found.
type CardDoc struct {
	Doc    *jsondoc.Doc
	Where  string       // "chunk ccv3", "entry card.json", "" for a JSON file
	Chunk  string       // keyword of the chunk, lower case; "" elsewhere
	Second *jsondoc.Doc // the other card chunk of a PNG (chara beside ccv3), nil when absent or broken
	Locked bool         // the chunk is encrypted by Risu (package rcc), and was opened
	// Warnings tell of a broken chunk that was passed over, repeated chunks and the like.
	Warnings []string
}

func (in *Input) card() (*CardDoc, error) {
	switch in.Kind {
	case "png":
		return in.pngCard()
	case "zip":
		return in.zipCard()
	case "json":
		d, err := in.Doc()
		if err != nil {
			return nil, err
		}
		return &CardDoc{Doc: d}, nil
	}
	return nil, fault.New(fault.NoCard, "", "%s holds no card that bunzai reads", in.Label)
}

func (in *Input) zipCard() (*CardDoc, error) {
	z, err := in.ZIP()
	if err != nil {
		return nil, err
	}
	all := z.FindAll("card.json")
	if len(all) > 1 {
		var which []string
		for i, e := range z.Entries {
			if e.Path == "card.json" {
				which = append(which, fmt.Sprintf("number %d, spelled %q, %s", i+1, e.Name, fault.Amount(e.Size, "bytes")))
			}
		}
		return nil, fault.New(fault.Ambiguous, "entry card.json", "this archive has %d entries named card.json (%s) and nothing says which one counts; remove all but one", len(all), semiSome(which))
	}
	var e *zip.Entry
	var warn []string
	if len(all) == 1 {
		e = all[0]
	} else {
		var found []*zip.Entry
		for _, x := range z.Entries {
			p := strings.ToLower(x.Path)
			if (p == "card.json" || strings.HasSuffix(p, "/card.json")) && !strings.HasPrefix(p, "__macosx/") {
				found = append(found, x)
			}
		}
		switch len(found) {
		case 0:
			return nil, fault.New(fault.NoCard, "", "this archive has no card.json, so it holds no character card")
		case 1:
			e = found[0]
			warn = append(warn, "the card is at "+e.Path+" instead of card.json")
		default:
			return nil, fault.New(fault.Ambiguous, "", "this archive has both %s and %s and nothing says which one counts", found[0].Path, found[1].Path)
		}
	}
	where := "entry " + e.Path
	b, err := e.ReadAll()
	if err != nil {
		return nil, err
	}
	d, err := ParseBounded(b, in.Limits)
	if err != nil {
		return nil, fault.At(err, where)
	}
	return &CardDoc{Doc: d, Where: where, Warnings: warn}, nil
}

// pngCard picks the card chunk. A tEXt chunk goes before the kinds that SillyTavern and Risu do not read (zTXt, iTXt):
// beside fresh ones those are stale, since the apps only replace what they read. Then ccv3 before chara, of equal ones the
// first; one that is broken, or holds no card, falls back to a good one with a warning; one that breaks a limit is refused.
func (in *Input) pngCard() (*CardDoc, error) {
	p, err := in.PNG()
	if err != nil {
		return nil, err
	}
	texts := p.Texts()
	var seen, unread []png.Text
	var others []string
	for _, t := range texts {
		switch {
		case !png.IsCardKeyword(t.Keyword):
			others = append(others, t.Keyword)
		case p.Chunks[t.Chunk].Type == "tEXt":
			seen = append(seen, t)
		default:
			unread = append(unread, t)
		}
	}
	if len(seen)+len(unread) == 0 {
		msg := "this PNG holds no character card: it has no chara or ccv3 chunk"
		if len(others) > 0 {
			msg += ", only " + quoteSome(others)
		}
		return nil, fault.New(fault.NoCard, "", "%s. Perhaps the app or site that it came from saved the picture without its data", msg)
	}
	out := &CardDoc{}
	firstErr := in.pickChunk(p, seen, out)
	switch {
	case fault.Is(firstErr, fault.OverLimit):
		return nil, firstErr
	case out.Doc == nil || !holdsCard(out.Doc):
		hollow := *out
		out.Doc, out.Second = nil, nil
		err := in.pickChunk(p, unread, out)
		if fault.Is(err, fault.OverLimit) {
			return nil, err
		}
		if firstErr == nil {
			firstErr = err
		}
		if hollow.Doc != nil && (out.Doc == nil || !holdsCard(out.Doc)) {
			return &hollow, nil // whoever reads it says what it is
		}
	case len(unread) > 0:
		t := unread[0]
		out.Warnings = append(out.Warnings, "the picture holds another copy of the card in the "+p.Chunks[t.Chunk].Type+" chunk ("+t.Keyword+"), which SillyTavern and Risu do not read; the one that they read counts")
	}
	if out.Doc == nil {
		return nil, firstErr
	}
	return out, nil
}

// holdsCard tells a document with the name or the data of a card from one that cannot be one.
func holdsCard(d *jsondoc.Doc) bool {
	_, named := d.Root.Get("name").Text()
	return named || d.Root.Get("data").Kind() == jsondoc.KindObject
}

// pickChunk picks among chunks that apps read alike. The error is the first that a chunk has, or the limit that one breaks.
func (in *Input) pickChunk(p *png.File, texts []png.Text, out *CardDoc) (firstErr error) {
	for _, k := range []string{"ccv3", "chara"} {
		read, n := false, 0
		for _, t := range texts {
			if strings.ToLower(t.Keyword) != k {
				continue
			}
			if n++; read {
				continue // of equal chunks the first good one counts
			}
			d, locked, err := decodeChunk(p, t, in)
			if err != nil {
				if fault.Is(err, fault.OverLimit) {
					return err
				}
				if firstErr == nil {
					firstErr = err
				}
				out.Warnings = append(out.Warnings, "the chunk "+t.Keyword+" could not be read: "+err.Error())
				continue
			}
			switch {
			case out.Doc == nil || !holdsCard(out.Doc) && holdsCard(d):
				if out.Doc != nil {
					out.Warnings = append(out.Warnings, "the chunk "+out.Chunk+" holds JSON, but neither a name nor data, so it is no card")
				}
				out.Doc, out.Chunk, out.Where, out.Locked, read = d, k, "chunk "+t.Keyword, locked, true
			case locked:
				out.Warnings = append(out.Warnings, "the chunk "+t.Keyword+" holds another copy of the card that Risu encrypted; it is passed over")
			case out.Second == nil:
				out.Second, read = d, true
			}
		}
		if n > 1 {
			out.Warnings = append(out.Warnings, "there are several "+k+" chunks; the first readable one counts")
		}
	}
	return firstErr
}

func decodeChunk(p *png.File, t png.Text, in *Input) (d *jsondoc.Doc, locked bool, err error) {
	where := "chunk " + t.Keyword
	v, err := p.Text(t)
	if err != nil {
		return nil, false, fault.At(err, where)
	}
	var b []byte
	if locked = rcc.Is(v); locked {
		var l *rcc.Lock
		if l, err = rcc.Parse(v); err == nil {
			b, _, err = l.Open(in.Password)
		}
	} else {
		b, _, err = datauri.DecodeCard(v)
	}
	if err != nil {
		return nil, locked, fault.At(err, where)
	}
	d, err = ParseBounded(b, in.Limits)
	if err != nil {
		return nil, locked, fault.At(err, where)
	}
	if d.Root.Kind() != jsondoc.KindObject {
		return nil, locked, fault.New(fault.Damaged, where, "a card must be a JSON object, and this is %s", d.Root.Kind().String())
	}
	return d, locked, nil
}

func quoteSome(names []string) string {
	out := make([]string, 0, 5)
	for _, n := range names {
		if len(out) == 4 {
			out = append(out, "...")
			break
		}
		out = append(out, Shown(n))
	}
	return strings.Join(out, ", ")
}

func semiSome(list []string) string {
	if len(list) > 4 {
		list = append(list[:4:4], "...")
	}
	return strings.Join(list, "; ")
}

// Shown makes a name from a file fit for a message: valid UTF-8, no control or direction marks, at most 80 bytes.
func Shown(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), 400)], "\uFFFD"))
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}
