package jsondoc

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/limits"
)

// TestHostileCost measures texts that are built to make a level-by-level reader slow or hungry. The bounds are
// wide, so that a busy machine passes and anything quadratic does not.
func TestHostileCost(t *testing.T) {
	const size = 2 << 20
	deep := strings.Repeat("[", 511)
	ends := strings.Repeat("]", 511)
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ name, text string }{
		{"one long string far down", deep + `"` + strings.Repeat("a", size) + `"` + ends},
		{"many small nests", "[" + strings.Repeat(nest(100)+",", size/201) + "0]"},
		{"many deep nests", "[" + strings.Repeat(nest(511)+",", size/1023) + "0]"},
		{"numbers far down", deep + strings.Repeat("1,", size/2) + "1" + ends},
		{"quotes", `["` + strings.Repeat(`\"`, size/2) + `"]`},
		{"backslashes", `["` + strings.Repeat(`\\`, size/2) + `"]`},
		{"empty objects", "[" + strings.Repeat("{},", size/3) + "0]"},
		{"same name", `{` + strings.Repeat(`"a":1,`, size/6) + `"a":1}`},
		{"white space", "[" + strings.Repeat(" ", size) + "]" + strings.Repeat("\n", size)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			d, err := Parse([]byte(c.text), limits.Card())
			require.NoError(t, err)
			parsed := time.Since(start)
			runtime.ReadMemStats(&after)
			cost := int64(after.TotalAlloc-before.TotalAlloc) - int64(len(c.text))
			n := walk(d.Root)
			walked := time.Since(start)
			assert.Less(t, walked, 20*time.Second)
			assert.Less(t, cost, int64(6*len(c.text)), "all allocations of Parse, garbage counted")
			assert.Less(t, cap(d.src.jumps)*12, 2*len(c.text))
			d.Root.Delete("a")
			d.Root.SetElems(nil)
			assert.Less(t, d.Root.Len(), 1)
			t.Logf("parse %v, walk of %d values %v, parse allocates %.1f bytes a byte, %d spans",
				parsed.Round(time.Millisecond), n, walked.Round(time.Millisecond), float64(cost)/float64(len(c.text)), len(d.src.jumps))
		})
	}
	for _, c := range []struct{ name, text string }{
		{"broken at the end of a deep text", deep + strings.Repeat("1,", size/2) + "x" + ends},
		{"broken under long names", strings.Repeat(`{"`+strings.Repeat("n", size/512)+`":`, 511) + "x"},
		{"cut off", `{"a":"` + strings.Repeat("a", size)},
		{"cut off deep", deep},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			_, err := Parse([]byte(c.text), limits.Card())
			require.True(t, fault.Is(err, fault.Damaged))
			assert.Less(t, time.Since(start), 10*time.Second)
			assert.Less(t, len(err.Error()), 1000)
			t.Log(time.Since(start).Round(time.Millisecond), err)
		})
	}
}
