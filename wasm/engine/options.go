//go:build js && wasm

package main

import (
	"strings"
	"syscall/js"

	"bunzai/fault"
)

// options are one call's options by name. Absent and undefined are the same.
type options map[string]js.Value

func badArgument(format string, args ...any) error {
	return fault.New(fault.BadArgument, "", format, args...)
}

// arg returns the i-th argument, undefined when it is missing.
func arg(args []js.Value, i int) js.Value {
	if i < len(args) {
		return args[i]
	}
	return js.Undefined()
}

// optionsOf reads the options object. Undefined and null are no options; an unknown name is an error that lists the
// known ones, since a misspelled option would otherwise be ignored in silence.
func optionsOf(v js.Value, known ...string) (options, error) {
	if v.IsUndefined() || v.IsNull() {
		return options{}, nil
	}
	if v.Type() != js.TypeObject {
		return nil, badArgument("the options must be an object, and this is a %s", v.Type())
	}
	o := options{}
	// Through Call, so that a getter that throws is an error and not the engine's end.
	entries := js.Global().Get("Object").Call("entries", v)
	for i := range entries.Length() {
		e := entries.Index(i)
		name := e.Index(0).String()
		if !contains(known, name) {
			return nil, badArgument("there is no option %q; this call has: %s", name, strings.Join(known, ", "))
		}
		if x := e.Index(1); !x.IsUndefined() {
			o[name] = x
		}
	}
	return o, nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (o options) text(name string) (string, error) {
	v, ok := o[name]
	if !ok {
		return "", nil
	}
	if v.Type() != js.TypeString {
		return "", badArgument("the option %q must be text, and this is a %s", name, v.Type())
	}
	return v.String(), nil
}

// oneOf is text out of a closed set; "" when it is not given.
func (o options) oneOf(name string, allowed ...string) (string, error) {
	s, err := o.text(name)
	if _, given := o[name]; err != nil || !given {
		return "", err
	}
	if !contains(allowed, s) {
		return "", badArgument("the option %q must be one of: %s; this is %q", name, strings.Join(allowed, ", "), s)
	}
	return s, nil
}

func (o options) flag(name string) (bool, error) {
	v, ok := o[name]
	if !ok {
		return false, nil
	}
	if v.Type() != js.TypeBoolean {
		return false, badArgument("the option %q must be true or false, and this is a %s", name, v.Type())
	}
	return v.Bool(), nil
}
