package backup

import (
	"io"

	"bunzai/container/zip"
	"bunzai/fault"
	"bunzai/formats"
	"bunzai/jsondoc"
	"bunzai/limits"
)

const (
	newestSchema  = 3
	manifestBytes = 16 << 20 // of the manifest and of its trailer, as the app has it
	oldLine       = 64 << 20 // of one row, in archives that do not state their line format
	line1         = 4 << 20  // of one row in line format 1
)

// manifest is what manifest.json and its trailer say, as far as it is of use.
type manifest struct {
	schema     int64
	exportedAt string
	lines      int64 // most bytes of a row
	counts     map[string]int64
	missing    int64
	aliases    map[string]string // path -> path that has the bytes
}

// readManifest checks that the archive is one that can be read. Where it stands among the entries does not matter.
func readManifest(z *zip.Archive, lim limits.Limits) (*manifest, error) {
	all := z.FindAll(manifestPath)
	switch {
	case len(all) == 0:
		return nil, fault.New(fault.NotRecognized, "", "this archive has no manifest.json, so it is no Lumiverse account backup")
	case len(all) > 1:
		return nil, fault.New(fault.Ambiguous, "entry "+manifestPath, "this archive has %d entries named manifest.json and nothing says which one counts", len(all))
	}
	root, err := readSmall(all[0], lim)
	if err != nil {
		return nil, err
	}
	where := "entry " + manifestPath
	if p, _ := root.Get("producer").Text(); p != "lumiverse" {
		if p == "" {
			return nil, fault.New(fault.NotRecognized, where, "this manifest does not say that Lumiverse made the archive, so it is no Lumiverse account backup")
		}
		return nil, fault.New(fault.NotRecognized, where, "this archive was made by %q and not by Lumiverse", formats.Shown(p))
	}
	m := &manifest{lines: oldLine, counts: map[string]int64{}, aliases: map[string]string{}}
	v, ok := root.Get("schemaVersion").Int()
	switch {
	case !ok && root.Get("schemaVersion") == nil:
		return nil, fault.New(fault.Damaged, where, "the manifest states no schemaVersion, so nobody knows how to read the archive")
	case !ok || v < 1:
		return nil, fault.New(fault.Damaged, where, "its schemaVersion is %s, and it must be a whole number from 1", formats.Shown(string(root.Get("schemaVersion").Raw())))
	case v > newestSchema:
		return nil, fault.New(fault.Unsupported, where, "this backup has schema version %d, and this version of bunzai reads 1 to %d; get a newer bunzai", v, newestSchema)
	}
	m.schema = v
	m.exportedAt, _ = root.Get("exportedAt").Text()
	m.exportedAt = formats.Shown(m.exportedAt)
	switch f := root.Get("ndjsonFormatVersion"); {
	case f == nil || f.IsNull():
	default:
		n, _ := f.Int()
		if n < 2 {
			m.lines = line1
		} else if most, ok := root.Get("ndjsonMaxRecordBytes").Int(); ok && most > 0 {
			m.lines = min(most, oldLine)
		}
	}
	m.missing = int64(root.Get("missingFiles").Len() + root.Get("missingOptionalFiles").Len())
	m.count(root.Get("counts"))
	for _, e := range root.Get("entries").Elems() {
		p, _ := e.Get("path").Text()
		if n, ok := e.Get("rowCount").Int(); ok && n >= 0 {
			if t := tableOf(p); t != "" {
				m.counts[t] = n
			}
		}
	}
	for _, e := range root.Get("fileAliases").Elems() {
		p, _ := e.Get("path").Text()
		to, _ := e.Get("payloadPath").Text()
		if p != "" && to != "" {
			m.aliases[p] = to
		}
	}
	if l := z.FindAll("manifest-stats.json"); len(l) == 1 {
		if s, err := readSmall(l[0], lim); err == nil { // only numbers for the report
			m.count(s.Get("counts"))
			m.missing += int64(s.Get("missingFiles").Len())
		}
	}
	return m, nil
}

func (m *manifest) count(counts *jsondoc.Value) {
	for k, v := range counts.Members() {
		if n, ok := v.Int(); ok && n >= 0 {
			m.counts[k] = n
		}
	}
}

func tableOf(path string) string {
	if len(path) > len(databaseDir)+len(".ndjson") && path[:len(databaseDir)] == databaseDir && path[len(path)-7:] == ".ndjson" {
		return path[len(databaseDir) : len(path)-7]
	}
	return ""
}

// readSmall reads a JSON object of at most 16 MiB.
func readSmall(e *zip.Entry, lim limits.Limits) (*jsondoc.Value, error) {
	where := "entry " + e.Path
	r, err := e.Stream()
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(r, manifestBytes+1))
	if err != nil {
		return nil, err
	}
	lim.JSON = manifestBytes
	if len(b) > manifestBytes {
		return nil, fault.Over(where, fault.Limit{Name: "JSON", Value: manifestBytes, Unit: "bytes"})
	}
	d, err := jsondoc.Parse(b, lim)
	if err != nil {
		return nil, fault.At(err, where)
	}
	if d.Root.Kind() != jsondoc.KindObject {
		return nil, fault.New(fault.Damaged, where, "it must be an object, and it is %s", d.Root.Kind().String())
	}
	return d.Root, nil
}
