package risu

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/prompts"
	"bunzai/formats/risu/msgpack"
	"bunzai/formats/risu/rpack"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

func object(t testing.TB, s string) *jsondoc.Value {
	t.Helper()
	d, err := jsondoc.Parse([]byte(s), limits.Card())
	require.NoError(t, err)
	return d.Root
}

// TestPackedVector packs the preset {name: "T", temperature: 80} as the app does, byte for byte below the gzip frame.
func TestPackedVector(t *testing.T) {
	plain := msgpack.Encode(object(t, `{"name":"T","temperature":80}`))
	assert.Equal(t, "de0002a46e616d65a154ab74656d706572617475726550", hex.EncodeToString(plain))
	for _, as := range []formats.Container{formats.Risup, formats.RisuPreset} {
		r, err := pack(plain, nil, as)
		require.NoError(t, err)
		file, err := r.Bytes()
		require.NoError(t, err)
		p, err := unpack(rope.Bytes(file), limits.Card())
		require.NoError(t, err)
		assert.Equal(t, as, p.as)
		assert.Equal(t, "de0003ad70726573657456657273696f6e02a474797065a6707265736574a6707265736574c427"+
			"aa3f73fa9edfc074d6ccde42eba7b88880d7465631929827c89fa5fa0c0392b6d743dabdc96528", hex.EncodeToString(p.outer))
		assert.Equal(t, plain, p.inner.Data())
		if as == formats.Risup {
			assert.Equal(t, "\x10\x03\xfc", string(file[:3]))
			file = rpack.Decode(file)
		}
		assert.Equal(t, gzipHead, string(file[:3]))
	}
}

// TestChatSwitchedOff: Risu needs an item for the chat, so one is put in where the preset's own is off; it is no prompt,
// and going to and fro adds none.
func TestChatSwitchedOff(t *testing.T) {
	off := &canonical.Preset{Name: "P", Prompts: []canonical.Prompt{
		{ID: "main", Name: "Main", Content: "x", Role: canonical.Ptr("system"), Enabled: canonical.Ptr(true), MarkerSlot: canonical.Ptr("main")},
		{ID: "chatHistory", Name: "CH", Enabled: canonical.Ptr(false), Marker: canonical.Ptr(true), MarkerSlot: canonical.Ptr(prompts.ChatHistory)},
	}}
	root := newPreset()
	encodePreset(root, off, true, func(string, string, string) {})
	n := 0
	for _, item := range root.Get("promptTemplate").Elems() {
		if typeOf(item) == "chat" {
			n++
		}
	}
	assert.Equal(t, 1, n, "the app's own")
	back := decodePreset(root, func(w string) { t.Error(w) }).body
	assert.Equal(t, off.Prompts, back.Prompts)
	assert.NotContains(t, unmappedPreset(root), "bunzai.prompts", "they are prompts")
	text := string(root.Raw())
	encodePreset(root, back, false, func(string, string, string) {})
	assert.Equal(t, text, string(root.Raw()))
	back.Prompts[0].Content = "y"
	encodePreset(root, back, false, func(string, string, string) {})
	assert.Equal(t, back.Prompts, decodePreset(root, func(w string) { t.Error(w) }).body.Prompts)
}
