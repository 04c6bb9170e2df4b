package lumiverse

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

func loomFrom(t testing.TB, s string) *formats.Decoded {
	t.Helper()
	in, err := formats.Open(rope.Bytes([]byte(s)), "", limits.Card())
	require.NoError(t, err)
	d, err := preset{}.Decode(in)
	require.NoError(t, err)
	return d
}

func loomText(t testing.TB, e *canonical.Entity) string {
	t.Helper()
	out, err := preset{}.Encode(e, formats.EncodeContext{Limits: limits.Card()})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b)
}

// TestPresetPlaces: blocks that name the other side of the chat history stand there, and categories end where the app
// ends them.
func TestPresetPlaces(t *testing.T) {
	s := `{"name":"x","schemaVersion":1,"blocks":[
{"id":"p","name":"p","content":"p","role":"system","position":"post_history","marker":null},
{"id":"c","name":"C","content":"","marker":"category"},
{"id":"a","name":"a","content":"a","role":"system","position":"pre_history","marker":null},
{"id":"n","name":"n","content":"n","role":"system","position":"pre_history","marker":null,"group":null},
{"id":"late","name":"late","content":"late","role":"system","position":"pre_history","marker":null,"group":"c"},
{"id":"h","name":"h","content":"","marker":"chat_history","group":null},
{"id":"q","name":"q","content":"q","role":"system","position":"pre_history","marker":null,"group":null}]}`
	d := loomFrom(t, s)
	got := ""
	for _, p := range d.Entity.Body.(*canonical.Preset).Prompts {
		got += p.ID + ":" + canonical.Or(p.GroupID, "") + " "
	}
	assert.Equal(t, "a:c n: late: q: h: p: ", got)
	assert.Equal(t, s, loomText(t, d.Entity))
	p := d.Entity.Body.(*canonical.Preset)
	p.Prompts[0].Placement = canonical.Ptr(canonical.PlaceInChat)
	assert.Equal(t, strings.Replace(s, `"content":"a","role":"system","position":"pre_history"`, `"content":"a","role":"system","position":"in_history"`, 1), loomText(t, d.Entity))
}

// TestPresetRoles: a block that is added to a message says so in its role.
func TestPresetRoles(t *testing.T) {
	s := `{"name":"x","schemaVersion":1,"blocks":[{"id":"a","name":"a","content":"a","role":"user_append","position":"in_history","depth":2,"marker":null}]}`
	d := loomFrom(t, s)
	p := &d.Entity.Body.(*canonical.Preset).Prompts[0]
	assert.Equal(t, "user append 2", fmt.Sprint(*p.Role, " ", *p.Placement, " ", *p.InjectionDepth))
	p.Role = canonical.Ptr("assistant")
	assert.Equal(t, strings.Replace(s, "user_append", "assistant_append", 1), loomText(t, d.Entity))
	p.Placement = canonical.Ptr(canonical.PlaceInChat)
	assert.Equal(t, strings.Replace(s, "user_append", "assistant", 1), loomText(t, d.Entity))
}

// TestPresetMany: many blocks of one id, in many categories, cost what they hold (law 6).
func TestPresetMany(t *testing.T) {
	var b strings.Builder
	for i := range 10000 {
		if i > 0 {
			b.WriteByte(',')
		}
		if i%2 == 0 {
			b.WriteString(`{"id":"c","name":"C","content":"","marker":"category"}`)
		} else {
			b.WriteString(`{"id":"x","name":"x","content":"x","role":"system","position":"post_history","depth":0,"marker":null}`)
		}
	}
	s := `{"name":"x","schemaVersion":1,"blocks":[` + b.String() + `]}`
	from := time.Now()
	d := loomFrom(t, s)
	assert.Equal(t, s, loomText(t, d.Entity))
	d.Entity.Original = nil
	loomText(t, d.Entity)
	assert.Less(t, time.Since(from), 20*time.Second)
}
