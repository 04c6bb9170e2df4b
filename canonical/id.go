package canonical

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// slugCap is the greatest length of a slug in code points, before a device suffix.
const slugCap = 120

// slugInput bounds how much of a name is looked at; a longer name cannot change the first slugCap code points.
const slugInput = 64 << 10

// Slug makes the id of a piece from its display name: NFKC, lower case, every run of characters that are neither
// letter nor number becomes one "-", at most 120 code points. A name without letters gives "character", and a name
// that Windows keeps for a device gets "-id". The same rule serves every kind.
func Slug(name string) string {
	if len(name) > slugInput {
		name = strings.ToValidUTF8(name[:slugInput], "")
	}
	var b strings.Builder
	n, gap := 0, false
	for _, r := range strings.ToLower(norm.NFKC.String(name)) {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			gap = true
			continue
		}
		if gap && n > 0 {
			if n+1 >= slugCap { // the cut would leave a trailing "-"
				break
			}
			b.WriteByte('-')
			n++
		}
		gap = false
		if n == slugCap {
			break
		}
		b.WriteRune(r)
		n++
	}
	s := b.String()
	switch {
	case s == "":
		return "character"
	case isDevice(s):
		return s + "-id"
	}
	return s
}

func isDevice(s string) bool {
	switch s {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(s) == 4 && (s[:3] == "com" || s[:3] == "lpt") && s[3] >= '1' && s[3] <= '9'
}

// UniqueID returns base, or base-2, base-3, ... : the first that is not taken.
func UniqueID(base string, taken func(string) bool) string {
	id := base
	for n := 2; taken(id); n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	return id
}

// IDs hands out ids that no two things have, in time that does not grow with how many ask for the same one. The zero
// value is ready to use.
type IDs struct {
	taken map[string]bool
	next  map[string]int
}

// Use marks an id as taken.
func (s *IDs) Use(id string) {
	if s.taken == nil {
		s.taken, s.next = map[string]bool{}, map[string]int{}
	}
	s.taken[id] = true
}

// Unique takes base, or base-2, base-3, ...: the first that is free, as UniqueID does.
func (s *IDs) Unique(base string) string {
	id, n := base, max(s.next[base], 2)
	for s.taken[id] {
		id = base + "-" + strconv.Itoa(n)
		n++
	}
	s.Use(id)
	s.next[base] = n
	return id
}
