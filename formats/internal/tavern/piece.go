package tavern

import (
	"bunzai/canonical"
	"bunzai/formats"
	"bunzai/formats/internal/book"
)

// Decoded wraps a card as its codec returns it.
func (a *App) Decoded(c *Card) *formats.Decoded {
	held := c.Container
	if c.Front {
		held = formats.JPEG
	}
	return &formats.Decoded{
		Entity:    &canonical.Entity{Kind: canonical.KindCharacter, ID: canonical.Slug(c.Body.Identity.Name), Body: c.Body, Original: []*canonical.Escrow{c.Escrow}},
		Container: held, Variant: string(c.Variant), Warnings: c.Warnings, Unmapped: func() []string { return a.Unmapped(c) },
	}
}

// ExtractBooks takes the embedded lorebooks out of the app's own escrow. Dial nil tells the dialect from the book.
func (a *App) ExtractBooks(e *canonical.Entity, dial *book.Dialect) ([]*canonical.Entity, []string, error) {
	twin := e.Bucket(a.Name)
	if twin == nil || twin.Raw == nil {
		return nil, nil, nil
	}
	return book.Extract(twin.Raw.Root, variant(twin).prefix(), a.Name, dial)
}
