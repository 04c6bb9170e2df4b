package canonical

import (
	"reflect"

	"bunzai/jsondoc"
)

var notesType = reflect.TypeFor[[]Note]()

func notesJSON(e *encoder, notes []Note) *jsondoc.Value {
	return e.value(planOf(notesType), reflect.ValueOf(notes))
}

func readNotes(d *decoder, v *jsondoc.Value) ([]Note, error) {
	var notes []Note
	if err := d.value(planOf(notesType), v, reflect.ValueOf(&notes).Elem()); err != nil {
		return nil, err
	}
	return notes, nil
}
