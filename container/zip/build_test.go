package zip

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// member is one entry of a test archive; what is zero is filled in rightly, what is set is written as it is.
type member struct {
	name       string
	data       string // content
	method     uint16
	comp       []byte // packed data instead of what data gives
	size       int64  // stated size, -1 for zero
	packed     int64  // stated packed size in the directory
	crc        uint32
	crcSet     bool
	flags      uint16
	streamed   bool   // bit 3: zero sizes in front, descriptor behind
	noDescSig  bool   // descriptor without signature
	extra      []byte // in both headers
	central    []byte // extra field in the directory only
	comment    string
	attr       uint32
	shareOf    string // no local entry: that of the named member
	zip64Local bool
}

type archive struct {
	prefix    string
	fileBased bool // offsets count from the start of the file, prefix included
	comment   string
	tail      string // after the end record
	count     int    // stated, -1 for zero
	dirSize   int64  // stated
	dirOff    int64
	zip64     bool
}

func packed(data string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 6)
	w.Write([]byte(data))
	w.Close()
	return b.Bytes()
}

// build writes a ZIP by hand, so that every field can lie.
func build(o archive, ms ...member) []byte {
	le := binary.LittleEndian
	var out, dir []byte
	offs := map[string]int64{}
	base := int64(0)
	if o.fileBased {
		base = int64(len(o.prefix))
	}
	for _, m := range ms {
		comp, size, crc := m.comp, m.size, m.crc
		if comp == nil {
			comp = []byte(m.data)
			if m.method == methodDeflate {
				comp = packed(m.data)
			}
		}
		if size == 0 {
			size = int64(len(m.data))
		} else if size < 0 {
			size = 0
		}
		if !m.crcSet && crc == 0 {
			crc = crc32.ChecksumIEEE([]byte(m.data))
		}
		flags := m.flags
		if m.streamed {
			flags |= flagDescriptor
		}
		pk := m.packed
		if pk == 0 {
			pk = int64(len(comp))
		}
		off, shared := offs[m.shareOf]
		if shared = shared && m.shareOf != ""; !shared {
			off = base + int64(len(out))
			offs[m.name] = off
			h := le.AppendUint32(nil, sigLocal)
			h = le.AppendUint16(h, 20)
			h = le.AppendUint16(h, flags)
			h = le.AppendUint16(h, m.method)
			h = le.AppendUint32(h, 0x5a215a21) // some time
			lx := m.extra
			if m.streamed {
				h = append(h, make([]byte, 12)...)
			} else if m.zip64Local {
				h = le.AppendUint32(h, crc)
				h = le.AppendUint64(h, 1<<64-1)
				z := le.AppendUint32(nil, 16<<16|extraZip64)
				z = le.AppendUint64(z, uint64(size))
				lx = append(le.AppendUint64(z, uint64(len(comp))), lx...)
			} else {
				h = le.AppendUint32(h, crc)
				h = le.AppendUint32(h, uint32(len(comp)))
				h = le.AppendUint32(h, uint32(size))
			}
			h = le.AppendUint16(h, uint16(len(m.name)))
			h = le.AppendUint16(h, uint16(len(lx)))
			out = append(append(append(append(out, h...), m.name...), lx...), comp...)
			if m.streamed {
				if !m.noDescSig {
					out = le.AppendUint32(out, sigDescriptor)
				}
				out = le.AppendUint32(out, crc)
				out = le.AppendUint32(out, uint32(len(comp)))
				out = le.AppendUint32(out, uint32(size))
			}
		}
		cx := append(append([]byte(nil), m.extra...), m.central...)
		c := le.AppendUint32(nil, sigCentral)
		c = le.AppendUint16(c, 3<<8|20)
		c = le.AppendUint16(c, 20)
		c = le.AppendUint16(c, flags)
		c = le.AppendUint16(c, m.method)
		c = le.AppendUint32(c, 0x5a215a21)
		c = le.AppendUint32(c, crc)
		if o.zip64 {
			z := le.AppendUint32(nil, 24<<16|extraZip64)
			z = le.AppendUint64(z, uint64(size))
			z = le.AppendUint64(z, uint64(pk))
			cx = append(le.AppendUint64(z, uint64(off)), cx...)
			c = le.AppendUint64(c, 1<<64-1)
		} else {
			c = le.AppendUint32(c, uint32(pk))
			c = le.AppendUint32(c, uint32(size))
		}
		c = le.AppendUint16(c, uint16(len(m.name)))
		c = le.AppendUint16(c, uint16(len(cx)))
		c = le.AppendUint16(c, uint16(len(m.comment)))
		c = le.AppendUint32(c, 0)
		c = le.AppendUint32(c, m.attr)
		if o.zip64 {
			c = le.AppendUint32(c, max32)
		} else {
			c = le.AppendUint32(c, uint32(off))
		}
		dir = append(append(append(append(dir, c...), m.name...), cx...), m.comment...)
	}
	at := base + int64(len(out))
	count, dirSize := len(ms), int64(len(dir))
	if o.count > 0 {
		count = o.count
	} else if o.count < 0 {
		count = 0
	}
	if o.dirSize != 0 {
		dirSize = o.dirSize
	}
	if o.dirOff != 0 {
		at = o.dirOff
	}
	out = append(out, dir...)
	var end []byte
	if o.zip64 {
		here := base + int64(len(out))
		end = le.AppendUint32(nil, sigEnd64)
		end = le.AppendUint64(end, 44)
		end = le.AppendUint32(end, 45<<16|45)
		end = le.AppendUint64(end, 0)
		end = le.AppendUint64(end, uint64(count))
		end = le.AppendUint64(end, uint64(count))
		end = le.AppendUint64(end, uint64(dirSize))
		end = le.AppendUint64(end, uint64(at))
		end = le.AppendUint32(end, sigLocator64)
		end = le.AppendUint32(end, 0)
		end = le.AppendUint64(end, uint64(here))
		end = le.AppendUint32(end, 1)
		out = append(out, end...)
		end = le.AppendUint32(nil, sigEnd)
		end = le.AppendUint32(end, 0)
		end = le.AppendUint32(end, max32)
		end = le.AppendUint64(end, 1<<64-1)
		end = le.AppendUint16(end, uint16(len(o.comment)))
	} else {
		end = le.AppendUint32(nil, sigEnd)
		end = le.AppendUint32(end, 0)
		end = le.AppendUint16(end, uint16(count))
		end = le.AppendUint16(end, uint16(count))
		end = le.AppendUint32(end, uint32(dirSize))
		end = le.AppendUint32(end, uint32(at))
		end = le.AppendUint16(end, uint16(len(o.comment)))
	}
	out = append(append(append(out, end...), o.comment...), o.tail...)
	return append([]byte(o.prefix), out...)
}

// zeros is n zero bytes deflated, without holding n bytes.
func zeros(n int64) []byte {
	const block = 16 << 20
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	if n >= block {
		w.Write(make([]byte, block))
		w.Flush()
		one := bytes.Clone(b.Bytes())
		b.Reset()
		w, _ = flate.NewWriter(&b, 9)
		for ; n >= block; n -= block {
			b.Write(one)
		}
	}
	w.Write(make([]byte, n))
	w.Close()
	return b.Bytes()
}

const card = `{"spec":"chara_card_v3","data":{"name":"Ann"}}`

func cardMember() member { return member{name: "card.json", data: card, method: 8} }

func open(t testing.TB, b []byte) *Archive {
	t.Helper()
	a, err := Open(rope.Bytes(b), limits.Card())
	require.NoError(t, err)
	return a
}

func read(t testing.TB, a *Archive, path string) string {
	t.Helper()
	e := a.Find(path)
	require.NotNil(t, e, path)
	b, err := e.ReadAll()
	require.NoError(t, err)
	return string(b)
}

func names(a *Archive) []string {
	var out []string
	for _, e := range a.Entries {
		out = append(out, e.Name)
	}
	return out
}

// allocated returns the bytes that f allocates in all.
func allocated(f func()) int64 {
	var x, y runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&x)
	f()
	runtime.ReadMemStats(&y)
	return int64(y.TotalAlloc - x.TotalAlloc)
}

func requireFault(t testing.TB, err error, code fault.Code, parts ...string) {
	t.Helper()
	require.Error(t, err)
	require.True(t, fault.Is(err, code), "%v", err)
	for _, p := range parts {
		require.Contains(t, err.Error(), p)
	}
}

func requireLimit(t testing.TB, err error, name string) {
	t.Helper()
	requireFault(t, err, fault.OverLimit)
	require.Equal(t, name, fault.As(err).Limit.Name)
	require.Contains(t, err.Error(), name)
	if large := limits.Large().Over("", name, 0).Limit; name != "Ratio" {
		if fault.As(err).Limit.Found <= large.Value {
			require.Contains(t, err.Error(), limits.Card().Raise)
		} else {
			require.NotContains(t, err.Error(), limits.Card().Raise, "large limits would refuse it too")
		}
	}
}

func warned(t testing.TB, a *Archive, part string) {
	t.Helper()
	require.Contains(t, strings.Join(a.Warnings, "\n"), part)
}

// counting is a Source that counts reads and hides that it lies in memory.
type counting struct {
	rope.Source
	reads int
	bytes int64
}

func (c *counting) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	c.bytes += int64(len(p))
	return c.Source.ReadAt(p, off)
}

// zeroSource is n zero bytes that take no memory.
type zeroSource int64

func (z zeroSource) Size() int64 { return int64(z) }
func (z zeroSource) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), int64(z)-off)
	if n <= 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	if n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}
