package laws

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/testdata/samples"
)

// bookOf is the lorebook of a file.
func bookOf(t testing.TB, data []byte) *canonical.Lorebook {
	t.Helper()
	p := read(t, data)
	if b := p.Primary.Lorebook(); b != nil {
		return b
	}
	require.Len(t, p.Books, 1)
	return p.Books[0].Lorebook()
}

// Faults that other tools had with what Risu writes, through the whole pipeline.
func TestRisuFaults(t *testing.T) {
	t.Run("KF-048 the app's own fields in every container", func(t *testing.T) {
		const own = `{"defaultVariables": "n=0\ncoat=red", "newGenData": {"prompt": "courier", "negative": "blur", "instructions": "draw", "emotionInstructions": "smile"}, "license": "CC BY-NC-SA 4.0", "lorePlus": true,
			"bias": [["sigh", -20], ["ok", 5.5]], "sdData": [["always", "solo"], ["$x", ""]], "viewScreen": "imggen", "additionalText": "more", "backgroundHTML": "<div>a</div>", "utilityBot": true, "largePortrait": true, "inlayViewScreen": true,
			"lowLevelAccess": true, "prebuiltAssetCommand": true, "prebuiltAssetStyle": "dynamic", "prebuiltAssetExclude": ["x"], "toggles": "a=b", "vits": {}, "virtualscript": "", "unknown": {"z": 1, "a": [null, 0, false, ""]}}`
		in := cardOf("3", `"name": "Ann", "description": "", "first_mes": "", "extensions": {"risuai": `+own+`}`)
		want := read(t, in).Primary.Body
		file := in
		for range 2 {
			for _, c := range []formats.Container{formats.PNG, formats.JSON, formats.CharX, formats.JPEG, formats.PNG} {
				out, next := convertTo(t, file, convert.Options{To: "risu", Container: c})
				assert.Zero(t, out.Report.Counts.Lost+out.Report.Counts.Changed, c)
				same(t, want, withoutPortrait(read(t, next).Primary.Body.(*canonical.Character)), string(c))
				d := apart(t, next).docs
				doc, err := jsondoc.Parse([]byte(d[len(d)-1].text), limits.Card())
				require.NoError(t, err)
				wire, err := jsondoc.Parse([]byte(own), limits.Card())
				require.NoError(t, err)
				assert.True(t, jsondoc.Equal(wire.Root, doc.Root.At("data", "extensions", "risuai")), "%s: %s", c, doc.Root.At("data", "extensions", "risuai").Raw())
				file = next
			}
		}
	})
	t.Run("KF-067 a chance of zero stays zero", func(t *testing.T) {
		in := []byte(`{"type":"risu","ver":1,"data":[{"key":"a","comment":"A","content":"x","mode":"normal","insertorder":1,"alwaysActive":false,"secondkey":"","selective":false,"activationPercent":0}]}`)
		for _, to := range []string{"sillytavern", "lumiverse"} {
			_, out := convertTo(t, in, convert.Options{To: to})
			e := bookOf(t, out).Entries[0]
			assert.Equal(t, 0.0, canonical.Or(e.Probability, -1), to)
			assert.True(t, canonical.Or(e.UseProbability, false), to)
		}
		st := []byte(`{"entries":{"0":{"uid":0,"key":["a"],"keysecondary":[],"comment":"A","content":"x","constant":false,"selective":true,"order":100,"position":0,"disable":false,"probability":0,"useProbability":true}}}`)
		_, out := convertTo(t, st, convert.Options{To: "risu"})
		assert.Contains(t, string(out), `@@probability 0\n`)
	})
	t.Run("KF-072 settings as lines do not pile up", func(t *testing.T) {
		st := []byte(`{"entries":{"0":{"uid":0,"key":["a"],"keysecondary":["s"],"comment":"A","content":"x","constant":false,"selective":true,"selectiveLogic":3,"order":100,"position":4,"depth":2,"role":1,"disable":true,"probability":30,"useProbability":true,"excludeRecursion":true,"delay":4,"scanDepth":null}}}`)
		was, file := bookOf(t, st), st
		var first string
		for range 2 {
			_, risu := convertTo(t, file, convert.Options{To: "risu"})
			if first == "" {
				first = string(risu)
			}
			assert.Equal(t, first, string(risu))
			out, back := convertTo(t, risu, convert.Options{To: "sillytavern"})
			now := bookOf(t, back)
			same(t, was, now, "there and back")
			assert.Equal(t, "x", now.Entries[0].Content)
			assert.Zero(t, out.Report.Counts.Lost)
			file = back
		}
		assert.Contains(t, first, `"content": "@@dont_activate\n@@additional_keys s\n@@depth 2\n@@role user\n@@probability 30\n@@activate_only_after 4\n@@no_recursive_search\nx"`)
	})
	t.Run("a book of SillyTavern to Risu and back", func(t *testing.T) {
		for _, name := range []string{"wi.json", "wi-old.json", "wi-chub.json", "lorebook-v3.json"} {
			in := samples.Get(name).Data
			there, risu := convertTo(t, in, convert.Options{To: "risu"})
			assert.Zero(t, there.Report.Counts.Lost-strings.Count(lines(there.Report, convert.Lost), "original."), "%s: only what no app knows stays behind: %s", name, lines(there.Report, convert.Lost))
			_, again := convertTo(t, risu, convert.Options{To: "sillytavern"})
			want := bookOf(t, in)
			for _, e := range want.Entries {
				e.Comment = nil
			}
			same(t, want, bookOf(t, again), name)
		}
	})
	t.Run("a text that looks like settings", func(t *testing.T) {
		st := []byte(`{"entries":{"0":{"uid":0,"key":["a"],"keysecondary":[],"comment":"A","content":"@@depth 4\n@@unknown\nx","constant":false,"selective":true,"order":100,"position":0,"disable":false}}}`)
		out, risu := convertTo(t, st, convert.Options{To: "risu"})
		assert.Contains(t, lines(out.Report, convert.Changed), "entries[0].content")
		_, back := convertTo(t, risu, convert.Options{To: "sillytavern"})
		same(t, bookOf(t, st), bookOf(t, back), "there and back")
		edited := []byte(strings.Replace(string(risu), `\nx"`, `\ny"`, 1))
		assert.Equal(t, "@@unknown\ny", bookOf(t, edited).Entries[0].Content, "an edit in the app wins")
	})
	t.Run("lines of the app that no field holds are told", func(t *testing.T) {
		in := []byte(`{"type":"risu","ver":1,"data":[{"key":"a","comment":"A","content":"@@depth 2\n@@inject_at description\n@@position personality\n@@@strange\nx","mode":"normal","insertorder":1,"alwaysActive":false,"secondkey":"","selective":false}]}`)
		for _, to := range []string{"sillytavern", "lumiverse"} {
			out, _ := convertTo(t, in, convert.Options{To: to})
			var told []string
			for _, i := range out.Report.Items {
				if strings.HasPrefix(i.Path, "original.") {
					told = append(told, i.Label)
				}
			}
			assert.ElementsMatch(t, []string{"data[].content (@@depth)", "data[].content (@@inject_at)", "data[].content (@@position)", "data[].content (@@@strange)"}, told, to)
		}
		out, _ := convertTo(t, in, convert.Options{To: "risu"})
		assert.Zero(t, out.Report.Counts.Lost)
	})
	t.Run("KF-073 folders and modes", func(t *testing.T) {
		for _, name := range []string{"risu-lore.json", "risu-lore-compact.json", "risu-module.risum"} {
			in := samples.Get(name).Data
			b := bookOf(t, in)
			require.NotEmpty(t, b.Categories, name)
			for _, e := range b.Entries {
				assert.NotContains(t, e.Triggers, canonical.Trigger{Keyword: "\uf000folder:q"})
			}
			assert.Equal(t, string(in), string(emit(t, read(t, in), convert.Options{To: "risu"})))
		}
	})
	t.Run("KF-073 folders and modes of a card's book", func(t *testing.T) {
		in := cardOf("3", `"name": "Ann", "description": "", "first_mes": "", "extensions": {"risuai": {}}, "character_book": {"extensions": {}, "entries": [
			{"keys": ["\uf000folder:q"], "content": "", "extensions": {}, "enabled": true, "insertion_order": 100, "constant": false, "selective": false, "name": "Places", "comment": "Places", "mode": "folder"},
			{"keys": ["a"], "content": "A", "extensions": {}, "enabled": true, "insertion_order": 1, "name": "A", "comment": "A", "mode": "normal", "folder": "\uf000folder:q"},
			{"keys": ["b"], "content": "B", "extensions": {}, "enabled": true, "insertion_order": 2, "name": "B", "comment": "B", "mode": "normal", "folder": "\uf000folder:q"},
			{"keys": ["c"], "content": "C", "extensions": {}, "enabled": true, "insertion_order": 3, "name": "C", "comment": "C", "mode": "constant"}]}`)
		want := bookOf(t, in)
		require.Len(t, want.Categories, 1)
		file := in
		for _, c := range []formats.Container{formats.PNG, formats.JSON, formats.CharX, formats.JPEG, formats.PNG, formats.CharX, formats.JSON} {
			_, file = convertTo(t, file, convert.Options{To: "risu", Container: c})
			same(t, want, bookOf(t, file), string(c))
			d := apart(t, file).docs
			doc, err := jsondoc.Parse([]byte(d[len(d)-1].text), limits.Card())
			require.NoError(t, err)
			var says []string
			for _, e := range doc.Root.At("data", "character_book", "entries").Elems() {
				mode, _ := e.Get("mode").Text()
				folder, _ := e.Get("folder").Text()
				says = append(says, mode+" "+folder)
			}
			assert.Equal(t, []string{"folder ", "normal \uf000folder:q", "normal \uf000folder:q", "constant "}, says, c)
		}
	})
	t.Run("KF-075 blank keys", func(t *testing.T) {
		in := []byte(`{"type":"risu","ver":1,"data":[{"key":", ,a","comment":"A","content":"x","mode":"normal","insertorder":1,"alwaysActive":false,"secondkey":"","selective":false},{"key":"","comment":"B","content":"y","mode":"normal","insertorder":1,"alwaysActive":false,"secondkey":"","selective":false}]}`)
		_, out := convertTo(t, in, convert.Options{To: "sillytavern"})
		b := bookOf(t, out)
		assert.Equal(t, []canonical.Trigger{{Keyword: "a"}}, b.Entries[0].Triggers)
		assert.Empty(t, b.Entries[1].Triggers)
		assert.False(t, canonical.Or(b.Entries[1].Constant, false))
		assert.Equal(t, string(in), string(emit(t, read(t, in), convert.Options{To: "risu"})))
	})
	t.Run("KF-091 and KF-092 scripts", func(t *testing.T) {
		in := []byte(`{"type":"regex","data":[{"comment":"D","in":"a","out":"b","type":"editdisplay","flag":"gi<order 3><cbs>","ableFlag":true},{"comment":"T","in":"a","out":"b","type":"edittrans"},{"comment":"Z","in":"a","out":"b","type":"zzz"}]}`)
		out, st := convertTo(t, in, convert.Options{To: "sillytavern"})
		rules := rulesOf(t, st)
		assert.Equal(t, "gi", canonical.Or(rules[0].Flags, ""))
		assert.Equal(t, canonical.SubstituteRaw, canonical.Or(rules[0].SubstituteFind, ""))
		for _, r := range rules[1:] {
			assert.Empty(t, r.Phases, "it runs nowhere else")
			assert.NotContains(t, r.Targets, "display")
		}
		p := read(t, in)
		assert.Contains(t, strings.Join(p.Warnings, "\n"), "edittrans")
		assert.Contains(t, strings.Join(p.Warnings, "\n"), "zzz")
		assert.NotZero(t, out.Report.Counts.Lost+out.Report.Counts.Changed)
		assert.Equal(t, string(in), string(emit(t, p, convert.Options{To: "risu"})))
	})
	t.Run("KF-126 a module without assets", func(t *testing.T) {
		for _, doc := range []string{`{"module":{"name":"M","description":"","id":"1","lorebook":[]},"type":"risuModule"}`, `{"module":{"name":"M","description":"","id":"1","assets":null},"type":"risuModule"}`} {
			in := samples.Module(doc)
			assert.Empty(t, read(t, in).Primary.Character().Media.Assets)
			_, out := convertTo(t, in, convert.Options{To: "sillytavern"})
			assert.Equal(t, "M", read(t, out).Primary.Character().Identity.Name)
		}
	})
	t.Run("a disabled entry is written with the line that disables it", func(t *testing.T) {
		_, out := convertTo(t, samples.Get("wi.json").Data, convert.Options{To: "risu"})
		assert.Contains(t, string(out), `@@dont_activate\n@@position before_desc\nUid 0 is a uid.`)
	})
	t.Run("a module to a card: pictures, entries and scripts", func(t *testing.T) {
		in := samples.Get("risu-module.risum").Data
		for _, to := range []string{"sillytavern", "lumiverse"} {
			out, card := convertTo(t, in, convert.Options{To: to})
			p := read(t, card)
			assert.Equal(t, "Harbour", p.Primary.Character().Identity.Name)
			require.Len(t, p.Books, 1, to)
			assert.Len(t, p.Books[0].Lorebook().Entries, 2)
			require.Len(t, p.Regex, 1, to)
			assert.NotContains(t, string(card), "zq-risu")
			assert.Contains(t, lines(out.Report, convert.Lost), "behavior.triggerScripts", "the triggers are told of")
		}
	})
}

// withoutPortrait is the card without its picture: a PNG and a JPEG have one of their own.
func withoutPortrait(c *canonical.Character) *canonical.Character {
	x := *c
	x.Media.Portrait = nil
	return &x
}

func lines(r *convert.Report, v convert.Verdict) string {
	var out []string
	for _, i := range r.Items {
		if i.Verdict == v {
			out = append(out, i.Path)
		}
	}
	return strings.Join(out, "\n")
}
