package backup

import (
	"cmp"
	"slices"
	"strings"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
)

// owner is what a regex script belongs to: the account (by folder), a character or a preset (by the app's id).
type owner struct {
	kind canonical.Kind // "" for the account
	id   string
}

type galleryRow struct {
	id, image string
	order     float64
	row       int64
}

// index reads the tables that other rows point into.
func (a *archive) index() {
	a.rows("settings", a.setting)
	a.rows("images", func(r *row) error {
		if err := r.needID(); err != nil {
			return err
		}
		name, _ := r.text("filename")
		if name == "" {
			return fault.New(fault.Damaged, "filename", "the picture has no file name")
		}
		a.images[strings.Clone(r.id)] = strings.Clone(name)
		return nil
	})
	a.rows("character_gallery", func(r *row) error {
		char, _ := r.text("character_id")
		image, _ := r.text("image_id")
		if char == "" || image == "" {
			return fault.New(fault.Damaged, "", "the row names no character or no picture")
		}
		order, _ := r.plain("sort_order").Float()
		char = strings.Clone(char)
		a.gallery[char] = append(a.gallery[char], galleryRow{id: strings.Clone(r.id), image: strings.Clone(image), order: order, row: r.n})
		return nil
	})
	for _, l := range a.gallery {
		slices.SortStableFunc(l, func(x, y galleryRow) int { return cmp.Compare(x.order, y.order) })
	}
	a.rows("world_books", func(r *row) error {
		if err := r.needID(); err != nil {
			return err
		}
		at, err := a.keep.put(r.n, r.v.Raw())
		if err != nil {
			return err
		}
		id := strings.Clone(r.id)
		a.bookRows[id] = at
		a.bookList = append(a.bookList, id)
		return nil
	})
	a.rows("world_book_entries", func(r *row) error {
		of, _ := r.text("world_book_id")
		if of == "" {
			return fault.New(fault.Damaged, "world_book_id", "the entry names no world book")
		}
		if _, ok := a.bookRows[of]; !ok {
			r.unresolved("world_book_id", of)
			return fault.New(fault.Damaged, "world_book_id", "the entry belongs to the world book %s, which is not in the archive", formats.Shown(of))
		}
		at, err := a.keep.put(r.n, r.v.Raw())
		if err != nil {
			return err
		}
		of = strings.Clone(of)
		a.entries[of] = append(a.entries[of], at)
		return nil
	})
	a.rows("regex_scripts", func(r *row) error {
		if err := r.checkScript(); err != nil {
			return err
		}
		o, err := r.scriptOwner()
		if err != nil {
			return err
		}
		at, err := a.keep.put(r.n, r.v.Raw())
		if err != nil {
			return err
		}
		o.id = strings.Clone(o.id)
		if _, ok := a.scripts[o]; !ok {
			a.scriptOwners = append(a.scriptOwners, o)
		}
		a.scripts[o] = append(a.scripts[o], at)
		return nil
	})
}

// setting takes the settings that say something about other rows: which scripts of a preset are wanted on.
func (a *archive) setting(r *row) error {
	key, _ := r.text("key")
	if key == "activeLoomPresetId" {
		s, _ := r.text("value")
		if d, err := jsondoc.Parse([]byte(s), a.lim); err == nil {
			if t, ok := d.Root.Text(); ok {
				s = t
			}
		}
		a.active = strings.Clone(s)
		return nil
	}
	preset, ok := strings.CutPrefix(key, "presetRegexEnabled:")
	if !ok {
		return nil
	}
	list, err := r.json("value", jsondoc.KindArray)
	if err != nil {
		return fault.At(err, key)
	}
	on := map[string]bool{}
	for _, e := range list.Elems() {
		if id, ok := e.Text(); ok {
			on[strings.Clone(id)] = true
		}
	}
	a.wanted[strings.Clone(preset)] = on
	return nil
}

// Forms of columns.
const (
	text   = iota // null becomes ""
	plain         // as it is
	flag          // 0 and 1 become false and true
	list          // JSON in a text
	object        // JSON in a text
)

// column is a column and what becomes of it in the object that the app exports.
type column struct {
	name string
	form int
}

// into sets the columns that the row has, in order.
func (r *row) into(v *jsondoc.Value, cols []column) {
	for _, c := range cols {
		if !r.v.Has(c.name) {
			continue
		}
		switch c.form {
		case text:
			s, _ := r.text(c.name)
			v.Set(c.name, jsondoc.String(s))
		case plain:
			v.Set(c.name, r.plain(c.name))
		case flag:
			if on, ok := r.flag(c.name); ok {
				v.Set(c.name, jsondoc.Bool(on))
			}
		case list:
			x := r.soft(c.name, jsondoc.KindArray)
			if x == nil {
				x = jsondoc.Array()
			}
			v.Set(c.name, x)
		case object:
			x := r.soft(c.name, jsondoc.KindObject)
			if x == nil {
				x = jsondoc.Object()
			}
			v.Set(c.name, x)
		}
	}
}

// escrow puts what has no place elsewhere beside the codec's own bucket.
func escrow(e *canonical.Entity, table string, left *jsondoc.Value) {
	if left.Len() == 0 {
		return
	}
	v := jsondoc.Object()
	v.Set(table, left)
	e.Original = append(e.Original, &canonical.Escrow{Bucket: Bucket, Raw: jsondoc.NewDoc(v, "")})
}
