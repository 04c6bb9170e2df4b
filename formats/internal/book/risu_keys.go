package book

import (
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// keysGroup: the keys and what is asked beside them. The app's second keys are a second group of which one must be
// there; other logic is said with decorators, and then the second keys are off. useRegex makes every key of the entry a
// pattern between slashes. Keys lie in one text and are cut at commas, also inside a pattern.
func (d *Dialect) keysGroup() *group {
	key, second, isRegexKey := "keys", "secondary_keys", "use_regex"
	if d.File {
		key, second, isRegexKey = "key", "secondkey", "useRegex"
	}
	exactIn := map[string]string{key: "triggers", second: "secondaryTriggers"} // where the keys are kept as another app had them
	list := func(f func(e *entry) *[]canonical.Trigger) fieldmap.Access[entry, []canonical.Trigger] {
		return fieldmap.Slice(f, sameTrigger)
	}
	exact := fieldmap.Codec[[]canonical.Trigger]{
		Read: func(v *jsondoc.Value) (*[]canonical.Trigger, string) {
			keys, odd := fieldmap.TextList("").Read(v)
			if keys == nil {
				return nil, odd
			}
			ts := parseExact(*keys)
			return &ts, odd
		},
		Write: func(ts []canonical.Trigger, _ *jsondoc.Value) *jsondoc.Value {
			return fieldmap.TextList("").Write(exactKeys(ts), nil)
		},
	}
	g := d.group(key, []string{key, second, "selective", isRegexKey, "content"},
		fieldmap.MemberOf("triggers", list(func(e *entry) *[]canonical.Trigger { return &e.Triggers }), exact),
		fieldmap.MemberOf("secondaryTriggers", list(func(e *entry) *[]canonical.Trigger { return &e.SecondaryTriggers }), exact),
		fieldmap.MemberOf("triggerMode", fieldmap.Ptr(func(e *entry) **string { return &e.TriggerMode }), fieldmap.Text()),
		fieldmap.MemberOf("selectiveLogic", fieldmap.Ptr(func(e *entry) **string { return &e.SelectiveLogic }), fieldmap.Text()),
	)
	if !d.File {
		g.Covers = append(g.Covers, d.oldCovers("selectiveLogic")...)
	}
	on := func(obj *jsondoc.Value, name string) bool {
		b, _ := fieldmap.Bool().Read(obj.Get(name))
		return b != nil && *b
	}
	keysAt := func(obj *jsondoc.Value, name string) []canonical.Trigger {
		v := obj.Get(name)
		if v == nil || v.IsNull() {
			return nil
		}
		s, ok := v.Text()
		if !ok {
			l, _ := fieldmap.TextList("").Read(v)
			if l == nil {
				return nil
			}
			s = strings.Join(*l, ",")
		}
		return risuTriggers(s, on(obj, isRegexKey))
	}
	fold := func(obj *jsondoc.Value, h *head) (keys []string, logic string) {
		if len(h.lines) == 0 || on(obj, "selective") && len(keysAt(obj, second)) > 0 {
			return nil, ""
		}
		return foldKeys(h)
	}
	isKeys := named("additional_keys", "exclude_keys", "exclude_keys_all")
	g.claims = func(obj *jsondoc.Value, h *head) []bool {
		_, logic := fold(obj, h)
		return marked(h, func(x decorator) bool { return logic != "" && isKeys(x) })
	}
	g.Derive = func(obj *jsondoc.Value, e *entry, warn fieldmap.Warn) {
		for _, n := range []string{key, second} {
			if v := obj.Get(n); v != nil && !v.IsNull() && v.Kind() != jsondoc.KindString && v.Kind() != jsondoc.KindArray && warn != nil {
				warn(n, "is "+v.Kind().String()+" where keys are expected; it is kept for the way back but means nothing elsewhere")
			}
			if l := obj.Get(n); l.Kind() == jsondoc.KindArray && warn != nil && l.Len() < len(keysAt(obj, n)) && obj.At(d.ext, "bunzai", exactIn[n]) == nil {
				warn(n, "has keys with commas in them; Risu cuts them there, so they are several keys")
			}
		}
		e.Triggers, e.SecondaryTriggers = keysAt(obj, key), keysAt(obj, second)
		if v := obj.Get("selective"); v != nil && !v.IsNull() {
			e.TriggerMode, _ = modeCodec().Read(v)
		}
		h := headOf(obj)
		if keys, logic := fold(obj, &h); logic != "" {
			e.TriggerMode, e.SelectiveLogic = canonical.Ptr("advanced"), &logic
			e.SecondaryTriggers = make([]canonical.Trigger, len(keys))
			for i, k := range keys {
				e.SecondaryTriggers[i] = canonical.Trigger{Keyword: k}
				if on(obj, isRegexKey) {
					e.SecondaryTriggers[i] = parseKey(k)
				}
			}
			return
		}
		if !d.File {
			if e.SelectiveLogic = oldValue(d, obj, "selectiveLogic", fieldmap.Enum(stLogic, false)); e.SelectiveLogic != nil {
				return
			}
		}
		if canonical.Or(e.TriggerMode, "") == "advanced" {
			e.SelectiveLogic = canonical.Ptr(canonical.LogicAndAny)
		}
	}
	setKeys := func(obj *jsondoc.Value, name string, keys []string, always bool) {
		old := obj.Get(name)
		switch {
		case old == nil && len(keys) == 0 && !always:
		case d.File && old.Kind() != jsondoc.KindArray:
			obj.Set(name, jsondoc.String(strings.Join(keys, ", ")))
		default:
			obj.Set(name, fieldmap.TextList("").Write(keys, old))
		}
	}
	g.Put = func(obj *jsondoc.Value, e *entry, near fieldmap.Near) {
		now := &entry{}
		g.Derive(obj, now, nil)
		same := true
		for _, m := range g.Members {
			same = same && m.Same(now, e)
		}
		if same {
			return
		}
		patterns := d.anyRegex(e)
		first, odd := risuKeys(e.Triggers, patterns)
		if odd != "" {
			near("triggers", strings.Join(first, ", "), odd)
		}
		other, odd := risuKeys(e.SecondaryTriggers, patterns)
		if odd != "" {
			near("secondaryTriggers", strings.Join(other, ", "), odd)
		}
		was := on(obj, isRegexKey)
		patterns = patterns || was && !d.anyRegex(now) // a switch that no key needed stays: other apps may mean it
		if !g.Members[0].Same(now, e) || was != patterns {
			setKeys(obj, key, first, e.Triggers != nil)
		}
		if was != patterns {
			obj.Set(isRegexKey, jsondoc.Bool(patterns))
		}
		advanced := canonical.Or(e.TriggerMode, "") == "advanced" || e.TriggerMode == nil && len(other) > 0
		var lines []string
		if advanced && len(other) > 0 {
			switch canonical.Or(e.SelectiveLogic, "") {
			case canonical.LogicNotAny:
				lines = []string{"@@exclude_keys " + strings.Join(other, ", ")}
			case canonical.LogicAndAll:
				for _, k := range other {
					lines = append(lines, "@@additional_keys "+k)
				}
			case canonical.LogicNotAll:
				lines = []string{"@@exclude_keys_all " + strings.Join(other, ", ")}
			}
		}
		h := headOf(obj)
		_, folded := fold(obj, &h)
		// Lines of other meaning stay where they are: they ask for more than the fields can say.
		if stay := folded == "" && slices.ContainsFunc(h.lines, isKeys); stay && lines != nil {
			near("selectiveLogic", "one of the second keys", "the text of the entry asks for more keys in decorator lines of its own, so Risu gets the second keys as a plain group; what was asked for is kept for the way back")
			lines = nil
		}
		if folded != "" || lines != nil {
			edit(obj, func(h *head) { h.replace(isKeys, lines...) })
		}
		if !g.Members[1].Same(now, e) || was != patterns || folded != "" {
			setKeys(obj, second, other, d.File && e.SecondaryTriggers != nil)
		}
		if want := advanced && lines == nil && e.TriggerMode != nil; on(obj, "selective") != want || obj.Get("selective") == nil && e.TriggerMode != nil {
			obj.Set("selective", jsondoc.Bool(want))
		}
		if !d.File {
			d.dropOld(obj, "selectiveLogic")
		}
	}
	return g
}

// foldKeys reads the decorators that ask for more keys as one list with its logic; "" when they say more than one.
func foldKeys(h *head) (keys []string, logic string) {
	kind, lines, longest := "", 0, 0
	for _, x := range h.lines {
		switch x.name {
		case "additional_keys", "exclude_keys", "exclude_keys_all":
			if kind != "" && kind != x.name || len(x.args) == 0 {
				return nil, ""
			}
			kind = x.name
			lines++
			longest = max(longest, len(x.args))
			keys = append(keys, x.args...)
		}
	}
	switch {
	case kind == "exclude_keys":
		return keys, canonical.LogicNotAny
	case kind == "exclude_keys_all" && lines == 1:
		return keys, canonical.LogicNotAll
	case kind == "additional_keys" && longest == 1:
		return keys, canonical.LogicAndAll
	case kind == "additional_keys" && lines == 1:
		return keys, canonical.LogicAndAny
	}
	return nil, ""
}

// risuTriggers cuts keys at commas. Of patterns it keeps the commas inside: what the app cuts there is evidently one.
func risuTriggers(s string, patterns bool) []canonical.Trigger {
	out := []canonical.Trigger{}
	add := func(k string) {
		if k = strings.Trim(k, jsSpace); k == "" {
			return
		}
		if patterns {
			out = append(out, parseKey(k))
		} else {
			out = append(out, canonical.Trigger{Keyword: k})
		}
	}
	for s != "" {
		s = strings.TrimLeft(s, jsSpace)
		n := strings.IndexByte(s, ',')
		if patterns {
			if m := patternLen(s); m > 0 {
				n = m
			}
		}
		if n < 0 || n >= len(s) {
			add(s)
			break
		}
		add(s[:n])
		s = s[n+1:]
	}
	return out
}

// patternLen is the length of the /pattern/flags at the start of s, white space behind it included, when a comma or the
// end follows; 0 when there is none.
func patternLen(s string) int {
	if s == "" || s[0] != '/' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			n := i + 1
			for n < len(s) && strings.IndexByte("dgimsuvy", s[n]) >= 0 {
				n++
			}
			n += len(s[n:]) - len(strings.TrimLeft(s[n:], jsSpace))
			if i > 1 && (n == len(s) || s[n] == ',') {
				return n
			}
			return 0
		}
	}
	return 0
}

// risuKeys writes keys for an entry whose keys are patterns or not. Odd says what the app does otherwise.
func risuKeys(ts []canonical.Trigger, patterns bool) (keys []string, odd string) {
	var why []string
	say := func(s string) {
		if !slices.Contains(why, s) {
			why = append(why, s)
		}
	}
	for _, t := range ts {
		k := t.Keyword
		switch {
		case isRegex(t):
			t.Flags = canonical.Ptr(risuFlags(canonical.Or(t.Flags, "")))
			k = slashKey(t)
		case patterns && isWord(k):
			k = "/" + quoteMeta(k) + "/i"
			say("Risu takes every key of an entry with patterns as a pattern; a plain key becomes an escaped one")
		}
		if strings.Contains(k, ",") {
			say("Risu cuts keys at commas, also inside a pattern")
		}
		keys = append(keys, k)
	}
	if why != nil {
		odd = strings.Join(why, "; ") + "; the exact keys are kept for the way back"
	}
	return keys, odd
}

func risuFlags(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("dgimsuvy", r) {
			return r
		}
		return -1
	}, s)
}
