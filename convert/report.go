package convert

import (
	"math"
	"strconv"
	"strings"
	"time"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
)

// Verdict is what became of one field.
type Verdict string

const (
	Carried Verdict = "carried" // the target has it and its app reads it
	Parked  Verdict = "parked"  // the file keeps it where the app ignores it
	Changed Verdict = "changed" // the target holds another value
	Lost    Verdict = "lost"    // the target has no place for it
)

// Report says what became of every field. It is true by construction: what was written is read again and compared.
type Report struct {
	From     End      `json:"from"`
	To       End      `json:"to"`
	Counts   Counts   `json:"counts"`
	Items    []Item   `json:"items"` // lost first, then changed, parked, carried; inside each in the order of the model
	Warnings []string `json:"warnings"`
}

// End is one side of a conversion. Variant is said of the source and Spec of the target; each is empty elsewhere.
type End struct {
	ID        string            `json:"id"`
	App       string            `json:"app"`
	AppLabel  string            `json:"appLabel"`
	Container formats.Container `json:"container"`
	Variant   string            `json:"variant"`
	Spec      string            `json:"spec"`
}

// Counts are the numbers of items per verdict.
type Counts struct {
	Carried int `json:"carried"`
	Parked  int `json:"parked"`
	Changed int `json:"changed"`
	Lost    int `json:"lost"`
}

// Item is one line of a report.
type Item struct {
	Verdict Verdict `json:"verdict"`
	Piece   int     `json:"piece"` // 0 the main piece, 1.. its lorebooks
	Path    string  `json:"path"`  // canonical path; original.<format>.<wire path> for what has no canonical home
	Label   string  `json:"label"` // in words
	Wire    string  `json:"wire"`  // where the target keeps it
	Count   int     `json:"count"` // how many values the line stands for; carried and parked list elements are one line
	Before  *string `json:"before"`
	After   *string `json:"after"`
	Reason  string  `json:"reason"`
}

const maxText = 2000

// noCommon is why what only the source app knows is not carried.
const noCommon = "bunzai knows no common meaning for it, and a file for another app holds nothing of that sort; it stays in your original file"

// maxUnmapped bounds the lines about the source app's own data; a hostile card can have any number of unknown members.
const maxUnmapped = 500

// text renders a value for the report: nil stays nil, long texts are cut.
func text(v any) *string {
	if v == nil {
		return nil
	}
	s, n := canonical.Text(v), 0
	if len(s) <= maxText {
		return &s
	}
	for i := range s {
		if n++; n > maxText {
			s = strings.Clone(s[:i]) + "…"
			break
		}
	}
	return &s
}

// forPeople turns what people cannot read into what they can: a date in seconds into a date.
func forPeople(path string, v any) any {
	if f, ok := v.(float64); ok && (path == "attribution.createdAt" || path == "attribution.updatedAt") {
		layout := "2006-01-02 15:04:05 UTC"
		if f != math.Trunc(f) {
			layout = "2006-01-02 15:04:05.000 UTC"
		}
		return time.UnixMilli(int64(math.Round(f * 1000))).UTC().Format(layout)
	}
	return v
}

// blank reports a value that says nothing: absent, "", an empty list or object.
func blank(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case *jsondoc.Value:
		return x == nil || x.IsNull() || ((x.Kind() == jsondoc.KindObject || x.Kind() == jsondoc.KindArray) && x.Len() == 0)
	}
	return false
}

type reporter struct {
	from, to formats.Info
	app      string // the target in words
	spec     string
	items    map[Verdict][]Item
	secret   func(path string) bool // nil when the source's files hold no secrets
}

// report decodes what was written and compares it with what was to be written.
func (e *Engine) report(p *Pieces, target formats.Codec, ctx formats.EncodeContext, enc *formats.Encoded, file string) (*Report, error) {
	info := target.Info()
	in, err := formats.Open(enc.Data, file, ctx.Limits)
	var back *Pieces
	if err == nil {
		in.Password = ctx.Password
		back, err = e.decode(target, in)
	}
	if err != nil {
		f := *fault.As(err)
		if f.Code != fault.OverLimit {
			f.Code, f.Message = fault.Internal, "what was written cannot be read again, so nothing is saved; please report this file: "+f.Message
		}
		return nil, &f
	}
	damaged, err := wrongPicture(in)
	if err != nil {
		return nil, err
	}
	r := &reporter{from: p.Info, to: info, app: e.words(info), spec: enc.Spec, items: map[Verdict][]Item{}}
	if k, ok := e.codec(p.Info.ID).(formats.SecretKeeper); ok {
		r.secret = k.Secret
	}
	if err := r.piece(0, withoutRefs(p.Primary.Body), withoutRefs(back.Primary.Body), append(enc.Fields[:len(enc.Fields):len(enc.Fields)], target.Fields()...), nearOf(enc.Near, 0)); err != nil {
		return nil, err
	}
	n := 1  // number of the piece in the report
	at := 1 // number of the piece in the encoder's context
	for _, g := range groupsOf(p, back, target) {
		next := 0
		for _, x := range g.pieces {
			label := g.word + " " + strconv.Quote(NameOf(x, ""))
			switch {
			case !enabled(x):
				r.add(Item{Verdict: Lost, Piece: n, Path: g.path, Label: label, Count: 1, Before: text(label), Reason: "it is switched off, so it is left out"})
			case next >= len(g.back):
				r.add(Item{Verdict: Lost, Piece: n, Path: g.path, Label: label, Count: 1, Before: text(label), Reason: g.noPlace})
				at++
			default:
				fields := g.fields
				if x.Kind == canonical.KindRegex && len(p.Regex) == 1 && OwnName(x) == canonical.RegexSetName(OwnName(p.Primary)) {
					fields = append([]formats.Field{{Path: "name", Wire: "the name that the scripts are in", Reads: true}}, fields...)
				}
				if err := r.piece(n, withoutRefs(x.Body), withoutRefs(g.back[next].Body), fields, nearOf(enc.Near, at)); err != nil {
					return nil, err
				}
				next++
				at++
			}
			n++
		}
	}
	note := codeNote(p.All(), back.All(), info)
	switch {
	case enc.KeepsEscrow:
	case p.Info.ID == info.ID:
		r.left(p, back, enc.Left)
	default:
		r.escrow(p)
		if p.Info.App == "bunzai" {
			r.leftOfPieces(e, p, back)
			r.adrift(p)
		}
	}
	out := &Report{
		From:     End{ID: p.Info.ID, App: p.Info.App, AppLabel: p.Info.AppLabel, Container: p.Container, Variant: p.Variant},
		To:       End{ID: info.ID, App: info.App, AppLabel: info.AppLabel, Container: enc.Container, Spec: enc.Spec},
		Items:    []Item{},
		Warnings: append(append(append([]string{}, p.Warnings...), enc.Warnings...), damaged...),
	}
	if note != "" {
		out.Warnings = append(out.Warnings, note)
	}
	for _, v := range []Verdict{Lost, Changed, Parked, Carried} {
		out.Items = append(out.Items, r.items[v]...)
	}
	out.Counts = Counts{len(r.items[Carried]), len(r.items[Parked]), len(r.items[Changed]), len(r.items[Lost])}
	return out, nil
}

// words names a target: the app, or the kind of file where the app has several for one kind of piece.
func (e *Engine) words(info formats.Info) string {
	for _, c := range e.Registry.Codecs() {
		if i := c.Info(); i.App == info.App && i.Kind == info.Kind {
			if i.ID != info.ID {
				return "a " + info.Label
			}
			break
		}
	}
	return info.AppLabel
}

// mostPicture bounds the picture whose checksums are looked at.
const mostPicture = 16 << 20

// wrongPicture warns of a picture that was carried as it came and that apps may refuse.
func wrongPicture(in *formats.Input) ([]string, error) {
	if !in.IsPNG() {
		return nil, nil
	}
	p, err := in.PNG()
	if err != nil {
		return nil, err
	}
	place, err := p.WrongPicture(mostPicture)
	if place == "" || err != nil {
		return nil, err
	}
	return []string{"the picture is damaged: " + place + " has a wrong checksum (CRC); it is carried as it is, and SillyTavern refuses such a file. Open the picture in an editor and save it again"}, nil
}

// group is one sort of linked pieces with what came back of them.
type group struct {
	word, path, noPlace string
	pieces, back        []*canonical.Entity
	fields              []formats.Field
}

func groupsOf(p, back *Pieces, target formats.Codec) []group {
	app := target.Info().AppLabel
	fields := target.Fields()
	books, regex := fields, fields
	if b, ok := target.(formats.BookFielder); ok {
		books = b.BookFields()
	}
	if b, ok := target.(formats.RegexFielder); ok {
		regex = b.RegexFields()
	}
	kind := string(p.Primary.Kind)
	return []group{
		{"Lorebook", "knowledgeRefs", app + " has no place for a lorebook here", p.Books, back.Books, books},
		{"Regex set", "behaviorRefs", app + " has no place for regex scripts here", p.Regex, back.Regex, regex},
		{strings.ToUpper(kind[:1]) + kind[1:], "more", "this file holds one " + kind + ", so the others stay behind; convert them one by one", p.More, back.More, fields},
	}
}

// nearOf picks what was said of one piece.
func nearOf(near []formats.Near, piece int) []formats.Near {
	var out []formats.Near
	for _, x := range near {
		if x.Piece == piece {
			out = append(out, x)
		}
	}
	return out
}

// withoutRefs is the body without its links: the linked books are compared themselves.
func withoutRefs(body any) any {
	switch b := body.(type) {
	case *canonical.Character:
		x := *b
		x.KnowledgeRefs, x.BehaviorRefs = nil, nil
		return &x
	case *canonical.Preset:
		x := *b
		x.BehaviorRefs = nil
		return &x
	}
	return body
}

func (r *reporter) add(i Item) { r.items[i.Verdict] = append(r.items[i.Verdict], i) }

// piece classifies every populated path of one body.
func (r *reporter) piece(n int, src, back any, fields []formats.Field, near []formats.Near) error {
	changes, err := canonical.Diff(src, back)
	if err != nil {
		return fault.At(err, "comparing what was written")
	}
	judged := paths{} // paths that have their verdict; nothing at or below them is listed again
	for _, x := range near {
		judged[x.Path] = true
	}
	values := valuesAt(src, judged)
	for _, x := range near {
		r.add(Item{Verdict: Changed, Piece: n, Path: x.Path, Label: canonical.Label(src, x.Path), Wire: fieldFor(fields, canonical.Generic(x.Path)).Wire, Count: 1,
			Before: values[x.Path], After: text(x.After), Reason: x.Why})
	}
	for _, c := range changes {
		if (blank(c.Before) && blank(c.After)) || judged.covers(c.Path) {
			continue
		}
		f := fieldFor(fields, canonical.Generic(c.Path))
		it := Item{Verdict: Changed, Piece: n, Path: c.Path, Label: canonical.Label(src, c.Path), Wire: f.Wire, Count: 1, Before: text(forPeople(c.Path, c.Before)), After: text(forPeople(c.Path, c.After)), Reason: f.Note}
		switch {
		case c.Order:
			it.Reason = r.app + " keeps these in its own order"
			it.Before, it.After = nil, nil
		case blank(c.After):
			it.Verdict, it.Wire, it.Reason = Lost, "", r.whyLost(f, c.Before) // what the field's note says is of a value that is there
		case blank(c.Before):
			it.Reason = r.app + " needs a value here; the file it came from has none"
		case it.Reason == "":
			it.Reason = r.app + " cannot hold this value as it is"
		default:
			it.Reason = "the file cannot hold this value as it is; " + it.Reason
		}
		judged[c.Path] = true
		r.add(it)
	}
	groups := map[string]int{}
	known := map[string]formats.Field{}
	canonical.Walk(src, func(path string, value any) {
		if blank(value) || judged.covers(path) {
			return
		}
		generic := canonical.Generic(path)
		f, ok := known[generic]
		if !ok {
			f = fieldFor(fields, generic)
			known[generic] = f
		}
		v := Carried
		if f.Path != "" && !f.Reads {
			v = Parked
		}
		if generic != path {
			if i, ok := groups[generic]; ok {
				it := &r.items[v][i]
				if it.Count == 1 { // no longer about one element
					it.Path, it.Label, it.Before, it.After = generic, canonical.Label(src, generic), nil, nil
				}
				it.Count++
				return
			}
			groups[generic] = len(r.items[v])
		}
		it := Item{Verdict: v, Piece: n, Path: path, Label: canonical.Label(src, path), Wire: f.Wire, Count: 1}
		if v == Parked {
			it.Reason = f.Note
		}
		it.Before = text(forPeople(path, value))
		it.After = it.Before
		r.add(it)
	})
	return nil
}

// covered reports a path at or below one that was already judged.
func covered(path string, under []string) bool {
	for _, u := range under {
		if path == u || (strings.HasPrefix(path, u) && (path[len(u)] == '.' || path[len(u)] == '[')) {
			return true
		}
	}
	return false
}

// paths is a set of paths that speaks for everything below them.
type paths map[string]bool

// covers reports a path at or below one of the set.
func (s paths) covers(path string) bool {
	if len(s) == 0 {
		return false
	}
	for i := len(path); i > 0; i-- {
		if (i == len(path) || path[i] == '.' || path[i] == '[') && s[path[:i]] {
			return true
		}
	}
	return false
}

// valuesAt looks up what a body holds at some paths, in one walk; a list of texts is joined.
func valuesAt(body any, want paths) map[string]*string {
	out := map[string]*string{}
	if len(want) == 0 {
		return out
	}
	canonical.Walk(body, func(p string, v any) {
		for i := len(p); i > 0; i-- {
			if (i < len(p) && p[i] != '.' && p[i] != '[') || !want[p[:i]] {
				continue
			}
			if i == len(p) {
				out[p] = text(v)
			} else if s, ok := v.(string); ok {
				if old := out[p[:i]]; old != nil {
					s = *old + ", " + s
				}
				out[p[:i]] = text(s)
			}
		}
	})
	return out
}

// fieldFor finds the most exact row for a generic path.
func fieldFor(fields []formats.Field, generic string) formats.Field {
	var best formats.Field
	for _, f := range fields {
		if len(f.Path) > len(best.Path) && covered(generic, []string{f.Path}) {
			best = f
		}
	}
	return best
}

func (r *reporter) whyLost(f formats.Field, was any) string {
	switch v := was.(type) {
	case *canonical.Asset:
		if v.Blob == nil && !strings.HasPrefix(v.Ref, "http") {
			return "the card only names this picture and the file does not hold it; the link means nothing outside that file"
		}
	case canonical.Trigger:
		if strings.TrimSpace(v.Keyword) == "" {
			return "a blank key says nothing, and in another app it could fire always"
		}
	}
	if f.Path != "" && r.spec != "" && r.spec != "v3" {
		return "a " + strings.ToUpper(r.spec) + " card has no field for it"
	}
	if f.Path != "" {
		return r.app + " has no place for this value"
	}
	return r.app + " has no field for it"
}

// escrow lists what only the source app knows: it stays in the source file, since another app's file must not hold
// a foreign twin.
func (r *reporter) escrow(p *Pieces) {
	unmapped := p.Unmapped()
	for i, path := range unmapped {
		if rest := len(unmapped) - i; i >= maxUnmapped && rest > 1 {
			r.add(Item{Verdict: Lost, Path: "original." + p.Info.App, Label: strconv.Itoa(rest) + " more places", Count: rest,
				Reason: noCommon})
			break
		}
		reason := noCommon
		before := preview(p, path)
		if r.secret != nil && r.secret(path) {
			reason, before = "a connection setting that may be secret is left out of a file for another app; it stays in your original file", nil
		}
		r.add(Item{Verdict: Lost, Path: "original." + p.Info.App + "." + path, Label: path, Count: 1, Reason: reason, Before: before})
	}
	for _, o := range p.Primary.Original {
		if o.Bucket == r.to.ID {
			continue
		}
		r.filesLeft(p.Info.App, r.unnamedFiles(p, o), "no asset of the card names this file; it stays in your original file")
	}
}

// filesLeft names files that stay behind; what Risu notes of each picture is one line for all.
func (r *reporter) filesLeft(app string, files []canonical.File, why string) {
	meta := 0
	for _, f := range files {
		if strings.HasPrefix(f.Path, "x_meta/") {
			meta++
			continue
		}
		r.add(Item{Verdict: Lost, Path: "original." + app + ".files." + f.Path, Label: "archive entry " + f.Path, Count: 1, Before: text(f.Blob), Reason: why})
	}
	if meta > 0 {
		r.add(Item{Verdict: Lost, Path: "original." + app + ".files.x_meta/", Label: "archive folder x_meta/", Count: meta,
			Reason: "what Risu notes of each picture and reads nowhere; it stays in your original file"})
	}
}

// unnamedFiles are the files of an archive that are neither a document of the card nor a picture that a piece has.
func (r *reporter) unnamedFiles(p *Pieces, o *canonical.Escrow) (out []canonical.File) {
	if o == nil || len(o.Files) == 0 {
		return nil
	}
	carried := map[*canonical.Blob]bool{}
	if c := p.Primary.Character(); c != nil {
		for _, a := range append([]*canonical.Asset{c.Media.Portrait}, c.Media.Assets...) {
			if a != nil {
				carried[a.Blob] = true
			}
		}
		for _, v := range c.Variants {
			if v.Overrides.Media != nil && v.Overrides.Media.Portrait != nil {
				carried[v.Overrides.Media.Portrait.Blob] = true
			}
		}
	}
	for _, f := range o.Files {
		if !carried[f.Blob] && !strings.HasSuffix(f.Path, "/") && !document(o, f.Path) {
			out = append(out, f)
		}
	}
	return out
}

// document reports an entry that is a document of the card itself: what it says is told field by field.
func document(o *canonical.Escrow, path string) bool {
	card, ok := o.Unmapped.Get("card").Text()
	if !ok {
		card = "card.json"
	}
	module, _ := o.Unmapped.Get("module").Bool() // Risu's, where it was read
	return path == card || (o.Bucket == "lumiverse" && path == "lumiverse_modules.json") || module && path == "module.risum"
}

func preview(p *Pieces, path string) *string {
	for _, o := range p.Primary.Original {
		if o.Raw == nil {
			continue
		}
		if v := o.Raw.Root.At(strings.Split(path, ".")...); v != nil {
			return text(v)
		}
	}
	return nil
}
