// Package support writes FORMAT-SUPPORT.md out of what the formats declare, so that the page can never say more or
// less than the code does. It is no part of any door.
package support

import (
	"fmt"
	"strings"

	"bunzai/formats"
)

// Markdown is the support matrix of a registry.
func Markdown(r *formats.Registry) string {
	var b strings.Builder
	b.WriteString("# Format support\n\nGenerated from what the formats declare (`go generate ./formats/all`); do not edit.\n\n")
	b.WriteString("| app | kind | reads and writes | containers it writes | card versions |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range r.Codecs() {
		i := c.Info()
		containers := make([]string, len(i.Containers))
		for k, x := range i.Containers {
			containers[k] = string(x)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", i.App, i.Kind, i.Label, strings.Join(containers, ", "), strings.Join(i.Specs, ", "))
	}
	for _, c := range r.Codecs() {
		i := c.Info()
		fields := c.Fields()
		if x, ok := c.(formats.BookFielder); ok {
			fields = append(append([]formats.Field{}, fields...), prefixed(x.BookFields())...)
		}
		if len(fields) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\nWhat stands in no row has no place in this file and is named as lost.\n\n| field | where in the file | the app | note |\n| --- | --- | --- | --- |\n", i.Label)
		for _, f := range fields {
			reads := "reads it"
			if !f.Reads {
				reads = "ignores it"
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", f.Path, f.Wire, reads, strings.ReplaceAll(f.Note, "|", "\\|"))
		}
	}
	return b.String()
}

func prefixed(fields []formats.Field) []formats.Field {
	out := make([]formats.Field, len(fields))
	for i, f := range fields {
		out[i] = f
		out[i].Path = "lorebook " + f.Path
	}
	return out
}
