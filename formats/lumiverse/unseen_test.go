package lumiverse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// A card that only a leftover key makes Lumiverse's, with a book as SillyTavern writes it.
var leftover = strings.Replace(plainCard(`{"world_book_ids":[]}`), `"extensions":{"w`, `"character_book":{"name":"B","entries":[
	{"id":0,"keys":["cat"],"secondary_keys":["dog"],"content":"c","enabled":true,"insertion_order":3,"selective":true,"use_regex":true,"position":"before_char","extensions":{"position":4,"depth":2,"role":1,"selectiveLogic":3,"mine":7}}]},"extensions":{"w`, 1)

func TestForeignBook(t *testing.T) {
	d, books := pieces(t, []byte(leftover))
	assert.Empty(t, d.Warnings, "another app reads it as it is meant")
	kept, err := character{}.Encode(d.Entity, formats.EncodeContext{Lorebooks: books, Limits: limits.Card()})
	require.NoError(t, err)
	assert.Equal(t, leftover, string(bytesOf(t, kept.Data)), "unedited it stays")
	said := told(t, kept, "as .charx")
	assert.Equal(t, map[string]string{
		"entries[0].selectiveLogic": canonical.LogicNotAll, "entries[0].position": canonical.PosWorld, "entries[0].role": "the default",
		"entries[0].triggers": "/cat/i", "entries[0].secondaryTriggers": "/dog/i",
	}, said, "and the report says what the app makes of it")

	out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: books, Container: formats.CharX})
	w := parse(t, entryOf(t, out, sidecar)).Get("world_books")
	require.Equal(t, 1, w.Len())
	row := first(first(w).Get("entries"))
	assert.Equal(t, "0", string(row.Get("selective_logic").Raw()), "and all, in the app's numbers")
	assert.Equal(t, "4", string(row.Get("position").Raw()))
	assert.Equal(t, "user", text(row.Get("role")))
	on, _ := row.Get("use_regex").Bool()
	assert.False(t, on, "the keys are words")
	assert.Contains(t, entryOf(t, out, "card.json"), `"mine":7`, "the card's own copy stays as it is")
	back, now := pieces(t, out)
	again, err := character{}.Encode(back.Entity, formats.EncodeContext{Lorebooks: now, Limits: limits.Card()})
	require.NoError(t, err)
	assert.Empty(t, again.Near)
	assert.NotContains(t, strings.Join(again.Warnings, "\n"), "differently")
	require.Len(t, now, 1)
	assert.Empty(t, differs(t, books[0].Body, now[0].Body))
	assert.NotContains(t, strings.Join(back.Unmapped(), "\n"), "entries[0]", "the copy says nothing more")

	t.Run("an archive unedited, then edited", func(t *testing.T) {
		in := archive(t, file{"card.json", []byte(leftover)})
		d, books := pieces(t, in)
		kept, err := character{}.Encode(d.Entity, formats.EncodeContext{Lorebooks: books, Limits: limits.Card()})
		require.NoError(t, err)
		assert.Equal(t, in, bytesOf(t, kept.Data))
		assert.Len(t, told(t, kept, "as JSON and that to .charx"), 5)
		books[0].Lorebook().Entries[0].Content = "changed"
		out := encode(t, d.Entity, formats.EncodeContext{Lorebooks: books})
		assert.Contains(t, entryOf(t, out, sidecar), "changed")
		assert.Contains(t, entryOf(t, out, "card.json"), "changed")
		_, now := pieces(t, out)
		require.Len(t, now, 1)
		assert.Empty(t, differs(t, books[0].Body, now[0].Body))
	})
	t.Run("a book that both read alike", func(t *testing.T) {
		plain := strings.Replace(plainCard(`{"world_book_ids":[]}`), `"extensions":{"w`, `"character_book":{"entries":[{"keys":["cat"],"content":"c","enabled":true,"insertion_order":3,"position":"before_char","extensions":{}}]},"extensions":{"w`, 1)
		d, books := pieces(t, []byte(plain))
		kept, err := character{}.Encode(d.Entity, formats.EncodeContext{Lorebooks: books, Limits: limits.Card()})
		require.NoError(t, err)
		assert.Empty(t, kept.Warnings)
		assert.Empty(t, kept.Near)
	})
}

// told is what the encoder says of the card's book, by path.
func told(t testing.TB, out *formats.Encoded, fix string) map[string]string {
	t.Helper()
	all := strings.Join(out.Warnings, "\n")
	for _, s := range []string{"Lumiverse reads", "differently", "use_regex", fix} {
		assert.Contains(t, all, s)
	}
	said := map[string]string{}
	for _, n := range out.Near {
		assert.Equal(t, 1, n.Piece)
		assert.Contains(t, n.Why, "Lumiverse misreads")
		said[n.Path] = n.After
	}
	return said
}

func TestUnseenPictures(t *testing.T) {
	c := &canonical.Character{}
	c.Identity.Name = "N"
	add := func(role, name string, b *canonical.Blob, typ *string) {
		c.Media.Assets = append(c.Media.Assets, &canonical.Asset{Role: role, Name: &name, Blob: b, Type: typ})
	}
	add(canonical.RoleEmotion, "joy", picOf(pixel(1)), nil)
	add(canonical.RoleEmotion, "joy", picOf(pixel(2)), nil)
	add(canonical.RoleOther, "song", canonical.RawBlob(rope.FromBytes([]byte("ID3\x03")), "audio/mpeg"), nil)
	add(canonical.RoleOther, "me", picOf(pixel(3)), canonical.Ptr("user_icon"))
	add(canonical.RoleOther, "beach", picOf(pixel(4)), nil)
	c.Media.Assets = append(c.Media.Assets, &canonical.Asset{Role: canonical.RoleOther, Name: canonical.Ptr("far"), Ref: "https://example.com/a.png"})
	write := func() *formats.Encoded {
		out, err := character{}.Encode(&canonical.Entity{Kind: canonical.KindCharacter, ID: "n", Body: c}, formats.EncodeContext{Limits: limits.Card()})
		require.NoError(t, err)
		return out
	}
	var paths []string
	for _, n := range write().Near {
		paths = append(paths, n.Path)
		assert.NotEmpty(t, n.Why)
		assert.Equal(t, "not shown", n.After)
	}
	assert.Equal(t, []string{"media.assets[1]", "media.assets[2]", "media.assets[3]", "media.assets[5]"}, paths)

	c.Media.Assets = c.Media.Assets[5:]
	out := write()
	assert.Empty(t, out.Near)
	require.Len(t, out.Fields, 1)
	assert.Equal(t, "media.assets", out.Fields[0].Path)
	assert.False(t, out.Fields[0].Reads)
}

func first(l *jsondoc.Value) *jsondoc.Value {
	for _, v := range l.Elems() {
		return v
	}
	return nil
}
