// Package rcc opens and locks the encrypted cards of Risu, the text of a card chunk that reads
//
//	rcc||rccv1||base64 of C||hexadecimal SHA-256 of C||base64 of {"usePassword": bool}
//
// where C is AES-256-GCM of the card's JSON with its tag behind, under the SHA-256 of the password, a nonce of twelve
// zeros and no additional data. A card without a password is locked with RISU_NONE (characterCards.ts). Risu wrote such
// cards from February to May 2024 and reads them still.
//
// The nonce is always the same, so that this lock is weak where somebody has two texts under one password: locking a
// changed card again is for the app that the card came from, and its report says so. Nothing here is random: the same
// text and password are the same bytes.
package rcc

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"bunzai/container/datauri"
	"bunzai/fault"
	"bunzai/jsondoc"
	"bunzai/limits"
)

const (
	mark    = "rcc"
	sep     = "||"
	version = "rccv1"
	parts   = 5
	// noPassword is the app's own password for cards that have none.
	noPassword = "RISU_NONE"
)

// Is reports a text that begins like an encrypted card.
func Is(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte(mark+sep))
}

// Lock is an encrypted card that was taken apart and is not open yet.
type Lock struct {
	// Password says that the card names a password; without one Risu's own opens it.
	Password bool

	sealed []byte
	meta   string // as it stands
}

// Parse takes the text of a chunk apart and checks its parts. Errors: Damaged (a part is missing, no base64, cut short, or
// other bytes than those that the checksum was made of), Unsupported (another version).
func Parse(text []byte) (*Lock, error) {
	damaged := func(format string, args ...any) (*Lock, error) {
		return nil, fault.New(fault.Damaged, "", "this encrypted card of Risu is damaged: "+format+". Download or export it again", args...)
	}
	p := strings.Split(strings.Trim(strings.TrimPrefix(string(text), "\xef\xbb\xbf"), "\x00 \t\r\n"), sep)
	switch {
	case len(p) > 1 && p[1] != version && len(p) == parts:
		return nil, fault.New(fault.Unsupported, "", "this card is encrypted by Risu in the version %q, and bunzai knows %s; save it from Risu without encryption", short(p[1]), version)
	case len(p) < parts:
		return damaged("it has %d of its %d parts", len(p), parts)
	case len(p) > parts:
		return damaged("it has %d parts where there are %d", len(p), parts)
	}
	l := &Lock{meta: p[4]}
	var err error
	if l.sealed, err = datauri.DecodeBase64([]byte(p[2])); err != nil {
		return damaged("its encrypted part is no base64: %s", fault.As(err).Message)
	}
	sum := sha256.Sum256(l.sealed)
	switch {
	case len(p[3]) != 2*len(sum):
		return damaged("its checksum has %d characters where a SHA-256 has %d", len(p[3]), 2*len(sum))
	case !strings.EqualFold(p[3], hex.EncodeToString(sum[:])):
		return damaged("its checksum does not fit what is encrypted")
	case len(l.sealed) < GCM("").Overhead():
		return damaged("its encrypted part has %d bytes, less than an empty card", len(l.sealed))
	}
	meta, err := datauri.DecodeBase64([]byte(p[4]))
	if err != nil {
		return damaged("what it says of its password is no base64: %s", fault.As(err).Message)
	}
	d, err := jsondoc.Parse(meta, limits.Card())
	if err != nil || d.Root.Kind() != jsondoc.KindObject {
		return damaged("what it says of its password cannot be read")
	}
	l.Password = truthy(d.Root.Get("usePassword"))
	return l, nil
}

// truthy is what the app takes for yes.
func truthy(v *jsondoc.Value) bool {
	switch v.Kind() {
	case jsondoc.KindBool:
		on, _ := v.Bool()
		return on
	case jsondoc.KindNumber:
		n, ok := v.Float()
		return !ok || n != 0
	case jsondoc.KindString:
		s, _ := v.Text()
		return s != ""
	}
	return v.Kind() == jsondoc.KindObject || v.Kind() == jsondoc.KindArray
}

// Open decrypts with the password, and with Risu's own where that does not open it. An empty password is none. The key is
// what opened it, for Seal. Error: Password, which says whether one is missing or wrong and never repeats it.
func (l *Lock) Open(password string) (plain []byte, key string, err error) {
	for _, key := range []string{password, noPassword} {
		if key == "" {
			continue
		}
		g := GCM(key)
		if plain, err := g.Open(nil, make([]byte, g.NonceSize()), l.sealed, nil); err == nil {
			return plain, key, nil
		}
	}
	switch {
	case password != "":
		return nil, "", fault.New(fault.Password, "", "the password does not open this encrypted card of Risu; check its letters, large and small ones differ")
	case l.Password:
		return nil, "", fault.New(fault.Password, "", "this card is encrypted by Risu with a password; give the password to open it")
	}
	return nil, "", fault.New(fault.Password, "", "this card is encrypted by Risu and says that it has no password, but does not open without one; give a password if you know one, or download the card again")
}

// Seal locks another text as the card was locked, with a key that Open gave.
func (l *Lock) Seal(plain []byte, key string) []byte {
	g := GCM(key)
	sealed := g.Seal(nil, make([]byte, g.NonceSize()), plain, nil)
	sum := sha256.Sum256(sealed)
	return []byte(strings.Join([]string{mark, version, base64.StdEncoding.EncodeToString(sealed), hex.EncodeToString(sum[:]), l.meta}, sep))
}

// GCM is how Risu encrypts: AES-256-GCM under the SHA-256 of a password. Its nonce is of zeros (NonceSize of them).
func GCM(password string) cipher.AEAD {
	key := sha256.Sum256([]byte(password))
	b, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // the key has 32 bytes
	}
	g, err := cipher.NewGCM(b)
	if err != nil {
		panic(err)
	}
	return g
}

func short(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), 20)], "")
}
