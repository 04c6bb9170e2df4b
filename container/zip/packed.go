package zip

import "bunzai/rope"

// AddPacked adds data that is already in the form of method (0 stored, 8 deflated), with the CRC-32 and size of its
// raw bytes, under a new name (see Store). Nothing is read: this is how an entry of one archive moves to another.
func (w *Writer) AddPacked(name string, method uint16, packed *rope.Rope, crc uint32, size int64) error {
	if err := w.claim(name); err != nil {
		return err
	}
	w.add(name, method, packed, crc, size)
	return nil
}
