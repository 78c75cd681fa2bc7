package registry_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
)

// lagging is a store whose lists do not have the agent new yet, as those of DynamoDB's indexes at times.
type lagging struct{ *embedded.Store }

func (s lagging) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := s.Store.Agents(ctx, q)
	if q.Names != nil {
		return list, err
	}
	return slices.DeleteFunc(list, func(r registry.Record) bool { return r.Name == "new" }), err
}

func openLagging(t *testing.T) *registry.Registry {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return registry.New(lagging{store}, registry.Options{})
}

func TestADirectoryHasAlsoWhatListsDoNotShowYet(t *testing.T) {
	t.Parallel()
	r := openLagging(t)
	register(t, r, "old")
	register(t, r, "new")
	synced(t, r.Directory())
	for _, name := range []string{"old", "new"} {
		if _, ok := r.Directory().Agent(tenant, name); !ok {
			t.Errorf("Agent(%s) is not there after Sync(), want it", name)
		}
	}
}

func TestASnapshotHasAlsoWhatListsDoNotShowYet(t *testing.T) {
	t.Parallel()
	r := openLagging(t)
	register(t, r, "old")
	register(t, r, "new")
	register(t, r, "gone")
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "gone", ""); err != nil {
		t.Fatal(err)
	}
	events, revision := told(t, r, registry.WatchOptions{}, 3)
	if want := []string{"snapshot old ", "snapshot new ", "bookmark  "}; !slices.Equal(events, want) || revision != 4 {
		t.Errorf("Watch() = %q at %d, want %q at 4", events, revision, want)
	}
}

func TestAKeyIsRevokedAlsoForACardThatListsDoNotShowYet(t *testing.T) {
	t.Parallel()
	r := openLagging(t)
	mine := newSigner(t, "mine")
	pin(t, r, mine)
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(mine.sign(t, named("new", "s")))}); err != nil {
		t.Fatal(err)
	}
	if err := r.Once(registry.Retry{}).DeleteSigningKey(t.Context(), tenant, "mine"); err != nil {
		t.Errorf("DeleteSigningKey() = %v, want no error", err)
	}
	if v := verificationOf(t, r, "new"); registry.SignaturesIfPresent.Trusts(v) {
		t.Errorf("the card signed with the key that is gone is still %s", v.State)
	}
}
