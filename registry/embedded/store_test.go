package embedded_test

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) registry.Store {
		t.Helper()
		store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
		t.Cleanup(closeStore)
		return store
	})
}

func open(tb testing.TB, path string) (store *embedded.Store, closeStore func()) {
	tb.Helper()
	db, err := boltdb.Open(path, boltdb.Options{})
	if err != nil {
		tb.Fatalf("Open() = %v, want no error", err)
	}
	store, err = embedded.New(tb.Context(), db)
	if err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	return store, func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close() = %v, want no error", err)
		}
	}
}

func TestARestartFindsEverything(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "quorate.db")
	first, closeFirst := open(t, path)
	storetest.Put(t, first, storetest.Record("t", "web", "fetch"))
	closeFirst()
	second, closeSecond := open(t, path)
	defer closeSecond()
	got, err := second.Agents(t.Context(), registry.Query{Tenant: "t", Skill: "fetch", Limit: 9})
	if err != nil || len(got) != 1 || got[0].Name != "web" {
		t.Errorf("Agents() = %v, %v, want web", got, err)
	}
}

// TestWhatWasReadStaysAsItWas has a card written anew again and again: the file's pages, which the card was read from, are used for others then.
func TestWhatWasReadStaysAsItWas(t *testing.T) {
	t.Parallel()
	store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	defer closeStore()
	record := storetest.Record("t", "web", "fetch")
	record.RawCard = bytes.Repeat([]byte("a"), 64<<10)
	storetest.Put(t, store, record)
	read, err := store.Agent(t.Context(), record.Key())
	if err != nil {
		t.Fatalf("Agent() = %v, want no error", err)
	}
	for i := range 50 {
		record.RawCard = bytes.Repeat([]byte{byte('b' + i%20)}, 64<<10)
		storetest.Put(t, store, record)
	}
	if want := bytes.Repeat([]byte("a"), 64<<10); !bytes.Equal(read.RawCard, want) {
		t.Errorf("the card that was read = %.20s… after others were written, want %.20s…", read.RawCard, want)
	}
}

// TestExpiredRequestsAreDeleted remembers a request each day, for an hour.
func TestExpiredRequestsAreDeleted(t *testing.T) {
	t.Parallel()
	store, closeStore := open(t, filepath.Join(t.TempDir(), "quorate.db"))
	defer closeStore()
	record := storetest.Record("t", "web")
	const days = 40
	key := func(day int) registry.RequestKey {
		return registry.RequestKey{Tenant: "t", Caller: "ann", ID: strconv.Itoa(day)}
	}
	for day := range days {
		at := time.Date(2030, 1, 1+day, 0, 0, 0, 0, time.UTC)
		err := store.Update(t.Context(), record.Key(), func(*registry.Record) (registry.Change, error) {
			return registry.Change{Record: record, Remember: &registry.Request{Key: key(day), Agent: "web", CreateTime: at, ExpireTime: at.Add(time.Hour)}}, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	var kept []int
	for day := range days {
		if _, ok, err := store.Request(t.Context(), key(day)); err != nil {
			t.Fatalf("Request() = %v, want no error", err)
		} else if ok {
			kept = append(kept, day)
		}
	}
	if want := []int{days - 1}; !slices.Equal(kept, want) {
		t.Errorf("the requests of days %v are kept, want %v", kept, want)
	}
}

// TestTheLogOfChangesDoesNotGrowForEver makes the log as long as it gets, without writing all of it.
func TestTheLogOfChangesDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatalf("New() = %v, want no error", err)
	}
	for _, name := range []string{"first", "second"} {
		storetest.Put(t, store, storetest.Record("t", name))
	}
	storetest.Put(t, store, storetest.Record("other", "first"))
	err = db.Update(t.Context(), func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("registry_heads")).Put(boltdb.Key("t"), binary.BigEndian.AppendUint64(nil, registry.ChangesKept))
	})
	if err != nil {
		t.Fatalf("Update() = %v, want no error", err)
	}
	storetest.Put(t, store, storetest.Record("t", "last"))
	var kept []string
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("registry_changes")).ForEach(func(key, _ []byte) error {
			kept = append(kept, strings.Join(boltdb.Split(key), " "))
			return nil
		})
	})
	want := []string{"other 0000000000000001", "t 0000000000000002", "t 0000000000010001"}
	if err != nil || !slices.Equal(kept, want) {
		t.Errorf("the changes that are kept are %q, %v, want %q", kept, err, want)
	}
}
