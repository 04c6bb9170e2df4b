package book

import (
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// parseKey reads a key as SillyTavern does: "/pattern/flags" with inner slashes escaped is a pattern, else plain text.
// The pattern is kept as it stands between the slashes and never compiled.
func parseKey(s string) canonical.Trigger {
	if len(s) > 2 && s[0] == '/' {
		end := strings.LastIndexByte(s, '/')
		if body, flags := s[1:end], s[end+1:]; end > 1 && strings.Trim(flags, "gimsuyv") == "" && !bareSlash(body) {
			return canonical.Trigger{Keyword: body, IsRegex: canonical.Ptr(true), Flags: canonical.Ptr(flags)}
		}
	}
	return canonical.Trigger{Keyword: s}
}

// bareSlash reports a slash that no backslash escapes.
func bareSlash(body string) bool {
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '/':
			return true
		}
	}
	return false
}

func isRegex(t canonical.Trigger) bool { return canonical.Or(t.IsRegex, false) }

// slashKey writes a key in SillyTavern's form.
func slashKey(t canonical.Trigger) string {
	if !isRegex(t) {
		return t.Keyword
	}
	body := t.Keyword
	if bareSlash(body) {
		var b strings.Builder
		for i := 0; i < len(body); i++ {
			if body[i] == '\\' && i+1 < len(body) {
				b.WriteByte(body[i])
				i++
			} else if body[i] == '/' {
				b.WriteByte('\\')
			}
			b.WriteByte(body[i])
		}
		body = b.String()
	}
	return "/" + body + "/" + canonical.Or(t.Flags, "")
}

func sameTrigger(a, b canonical.Trigger) bool {
	return a.Keyword == b.Keyword && isRegex(a) == isRegex(b) && canonical.Or(a.Flags, "") == canonical.Or(b.Flags, "") &&
		samePtr(a.Frequency, b.Frequency) && samePtr(a.Probability, b.Probability)
}

func samePtr[T comparable](a, b *T) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// keyRow maps one key list. Home is the member that is written; others are read.
func (d *Dialect) keyRow(path string, field func(e *canonical.Entry) *[]canonical.Trigger, home string, others ...string) fieldmap.Row[canonical.Entry] {
	list := fieldmap.TextList(",")
	park := parkPath(path)
	parkAt := strings.Split(park, ".")
	all := append([]string{home}, others...)
	find := func(obj *jsondoc.Value) (*jsondoc.Value, string) {
		for _, n := range all {
			if v := obj.Get(n); v != nil && !v.IsNull() {
				return v, n
			}
		}
		return nil, home
	}
	read := func(obj *jsondoc.Value, e *canonical.Entry, warn fieldmap.Warn) {
		v, name := find(obj)
		if v == nil {
			return
		}
		keys, odd := list.Read(v)
		if odd != "" {
			warn(name, odd)
		}
		if keys == nil {
			return
		}
		if parked, _ := list.Read(obj.At(parkAt...)); parked != nil {
			exact := parseExact(*parked)
			bare, _ := barePatterns(exact, false)
			if slices.Equal(bare, *keys) || !d.regexKey && slices.Equal(slashKeys(exact), *keys) {
				*field(e) = exact
				return
			}
		}
		*field(e) = d.keysAs(*keys, obj, d.bareKeys(obj) && (path == "triggers" || d.regexKey))
	}
	write := func(obj *jsondoc.Value, e *canonical.Entry, near fieldmap.Near) {
		ts := *field(e)
		keys := slashKeys(ts)
		if ts == nil && !slices.ContainsFunc(all, func(n string) bool { return obj.Get(n) != nil }) {
			return // it has no such list, and another's switch gives it none
		}
		if park := parkAt[:len(parkAt)-1]; obj.At(parkAt...) != nil {
			if fieldmap.Drop(obj, parkAt); obj.At(park...).Len() == 0 {
				fieldmap.Drop(obj, park)
			}
		}
		if d.regexKey {
			if d.anyRegex(e) {
				cs, _ := obj.Get("case_sensitive").Bool()
				bare, odd := barePatterns(ts, cs)
				if !slices.EqualFunc(d.keysAs(bare, obj, true), ts, sameTrigger) {
					fieldmap.Put(obj, parkAt, list.Write(exactKeys(ts), nil))
				}
				if odd != "" {
					near(path, strings.Join(bare, ", "), odd)
				}
				keys = bare
			}
		}
		if !d.regexKey && d.bareKeys(obj) {
			if onlyRegex(e.Triggers) && path == "triggers" {
				keys, _ = barePatterns(ts, false)
			} else {
				obj.Set("use_regex", jsondoc.Bool(false))
			}
		}
		if i := slices.IndexFunc(ts, looksRegex); i >= 0 && !d.regexKey {
			fieldmap.Put(obj, parkAt, list.Write(exactKeys(ts), nil))
			near(path, strings.Join(keys, ", "), "the key \""+ts[i].Keyword+"\" is plain text; SillyTavern takes every key between slashes as a pattern and has no way to say otherwise; what the key was is kept for the way back")
		}
		for i, n := range all {
			if old := obj.Get(n); old != nil || i == 0 {
				obj.Set(n, list.Write(keys, old))
			}
		}
		// A new entry has the switch from its template; one of a twin without it gains it only where it says something.
		if obj.Get("use_regex") != nil || d.regexKey && (obj.At("extensions", "use_regex") != nil || d.anyRegex(e)) {
			d.setUseRegex(obj, e)
		}
	}
	same := func(a, b *canonical.Entry) bool {
		x, y := *field(a), *field(b)
		if (x == nil) != (y == nil) || !slices.EqualFunc(x, y, sameTrigger) {
			return false
		}
		// One switch speaks for both lists, and another for the flags of both: what they say changes with it.
		return !d.regexKey || x == nil || d.anyRegex(a) == d.anyRegex(b) &&
			(!d.anyRegex(a) || canonical.Or(a.CaseSensitive, false) == canonical.Or(b.CaseSensitive, false))
	}
	r := fieldmap.Custom(path, home, append(append([]string{}, all...), park, "use_regex", "extensions.use_regex"), read, same, write)
	return r.Tells(func(obj *jsondoc.Value) (out []string) {
		first, _ := find(obj)
		var taken *[]string
		if first != nil {
			taken, _ = list.Read(first)
		}
		for _, n := range all {
			v := obj.Get(n)
			if v == nil || fieldmap.Blank(v) {
				continue
			}
			if keys, odd := list.Read(v); keys == nil || fieldmap.Dropped(odd) || taken == nil || !slices.Equal(*taken, *keys) {
				out = append(out, n)
			}
		}
		return out
	})
}

// keysAs reads keys of an entry; bare says that its switch makes every key a pattern. Without the switch Lumiverse
// takes slashes as text.
func (d *Dialect) keysAs(keys []string, obj *jsondoc.Value, bare bool) []canonical.Trigger {
	out := parseKeys(keys)
	if d.regexKey && !bare {
		for i, k := range keys {
			out[i] = canonical.Trigger{Keyword: k}
		}
	}
	flags := "i"
	if cs, ok := obj.Get("case_sensitive").Bool(); ok && cs {
		flags = ""
	}
	for i, k := range keys {
		if bare && !isRegex(out[i]) && isWord(k) {
			out[i] = canonical.Trigger{Keyword: k, IsRegex: canonical.Ptr(true), Flags: canonical.Ptr(flags)}
		}
	}
	return out
}

func parseKeys(keys []string) []canonical.Trigger {
	out := make([]canonical.Trigger, len(keys))
	for i, k := range keys {
		out[i] = parseKey(k)
	}
	return out
}

func slashKeys(ts []canonical.Trigger) []string {
	keys := make([]string, len(ts))
	for i, t := range ts {
		keys[i] = slashKey(t)
	}
	return keys
}

// looksRegex reports a plain key that reads as a pattern in SillyTavern's form.
func looksRegex(t canonical.Trigger) bool { return !isRegex(t) && isRegex(parseKey(t.Keyword)) }

// exactKeys is how keys are parked: SillyTavern's form, and one backslash more before a plain key that would read as a
// pattern. parseExact is the way back.
func exactKeys(ts []canonical.Trigger) []string {
	keys := slashKeys(ts)
	for i, t := range ts {
		if !isRegex(t) && isRegex(parseKey(strings.TrimLeft(keys[i], `\`))) {
			keys[i] = `\` + keys[i]
		}
	}
	return keys
}

func parseExact(keys []string) []canonical.Trigger {
	out := parseKeys(keys)
	for i, k := range keys {
		if rest, ok := strings.CutPrefix(k, `\`); ok && isRegex(parseKey(strings.TrimLeft(k, `\`))) {
			out[i].Keyword = rest
		}
	}
	return out
}

// barePatterns writes keys for an app where a switch makes every key of the entry a bare pattern: plain keys are
// escaped. Odd says what the app cannot hold; caseSensitive is its switch, the only flag that it has.
func barePatterns(ts []canonical.Trigger, caseSensitive bool) (keys []string, odd string) {
	var why []string
	say := func(s string) {
		if !slices.Contains(why, s) {
			why = append(why, s)
		}
	}
	for _, t := range ts {
		if !isRegex(t) {
			keys = append(keys, quoteMeta(t.Keyword))
			say("the app takes every key of an entry with patterns as a pattern; a plain key becomes an escaped one, and the rule for whole words does not hold for it")
			continue
		}
		keys = append(keys, t.Keyword)
		flags := canonical.Or(t.Flags, "")
		if f := strings.Trim(flags, "gi"); f != "" {
			say("the app has no pattern flags but the case switch; the flags \"" + f + "\" do nothing there")
		}
		switch i := strings.Contains(flags, "i"); {
		case !i && !caseSensitive:
			say("a pattern without the flag \"i\" tells upper from lower case; the app ignores case in all patterns of this entry, since its case switch is off")
		case i && caseSensitive:
			say("a pattern with the flag \"i\" ignores case; the app tells upper from lower case in all patterns of this entry, since its case switch is on")
		}
	}
	if why != nil {
		odd = strings.Join(why, "; ") + "; the exact keys are kept for the way back"
	}
	return keys, odd
}

// quoteMeta escapes what means something in a pattern.
func quoteMeta(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$/`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (d *Dialect) anyRegex(e *canonical.Entry) bool {
	return slices.ContainsFunc(e.Triggers, isRegex) || slices.ContainsFunc(e.SecondaryTriggers, isRegex)
}

// bareKeys reports an entry whose use_regex means that keys are bare patterns. SillyTavern writes use_regex true on
// every entry and means nothing by it.
func (d *Dialect) bareKeys(obj *jsondoc.Value) bool {
	on, _ := obj.Get("use_regex").Bool()
	if !on && d.regexKey {
		on, _ = obj.At("extensions", "use_regex").Bool()
	}
	return on && (d.regexKey || !hasSTExtras(obj))
}

func (d *Dialect) setUseRegex(obj *jsondoc.Value, e *canonical.Entry) {
	switch {
	case d.regexKey && !d.File:
		fieldmap.Put(obj, []string{"extensions", "use_regex"}, jsondoc.Bool(d.anyRegex(e)))
	case d.regexKey:
		obj.Set("use_regex", jsondoc.Bool(d.anyRegex(e)))
	case !d.bareKeys(obj):
		if hasSTExtras(obj) && obj.Get("use_regex") != nil {
			return // SillyTavern's own habit; it means nothing there
		}
		obj.Set("use_regex", jsondoc.Bool(onlyRegex(e.Triggers)))
	}
}

func onlyRegex(ts []canonical.Trigger) bool {
	return len(ts) > 0 && !slices.ContainsFunc(ts, func(t canonical.Trigger) bool { return !isRegex(t) })
}
