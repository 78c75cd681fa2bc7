package dynamo_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/fault"
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

// twice sends each PutItem twice, as the SDK does when the first answer is lost.
type twice struct{ http.RoundTripper }

func (t twice) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".PutItem") {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		first := r.Clone(r.Context())
		first.Body, r.Body = io.NopCloser(bytes.NewReader(body)), io.NopCloser(bytes.NewReader(body))
		response, err := t.RoundTripper.RoundTrip(first)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close() // it is lost
	}
	return t.RoundTripper.RoundTrip(r)
}

func TestALeaseIsTakenThoughTheAnswerIsLost(t *testing.T) {
	t.Parallel()
	leases := dynamo.NewLeases(tables(t, twice{http.DefaultTransport}))
	for _, take := range []struct {
		node string
		seen uint64
		want string
	}{{"a", 0, ""}, {"b", 0, "LEASE_TAKEN"}, {"b", 1, ""}, {"a", 1, "LEASE_TAKEN"}} {
		var want orchestrator.Lease
		if take.want == "" {
			want = orchestrator.Lease{Group: 5, Owner: take.node, Epoch: take.seen + 1}
		}
		got, err := leases.Take(t.Context(), 5, take.node, take.seen)
		if got != want || (err == nil) != (take.want == "") || err != nil && fault.ReasonOf(err) != take.want {
			t.Errorf("Take(5, %s, %d) = %v, %v, want %v %s", take.node, take.seen, got, err, want, take.want)
		}
	}
}
