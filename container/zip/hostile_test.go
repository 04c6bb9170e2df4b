package zip

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

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
		}, outcome{open: "ArchiveEntries", bound: 24 * mib}},
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
