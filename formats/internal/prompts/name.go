package prompts

import (
	"bunzai/canonical"
	"bunzai/jsondoc"
)

// nameOfFile is the member of an escrow that keeps a name which the file had and the document has not.
const nameOfFile = "fileName"

// NameAfterFile names a preset whose document says no name after its file, and remembers it in the escrow.
func NameAfterFile(p *canonical.Preset, un *jsondoc.Value, name string) {
	if p.Name == "" && name != "" {
		p.Name = name
		un.Set(nameOfFile, jsondoc.String(name))
	}
}

// Said is the preset as its document says it: without the name that only its file had.
func Said(p *canonical.Preset, o *canonical.Escrow) *canonical.Preset {
	if n, ok := o.Unmapped.Get(nameOfFile).Text(); !ok || n != p.Name {
		return p
	}
	x := *p
	x.Name = ""
	return &x
}
