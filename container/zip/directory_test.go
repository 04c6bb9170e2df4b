package zip

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
	"bunzai/rope"
)

// jpeg stands for a picture in front: JPEG magic and bytes that are no ZIP.
func jpeg(n int) string { return "\xff\xd8\xff\xe0" + strings.Repeat("JFIF", n/4) }

func TestOpenReads(t *testing.T) {
	icon := member{name: "assets/icon/image/main.png", data: strings.Repeat("pixel", 500)}
	z := func(o archive, ms ...member) []byte { return build(o, ms...) }
	inner := string(build(archive{}, member{name: "card.json", data: `{"data":{"name":"IN COMMENT"}}`}))
	var many []member
	for i := range 300 {
		many = append(many, member{name: fmt.Sprintf("assets/%d.png", i), data: "x"})
	}
	whole := z(archive{}, cardMember(), icon)

	tests := []struct {
		name    string
		file    []byte
		entries int
		base    int64
		warning string // "" means none at all
	}{
		{"plain", whole, 2, 0, ""},
		{"KF-012 streamed, zero local sizes", z(archive{}, member{name: "card.json", data: card, method: 8, streamed: true}, icon), 2, 0, ""},
		{"KF-013 card last behind a picture of 2 MB", z(archive{prefix: jpeg(2 << 20)}, append(many, cardMember())...), 301, 4 + 2<<20, ""},
		{"KF-014 prefix, offsets from the file's start", z(archive{prefix: jpeg(400), fileBased: true}, icon, cardMember()), 2, 404, ""},
		{"KF-014 prefix of ten bytes", z(archive{prefix: "0123456789"}, cardMember()), 1, 10, ""},
		{"KF-015 signature in the comment", z(archive{comment: "PK\x05\x06 and filler, more than twenty-two bytes"}, cardMember()), 1, 0, "taken as a comment"},
		{"KF-015 a whole archive in the comment", z(archive{comment: inner}, cardMember()), 1, 0, "taken as a comment"},
		{"a whole archive in the comment, behind a picture", z(archive{comment: inner, prefix: jpeg(90)}, cardMember()), 1, 92, "taken as a comment"},
		{"KF-134 no assets", z(archive{}, cardMember()), 1, 0, ""},
		{"KF-134 asset before the card", z(archive{}, icon, cardMember()), 2, 0, ""},
		{"comment of the greatest length", z(archive{comment: strings.Repeat("c", maxComment)}, cardMember()), 1, 0, ""},
		{"bytes after the end", z(archive{tail: "junk that a download left"}, cardMember()), 1, 0, "25 bytes after the end"},
		{"bytes after the end, behind a picture", z(archive{tail: "junk", prefix: jpeg(40)}, cardMember()), 1, 44, "4 bytes after the end"},
		{"comment cut short", z(archive{comment: "twelve bytes"}, cardMember())[:len(z(archive{comment: "twelve bytes"}, cardMember()))-5], 1, 0, "comment is cut short"},
		{"ZIP64 everywhere", z(archive{zip64: true}, cardMember(), icon), 2, 0, ""},
		{"ZIP64 behind a picture", z(archive{zip64: true, prefix: jpeg(80)}, cardMember(), icon), 2, 84, ""},
		{"ZIP64 behind a picture, file offsets", z(archive{zip64: true, prefix: jpeg(80), fileBased: true}, cardMember()), 1, 84, ""},
		{"count too low", z(archive{count: 1}, cardMember(), icon), 2, 0, "states 1 entries, but its directory has 2"},
		{"directory size zero", z(archive{dirSize: 1}, cardMember(), icon), 2, 0, "misstates the size"},
		{"directory size far too large", z(archive{dirSize: 0x7fffffff}, cardMember(), icon), 2, 0, "misstates the size"},
		{"directory offset lies", z(archive{dirOff: 7}, cardMember(), icon), 2, 0, ""},
		{"prefix gone, offsets count it", z(archive{prefix: jpeg(400), fileBased: true}, icon, cardMember())[404:], 2, 0, ""},
		{"an archive in front", append(build(archive{}, member{name: "card.json", data: "OTHER"}), whole...), 2, 121, "another archive lies in front"},
		{"count too high", z(archive{count: 9}, cardMember(), icon), 2, 0, "states 9 entries but breaks off after 2"},
		{"end record gone", whole[:len(whole)-22], 2, 0, "cut short"},
		{"directory gone", whole[:strings.Index(string(whole), "PK\x01\x02")], 2, 0, "cut short"},
		{"cut within the asset", whole[:strings.Index(string(whole), "PK\x01\x02")-9], 1, 0, "main.png is cut short"},
		{"more than 64 KiB after the end", append(append([]byte{}, whole...), make([]byte, 70000)...), 2, 0, "cut short"},
		{"streamed and cut short", z(archive{}, member{name: "card.json", data: card, method: 8, streamed: true}, icon)[:300], 1, 0, "cut short"},
		{"streamed without signature and cut short", z(archive{}, member{name: "card.json", data: card, method: 8, streamed: true, noDescSig: true}, icon)[:300], 1, 0, "cut short"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, src := range []rope.Source{rope.Bytes(tt.file), &counting{Source: rope.Bytes(tt.file)}} {
				a, err := Open(src, limits.Card())
				require.NoError(t, err)
				assert.Len(t, a.Entries, tt.entries)
				assert.Equal(t, tt.base, a.Base)
				assert.Equal(t, card, read(t, a, "card.json"))
				if tt.warning == "" {
					assert.Empty(t, a.Warnings)
				} else {
					warned(t, a, tt.warning)
				}
				if e := a.Find(icon.name); e != nil {
					assert.Equal(t, icon.data, read(t, a, icon.name))
				}
				for _, e := range a.Entries {
					r, err := e.Raw()
					require.NoError(t, err)
					assert.Equal(t, e.Packed, r.Size())
				}
			}
			if tt.entries > 0 {
				assert.True(t, IsZip(rope.Bytes(tt.file)))
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	good := build(archive{}, cardMember(), member{name: "a.png", data: "pixels"})
	dir := strings.Index(string(good), "PK\x01\x02")
	quoted := func() []byte {
		// b lies within a's data.
		b := build(archive{}, member{name: "b.png", data: "bbbb"})
		b = b[:strings.Index(string(b), "PK\x01\x02")]
		f := build(archive{}, member{name: "a.png", data: "...." + string(b)}, member{name: "b.png", data: "bbbb", shareOf: "a.png"})
		at := strings.LastIndex(string(f), "PK\x01\x02")
		binary.LittleEndian.PutUint32(f[at+42:], localLen+5+4)
		return f
	}
	tests := []struct {
		name  string
		file  []byte
		code  fault.Code
		parts []string
	}{
		{"no bytes", nil, fault.Empty, nil},
		{"text", []byte(strings.Repeat("hello ", 50)), fault.NotRecognized, []string{"not a ZIP"}},
		{"cut within the first entry", good[:60], fault.Damaged, []string{"cut short"}},
		{"local magic and nothing else", []byte("PK\x03\x04"), fault.Damaged, []string{"cut short"}},
		{"a picture and an end record that leads nowhere", []byte(jpeg(80) + string(good[dir+99:])), fault.Damaged, []string{"directory"}},
		{"shared local header", build(archive{}, cardMember(), member{name: "c2.json", data: card, method: 8, shareOf: "card.json"}), fault.Damaged, []string{"card.json", "c2.json", "lie over each other"}},
		{"shared local header, no data", build(archive{}, member{name: "x/"}, member{name: "y/", shareOf: "x/"}), fault.Damaged, []string{"x/", "y/"}},
		{"quoted overlap", quoted(), fault.Damaged, []string{"a.png", "b.png"}},
		{"packed size reaches into the next entry", build(archive{}, member{name: "a.png", data: "aa", packed: 40}, member{name: "b.png", data: "bb"}), fault.Damaged, []string{"a.png", "b.png"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(rope.Bytes(tt.file), limits.Card())
			requireFault(t, err, tt.code, tt.parts...)
		})
	}
}

// An inner archive that is the last stored entry of a file cut short is not the archive itself.
func TestCutShortAfterInnerArchive(t *testing.T) {
	inner := string(build(archive{}, member{name: "card.json", data: "INNER"}))
	f := build(archive{}, cardMember(), member{name: "assets/inner.zip", data: inner}, member{name: "b.png", data: strings.Repeat("b", 900)})
	a := open(t, f[:len(f)-700])
	assert.Equal(t, card, read(t, a, "card.json"))
	assert.Equal(t, []string{"card.json", "assets/inner.zip"}, names(a))
	warned(t, a, "b.png is cut short")
}

func TestOverlapInLocalNames(t *testing.T) {
	// The directory's offsets are apart, but a long local extra field moves the data of a into b.
	f := build(archive{}, member{name: "a.png", data: strings.Repeat("a", 50)}, member{name: "b.png", data: "bb"})
	binary.LittleEndian.PutUint16(f[28:], 40)
	a := open(t, f)
	_, err := a.Entries[0].Raw()
	requireFault(t, err, fault.Damaged, "a.png", "b.png")
	_, err = a.Entries[0].ReadAll()
	requireFault(t, err, fault.Damaged, "a.png", "b.png")
	assert.Equal(t, "bb", read(t, a, "b.png"))

	binary.LittleEndian.PutUint16(f[28:], 0)
	at := strings.LastIndex(string(f), "PK\x03\x04")
	binary.LittleEndian.PutUint16(f[at+28:], 2)
	_, err = open(t, f).Entries[1].Raw()
	requireFault(t, err, fault.Damaged, "b.png", "more than lies there")
}

func TestEntryLimitIsInclusive(t *testing.T) {
	lim := limits.Card()
	with := func(n int, o archive) []byte {
		ms := []member{cardMember(), {name: "assets/"}}
		for i := len(ms); i < n; i++ {
			ms = append(ms, member{name: fmt.Sprintf("assets/%d", i), data: "x"})
		}
		return build(o, ms...)
	}
	a := open(t, with(512, archive{}))
	assert.Len(t, a.Entries, 512)
	assert.True(t, a.Entries[1].IsDir())

	for name, f := range map[string][]byte{
		"stated":                with(513, archive{}),
		"stated, ZIP64":         with(513, archive{zip64: true}),
		"stated less":           with(513, archive{count: 3}),
		"stated none":           with(513, archive{count: -1}),
		"only stated":           with(5, archive{count: 60000}),
		"no directory":          with(513, archive{})[:513*30],
		"100,000 modulo 65,536": with(70000, archive{count: 70000 - 65536}),
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no directory" {
				f = f[:strings.Index(string(with(513, archive{})), "PK\x01\x02")]
			}
			var err error
			got := allocated(func() { _, err = Open(rope.Bytes(f), lim) })
			requireLimit(t, err, "ArchiveEntries")
			assert.Less(t, got, int64(2<<20))
		})
	}
}

func TestArchiveLimitIsInclusive(t *testing.T) {
	w := NewWriter()
	require.NoError(t, w.Deflate("card.json", []byte(card)))
	head, err := w.Finish()
	require.NoError(t, err)
	lim := limits.Card()
	for _, over := range []int64{0, 1} {
		r := &rope.Rope{}
		n := lim.Archive + over - head.Size()
		r.AppendRange(zeroSource(n), 0, n)
		r.AppendRope(head)
		got := allocated(func() {
			var a *Archive
			if a, err = Open(r, lim); err == nil {
				read(t, a, "card.json")
			}
		})
		if over == 0 {
			require.NoError(t, err)
		} else {
			requireLimit(t, err, "Archive")
		}
		assert.Less(t, got, int64(1<<20))
	}
}

func TestNames(t *testing.T) {
	sjis := "\x83\x65\x83\x58\x83\x67\x2e\x70\x6e\x67"
	up := func(raw, name string) []byte {
		b := binary.LittleEndian.AppendUint16(nil, extraUnicode)
		b = binary.LittleEndian.AppendUint16(b, uint16(5+len(name)))
		b = append(b, 1)
		return append(binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(raw))), name...)
	}
	long := "assets/" + strings.Repeat("n", 60000)
	tests := []struct {
		raw   string
		extra []byte
		name  string
		path  string
	}{
		{"assets/icon/é漢🙂.png", nil, "assets/icon/é漢🙂.png", "assets/icon/é漢🙂.png"},
		{sjis, nil, "âeâXâg.png", "âeâXâg.png"}, // KF-019
		{sjis, up(sjis, "テスト.png"), "テスト.png", "テスト.png"},
		{sjis, up("other", "テスト.png"), "âeâXâg.png", "âeâXâg.png"},
		{sjis, up(sjis, "../テスト.png"), "../テスト.png", ""},
		{sjis, []byte{0x75, 0x70, 0xff, 0xff, 1}, "âeâXâg.png", "âeâXâg.png"},
		{"\x80\xff", nil, "Ç\u00a0", "Ç\u00a0"},
		{`assets\icon\image\0.png`, nil, `assets\icon\image\0.png`, "assets/icon/image/0.png"}, // KF-020
		{"/card.json", nil, "/card.json", "card.json"},
		{"././/./a.png", nil, "././/./a.png", "a.png"},
		{"../../etc/evil.png", nil, "../../etc/evil.png", ""}, // KF-018
		{"/abs/evil.png", nil, "/abs/evil.png", "abs/evil.png"},
		{`C:\windows\evil.png`, nil, `C:\windows\evil.png`, ""},
		{`/c:/evil.png`, nil, `/c:/evil.png`, ""},
		{`..\..\evil.png`, nil, `..\..\evil.png`, ""},
		{"a/../../evil.png", nil, "a/../../evil.png", ""},
		{"a/..", nil, "a/..", ""},
		{"a..b/...png", nil, "a..b/...png", "a..b/...png"},
		{"assets/icon/\x00evil.png", nil, "assets/icon/\x00evil.png", ""},
		{"__proto__", nil, "__proto__", "__proto__"},
		{"assets/icon/image/\u202egnp.exe", nil, "assets/icon/image/\u202egnp.exe", "assets/icon/image/\u202egnp.exe"},
		{long, nil, long, long},
		{"", nil, "", ""},
		{".", nil, ".", ""},
		{"./", nil, "./", ""},
	}
	var ms []member
	for _, tt := range tests {
		ms = append(ms, member{name: tt.raw, data: "evil", extra: tt.extra})
	}
	f := build(archive{}, append(ms, cardMember())...)
	a := open(t, f)
	for i, tt := range tests {
		e := a.Entries[i]
		assert.Equal(t, tt.raw, string(e.RawName))
		assert.Equal(t, tt.name, e.Name)
		assert.Equal(t, tt.path, e.Path)
		b, err := e.ReadAll()
		require.NoError(t, err)
		assert.Equal(t, "evil", string(b))
		assert.Less(t, len(e.where()), 600)
	}
	assert.Len(t, a.FindAll("card.json"), 2, "/card.json and card.json")
	assert.Nil(t, a.Find(""))
	assert.Empty(t, a.FindAll(""))
	assert.Equal(t, 128, len(cp437))
}

func TestFind(t *testing.T) {
	a := open(t, build(archive{}, member{name: "card.json", data: "FIRST"}, member{name: "card.json", data: "SECOND"},
		member{name: "sub/card.json", data: "NESTED"}, member{name: "CARD.JSON", data: "UPPER"},
		member{name: "Assets/Äpfel.PNG", data: "one"}, member{name: "a.png", data: "1"}, member{name: "A.png", data: "2"}))
	assert.Equal(t, "FIRST", read(t, a, "card.json"))
	assert.Equal(t, "UPPER", read(t, a, "CARD.JSON"))
	assert.Nil(t, a.Find("Card.json"), "three candidates")
	assert.Len(t, a.FindAll("card.json"), 2)
	assert.Equal(t, "one", read(t, a, "assets/äpfel.png"))
	assert.Equal(t, "2", read(t, a, "A.png"))
	assert.Nil(t, a.Find("A.PNG"))
	assert.Nil(t, a.Find("nothing"))
}

func TestIsZip(t *testing.T) {
	z := build(archive{}, cardMember())
	for name, tt := range map[string]struct {
		file string
		want bool
	}{
		"archive":                    {string(z), true},
		"empty archive":              {"PK\x05\x06" + strings.Repeat("\x00", 18), true},
		"nothing":                    {"", false},
		"text":                       {"PK is not enough", false},
		"cut short":                  {string(z[:40]), true},
		"picture in front":           {jpeg(5000) + string(z), true},
		"picture around":             {jpeg(5000) + string(z) + "junk", true},
		"PNG with an archive in it":  {"\x89PNG\r\n\x1a\n" + string(z) + "\x00\x00\x00\x00IEND\xaeB`\x82", false},
		"PNG with an archive behind": {"\x89PNG\r\n\x1a\n" + string(z), true},
		"signature in text, to EOF":  {strings.Repeat("a", 99) + "PK\x05\x06" + strings.Repeat("a", 16) + "\x00\x00", false},
	} {
		assert.Equal(t, tt.want, IsZip(rope.Bytes(tt.file)), name)
	}
	w, _ := NewWriter().Finish()
	assert.True(t, IsZip(w))
	a, err := Open(w, limits.Card())
	require.NoError(t, err)
	assert.Empty(t, a.Entries)
}

// A card of 1 GiB with 1,500 pictures opens in a few reads and little memory.
func TestOpenIsCheap(t *testing.T) {
	src := big(t)
	c := &counting{Source: src}
	var a *Archive
	var err error
	got := allocated(func() { a, err = Open(c, limits.Large()) })
	require.NoError(t, err)
	assert.Len(t, a.Entries, 1500)
	assert.LessOrEqual(t, c.reads, 8)
	assert.Less(t, c.bytes, int64(512<<10))
	assert.Less(t, got, int64(3<<20))
	t.Logf("%d reads of %d bytes, %d bytes allocated", c.reads, c.bytes, got)
}

// big is a source of 1 GiB with 1,500 entries that takes almost no memory.
func big(t testing.TB) *rope.Rope {
	w := NewWriter()
	require.NoError(t, w.Deflate("card.json", []byte(card)))
	for i := 1; i < 1500; i++ {
		w.StoreKnown(fmt.Sprintf("assets/other/image/picture-%04d.png", i), rope.Of(zeroSource(1<<30/1499)), 7)
	}
	src, err := w.Finish()
	require.NoError(t, err)
	return src
}

func BenchmarkOpen1500(b *testing.B) {
	src := &counting{Source: big(b)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(src, limits.Large()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCopy1500(b *testing.B) {
	a, err := Open(&counting{Source: big(b)}, limits.Large())
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		w := NewWriter()
		for _, e := range a.Entries {
			if err := w.Copy(e); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Finish(); err != nil {
			b.Fatal(err)
		}
	}
}
