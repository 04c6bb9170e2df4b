package zip

import (
	"io"

	"bunzai/fault"
)

// Stream is Open for content whose pieces each stand for themselves, as the lines of a table do: when all of it could
// be inflated, a wrong checksum or size is a warning on the Archive, also where both are wrong. Limits are those of Open.
func (e *Entry) Stream() (io.Reader, error) {
	r, err := e.open(false)
	if err != nil {
		return nil, err
	}
	r.silent = true
	return &stream{r: r}, nil
}

type stream struct{ r *entryReader }

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != io.EOF {
		return n, err
	}
	e := s.r.e
	switch {
	case e.Method == methodStore && s.r.n != e.Packed:
		return n, s.r.finish()
	case s.r.n != e.Size:
		e.note("entry %s: the archive states %s, but the content has %s; it was read whole", shown(e.Name), fault.Amount(e.Size, "bytes"), fault.Amount(s.r.n, "bytes"))
	case s.r.crc != e.CRC32:
		e.note("entry %s: the checksum does not match, so its content may be damaged", shown(e.Name))
	}
	return n, err
}

// Encrypted reports whether the content can be read only with a password.
func (e *Entry) Encrypted() bool { return e.encrypted() }
