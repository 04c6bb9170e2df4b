//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/testdata/lvbak"
)

// TestImport2GiB makes an account backup of 2 GiB on disk and imports it with the built program. Run it with
// BUNZAI_LONG=1 and -timeout 2h; it needs 12 GiB in TMPDIR, since a SillyTavern card has its pictures as text, twice.
func TestImport2GiB(t *testing.T) {
	if os.Getenv("BUNZAI_LONG") == "" {
		t.Skip("BUNZAI_LONG is not set")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bunzai")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	path := filepath.Join(dir, "account.lvbak")
	f, err := os.Create(path)
	require.NoError(t, err)
	a, characters := lvbak.Big(2 << 30)
	_, err = a.WriteTo(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, to := range []struct{ app, out string }{{"lumiverse", "folder"}, {"lumiverse", "all.zip"}, {"sillytavern", "folder"}} {
		cmd := exec.Command(bin, "import", path, "-o", filepath.Join(dir, to.out), "--to", to.app)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		require.NoError(t, cmd.Run(), stderr.String())
		require.Contains(t, stdout.String(), fmt.Sprintf("imported: %d characters", characters))
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
		t.Logf("%d bytes to %s (%s): peak %d MiB, %v", a.Size(), to.app, to.out, peak, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		require.Less(t, peak, int64(256))
		require.NoError(t, os.RemoveAll(filepath.Join(dir, to.out)))
	}
}
