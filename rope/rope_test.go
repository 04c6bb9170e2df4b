package rope

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Source may be of any type, also of one whose values Go cannot compare.
func TestSourceThatCannotBeCompared(t *testing.T) {
	type file struct{ Source }
	a, b := file{Bytes("one text")}, file{Bytes("one text")}
	same, err := Equal(a, b)
	require.NoError(t, err)
	assert.True(t, same)
	r := Of(a)
	r.AppendRange(a, 0, 8)
	r.AppendRange(b, 8, 0)
	got, err := r.Bytes()
	require.NoError(t, err)
	assert.Equal(t, "one textone text", string(got))
	// One that can be compared is known again, so that neighbours become one.
	p := &file{Bytes("one text")}
	r = &Rope{}
	r.AppendRange(p, 0, 3)
	r.AppendRange(p, 3, 5)
	n := 0
	for range r.Segments() {
		n++
	}
	assert.Equal(t, 1, n)
}
