package push_test

import (
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/push"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/fault"
)

func TestOnlyWhatIsOwedIsTold(t *testing.T) {
	t.Parallel()
	const url = "https://example.com"
	bubble := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when a synctest begins
	for name, test := range map[string]struct {
		receivers []orchestrator.Webhook
		want      []uint64 // events that "w" hears of
	}{
		"to one that came while the task worked": {[]orchestrator.Webhook{{ID: "w", URL: url, Sent: 2}}, []uint64{4}},
		"to one that came with the last event":   {[]orchestrator.Webhook{{ID: "w", URL: url, Sent: 3}}, []uint64{4}},
		"to one to whom less is owed":            {[]orchestrator.Webhook{{ID: "w", URL: url, Due: 2}}, []uint64{1, 2}},
		"beside one that is given up":            {[]orchestrator.Webhook{{ID: "other", URL: url, GaveUp: "RECEIVER_GONE"}, {ID: "w", URL: url}}, []uint64{1, 2, 4}},
		"beside one that has heard all":          {[]orchestrator.Webhook{{ID: "w", URL: url}, {ID: "other", URL: url, Sent: 4}}, []uint64{1, 2, 4}},
		"beside one that is to be left alone":    {[]orchestrator.Webhook{{ID: "other", URL: url, NextDue: bubble.Add(10 * time.Minute)}, {ID: "w", URL: url}}, []uint64{1, 2, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, store := &notifier{}, &storetest.Memory{}
				k := owe(t, store, "t1", test.receivers...)
				run(t, store, n).Wake(k)
				<-time.After(2 * time.Second)
				synctest.Wait()
				if !slices.Equal(n.heard, test.want) || n.called("other") > 0 {
					t.Errorf("the receiver heard of the events %v, want %v, and the other one of none", n.heard, test.want)
				}
				if task, err := store.Task(t.Context(), k); err != nil || task.Version != 2 {
					t.Errorf("the task has been written %d times, %v, want once more than when it came, with what was told", task.Version, err)
				}
			})
		})
	}
}

// TestWhatAReceiverIsBySoonCounts has it changed while it is told, in vain.
func TestWhatAReceiverIsBySoonCounts(t *testing.T) {
	t.Parallel()
	const url = "https://example.com"
	for name, test := range map[string]struct {
		now     []orchestrator.Webhook
		failure error
	}{
		"it is removed":                           {nil, unavailable()},
		"another one has its id":                  {[]orchestrator.Webhook{{ID: "w", URL: url, Due: 4, CreateTime: time.Unix(1, 0)}}, fault.New(fault.FailedPrecondition, "RECEIVER_GONE", "gone")},
		"another replica has told it":             {[]orchestrator.Webhook{{ID: "w", URL: url, Due: 4, Sent: 4}}, unavailable()},
		"another replica has told it of one more": {[]orchestrator.Webhook{{ID: "w", URL: url, Due: 4, Sent: 1}}, unavailable()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				store := &storetest.Memory{}
				k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: url})
				n := &notifier{fail: func(orchestrator.Webhook, int) error {
					_, err := store.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
						t.Webhooks = test.now
						return nil, nil
					})
					return errors.Join(err, test.failure)
				}}
				run(t, store, n).Wake(k)
				synctest.Wait()
				if got := receivers(t, store, k); !slices.Equal(got, test.now) {
					t.Errorf("the receivers are %+v, want %+v: what became of the call does not count for them", got, test.now)
				}
			})
		})
	}
}

// TestWhatComesUpWhileAReceiverIsToldIsToldAfterwards has the task go on while its receiver takes its time.
func TestWhatComesUpWhileAReceiverIsToldIsToldAfterwards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, store := &slow{release: make(chan struct{})}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://slow.example"})
		o := run(t, store, s)
		o.Wake(k)
		synctest.Wait()
		_, err := store.Update(t.Context(), k, func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Webhooks = slices.Clone(t.Webhooks)
			t.Webhooks[0].Due++
			return []orchestrator.Event{{Type: orchestrator.EventState, State: a2apb.TaskState_TASK_STATE_FAILED}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Wake(k)
		synctest.Wait()
		close(s.release)
		synctest.Wait()
		if want := []uint64{1, 2, 4, 5}; !slices.Equal(s.heard, want) {
			t.Errorf("the receiver heard of the events %v, want %v, each once", s.heard, want)
		}
	})
}

func TestNobodyIsToldOfATaskThatAnotherReplicaWorksOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := &notifier{}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://example.com"})
		runConfigured(t, push.OutboxConfig{
			Notifier: n, Store: store, Update: store.Update, Held: func(*orchestrator.Task) bool { return false }, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		}).Wake(k)
		<-time.After(time.Minute)
		if n.called("w") > 0 {
			t.Errorf("the receiver heard of the events %v, want that it is left to the other replica", n.heard)
		}
	})
}

func TestReceiversAreToldOnceTheStoreIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n, store := &notifier{}, &storetest.Memory{}
		k := owe(t, store, "t1", orchestrator.Webhook{ID: "w", URL: "https://example.com"})
		back := time.Now().Add(10 * time.Second)
		store.Fail = func(int) (before, after error) {
			if time.Now().Before(back) {
				return errors.New("the store is away"), nil
			}
			return nil, nil
		}
		run(t, store, n).Wake(k)
		<-time.After(2 * time.Minute)
		synctest.Wait()
		if want := []uint64{1, 2, 4}; !slices.Equal(n.heard, want) {
			t.Errorf("the receiver heard of the events %v, want %v", n.heard, want)
		}
	})
}
