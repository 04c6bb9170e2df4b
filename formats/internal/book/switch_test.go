package book

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// TestSwitchOfBothLists: in Lumiverse one switch makes the keys of both lists patterns, and the case switch is the only
// flag of all of them. An edit of one list, or of the case, leaves what the other list says as it was.
func TestSwitchOfBothLists(t *testing.T) {
	regex := func(s, flags string) canonical.Trigger {
		return canonical.Trigger{Keyword: s, IsRegex: canonical.Ptr(true), Flags: &flags}
	}
	const book = `{"name":"B","entries":[{"key":["a.c"],"keysecondary":["C++","dog"],"content":"x","selective":true,"use_regex":false,"case_sensitive":false,"extensions":{}}]}`
	const card = `{"name":"B","entries":[{"keys":["a.c"],"secondary_keys":["C++","dog"],"content":"x","selective":true,"case_sensitive":false,"extensions":{"use_regex":false,"uid":"u","selective_logic":2}}]}`
	for name, c := range map[string]struct {
		text string
		d    *Dialect
	}{"world book": {book, LumiverseWorldBook}, "card": {card, LumiverseBook}} {
		for what, edit := range map[string]func(e *canonical.Entry){
			"the first pattern":                  func(e *canonical.Entry) { e.Triggers = append(e.Triggers, regex("^x", "i")) },
			"the first pattern of the others":    func(e *canonical.Entry) { e.SecondaryTriggers[1] = regex("d.g", "") },
			"patterns, then the case":            func(e *canonical.Entry) { e.Triggers[0], e.CaseSensitive = regex("a", "i"), canonical.Ptr(true) },
			"patterns of both, one list cleared": func(e *canonical.Entry) { e.Triggers, e.SecondaryTriggers = []canonical.Trigger{regex("a", "i")}, nil },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				doc, err := jsondoc.Parse([]byte(c.text), limits.Card())
				require.NoError(t, err)
				b, err := c.d.Decode(doc.Root, "", func(string) {})
				require.NoError(t, err)
				edit(b.Entries[0])
				out := c.d.Encode(b, doc.Root.Clone(), nil, func(string, string, string) {})
				back, err := c.d.Decode(out, "", func(string) {})
				require.NoError(t, err)
				changes, err := canonical.Diff(b, back)
				require.NoError(t, err)
				assert.Empty(t, changes, string(out.Raw()))

				// And the case switch alone, once there are patterns.
				back.Entries[0].CaseSensitive = canonical.Ptr(!canonical.Or(back.Entries[0].CaseSensitive, false))
				again, err := c.d.Decode(c.d.Encode(back, out.Clone(), nil, func(string, string, string) {}), "", func(string) {})
				require.NoError(t, err)
				changes, err = canonical.Diff(back, again)
				require.NoError(t, err)
				assert.Empty(t, changes)
			})
		}
		t.Run(name+", a pattern that goes again", func(t *testing.T) {
			doc, err := jsondoc.Parse([]byte(c.text), limits.Card())
			require.NoError(t, err)
			b, err := c.d.Decode(doc.Root, "", func(string) {})
			require.NoError(t, err)
			b.Entries[0].Triggers = append(b.Entries[0].Triggers, regex("^x", "i"))
			out := c.d.Encode(b, doc.Root.Clone(), nil, func(string, string, string) {})
			b.Entries[0].Triggers = b.Entries[0].Triggers[:1]
			assert.Equal(t, c.text, string(c.d.Encode(b, out, nil, func(string, string, string) {}).Raw()))
		})
	}
}
