package support_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/formats/all"
	"bunzai/formats/all/support"
)

func TestPageIsFresh(t *testing.T) {
	have, err := os.ReadFile("../../../FORMAT-SUPPORT.md")
	require.NoError(t, err)
	require.Equal(t, support.Markdown(all.Registry()), string(have), "run go generate ./formats/all")
}
