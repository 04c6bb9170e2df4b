package zip

import (
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

func FuzzOpen(f *testing.F) {
	f.Add(build(archive{}, cardMember(), member{name: "a.png", data: "pixels"}))
	f.Add(build(archive{zip64: true, comment: "PK\x05\x06"}, cardMember()))
	f.Add(build(archive{prefix: jpeg(40), tail: "x"}, member{name: "a", data: "aaaa", streamed: true, method: 8}))
	f.Add(build(archive{}, cardMember(), member{name: "b", data: "b", method: 8, streamed: true, noDescSig: true})[:130])
	f.Add(quotedOverlap(3, 100))
	lim := limits.Edge()
	lim.Entry, lim.Inflated, lim.ArchiveEntries = mib, 2*mib, 64
	f.Fuzz(func(t *testing.T, b []byte) {
		IsZip(rope.Bytes(b))
		a, err := Open(rope.Bytes(b), lim)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.As(err).Code, "%v", err)
			return
		}
		require.LessOrEqual(t, len(a.Entries), 64)
		require.True(t, a.Base >= 0 && a.Base <= int64(len(b)))
		w := NewWriter()
		kept := 0
		var total int64
		for _, e := range a.Entries {
			p, err := e.ReadAll()
			if err == nil {
				total += int64(len(p))
			} else {
				require.NotEqual(t, fault.Internal, fault.As(err).Code, "%v", err)
			}
			if w.Copy(e) == nil {
				kept++
			}
		}
		require.LessOrEqual(t, total, lim.Inflated)
		out, err := w.Finish()
		require.NoError(t, err)
		again, err := Open(out, limits.Large())
		require.NoError(t, err)
		require.Len(t, again.Entries, kept)
	})
}

// Kept headers may come back from a file that somebody changed.
func FuzzCopyRaw(f *testing.F) {
	for _, o := range []archive{{}, {zip64: true}} {
		a, err := Open(rope.Bytes(build(o, cardMember())), limits.Card())
		require.NoError(f, err)
		f.Add(a.Entries[0].Header(), []byte("data"))
	}
	f.Fuzz(func(t *testing.T, header, data []byte) {
		w := NewWriter()
		if err := w.CopyRaw(header, rope.FromBytes(data)); err != nil {
			require.True(t, fault.Is(err, fault.BadArgument), "%v", err)
			return
		}
		out, err := w.Finish()
		if err != nil {
			require.True(t, fault.Is(err, fault.BadArgument), "%v", err)
			return
		}
		a, err := Open(out, limits.Large())
		require.NoError(t, err)
		require.Len(t, a.Entries, 1)
		r, err := a.Entries[0].Raw()
		require.NoError(t, err)
		b, err := r.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(data), string(b))
	})
}
