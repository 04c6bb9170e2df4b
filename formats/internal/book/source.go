package book

import (
	"strings"

	"bunzai/canonical"
	"bunzai/formats/internal/fieldmap"
	"bunzai/jsondoc"
)

// dialects are all there are.
var dialects = []*Dialect{Tavern, WorldInfo, LumiverseBook, LumiverseWorldBook, RisuBook, RisuLore}

func dialectNamed(id string) *Dialect {
	for _, d := range dialects {
		if d.ID() == id {
			return d
		}
	}
	return nil
}

// Source is the document that a book came from, in its dialect. A nil Source is a book that no app wrote.
type Source struct {
	d       *Dialect
	app     string // whose file it was; "" when no app that bunzai knows reads such a file
	root    *jsondoc.Value
	entries map[string]*jsondoc.Value // by canonical id, once asked for
}

// SourceOf finds the document of a book in its escrow.
func SourceOf(e *canonical.Entity) *Source {
	for _, o := range e.Original {
		id, _ := o.Unmapped.Get("dialect").Text()
		if d := dialectNamed(id); d != nil && o.Raw != nil {
			root := o.Raw.Root
			if spec, _ := root.Get("spec").Text(); spec == "lorebook_v3" {
				root = root.Get("data")
			}
			app, _ := o.Unmapped.Get("host").Text()
			if app == "" && d == Tavern {
				app = d.Name // a book without a card around it, which SillyTavern would take out of one
			}
			if o.Bucket != Bucket && !strings.HasPrefix(o.Bucket, app+"-") {
				app = ""
			}
			return &Source{d: d, app: app, root: root}
		}
	}
	return nil
}

// Unmapped lists what of a book's escrow has no canonical home.
func Unmapped(o *canonical.Escrow) []string {
	s := SourceOf(&canonical.Entity{Original: []*canonical.Escrow{o}})
	if s == nil {
		return nil
	}
	return s.d.UnmappedIn(s.root)
}

// kin reports a document of the same app, perhaps in another dialect, whose files hold what an entry of the source holds beside its fields.
func (s *Source) kin(d *Dialect) bool {
	return s != nil && s.app == d.Name && !d.isRisu() && !s.d.isRisu()
}

// carry writes what an entry of the same app's own holds beyond the known fields: the app moves an entry's
// extensions between both, and keeps members that it does not know.
func (s *Source) carry(d *Dialect, obj *jsondoc.Value, id string) {
	if !s.kin(d) {
		return
	}
	if v := s.entry(id); v != nil {
		move(v, obj, s.d.tables().entryCovers, d.tables().entryCovers)
	}
}

// entry is the document's own entry of that id; nil when there is none.
func (s *Source) entry(id string) *jsondoc.Value {
	if s == nil || s.d.isRisu() {
		return nil
	}
	if s.entries == nil {
		s.entries = map[string]*jsondoc.Value{}
		list, vals := s.d.decodeEntries(s.root, "", func(string) {})
		for i, e := range list {
			s.entries[e.ID] = vals[i]
		}
	}
	return s.entries[id]
}

// means is what an entry of the source means by not saying a field: what was parked when it came from elsewhere, else
// its dialect's default.
func (s *Source) means(id string, x silent) string {
	if s == nil {
		return x.of(defaults{logic: canonical.LogicAndAny}) // of nearly every app
	}
	if t, ok := s.entry(id).At(strings.Split(unsaidPath(x.field), ".")...).Text(); ok {
		return t
	}
	return x.of(s.d.defaults())
}

// carryBook does the same for what stands beside the entries.
func (s *Source) carryBook(d *Dialect, obj *jsondoc.Value) {
	if s.kin(d) {
		move(s.root, obj, s.d.tables().all, d.tables().all)
	}
}

// move copies what from's dialect has no field for, where to's dialect has none either and nothing stands.
func move(from, to *jsondoc.Value, has, takes *fieldmap.Coverage) {
	for _, p := range has.Unmapped(from) {
		path := strings.Split(p, ".")
		v := from.At(path...)
		if v == nil || p == "originalData" || to.At(path...) != nil { // originalData is SillyTavern's copy of the whole book
			continue
		}
		alone := jsondoc.Object()
		fieldmap.Put(alone, path, v.Clone())
		if len(takes.Unmapped(alone)) > 0 {
			fieldmap.Put(to, path, v.Clone())
		}
	}
}
