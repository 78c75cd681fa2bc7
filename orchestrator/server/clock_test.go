package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
	"github.com/quorate/quorate/orchestrator/server"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/registry"
)

// ahead is the way to a DynamoDB whose clock is ahead of ours by an hour, as it is for a replica on a machine whose clock is wrong.
type ahead struct{}

func (ahead) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err == nil {
		response.Header.Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
	}
	return response, err
}

func TestReplicasGoByTheClockOfTheStore(t *testing.T) {
	t.Parallel()
	db := dynamotest.Open(t, nil)
	if err := db.Apply(t.Context(), server.Tables(), nil); err != nil {
		t.Fatalf("Apply() = %v, want no error", err)
	}
	c := ddb.Config{Endpoint: dynamotest.Endpoint(t), TablePrefix: strings.TrimSuffix(*db.Table("Tasks"), "Tasks")}
	right := startServer(t, c)
	c.Transport = ahead{}
	wrong := startServer(t, c)
	for name, test := range map[string]struct {
		s    *server.Server
		want time.Duration
	}{"a": {right, 0}, "b": {wrong, time.Hour}} {
		card := []byte(`{"name":"` + name + `","version":"1.0.0","url":"http://192.0.2.1/","skills":[{"id":"s"}]}`)
		if _, _, err := test.s.Registry.Register(t.Context(), auth.DefaultTenant, registry.Registration{RawCard: card}); err != nil {
			t.Fatalf("Register(%s) = %v, want no error", name, err)
		}
		if _, err := test.s.Registry.Heartbeat(t.Context(), auth.DefaultTenant, registry.Beat{Agent: name, Status: registry.StatusAvailable}); err != nil {
			t.Fatalf("Heartbeat(%s) = %v, want no error", name, err)
		}
		a, err := test.s.Registry.Agent(t.Context(), auth.DefaultTenant, name)
		if got := time.Until(a.Status.LastHeartbeat); err != nil || a.Status.Status != registry.StatusAvailable || (got-test.want).Abs() > 10*time.Minute {
			t.Errorf("Agent(%s) = %+v, %v, want available, with a heartbeat %s ahead of this machine's clock", name, a.Status, err, test.want)
		}
	}
}

// TestVerdictsAndTasksAreDueByTheClockOfTheStore has a replica on a machine whose clock is an hour behind.
func TestVerdictsAndTasksAreDueByTheClockOfTheStore(t *testing.T) {
	t.Parallel()
	stores, err := server.OpenEmbedded(t.Context(), server.Embedded{Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("OpenEmbedded() = %v, want no error", err)
	}
	now := time.Now().Add(time.Hour).UTC()
	stores.Now = func() time.Time { return now }
	ledger, err := new(server.Evidence).Ledger(stores)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ledger.Issue(t.Context(), consultation.Question{
		Tenant: "t", TaskID: "1", SourceAgent: "coder", SubjectDigest: "sha256:" + strings.Repeat("0", 64),
		Requirement: consultation.Requirement{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreCompletion},
	})
	if err != nil || !c.IssueTime.Equal(now) {
		t.Errorf("Issue() = %+v, %v, want one of %s", c, err, now)
	}
	_, err = startOn(t, stores, listen(t)).Engine.Submit(t.Context(), engine.Submission{
		Tenant: "t", Caller: "ci", Message: &a2apb.Message{Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "x"}}}}, Route: orchestrator.Route{Agent: "coder"},
		Deadline: now.Add(-30 * time.Minute),
	})
	if fault.ReasonOf(err) != "DEADLINE_OUT_OF_RANGE" {
		t.Errorf("Submit() with a deadline that is over = %v, want DEADLINE_OUT_OF_RANGE", err)
	}
}
