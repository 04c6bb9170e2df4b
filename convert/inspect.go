package convert

import (
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/rope"
)

// FormatRef names the format that claimed a file.
type FormatRef struct {
	ID       string         `json:"id"`
	App      string         `json:"app"`
	AppLabel string         `json:"appLabel"`
	Kind     canonical.Kind `json:"kind"`
	Label    string         `json:"label"`
}

// FileView is a file's outer shape.
type FileView struct {
	Kind  string `json:"kind"`
	Label string `json:"label"`
	Size  int64  `json:"size"`
}

// BidView is one bid for showing.
type BidView struct {
	ID     string  `json:"id"`
	Label  string  `json:"label"`
	Score  float64 `json:"score"`
	Reason string  `json:"reason"`
}

// DetectionView is Detection as every door shows it.
type DetectionView struct {
	Format *FormatRef `json:"format"`
	File   FileView   `json:"file"`
	Bids   []BidView  `json:"bids"`
}

// View is the detection for showing.
func (d *Detection) View() DetectionView {
	v := DetectionView{File: FileView{d.Kind, d.Label, d.Size}, Bids: []BidView{}}
	if i := d.Winner; i != nil {
		v.Format = &FormatRef{i.ID, i.App, i.AppLabel, i.Kind, i.Label}
	}
	for _, b := range d.Bids {
		v.Bids = append(v.Bids, BidView{b.Info.ID, b.Info.Label, b.Score, b.Reason})
	}
	return v
}

// Inspection is a file laid out for showing: what it is and what it holds.
type Inspection struct {
	DetectionView
	Pieces   []PieceView  `json:"pieces"`
	Portrait *AssetView   `json:"portrait"`
	Warnings []string     `json:"warnings"`
	Escrow   []string     `json:"escrow"`
	Targets  []TargetView `json:"targets"`
}

// PieceView is one piece.
type PieceView struct {
	Kind      canonical.Kind    `json:"kind"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Variant   string            `json:"variant"`
	Container formats.Container `json:"container"`
	Creator   string            `json:"creator"`
	Tags      []string          `json:"tags"`
	Texts     []TextView        `json:"texts"`
	Greetings []GreetingView    `json:"greetings"`
	Entries   []EntryView       `json:"entries"`
	Assets    []AssetView       `json:"assets"`
	Scripts   []string          `json:"scripts"`
}

// TextView is one text of a piece.
type TextView struct {
	Path  string `json:"path"`
	Label string `json:"label"`
	Wire  string `json:"wire"`
	Text  string `json:"text"`
}

// GreetingView is one opening message.
type GreetingView struct {
	Title string `json:"title"`
	Text  string `json:"text"`
	Group bool   `json:"group"`
}

// EntryView is one lorebook entry.
type EntryView struct {
	Title         string   `json:"title"`
	Keys          []string `json:"keys"`
	SecondaryKeys []string `json:"secondaryKeys"`
	Content       string   `json:"content"`
	Enabled       bool     `json:"enabled"`
	Constant      bool     `json:"constant"`
	Position      string   `json:"position"`
	Order         *float64 `json:"order"`
}

// AssetView is one picture or other asset. Blob holds the bytes; doors hand them over in their own way.
type AssetView struct {
	Role string          `json:"role"`
	Name string          `json:"name"`
	Mime string          `json:"mime"`
	Size int64           `json:"size"`
	Link string          `json:"link"`
	Data *struct{}       `json:"data"` // always null here; a door may put the bytes in
	Blob *canonical.Blob `json:"-"`
}

// TargetView is an app that takes the kind.
type TargetView struct {
	App        string              `json:"app"`
	AppLabel   string              `json:"appLabel"`
	Containers []formats.Container `json:"containers"`
	Specs      []string            `json:"specs"`
	Same       bool                `json:"same"`
}

// FormatView describes a format with its field map.
type FormatView struct {
	FormatRef
	Containers []formats.Container `json:"containers"`
	Specs      []string            `json:"specs"`
	Fields     []FieldView         `json:"fields"`
}

// FieldView is one line of a field map.
type FieldView struct {
	Path  string `json:"path"`
	Wire  string `json:"wire"`
	Reads bool   `json:"reads"`
	Note  string `json:"note"`
}

// Formats lists every format, in registration order.
func (e *Engine) Formats() []FormatView {
	var out []FormatView
	for _, c := range e.Registry.Codecs() {
		i := c.Info()
		v := FormatView{FormatRef: FormatRef{i.ID, i.App, i.AppLabel, i.Kind, i.Label}, Containers: i.Containers, Specs: append([]string{}, i.Specs...), Fields: []FieldView{}}
		for _, f := range c.Fields() {
			v.Fields = append(v.Fields, FieldView{f.Path, f.Wire, f.Reads, f.Note})
		}
		out = append(out, v)
	}
	return out
}

// Inspect reads src and lays it out. A file that nobody claims is fault.NotRecognized.
func (e *Engine) Inspect(src rope.Source, o Options) (*Inspection, error) {
	p, err := e.Read(src, o)
	if err != nil {
		return nil, err
	}
	v := &Inspection{DetectionView: p.View(), Warnings: append([]string{}, p.Warnings...), Escrow: append([]string{}, p.Unmapped()...), Targets: []TargetView{}}
	fields := e.fieldsOf(p.Info.ID)
	v.Pieces = append(v.Pieces, e.piece(p.Primary, p, fields, o))
	for _, b := range p.All()[1:] {
		own := fields
		if b.Kind != p.Primary.Kind {
			own = nil // embedded pieces have a field map of their own
		}
		v.Pieces = append(v.Pieces, e.piece(b, nil, own, o))
	}
	if c := p.Primary.Character(); c != nil && c.Media.Portrait != nil {
		a := assetView(c.Media.Portrait)
		v.Portrait = &a
	}
	if b, ok := p.Primary.Body.(*canonical.Persona); ok && b.Media != nil && b.Media.Portrait != nil {
		a := assetView(b.Media.Portrait)
		v.Portrait = &a
	}
	seen := map[string]bool{}
	for _, c := range e.Registry.Codecs() {
		i := c.Info()
		if i.Kind != p.Primary.Kind || seen[i.App] {
			continue
		}
		seen[i.App] = true
		v.Targets = append(v.Targets, TargetView{i.App, i.AppLabel, i.Containers, append([]string{}, i.Specs...), i.App == p.Info.App})
	}
	return v, nil
}

func (e *Engine) fieldsOf(id string) []formats.Field {
	if c := e.codec(id); c != nil {
		return c.Fields()
	}
	return nil
}

// codec finds a codec by its id, nil when there is none.
func (e *Engine) codec(id string) formats.Codec {
	for _, c := range e.Registry.Codecs() {
		if c.Info().ID == id {
			return c
		}
	}
	return nil
}

func (e *Engine) piece(x *canonical.Entity, p *Pieces, fields []formats.Field, o Options) PieceView {
	v := PieceView{Kind: x.Kind, ID: x.ID, Name: NameOf(x, o.Name), Tags: []string{}, Texts: []TextView{}, Greetings: []GreetingView{}, Entries: []EntryView{}, Assets: []AssetView{}, Scripts: []string{}}
	if p != nil {
		v.Variant, v.Container = p.Variant, p.Container
	}
	switch b := x.Body.(type) {
	case *canonical.Character:
		v.character(b, fields)
		for _, c := range codeIn(x) {
			v.Scripts = append(v.Scripts, c.String())
		}
		if p != nil {
			v.Scripts = append(v.Scripts, looseRegex(x, p.Regex)...)
		}
	case *canonical.Lorebook:
		v.lorebook(b)
	case *canonical.Persona:
		v.persona(b, fields)
	case *canonical.QuickReplySet:
		v.quickReplies(b, fields)
	case *canonical.Preset:
		v.preset(b, fields)
	case *canonical.RegexSet:
		v.regex(b)
	}
	return v
}

// persona shows everything that a persona says; its pictures are assets.
func (v *PieceView) persona(b *canonical.Persona, fields []formats.Field) {
	if b.Attribution != nil {
		v.Creator = canonical.Or(b.Attribution.Creator, "")
	}
	canonical.Walk(b, func(path string, value any) {
		if covered(path, []string{"name", "media", "attribution.creator"}) {
			return
		}
		if s := canonical.Text(forPeople(path, value)); s != "" {
			v.Texts = append(v.Texts, TextView{path, canonical.Label(b, path), fieldFor(fields, canonical.Generic(path)).Wire, s})
		}
	})
	if b.Media != nil && b.Media.Portrait != nil {
		v.Assets = append(v.Assets, assetView(b.Media.Portrait))
	}
}

// quickReplies shows each button: its label names its script and its tooltip.
func (v *PieceView) quickReplies(b *canonical.QuickReplySet, fields []formats.Field) {
	text := func(path, label, s string) {
		if s != "" {
			v.Texts = append(v.Texts, TextView{path, label, fieldFor(fields, canonical.Generic(path)).Wire, s})
		}
	}
	text("notes", canonical.Label(b, "notes"), canonical.Or(b.Notes, ""))
	for i, r := range b.Replies {
		path := "replies[" + strconv.Itoa(i) + "]"
		label := canonical.Label(b, path)
		if canonical.Or(r.Hidden, false) {
			text(path+".message", label+" (hidden)", r.Message)
		} else {
			text(path+".message", label, r.Message)
		}
		text(path+".title", canonical.Label(b, path+".title"), canonical.Or(r.Title, ""))
		for _, n := range startsItself(r) {
			v.Scripts = append(v.Scripts, label+": "+n)
		}
	}
}

// shown are the paths that a character view has its own place for.
var shown = []string{"prompts.depthInjections[].origin", "identity.name", "greetings", "media", "discovery.tags", "attribution.creator", "knowledgeRefs", "behaviorRefs", "variants"}

func (v *PieceView) character(c *canonical.Character, fields []formats.Field) {
	v.Creator = canonical.Or(c.Attribution.Creator, "")
	v.Tags = append(v.Tags, c.Discovery.Tags...)
	canonical.Walk(c, func(path string, value any) {
		if (covered(path, shown) || covered(canonical.Generic(path), shown[:1])) && !strings.HasPrefix(path, "attribution.creatorNotes") {
			return
		}
		if s := canonical.Text(forPeople(path, value)); s != "" {
			v.Texts = append(v.Texts, TextView{path, canonical.Label(c, path), fieldFor(fields, canonical.Generic(path)).Wire, s})
		}
	})
	if m := c.Greetings.FirstMessage; m != nil && *m != "" {
		v.Greetings = append(v.Greetings, GreetingView{"First message", *m, false})
	}
	add := func(list []canonical.Greeting, path string, group bool) {
		for i, g := range list {
			title := canonical.Or(g.Title, "")
			if title == "" {
				title = canonical.Label(c, path+"["+strconv.Itoa(i)+"]")
			}
			v.Greetings = append(v.Greetings, GreetingView{title, g.Text, group})
		}
	}
	add(c.Greetings.AlternateGreetings, "greetings.alternateGreetings", false)
	add(c.Greetings.GroupOnlyGreetings, "greetings.groupOnlyGreetings", true)
	for _, a := range c.Media.Assets {
		v.Assets = append(v.Assets, assetView(a))
	}
	shownBlob := map[*canonical.Blob]bool{}
	for _, a := range c.Media.Assets {
		shownBlob[a.Blob] = a.Blob != nil
	}
	for _, x := range c.Variants {
		if m := x.Overrides.Media; m != nil && m.Portrait != nil && !shownBlob[m.Portrait.Blob] {
			a := assetView(m.Portrait)
			if a.Name == "" {
				a.Name = canonical.Or(x.Label, "")
			}
			v.Assets = append(v.Assets, a)
		}
	}
}

func (v *PieceView) lorebook(b *canonical.Lorebook) {
	v.Tags = append(v.Tags, b.Tags...)
	if s := canonical.Or(b.Description, ""); s != "" {
		v.Texts = append(v.Texts, TextView{"description", canonical.Label(b, "description"), "", s})
	}
	keys := func(ts []canonical.Trigger) []string {
		out := make([]string, len(ts))
		for i, t := range ts {
			out[i] = canonical.Text(t)
		}
		return out
	}
	for _, x := range b.Entries {
		v.Entries = append(v.Entries, EntryView{
			Title: canonical.Or(x.Title, ""), Keys: keys(x.Triggers), SecondaryKeys: keys(x.SecondaryTriggers), Content: x.Content,
			Enabled: canonical.Or(x.Enabled, true), Constant: canonical.Or(x.Constant, false), Position: canonical.Or(x.Position, ""), Order: x.SortOrder,
		})
	}
}

// preset shows the prompts that have a text, in working order, and then every setting.
func (v *PieceView) preset(p *canonical.Preset, fields []formats.Field) {
	groups := map[string]string{}
	for _, g := range p.Groups {
		groups[g.ID] = g.Name
	}
	wire := fieldFor(fields, "prompts[].content").Wire
	for i := range p.Prompts {
		x := &p.Prompts[i]
		if x.Content == "" {
			continue
		}
		title := x.Name
		if title == "" {
			title = canonical.Or(x.MarkerSlot, x.ID)
		}
		if g := groups[canonical.Or(x.GroupID, "")]; g != "" {
			title = g + ": " + title
		}
		if !canonical.Or(x.Enabled, true) {
			title += " (off)"
		}
		v.Texts = append(v.Texts, TextView{"prompts[" + strconv.Itoa(i) + "].content", title, wire, x.Content})
	}
	canonical.Walk(p, func(path string, value any) {
		if covered(path, []string{"name", "prompts", "groups", "behaviorRefs", "quickReplyRefs"}) {
			return
		}
		if s := canonical.Text(value); s != "" {
			v.Texts = append(v.Texts, TextView{path, canonical.Label(p, path), fieldFor(fields, canonical.Generic(path)).Wire, s})
		}
	})
}

// regex shows each rule as what it finds and what it puts there: data, never run.
func (v *PieceView) regex(b *canonical.RegexSet) {
	for i, r := range b.Rules {
		title := r.Label
		if strings.TrimSpace(title) == "" {
			title = "Rule " + strconv.Itoa(i+1)
		}
		if !canonical.Or(r.Enabled, true) {
			title += " (off)"
		}
		find := "/" + r.Find + "/" + canonical.Or(r.Flags, "")
		v.Texts = append(v.Texts, TextView{"rules[" + strconv.Itoa(i) + "]", title, "", find + "\n→ " + r.Replace})
		if putsScript(r.Replace) {
			title += ", puts a script into the page"
		}
		v.Scripts = append(v.Scripts, "regex: "+title)
	}
}

func assetView(a *canonical.Asset) AssetView {
	v := AssetView{Role: a.Role, Name: canonical.Or(a.Label, canonical.Or(a.Name, "")), Mime: canonical.Or(a.Mime, ""), Size: -1, Blob: a.Blob}
	if a.Blob != nil {
		v.Size = a.Blob.Size
		if v.Mime == "" {
			v.Mime = a.Blob.Mime
		}
	} else {
		v.Link = a.Ref
	}
	return v
}
