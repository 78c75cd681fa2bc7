package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/embedded"
	"github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

var requirement = consultation.Requirement{ID: "r", TargetAgent: "reviewer", Phase: consultation.PhasePreCompletion, Mandatory: true}

// engine has one task, task-1 of coder in the default tenant, and plan-1, which that and a task without rules do; it issues what is asked for.
type engine struct {
	ledger  *consultation.Ledger
	subject []*a2apb.Artifact    // of the last question
	request consultation.Request // of the last question
}

func (e *engine) Subjects(_ context.Context, tenant, taskID string) ([]consultation.Subject, error) {
	if tenant != auth.DefaultTenant || taskID != "task-1" && taskID != "plan-1" {
		return nil, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", taskID).With("task", taskID)
	}
	early := requirement
	early.ID, early.Phase = "early", consultation.PhasePreExecution
	coders := consultation.Subject{
		Tenant: tenant, TaskID: "task-1", SourceAgent: "coder", Requirements: []consultation.Requirement{early, requirement},
		Phases:  []string{consultation.PhasePreExecution, consultation.PhasePreCompletion},
		Digests: map[string]string{consultation.PhasePreCompletion: consultation.Digest(nil), consultation.PhasePreExecution: consultation.Digest(nil)},
	}
	if taskID == "plan-1" {
		return []consultation.Subject{coders, {Tenant: tenant, TaskID: "task-2", SourceAgent: "free"}}, nil
	}
	return []consultation.Subject{coders}, nil
}

func (e *engine) Consult(
	ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, error) {
	e.request = request
	if requirementID != requirement.ID {
		return consultation.Consultation{}, errors.New("no such requirement")
	}
	e.subject = subject
	return e.ledger.Issue(ctx, consultation.Question{
		Tenant: tenant, TaskID: taskID, SourceAgent: "coder", Requirement: requirement, SubjectDigest: consultation.Digest(nil),
	})
}

func (e *engine) ConsultDirectly(
	ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, *a2apb.Message, error) {
	c, err := e.Consult(ctx, tenant, taskID, requirementID, subject, request)
	return c, &a2apb.Message{MessageId: c.ID}, err
}

func newService(t *testing.T) (consultationv1.ConsultationServiceServer, *engine) {
	t.Helper()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "spans.db"), boltdb.Options{})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	t.Cleanup(func() { _ = db.Close() })
	e := &engine{ledger: consultation.NewLedger(embedded.New(db), consultation.LedgerOptions{})}
	return rpc.New(e.ledger, e, page.New([]byte("key"))), e
}

func as(t *testing.T, tenant, name string, roles ...auth.Role) context.Context {
	t.Helper()
	return auth.NewContext(t.Context(), auth.Principal{Tenant: tenant, Name: name, Roles: roles})
}

func TestWhoMaySeeATask(t *testing.T) {
	t.Parallel()
	const own = auth.DefaultTenant
	tests := map[string]struct {
		tenant, name string
		roles        []auth.Role
		read         string // the reason, empty for success
		request      string
	}{
		"an admin":                     {own, "root", []auth.Role{auth.RoleAdmin}, "", ""},
		"a dispatcher":                 {own, "ci", []auth.Role{auth.RoleDispatcher}, "", ""},
		"a viewer reads":               {own, "eve", []auth.Role{auth.RoleViewer}, "", "TASK_NOT_FOUND"},
		"the task's own agent":         {own, "coder", []auth.Role{auth.RoleAgent}, "", ""},
		"the target":                   {own, "reviewer", []auth.Role{auth.RoleAgent}, "TASK_NOT_FOUND", "TASK_NOT_FOUND"},
		"an agent that also views":     {own, "reviewer", []auth.Role{auth.RoleAgent, auth.RoleViewer}, "", "TASK_NOT_FOUND"},
		"a viewer named as the source": {own, "coder", []auth.Role{auth.RoleViewer}, "", "TASK_NOT_FOUND"},
		"another tenant's admin":       {"other", "root", []auth.Role{auth.RoleAdmin}, "TASK_NOT_FOUND", "TASK_NOT_FOUND"},
		"another tenant's namesake":    {"other", "coder", []auth.Role{auth.RoleAgent}, "TASK_NOT_FOUND", "TASK_NOT_FOUND"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newService(t)
			ctx := as(t, test.tenant, test.name, test.roles...)
			_, err := s.ListConsultations(ctx, &consultationv1.ListConsultationsRequest{TaskId: "task-1"})
			if got := fault.ReasonOf(err); got != test.read {
				t.Errorf("ListConsultations() = %v, want %q", err, test.read)
			}
			_, err = s.CheckConsultations(ctx, &consultationv1.CheckConsultationsRequest{TaskId: "task-1"})
			if got := fault.ReasonOf(err); got != test.read {
				t.Errorf("CheckConsultations() = %v, want %q", err, test.read)
			}
			_, err = s.RequestConsultation(ctx, &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: "r"})
			if got := fault.ReasonOf(err); got != test.request {
				t.Errorf("RequestConsultation() = %v, want %q", err, test.request)
			}
		})
	}
}

func TestWithoutACallerNothingIsAnswered(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	if _, err := s.ListConsultations(t.Context(), &consultationv1.ListConsultationsRequest{TaskId: "task-1"}); fault.KindOf(err) != fault.Unauthenticated {
		t.Errorf("ListConsultations() = %v, want unauthenticated", err)
	}
}

func TestOnlyTheTasksAgentSaysWhatToReview(t *testing.T) {
	t.Parallel()
	req := &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: "r", Subject: []*a2apb.Artifact{{ArtifactId: "a"}}}
	for name, test := range map[string]struct {
		name   string
		role   auth.Role
		reason string
	}{
		"its agent":             {"coder", auth.RoleAgent, ""},
		"an admin":              {"root", auth.RoleAdmin, "SUBJECT_NOT_YOURS"},
		"a dispatcher":          {"ci", auth.RoleDispatcher, "SUBJECT_NOT_YOURS"},
		"an admin of its name":  {"coder", auth.RoleAdmin, "SUBJECT_NOT_YOURS"},
		"another agent of ours": {"reviewer", auth.RoleAgent, "TASK_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, e := newService(t)
			_, err := s.RequestConsultation(as(t, auth.DefaultTenant, test.name, test.role), req)
			if fault.ReasonOf(err) != test.reason || (err == nil) != (len(e.subject) == 1) {
				t.Errorf("RequestConsultation() = %v with %d artifacts handed on, want %q", err, len(e.subject), test.reason)
			}
			if test.reason == "SUBJECT_NOT_YOURS" && !strings.Contains(err.Error(), "with its own credential") {
				t.Errorf("RequestConsultation() = %v, want it to say with which credential", err)
			}
		})
	}
}

func TestOnlyTheTasksAgentAsksTheTargetItself(t *testing.T) {
	t.Parallel()
	req := &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: "r", Direct: true}
	for name, test := range map[string]struct {
		name   string
		role   auth.Role
		reason string
	}{
		"its agent":             {"coder", auth.RoleAgent, ""},
		"an admin":              {"root", auth.RoleAdmin, "QUESTION_NOT_YOURS"},
		"a dispatcher":          {"ci", auth.RoleDispatcher, "QUESTION_NOT_YOURS"},
		"an admin of its name":  {"coder", auth.RoleAdmin, "QUESTION_NOT_YOURS"},
		"another agent of ours": {"reviewer", auth.RoleAgent, "TASK_NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newService(t)
			c, err := s.RequestConsultation(as(t, auth.DefaultTenant, test.name, test.role), req)
			if fault.ReasonOf(err) != test.reason || c.GetQuestion().GetMessageId() != c.GetId() {
				t.Errorf("RequestConsultation(direct) = %v, %v, want the question or %q", c, err, test.reason)
			}
		})
	}
}

// verdict returns the check of requirement r as one line.
func verdict(t *testing.T, s consultationv1.ConsultationServiceServer, phase string) string {
	t.Helper()
	ctx := as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher)
	resp, err := s.CheckConsultations(ctx, &consultationv1.CheckConsultationsRequest{TaskId: "task-1", Phase: phase})
	if err != nil {
		t.Fatalf("CheckConsultations() = %v, want no error", err)
	}
	words := []string{fmt.Sprintf("allowed=%v", resp.GetAllowed())}
	for _, v := range resp.GetRequirements() {
		words = append(words, fmt.Sprintf("%s=%s mandatory=%v applies=%v found %s", v.GetId(), v.GetVerdict(), v.GetMandatory(), v.GetApplies(), v.GetFound()))
		for _, e := range v.GetEvidence() {
			words = append(words, fmt.Sprintf("[%s %s by %s at %s]", e.GetOutcome(), e.GetFeedback(), e.GetRecorder(), e.GetLevel()))
		}
	}
	return strings.Join(words, " ")
}

func TestAConsultationFromRequestToVerdict(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	ctx := as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher)
	check := func(phase, want string) {
		t.Helper()
		if got := verdict(t, s, phase); !strings.HasPrefix(got, want) {
			t.Errorf("CheckConsultations() = %s, want %s", got, want)
		}
	}
	check(requirement.Phase, "allowed=false r=missing mandatory=true applies=true found no consultation")
	asked, err := s.RequestConsultation(ctx, &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: "r"})
	if err != nil {
		t.Fatalf("RequestConsultation() = %v, want no error", err)
	}
	if lasts := asked.GetExpireTime().AsTime().Sub(asked.GetIssueTime().AsTime()); asked.GetState() != "open" || asked.GetAttempt() != 1 || lasts != 15*time.Minute {
		t.Errorf("RequestConsultation() = %v, want an open first attempt of 15 minutes", asked)
	}
	check(requirement.Phase, "allowed=false r=pending mandatory=true applies=true found attempt 1: no answer yet")
	err = e.ledger.Record(ctx, consultation.Recorder{Tenant: auth.DefaultTenant, Agent: "reviewer"}, consultation.Claim{
		TraceID: asked.GetTraceId(), SpanID: "00000000000000a1", ServiceName: "reviewer", ConsultationID: asked.GetId(), TaskID: "task-1",
		RequirementID: "r", Phase: asked.GetPhase(), SourceAgent: "coder", TargetAgent: "reviewer", Outcome: "approved", Feedback: "fine",
		SubjectDigest: asked.GetSubjectDigest(), Attempt: 1, SchemaVersion: 1,
	})
	if err != nil {
		t.Fatalf("Record() = %v, want no error", err)
	}
	check(requirement.Phase, `allowed=true r=approved mandatory=true applies=true found attempt 1: approved by reviewer ("fine") [approved fine by reviewer at C2]`)
	check("", "allowed=false early=missing mandatory=true applies=true found no consultation r=approved")
	list, err := s.ListConsultations(ctx, &consultationv1.ListConsultationsRequest{TaskId: "task-1"})
	if err != nil || len(list.GetConsultations()) != 1 || list.GetConsultations()[0].GetOutcome() != "approved" {
		t.Errorf("ListConsultations() = %v, %v, want one approved", list, err)
	}
}

func TestEveryMethodHasARule(t *testing.T) {
	t.Parallel()
	g := grpc.NewServer()
	s, _ := newService(t)
	consultationv1.RegisterConsultationServiceServer(g, s)
	for name, info := range g.GetServiceInfo() {
		for _, method := range info.Methods {
			if rule, ok := rpc.Rules()["/"+name+"/"+method.Name]; !ok || rule.Public || len(rule.Roles) == 0 {
				t.Errorf("Rules()[%s] = %v, %v, want some roles", method.Name, rule, ok)
			}
		}
	}
}

func TestATaskThatOthersDoIsCheckedByTheirRules(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	resp, err := s.CheckConsultations(as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher), &consultationv1.CheckConsultationsRequest{TaskId: "plan-1"})
	if err != nil || resp.GetAllowed() || len(resp.GetRequirements()) != 2 {
		t.Errorf("CheckConsultations(plan-1) = %v, %v, want the two requirements of the task that has some, which is not allowed to pass", resp, err)
	}
}

func TestARequestIsKnownByItsCallerItsIDAndItsContent(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	ask := func(caller, id, requirement string) consultation.Request {
		t.Helper()
		e.request = consultation.Request{}
		ctx := as(t, auth.DefaultTenant, caller, auth.RoleDispatcher)
		_, _ = s.RequestConsultation(ctx, &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: requirement, RequestId: id})
		return e.request
	}
	first := ask("ci", "1", "r")
	if first.Caller != "ci" || first.ID != "1" || len(first.Digest) != 64 || first != ask("ci", "1", "r") {
		t.Errorf("RequestConsultation() hands on %+v, want caller, id and digest, each time the same", first)
	}
	if other := ask("ci", "1", "q"); other.Digest == first.Digest {
		t.Errorf("RequestConsultation() of another requirement hands on %+v, want another digest", other)
	}
	if later := ask("ci", "2", "r"); later.Digest != first.Digest {
		t.Errorf("RequestConsultation() under another id hands on %+v, want the same digest", later)
	}
	if none := ask("ci", "", "r"); none != (consultation.Request{}) {
		t.Errorf("RequestConsultation() without an id hands on %+v, want nothing to remember", none)
	}
}
