package convert

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

const secret = "Geheim 비밀!"

func lockedPNG(description string) []byte {
	return samples.PNG(samples.Text("chara-ext-asset_:1", "aGF0"), samples.Text("chara", samples.Locked(samples.LockedCard(description), secret)))
}

func TestLockedNeedsPassword(t *testing.T) {
	e, src := New(), rope.Bytes(lockedPNG("d"))
	d, err := e.Detect(src, Options{})
	require.NoError(t, err)
	require.NotNil(t, d.Winner)
	assert.Equal(t, "risu", d.Winner.ID)
	for given, says := range map[string]string{"": "give the password", "falsch-77": "does not open"} {
		for _, call := range []func(o Options) error{
			func(o Options) error { _, err := e.Read(src, o); return err },
			func(o Options) error { _, err := e.Inspect(src, o); return err },
			func(o Options) error { _, err := e.Convert(src, o); return err },
		} {
			err := call(Options{To: "sillytavern", Password: given})
			require.True(t, fault.Is(err, fault.Password), "%v", err)
			assert.Contains(t, err.Error(), says)
			assert.Contains(t, err.Error(), "chunk chara")
			assert.NotContains(t, err.Error(), "falsch-77")
		}
	}
	v, err := e.Inspect(src, Options{Password: secret})
	require.NoError(t, err)
	assert.Equal(t, "Secret Rin", v.Pieces[0].Name)
	assert.Contains(t, strings.Join(v.Warnings, "\n"), "the card is encrypted in this file")
}

// For Risu an unedited card is the file that came in, and an edited one is locked with the same password again.
func TestLockedStaysLocked(t *testing.T) {
	e, in := New(), lockedPNG("before")
	read := func(b []byte) *Pieces {
		p, err := e.Read(rope.Bytes(b), Options{Password: secret})
		require.NoError(t, err)
		return p
	}
	emit := func(p *Pieces, o Options) []byte {
		out, err := e.Emit(p, o)
		require.NoError(t, err)
		b, err := out.Data.Bytes()
		require.NoError(t, err)
		again, err := e.Emit(p, o)
		require.NoError(t, err)
		same, err := rope.Equal(out.Data, again.Data)
		require.NoError(t, err)
		assert.True(t, same, "the same input, the same bytes")
		return b
	}
	p := read(in)
	assert.Equal(t, in, emit(p, Options{To: "risu", Password: secret}))
	p.Primary.Character().Identity.Description = canonical.Ptr("after")
	assert.Equal(t, lockedPNG("after"), emit(p, Options{To: "risu", Password: secret}))
	out, err := e.Emit(p, Options{To: "risu", Password: secret})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(out.Report.Warnings, "\n"), "locked again with its password")
	for _, given := range []string{"", "wrong"} {
		_, err = e.Emit(p, Options{To: "risu", Password: given})
		require.True(t, fault.Is(err, fault.Password), "%v", err)
		assert.Contains(t, err.Error(), "another kind of file")
	}
	// Other files are open; a card kept as a canonical file is locked again on its way back.
	for _, o := range []Options{{To: "risu", Container: formats.CharX}, {To: "risu", Container: formats.JSON}, {To: "sillytavern"}, {To: "lumiverse"}, {To: "bunzai"}} {
		b := emit(p, o)
		back, err := e.Read(rope.Bytes(b), Options{})
		require.NoError(t, err, o)
		assert.Equal(t, "after", *back.Primary.Character().Identity.Description)
		assert.False(t, o.To != "bunzai" && bytes.Contains(b, []byte("rcc||")), o)
	}
	kept, err := e.Read(rope.Bytes(emit(read(in), Options{To: "bunzai"})), Options{})
	require.NoError(t, err)
	assert.Equal(t, in, emit(kept, Options{To: "risu", Password: secret}))
	assert.NotContains(t, string(emit(kept, Options{To: "bunzai"})), secret)
}

// A card that Risu encrypted without a password needs none anywhere.
func TestLockedWithoutPassword(t *testing.T) {
	e, in := New(), samples.Get("risu-locked.png").Data
	p, err := e.Read(rope.Bytes(in), Options{})
	require.NoError(t, err)
	p.Primary.Character().Identity.Description = canonical.Ptr("after")
	out, err := e.Emit(p, Options{To: "risu"})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	assert.Contains(t, string(b), samples.Locked(samples.LockedCard("after"), ""))
	assert.NotContains(t, strings.Join(out.Report.Warnings, "\n"), "locked again", "there is no secret that could get out")
}

// Two card chunks: ccv3 counts; an encrypted copy beside it is passed over with a word, an open one beside it stays.
func TestLockedBesideOpen(t *testing.T) {
	e := New()
	card := strings.NewReplacer("chara_card_v2", "chara_card_v3", `"2.0"`, `"3.0"`).Replace(samples.LockedCard("open"))
	p, err := e.Read(rope.Bytes(samples.PNG(samples.Text("chara", samples.Locked(samples.LockedCard("d"), secret)), samples.Card("ccv3", card))), Options{})
	require.NoError(t, err)
	assert.Equal(t, "open", *p.Primary.Character().Identity.Description)
	assert.Contains(t, strings.Join(p.Warnings, "\n"), "encrypted by Risu with a password")
	p, err = e.Read(rope.Bytes(samples.PNG(samples.Text("chara", samples.Locked(samples.LockedCard("d"), "")), samples.Card("ccv3", card))), Options{})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(p.Warnings, "\n"), "passed over")
	in := samples.PNG(samples.Card("chara", samples.LockedCard("two")), samples.Text("ccv3", samples.Locked(card, secret)))
	out, err := e.Convert(rope.Bytes(in), Options{To: "risu", Password: secret})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	assert.Equal(t, in, b)
}

func TestLockedDamaged(t *testing.T) {
	text := samples.Locked(samples.LockedCard("d"), "")
	for name, c := range map[string]struct{ text, says string }{
		"cut":      {text[:len(text)/2], "of its 5 parts"},
		"checksum": {strings.Replace(text, "||e30=", "0||e30=", 1), "checksum"},
		"no card":  {samples.Locked(`{"a":1}`, ""), "card"},
		"no JSON":  {samples.Locked(`{"a"`, ""), "chunk chara"},
		"a list":   {samples.Locked(`[]`, ""), "a card must be a JSON object"},
	} {
		_, err := New().Read(rope.Bytes(samples.PNG(samples.Text("chara", c.text))), Options{})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), c.says, name)
		assert.Contains(t, []fault.Code{fault.Damaged, fault.NoCard}, fault.As(err).Code, "%s: %v", name, err)
	}
}
