package api

import (
	"net/url"
	"unicode/utf8"

	"bunzai/fault"
)

// passwordHeader carries the password of an encrypted card. A header and no parameter: addresses are kept in logs.
const (
	passwordHeader = "Bunzai-Password"
	passwordAbout  = "Opens a card that Risu encrypted with a password, and locks it again where it stays encrypted. A percent sign and what is not printable ASCII are written as %XX of UTF-8. It is never logged or kept."
)

// unlock reads the header.
func (c *call) unlock() *Problem {
	s, err := url.PathUnescape(c.req.Header(passwordHeader))
	if err != nil || !utf8.ValidString(s) {
		return newProblem(string(fault.BadArgument), "the header %s cannot be read; write a percent sign and what is not printable ASCII as %%XX of UTF-8", passwordHeader)
	}
	c.password = s
	return nil
}
