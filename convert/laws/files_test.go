package laws

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/testdata/samples"
)

var update = flag.Bool("update", false, "write testdata/files anew")

// TestSampleFiles keeps testdata/files, which is for tests that cannot import Go (the page, the npm module, the command
// line), equal to what the samples are. Write them with: go test ./convert/laws -run SampleFiles -update
func TestSampleFiles(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "files")
	if *update {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	names := map[string]bool{}
	for _, s := range samples.All() {
		require.False(t, names[s.Name], "two samples are named %s", s.Name)
		names[s.Name] = true
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join(dir, s.Name), s.Data, 0o644))
		}
		b, err := os.ReadFile(filepath.Join(dir, s.Name))
		require.NoError(t, err)
		assert.True(t, string(b) == string(s.Data), "testdata/files/%s is not what the sample is; run go test ./convert/laws -run SampleFiles -update", s.Name)
	}
}
