package convert_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/rope"
)

// cardNamed is a whole card of a version with one name.
func cardNamed(t *testing.T, spec, name string) string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"spec": spec, "spec_version": "3.0", "data": map[string]any{"name": name, "description": "d", "first_mes": "hi", "extensions": map[string]any{}}})
	require.NoError(t, err)
	return string(b)
}

// TestWhichChunkCounts: the card of a picture is the one that apps read, not a stale copy in a kind of chunk that they
// pass over and therefore do not replace; and a chunk without a card does not hide a good one.
func TestWhichChunkCounts(t *testing.T) {
	chara, ccv3, old := b64([]byte(cardNamed(t, "chara_card_v2", "New"))), b64([]byte(cardNamed(t, "chara_card_v3", "New"))), b64([]byte(cardNamed(t, "chara_card_v3", "Old")))
	itxt, ztxt := forgeChunk("iTXt", "ccv3\x00\x00\x00\x00\x00"+old), forgeChunk("zTXt", "ccv3\x00\x00"+zlibOf(old))
	for name, c := range map[string]struct{ file, note string }{
		"iTXt before tEXt":                {picture("", itxt+tEXt("chara", chara)+tEXt("ccv3", ccv3)), "another copy of the card in the iTXt chunk"},
		"zTXt before tEXt":                {picture("", ztxt+tEXt("chara", chara)+tEXt("ccv3", ccv3)), "another copy of the card in the zTXt chunk"},
		"iTXt ccv3 beside a chara":        {picture("", itxt+tEXt("chara", chara)), "which SillyTavern and Risu do not read"},
		"tEXt that cannot be read":        {picture("", tEXt("ccv3", "!")+forgeChunk("iTXt", "chara\x00\x00\x00\x00\x00"+chara)), "could not be read"},
		"an object without a card":        {picture("", tEXt("chara", chara)+tEXt("ccv3", b64([]byte("{}")))), "so it is no card"},
		"a spec without data":             {picture("", tEXt("chara", chara)+tEXt("ccv3", b64([]byte(`{"spec":"chara_card_v3"}`)))), "so it is no card"},
		"null":                            {picture("", tEXt("chara", chara)+tEXt("ccv3", b64([]byte("null")))), "ccv3"},
		"no card before a compressed one": {picture("", tEXt("chara", b64([]byte("{}")))+forgeChunk("zTXt", "chara\x00\x00"+zlibOf(chara))), ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := convert.New()
			p, err := e.Read(rope.Bytes(c.file), convert.Options{Name: "a.png"})
			require.NoError(t, err)
			assert.Equal(t, "New", p.Primary.Character().Identity.Name)
			assert.Contains(t, strings.Join(p.Warnings, "\n"), c.note)
			out, err := e.Emit(p, convert.Options{To: "sillytavern"})
			require.NoError(t, err)
			b, err := out.Data.Bytes()
			require.NoError(t, err)
			for _, text := range []string{old, "iTXt", "zTXt"} {
				assert.NotContains(t, string(b), text)
			}
		})
	}
}

// TestBothChunks: a new picture has both chunks, as SillyTavern writes them; one that had a single chunk keeps it, unless a
// version is asked for that needs the other.
func TestBothChunks(t *testing.T) {
	has := func(file string) (out []string) {
		for _, k := range []string{"tEXtchara\x00", "tEXtccv3\x00"} {
			if strings.Contains(file, k) {
				out = append(out, k[4:len(k)-1])
			}
		}
		return out
	}
	two, three := cardNamed(t, "chara_card_v2", "Ann"), cardNamed(t, "chara_card_v3", "Ann")
	for _, c := range []struct {
		file, spec string
		want       []string
	}{
		{two, "", []string{"chara", "ccv3"}},
		{three, "", []string{"chara", "ccv3"}},
		{three, "v3", []string{"chara", "ccv3"}},
		{two, "v2", []string{"chara"}},
		{three, "v2", []string{"chara"}},
		{picture("", tEXt("chara", b64([]byte(two)))), "", []string{"chara"}},
		{picture("", tEXt("ccv3", b64([]byte(three)))), "", []string{"ccv3"}},
		{picture("", tEXt("chara", b64([]byte(three)))), "", []string{"chara"}},
		{picture("", tEXt("chara", b64([]byte(three)))), "v3", []string{"chara", "ccv3"}},
	} {
		out, r := turned(t, c.file, convert.Options{To: "sillytavern", Container: "png", Spec: c.spec})
		assert.Equal(t, c.want, has(out), "%.60q %s", c.file, c.spec)
		assert.Empty(t, lost(r))
	}
}
