package book

import (
	"slices"
	"strings"
	"sync"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

type entry = canonical.Entry

var maps sync.Map // *Dialect -> *tables

// tables are the field maps of a dialect with what they cover.
type tables struct {
	rows             fieldmap.Map[entry]
	book             fieldmap.Map[lorebook]
	entryCovers, all *fieldmap.Coverage
}

func (d *Dialect) tables() *tables {
	if t, ok := maps.Load(d); ok {
		return t.(*tables)
	}
	t := &tables{rows: d.build(), book: d.buildBook()}
	t.entryCovers = t.rows.Coverage("id", "uid", "extensions.uid")
	if d.isRisu() {
		t.entryCovers = t.rows.Coverage("id", "uid", "bookVersion", "loreCache", "activationPercent", "extensions.risu_loreCache", "extensions.risu_activationPercent", d.ext+".bunzai."+NoteMark)
	}
	t.all = t.book.Coverage("entries", "type", "version", "spec", "exported_at", "extensions."+mergedKey, "extensions."+othersKey)
	maps.Store(d, t)
	return t
}

// Rows is the entry field map of the dialect.
func (d *Dialect) Rows() fieldmap.Map[entry] { return d.tables().rows }

// BookRows is the field map of what stands beside the entries.
func (d *Dialect) BookRows() fieldmap.Map[lorebook] { return d.tables().book }

// Fields is the field map of the book and its entries as seen from the canonical side.
func (d *Dialect) Fields() []formats.Field {
	out := append(d.BookRows().Fields(""), d.Rows().Fields("entries[].")...)
	if d.isRisu() {
		out = append(out, d.folderRows().Fields("categories[].")...)
	}
	return out
}

func (d *Dialect) build() fieldmap.Map[entry] {
	if d.isRisu() {
		return d.buildRisu()
	}
	num := func(field string, f func(e *entry) **float64) fieldmap.Row[entry] {
		return row(d, field, fieldmap.Ptr(f), fieldmap.Number())
	}
	sw := func(field string, f func(e *entry) **bool) fieldmap.Row[entry] {
		return row(d, field, fieldmap.Ptr(f), fieldmap.Bool())
	}
	text := func(field string, f func(e *entry) **string) fieldmap.Row[entry] {
		return row(d, field, fieldmap.Ptr(f), fieldmap.Text())
	}
	logic := fieldmap.Ptr(func(e *entry) **string { return &e.SelectiveLogic })
	role := fieldmap.Ptr(func(e *entry) **string { return &e.Role })
	order := func(e *entry) **float64 { return &e.SortOrder }
	recursion := fieldmap.Ptr(func(e *entry) **float64 { return &e.DelayUntilRecursion })
	m := fieldmap.Map[entry]{
		d.titleRow(), d.commentRow(),
		fieldmap.New("content", fieldmap.Plain(func(e *entry) *string { return &e.Content }), fieldmap.At("content", fieldmap.Text().Required(fieldmap.EmptyText)), fieldmap.At("entry", fieldmap.Text())),
		d.enabledRow(),
		sw("constant", func(e *entry) **bool { return &e.Constant }),
		d.silentRow(row(d, "triggerMode", fieldmap.Ptr(func(e *entry) **string { return &e.TriggerMode }), modeCodec())),
		d.silentRow(row(d, "selectiveLogic", logic, fieldmap.Enum(d.logic, false))),
		sw("caseSensitive", func(e *entry) **bool { return &e.CaseSensitive }),
		sw("matchWholeWords", func(e *entry) **bool { return &e.MatchWholeWords }),
	}
	if d.object {
		m = append(m, d.keyRow("triggers", func(e *entry) *[]canonical.Trigger { return &e.Triggers }, "key", "keys"),
			d.keyRow("secondaryTriggers", func(e *entry) *[]canonical.Trigger { return &e.SecondaryTriggers }, "keysecondary", "secondary_keys"))
	} else if d.File {
		m = append(m, d.keyRow("triggers", func(e *entry) *[]canonical.Trigger { return &e.Triggers }, "key", "keys"),
			d.keyRow("secondaryTriggers", func(e *entry) *[]canonical.Trigger { return &e.SecondaryTriggers }, "keysecondary", "secondary_keys"))
	} else {
		m = append(m, d.keyRow("triggers", func(e *entry) *[]canonical.Trigger { return &e.Triggers }, "keys", "key"),
			d.keyRow("secondaryTriggers", func(e *entry) *[]canonical.Trigger { return &e.SecondaryTriggers }, "secondary_keys", "keysecondary"))
	}
	m = append(m,
		num("scanDepth", func(e *entry) **float64 { return &e.ScanDepth }),
		d.silentRow(d.positionRow()),
		num("depth", func(e *entry) **float64 { return &e.Depth }),
		row(d, "role", role, fieldmap.Enum(roles, d.roleText)),
		text("outletName", func(e *entry) **string { return &e.OutletName }),
		text("marker", func(e *entry) **string { return &e.Marker }),
		text("markerSide", func(e *entry) **string { return &e.MarkerSide }),
		fieldmap.Silent(num("sortOrder", order), fieldmap.Ptr(order), unsaidPath("sortOrder"), fieldmap.Number(), fieldmap.Number()),
		num("priority", func(e *entry) **float64 { return &e.Priority }),
		num("sticky", func(e *entry) **float64 { return &e.Sticky }),
		num("cooldown", func(e *entry) **float64 { return &e.Cooldown }),
		num("delay", func(e *entry) **float64 { return &e.Delay }),
		text("groupName", func(e *entry) **string { return &e.GroupName }),
		num("groupWeight", func(e *entry) **float64 { return &e.GroupWeight }),
		sw("groupOverride", func(e *entry) **bool { return &e.GroupOverride }),
		sw("useGroupScoring", func(e *entry) **bool { return &e.UseGroupScoring }),
		num("probability", func(e *entry) **float64 { return &e.Probability }),
		sw("useProbability", func(e *entry) **bool { return &e.UseProbability }),
		sw("useMemo", func(e *entry) **bool { return &e.UseMemo }),
		sw("excludeRecursion", func(e *entry) **bool { return &e.ExcludeRecursion }),
		sw("preventRecursion", func(e *entry) **bool { return &e.PreventRecursion }),
	)
	if d.boolOnly {
		r := row(d, "delayUntilRecursion", recursion, levelSwitch())
		m = append(m, fieldmap.ParkAt(r, recursion, parkPath("delayUntilRecursion"), fieldmap.Number(), levelSwitch(), "the app only knows on and off here, no levels"))
	} else {
		m = append(m, row(d, "delayUntilRecursion", recursion, levelCodec()))
	}
	return append(m,
		sw("ignoreBudget", func(e *entry) **bool { return &e.IgnoreBudget }),
		row(d, "characterFilter", filterAccess(), filterCodec()).Of("names", "tags", "isExclude"),
		row(d, "generationTypes", fieldmap.Slice(func(e *entry) *[]string { return &e.GenerationTypes }, equal[string]), fieldmap.TextList("")),
		sw("scanCharacterDescription", func(e *entry) **bool { return &e.ScanCharacterDescription }),
		sw("scanCharacterPersonality", func(e *entry) **bool { return &e.ScanCharacterPersonality }),
		sw("scanUserPersona", func(e *entry) **bool { return &e.ScanUserPersona }),
		sw("scanScenario", func(e *entry) **bool { return &e.ScanScenario }),
		sw("scanCharacterDepthPrompt", func(e *entry) **bool { return &e.ScanCharacterDepthPrompt }),
		sw("scanCreatorNotes", func(e *entry) **bool { return &e.ScanCreatorNotes }),
		sw("vectorized", func(e *entry) **bool { return &e.Vectorized }),
		text("automationId", func(e *entry) **string { return &e.AutomationID }),
		num("displayIndex", func(e *entry) **float64 { return &e.DisplayIndex }),
		parkedText("categoryId", func(e *entry) **string { return &e.CategoryID }),
	)
}

func equal[T comparable](a, b T) bool { return a == b }

func row[T any](d *Dialect, field string, acc fieldmap.Access[entry, T], c fieldmap.Codec[T]) fieldmap.Row[entry] {
	var places []fieldmap.Place[T]
	for _, p := range d.paths(field) {
		places = append(places, fieldmap.At(p, c))
	}
	r := fieldmap.New(field, acc, places...)
	if d == WorldInfo && field == "priority" {
		r = r.AtHeld()
	}
	if reads, why := d.reads(field); !reads {
		r = r.Parked(why)
	}
	return r
}

// parkedText is a field that no Tavern app has: it lies in extensions.bunzai.
func parkedText(field string, f func(e *entry) **string) fieldmap.Row[entry] {
	return fieldmap.New(field, fieldmap.Ptr(f), fieldmap.At(parkPath(field), fieldmap.Text())).Parked("no app of this family has this field; it is kept under extensions.bunzai for the way back")
}

// Trigger modes: the secondary keys sleep, or count.
const (
	simple   = "simple"
	advanced = "advanced"
)

func modeCodec() fieldmap.Codec[string] {
	b := fieldmap.Bool()
	return fieldmap.Codec[string]{
		Read: func(v *jsondoc.Value) (*string, string) {
			on, odd := b.Read(v)
			if on == nil {
				return nil, odd
			}
			mode := simple
			if *on {
				mode = advanced
			}
			return &mode, odd
		},
		Write: func(s string, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.Bool(s == advanced) },
	}
}

// levelCodec is SillyTavern's delayUntilRecursion: false or 0 off, true level 1, a number that level.
func levelCodec() fieldmap.Codec[float64] {
	n := fieldmap.Number()
	return fieldmap.Codec[float64]{
		Read: func(v *jsondoc.Value) (*float64, string) {
			if b, ok := v.Bool(); ok {
				if b {
					return canonical.Ptr(1.0), ""
				}
				return canonical.Ptr(0.0), ""
			}
			return n.Read(v)
		},
		Write: func(f float64, old *jsondoc.Value) *jsondoc.Value {
			if old.Kind() == jsondoc.KindBool && (f == 0 || f == 1) {
				return jsondoc.Bool(f == 1)
			}
			return n.Write(f, old)
		},
	}
}

// levelSwitch is the same for an app that only knows on and off.
func levelSwitch() fieldmap.Codec[float64] {
	c := levelCodec()
	return fieldmap.Codec[float64]{Read: c.Read, Write: func(f float64, _ *jsondoc.Value) *jsondoc.Value { return jsondoc.Bool(f != 0) }}
}

func filterAccess() fieldmap.Access[entry, canonical.CharacterFilter] {
	return fieldmap.Access[entry, canonical.CharacterFilter]{
		Get: func(e *entry) (f canonical.CharacterFilter, ok bool) {
			if e.CharacterFilter != nil {
				return *e.CharacterFilter, true
			}
			return f, false
		},
		Set:   func(e *entry, f canonical.CharacterFilter) { e.CharacterFilter = &f },
		Clear: func(e *entry) { e.CharacterFilter = nil },
		Same: func(a, b canonical.CharacterFilter) bool {
			return slices.Equal(a.Names, b.Names) && slices.Equal(a.Tags, b.Tags) && samePtr(a.IsExclude, b.IsExclude)
		},
	}
}

func filterCodec() fieldmap.Codec[canonical.CharacterFilter] {
	list, sw := fieldmap.TextList(""), fieldmap.Bool()
	return fieldmap.Codec[canonical.CharacterFilter]{
		Read: func(v *jsondoc.Value) (*canonical.CharacterFilter, string) {
			if v.Kind() != jsondoc.KindObject {
				return nil, "is " + v.Kind().String() + " where a filter object is expected"
			}
			f := &canonical.CharacterFilter{}
			if x := v.Get("names"); x != nil && !x.IsNull() {
				if l, _ := list.Read(x); l != nil {
					f.Names = *l
				}
			}
			if x := v.Get("tags"); x != nil && !x.IsNull() {
				if l, _ := list.Read(x); l != nil {
					f.Tags = *l
				}
			}
			if x := v.Get("isExclude"); x != nil && !x.IsNull() {
				f.IsExclude, _ = sw.Read(x)
			}
			return f, ""
		},
		Write: func(f canonical.CharacterFilter, old *jsondoc.Value) *jsondoc.Value {
			if old.Kind() != jsondoc.KindObject {
				old = jsondoc.Object()
			}
			old.Set("isExclude", jsondoc.Bool(canonical.Or(f.IsExclude, false)))
			old.Set("names", list.Write(f.Names, old.Get("names")))
			old.Set("tags", list.Write(f.Tags, old.Get("tags")))
			return old
		},
	}
}

// enabledRow: World Info and Lumiverse files say disable(d), books say enabled. Where a file says both and they
// disagree, the file's own family decides and the other is named.
func (d *Dialect) enabledRow() fieldmap.Row[entry] {
	acc := fieldmap.Ptr(func(e *entry) **bool { return &e.Enabled })
	yes, not := fieldmap.Bool(), fieldmap.Not()
	places := []fieldmap.Place[bool]{fieldmap.At("enabled", yes), fieldmap.At("disable", not), fieldmap.At("disabled", not)}
	switch {
	case d.object:
		places = []fieldmap.Place[bool]{fieldmap.At("disable", not), fieldmap.At("enabled", yes), fieldmap.At("disabled", not)}
	case d.File:
		places = []fieldmap.Place[bool]{fieldmap.At("disabled", not), fieldmap.At("enabled", yes), fieldmap.At("disable", not)}
	}
	return fieldmap.Agree(fieldmap.New("enabled", acc, places...), acc, places...)
}

// titleRow: the title is name, else comment; it goes back to where it came from, and to comment in a new entry,
// which is what the apps show.
func (d *Dialect) titleRow() fieldmap.Row[entry] {
	text := fieldmap.Text()
	home := func(obj *jsondoc.Value) string {
		if s, ok := obj.Get("name").Text(); ok && s != "" {
			return "name"
		}
		return "comment"
	}
	r := fieldmap.Custom("title", "comment", []string{"name", "comment"},
		func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
			if v := obj.Get(home(obj)); v != nil && !v.IsNull() {
				t, odd := text.Read(v)
				if odd != "" {
					warn(home(obj), odd)
				}
				e.Title = t
			}
		},
		func(a, b *entry) bool { return samePtr(a.Title, b.Title) },
		func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
			h := home(obj)
			was, _ := obj.Get(h).Text()
			if e.Title == nil {
				// What stands in comment would be the title now: a copy of it goes, a note of its own is parked.
				if c, ok := obj.Get("comment").Text(); h == "name" && ok && c != "" {
					if e.Comment != nil {
						fieldmap.Put(obj, strings.Split(parkPath("comment"), "."), jsondoc.String(*e.Comment))
					}
					obj.Delete("comment")
				}
				obj.Delete(h)
				return
			}
			if c, ok := obj.Get("comment").Text(); h == "name" && ok && c == was {
				obj.Set("comment", jsondoc.String(*e.Title)) // both said the same
			}
			obj.Set(h, jsondoc.String(*e.Title))
		})
	return r
}

// commentRow: a private note beside a title. Only an entry that has both name and comment, with different texts, has
// one on the wire; elsewhere it is parked.
func (d *Dialect) commentRow() fieldmap.Row[entry] {
	park := strings.Split(parkPath("comment"), ".")
	both := func(obj *jsondoc.Value) (string, bool) {
		n, okn := obj.Get("name").Text()
		c, okc := obj.Get("comment").Text()
		return c, okn && n != "" && okc && c != n && c != ""
	}
	r := fieldmap.Custom("comment", "comment", []string{"comment", parkPath("comment")},
		func(obj *jsondoc.Value, e *entry, _ fieldmap.Warn) {
			if c, ok := both(obj); ok {
				e.Comment = &c
			} else if s, ok := obj.At(park...).Text(); ok {
				e.Comment = &s
			}
		},
		func(a, b *entry) bool { return samePtr(a.Comment, b.Comment) },
		func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
			n, _ := obj.Get("name").Text()
			switch {
			case e.Comment == nil:
				if _, ok := both(obj); ok {
					obj.Delete("comment")
				}
				fieldmap.Drop(obj, park)
			case n != "" && *e.Comment != n && *e.Comment != "":
				obj.Set("comment", jsondoc.String(*e.Comment))
			default:
				fieldmap.Put(obj, park, jsondoc.String(*e.Comment))
			}
		})
	if !d.isRisu() {
		return r.Noted("where an entry has a name and a comment, the app shows the comment and keeps the name")
	}
	return r.Parked("the app shows one title and has no separate note; it is kept under extensions.bunzai for the way back")
}

// positionRow: the number in extensions.position (SillyTavern) or position (Lumiverse, World Info) says more than the
// spec's before_char and after_char, which are kept in step.
func (d *Dialect) positionRow() fieldmap.Row[entry] {
	acc := fieldmap.Ptr(func(e *entry) **string { return &e.Position })
	exact := fieldmap.Text()
	home := nearest(d.position)
	var r fieldmap.Row[entry]
	if d == Tavern {
		r = fieldmap.New("position", acc, fieldmap.At("extensions.position", home), fieldmap.At("position", coarse(d.position)))
	} else {
		r = fieldmap.New("position", acc, fieldmap.At("position", home), fieldmap.At("extensions.position", home))
	}
	return fieldmap.ParkAt(r.Rough(), acc, parkPath("position"), exact, home, "the app has no such place; the entry goes to the nearest one, and the exact place is kept for the way back")
}

// fallback is where an entry goes in an app that lacks its place.
var fallback = map[string]string{
	canonical.PosAppend: canonical.PosDepth, canonical.PosAppendBottom: canonical.PosDepth,
	canonical.PosPrependTop: canonical.PosWorld, canonical.PosScene: canonical.PosAuthorNoteTop,
	canonical.PosMarker: canonical.PosCharacter, canonical.PosOutlet: canonical.PosCharacter,
}

func nearest(words []fieldmap.Word) fieldmap.Codec[string] {
	c := fieldmap.Enum(words, false)
	known := map[string]bool{}
	for _, w := range words {
		known[w.Canon] = true
	}
	return fieldmap.Codec[string]{Read: c.Read, Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
		if !known[s] {
			if f, ok := fallback[s]; ok && known[f] {
				s = f
			} else {
				s = canonical.PosCharacter
			}
		}
		return c.Write(s, old)
	}}
}

// coarse is the spec's position: before_char or after_char, keeping a number where the entry has one.
func coarse(words []fieldmap.Word) fieldmap.Codec[string] {
	c, near := fieldmap.Enum(words, false), nearest(words)
	return fieldmap.Codec[string]{Read: c.Read, Write: func(s string, old *jsondoc.Value) *jsondoc.Value {
		if old.Kind() == jsondoc.KindNumber {
			return near.Write(s, old)
		}
		if s == canonical.PosWorld || s == canonical.PosPrependTop {
			return jsondoc.String("before_char")
		}
		return jsondoc.String("after_char")
	}}
}
