package canonical

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"bunzai/jsondoc"
	"bunzai/limits"
)

// step is one step of a path that is being walked; the text is made only when it is wanted.
type step struct {
	name string // member, when index is -1
	idx  int
	plus bool // an element that only the second body has
	all  bool // "[]": every element, idx is 0
}

type trail []step

func (t *trail) name(n string)          { *t = append(*t, step{name: n, idx: -1}) }
func (t *trail) index(i int, plus bool) { *t = append(*t, step{idx: i, plus: plus}) }
func (t *trail) pop()                   { *t = (*t)[:len(*t)-1] }
func (t trail) String() string          { return t.text() }
func (t trail) text() string {
	var room [96]byte
	p := room[:0]
	for _, s := range t {
		switch {
		case s.idx < 0:
			p = jsondoc.AppendName(p, s.name)
		case s.plus:
			p = append(strconv.AppendInt(append(p, "[+"...), int64(s.idx), 10), ']')
		default:
			p = jsondoc.AppendIndex(p, s.idx)
		}
	}
	return string(p)
}

// parsePath splits a path as Diff and Walk write it. A generic step "[]" has index 0; ok is false for anything else
// that is no path.
func parsePath(path string) (t trail, ok bool) {
	t = make(trail, 0, 8)
	for path != "" {
		switch {
		case strings.HasPrefix(path, `["`):
			end := 2
			for end < len(path) && path[end] != '"' {
				if path[end] == '\\' {
					end++
				}
				end++
			}
			if !strings.HasPrefix(path[min(end, len(path)):], `"]`) {
				return nil, false
			}
			v, err := jsondoc.Raw([]byte(path[1:end+1]), limits.Card())
			if err != nil {
				return nil, false
			}
			n, _ := v.Text()
			t.name(n)
			path = path[end+2:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return nil, false
			}
			in := path[1:end]
			digits, plus := strings.CutPrefix(in, "+")
			n, err := strconv.Atoi(digits)
			if in != "" && (err != nil || n < 0) {
				return nil, false
			}
			t.index(n, plus)
			t[len(t)-1].all = in == ""
			path = path[end+1:]
		default:
			if len(t) > 0 {
				var dot bool
				if path, dot = strings.CutPrefix(path, "."); !dot {
					return nil, false
				}
			}
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			if end == 0 {
				return nil, false
			}
			t.name(path[:end])
			path = path[end:]
		}
	}
	return t, true
}

// Generic returns the path with every index as "[]" and every key of a map as "*":
// entries[3].position is entries[].position, and attribution.creatorNotesMultilingual.fr is
// attribution.creatorNotesMultilingual.*.
func Generic(path string) string {
	if !strings.ContainsAny(path, "[") && !strings.Contains(path, ".") {
		return path
	}
	t, ok := parsePath(path)
	if !ok {
		return path
	}
	return t.generic()
}

func (t trail) generic() string {
	maps := mapPaths()
	var room [96]byte
	b := room[:0]
	for _, s := range t {
		switch {
		case s.idx >= 0:
			b = append(b, "[]"...)
			continue
		case maps[string(b)]:
			b = append(b, ".*"...)
			continue
		case len(b) > 0:
			b = append(b, '.')
		}
		b = append(b, s.name...)
	}
	return string(b)
}

// mapPaths are the generic paths of all maps of the model, so that a key is told from a field.
var mapPaths = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, k := range Kinds() {
		eachPath(planOf(reflect.TypeOf(NewBody(k)).Elem()), "", func(path string, p *plan, _ bool) {
			if p.op == opMap {
				out[path] = true
			}
		})
	}
	return out
})

// eachPath calls fn for every generic path of a type, in model order, parents first.
func eachPath(p *plan, path string, fn func(path string, p *plan, provenance bool)) {
	switch p.op {
	case opStruct:
		for _, f := range p.fields {
			sub := f.name
			if path != "" {
				sub = path + "." + f.name
			}
			fn(sub, f.plan, f.provenance)
			eachPath(f.plan, sub, fn)
		}
	case opRef:
		eachPath(p.elem, path, fn)
	case opList:
		fn(path+"[]", p.elem, false)
		eachPath(p.elem, path+"[]", fn)
	case opMap:
		fn(path+".*", p.elem, false)
		eachPath(p.elem, path+".*", fn)
	}
}
