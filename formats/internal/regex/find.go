package regex

import "strings"

// Split reads a findRegex as SillyTavern's regexFromString does: a leading slash, the longest body before a last slash,
// and letters behind it as flags. Without that form the whole text is the pattern and has no flags; so it is with flags
// that are repeated or that the app does not know. Odd says what a person should know. One difference is meant: the
// app's own split stops at the first line break, and here the whole body counts.
func Split(s string) (find, flags string, wrapped bool, odd string) {
	end := strings.LastIndexByte(s, '/')
	if !strings.HasPrefix(s, "/") || end < 2 {
		return s, "", false, ""
	}
	n := end + 1
	for n < len(s) && (s[n]|0x20) >= 'a' && (s[n]|0x20) <= 'z' {
		n++
	}
	flags = s[end+1 : n]
	if !unique(flags) || strings.Trim(flags, "gmixXsuUAJ") != "" {
		return s, "", false, "ends in the flags " + flags + ", which SillyTavern does not take, so that the whole text is the pattern there"
	}
	switch {
	case n < len(s):
		odd = "has text behind its closing slash and flags, which SillyTavern passes over"
	case strings.ContainsAny(s[:end], "\r\n\u2028\u2029"):
		odd = "has a line break in its pattern; SillyTavern reads only up to it"
	}
	return s[1:end], flags, true, odd
}

func unique(s string) bool {
	for i := range s {
		if strings.IndexByte(s[i+1:], s[i]) >= 0 {
			return false
		}
	}
	return true
}

// Join writes a pattern and its flags so that Split gives them again: with slashes, or bare where old was bare. Where
// neither form gives them again, that with slashes is written.
func Join(old, find, flags string) string {
	if find == "" {
		return ""
	}
	slashed := "/" + find + "/" + flags
	forms := []string{slashed, find}
	if _, _, wrapped, _ := Split(old); old != "" && !wrapped && flags == "" {
		forms = []string{find, slashed}
	}
	for _, f := range forms {
		if x, y, _, odd := Split(f); x == find && y == flags && (odd == "" || f == slashed) {
			return f
		}
	}
	return slashed
}

// Flags keeps of some flags those in allowed, each once; left are the others.
func Flags(flags, allowed string) (kept, left string) {
	for i := range len(flags) {
		if c := flags[i : i+1]; strings.Contains(allowed, c) && !strings.Contains(kept, c) {
			kept += c
		} else {
			left += c
		}
	}
	return kept, left
}
