package convert_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// TestWrongPicture: a picture whose data has a wrong checksum is carried, and the report says so.
func TestWrongPicture(t *testing.T) {
	b := bytes.Clone(samples.Get("chara-only.png").Data)
	about := func(b []byte) bool {
		t.Helper()
		for _, to := range []string{"sillytavern", "lumiverse"} {
			out, err := convert.New().Convert(rope.Bytes(b), convert.Options{To: to})
			require.NoError(t, err)
			if !strings.Contains(strings.Join(out.Report.Warnings, " "), "the picture is damaged: chunk IDAT at byte") {
				return false
			}
		}
		return true
	}
	assert.False(t, about(b))
	b[bytes.Index(b, []byte("IDAT"))+5] ^= 1
	assert.True(t, about(b))
}

// TestRepeatedName: of a name that stands twice the last counts, as in the apps, and the place is told of.
func TestRepeatedName(t *testing.T) {
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","name":"Bea","first_mes":"Hi"}}`
	for _, b := range [][]byte{[]byte(card), samples.PNG(samples.Card("chara", card)), samples.Archive(nil, samples.Entry{Name: "card.json", Data: []byte(card)})} {
		p, err := convert.New().Read(rope.Bytes(b), convert.Options{})
		require.NoError(t, err)
		assert.Equal(t, "Bea", p.Primary.Character().Identity.Name)
		assert.Contains(t, strings.Join(p.Warnings, " "), "data.name stands there more than once; the last one counts")
	}
}

// TestSetNamedForCard: the set of a card's scripts has the card's name, so that nothing is parked for it.
func TestSetNamedForCard(t *testing.T) {
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ann","first_mes":"Hi","extensions":{"regex_scripts":[{"scriptName":"s","findRegex":"/a/g","replaceString":"b","placement":[2]}]}}}`
	for _, to := range []string{"sillytavern", "lumiverse"} {
		out, err := convert.New().Convert(rope.Bytes(card), convert.Options{To: to})
		require.NoError(t, err)
		b, err := out.Data.Bytes()
		require.NoError(t, err)
		assert.NotContains(t, string(b), "bunzai", to)
		for _, i := range out.Report.Items {
			assert.NotEqual(t, convert.Parked, i.Verdict, "%s: %+v", to, i)
		}
	}
}
