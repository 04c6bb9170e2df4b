package sillytavern

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/jsondoc"
)

const slots = `{"name": "Old", "quickReplySlots": [
  {"mes": "/help", "label": "A", "enabled": true, "autoExecute_appStartup": false, "contextMenu": [{"preset": "Tools", "chain": true, "x": 1.0}], "own": 1.0},
  {"mes": "", "label": "B", "title": "tip", "hidden": true}], "numberOfSlots": 2, "quickActionEnabled": false}`

func replySet(t testing.TB, text string) (*canonical.Entity, *canonical.QuickReplySet) {
	t.Helper()
	e := decodeJSON(t, quickReply{}, text).Entity
	return e, e.Body.(*canonical.QuickReplySet)
}

// TestSwitches: an edit of one of the extras changes the one member that carries it, in either version.
func TestSwitches(t *testing.T) {
	for _, c := range []struct {
		name, file, old, now string
		edit                 func(s *canonical.QuickReplySet)
	}{
		{"a slot's switch", slots, `"autoExecute_appStartup": false`, `"autoExecute_appStartup": true`, func(s *canonical.QuickReplySet) { s.Replies[0].Extras.Set("executeOnStartup", jsondoc.Bool(true)) }},
		{"a slot's own member", slots, `"own": 1.0`, `"own": 2`, func(s *canonical.QuickReplySet) { s.Replies[0].Extras.Set("own", jsondoc.Int(2)) }},
		{"a slot's own member taken away", slots, `, "own": 1.0`, ``, func(s *canonical.QuickReplySet) { s.Replies[0].Extras.Delete("own") }},
		{"the set's switch", slots, `"quickActionEnabled": false`, `"quickActionEnabled": true`, func(s *canonical.QuickReplySet) { s.Extras.Set("disableSend", jsondoc.Bool(true)) }},
		{"a slot is added", slots, `"hidden": true}], "numberOfSlots": 2`, `"hidden": true},
  {
    "label": "C",
    "mes": "/c",
    "title": ""
  }], "numberOfSlots": 3`, func(s *canonical.QuickReplySet) {
			s.Replies = append(s.Replies, canonical.QuickReply{ID: "new", Label: "C", Message: "/c", Title: canonical.Ptr("")})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, s := replySet(t, c.file)
			require.Contains(t, c.file, c.old)
			c.edit(s)
			got := encodeJSON(t, quickReply{}, e)
			assert.Equal(t, strings.Replace(c.file, c.old, c.now, 1), got)
			_, back := replySet(t, got)
			same, err := canonical.Same(s, back)
			require.NoError(t, err)
			assert.True(t, same)
		})
	}
}

// TestSlotsAnew: what was slots and has lost its twin becomes version 2, each thing under its new name.
func TestSlotsAnew(t *testing.T) {
	e, s := replySet(t, slots)
	e.Original = nil
	got := encodeJSON(t, quickReply{}, e)
	assert.Equal(t, `{"version":2,"name":"Old","qrList":[`+
		`{"id":1,"label":"A","message":"/help","title":"","executeOnStartup":false,"contextList":[{"set":"Tools","isChained":true,"x":1.0}],"own":1.0},`+
		`{"id":2,"label":"B","message":"","title":"tip","isHidden":true}],"idIndex":2,"disableSend":false}`, compactJSON(t, got))
	d := decodeJSON(t, quickReply{}, got)
	assert.Equal(t, "v2", d.Variant)
	assert.Equal(t, s.Replies[1].Title, d.Entity.Body.(*canonical.QuickReplySet).Replies[1].Title)
}

func compactJSON(t testing.TB, s string) string {
	t.Helper()
	for _, x := range []string{"\n", "    "} {
		s = strings.ReplaceAll(s, x, "")
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, `": `, `":`), ", ", ",")
}

// TestExtrasKeepTheirPlace: a member of the extras that is named like a field of its own is not written over it.
func TestExtrasKeepTheirPlace(t *testing.T) {
	e, s := replySet(t, slots)
	e.Original = nil
	for _, n := range []string{"id", "label", "message", "isHidden"} {
		s.Replies[0].Extras.Set(n, jsondoc.String("bad"))
	}
	for _, n := range []string{"version", "name", "qrList", "idIndex"} {
		s.Extras.Set(n, jsondoc.String("bad"))
	}
	got := encodeJSON(t, quickReply{}, e)
	assert.NotContains(t, got, "bad")
	_, back := replySet(t, got)
	assert.Len(t, back.Replies, 2)
}

func TestOneReply(t *testing.T) {
	const one = `{"id": 7, "label": "Solo", "message": "/echo", "isHidden": false, "preventAutoExecute": true, "contextList": [], "own": 1.0}`
	e, s := replySet(t, one)
	assert.Equal(t, one, encodeJSON(t, quickReply{}, e))
	s.Replies[0].Message = "/new"
	assert.Equal(t, strings.Replace(one, "/echo", "/new", 1), encodeJSON(t, quickReply{}, e))
	s.Replies = append(s.Replies, canonical.QuickReply{ID: "x", Label: "Two", Message: "2", Title: canonical.Ptr("")})
	s.Name = "Pair"
	got := encodeJSON(t, quickReply{}, e)
	d := decodeJSON(t, quickReply{}, got)
	assert.Equal(t, "v2", d.Variant)
	assert.Contains(t, got, `"own": 1.0`)
	assert.Contains(t, got, `"idIndex": 8`)
	same, err := canonical.Same(s, d.Entity.Body)
	require.NoError(t, err)
	assert.True(t, same)
}
