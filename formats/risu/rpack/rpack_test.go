package rpack

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/rope"
)

func every() []byte {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func TestTable(t *testing.T) {
	all := every()
	assert.Equal(t, all, Decode(Encode(all)))
	assert.Equal(t, all, Encode(Decode(all)))
	for i, c := range Encode(all) {
		assert.NotEqual(t, byte(i), c, "no byte stands for itself")
	}
	assert.Equal(t, every(), all, "the argument is not changed")
	// Beginnings that files of the app show.
	for plain, packed := range map[string]string{
		"{":                  "e6",
		`{"module"`:          "e6202d40e2b24c0520",
		"{\n  \"module\": {": "e66e6161202d40e2b24c05209761e6",
		"\x1f\x8b\x08":       "1003fc",
		"PK\x03\x04":         "3b960bbd",
		"\x89PNG":            "b13bd738",
	} {
		assert.Equal(t, packed, hex.EncodeToString(Encode([]byte(plain))))
	}
}

// counted is a source that is no memory, so that nothing can look through it.
type counted struct {
	rope.Bytes
	read int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.read += len(p)
	return c.Bytes.ReadAt(p, off)
}

func TestViews(t *testing.T) {
	src := &counted{Bytes: Encode(every())}
	plain := Unpacked(src)
	assert.Zero(t, src.read, "nothing is read before somebody asks")
	b, err := rope.View(plain, 250, 6)
	require.NoError(t, err)
	assert.Equal(t, every()[250:], b)
	assert.Equal(t, 6, src.read)

	mixed := plain.Slice(10, 20)
	mixed.AppendString("own")
	again := Packed(mixed)
	var segs []rope.Segment
	for s := range again.Segments() {
		segs = append(segs, s)
	}
	require.Len(t, segs, 2)
	assert.Same(t, src, segs[0].Src, "a range of the input stays one")
	assert.EqualValues(t, 10, segs[0].Off)
	got, err := again.Bytes()
	require.NoError(t, err)
	assert.Equal(t, Encode(append(every()[10:30], "own"...)), got)

	_, err = plain.ReadAt(make([]byte, 1), 256)
	assert.Error(t, err)
	assert.Zero(t, Unpacked(rope.Bytes(nil)).Size())
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("{\"module\":{}}"), int64(3))
	f.Add([]byte("\xff\xfe\x00\x80"), int64(0))
	f.Add([]byte{}, int64(9))
	f.Fuzz(func(t *testing.T, b []byte, off int64) {
		packed := Encode(b)
		if len(packed) != len(b) || !bytes.Equal(Decode(packed), b) {
			t.Fatal("not the way back")
		}
		got, err := Unpacked(rope.Bytes(packed)).Bytes()
		if err != nil || !bytes.Equal(got, b) {
			t.Fatal("the view differs", err)
		}
		if off >= 0 && off <= int64(len(b)) {
			part, err := rope.View(Packed(rope.Bytes(b)), off, int64(len(b))-off)
			if err != nil || !bytes.Equal(part, packed[off:]) {
				t.Fatal("a part of the view differs", err)
			}
		}
	})
}
