package dynamo_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// interlude does something once, before the first batch of deletions is sent.
type interlude struct {
	next http.RoundTripper
	once sync.Once
	do   func()
}

func (i *interlude) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".BatchWriteItem") {
		i.once.Do(i.do)
	}
	return i.next.RoundTrip(request)
}

// A replica that deletes an agent removes its versions after it; meanwhile another registers an agent of the same name.
func TestAnAgentKeepsItsVersionsWhenThoseOfItsPredecessorGo(t *testing.T) {
	t.Parallel()
	_, db := openBoth(t, nil)
	r := storetest.Record("t", "a", "fetch")
	register := func(s *dynamo.Store, hash string) {
		t.Helper()
		err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) {
			return registry.Change{Record: r, Version: &registry.Version{Number: 1, Hash: hash, RawCard: []byte("{}")}}, nil
		})
		if err != nil {
			t.Fatalf("Update() = %v, want no error", err)
		}
	}
	other := dynamo.New(db)
	register(other, "first")
	slow := &interlude{next: dynamotest.NewChaos(1), do: func() { register(other, "second") }}
	same, err := ddb.Open(t.Context(), ddb.Config{
		Endpoint: dynamotest.Endpoint(t), TablePrefix: strings.TrimSuffix(*db.Table("Changes"), "Changes"), Transport: slow,
	})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	s := dynamo.New(same)
	if err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{}, nil }); err != nil {
		t.Fatalf("Update() to delete = %v, want no error", err)
	}
	if v, err := s.Version(t.Context(), r.Key(), 1); err != nil || v.Hash != "second" {
		t.Errorf("Version(1) = %v, %v, want that of the new agent", v, err)
	}
}
