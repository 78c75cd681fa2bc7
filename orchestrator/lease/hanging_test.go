package lease_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/storetest"
)

// hanging is a store that answers nothing while it hangs, as one does to which the network is cut.
type hanging struct {
	storetest.MemoryLeases
	hangs chan struct{} // closed when it begins to
}

func (h *hanging) wait(ctx context.Context) error {
	select {
	case <-h.hangs:
		<-ctx.Done()
		return ctx.Err()
	default:
		return nil
	}
}

func (h *hanging) Beat(ctx context.Context, n orchestrator.Node) error {
	if err := h.wait(ctx); err != nil {
		return err
	}
	return h.MemoryLeases.Beat(ctx, n)
}

func (h *hanging) Collect(ctx context.Context, node string, limit int) ([]orchestrator.Key, error) {
	if err := h.wait(ctx); err != nil {
		return nil, err
	}
	return h.MemoryLeases.Collect(ctx, node, limit)
}

// TestAStoreThatHangsIsLogged has the time of each call run out, which looks like the end of the replica to whoever asks the wrong context.
func TestAStoreThatHangsIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hanging{hangs: make(chan struct{})}
		var log strings.Builder
		s := runLogged(t, store, "a", 0, slog.New(slog.NewTextHandler(&log, nil)))
		<-time.After(10*time.Second + 100*time.Millisecond) // the next thing that is due is to collect messages; signs of life go before that from then on
		close(store.hangs)
		<-time.After(time.Minute)
		if n := s.holds(); n != 0 {
			t.Errorf("after a minute the replica holds %d groups, want none", n)
		}
		s.stop()
		<-s.ended
		for _, want := range []string{"level=ERROR msg=\"the leases could not be renewed; work stops when they run out\"", "level=WARN msg=\"word of other replicas could not be read; trying again\""} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log is\n%swant %s in it", log.String(), want)
			}
		}
	})
}

// refusing is a store that takes no signs of life and gives no messages.
type refusing struct{ storetest.MemoryLeases }

func (*refusing) Beat(context.Context, orchestrator.Node) error { return errors.New("refused") }

func (*refusing) Collect(context.Context, string, int) ([]orchestrator.Key, error) {
	return nil, errors.New("refused")
}

func TestAStoreThatIsAwayForLongDoesNotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := runLogged(t, &refusing{}, "a", 0, slog.New(slog.NewTextHandler(&log, nil)))
		<-time.After(time.Hour)
		s.stop()
		<-s.ended
		const most = 20 // lines
		for _, message := range []string{"word of other replicas could not be read", "the leases could not be renewed"} {
			if n := strings.Count(log.String(), message); n == 0 || n > most {
				t.Errorf("in an hour the log has %d lines that say %q, want some, and at most %d", n, message, most)
			}
		}
	})
}
