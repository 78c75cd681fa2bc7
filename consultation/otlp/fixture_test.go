package otlp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault/rpcfault"
)

const tenant = auth.DefaultTenant

// server is a receiver behind real listeners, with the authentication that the server around it does.
type server struct {
	receiver *otlp.Receiver
	ledger   *consultation.Ledger
	store    *failing
	keys     *auth.Keyring
	grpc     string // address
	http     string // address
}

// failing is a store whose updates fail when it is told to.
type failing struct {
	consultation.Store
	err error
}

func (s *failing) Update(ctx context.Context, tenant, id string, change func(consultation.Entry) (consultation.Entry, error)) error {
	if s.err != nil {
		return s.err
	}
	return s.Store.Update(ctx, tenant, id, change)
}

// nobody is the keys of agents that have none.
type nobody struct{}

func (nobody) Verifier(context.Context, string, string) (consultation.Verifier, error) {
	return func([]byte, string) error { return errors.New("no key") }, nil
}

func newServer(tb testing.TB) *server {
	tb.Helper()
	db, err := boltdb.Open(filepath.Join(tb.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		tb.Fatalf("Open() = %v, want no error", err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	s := &server{store: &failing{Store: embedded.New(db)}, keys: auth.NewKeyring()}
	s.ledger = consultation.NewLedger(s.store, consultation.LedgerOptions{Signers: nobody{}})
	if s.receiver, err = otlp.New(s.ledger, otlp.Options{}); err != nil {
		tb.Fatalf("New() = %v, want no error", err)
	}
	s.keys.Add("coder-token", auth.Principal{Name: "coder", Roles: []auth.Role{auth.RoleAgent}})
	s.keys.Add("reviewer-token", auth.Principal{Name: "reviewer", Roles: []auth.Role{auth.RoleAgent}})
	s.keys.Add("admin-token", auth.Principal{Name: "reviewer", Roles: []auth.Role{auth.RoleAdmin}})
	s.keys.Add("viewer-token", auth.Principal{Name: "reviewer", Roles: []auth.Role{auth.RoleViewer}})
	s.serveGRPC(tb)
	s.serveHTTP(tb)
	return s
}

func (s *server) serveGRPC(tb testing.TB) {
	tb.Helper()
	g := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		var token string
		if md, ok := metadata.FromIncomingContext(ctx); ok {
			token = bearer(strings.Join(md.Get("authorization"), ""))
		}
		p, err := s.keys.Authenticate(ctx, token)
		if err != nil {
			return nil, rpcfault.Status(err).Err()
		}
		resp, err := next(auth.NewContext(ctx, p), req)
		return resp, rpcfault.Status(err).Err()
	}))
	s.receiver.RegisterGRPC(g)
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("Listen() = %v, want no error", err)
	}
	s.grpc = listener.Addr().String()
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	tb.Cleanup(func() {
		g.Stop()
		if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) { // stopped before it began
			tb.Errorf("Serve() = %v, want no error", err)
		}
	})
}

func (s *server) serveHTTP(tb testing.TB) {
	tb.Helper()
	h := httptest.NewServer(s.handler())
	tb.Cleanup(h.Close)
	s.http = strings.TrimPrefix(h.URL, "http://")
}

func (s *server) handler() http.Handler {
	next := s.receiver.HTTPHandler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, err := s.keys.Authenticate(r.Context(), bearer(r.Header.Get("Authorization"))); err == nil {
			r = r.WithContext(auth.NewContext(r.Context(), p))
		}
		next.ServeHTTP(w, r)
	})
}

func bearer(header string) string { return strings.TrimPrefix(header, "Bearer ") }

// issue asks reviewer about coder's work.
func (s *server) issue(t *testing.T) consultation.Consultation {
	t.Helper()
	c, err := s.ledger.Issue(t.Context(), consultation.Question{
		Tenant: tenant, TaskID: "task-1", SourceAgent: "coder", SubjectDigest: consultation.Digest(nil),
		Requirement: consultation.Requirement{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreCompletion, Mandatory: true},
	})
	if err != nil {
		t.Fatalf("Issue() = %v, want no error", err)
	}
	return c
}

// state returns the state and outcome of the only consultation.
func (s *server) state(t *testing.T) string {
	t.Helper()
	list, err := s.ledger.Consultations(t.Context(), tenant, "task-1", time.Time{})
	if err != nil || len(list) != 1 {
		t.Fatalf("Consultations() = %v, %v, want one", list, err)
	}
	return list[0].State + " " + list[0].Outcome
}

// refused returns the reasons of the spans that were refused as answers to the only consultation.
func (s *server) refused(t *testing.T) string {
	t.Helper()
	list, err := s.ledger.Consultations(t.Context(), tenant, "task-1", time.Time{})
	if err != nil || len(list) != 1 {
		t.Fatalf("Consultations() = %v, %v, want one", list, err)
	}
	var reasons []string
	for _, r := range list[0].Refused {
		reasons = append(reasons, r.Reason)
	}
	return strings.Join(reasons, " ")
}

// verdict returns the span by which an honest agent answers c.
func verdict(t *testing.T, c consultation.Consultation, outcome string) tracetest.SpanStub {
	t.Helper()
	traceID, err := trace.TraceIDFromHex(c.TraceID)
	parent, parentErr := trace.SpanIDFromHex(c.SpanID)
	if err := errors.Join(err, parentErr); err != nil {
		t.Fatalf("reading the minted ids = %v, want no error", err)
	}
	now := time.Now()
	return tracetest.SpanStub{
		Name: otlp.SpanName, StartTime: now, EndTime: now,
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: trace.SpanID{7}, TraceFlags: trace.FlagsSampled}),
		Parent:      trace.NewSpanContext(trace.SpanContextConfig{TraceID: traceID, SpanID: parent, Remote: true}),
		Resource:    resource.NewSchemaless(attribute.String("service.name", c.TargetAgent)),
		Attributes: []attribute.KeyValue{
			attribute.String(otlp.IDKey, c.ID), attribute.String(otlp.TaskKey, c.TaskID), attribute.String(otlp.RequirementKey, c.RequirementID),
			attribute.String(otlp.PhaseKey, c.Phase), attribute.String(otlp.SourceKey, c.SourceAgent), attribute.String(otlp.TargetKey, c.TargetAgent),
			attribute.String(otlp.OutcomeKey, outcome), attribute.Int(otlp.AttemptKey, c.Attempt), attribute.String(otlp.DigestKey, c.SubjectDigest),
			attribute.String(otlp.FeedbackKey, "looks good"), attribute.Int(otlp.SchemaVersionKey, 1),
			attribute.Bool("quorate.consultation.mandatory", true),
			attribute.String("of.the.agent", "twice"), attribute.String("of.the.agent", "is its own affair"),
		},
	}
}

func snapshots(stubs ...tracetest.SpanStub) []sdktrace.ReadOnlySpan {
	return tracetest.SpanStubs(stubs).Snapshots()
}
