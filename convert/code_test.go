package convert

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/rope"
	"bunzai/testdata/samples"
)

const codeCard = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Rin","description":"d","extensions":{"risuai":{}}}}`

// codeModule is a module whose code stands nowhere else.
const codeModule = `{"module":{"name":"Rin Module","id":"1","description":"",
"trigger":[{"comment":"","type":"start","conditions":[],"effect":[{"type":"triggerlua","code":"x"}]},{"comment":"","type":"start","conditions":[],"effect":[]}],
"regex":[{"comment":"Pop","in":"a","out":"<img src=x onerror=go()>","type":"editdisplay"},{"comment":"Plain","in":"on","out":"<b>on = off</b>","type":"editdisplay"}],
"cjs":"alert(1)","lua":"y","backgroundEmbedding":"<b>","assets":[]},"type":"risuModule"}`

func codeArchive(head []byte) []byte {
	return samples.Archive(head, samples.Entry{Name: "module.risum", Data: samples.Module(codeModule)}, samples.Entry{Name: "card.json", Data: []byte(codeCard)})
}

func allScripts(t *testing.T, name string, data []byte) []string {
	t.Helper()
	v, err := New().Inspect(rope.Bytes(data), Options{Name: name})
	require.NoError(t, err)
	var out []string
	for _, p := range v.Pieces {
		out = append(out, p.Scripts...)
	}
	return out
}

// Code that stands only in the module of an archive, or in a module file, is shown like that of a card.
func TestHiddenCode(t *testing.T) {
	regex := []string{"regex: Pop, puts a script into the page", "regex: Plain"}
	inCard := append([]string{"triggers (2)", "Lua in triggers", "Lua", "JavaScript (cjs)", "HTML behind the chat (of the module)"}, regex...)
	assert.Equal(t, inCard, allScripts(t, "a.charx", codeArchive(nil)))
	assert.Equal(t, inCard, allScripts(t, "a.jpeg", codeArchive(samples.RealJPEG())))
	assert.Equal(t, append([]string{"triggers (2)", "Lua in triggers", "HTML behind the chat", "Lua", "JavaScript (cjs)"}, regex...), allScripts(t, "a.risum", samples.Module(codeModule)))
	card := strings.Replace(codeCard, `"risuai":{}`, `"regex_scripts":[{"scriptName":"A"},{}],"tavern_helper":{"scripts":[1]},"risuai":{"virtualscript":"v","sidePanelHTML":"<i>","customScripts":[{"comment":"C","in":"c","out":"d","type":"editinput"}],"triggerscript":[{"comment":"","type":"start","conditions":[],"effect":[]}]}`, 1)
	assert.Equal(t, []string{"triggers (1)", "virtual script", "Tavern Helper scripts", "HTML of a side panel", "regex: A", "regex: unnamed", "regex: C"}, allScripts(t, "a.json", []byte(card)))
	assert.Empty(t, allScripts(t, "a.json", []byte(strings.Replace(codeCard, `"risuai":{}`, `"risuai":{"virtualscript":"","triggerscript":[],"backgroundHTML":" "}`, 1))))
}

// The report says in words that there is code, and whether the new file has it.
func TestCodeInReport(t *testing.T) {
	note := func(name string, data []byte, o Options) string {
		o.Name = name
		out, err := New().Convert(rope.Bytes(data), o)
		require.NoError(t, err)
		for _, w := range out.Report.Warnings {
			if strings.Contains(w, "carries code") {
				return w
			}
		}
		return ""
	}
	const has = "this file carries code, which bunzai keeps as text and never runs: triggers (2), Lua in triggers, Lua, JavaScript (cjs), HTML behind the chat (of the module), regex scripts that put scripts into the page (1). The file for "
	a := codeArchive(nil)
	assert.Equal(t, has+"Risu takes it along, and the app may run it", note("a.charx", a, Options{To: "risu"}))
	assert.Equal(t, has+"bunzai takes it along", note("a.charx", a, Options{To: "bunzai"}))
	assert.Equal(t, has+"SillyTavern takes along regex scripts that put scripts into the page (1), which the app may run, and leaves out triggers (2), Lua in triggers, Lua, JavaScript (cjs), HTML behind the chat (of the module)",
		note("a.charx", a, Options{To: "sillytavern"}))
	assert.Contains(t, note("a.risum", samples.Module(strings.Replace(codeModule, `"regex"`, `"none"`, 1)), Options{To: "sillytavern"}), "The file for SillyTavern holds none of it")
	assert.Empty(t, note("a.json", []byte(codeCard), Options{To: "sillytavern"}))
}

// The pattern says what is looked for; putsScript is the same without regexp.
func TestPutsScriptIsThePattern(t *testing.T) {
	pattern := regexp.MustCompile(`(?i)<script|javascript:|<[^>]+\son[a-z]+\s*=`)
	parts := []string{"<", "<", "<img", "<SCRIPT", "<scr", "ipt", "java", "script", "javaScript", ":", ">", " ", " ", "\n", "\t", "\v", "\f", "\r", "\u00a0", "on", "On", "ON", "onerror", "click", "=", "=", "x", "é", "森", "\xff", "\x00", "\"", "-", "9"}
	r := rand.New(rand.NewPCG(5, 6))
	yes := 0
	for range 200_000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		s := b.String()
		if putsScript(s) {
			yes++
		}
		if pattern.MatchString(s) != putsScript(s) {
			t.Fatalf("%q: the pattern says %v", s, !putsScript(s))
		}
	}
	assert.Greater(t, yes, 10_000)
	assert.Less(t, yes, 190_000)
	assert.True(t, putsScript("<a \nonclick\n = x"))
	assert.True(t, putsScript("<<b> <i "+strings.Repeat("on ", 100_000)+"onx="))
	assert.False(t, putsScript(strings.Repeat("<a on", 100_000)))
}
