//go:build js && wasm

package idb

import (
	"fmt"
	"syscall/js"
)

// domError is what the database says of a failure.
type domError struct{ name, message string }

func (e *domError) Error() string {
	return fmt.Sprintf("the browser's database failed (%s: %s)", e.name, e.message)
}

func failure(v js.Value) error {
	if v.Type() != js.TypeObject {
		return &domError{"AbortError", "the transaction was given up"}
	}
	return &domError{v.Get("name").String(), v.Get("message").String()}
}

// try turns what JavaScript throws into an error.
func try(f func() js.Value) (v js.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(js.Error)
			if !ok {
				panic(r)
			}
			err = failure(e.Value)
		}
	}()
	return f(), nil
}

// wait waits until a request or a transaction ends: with the event of this name well, with error or abort not.
func wait(target js.Value, well string) error {
	done := make(chan error, 3)
	good := js.FuncOf(func(js.Value, []js.Value) any { done <- nil; return nil })
	defer good.Release()
	bad := js.FuncOf(func(_ js.Value, a []js.Value) any {
		e := target.Get("error")
		if e.Type() != js.TypeObject && len(a) > 0 { // a transaction hears of its request's failure before its own
			e = a[0].Get("target").Get("error")
		}
		select {
		case done <- failure(e):
		default:
		}
		return nil
	})
	defer bad.Release()
	target.Set("on"+well, good)
	target.Set("onerror", bad)
	target.Set("onabort", bad)
	defer func() {
		for _, n := range []string{well, "error", "abort"} {
			target.Set("on"+n, js.Null())
		}
	}()
	return <-done
}
