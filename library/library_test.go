package library_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/convert"
	"bunzai/fault"
	"bunzai/library"
	"bunzai/limits"
	"bunzai/rope"
)

var ctx = context.Background()

const card = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","description":"A keeper.","personality":"","scenario":"","first_mes":"Hello.","mes_example":"","creator_notes":"","system_prompt":"","post_history_instructions":"","alternate_greetings":[],"tags":[],"creator":"","character_version":"","extensions":{},"character_book":{"name":"Forest","extensions":{},"entries":[{"keys":["oak"],"content":"Old oak.","extensions":{},"enabled":true,"insertion_order":1,"id":1},{"keys":["elm"],"content":"Young elm.","extensions":{},"enabled":true,"insertion_order":2,"id":2}]}}}`

// other is a lorebook of the same name with other content, as SillyTavern's World Info.
const other = `{"name":"Forest","entries":{"0":{"uid":0,"key":["fern"],"keysecondary":[],"comment":"Fern","content":"Green fern.","constant":false,"selective":true,"order":100,"position":0,"disable":false},"1":{"uid":1,"key":["moss"],"keysecondary":[],"comment":"Moss","content":"Soft moss.","constant":false,"selective":true,"order":100,"position":0,"disable":false}}}`

func put(t *testing.T, s library.Store, text, name string) *library.SaveResult {
	t.Helper()
	p, err := convert.New().Read(rope.Bytes(text), convert.Options{Name: name})
	require.NoError(t, err)
	list := library.Bundles(p)
	require.Len(t, list, 1)
	out, err := library.SaveBundle(ctx, s, list[0], library.SaveOptions{})
	require.NoError(t, err)
	return out
}

func ids(t *testing.T, s library.Store, kind canonical.Kind) []string {
	t.Helper()
	list, err := s.List(ctx, kind)
	require.NoError(t, err)
	out := []string{}
	for _, x := range list {
		out = append(out, x.ID)
	}
	return out
}

// The way of a book through a library: kept beside one of its name, detached, attached, merged, split.
func TestBookThroughLibrary(t *testing.T) {
	s := &library.Memory{}
	first := put(t, s, other, "Forest.json")
	assert.Equal(t, "forest", first.Primary.ID)

	got := put(t, s, card, "sera.json")
	require.Equal(t, []string{"forest", "forest-2"}, ids(t, s, canonical.KindLorebook), "both are kept")
	assert.Equal(t, []library.Ref{{Kind: canonical.KindLorebook, ID: "forest-2"}}, got.Links, "the card follows its own book")
	assert.Equal(t, library.Saved{Summary: got.Related[0].Summary, Asked: "forest", How: library.Created}, got.Related[0])

	sera := got.Primary.Ref()
	mine, theirs := library.Ref{Kind: canonical.KindLorebook, ID: "forest-2"}, first.Primary.Ref()
	lim := limits.Card()

	_, err := library.Detach(ctx, s, sera, mine, lim)
	require.NoError(t, err)
	assert.NotContains(t, exported(t, s, sera), "character_book", "no link, no book: not the one that the file had once either")
	assert.Equal(t, []string{"forest", "forest-2"}, ids(t, s, canonical.KindLorebook), "the book itself stays")

	_, err = library.Attach(ctx, s, sera, mine, -1, lim)
	require.NoError(t, err)
	back, err := library.Attach(ctx, s, sera, theirs, 0, lim)
	require.NoError(t, err)
	assert.Equal(t, []library.Ref{theirs, mine}, back.Links)
	back, err = library.Attach(ctx, s, sera, theirs, 1, lim)
	require.NoError(t, err)
	assert.Equal(t, []library.Ref{mine, theirs}, back.Links, "moved, not doubled")

	merged := exported(t, s, sera)
	p, err := convert.New().Read(rope.Bytes(merged), convert.Options{})
	require.NoError(t, err)
	require.Len(t, p.Books, 2, "the boundaries are in the file")

	fresh := &library.Memory{}
	again := put(t, fresh, merged, "sera.json")
	require.Len(t, again.Links, 2)
	var contents [][]string
	for _, l := range again.Links {
		b, err := library.Load(ctx, fresh, l, lim)
		require.NoError(t, err)
		var c []string
		for _, e := range b.Lorebook().Entries {
			c = append(c, e.Content)
		}
		contents = append(contents, c)
	}
	assert.Equal(t, [][]string{{"Old oak.", "Young elm."}, {"Green fern.", "Soft moss."}}, contents)

	put(t, s, merged, "sera.json")
	list := ids(t, s, canonical.KindCharacter)
	assert.Equal(t, []string{"sera", "sera-2"}, list)
}

func replace(s, old, by string) string { return strings.ReplaceAll(s, old, by) }

func exported(t *testing.T, s library.Store, ref library.Ref) string {
	t.Helper()
	out, err := library.Export(ctx, convert.New(), s, ref, convert.Options{To: "sillytavern", Container: "json"})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	return string(b)
}

// KF-130: one rule for a book that several cards embed: equal content is shared, and importing again adds nothing.
func TestEqualPiecesAreShared(t *testing.T) {
	s := &library.Memory{}
	put(t, s, card, "a.json")
	again := put(t, s, card, "a.json")
	assert.Equal(t, library.Shared, again.Primary.How)
	assert.Equal(t, library.Shared, again.Related[0].How)
	for _, name := range []string{"Bea", "Cid"} {
		got := put(t, s, replace(card, "Sera", name), name+".json")
		assert.Equal(t, library.Created, got.Primary.How)
		assert.Equal(t, library.Shared, got.Related[0].How)
		assert.Equal(t, "forest", got.Links[0].ID)
	}
	assert.Equal(t, []string{"forest"}, ids(t, s, canonical.KindLorebook))
	assert.Equal(t, []string{"bea", "cid", "sera"}, ids(t, s, canonical.KindCharacter))

	put(t, s, replace(card, "Old oak", "Dead oak"), "a.json")
	put(t, s, replace(card, "Old oak", "Dead oak"), "a.json")
	assert.Equal(t, []string{"forest", "forest-2"}, ids(t, s, canonical.KindLorebook))
	assert.Equal(t, []string{"bea", "cid", "sera", "sera-2"}, ids(t, s, canonical.KindCharacter))
}

func TestExportNamesEveryMissingPiece(t *testing.T) {
	s := &library.Memory{}
	got := put(t, s, card, "a.json")
	require.NoError(t, s.Delete(ctx, got.Links[0]))
	_, err := library.Export(ctx, convert.New(), s, got.Primary.Ref(), convert.Options{To: "sillytavern"})
	require.Error(t, err)
	assert.True(t, fault.Is(err, fault.NoPiece))
	assert.Equal(t, `character "sera" needs what the library does not have: lorebook "forest"; import it, or take the link out`, err.Error())
}

// What is refused, is refused before anything is written.
func TestPreflight(t *testing.T) {
	book := &canonical.Entity{Kind: canonical.KindLorebook, ID: "b", Body: &canonical.Lorebook{Name: "B"}}
	hero := &canonical.Entity{Kind: canonical.KindCharacter, ID: "c", Body: &canonical.Character{KnowledgeRefs: []string{"b"}}}
	for name, c := range map[string]struct {
		b    library.Bundle
		want string
	}{
		"no primary":      {library.Bundle{Related: []*canonical.Entity{book}}, "the bundle lacks the main piece"},
		"no id":           {library.Bundle{Primary: hero, Related: []*canonical.Entity{{Kind: canonical.KindLorebook, Body: &canonical.Lorebook{}}}}, "related piece 1, a lorebook, has no id"},
		"no body":         {library.Bundle{Primary: hero, Related: []*canonical.Entity{{Kind: canonical.KindLorebook, ID: "x"}}}, "related piece 1 is called"},
		"another body":    {library.Bundle{Primary: &canonical.Entity{Kind: canonical.KindPersona, ID: "c", Body: hero.Body}, Related: []*canonical.Entity{book}}, `the main piece is called a "persona" and has the body of a "character"`},
		"the same twice":  {library.Bundle{Primary: hero, Related: []*canonical.Entity{book, book}}, `two pieces that are lorebook "b"`},
		"nothing related": {library.Bundle{Primary: hero, Related: []*canonical.Entity{nil}}, "related piece 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &library.Memory{}
			r, err := library.SaveBundle(ctx, s, c.b, library.SaveOptions{})
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			assert.False(t, r.Partial)
			assert.Empty(t, ids(t, s, ""))
		})
	}
}

// full is a store that takes n pieces.
type full struct {
	library.Memory
	n int
}

func (f *full) Create(ctx context.Context, s library.Summary, data *rope.Rope) error {
	if _, err := f.Open(ctx, s.Ref()); err == nil {
		return library.ErrTaken
	}
	if f.n == 0 {
		return fault.New(fault.Internal, "", "no room")
	}
	err := f.Memory.Create(ctx, s, data)
	if err == nil {
		f.n--
	}
	return err
}

// A failure on the way leaves what was written, says so, and the next try finds it.
func TestPartial(t *testing.T) {
	s := &full{n: 1}
	p, err := convert.New().Read(rope.Bytes(card), convert.Options{})
	require.NoError(t, err)
	b := library.Bundle{Primary: p.Primary, Related: p.Books}
	r, err := library.SaveBundle(ctx, s, b, library.SaveOptions{})
	require.Error(t, err)
	assert.Equal(t, `character "sera" was not saved: no room; what was saved before it stays (1)`, err.Error())
	assert.True(t, r.Partial)
	assert.Nil(t, r.Primary)
	assert.Equal(t, []string{"forest"}, ids(t, s, ""))
	s.n = 1
	r, err = library.SaveBundle(ctx, s, b, library.SaveOptions{})
	require.NoError(t, err)
	assert.Equal(t, library.Shared, r.Related[0].How)
	assert.Equal(t, []string{"forest", "sera"}, ids(t, s, ""))

	s = &full{}
	r, err = library.SaveBundle(ctx, s, b, library.SaveOptions{})
	require.Error(t, err)
	assert.Equal(t, `lorebook "forest" was not saved: no room`, err.Error())
	assert.False(t, r.Partial)
}

// Every link field follows a rename, and of the pieces saved the linked ones come first.
func TestLinksFollow(t *testing.T) {
	one := func(k canonical.Kind, id, text string) *canonical.Entity {
		e := &canonical.Entity{Kind: k, ID: id, Body: canonical.NewBody(k)}
		switch b := e.Body.(type) {
		case *canonical.Lorebook:
			b.Name = text
		case *canonical.RegexSet:
			b.Name = text
		case *canonical.QuickReplySet:
			b.Name = text
		}
		return e
	}
	const book, regex, quick = canonical.KindLorebook, canonical.KindRegex, canonical.KindQuickReply
	for _, f := range canonical.LinkFields() {
		s := &library.Memory{}
		_, err := library.SaveBundle(ctx, s, library.Bundle{Primary: one(f.To, "x", "old")}, library.SaveOptions{})
		require.NoError(t, err)
		e := canonical.WithLinks(one(f.From, "p", ""), f.To, []string{"x", "elsewhere"})
		r, err := library.SaveBundle(ctx, s, library.Bundle{Primary: e, Related: []*canonical.Entity{one(f.To, "x", "new")}}, library.SaveOptions{})
		require.NoError(t, err)
		assert.Equal(t, []library.Ref{{Kind: f.To, ID: "x-2"}, {Kind: f.To, ID: "elsewhere"}}, r.Links, "%s.%s", f.From, f.Path)
		kept, err := library.Load(ctx, s, r.Primary.Ref(), limits.Card())
		require.NoError(t, err)
		list, ok := canonical.Links(kept, f.To)
		assert.True(t, ok)
		assert.Equal(t, []string{"x-2", "elsewhere"}, list)
	}
	s := &library.Memory{}
	r, err := library.SaveBundle(ctx, s, library.Bundle{Primary: one(canonical.KindCharacter, "c", ""), Related: []*canonical.Entity{one(quick, "q", ""), one(regex, "r", ""), one(book, "b", "")}}, library.SaveOptions{})
	require.NoError(t, err)
	var order []canonical.Kind
	for _, x := range r.Related {
		order = append(order, x.Kind)
	}
	assert.Equal(t, []canonical.Kind{book, regex, quick}, order)
}

func TestOverwrite(t *testing.T) {
	s := &library.Memory{}
	put(t, s, card, "a.json")
	e, err := library.Load(ctx, s, library.Ref{Kind: canonical.KindCharacter, ID: "sera"}, limits.Card())
	require.NoError(t, err)
	e.Character().Identity.Name = "Zoe"
	r, err := library.SaveBundle(ctx, s, library.Bundle{Primary: e}, library.SaveOptions{Overwrite: true})
	require.NoError(t, err)
	assert.Equal(t, library.Replaced, r.Primary.How)
	list, err := s.List(ctx, canonical.KindCharacter)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "Zoe", list[0].Name)
	assert.Equal(t, "sera", list[0].ID)
}

// Only what a file carries inside blocks its export.
func TestWhatBlocksAnExport(t *testing.T) {
	s := &library.Memory{}
	save := func(e *canonical.Entity) library.Ref {
		_, err := library.SaveBundle(ctx, s, library.Bundle{Primary: e}, library.SaveOptions{})
		require.NoError(t, err)
		return library.Ref{Kind: e.Kind, ID: e.ID}
	}
	hero := save(&canonical.Entity{Kind: canonical.KindCharacter, ID: "c", Body: &canonical.Character{Identity: canonical.Identity{Name: "C"}, BehaviorRefs: []string{"gone"}}})
	persona := save(&canonical.Entity{Kind: canonical.KindPersona, ID: "p", Body: &canonical.Persona{Name: "P", KnowledgeRefs: []string{"gone"}}})
	preset := save(&canonical.Entity{Kind: canonical.KindPreset, ID: "s", Body: &canonical.Preset{Name: "S", QuickReplyRefs: []string{"gone"}}})
	bound := save(&canonical.Entity{Kind: canonical.KindPreset, ID: "s2", Body: &canonical.Preset{Name: "S", BehaviorRefs: []string{"gone", "lost", "gone"}}})
	for _, ref := range []library.Ref{hero, persona, preset} {
		_, err := library.Export(ctx, convert.New(), s, ref, convert.Options{To: "bunzai"})
		assert.NoError(t, err, "%v", ref)
	}
	for _, app := range []string{"sillytavern", "bunzai"} {
		_, err := library.Export(ctx, convert.New(), s, bound, convert.Options{To: app})
		require.Error(t, err)
		assert.Equal(t, `preset "s2" needs what the library does not have: regex set "gone", regex set "lost"; import it, or take the link out`, err.Error())
	}
}

// The regex scripts of a card are pieces too, and come back into its file.
func TestScriptsOfACard(t *testing.T) {
	const text = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Sera","first_mes":"Hello.","extensions":{"regex_scripts":[{"id":"a","scriptName":"Dash","findRegex":"/--/g","replaceString":"-","trimStrings":[],"placement":[2],"disabled":false,"markdownOnly":false,"promptOnly":false,"runOnEdit":true,"substituteRegex":0,"minDepth":null,"maxDepth":null}]}}}`
	s := &library.Memory{}
	got := put(t, s, text, "a.json")
	require.Equal(t, []library.Ref{{Kind: canonical.KindRegex, ID: "sera-regex"}}, got.Links)
	assert.Equal(t, text, exported(t, s, got.Primary.Ref()))
	require.NoError(t, s.Delete(ctx, got.Links[0]))
	out, err := library.Export(ctx, convert.New(), s, got.Primary.Ref(), convert.Options{To: "sillytavern", Container: "json"})
	require.NoError(t, err)
	assert.Equal(t, []string{`the library does not have regex set "sera-regex", which is linked here; the file is written without it`}, out.Report.Warnings)
}

// A book that is switched off stays behind, and the report says so.
func TestSwitchedOffBook(t *testing.T) {
	s := &library.Memory{}
	got := put(t, s, card, "a.json")
	book, err := library.Load(ctx, s, got.Links[0], limits.Card())
	require.NoError(t, err)
	book.Lorebook().Enabled = canonical.Ptr(false)
	_, err = library.SaveBundle(ctx, s, library.Bundle{Primary: book}, library.SaveOptions{Overwrite: true})
	require.NoError(t, err)
	out, err := library.Export(ctx, convert.New(), s, got.Primary.Ref(), convert.Options{To: "sillytavern", Container: "json"})
	require.NoError(t, err)
	b, err := out.Data.Bytes()
	require.NoError(t, err)
	assert.NotContains(t, string(b), "oak")
	require.NotEmpty(t, out.Report.Items)
	assert.Equal(t, convert.Lost, out.Report.Items[0].Verdict)
	assert.Equal(t, "knowledgeRefs", out.Report.Items[0].Path)
	assert.Equal(t, "it is switched off, so it is left out", out.Report.Items[0].Reason)
}

// Unchanged in the library, a file goes back as it came.
func TestSameFileBack(t *testing.T) {
	s := &library.Memory{}
	got := put(t, s, card, "a.json")
	assert.Equal(t, card, exported(t, s, got.Primary.Ref()))

	// A canonical file that holds its book gives it up to the library.
	whole, err := library.Export(ctx, convert.New(), s, got.Primary.Ref(), convert.Options{To: "bunzai"})
	require.NoError(t, err)
	b, err := whole.Data.Bytes()
	require.NoError(t, err)
	fresh := &library.Memory{}
	again := put(t, fresh, string(b), "sera.bunzai.json")
	assert.Equal(t, []library.Ref{{Kind: canonical.KindLorebook, ID: "forest"}}, again.Links)
	f, err := fresh.Open(ctx, again.Primary.Ref())
	require.NoError(t, err)
	text, err := rope.Of(f).Bytes()
	require.NoError(t, err)
	assert.NotContains(t, string(text), `"related"`)
	assert.Equal(t, card, exported(t, fresh, again.Primary.Ref()))
}

func TestAttachRefuses(t *testing.T) {
	s := &library.Memory{}
	got := put(t, s, card, "a.json")
	hero, book := got.Primary.Ref(), got.Links[0]
	lim := limits.Card()
	_, err := library.Attach(ctx, s, hero, library.Ref{Kind: canonical.KindLorebook, ID: "no"}, -1, lim)
	assert.EqualError(t, err, `the library has no lorebook "no"`)
	_, err = library.Attach(ctx, s, library.Ref{Kind: canonical.KindCharacter, ID: "no"}, book, -1, lim)
	assert.EqualError(t, err, `the library has no character "no"`)
	_, err = library.Attach(ctx, s, book, hero, -1, lim)
	assert.EqualError(t, err, `a lorebook has no links to a character`)
	_, err = library.Detach(ctx, s, hero, library.Ref{Kind: canonical.KindLorebook, ID: "no"}, lim)
	assert.EqualError(t, err, `character "sera" does not link lorebook "no"`)
}

// A file in the library that somebody damaged says which piece it is.
func TestDamagedPiece(t *testing.T) {
	s := &library.Memory{}
	ref := library.Ref{Kind: canonical.KindLorebook, ID: "x"}
	for text, want := range map[string]string{
		``:  `lorebook "x" of the library cannot be read: the JSON text is empty`,
		`{`: `lorebook "x" of the library cannot be read: `,
		`{"schemaVersion":"1","kind":"lorebook","id":"y","body":{"name":"","entries":[]}}`: `lorebook "x" of the library cannot be read: the file holds lorebook "y"`,
	} {
		require.NoError(t, s.Replace(ctx, library.Summary{Kind: ref.Kind, ID: ref.ID}, rope.FromBytes([]byte(text))))
		_, err := library.Load(ctx, s, ref, limits.Card())
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
	}
}
