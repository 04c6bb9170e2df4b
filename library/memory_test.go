package library_test

import (
	"testing"

	"bunzai/library"
	"bunzai/library/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) library.Store { return &library.Memory{} })
}
