package convert

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// reserved are names that Windows keeps for devices.
var reserved = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}

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

// Names makes the file names of one folder distinct, also where the file system takes letter case and accent forms
// (composed or not) for the same. The zero value is ready; it is not for use by several goroutines at once.
type Names struct{ taken map[string]bool }

// Take returns name, or name with a number before its extension when one like it was taken: "Ann (2).png". Names must
// come from FileName. ext is the extension that FileName was given, so that "x.bunzai.json" keeps both parts together.
func (n *Names) Take(name, ext string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	base := name
	if len(ext) > 0 && len(name) > len(ext) && strings.EqualFold(name[len(name)-len(ext):], ext) {
		base, ext = name[:len(name)-len(ext)], name[len(name)-len(ext):]
	} else {
		ext = ""
	}
	for i := 2; n.taken[FoldName(name)]; i++ {
		name = base + " (" + strconv.Itoa(i) + ")" + ext
	}
	n.taken[FoldName(name)] = true
	return name
}

// FoldName is equal for names that some file system takes for one. It may join more: that costs only a number.
func FoldName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ToUpper(norm.NFKC.String(s))), "ß", "ss")
}
