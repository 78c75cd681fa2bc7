package embedded_test

import (
	"path/filepath"
	"testing"

	"github.com/quorate/quorate/registry/storetest"
)

func TestVersionsAndKeys(t *testing.T) {
	t.Parallel()
	storetest.RunVersions(t, func(t *testing.T) storetest.VersionedStore {
		t.Helper()
		store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
		t.Cleanup(closeStore)
		return store
	})
}
