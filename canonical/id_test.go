package canonical

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "character",
		"  Ada Lovelace ":               "ada-lovelace",
		"***":                           "character",
		"Ｆｕｌｌ　Ｗｉｄｔｈ":                    "full-width",
		"ﬁne №5":                        "fine-no5",
		"Élodie d'Or":                   "élodie-d-or",
		"名前 (v2)":                       "名前-v2",
		"CON":                           "con-id",
		"com1":                          "com1-id",
		"com10":                         "com10",
		"nul.txt":                       "nul-txt",
		"½ orc":                         "1-2-orc",
		"a_b--c":                        "a-b-c",
		"😀":                             "character",
		strings.Repeat("a", 130):        strings.Repeat("a", 120),
		strings.Repeat("ab ", 60):       strings.TrimSuffix(strings.Repeat("ab-", 40), "-"),
		strings.Repeat("é", 119) + " x": strings.Repeat("é", 119),
		strings.Repeat("é", 118) + " x": strings.Repeat("é", 118) + "-x",
	} {
		require.Equal(t, want, Slug(in), "%q", in)
	}
}

func TestUniqueID(t *testing.T) {
	taken := map[string]bool{"ada": true, "ada-2": true}
	require.Equal(t, "ada-3", UniqueID("ada", func(s string) bool { return taken[s] }))
	require.Equal(t, "bob", UniqueID("bob", func(s string) bool { return taken[s] }))
}

// TestIDs: IDs gives what UniqueID gives, and many that ask for one id cost no more than many that do not.
func TestIDs(t *testing.T) {
	var ids IDs
	taken := map[string]bool{"b": true}
	ids.Use("b")
	for _, base := range []string{"a", "a", "a-2", "b", "a", "a-2", "", "", "b-2", "b"} {
		want := UniqueID(base, func(s string) bool { return taken[s] })
		taken[want] = true
		require.Equal(t, want, ids.Unique(base), base)
	}
	for range 200_000 { // hours, if each looked from the start
		ids.Unique("same")
	}
	require.Equal(t, "same-200001", ids.Unique("same"))
}
