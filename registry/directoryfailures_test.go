package registry_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// TestAStoreThatIsAwayForLongDoesNotFillTheLog closes a store under a directory that follows it.
func TestAStoreThatIsAwayForLongDoesNotFillTheLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "quorate.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := boltdb.Open(file, boltdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		store, err := embedded.New(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		d := registry.New(store, registry.Options{LeaseDuration: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))}).Directory()
		if err := d.Sync(t.Context(), tenant); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Run(ctx) }()
		<-time.After(30 * time.Minute)
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run() = %v, want nil at its end", err)
		}
		const most = 20 // lines
		if n := strings.Count(log.String(), "directory not up to date"); n == 0 || n > most {
			t.Errorf("in half an hour the log has %d lines about a directory that is not up to date, want some, and at most %d", n, most)
		}
	})
}
