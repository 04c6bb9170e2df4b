package jsondoc

import (
	"math"
	"strconv"
	"strings"
)

// decimal is the exact value of a number's spelling: digits (no zero at either end) times ten to the exp.
type decimal struct {
	neg    bool
	digits string // empty for zero
	exp    int64
	huge   bool // the exponent does not fit; two such are equal only by spelling
}

// readDecimal reads a spelling of the JSON grammar.
func readDecimal(s string) decimal {
	var d decimal
	if strings.HasPrefix(s, "-") {
		d.neg, s = true, s[1:]
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.ParseInt(s[i+1:], 10, 64)
		if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
			d.huge = true
		}
		d.exp, s = n, s[:i]
	}
	whole, frac, _ := strings.Cut(s, ".")
	digits := whole
	if frac != "" {
		digits += frac
		d.exp -= int64(len(frac))
	}
	digits = strings.TrimLeft(digits, "0")
	d.digits = strings.TrimRight(digits, "0")
	d.exp += int64(len(digits) - len(d.digits))
	if d.digits == "" {
		d.exp, d.huge = 0, false
	}
	return d
}

func (d decimal) int64() (int64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if d.huge || d.exp < 0 || d.exp > 19 || len(d.digits) > 19 {
		return 0, false
	}
	s := d.digits + strings.Repeat("0", int(d.exp))
	if d.neg {
		s = "-" + s
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	return 0, false
}

// equalNumbers compares two spellings by exact decimal value; -0 equals 0.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, y := readDecimal(a), readDecimal(b)
	if x.digits == "" || y.digits == "" {
		return x.digits == y.digits
	}
	return !x.huge && !y.huge && x == y
}

// formatFloat spells f as JavaScript does: the shortest digits that read back as f, an exponent only below 1e-6
// and from 1e21. There is no JSON number for NaN and the infinities.
func formatFloat(f float64) string {
	a := math.Abs(f)
	if a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if i := strings.IndexByte(s, 'e'); s[i+2] == '0' {
		s = s[:i+2] + s[i+3:] // 1e-07 is 1e-7
	}
	return s
}
