package registry_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quorate/quorate/registry"
)

// running runs the prober and the directory of a registry over a fake web, in fake time, while test runs.
func running(t *testing.T, client func(*web) *http.Client, test func(t *testing.T, w *web, r *registry.Registry)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWeb()
		r := open(t, registry.Options{Client: client(w)})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 2)
		go func() { done <- r.RunProber(ctx) }()
		go func() { done <- r.Directory().Run(ctx) }()
		test(t, w, r)
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Errorf("RunProber() or Run() = %v, want nil", err)
			}
		}
	})
}

// settle lets fake time pass and waits until the prober has done what was due.
func settle(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestAnInlineAgentIsProbedAtOnce(t *testing.T) {
	t.Parallel()
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve("https://a.example/.well-known/agent-card.json", string(named("a")))
		register(t, r, "a")
		settle(time.Millisecond)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
			t.Errorf("Status = %+v, want available", got)
		}
	})
}

func TestAnAgentThatSpeaksOnlyGRPCIsNotProbed(t *testing.T) {
	t.Parallel()
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		card := strings.Replace(string(named("a")), `"skills"`, `"preferredTransport":"GRPC","skills"`, 1)
		if _, _, err := r.Register(t.Context(), tenant, registry.Registration{RawCard: []byte(card)}); err != nil {
			t.Fatalf("Register() = %v, want no error", err)
		}
		settle(time.Minute)
		if n := w.count(); n != 0 {
			t.Errorf("its server was asked %d times by HTTP, want never", n)
		}
	})
}

func TestAnAgentWhoseSourceIsItsServerIsKnownToBeUpAtOnce(t *testing.T) {
	t.Parallel()
	r := open(t, registry.Options{})
	for uri, want := range map[string]string{"https://a.example/card.json": registry.StatusAvailable, "": registry.StatusUnknown} {
		name := "a" + strconv.Itoa(len(uri))
		found := registry.Found{RawCard: named(name), CardURI: uri, Source: registry.Source{Type: registry.SourceAICatalog, Location: "https://c.example/"}}
		if _, _, err := r.Discover(t.Context(), tenant, found); err != nil {
			t.Fatalf("Discover() = %v, want no error", err)
		}
		if got := statusOf(t, r, name); got.Status != want {
			t.Errorf("after its card was read at %q the status is %s, want %s", uri, got.Status, want)
		}
	}
}

func TestAnAppliedAgentIsKnownToBeUpAtOnce(t *testing.T) {
	t.Parallel()
	const uri = "https://a.example/.well-known/agent-card.json"
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve(uri, string(named("a")))
		apply(t, r, registry.Application{Registration: registry.Registration{RawCard: named("a")}})
		settle(time.Millisecond)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
			t.Errorf("Status = %+v, want available: its card was read", got)
		}
		w.serve(uri, "<html>away")
		settle(31 * time.Second)
		w.serve(uri, string(named("a")))
		got := apply(t, r, registry.Application{Registration: registry.Registration{CardURI: uri}})
		if got.Outcome != registry.OutcomeReplaced || got.Agent.Status.Status != registry.StatusAvailable {
			t.Errorf("Apply() by URL = %s, %+v, want replaced by its URL, and available: it has just answered", got.Outcome, got.Agent.Status)
		}
	})
}

func TestAProbedAgentStaysUpAndItsSilenceShows(t *testing.T) {
	t.Parallel()
	const uri = "https://a.example/.well-known/agent-card.json"
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve(uri, string(named("a")))
		register(t, r, "a")
		for range 20 {
			settle(7 * time.Second)
			if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
				t.Fatalf("Status = %+v, want available", got)
			}
		}
		w.serve(uri, "<html>moved")
		settle(31 * time.Second)
		got := statusOf(t, r, "a")
		if got.Status != registry.StatusUnavailable || w.count() < 10 {
			t.Errorf("Status after %d probes = %+v, want unavailable", w.count(), got)
		}
		settle(time.Minute) // asking does not refresh what it asks about
		if again := statusOf(t, r, "a"); again != got {
			t.Errorf("Status a minute later = %+v, want %+v", again, got)
		}
		w.serve(uri, string(named("a")))
		settle(16 * time.Second)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusAvailable {
			t.Errorf("Status when it is back = %+v, want available", got)
		}
	})
}

func TestTheCardOfAnotherIsNoProof(t *testing.T) {
	t.Parallel()
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve("https://a.example/.well-known/agent-card.json", string(named("b")))
		register(t, r, "a")
		settle(time.Minute)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusUnknown {
			t.Errorf("Status = %+v, want unknown", got)
		}
	})
}

func TestAnAgentThatBeatsIsNotProbed(t *testing.T) {
	t.Parallel()
	running(t, (*web).client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve("https://a.example/.well-known/agent-card.json", string(named("a")))
		register(t, r, "a")
		settle(time.Millisecond)
		before := w.count()
		beat(t, r, registry.Beat{Agent: "a", Status: "busy", CurrentTaskID: "t"})
		for range 12 {
			settle(10 * time.Second)
			beat(t, r, registry.Beat{Agent: "a", Epoch: 1, Status: "busy", CurrentTaskID: "t"})
		}
		if got := statusOf(t, r, "a"); got.Status != registry.StatusBusy || w.count() != before {
			t.Errorf("Status after %d probes = %+v, want busy and none", w.count()-before, got)
		}
	})
}

// slow answers nothing for the hosts of dead agents until the probe gives up.
type slow struct{ next http.RoundTripper }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == "up.example" {
		return s.next.RoundTrip(r)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestManyDeadAgentsDoNotStarveOneThatIsUp(t *testing.T) {
	t.Parallel()
	client := func(w *web) *http.Client { return &http.Client{Transport: slow{w}} }
	running(t, client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		w.serve("https://up.example/.well-known/agent-card.json", string(named("up")))
		register(t, r, "up")
		settle(time.Second)
		for i := range 300 {
			register(t, r, "dead"+strconv.Itoa(i))
		}
		settle(70 * time.Second) // until what is fresh has been tried
		for range 20 {
			settle(11 * time.Second)
			if got := statusOf(t, r, "up"); got.Status != registry.StatusAvailable {
				t.Fatalf("Status = %+v, want available", got)
			}
		}
	})
}

// lazy answers each request after a second.
type lazy struct{ next http.RoundTripper }

func (l lazy) RoundTrip(r *http.Request) (*http.Response, error) {
	<-time.After(time.Second)
	return l.next.RoundTrip(r)
}

func TestManyAgentsThatTakeTheirTimeAllStayUp(t *testing.T) {
	t.Parallel()
	client := func(w *web) *http.Client { return &http.Client{Transport: lazy{w}} }
	running(t, client, func(t *testing.T, w *web, r *registry.Registry) {
		t.Helper()
		const agents = 300
		for i := range agents {
			name := "a" + strconv.Itoa(i)
			w.serve("https://"+name+".example/.well-known/agent-card.json", string(named(name)))
			register(t, r, name)
		}
		settle(time.Minute)
		for range 5 {
			settle(11 * time.Second)
			list, err := r.Agents(t.Context(), tenant, "", agents)
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				if got := list[i].Status; got.Status != registry.StatusAvailable {
					t.Fatalf("Status of %s = %+v, want available", list[i].Name, got)
				}
			}
		}
	})
}

func TestAProberWithoutAClientWaits(t *testing.T) {
	t.Parallel()
	running(t, func(*web) *http.Client { return nil }, func(t *testing.T, _ *web, r *registry.Registry) {
		t.Helper()
		register(t, r, "a")
		settle(time.Minute)
		if got := statusOf(t, r, "a"); got.Status != registry.StatusUnknown {
			t.Errorf("Status = %+v, want unknown", got)
		}
	})
}
