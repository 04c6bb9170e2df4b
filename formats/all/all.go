// Package all is the registry list: one line per format folder. Adding a format adds its line here and nothing else.
package all

//go:generate go run ./support/gen ../../FORMAT-SUPPORT.md

import (
	"bunzai/formats"
	"bunzai/formats/bunzai"
	"bunzai/formats/lumiverse"
	"bunzai/formats/lumiverse/backup"
	"bunzai/formats/risu"
	"bunzai/formats/sillytavern"
)

// Registry returns every format.
func Registry() *formats.Registry {
	return formats.NewRegistry(map[string][]formats.Codec{
		"bunzai":      bunzai.Codecs(),
		"lumiverse":   lumiverse.Codecs(),
		"risu":        risu.Codecs(),
		"sillytavern": sillytavern.Codecs(),
	})
}

// Backups returns the readers of account backups, which hold many pieces and are no format of one.
func Backups() []formats.BackupReader { return []formats.BackupReader{backup.Reader{}} }
