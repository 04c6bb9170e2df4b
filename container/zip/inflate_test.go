package zip

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

const mib = 1 << 20

// crcOf is a stated CRC, which may be zero.
func crcOf(m member, crc uint32) member { m.crc, m.crcSet = crc, true; return m }

func TestReadDamagedButWhole(t *testing.T) {
	text := strings.Repeat("some text. ", 400)
	tests := []struct {
		name    string
		m       member
		want    string
		warning string
	}{
		{"KF-133 wrong CRC, stored", crcOf(member{data: text}, 0xdeadbeef), text, "checksum does not match"},
		{"wrong CRC, deflated", crcOf(member{data: text, method: 8}, 1), text, "checksum does not match"},
		{"size states less, CRC right", member{data: text, method: 8, size: 40}, text, "states 40 bytes, but the content has 4,400 bytes"},
		{"size states zero, CRC right", member{data: text, method: 8, size: -1}, text, "states 0 bytes"},
		{"size states more, CRC right", member{data: text, method: 8, size: 50 * mib}, text, "states 50 MiB"},
		{"size disagrees, stored", member{data: text, size: 3}, text, "states 3 bytes"},
		{"directory states too little packed", member{data: text, method: 8, packed: 20}, text, "states 20 bytes of packed data, the entry itself"},
		{"directory states too little packed, stored", member{data: text, packed: 20}, text, "states 20 bytes of packed data, the entry itself"},
		{"right", member{data: text, method: 8}, text, ""},
		{"no content", member{method: 8}, "", ""},
		{"no content, stored", member{}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.m.name = "a.txt"
			f := build(archive{}, tt.m, cardMember())
			for _, src := range []rope.Source{rope.Bytes(f), &counting{Source: rope.Bytes(f)}} {
				a, err := Open(src, limits.Card())
				require.NoError(t, err)
				for range 2 {
					assert.Equal(t, tt.want, read(t, a, "a.txt"))
				}
				if tt.warning == "" {
					assert.Empty(t, a.Warnings)
				} else {
					assert.Len(t, a.Warnings, 1)
					warned(t, a, "entry a.txt")
					warned(t, a, tt.warning)
				}
				assert.Equal(t, card, read(t, a, "card.json"))
				// What was read whole is carried whole.
				w := NewWriter()
				require.NoError(t, w.Copy(a.Find("a.txt")))
				assert.Equal(t, tt.want, read(t, open(t, finish(t, w)), "a.txt"))
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	comp := packed(strings.Repeat("abcdefgh", 500) + "the end")
	broken := append([]byte{}, comp...)
	broken[2] ^= 0xff
	tests := []struct {
		name  string
		m     member
		code  fault.Code
		parts []string
	}{
		{"encrypted", member{data: "x", flags: flagEncrypted | 0x800}, fault.Unsupported, []string{"encrypted", "password"}},
		{"strong encryption", member{data: "x", flags: flagStrong}, fault.Unsupported, []string{"encrypted"}},
		{"method 12", member{data: "x", method: 12}, fault.Unsupported, []string{"method 12"}},
		{"method 99", member{data: "x", method: 99}, fault.Unsupported, []string{"method 99"}},
		{"stream ends early", member{comp: comp[:len(comp)-5], method: 8, size: 4007}, fault.Damaged, []string{"ends too early"}},
		{"stream broken", member{comp: broken, method: 8, size: 4007}, fault.Damaged, []string{"entry a.txt"}},
		{"no stream at all", member{comp: []byte{}, method: 8, size: 10}, fault.Damaged, []string{"ends too early"}},
		{"size and CRC both wrong", crcOf(member{data: "hello", method: 8, size: 4}, 9), fault.Damaged, []string{"5 bytes", "4 bytes", "checksum"}},
		{"stated beyond the limit, stored nothing", member{comp: packed("hi"), method: 8, size: 0xfffffffe}, fault.OverLimit, []string{"Entry", "64 MiB", "4.0 GiB"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.m.name = "a.txt"
			a := open(t, build(archive{}, tt.m, cardMember()))
			e := a.Find("a.txt")
			_, err := e.ReadAll()
			requireFault(t, err, tt.code, append(tt.parts, "entry a.txt")...)
			r, err := e.Open()
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			requireFault(t, err, tt.code, tt.parts...)
			_, err = e.Raw()
			require.NoError(t, err, "what cannot be read can still be carried")
			assert.Equal(t, card, read(t, a, "card.json"), "the card is whole")
		})
	}
}

func TestLocalHeaderMissing(t *testing.T) {
	f := build(archive{}, cardMember(), member{name: "a.txt", data: "text"})
	f[strings.LastIndex(string(f), "PK\x03\x04")] = 'X'
	a := open(t, f)
	_, err := a.Find("a.txt").ReadAll()
	requireFault(t, err, fault.Damaged, "entry a.txt", "no entry is there")
	assert.Equal(t, card, read(t, a, "card.json"))
}

// noise is n bytes that do not compress much, so that no ratio is hit.
func noise(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

func TestReadLimitsAreInclusive(t *testing.T) {
	lim := limits.Card()
	lim.Entry, lim.Inflated = 2*mib, 3*mib
	a4 := func(ms ...member) *Archive {
		a, err := Open(rope.Bytes(build(archive{}, ms...)), lim)
		require.NoError(t, err)
		return a
	}
	for _, method := range []uint16{0, 8} {
		t.Run(fmt.Sprintf("method %d", method), func(t *testing.T) {
			a := a4(member{name: "2", data: noise(2 * mib), method: method}, member{name: "3", data: noise(2*mib + 1), method: method},
				member{name: "1", data: noise(mib), method: method}, member{name: "b", data: "b", method: method}, member{name: "0", method: method})
			assert.Len(t, read(t, a, "2"), 2*mib)
			assert.Len(t, read(t, a, "2"), 2*mib, "counted once")
			_, err := a.Find("3").ReadAll()
			requireLimit(t, err, "Entry")
			assert.Len(t, read(t, a, "1"), mib)
			_, err = a.Find("b").ReadAll()
			requireLimit(t, err, "Inflated")
			_, err = a.Find("b").Raw()
			require.NoError(t, err, "what is carried does not count")
		})
	}

	// Exactly 1 MiB passes at any ratio; beyond it, exactly the ratio passes.
	for _, tt := range []struct {
		n     int64
		ratio int64
		over  bool
	}{{mib, 1, false}, {mib + 1, 1, true}, {mib + 1, 2000, false}} {
		z := zeros(tt.n)
		lim.Ratio = tt.ratio
		a := a4(crcOf(member{name: "z", comp: z, method: 8, size: tt.n}, 0))
		_, err := a.Find("z").ReadAll()
		if tt.over {
			requireLimit(t, err, "Ratio")
		} else {
			require.NoError(t, err)
		}
	}
}

func TestOpenStreams(t *testing.T) {
	a := open(t, build(archive{}, crcOf(member{name: "a", data: noise(100000), method: 8}, 5), member{name: "b", data: "bb"}))
	r, err := a.Find("a").Open()
	require.NoError(t, err)
	s, err := a.Find("b").Open()
	require.NoError(t, err)
	assert.Equal(t, "bb", read(t, a, "b"), "readers do not disturb each other")
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, noise(100000), string(b))
	b, err = io.ReadAll(s)
	require.NoError(t, err)
	assert.Equal(t, "bb", string(b))
	warned(t, a, "entry a: the checksum")
}

// failing is a source that fails beyond an offset.
type failing struct {
	rope.Source
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.Source.ReadAt(p, off)
}

func TestSourceErrors(t *testing.T) {
	z := rope.Bytes(build(archive{}, cardMember()))
	boom := errors.New("device gone")
	_, err := Open(failing{z, 0, boom}, limits.Card())
	requireFault(t, err, fault.Damaged, "device gone")
	require.ErrorIs(t, err, boom)
	_, err = Open(failing{z, 0, fault.New(fault.Cancelled, "", "stopped")}, limits.Card())
	requireFault(t, err, fault.Cancelled, "stopped")

	a, err := Open(z, limits.Card())
	require.NoError(t, err)
	for _, from := range []int64{0, 40} {
		a.Src = failing{z, from, boom}
		_, err = a.Entries[0].ReadAll()
		requireFault(t, err, fault.Damaged, "entry card.json", "device gone")
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var ms []member
	for i := range 300 {
		ms = append(ms, crcOf(member{name: fmt.Sprint(i), data: "x"}, 1))
	}
	a := open(t, build(archive{}, ms...))
	for _, e := range a.Entries {
		_, err := e.ReadAll()
		require.NoError(t, err)
	}
	assert.Len(t, a.Warnings, maxWarnings+1)
}
