package laws

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"bunzai/convert"
	"bunzai/formats"
)

// TestThroughCanonical: a file written as a canonical file and from there for its own app again is the file that came
// in, since the canonical file carries its twin. An edit made on the way is as small as one made directly.
func TestThroughCanonical(t *testing.T) {
	eachSource(t, func(t *testing.T, s source) {
		p := read(t, s.data)
		if s.foreign || p.Info.App == "bunzai" {
			t.Skip("its app cannot read this file, so another one is written")
		}
		canon := emit(t, p, convert.Options{To: "bunzai"})
		q := read(t, canon)
		home := emit(t, q, convert.Options{To: p.Info.App})
		if p.Container == formats.CharX || p.Container == formats.JPEG {
			// The canonical file holds the content of entries, not how they were packed.
			assert.Equal(t, names(apart(t, s.data).docs), names(apart(t, home).docs))
			for i, x := range apart(t, s.data).rest {
				y := apart(t, home).rest[i]
				assert.Equal(t, x.name, y.name, "order of entries")
				assert.True(t, x.name != "prefix" || x.bytes == y.bytes, "what stands before the archive")
			}
			assert.Equal(t, everything(t, s.data), everything(t, home))
		} else {
			sameFile(t, s.data, home)
		}
		assert.True(t, string(canon) == string(emit(t, q, convert.Options{To: "bunzai"})), "the canonical file itself comes back byte for byte")
		all := allLeaves(p)
		for i := 0; i < len(all); i += 7 {
			l := all[i]
			if l.path == "media.portrait.content" {
				continue
			}
			direct := emit(t, edited(p, l.piece, l.edit), convert.Options{To: p.Info.App})
			around := emit(t, edited(q, l.piece, l.edit), convert.Options{To: p.Info.App})
			assert.Equal(t, apart(t, direct).docs, apart(t, around).docs, "piece %d %s", l.piece, l.path)
		}
	})
}
