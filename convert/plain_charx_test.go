package convert_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/formats"
	"bunzai/rope"
)

// TestPlainArchiveIsReadByTheSpec: an archive that no app has signed keeps its keys and contents to the letter, whatever
// Risu would make of them; one that is Risu's is read as Risu reads it, and the report says where that cuts a key.
func TestPlainArchiveIsReadByTheSpec(t *testing.T) {
	archived := func(ext string) rope.Source {
		return rope.Bytes([]byte(archive("", file{name: "card.json", data: `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"hi","extensions":{` + ext + `},"character_book":{"extensions":{},"entries":[
{"keys":["d,e","/a|b/"],"secondary_keys":["x,y"],"selective":true,"content":"@@depth 4\nT","extensions":{},"enabled":true,"insertion_order":1,"case_sensitive":true,"use_regex":false,"id":1}]}}}`})))
	}
	keys := func(p *convert.Pieces) (out []string) {
		for _, k := range p.Books[0].Lorebook().Entries[0].Triggers {
			out = append(out, k.Keyword)
		}
		return out
	}
	p, err := convert.New().Read(archived(""), convert.Options{})
	require.NoError(t, err)
	assert.Equal(t, "sillytavern", p.Info.App)
	assert.Equal(t, "d,e", keys(p)[0])
	assert.Equal(t, "@@depth 4\nT", p.Books[0].Lorebook().Entries[0].Content)
	out, err := convert.New().Emit(p, convert.Options{To: "sillytavern", Container: formats.JSON})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	assert.Contains(t, string(b), `"keys":["d,e","/a|b/"],"secondary_keys":["x,y"]`)

	p, err = convert.New().Read(archived(`"risuai":{}`), convert.Options{})
	require.NoError(t, err)
	assert.Equal(t, "risu", p.Info.App)
	assert.Equal(t, []string{"d", "e", "/a|b/"}, keys(p))
	out, err = convert.New().Emit(p, convert.Options{To: "sillytavern", Container: formats.JSON})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(out.Report.Warnings, "\n"), "keys has keys with commas in them")
	assert.Contains(t, strings.Join(out.Report.Warnings, "\n"), "secondary_keys has keys with commas in them")
}
