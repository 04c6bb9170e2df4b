package canonical

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinks(t *testing.T) {
	e := &Entity{Kind: KindPreset, ID: "p", Body: &Preset{BehaviorRefs: []string{"a", "b"}, QuickReplyRefs: []string{"a"}}}
	var got []string
	for _, l := range LinksOf(e) {
		got = append(got, l.Field.Path+" "+string(l.To.Kind)+" "+l.To.ID)
	}
	require.Equal(t, []string{"behaviorRefs regex a", "behaviorRefs regex b", "quickReplyRefs quickreply a"}, got)
	require.True(t, LinksOf(e)[0].Field.Embedded)

	n := RenameLinks(e, map[PieceRef]string{{KindRegex, "a"}: "a-2", {KindLorebook, "b"}: "b-2"})
	require.Equal(t, []string{"behaviorRefs[0]: a -> a-2"}, show(t, e.Body, n.Body))
	require.Equal(t, []string{"a", "b"}, e.Body.(*Preset).BehaviorRefs)
	require.Same(t, e, RenameLinks(e, map[PieceRef]string{{KindRegex, "x"}: "y"}))
	require.Empty(t, LinksOf(&Entity{Kind: KindLorebook, Body: &Lorebook{}}))
	require.Len(t, LinkFields(), 5)
	swap := RenameLinks(e, map[PieceRef]string{{KindRegex, "a"}: "b", {KindRegex, "b"}: "a"})
	require.Equal(t, []string{"b", "a"}, swap.Body.(*Preset).BehaviorRefs)
}
