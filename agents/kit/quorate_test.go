package kit_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/fault/rpcfault"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
)

const token = "quorate_agent_secret"

// quorate is a small Quorate: what an agent calls, with answers that a test sets.
type quorate struct {
	URL string

	mu            sync.Mutex
	registered    []string                                     // guarded by mu; card URIs
	refreshed     []string                                     // guarded by mu; card URIs
	beats         []*registryv1.HeartbeatRequest               // guarded by mu
	verdicts      []verdict                                    // guarded by mu
	asked         []*consultationv1.RequestConsultationRequest // guarded by mu
	register      func(n int) error                            // guarded by mu; n counts from 1
	refresh       func(n int) error                            // guarded by mu; n counts from 1
	beat          func(n int) error                            // guarded by mu
	traces        func(n int, w http.ResponseWriter) bool      // guarded by mu; true when it has answered
	exports       int                                          // guarded by mu
	consultations func(n int) *consultationv1.Consultation     // guarded by mu; n counts the reads, 0 is the request
	reads         int                                          // guarded by mu
	consulting    func(method string) error                    // guarded by mu
	changed       chan struct{}                                // guarded by mu; closed by the next call
}

// verdict is a verdict span as it arrived.
type verdict struct {
	service string
	span    ptrace.Span
}

func newQuorate(t *testing.T) *quorate {
	t.Helper()
	q := &quorate{changed: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/agents:register", q.serveRegister)
	mux.HandleFunc("POST /v1/agents/{action}", q.serveAction)
	mux.HandleFunc("POST /v1/traces", q.serveTraces)
	mux.HandleFunc("POST /v1/tasks/{task}/consultations", q.serveRequest)
	mux.HandleFunc("GET /v1/tasks/{task}/consultations", q.serveList)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			refuse(w, fault.New(fault.Unauthenticated, "TOKEN_INVALID", "the bearer token is not valid"))
			return
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		mux.ServeHTTP(w, r)
		close(q.changed)
		q.changed = make(chan struct{})
	}))
	t.Cleanup(server.Close)
	q.URL = server.URL
	return q
}

// until waits for a condition that the agent's calls make true.
func (q *quorate) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		q.mu.Lock()
		ok, changed := holds(), q.changed
		q.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s did not happen within %s", what, patience)
		}
	}
}

func (q *quorate) serveRegister(w http.ResponseWriter, r *http.Request) {
	var request registryv1.RegisterAgentRequest
	if !read(w, r, &request) {
		return
	}
	q.registered = append(q.registered, request.GetCardUri())
	if q.register != nil {
		if err := q.register(len(q.registered)); err != nil {
			refuse(w, err)
			return
		}
	}
	write(w, &registryv1.RegisterAgentResponse{Agent: &registryv1.Agent{CardUri: request.GetCardUri()}})
}

func (q *quorate) serveAction(w http.ResponseWriter, r *http.Request) {
	switch _, verb, _ := strings.Cut(r.PathValue("action"), ":"); verb {
	case "heartbeat":
		q.serveBeat(w, r)
	case "refreshCard":
		q.serveRefresh(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (q *quorate) serveRefresh(w http.ResponseWriter, r *http.Request) {
	var request registryv1.RefreshAgentCardRequest
	if !read(w, r, &request) {
		return
	}
	q.refreshed = append(q.refreshed, request.GetCardUri())
	if q.refresh != nil {
		if err := q.refresh(len(q.refreshed)); err != nil {
			refuse(w, err)
			return
		}
	}
	write(w, &registryv1.RefreshAgentCardResponse{Agent: &registryv1.Agent{CardUri: request.GetCardUri()}})
}

func (q *quorate) serveBeat(w http.ResponseWriter, r *http.Request) {
	var request registryv1.HeartbeatRequest
	if !read(w, r, &request) {
		return
	}
	q.beats = append(q.beats, &request)
	if q.beat != nil {
		if err := q.beat(len(q.beats)); err != nil {
			refuse(w, err)
			return
		}
	}
	write(w, &registryv1.HeartbeatResponse{Epoch: 7, NextHeartbeat: durationpb.New(20 * time.Millisecond)})
}

func (q *quorate) serveTraces(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := ptraceotlp.NewExportRequest()
	if err != nil || request.UnmarshalProto(body) != nil {
		http.Error(w, "no OTLP", http.StatusBadRequest)
		return
	}
	found := verdictsIn(request.Traces())
	if len(found) > 0 {
		q.exports++
		if q.traces != nil && q.traces(q.exports, w) {
			return
		}
	}
	q.verdicts = append(q.verdicts, found...)
	answer(w, ptraceotlp.NewExportResponse())
}

func verdictsIn(traces ptrace.Traces) []verdict {
	var found []verdict
	for _, rs := range traces.ResourceSpans().All() {
		service, _ := rs.Resource().Attributes().Get("service.name")
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.Name() == "quorate.consultation.verdict" {
					found = append(found, verdict{service.Str(), span})
				}
			}
		}
	}
	return found
}

func answer(w http.ResponseWriter, response ptraceotlp.ExportResponse) {
	body, err := response.MarshalProto()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(body) // the client sees a short answer
}

func (q *quorate) serveRequest(w http.ResponseWriter, r *http.Request) {
	var request consultationv1.RequestConsultationRequest
	if !read(w, r, &request) {
		return
	}
	q.asked = append(q.asked, &request)
	if q.consulting != nil {
		if err := q.consulting(r.Method); err != nil {
			refuse(w, err)
			return
		}
	}
	write(w, q.consultations(0))
}

func (q *quorate) serveList(w http.ResponseWriter, r *http.Request) {
	q.reads++
	if q.consulting != nil {
		if err := q.consulting(r.Method); err != nil {
			refuse(w, err)
			return
		}
	}
	write(w, &consultationv1.ListConsultationsResponse{Consultations: []*consultationv1.Consultation{{Id: "older"}, q.consultations(q.reads)}})
}

func read(w http.ResponseWriter, r *http.Request, m proto.Message) bool {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = protojson.Unmarshal(body, m)
	}
	if err != nil {
		refuse(w, fault.Invalid("body", "BODY_INVALID", "%v", err))
	}
	return err == nil
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

func refuse(w http.ResponseWriter, err error) {
	status := rpcfault.Status(err)
	body, encodeErr := protojson.Marshal(status.Proto())
	if encodeErr != nil {
		body = []byte("{}")
	}
	code := map[codes.Code]int{codes.Unavailable: 503, codes.NotFound: 404, codes.Unauthenticated: 401, codes.PermissionDenied: 403}[status.Code()]
	if code == 0 {
		code = http.StatusBadRequest
	}
	w.WriteHeader(code)
	_, _ = w.Write(body) // the client sees a short answer
}
