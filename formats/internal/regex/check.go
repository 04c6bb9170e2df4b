package regex

import (
	"strconv"
	"strings"
)

// Broken says what keeps a JavaScript pattern from compiling, "" when a light look finds nothing: brackets, escapes,
// quantifiers and flags. It never judges what a pattern costs, and is silent where it is not sure.
func Broken(find, flags string) string {
	if find == "" {
		return "is empty, so the script does nothing"
	}
	if _, left := Flags(flags, "dgimsuvy"); left != "" {
		return "has the flags " + strconv.Quote(flags) + ", of which JavaScript does not take " + strconv.Quote(left) + ", so the script does nothing"
	}
	if strings.Contains(flags, "u") && strings.Contains(flags, "v") {
		return "has the flags u and v together, which JavaScript refuses, so the script does nothing"
	}
	if why := unbalanced(find, strings.Contains(flags, "v")); why != "" {
		return "is no pattern that JavaScript takes (" + why + "), so the script does nothing"
	}
	return ""
}

func unbalanced(s string, nested bool) string {
	open := 0
	atom := false // something that a quantifier can repeat stands before
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			if i++; i == len(s) {
				return "it ends in a lone backslash"
			}
			atom = s[i] != 'b' && s[i] != 'B'
		case '[':
			end := classEnd(s, i, nested)
			if end < 0 {
				return "a [ is never closed"
			}
			i, atom = end, true
		case '(':
			open++
			atom = false
			if strings.HasPrefix(s[i:], "(?") {
				rest := s[i+2:]
				switch {
				case rest == "" || strings.IndexByte(":=!<-ims", rest[0]) < 0:
					return "a (? begins no group"
				case rest[0] == '<' && len(rest) > 1 && rest[1] != '=' && rest[1] != '!':
					end := strings.IndexByte(rest, '>')
					if end < 2 {
						return "a group has no name"
					}
					i += 2 + end
				case rest[0] == '<':
					i += 3
				default:
					i += 2
					for i < len(s) && strings.IndexByte("ims-", s[i]) >= 0 {
						i++
					}
				}
			}
		case ')':
			if open--; open < 0 {
				return "a ) closes nothing"
			}
			atom = true
		case '|', '^', '$':
			atom = false
		case '*', '+', '?':
			if !atom {
				return "there is nothing for a " + string(c) + " to repeat"
			}
			if i+1 < len(s) && s[i+1] == '?' {
				i++
			}
			atom = false
		case '{':
			if n := braces(s[i:]); n > 0 {
				if !atom {
					return "there is nothing for a {} to repeat"
				}
				if i += n - 1; i+1 < len(s) && s[i+1] == '?' {
					i++
				}
				atom = false
				continue
			}
			atom = true
		default:
			atom = true
		}
	}
	if open > 0 {
		return "a ( is never closed"
	}
	return ""
}

// classEnd is the index of the ] that closes the class at i, -1 when there is none.
func classEnd(s string, i int, nested bool) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			if depth == 0 || nested {
				depth++
			}
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// braces is the length of a quantifier {n}, {n,} or {n,m} at the start of s, 0 when there is none.
func braces(s string) int {
	end := strings.IndexByte(s, '}')
	if end < 2 {
		return 0
	}
	lo, hi, _ := strings.Cut(s[1:end], ",")
	if lo == "" || strings.Trim(lo, "0123456789") != "" || strings.Trim(hi, "0123456789") != "" {
		return 0
	}
	return end + 1
}
