package bench

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
)

var inputs = sync.OnceValue(Inputs)

// targets are the conversions that every input goes through.
var targets = []convert.Options{
	{To: "sillytavern", Container: formats.JSON, Spec: "v3"},
	{To: "sillytavern", Container: formats.PNG},
	{To: "sillytavern", Container: formats.CharX},
}

// targetsOf leaves out what the limits refuse: 40 MB of pictures do not fit into the text of a PNG.
func targetsOf(in Input) []convert.Options {
	if strings.HasSuffix(in.Name, ".charx") {
		return []convert.Options{targets[0], targets[2]}
	}
	return targets
}

func options(in Input, o convert.Options) convert.Options {
	o.Name, o.Limits, o.AllowLoss = in.Name, limits.Card(), true
	return o
}

func BenchmarkInspect(b *testing.B) {
	e := convert.New()
	for _, in := range inputs() {
		b.Run(in.Name, func(b *testing.B) {
			b.SetBytes(int64(len(in.Data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Inspect(rope.Bytes(in.Data), options(in, convert.Options{})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkConvert(b *testing.B) {
	e := convert.New()
	for _, in := range inputs() {
		for _, o := range targetsOf(in) {
			b.Run(fmt.Sprintf("%s/%s", in.Name, o.Container), func(b *testing.B) {
				b.SetBytes(int64(len(in.Data)))
				b.ReportAllocs()
				for b.Loop() {
					out, err := e.Convert(rope.Bytes(in.Data), options(in, o))
					if err != nil {
						b.Fatal(err)
					}
					if _, err := out.Data.WriteTo(io.Discard); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The inputs are what they say: each is read as a character, and goes through every conversion that is timed.
func TestInputsAreCards(t *testing.T) {
	e := convert.New()
	for _, in := range inputs() {
		p, err := e.Read(rope.Bytes(in.Data), options(in, convert.Options{}))
		require.NoError(t, err, in.Name)
		assert.Equal(t, "Bench", p.Primary.Character().Identity.Name)
		assert.Equal(t, strings.Contains(in.What, "entries") || strings.Contains(in.What, "pictures"), len(p.Books) == 1, in.Name)
		for _, o := range targetsOf(in) {
			out, err := e.Convert(rope.Bytes(in.Data), options(in, o))
			require.NoError(t, err, "%s to %s", in.Name, o.Container)
			assert.Equal(t, o.Container, out.Container)
		}
	}
}
