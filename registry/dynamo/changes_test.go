package dynamo_test

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// Every replica asks for each tenant's changes twice a second, and so does every watcher.
func TestToFindNothingNewTakesOneQuery(t *testing.T) {
	t.Parallel()
	queries := 0
	chaos := dynamotest.NewChaos(1)
	s, _ := openBoth(t, chaos)
	storetest.Put(t, s, storetest.Record("t", "a"))
	chaos.Match = func(operation string) bool {
		if operation == "Query" {
			queries++
		}
		return false
	}
	for tenant, head := range map[string]int64{"t": 1, "nobody": 0} {
		queries = 0
		if entries, err := s.Changes(t.Context(), tenant, head, 9); len(entries) != 0 || err != nil || queries != 1 {
			t.Errorf("Changes(%s, %d) = %v, %v after %d queries, want nothing after one", tenant, head, entries, err, queries)
		}
	}
}

// What is not kept any more shows at the entry behind which a reader goes on, or at the one before it.
func TestALogWhoseBeginningIsGone(t *testing.T) {
	t.Parallel()
	s, db := openBoth(t, nil)
	const last = 6
	for n := range last {
		storetest.Put(t, s, storetest.Record("t", "a"+strconv.Itoa(n)))
	}
	var gone []types.WriteRequest
	for n := range 3 {
		gone = append(gone, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: ddb.Item{
			"tenant": &types.AttributeValueMemberS{Value: "t"}, "revision": &types.AttributeValueMemberN{Value: strconv.Itoa(n + 1)},
		}}})
	}
	if err := db.BatchWrite(t.Context(), "Changes", gone); err != nil {
		t.Fatalf("BatchWrite() = %v, want no error", err)
	}
	for after, want := range map[int64][]int64{0: nil, 2: nil, 3: {4, 5}, 4: {5, 6}, 5: {6}, last: {}, last + 1: nil} {
		entries, err := s.Changes(t.Context(), "t", after, 2)
		var got []int64
		for _, e := range entries {
			got = append(got, e.Revision)
		}
		if gone := fault.ReasonOf(err) == "REVISION_GONE"; !slices.Equal(got, want) || gone != (want == nil) {
			t.Errorf("Changes(%d) = %v, %v, want %v, or REVISION_GONE for nil", after, got, err, want)
		}
	}
}

// Each new entry of a log that is full takes the place of the oldest one.
func TestALogDoesNotGrowForEver(t *testing.T) {
	t.Parallel()
	before, db := openBoth(t, nil)
	storetest.Put(t, before, storetest.Record("t", "a"))
	storetest.Put(t, before, storetest.Record("t", "b"))
	full := ddb.Item{
		"tenant": &types.AttributeValueMemberS{Value: "t"}, "revision": &types.AttributeValueMemberN{Value: strconv.Itoa(registry.ChangesKept)},
	}
	if err := db.Put(t.Context(), types.Put{TableName: db.Table("Changes"), Item: full}); err != nil {
		t.Fatalf("Put() = %v, want no error", err)
	}
	s := dynamo.New(db)
	storetest.Put(t, s, storetest.Record("t", "c"))
	if entries, err := s.Changes(t.Context(), "t", 0, 1); fault.ReasonOf(err) != "REVISION_GONE" {
		t.Errorf("Changes(0) of a log that is full = %v, %v, want REVISION_GONE", entries, err)
	}
	if entries, err := s.Changes(t.Context(), "t", 1, 1); err != nil || len(entries) != 1 || entries[0].Revision != 2 {
		t.Errorf("Changes(1) of a log that is full = %v, %v, want the next one", entries, err)
	}
	if entries, err := s.Changes(t.Context(), "t", registry.ChangesKept, 1); err != nil || len(entries) != 1 || entries[0].Agent != "c" {
		t.Errorf("Changes(%d) = %v, %v, want that of c", registry.ChangesKept, entries, err)
	}
}

// A replica asks for the pulses of all agents every ten seconds; a consistent read costs twice as much.
func TestRecentPulsesAreNotReadConsistently(t *testing.T) {
	t.Parallel()
	k := &reads{next: dynamotest.NewChaos(1)}
	s, _ := openBoth(t, k)
	r := storetest.Record("t", "a")
	storetest.Put(t, s, r)
	if err := s.UpdatePulse(t.Context(), r.Key(), func(p registry.Pulse) (registry.Pulse, error) { p.InFlight = 7; return p, nil }); err != nil {
		t.Fatalf("UpdatePulse() = %v, want no error", err)
	}
	k.consistent.Store(0)
	pulses, err := s.RecentPulses(t.Context(), r.Key())
	if err != nil || pulses[r.Key()].InFlight != 7 || k.consistent.Load() != 0 {
		t.Errorf("RecentPulses() = %v, %v with %d consistent reads, want the pulse with none", pulses, err, k.consistent.Load())
	}
}

// reads counts those that are consistent.
type reads struct {
	next       http.RoundTripper
	consistent atomic.Int64
}

func (k *reads) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
		k.consistent.Add(1)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	return k.next.RoundTrip(request)
}
