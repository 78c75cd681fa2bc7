package registry_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

var errEnough = errors.New("enough")

// told watches until it has been told n events and returns each as "type agent status".
func told(t *testing.T, r *registry.Registry, o registry.WatchOptions, n int) (events []string, revision int64) {
	t.Helper()
	err := r.Watch(t.Context(), tenant, o, func(e registry.Event) error {
		events = append(events, fmt.Sprintf("%s %s %s", e.Type, e.Agent, e.Status))
		revision = e.Revision
		if len(events) == n {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		t.Errorf("Watch() = %v, want no error", err)
	}
	return events, revision
}

func TestAWatchBeginsWithASnapshotAndGoesOnWithChanges(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "b")
	register(t, r, "a")
	before, revision := told(t, r, registry.WatchOptions{}, 3)
	if diff := cmp.Diff([]string{"snapshot a ", "snapshot b ", "bookmark  "}, before); diff != "" || revision != 2 {
		t.Errorf("Watch() = revision %d, want 2; difference (-want +got):\n%s", revision, diff)
	}
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "available"})
	if _, err := r.Drain(t.Context(), tenant, "a", "new disk", registry.Retry{}); err != nil {
		t.Errorf("Drain() = %v, want no error", err)
	}
	if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "b", ""); err != nil {
		t.Errorf("Delete() = %v, want no error", err)
	}
	want := []string{"status a available", "status a unavailable", "deleted b "}
	after, revision := told(t, r, registry.WatchOptions{Revision: &revision}, 3)
	if diff := cmp.Diff(want, after); diff != "" || revision != 5 {
		t.Errorf("Watch(2) = revision %d, want 5; difference (-want +got):\n%s", revision, diff)
	}
	for _, gone := range []int64{6, -1} {
		err := r.Watch(t.Context(), tenant, registry.WatchOptions{Revision: &gone}, func(registry.Event) error { return nil })
		if fault.ReasonOf(err) != "REVISION_GONE" {
			t.Errorf("Watch(%d) = %v, want REVISION_GONE", gone, err)
		}
	}
}

func TestAWatchWithoutASnapshotBeginsWithWhatChangesFromHereOn(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	var events []string
	err := r.Watch(t.Context(), tenant, registry.WatchOptions{SkipSnapshot: true}, func(e registry.Event) error {
		events = append(events, fmt.Sprintf("%s %s %d", e.Type, e.Agent, e.Revision))
		if len(events) == 2 {
			return errEnough
		}
		register(t, r, "b")
		return nil
	})
	if want := []string{"bookmark  1", "created b 2"}; !slices.Equal(events, want) || !errors.Is(err, errEnough) {
		t.Errorf("Watch() = %v, %v, want %v", events, err, want)
	}
}

func TestALongPollEndsWithNewsOrABookmark(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	zero, one := int64(0), int64(1)
	for name, test := range map[string]struct {
		options registry.WatchOptions
		want    []string
	}{
		"a snapshot":           {registry.WatchOptions{Wait: new(time.Minute)}, []string{"snapshot a ", "bookmark  "}},
		"no snapshot":          {registry.WatchOptions{SkipSnapshot: true, Wait: new(time.Minute)}, []string{"bookmark  "}},
		"news that are there":  {registry.WatchOptions{Revision: &zero, Wait: new(time.Minute)}, []string{"created a "}},
		"no news, no waiting":  {registry.WatchOptions{Revision: &one, Wait: new(time.Duration(0))}, []string{"bookmark  "}},
		"no news for a moment": {registry.WatchOptions{Revision: &one, Wait: new(time.Millisecond)}, []string{"bookmark  "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := told(t, r, test.options, 9)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Watch(), difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAQuietWatchSaysThatItGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := open(t, registry.Options{})
		register(t, r, "a")
		one := int64(1)
		if events, revision := told(t, r, registry.WatchOptions{Revision: &one}, 2); !slices.Equal(events, []string{"bookmark  ", "bookmark  "}) || revision != 1 {
			t.Errorf("Watch() without a change = %q up to revision %d, want bookmarks of revision 1", events, revision)
		}
	})
}

func TestASlowWatcherIsEndedAndMayResume(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	for _, name := range []string{"a", "b", "c"} {
		register(t, r, name)
	}
	zero := int64(0)
	err := r.Watch(t.Context(), tenant, registry.WatchOptions{Revision: &zero}, func(e registry.Event) error {
		if e.Agent == "b" {
			time0.pass(11 * time.Second)
		}
		return nil
	})
	slow := fault.From(err)
	if slow.Reason != "WATCH_SLOW" || slow.Kind != fault.Unavailable || slow.Metadata["revision"] != "2" {
		t.Fatalf("Watch() = %+v, want WATCH_SLOW with revision 2", slow)
	}
	two := int64(2)
	var rest []string
	err = r.Watch(t.Context(), tenant, registry.WatchOptions{Revision: &two}, func(e registry.Event) error {
		if rest = append(rest, e.Type+" "+e.Agent); len(rest) == 2 {
			return errEnough
		}
		register(t, r, "d")
		return nil
	})
	if !errors.Is(err, errEnough) || !slices.Equal(rest, []string{"created c", "created d"}) {
		t.Errorf("Watch(2) = %v, %v, want what was not told and what comes then", rest, err)
	}
}

func TestTheSweeperTellsOfLeasesThatRanOutAndRenewsNone(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	register(t, r, "a")
	register(t, r, "never")
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	sweep := func() {
		t.Helper()
		if err := r.Sweep(t.Context()); err != nil {
			t.Errorf("Sweep() = %v, want no error", err)
		}
	}
	before := statusOf(t, r, "a")
	time0.pass(29 * time.Second)
	for range 3 {
		sweep()
	}
	if got := statusOf(t, r, "a"); got != before {
		t.Errorf("Status after sweeps = %+v, want %+v", got, before)
	}
	time0.pass(time.Second)
	if got := statusOf(t, r, "a"); got.Status != registry.StatusUnavailable {
		t.Errorf("Status at the lease's end = %+v, want unavailable without a sweep", got)
	}
	sweep()
	sweep()
	beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "available"})
	three := int64(3)
	got, _ := told(t, r, registry.WatchOptions{Revision: &three}, 2)
	if diff := cmp.Diff([]string{"status a unavailable", "status a available"}, got); diff != "" {
		t.Errorf("Watch(3), difference (-want +got):\n%s", diff)
	}
}

func TestADrainedAgentIsUnavailableWhateverItSays(t *testing.T) {
	t.Parallel()
	clock := newClock()
	r := open(t, registry.Options{Now: clock.Now})
	register(t, r, "a")
	if got, err := r.Drain(t.Context(), tenant, "a", "new disk", registry.Retry{}); err != nil || !got.Draining || got.Status != registry.StatusUnavailable {
		t.Errorf("Drain() = %+v, %v, want unavailable", got, err)
	}
	first := statusOf(t, r, "a").ErrorMessage
	clock.pass(2 * time.Second)
	if again, err := r.Drain(t.Context(), tenant, "a", "no disk", registry.Retry{}); err != nil || again.ErrorMessage != strings.Replace(first, "new disk", "no disk", 1) || first == again.ErrorMessage {
		t.Errorf("Drain() again = %q, %v after %q, want another reason and the same time", again.ErrorMessage, err, first)
	}
	lease := beat(t, r, registry.Beat{Agent: "a", Status: "busy", CurrentTaskID: "t-1", Capacity: 4, InFlight: 1})
	got := statusOf(t, r, "a")
	if !lease.Draining || got.Status != registry.StatusUnavailable || got.CurrentTaskID != "t-1" || got.Capacity != 4 || got.InFlight != 1 {
		t.Errorf("Status after a beat = %+v, lease %+v, want drained, with its task and load", got, lease)
	}
	if got, err := r.Resume(t.Context(), tenant, "a", registry.Retry{}); err != nil || got.Draining || got.Status != registry.StatusBusy {
		t.Errorf("Resume() = %+v, %v, want busy", got, err)
	}
}

func TestADrainedAgentThatIsSilentSaysThatItIsDrained(t *testing.T) {
	t.Parallel()
	clock := newClock()
	r := open(t, registry.Options{Now: clock.Now})
	register(t, r, "a")
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	drained, err := r.Drain(t.Context(), tenant, "a", "new disk", registry.Retry{})
	if err != nil {
		t.Fatalf("Drain() = %v, want no error", err)
	}
	clock.pass(time.Minute)
	if silent := statusOf(t, r, "a"); !silent.Silent || silent.Message() != drained.ErrorMessage {
		t.Errorf("Message() once its lease is over = %q, want %q still", silent.Message(), drained.ErrorMessage)
	}
}

func TestDrainIsDoneOncePerRequest(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	retry := registry.Retry{Caller: "root", RequestID: "1"}
	drain := func(reason string) (registry.Status, error) {
		return r.Drain(t.Context(), tenant, "a", reason, retry)
	}
	if got, err := drain("new disk"); err != nil || !got.Draining {
		t.Errorf("Drain() = %+v, %v, want drained", got, err)
	}
	if _, err := r.Resume(t.Context(), tenant, "a", registry.Retry{}); err != nil {
		t.Errorf("Resume() = %v, want no error", err)
	}
	if got, err := drain("new disk"); err != nil || got.Draining {
		t.Errorf("a retry of Drain() = %+v, %v, want that it does nothing", got, err)
	}
	if _, err := drain("old disk"); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Drain() with a used request id = %v, want REQUEST_ID_REUSED", err)
	}
	retry.RequestID = "2"
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if got, err := drain(""); err != nil || !got.Draining {
				t.Errorf("Drain() that is sent many times at once = %+v, %v, want drained", got, err)
			}
		})
	}
	group.Wait()
	if _, err := r.Resume(t.Context(), tenant, "a", retry); fault.ReasonOf(err) != "REQUEST_ID_REUSED" {
		t.Errorf("Resume() with the request id of Drain() = %v, want REQUEST_ID_REUSED", err)
	}
	if _, err := r.Drain(t.Context(), tenant, "nobody", "", registry.Retry{}); fault.ReasonOf(err) != "AGENT_NOT_FOUND" {
		t.Errorf("Drain(nobody) = %v, want AGENT_NOT_FOUND", err)
	}
}
