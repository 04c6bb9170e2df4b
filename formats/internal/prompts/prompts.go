// Package prompts is what preset formats share: the reach of every field of the canonical preset, the names of the
// places that an app fills (chat history, world info, ...), and how prompts and their headings stand in one sequence.
// It knows no wire format.
package prompts

import (
	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

type preset = canonical.Preset

// Slot is a built-in prompt of the Tavern family. Its name is SillyTavern's identifier, the best known one.
type Slot struct {
	Name  string
	Label string
	Text  bool // the preset holds its text; otherwise the app puts something in
}

// Slots lists the built-ins in the order in which SillyTavern sends them.
var Slots = []Slot{
	{"main", "Main Prompt", true}, {"worldInfoBefore", "World Info (before)", false}, {"personaDescription", "Persona Description", false},
	{"charDescription", "Char Description", false}, {"charPersonality", "Char Personality", false}, {"scenario", "Scenario", false},
	{"enhanceDefinitions", "Enhance Definitions", true}, {"nsfw", "Auxiliary Prompt", true}, {"worldInfoAfter", "World Info (after)", false},
	{"dialogueExamples", "Chat Examples", false}, {"chatHistory", "Chat History", false}, {"jailbreak", "Post-History Instructions", true},
}

// ChatHistory is the slot that parts what comes before the chat from what comes after it.
const ChatHistory = "chatHistory"

// SlotOf returns the built-in of that name, nil when there is none.
func SlotOf(name string) *Slot {
	for i := range Slots {
		if Slots[i].Name == name {
			return &Slots[i]
		}
	}
	return nil
}

// Structural reports a slot whose text comes from the app.
func Structural(name string) bool {
	s := SlotOf(name)
	return s != nil && !s.Text
}

// SlotName is the slot of a prompt: what it says, "" for none.
func SlotName(p *canonical.Prompt) string { return canonical.Or(p.MarkerSlot, "") }

func reach[G comparable, T comparable](group func(p *preset) **G, field func(g *G) **T) fieldmap.Access[preset, T] {
	return fieldmap.Access[preset, T]{
		Get: func(p *preset) (t T, ok bool) {
			if g := *group(p); g != nil {
				if f := *field(g); f != nil {
					return *f, true
				}
			}
			return t, false
		},
		Set: func(p *preset, t T) {
			g := group(p)
			if *g == nil {
				*g = new(G)
			}
			*field(*g) = &t
		},
		Clear: func(p *preset) {
			var zero G
			if g := group(p); *g != nil {
				if *field(*g) = nil; **g == zero {
					*g = nil
				}
			}
		},
		Same: func(a, b T) bool { return a == b },
	}
}

type (
	num  = fieldmap.Access[preset, float64]
	text = fieldmap.Access[preset, string]
	sw   = fieldmap.Access[preset, bool]
)

func samplers(p *preset) **canonical.Samplers       { return &p.Samplers }
func system(p *preset) **canonical.SystemPrompts    { return &p.SystemPrompts }
func templates(p *preset) **canonical.Templates     { return &p.Templates }
func behavior(p *preset) **canonical.PresetBehavior { return &p.Behavior }
func api(p *preset) **canonical.APIOptions          { return &p.APIOptions }
func media(p *preset) **canonical.PresetMedia       { return &p.Media }
func generation(p *preset) **canonical.Generation   { return &p.Generation }

// field is one scalar of the preset; access is num, text or sw.
type field struct {
	path   string
	access any
}

// fields are all scalars of the preset beside its name, in model order.
var fields = []field{
	{"description", fieldmap.Ptr(func(p *preset) **string { return &p.Description })},
	{"enabled", fieldmap.Ptr(func(p *preset) **bool { return &p.Enabled })},
	{"samplers.temperature", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.Temperature })},
	{"samplers.topP", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.TopP })},
	{"samplers.topK", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.TopK })},
	{"samplers.topA", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.TopA })},
	{"samplers.minP", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.MinP })},
	{"samplers.frequencyPenalty", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.FrequencyPenalty })},
	{"samplers.presencePenalty", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.PresencePenalty })},
	{"samplers.repetitionPenalty", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.RepetitionPenalty })},
	{"samplers.maxContext", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.MaxContext })},
	{"samplers.maxTokens", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.MaxTokens })},
	{"samplers.maxMessages", reach(samplers, func(s *canonical.Samplers) **float64 { return &s.MaxMessages })},
	{"samplers.contextMode", reach(samplers, func(s *canonical.Samplers) **string { return &s.ContextMode })},
	{"samplers.promptPostProcessing", reach(samplers, func(s *canonical.Samplers) **string { return &s.PromptPostProcessing })},
	{"systemPrompts.impersonation", reach(system, func(s *canonical.SystemPrompts) **string { return &s.Impersonation })},
	{"systemPrompts.newChat", reach(system, func(s *canonical.SystemPrompts) **string { return &s.NewChat })},
	{"systemPrompts.newGroupChat", reach(system, func(s *canonical.SystemPrompts) **string { return &s.NewGroupChat })},
	{"systemPrompts.newExampleChat", reach(system, func(s *canonical.SystemPrompts) **string { return &s.NewExampleChat })},
	{"systemPrompts.continueNudge", reach(system, func(s *canonical.SystemPrompts) **string { return &s.ContinueNudge })},
	{"systemPrompts.groupNudge", reach(system, func(s *canonical.SystemPrompts) **string { return &s.GroupNudge })},
	{"systemPrompts.assistantPrefill", reach(system, func(s *canonical.SystemPrompts) **string { return &s.AssistantPrefill })},
	{"systemPrompts.assistantImpersonation", reach(system, func(s *canonical.SystemPrompts) **string { return &s.AssistantImpersonation })},
	{"templates.worldInfoFormat", reach(templates, func(t *canonical.Templates) **string { return &t.WorldInfoFormat })},
	{"templates.scenarioFormat", reach(templates, func(t *canonical.Templates) **string { return &t.ScenarioFormat })},
	{"templates.personalityFormat", reach(templates, func(t *canonical.Templates) **string { return &t.PersonalityFormat })},
	{"behavior.wrapInQuotes", reach(behavior, func(b *canonical.PresetBehavior) **bool { return &b.WrapInQuotes })},
	{"behavior.namesBehavior", reach(behavior, func(b *canonical.PresetBehavior) **float64 { return &b.NamesBehavior })},
	{"behavior.sendIfEmpty", reach(behavior, func(b *canonical.PresetBehavior) **string { return &b.SendIfEmpty })},
	{"behavior.continuePrefill", reach(behavior, func(b *canonical.PresetBehavior) **bool { return &b.ContinuePrefill })},
	{"behavior.continuePostfix", reach(behavior, func(b *canonical.PresetBehavior) **string { return &b.ContinuePostfix })},
	{"apiOptions.streamResponses", reach(api, func(a *canonical.APIOptions) **bool { return &a.StreamResponses })},
	{"apiOptions.claudeUseSystemPrompt", reach(api, func(a *canonical.APIOptions) **bool { return &a.ClaudeUseSystemPrompt })},
	{"apiOptions.useMakerSuiteSystemPrompt", reach(api, func(a *canonical.APIOptions) **bool { return &a.UseMakerSuiteSysPrompt })},
	{"apiOptions.squashSystemMessages", reach(api, func(a *canonical.APIOptions) **bool { return &a.SquashSystemMessages })},
	{"apiOptions.functionCalling", reach(api, func(a *canonical.APIOptions) **bool { return &a.FunctionCalling })},
	{"apiOptions.showThoughts", reach(api, func(a *canonical.APIOptions) **bool { return &a.ShowThoughts })},
	{"apiOptions.reasoningEffort", reach(api, func(a *canonical.APIOptions) **string { return &a.ReasoningEffort })},
	{"apiOptions.enableWebSearch", reach(api, func(a *canonical.APIOptions) **bool { return &a.EnableWebSearch })},
	{"apiOptions.requestImages", reach(api, func(a *canonical.APIOptions) **bool { return &a.RequestImages })},
	{"media.imageInlining", reach(media, func(m *canonical.PresetMedia) **bool { return &m.ImageInlining })},
	{"media.inlineImageQuality", reach(media, func(m *canonical.PresetMedia) **string { return &m.InlineImageQuality })},
	{"media.videoInlining", reach(media, func(m *canonical.PresetMedia) **bool { return &m.VideoInlining })},
	{"generation.seed", reach(generation, func(g *canonical.Generation) **float64 { return &g.Seed })},
	{"generation.completions", reach(generation, func(g *canonical.Generation) **float64 { return &g.Completions })},
	{"generation.maxContextUnlocked", reach(generation, func(g *canonical.Generation) **bool { return &g.MaxContextUnlocked })},
	{"generation.biasPreset", reach(generation, func(g *canonical.Generation) **string { return &g.BiasPreset })},
}

// Wire says where a scalar of the preset stands. The first place is the home; a value that stands at another one stays
// there. Codec, where the plain one will not do, is a fieldmap.Codec of the field's type.
type Wire struct {
	Path   string // canonical
	Places []string
	Codec  any
	Note   string
	Null   bool // an absent value is null and not a missing member
}

// W is a Wire with the plain codec.
func W(path string, places ...string) Wire { return Wire{Path: path, Places: places} }

// Table makes the rows of a format: at turns a place into the path of this shape. Scalars that have no line get a row
// that parks them below park; an empty park leaves them out.
func Table(wires []Wire, at func(place string) string, park, why string) fieldmap.Map[preset] {
	by := map[string]Wire{}
	for _, w := range wires {
		by[w.Path] = w
	}
	var m fieldmap.Map[preset]
	for _, f := range fields {
		w, ok := by[f.path]
		switch {
		case ok:
			places := make([]string, len(w.Places))
			for i, p := range w.Places {
				places[i] = at(p)
			}
			m = append(m, row(f, w, places))
		case park != "":
			m = append(m, row(f, Wire{Path: f.path}, []string{at(park) + "." + f.path}).Parked(why))
		}
	}
	return m
}

func row(f field, w Wire, places []string) fieldmap.Row[preset] {
	var r fieldmap.Row[preset]
	switch acc := f.access.(type) {
	case num:
		r = build(f.path, acc, w, places, fieldmap.Number())
	case text:
		r = build(f.path, acc, w, places, fieldmap.Text())
	case sw:
		r = build(f.path, acc, w, places, Switch())
	}
	return r.Noted(w.Note)
}

func build[T any](path string, acc fieldmap.Access[preset, T], w Wire, places []string, c fieldmap.Codec[T]) fieldmap.Row[preset] {
	if x, ok := w.Codec.(fieldmap.Codec[T]); ok {
		c = x
	}
	if w.Null {
		c = c.Required(jsondoc.Null)
	}
	var at []fieldmap.Place[T]
	for _, p := range places {
		at = append(at, fieldmap.At(p, c))
	}
	return fieldmap.New(path, acc, at...).AtHeld()
}

// Switch is fieldmap.Bool that keeps a text a text.
func Switch() fieldmap.Codec[bool] {
	c := fieldmap.Bool()
	return fieldmap.Codec[bool]{Read: c.Read, Write: func(b bool, old *jsondoc.Value) *jsondoc.Value {
		if old.Kind() == jsondoc.KindString {
			if b {
				return jsondoc.String("true")
			}
			return jsondoc.String("false")
		}
		return jsondoc.Bool(b)
	}}
}

// TextAccess returns the reach of a text field, for rows that a format makes itself.
func TextAccess(path string) fieldmap.Access[preset, string] {
	for _, f := range fields {
		if a, ok := f.access.(text); ok && f.path == path {
			return a
		}
	}
	panic("prompts: no text " + path)
}

// Item is one line of a preset as a person sees it: a prompt or a heading.
type Item struct {
	Prompt *canonical.Prompt
	Group  *canonical.PromptGroup
}

// ID is the identifier of the line.
func (i Item) ID() string {
	if i.Group != nil {
		return i.Group.ID
	}
	return i.Prompt.ID
}

// Enabled is the switch of the line; absent is on.
func (i Item) Enabled() bool {
	if i.Group != nil {
		return canonical.Or(i.Group.Enabled, true)
	}
	return canonical.Or(i.Prompt.Enabled, true)
}

// Sequence puts headings and prompts into one list: a heading stands before its first prompt, headings without prompts
// where the list of groups has them.
func Sequence(p *preset) []Item {
	at := map[string]int{}
	for i := range p.Groups {
		if _, ok := at[p.Groups[i].ID]; !ok {
			at[p.Groups[i].ID] = i
		}
	}
	filled := make([]bool, len(p.Groups))
	for i := range p.Prompts {
		if k, ok := at[canonical.Or(p.Prompts[i].GroupID, "")]; ok {
			filled[k] = true
		}
	}
	out := make([]Item, 0, len(p.Prompts)+len(p.Groups))
	done := make([]bool, len(p.Groups))
	next := 0 // the headings before it stand, or wait for their first prompt
	open := func(k int) {
		if !done[k] {
			done[k] = true
			out = append(out, Item{Group: &p.Groups[k]})
		}
	}
	for i := range p.Prompts {
		x := &p.Prompts[i]
		if k, ok := at[canonical.Or(x.GroupID, "")]; ok && !done[k] {
			for ; next < k; next++ {
				if !filled[next] {
					open(next)
				}
			}
			open(k)
		}
		out = append(out, Item{Prompt: x})
	}
	for k := range p.Groups {
		open(k)
	}
	return out
}

// ParkChoices keeps choices, which few apps have, as they are in a canonical file.
func ParkChoices(place, why string) fieldmap.Row[preset] {
	c := fieldmap.Codec[[]canonical.Choice]{
		Read: func(v *jsondoc.Value) (*[]canonical.Choice, string) {
			out := []canonical.Choice{}
			for _, e := range v.Elems() {
				var x canonical.Choice
				if canonical.UnmarshalBody(e, &x) == nil {
					out = append(out, x)
				}
			}
			if len(out) == 0 {
				return nil, ""
			}
			return &out, ""
		},
		Write: func(list []canonical.Choice, _ *jsondoc.Value) *jsondoc.Value {
			out := jsondoc.Array()
			for i := range list {
				out.AppendElem(canonical.MarshalBody(&list[i]))
			}
			return out
		},
	}
	acc := fieldmap.Slice(func(p *preset) *[]canonical.Choice { return &p.Choices }, func(a, b canonical.Choice) bool {
		same, err := canonical.Same(&a, &b)
		return same && err == nil
	})
	return fieldmap.New("choices", acc, fieldmap.At(place, c)).Parked(why)
}
