package dynamo_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
)

// meter counts the bytes of answers to queries.
type meter struct{ bytes atomic.Int64 }

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && strings.Contains(r.Header.Get("X-Amz-Target"), "Query") {
		m.bytes.Add(answer.ContentLength)
	}
	return answer, err
}

func TestALongLogIsNotReadAnewForEachPage(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t)
	m := &meter{}
	s := dynamo.New(tables(t, m), dynamo.Options{})
	create(t, s, "a", epoch)
	const writes, page = 400, 40
	for n := range writes {
		if _, err := s.Update(t.Context(), key("a"), func(*orchestrator.Task) ([]orchestrator.Event, error) {
			return []orchestrator.Event{{Type: orchestrator.EventProgress, Detail: strconv.Itoa(n)}}, nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	read := func(page int) (bytes int64) {
		m.bytes.Store(0)
		for after := uint64(0); after <= writes; {
			events, err := s.Events(t.Context(), key("a"), after, page)
			if err != nil || len(events) == 0 || events[0].Sequence != after+1 {
				t.Fatalf("Events(%d, %d) = %v, %v, want those that follow", after, page, events, err)
			}
			after += uint64(len(events))
		}
		return m.bytes.Load()
	}
	whole := read(writes + 1)
	if pages := read(page); whole <= 0 || pages > 2*whole {
		t.Errorf("a log of %d bytes was read with %d bytes in pages of %d, want at most twice as many", whole, pages, page)
	}
}

// A task may get the id of an earlier one that is over: both are from the same request id. The records of the earlier one are removed weeks after its item.
func TestALogHasNothingOfAnEarlierTaskWithTheSameID(t *testing.T) {
	t.Parallel()
	const writes = 40
	now := epoch
	s := dynamo.New(tables(t, nil), dynamo.Options{Keep: time.Hour, Now: func() time.Time { return now }})
	for _, which := range []string{"earlier", "later"} {
		create(t, s, "a", now)
		for range writes {
			if _, err := s.Update(t.Context(), key("a"), func(*orchestrator.Task) ([]orchestrator.Event, error) {
				return []orchestrator.Event{{Type: orchestrator.EventProgress, Detail: which}}, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if which == "earlier" {
			settle(t, s, "a", now)
			now = now.Add(time.Hour)
		}
	}
	for after := range uint64(writes) {
		events, err := s.Events(t.Context(), key("a"), after+1, 1)
		if err != nil || len(events) != 1 || events[0].Sequence != after+2 || events[0].Detail != "later" {
			t.Errorf("Events(%d) = %v, %v, want the next one of the later task", after+1, events, err)
		}
	}
}
