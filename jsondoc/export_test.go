package jsondoc

// Kept has fn see every text that becomes a document, until the returned function is called.
func Kept(fn func(b []byte)) (stop func()) {
	kept = fn
	return func() { kept = nil }
}
