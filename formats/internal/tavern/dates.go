package tavern

import (
	"math"
	"strconv"
	"strings"
	"time"

	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// dateCodec reads dates in every spelling that cards carry: seconds, milliseconds (above 1e11), numbers in text, ISO
// texts, and SillyTavern's own "2023-5-12 @21h 32m 29s 228ms", which is taken as UTC as SillyTavern does. Values
// before 1970 mean none, and so does 0. The canonical form is unix seconds. A changed date is written in the kind that stands there:
// a number in the same unit, or an ISO text.
func dateCodec() fieldmap.Codec[float64] {
	return fieldmap.Codec[float64]{
		Read: func(v *jsondoc.Value) (*float64, string) {
			if f, ok := v.Float(); ok {
				return unix(f)
			}
			s, ok := v.Text()
			if !ok {
				return nil, "is " + v.Kind().String() + " where a date is expected; it is kept for the way back"
			}
			s = strings.TrimSpace(s)
			if s == "" {
				return nil, ""
			}
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return unix(f)
			}
			if t, ok := parseDate(s); ok {
				return unix(float64(t.UnixMilli()) / 1000)
			}
			return nil, "holds " + strconv.Quote(s) + ", which is no date that bunzai knows; it is kept for the way back"
		},
		Write: func(f float64, old *jsondoc.Value) *jsondoc.Value {
			switch old.Kind() {
			case jsondoc.KindString:
				return jsondoc.String(time.UnixMilli(int64(math.Round(f * 1000))).UTC().Format("2006-01-02T15:04:05.000Z"))
			case jsondoc.KindNumber:
				if o, _ := old.Float(); o > 1e11 {
					return jsondoc.Float(math.Round(f * 1000))
				}
			}
			return jsondoc.Float(math.Floor(f))
		},
		None: func(v *jsondoc.Value) bool { f, ok := v.Float(); return ok && f == 0 },
	}
}

func unix(f float64) (*float64, string) {
	if f > 1e11 {
		f /= 1000
	}
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || f > 1e11:
		return nil, "is no date; it is kept for the way back"
	case f < 0:
		return nil, "lies before 1970, which means that no date is set"
	case f == 0:
		return nil, "" // what Risu writes where there is none
	}
	return &f, ""
}

// layouts with Go's reference time; the SillyTavern forms are normalised to one of them first.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-1-2 15 4 5", "2006-01-02", "January 2, 2006 3:04pm"}

func parseDate(s string) (time.Time, bool) {
	ms := 0
	if strings.Contains(s, "@") {
		r := strings.NewReplacer("@", " ", "ms", " ", "h", " ", "m", " ", "s", " ")
		parts := strings.Fields(r.Replace(s))
		if len(parts) > 4 {
			n, err := strconv.Atoi(parts[4])
			if err != nil {
				return time.Time{}, false
			}
			ms, parts = n, parts[:4]
		}
		s = strings.Join(parts, " ")
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.Add(time.Duration(ms) * time.Millisecond), true
		}
	}
	return time.Time{}, false
}
