package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
)

// hangingReads is a DynamoDB that answers reads of single items, such as tasks, only after another call has come while they wait.
type hangingReads struct {
	behind http.Handler
	reads  atomic.Int64  // that have begun
	begun  chan struct{} // gets one for each of the first reads
	other  chan struct{} // closed when the other call comes
	once   sync.Once     // closes other
	before int64         // reads that had begun then; written before other is closed
}

func (h *hangingReads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch read := strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem"); {
	case read:
		h.reads.Add(1)
		select {
		case h.begun <- struct{}{}:
		default:
		}
		<-h.other
	case h.reads.Load() > 0:
		h.once.Do(func() {
			h.before = h.reads.Load()
			close(h.other)
		})
	}
	h.behind.ServeHTTP(w, r)
}

// TestLeasesDoNotWaitForCallsAboutTasks has more calls about tasks under way than a client has connections. On a slow machine some are given up and repeated before
// the leases are read, which says nothing; so it may try again.
func TestLeasesDoNotWaitForCallsAboutTasks(t *testing.T) {
	t.Parallel()
	const conns, calls, tries = 256, 400, 5
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), server.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	var before int64
	for range tries {
		if before = readsBeforeLeases(t, strings.TrimSuffix(*db.Table("Tasks"), "Tasks"), conns, calls); before <= conns {
			return
		}
	}
	t.Errorf("the leases were read after %d calls about tasks had been made, want no more than the %d that were under way", before, conns)
}

// readsBeforeLeases makes calls about tasks and, when as many as there are connections hang, reads the leases. It returns how many calls had begun by then.
func readsBeforeLeases(t *testing.T, prefix string, conns, calls int) int64 {
	t.Helper()
	behind, err := url.Parse(dynamotest.Endpoint(t))
	if err != nil {
		t.Fatal(err)
	}
	hanging := &hangingReads{behind: httputil.NewSingleHostReverseProxy(behind), begun: make(chan struct{}, conns), other: make(chan struct{})}
	front := httptest.NewServer(hanging)
	defer front.Close()
	stores, err := server.OpenDynamoDB(t.Context(), server.DynamoDB{Config: ddb.Config{Endpoint: front.URL, TablePrefix: prefix}})
	if err != nil {
		t.Fatalf("OpenDynamoDB() = %v, want no error", err)
	}
	var reading sync.WaitGroup
	defer reading.Wait()
	for range calls {
		reading.Go(func() { _, _ = stores.Tasks.Task(t.Context(), orchestrator.Key{Tenant: "t", ID: "none"}) })
	}
	for range conns {
		<-hanging.begun
	}
	if _, err := stores.Leases.Leases(t.Context()); err != nil {
		t.Errorf("Leases() = %v, want no error", err)
	}
	return hanging.before
}
