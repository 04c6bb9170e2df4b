package convert

import (
	"strings"
	"unicode"
)

// reserved are names that Windows keeps for devices.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true}

// FileName makes a file name of a display name: characters that a file system refuses become "_", the extension is
// added once, the length is bounded. It never holds a path.
func FileName(name, ext string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r), unicode.IsControl(r), r == unicode.ReplacementChar:
			b.WriteByte('_')
		case unicode.Is(unicode.Cf, r) && r != '\u200d':
			// directional marks and the like could disguise the extension
		default:
			b.WriteRune(r)
		}
	}
	s := strings.Trim(b.String(), " .")
	if l := len(ext); l > 0 && len(s) > l && strings.EqualFold(s[len(s)-l:], ext) {
		s = strings.TrimRight(s[:len(s)-l], " .")
	}
	for len(s) > 150 {
		r := []rune(s)
		s = strings.TrimRight(string(r[:len(r)-1]), " .")
	}
	if strings.Trim(s, "_ ") == "" {
		s = "character"
	}
	low := strings.ToLower(s)
	if i := strings.IndexByte(low, '.'); i >= 0 {
		low = low[:i]
	}
	if reserved[low] || (len(low) == 4 && (strings.HasPrefix(low, "com") || strings.HasPrefix(low, "lpt")) && low[3] >= '1' && low[3] <= '9') {
		s = "_" + s
	}
	return s + ext
}
