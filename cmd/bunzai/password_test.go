//go:build !js

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/testdata/samples"
)

func TestPassword(t *testing.T) {
	const secret = "Geheim-42"
	locked := string(samples.PNG(samples.Text("chara", samples.Locked(samples.LockedCard("d"), secret))))
	in(t, "a.png", locked)
	t.Setenv("BUNZAI_PASSWORD", "")
	code, _, errs := cli(t, "", "convert", "a.png", "--to", "sillytavern", "-o", "-")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs, "give the password")
	assert.Contains(t, errs, "--password TEXT or, safer, the variable BUNZAI_PASSWORD")
	code, _, errs = cli(t, "", "inspect", "a.png", "--json", "--password", "falsch-7")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs, `"code":"password"`)
	assert.NotContains(t, errs, "falsch-7")

	code, out, errs := cli(t, "", "inspect", "a.png", "--password", secret)
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "Secret Rin")
	assert.NotContains(t, out+errs, secret)
	t.Setenv("BUNZAI_PASSWORD", secret)
	code, out, errs = cli(t, "", "detect", "a.png")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "encrypted by Risu")
	code, out, errs = cli(t, "", "convert", "a.png", "--to", "risu", "-o", "b.png", "--json")
	assert.Equal(t, exitDone, code, errs)
	b, err := os.ReadFile("b.png")
	require.NoError(t, err)
	assert.Equal(t, locked, string(b))
	code, many, errs := cli(t, "", "convert", "a.png", "b.png", "--to", "lumiverse", "--out-dir", "out", "--report-file", "r.jsonl")
	assert.Equal(t, exitDone, code, errs)
	r, err := os.ReadFile("r.jsonl")
	require.NoError(t, err)
	assert.NotContains(t, out+many+errs+string(r), secret)
	code, out, errs = cli(t, "", "library", "import", "a.png", "--dir", "lib")
	assert.Equal(t, exitDone, code, errs)
	assert.Contains(t, out, "character/secret-rin")
	code, _, errs = cli(t, "", "library", "export", "secret-rin", "--dir", "lib", "--to", "risu", "-o", "c.png")
	assert.Equal(t, exitDone, code, errs)
	b, err = os.ReadFile("c.png")
	require.NoError(t, err)
	assert.Equal(t, locked, string(b))
	t.Setenv("BUNZAI_PASSWORD", "")
	code, _, errs = cli(t, "", "library", "export", "secret-rin", "--dir", "lib", "--to", "risu", "-o", "d.png")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, errs, "another kind of file")
}
