package regex

import "strings"

// The canonical replacement is JavaScript's own: $& is the whole match, $1 and $<name> are groups, and $$ is a dollar.
// SillyTavern replaces by itself: {{match}} and $0 are the whole match, $1 and $<name> groups, and any other dollar is
// what it is. A pair of dollars that stands before nothing special is left alone both ways, as people write it.

const wholeMatch = "{{match}}"

// stToken is the SillyTavern sign at the start of s: its length, and how JavaScript writes it.
func stToken(s string) (n int, js string) {
	if len(s) >= len(wholeMatch) && strings.EqualFold(s[:len(wholeMatch)], wholeMatch) {
		return len(wholeMatch), "$&"
	}
	if len(s) < 2 || s[0] != '$' {
		return 0, ""
	}
	if s[1] == '<' {
		if end := strings.IndexByte(s, '>'); end > 2 {
			return end + 1, s[:end+1]
		}
		return 0, ""
	}
	n = 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	switch {
	case n == 1:
		return 0, ""
	case strings.Trim(s[1:n], "0") == "":
		return n, "$&"
	}
	return n, s[:n]
}

// FromTavern turns a SillyTavern replacement into JavaScript's.
func FromTavern(s string) string {
	if !strings.ContainsAny(s, "${") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		run := 0 // dollars that are no sign's own
		for i+run < len(s) && s[i+run] == '$' {
			if n, _ := stToken(s[i+run:]); n > 0 {
				break
			}
			run++
		}
		rest := s[i+run:]
		n, js := stToken(rest)
		switch {
		case n > 0:
			b.WriteString(strings.Repeat("$$", run) + js)
			i += run + n
		case run > 0 && rest != "" && strings.IndexByte("&`'", rest[0]) >= 0:
			b.WriteString(strings.Repeat("$$", run))
			i += run
		case run > 0:
			b.WriteString(s[i : i+run])
			i += run
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// ToTavern turns JavaScript's replacement into SillyTavern's. Whole is how the whole match is written.
func ToTavern(s, whole string) string {
	if !strings.Contains(s, "$") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		run := 0
		for i+run < len(s) && s[i+run] == '$' {
			run++
		}
		rest := s[i+run:]
		special := rest != "" && (strings.IndexByte("&`'", rest[0]) >= 0 || rest[0] >= '0' && rest[0] <= '9' || rest[0] == '<' && strings.IndexByte(rest, '>') > 1)
		switch {
		case run == 0:
			b.WriteByte(s[i])
			i++
		case special && run%2 == 1 && rest[0] == '&':
			b.WriteString(strings.Repeat("$", run/2) + whole)
			i += run + 1
		case special && run%2 == 1:
			b.WriteString(strings.Repeat("$", run/2+1))
			i += run
		case special:
			b.WriteString(strings.Repeat("$", run/2))
			i += run
		default:
			b.WriteString(s[i : i+run])
			i += run
		}
	}
	return b.String()
}
