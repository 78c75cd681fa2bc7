package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/agents/kit"
	"github.com/quorate/quorate/agents/kit/kittest"
	"github.com/quorate/quorate/agents/webfetch/agent"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

// quorate is as much of a Quorate as a consultation needs.
type quorate struct {
	mu    sync.Mutex
	asked []*consultationv1.RequestConsultationRequest // guarded by mu
}

func newQuorate(t *testing.T, outcome, feedback string) (*quorate, string) {
	t.Helper()
	q := &quorate{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/agents:register", func(w http.ResponseWriter, _ *http.Request) { write(w, &registryv1.RegisterAgentResponse{}) })
	mux.HandleFunc("POST /v1/agents/{action}", func(w http.ResponseWriter, _ *http.Request) {
		write(w, &registryv1.HeartbeatResponse{Epoch: 1, NextHeartbeat: durationpb.New(1e9)})
	})
	mux.HandleFunc("POST /v1/tasks/{task}/consultations", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request consultationv1.RequestConsultationRequest
		if err != nil || protojson.Unmarshal(body, &request) != nil || r.PathValue("task") != "task-1" {
			http.Error(w, "{}", http.StatusBadRequest)
			return
		}
		q.mu.Lock()
		q.asked = append(q.asked, &request)
		q.mu.Unlock()
		write(w, &consultationv1.Consultation{Id: "c1", State: "answered", Outcome: outcome, Feedback: feedback, TargetAgent: "reviewer"})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return q, server.URL
}

func write(w http.ResponseWriter, m proto.Message) {
	body, err := protojson.Marshal(m)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // the client sees a short answer
}

func assigned(site string) *a2a.Message {
	message := says(a2a.NewTextPart("Fetch " + site + "/article"))
	message.Metadata = map[string]any{kit.ConsultationExtension: map[string]any{
		"taskId": "task-1",
		"requirements": []any{
			map[string]any{"id": "sensitive-data-review", "targetAgent": "reviewer", "phase": "pre-completion"},
			map[string]any{"id": "design", "targetAgent": "architect", "phase": "design-review"},
		},
	}}
	return message
}

func TestConsultBeforeDelivery(t *testing.T) {
	for name, test := range map[string]struct {
		consult           bool
		outcome, feedback string
		said              string
	}{
		"not by default":                      {false, "approved", "", ""},
		"when asked to":                       {true, "approved", "no rule objects", "Consulted reviewer for sensitive-data-review: approved: no rule objects"},
		"a rejection is the gate's to act on": {true, "rejected", "line 3 holds a key", "rejected: line 3 holds a key"},
	} {
		t.Run(name, func(t *testing.T) {
			f, site := newSite(t)
			q, url := newQuorate(t, test.outcome, test.feedback)
			config := agent.NewConfig(f, agent.Options{ConsultBeforeDelivery: test.consult})
			config.Server, config.Token = url, "quorate_agent_test"
			task, progress := send(t, kittest.Run(t, config), assigned(site))
			if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 {
				t.Fatalf("task = %s: %s, want COMPLETED with the page", task.Status.State, status(task))
			}
			if !strings.Contains(progress, test.said) {
				t.Errorf("progress = %q, want %q in it", progress, test.said)
			}
			q.mu.Lock()
			defer q.mu.Unlock()
			if !test.consult {
				if len(q.asked) != 0 {
					t.Errorf("asked %v, want nothing", q.asked)
				}
				return
			}
			if len(q.asked) != 1 || q.asked[0].GetRequirementId() != "sensitive-data-review" {
				t.Fatalf("asked %v, want the pre-completion requirement once", q.asked)
			}
			subject, delivered := q.asked[0].GetSubject()[0], task.Artifacts[0]
			if subject.GetName() != delivered.Name || subject.GetParts()[0].GetText() != delivered.Parts[0].Text() || subject.GetParts()[0].GetMediaType() != delivered.Parts[0].MediaType {
				t.Errorf("consulted about %v, want exactly the delivered %v", subject, delivered)
			}
		})
	}
}

func TestAFailedConsultationDoesNotLoseThePage(t *testing.T) {
	f, site := newSite(t)
	config := agent.NewConfig(f, agent.Options{ConsultBeforeDelivery: true}) // without a server nobody can be consulted
	task, progress := send(t, kittest.Run(t, config), assigned(site))
	if task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) != 1 || !strings.Contains(progress, "could not be consulted") {
		t.Errorf("task = %s with %d artifacts: %q, want COMPLETED with the page and the reason", task.Status.State, len(task.Artifacts), progress)
	}
}
