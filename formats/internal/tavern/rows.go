package tavern

import (
	"slices"
	"strings"
	"sync"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/book"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
	"bunzai/limits"
)

type character = canonical.Character

// App is one dialect of the card.
type App struct {
	Name   string            // "sillytavern"
	Label  string            // "SillyTavern"
	Parked map[string]string // canonical path -> why the app ignores it

	// What an app does its own way; all may be nil.

	Extend   func(s *Source, c *canonical.Character)                            // reads what the app keeps beside the shared fields
	Media    func(d *Draft, body *canonical.Character, lim limits.Limits) error // writes the pictures instead of data.assets alone
	Skeleton func(v Variant) *jsondoc.Value                                     // a new card, with the app's order of members
	Indent   func(c formats.Container) string                                   // of a new card
	Known    []string                                                           // paths that Extend reads, for Unmapped
	Regex    bool                                                               // the app's codec takes the card's regex scripts out
	Own      func(v Variant) fieldmap.Map[canonical.Character]                  // rows of fields that only this app's cards have; a shared path is taken over
	Other    string                                                             // type of an asset without a role; "" = other
	Chunks   bool                                                               // a PNG card holds its assets in chunks of their own
	CardLast bool                                                               // a new archive ends with its card, as the app writes it
	Book     *book.Dialect                                                      // of every embedded book; nil tells it from the book
	JPEG     bool                                                               // an archive may stand behind a JPEG picture, in a .jpeg file
	Shows    func(tag string, c formats.Container) bool                         // the app fills in that tag for an asset of a card; nil: none

	maps sync.Map // Variant -> fieldmap.Map
}

// Source is a card document with the bytes beside it, as Extend gets it.
type Source struct {
	Root    *jsondoc.Value
	Variant Variant
	Res     *Resources
	Warn    fieldmap.Warn // takes the path in the document
}

type table struct {
	rows   fieldmap.Map[character]
	covers *fieldmap.Coverage
}

func (a *App) table(v Variant) *table {
	key := v
	if !v.Wrapped() && v != YAML {
		key = Flat
	}
	if t, ok := a.maps.Load(key); ok {
		return t.(*table)
	}
	t := &table{rows: a.build(key)}
	seen := append(known[:len(known):len(known)], a.Known...)
	if a.Regex {
		seen = append(seen, strings.Join(key.RegexPath(), "."), strings.Join(key.RegexRecord(), "."))
	}
	t.covers = t.rows.Coverage(seen...)
	a.maps.Store(key, t)
	return t
}

// Rows is the field map for cards of that variant, applied to the root of the document.
func (a *App) Rows(v Variant) fieldmap.Map[character] { return a.table(v).rows }

func (a *App) coverage(v Variant) *fieldmap.Coverage { return a.table(v).covers }

// Fields is the field map as seen from the canonical side.
func (a *App) Fields() []formats.Field { return a.Rows(V3).Fields("") }

func (a *App) build(v Variant) fieldmap.Map[character] {
	// places: the home in data, then the same name at the root (a mirror that SillyTavern writes, or the only copy in a
	// card whose data is partial), then other spellings.
	paths := func(name string, others ...string) []string {
		out := []string{v.prefix() + name}
		if other, ok := yamlNames[name]; ok && v == YAML {
			out = []string{other, name}
		}
		if v.Wrapped() {
			out = append(out, name)
		}
		return append(out, others...)
	}
	text := func(path, name string, f func(c *character) **string, others ...string) fieldmap.Row[character] {
		return fieldmap.New(path, fieldmap.Ptr(f), places(paths(name, others...), fieldmap.Text().Required(fieldmap.EmptyText))...)
	}
	greetings := fieldmap.Codec[[]canonical.Greeting]{Read: readGreetings, Write: writeGreetings, Empty: fieldmap.EmptyList}
	sameGreeting := func(a, b canonical.Greeting) bool { return a.Text == b.Text }
	v3text := func(path, name string, f func(c *character) **string) fieldmap.Row[character] {
		return fieldmap.New(path, fieldmap.Ptr(f), places(paths(name), fieldmap.Text())...).OnlyV3()
	}
	m := fieldmap.Map[character]{
		fieldmap.New("identity.name", fieldmap.Plain(func(c *character) *string { return &c.Identity.Name }), places(paths("name"), fieldmap.Text().Required(fieldmap.EmptyText))...),
		v3text("identity.nickname", "nickname", func(c *character) **string { return &c.Identity.Nickname }),
		text("identity.description", "description", func(c *character) **string { return &c.Identity.Description }),
		text("identity.characterVersion", "character_version", func(c *character) **string { return &c.Identity.CharacterVersion }),
		text("persona.personality", "personality", func(c *character) **string { return &c.Persona.Personality }),
		text("persona.scenario", "scenario", func(c *character) **string { return &c.Persona.Scenario }),
		text("prompts.systemPrompt", "system_prompt", func(c *character) **string { return &c.Prompts.SystemPrompt }),
		text("prompts.postHistoryInstructions", "post_history_instructions", func(c *character) **string { return &c.Prompts.PostHistoryInstructions }),
		depthPromptRow(v),
		text("greetings.firstMessage", "first_mes", func(c *character) **string { return &c.Greetings.FirstMessage }),
		fieldmap.New("greetings.alternateGreetings", fieldmap.Slice(func(c *character) *[]canonical.Greeting { return &c.Greetings.AlternateGreetings }, sameGreeting), places(paths("alternate_greetings"), greetings)...),
		fieldmap.New("greetings.groupOnlyGreetings", fieldmap.Slice(func(c *character) *[]canonical.Greeting { return &c.Greetings.GroupOnlyGreetings }, sameGreeting), places(paths("group_only_greetings"), greetings)...).OnlyV3(),
		text("examples.exampleMessages", "mes_example", func(c *character) **string { return &c.Examples.ExampleMessages }),
		text("attribution.creator", "creator", func(c *character) **string { return &c.Attribution.Creator }),
		fieldmap.New("attribution.source", fieldmap.Slice(func(c *character) *[]string { return &c.Attribution.Source }, same[string]), places([]string{v.prefix() + "source"}, sourceCodec())...).OnlyV3(),
		text("attribution.creatorNotes", "creator_notes", func(c *character) **string { return &c.Attribution.CreatorNotes }, "creatorcomment"),
		fieldmap.New("attribution.creatorNotesMultilingual", notesAccess(), places([]string{v.prefix() + "creator_notes_multilingual"}, notesCodec())...).OnlyV3(),
		fieldmap.New("attribution.createdAt", fieldmap.Ptr(func(c *character) **float64 { return &c.Attribution.CreatedAt }), places(paths("creation_date", "create_date", v.prefix()+"create_date"), dateCodec())...).OnlyV3(),
		fieldmap.New("attribution.updatedAt", fieldmap.Ptr(func(c *character) **float64 { return &c.Attribution.UpdatedAt }), places(paths("modification_date"), dateCodec())...).OnlyV3(),
		fieldmap.New("discovery.tags", fieldmap.Slice(func(c *character) *[]string { return &c.Discovery.Tags }, same[string]), places(paths("tags"), fieldmap.TextList(",").Required(fieldmap.EmptyList))...),
		fieldmap.New("settings.talkativeness", talkativeness(), places([]string{v.prefix() + "extensions.talkativeness", "talkativeness"}, fieldmap.Number())...),
		fieldmap.New("worldName", fieldmap.Ptr(func(c *character) **string { return &c.WorldName }), places([]string{v.prefix() + "extensions.world"}, fieldmap.Text())...),
	}
	if a.Own != nil {
		for _, r := range a.Own(v) {
			if i := slices.IndexFunc(m, func(x fieldmap.Row[character]) bool { return x.Path == r.Path }); i >= 0 {
				m[i] = r
			} else {
				m = append(m, r)
			}
		}
	}
	for i, r := range m {
		if r.V3 && v != V3 {
			r = r.WhereHeld() // a card of an older spec gains no field of V3
		}
		if v == Flat && (r.Path == "settings.talkativeness" || r.Path == "attribution.creatorNotes") {
			r = r.AtHeld() // SillyTavern reads these of a card without spec under either name
		}
		if why, ok := a.Parked[r.Path]; ok {
			r = r.Parked(why)
		}
		if v == YAML && !yamlReads[r.Path] {
			r = r.Parked(yamlParked)
		}
		m[i] = r
	}
	return m
}

func same[T comparable](a, b T) bool { return a == b }

func places[T any](paths []string, c fieldmap.Codec[T]) []fieldmap.Place[T] {
	out := make([]fieldmap.Place[T], len(paths))
	for i, p := range paths {
		out[i] = fieldmap.At(p, c)
	}
	return out
}

func readGreetings(v *jsondoc.Value) (*[]canonical.Greeting, string) {
	list, odd := fieldmap.TextList("").Read(v)
	if list == nil {
		return nil, odd
	}
	out := make([]canonical.Greeting, len(*list))
	for i, s := range *list {
		out[i].Text = s
	}
	return &out, odd
}

func writeGreetings(gs []canonical.Greeting, old *jsondoc.Value) *jsondoc.Value {
	list := make([]string, len(gs))
	for i, g := range gs {
		list[i] = g.Text
	}
	return fieldmap.TextList("").Write(list, old)
}

// sourceCodec reads only a list of texts; other shapes mean nothing and are left alone.
func sourceCodec() fieldmap.Codec[[]string] {
	c := fieldmap.TextList("")
	return fieldmap.Codec[[]string]{Read: func(v *jsondoc.Value) (*[]string, string) {
		if v.Kind() != jsondoc.KindArray {
			return nil, "is " + v.Kind().String() + " where a list is expected; it is kept for the way back"
		}
		return c.Read(v)
	}, Write: c.Write}
}

func notesAccess() fieldmap.Access[character, canonical.Map[string]] {
	return fieldmap.Access[character, canonical.Map[string]]{
		Get: func(c *character) (canonical.Map[string], bool) {
			m := c.Attribution.CreatorNotesMultilingual
			return m, m != nil
		},
		Set:   func(c *character, m canonical.Map[string]) { c.Attribution.CreatorNotesMultilingual = m },
		Clear: func(c *character) { c.Attribution.CreatorNotesMultilingual = nil },
		Same:  func(a, b canonical.Map[string]) bool { return slices.Equal(a, b) },
	}
}

func notesCodec() fieldmap.Codec[canonical.Map[string]] {
	return fieldmap.Codec[canonical.Map[string]]{
		Read: func(v *jsondoc.Value) (*canonical.Map[string], string) {
			if v.Kind() != jsondoc.KindObject {
				return nil, "is " + v.Kind().String() + " where an object of languages is expected"
			}
			m, odd := canonical.Map[string]{}, ""
			for k, x := range v.Members() {
				if s, ok := x.Text(); ok {
					m = append(m, canonical.Pair[string]{Key: k, Value: s})
				} else if !x.IsNull() {
					odd = "holds " + x.Kind().String() + " among its texts; it is kept for the way back but means nothing elsewhere"
				}
			}
			return &m, odd
		},
		Write: func(m canonical.Map[string], old *jsondoc.Value) *jsondoc.Value {
			if old.Kind() != jsondoc.KindObject {
				old = jsondoc.Object()
			}
			var gone []string
			for k, x := range old.Members() {
				if _, ok := x.Text(); ok {
					if _, keep := m.Get(k); !keep {
						gone = append(gone, k)
					}
				}
			}
			for _, k := range gone {
				old.Delete(k)
			}
			for _, p := range m {
				old.Set(p.Key, jsondoc.String(p.Value))
			}
			return old
		},
	}
}

func talkativeness() fieldmap.Access[character, float64] {
	return fieldmap.Access[character, float64]{
		Get: func(c *character) (float64, bool) {
			if c.Settings == nil || c.Settings.Talkativeness == nil {
				return 0, false
			}
			return *c.Settings.Talkativeness, true
		},
		Set: func(c *character, f float64) {
			if c.Settings == nil {
				c.Settings = &canonical.Settings{}
			}
			c.Settings.Talkativeness = &f
		},
		Clear: func(c *character) {
			if c.Settings != nil {
				c.Settings.Talkativeness = nil
			}
		},
		Same: same[float64],
	}
}

const originDepthPrompt = "depth_prompt"

// depthPrompt finds the injection that lives in extensions.depth_prompt: the first of that origin, else the first that
// names no origin.
func depthPrompt(c *character) *canonical.DepthInjection {
	for i := range c.Prompts.DepthInjections {
		if d := &c.Prompts.DepthInjections[i]; canonical.Or(d.Origin, originDepthPrompt) == originDepthPrompt {
			return d
		}
	}
	return nil
}

// depthPromptRow maps SillyTavern's character note {prompt, depth, role}. Without a text there is no injection; the
// object stays for the way back.
func depthPromptRow(v Variant) fieldmap.Row[character] {
	wire := v.prefix() + "extensions.depth_prompt"
	path := strings.Split(wire, ".")
	num, text := fieldmap.Number(), fieldmap.Text()
	return fieldmap.Custom("prompts.depthInjections", wire, []string{wire},
		func(obj *jsondoc.Value, c *character, warn fieldmap.Warn) {
			o := obj.At(path...)
			prompt, _ := o.Get("prompt").Text()
			if s, ok := o.Text(); ok {
				prompt = s // Lumiverse takes it for a text
			}
			if prompt == "" {
				return
			}
			d := canonical.DepthInjection{Text: prompt, Origin: canonical.Ptr(originDepthPrompt)}
			if x := o.Get("depth"); x != nil && !x.IsNull() {
				var odd string
				if d.Depth, odd = num.Read(x); odd != "" {
					warn(wire+".depth", odd)
				}
			}
			if x := o.Get("role"); x != nil && !x.IsNull() {
				var odd string
				if d.Role, odd = text.Read(x); odd != "" {
					warn(wire+".role", odd)
				}
			}
			c.Prompts.DepthInjections = append(c.Prompts.DepthInjections, d)
		},
		func(a, b *character) bool {
			x, y := depthPrompt(a), depthPrompt(b)
			if x == nil || y == nil {
				return x == y
			}
			return x.Text == y.Text && samePtr(x.Depth, y.Depth) && samePtr(x.Role, y.Role)
		},
		func(obj *jsondoc.Value, c *character, _ fieldmap.Near) {
			d := depthPrompt(c)
			old := obj.At(path...)
			if d == nil {
				if old != nil {
					fieldmap.Drop(obj, path)
				}
				return
			}
			if old.Kind() != jsondoc.KindObject {
				fieldmap.Put(obj, path, jsondoc.Object())
				old = obj.At(path...)
			}
			old.Set("prompt", jsondoc.String(d.Text))
			if x, _ := num.Read(old.Get("depth")); !samePtr(x, d.Depth) {
				setOr(old, "depth", d.Depth, func(f float64, was *jsondoc.Value) *jsondoc.Value { return num.Write(f, was) })
			}
			if x, _ := text.Read(old.Get("role")); !samePtr(x, d.Role) {
				setOr(old, "role", d.Role, func(s string, was *jsondoc.Value) *jsondoc.Value { return jsondoc.String(s) })
			}
		}).Of("prompt", "depth", "role")
}

func setOr[T any](obj *jsondoc.Value, name string, t *T, write func(t T, old *jsondoc.Value) *jsondoc.Value) {
	if t == nil {
		obj.Delete(name)
		return
	}
	obj.Set(name, write(*t, obj.Get(name)))
}

func samePtr[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}
