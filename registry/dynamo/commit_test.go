package dynamo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/dynamo"
	"github.com/quorate/quorate/registry/storetest"
)

// held is a transport that holds transactions until it is opened, and counts them.
type held struct {
	opened chan struct{}
	count  atomic.Int64
}

// RoundTrip sends a call.
func (h *held) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.Header.Get("X-Amz-Target"), ".TransactWriteItems") {
		h.count.Add(1)
		select {
		case <-h.opened:
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
	return direct.RoundTrip(request)
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func put(ctx context.Context, s *dynamo.Store, name, request string) error {
	r := storetest.Record("t", name)
	change := registry.Change{Record: r}
	if request != "" {
		change.Remember = &registry.Request{Key: registry.RequestKey{Tenant: "t", ID: request}, CreateTime: time.Now(), ExpireTime: time.Now().Add(time.Hour)}
	}
	return s.Update(ctx, r.Key(), func(*registry.Record) (registry.Change, error) { return change, nil })
}

func TestWhoeverWaitsForTheLogIsWrittenTogether(t *testing.T) {
	t.Parallel()
	h := &held{opened: make(chan struct{})}
	s := open(t, h)
	var group sync.WaitGroup
	defer group.Wait()
	write := func(ctx context.Context, name, request string, want error) {
		group.Go(func() {
			if err := put(ctx, s, name, request); !errors.Is(err, want) {
				t.Errorf("Update(%s) = %v, want %v", name, err, want)
			}
		})
	}
	write(t.Context(), "first", "r", nil)
	until(t, "the first is being written", func() bool { return h.count.Load() == 1 })
	for i := range 10 {
		write(t.Context(), fmt.Sprintf("a%d", i), "", nil)
	}
	until(t, "ten wait", func() bool { return s.Waiting("t") == 10 })
	write(t.Context(), "twice", "r", registry.ErrRequestSeen) // its refusal is nobody else's
	gone, leave := context.WithCancel(t.Context())
	write(gone, "gone", "", context.Canceled)
	write(t.Context(), "a0", "", nil) // not in one transaction with the other write to a0
	until(t, "thirteen wait", func() bool { return s.Waiting("t") == 13 })
	leave()
	until(t, "one has gone", func() bool { return s.Waiting("t") == 12 })
	close(h.opened)
	group.Wait()
	if err := put(t.Context(), s, "last", ""); err != nil {
		t.Errorf("Update(last) = %v, want no error", err)
	}
	entries, err := s.Changes(t.Context(), "t", 0, 100)
	if err != nil || len(entries) != 12 || entries[11].Revision != 12 {
		t.Errorf("Changes() = %v, %v, want the twelve creations without a gap", entries, err)
	}
	if got := h.count.Load(); got > 6 { // the first, the others, the others without one, the second to a0 in vain and again, the last
		t.Errorf("%d transactions were sent for 14 writes, want at most 6", got)
	}
}

// TestNoMoreIsWrittenTogetherThanATransactionTakes has more wait for the log than DynamoDB takes at once, which is 100 items and 4 MB.
func TestNoMoreIsWrittenTogetherThanATransactionTakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ writers, card int }{"many items": {60, 10}, "large ones": {20, 300 << 10}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := &held{opened: make(chan struct{})}
			s := open(t, h)
			var group sync.WaitGroup
			defer group.Wait()
			write := func(agent string) {
				r := storetest.Record("t", agent)
				r.RawCard = bytes.Repeat([]byte("x"), test.card)
				group.Go(func() {
					err := s.Update(t.Context(), r.Key(), func(*registry.Record) (registry.Change, error) { return registry.Change{Record: r}, nil })
					if err != nil {
						t.Errorf("Update(%s) = %v, want no error", agent, err)
					}
				})
			}
			write("first")
			until(t, "the first is being written", func() bool { return h.count.Load() == 1 })
			for i := range test.writers {
				write(fmt.Sprintf("a%d", i))
			}
			until(t, "the others wait", func() bool { return s.Waiting("t") == test.writers })
			close(h.opened)
		})
	}
}

func TestABatchEndsWhenAllItsCallersHaveGone(t *testing.T) {
	t.Parallel()
	h := &held{opened: make(chan struct{})}
	s := open(t, h)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		if err := put(ctx, s, "a", ""); err == nil {
			t.Error("Update() whose caller has gone = nil, want an error")
		}
	})
	until(t, "it is being written", func() bool { return h.count.Load() == 1 })
	cancel()
	group.Wait()
	close(h.opened)
	if err := put(t.Context(), s, "b", ""); err != nil {
		t.Errorf("Update() behind it = %v, want no error", err)
	}
}

// TestABatchIsWrittenAlsoIfOneOfItsCallersHasGone has two changes written together.
func TestABatchIsWrittenAlsoIfOneOfItsCallersHasGone(t *testing.T) {
	t.Parallel()
	h := &held{opened: make(chan struct{})}
	s := open(t, h)
	gone, leave := context.WithCancel(t.Context())
	var group sync.WaitGroup
	write := func(ctx context.Context, name string) {
		group.Go(func() {
			if err := put(ctx, s, name, ""); err != nil {
				t.Errorf("Update(%s) = %v, want no error", name, err)
			}
		})
	}
	write(t.Context(), "first")
	until(t, "the first is being written", func() bool { return h.count.Load() == 1 })
	write(gone, "leaves")
	write(t.Context(), "stays")
	until(t, "two wait", func() bool { return s.Waiting("t") == 2 })
	h.opened <- struct{}{}
	until(t, "the two are being written", func() bool { return h.count.Load() == 2 })
	told := make(chan struct{})
	context.AfterFunc(gone, func() { close(told) })
	leave()
	<-told
	close(h.opened)
	group.Wait()
}
