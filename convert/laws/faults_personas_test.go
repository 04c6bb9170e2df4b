package laws

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// The faults of known-faults.md that personas and quick replies touch.

func personasOf(t testing.TB, p *convert.Pieces) (out []*canonical.Persona) {
	t.Helper()
	for _, e := range p.All() {
		b, ok := e.Body.(*canonical.Persona)
		require.True(t, ok)
		out = append(out, b)
	}
	return out
}

func setOf(t testing.TB, data []byte) *canonical.QuickReplySet {
	t.Helper()
	s, ok := read(t, data).Primary.Body.(*canonical.QuickReplySet)
	require.True(t, ok)
	return s
}

// itemAt is the line of a report about a path; nil when there is none.
func itemAt(r *convert.Report, path string) *convert.Item {
	for i := range r.Items {
		if r.Items[i].Path == path {
			return &r.Items[i]
		}
	}
	return nil
}

func TestFaultsOfPersonas(t *testing.T) {
	t.Run("KF-110 depth 0 and role 0 stay 0", func(t *testing.T) {
		in := []byte(`{"personas":{"a.png":"A"},"persona_descriptions":{"a.png":{"description":"d","position":4,"depth":0,"role":0}},"default_persona":null}`)
		c := personasOf(t, read(t, in))[0].ChatInjection
		require.NotNil(t, c)
		assert.Equal(t, "in_chat", c.Position)
		assert.Equal(t, canonical.Ptr(0.0), c.Depth)
		assert.Equal(t, canonical.Ptr("system"), c.Role)
		back(t, in)
		_, lumi := convertTo(t, in, convert.Options{To: "lumiverse"})
		assert.Equal(t, "0", raw(root(t, lumi).At("personas", "0", "metadata", "description_depth")))
		_, home := convertTo(t, lumi, convert.Options{To: "sillytavern"})
		d := root(t, home).At("persona_descriptions", "A.png")
		assert.Equal(t, []string{"4", "0", "0"}, []string{raw(d.Get("position")), raw(d.Get("depth")), raw(d.Get("role"))})
	})
	t.Run("KF-111 tags, alternatives, comment and picture are carried or named one by one", func(t *testing.T) {
		in := []byte(`{"personas":{"a.png":"A"},"persona_descriptions":{"a.png":{"description":"d","position":0,"tags":["x"],"alternatives":["e","f"],"comment":"c"}}}`)
		back(t, in)
		out, _ := convertTo(t, in, convert.Options{To: "lumiverse"})
		for _, n := range []string{"tags", "alternatives", "comment"} {
			i := itemAt(out.Report, "original.sillytavern.persona_descriptions.a.png."+n)
			require.NotNil(t, i, n)
			assert.Equal(t, convert.Lost, i.Verdict)
		}
		out, _ = convertTo(t, samples.Get("lumi-persona.json").Data, convert.Options{To: "sillytavern"})
		for _, n := range []string{"metadata.addons[0]", "metadata.addons[1]", "avatar_path", "image_id", "folder", "reflexive_pronoun"} {
			assert.NotNil(t, itemAt(out.Report, "original.lumiverse."+n), n)
		}
		for _, app := range eachApp { // a picture of its own
			q := edited(read(t, in), 0, func(b any) {
				b.(*canonical.Persona).Media = &canonical.PersonaMedia{Portrait: &canonical.Asset{Role: canonical.RolePortrait, Blob: canonical.RawBlob(rope.FromBytes(samples.Dot(1)), "image/png")}}
			})
			out, err := convert.New().Emit(q, convert.Options{To: app})
			require.NoError(t, err)
			i := itemAt(out.Report, "media.portrait")
			require.NotNil(t, i, app)
			assert.Equal(t, convert.Lost, i.Verdict)
		}
	})
	t.Run("KF-112 a persona without a picture is written", func(t *testing.T) {
		e := &canonical.Entity{Kind: canonical.KindPersona, ID: "ann", Body: &canonical.Persona{Name: "Ann", Content: "{{user}} dives."}}
		for _, w := range ways(canonical.KindPersona) {
			enc, err := w.codec.Encode(e, ctxFor(nil))
			require.NoError(t, err, w)
			assert.NoError(t, accepts[w.codec.Info().ID](bytesOf(t, enc.Data), enc.Container), w)
			x, _ := decodeAs(t, w.codec, bytesOf(t, enc.Data))
			assert.Equal(t, "{{user}} dives.", x.Body.(*canonical.Persona).Content)
		}
		for _, v := range []string{"null", `""`} {
			back(t, []byte(`{"name":"x","description":"d","subjective_pronoun":"","objective_pronoun":"","avatar_path":`+v+`}`))
		}
	})
	t.Run("KF-112 a persona without a picture gets a plain one in Risu, and the report says so", func(t *testing.T) {
		out, data := convertTo(t, samples.Get("personas-old.json").Data, convert.Options{To: "risu"})
		warned(t, out.Report.Warnings, "no picture", "plain")
		assert.Nil(t, read(t, data).Primary.Body.(*canonical.Persona).Media)
		assert.NoError(t, risuPersona(data, formats.PNG))
	})
	t.Run("KF-111 a Risu persona's picture is carried in Risu and named elsewhere", func(t *testing.T) {
		in := samples.Get("risu-persona.png").Data
		out, data := convertTo(t, in, convert.Options{To: "risu"})
		assert.Equal(t, convert.Carried, itemAt(out.Report, "media.portrait.content").Verdict)
		assert.Equal(t, string(in), string(data))
		for _, app := range eachApp {
			out, _ := convertTo(t, in, convert.Options{To: app})
			assert.Equal(t, convert.Lost, itemAt(out.Report, "media.portrait").Verdict, app)
			assert.Equal(t, convert.Carried, itemAt(out.Report, "identity.tagline").Verdict, app)
			for _, n := range []string{"largePortrait", "embeddedModule", "zq_member"} {
				assert.NotNil(t, itemAt(out.Report, "original.risu."+n), app+" "+n)
			}
		}
	})
	t.Run("KF-113 missing, orphan and unknown default", func(t *testing.T) {
		in := []byte(`{"personas":{"a.png":"A","b.png":"B"},"persona_descriptions":{"a.png":{"description":"x","position":0},"c.png":{"description":"z","position":0}},"default_persona":"z.png"}`)
		p := read(t, in)
		list := personasOf(t, p)
		require.Len(t, list, 2)
		assert.Equal(t, []string{"A", "x", "B", ""}, []string{list[0].Name, list[0].Content, list[1].Name, list[1].Content})
		w := back(t, in)
		warned(t, w, `"B"`, "no description")
		warned(t, w, "c.png", "no persona")
		warned(t, w, "default_persona", "z.png")
		out, data := convertTo(t, in, convert.Options{To: "lumiverse"})
		assert.Len(t, personasOf(t, read(t, data)), 2)
		for _, n := range []string{"default_persona", "persona_descriptions.c.png"} {
			assert.NotNil(t, itemAt(out.Report, "original.sillytavern."+n), n)
		}
		// A text for the one that had none gets a descriptor, and all else stays.
		q := edited(p, 1, func(b any) { b.(*canonical.Persona).Content = "new" })
		got := string(emit(t, q, convert.Options{To: "sillytavern"}))
		assert.Equal(t, strings.Replace(string(in), `"c.png":{"description":"z","position":0}`, `"c.png":{"description":"z","position":0},"b.png":{"description":"new","position":0}`, 1), got)
	})
	t.Run("KF-114 two of one name stay two", func(t *testing.T) {
		in := []byte(`{"personas":{"1.png":"Ann","2.png":"Ann"},"persona_descriptions":{"1.png":{"description":"one","position":0},"2.png":{"description":"two","position":0}}}`)
		back(t, in)
		p := read(t, in)
		assert.NotEqual(t, p.Primary.ID, p.More[0].ID)
		_, lumi := convertTo(t, in, convert.Options{To: "lumiverse"})
		_, home := convertTo(t, lumi, convert.Options{To: "sillytavern"})
		list := personasOf(t, read(t, home))
		require.Len(t, list, 2)
		assert.Equal(t, []string{"Ann", "one", "Ann", "two"}, []string{list[0].Name, list[0].Content, list[1].Name, list[1].Content})
		assert.Equal(t, `{"Ann.png":"Ann","Ann-2.png":"Ann"}`, strings.Join(strings.Fields(raw(root(t, home).Get("personas"))), ""))
	})
}

func TestFaultsOfQuickReplies(t *testing.T) {
	t.Run("KF-115 switches that are text", func(t *testing.T) {
		in := []byte(`{"version":2,"name":"S","qrList":[{"id":1,"label":"a","message":"b","isHidden":"false","executeOnAi":"true"}],"idIndex":1}`)
		s := setOf(t, in)
		assert.Equal(t, canonical.Ptr(false), s.Replies[0].Hidden)
		assert.Equal(t, "true", raw(s.Replies[0].Extras.Get("executeOnAi")))
		w := back(t, in)
		warned(t, w, "qrList[0].isHidden", "read as false")
		warned(t, w, "qrList[0].executeOnAi", "read as true")
	})
	t.Run("KF-116 ids as numbers, as text, and none", func(t *testing.T) {
		in := []byte(`{"version":2,"name":"S","qrList":[{"id":1,"label":"a","message":""},{"id":"2","label":"b","message":""},{"label":"c","message":""}],"idIndex":"3"}`)
		s := setOf(t, in)
		require.Len(t, s.Replies, 3)
		assert.Equal(t, []string{"1", "2", "3"}, []string{s.Replies[0].ID, s.Replies[1].ID, s.Replies[2].ID})
		back(t, in)
		q := edited(read(t, in), 0, func(b any) {
			s := b.(*canonical.QuickReplySet)
			s.Replies = append(s.Replies, canonical.QuickReply{ID: "x", Label: "d"})
		})
		r := root(t, emit(t, q, convert.Options{To: "sillytavern"}))
		assert.Equal(t, "4", raw(r.At("qrList", "3", "id")))
		assert.Equal(t, `"4"`, raw(r.Get("idIndex")))
		// Ids that stand twice, and no id at all, in a new file.
		twice := []byte(`{"version":2,"name":"S","qrList":[{"id":5,"label":"a","message":""},{"id":5,"label":"b","message":""},{"id":"x","label":"c","message":""}]}`)
		warned(t, back(t, twice), "qrList[1].id", "another reply")
		fresh := *read(t, twice).Primary
		fresh.Original = nil
		c, err := convert.New().Registry.Target("sillytavern", canonical.KindQuickReply)
		require.NoError(t, err)
		enc, err := c.Encode(&fresh, ctxFor(nil))
		require.NoError(t, err)
		assert.NoError(t, stQuickReplies(bytesOf(t, enc.Data), ""))
		assert.Len(t, setOf(t, bytesOf(t, enc.Data)).Replies, 3)
	})
	t.Run("KF-117 links to an absent set", func(t *testing.T) {
		in := []byte(`{"version":2,"name":"S","qrList":[{"id":1,"label":"a","message":"b","contextList":[{"set":"Gone","isChained":false},{"set":null},{"set":"S"}]}],"idIndex":1}`)
		assert.Equal(t, `[{"set":"Gone","isChained":false},{"set":null},{"set":"S"}]`, raw(setOf(t, in).Replies[0].Extras.Get("contextList")))
		w := back(t, in)
		warned(t, w, `"Gone"`, "not in this file")
		warned(t, w, "names no set")
		assert.Len(t, w, 2)
	})
	t.Run("KF-118 a set without replies", func(t *testing.T) {
		for _, in := range []string{
			`{"version":2,"name":"S","qrList":[]}`, `{"version":2,"name":"S","disableSend":false,"placeBeforeInput":false,"injectInput":false,"idIndex":0}`,
			`{"version":2,"name":"S","disableSend":false,"idIndex":0,"qrList":null}`, `{"name":"S","quickReplySlots":[]}`,
		} {
			assert.Empty(t, setOf(t, []byte(in)).Replies, in)
			back(t, []byte(in))
			q := edited(read(t, []byte(in)), 0, func(b any) {
				s := b.(*canonical.QuickReplySet)
				s.Replies = append(s.Replies, canonical.QuickReply{ID: "x", Label: "d", Message: "m"})
			})
			s := setOf(t, emit(t, q, convert.Options{To: "sillytavern"}))
			require.Len(t, s.Replies, 1, in)
			assert.Equal(t, "m", s.Replies[0].Message)
		}
		for _, in := range []string{`{"isEnabled":true,"isCombined":false,"config":{"setList":[]}}`, `{"name":"S","setList":[]}`} {
			assert.Empty(t, setOf(t, []byte(in)).Replies, in)
			_, out := convertTo(t, []byte(in), convert.Options{To: "sillytavern"})
			assert.NoError(t, stQuickReplies(out, ""), in)
		}
	})
}
