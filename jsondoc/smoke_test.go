package jsondoc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/limits"
)

func TestSmoke(t *testing.T) {
	in := "{\n  \"a\": 1,\n  \"d\": {\n    \"x\": [],\n    \"e\": {}\n  }\n}\n"
	d, err := Parse([]byte(in), limits.Card())
	require.NoError(t, err)
	require.Equal(t, in, string(d.Bytes()))
	d.Root.Get("d").Get("e").Set("k", String("v"))
	d.Root.Set("z", Array(Int(1), Object()))
	require.Equal(t, "{\n  \"a\": 1,\n  \"d\": {\n    \"x\": [],\n    \"e\": {\n      \"k\": \"v\"\n    }\n  },\n  \"z\": [\n    1,\n    {}\n  ]\n}\n", string(d.Bytes()))
	d.Root.Delete("z")
	d.Root.Get("d").Get("e").Delete("k")
	require.False(t, d.Dirty())
}
