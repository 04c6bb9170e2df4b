// Package zip reads the directory of a ZIP archive by offset and writes archives whose untouched entries are
// ranges of the input. It knows no card format: names, bytes and limits only.
//
// Reading is tolerant where the content is whole (a wrong CRC, bytes after the end, a lying size, a cut-off
// directory become Archive.Warnings) and strict where a file could cost more than it weighs: overlapping
// entries are refused on Open, and inflation is counted against limits.Limits, never believed.
// The wire layout is that of PKWARE's APPNOTE 6.3.10; the Unicode path field is Info-ZIP's 0x7075.
//
// Nothing here is safe for concurrent use: reading an entry counts on its Archive.
package zip

// Record signatures, little endian.
const (
	sigLocal      = 0x04034b50 // PK 3 4
	sigCentral    = 0x02014b50 // PK 1 2
	sigEnd        = 0x06054b50 // PK 5 6
	sigEnd64      = 0x06064b50 // PK 6 6
	sigLocator64  = 0x07064b50 // PK 6 7
	sigDescriptor = 0x08074b50 // PK 7 8
)

// Fixed sizes of the records, bytes.
const (
	localLen     = 30
	centralLen   = 46
	endLen       = 22
	end64Len     = 56
	locator64Len = 20
	maxComment   = 1<<16 - 1
)

// General purpose flags and extra field ids used here.
const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
	extraZip64     = 0x0001
	extraTime      = 0x5455
	extraUnicode   = 0x7075
	methodStore    = 0
	methodDeflate  = 8
)

// far bounds every offset and size taken from the wire, so that sums of three never overflow an int64.
const far = 1 << 60
