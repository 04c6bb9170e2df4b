package api

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/formats"
)

type object = map[string]any

// describe makes the OpenAPI 3.1 document of the table of routes and of the Go types of the answers.
func describe(version string, tokens bool) object {
	d := &schemas{done: object{}}
	paths := object{}
	for i := range routes {
		rt := &routes[i]
		item, _ := paths[rt.path].(object)
		if item == nil {
			item = object{}
			paths[rt.path] = item
		}
		item[strings.ToLower(rt.method)] = d.operation(rt, tokens)
	}
	codes := make([]any, len(classes))
	for i, c := range classes {
		codes[i] = c.Code
	}
	d.of(reflect.TypeFor[Problem]())
	d.of(reflect.TypeFor[convert.Report]())
	d.of(reflect.TypeFor[ShortReport]())
	d.done["Problem"].(object)["properties"].(object)["code"] = object{"type": "string", "enum": codes}
	if version == "" {
		version = "dev"
	}
	out := object{
		"openapi": "3.1.0",
		"info": object{
			"title": "bunzai", "version": version,
			"description": "Converts files of AI role-play apps (character cards, lorebooks) without silent loss. Nothing that is sent is kept.",
		},
		"paths":      paths,
		"components": object{"schemas": d.done},
	}
	if tokens {
		out["components"].(object)["securitySchemes"] = object{"token": object{"type": "http", "scheme": "bearer"}}
	}
	return out
}

func (d *schemas) operation(rt *route, tokens bool) object {
	op := object{"summary": rt.about, "operationId": operationID(rt)}
	var params []any
	for part := range strings.SplitSeq(rt.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			params = append(params, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	fields := object{"file": object{"type": "string", "contentMediaType": "application/octet-stream"}}
	for _, p := range rt.params {
		schema := object{"type": "string"}
		if len(p.enum) > 0 {
			schema["enum"] = p.enum
		}
		params = append(params, object{"name": p.name, "in": "query", "required": p.required && !rt.body, "description": p.about, "schema": schema})
		fields[p.name] = object{"type": "string", "description": p.about}
	}
	if rt.body {
		params = append(params, object{"name": passwordHeader, "in": "header", "required": false, "description": passwordAbout, "schema": object{"type": "string"}})
	}
	if len(params) > 0 {
		op["parameters"] = params
	}
	if rt.body {
		op["requestBody"] = object{
			"required": true,
			"description": "The file itself, or a form with it as the one part that has a filename. " +
				"What the query takes may come as fields of the form, but not both.",
			"content": object{
				"application/octet-stream": object{},
				"multipart/form-data":      object{"schema": object{"type": "object", "properties": fields, "required": []string{"file"}}},
			},
		}
		if tokens {
			op["security"] = []any{object{"token": []string{}}}
		}
	}
	responses := object{}
	good := object{"description": "Done."}
	switch {
	case rt.result == nil:
		good["content"] = object{
			"application/json": object{}, "image/png": object{}, "image/jpeg": object{}, "application/zip": object{}, "application/yaml": object{}, "application/octet-stream": object{},
			"multipart/mixed": object{"schema": object{"type": "object", "properties": object{"report": d.of(reflect.TypeFor[convert.Report]()), "file": object{}}}},
		}
		good["headers"] = object{
			"Content-Disposition": object{"schema": object{"type": "string"}, "description": "The suggested file name."},
			"Bunzai-Report": object{
				"description": "What became of every field, short enough for a header. Characters beyond ASCII are written as \\uXXXX.",
				"content":     object{"application/json": object{"schema": d.of(reflect.TypeFor[ShortReport]())}},
			},
		}
	case rt.typeOf().Kind() == reflect.Map:
		good["content"] = object{rt.media: object{"schema": object{"type": "object"}}}
	default:
		good["content"] = object{rt.media: object{"schema": d.of(rt.typeOf())}}
	}
	responses["200"] = good
	if rt.path == "/v1/formats" || rt.path == "/v1/openapi.json" {
		responses["304"] = object{"description": "The same as what If-None-Match names."}
	}
	byStatus := map[int][]string{}
	for _, code := range rt.codes {
		s := classOf(code).Status
		byStatus[s] = append(byStatus[s], code)
	}
	for s, codes := range byStatus {
		slices.Sort(codes)
		responses[strconv.Itoa(s)] = object{
			"description": "Refused: " + strings.Join(codes, ", ") + ".",
			"content":     object{"application/problem+json": object{"schema": d.of(reflect.TypeFor[Problem]())}},
		}
	}
	op["responses"] = responses
	return op
}

func operationID(rt *route) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(rt.method))
	for _, w := range strings.FieldsFunc(rt.path, func(r rune) bool { return r == '/' || r == '.' || r == '{' || r == '}' }) {
		if w != "v1" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// schemas are the JSON Schemas of Go types as package plain writes them.
type schemas struct{ done object }

// enums are the types that have a closed set of values.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[convert.Verdict](): {string(convert.Carried), string(convert.Parked), string(convert.Changed), string(convert.Lost)},
	reflect.TypeFor[canonical.Kind](): {
		string(canonical.KindCharacter), string(canonical.KindLorebook), string(canonical.KindRegex),
		string(canonical.KindPersona), string(canonical.KindPreset), string(canonical.KindQuickReply),
	},
	// A lorebook inside a card has no container of its own.
	reflect.TypeFor[formats.Container](): append(formats.Containers(), ""),
}

func (d *schemas) of(t reflect.Type) object {
	if list, ok := enums[t]; ok {
		return object{"type": "string", "enum": list}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": d.of(t.Elem())}
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct && t.Elem().NumField() == 0 {
			return object{"type": "null"}
		}
		return object{"anyOf": []any{d.of(t.Elem()), object{"type": "null"}}}
	case reflect.Struct:
		if _, ok := d.done[t.Name()]; !ok {
			s := object{"type": "object"}
			d.done[t.Name()] = s // before the fields, for types that hold themselves
			props, required := object{}, []string{}
			d.fields(t, props, &required)
			s["properties"], s["required"] = props, required
		}
		return object{"$ref": "#/components/schemas/" + t.Name()}
	}
	return object{}
}

func (d *schemas) fields(t reflect.Type, props object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || (!f.IsExported() && !f.Anonymous):
			continue
		case f.Anonymous && name == "":
			d.fields(f.Type, props, required)
			continue
		}
		props[name] = d.of(f.Type)
		if !strings.Contains(opts, "omitempty") {
			*required = append(*required, name)
		}
	}
}
