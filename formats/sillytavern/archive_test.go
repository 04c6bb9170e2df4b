package sillytavern_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/container/zip"
	"bunzai/formats"
	"bunzai/formats/sillytavern"
	"bunzai/limits"
	"bunzai/rope"
)

// TestRemovedAssetTakesItsFile: a picture that the card no longer has leaves the archive; others stay as they lie.
func TestRemovedAssetTakesItsFile(t *testing.T) {
	w := zip.NewWriter()
	require.NoError(t, w.Deflate("card.json", []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"see embeded://assets/other/image/b.png","extensions":{},"assets":[
{"type":"emotion","uri":"embeded://assets/emotion/image/a.png","name":"a","ext":"png"},
{"type":"other","uri":"embeded://assets/other/image/b.png","name":"b","ext":"png"},
{"type":"other","uri":"embeded://assets/other/image/c.png","name":"c","ext":"png"}]}}`)))
	for _, n := range []string{"assets/emotion/image/a.png", "assets/other/image/b.png", "assets/other/image/c.png", "notes/keep.txt"} {
		require.NoError(t, w.Store(n, rope.Bytes("data of "+n)))
	}
	src, err := w.Finish()
	require.NoError(t, err)
	in, err := formats.Open(src, "", limits.Card())
	require.NoError(t, err)
	codec := sillytavern.Codecs()[0]
	d, err := codec.Decode(in)
	require.NoError(t, err)
	c := d.Entity.Character()
	require.Len(t, c.Media.Assets, 3)
	c.Media.Assets = []*canonical.Asset{c.Media.Assets[2]} // a and b go; the first message still speaks of b
	out, err := codec.Encode(d.Entity, formats.EncodeContext{Limits: limits.Card()})
	require.NoError(t, err)
	z, err := zip.Open(out.Data, limits.Card())
	require.NoError(t, err)
	var names []string
	for _, e := range z.Entries {
		names = append(names, e.Name)
	}
	require.Equal(t, []string{"card.json", "assets/other/image/b.png", "assets/other/image/c.png", "notes/keep.txt"}, names)
}
