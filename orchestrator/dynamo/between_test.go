package dynamo_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
)

// between does something before the next call of an operation, as another replica may.
type between struct {
	http.RoundTripper
	operation string
	next      atomic.Pointer[func()] // nil: nothing
}

func (b *between) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), "."+b.operation) {
		if do := b.next.Swap(nil); do != nil {
			(*do)()
		}
	}
	return b.RoundTripper.RoundTrip(r)
}

func TestWordThatComesWhileItIsCollectedStays(t *testing.T) {
	t.Parallel()
	b := &between{RoundTripper: http.DefaultTransport, operation: "DeleteItem"}
	leases := dynamo.NewLeases(tables(t, b))
	post := func() {
		if err := leases.Post(t.Context(), "node", key("a")); err != nil {
			t.Errorf("Post() = %v, want no error", err)
		}
	}
	post()
	b.next.Store(&post)
	for range 2 {
		if got, err := leases.Collect(t.Context(), "node", 10); err != nil || len(got) != 1 || got[0] != key("a") {
			t.Errorf("Collect() = %v, %v, want word of a each time: it came again while it was collected", got, err)
		}
	}
	if got, err := leases.Collect(t.Context(), "node", 10); err != nil || len(got) != 0 {
		t.Errorf("Collect() = %v, %v in the end, want nothing", got, err)
	}
}

func TestAContextThatIsReplacedWhileItIsReadStaysReplaced(t *testing.T) {
	t.Parallel()
	b := &between{RoundTripper: http.DefaultTransport, operation: "PutItem"}
	now := epoch
	s := dynamo.New(tables(t, b), dynamo.Options{Now: func() time.Time { return now }})
	k := orchestrator.ContextKey{Tenant: "default", Owner: "ann", ContextID: "c", Agent: "echo"}
	set := func(id string) {
		if err := s.SetAgentContext(t.Context(), k, id); err != nil {
			t.Errorf("SetAgentContext(%s) = %v, want no error", id, err)
		}
	}
	set("old")
	now = now.Add(orchestrator.ContextLife / 2) // the use is noted
	replace := func() { set("new") }
	b.next.Store(&replace)
	if got, err := s.AgentContext(t.Context(), k); err != nil || got != "old" || b.next.Load() != nil {
		t.Fatalf("AgentContext() = %q, %v, want old, and its use noted", got, err)
	}
	if got, err := s.AgentContext(t.Context(), k); err != nil || got != "new" {
		t.Errorf("AgentContext() = %q, %v, want new", got, err)
	}
}
