package jsondoc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"bunzai/limits"
	"bunzai/rope"
)

// bigCard is a card of about 2 MB with a book of 500 entries of 20 members each; indent as given to the writer.
func bigCard(indent string) []byte {
	entries := Array()
	for i := range 500 {
		e := Object()
		e.Set("keys", Array(String(fmt.Sprintf("key %d", i)), String("other")))
		e.Set("content", String(strings.Repeat("She said \"no\", and the wind took it.\nIt was late — très tard. ", 55)))
		for j := range 14 {
			e.Set(fmt.Sprintf("number_%d", j), Int(int64(i*j)))
		}
		e.Set("enabled", Bool(true))
		e.Set("comment", String("plain text without anything special"))
		e.Set("extensions", Object())
		e.Get("extensions").Set("depth", Int(4))
		entries.AppendElem(e)
	}
	book, data, root := Object(), Object(), Object()
	book.Set("name", String("book"))
	book.Set("entries", entries)
	data.Set("name", String("Ann"))
	data.Set("first_mes", String("hello"))
	data.Set("character_book", book)
	root.Set("spec", String("chara_card_v3"))
	root.Set("data", data)
	return NewDoc(root, indent).Bytes()
}

func mustParse(tb testing.TB, b []byte) *Doc {
	tb.Helper()
	d, err := Parse(b, limits.Card())
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// walk reads every value and returns how many there are.
func walk(v *Value) int {
	n := 1
	switch v.Kind() {
	case KindObject:
		for _, m := range v.Members() {
			n += walk(m)
		}
	case KindArray:
		for _, e := range v.Elems() {
			n += walk(e)
		}
	case KindString:
		v.Text()
	case KindNumber:
		v.Int()
	}
	return n
}

func benchLayouts(b *testing.B, f func(b *testing.B, text []byte)) {
	for _, l := range []struct{ name, indent string }{{"compact", ""}, {"indented", "    "}} {
		b.Run(l.name, func(b *testing.B) {
			text := bigCard(l.indent)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			f(b, text)
		})
	}
}

func BenchmarkValidateOnly(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		for b.Loop() {
			if _, err := validate(text, false); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPrescanOnly(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		for b.Loop() {
			prescan(text, 512)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		for b.Loop() {
			mustParse(b, text)
		}
	})
}

func BenchmarkParseWalk(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		for b.Loop() {
			walk(mustParse(b, text).Root)
		}
	})
}

func BenchmarkWalk(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		d := mustParse(b, text)
		for b.Loop() {
			walk(d.Root.Clone())
		}
	})
}

// BenchmarkEditOne changes one field of the parsed document and adds the whole to a rope.
func BenchmarkEditOne(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		d := mustParse(b, text)
		for b.Loop() {
			c := d.Clone()
			c.Root.At("data", "character_book", "entries", "250").Set("comment", String("changed"))
			var r rope.Rope
			c.AppendTo(&r)
			if r.Size() == 0 {
				b.Fatal("empty")
			}
		}
	})
}

// BenchmarkEditOneLookedThrough does so on a document whose every value was looked at.
func BenchmarkEditOneLookedThrough(b *testing.B) {
	benchLayouts(b, func(b *testing.B, text []byte) {
		d := mustParse(b, text)
		walk(d.Root)
		n := 0
		for b.Loop() {
			n++
			d.Root.At("data", "character_book", "entries", "250").Set("comment", String(fmt.Sprint("changed ", n)))
			var r rope.Rope
			d.AppendTo(&r)
		}
	})
}

// BenchmarkBuildFresh makes and writes a document that has no source.
func BenchmarkBuildFresh(b *testing.B) {
	b.SetBytes(int64(len(bigCard(""))))
	b.ReportAllocs()
	for b.Loop() {
		bigCard("")
	}
}

func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"plain", strings.Repeat("She said no, and the wind took it. ", 3000)},
		{"newlines", strings.Repeat("She said no, and the wind took it.\n", 3000)},
		{"quotes", strings.Repeat("\"\\\n", 30000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			v := mustParse(b, String(c.text).Raw()).Root
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if s, _ := v.Text(); len(s) != len(c.text) {
					b.Fatal("text differs")
				}
			}
		})
	}
}

func BenchmarkDeepHostile(b *testing.B) {
	text := bytes.Repeat([]byte("["), 5_000_000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text, limits.Card()); err == nil {
			b.Fatal("accepted")
		}
	}
}

func BenchmarkManyNumbers(b *testing.B) {
	text := []byte("[" + strings.Repeat("1234.5,", 1_000_000) + "0]")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		mustParse(b, text).Root.Len()
	}
}
