package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/registry/storetest"
)

func TestTheStoreDoesWhatAMapDoes(t *testing.T) {
	t.Parallel()
	store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	defer closeStore()
	storetest.RunModel(t, store, false)
}

func TestTheStoreIsLinearizable(t *testing.T) {
	t.Parallel()
	store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	defer closeStore()
	for seed := range uint64(5) {
		storetest.RunLinearizable(t, store, seed)
	}
}

func TestStreamsKilledAtRandomMissNothing(t *testing.T) {
	t.Parallel()
	store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	defer closeStore()
	storetest.RunWatch(t, store)
}
