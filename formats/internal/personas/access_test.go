package personas

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLocalID(t *testing.T) {
	for ref, want := range map[string]bool{
		"0b7e6a0c-1d2e-4f3a-8b9c-0d1e2f3a4b5c":    true,
		"0B7E6A0C-1D2E-4F3A-8B9C-0D1E2F3A4B5C":    true,
		"0b7e6a0c-1d2e-4f3a-8b9c-0d1e2f3a4b5":     false,
		"0b7e6a0c-1d2e-4f3a-8b9c-0d1e2f3a4b5c\n":  false,
		"0b7e6a0c-1d2e-4f3a-8b9c-0d1e2f3a4b5c-00": false,
		"0b7e6a0c1-d2e-4f3a-8b9c-0d1e2f3a4b5c":    false,
		"0b7e6a0g-1d2e-4f3a-8b9c-0d1e2f3a4b5c":    false,
		"0b7e6a0c1d2e4f3a8b9c0d1e2f3a4b5c":        false,
		"Harbor Lore":                             false,
		"":                                        false,
	} {
		assert.Equal(t, want, LocalID(ref), "%q", ref)
	}
}

// The pattern says what a UUID is; LocalID is the same without regexp, which is large in the wasm programs.
func TestLocalIDIsThePattern(t *testing.T) {
	pattern := regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	const id = "0b7e6a0c-1d2e-4F3A-8b9c-0d1e2f3a4b5c"
	letters := []string{"0", "9", "a", "f", "g", "A", "F", "G", "-", "--", "_", "\n", " ", "\x00", "\xff", "é", "０", "ａ", "/", ":", "@", "`", ""}
	yes := 0
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		ref := id
		for range r.IntN(4) {
			at, to := r.IntN(len(ref)+1), 0
			to = min(len(ref), at+r.IntN(3))
			ref = ref[:at] + letters[r.IntN(len(letters))] + ref[to:]
		}
		if LocalID(ref) {
			yes++
		}
		if pattern.MatchString(ref) != LocalID(ref) {
			t.Fatalf("%q: the pattern says %v", ref, !LocalID(ref))
		}
	}
	assert.Greater(t, yes, 10_000)
	assert.Less(t, yes, 90_000)
}
