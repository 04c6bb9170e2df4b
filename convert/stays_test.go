package convert_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/rope"
)

// turned converts a file and returns what was written with the report.
func turned(t *testing.T, file string, o convert.Options) (string, *convert.Report) {
	t.Helper()
	out, err := convert.New().Convert(rope.Bytes(file), o)
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b), out.Report
}

func lost(r *convert.Report) (out []string) {
	for _, i := range r.Items {
		if i.Verdict == convert.Lost {
			out = append(out, i.Path)
		}
	}
	return out
}

const bareBook = `{"name":"B","extensions":{"ex":1},"unkb":2,"entries":[{"id":3,"keys":["a"],"secondary_keys":["b"],"content":"c","extensions":{"zz":1.0},"enabled":true,"insertion_order":0,"zq":1e400}]}`

// TestBookBecomesWorldInfo: SillyTavern moves an entry's extensions between a card's book and a World Info file, so a
// converter must not lose them; and an entry without a place means another one in each of the two.
func TestBookBecomesWorldInfo(t *testing.T) {
	for name, file := range map[string]string{"a character_book": bareBook, "a lorebook_v3": `{"spec":"lorebook_v3","data":` + bareBook + `}`} {
		t.Run(name, func(t *testing.T) {
			out, r := turned(t, file, convert.Options{To: "sillytavern"})
			var wi struct {
				Extensions map[string]any
				Unkb       int
				Entries    map[string]struct {
					Zq         json.RawMessage
					Extensions struct{ Zz json.RawMessage }
					Position   int
					Selective  bool
				}
			}
			require.NoError(t, json.Unmarshal([]byte(out), &wi))
			e := wi.Entries["3"]
			assert.Equal(t, "1e400", string(e.Zq))
			assert.Equal(t, "1.0", string(e.Extensions.Zz))
			assert.EqualValues(t, 1, wi.Extensions["ex"])
			assert.Equal(t, 2, wi.Unkb)
			assert.Equal(t, 1, e.Position, "a card's entry without a place stands after the character")
			assert.False(t, e.Selective, "a card's entry without selective ignores its secondary keys")
			for _, i := range r.Items {
				assert.NotEqual(t, convert.Lost, i.Verdict, i.Path)
				assert.NotContains(t, i.Path, "position")
				assert.NotContains(t, i.Path, "triggerMode")
			}
			again := piecesOf(t, out).Primary.Lorebook().Entries[0]
			assert.Nil(t, again.Position, "unsaid, as it was")
			assert.Nil(t, again.TriggerMode)
		})
	}
}

func piecesOf(t *testing.T, file string) *convert.Pieces {
	t.Helper()
	p, err := convert.New().Read(rope.Bytes(file), convert.Options{})
	require.NoError(t, err)
	return p
}

// TestUnsaidInAnotherApp: what an entry means by its silence holds in the other app, and the way back is silent again.
func TestUnsaidInAnotherApp(t *testing.T) {
	wi := `{"entries":{"0":{"uid":0,"key":["a"],"keysecondary":["b"],"comment":"","content":"c"}}}`
	for _, c := range []struct{ file, to, has string }{
		{bareBook, "lumiverse", `"position": 1`},
		{wi, "lumiverse", `"selective": true`},
		{wi, "risu", `"selective": true`},
		{wi, "lumiverse", `"selective_logic": 2`},
	} {
		out, _ := turned(t, c.file, convert.Options{To: c.to})
		assert.Contains(t, out, c.has, c.to)
		if c.to == "lumiverse" {
			home, _ := turned(t, out, convert.Options{To: "sillytavern"})
			e := piecesOf(t, home).Primary.Lorebook().Entries[0]
			if c.file == bareBook {
				assert.Nil(t, e.Position)
			} else {
				assert.Nil(t, e.SelectiveLogic)
			}
		}
	}
}

// TestLeftBehindInTheSameApp: a file of the same app that has no place for something is told like any other.
func TestLeftBehindInTheSameApp(t *testing.T) {
	file := archive("", cardFile(), file{name: "extra.json", data: `{"a":1.0}`})
	out, r := turned(t, file, convert.Options{To: "sillytavern", Container: "json"})
	assert.NotContains(t, out, `"a":1.0`)
	assert.Equal(t, []string{"original.sillytavern.files.extra.json"}, lost(r))
	_, r = turned(t, file, convert.Options{To: "sillytavern"})
	assert.Empty(t, lost(r))
}

// TestKeptPieceTellsWhatStays: a piece of a canonical file still has its app's own data, which another app does not get.
func TestKeptPieceTellsWhatStays(t *testing.T) {
	card := string(small(with("zq_card", 1)))
	kept, _ := turned(t, card, convert.Options{To: "bunzai"})
	_, r := turned(t, kept, convert.Options{To: "lumiverse", Container: "json"})
	assert.Contains(t, lost(r), "original.sillytavern.data.zq_card")
	back, r := turned(t, kept, convert.Options{To: "sillytavern", Container: "json"})
	assert.Empty(t, lost(r))
	assert.True(t, strings.Contains(back, "zq_card"))
}
