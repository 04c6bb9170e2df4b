package convert_test

import (
	stdzip "archive/zip"
	"bytes"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// TestJPEGIsPictureAndArchive: what is written as .jpeg opens as a picture, and as an archive in tools that know nothing
// of the picture before it, without a complaint.
func TestJPEGIsPictureAndArchive(t *testing.T) {
	unzip, err := exec.LookPath("unzip")
	if err != nil {
		t.Log("no unzip on this machine; archive/zip of the standard library tests the archive alone")
	}
	for _, name := range []string{"risu.charx", "risu.jpeg", "risu.png", "risu.json", "risu-note.charx", "v3-pictures.json", "v2.json", "lumi.charx", "animated.png", "risu-module.risum"} {
		t.Run(name, func(t *testing.T) {
			o := convert.Options{To: "risu", Container: "jpeg"}
			p := read(t, string(samples.Get(name).Data))
			if p.Info.ID == "risu-module" {
				o.To = "risu" // a module becomes a card
			}
			out, err := engine.Emit(p, o)
			require.NoError(t, err)
			assert.Equal(t, ".jpeg", out.Ext)
			data, err := out.Data.Bytes()
			require.NoError(t, err)
			img, err := jpeg.Decode(bytes.NewReader(data))
			require.NoError(t, err)
			assert.False(t, img.Bounds().Empty())

			z, err := stdzip.NewReader(bytes.NewReader(data), int64(len(data)))
			require.NoError(t, err)
			assert.Equal(t, "card.json", z.File[len(z.File)-1].Name)
			for _, f := range z.File {
				r, err := f.Open()
				require.NoError(t, err)
				_, err = io.Copy(io.Discard, r) // checks the CRC
				require.NoError(t, err, f.Name)
			}
			if unzip != "" {
				file := filepath.Join(t.TempDir(), "card.jpeg")
				require.NoError(t, os.WriteFile(file, data, 0o600))
				said, err := exec.Command(unzip, "-t", file).CombinedOutput()
				assert.NoError(t, err, "%s", said)
				assert.NotContains(t, string(said), "warning")
			}
			again, err := engine.Read(rope.Bytes(data), convert.Options{})
			require.NoError(t, err)
			assert.Equal(t, p.Primary.Character().Identity.Name, again.Primary.Character().Identity.Name)
		})
	}
}
