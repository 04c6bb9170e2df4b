package laws

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/jsondoc"
	"bunzai/rope"
	"bunzai/testdata/samples"
)

// leaf is one populated value of a body, with the way to it.
type leaf struct {
	piece int    // 0 the main piece, 1.. its books
	path  string // as Walk writes it
	steps []int  // field and element indices
	app   string // of the file
}

func (l leaf) generic() string { return canonical.Generic(l.path) }

// notEdited are fields that say where the source keeps something, that only make sense together with another field,
// or that are links to other pieces.
var notEdited = map[string]bool{
	"Entry.id": true, "Greeting.id": true, "Asset.ref": true, "Asset.mime": true, "Asset.role": true, "Asset.label": true, "Asset.primary": true,
	"Trigger.isRegex": true, "DepthInjection.origin": true, "Character.knowledgeRefs": true, "Variant.id": true, "QuickReply.id": true, "Persona.knowledgeRefs": true, "Asset.type": true,
	"RegexRule.id": true, "Character.behaviorRefs": true, "Voice.provider": true,
}

// leaves lists the populated leaves of a body.
func leaves(piece int, body any) (out []leaf) {
	var walk func(v reflect.Value, path string, steps []int)
	add := func(path string, steps []int) {
		out = append(out, leaf{piece: piece, path: path, steps: append([]int{}, steps...)})
	}
	walk = func(v reflect.Value, path string, steps []int) {
		switch v.Kind() {
		case reflect.Pointer:
			switch v.Interface().(type) {
			case *canonical.Blob:
				if !v.IsNil() {
					add(path, steps)
				}
				return
			case *jsondoc.Value:
				return
			}
			if !v.IsNil() {
				walk(v.Elem(), path, steps)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if f.Name == "Blob" {
					name = "content"
				}
				if name == "-" || notEdited[v.Type().Name()+"."+name] {
					continue
				}
				sub := name
				if path != "" {
					sub = path + "." + name
				}
				walk(v.Field(i), sub, append(steps, i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				e, sub := v.Index(i), path+"["+strconv.Itoa(i)+"]"
				at := append(steps, i)
				if strings.HasPrefix(v.Type().Name(), "Map[") {
					sub, at = path+"."+e.Field(0).String(), append(at, 1)
					e = e.Field(1)
				}
				walk(e, sub, at)
			}
		case reflect.String:
			if v.Len() > 0 {
				add(path, steps)
			}
		case reflect.Float64, reflect.Bool:
			add(path, steps)
		}
	}
	walk(reflect.ValueOf(body).Elem(), "", nil)
	return out
}

// at finds the leaf in a body; the pointer itself for an optional value. The zero Value when the way ends before.
func (l leaf) at(body any) reflect.Value {
	v := reflect.ValueOf(body).Elem()
	for _, s := range l.steps {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}
			}
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Struct:
			v = v.Field(s)
		default:
			if s >= v.Len() {
				return reflect.Value{}
			}
			v = v.Index(s)
		}
	}
	return v
}

func pick(s, a, b string) string {
	if s == a {
		return b
	}
	return a
}

// other is another value that the field can hold.
func other(name string, v reflect.Value) reflect.Value {
	switch x := v.Interface().(type) {
	case string:
		switch name {
		case "position":
			x = pick(x, canonical.PosWorld, canonical.PosCharacter)
		case "chatInjection.position":
			x = pick(x, "prompt", "none")
		case "role":
			x = pick(x, "user", "assistant")
		case "selectiveLogic":
			x = pick(x, canonical.LogicNotAny, canonical.LogicAndAny)
		case "triggerMode":
			x = pick(x, "simple", "advanced")
		case "markerSide":
			x = pick(x, "before", "after")
		case "placement":
			x = pick(x, canonical.PlaceInChat, canonical.PlaceRelative)
		case "reasoningEffort":
			x = pick(x, "high", "low")
		case "flags":
			x = pick(x, "i", "g")
		default:
			x += " (edited)"
		}
		return reflect.ValueOf(x)
	case float64:
		if name == "createdAt" || name == "updatedAt" {
			return reflect.ValueOf(math.Floor(x) + 86400)
		}
		if name == "delayUntilRecursion" {
			return reflect.ValueOf(1 - min(x, 1))
		}
		return reflect.ValueOf(x + 1)
	case bool:
		return reflect.ValueOf(!x)
	case *canonical.Blob:
		return reflect.ValueOf(canonical.RawBlob(rope.FromBytes(samples.Dot(99)), "image/png"))
	}
	panic("no other value for " + v.Type().String())
}

// edit changes the leaf in a body.
func (l leaf) edit(body any) {
	v := l.at(body)
	name := l.path[strings.LastIndexAny(l.path, ".]")+1:]
	if l.path == "chatInjection.position" {
		name = l.path
	}
	if v.Kind() == reflect.Pointer && v.Type() != reflect.TypeFor[*canonical.Blob]() {
		n := reflect.New(v.Type().Elem())
		n.Elem().Set(other(name, v.Elem()))
		v.Set(n)
		l.label(body)
		return
	}
	v.Set(other(name, v))
}

// label gives an emotion the label that follows its name, as reading does.
func (l leaf) label(body any) {
	if c, ok := body.(*canonical.Character); ok && strings.HasPrefix(l.path, "media.assets") && strings.HasSuffix(l.path, ".name") {
		for _, a := range c.Media.Assets {
			if a.Role == canonical.RoleEmotion {
				a.Label = a.Name
			}
		}
	}
}

// clear takes an optional leaf away; false when it is not optional.
func (l leaf) clear(body any) bool {
	v := l.at(body)
	if v.Kind() != reflect.Pointer {
		return false
	}
	v.SetZero()
	return true
}

// restore gives the leaf of body the value that it has in from; false when body has no such place any more.
func (l leaf) restore(body, from any) bool {
	v := l.at(body)
	if !v.IsValid() {
		return false
	}
	v.Set(l.at(from))
	l.label(body)
	return true
}

// edited is a copy of pieces with one body changed; nothing is shared that an edit touches.
func edited(p *convert.Pieces, piece int, fn func(body any)) *convert.Pieces {
	q := *p
	q.Books, q.Regex, q.More = slices.Clone(p.Books), slices.Clone(p.Regex), slices.Clone(p.More)
	e := &q.Primary
	switch n, m := len(p.Books), len(p.Books)+len(p.Regex); {
	case piece > m:
		e = &q.More[piece-1-m]
	case piece > n:
		e = &q.Regex[piece-1-n]
	case piece > 0:
		e = &q.Books[piece-1]
	}
	x := **e
	x.Body = canonical.CloneBody(x.Body)
	fn(x.Body)
	*e = &x
	return &q
}

func body(p *convert.Pieces, piece int) any {
	if piece == 0 {
		return p.Primary.Body
	}
	return linked(p)[piece-1].Body
}

// allLeaves are those of every piece. Of a long list only the first four elements are tried.
func allLeaves(p *convert.Pieces) (out []leaf) {
	for i := range 1 + len(linked(p)) {
		for _, l := range leaves(i, body(p, i)) {
			if p.Info.App == "lumiverse" && (strings.HasPrefix(l.path, "media.assets") && strings.HasSuffix(l.path, ".name") || i > 0 && i <= len(p.Books) && len(p.Books) > 1) {
				continue // labels are keys of an object there, and several books are copied into one: its own tests look at these
			}
			if !strings.Contains(canonical.Generic(l.path), "[]") || !far(l.path) {
				l.app = p.Info.App
				out = append(out, l)
			}
		}
	}
	return out
}

func far(path string) bool {
	for _, s := range strings.Split(path, "[")[1:] {
		if n, err := strconv.Atoi(s[:strings.IndexByte(s, ']')]); err == nil && n > 3 {
			return true
		}
	}
	return false
}

// TestLeaves holds the mutator against canonical.Walk: what Walk visits is edited, but for the fields named above.
func TestLeaves(t *testing.T) {
	for _, name := range []string{"v3.json", "full.charx", "wi.json", "personas.json", "lumi-persona.json", "quick-replies.json"} {
		p := read(t, samples.Get(name).Data)
		ours := map[string]bool{}
		for _, l := range leaves(0, p.Primary.Body) {
			ours[l.path] = true
			q := edited(p, 0, l.edit)
			ch, err := canonical.Diff(p.Primary.Body, q.Primary.Body)
			assert.NoError(t, err)
			assert.NotEmpty(t, ch, "editing %s changes nothing", l.path)
		}
		canonical.Walk(p.Primary.Body, func(path string, v any) {
			switch g := canonical.Generic(path); {
			case ours[path], strings.HasSuffix(g, ".isRegex"), strings.HasSuffix(g, ".role"), strings.HasSuffix(g, ".label"), strings.HasSuffix(g, ".origin"), strings.HasSuffix(g, ".ref"), strings.HasPrefix(g, "media") && strings.HasSuffix(g, ".type"), strings.HasPrefix(g, "knowledgeRefs"):
			case v == "", g == "extras", g == "replies[].extras": // bags: the app's own tests edit their members
			default:
				if _, empty := v.(string); !empty {
					assert.Fail(t, "Walk visits what is never edited", "%s: %s", name, path)
				}
			}
		})
	}
}
