package laws

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// way is one way to write a kind: a codec with each of its containers and versions.
type way struct {
	codec formats.Codec
	o     convert.Options
}

func (w way) String() string {
	return strings.Trim(fmt.Sprintf("%s-%s-%s", w.codec.Info().ID, w.o.Container, w.o.Spec), "-")
}

// ways lists every way to write a kind, for all registered codecs.
func ways(k canonical.Kind) (out []way) {
	for _, c := range codecs(k) {
		i := c.Info()
		for _, cont := range append([]formats.Container{""}, i.Containers...) {
			for _, spec := range append([]string{""}, i.Specs...) {
				if cont != "" && cont != i.Containers[0] && spec != "" {
					continue
				}
				out = append(out, way{c, convert.Options{To: i.ID, Container: cont, Spec: spec, AllowLoss: true}})
			}
		}
	}
	return out
}

// written is a conversion with all that the laws look at.
type written struct {
	p      *convert.Pieces
	w      way
	data   []byte
	report *convert.Report
}

// eachPair writes every source in every way. A refusal must be one of those that the formats announce.
func eachPair(t *testing.T, fn func(t *testing.T, x written)) {
	eachSource(t, func(t *testing.T, s source) {
		kind := read(t, s.data).Primary.Kind
		for _, w := range ways(kind) {
			t.Run(w.String(), func(t *testing.T) {
				p := read(t, s.data)
				w.codec, _ = convert.New().Registry.TargetIn(w.o.To, kind, w.o.Container, p.Primary) // of the app's codecs the piece's own
				out, err := convert.New().Emit(p, w.o)
				if f := fault.As(err); err != nil && (f.Code == fault.OverLimit || f.Code == fault.WouldLose) {
					t.Skip(err)
				}
				require.NoError(t, err)
				if w.o.Container != "" {
					require.Equal(t, w.o.Container, out.Container, "another kind of file than was asked for")
				}
				fn(t, written{p, w, bytesOf(t, out.Data), out.Report})
			})
		}
	})
}

// near asks the codec itself what its app holds only roughly; the pipeline does not hand that out.
func near(t testing.TB, p *convert.Pieces, w way) []formats.Near {
	t.Helper()
	ctx := formats.EncodeContext{Container: w.o.Container, Spec: w.o.Spec, Limits: limits.Card(), AllowLoss: true}
	if ctx.Container == "" && p.Primary.Bucket(w.codec.Info().ID) == nil {
		for _, c := range w.codec.Info().Containers {
			if c == p.Container {
				ctx.Container = c
			}
		}
	}
	if _, ok := w.codec.(formats.BookExtractor); ok {
		ctx.Lorebooks = []*canonical.Entity{}
		for _, b := range p.Books {
			if canonical.Or(b.Lorebook().Enabled, true) {
				ctx.Lorebooks = append(ctx.Lorebooks, b)
			}
		}
	}
	if _, ok := w.codec.(formats.RegexExtractor); ok {
		ctx.RegexSets = []*canonical.Entity{}
		for _, s := range p.Regex {
			if isOn(s) {
				ctx.RegexSets = append(ctx.RegexSets, s)
			}
		}
	}
	ctx.More = p.More
	enc, err := w.codec.Encode(p.Primary, ctx)
	require.NoError(t, err)
	return enc.Near
}

// blank is what the report leaves out: absent, "" and an empty bag say the same.
func blank(v any) bool {
	switch x := v.(type) {
	case nil:
		return true
	case string:
		return x == ""
	case *jsondoc.Value:
		return x == nil || x.IsNull() || x.Kind() >= jsondoc.KindObject && x.Len() == 0
	}
	return false
}

type formatsContainer = formats.Container

func strValue(s string) *jsondoc.Value { return jsondoc.String(s) }

// ctxFor is a context as a door makes it, with further pieces for the same file.
func ctxFor(more []*canonical.Entity) formats.EncodeContext {
	return formats.EncodeContext{More: more, Limits: limits.Card()}
}
