package backup_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/lumiverse/backup"
	"bunzai/rope"
	"bunzai/testdata/lvbak"
)

// read reads a whole archive.
func read(t testing.TB, b []byte) ([]*formats.BackupPiece, *formats.BackupReport) {
	t.Helper()
	x, err := backup.Reader{}.Open(rope.Bytes(b), formats.BackupOptions{})
	require.NoError(t, err)
	var out []*formats.BackupPiece
	require.NoError(t, x.Pieces(func(p *formats.BackupPiece) bool { out = append(out, p); return true }))
	return out, x.Report()
}

// whole is an account with one of everything.
func whole() lvbak.Account {
	return lvbak.Account{
		Tables: map[string][]string{
			"settings": {lvbak.Row("key", "presetRegexEnabled:p1", "value", `json:["r3"]`, "updated_at", 1, "user_id", "u")},
			"characters": {lvbak.Row("id", "c1", "name", "Mira", "avatar_path", nil, "description", "A lighthouse keeper.", "personality", "calm", "scenario", "", "first_mes", "Hello.", "mes_example", "",
				"creator", "me", "creator_notes", "", "system_prompt", "", "post_history_instructions", "", "tags", `json:["sea"]`, "alternate_greetings", `json:["Hi."]`,
				"extensions", `json:{"talkativeness": 0.5, "world_book_ids": ["b1", "gone"], "expressions": {"enabled": true, "defaultExpression": "joy", "mappings": {"joy": "i2", "sad": "i404"}}, "expression_groups": {"Tom": {"joy": "i3"}}, "alternate_avatars": [{"id": "v1", "image_id": "i4", "label": "Winter"}], "alternate_fields": {"scenario": [{"id": "v2", "label": "Winter", "content": "Snow."}]}, "character_version": "2"}`,
				"created_at", 1700000000, "updated_at", 1700000001, "image_id", "i1", "user_id", "u", "deleting", 0, "folder", "Friends")},
			"personas": {lvbak.Row("id", "pe1", "name", "Me", "description", "A sailor.", "title", "captain", "folder", "", "avatar_path", nil, "is_default", 1, "metadata", `json:{}`, "created_at", 1, "updated_at", 2,
				"attached_world_book_id", "b1", "image_id", "i5", "user_id", "u", "subjective_pronoun", "she", "objective_pronoun", "her", "possessive_pronoun", "her", "is_narrator", 0)},
			"world_books": {lvbak.Row("id", "b1", "name", "Town", "description", "by the sea", "metadata", `json:{"source": "import"}`, "created_at", 1, "updated_at", 2, "user_id", "u", "folder", "Places")},
			"world_book_entries": {lvbak.Row("id", "e1", "world_book_id", "b1", "uid", "u1", "key", `json:["pier"]`, "keysecondary", `json:[]`, "content", "The pier is old.", "comment", "Pier", "position", 7, "depth", 4, "role", nil,
				"order_value", 10, "selective", 0, "constant", 1, "disabled", 0, "selective_logic", 2, "use_probability", 1, "probability", 80, "extensions", `json:{"wi_marker": "scenario", "wi_marker_side": "before", "zq": 1}`, "vector_index_status", "indexed", "created_at", 1, "updated_at", 1)},
			"presets": {lvbak.Row("id", "p1", "name", "Calm", "provider", "loom", "parameters", `json:{"samplerOverrides": {"enabled": true, "temperature": 0.7}}`,
				"prompt_order", `json:[{"id": "k1", "name": "Main", "content": "Be calm.", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": null, "isLocked": false}, {"id": "k2", "name": "Chat", "content": "", "role": "system", "enabled": true, "position": "pre_history", "depth": 0, "marker": "chat_history", "isLocked": true}]`,
				"metadata", `json:{"description": "calm", "schemaVersion": 1, "_lumiverse_preset_version": "3", "mine": true}`, "prompts", `json:{"promptBehavior": {"sendIfEmpty": "..."}}`, "created_at", 1, "updated_at", 2, "user_id", "u", "engine", "classic", "cache_revision", 4)},
			"regex_scripts": {
				lvbak.Script("r1", "scope", "global"),
				lvbak.Script("r2", "scope", "character", "scope_id", "c1", "character_id", "c1"),
				lvbak.Script("r3", "scope", "global", "preset_id", "p1", "disabled", 1),
				lvbak.Script("r4", "scope", "global", "preset_id", "p1", "disabled", 1),
				lvbak.Script("r5", "scope", "chat", "scope_id", "ch1"),
			},
			"images":            {lvbak.Image("i1"), lvbak.Image("i2"), lvbak.Image("i3"), lvbak.Image("i4"), lvbak.Image("i5"), lvbak.Image("i6")},
			"character_gallery": {lvbak.Row("id", "g1", "user_id", "u", "character_id", "c1", "image_id", "i6", "caption", "at sea", "sort_order", 1, "created_at", 1)},
			"chats":             {lvbak.Row("id", "ch1", "character_id", "c1", "name", "first", "metadata", `json:{}`)},
		},
		Files: map[string][]byte{
			"files/images/i1.png": lvbak.Pixel(1), "files/images/i2.png": lvbak.Pixel(2), "files/images/i3.png": lvbak.Pixel(3),
			"files/images/i4.png": lvbak.Pixel(4), "files/images/i5.png": lvbak.Pixel(5), "files/images/i6.png": lvbak.Pixel(6),
		},
	}
}

func of(list []*formats.BackupPiece, k canonical.Kind) (out []*formats.BackupPiece) {
	for _, p := range list {
		if p.Entity.Kind == k {
			out = append(out, p)
		}
	}
	return out
}

func TestWholeAccount(t *testing.T) {
	list, rep := read(t, whole().Build())
	books := of(list, canonical.KindLorebook)
	require.Len(t, books, 1)
	b := books[0].Entity.Lorebook()
	require.Equal(t, "Town", b.Name)
	require.Len(t, b.Entries, 1)
	require.Equal(t, "The pier is old.", b.Entries[0].Content)
	require.Equal(t, canonical.PosMarker, *b.Entries[0].Position)
	require.Equal(t, "scenario", *b.Entries[0].Marker)
	require.Equal(t, canonical.LogicAndAny, *b.Entries[0].SelectiveLogic)

	chars := of(list, canonical.KindCharacter)
	require.Len(t, chars, 1)
	c := chars[0].Entity.Character()
	require.Equal(t, "Mira", c.Identity.Name)
	require.Equal(t, "2", *c.Identity.CharacterVersion)
	require.Equal(t, []string{books[0].Entity.ID}, c.KnowledgeRefs)
	require.NotNil(t, c.Media.Portrait)
	require.Equal(t, 1700000000.0, *c.Attribution.CreatedAt)
	require.Len(t, c.Variants, 1)
	labels := map[string]bool{}
	for _, a := range c.Media.Assets {
		labels[canonical.Or(a.Label, canonical.Or(a.Name, ""))] = true
		require.NotNil(t, a.Blob)
	}
	require.Equal(t, map[string]bool{"joy": true, "Tom:joy": true, "Winter": true, "g1": true}, labels)
	require.NotNil(t, chars[0].Entity.Bucket(backup.Bucket))

	require.NotEmpty(t, rep.UnresolvedLinks)
	require.Equal(t, "gone", rep.UnresolvedLinks[0].Target)
	require.Len(t, rep.MissingBinaries, 1)
	require.Equal(t, "i404", rep.MissingBinaries[0].Name)
	require.Len(t, rep.Failed, 1)
	require.Equal(t, "r5", rep.Failed[0].ID)
	for _, w := range rep.Warnings {
		t.Log(w)
	}
	t.Logf("%+v", rep)
}
