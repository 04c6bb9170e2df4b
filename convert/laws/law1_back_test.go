package laws

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
)

// TestLaw1ThereAndBack changes each populated field, writes the file, reads it, changes the field back, and writes
// again: the result is the file that came in. Only the edited value may be spelled another way, where its spelling was
// not the usual one, since the file in between no longer says how it was.
func TestLaw1ThereAndBack(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		if s.foreign {
			t.Skip("its app cannot read this file, so another one is written")
		}
		p := read(t, s.data)
		a := apart(t, s.data)
		for _, l := range allLeaves(p) {
			q := edited(p, l.piece, l.edit)
			mid := emit(t, q, convert.Options{To: p.Info.App})
			r, err := convert.New().Read(sourceOf(mid), convert.Options{})
			if !assert.NoError(t, err, l.path) || !assert.Equal(t, p.Info.ID, r.Info.ID, l.path) {
				continue
			}
			if !assert.Len(t, linked(r), len(linked(p)), l.path) {
				continue
			}
			restored := true
			r = edited(r, l.piece, func(b any) { restored = l.restore(b, body(p, l.piece)) })
			if !assert.True(t, restored, "%s is not there in the file that was edited", l.path) {
				continue
			}
			b := apart(t, emit(t, r, convert.Options{To: p.Info.App}))
			sameRestBut(t, a, b, l)
			if !assert.Equal(t, names(a.docs), names(b.docs), l.path) {
				continue
			}
			for i := range a.docs {
				if a.docs[i].text == b.docs[i].text {
					continue
				}
				d := compare(t, a.docs[i].text, b.docs[i].text)
				touched := compare(t, a.docs[i].text, apart(t, mid).docs[i].text).paths()
				// A value that stood only where the app does not look is written at its home too when it is edited, one text
				// that stands for a list becomes a list, and both stay so.
				for _, c := range append(append([]string{}, d.gone...), d.added...) {
					assert.True(t, l.mayTouch(c), "piece %d %s: there and back leaves another place changed: %s", l.piece, l.path, c)
				}
				// A list that was empty in between no longer says how it was laid out.
				emptied := strings.HasPrefix(l.path, "rules[") && (strings.Contains(l.path, ".phases[") || strings.Contains(l.path, ".targets["))
				emptied = emptied || l.app == "risu" && l.generic() == "prompts[].enabled" // a prompt that is off is parked elsewhere
				assert.True(t, d.layout || emptied || l.app == "risu" && l.generic() == "categories[].id" || len(d.gone)+len(d.added) > 0, "piece %d %s: %s comes back with another layout", l.piece, l.path, a.docs[i].name)
				for _, c := range d.changed {
					assert.True(t, slices.Contains(touched, c) || strings.HasSuffix(l.path, ".content") && strings.HasSuffix(c, ".ext") || s.name == "both-different.png" || sameFlags(l.generic(), c) || l.app == "risu" && l.generic() == "categories[].id" || l.app == "risu" && l.generic() == "entries[].enabled" && strings.HasSuffix(c, ".enabled"), "piece %d %s: there and back changes another place: %s", l.piece, l.path, c)
					if s.name == "both-different.png" && i == 0 && l.mayTouch(c) {
						continue // the other copy of the card said something else; an edit brings it into step for good
					}
					was, now := at(t, a.docs[i].text, c), at(t, b.docs[i].text, c)
					ok := sameMeaning(t, was, now) || now == strconv.Quote(canonical.Text(valueOf(body(p, l.piece), l))) || strings.HasPrefix(l.path, "attribution.createdAt") || strings.HasSuffix(l.path, ".content")
					ok = ok || sameDecorators(c, was, now) || sameFlags(l.generic(), c)                                                                                                                                       // a line that was gone in between stands behind the others
					ok = ok || l.app == "risu" && (l.generic() == "entries[].enabled" && strings.HasSuffix(c, ".enabled") && was == "true" || strings.HasSuffix(c, ".prebuiltAssetCommand") && was == `""` && now == "false") // the switch is a line of the content, and now the member too; "" is off
					ok = ok || l.app == "risu" && l.generic() == "entries[].constant" && strings.Replace(was, `@@activate\n`, "", 1) == now                                                                                   // the member says it now
					ok = ok || l.path == "chatInjection.position" && was == "1" && now == "0"                                                                                                                                 // SillyTavern's old word for the same place
					ok = ok || p.Container == formats.YAML                                                                                                                                                                    // a value that is written again has its plainest spelling
					for _, p := range touched {
						ok = ok || now == at(t, a.docs[i].text, p) // the places disagreed, and now they agree
					}
					assert.True(t, ok, "piece %d %s: %s was %s and comes back as %s", l.piece, l.path, c, was, now)
				}
			}
		}
	})
}

// valueOf is what the leaf holds.
func valueOf(body any, l leaf) any {
	v := l.at(body)
	if v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*canonical.Blob]() {
		v = v.Elem()
	}
	return v.Interface()
}

// at is the spelling of a leaf.
func at(t testing.TB, text, path string) string {
	for _, x := range scan(t, text) {
		if x.path == path {
			return text[x.start:x.end]
		}
	}
	return ""
}

// sameRestBut is sameRest, except that the picture's own bytes are those of another encoder after it was replaced and
// put back from the file in between.
func sameRestBut(t testing.TB, a, b wire, l leaf) {
	t.Helper()
	if !strings.Contains(l.path, "content") {
		sameRest(t, a, b)
	}
}
