package lumiverse

import (
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// regexFile reads and writes Lumiverse's regex export. The app also takes a bare list, a lone script and an object with
// scripts whatever its type says, in its own shape or SillyTavern's; all are read, and written back as they came.
type regexFile struct{}

const (
	regexID   = "lumiverse-regex"
	regexType = "lumiverse_regex_scripts"
	regexKey  = "regex_scripts"
)

func (regexFile) Info() formats.Info {
	return formats.Info{ID: regexID, App: name, AppLabel: label, Kind: canonical.KindRegex, Label: "Lumiverse regex scripts", Containers: []formats.Container{formats.JSON}}
}

func (regexFile) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	shape, list := regex.ShapeOf(d.Root)
	if t, ok := d.Root.Get("type").Text(); ok && shape == regex.Envelope {
		if t == regexType {
			return formats.Bid{Score: 1, Reason: "its type is " + t}
		}
		return formats.No("not a regex file: its type is " + t)
	}
	for _, foreign := range []string{"spec", "data", "exportedAt", "body", "entries"} {
		if d.Root.Has(foreign) {
			return formats.No("not a regex file: it has " + foreign)
		}
	}
	own := 0
	for _, e := range list.Elems() {
		if fullScripts.Bad(e) == "" && !e.Has("scriptName") {
			own++
		}
	}
	switch {
	case own == 0:
		return formats.No("not a list of Lumiverse scripts: no row with name and find_regex")
	case own < list.Len():
		return formats.Bid{Score: 0.7, Reason: "some rows are Lumiverse scripts"}
	}
	return formats.Bid{Score: 0.9, Reason: "rows with name and find_regex"}
}

// dialectOf tells which shape the scripts of a list have.
func dialectOf(list *jsondoc.Value, own *regex.Dialect) *regex.Dialect {
	for _, e := range list.Elems() {
		if e.Has("find_regex") {
			return own
		}
		if e.Has("scriptName") || e.Has("findRegex") {
			return stScripts
		}
	}
	return own
}

func (regexFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	_, list := regex.ShapeOf(d.Root)
	return dialectOf(list, fullScripts).DecodeFile(in, d, regexID, "type", "version", "exported_at")
}

func (regexFile) Encode(e *canonical.Entity, ctx formats.EncodeContext) (*formats.Encoded, error) {
	set, err := regex.SetOf(e, ctx)
	if err != nil {
		return nil, err
	}
	out := &formats.Encoded{}
	near := func(path, after, why string) {
		out.Near = append(out.Near, formats.Near{Path: path, After: after, Why: why})
	}
	for _, d := range []*regex.Dialect{fullScripts, stScripts} {
		if doc, shape := d.TwinDoc(e, regexID); doc != nil {
			d.Over(doc, shape, set, near)
			return out, regex.File(doc, ctx, out)
		}
	}
	list := fullScripts.Twin(e)
	if list == nil {
		list = jsondoc.Array()
		out.Warnings = append(out.Warnings, regex.Foreign(set, true)...)
	} else {
		for _, row := range list.Elems() { // out of a card: the character stays behind
			if s, _ := row.Get("scope").Text(); s != "global" {
				row.Set("scope", jsondoc.String("global"))
			}
		}
	}
	fullScripts.Encode(set.Rules, list, near)
	root := jsondoc.Object()
	root.Set("version", jsondoc.Int(1))
	root.Set("type", jsondoc.String(regexType))
	root.Set("exported_at", jsondoc.Int(0)) // no clock: the same set is the same file
	if set.Name != "" {
		root.Set("name", jsondoc.String(set.Name))
	}
	root.Set("scripts", list)
	out.Warnings = append(out.Warnings, refusedScripts(set)...)
	return out, regex.File(jsondoc.NewDoc(root, "  "), ctx, out)
}

// refusedScripts warns of scripts that the app will not take: it compiles every pattern.
func refusedScripts(set *canonical.RegexSet) (warnings []string) {
	var which []string
	for i := range set.Rules {
		r := &set.Rules[i]
		flags, _ := regex.Flags(canonical.Or(r.Flags, "g"), flagSet)
		if regex.Broken(r.Find, flags) != "" || len(r.Find) > maxPattern {
			which = append(which, regex.Named(r, i))
		}
	}
	if len(which) == 0 {
		return nil
	}
	if len(which) > 5 {
		which = append(which[:5], "and others")
	}
	return []string{"Lumiverse passes over scripts whose pattern does not work: " + strings.Join(which, ", ") + "; the others are imported"}
}

func (regexFile) Fields() []formats.Field {
	return append([]formats.Field{{Path: "name", Wire: "name", Note: "Lumiverse's scripts stand alone; the file keeps the set's name for the way back"}}, fullScripts.Fields()...)
}

// home is a place of a card that holds scripts.
type home struct {
	path   []string // in the card; nil in the sidecar
	where  string   // in words
	list   *jsondoc.Value
	record *jsondoc.Value
}

// homes lists the places that hold scripts, in the order in which they count: the sidecar of the archive, the sidecar
// inside the card, the card's own list (SillyTavern's place). Only lists count.
func homes(root *jsondoc.Value, v tavern.Variant, side *jsondoc.Doc) (out []home) {
	if side != nil && side.Root.Get(regexKey).Kind() == jsondoc.KindArray {
		out = append(out, home{nil, sidecar + " " + regexKey, side.Root.Get(regexKey), side.Root.Get(regex.RecordKey)})
	}
	ext := strings.Split(v.Prefix()+"extensions", ".")
	for _, p := range [][]string{append(ext[:len(ext):len(ext)], hubKey), ext} {
		if x := root.At(p...); x.Get(regexKey).Kind() == jsondoc.KindArray {
			out = append(out, home{append(p[:len(p):len(p)], regexKey), strings.Join(p, ".") + "." + regexKey, x.Get(regexKey), x.Get(regex.RecordKey)})
		}
	}
	return out
}

func setsOf(root *jsondoc.Value, v tavern.Variant, side *jsondoc.Doc) (sets []*canonical.Entity, warnings []string, h *home) {
	for _, x := range homes(root, v, side) {
		sets, warnings = dialectOf(x.list, bundled).Sets(x.list, x.record, regex.SetName(app.NameIn(root, v)), x.where)
		return sets, warnings, &x
	}
	return nil, nil, nil
}

// ExtractRegex implements formats.RegexExtractor.
func (character) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	twin := e.Bucket(name)
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	side, _ := readSidecar(twin.Files, limits.Large())
	sets, warnings, h := setsOf(twin.Raw.Root, tavern.VariantOf(twin), side)
	if len(sets) > 0 && h.path != nil && twin.Files != nil {
		warnings = append(warnings, h.where+" holds regex scripts; out of an archive Lumiverse takes only those of "+sidecar)
	}
	return sets, warnings, nil
}

// RegexFields implements formats.RegexFielder.
func (character) RegexFields() []formats.Field {
	const why = "Lumiverse binds the scripts of a card one by one; the card keeps the set's name for the way back"
	return append([]formats.Field{{Path: "name", Wire: regex.RecordKey, Note: why}, {Path: "description", Wire: regex.RecordKey, Note: why}}, bundled.Fields()...)
}

// unmappedRegex lists what is no script, and copies that say something else than those that count.
func unmappedRegex(root *jsondoc.Value, v tavern.Variant, side *jsondoc.Doc) (out []string) {
	var first []regex.Rule
	for i, h := range homes(root, v, side) {
		where := strings.ReplaceAll(h.where, " ", ".")
		d := dialectOf(h.list, bundled)
		rules, _ := d.Decode(h.list, nil, nil)
		if i == 0 {
			first = rules
			out = append(out, d.BadIn(h.list, where)...)
		} else if h.list.Len() > 0 && !regex.SameRules(first, rules) {
			out = append(out, where)
		}
	}
	return out
}

// regex applies the three-way contract to every place that holds scripts. They stand in the sidecar of an archive, else
// in the card: a card that has them there already keeps the place and the shape.
func (w *writer) regex(sets []*canonical.Entity, first int) error {
	root, v := w.d.Doc.Root, w.d.Variant
	var side *jsondoc.Doc
	if w.zip {
		side = w.n.side
	}
	moved := !w.fresh && w.d.TwinContainer() != w.d.Container
	if sets == nil && !(moved && w.zip) {
		return nil
	}
	usual := []string{regex.SetName(app.NameIn(root, v))}
	here := homes(root, v, side)
	var was []*canonical.Entity
	if !w.fresh {
		old := tavern.VariantOf(w.d.Twin)
		var err error
		if was, _, err = (character{}).ExtractRegex(&canonical.Entity{Original: []*canonical.Escrow{w.d.Twin}}); err != nil {
			return err
		}
		usual = append(usual, regex.SetName(app.NameIn(w.d.Twin.Raw.Root, old)))
		if sets == nil {
			sets = was
		}
		if regex.SameSets(was, sets) && (!moved || len(was) == 0 || !w.zip || here[0].path == nil) {
			return nil
		}
	}
	if len(sets) == 0 {
		for _, h := range here {
			if h.list.Len() > 0 {
				w.putRegex(h.path, nil, nil)
			}
		}
		return w.secondRegex(nil, nil)
	}
	dial, path := bundled, append(strings.Split(v.Prefix()+"extensions", "."), regexKey)
	if w.zip {
		path = nil
	}
	if len(here) > 0 && (here[0].path == nil) == w.zip {
		path = here[0].path
		if d := dialectOf(here[0].list, bundled); here[0].list.Len() > 0 {
			dial = d
		}
	}
	list, record, err := dial.List(sets, usual, func(set int, p, after, why string) {
		w.d.Near = append(w.d.Near, formats.Near{Piece: first + set, Path: p, After: after, Why: why})
	})
	if err != nil {
		return err
	}
	for _, h := range here { // other copies would be read again, here or by the next app
		if strings.Join(h.path, ".") != strings.Join(path, ".") {
			w.putRegex(h.path, nil, nil)
		}
	}
	w.putRegex(path, list, record)
	for _, e := range sets {
		set, ok := e.Body.(*canonical.RegexSet)
		if !ok {
			return fault.New(fault.WrongKind, "", "the piece %q is a %s and no regex set", e.ID, e.Kind)
		}
		if bundled.Twin(e) == nil && stScripts.Twin(e) == nil {
			w.warnings = append(append(w.warnings, regex.Foreign(set, true)...), refusedScripts(set)...)
		}
	}
	if path == nil {
		return nil
	}
	return w.secondRegex(list, record)
}

func (w *writer) putRegex(path []string, list, record *jsondoc.Value) {
	if path == nil {
		regex.Put(w.n.side.Root, []string{regexKey}, list, record)
		return
	}
	regex.Put(w.d.Doc.Root, path, list, record)
}

// secondRegex keeps the other chunk of a PNG in step where it said the same.
func (w *writer) secondRegex(list, record *jsondoc.Value) error {
	if w.d.Second == nil || w.fresh {
		return nil
	}
	v, _ := tavern.Classify(w.d.Second.Root)
	theirs := homes(w.d.Second.Root, v, nil)
	ours := homes(w.d.Twin.Raw.Root, tavern.VariantOf(w.d.Twin), nil)
	if len(theirs) != len(ours) || len(ours) > 0 && !jsondoc.Equal(theirs[0].list, ours[0].list) {
		w.warnings = append(w.warnings, "the two card chunks of this PNG hold different regex scripts; the edit goes into the one that counts, the other stays as it is")
		return nil
	}
	path := append(strings.Split(v.Prefix()+"extensions", "."), regexKey)
	if len(theirs) > 0 {
		path = theirs[0].path
	}
	if list != nil {
		list = list.Clone()
	}
	if record != nil {
		record = record.Clone()
	}
	regex.Put(w.d.Second.Root, path, list, record)
	return nil
}
