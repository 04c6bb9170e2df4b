package zip

import (
	"encoding/binary"
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
		{"directory states too little packed", member{data: text, method: 8, packed: 20}, text, "read whole by the size in front"},
		{"directory states too little packed, stored", member{data: text, packed: 20}, text, "read whole by the size in front"},
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
		{"stated beyond the limit, stored nothing", member{comp: packed("hi"), method: 8, size: 0xfffffffe}, fault.OverLimit, []string{"Entry", "64 MiB", "4096.0 MiB"}},
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

// Hostile archives: each must end as said, within a bound of memory.
func TestHostile(t *testing.T) {
	icon := "assets/icon/image/main.png"
	ten := zeros(10 * mib)
	gib := zeros(1 << 30)
	type outcome struct {
		open  string // limit name or fault code; "" opens
		icon  string
		card  string
		bound int64 // bytes allocated in all
	}
	pic := func(m member) member { m.name, m.method = icon, 8; return m }
	tests := []struct {
		name string
		file func() []byte
		want outcome
	}{
		{"500 x 10 MB of zeros", func() []byte {
			ms := []member{cardMember(), pic(crcOf(member{comp: ten, size: 10 * mib}, 0))}
			for i := range 500 {
				ms = append(ms, crcOf(member{name: fmt.Sprintf("assets/%d.png", i), comp: ten, size: 10 * mib, method: 8}, 0))
			}
			return build(archive{}, ms...)
		}, outcome{icon: "Ratio", bound: 8 * mib}},
		{"card.json of 1 GB, stated", func() []byte {
			return build(archive{}, crcOf(member{name: "card.json", comp: gib, size: 1 << 30, method: 8}, 0))
		}, outcome{card: "Entry", bound: mib}},
		{"card.json of 1 GB, 100 bytes stated", func() []byte {
			return build(archive{}, crcOf(member{name: "card.json", comp: gib, size: 100, method: 8}, 0))
		}, outcome{card: "Entry", bound: 200 * mib}},
		{"4 GB stated", func() []byte {
			return build(archive{}, cardMember(), pic(member{comp: packed("hi"), size: 0xfffffffe}))
		}, outcome{icon: "Entry", bound: mib}},
		{"2^63 stated in ZIP64", func() []byte {
			return build(archive{zip64: true}, cardMember(), pic(member{comp: packed("hi"), size: 1 << 62}))
		}, outcome{icon: "Entry", bound: mib}},
		{"KF-016 10 stated, 300 MB real", func() []byte {
			return build(archive{}, cardMember(), pic(crcOf(member{comp: zeros(300 * mib), size: 10}, 0)))
		}, outcome{icon: "Ratio", bound: 160 * mib}},
		{"stated packed size to lift the ratio", func() []byte {
			return build(archive{}, cardMember(), pic(crcOf(member{comp: ten, size: 10, packed: 1 << 30}, 0)))
		}, outcome{icon: "damaged", bound: 8 * mib}},
		{"2,000 entries share a local header", func() []byte {
			ms := []member{cardMember(), pic(crcOf(member{comp: ten, size: 10 * mib}, 0))}
			for i := range 400 {
				ms = append(ms, crcOf(member{name: fmt.Sprint(i), comp: ten, size: 10 * mib, method: 8, shareOf: icon}, 0))
			}
			return build(archive{}, ms...)
		}, outcome{open: "damaged", bound: 2 * mib}},
		{"quoted overlap", func() []byte { return quotedOverlap(400, 10*mib) }, outcome{open: "damaged", bound: 2 * mib}},
		{"100,000 entries", func() []byte {
			ms := []member{cardMember()}
			for i := range 100000 {
				ms = append(ms, member{name: fmt.Sprint(i), data: "x"})
			}
			return build(archive{}, ms...)
		}, outcome{open: "ArchiveEntries", bound: mib}},
		{"500 names of 65,535 bytes with fields and comments as long", func() []byte {
			long := strings.Repeat("\x80", 65535)
			var ms []member
			for range 400 {
				ms = append(ms, member{name: long, comment: long})
			}
			return build(archive{}, append(ms, cardMember())...)
		}, outcome{open: "ArchiveEntries", bound: 120 * mib}},
		{"directory size of 2 GB", func() []byte {
			return build(archive{dirSize: 0x7fffffff}, cardMember(), pic(member{data: "p"}))
		}, outcome{bound: mib}},
		{"a tail full of end records", func() []byte {
			f := string(build(archive{}, cardMember()))
			for i := 60000; i >= 22; i -= 22 {
				f += "PK\x05\x06" + strings.Repeat("\x01", 16) + string(binary.LittleEndian.AppendUint16(nil, uint16((i/22-1)*22)))
			}
			return []byte(f)
		}, outcome{bound: 4 * mib}},
		{"nested archives", func() []byte {
			z := build(archive{}, member{name: "z", comp: ten, size: 10 * mib, method: 8})
			for i := range 5 {
				var ms []member
				for k := range 16 {
					ms = append(ms, member{name: fmt.Sprintf("l%d-%d.zip", i, k), data: string(z), method: 8})
				}
				z = build(archive{}, ms...)
			}
			return build(archive{}, cardMember(), member{name: "assets/other/inner.zip", data: string(z), method: 8})
		}, outcome{bound: mib}},
		{"streamed bomb, cut short", func() []byte {
			f := build(archive{}, cardMember(), pic(crcOf(member{comp: gib, size: 1 << 30, streamed: true}, 0)))
			return f[:strings.Index(string(f), "PK\x01\x02")]
		}, outcome{bound: mib}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.file()
			var a *Archive
			var err error
			outcomeOf := func(err error) string {
				if err == nil {
					return ""
				}
				if l := fault.As(err).Limit; l != nil {
					return l.Name
				}
				return string(fault.As(err).Code)
			}
			got := outcome{}
			alloc := allocated(func() {
				if a, err = Open(rope.Bytes(f), limits.Card()); err != nil {
					got.open = outcomeOf(err)
					return
				}
				for path, p := range map[string]*string{icon: &got.icon, "card.json": &got.card} {
					if e := a.Find(path); e != nil {
						_, err := e.ReadAll()
						*p = outcomeOf(err)
					}
				}
			})
			t.Logf("%d bytes in, %d allocated, %v", len(f), alloc, err)
			assert.Less(t, alloc, tt.want.bound)
			want := tt.want
			want.bound = 0
			assert.Equal(t, want, got)
		})
	}
}

// quotedOverlap is Fifield's construction: each entry is a stored deflate block that quotes the next local
// header, followed by all the data of that next entry.
func quotedOverlap(n int, kernel int64) []byte {
	le := binary.LittleEndian
	data := zeros(kernel)
	type file struct {
		name string
		head []byte
		comp int64
		size int64
	}
	fs := make([]file, n)
	comp, size := int64(len(data)), kernel
	for i := n - 1; i >= 0; i-- {
		if i < n-1 {
			comp += 5 + int64(len(fs[i+1].head))
			size += int64(len(fs[i+1].head))
		}
		name := fmt.Sprintf("q%d.png", i)
		h := le.AppendUint32(nil, sigLocal)
		h = append(h, 20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		h = le.AppendUint32(h, uint32(comp))
		h = le.AppendUint32(h, uint32(size))
		h = le.AppendUint32(h, uint32(len(name)))
		fs[i] = file{name, append(h, name...), comp, size}
	}
	var out, dir []byte
	for i, f := range fs {
		c := le.AppendUint32(nil, sigCentral)
		c = append(c, 20, 0)
		c = append(c, f.head[4:30]...)
		c = append(c, make([]byte, 10)...)
		c = le.AppendUint32(c, uint32(len(out)))
		dir = append(append(dir, c...), f.name...)
		out = append(out, f.head...)
		if i < n-1 {
			l := uint16(len(fs[i+1].head))
			out = append(out, 0)
			out = le.AppendUint16(out, l)
			out = le.AppendUint16(out, ^l)
		} else {
			out = append(out, data...)
		}
	}
	at := len(out)
	out = append(out, dir...)
	return append(out, endOf(int64(n), int64(at), int64(len(dir)), nil)...)
}

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
