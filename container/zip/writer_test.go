package zip

import (
	stdzip "archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

func finish(t testing.TB, w *Writer) []byte {
	t.Helper()
	r, err := w.Finish()
	require.NoError(t, err)
	b, err := r.Bytes()
	require.NoError(t, err)
	return b
}

// others reads b with archive/zip and tests it with unzip where that is present.
func others(t *testing.T, b []byte) map[string]string {
	t.Helper()
	r, err := stdzip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	out := map[string]string{}
	for _, f := range r.File {
		rc, err := f.Open()
		require.NoError(t, err)
		p, err := io.ReadAll(rc)
		require.NoError(t, err, f.Name)
		out[f.Name] = string(p)
	}
	if unzip, err := exec.LookPath("unzip"); err == nil && len(r.File) > 0 {
		file := filepath.Join(t.TempDir(), "a.zip")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		msg, err := exec.Command(unzip, "-t", file).CombinedOutput()
		require.NoError(t, err, "%s", msg)
	}
	return out
}

func TestWriterNew(t *testing.T) {
	w := NewWriter()
	require.NoError(t, w.Deflate("card.json", []byte(card)))
	require.NoError(t, w.Store("assets/", rope.Bytes(nil)))
	require.NoError(t, w.Store("assets/漢.png", rope.Bytes("pixels")))
	w.StoreKnown("assets/known.png", rope.FromBytes([]byte("hello")), 0x3610a686)
	require.NoError(t, w.Deflate("empty", nil))
	w.SetComment([]byte("made here"))
	assert.True(t, w.Has("card.json"))
	assert.False(t, w.Has("Card.json"))
	b := finish(t, w)
	assert.Equal(t, b, finish(t, w), "Finish may be called again")

	got := others(t, b)
	assert.Equal(t, map[string]string{"card.json": card, "assets/": "", "assets/漢.png": "pixels", "assets/known.png": "hello", "empty": ""}, got)
	r, _ := stdzip.NewReader(bytes.NewReader(b), int64(len(b)))
	assert.Equal(t, "made here", r.Comment)
	for _, f := range r.File {
		assert.Equal(t, "1980-01-01", f.Modified.Format("2006-01-02"))
		if f.Name != "assets/" {
			assert.Equal(t, "-rw-r--r--", f.Mode().String())
		} else {
			assert.Equal(t, "drwxr-xr-x", f.Mode().String())
		}
		assert.Equal(t, strings.Contains(f.Name, "漢"), f.Flags&flagUTF8 != 0)
	}
	a := open(t, b)
	assert.Empty(t, a.Warnings)
	assert.Equal(t, "made here", string(a.Comment))
	for name, data := range got {
		if !strings.HasSuffix(name, "/") {
			assert.Equal(t, data, read(t, a, name))
		}
	}
}

func TestWriterRefusesNames(t *testing.T) {
	for _, name := range []string{"", "/a", "./a", "../a", "a/../b", `a\b`, "c:/a", "a\x00b", "a\xffb", strings.Repeat("n", 1<<16)} {
		w := NewWriter()
		requireFault(t, w.Store(name, rope.Bytes("x")), fault.BadArgument)
		requireFault(t, w.Deflate(name, nil), fault.BadArgument)
		w.StoreKnown(name, nil, 0)
		_, err := w.Finish()
		requireFault(t, err, fault.BadArgument)
	}
	w := NewWriter()
	require.NoError(t, w.Deflate("a", nil))
	requireFault(t, w.Deflate("a", nil), fault.BadArgument, "entry a", "already")
	requireFault(t, w.Store("a", rope.Bytes(nil)), fault.BadArgument)
	e := open(t, build(archive{}, member{name: "a", data: "x"})).Entries[0]
	requireFault(t, w.Copy(e), fault.BadArgument)
	requireFault(t, w.CopyAs("a", e), fault.BadArgument)
	require.NoError(t, w.CopyAs("b", e))
	w.SetComment(make([]byte, 1<<16))
	_, err := w.Finish()
	requireFault(t, err, fault.BadArgument, "comment")
	requireFault(t, w.CopyRaw([]byte("PK\x01\x02"), &rope.Rope{}), fault.BadArgument)
	requireFault(t, w.CopyRaw(e.Header(), &rope.Rope{}), fault.BadArgument)
}

// Every field of an untouched entry comes out as it came in, and copying a copy changes nothing.
func TestCopy(t *testing.T) {
	times := []byte{0x55, 0x54, 5, 0, 3, 1, 2, 3, 4}
	opaque := []byte{0x99, 0x99, 2, 0, 7, 7}
	ms := []member{
		{name: "card.json", data: card, method: 8, comment: "about the card", attr: 0o100600 << 16},
		{name: "assets/", attr: 0x10},
		{name: "assets/a.png", data: noise(5000), central: times},
		{name: "assets/s.png", data: strings.Repeat("streamed", 99), method: 8, streamed: true, extra: opaque},
		{name: "module.risum", data: "any bytes"}, // KF-022
		{name: "x_meta/0.json", data: "{}"},
		{name: "\x83\x65.png", data: "legacy name"},
		{name: "dup", data: "one"},
		{name: "dup", data: "two"},
		{name: "../out.png", data: "climbs"},
	}
	for _, o := range []archive{{comment: "note"}, {zip64: true}, {prefix: jpeg(400)}, {prefix: jpeg(400), fileBased: true, zip64: true}} {
		in := open(t, build(o, ms...))
		w := NewWriter()
		w.SetComment(in.Comment)
		if in.Base > 0 {
			p := &rope.Rope{}
			p.AppendRange(in.Src, 0, in.Base)
			w.SetPrefix(p)
		}
		for _, e := range in.Entries {
			require.NoError(t, w.Copy(e))
		}
		b := finish(t, w)
		others(t, b)
		out := open(t, b)
		assert.Empty(t, out.Warnings)
		assert.Equal(t, in.Base, out.Base)
		assert.Equal(t, in.Comment, out.Comment)
		require.Len(t, out.Entries, len(in.Entries))
		for i, x := range in.Entries {
			y := out.Entries[i]
			assert.Equal(t, x.RawName, y.RawName)
			assert.Equal(t, []any{x.Method, x.CRC32, x.Packed, x.Size}, []any{y.Method, y.CRC32, y.Packed, y.Size})
			assert.Equal(t, x.Flags&^flagDescriptor, y.Flags)
			rx, err := x.Raw()
			require.NoError(t, err)
			ry, err := y.Raw()
			require.NoError(t, err)
			same, err := rope.Equal(rx, ry)
			require.NoError(t, err)
			assert.True(t, same)
			// made by, time, date, internal and external attributes
			for _, at := range [][2]int{{4, 6}, {12, 16}, {36, 42}} {
				assert.Equal(t, x.rec[at[0]:at[1]], y.rec[at[0]:at[1]])
			}
			ex, cx := recordTail(x.rec)
			ey, cy := recordTail(y.rec)
			assert.Equal(t, string(dropExtra(ex, extraZip64)), string(ey))
			assert.Equal(t, cx, cy)
		}
		again := NewWriter()
		again.SetComment(out.Comment)
		again.SetPrefix(w.prefix)
		for _, e := range out.Entries {
			p, err := e.Raw()
			require.NoError(t, err)
			require.NoError(t, again.CopyRaw(e.Header(), p))
		}
		assert.Equal(t, b, finish(t, again))
	}
}

func TestCopyReadsNoData(t *testing.T) {
	src := &counting{Source: rope.Bytes(build(archive{}, cardMember(), member{name: "a.png", data: noise(1 << 20)}))}
	a, err := Open(src, limits.Card())
	require.NoError(t, err)
	src.bytes = 0
	w := NewWriter()
	for _, e := range a.Entries {
		require.NoError(t, w.Copy(e))
	}
	r, err := w.Finish()
	require.NoError(t, err)
	assert.Equal(t, int64(2*localLen), src.bytes)
	carried := int64(0)
	for s := range r.Segments() {
		if s.Src == rope.Source(src) {
			carried += s.Len
		}
	}
	assert.Equal(t, a.Entries[0].Packed+1<<20, carried)
}

func TestCopyAs(t *testing.T) {
	a := open(t, build(archive{}, member{name: "\x83.png", data: strings.Repeat("data", 50), method: 8, comment: "\x80",
		extra: []byte{0x75, 0x70, 5, 0, 1, 0, 0, 0, 0}}))
	w := NewWriter()
	require.NoError(t, w.CopyAs("plain.png", a.Entries[0]))
	require.NoError(t, w.CopyAs("漢.png", a.Entries[0]))
	b := finish(t, w)
	assert.Equal(t, map[string]string{"plain.png": strings.Repeat("data", 50), "漢.png": strings.Repeat("data", 50)}, others(t, b))
	out := open(t, b)
	_, c0 := recordTail(out.Entries[0].rec)
	x1, c1 := recordTail(out.Entries[1].rec)
	assert.Equal(t, "\x80", string(c0))
	assert.Equal(t, "Ç", string(c1), "the UTF-8 flag speaks for the comment too")
	assert.Empty(t, x1)
}

// The password check of an encrypted entry depends on bit 3, so it keeps its data descriptor.
func TestCopyEncrypted(t *testing.T) {
	a := open(t, build(archive{}, member{name: "secret", data: "ciphertext", flags: flagEncrypted, streamed: true}, cardMember()))
	w := NewWriter()
	for _, e := range a.Entries {
		require.NoError(t, w.Copy(e))
	}
	out := open(t, finish(t, w))
	e := out.Entries[0]
	assert.Equal(t, uint16(flagEncrypted|flagDescriptor), e.Flags)
	r, err := e.Raw()
	require.NoError(t, err)
	b, _ := r.Bytes()
	assert.Equal(t, "ciphertext", string(b))
	d, err := rope.View(out.Src, e.off+localLen+6+10, 16)
	require.NoError(t, err)
	assert.Equal(t, uint32(sigDescriptor), binary.LittleEndian.Uint32(d))
	assert.Equal(t, card, read(t, out, "card.json"))
}

// A real encrypted, streamed entry made by zip still opens with its password after Copy.
func TestCopyEncryptedByUnzip(t *testing.T) {
	zip, err := exec.LookPath("zip")
	unzip, err2 := exec.LookPath("unzip")
	if err != nil || err2 != nil {
		t.Skip("needs zip and unzip")
	}
	dir := t.TempDir()
	cmd := exec.Command(zip, "-q", "-P", "pw", filepath.Join(dir, "a.zip"), "-")
	cmd.Stdin = strings.NewReader(strings.Repeat("secret ", 100))
	require.NoError(t, cmd.Run())
	b, err := os.ReadFile(filepath.Join(dir, "a.zip"))
	require.NoError(t, err)
	w := NewWriter()
	require.NoError(t, w.Copy(open(t, b).Entries[0]))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.zip"), finish(t, w), 0o600))
	msg, err := exec.Command(unzip, "-P", "pw", "-t", filepath.Join(dir, "b.zip")).CombinedOutput()
	require.NoError(t, err, "%s", msg)
}

func TestPrefix(t *testing.T) {
	w := NewWriter()
	w.SetPrefix(rope.FromBytes([]byte(jpeg(400))))
	require.NoError(t, w.Deflate("card.json", []byte(card)))
	b := finish(t, w)
	assert.Equal(t, map[string]string{"card.json": card}, others(t, b))
	at := bytes.Index(b, []byte("PK\x01\x02"))
	assert.Equal(t, uint32(404), binary.LittleEndian.Uint32(b[at+42:]))
	a := open(t, b)
	assert.Equal(t, int64(404), a.Base)
	assert.Empty(t, a.Warnings)
}

func TestZip64Written(t *testing.T) {
	// 4 GiB and more in sizes and offsets.
	const huge = 5 << 30
	w := NewWriter()
	w.StoreKnown("huge.bin", rope.Of(zeroSource(huge)), 1)
	w.StoreKnown("just.bin", rope.Of(zeroSource(max32)), 2)
	require.NoError(t, w.Deflate("card.json", []byte(card)))
	src, err := w.Finish()
	require.NoError(t, err)
	lim := limits.Large()
	lim.Archive = 1 << 40
	a, err := Open(src, lim)
	require.NoError(t, err)
	assert.Empty(t, a.Warnings)
	assert.Equal(t, int64(huge), a.Entries[0].Size)
	assert.Equal(t, int64(max32), a.Entries[1].Packed)
	assert.Equal(t, card, read(t, a, "card.json"))
	z, err := stdzip.NewReader(src, src.Size())
	require.NoError(t, err)
	assert.Equal(t, uint64(huge), z.File[0].UncompressedSize64)
	f, err := z.File[2].Open()
	require.NoError(t, err)
	b, err := io.ReadAll(f)
	require.NoError(t, err)
	assert.Equal(t, card, string(b))
	// Copied back to where 32 bits suffice, the ZIP64 fields go.
	again := NewWriter()
	require.NoError(t, again.Copy(a.Entries[2]))
	assert.NotContains(t, string(finish(t, again)), "PK\x06\x06")
	again = NewWriter()
	for _, e := range a.Entries {
		require.NoError(t, again.Copy(e))
	}
	out, err := again.Finish()
	require.NoError(t, err)
	assert.Equal(t, src.Size(), out.Size())

	// 65,535 entries and more.
	for _, n := range []int{65534, 65535, 65537} {
		w := NewWriter()
		for i := range n {
			w.StoreKnown(fmt.Sprint(i), nil, 0)
		}
		src, err := w.Finish()
		require.NoError(t, err)
		lim.ArchiveEntries = int64(n)
		a, err := Open(src, lim)
		require.NoError(t, err)
		assert.Len(t, a.Entries, n)
		assert.Empty(t, a.Warnings)
		lim.ArchiveEntries--
		_, err = Open(src, lim)
		requireFault(t, err, fault.OverLimit)
	}
}

// Entries found without a directory can be written again.
func TestCopyRecovered(t *testing.T) {
	f := build(archive{}, member{name: "card.json", data: card, method: 8, streamed: true, extra: []byte{0x99, 0x99, 0, 0}},
		member{name: "z", data: "zip64", zip64Local: true}, member{name: "a.png", data: "pixels"})
	a := open(t, f[:len(f)-150])
	require.Len(t, a.Entries, 3)
	w := NewWriter()
	for _, e := range a.Entries {
		require.NoError(t, w.Copy(e))
	}
	assert.Equal(t, map[string]string{"card.json": card, "z": "zip64", "a.png": "pixels"}, others(t, finish(t, w)))
}

// What archive/zip and zip write is read, and carried on byte for byte.
func TestForeignWriters(t *testing.T) {
	var b bytes.Buffer
	z := stdzip.NewWriter(&b)
	for i := range 20 {
		f, err := z.Create(fmt.Sprintf("assets/%d.png", i))
		require.NoError(t, err)
		f.Write([]byte(noise(i * 1000)))
	}
	require.NoError(t, z.Close())
	a := open(t, b.Bytes())
	assert.Empty(t, a.Warnings)
	w := NewWriter()
	for i, e := range a.Entries {
		p, err := e.ReadAll()
		require.NoError(t, err)
		assert.Equal(t, noise(i*1000), string(p))
		require.NoError(t, w.Copy(e))
	}
	assert.Len(t, others(t, finish(t, w)), 20)
	assert.Empty(t, a.Warnings)
}
