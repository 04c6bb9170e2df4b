package lumiverse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// unmappedOfRich decodes the rich archive with another sidecar and card.
func unmappedOfRich(t *testing.T, modules, card string) []string {
	files := richFiles()
	files[0].data, files[len(files)-1].data = []byte(card), []byte(modules)
	return decode(t, archive(t, files...)).Unmapped()
}

func TestUnmappedIsComplete(t *testing.T) {
	was := unmappedOfRich(t, richModules, richCard)
	assert.Contains(t, was, "lumiverse_modules.json.world_books[0].metadata")
	assert.Contains(t, was, "lumiverse_modules.json.world_books[0].entries[].extensions.mine")
	news := func(list []string) (out []string) {
		have := map[string]bool{}
		for _, p := range was {
			have[p] = true
		}
		for _, p := range list {
			if !have[p] {
				out = append(out, strings.TrimPrefix(p, sidecar+"."))
			}
		}
		return out
	}
	for _, c := range []struct {
		name, old, now string
		want           []string
	}{
		{"a book's member", `"name": "Sea",`, `"name": "Sea", "folder": "f",`, []string{"world_books[1].folder"}},
		{"an entry's member", `"uid": "u-2",`, `"uid": "u-2", "colour": "red",`, []string{"world_books[1].entries[].colour"}},
		{"no book", `"world_books": [`, `"world_books": [7,`, []string{"world_books[0]", "world_books[1].metadata", "world_books[1].entries[].extensions.mine"}},
		{"a text of another field", `"scenario": [{"id": "s1"`, `"greeting": [{"id": "g", "content": "x"}], "scenario": [{"id": "s1"`, []string{"alternate_fields.greeting"}},
		{"a member of a row", `{"id": "s1",`, `{"id": "s1", "weight": 2,`, []string{"alternate_fields.scenario[].weight"}},
		{"a row without text", `"scenario": [`, `"scenario": [{"id": "s0", "text": "x"},`, []string{"alternate_fields.scenario[0]"}},
		{"a member beside the groups", `"expression_groups": {`, `"expression_groups": {"mode": "x",`, []string{"expression_groups.mode"}},
		{"a group that is none", `"Empty": {}`, `"Empty": [1]`, []string{"expression_groups.groups.Empty"}},
		{"a mapping that is no path", `"mappings": {`, `"mappings": {"odd": {"a": 1},`, []string{"expressions.mappings.odd"}},
		{"a member of an avatar", `{"id": "a1",`, `{"id": "a1", "crop": [1],`, []string{"alternate_avatars[].crop"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, news(unmappedOfRich(t, replaceOnce(t, richModules, c.old, c.now), richCard)))
		})
	}
	t.Run("a sidecar that cannot be read", func(t *testing.T) {
		assert.Contains(t, unmappedOfRich(t, `[]`, richCard), sidecar)
	})
	for _, c := range []struct {
		name, old, now string
		want           []string
	}{
		{"a book that says more", `"content": "A sea."`, `"content": "A lake."`, []string{"data.character_book.entries[1]"}},
		{"a second book", `"extensions": {"alternate_character_name"`, `"extensions": {"character_book": {"name": "x", "mine": 1, "entries": [{"keys": ["k"], "content": "c", "extensions": {}}]}, "alternate_character_name"`,
			[]string{"data.extensions.character_book.mine", "data.extensions.character_book.entries[0]"}},
		{"other expressions in the card", `"extensions": {"alternate_character_name"`, `"extensions": {"expressions": {"mappings": {"calm": "id"}}, "alternate_character_name"`, []string{"data.extensions.expressions"}},
		{"other texts in the card", `"extensions": {"alternate_character_name"`, `"extensions": {"alternate_fields": {"scenario": [{"content": "x"}]}, "alternate_character_name"`, []string{"data.extensions.alternate_fields"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, news(unmappedOfRich(t, richModules, replaceOnce(t, richCard, c.old, c.now))))
		})
	}
}
