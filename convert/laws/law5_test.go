package laws

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"bunzai/convert"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// Law 5: same input, same bytes.

type job struct {
	s samples.Sample
	w way
}

func jobs(t testing.TB) (out []job) {
	for _, s := range samples.All() {
		for _, w := range ways(read(t, s.Data).Primary.Kind) {
			out = append(out, job{s, w})
		}
	}
	return out
}

// run returns a fingerprint of the file, its name and the report.
func (j job) run(e *convert.Engine) string {
	out, err := e.Convert(rope.Bytes(j.s.Data), j.w.o)
	if err != nil {
		return err.Error()
	}
	b, err := out.Data.Bytes()
	if err != nil {
		return err.Error()
	}
	r, err := json.Marshal(out.Report)
	if err != nil {
		return err.Error()
	}
	sum := sha256.Sum256(append(append(b, out.FileName+out.MediaType...), r...))
	return hex.EncodeToString(sum[:])
}

func TestLaw5(t *testing.T) {
	list := jobs(t)
	want := make([]string, len(list))
	for i, j := range list {
		want[i] = j.run(convert.New())
	}
	same := func(how string, i int, got string) {
		assert.Equal(t, want[i], got, "%s to %s %s", list[i].s.Name, list[i].w, how)
	}
	one := convert.New() // one engine, the other way round: no conversion leaves a trace (KF-103)
	for i, j := range slices.Backward(list) {
		same("after other conversions", i, j.run(one))
	}
	got := make([]string, len(list))
	var wg sync.WaitGroup
	for n := range 4 {
		wg.Go(func() {
			for i := n; i < len(list); i += 4 {
				got[i] = list[i].run(one)
			}
		})
	}
	wg.Wait()
	for i := range list {
		same("beside other conversions", i, got[i])
	}
}

// TestLaw5OneEntity writes one entity for every target in turn, each twice: writing leaves it as it was.
func TestLaw5OneEntity(t *testing.T) {
	for _, name := range []string{"v2.json", "both-different.png", "full.charx", "lumi.charx", "wi.json"} {
		p := read(t, samples.Get(name).Data)
		list := ways(p.Primary.Kind)
		for _, w := range list {
			a, b := emit(t, p, w.o), emit(t, p, w.o)
			assert.True(t, string(a) == string(b), "%s to %s twice", name, w)
		}
		again := emit(t, p, convert.Options{To: p.Info.App})
		assert.Equal(t, apart(t, samples.Get(name).Data).docs, apart(t, again).docs, "%s: writing it for others changed it", name)
	}
}
