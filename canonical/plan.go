package canonical

import (
	"reflect"
	"strings"
	"sync"

	"bunzai/jsondoc"
)

// A plan is what reflection found out about a type of the model, once. Diff, Walk, the codec of the canonical file
// and the labels all run on plans, so a new field needs no code of its own.
type plan struct {
	op     op
	typ    reflect.Type
	elem   *plan   // opOpt, opRef, opList, opMap: what is inside
	fields []field // opStruct
	zero   reflect.Value
	whole  bool // opStruct: shown as one thing when it is missing on one side, not field by field
	blob   int  // opStruct: index of the Blob field, -1 when there is none
	ref    int  // opStruct with a blob: index of the Ref field
	extra  int  // opStruct: index of the Extra field, -1 when there is none
	keys   []func(reflect.Value) (uint64, bool)
}

type op uint8

const (
	opText   op = iota // string
	opBool             // bool
	opNum              // float64
	opOpt              // pointer to one of these
	opStruct           // struct
	opRef              // pointer to a struct
	opList             // slice
	opMap              // Map[V]
	opJSON             // *jsondoc.Value
	opBlob             // *Blob
)

type field struct {
	name       string // in JSON and in paths
	index      int
	plan       *plan
	provenance bool // where the source keeps it, not what it says: never compared
	bag        bool // Extra, which has no member of its own in JSON
}

// contentName is how a Blob is called in paths.
const contentName = "content"

// extraName is how Extra is called in paths.
const extraName = "extra"

var (
	jsonType = reflect.TypeFor[*jsondoc.Value]()
	blobType = reflect.TypeFor[*Blob]()

	// provenance fields are not compared: a format that has no ids numbers its rows, and each puts pictures elsewhere.
	provenance = map[reflect.Type][]string{
		reflect.TypeFor[Entry]():      {"id"},
		reflect.TypeFor[Greeting]():   {"id"},
		reflect.TypeFor[RegexRule]():  {"id"},
		reflect.TypeFor[QuickReply](): {"id"},
		reflect.TypeFor[Asset]():      {"ref", "mime"},
		reflect.TypeFor[Background](): {"ref"},
	}

	wholeTypes = map[reflect.Type]bool{
		reflect.TypeFor[Asset]():           true,
		reflect.TypeFor[Sprite]():          true,
		reflect.TypeFor[Background]():      true,
		reflect.TypeFor[CharacterFilter](): true,
		reflect.TypeFor[SideEffects]():     true,
		reflect.TypeFor[RegexCondition]():  true,
	}

	plans sync.Map // reflect.Type -> *plan
)

// planOf returns the plan of a type of the model.
func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*plan)
}

func makePlan(t reflect.Type) *plan {
	p := &plan{typ: t, blob: -1, ref: -1, extra: -1}
	switch {
	case t == jsonType:
		p.op = opJSON
	case t == blobType:
		p.op = opBlob
	case t.Kind() == reflect.String:
		p.op = opText
	case t.Kind() == reflect.Bool:
		p.op = opBool
	case t.Kind() == reflect.Float64:
		p.op = opNum
	case t.Kind() == reflect.Pointer:
		p.elem = planOf(t.Elem())
		p.op = opOpt
		if p.elem.op == opStruct {
			p.op = opRef
		}
	case t.Kind() == reflect.Struct:
		p.structure(t)
	case isMap(t):
		p.op, p.elem = opMap, planOf(t.Elem().Field(1).Type)
	case t.Kind() == reflect.Slice:
		p.op, p.elem = opList, planOf(t.Elem())
		p.keys = keysOf(t.Elem())
	default:
		panic("canonical: no plan for " + t.String())
	}
	return p
}

func (p *plan) structure(t reflect.Type) {
	p.op, p.whole, p.zero = opStruct, wholeTypes[t], reflect.Zero(t)
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fd := field{name: name, index: i}
		switch {
		case f.Type == blobType:
			p.blob, fd.name = i, contentName
		case name == "-":
			p.extra, fd.name, fd.bag = i, extraName, true
		}
		if f.Name == "Ref" {
			p.ref = i
		}
		for _, n := range provenance[t] {
			fd.provenance = fd.provenance || n == fd.name
		}
		fd.plan = planOf(f.Type)
		p.fields = append(p.fields, fd)
	}
}

// field returns the field of that JSON name.
func (p *plan) field(name string) *field {
	for i := range p.fields {
		if f := &p.fields[i]; f.name == name {
			return f
		}
	}
	return nil
}

func isMap(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && strings.HasPrefix(t.Name(), "Map[") && t.Elem().Kind() == reflect.Struct
}

// bodyOf returns the struct behind a body and its plan; ok is false for what is no pointer to a struct.
func bodyOf(body any) (reflect.Value, *plan, bool) {
	v := reflect.ValueOf(body)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem().Kind() != reflect.Struct {
		return v, nil, false
	}
	v = v.Elem()
	return v, planOf(v.Type()), true
}

// NewBody returns an empty body of the kind, or nil when there is no such kind.
func NewBody(k Kind) any {
	switch k {
	case KindCharacter:
		return &Character{}
	case KindLorebook:
		return &Lorebook{}
	case KindRegex:
		return &RegexSet{}
	case KindPersona:
		return &Persona{}
	case KindPreset:
		return &Preset{}
	case KindQuickReply:
		return &QuickReplySet{}
	}
	return nil
}

// KindOf returns the kind of a body, or "" when it is none.
func KindOf(body any) Kind {
	switch body.(type) {
	case *Character:
		return KindCharacter
	case *Lorebook:
		return KindLorebook
	case *RegexSet:
		return KindRegex
	case *Persona:
		return KindPersona
	case *Preset:
		return KindPreset
	case *QuickReplySet:
		return KindQuickReply
	}
	return ""
}

// Clone returns a deep copy of a body (or of any pointer to a struct of the model). Blobs are shared: they never change.
func Clone[T any](body *T) *T {
	if body == nil {
		return nil
	}
	out := new(T)
	*out = *body
	clonePlan(planOf(reflect.TypeFor[T]()), reflect.ValueOf(out).Elem())
	return out
}

// CloneBody is Clone for a body of whatever kind.
func CloneBody(body any) any {
	v, p, ok := bodyOf(body)
	if !ok {
		return body
	}
	out := reflect.New(v.Type())
	out.Elem().Set(v)
	clonePlan(p, out.Elem())
	return out.Interface()
}

// clonePlan makes v, a shallow copy, independent of its original.
func clonePlan(p *plan, v reflect.Value) {
	switch p.op {
	case opOpt, opRef:
		if v.IsNil() {
			return
		}
		n := reflect.New(p.elem.typ)
		n.Elem().Set(v.Elem())
		clonePlan(p.elem, n.Elem())
		v.Set(n)
	case opStruct:
		for i := range p.fields {
			clonePlan(p.fields[i].plan, v.Field(p.fields[i].index))
		}
	case opList, opMap:
		if v.IsNil() {
			return
		}
		n := reflect.MakeSlice(p.typ, v.Len(), v.Len())
		reflect.Copy(n, v)
		for i := range n.Len() {
			e := n.Index(i)
			if p.op == opMap {
				e = e.Field(1)
			}
			clonePlan(p.elem, e)
		}
		v.Set(n)
	case opJSON:
		if !v.IsNil() {
			v.Set(reflect.ValueOf(v.Interface().(*jsondoc.Value).Clone()))
		}
	}
}
