package risu

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/formats/internal/tavern"
	"bunzai/jsondoc"
)

type body = canonical.Character

// own is the field map of extensions.risuai, wherever the card lies, and of the shared fields that Risu reads in its own
// way. Wire names are the app's (characterCards.ts).
func own(v tavern.Variant) fieldmap.Map[body] {
	at := func(name string) string { return v.Prefix() + "extensions.risuai." + name }
	text := func(path string, acc fieldmap.Access[body, string], names ...string) fieldmap.Row[body] {
		var places []fieldmap.Place[string]
		for _, n := range names {
			places = append(places, fieldmap.At(at(n), quietText()))
		}
		return fieldmap.New(path, acc, places...)
	}
	ptr := func(f func(c *body) **string) fieldmap.Access[body, string] { return fieldmap.Ptr(f) }
	sw := func(path, name string, acc fieldmap.Access[body, bool]) fieldmap.Row[body] {
		return fieldmap.New(path, acc, fieldmap.At(at(name), looseBool()))
	}
	version := []fieldmap.Place[string]{fieldmap.At(v.Prefix()+"character_version", versionText())}
	source := []fieldmap.Place[[]string]{fieldmap.At(v.Prefix()+"source", fieldmap.TextList(""))}
	if v.Wrapped() {
		version = append(version, fieldmap.At("character_version", versionText()))
	}
	source = append(source, fieldmap.At(at("source"), fieldmap.TextList("")))
	return fieldmap.Map[body]{
		fieldmap.New("identity.characterVersion", ptr(func(c *body) **string { return &c.Identity.CharacterVersion }), version...),
		fieldmap.New("attribution.source", fieldmap.Slice(func(c *body) *[]string { return &c.Attribution.Source }, equal[string]), source...).OnlyV3(),
		text("attribution.license", ptr(func(c *body) **string { return &c.Attribution.License }), "license"),
		fieldmap.New("bias", fieldmap.Slice(func(c *body) *[]canonical.Bias { return &c.Bias }, equal[canonical.Bias]), fieldmap.At(at("bias"), pairs(readBias, writeBias))),
		text("prompts.additionalText", ptr(func(c *body) **string { return &c.Prompts.AdditionalText }), "additionalText"),
		text("settings.risu.viewScreen", in(settings, func(s *canonical.RisuSettings) **string { return &s.ViewScreen }), "viewScreen"),
		sw("settings.risu.largePortrait", "largePortrait", in(settings, func(s *canonical.RisuSettings) **bool { return &s.LargePortrait })),
		sw("settings.risu.inlayViewScreen", "inlayViewScreen", in(settings, func(s *canonical.RisuSettings) **bool { return &s.InlayViewScreen })),
		sw("settings.risu.utilityBot", "utilityBot", in(settings, func(s *canonical.RisuSettings) **bool { return &s.UtilityBot })),
		sw("settings.risu.lorePlus", "lorePlus", in(settings, func(s *canonical.RisuSettings) **bool { return &s.LorePlus })),
		fieldmap.New("persona.imagePrompt.rows", list(image, func(g *canonical.ImagePrompt) *[]canonical.Row { return &g.Rows }, equal[canonical.Row]), fieldmap.At(at("sdData"), pairs(readRow, writeRow))),
		text("persona.imagePrompt.prompt", in(image, func(g *canonical.ImagePrompt) **string { return &g.Prompt }), "newGenData.prompt"),
		text("persona.imagePrompt.negative", in(image, func(g *canonical.ImagePrompt) **string { return &g.Negative }), "newGenData.negative"),
		text("persona.imagePrompt.instructions", in(image, func(g *canonical.ImagePrompt) **string { return &g.Instructions }), "newGenData.instructions"),
		text("persona.imagePrompt.emotionInstructions", in(image, func(g *canonical.ImagePrompt) **string { return &g.EmotionInstructions }), "newGenData.emotionInstructions"),
		voiceRow(at("vits")),
		fieldmap.New("behavior.triggerScripts", list(behavior, func(g *canonical.Behavior) *[]canonical.CardTrigger { return &g.TriggerScripts }, sameTrigger), fieldmap.At(at("triggerscript"), triggers())).Tells(oddTriggers(at("triggerscript"))),
		text("behavior.virtualScript", in(behavior, func(g *canonical.Behavior) **string { return &g.VirtualScript }), "virtualscript").Parked("Risu empties it on import, for safety; the file keeps it"),
		text("behavior.backgroundHTML", in(behavior, func(g *canonical.Behavior) **string { return &g.BackgroundHTML }), "backgroundHTML"),
		text("behavior.backgroundCSS", in(behavior, func(g *canonical.Behavior) **string { return &g.BackgroundCSS }), "backgroundCSS").Parked("Risu puts styles into its background HTML and ignores this; the file keeps it"),
		text("behavior.defaultVariables", in(behavior, func(g *canonical.Behavior) **string { return &g.DefaultVariables }), "defaultVariables"),
		sw("behavior.prebuiltAsset.command", "prebuiltAssetCommand", in(prebuilt, func(g *canonical.PrebuiltAsset) **bool { return &g.Command })),
		fieldmap.New("behavior.prebuiltAsset.exclude", list(prebuilt, func(g *canonical.PrebuiltAsset) *[]string { return &g.Exclude }, equal[string]), fieldmap.At(at("prebuiltAssetExclude"), fieldmap.TextList(""))).
			Noted("ids of the database that exported the card; they mean nothing in another one"),
		text("behavior.prebuiltAsset.style", in(prebuilt, func(g *canonical.PrebuiltAsset) **string { return &g.Style }), "prebuiltAssetStyle"),
		text("behavior.moduleToggles", in(behavior, func(g *canonical.Behavior) **string { return &g.ModuleToggles }), "toggles", "customModuleToggle"),
		sw("behavior.privileged", "lowLevelAccess", in(behavior, func(g *canonical.Behavior) **bool { return &g.Privileged })).
			Noted("lets scripts call models and make pictures; Risu asks before it imports such a card"),
	}
}

func equal[T comparable](a, b T) bool { return a == b }

// group reaches an optional part of a body: get may return nil; put makes what is missing; tidy takes away parts that
// hold nothing.
type group[G any] struct {
	get  func(c *body) *G
	put  func(c *body) *G
	tidy func(c *body)
}

var settings = group[canonical.RisuSettings]{
	get: func(c *body) *canonical.RisuSettings {
		if c.Settings == nil {
			return nil
		}
		return c.Settings.Risu
	},
	put: func(c *body) *canonical.RisuSettings {
		c.Settings = made(c.Settings)
		c.Settings.Risu = made(c.Settings.Risu)
		return c.Settings.Risu
	},
	tidy: func(c *body) {
		if *c.Settings.Risu == (canonical.RisuSettings{}) {
			c.Settings.Risu = nil
		}
		if *c.Settings == (canonical.Settings{}) {
			c.Settings = nil
		}
	},
}

var image = group[canonical.ImagePrompt]{
	get: func(c *body) *canonical.ImagePrompt { return c.Persona.ImagePrompt },
	put: func(c *body) *canonical.ImagePrompt {
		c.Persona.ImagePrompt = made(c.Persona.ImagePrompt)
		return c.Persona.ImagePrompt
	},
	tidy: func(c *body) {
		g := *c.Persona.ImagePrompt
		if g.Rows == nil && g.Prompt == nil && g.Prefix == nil && g.Suffix == nil && g.Negative == nil && g.Template == nil && g.Instructions == nil && g.EmotionInstructions == nil {
			c.Persona.ImagePrompt = nil
		}
	},
}

var behavior = group[canonical.Behavior]{
	get: func(c *body) *canonical.Behavior { return c.Behavior },
	put: func(c *body) *canonical.Behavior {
		c.Behavior = made(c.Behavior)
		return c.Behavior
	},
	tidy: func(c *body) {
		g := *c.Behavior
		if g.RegexScripts == nil && g.TriggerScripts == nil && g.VirtualScript == nil && g.BackgroundHTML == nil && g.BackgroundCSS == nil && g.DefaultVariables == nil && g.PrebuiltAsset == nil && g.ModuleToggles == nil && g.Privileged == nil {
			c.Behavior = nil
		}
	},
}

var prebuilt = group[canonical.PrebuiltAsset]{
	get: func(c *body) *canonical.PrebuiltAsset {
		if c.Behavior == nil {
			return nil
		}
		return c.Behavior.PrebuiltAsset
	},
	put: func(c *body) *canonical.PrebuiltAsset {
		b := behavior.put(c)
		b.PrebuiltAsset = made(b.PrebuiltAsset)
		return b.PrebuiltAsset
	},
	tidy: func(c *body) {
		if g := *c.Behavior.PrebuiltAsset; g.Command == nil && g.Exclude == nil && g.Style == nil {
			c.Behavior.PrebuiltAsset = nil
			behavior.tidy(c)
		}
	},
}

func made[G any](g *G) *G {
	if g == nil {
		return new(G)
	}
	return g
}

func in[G any, T comparable](g group[G], field func(g *G) **T) fieldmap.Access[body, T] {
	return fieldmap.Access[body, T]{
		Get: func(c *body) (t T, ok bool) {
			if x := g.get(c); x != nil && *field(x) != nil {
				return **field(x), true
			}
			return t, false
		},
		Set: func(c *body, t T) { *field(g.put(c)) = &t },
		Clear: func(c *body) {
			if x := g.get(c); x != nil {
				*field(x) = nil
				g.tidy(c)
			}
		},
		Same: equal[T],
	}
}

func list[G, E any](g group[G], field func(g *G) *[]E, same func(a, b E) bool) fieldmap.Access[body, []E] {
	plain := fieldmap.Slice(field, same)
	return fieldmap.Access[body, []E]{
		Get: func(c *body) ([]E, bool) {
			if x := g.get(c); x != nil {
				return plain.Get(x)
			}
			return nil, false
		},
		Set: func(c *body, t []E) { plain.Set(g.put(c), t) },
		Clear: func(c *body) {
			if x := g.get(c); x != nil {
				plain.Clear(x)
				g.tidy(c)
			}
		},
		Same: plain.Same,
	}
}

// quietText is a text; an empty object is none, since the app writes one where a text is missing (toggles).
func quietText() fieldmap.Codec[string] {
	c := fieldmap.Text()
	return fieldmap.Codec[string]{Read: func(v *jsondoc.Value) (*string, string) {
		if fieldmap.Blank(v) && v.Kind() != jsondoc.KindString {
			return nil, ""
		}
		return c.Read(v)
	}, Write: c.Write}
}

// looseBool is a switch that the app also writes as "", which is off (prebuiltAssetCommand).
func looseBool() fieldmap.Codec[bool] {
	c := fieldmap.Bool()
	return fieldmap.Codec[bool]{Read: func(v *jsondoc.Value) (*bool, string) {
		if s, ok := v.Text(); ok && s == "" {
			return canonical.Ptr(false), ""
		}
		return c.Read(v)
	}, Write: c.Write}
}

// versionText is the version of a card; the app writes the text "undefined" for none.
func versionText() fieldmap.Codec[string] {
	c := fieldmap.Text().Required(fieldmap.EmptyText)
	read := c.Read
	c.None = func(v *jsondoc.Value) bool { s, _ := v.Text(); return s == "undefined" }
	c.Read = func(v *jsondoc.Value) (*string, string) {
		if c.None(v) {
			return nil, ""
		}
		return read(v)
	}
	return c
}

// pairs is a list of [text, value] pairs. What is no pair stays where it stands while the list keeps its length.
func pairs[E comparable](read func(v *jsondoc.Value) (E, bool), write func(e E) *jsondoc.Value) fieldmap.Codec[[]E] {
	return fieldmap.Codec[[]E]{
		Read: func(v *jsondoc.Value) (*[]E, string) {
			if v.Kind() != jsondoc.KindArray {
				return nil, "is " + v.Kind().String() + " where a list of pairs is expected; it is kept for the way back but means nothing elsewhere"
			}
			out, odd := []E{}, ""
			for _, x := range v.Elems() {
				if e, ok := read(x); ok {
					out = append(out, e)
				} else {
					odd = "holds what is no pair; it is kept for the way back but means nothing elsewhere"
				}
			}
			return &out, odd
		},
		Write: func(es []E, old *jsondoc.Value) *jsondoc.Value {
			return fieldmap.WriteList(es, old, func(e E, was *jsondoc.Value) bool { x, ok := read(was); return ok && x == e }, write)
		},
	}
}

func pair(v *jsondoc.Value) (a, b *jsondoc.Value, ok bool) {
	if v.Kind() != jsondoc.KindArray || v.Len() < 2 {
		return nil, nil, false
	}
	for i, x := range v.Elems() {
		switch i {
		case 0:
			a = x
		case 1:
			b = x
		}
	}
	return a, b, true
}

func readBias(v *jsondoc.Value) (e canonical.Bias, ok bool) {
	a, b, ok := pair(v)
	if !ok {
		return e, false
	}
	phrase, ok := a.Text()
	weight, _ := fieldmap.Number().Read(b)
	if !ok || weight == nil {
		return e, false
	}
	return canonical.Bias{Phrase: phrase, Weight: *weight}, true
}

func writeBias(e canonical.Bias) *jsondoc.Value {
	v := jsondoc.Array()
	v.AppendElem(jsondoc.String(e.Phrase))
	v.AppendElem(jsondoc.Float(e.Weight))
	return v
}

func readRow(v *jsondoc.Value) (e canonical.Row, ok bool) {
	a, b, ok := pair(v)
	if !ok {
		return e, false
	}
	label, ok := a.Text()
	value, okv := b.Text()
	return canonical.Row{Label: label, Value: value}, ok && okv
}

func writeRow(e canonical.Row) *jsondoc.Value {
	v := jsondoc.Array()
	v.AppendElem(jsondoc.String(e.Label))
	v.AppendElem(jsondoc.String(e.Value))
	return v
}

const vits = "vits"

// voiceRow maps the model files of an on-device voice: {} is none.
func voiceRow(wire string) fieldmap.Row[body] {
	path := strings.Split(wire, ".")
	ours := func(c *body) *jsondoc.Value {
		if v := c.Persona.Voice; v != nil && v.Provider == vits {
			return v.Extras
		}
		return nil
	}
	return fieldmap.Custom("persona.voice", wire, []string{wire},
		func(obj *jsondoc.Value, c *body, warn fieldmap.Warn) {
			switch v := obj.At(path...); {
			case fieldmap.Blank(v):
			case v.Kind() != jsondoc.KindObject:
				warn(wire, "is "+v.Kind().String()+" where the files of a voice are expected; it is kept for the way back but means nothing elsewhere")
			default:
				c.Persona.Voice = &canonical.Voice{Provider: vits, Extras: v.Clone()}
			}
		},
		func(a, b *body) bool { return jsondoc.Equal(ours(a), ours(b)) },
		func(obj *jsondoc.Value, c *body, _ fieldmap.Near) {
			if x := ours(c); x != nil {
				fieldmap.Put(obj, path, x.Clone())
			} else {
				fieldmap.Drop(obj, path)
			}
		}).Noted("Risu has the files of an on-device VITS voice here and no other voice")
}

// triggers is a list of trigger scripts: data, carried and shown, never run.
func triggers() fieldmap.Codec[[]canonical.CardTrigger] {
	return fieldmap.Codec[[]canonical.CardTrigger]{
		Read: func(v *jsondoc.Value) (*[]canonical.CardTrigger, string) {
			if v.Kind() != jsondoc.KindArray {
				return nil, "is " + v.Kind().String() + " where a list of triggers is expected; it is kept for the way back but means nothing elsewhere"
			}
			out, odd := []canonical.CardTrigger{}, ""
			for _, x := range v.Elems() {
				if t, ok := readTrigger(x); ok {
					out = append(out, t)
				} else {
					odd = "holds what is no trigger; it is kept for the way back but means nothing elsewhere"
				}
			}
			return &out, odd
		},
		Write: func(ts []canonical.CardTrigger, old *jsondoc.Value) *jsondoc.Value {
			if old.Kind() == jsondoc.KindArray && old.Len() == len(ts) {
				fits := true
				for _, x := range old.Elems() {
					_, ok := readTrigger(x)
					fits = fits && ok
				}
				if fits {
					for i, x := range old.Elems() {
						putTrigger(x, ts[i])
					}
					return old
				}
			}
			return fieldmap.WriteList(ts, old, func(t canonical.CardTrigger, was *jsondoc.Value) bool {
				x, ok := readTrigger(was)
				return ok && sameTrigger(x, t)
			}, func(t canonical.CardTrigger) *jsondoc.Value {
				v := jsondoc.Object()
				v.Set("comment", jsondoc.String(""))
				v.Set("type", jsondoc.String(""))
				v.Set("conditions", jsondoc.Array())
				v.Set("effect", jsondoc.Array())
				putTrigger(v, t)
				return v
			})
		},
	}
}

func readTrigger(v *jsondoc.Value) (t canonical.CardTrigger, ok bool) {
	if v.Kind() != jsondoc.KindObject {
		return t, false
	}
	if s, ok := v.Get("comment").Text(); ok {
		t.Label = &s
	}
	t.Event, _ = v.Get("type").Text()
	t.Conditions, t.Effects = v.Get("conditions").Clone(), v.Get("effect").Clone()
	return t, true
}

func putTrigger(v *jsondoc.Value, t canonical.CardTrigger) {
	was, _ := readTrigger(v)
	if canonical.Or(was.Label, "") != canonical.Or(t.Label, "") {
		v.Set("comment", jsondoc.String(canonical.Or(t.Label, "")))
	}
	if was.Event != t.Event {
		v.Set("type", jsondoc.String(t.Event))
	}
	set := func(name string, now, was *jsondoc.Value) {
		switch {
		case jsondoc.Equal(now, was):
		case now == nil:
			v.Delete(name)
		default:
			v.Set(name, now.Clone())
		}
	}
	set("conditions", t.Conditions, was.Conditions)
	set("effect", t.Effects, was.Effects)
}

func sameTrigger(a, b canonical.CardTrigger) bool {
	return canonical.Or(a.Label, "") == canonical.Or(b.Label, "") && a.Event == b.Event && jsondoc.Equal(a.Conditions, b.Conditions) && jsondoc.Equal(a.Effects, b.Effects)
}

// oddTriggers lists members of triggers that have no home.
func oddTriggers(wire string) func(obj *jsondoc.Value) []string {
	path := strings.Split(wire, ".")
	return func(obj *jsondoc.Value) (out []string) {
		seen := map[string]bool{}
		add := func(p string) {
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
		v := obj.At(path...)
		if v.Kind() != jsondoc.KindArray && !fieldmap.Blank(v) {
			add(wire)
		}
		for _, x := range v.Elems() {
			if x.Kind() != jsondoc.KindObject && !x.IsNull() {
				add(wire + "[]")
			}
			for k, m := range x.Members() {
				switch k {
				case "comment", "type", "conditions", "effect":
				default:
					if !fieldmap.Blank(m) {
						add(wire + "[]." + k)
					}
				}
			}
		}
		return out
	}
}
