// Package fault holds the one error type that every door of bunzai shows to a person or a program:
// what is wrong, where, which limit, and what to do. It knows no format and no container.
package fault

import (
	"errors"
	"fmt"
)

// Code is the closed set of failure classes. Programs switch on it; the text is for people.
type Code string

const (
	Empty         Code = "empty"          // no bytes at all
	NotRecognized Code = "not-recognized" // bytes are fine, but no format claims them
	NoCard        Code = "no-card"        // a sound container that holds no card
	Unsupported   Code = "unsupported"    // known kind that bunzai does not read (WebP, a later version, ...)
	Damaged       Code = "damaged"        // broken structure: bad base64, bad JSON, cut-off container
	Ambiguous     Code = "ambiguous"      // two candidates and no rule to choose
	Password      Code = "password"       // encrypted; the password is missing or wrong
	OverLimit     Code = "limit"          // a bound of limits.Limits; Limit is set
	WrongKind     Code = "wrong-kind"     // the target app has no place for this kind
	UnknownTarget Code = "unknown-target" // no such app, container or spec version
	WouldLose     Code = "would-lose"     // refused because content would be dropped
	NoPiece       Code = "no-piece"       // the library does not hold a piece, or one that it links
	BadArgument   Code = "bad-argument"   // the caller's options are wrong
	Cancelled     Code = "cancelled"      // the caller stopped the work
	Internal      Code = "internal"       // a fault of bunzai itself
)

// Limit says which bound was hit. Value and Found are in Unit ("bytes", "entries", "levels").
type Limit struct {
	Name  string // field of limits.Limits, e.g. "ArchiveEntries"
	Value int64
	Found int64 // 0 when counting stopped at the bound
	Unit  string
	Raise string // what to do, e.g. "open it with large limits"; empty when nothing raises it
}

// Error is a failure for people. Where is a place inside the file: a chunk ("chunk tEXt at byte 33"),
// a ZIP entry ("entry card.json"), a JSON path ("data.first_mes"), or several joined by ", ".
type Error struct {
	Code    Code
	Message string
	Where   string
	Limit   *Limit
	Err     error
}

func (e *Error) Error() string {
	s := e.Message
	if e.Where != "" {
		s += " (" + e.Where + ")"
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// New makes an Error with a formatted message.
func New(code Code, where, format string, args ...any) *Error {
	return &Error{Code: code, Where: where, Message: fmt.Sprintf(format, args...)}
}

// Over makes a limit refusal; the message names the limit, its value, what was found and how to raise it.
func Over(where string, l Limit) *Error {
	found := "more"
	if l.Found > 0 {
		found = Amount(l.Found, l.Unit)
	}
	msg := fmt.Sprintf("the limit %s is %s, and this file has %s", l.Name, Amount(l.Value, l.Unit), found)
	if l.Raise != "" {
		msg += "; " + l.Raise
	} else {
		msg += "; nothing raises it"
	}
	return &Error{Code: OverLimit, Where: where, Limit: &l, Message: msg}
}

// Amount writes a count in words: 67108864 bytes becomes "64 MiB".
func Amount(n int64, unit string) string {
	if unit == "bytes" {
		switch {
		case n >= 1<<30 && n%(1<<30) == 0:
			return fmt.Sprintf("%d GiB", n>>30)
		case n >= 1<<30:
			return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
		case n >= 1<<20 && n%(1<<20) == 0:
			return fmt.Sprintf("%d MiB", n>>20)
		case n >= 1<<20:
			return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
		}
	}
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s + " " + unit
}

// As finds the Error in err, or wraps err as Internal so that no door ever shows a bare Go error.
func As(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: err.Error(), Err: err}
}

// Is reports whether err carries the code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// At prefixes Where with an outer place: At(err, "entry card.json") turns "data.name" into "entry card.json, data.name".
func At(err error, where string) error {
	e := As(err)
	if e == nil {
		return nil
	}
	c := *e
	if c.Where == "" {
		c.Where = where
	} else if where != "" {
		c.Where = where + ", " + c.Where
	}
	return &c
}
