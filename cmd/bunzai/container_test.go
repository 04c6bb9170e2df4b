//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/formats"
	"bunzai/formats/all"
)

// TestEveryContainerCanBeAskedFor: --container takes every kind of file that any codec has, and no other.
func TestEveryContainerCanBeAskedFor(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(in, []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"hi","extensions":{}}}`), 0o600))
	asked := func(kind string) (int, string) {
		var out, msg bytes.Buffer
		code := run([]string{"convert", in, "--to", "risu", "--container", kind, "--force", "-o", filepath.Join(dir, "out."+kind)}, strings.NewReader(""), &out, &msg)
		return code, msg.String()
	}
	for _, c := range all.Registry().Codecs() {
		for _, k := range c.Info().Containers {
			assert.True(t, slices.Contains(formats.Containers(), string(k)), "%s of %s is not in the list", k, c.Info().ID)
		}
	}
	for _, k := range formats.Containers() {
		_, msg := asked(k)
		assert.NotContains(t, msg, "must be one of", k)
	}
	code, msg := asked("jpeg")
	assert.Equal(t, exitDone, code, msg)
	code, msg = asked("gif")
	assert.Equal(t, exitUsage, code)
	assert.Contains(t, msg, "must be one of")
	assert.Contains(t, msg, "risupreset")
}

// TestOutNamesTheKind: without --container the ending of the output says which kind of file it is, so that no file has
// the ending of another kind.
func TestOutNamesTheKind(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(in, []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Ann","first_mes":"hi","extensions":{}}}`), 0o600))
	for ending, head := range map[string]string{"charx": "PK", "jpeg": "\xff\xd8", "JPG": "\xff\xd8", "png": "\x89PNG", "json": "{", "other": "{", "": "{"} {
		var out, msg bytes.Buffer
		path := filepath.Join(dir, strings.TrimSuffix("out."+ending, "."))
		require.Equal(t, exitDone, run([]string{"convert", in, "--to", "risu", "-o", path}, strings.NewReader(""), &out, &msg), msg.String())
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(b), head), "%s begins with %q", path, b[:4])
	}
	var out, msg bytes.Buffer
	assert.NotEqual(t, exitDone, run([]string{"convert", in, "--to", "sillytavern", "-o", filepath.Join(dir, "x.risum")}, strings.NewReader(""), &out, &msg))
	assert.Contains(t, msg.String(), `no container "risum"`)
	require.Equal(t, exitDone, run([]string{"convert", in, "--to", "risu", "--container", "json", "-o", filepath.Join(dir, "asked.png")}, strings.NewReader(""), &out, &msg), "what was asked for counts")
}
