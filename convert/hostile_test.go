package convert_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// hostile is one file that was made to hurt, and what must come of it.
type hostile struct {
	name string
	make func() string
	// code is the refusal, "" where the file is read; limit the bound that it names; words what its message must say.
	code  fault.Code
	limit string
	words []string
	// reads is the name of the character that is read, warns a part of a warning.
	reads string
	warns string
}

func withIcon(d map[string]any) {
	d["assets"] = []any{map[string]string{"type": "icon", "name": "main", "ext": "png", "uri": "embeded://assets/icon/image/main.png"}}
}

// inExtensions puts members into the extensions of a card.
func inExtensions(members string) string {
	return strings.Replace(string(small()), `"extensions":{"depth_prompt"`, `"extensions":{`+members+`,"depth_prompt"`, 1)
}

// nested puts brackets of that depth into the extensions of a card.
func nested(depth int, open, close string) string {
	inner := ""
	if strings.HasSuffix(open, ":") {
		inner = "null"
	}
	return inExtensions(`"deep":` + strings.Repeat(open, depth) + inner + strings.Repeat(close, depth))
}

func replaced(old, new string) func() string {
	return func() string { return strings.Replace(string(small()), old, new, 1) }
}

func many(n int) []file {
	out := make([]file, n)
	for i := range out {
		out[i] = file{name: fmt.Sprintf("assets/other/%d", i), data: "x"}
	}
	return out
}

const bench = "Bench Character"

func hostiles() []hostile {
	ten := func() []byte { return zeros(10 * mib) }
	main := "assets/icon/image/main.png"
	utf16 := func(big bool) string {
		var b strings.Builder
		for _, c := range string(small()) {
			if big {
				b.WriteByte(byte(c >> 8))
				b.WriteByte(byte(c))
			} else {
				b.WriteByte(byte(c))
				b.WriteByte(byte(c >> 8))
			}
		}
		return b.String()
	}
	cut := func(s string, n int) string { return s[:len(s)-n] }
	return []hostile{
		// ---- archives
		{name: "ZIP: 500 entries of 10 MB zeros", make: func() string {
			comp := ten()
			fs := []file{cardFile()}
			for i := range 500 {
				fs = append(fs, file{name: fmt.Sprintf("assets/emotion/image/e%d.png", i), comp: comp, method: 8, size: 10 * mib, crc: 0xb57d33ac})
			}
			return archive("", fs...)
		}, reads: bench},
		{name: "ZIP: 500 entries of 10 MB zeros, all of them assets", make: func() string {
			comp := ten()
			fs := []file{cardFile(func(d map[string]any) {
				var list []any
				for i := range 500 {
					list = append(list, map[string]string{"type": "emotion", "name": fmt.Sprint(i), "ext": "png", "uri": fmt.Sprintf("embeded://assets/emotion/image/e%d.png", i)})
				}
				d["assets"] = list
			})}
			for i := range 500 {
				fs = append(fs, file{name: fmt.Sprintf("assets/emotion/image/e%d.png", i), comp: comp, method: 8, size: 10 * mib, crc: 0xb57d33ac})
			}
			return archive("", fs...)
		}, code: fault.OverLimit, words: []string{"pictures as text", "charx"}},
		{name: "ZIP: card.json of 1 GB", make: func() string {
			return archive("", file{name: "card.json", comp: zeros(1024 * mib), method: 8, size: 1024 * mib})
		}, code: fault.OverLimit, limit: "Entry", words: []string{"card.json", "64 MiB", "1 GiB"}},
		{name: "ZIP: card.json of 1 GB that states 100 bytes", make: func() string {
			return archive("", file{name: "card.json", comp: zeros(1024 * mib), method: 8, size: 100})
		}, code: fault.OverLimit, limit: "Entry", words: []string{"card.json"}},
		{name: "ZIP: a picture of 4 GB", make: func() string {
			return archive("", cardFile(withIcon), file{name: main, comp: zeros(1<<32 - 2), method: 8, size: 1<<32 - 2})
		}, code: fault.OverLimit, limit: "Entry", words: []string{main}},
		{name: "ZIP: a picture that states 4 GB", make: func() string {
			return archive("", cardFile(withIcon), file{name: main, comp: deflated("hi"), method: 8, size: 1<<32 - 2})
		}, code: fault.OverLimit, limit: "Entry", words: []string{main}},
		{name: "ZIP: a picture of 1 GB that states 100 bytes", make: func() string {
			return archive("", cardFile(withIcon), file{name: main, comp: zeros(1024 * mib), method: 8, size: 100})
		}, code: fault.OverLimit, limit: "Entry", words: []string{main}},
		{name: "ZIP: card.json states 40 bytes less than it has", make: func() string {
			d := string(small())
			return archive("", file{name: "card.json", data: d, method: 8, size: int64(len(d)) - 40})
		}, reads: bench, warns: "checksum is right"},
		{name: "ZIP: card.json of 5 MB states 100 bytes, and its checksum is right", make: func() string {
			var text strings.Builder
			for i := range 700_000 {
				fmt.Fprintf(&text, "%d ", i*7919%1_000_003)
			}
			f := cardFile(with("description", text.String()))
			f.size = 100
			return archive("", f)
		}, reads: bench, warns: "checksum is right"},
		{name: "ZIP: 2,000 entries over one of 20 MB", make: func() string {
			comp := zeros(20 * mib)
			fs := []file{cardFile(), {name: "assets/icon/image/s.png", comp: comp, method: 8, size: 20 * mib}}
			for i := range 500 {
				fs = append(fs, file{name: fmt.Sprintf("assets/icon/image/s%d.png", i), comp: comp, method: 8, size: 20 * mib, share: "assets/icon/image/s.png"})
			}
			return archive("", fs...)
		}, code: fault.Damaged, words: []string{"lie over each other", "s.png"}},
		{name: "ZIP: quoted overlap, 400 entries of 10 MB", make: func() string { return quoted(400, 10*mib) }, code: fault.Damaged, words: []string{"lie over each other"}},
		{name: "ZIP: 100,000 entries", make: func() string { return archive("", append([]file{cardFile()}, many(100_000)...)...) },
			code: fault.OverLimit, limit: "ArchiveEntries", words: []string{"512 entries"}},
		{name: "ZIP: 60,000 entries", make: func() string { return archive("", append([]file{cardFile()}, many(60_000)...)...) },
			code: fault.OverLimit, limit: "ArchiveEntries", words: []string{"512 entries", "60,001 entries"}},
		{name: "ZIP: names that climb, lie and confuse", make: func() string {
			fs := []file{cardFile(func(d map[string]any) {
				var list []any
				for i, u := range []string{"embeded://../../etc/evil.png", "embeded:///abs/evil.png", "file:///etc/passwd", "http://127.0.0.1:9/x.png", "embeded://__proto__", "embeded://C:\\windows\\evil.png"} {
					list = append(list, map[string]string{"type": "other", "name": fmt.Sprint(i), "ext": "png", "uri": u})
				}
				d["assets"] = list
			})}
			for _, n := range []string{"../../etc/evil.png", "/abs/evil.png", `C:\windows\evil.png`, `..\..\evil.png`, "a/../../evil.png", "assets/icon/\x00evil.png", "__proto__", "constructor",
				"assets/__proto__/polluted.png", "assets/icon/image/\u202egnp.exe", "assets/" + strings.Repeat("n", 60000), "CON.png", "assets/icon/./x.png", "assets//x.png", ""} {
				fs = append(fs, file{name: n, data: "evil"})
			}
			return archive("", append(fs, file{name: "link.png", data: "/etc/passwd", attr: 0o120777 << 16})...)
		}, reads: bench},
		{name: "ZIP: two card.json", make: func() string {
			return archive("", cardFile(named("FIRST")), cardFile(named("SECOND")))
		}, code: fault.Ambiguous, words: []string{"2 entries named card.json", "number 1", "number 2"}},
		{name: "ZIP: card.json and CARD.JSON", make: func() string {
			f := cardFile(named("UPPER"))
			f.name = "CARD.JSON"
			return archive("", cardFile(named("LOWER")), f)
		}, reads: "LOWER"},
		{name: "ZIP: a/card.json and b/card.json", make: func() string {
			a, b := cardFile(named("A")), cardFile(named("B"))
			a.name, b.name = "a/card.json", "b/card.json"
			return archive("", a, b)
		}, code: fault.Ambiguous, words: []string{"a/card.json", "b/card.json"}},
		{name: "ZIP: cut short", make: func() string {
			return cut(archive("", cardFile(withIcon), file{name: main, data: picture("", "") + strings.Repeat("z", 200000)}), 5000)
		}, reads: bench, warns: "cut short"},
		{name: "ZIP: another archive as comment", make: func() string {
			return archive(archive("", cardFile(named("IN COMMENT"))), cardFile(named("REAL")))
		}, reads: "REAL", warns: "comment"},
		{name: "ZIP: archives in archives", make: func() string {
			z := archive("", file{name: "z", comp: ten(), method: 8, size: 10 * mib})
			for i := range 5 {
				var fs []file
				for k := range 16 {
					fs = append(fs, file{name: fmt.Sprintf("l%d-%d.zip", i, k), data: z, method: 8})
				}
				z = archive("", fs...)
			}
			return archive("", cardFile(), file{name: "assets/other/inner.zip", data: z, method: 8})
		}, reads: bench},
		{name: "ZIP: wrong checksum of a picture", make: func() string {
			return archive("", cardFile(withIcon), file{name: main, data: picture("", ""), crc: 0xdeadbeef})
		}, reads: bench},
		{name: "ZIP: encrypted", make: func() string {
			f := cardFile()
			f.flags = 0x801
			return archive("", f)
		}, code: fault.Unsupported, words: []string{"card.json", "encrypted", "password"}},
		{name: "ZIP: unknown compression", make: func() string {
			f := cardFile()
			f.comp, f.method, f.size = []byte("xyz"), 93, 3
			return archive("", f)
		}, code: fault.Unsupported, words: []string{"card.json", "method 93"}},
		{name: "ZIP: empty", make: func() string { return archive("") }, code: fault.NoCard, words: []string{"card.json"}},
		{name: "ZIP: card.json is no JSON", make: func() string { return archive("", file{name: "card.json", data: "hello"}) },
			code: fault.Damaged, words: []string{"card.json", "line 1, column 1"}},
		{name: "ZIP: card.json nested 100,000 deep", make: func() string {
			return archive("", file{name: "card.json", data: nested(100_000, "[", "]"), method: 8})
		}, code: fault.OverLimit, words: []string{"card.json"}},
		{name: "ZIP: card.json of 50 MB text", make: func() string {
			return archive("", file{name: "card.json", data: string(small(with("description", strings.Repeat("abcdefgh", 50*mib/8))))})
		}, code: fault.OverLimit, limit: "PNGText", words: []string{"charx"}},

		// ---- PNG
		{name: "PNG: ccv3 of 150 MB", make: func() string {
			return pngCard(small(with("description", strings.Repeat("A", 110*mib))))
		}, code: fault.OverLimit, limit: "PNGText", words: []string{"ccv3", "64 MiB", "146.7 MiB"}},
		{name: "PNG: chara of 150 MB that is no base64", make: func() string { return picture("", tEXt("chara", strings.Repeat("!", 150*mib))) },
			code: fault.OverLimit, limit: "PNGText"},
		{name: "PNG: zTXt of 1 GB", make: func() string { return picture("", forgeChunk("zTXt", "chara\x00\x00"+zlibZeros(1024*mib))) },
			code: fault.OverLimit, limit: "PNGText", words: []string{"zTXt", "64 MiB"}},
		{name: "PNG: iTXt of 1 GB", make: func() string {
			return picture("", forgeChunk("iTXt", "ccv3\x00\x01\x00\x00\x00"+zlibZeros(1024*mib)))
		}, code: fault.OverLimit, limit: "PNGText", words: []string{"iTXt"}},
		{name: "PNG: 50 zTXt of 60 MB", make: func() string {
			c := forgeChunk("zTXt", "chara\x00\x00"+zlibZeros(60*mib))
			return picture("", strings.Repeat(c, 50))
		}, code: fault.OverLimit, limit: "PNGText"},
		{name: "PNG: chunk length of 4 GB", make: func() string {
			return picture("", "\xff\xff\xff\xfftEXtchara\x00AAAA")
		}, code: fault.Damaged, words: []string{"chara", "4.0 GiB", "22 bytes"}},
		{name: "PNG: chunk length of 2 GB", make: func() string {
			return picture("", "\x7f\xff\xff\xfftEXtchara\x00AAAA")
		}, code: fault.Damaged, words: []string{"chara"}},
		{name: "PNG: 300,000 chunks", make: func() string {
			return picture("", strings.Repeat(tEXt("note", "x"), 300_000)+tEXt("ccv3", b64(small())))
		}, code: fault.OverLimit, limit: "PNGChunks", words: []string{"100,000 chunks"}},
		{name: "PNG: 10,000 card chunks", make: func() string { return picture("", strings.Repeat(tEXt("chara", b64(small())), 10_000)) },
			reads: bench, warns: "several chara chunks"},
		{name: "PNG: 10,000 broken card chunks", make: func() string { return picture("", strings.Repeat(tEXt("chara", "***"), 10_000)) },
			code: fault.Damaged, words: []string{"chara"}},
		{name: "PNG: no IEND", make: func() string { return cut(pngCard(small()), 12) }, reads: bench, warns: "no IEND"},
		{name: "PNG: cut inside the card", make: func() string { return cut(pngCard(small()), 200) }, code: fault.Damaged, words: []string{"ccv3", "ends inside this chunk"}},
		{name: "PNG: wrong checksum", make: func() string {
			p := []byte(pngCard(small()))
			p[len(p)-14] ^= 255
			return string(p)
		}, reads: bench, warns: "wrong checksum"},
		{name: "PNG: 2 billion by 2 billion pixels", make: func() string {
			p := pngCard(small())
			return p[:16] + "\x7f\xff\xff\xff\x7f\xff\xff\xff" + p[24:]
		}, reads: bench},
		{name: "PNG: card nested 100,000 deep", make: func() string { return pngCard([]byte(nested(100_000, "[", "]"))) },
			code: fault.OverLimit, limit: "JSONDepth", words: []string{"ccv3", "512 levels"}},
		{name: "PNG: hostile ccv3 beside a good chara", make: func() string {
			return picture("", tEXt("ccv3", b64([]byte(nested(100_000, "[", "]"))))+tEXt("chara", b64(small())))
		}, code: fault.OverLimit, limit: "JSONDepth"},
		{name: "PNG: in a PNG", make: func() string {
			return pngCard(small(func(d map[string]any) {
				d["assets"] = []any{map[string]string{"type": "icon", "name": "main", "ext": "png", "uri": "data:image/png;base64," + b64([]byte(pngCard(small(named("INNER")))))}}
			}))
		}, reads: bench},
		{name: "PNG: a ZIP in a card chunk", make: func() string {
			return picture("", tEXt("chara", b64([]byte(archive("", cardFile())))))
		}, code: fault.Damaged, words: []string{"chara"}},
		{name: "PNG: a ZIP behind it and no card chunk", make: func() string { return picture("", "") + archive("", cardFile(named("BEHIND"))) },
			reads: "BEHIND"},
		{name: "PNG: a ZIP behind it and a card chunk", make: func() string { return pngCard(small(named("FRONT"))) + archive("", cardFile(named("BEHIND"))) },
			reads: "FRONT", warns: "after the end of the picture"},
		{name: "PNG: only the signature", make: func() string { return pngSignature }, code: fault.Damaged, words: []string{"cut short"}},

		// ---- JSON
		{name: "JSON: arrays 100,000 deep", make: func() string { return nested(100_000, "[", "]") }, code: fault.OverLimit, limit: "JSONDepth", words: []string{"512 levels", "line 1"}},
		{name: "JSON: objects 100,000 deep", make: func() string { return nested(100_000, `{"a":`, "}") }, code: fault.OverLimit, limit: "JSONDepth"},
		{name: "JSON: nothing but 200,000 brackets", make: func() string { return strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000) },
			code: fault.OverLimit, limit: "JSONDepth"},
		{name: "JSON: arrays 5,000,000 deep", make: func() string { return nested(5_000_000, "[", "]") }, code: fault.OverLimit, limit: "JSONDepth"},
		{name: "JSON: 5,000,000 open brackets and an end", make: func() string { return strings.Repeat("[", 5_000_000) }, code: fault.OverLimit, limit: "JSONDepth"},
		{name: "JSON: one text of 200 MB", make: func() string { return string(small(with("description", strings.Repeat("A", 200*mib)))) },
			code: fault.OverLimit, limit: "JSON", words: []string{"64 MiB", "200"}},
		{name: "JSON: one text of 40 MB", make: func() string { return string(small(with("description", strings.Repeat("A", 40*mib)))) },
			reads: bench},
		{name: "JSON: a book of 200 MB", make: func() string {
			s := string(small())
			i := strings.Index(s, `"entries":[`) + 11
			return s[:i] + strings.Repeat(`{"keys":["k"],"content":"c","extensions":{},"enabled":true,"insertion_order":1},`, 200*mib/80) + s[i:]
		}, code: fault.OverLimit, limit: "JSON"},
		{name: "JSON: a book of 660,000 empty entries", make: func() string {
			return `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A","extensions":{},"character_book":{"entries":[` + strings.Repeat("{},", 659_999) + `{}]}}}`
		}, code: fault.OverLimit, limit: "Items", words: []string{"660,000", "data.character_book.entries"}},
		{name: "JSON: a book of 10,000 entries", make: func() string {
			s := string(small())
			i := strings.Index(s, `"entries":[`) + 11
			return s[:i] + strings.Repeat(`{"keys":["k"],"content":"c","extensions":{},"enabled":true,"insertion_order":1},`, 10_000) + s[i:]
		}, reads: bench},
		// ---- Risu's modules and lorebooks
		{name: "module: a document of 4 GiB", make: func() string {
			return "\x6f\x00\xff\xff\xff\xff" + samples.RPack(`{"module":{"name":"M"}}`)
		}, code: fault.Damaged, words: []string{"cut off", "4.0 GiB"}},
		{name: "module: an asset of 4 GiB", make: func() string {
			m := string(samples.Module(`{"module":{"name":"` + bench + `","assets":[["a","","png"]]},"type":"risuModule"}`))
			return cut(m, 1) + "\x01\xff\xff\xff\xffabc"
		}, reads: bench, warns: "is cut off"},
		{name: "module: broken UTF-8 and NUL", make: func() string {
			return string(samples.Module("{\"module\":{\"name\":\"" + bench + "\",\"description\":\"\xff\xfe\x80\"},\"type\":\"risuModule\"}\n\x00"))
		}, reads: bench},
		{name: "module: 100,000 lorebook rows", make: func() string {
			return string(samples.Module(`{"module":{"name":"M","lorebook":[` + strings.Repeat("{},", 99_999) + `{}]},"type":"risuModule"}`))
		}, code: fault.OverLimit, limit: "Items", words: []string{"100,000", "module.lorebook"}},
		{name: "module: 20,000 empty assets", make: func() string {
			return string(samples.Module(`{"module":{"name":"M"},"type":"risuModule"}`, make([]string, 20_000)...))
		}, code: fault.OverLimit, limit: "Items", words: []string{"assets of the module"}},
		{name: "lorebook: 5,000 folders in themselves and decorators without end", make: func() string {
			row := `{"key":"\uf000folder:a","comment":"F","mode":"folder","content":"","folder":"\uf000folder:a"},{"key":"k","content":"` + strings.Repeat(`@@depth 4\n`, 200) + `","insertorder":1,"folder":"\uf000folder:a"},`
			return `{"type":"risu","ver":1,"name":"` + bench + `","data":[` + strings.Repeat(row, 2_500) + `{"key":"k","content":"` + strings.Repeat(`@@exclude_keys a\n`, 100_000) + `","insertorder":1}]}`
		}, reads: bench},
		{name: "JSON: 1,000,000 numbers", make: func() string {
			var b strings.Builder
			for i := range 1_000_000 {
				fmt.Fprintf(&b, "%d.1,", i)
			}
			return inExtensions(`"big":[` + b.String() + `0]`)
		}, reads: bench},
		{name: "JSON: 200,000 members of one name", make: func() string {
			return inExtensions(strings.Repeat(`"a":1,`, 200_000) + `"a":1`)
		}, reads: bench},
		{name: "JSON: 50,000 greetings", make: func() string {
			return strings.Replace(string(small()), `"alternate_greetings":[`, `"alternate_greetings":[`+strings.Repeat(`"hi",`, 50_000), 1)
		}, reads: bench},
		{name: "JSON: __proto__", make: func() string {
			return inExtensions(`"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}`)
		}, reads: bench},
		{name: "JSON: a name twice", make: replaced(`"name":"Bench Character"`, `"name":"FIRST","name":"SECOND"`), reads: "SECOND"},
		{name: "JSON: numbers beyond a double", make: func() string {
			return inExtensions(`"a":12345678901234567890,"b":1e400,"c":0.1000000000000000055,"d":-0,"e":1.0`)
		}, reads: bench},
		{name: "JSON: numbers beyond a double in fields", make: replaced(`"insertion_order":10`, `"insertion_order":1e400`), reads: bench},
		{name: "JSON: lone surrogate and NUL", make: replaced(`"name":"Bench Character"`, `"name":"lone \ud83d and nul \u0000 end"`), reads: "lone \xed\xa0\xbd and nul \x00 end"},
		{name: "JSON: bad UTF-8", make: replaced(`Bench Character`, "\xff\xc0nch"), reads: "\xff\xc0nch"},
		{name: "JSON: UTF-16 with its mark", make: func() string { return "\xff\xfe" + utf16(false) }, code: fault.Unsupported, words: []string{"UTF-16", "UTF-8"}},
		{name: "JSON: UTF-16, big end first", make: func() string { return "\xfe\xff" + utf16(true) }, code: fault.Unsupported, words: []string{"UTF-16"}},
		{name: "JSON: UTF-16 without its mark", make: func() string { return utf16(false) }, code: fault.Unsupported, words: []string{"UTF-16"}},
		{name: "JSON: a byte order mark", make: func() string { return "\xef\xbb\xbf" + string(small()) }, reads: bench},
		{name: "JSON: wrong types", make: func() string {
			return `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":7,"description":null,"first_mes":["a"],"alternate_greetings":"1687194031049","tags":"a,b","character_book":null,"extensions":[],"creator_notes":{}}}`
		}, reads: "7"},
		{name: "JSON: a pattern that blows up", make: replaced(`"keys":["harbour"]`, `"use_regex":true,"keys":["/(a+)+$/","(x+x+)+y"]`), reads: bench},
		{name: "JSON: null", make: func() string { return "null" }, code: fault.NotRecognized},
		{name: "JSON: cut short", make: func() string { return string(small())[:100] }, code: fault.Damaged, words: []string{"line 1"}},
		{name: "JSON: zeros", make: func() string { return "{" + strings.Repeat("\x00", mib) }, code: fault.Damaged},

		// ---- neither
		{name: "HTML named .png", make: func() string { return "<!DOCTYPE html><html><body>404 Not Found</body></html>" }, code: fault.NotRecognized, words: []string{"web page"}},
		{name: "WebP named .png", make: func() string { return "RIFF\x24\x00\x00\x00WEBPVP8 " + strings.Repeat("\x00", 24) }, code: fault.Unsupported, words: []string{"WEBP", "PNG, JSON and ZIP"}},
		{name: "GIF named .png", make: func() string { return "GIF89a\x01\x00\x01\x00\x00\x00\x00;" }, code: fault.Unsupported, words: []string{"GIF"}},
		{name: "JPEG named .png", make: func() string { return "\xff\xd8\xff\xe0\x00\x10JFIF\x00" + strings.Repeat("\x00", 50) }, code: fault.Unsupported, words: []string{"JPEG"}},
		{name: "zeros", make: func() string { return strings.Repeat("\x00", mib) }, code: fault.NotRecognized},
		{name: "nothing", make: func() string { return "" }, code: fault.Empty, words: []string{"empty"}},
		{name: "one byte", make: func() string { return "{" }, code: fault.Damaged},
		{name: "blank text", make: func() string { return " \n\t" }, code: fault.NotRecognized, words: []string{"blank"}},
	}
}

// cost is what an attack took at most.
type cost struct {
	wall        time.Duration
	live, total int64
}

// measured runs f and samples the live heap beside it.
func measured(f func()) cost {
	runtime.GC()
	debug.FreeOSMemory()
	old := debug.SetGCPercent(10)
	defer debug.SetGCPercent(old)
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	base, allocs := sample[0].Value.Uint64(), sample[1].Value.Uint64()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var high uint64
		tick := time.NewTicker(500 * time.Microsecond)
		defer tick.Stop()
		for {
			metrics.Read(s)
			high = max(high, s[0].Value.Uint64())
			select {
			case <-stop:
				peak <- high
				return
			case <-tick.C:
			}
		}
	}()
	start := time.Now()
	f()
	c := cost{wall: time.Since(start)}
	close(stop)
	c.live = int64(max(<-peak, base) - base)
	metrics.Read(sample)
	c.total = int64(sample[1].Value.Uint64() - allocs)
	return c
}

// target is one way to write a kind.
type target struct {
	app       string
	container formats.Container
	spec      string
}

func targets(e *convert.Engine) []target {
	var out []target
	seen := map[target]bool{}
	for _, c := range e.Registry.Codecs() {
		i := c.Info()
		for _, k := range i.Containers {
			for _, s := range append([]string{""}, i.Specs...) {
				if t := (target{i.App, k, s}); !seen[t] {
					seen[t] = true
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// checkWords holds every refusal to what a person needs.
func checkWords(t testing.TB, err error) *fault.Error {
	t.Helper()
	f, ok := err.(*fault.Error)
	require.Truef(t, ok, "%T is no fault.Error: %v", err, err)
	s := f.Error()
	assert.NotEqual(t, fault.Internal, f.Code, s)
	assert.NotEmpty(t, f.Message)
	assert.True(t, utf8.ValidString(s), "%q", s)
	assert.Less(t, len(s), 700, s)
	for _, r := range s {
		assert.Falsef(t, unicode.IsControl(r) || unicode.Is(unicode.Cf, r), "%q", s)
	}
	for _, bad := range []string{"runtime error", "nil pointer", "index out of range", "unexpected EOF", "jsontext", "strconv.", "flate:", "%!", "<nil>", "(0xc0"} {
		assert.NotContains(t, s, bad)
	}
	if f.Code == fault.OverLimit {
		if assert.NotNil(t, f.Limit, s) {
			assert.Contains(t, s, fault.Amount(f.Limit.Value, f.Limit.Unit), "a refusal by a limit says its value")
			assert.Greater(t, f.Limit.Value, int64(0))
		}
	}
	return f
}

// attack tries everything on one file under one profile and returns the first refusal.
func attack(t testing.TB, e *convert.Engine, src rope.Source, lim limits.Limits) (read *convert.Pieces, warnings []string, refusal error) {
	o := convert.Options{Name: "card.png", Limits: lim}
	if d, err := e.Detect(src, o); err != nil {
		checkWords(t, err)
	} else {
		assert.NotEmpty(t, d.Label)
	}
	v, err := e.Inspect(src, o)
	if err != nil {
		checkWords(t, err)
	} else {
		warnings = v.Warnings
		for _, w := range warnings {
			assert.Less(t, len(w), 1000)
		}
	}
	p, err := e.Read(src, o)
	if err != nil {
		return nil, nil, err
	}
	for _, to := range targets(e) {
		if to.spec != "" && src.Size() > mib {
			continue // large files: each container once
		}
		o.To, o.Container, o.Spec = to.app, to.container, to.spec
		out, err := e.Emit(p, o)
		if err != nil {
			f := checkWords(t, err)
			switch {
			case f.Code == fault.WrongKind || f.Code == fault.UnknownTarget:
			case to.app == "bunzai": // it holds all of a file as text, so it may be too small for what others pass on
				assert.Equal(t, fault.OverLimit, f.Code, f.Error())
			case refusal == nil:
				refusal = err
			}
			continue
		}
		require.NotNil(t, out.Report)
		for _, w := range out.Report.Warnings {
			assert.Less(t, len(w), 1000)
			warnings = append(warnings, w)
		}
		assert.NotContains(t, out.FileName, "/")
		assert.NotContains(t, out.FileName, `\`)
	}
	return p, warnings, refusal
}

// TestHostile: every file that was made to hurt is refused in words for people or read safely, in little memory.
func TestHostile(t *testing.T) {
	e := convert.New()
	for _, c := range append(hostiles(), risuHostiles()...) {
		t.Run(c.name, func(t *testing.T) {
			src := sourceOf(c.make())
			var err error
			var p *convert.Pieces
			var warnings []string
			bound := max(128*mib, 8*int64(len(src)))
			cost := measured(func() { p, warnings, err = attack(t, e, src, limits.Card()) })
			for range 2 { // garbage counts until it is collected, which is late on a busy machine
				if cost.live < bound {
					break
				}
				cost = measured(func() { p, warnings, err = attack(t, e, src, limits.Card()) })
			}
			words := "read"
			if err != nil {
				words = err.Error()
			}
			t.Logf("TABLE %-52s %9d %8.3fs %7.1f %8.1f  %s", c.name, len(src), cost.wall.Seconds(), float64(cost.live)/mib, float64(cost.total)/mib, words)
			// An honest card of tens of megabytes of text costs a few times its size; nothing costs more than its
			// size and the budget.
			assert.Less(t, cost.live, bound, "live memory")
			assert.Less(t, cost.total, 160*mib*int64(len(targets(e)))+60*int64(len(src)), "all allocations of all targets")
			if c.reads != "" {
				require.NoError(t, err)
				assert.Equal(t, c.reads, convert.NameOf(p.Primary, ""))
				if c.warns != "" {
					assert.Contains(t, strings.Join(warnings, "\n"), c.warns)
				}
				return
			}
			require.Error(t, err)
			f := checkWords(t, err)
			assert.Equal(t, c.code, f.Code, f.Error())
			for _, w := range c.words {
				assert.Contains(t, f.Error(), w)
			}
			if c.limit != "" && assert.NotNil(t, f.Limit) {
				assert.Equal(t, c.limit, f.Limit.Name)
			}
			if f.Limit != nil && f.Limit.Raise == limits.Card().Raise {
				// The advice must be true: under the larger profile that bound is wider, or the file is read.
				_, _, again := attack(t, e, src, limits.Large())
				if a, ok := again.(*fault.Error); ok && a.Code == fault.OverLimit && a.Limit.Name == f.Limit.Name {
					assert.Greater(t, a.Limit.Value, f.Limit.Value, "advice that does not help: %s", f.Error())
				}
			}
		})
	}
}
