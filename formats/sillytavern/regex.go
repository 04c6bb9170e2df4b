package sillytavern

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/regex"
	"bunzai/jsondoc"
)

// regexFile reads regex scripts: one script, a list, or an object that holds the list in scripts, which SillyTavern
// itself cannot read and of which a list is written. Wire facts are the app's extensions/regex (engine.js, index.js).
type regexFile struct{}

const regexID = "sillytavern-regex"

var scripts = regex.Tavern("sillytavern", label)

func (regexFile) Info() formats.Info {
	return formats.Info{ID: regexID, App: "sillytavern", AppLabel: label, Kind: canonical.KindRegex, Label: "SillyTavern regex scripts", Containers: []formats.Container{formats.JSON}}
}

// Detect bids 0.9 where every row is a script; a script that lacks something does not take the others with it.
func (regexFile) Detect(in *formats.Input) formats.Bid {
	if !in.IsJSON() {
		return formats.No("not a JSON document")
	}
	d, err := in.Doc()
	if err != nil {
		return formats.No(err.Error())
	}
	root := d.Root
	shape, list := regex.ShapeOf(root)
	if shape == "" {
		return formats.No("not an object and not a list")
	}
	for _, foreign := range []string{"spec", "data", "exportedAt", "prompts", "prompt_order", "chat_completion_source", "temperature", "input_sequence", "story_string", "body", "entries"} {
		if root.Has(foreign) {
			return formats.No("not a regex file: it has " + foreign)
		}
	}
	if t, ok := root.Get("type").Text(); ok && shape == regex.Envelope {
		return formats.No("not a regex file of this app: its type is " + t)
	}
	full, odd := 0, 0
	for _, e := range list.Elems() {
		name, _ := e.Get("scriptName").Text()
		switch {
		case strings.TrimSpace(name) != "" && (e.Has("findRegex") || e.Has("replaceString")):
			full++
		case !e.Has("findRegex") && !e.Has("scriptName") && !e.Has("replaceString") || e.Has("find_regex"):
			odd++
		}
	}
	switch {
	case full == 0:
		return formats.No("not a list of regex scripts: no row with scriptName and findRegex")
	case odd > 0:
		return formats.Bid{Score: 0.7, Reason: "some rows are regex scripts"}
	case shape == regex.Envelope:
		return formats.Bid{Score: 0.85, Reason: "a list of regex scripts in the member scripts"}
	}
	return formats.Bid{Score: 0.9, Reason: "scriptName, findRegex and replaceString"}
}

func (regexFile) Decode(in *formats.Input) (*formats.Decoded, error) {
	d, err := in.Doc()
	if err != nil {
		return nil, err
	}
	return scripts.DecodeFile(in, d, regexID, "version")
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
	doc, shape := scripts.TwinDoc(e, regexID)
	if doc != nil && shape != regex.Envelope {
		scripts.Over(doc, shape, set, near)
		return out, regex.File(doc, ctx, out)
	}
	list := scripts.Twin(e)
	if list == nil {
		list = jsondoc.Array()
		out.Warnings = append(out.Warnings, regex.Foreign(set, false)...)
	}
	scripts.Encode(set.Rules, list, near)
	return out, regex.File(jsondoc.NewDoc(list, "    "), ctx, out)
}

func (regexFile) Fields() []formats.Field { return scripts.Fields() }

// ExtractRegex implements formats.RegexExtractor.
func (character) ExtractRegex(e *canonical.Entity) ([]*canonical.Entity, []string, error) {
	return app.ExtractRegex(e, scripts)
}

// RegexFields implements formats.RegexFielder.
func (character) RegexFields() []formats.Field {
	return append([]formats.Field{
		{Path: "name", Wire: "data.extensions." + regex.RecordKey, Note: "SillyTavern shows the scripts of a card under the card's name; the card keeps the set's name for the way back"},
		{Path: "description", Wire: "data.extensions." + regex.RecordKey, Note: "SillyTavern's scripts have no description; the card keeps it for the way back"},
	}, scripts.Fields()...)
}

// foreignSets warns of what scripts of another app may do otherwise here.
func foreignSets(sets []*canonical.Entity) (warnings []string) {
	for _, e := range sets {
		if set, ok := e.Body.(*canonical.RegexSet); ok && scripts.Twin(e) == nil {
			warnings = append(warnings, regex.Foreign(set, false)...)
		}
	}
	return warnings
}
