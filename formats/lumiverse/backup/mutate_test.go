package backup_test

import (
	"math/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"bunzai/formats"
	"bunzai/formats/lumiverse/backup"
	"bunzai/limits"
	"bunzai/rope"
)

// TestMutated reads archives with a few bytes changed: nothing hangs, and the import ends with a report.
func TestMutated(t *testing.T) {
	good := whole().Build()
	rnd := rand.New(rand.NewSource(1))
	lim := limits.Backup()
	lim.Inflated, lim.Entry = 8<<20, 8<<20
	opened := 0
	for range 400 {
		b := append([]byte(nil), good...)
		for range 1 + rnd.Intn(4) {
			switch at := rnd.Intn(len(b)); rnd.Intn(3) {
			case 0:
				b[at] = byte(rnd.Intn(256))
			case 1:
				b = b[:max(at, 100)]
			default:
				b = append(b[:at:at], append([]byte{byte(rnd.Intn(256))}, b[at:]...)...)
			}
		}
		start := time.Now()
		x, err := backup.Reader{}.Open(rope.Bytes(b), formats.BackupOptions{Limits: lim})
		if err == nil {
			opened++
			require.NoError(t, x.Pieces(func(*formats.BackupPiece) bool { return true }))
		}
		require.Less(t, time.Since(start), 5*time.Second)
	}
	require.Greater(t, opened, 20)
}
