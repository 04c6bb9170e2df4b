package limits

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAdviceIsTrue: a refusal tells to raise the limits only where that lets the file through.
func TestAdviceIsTrue(t *testing.T) {
	const page = "convert it on the page or with the command line, where the limits are higher"
	for _, c := range []struct {
		name    string
		lim     Limits
		limit   string
		found   int64
		message string
	}{
		{"large allows more", Card(), "ArchiveEntries", 1000, "the limit ArchiveEntries is 512 entries, and this file has 1,000 entries; open it with large limits"},
		{"large just allows it", Card(), "ArchiveEntries", 20_000, "the limit ArchiveEntries is 512 entries, and this file has 20,000 entries; open it with large limits"},
		{"not even large", Card(), "ArchiveEntries", 20_001, "the limit ArchiveEntries is 512 entries, and this file has 20,001 entries; nothing raises it"},
		{"nobody counted", Card(), "Entry", 0, "the limit Entry is 64 MiB, and this file has more; open it with large limits"},
		{"1 GB is too much for large", Card(), "Entry", 1 << 30, "the limit Entry is 64 MiB, and this file has 1 GiB; nothing raises it"},
		{"the same in large", Card(), "JSONDepth", 0, "the limit JSONDepth is 512 levels, and this file has more; nothing raises it"},
		{"the same in large, bytes", Card(), "JSON", 70 << 20, "the limit JSON is 64 MiB, and this file has 70 MiB; nothing raises it"},
		{"nothing above large", Large(), "Archive", 3 << 30, "the limit Archive is 2 GiB, and this file has 3 GiB; nothing raises it"},
		{"the page allows more", Edge(), "JSON", 20 << 20, "the limit JSON is 12 MiB, and this file has 20 MiB; " + page},
		{"the page allows more with large limits", Edge(), "Archive", 1 << 30, "the limit Archive is 24 MiB, and this file has 1 GiB; " + page},
		{"nor the page", Edge(), "JSON", 70 << 20, "the limit JSON is 12 MiB, and this file has 70 MiB; nothing raises it"},
		{"the page has the same", Edge(), "JSONDepth", 0, "the limit JSONDepth is 512 levels, and this file has more; nothing raises it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.message, c.lim.Over("", c.limit, c.found).Error())
		})
	}
}
