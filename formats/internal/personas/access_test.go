package personas

import (
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
