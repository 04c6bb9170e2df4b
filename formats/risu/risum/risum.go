// Package risum is the container of a Risu module: module.risum inside a card archive and .risum files. It finds the
// JSON document and the asset blocks by offset, and writes a module in which everything that nobody changed is a range
// of the module that was read. What the document says is not known here.
//
//	6f 00 | u32 n | n bytes: RPack(JSON) | for each asset: 01 | u32 m | m bytes: RPack(asset) | 00
//
// Numbers are little-endian. Assets belong to the elements of module.assets by place. In its first days (August 2024)
// a module was the packed JSON alone. Facts: src/ts/process/modules.ts of the app.
package risum

import (
	"encoding/binary"
	"fmt"
	"math"

	"bunzai/fault"
	"bunzai/formats"
	"bunzai/formats/risu/rpack"
	"bunzai/jsondoc"
	"bunzai/limits"
	"bunzai/rope"
)

// Type is the member type of every module's document.
const Type = "risuModule"

const (
	magic   = 0x6f
	version = 0
	head    = 6 // bytes before the document
	marked  = 5 // bytes before an asset
)

// File is a module taken apart. Doc may be edited, or replaced by an edited clone, and Assets changed before Write.
type File struct {
	Doc    *jsondoc.Doc
	Assets []*rope.Rope // block i in plain bytes, unpacked while it is read; an empty one is a block without bytes
	Bare   bool         // the document alone, without head and blocks
	NoEnd  bool         // the file ends without its end mark
	Tail   *rope.Rope   // what follows the end mark, or an asset that is cut off, as it lies in the file; nil when nothing
	// Warnings tell what is odd but readable, with the place.
	Warnings []string

	src  *rope.Rope
	main []byte // the unpacked document that Doc was parsed from; it lies in src from at
	at   int64
}

// Is reports whether the first bytes of src are those of a module, also of one of a later version.
func Is(src rope.Source) bool {
	b, err := rope.View(src, 0, min(src.Size(), head+1))
	return err == nil && (isBare(b) || len(b) > 1 && b[0] == magic && b[1] < 9)
}

// isBare reports a packed JSON object. No text begins so: what stands for a brace and a space or a quote is broken UTF-8.
func isBare(b []byte) bool {
	if len(b) < 2 {
		return false
	}
	b = rpack.Decode(b[:2])
	return b[0] == '{' && (b[1] == '"' || b[1] == ' ' || b[1] == '\n' || b[1] == '\r' || b[1] == '\t' || b[1] == '}')
}

// Open takes a module apart. The document is unpacked and parsed; assets are only found. A module without its end mark,
// or with a last asset that is cut off, is readable and warned of; so is one with bytes after the end mark.
//
// Errors: fault.OverLimit for Archive, JSON, JSONDepth and Items; fault.Unsupported for another version; fault.Damaged
// for everything else, with the byte.
func Open(src rope.Source, lim limits.Limits) (*File, error) {
	size := src.Size()
	if size > lim.Archive {
		return nil, lim.Over("", "Archive", size)
	}
	b, err := view(src, 0, min(size, head))
	if err != nil {
		return nil, err
	}
	f := &File{src: rope.Of(src)}
	if f.Bare = isBare(b); f.Bare {
		return f, f.document(0, size, lim)
	}
	switch {
	case len(b) < 2 || b[0] != magic:
		return nil, fault.New(fault.Damaged, "byte 0", "this is no Risu module: a module begins with the byte 6f")
	case b[1] != version:
		return nil, fault.New(fault.Unsupported, "byte 1", "this Risu module has version %d, and bunzai reads version %d; save it again with an older Risu, or use a newer bunzai", b[1], version)
	case len(b) < head:
		return nil, fault.New(fault.Damaged, "byte 2", "the module is cut off: it has %s, and the first %d say how long its document is", fault.Amount(size, "bytes"), head)
	}
	n := int64(binary.LittleEndian.Uint32(b[2:]))
	if n > size-head {
		return nil, fault.New(fault.Damaged, "byte 2", "the module is cut off or damaged: its document should have %s, and only %s follow; download or export it again", fault.Amount(n, "bytes"), fault.Amount(size-head, "bytes"))
	}
	if err := f.document(head, n, lim); err != nil {
		return nil, err
	}
	return f, f.blocks(head+n, lim)
}

func (f *File) document(at, n int64, lim limits.Limits) error {
	if n > lim.JSON {
		return lim.Over("document of the module", "JSON", n)
	}
	b, err := view(f.src, at, n)
	if err != nil {
		return err
	}
	f.main, f.at = rpack.Decode(b), at
	if f.Doc, err = formats.ParseBounded(f.main, lim); err != nil {
		return fault.At(err, "document of the module")
	}
	if f.Doc.Root.Kind() != jsondoc.KindObject {
		return fault.New(fault.Damaged, "document of the module", "a module must be a JSON object, and this is %s", f.Doc.Root.Kind())
	}
	return nil
}

func (f *File) blocks(at int64, lim limits.Limits) error {
	size := f.src.Size()
	warn := func(format string, args ...any) { f.Warnings = append(f.Warnings, fmt.Sprintf(format, args...)) }
	for at < size {
		b, err := view(f.src, at, min(marked, size-at))
		if err != nil {
			return err
		}
		switch {
		case b[0] == 0:
			if rest := size - at - 1; rest > 0 {
				f.Tail = f.src.Slice(at+1, rest)
				warn("%s follow the end mark of the module at byte %d; Risu ignores them", fault.Amount(rest, "bytes"), at)
			}
			return nil
		case b[0] != 1:
			return fault.New(fault.Damaged, fmt.Sprintf("byte %d", at), "the module is damaged: after asset %d there is a byte %02x, and only 01 (another asset) or 00 (the end) can stand there; export it again", len(f.Assets), b[0])
		case int64(len(f.Assets)) == lim.Items:
			return lim.Over("assets of the module", "Items", 0)
		}
		n := int64(0)
		if len(b) == marked {
			n = int64(binary.LittleEndian.Uint32(b[1:]))
		}
		if len(b) < marked || n > size-at-marked {
			f.Tail = f.src.Slice(at, size-at)
			f.NoEnd = true
			warn("asset %d of the module is cut off at byte %d: the file ends in it; what comes before it is whole. Risu refuses such a module", len(f.Assets)+1, at)
			return nil
		}
		f.Assets = append(f.Assets, rpack.Unpacked(f.src.Slice(at+marked, n)))
		at += marked + n
	}
	f.NoEnd = true
	warn("the module ends without its end mark; nothing is missing from what is there. Risu refuses such a module")
	return nil
}

func view(src rope.Source, at, n int64) ([]byte, error) {
	b, err := rope.View(src, at, n)
	if err != nil {
		return nil, &fault.Error{Code: fault.Damaged, Where: fmt.Sprintf("byte %d", at), Message: "the module could not be read: " + err.Error(), Err: err}
	}
	return b, nil
}

// Module returns the object that holds the module's members: the member module of the document, or its root where the
// members stand there (the first days' form, and JSON modules). Where is its path.
func Module(root *jsondoc.Value) (v *jsondoc.Value, where string) {
	if m := root.Get("module"); m.Kind() == jsondoc.KindObject {
		return m, "module"
	}
	return root, ""
}

// Write puts the module together. What is unchanged comes out as ranges of the source that f was opened from; a module
// that is wholly unchanged is byte for byte the one that was read. A file that lacked its end mark gets one only when
// something changed. The error is fault.WouldLose for a document or an asset of 4 GiB and more.
func (f *File) Write() (*rope.Rope, error) {
	if f.Bare && len(f.Assets) > 0 { // that form has no place for assets
		m, root := f.Doc.Root.Clone(), jsondoc.Object()
		m.Delete("type")
		root.Set("module", m)
		root.Set("type", jsondoc.String(Type))
		return (&File{Doc: jsondoc.NewDoc(root, "  "), Assets: f.Assets}).Write()
	}
	doc := f.packed()
	if f.Bare {
		return doc, nil
	}
	out := &rope.Rope{}
	n, err := length(doc, "the document of the module")
	if err != nil {
		return nil, err
	}
	out.Append(append([]byte{magic, version}, n...))
	out.AppendRope(doc)
	for i, a := range f.Assets {
		if n, err = length(a, fmt.Sprintf("asset %d of the module", i+1)); err != nil {
			return nil, err
		}
		out.Append(append([]byte{1}, n...))
		out.AppendRope(rpack.Packed(a))
	}
	if f.NoEnd {
		if f.src != nil { // is it the module that was read?
			whole := rope.Of(out)
			if f.Tail != nil {
				whole.AppendRope(f.Tail)
			}
			if same, err := rope.Equal(whole, f.src); err == nil && same {
				return f.src, nil
			}
		}
		out.Append([]byte{0})
		return out, nil
	}
	out.Append([]byte{0})
	if f.Tail != nil {
		out.AppendRope(f.Tail)
	}
	return out, nil
}

// packed is the packed document; what stands in the source as it is stays a range of it.
func (f *File) packed() *rope.Rope {
	plain, out := &rope.Rope{}, &rope.Rope{}
	f.Doc.AppendTo(plain)
	for s := range plain.Segments() {
		b, ok := s.Src.(rope.Bytes)
		if ok && len(f.main) > 0 && len(b) == len(f.main) && &b[0] == &f.main[0] {
			out.AppendRange(f.src, f.at+s.Off, s.Len)
			continue
		}
		out.AppendRope(rpack.Packed(plainPart(s)))
	}
	return out
}

func plainPart(s rope.Segment) *rope.Rope {
	r := &rope.Rope{}
	r.AppendRange(s.Src, s.Off, s.Len)
	return r
}

func length(r *rope.Rope, what string) ([]byte, error) {
	if r.Size() > math.MaxUint32 {
		return nil, fault.New(fault.WouldLose, what, "a Risu module counts lengths up to 4 GiB, and this has %s", fault.Amount(r.Size(), "bytes"))
	}
	return binary.LittleEndian.AppendUint32(nil, uint32(r.Size())), nil
}
