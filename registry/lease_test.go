package registry_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

func beat(t *testing.T, r *registry.Registry, b registry.Beat) registry.Lease {
	t.Helper()
	lease, err := r.Heartbeat(t.Context(), tenant, b)
	if err != nil {
		t.Fatalf("Heartbeat(%+v) = %v, want no error", b, err)
	}
	return lease
}

func TestAnAgentThatNeverBeatIsUnknown(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	if got := statusOf(t, r, "a"); got.Status != registry.StatusUnknown || !strings.Contains(got.Message(), "its own card was not found") {
		t.Errorf("Status = %+v, want unknown, and why", got)
	}
}

func TestAStaleAgentRecoversOnItsNextBeat(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	register(t, r, "a")
	lease := beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	if lease.Epoch != 1 || lease.NextHeartbeat <= 0 || lease.NextHeartbeat > 10*time.Second || !lease.ExpireTime.Equal(time0.Now().Add(30*time.Second)) {
		t.Errorf("Heartbeat() = %+v, want epoch 1, a beat within 10 s and 30 s of lease", lease)
	}
	time0.pass(30*time.Second - 1)
	if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
		t.Errorf("Status at the lease's last moment = %+v, want available", got)
	}
	time0.pass(1)
	got := statusOf(t, r, "a")
	if got.Status != registry.StatusUnavailable || !strings.Contains(got.Message(), "since 2026-01-16T12:00:00Z") {
		t.Errorf("Status at the lease's end = %+v, want unavailable and since when", got)
	}
	time0.pass(72 * time.Hour)
	beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "available"})
	if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable || got.Message() != "" {
		t.Errorf("Status after a late beat = %+v, want available", got)
	}
}

func TestAnOldEpochCannotRevive(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	register(t, r, "a")
	old := beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	fresh := beat(t, r, registry.Beat{Agent: "a", Status: "error", ErrorMessage: "disk full"})
	if old.Epoch != 1 || fresh.Epoch != 2 {
		t.Errorf("epochs = %d, %d, want 1, 2", old.Epoch, fresh.Epoch)
	}
	for _, epoch := range []int64{old.Epoch, 3, -1} {
		_, err := r.Heartbeat(t.Context(), tenant, registry.Beat{Agent: "a", Epoch: epoch, Status: "available"})
		if fault.ReasonOf(err) != "EPOCH_STALE" || fault.KindOf(err) != fault.Conflict {
			t.Errorf("Heartbeat(epoch %d) = %v, want EPOCH_STALE", epoch, err)
		}
	}
	if got := statusOf(t, r, "a"); got.Status != registry.StatusError || got.ErrorMessage != "disk full" || got.Epoch != 2 {
		t.Errorf("Status = %+v, want the new process's error", got)
	}
	time0.pass(time.Hour)
	if _, err := r.Heartbeat(t.Context(), tenant, registry.Beat{Agent: "a", Epoch: 1, Status: "available"}); err == nil {
		t.Error("Heartbeat(epoch 1) after the lease's end = nil, want EPOCH_STALE")
	}
}

// TestABeatGoesOnWhenTheRegistryHasForgottenIt has an agent registered anew, as when a backup is restored, while its process goes on.
func TestABeatGoesOnWhenTheRegistryHasForgottenIt(t *testing.T) {
	t.Parallel()
	time0 := newClock()
	r := open(t, registry.Options{Now: time0.Now})
	anew := func() {
		t.Helper()
		if err := r.Once(registry.Retry{}).Delete(t.Context(), tenant, "a", ""); err != nil {
			t.Fatalf("Delete() = %v, want no error", err)
		}
		register(t, r, "a")
	}
	register(t, r, "a")
	for want := range int64(3) {
		if got := beat(t, r, registry.Beat{Agent: "a", Status: "available"}); got.Epoch != want+1 {
			t.Fatalf("Heartbeat() = epoch %d, want %d", got.Epoch, want+1)
		}
	}
	anew()
	if got := beat(t, r, registry.Beat{Agent: "a", Epoch: 3, Status: "busy"}); got.Epoch != 3 {
		t.Errorf("Heartbeat(epoch 3) of an agent that was registered anew = epoch %d, want 3", got.Epoch)
	}
	if got := beat(t, r, registry.Beat{Agent: "a", Status: "available"}); got.Epoch != 4 {
		t.Errorf("Heartbeat() of a new process = epoch %d, want 4", got.Epoch)
	}
	anew()
	beat(t, r, registry.Beat{Agent: "a", Status: "available"})
	for _, epoch := range []int64{4, math.MaxInt64} {
		if _, err := r.Heartbeat(t.Context(), tenant, registry.Beat{Agent: "a", Epoch: epoch, Status: "available"}); fault.ReasonOf(err) != "EPOCH_STALE" {
			t.Errorf("Heartbeat(epoch %d) while a new process has the lease = %v, want EPOCH_STALE", epoch, err)
		}
	}
	time0.pass(time.Minute)
	if _, err := r.Heartbeat(t.Context(), tenant, registry.Beat{Agent: "a", Epoch: math.MaxInt64, Status: "available"}); fault.ReasonOf(err) != "EPOCH_STALE" {
		t.Errorf("Heartbeat() with the largest epoch = %v, want EPOCH_STALE: there is none for the next process", err)
	}
}

func TestHeartbeatRefuses(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	register(t, r, "a")
	tests := map[string]struct {
		beat   registry.Beat
		reason string
	}{
		"an agent that is not registered": {registry.Beat{Agent: "b", Status: "available"}, "AGENT_NOT_FOUND"},
		"a status of its own making":      {registry.Beat{Agent: "a", Status: "unknown"}, "VALIDATION_FAILED"},
		"an endless message":              {registry.Beat{Agent: "a", Status: "error", ErrorMessage: strings.Repeat("x", 5000)}, "VALIDATION_FAILED"},
		"an endless task id":              {registry.Beat{Agent: "a", Status: "busy", CurrentTaskID: strings.Repeat("x", 5000)}, "VALIDATION_FAILED"},
		"room for less than nothing":      {registry.Beat{Agent: "a", Status: "available", Capacity: -1}, "VALIDATION_FAILED"},
		"room without end":                {registry.Beat{Agent: "a", Status: "available", Capacity: 1_000_001}, "VALIDATION_FAILED"},
		"less than nothing to do":         {registry.Beat{Agent: "a", Status: "available", InFlight: -1}, "VALIDATION_FAILED"},
		"work without end":                {registry.Beat{Agent: "a", Status: "available", InFlight: 1_000_001}, "VALIDATION_FAILED"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := r.Heartbeat(t.Context(), tenant, test.beat); fault.ReasonOf(err) != test.reason {
				t.Errorf("Heartbeat() = %v, want %s", err, test.reason)
			}
		})
	}
}

func TestPulseAt(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	past, future := now.Add(-time.Minute), now.Add(time.Minute)
	live := registry.Pulse{CurrentTaskID: "t", ErrorMessage: "e", BeatTime: past, BeatExpire: future}
	over := registry.Pulse{CurrentTaskID: "t", ErrorMessage: "e", BeatTime: past, BeatExpire: now}
	with := func(p registry.Pulse, word string, probe time.Time) registry.Pulse {
		p.Word, p.ProbeTime, p.ProbeExpire = word, past, probe
		return p
	}
	drained := func(p registry.Pulse) registry.Pulse {
		p.DrainTime = past
		return p
	}
	tests := map[string]struct {
		pulse registry.Pulse
		want  string
	}{
		"nothing heard":                                {registry.Pulse{}, "unknown"},
		"its own word while its lease is live":         {with(live, "unavailable", future), "unavailable"},
		"busy while its lease is live":                 {with(live, "busy", past), "busy"},
		"an expired lease without a probe":             {with(over, "available", past), "unavailable"},
		"an expired lease of a busy agent":             {with(over, "busy", past), "unavailable"},
		"an expired lease and an answered probe":       {with(over, "available", future), "available"},
		"an answered probe does not end an error":      {with(over, "error", future), "error"},
		"an answered probe does not end being busy":    {with(over, "busy", future), "busy"},
		"an answered probe of one that never beat":     {with(registry.Pulse{}, "", future), "available"},
		"a probe that ran out of one that never beat":  {with(registry.Pulse{}, "", now), "unavailable"},
		"its own word is worth more than a live probe": {with(live, "error", future), "error"},
		"drained":                 {drained(with(live, "available", past)), "unavailable"},
		"an error while drained":  {drained(with(live, "error", past)), "error"},
		"an error, and then over": {drained(with(over, "error", past)), "unavailable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := test.pulse.At(now)
			if got.Status != test.want {
				t.Errorf("At() = %+v, want %s", got, test.want)
			}
			if (got.CurrentTaskID != "") != (test.want == "busy") {
				t.Errorf("At().CurrentTaskID = %q, want one only when busy", got.CurrentTaskID)
			}
		})
	}
}

// TestTheLoadOfAnAgentIsForgottenWithItsWord has an agent report tasks, and then answer probes only: nothing would ever say that they are done.
func TestTheLoadOfAnAgentIsForgottenWithItsWord(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	p := registry.Pulse{
		Word: registry.StatusAvailable, Capacity: 4, InFlight: 4, BeatTime: now, BeatExpire: now.Add(time.Minute), ProbeTime: now, ProbeExpire: now.Add(time.Hour),
	}
	for after, want := range map[time.Duration]int{time.Second: 4, time.Minute: 0} {
		if got := p.At(now.Add(after)); got.Status != registry.StatusAvailable || got.InFlight != want || got.Capacity != 4 {
			t.Errorf("At() %s after a heartbeat = %+v, want it available with %d of 4 tasks", after, got, want)
		}
	}
}

// A machine may start with a clock that is hours ahead, by local time say, until that is set. What leases the agents were given until then are live for hours
// otherwise, and no probe that an agent answers gives it another one.
func TestALeaseFromAClockThatWasSetBackDoesNotCount(t *testing.T) {
	t.Parallel()
	const uri = "https://probed.example/card.json"
	w, time0 := newWeb(), newClock()
	r := open(t, registry.Options{Client: w.client(), Now: time0.Now})
	w.serve(uri, string(named("probed")))
	if _, _, err := r.Register(t.Context(), tenant, registry.Registration{CardURI: uri}); err != nil {
		t.Fatal(err)
	}
	register(t, r, "beats")
	lease := beat(t, r, registry.Beat{Agent: "beats", Status: "available"})
	want := func(when, status string) {
		t.Helper()
		for _, agent := range []string{"probed", "beats"} {
			if got := statusOf(t, r, agent); got.Status != status {
				t.Errorf("Status of %s %s = %+v, want %s", agent, when, got, status)
			}
		}
	}
	want("before", registry.StatusAvailable)
	time0.pass(-2 * time.Second)
	want("by the clock of another replica", registry.StatusAvailable)
	time0.pass(-time.Hour)
	want("after the clock was set back", registry.StatusUnavailable)
	beat(t, r, registry.Beat{Agent: "beats", Epoch: lease.Epoch, Status: "available"})
	if _, _, err := r.Once(registry.Retry{}).Refresh(t.Context(), tenant, "probed", "", ""); err != nil {
		t.Fatal(err)
	}
	want("when it was heard of", registry.StatusAvailable)
	time0.pass(31 * time.Second)
	want("when it was not heard of any more", registry.StatusUnavailable)
}
