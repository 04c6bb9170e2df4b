// Package storetest holds what every Store of the library must do. Each Store's own tests run it over an empty one.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bunzai/canonical"
	"bunzai/fault"
	"bunzai/library"
	"bunzai/rope"
)

// Ids are ids that no file name can be, that file systems take for one another, and that would lead elsewhere.
func Ids() []string {
	return []string{
		"sera", "Sera", "SERA", "sera.", "sera ", " sera", "sera.json", "..", ".", "../sera", "/etc/passwd", `..\sera`, `C:\sera`, "a/b", "a%2Fb", "a%2fb",
		"con", "CON", "con.json", "nul", "com1", "lpt9.txt", "a:b", "a*b?", "a\"<>|b", "a\x00b", "a\nb", "~", "sera~1",
		"\u00e9", "e\u0301", "\u00c9", "E\u0301", "ſ", "s", "ß", "ss", "ı", "i", "K", "k", "\u1100\u1161", "\uac00", "ﬁ", "fi", "漢字", "\U0001f600", "\u202eabc",
		"\xff", "\xfe", "\ufffd", "%", "%25", "-", "__proto__", "constructor",
		strings.Repeat("x", 300), strings.Repeat("x", 301), strings.Repeat("漢", 120), strings.Repeat("漢", 119) + "字", strings.Repeat("/", 200),
	}
}

// Run tests a Store. fresh gives an empty one each time.
func Run(t *testing.T, fresh func(t *testing.T) library.Store) {
	ctx := context.Background()
	text := func(s library.Store, ref library.Ref) string {
		t.Helper()
		f, err := s.Open(ctx, ref)
		require.NoError(t, err)
		defer func() { require.NoError(t, f.Close()) }()
		b, err := io.ReadAll(rope.Reader(f))
		require.NoError(t, err)
		require.Equal(t, f.Size(), int64(len(b)))
		return string(b)
	}
	file := func(kind canonical.Kind, id, name, extra string) (library.Summary, *rope.Rope) {
		t.Helper()
		e := &canonical.Entity{Kind: kind, ID: id, Body: canonical.NewBody(kind)}
		switch b := e.Body.(type) {
		case *canonical.Character:
			b.Identity.Name, b.WorldName = name, canonical.Ptr(extra)
		case *canonical.Lorebook:
			b.Name, b.Description = name, canonical.Ptr(extra)
		}
		data, err := canonical.EncodeEntity(e)
		require.NoError(t, err)
		return library.Summary{Kind: kind, ID: id, Name: name, Size: data.Size()}, data
	}
	const char, book = canonical.KindCharacter, canonical.KindLorebook

	t.Run("what is created is there, once", func(t *testing.T) {
		s := fresh(t)
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Equal(t, []library.Summary{}, list)
		a, data := file(char, "sera", "Sera \u00e9 \U0001f600", "one")
		require.NoError(t, s.Create(ctx, a, data))
		two, data2 := file(char, "sera", "Sera", "two")
		assert.ErrorIs(t, s.Create(ctx, two, data2), library.ErrTaken)
		b, data3 := file(book, "sera", "Book", "three")
		require.NoError(t, s.Create(ctx, b, data3), "another kind, another piece")
		first, err := data.Bytes()
		require.NoError(t, err)
		assert.Equal(t, string(first), text(s, a.Ref()))
		list, err = s.List(ctx, "")
		require.NoError(t, err)
		assert.Equal(t, []library.Summary{b, a}, list)
		list, err = s.List(ctx, book)
		require.NoError(t, err)
		assert.Equal(t, []library.Summary{b}, list)
	})

	t.Run("what is replaced is replaced, and an open file stays", func(t *testing.T) {
		s := fresh(t)
		a, data := file(char, "sera", "Sera", strings.Repeat("one ", 10_000))
		require.NoError(t, s.Replace(ctx, a, data), "also where nothing was")
		f, err := s.Open(ctx, a.Ref())
		require.NoError(t, err)
		b, data2 := file(char, "sera", "Zoe", "two")
		require.NoError(t, s.Replace(ctx, b, data2))
		old, err := io.ReadAll(rope.Reader(f))
		require.NoError(t, err)
		want, err := data.Bytes()
		require.NoError(t, err)
		assert.Equal(t, len(want), len(old))
		require.NoError(t, f.Close())
		want, err = data2.Bytes()
		require.NoError(t, err)
		assert.Equal(t, string(want), text(s, a.Ref()))
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Equal(t, []library.Summary{b}, list)
	})

	t.Run("what is deleted is gone", func(t *testing.T) {
		s := fresh(t)
		a, data := file(char, "sera", "Sera", "")
		require.NoError(t, s.Create(ctx, a, data))
		require.NoError(t, s.Delete(ctx, a.Ref()))
		_, err := s.Open(ctx, a.Ref())
		assert.True(t, fault.Is(err, fault.NoPiece), "%v", err)
		assert.True(t, fault.Is(s.Delete(ctx, a.Ref()), fault.NoPiece))
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Empty(t, list)
		require.NoError(t, s.Create(ctx, a, data))
	})

	t.Run("no two ids meet, and none leads elsewhere", func(t *testing.T) {
		s := fresh(t)
		for i, id := range Ids() {
			a, data := file(book, id, fmt.Sprint(i), "")
			require.NoError(t, s.Create(ctx, a, data), "%q", id)
		}
		list, err := s.List(ctx, book)
		require.NoError(t, err)
		names := map[string]string{}
		for _, x := range list {
			names[x.ID] = x.Name
		}
		for i, id := range Ids() {
			assert.Equal(t, fmt.Sprint(i), names[id], "%q in the list", id)
			_, data := file(book, id, fmt.Sprint(i), "")
			want, err := data.Bytes()
			require.NoError(t, err)
			assert.Equal(t, string(want), text(s, library.Ref{Kind: book, ID: id}), "%q", id)
			require.NoError(t, s.Delete(ctx, library.Ref{Kind: book, ID: id}), "%q", id)
		}
		list, err = s.List(ctx, "")
		require.NoError(t, err)
		assert.Empty(t, list)
	})

	t.Run("a file that cannot be read leaves nothing", func(t *testing.T) {
		s := fresh(t)
		a, data := file(char, "sera", "Sera", "kept")
		require.NoError(t, s.Create(ctx, a, data))
		bad := rope.Of(broken{})
		b, _ := file(char, "zoe", "Zoe", "")
		assert.ErrorIs(t, s.Create(ctx, b, bad), errBroken)
		assert.ErrorIs(t, s.Replace(ctx, a, bad), errBroken)
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Equal(t, []library.Summary{a}, list)
		assert.Contains(t, text(s, a.Ref()), "kept")
	})

	t.Run("of many at the same time one is first", func(t *testing.T) {
		s := fresh(t)
		var wait sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for i := range 8 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				a, data := file(char, "sera", "Sera", fmt.Sprint(i))
				err := s.Create(ctx, a, data)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					won++
				} else {
					assert.ErrorIs(t, err, library.ErrTaken)
				}
			}()
		}
		wait.Wait()
		assert.Equal(t, 1, won)
	})

	t.Run("an ended context writes nothing", func(t *testing.T) {
		s := fresh(t)
		ended, end := context.WithCancel(ctx)
		end()
		a, data := file(char, "sera", "Sera", "")
		assert.Error(t, s.Create(ended, a, data))
		assert.Error(t, s.Replace(ended, a, data))
		list, err := s.List(ctx, "")
		require.NoError(t, err)
		assert.Empty(t, list)
	})
}

var errBroken = errors.New("broken")

// broken is a Source of which only the first bytes can be read.
type broken struct{}

func (broken) Size() int64 { return 1 << 20 }

func (broken) ReadAt(p []byte, off int64) (int, error) {
	if off > 1000 {
		return 0, errBroken
	}
	n := min(len(p), 1000-int(off))
	return n, errBroken
}
