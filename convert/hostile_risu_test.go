package convert_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"bunzai/fault"
	"bunzai/testdata/samples"
)

// gzipped packs parts one after the other; zeros are that many zero bytes behind them.
func gzipped(zeros int64, parts ...string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	for _, p := range parts {
		_, _ = io.WriteString(z, p)
	}
	block := make([]byte, mib)
	for ; zeros > 0; zeros -= mib {
		_, _ = z.Write(block[:min(zeros, mib)])
	}
	_ = z.Close()
	return b.String()
}

// bin32 is MessagePack bytes, stating a length.
func bin32(states uint32, s string) string {
	return "\xc6" + string(binary.BigEndian.AppendUint32(nil, states)) + s
}

const presetHead = "\xde\x00\x03\xadpresetVersion\x02\xa4type\xa6preset\xa6preset"

func sealed(plain string) string {
	seal, _ := samples.RisuGCM("risupreset")
	return string(seal([]byte(plain)))
}

// risup is a packed preset around that MessagePack data.
func risup(plain string) string {
	s := sealed(plain)
	return samples.RPack(gzipped(0, presetHead, bin32(uint32(len(s)), s)))
}

func flipped(s string, at int) string {
	b := []byte(s)
	b[at] ^= 0x10
	return string(b)
}

// namedPreset is a preset of some members, with those pairs of MessagePack in front.
func namedPreset(n int, pairs string) string {
	return "\xde" + string(binary.BigEndian.AppendUint16(nil, uint16(n+3))) + pairs + "\xa4name\xa4Bomb\xaamainPrompt\xa2Be\xabtemperature\x50"
}

// moduleFile is a .risum whose parts may lie: the stated length of the document and what follows it.
func moduleFile(states uint32, doc, rest string) string {
	return "o\x00" + string(binary.LittleEndian.AppendUint32(nil, states)) + samples.RPack(doc) + rest
}

func soundModule(members, rest string) string {
	doc := `{"module":{"name":"Bomb","description":"","id":"1"` + members + `},"type":"risuModule"}`
	return moduleFile(uint32(len(doc)), doc, rest)
}

// risuHostiles are files of Risu that were made to hurt.
func risuHostiles() []hostile {
	sound := risup(namedPreset(0, ""))
	block := func(states uint32, s string) string {
		return "\x01" + string(binary.LittleEndian.AppendUint32(nil, states)) + samples.RPack(s)
	}
	inCard := func(module file) string {
		return archive("", cardFile(with("extensions", map[string]any{"risuai": map[string]any{}})), module)
	}
	return []hostile{
		// ---- presets
		{name: "RISUP: sound", make: func() string { return sound }, reads: "Bomb"},
		{name: "RISUP: 1 GB of zeros where the preset should be", make: func() string {
			return samples.RPack(gzipped(1024*mib, presetHead, bin32(1024*mib, "")))
		}, code: fault.OverLimit, limit: "Entry", words: []string{"gzip", "8 MiB"}},
		{name: "RISUP: 6 MB of zeros", make: func() string {
			return samples.RPack(gzipped(6*mib, presetHead, bin32(6*mib, "")))
		}, code: fault.OverLimit, limit: "Ratio", words: []string{"gzip", "200"}},
		{name: "RISUPRESET: 6 MB of zeros", make: func() string {
			return gzipped(6*mib, presetHead, bin32(6*mib, ""))
		}, code: fault.OverLimit, limit: "Ratio", words: []string{"gzip"}},
		{name: "RISUP: bytes that state 4 GB", make: func() string { return samples.RPack(gzipped(0, presetHead, bin32(1<<32-1, "x"))) }, code: fault.Damaged, words: []string{"4294967295 bytes"}},
		{name: "RISUP: a list that states 4 billion elements", make: func() string { return risup(namedPreset(1, "\xaeformatingOrder\xdd\xff\xff\xff\xff")) }, code: fault.Damaged, words: []string{"4294967295 elements"}},
		{name: "RISUP: a map that states 4 billion pairs", make: func() string { return risup("\xdf\xff\xff\xff\xff\xa4name\xa1x") }, code: fault.Damaged, words: []string{"4294967295 pairs"}},
		{name: "RISUP: a text that states 4 GB", make: func() string { return risup(namedPreset(1, "\xa1a\xdb\xff\xff\xff\xff")) }, code: fault.Damaged, words: []string{"4294967295 bytes"}},
		{name: "RISUP: an extension that states 4 GB", make: func() string { return risup(namedPreset(1, "\xa1a\xc9\xff\xff\xff\xff\x00")) }, code: fault.Damaged, words: []string{"4294967295 bytes"}},
		{name: "RISUP: lists 100,000 deep", make: func() string { return risup(namedPreset(1, "\xa1a"+strings.Repeat("\x91", 100_000)+"\xc0")) }, code: fault.OverLimit, limit: "JSONDepth", words: []string{"512"}},
		{name: "RISUP: maps 100,000 deep", make: func() string { return risup(namedPreset(1, "\xa1a"+strings.Repeat("\x81\xa1a", 100_000)+"\xc0")) }, code: fault.OverLimit, limit: "JSONDepth", words: []string{"512"}},
		{name: "RISUP: maps as keys", make: func() string { return risup(namedPreset(1, strings.Repeat("\x81", 100_000)+"\xc0\xc0")) }, code: fault.Damaged, words: []string{"key"}},
		{name: "RISUP: lists 100,000 deep beside the preset", make: func() string {
			return samples.RPack(gzipped(0, "\xde\x00\x04\xadpresetVersion\x02\xa1x"+strings.Repeat("\x91", 100_000)+"\xc0\xa4type\xa6preset\xa6preset", bin32(uint32(len(sealed("\x80"))), sealed("\x80"))))
		}, reads: "card"},
		{name: "RISUP: 200,000 prompts", make: func() string {
			item := "\x81\xa4type\xa5plain"
			return risup(namedPreset(1, "\xaepromptTemplate\xdd\x00\x03\x0d\x40"+strings.Repeat(item, 200_000)))
		}, code: fault.OverLimit, limit: "Items", words: []string{"12,000"}},
		{name: "RISUP: 7 million empty lists", make: func() string {
			return risup(namedPreset(1, "\xa1a\xdd\x00\x6a\xcf\xc0"+strings.Repeat("\x90", 7_000_000)))
		}, code: fault.OverLimit, limit: "Items", words: []string{"1,200,000 values"}},
		{name: "RISUP: a million empty lists", make: func() string {
			return risup(namedPreset(1, "\xa1a\xdd\x00\x0f\x42\x40"+strings.Repeat("\x90", 1_000_000)))
		}, reads: "Bomb"},
		{name: "RISUP: one name 65,000 times", make: func() string {
			return risup("\xde\xfd\xe8" + strings.Repeat("\xa4name\xa4Bomb", 65_000-1) + "\xaamainPrompt\xa2Be")
		}, reads: "Bomb"},
		{name: "RISUP: a text of 30 MB", make: func() string {
			return risup(namedPreset(1, "\xa9jailbreak\xdb"+string(binary.BigEndian.AppendUint32(nil, 30*mib))+strings.Repeat("spam and eggs ", 30*mib/14)+strings.Repeat(".", 30*mib-30*mib/14*14)))
		}, code: fault.OverLimit, limit: "Entry", words: []string{"8 MiB", "30.0 MiB"}},
		{name: "RISUP: a text of 6 MB", make: func() string {
			return risup(namedPreset(1, "\xa9jailbreak\xdb"+string(binary.BigEndian.AppendUint32(nil, 6*mib))+strings.Repeat("spam", 6*mib/4)))
		}, reads: "Bomb"},
		{name: "RISUP: a text that is no UTF-8", make: func() string { return risup(namedPreset(1, "\xa9jailbreak\xa3\xff\xfe\x00")) }, reads: "Bomb"},
		{name: "RISUP: a list instead of a preset", make: func() string { return risup("\x93\x01\x02\x03") }, code: fault.Damaged},
		{name: "RISUP: a number instead of a preset", make: func() string { return risup("\x07") }, code: fault.Damaged},
		{name: "RISUP: nothing instead of a preset", make: func() string { return risup("") }, code: fault.Damaged},
		{name: "RISUP: bytes behind the preset", make: func() string { return risup(namedPreset(0, "") + "\x01\x02") }, code: fault.Damaged, words: []string{"2 bytes stand behind"}},
		{name: "RISUP: a flipped bit in the seal", make: func() string {
			s := sealed(namedPreset(0, ""))
			return samples.RPack(gzipped(0, presetHead, bin32(uint32(len(s)), flipped(s, 9))))
		}, code: fault.Damaged, words: []string{"preset"}},
		{name: "RISUP: a flipped bit in the tag", make: func() string {
			s := sealed(namedPreset(0, ""))
			return samples.RPack(gzipped(0, presetHead, bin32(uint32(len(s)), flipped(s, len(s)-1))))
		}, code: fault.Damaged, words: []string{"preset"}},
		{name: "RISUP: a seal of three bytes", make: func() string { return samples.RPack(gzipped(0, presetHead, bin32(3, "abc"))) }, code: fault.Damaged},
		{name: "RISUP: no seal", make: func() string { return samples.RPack(gzipped(0, presetHead, "\xc4\x00")) }, code: fault.Damaged},
		{name: "RISUP: a text where the seal should be", make: func() string { return samples.RPack(gzipped(0, presetHead, "\xa3abc")) }, code: fault.Damaged},
		{name: "RISUP: another version", make: func() string {
			return samples.RPack(gzipped(0, strings.Replace(presetHead, "Version\x02", "Version\x63", 1), bin32(3, "abc")))
		}, code: fault.Unsupported, words: []string{"99"}},
		{name: "RISUP: cut in the middle", make: func() string { return sound[:len(sound)/2] }, code: fault.Damaged, words: []string{"cut short"}},
		{name: "RISUP: cut to twelve bytes", make: func() string { return sound[:12] }, code: fault.NotRecognized},
		{name: "RISUP: without its last byte", make: func() string { return sound[:len(sound)-1] }, reads: "Bomb", warns: "gzip frame is damaged"},
		{name: "RISUP: unpacked twice", make: func() string { return samples.RPack(sound) }, code: fault.NotRecognized},

		// ---- modules
		{name: "RISUM: sound", make: func() string { return soundModule("", "\x00") }, reads: "Bomb"},
		{name: "RISUM: a document that states 4 GB", make: func() string { return moduleFile(1<<32-1, `{"module":{}}`, "\x00") }, code: fault.Damaged, words: []string{"byte 2", "4.0 GiB"}},
		{name: "RISUM: a document that states one byte too many", make: func() string { return moduleFile(3, `{}`, "") }, code: fault.Damaged, words: []string{"3 bytes", "2 bytes"}},
		{name: "RISUM: a document that states less", make: func() string { return moduleFile(20, `{"module":{"name":"Bomb"},"type":"risuModule"}`, "\x00") }, code: fault.Damaged, words: []string{"document of the module"}},
		{name: "RISUM: a document of no bytes", make: func() string { return moduleFile(0, "", "\x00") }, code: fault.Empty, words: []string{"document of the module"}},
		{name: "RISUM: lists 200,000 deep", make: func() string {
			return soundModule(`,"x":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000), "\x00")
		}, code: fault.OverLimit, limit: "JSONDepth", words: []string{"document of the module", "512"}},
		{name: "RISUM: an asset that states 4 GB", make: func() string { return soundModule(`,"assets":[["a","","png"]]`, block(1<<32-1, "abc")) }, reads: "Bomb", warns: "asset 1 of the module is cut off"},
		{name: "RISUM: an asset whose length is cut", make: func() string { return soundModule(`,"assets":[["a","","png"]]`, "\x01\xff") }, reads: "Bomb", warns: "cut off"},
		{name: "RISUM: a million assets of no bytes", make: func() string { return soundModule("", strings.Repeat("\x01\x00\x00\x00\x00", 1_000_000)+"\x00") }, code: fault.OverLimit, limit: "Items", words: []string{"assets of the module", "12,000"}},
		{name: "RISUM: an element for each of a million assets", make: func() string {
			return soundModule(`,"assets":[`+strings.Repeat(`["a","","png"],`, 999_999)+`["a","","png"]]`, "\x00")
		}, code: fault.OverLimit, limit: "Items"},
		{name: "RISUM: more assets than elements", make: func() string { return soundModule(`,"assets":[["a","","png"]]`, block(1, "a")+block(1, "b")+"\x00") }, reads: "Bomb", warns: "asset"},
		{name: "RISUM: a mark that is none", make: func() string { return soundModule("", "\x07") }, code: fault.Damaged, words: []string{"07"}},
		{name: "RISUM: no end", make: func() string { return soundModule("", "") }, reads: "Bomb", warns: "end mark"},
		{name: "RISUM: bytes behind the end", make: func() string { return soundModule("", "\x00"+strings.Repeat("x", mib)) }, reads: "Bomb", warns: "1 MiB follow"},
		{name: "RISUM: a later version", make: func() string { return "o\x05" + soundModule("", "\x00")[2:] }, code: fault.Unsupported, words: []string{"version 5"}},
		{name: "RISUM: names that climb out", make: func() string {
			return soundModule(`,"assets":[["../../../etc/passwd","","png"],["C:\\x\u0000y","","../../sh"],["","",""]]`, block(3, "abc")+block(3, "abd")+block(3, "abe")+"\x00")
		}, reads: "Bomb"},
		{name: "RISUM: wrong types everywhere", make: func() string {
			return soundModule(`,"lorebook":{"a":1},"regex":"x","trigger":7,"assets":{"b":2},"cjs":null,"lowLevelAccess":"yes","customModuleToggle":[]`, "\x00")
		}, reads: "Bomb"},
		{name: "RISUM: rows of wrong types", make: func() string {
			return soundModule(`,"lorebook":[null,7,"x",[],{"key":{"a":1},"content":[],"mode":3,"insertorder":"x"}],"regex":[null,7,{"in":[],"out":{}}],"trigger":[null,7,{"effect":3}],"assets":[null,7,[],[1,2,3],[["a"]]]`, "\x00")
		}, reads: "Bomb"},
		{name: "RISUM: 100,000 entries", make: func() string {
			return soundModule(`,"lorebook":[`+strings.Repeat(`{"key":"a","content":"@@depth 1\nx"},`, 100_000)+`{}]`, "\x00")
		}, code: fault.OverLimit, limit: "Items"},
		{name: "RISUM: an entry of 100,000 decorators", make: func() string {
			text, _ := json.Marshal(strings.Repeat("@@depth 1\n", 100_000) + "x")
			return soundModule(`,"lorebook":[{"key":"a","content":`+string(text)+`}]`, "\x00")
		}, reads: "Bomb"},
		{name: "RISUM: a key of a million commas", make: func() string {
			return soundModule(`,"lorebook":[{"key":"`+strings.Repeat("a,", mib/2)+`","content":"x"}]`, "\x00")
		}, code: fault.OverLimit, limit: "Items", words: []string{"module.lorebook[].key", "12,000"}},
		{name: "RISUM: a decorator of a million commas", make: func() string {
			return soundModule(`,"lorebook":[{"key":"a","content":"@@exclude_keys `+strings.Repeat("a,", mib/2)+`\nx"}]`, "\x00")
		}, reads: "Bomb"},
		{name: "JSON: a lorebook entry of a million keys", make: replaced(`"keys":["harbour"]`, `"keys":["a"`+strings.Repeat(`,"a"`, mib)+`]`), code: fault.OverLimit, limit: "Items", words: []string{"data.character_book.entries[].keys"}},
		{name: "RISUM: 2,000 folders in each other", make: func() string {
			var b strings.Builder
			for i := range 2000 {
				fmt.Fprintf(&b, `{"key":"\uf000folder:%d","folder":"\uf000folder:%d","mode":"folder","comment":"f"},`, i, (i+1)%2000)
			}
			return soundModule(`,"lorebook":[`+b.String()+`{"key":"a","content":"x","folder":"\uf000folder:7"}]`, "\x00")
		}, reads: "Bomb"},

		// ---- modules inside a card
		{name: "CHARX: a module of 1 GB", make: func() string {
			return inCard(file{name: "module.risum", comp: zeros(1024 * mib), method: 8, size: 1024 * mib})
		}, reads: bench, warns: "module.risum) cannot be read"},
		{name: "CHARX: a module that lies about its length", make: func() string {
			return inCard(file{name: "module.risum", data: moduleFile(1<<32-1, `{"module":{}}`, "\x00"), method: 8})
		}, reads: bench, warns: "module.risum) cannot be read"},
		{name: "CHARX: a module with a bad mark", make: func() string {
			return inCard(file{name: "module.risum", data: soundModule(`,"lorebook":[]`, "\x09"), method: 8})
		}, reads: bench, warns: "module.risum) cannot be read"},
	}
}
