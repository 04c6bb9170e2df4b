package tavern

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

// zipResources finds the entries of an archive by the paths that a card gives them. Writers change names after the
// card was written, so the path is tried as it is (slashes cleaned), with percent signs decoded, as Risu's archive
// writer cleans names, in any letter case, and at last by the file name alone; the last two only where one entry fits.
func zipResources(e *canonical.Escrow, lim limits.Limits) *Resources {
	exact := map[string]*canonical.Blob{}
	folded, named := unique{}, unique{}
	for _, f := range e.Files {
		p := CleanEntryPath(f.Path)
		if p == "" {
			continue
		}
		if _, dup := exact[p]; !dup {
			exact[p] = f.Blob
		}
		folded.add(strings.ToLower(p), f.Blob)
		named.add(strings.ToLower(path.Base(p)), f.Blob)
	}
	find := func(asked string) *canonical.Blob {
		ways := []string{CleanEntryPath(asked)}
		if s, err := url.PathUnescape(asked); err == nil && s != asked {
			ways = append(ways, CleanEntryPath(s))
		}
		if s := risuName(asked); s != asked {
			ways = append(ways, CleanEntryPath(s))
		}
		for _, p := range ways {
			if b := exact[p]; p != "" && b != nil {
				return b
			}
		}
		for _, p := range ways {
			if b := folded[strings.ToLower(p)]; p != "" && b != nil {
				return b
			}
		}
		for _, p := range ways {
			if b := named[strings.ToLower(path.Base(p))]; p != "" && b != nil {
				return b
			}
		}
		return nil
	}
	return &Resources{Container: formats.CharX, Limits: lim, Files: e.Files, Prefix: e.Media, Entry: find}
}

const embeded = "embeded://"

// written finds the entries that Risu's writer made for a list of assets, where they are not those that the links name:
// the place in the list and the path of the entry. The writer cleans a path and gives one that is taken already a
// number, after the link was fixed (sanitizeZipFilename in processzip.ts), so that assets of one name have one link
// (exports of December 2025) and names that clean to the same have the same entry. It counts only where the archive has
// every entry that the writer would have made.
func (r *Resources) written(list *jsondoc.Value) map[int]string {
	if r.other != additional || r.Entry == nil {
		return nil
	}
	out, taken := map[int]string{}, map[string]bool{}
	for i, v := range list.Elems() {
		uri, _ := v.Get("uri").Text()
		link, ok := strings.CutPrefix(uri, embeded)
		if !ok {
			continue
		}
		clean := risuName(link)
		stem, ext := clean, ""
		if dot := strings.LastIndexByte(clean, '.'); dot >= 0 {
			stem, ext = clean[:dot], clean[dot:]
		}
		name := clean
		for n := 1; taken[name]; n++ {
			name = stem + "_" + strconv.Itoa(n) + ext
		}
		taken[name] = true
		if name != clean {
			out[i] = name
		}
	}
	if len(out) == 0 {
		return nil
	}
	have := map[string]bool{}
	for _, f := range r.Files {
		have[CleanEntryPath(f.Path)] = true
	}
	for name := range taken {
		if !have[name] {
			return nil
		}
	}
	return out
}

// unique holds what stands under a name, nil where several things do.
type unique map[string]*canonical.Blob

func (u unique) add(name string, b *canonical.Blob) {
	if old, dup := u[name]; dup && old != b {
		b = nil
	}
	u[name] = b
}

// risuName is an archive path as Risu's ZIP writer cleans it, after the card was written: what Windows allows in no
// name is "_", dots and spaces at the end of a name go, names of devices get a "_" in front.
func risuName(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		s = strings.Map(func(r rune) rune {
			if r < 0x20 || r == 0x7f || strings.ContainsRune(`<>:"\|?*`, r) {
				return '_'
			}
			return r
		}, s)
		s = strings.TrimRight(s, ". ")
		stem, _, _ := strings.Cut(s, ".")
		if device[strings.ToUpper(stem)] {
			s = "_" + s
		}
		parts[i] = s
	}
	return strings.Join(parts, "/")
}

var device = func() map[string]bool {
	out := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true}
	for _, n := range "0123456789" {
		out["COM"+string(n)], out["LPT"+string(n)] = true, true
	}
	return out
}()
