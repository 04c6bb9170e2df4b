package book

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// Risu's entries. The app has few members and says the rest with decorators, so an entry that comes from elsewhere gets
// them, and they are taken back into fields when it is read. What it has no word for lies where an import of the app
// leaves it: among the entry's foreign extensions, under SillyTavern's names.

// RisuLore is the app's own entry (loreBook in its database.svelte.ts): lorebook files and modules.
var RisuLore = &Dialect{Name: "risu", File: true, ext: "extentions"}

// RisuBook is the character_book of a Risu card (characterCards.ts). The copy of a CHARX counts only where its module
// has no entries.
var RisuBook = &Dialect{Name: "risu", ext: "extensions"}

func (d *Dialect) isRisu() bool { return d.ext != "" }

// NoteMark marks, among what is parked in an entry, the one that says the note of the character.
const NoteMark = "characterNote"

const (
	risuKeeps  = "Risu keeps it among the entry's foreign extensions and ignores it"
	risuSpeaks = "a decorator line of the content"
)

// sortOrder is also the budget's measure unless @@priority says otherwise.
func (d *Dialect) buildRisu() fieldmap.Map[entry] {
	text := fieldmap.Text()
	m := fieldmap.Map[entry]{}
	if d.File {
		m = append(m,
			fieldmap.New("title", fieldmap.Ptr(func(e *entry) **string { return &e.Title }), fieldmap.At("comment", text.Required(fieldmap.EmptyText))),
			fieldmap.New("comment", fieldmap.Ptr(func(e *entry) **string { return &e.Comment }), fieldmap.At(d.ext+".bunzai.comment", text)).Parked("Risu has no note beside the name; it is kept among the entry's foreign extensions for the way back"))
	} else {
		m = append(m, d.titleRow(), d.commentRow())
	}
	m = append(m, d.risuContent())
	for _, g := range d.groups() {
		m = append(m, g.Rows()...)
	}
	order, sensitive := "insertion_order", []fieldmap.Place[bool]{fieldmap.At("case_sensitive", fieldmap.Bool()), fieldmap.At("extensions.risu_case_sensitive", fieldmap.Bool())}
	if d.File {
		order, sensitive = "insertorder", []fieldmap.Place[bool]{fieldmap.At("extentions.risu_case_sensitive", fieldmap.Bool())}
	}
	m = append(m,
		fieldmap.New("sortOrder", fieldmap.Ptr(func(e *entry) **float64 { return &e.SortOrder }), fieldmap.At(order, fieldmap.Number())),
		fieldmap.New("caseSensitive", fieldmap.Ptr(func(e *entry) **bool { return &e.CaseSensitive }), sensitive...).Parked("Risu stores the switch and compares without regard to case all the same"),
		// The folder is written with the list, which knows the folders' keys.
		fieldmap.Custom("categoryId", "folder", []string{"folder", d.ext + ".bunzai.categoryId"}, func(*jsondoc.Value, *entry, fieldmap.Warn) {}, func(a, b *entry) bool { return true }, func(*jsondoc.Value, *entry, fieldmap.Near) {}),
	)
	num := func(field string, f func(e *entry) **float64) {
		m = append(m, kept(d, field, fieldmap.Ptr(f), fieldmap.Number()))
	}
	sw := func(field string, f func(e *entry) **bool) {
		m = append(m, kept(d, field, fieldmap.Ptr(f), fieldmap.Bool()))
	}
	word := func(field string, f func(e *entry) **string) { m = append(m, kept(d, field, fieldmap.Ptr(f), text)) }
	num("sticky", func(e *entry) **float64 { return &e.Sticky })
	num("cooldown", func(e *entry) **float64 { return &e.Cooldown })
	word("groupName", func(e *entry) **string { return &e.GroupName })
	num("groupWeight", func(e *entry) **float64 { return &e.GroupWeight })
	sw("groupOverride", func(e *entry) **bool { return &e.GroupOverride })
	sw("useGroupScoring", func(e *entry) **bool { return &e.UseGroupScoring })
	sw("useMemo", func(e *entry) **bool { return &e.UseMemo })
	m = append(m, kept(d, "delayUntilRecursion", fieldmap.Ptr(func(e *entry) **float64 { return &e.DelayUntilRecursion }), levelCodec()))
	sw("ignoreBudget", func(e *entry) **bool { return &e.IgnoreBudget })
	m = append(m, kept(d, "characterFilter", filterAccess(), filterCodec()).Of("names", "tags", "isExclude"),
		kept(d, "generationTypes", fieldmap.Slice(func(e *entry) *[]string { return &e.GenerationTypes }, equal[string]), fieldmap.TextList("")))
	sw("scanCharacterDescription", func(e *entry) **bool { return &e.ScanCharacterDescription })
	sw("scanCharacterPersonality", func(e *entry) **bool { return &e.ScanCharacterPersonality })
	sw("scanUserPersona", func(e *entry) **bool { return &e.ScanUserPersona })
	sw("scanScenario", func(e *entry) **bool { return &e.ScanScenario })
	sw("scanCharacterDepthPrompt", func(e *entry) **bool { return &e.ScanCharacterDepthPrompt })
	sw("scanCreatorNotes", func(e *entry) **bool { return &e.ScanCreatorNotes })
	sw("vectorized", func(e *entry) **bool { return &e.Vectorized })
	word("automationId", func(e *entry) **string { return &e.AutomationID })
	num("displayIndex", func(e *entry) **float64 { return &e.DisplayIndex })
	word("marker", func(e *entry) **string { return &e.Marker })
	word("markerSide", func(e *entry) **string { return &e.MarkerSide })
	return m
}

// kept is a field that Risu does not know.
func kept[T any](d *Dialect, field string, acc fieldmap.Access[entry, T], c fieldmap.Codec[T]) fieldmap.Row[entry] {
	var places []fieldmap.Place[T]
	for _, n := range names[field] {
		places = append(places, fieldmap.At(d.ext+"."+n, c))
	}
	return fieldmap.New(field, acc, places...).Parked(risuKeeps)
}

// risuContent is the content without the lines that are taken into fields.
func (d *Dialect) risuContent() fieldmap.Row[entry] {
	text := fieldmap.Text()
	return fieldmap.Custom("content", "content", []string{"content", d.ext + ".bunzai.content", d.ext + ".bunzai.contentAs"},
		func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
			v := obj.Get("content")
			if v == nil || v.IsNull() {
				return
			}
			t, odd := text.Read(v)
			if odd != "" {
				warn("content", odd)
			}
			if t != nil {
				e.Content = d.textOf(obj)
				if exact, ok := obj.At(d.ext, "bunzai", "content").Text(); ok {
					if as, _ := obj.At(d.ext, "bunzai", "contentAs").Text(); as == e.Content {
						e.Content = exact
					}
				}
			}
		},
		func(a, b *entry) bool { return a.Content == b.Content },
		func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
			h := headOf(obj)
			obj.Set("content", jsondoc.String(h.with(d.taken(obj, &h), e.Content)))
		}).Tells(func(obj *jsondoc.Value) []string {
		if v := obj.Get("content"); v != nil && !fieldmap.Blank(v) {
			if _, odd := text.Read(v); odd != "" {
				return []string{"content"}
			}
		}
		return nil
	})
}

// textOf is the content of an entry without the lines that are read into fields.
func (d *Dialect) textOf(obj *jsondoc.Value) string {
	if v := obj.Get("content"); v != nil && v.Kind() != jsondoc.KindString {
		if t, _ := fieldmap.Text().Read(v); t != nil {
			return *t
		}
		return ""
	}
	h := headOf(obj)
	if len(h.lines) == 0 {
		return h.body
	}
	return h.without(d.taken(obj, &h))
}

// settleContent parks a text that the app does not give back: one that begins with lines which it takes for settings.
// It counts as long as the app's text stays what it is now.
func (d *Dialect) settleContent(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
	exact, as := []string{d.ext, "bunzai", "content"}, []string{d.ext, "bunzai", "contentAs"}
	text := d.textOf(obj)
	if text != e.Content {
		fieldmap.Put(obj, exact, jsondoc.String(e.Content))
		fieldmap.Put(obj, as, jsondoc.String(text))
		near("content", text, "Risu takes the lines at the start that begin with @@ for settings; the exact text is kept for the way back")
		return
	}
	for _, p := range [][]string{exact, as} {
		if obj.At(p...) != nil {
			fieldmap.Drop(obj, p)
		}
	}
}

// taken marks the decorators that some field is read from.
func (d *Dialect) taken(obj *jsondoc.Value, h *head) []bool {
	out := make([]bool, len(h.lines))
	for _, g := range d.groups() {
		if g.claims == nil {
			continue
		}
		for i, yes := range g.claims(obj, h) {
			out[i] = out[i] || yes
		}
	}
	return out
}

// whole turns a number into the whole one that the app would read.
func whole(f float64) string { return strconv.FormatFloat(math.Trunc(f), 'f', -1, 64) }

const wholeWhy = "Risu reads whole numbers here; the exact one is kept for the way back"

func (d *Dialect) groups() []*group {
	if d.File {
		return risuLoreGroups
	}
	return risuBookGroups
}

var risuLoreGroups, risuBookGroups []*group

func init() { // the groups point to the dialects and back
	risuLoreGroups, risuBookGroups = RisuLore.makeGroups(), RisuBook.makeGroups()
}

func (d *Dialect) makeGroups() []*group {
	return []*group{
		d.switchGroup(), d.constantGroup(), d.keysGroup(), d.placeGroup(), d.chanceGroup(), d.wordsGroup(),
		d.numberGroup("scanDepth", "scan_depth", func(e *entry) **float64 { return &e.ScanDepth }),
		d.numberGroup("delay", "activate_only_after", func(e *entry) **float64 { return &e.Delay }),
		d.priorityGroup(),
		d.flagGroup("excludeRecursion", "no_recursive_search", "", func(e *entry) **bool { return &e.ExcludeRecursion }),
		d.flagGroup("preventRecursion", "unrecursive", "recursive", func(e *entry) **bool { return &e.PreventRecursion }),
	}
}

// oldCovers lists where extensions of SillyTavern's stand in a card; Risu turns those that it knows into decorators.
func (d *Dialect) oldCovers(fields ...string) (out []string) {
	for _, f := range fields {
		for _, n := range names[f] {
			out = append(out, d.ext+"."+n)
		}
	}
	return out
}

func oldValue[T any](d *Dialect, obj *jsondoc.Value, field string, c fieldmap.Codec[T]) *T {
	ext := obj.Get(d.ext)
	for _, n := range names[field] {
		if v := ext.Get(n); v != nil && !v.IsNull() {
			if t, _ := c.Read(v); t != nil {
				return t
			}
		}
	}
	return nil
}

func (d *Dialect) dropOld(obj *jsondoc.Value, fields ...string) {
	ext := obj.Get(d.ext)
	for _, f := range fields {
		for _, n := range names[f] {
			ext.Delete(n)
		}
	}
}

// switchGroup: the app has no switch to turn an entry off; @@dont_activate is the nearest. A card says enabled, which
// the app always writes as true and never reads.
func (d *Dialect) switchGroup() *group {
	acc := fieldmap.Ptr(func(e *entry) **bool { return &e.Enabled })
	off := func(h *head) bool {
		x, ok := h.last("activate", "dont_activate")
		return ok && x.name == "dont_activate"
	}
	g := d.group(risuSpeaks, []string{"content"}, fieldmap.MemberOf("enabled", acc, fieldmap.Bool()))
	if !d.File {
		g.Covers = append(g.Covers, "enabled")
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, named("dont_activate")) }
	g.Derive = func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
		h := headOf(obj)
		e.Enabled = canonical.Ptr(!off(&h))
		if v := obj.Get("enabled"); !d.File && v != nil && !v.IsNull() {
			b, odd := fieldmap.Bool().Read(v)
			if odd != "" {
				warn("enabled", odd)
			}
			if b != nil && !*b {
				if *e.Enabled {
					warn("enabled", "is false, which Risu does not read: the entry is active there until it is written anew")
				}
				e.Enabled = b
			}
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
		on := canonical.Or(e.Enabled, true)
		edit(obj, func(h *head) {
			switch {
			case on && h.count("dont_activate") > 0:
				h.replace(named("dont_activate"))
			case !on && !off(h):
				h.replace(named("dont_activate"), "@@dont_activate")
				if !off(h) { // an @@activate stands behind it
					h.replace(named("dont_activate"))
					h.lines = append(h.lines, parseDecorator("@@dont_activate", "@@dont_activate"))
				}
			}
		})
		if v := obj.Get("enabled"); !d.File && v != nil {
			if b, ok := v.Bool(); !ok || b != on {
				obj.Set("enabled", jsondoc.Bool(on))
			}
		}
	}
	return g
}

// constantGroup: alwaysActive, and @@activate, which does the same.
func (d *Dialect) constantGroup() *group {
	home := "constant"
	if d.File {
		home = "alwaysActive"
	}
	acc := fieldmap.Ptr(func(e *entry) **bool { return &e.Constant })
	g := d.group(home, []string{home, "content"}, fieldmap.MemberOf("constant", acc, fieldmap.Bool()))
	forced := func(h *head) bool { return h.count("activate") > 0 }
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, named("activate")) }
	g.Derive = func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
		if v := obj.Get(home); v != nil && !v.IsNull() {
			b, odd := fieldmap.Bool().Read(v)
			if odd != "" {
				warn(home, odd)
			}
			e.Constant = b
		}
		if h := headOf(obj); forced(&h) {
			e.Constant = canonical.Ptr(true)
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, func(string, string) {})
		if now.Constant != nil && e.Constant != nil && *now.Constant == *e.Constant {
			return
		}
		on := canonical.Or(e.Constant, false)
		if !on {
			edit(obj, func(h *head) {
				if h.count("activate") > 0 {
					h.replace(named("activate"))
				}
			})
		}
		if obj.Get(home) != nil || e.Constant != nil {
			obj.Set(home, jsondoc.Bool(on))
		}
	}
	return g
}

// placeGroup: @@depth and @@role, @@position. The app's own place for an entry that has none of them is its lorebook
// slot in the prompt. pt_<name> is filled in where the prompt says {{position::<name>}}: an outlet.
func (d *Dialect) placeGroup() *group {
	ptr := func(f func(e *entry) **string) fieldmap.Access[entry, string] { return fieldmap.Ptr(f) }
	g := d.group(risuSpeaks, []string{"content"},
		fieldmap.MemberOf("position", ptr(func(e *entry) **string { return &e.Position }), fieldmap.Text()),
		fieldmap.MemberOf("depth", fieldmap.Ptr(func(e *entry) **float64 { return &e.Depth }), fieldmap.Number()),
		fieldmap.MemberOf("role", ptr(func(e *entry) **string { return &e.Role }), fieldmap.Text()),
		fieldmap.MemberOf("outletName", ptr(func(e *entry) **string { return &e.OutletName }), fieldmap.Text()),
	)
	home, rough := nearest(stPositions), coarse(stPositions)
	if !d.File {
		g.Covers = append(append(g.Covers, "position"), append([]string{"extensions.position"}, d.oldCovers("depth", "role", "outletName")...)...)
	}
	isPlace := named("depth", "reverse_depth", "end", "position")
	place := func(x decorator) (pos string, depth float64, outlet string, ok bool) {
		n, isNum := x.number()
		switch {
		case x.name == "end":
			return canonical.PosDepth, 0, "", true
		case x.name == "depth" && isNum:
			return canonical.PosDepth, n, "", true
		case x.name == "position" && x.arg() == "before_desc":
			return canonical.PosWorld, 0, "", true
		case x.name == "position" && x.arg() == "after_desc":
			return canonical.PosCharacter, 0, "", true
		case x.name == "position" && strings.HasPrefix(x.arg(), "pt_") && len(x.args) == 1:
			return canonical.PosOutlet, 0, x.arg()[len("pt_"):], true
		}
		return "", 0, "", false
	}
	isRole := func(x decorator) bool {
		return x.name == "role" && slices.Contains([]string{"system", "user", "assistant"}, x.arg())
	}
	// ours reports a place line that is read: one of those that have a field, if it is the last.
	ours := func(h *head) func(x decorator) bool {
		last, ok := h.last("depth", "reverse_depth", "end", "position")
		_, _, _, known := place(last)
		return func(x decorator) bool {
			_, _, _, yes := place(x)
			return ok && known && isPlace(x) && yes
		}
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool {
		mine := ours(h)
		return marked(h, func(x decorator) bool { return mine(x) || isRole(x) })
	}
	g.Derive = func(obj *jsondoc.Value, e *entry, _ fieldmap.Warn) {
		h := headOf(obj)
		mine := ours(&h)
		for _, x := range h.lines {
			switch {
			case mine(x):
				pos, depth, outlet, _ := place(x)
				e.Position, e.Depth, e.OutletName = &pos, nil, nil
				switch pos {
				case canonical.PosDepth:
					e.Depth = &depth
				case canonical.PosOutlet:
					e.OutletName = &outlet
				}
			case isRole(x):
				e.Role = canonical.Ptr(x.arg())
			}
		}
		if d.File {
			return
		}
		if e.Position == nil {
			for _, p := range [][]string{{"extensions", "position"}, {"position"}} {
				c := home
				if len(p) == 1 {
					c = rough
				}
				if v := obj.At(p...); v != nil && !v.IsNull() && e.Position == nil {
					e.Position, _ = c.Read(v)
				}
			}
			e.Depth, e.OutletName = oldValue(d, obj, "depth", fieldmap.Number()), oldValue(d, obj, "outletName", fieldmap.Text())
		}
		if e.Role == nil {
			e.Role = oldValue(d, obj, "role", fieldmap.Enum(roles, false))
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, func(string, string) {})
		same := true
		for _, m := range g.Members {
			same = same && m.Same(now, e)
		}
		if same {
			return
		}
		pos := canonical.Or(e.Position, "")
		line, depth := "", canonical.Or(e.Depth, 4)
		switch pos {
		case canonical.PosWorld, canonical.PosPrependTop:
			line = "@@position before_desc"
		case canonical.PosCharacter:
			line = "@@position after_desc"
		case canonical.PosDepth, canonical.PosAppend, canonical.PosAppendBottom:
			line = "@@depth " + whole(depth)
			if depth != math.Trunc(depth) {
				near("depth", whole(depth), wholeWhy)
			}
		case canonical.PosOutlet:
			if n := canonical.Or(e.OutletName, ""); n != "" && !strings.ContainsAny(n, ",\n") && strings.Trim(n, jsSpace) == n {
				line = "@@position pt_" + n
			}
		}
		const keptWay = "; what was asked for is kept for the way back"
		switch _, depth, _, _ := place(parseDecorator(line, line)); {
		case pos == "" || pos == canonical.PosWorld || pos == canonical.PosCharacter || pos == canonical.PosDepth || line != "" && pos == canonical.PosOutlet:
		case line == "":
			near("position", "its lorebook slot", "Risu has no such place, and the entry stands where its prompt has the lorebook"+keptWay)
		case strings.HasPrefix(line, "@@depth"):
			near("position", "at depth "+whole(depth), "Risu has no such place; the entry goes to the nearest one"+keptWay)
		default:
			near("position", "before the description", "Risu has no such place; the entry goes to the nearest one"+keptWay)
		}
		edit(obj, func(h *head) {
			mine := ours(h)
			if line != "" {
				h.replace(mine, line)
			} else if slices.ContainsFunc(h.lines, mine) {
				h.replace(mine)
			}
			atDepth := strings.HasPrefix(line, "@@depth")
			switch has := slices.ContainsFunc(h.lines, isRole); {
			case e.Role == nil && has:
				h.replace(isRole)
			case e.Role != nil && (has || atDepth):
				h.replace(isRole, "@@role "+*e.Role)
			}
		})
		if d.File {
			return
		}
		d.dropOld(obj, "depth", "role", "outletName")
		if obj.At("extensions", "position") != nil {
			fieldmap.Drop(obj, []string{"extensions", "position"})
		}
		if v := obj.Get("position"); v != nil && !v.IsNull() {
			if pos == "" {
				obj.Delete("position")
			} else {
				obj.Set("position", rough.Write(pos, jsondoc.String("")))
			}
		}
	}
	return g
}

// chanceGroup: @@probability; before bookVersion 2 it was activationPercent, which the app migrates.
func (d *Dialect) chanceGroup() *group {
	old := []string{"activationPercent"}
	if !d.File {
		old = []string{"extensions", "risu_activationPercent"}
	}
	g := d.group(risuSpeaks, []string{"content", strings.Join(old, ".")},
		fieldmap.MemberOf("probability", fieldmap.Ptr(func(e *entry) **float64 { return &e.Probability }), fieldmap.Number()),
		fieldmap.MemberOf("useProbability", fieldmap.Ptr(func(e *entry) **bool { return &e.UseProbability }), fieldmap.Bool()),
	)
	if d.File {
		g.Covers = append(g.Covers, "bookVersion")
	} else {
		g.Covers = append(g.Covers, d.oldCovers("probability", "useProbability")...)
	}
	mine := func(h *head) func(x decorator) bool {
		n := h.count("probability") // several are several chances, one after the other
		return func(x decorator) bool {
			_, ok := x.number()
			return n == 1 && x.name == "probability" && ok
		}
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, mine(h)) }
	line := func(h *head) *float64 {
		yes := mine(h)
		for _, x := range h.lines {
			if yes(x) {
				n, _ := x.number()
				return &n
			}
		}
		return nil
	}
	g.Derive = func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
		h := headOf(obj)
		if n := line(&h); n != nil {
			e.Probability, e.UseProbability = n, canonical.Ptr(true)
			return
		}
		if v := obj.At(old...); v != nil && !v.IsNull() {
			n, odd := fieldmap.Number().Read(v)
			if odd != "" {
				warn(strings.Join(old, "."), odd)
			}
			if n != nil {
				e.Probability, e.UseProbability = n, canonical.Ptr(true)
				return
			}
		}
		if !d.File {
			e.Probability, e.UseProbability = oldValue(d, obj, "probability", fieldmap.Number()), oldValue(d, obj, "useProbability", fieldmap.Bool())
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, func(string, string) {})
		if samePtr(now.Probability, e.Probability) && samePtr(now.UseProbability, e.UseProbability) {
			return
		}
		chance := 100.0
		if canonical.Or(e.UseProbability, true) {
			chance = canonical.Or(e.Probability, 100)
		}
		if chance != math.Trunc(chance) {
			near("probability", whole(chance), wholeWhy)
		}
		h := headOf(obj)
		if v := obj.At(old...); v.Kind() == jsondoc.KindNumber && line(&h) == nil && canonical.Or(number(obj.Get("bookVersion")), 1) < 2 && e.Probability != nil && chance == *e.Probability {
			fieldmap.Put(obj, old, jsondoc.Float(chance))
			return
		}
		if obj.At(old...) != nil {
			fieldmap.Drop(obj, old)
		}
		if !d.File {
			d.dropOld(obj, "probability", "useProbability")
		}
		edit(obj, func(h *head) {
			switch {
			case chance != 100:
				h.replace(mine(h), "@@probability "+whole(chance))
			case line(h) != nil:
				h.replace(mine(h))
			}
		})
	}
	return g
}

func number(v *jsondoc.Value) *float64 {
	if v == nil || v.IsNull() {
		return nil
	}
	n, _ := fieldmap.Number().Read(v)
	return n
}

// wordsGroup: @@match_full_word and @@match_partial_word.
func (d *Dialect) wordsGroup() *group {
	g := d.group(risuSpeaks, []string{"content"},
		fieldmap.MemberOf("matchWholeWords", fieldmap.Ptr(func(e *entry) **bool { return &e.MatchWholeWords }), fieldmap.Bool()))
	if !d.File {
		g.Covers = append(g.Covers, d.oldCovers("matchWholeWords")...)
	}
	mine := named("match_full_word", "match_partial_word")
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, mine) }
	g.Derive = func(obj *jsondoc.Value, e *entry, _ fieldmap.Warn) {
		h := headOf(obj)
		if x, ok := h.last("match_full_word", "match_partial_word"); ok {
			e.MatchWholeWords = canonical.Ptr(x.name == "match_full_word")
		} else if !d.File {
			e.MatchWholeWords = oldValue(d, obj, "matchWholeWords", fieldmap.Bool())
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, nil)
		if samePtr(now.MatchWholeWords, e.MatchWholeWords) {
			return
		}
		if !d.File {
			d.dropOld(obj, "matchWholeWords")
		}
		edit(obj, func(h *head) {
			switch {
			case e.MatchWholeWords == nil:
				if slices.ContainsFunc(h.lines, mine) {
					h.replace(mine)
				}
			case *e.MatchWholeWords:
				h.replace(mine, "@@match_full_word")
			default:
				h.replace(mine, "@@match_partial_word")
			}
		})
	}
	return g
}

// numberGroup is a decorator with one number that counts from 1; 0 says what no line says.
func (d *Dialect) numberGroup(field, name string, f func(e *entry) **float64) *group {
	g := d.group(risuSpeaks, []string{"content"}, fieldmap.MemberOf(field, fieldmap.Ptr(f), fieldmap.Number()))
	if !d.File {
		g.Covers = append(g.Covers, d.oldCovers(field)...)
	}
	mine := func(h *head) func(x decorator) bool {
		n := h.count(name)
		return func(x decorator) bool {
			_, ok := x.number()
			return n == 1 && x.name == name && ok
		}
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, mine(h)) }
	g.Derive = func(obj *jsondoc.Value, e *entry, _ fieldmap.Warn) {
		h := headOf(obj)
		yes := mine(&h)
		for _, x := range h.lines {
			if yes(x) {
				n, _ := x.number()
				*f(e) = &n
				return
			}
		}
		if !d.File {
			*f(e) = oldValue(d, obj, field, fieldmap.Number())
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
		now, want := &entry{}, *f(e)
		g.Derive(obj, now, nil)
		if samePtr(*f(now), want) {
			return
		}
		if !d.File {
			d.dropOld(obj, field)
		}
		edit(obj, func(h *head) {
			yes := mine(h)
			switch {
			case want != nil && (*want != 0 || field == "scanDepth"):
				if *want != math.Trunc(*want) {
					near(field, whole(*want), wholeWhy)
				}
				h.replace(yes, "@@"+name+" "+whole(*want))
			case slices.ContainsFunc(h.lines, yes):
				h.replace(yes)
			}
		})
	}
	return g
}

// priorityGroup: @@priority, and @@ignore_on_max_context, which is a priority of -1000.
func (d *Dialect) priorityGroup() *group {
	g := d.group(risuSpeaks, []string{"content"},
		fieldmap.MemberOf("priority", fieldmap.Ptr(func(e *entry) **float64 { return &e.Priority }), fieldmap.Number()))
	if !d.File {
		g.Covers = append(g.Covers, "priority")
	}
	value := func(x decorator) (float64, bool) {
		if x.name == "ignore_on_max_context" {
			return -1000, true
		}
		return x.number()
	}
	mine := func(x decorator) bool {
		_, ok := value(x)
		return ok && (x.name == "priority" || x.name == "ignore_on_max_context")
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool { return marked(h, mine) }
	g.Derive = func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
		h := headOf(obj)
		for _, x := range h.lines {
			if mine(x) {
				n, _ := value(x)
				e.Priority = &n
			}
		}
		if e.Priority == nil && !d.File {
			e.Priority = number(obj.Get("priority"))
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, nil)
		if samePtr(now.Priority, e.Priority) {
			return
		}
		edit(obj, func(h *head) {
			switch {
			case e.Priority != nil:
				if *e.Priority != math.Trunc(*e.Priority) {
					near("priority", whole(*e.Priority), wholeWhy)
				}
				h.replace(mine, "@@priority "+whole(*e.Priority))
			case slices.ContainsFunc(h.lines, mine):
				h.replace(mine)
			}
		})
		if v := obj.Get("priority"); !d.File && v != nil {
			if e.Priority == nil {
				obj.Delete("priority")
			} else {
				obj.Set("priority", fieldmap.Number().Write(*e.Priority, v))
			}
		}
	}
	return g
}

// flagGroup is a decorator without an argument; opposite, if any, takes it back.
func (d *Dialect) flagGroup(field, name, opposite string, f func(e *entry) **bool) *group {
	g := d.group(risuSpeaks, []string{"content"}, fieldmap.MemberOf(field, fieldmap.Ptr(f), fieldmap.Bool()))
	if !d.File {
		g.Covers = append(g.Covers, d.oldCovers(field)...)
	}
	on := func(h *head) bool {
		x, ok := h.last(name, opposite)
		return ok && x.name == name
	}
	g.claims = func(_ *jsondoc.Value, h *head) []bool {
		yes := on(h)
		return marked(h, func(x decorator) bool { return yes && x.name == name })
	}
	g.Derive = func(obj *jsondoc.Value, e *entry, _ fieldmap.Warn) {
		if h := headOf(obj); on(&h) {
			*f(e) = canonical.Ptr(true)
		} else if !d.File {
			*f(e) = oldValue(d, obj, field, fieldmap.Bool())
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, _ fieldmap.Near) {
		now, want := &entry{}, *f(e)
		g.Derive(obj, now, nil)
		if samePtr(*f(now), want) {
			return
		}
		if !d.File {
			d.dropOld(obj, field)
		}
		edit(obj, func(h *head) {
			switch {
			case canonical.Or(want, false) && !on(h):
				h.replace(named(name))
				h.lines = append(h.lines, parseDecorator("@@"+name, "@@"+name))
			case !canonical.Or(want, false) && on(h):
				h.replace(named(name))
			}
		})
	}
	return g
}

const (
	risuTogether = "Risu takes scan depth, token budget and recursion of a card's book only together, and its own defaults where one is missing"
	risuNoPlace  = "a list of Risu entries has no place for it; the file keeps it for the way back"
)

// buildRisuBook: a card's book has settings; a lorebook file has none, only a name that the app takes when it makes a
// module of the file.
func (d *Dialect) buildRisuBook() fieldmap.Map[lorebook] {
	name := fieldmap.New("name", fieldmap.Plain(func(b *lorebook) *string { return &b.Name }), fieldmap.At("name", fieldmap.Text()))
	description := fieldmap.New("description", fieldmap.Ptr(func(b *lorebook) **string { return &b.Description }), fieldmap.At("description", fieldmap.Text()))
	depth := fieldmap.Ptr(func(b *lorebook) **float64 { return &b.GlobalScanDepth })
	budget := fieldmap.Ptr(func(b *lorebook) **float64 { return &b.TokenBudget })
	recursion := fieldmap.Ptr(func(b *lorebook) **bool { return &b.GlobalRecursion })
	words := fieldmap.Ptr(func(b *lorebook) **bool { return &b.GlobalMatchWholeWords })
	if d.File {
		const only = "Risu takes it when it makes a module of the file"
		return fieldmap.Map[lorebook]{
			name.Noted(only), description.Noted(only),
			fieldmap.New("globalScanDepth", depth, fieldmap.At("bunzai.globalScanDepth", fieldmap.Number())).Parked(risuNoPlace),
			fieldmap.New("tokenBudget", budget, fieldmap.At("bunzai.tokenBudget", fieldmap.Number())).Parked(risuNoPlace),
			fieldmap.New("globalRecursion", recursion, fieldmap.At("bunzai.globalRecursion", fieldmap.Bool())).Parked(risuNoPlace),
			fieldmap.New("globalMatchWholeWords", words, fieldmap.At("bunzai.globalMatchWholeWords", fieldmap.Bool())).Parked(risuNoPlace),
		}
	}
	const drops = "Risu drops it when it takes a card in; the card keeps it"
	return fieldmap.Map[lorebook]{
		name.Parked(drops), description.Parked(drops),
		fieldmap.New("globalScanDepth", depth, fieldmap.At("scan_depth", fieldmap.Number())).Noted(risuTogether),
		fieldmap.New("tokenBudget", budget, fieldmap.At("token_budget", fieldmap.Number())).Noted(risuTogether),
		fieldmap.New("globalRecursion", recursion, fieldmap.At("recursive_scanning", fieldmap.Bool())).Noted(risuTogether),
		fieldmap.New("globalMatchWholeWords", words, fieldmap.At("extensions.risu_fullWordMatching", fieldmap.Bool())),
	}
}

// risuSettings tells of settings that the app does not take, since it takes all three or none.
func risuSettings(b *lorebook, near fieldmap.Near) {
	held := map[string]bool{"globalScanDepth": b.GlobalScanDepth != nil, "tokenBudget": b.TokenBudget != nil, "globalRecursion": b.GlobalRecursion != nil}
	n := 0
	for _, yes := range held {
		if yes {
			n++
		}
	}
	for _, path := range []string{"globalScanDepth", "tokenBudget", "globalRecursion"} {
		if held[path] && n < len(held) {
			near(path, "the user's own setting", risuTogether)
		}
	}
}
