// Command gen writes the JSON Schema (draft 2020-12) of the canonical file from the types of package canonical: the
// shapes by reflection, the descriptions from the doc comments and line comments of their source. It is a tool for
// go generate and its test keeps the checked-in file fresh; nothing that is shipped links it.
package main

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"bunzai/canonical"
	"bunzai/jsondoc"
)

func main() {
	dir := packageDir()
	b, err := Generate(dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "schema", "bunzai.schema.json"), b, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// packageDir is the folder of package canonical, from the place of this file.
func packageDir() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..")
}

// enums are the closed sets of words, by type and JSON name. Sets that formats may extend are not listed.
var enums = map[string][]string{
	"Structured.kind":               {"text", "attributes", "wpp", "sbf", "boostyle"},
	"DepthInjection.role":           {"system", "user", "assistant"},
	"DepthInjection.origin":         {"depth_prompt", "rolecall_details", "worldinfo"},
	"Asset.role":                    {"portrait", "emotion", "outfit", "pose", "background", "other"},
	"Discovery.rating":              {"all-ages", "mature", "explicit"},
	"Persona.rating":                {"all-ages", "mature", "explicit"},
	"Lorebook.lorebookType":         {"world", "character", "scenario", "rules", "utility", "other"},
	"Lorebook.budgetMode":           {"token", "entry"},
	"Entry.triggerMode":             {"simple", "advanced"},
	"Entry.selectiveLogic":          {canonical.LogicAndAny, canonical.LogicAndAll, canonical.LogicNotAny, canonical.LogicNotAll},
	"Entry.role":                    {"system", "user", "assistant"},
	"Entry.markerSide":              {"before", "after"},
	"Effect.type":                   {"setvar", "addvar", "incvar", "decvar", "delvar"},
	"Effect.scope":                  {"local", "global"},
	"RegexRule.targets":             {"prompt", "response", "display"},
	"RegexRule.substituteFind":      {canonical.SubstituteNone, canonical.SubstituteRaw, canonical.SubstituteEscaped, canonical.SubstituteAfter},
	"ChatInjection.role":            {"system", "user", "assistant"},
	"Prompt.role":                   {"system", "user", "assistant", "tool"},
	"Samplers.contextMode":          {"tokens", "messages"},
	"Samplers.promptPostProcessing": {"none", "merge", "merge_tools", "semi", "semi_tools", "strict", "strict_tools", "single", "claude"},
	"Choice.type":                   {canonical.ChoiceOne, canonical.ChoiceMany, canonical.ChoiceToggle, canonical.ChoiceInput},
}

// known are words that sources use in sets that stay open; they are suggested, not demanded.
var known = map[string][]string{
	"Entry.position": {canonical.PosWorld, canonical.PosCharacter, canonical.PosAuthorNoteTop, canonical.PosAuthorNoteBottom,
		canonical.PosDepth, canonical.PosBeforeExample, canonical.PosAfterExample, canonical.PosOutlet, canonical.PosMarker,
		canonical.PosAppend, canonical.PosAppendBottom, canonical.PosPrependTop, canonical.PosScene},
	"Entry.generationTypes": {"normal", "continue", "impersonate", "swipe", "regenerate", "quiet"},
	"RegexRule.phases": {canonical.PhaseInput, canonical.PhaseOutput, canonical.PhaseRequest, canonical.PhaseDisplay, canonical.PhasePrompt,
		canonical.PhaseLorebook, canonical.PhaseReasoning, canonical.PhaseSlash, canonical.PhaseMemory},
	"Prompt.placement":        {canonical.PlaceRelative, canonical.PlaceInChat, canonical.PlaceAppend, canonical.PlaceAppendPreset, canonical.PlacePrependPreset},
	"ChatInjection.position":  {"prompt", "author_note_top", "author_note_bottom", "in_chat", "none", "world", "character", "scene", "depth"},
	"Media.visualKind":        {"avatar", "sprite"},
	"RisuSettings.viewScreen": {"none", "emotion", "imggen"},
}

// required are the members that DecodeEntity demands; all others may be absent.
var required = map[string][]string{
	"Character":     {"identity"},
	"Identity":      {"name"},
	"Lorebook":      {"name", "entries"},
	"Entry":         {"id"},
	"RegexSet":      {"name", "rules"},
	"Persona":       {"name", "content"},
	"Preset":        {"name", "prompts"},
	"QuickReplySet": {"name", "replies"},
}

// Generate makes the schema from the source in dir.
func Generate(dir string) ([]byte, error) {
	docs, err := readDocs(dir)
	if err != nil {
		return nil, err
	}
	g := &generator{docs: docs, defs: jsondoc.Object(), used: map[string]bool{}}
	root := obj(
		"$schema", "https://json-schema.org/draft/2020-12/schema",
		"$id", canonical.SchemaID,
		"title", "bunzai canonical file",
		"description", "One piece of AI role-play content (character, lorebook, regex set, persona, preset or quick replies) "+
			"in the canonical model. Members that the model does not know are allowed and kept.",
		"type", "object",
	)
	kinds := canonical.Kinds()
	var names []*jsondoc.Value
	var branches []*jsondoc.Value
	for _, k := range kinds {
		names = append(names, jsondoc.String(string(k)))
		t := reflect.TypeOf(canonical.NewBody(k)).Elem()
		branches = append(branches, obj(
			"if", obj("properties", obj("kind", obj("const", string(k)))),
			"then", obj("properties", obj("body", g.ref(t))),
		))
	}
	root.Set("properties", obj(
		"schemaVersion", obj("description", "Version of the model.", "const", canonical.SchemaVersion),
		"kind", obj("description", "What the piece is.", "enum", jsondoc.Array(names...)),
		"id", obj("description", "Slug of the piece, unique among pieces of its kind.", "type", "string", "minLength", 1),
		"body", obj("description", "The content; its shape follows from kind.", "type", "object"),
		"original", obj(
			"description", "Escrow: what each source format carried that has no canonical home. Never edited by hand. The first bucket names the source.",
			"type", orNull("object"), "additionalProperties", obj("$ref", "#/$defs/Escrow")),
		"notes", obj("description", "The author's notes about the piece; no app format carries them.",
			"type", orNull("array"), "items", g.ref(reflect.TypeFor[canonical.Note]())),
	))
	root.Set("required", strings_("schemaVersion", "kind", "id", "body"))
	root.Set("allOf", jsondoc.Array(branches...))
	g.escrow()
	root.Set("$defs", g.defs)
	b := jsondoc.NewDoc(root, "  ").Bytes()
	return append(b[:len(b):len(b)], '\n'), nil
}

type generator struct {
	docs map[string]string // "Type" or "Type.Field" -> words
	defs *jsondoc.Value
	used map[string]bool
}

func (g *generator) escrow() {
	b64 := obj("type", "string", "contentEncoding", "base64")
	g.defs.Set("Escrow", obj(
		"type", "object",
		"properties", obj(
			"raw", obj("description", "The source document, with its exact bytes."),
			"rawPrefix", obj("description", "What stands before the root of raw: byte order mark, white space.", "type", "string"),
			"rawSuffix", obj("description", "What stands after it.", "type", "string"),
			"unmapped", obj("description", "Facts of the codec, such as the variant.", "type", orNull("object")),
			"sourceMedia", obj("description", "The carrier picture without its card chunks.", "type", orNull("object"),
				"properties", obj("b64", b64.Clone(), "mime", obj("type", "string")), "required", strings_("b64")),
			"files", obj("description", "Every entry of a source archive, in order.", "type", orNull("object"), "additionalProperties", b64),
		),
	))
}

// ref returns a reference to the definition of a struct, and makes the definition.
func (g *generator) ref(t reflect.Type) *jsondoc.Value {
	name := t.Name()
	if !g.used[name] {
		g.used[name] = true
		g.defs.Set(name, jsondoc.Object()) // keeps the order in which they are met
		def := obj("type", "object")
		if d := g.docs[name]; d != "" {
			def = obj("description", d, "type", "object")
		}
		props := jsondoc.Object()
		for i := range t.NumField() {
			f := t.Field(i)
			tag := f.Tag.Get("json")
			if tag == "" || tag == "-" {
				continue
			}
			props.Set(tag, g.member(t, f, tag))
		}
		if name == "Asset" || name == "Background" {
			props.Set("ref", obj("description", "A base64 data URI with the bytes; or an http(s) URL, an archive path or ccdefault:.", "type", "string"))
			props.SetAfter("ref", "path", obj("description", "Where the source keeps it, when ref holds the bytes.", "type", "string"))
		}
		def.Set("properties", props)
		if r := required[name]; r != nil {
			def.Set("required", strings_(r...))
		}
		g.defs.Set(name, def)
	}
	return obj("$ref", "#/$defs/"+name)
}

func (g *generator) member(owner reflect.Type, f reflect.StructField, tag string) *jsondoc.Value {
	key := owner.Name() + "." + tag
	shape := g.shape(f.Type, key, f.Type.Kind() == reflect.Pointer || f.Type.Kind() == reflect.Slice)
	if d := g.docs[owner.Name()+"."+f.Name]; d != "" {
		out := obj("description", d)
		for k, v := range shape.Members() {
			out.Set(k, v)
		}
		return out
	}
	return shape
}

// shape is the schema of a type. null stands for absent where the field is optional.
func (g *generator) shape(t reflect.Type, key string, optional bool) *jsondoc.Value {
	typed := func(word string, kv ...any) *jsondoc.Value {
		var ty any = word
		if optional {
			ty = orNull(word)
		}
		return obj(append([]any{"type", ty}, kv...)...)
	}
	switch {
	case t == reflect.TypeFor[*jsondoc.Value]():
		return obj()
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		r := g.ref(t.Elem())
		if optional && !strings.HasSuffix(key, "[]") {
			return obj("anyOf", jsondoc.Array(r, obj("type", "null")))
		}
		return r
	case t.Kind() == reflect.Pointer:
		return g.shape(t.Elem(), key, optional)
	case t.Kind() == reflect.Struct:
		return g.ref(t)
	case t.Kind() == reflect.String:
		if e := enums[strings.TrimSuffix(key, "[]")]; e != nil {
			list := words(e)
			if optional && !strings.HasSuffix(key, "[]") {
				list.AppendElem(jsondoc.Null())
			}
			return obj("enum", list)
		}
		if e := known[strings.TrimSuffix(key, "[]")]; e != nil {
			return typed("string", "examples", words(e))
		}
		return typed("string")
	case t.Kind() == reflect.Bool:
		return typed("boolean")
	case t.Kind() == reflect.Float64:
		return typed("number")
	case t.Kind() == reflect.Slice && strings.HasPrefix(t.Name(), "Map["):
		return typed("object", "additionalProperties", g.shape(t.Elem().Field(1).Type, key+".*", false))
	case t.Kind() == reflect.Slice:
		return typed("array", "items", g.shape(t.Elem(), key+"[]", false))
	}
	panic("no schema for " + t.String())
}

// obj makes an object of names and values (texts, whole numbers or values).
func obj(kv ...any) *jsondoc.Value {
	o := jsondoc.Object()
	for i := 0; i < len(kv); i += 2 {
		var v *jsondoc.Value
		switch x := kv[i+1].(type) {
		case string:
			v = jsondoc.String(x)
		case int:
			v = jsondoc.Int(int64(x))
		case *jsondoc.Value:
			v = x
		default:
			panic(fmt.Sprintf("%T", x))
		}
		o.Set(kv[i].(string), v)
	}
	return o
}

func orNull(word string) *jsondoc.Value { return strings_(word, "null") }

func strings_(s ...string) *jsondoc.Value { return words(s) }

func words(s []string) *jsondoc.Value {
	a := jsondoc.Array()
	for _, x := range s {
		a.AppendElem(jsondoc.String(x))
	}
	return a
}

var spaces = regexp.MustCompile(`\s+`)

// readDocs collects the comments of types and fields in the Go files of dir.
func readDocs(dir string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	docs := map[string]string{}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			gd, ok := d.(*ast.GenDecl)
			if !ok || gd.Tok != token.TYPE {
				continue
			}
			for _, s := range gd.Specs {
				ts := s.(*ast.TypeSpec)
				st, ok := ts.Type.(*ast.StructType)
				if !ok {
					continue
				}
				text := ts.Doc.Text()
				if text == "" {
					text = gd.Doc.Text()
				}
				docs[ts.Name.Name] = prose(text)
				for _, fd := range st.Fields.List {
					text := fd.Doc.Text()
					if text == "" {
						text = fd.Comment.Text()
					}
					for _, n := range fd.Names {
						docs[ts.Name.Name+"."+n.Name] = prose(text)
					}
				}
			}
		}
	}
	return docs, nil
}

// prose is a comment as one line that begins with a capital and ends with a full stop.
func prose(text string) string {
	var p comment.Printer
	var cp comment.Parser
	s := strings.TrimSpace(spaces.ReplaceAllString(string(p.Text(cp.Parse(text))), " "))
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(s, "nil = ", "absent = ")
	if s[0] >= 'a' && s[0] <= 'z' && !strings.Contains(strings.SplitN(s, " ", 2)[0], ",") {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
