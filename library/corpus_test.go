package library_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/library"
	"bunzai/limits"
	"bunzai/rope"
)

// A file that went into a library and comes out for its own app is what it would be by way of its canonical file: taking
// it apart and putting it together loses nothing.
func TestThroughTheLibrary(t *testing.T) {
	corpus, err := filepath.Glob("../../shared/corpus/*.*")
	require.NoError(t, err)
	own, err := filepath.Glob("../testdata/files/*")
	require.NoError(t, err)
	if len(corpus) == 0 {
		t.Log("the corpus of real files is not here; only the project's own files are tried")
	}
	engine, tried := convert.New(), 0
	for _, path := range append(own, corpus...) {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // a folder
		}
		o := convert.Options{Name: filepath.Base(path), Limits: limits.Large()}
		p, err := engine.Read(rope.Bytes(b), o)
		if err != nil || p.Info.App == "bunzai" || len(p.More) > 0 {
			continue // what cannot be read has tests elsewhere; further pieces are kept one by one
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			s := &library.Memory{}
			put := library.SaveOptions{Limits: o.Limits}
			r, err := library.SaveBundle(ctx, s, library.Bundles(p)[0], put)
			if fault.Is(err, fault.OverLimit) {
				t.Skip("too large for one JSON file: ", err)
			}
			require.NoError(t, err)
			to := convert.Options{To: p.Info.App, Limits: o.Limits, Name: o.Name}
			got, err := library.Export(ctx, engine, s, r.Primary.Ref(), to)
			require.NoError(t, err)
			whole, err := engine.Convert(rope.Bytes(b), convert.Options{To: "bunzai", Name: o.Name, Limits: o.Limits})
			require.NoError(t, err)
			want, err := engine.Convert(whole.Data, to)
			require.NoError(t, err)
			assert.Equal(t, want.Container, got.Container)
			assert.Equal(t, want.Report.Counts, got.Report.Counts)
			same, err := rope.Equal(want.Data, got.Data)
			require.NoError(t, err)
			assert.True(t, same)
			tried++
		})
	}
	assert.Greater(t, tried, 10)
}
