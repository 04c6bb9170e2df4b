// Package convert is the pipeline: a file is detected, read into pieces, and written as another app's file with a
// report of what became of every field. It knows formats only through their contract.
package convert

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/all"
	"bunzai/limits"
	"bunzai/rope"
)

// Engine runs conversions over a registry. It holds no state between calls.
type Engine struct{ Registry *formats.Registry }

// New returns an Engine with every format.
func New() *Engine { return &Engine{Registry: all.Registry()} }

// Options steer one call.
type Options struct {
	Name      string // file name, for messages and for a piece without a name
	Limits    limits.Limits
	To        string // app, for Emit and Convert
	Container formats.Container
	Spec      string
	AllowLoss bool
	Password  string // opens an encrypted card, and locks it again on the way back; never shown or kept
	// SkipReport leaves out the decoding and comparing of what was written; Report is then nil.
	SkipReport bool
}

func (o Options) limits() limits.Limits {
	if o.Limits.Name == "" {
		return limits.Card()
	}
	return o.Limits
}

// open sniffs a file.
func (o Options) open(src rope.Source) (*formats.Input, error) {
	in, err := formats.Open(src, o.Name, o.limits())
	if err == nil {
		in.Password = o.Password
	}
	return in, err
}

// BidResult is one codec's bid.
type BidResult struct {
	Info   formats.Info
	Score  float64
	Reason string
}

// Detection is what a file is.
type Detection struct {
	Winner *formats.Info // nil when no format claims it
	Bids   []BidResult   // best first, registration order among equals
	Kind   string        // outer shape: "png", "zip", "json", ...
	Label  string        // the same in words
	Size   int64
}

// Detect tells what src is. It fails only when src is empty or cannot be read.
func (e *Engine) Detect(src rope.Source, o Options) (*Detection, error) {
	in, err := o.open(src)
	if err != nil {
		return nil, err
	}
	d, _ := e.detect(in)
	return d, nil
}

func (e *Engine) detect(in *formats.Input) (*Detection, formats.Codec) {
	w, bids := e.Registry.Detect(in)
	d := &Detection{Kind: in.Kind, Label: in.Label, Size: in.Source.Size()}
	for _, b := range bids {
		d.Bids = append(d.Bids, BidResult{b.Codec.Info(), b.Bid.Score, b.Bid.Reason})
	}
	sort.SliceStable(d.Bids, func(i, j int) bool { return d.Bids[i].Score > d.Bids[j].Score })
	if w != nil {
		i := w.Info()
		d.Winner = &i
	}
	return d, w
}

// Pieces is a file read: the main piece, what it carries inside (linked by id), and further pieces of its kind.
type Pieces struct {
	Detection
	Primary   *canonical.Entity
	Books     []*canonical.Entity // lorebooks inside the primary
	Regex     []*canonical.Entity // regex sets inside the primary
	More      []*canonical.Entity // further pieces of the same kind in the same file
	Info      formats.Info
	Container formats.Container
	Variant   string
	Warnings  []string
	// Unmapped lists the wire paths with content that has no canonical home.
	Unmapped func() []string
}

// All lists every piece: the primary, its lorebooks, its regex sets, and the further ones. A report numbers them so.
func (p *Pieces) All() []*canonical.Entity {
	out := append([]*canonical.Entity{p.Primary}, p.Books...)
	return append(append(out, p.Regex...), p.More...)
}

// Alone returns the primary piece without the files of others that a canonical file has inside: those are in Books, Regex
// and More.
func (p *Pieces) Alone() *canonical.Entity {
	if !p.Primary.Extra.Has(canonical.RelatedName) {
		return p.Primary
	}
	x := *p.Primary
	x.Extra = p.Primary.Extra.Clone()
	x.Extra.Delete(canonical.RelatedName)
	return &x
}

// Read detects and decodes src. A file that nobody claims is fault.NotRecognized, with what it is and what is read.
func (e *Engine) Read(src rope.Source, o Options) (*Pieces, error) {
	in, err := o.open(src)
	if err != nil {
		return nil, err
	}
	d, codec := e.detect(in)
	if codec == nil {
		return nil, e.unclaimed(in, d)
	}
	p, err := e.decode(codec, in)
	if err != nil {
		return nil, err
	}
	p.Detection = *d
	if where := repeated(in); where != "" {
		p.Warnings = append(p.Warnings, where+" stands there more than once; the last one counts, as in the apps, and the others go back to the same app only")
	}
	return p, nil
}

// repeated is the place of a name that stands twice in one object of the document that was read, as JSON allows and no
// app reads.
func repeated(in *formats.Input) string {
	switch in.Kind {
	case "json":
		if d, err := in.Doc(); err == nil {
			return d.Repeated
		}
	case "png", "zip":
		if c, err := in.Card(); err == nil && c.Doc.Repeated != "" {
			return strings.TrimPrefix(c.Where+", "+c.Doc.Repeated, ", ")
		}
	}
	return ""
}

// decode reads an input with one codec and takes the embedded books out.
func (e *Engine) decode(codec formats.Codec, in *formats.Input) (*Pieces, error) {
	d, err := codec.Decode(in)
	if err != nil {
		return nil, err
	}
	p := &Pieces{Primary: d.Entity, Info: codec.Info(), Container: d.Container, Variant: d.Variant, Warnings: d.Warnings}
	if p.Unmapped = d.Unmapped; p.Unmapped == nil {
		p.Unmapped = func() []string { return nil }
	}
	p.More = d.More
	taken := map[string]bool{}
	link := func(list []*canonical.Entity, refs *[]string) []*canonical.Entity {
		for _, b := range list {
			was := b.ID
			b.ID = canonical.UniqueID(b.ID, func(id string) bool { return taken[string(b.Kind)+id] })
			taken[string(b.Kind)+b.ID] = true
			if i := slices.Index(*refs, was); i >= 0 && was == b.ID { // a canonical file says the link itself
				continue
			}
			*refs = append(*refs, b.ID)
		}
		return list
	}
	if x, ok := codec.(formats.BookExtractor); ok {
		books, warn, err := x.ExtractBooks(d.Entity)
		if err != nil {
			return nil, err
		}
		p.Warnings = append(p.Warnings, warn...)
		p.Books = link(books, &d.Entity.Character().KnowledgeRefs)
	}
	if x, ok := codec.(formats.RegexExtractor); ok {
		sets, warn, err := x.ExtractRegex(d.Entity)
		if err != nil {
			return nil, err
		}
		p.Warnings = append(p.Warnings, warn...)
		refs := new([]string)
		switch b := d.Entity.Body.(type) {
		case *canonical.Character:
			refs = &b.BehaviorRefs
		case *canonical.Preset:
			refs = &b.BehaviorRefs
		}
		p.Regex = link(sets, refs)
	}
	return p, nil
}

// unclaimed explains a file that no format claims.
func (e *Engine) unclaimed(in *formats.Input, d *Detection) error {
	words, advice := formats.Known(in)
	switch {
	case words != "" && advice != "":
		return fault.New(fault.NotRecognized, "", "this is %s and no card that bunzai reads; %s", words, advice)
	case words != "":
		return fault.New(fault.NotRecognized, "", "this is %s, which this version of bunzai does not read yet", words)
	}
	switch in.Kind {
	case "png", "zip", "json":
		// The parse error says more than the absence of a bid.
		if _, err := in.Card(); err != nil {
			return err
		}
	case "html":
		return fault.New(fault.NotRecognized, "", "this is a web page (HTML) and no card, whatever its name says; perhaps the site answered with a page about an error or a sign-in. Download the card itself and try again")
	case "text", "unknown":
		return fault.New(fault.NotRecognized, "", "this is %s and no card; bunzai reads PNG, JSON, YAML and ZIP (.charx) files that hold one", in.Label)
	default:
		return fault.New(fault.Unsupported, "", "this is %s, and cards of that kind are not supported; bunzai reads PNG, JSON and ZIP (.charx)", in.Label)
	}
	var why []string
	seen := map[string]bool{}
	for _, b := range d.Bids {
		// The canonical file's own signs say nothing to a person with another app's file.
		if r := b.Reason; r != "" && !seen[r] && b.Info.App != "bunzai" && !strings.HasPrefix(r, "not a ") && len(why) < 3 {
			seen[r] = true
			why = append(why, b.Info.Label+": "+r)
		}
	}
	msg := "this is " + in.Label + ", but no file of an app that bunzai knows"
	if len(why) > 0 {
		msg += " (" + strings.Join(why, "; ") + ")"
	}
	return fault.New(fault.NotRecognized, "", "%s", msg)
}

// Output is a finished conversion.
type Output struct {
	Data      *rope.Rope
	FileName  string
	Ext       string // the extension of FileName, with the dot
	MediaType string
	Container formats.Container
	Report    *Report
}

// Convert reads src and writes it for o.To.
func (e *Engine) Convert(src rope.Source, o Options) (*Output, error) {
	p, err := e.Read(src, o)
	if err != nil {
		return nil, err
	}
	return e.Emit(p, o)
}

// Emit writes pieces for o.To, reads back what was written, and reports.
func (e *Engine) Emit(p *Pieces, o Options) (*Output, error) {
	if o.To == "" {
		return nil, fault.New(fault.BadArgument, "", "say which app to convert to")
	}
	target, err := e.Registry.TargetIn(o.To, p.Primary.Kind, o.Container, p.Primary)
	if err != nil {
		return nil, err
	}
	info := target.Info()
	ctx := formats.EncodeContext{Container: o.Container, Spec: o.Spec, Limits: o.limits(), AllowLoss: o.AllowLoss, Password: o.Password}
	// A piece that knows the target already goes back into the container it came from; a new one keeps the source's.
	if ctx.Container == "" && p.Primary.Bucket(info.ID) == nil {
		switch {
		case has(info.Containers, p.Container):
			ctx.Container = p.Container
		case p.Container == formats.JPEG && has(info.Containers, formats.CharX):
			ctx.Container = formats.CharX // the same archive
		}
	}
	if ctx.Container != "" && !formats.Writes(target, p.Primary, ctx.Container) {
		return nil, fault.New(fault.UnknownTarget, "", "%s has no container %q for a %s; it has %s", info.AppLabel, ctx.Container, info.Kind, list(info.Containers))
	}
	ctx.More = p.More
	if _, ok := target.(formats.BookExtractor); ok {
		ctx.Lorebooks = switchedOn(p.Books)
	}
	if _, ok := target.(formats.RegexExtractor); ok {
		ctx.RegexSets = switchedOn(p.Regex)
	}
	enc, err := target.Encode(p.Primary, ctx)
	if err != nil {
		return nil, err
	}
	out := &Output{Data: enc.Data, MediaType: enc.MediaType, Container: enc.Container, FileName: FileName(NameOf(p.Primary, o.Name), enc.Ext), Ext: enc.Ext}
	if o.SkipReport {
		return out, nil
	}
	file := out.FileName // some files are named by their file name alone
	if OwnName(p.Primary) == "" {
		file = ""
	}
	if out.Report, err = e.report(p, target, ctx, enc, file); err != nil {
		return nil, err
	}
	return out, nil
}

// switchedOn leaves out the pieces that are switched off; the result is never nil, since the links are resolved.
func switchedOn(list []*canonical.Entity) []*canonical.Entity {
	out := make([]*canonical.Entity, 0, len(list))
	for _, e := range list {
		if enabled(e) {
			out = append(out, e)
		}
	}
	return out
}

func enabled(e *canonical.Entity) bool {
	switch b := e.Body.(type) {
	case *canonical.Lorebook:
		return canonical.Or(b.Enabled, true)
	case *canonical.RegexSet:
		return canonical.Or(b.Enabled, true)
	}
	return true
}

func has(list []formats.Container, c formats.Container) bool {
	for _, x := range list {
		if x == c {
			return true
		}
	}
	return false
}

func list(cs []formats.Container) string {
	s := make([]string, len(cs))
	for i, c := range cs {
		s[i] = string(c)
	}
	return strings.Join(s, ", ")
}

// NameOf is the display name of a piece: its own, else the file's without extension.
func NameOf(e *canonical.Entity, file string) string {
	if name := OwnName(e); name != "" {
		return name
	}
	if i := strings.LastIndexAny(file, `/\`); i >= 0 {
		file = file[i+1:]
	}
	if i := strings.LastIndexByte(file, '.'); i > 0 {
		file = file[:i]
	}
	if strings.TrimSpace(file) != "" && file != "-" {
		return file
	}
	return fmt.Sprint(e.Kind)
}

// OwnName is the display name that a piece itself has, "" when it is blank.
func OwnName(e *canonical.Entity) (name string) {
	switch b := e.Body.(type) {
	case *canonical.Character:
		name = b.Identity.Name
	case *canonical.Lorebook:
		name = b.Name
	case *canonical.RegexSet:
		name = b.Name
	case *canonical.Persona:
		name = b.Name
	case *canonical.Preset:
		name = b.Name
	case *canonical.QuickReplySet:
		name = b.Name
	}
	if strings.TrimSpace(name) == "" {
		return ""
	}
	return name
}
