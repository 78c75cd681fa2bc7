package kit_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/certtest"
	"github.com/quorate/quorate/platform/fault"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

func member(q *quorate, handler kit.Handler) kit.Config {
	return kit.Config{Name: "writer", Handler: handler, Server: q.URL, Token: token}
}

func TestAnAgentRegistersBeatsAndLeaves(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	agent, stop := start(t, member(q, echo))
	q.until(t, "the third beat", func() bool { return len(q.beats) >= 3 })
	if err := stop(); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if !slices.Equal(q.registered, []string{agent.CardURL()}) {
		t.Errorf("registered %q, want %q once", q.registered, agent.CardURL())
	}
	if first, second := q.beats[0], q.beats[1]; first.GetEpoch() != 0 || first.GetStatus() != "available" || second.GetEpoch() != 7 {
		t.Errorf("beats %v, %v, want available with epoch 0 and then the server's 7", first, second)
	}
	if last := q.beats[len(q.beats)-1]; last.GetStatus() != "unavailable" || last.GetEpoch() != 7 {
		t.Errorf("last beat %v, want unavailable with epoch 7", last)
	}
}

func TestAnAgentShowsItsCertificate(t *testing.T) {
	t.Parallel()
	authority, shown := certtest.NewAuthority(t), make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case shown <- r.TLS.PeerCertificates[0].Subject.CommonName:
		default:
		}
		refuse(w, fault.New(fault.Unavailable, "STORE_UNAVAILABLE", "later"))
	}))
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{authority.Issue(t, "quorate").Pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool(),
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	c := member(newQuorate(t), echo)
	c.Server, c.TLS = server.URL, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: authority.Pool(), Certificates: []tls.Certificate{authority.Issue(t, "writer").Pair}}
	_, stop := start(t, c)
	select {
	case got := <-shown:
		if got != "writer" {
			t.Errorf("Quorate was shown the certificate of %q, want the agent's", got)
		}
	case <-time.After(30 * time.Second):
		t.Error("Quorate was shown no certificate")
	}
	if err := stop(); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
}

func TestATokenThatLeavesTheMachineInClearIsLogged(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := member(newQuorate(t), echo)
	c.Server, c.Listener, c.Description, c.Version = "http://quorate.example", listen(t), "An agent for tests.", "1.2.3"
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	agent, err := kit.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := agent.Run(ctx); !errors.Is(err, context.Canceled) || !strings.Contains(log.String(), "without encryption; use https") {
		t.Errorf("Run() = %v, and logs %s, want a warning", err, log.String())
	}
}

func TestAnAgentWithoutFreeSlotsIsBusy(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	c := member(q, hang)
	c.MaxConcurrent = 1
	agent, _ := start(t, c)
	message := say("x")
	message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{"taskId": "t1"}}
	_, err := client(t, agent, a2a.TransportProtocolGRPC).SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message: message, Config: &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatalf("SendMessage() = %v, want a task", err)
	}
	q.until(t, "a busy beat", func() bool {
		if len(q.beats) == 0 {
			return false
		}
		last := q.beats[len(q.beats)-1]
		return last.GetStatus() == "busy" && last.GetCurrentTaskId() == "t1" && last.GetCapacity() == 1 && last.GetInFlight() == 1
	})
}

// TestATaskWithALongIDDoesNotStopTheBeats has an id that the server would refuse, and with it the agent: any caller can choose one.
func TestATaskWithALongIDDoesNotStopTheBeats(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	c := member(q, hang)
	c.MaxConcurrent = 1
	agent, _ := start(t, c)
	message := say("x")
	message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{"taskId": strings.Repeat("x", 129)}}
	_, err := client(t, agent, a2a.TransportProtocolGRPC).SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message: message, Config: &a2a.SendMessageConfig{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatalf("SendMessage() = %v, want a task", err)
	}
	q.until(t, "a busy beat", func() bool { return len(q.beats) > 0 && q.beats[len(q.beats)-1].GetStatus() == "busy" })
	q.mu.Lock()
	defer q.mu.Unlock()
	if last := q.beats[len(q.beats)-1]; last.GetCurrentTaskId() != "" {
		t.Errorf("the last beat is of task %q, want it without a task", last.GetCurrentTaskId())
	}
}

func TestAnAgentJoinsInSpiteOf(t *testing.T) {
	t.Parallel()
	gone := fault.New(fault.NotFound, "AGENT_NOT_FOUND", "agent writer does not exist")
	down := fault.New(fault.Unavailable, "DOWN", "not now")
	taken := fault.New(fault.AlreadyExists, "AGENT_EXISTS", "taken")
	tests := map[string]struct {
		register, refresh, beat func(n int) error
		registrations           int
		refreshed               bool
	}{
		"a name that is registered already": {first(1, taken), nil, nil, 1, true},
		"a server that is not up yet":       {first(2, down), nil, nil, 3, false},
		"a beat that is lost":               {nil, nil, first(1, down), 1, false},
		"its own deletion":                  {nil, nil, first(1, gone), 2, false},
		"its deletion when it comes back":   {first(1, taken), first(1, gone), first(1, gone), 2, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			q.register, q.refresh, q.beat = test.register, test.refresh, test.beat
			agent, _ := start(t, member(q, echo))
			q.until(t, "the third beat", func() bool { return len(q.beats) >= 3 })
			q.mu.Lock()
			defer q.mu.Unlock()
			if test.refreshed != slices.Equal(q.refreshed, []string{agent.CardURL()}) {
				t.Errorf("had its card read anew from %q, want that only under a name that is taken", q.refreshed)
			}
			if len(q.registered) != test.registrations {
				t.Errorf("registered %d times, want %d", len(q.registered), test.registrations)
			}
		})
	}
}

func TestTheLogSaysThatQuorateAnswersAgain(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer // read after the agent has stopped
	q := newQuorate(t)
	q.beat = first(1, fault.New(fault.Unavailable, "DOWN", "not now"))
	c := member(q, echo)
	c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	_, stop := start(t, c)
	q.until(t, "the third beat", func() bool { return len(q.beats) >= 3 })
	if err := stop(); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if _, after, away := strings.Cut(log.String(), "Quorate does not answer"); !away || strings.Count(after, "Quorate answers again") != 1 {
		t.Errorf("the log is %s, want that Quorate does not answer, and once that it does again", log.String())
	}
}

// first fails the first n calls.
func first(n int, err error) func(int) error {
	return func(i int) error {
		if i <= n {
			return err
		}
		return nil
	}
}

func TestAnAgentThatIsRefusedForGoodStops(t *testing.T) {
	t.Parallel()
	always := func(kind fault.Kind, reason string) func(int) error {
		return first(1000, fault.New(kind, reason, "no"))
	}
	tests := map[string]struct {
		token                   auth.Secret
		register, refresh, beat func(n int) error
		want                    string
	}{
		"with a wrong token": {token: "wrong", want: "TOKEN_INVALID"},
		"for its card":       {register: always(fault.InvalidArgument, "CARD_INVALID"), want: "CARD_INVALID"},
		"for another's name": {register: always(fault.AlreadyExists, "AGENT_EXISTS"), refresh: always(fault.PermissionDenied, "NOT_YOURS"), want: "NOT_YOURS"},
		"for its beats":      {beat: always(fault.PermissionDenied, "NOT_YOURS"), want: "NOT_YOURS"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			q.register, q.refresh, q.beat = test.register, test.refresh, test.beat
			c := member(q, echo)
			c.Token = cmp.Or(test.token, c.Token)
			c.Listener, c.Description, c.Version = listen(t), "d", "1.0.0"
			agent, err := kit.New(c)
			if err != nil {
				t.Fatalf("New() = %v, want an agent", err)
			}
			doing := "register " + agent.CardURL()
			if test.beat != nil {
				doing = "send a heartbeat of writer to " + q.URL
			}
			if err := agent.Run(t.Context()); fault.ReasonOf(err) != test.want || !strings.Contains(err.Error(), doing) {
				t.Errorf("Run() of an agent refused %s = %v, want %s, and that it was about to %s", name, err, test.want, doing)
			}
		})
	}
}

func TestAnOlderProcessStopsBeatingAndGoesOnServing(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	q.beat = func(n int) error {
		if n == 2 {
			return fault.New(fault.Conflict, "EPOCH_STALE", "another process holds the lease")
		}
		return nil
	}
	c := member(q, echo)
	told := make(chan struct{}, 1)
	c.Logger = slog.New(warned(told))
	agent, stop := start(t, c)
	select {
	case <-told:
	case <-time.After(patience):
		t.Fatalf("the agent has not noticed the refusal within %s", patience)
	}
	if task := send(t, client(t, agent, a2a.TransportProtocolGRPC), say("x")); task.Status.State != a2a.TaskStateCompleted {
		t.Errorf("SendMessage() = %s, want COMPLETED", task.Status.State)
	}
	if err := stop(); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	if len(q.beats) != 2 {
		t.Errorf("%d beats, want 2: none after the refusal, not even to leave", len(q.beats))
	}
}

// warned has something in it once there was a warning.
type warned chan struct{}

func (w warned) Enabled(_ context.Context, l slog.Level) bool { return l == slog.LevelWarn }
func (w warned) WithAttrs([]slog.Attr) slog.Handler           { return w }
func (w warned) WithGroup(string) slog.Handler                { return w }

func (w warned) Handle(context.Context, slog.Record) error {
	select {
	case w <- struct{}{}:
	default:
	}
	return nil
}

func TestAHandlerConsultsAboutExactlyWhatItDelivers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  *consultationv1.Consultation
		want string
	}{
		"an approval":      {&consultationv1.Consultation{State: "answered", Outcome: "approved", Feedback: "fine"}, "approved fine"},
		"a rejection":      {&consultationv1.Consultation{State: "answered", Outcome: "rejected", Feedback: "no"}, "rejected no"},
		"nobody answered":  {&consultationv1.Consultation{State: "expired", TargetAgent: "reviewer"}, "CONSULTATION_FAILED"},
		"the target asks":  {&consultationv1.Consultation{State: "asking", TargetAgent: "reviewer", Feedback: "which policy?"}, "CONSULTATION_FAILED"},
		"it got nowhere":   {&consultationv1.Consultation{State: "failed", TargetAgent: "reviewer"}, "CONSULTATION_FAILED"},
		"it has no record": {nil, "CONSULTATION_NOT_FOUND"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuorate(t)
			q.consultations = func(n int) *consultationv1.Consultation {
				switch {
				case n < 2:
					return &consultationv1.Consultation{Id: "c1", State: "open"}
				case test.end == nil:
					return &consultationv1.Consultation{Id: "other"}
				}
				test.end.Id = "c1"
				return test.end
			}
			got := ""
			agent, _ := start(t, member(q, func(ctx context.Context, task *kit.Task) error {
				page := kit.Artifact{Name: "page.md", MediaType: "text/markdown", Text: "# Hello"}
				outcome, err := task.Consult(ctx, task.Requirements()[0].ID, page)
				if got = outcome.Verdict + " " + outcome.Feedback; err != nil {
					got = fault.ReasonOf(err)
				}
				return task.AddArtifact(ctx, page)
			}))
			message := say("x")
			message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{
				"taskId": "t1", "requirements": []any{map[string]any{"id": "r1", "targetAgent": "reviewer", "phase": "pre-completion"}},
			}}
			task := send(t, client(t, agent, a2a.TransportProtocolGRPC), message)
			if got != test.want {
				t.Errorf("Consult() = %q, want %q", got, test.want)
			}
			asked := q.asked[0]
			delivered, subject := task.Artifacts[0].Parts[0], asked.GetSubject()[0].GetParts()[0]
			if asked.GetTaskId() != "t1" || asked.GetRequirementId() != "r1" || subject.GetText() != delivered.Text() || subject.GetMediaType() != delivered.MediaType || subject.GetFilename() != delivered.Filename {
				t.Errorf("asked about %v, want task t1, requirement r1 and the delivered part %v", asked, delivered)
			}
		})
	}
}

func TestAnAgentStopsSoonWhateverItDoes(t *testing.T) {
	t.Parallel()
	q := newQuorate(t)
	agent, stop := start(t, member(q, hang))
	ended := make(chan error, len(bindings))
	for _, binding := range bindings {
		c := client(t, agent, binding)
		working := make(chan struct{})
		go func() {
			var last error
			events := 0
			for _, err := range c.SendStreamingMessage(context.WithoutCancel(t.Context()), request(say(string(binding)))) {
				if events++; events == 3 {
					close(working)
				}
				last = err
			}
			ended <- last
		}()
		<-working
	}
	began := time.Now()
	if err := stop(); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Run() took %s to return, want at most 5s", took)
	}
	for range bindings {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "the agent is stopping") {
			t.Errorf("the stream ends with %v, want that the agent is stopping", err)
		}
	}
}

func TestAHandlerThatDoesNotLetGoIsAnError(t *testing.T) {
	t.Parallel()
	working, release := make(chan struct{}), make(chan struct{})
	agent, stop := start(t, kit.Config{Handler: func(context.Context, *kit.Task) error { close(working); <-release; return nil }})
	c := client(t, agent, a2a.TransportProtocolGRPC)
	if _, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: say("x"), Config: &a2a.SendMessageConfig{ReturnImmediately: true}}); err != nil {
		t.Fatalf("SendMessage() = %v, want a task", err)
	}
	<-working
	err := stop()
	close(release)
	if err == nil || !strings.Contains(err.Error(), "waiting for the handlers") {
		t.Errorf("Run() = %v, want that a handler did not return", err)
	}
}
