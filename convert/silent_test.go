package convert_test

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

// lostPaths converts and lists what the report calls lost.
func lostPaths(t *testing.T, src []byte, o convert.Options) ([]string, []byte) {
	t.Helper()
	out, err := convert.New().Convert(rope.Bytes(src), o)
	require.NoError(t, err)
	var lost []string
	for _, i := range out.Report.Items {
		if i.Verdict == convert.Lost {
			lost = append(lost, i.Path)
		}
	}
	return lost, all(t, out.Data)
}

// TestNothingGoesSilently: what a reviewer found to vanish without a line.
func TestNothingGoesSilently(t *testing.T) {
	t.Run("a value of a wrong type", func(t *testing.T) {
		lost, _ := lostPaths(t, []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","first_mes":["x"],"mes_example":{"a":1},"tags":["ok",{"x":1}],"alternate_greetings":[{"k":1}],"extensions":{}}}`),
			convert.Options{To: "lumiverse", Container: formats.JSON})
		for _, p := range []string{"first_mes", "mes_example", "tags", "alternate_greetings"} {
			assert.Contains(t, lost, "original.sillytavern.data."+p)
		}
	})
	t.Run("archive entries that only end in card.json", func(t *testing.T) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for n, text := range map[string]string{"card.json": `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","extensions":{}}}`, "scorecard.json": "{}"} {
			w, err := z.Create(n)
			require.NoError(t, err)
			w.Write([]byte(text))
		}
		require.NoError(t, z.Close())
		lost, _ := lostPaths(t, b.Bytes(), convert.Options{To: "lumiverse", Container: formats.CharX})
		assert.Equal(t, []string{"original.sillytavern.files.scorecard.json"}, lost)
	})
	t.Run("a damaged picture beside good ones", func(t *testing.T) {
		_, data := lostPaths(t, []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","extensions":{},"assets":[
{"type":"emotion","uri":"data:image/png;base64,!!!!","name":"bad","ext":"png"},{"type":"emotion","uri":"data:image/png;base64,iVBORw0KGgo=","name":"good","ext":"png"}]}}`),
			convert.Options{To: "lumiverse", Container: formats.CharX})
		assert.Contains(t, string(data), "expr_good.png") // the good one arrives; the bad one is no reason to refuse the card
	})
}

// TestFlatCardBecomesV2: a card without spec gets every value in the place and shape of the spec that is asked for.
func TestFlatCardBecomesV2(t *testing.T) {
	src := []byte(`{"name":"Ann","description":"d","first_mes":"hi","creatorcomment":"notes","talkativeness":"0.7","tags":"a, b","character_version":1.2,"fav":true,"create_date":"2023-5-12 @21h 32m 29s 228ms","alternate_greetings":["x"],"zq":1}`)
	lost, data := lostPaths(t, src, convert.Options{To: "sillytavern", Container: formats.JSON, Spec: "v2"})
	assert.Empty(t, lost)
	in, err := formats.Open(rope.Bytes(data), "", limits.Card())
	require.NoError(t, err)
	d, err := in.Doc()
	require.NoError(t, err)
	get := func(path ...string) string { return string(d.Root.At(path...).Raw()) }
	assert.Equal(t, `"chara_card_v2"`, get("spec"))
	assert.Equal(t, `"notes"`, get("data", "creator_notes"))
	assert.Equal(t, `"1.2"`, get("data", "character_version"))
	assert.Equal(t, "\"0.7\"", get("data", "extensions", "talkativeness"))
	assert.Equal(t, "2", func() string { return []string{"0", "1", "2", "3"}[d.Root.At("data", "tags").Len()] }())
	assert.Equal(t, `"2023-5-12 @21h 32m 29s 228ms"`, get("create_date"))
	assert.Equal(t, "1", get("data", "zq"))
	assert.False(t, d.Root.Get("data").Has("fav"))
}

// TestNamelessCard: apps refuse a card without a name, so another app gets one, and the report says so.
func TestNamelessCard(t *testing.T) {
	out, err := convert.New().Convert(rope.Bytes(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":" ","first_mes":"hi","extensions":{}}}`), convert.Options{To: "lumiverse", Container: formats.JSON})
	require.NoError(t, err)
	var changed []string
	for _, i := range out.Report.Items {
		if i.Verdict == convert.Changed {
			changed = append(changed, i.Path+"="+*i.After)
		}
	}
	assert.Contains(t, changed, "identity.name=Unnamed")
}

// TestTwoSpellings: the spelling that does not count is named, and so is a value of a kind that means nothing.
func TestTwoSpellings(t *testing.T) {
	lost, _ := lostPaths(t, []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","extensions":{},"character_book":{"name":"B","extensions":{},"entries":[
{"id":1,"keys":["k1"],"key":["k2"],"secondary_keys":["s"],"keysecondary":["s"],"content":"c","enabled":true,"insertion_order":5,"order":9,"priority":"x","extensions":{"group":"","group_name":"g2","position":4},"position":"after_char"}]}}}`),
		convert.Options{To: "lumiverse", Container: formats.JSON})
	at := "original.sillytavern.data.character_book.entries[]."
	assert.ElementsMatch(t, []string{at + "key", at + "order", at + "priority", at + "extensions.group_name"}, lost)
}
