package convert

import (
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/jsondoc"
)

// code is one sort of executable content that a file carries: text here, and never run.
type code struct {
	what string // in words, "Lua in triggers"
	n    int    // how many, 0 where it is not counted
}

func (c code) String() string {
	if c.n == 0 {
		return c.what
	}
	return c.what + " (" + strconv.Itoa(c.n) + ")"
}

// executable is the fact in which a codec says in words which code a file carries that has no place in the model, such
// as that in the module of a Risu archive.
const executable = "hasExecutableContent"

// mostFacts bounds them: a canonical file may come from anywhere.
const mostFacts = 8

// codeIn lists the code of a piece. What the model has a place for is looked at there, wherever in the file it stood;
// what it has none for in the file itself.
func codeIn(x *canonical.Entity) []code {
	var out []code
	add := func(what string, n int) {
		if i := slices.IndexFunc(out, func(c code) bool { return c.what == what }); i < 0 {
			out = append(out, code{what, n})
		}
	}
	var b canonical.Behavior
	if c := x.Character(); c != nil && c.Behavior != nil {
		b = *c.Behavior
	}
	if n := len(b.TriggerScripts); n > 0 {
		add("triggers", n)
	}
	if slices.ContainsFunc(b.TriggerScripts, func(t canonical.CardTrigger) bool { return runsCode(t.Effects) }) {
		add("Lua in triggers", 0)
	}
	if strings.TrimSpace(canonical.Or(b.VirtualScript, "")) != "" {
		add("virtual script", 0)
	}
	if strings.TrimSpace(canonical.Or(b.BackgroundHTML, "")) != "" {
		add("HTML behind the chat", 0)
	}
	if set, ok := x.Body.(*canonical.RegexSet); ok {
		n := 0
		for _, r := range set.Rules {
			if putsScript(r.Replace) {
				n++
			}
		}
		if n > 0 {
			add(scriptingRegex, n)
		}
	}
	if set, ok := x.Body.(*canonical.QuickReplySet); ok {
		n := 0
		for _, r := range set.Replies {
			if len(startsItself(r)) > 0 {
				n++
			}
		}
		if n > 0 {
			add("quick replies that run by themselves", n)
		}
	}
	for _, o := range x.Original {
		for i, s := range o.Unmapped.Get(executable).Elems() {
			if words, ok := s.Text(); ok && i < mostFacts {
				add(formats.Shown(words), 0)
			}
		}
		ext := extensionsOf(o)
		for _, k := range codeKeys {
			if v := ext.Get(k.Key); v != nil && !blank(v) {
				add(k.Value, 0)
			}
		}
		risu := ext.Get("risuai")
		if v := risu.Get("triggerscript"); v.Len() > 0 { // also where an app does not read it
			add("triggers", v.Len())
			if slices.ContainsFunc(slices.Collect(values(v)), func(t *jsondoc.Value) bool { return runsCode(t.Get("effect")) }) {
				add("Lua in triggers", 0)
			}
		}
		for _, k := range risuCode {
			if s, _ := risu.Get(k.Key).Text(); strings.TrimSpace(s) != "" {
				add(k.Value, 0)
			}
		}
	}
	return out
}

const scriptingRegex = "regex scripts that put scripts into the page"

var (
	codeKeys = canonical.Map[string]{{Key: "tavern_helper", Value: "Tavern Helper scripts"}, {Key: "TavernHelper_scripts", Value: "Tavern Helper scripts (old form)"}}
	risuCode = canonical.Map[string]{{Key: "virtualscript", Value: "virtual script"}, {Key: "backgroundHTML", Value: "HTML behind the chat"}, {Key: "sidePanelHTML", Value: "HTML of a side panel"}}
)

// putsScript reports a replacement that makes a page run something: a script, an address that is one, or a tag with a
// handler of an event. Letters match in either case, as HTML has it.
func putsScript(replace string) bool {
	s := strings.ToLower(replace)
	return strings.Contains(s, "<script") || strings.Contains(s, "javascript:") || hasHandler(s)
}

// hasHandler looks into each tag for an attribute such as onclick=. It is written out because regexp is large in the
// wasm programs.
func hasHandler(s string) bool {
	const space, letters = " \t\n\f\r", "abcdefghijklmnopqrstuvwxyz"
	for {
		_, tag, open := strings.Cut(s, "<")
		if !open {
			return false
		}
		tag, s, _ = strings.Cut(tag, ">")
		for i := 1; i < len(tag); i++ {
			if !strings.ContainsRune(space, rune(tag[i])) {
				continue
			}
			event, on := strings.CutPrefix(tag[i+1:], "on")
			rest := strings.TrimLeft(event, letters)
			if on && len(rest) < len(event) && strings.HasPrefix(strings.TrimLeft(rest, space), "=") {
				return true
			}
		}
	}
}

// runsCode reports a trigger that holds a program (Risu's triggers.ts).
func runsCode(effects *jsondoc.Value) bool {
	for _, x := range effects.Elems() {
		if kind, _ := x.Get("type").Text(); kind == "triggerlua" || kind == "triggercode" {
			return true
		}
	}
	return false
}

func values(list *jsondoc.Value) func(func(*jsondoc.Value) bool) {
	return func(yield func(*jsondoc.Value) bool) {
		for _, v := range list.Elems() {
			if !yield(v) {
				return
			}
		}
	}
}

// runsItself are the switches of a quick reply that make it run without a click.
var runsItself = []string{"executeOnStartup", "executeOnUser", "executeOnAi", "executeOnChatChange", "executeOnGroupMemberDraft", "executeOnNewChat", "executeBeforeGeneration"}

func startsItself(r canonical.QuickReply) (out []string) {
	for _, n := range runsItself {
		if on, _ := r.Extras.Get(n).Bool(); on {
			out = append(out, n)
		}
	}
	return out
}

// extensionsOf is the extensions of a card, nil where there are none.
func extensionsOf(o *canonical.Escrow) *jsondoc.Value {
	if o.Raw == nil {
		return nil
	}
	if ext := o.Raw.Root.At("data", "extensions"); ext != nil {
		return ext
	}
	return o.Raw.Root.Get("extensions")
}

// looseRegex names the regex scripts in a card that are no pieces of their own, because the app that the card is read
// for does not know them.
func looseRegex(x *canonical.Entity, sets []*canonical.Entity) []string {
	taken := map[string]bool{}
	for _, s := range sets {
		if b, ok := s.Body.(*canonical.RegexSet); ok {
			for _, r := range b.Rules {
				taken[r.Label] = true
			}
		}
	}
	var out []string
	for _, o := range x.Original {
		ext := extensionsOf(o)
		for _, list := range []*jsondoc.Value{ext.Get("regex_scripts"), ext.At("risuai", "customScripts")} {
			for _, s := range list.Elems() {
				name := ""
				for _, k := range []string{"scriptName", "comment", "name"} {
					if name == "" {
						name, _ = s.Get(k).Text()
					}
				}
				if taken[name] {
					continue
				}
				taken[name] = true // a second copy in the same card says nothing new
				if name == "" {
					name = "unnamed"
				}
				out = append(out, "regex: "+name)
			}
		}
	}
	return out
}

// codeNote says in words which code the source carries and what of it is in the file that was written; "" without code.
func codeNote(from, to []*canonical.Entity, app formats.Info) string {
	held := allCode(from)
	if len(held) == 0 {
		return ""
	}
	written := allCode(to)
	var kept, left []string
	for _, c := range held {
		i := slices.IndexFunc(written, func(w code) bool { return w.what == c.what })
		switch {
		case i < 0:
			left = append(left, c.String())
		case written[i].n < c.n:
			kept = append(kept, c.what+" ("+strconv.Itoa(written[i].n)+" of "+strconv.Itoa(c.n)+")")
		default:
			kept = append(kept, c.String())
		}
	}
	words := make([]string, len(held))
	for i, c := range held {
		words[i] = c.String()
	}
	note := "this file carries code, which bunzai keeps as text and never runs: " + strings.Join(words, ", ") + ". The file for " + app.AppLabel
	switch {
	case len(left) == 0 && app.App == "bunzai":
		return note + " takes it along"
	case len(left) == 0:
		return note + " takes it along, and the app may run it"
	case len(kept) == 0:
		return note + " holds none of it"
	}
	return note + " takes along " + strings.Join(kept, ", ") + ", which the app may run, and leaves out " + strings.Join(left, ", ")
}

// allCode adds up the code of several pieces.
func allCode(pieces []*canonical.Entity) []code {
	var out []code
	for _, x := range pieces {
		for _, c := range codeIn(x) {
			if i := slices.IndexFunc(out, func(o code) bool { return o.what == c.what }); i >= 0 {
				out[i].n += c.n
			} else {
				out = append(out, c)
			}
		}
	}
	return out
}
