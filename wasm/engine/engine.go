//go:build js && wasm

package main

import (
	"syscall/js"
	"unsafe"

	"bunzai/convert"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/limits"
	"bunzai/rope"
	"bunzai/wasm/plain"
)

// doors are the calls by name; js/src/types.ts describes them.
func doors() map[string]door {
	return map[string]door{
		"detect": detect, "inspect": inspect, "convert": convertFile, "formats": listFormats,
		"libraryOpen": libraryOpen, "libraryImport": libraryImport, "libraryList": libraryList, "libraryShow": libraryShow,
		"libraryExport": libraryExport, "libraryAttach": libraryAttach, "libraryDetach": libraryDetach, "libraryDelete": libraryDelete,
	}
}

// plainValue brings a Go value over as plain JavaScript. One text through JSON.parse is several times faster than
// setting each field, and keeps lone surrogates.
func plainValue(v any) js.Value {
	text := plain.Marshal(v)
	return js.Global().Get("JSON").Call("parse", unsafe.String(unsafe.SliceData(text), len(text)))
}

// common reads the options that every reading call has.
func common(o options) (convert.Options, error) {
	name, err := o.text("name")
	if err != nil {
		return convert.Options{}, err
	}
	profile, err := o.oneOf("limits", "card", "large", "edge")
	if err != nil {
		return convert.Options{}, err
	}
	password, err := o.text("password")
	if err != nil {
		return convert.Options{}, err
	}
	lim, _ := limits.Named(profile)
	return convert.Options{Name: name, Limits: lim, Password: password}, nil
}

func detect(args []js.Value) (js.Value, error) {
	o, err := optionsOf(arg(args, 1), "name", "limits", "password")
	if err != nil {
		return js.Undefined(), err
	}
	opt, err := common(o)
	if err != nil {
		return js.Undefined(), err
	}
	in, err := inputOf(arg(args, 0))
	if err != nil {
		return js.Undefined(), err
	}
	d, err := convert.New().Detect(in.src, opt)
	if err != nil {
		return js.Undefined(), err
	}
	return plainValue(d.View()), nil
}

func inspect(args []js.Value) (js.Value, error) {
	o, err := optionsOf(arg(args, 1), "name", "limits", "password", "assets")
	if err != nil {
		return js.Undefined(), err
	}
	opt, err := common(o)
	if err != nil {
		return js.Undefined(), err
	}
	assets, err := o.flag("assets")
	if err != nil {
		return js.Undefined(), err
	}
	in, err := inputOf(arg(args, 0))
	if err != nil {
		return js.Undefined(), err
	}
	v, err := convert.New().Inspect(in.src, opt)
	if err != nil {
		return js.Undefined(), err
	}
	out := plainValue(v)
	if !assets && !in.isBlob {
		return out, nil
	}
	return out, setAllData(out, v)
}

// setAllData gives the pictures of an inspection their bytes.
func setAllData(out js.Value, v *convert.Inspection) error {
	if v.Portrait != nil {
		if err := setData(out.Get("portrait"), v.Portrait); err != nil {
			return err
		}
	}
	pieces := out.Get("pieces")
	for i := range v.Pieces {
		list := v.Pieces[i].Assets
		if len(list) == 0 {
			continue
		}
		to := pieces.Index(i).Get("assets")
		for k := range list {
			if err := setData(to.Index(k), &list[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// setData gives an asset of the result its bytes. A picture that cannot be read is no reason to refuse the card.
func setData(to js.Value, a *convert.AssetView) error {
	if a.Blob == nil {
		return nil
	}
	raw, err := a.Blob.Raw()
	if err != nil {
		return nil
	}
	b, err := blobOf(rope.Of(raw), a.Mime)
	if err != nil {
		return err
	}
	to.Set("data", b)
	return nil
}

// targetOptions are the options of what is written.
var targetOptions = []string{"to", "container", "spec", "allowLoss", "dryRun", "output"}

// target reads them; the rest of opt is set already.
func target(o options, opt *convert.Options) (dry bool, output string, err error) {
	if opt.To, err = o.text("to"); err != nil {
		return false, "", err
	}
	if opt.To == "" {
		return false, "", badArgument("the option \"to\" is missing: it names the app, such as \"sillytavern\"")
	}
	container, err := o.oneOf("container", formats.Containers()...)
	if err != nil {
		return false, "", err
	}
	opt.Container = formats.Container(container)
	if opt.Spec, err = o.text("spec"); err != nil {
		return false, "", err
	}
	if opt.AllowLoss, err = o.flag("allowLoss"); err != nil {
		return false, "", err
	}
	if dry, err = o.flag("dryRun"); err != nil {
		return false, "", err
	}
	output, err = o.oneOf("output", "bytes", "blob", "parts")
	return dry, output, err
}

func convertFile(args []js.Value) (js.Value, error) {
	o, err := optionsOf(arg(args, 1), append([]string{"name", "limits", "password"}, targetOptions...)...)
	if err != nil {
		return js.Undefined(), err
	}
	opt, err := common(o)
	if err != nil {
		return js.Undefined(), err
	}
	dry, output, err := target(o, &opt)
	if err != nil {
		return js.Undefined(), err
	}
	in, err := inputOf(arg(args, 0))
	if err != nil {
		return js.Undefined(), err
	}
	c, err := convert.New().Convert(in.src, opt)
	if err != nil {
		return js.Undefined(), err
	}
	return answer(c, dry, output == "parts", output == "blob" || output == "" && in.isBlob)
}

// answer is a finished conversion as JavaScript gets it: without data, in parts, as a Blob or as bytes.
func answer(c *convert.Output, dry, parts, blob bool) (js.Value, error) {
	out := plainValue(struct {
		Data      *int              `json:"data"`
		Size      int64             `json:"size"`
		FileName  string            `json:"fileName"`
		MediaType string            `json:"mediaType"`
		Container formats.Container `json:"container"`
		Report    *convert.Report   `json:"report"`
	}{nil, c.Data.Size(), c.FileName, c.MediaType, c.Container, c.Report})
	if dry {
		return out, nil
	}
	var data js.Value
	var err error
	name := "data"
	switch {
	case parts:
		name = "parts"
		data, err = partsOf(c.Data)
	case blob:
		data, err = blobOf(c.Data, c.MediaType)
	default:
		data, err = bytesOf(c.Data)
	}
	if err != nil {
		return js.Undefined(), err
	}
	out.Set(name, data)
	return out, nil
}

func listFormats(args []js.Value) (js.Value, error) {
	if len(args) > 0 && !args[0].IsUndefined() {
		return js.Undefined(), fault.New(fault.BadArgument, "", "formats takes no argument")
	}
	return plainValue(convert.New().Formats()), nil
}
