package rcc

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/fault"
	"bunzai/testdata/samples"
)

// vector is "{}" without a password, made with another tool.
const vector = "rcc||rccv1||F4u8khqUl86VOI4kKoHn2Raf||04f35e996cedfcf493665f2923a1489882b9a9c97a0302470f92c5b3cf63e721||eyJ1c2VQYXNzd29yZCI6ZmFsc2V9"

func TestOpenAndSeal(t *testing.T) {
	l, err := Parse([]byte(vector))
	require.NoError(t, err)
	assert.False(t, l.Password)
	plain, key, err := l.Open("")
	require.NoError(t, err)
	assert.Equal(t, "{}", string(plain))
	assert.Equal(t, vector, string(l.Seal(plain, key)))
	plain, _, err = l.Open("a password that nobody asked for")
	require.NoError(t, err, "Risu's own password opens it all the same")
	assert.Equal(t, "{}", string(plain))

	text := samples.Locked(`{"a":"배"}`, "Pässwörd")
	l, err = Parse([]byte("\xef\xbb\xbf " + text + "\x00\n"))
	require.NoError(t, err)
	assert.True(t, l.Password)
	plain, key, err = l.Open("Pässwörd")
	require.NoError(t, err)
	assert.Equal(t, `{"a":"배"}`, string(plain))
	assert.Equal(t, text, string(l.Seal(plain, key)))
	assert.Equal(t, samples.Locked(`{}`, "Pässwörd"), string(l.Seal([]byte(`{}`), key)))
}

func TestIs(t *testing.T) {
	for s, want := range map[string]bool{vector: true, "\xef\xbb\xbf rcc||": true, "rcc|": false, "e30=": false, "": false, "xrcc||": false} {
		assert.Equal(t, want, Is([]byte(s)), s)
	}
}

// Each fault is told apart, and no message holds the password.
func TestRefused(t *testing.T) {
	p := strings.Split(vector, sep)
	with := func(i int, s string) string {
		q := append([]string{}, p...)
		q[i] = s
		return strings.Join(q, sep)
	}
	zero := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		text string
		code fault.Code
		says string
	}{
		"parts missing":     {strings.Join(p[:4], sep), fault.Damaged, "4 of its 5 parts"},
		"nothing behind":    {"rcc||", fault.Damaged, "2 of its 5 parts"},
		"too many parts":    {vector + "||x", fault.Damaged, "6 parts where there are 5"},
		"version":           {with(1, "rccv2"), fault.Unsupported, `"rccv2"`},
		"no base64":         {with(2, "F4u8%hqUl86VOI4kKoHn2Raf"), fault.Damaged, "encrypted part is no base64"},
		"short checksum":    {with(3, "04f3"), fault.Damaged, "checksum has 4 characters"},
		"checksum":          {with(3, zero), fault.Damaged, "checksum does not fit"},
		"another text":      {with(2, "F4u8khqUl86VOI4kKoHn2Rae"), fault.Damaged, "checksum does not fit"},
		"empty":             {with(2, ""), fault.Damaged, ""},
		"metadata":          {with(4, "%%"), fault.Damaged, "password is no base64"},
		"metadata no JSON":  {with(4, base64.StdEncoding.EncodeToString([]byte("yes"))), fault.Damaged, "cannot be read"},
		"metadata a list":   {with(4, base64.StdEncoding.EncodeToString([]byte("[]"))), fault.Damaged, "cannot be read"},
		"metadata, hostile": {with(4, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("[", 100000)))), fault.Damaged, "cannot be read"},
	} {
		_, err := Parse([]byte(c.text))
		require.Error(t, err, name)
		assert.Equal(t, c.code, fault.As(err).Code, name)
		assert.Contains(t, err.Error(), c.says, name)
	}
	_, err := Parse([]byte(with(3, strings.ToUpper(p[3]))))
	assert.NoError(t, err)

	l, err := Parse([]byte(samples.Locked("{}", "right")))
	require.NoError(t, err)
	for given, says := range map[string]string{"": "give the password", "wr0ng!": "does not open", "Right": "does not open"} {
		_, _, err := l.Open(given)
		require.True(t, fault.Is(err, fault.Password), given)
		assert.Contains(t, err.Error(), says)
		if given != "" {
			assert.NotContains(t, err.Error(), given)
		}
	}
	liar := strings.Replace(samples.Locked("{}", "right"), base64.StdEncoding.EncodeToString([]byte(`{"usePassword":true}`)), "e30=", 1)
	l, err = Parse([]byte(liar))
	require.NoError(t, err)
	_, _, err = l.Open("")
	assert.True(t, fault.Is(err, fault.Password))
	assert.Contains(t, err.Error(), "says that it has no password")
	_, _, err = l.Open("right")
	assert.NoError(t, err)
}

func TestUsePassword(t *testing.T) {
	for meta, want := range map[string]bool{`{}`: false, `{"usePassword":null}`: false, `{"usePassword":0}`: false, `{"usePassword":""}`: false, `{"usePassword":1}`: true, `{"usePassword":"x"}`: true, `{"usePassword":{}}`: true, `{"usePassword":true}`: true} {
		l, err := Parse([]byte(strings.Replace(vector, strings.Split(vector, sep)[4], base64.StdEncoding.EncodeToString([]byte(meta)), 1)))
		require.NoError(t, err, meta)
		assert.Equal(t, want, l.Password, meta)
	}
}

func TestKey(t *testing.T) {
	assert.Equal(t, 12, GCM("").NonceSize())
	// The vector's first bytes are 17 8b for "{}"; with one nonce the bytes of two texts differ as the texts do.
	assert.Equal(t, "0d94", hex.EncodeToString(GCM("RISU_NONE").Seal(nil, make([]byte, 12), []byte("ab"), nil))[:4])
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(vector))
	f.Add([]byte(samples.Locked("{}", "right")))
	f.Add([]byte("rcc||rccv1||||||"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := Parse(b)
		if err != nil {
			assert.NotEqual(t, fault.Internal, fault.As(err).Code)
			return
		}
		if plain, key, err := l.Open("right"); err == nil {
			again, err := Parse(l.Seal(plain, key))
			require.NoError(t, err)
			got, _, err := again.Open("right")
			require.NoError(t, err)
			assert.Equal(t, plain, got)
		}
	})
}
