package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/jsondoc"
	"bunzai/limits"
)

func TestSchemaIsFresh(t *testing.T) {
	dir := packageDir()
	want, err := Generate(dir)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "schema", "bunzai.schema.json"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./canonical")
}

// Every row of the tables names a member that is there, and every reference a definition.
func TestTables(t *testing.T) {
	b, err := Generate(packageDir())
	require.NoError(t, err)
	d, err := jsondoc.Parse(b, limits.Card())
	require.NoError(t, err)
	defs := d.Root.Get("$defs")
	member := func(key string) {
		owner, name := filepath.Ext("x."+key), ""
		for i := range key {
			if key[i] == '.' {
				owner, name = key[:i], key[i+1:]
			}
		}
		require.True(t, defs.Get(owner).Get("properties").Has(name), key)
	}
	for key := range enums {
		member(key)
	}
	for key := range known {
		member(key)
	}
	for owner, names := range required {
		for _, n := range names {
			member(owner + "." + n)
		}
	}
	var walk func(v *jsondoc.Value)
	walk = func(v *jsondoc.Value) {
		if r, ok := v.Get("$ref").Text(); ok {
			require.True(t, defs.Has(r[len("#/$defs/"):]), r)
		}
		for _, x := range v.Members() {
			walk(x)
		}
		for _, x := range v.Elems() {
			walk(x)
		}
	}
	walk(d.Root)
}
