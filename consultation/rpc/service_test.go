package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

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

// engine has one task, task-1 of coder in the default tenant; plan-1, which that and a task without rules do; and plan-2, whose step of coder is about to
// begin. It issues what is asked for.
type engine struct {
	ledger  *consultation.Ledger
	subject []*a2apb.Artifact    // of the last question
	request consultation.Request // of the last question
	taken   time.Time            // when task-1 was accepted
}

func (e *engine) Subjects(_ context.Context, tenant, taskID string) ([]consultation.Subject, error) {
	if tenant != auth.DefaultTenant || !slices.Contains([]string{"task-1", "plan-1", "plan-2"}, taskID) {
		return nil, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", taskID).With("task", taskID)
	}
	early := requirement
	early.ID, early.Phase = "early", consultation.PhasePreExecution
	coders := consultation.Subject{
		Tenant: tenant, TaskID: "task-1", TaskTime: e.taken, SourceAgent: "coder", Requirements: []consultation.Requirement{early, requirement},
		Phases:  []string{consultation.PhasePreExecution, consultation.PhasePreCompletion},
		Digests: map[string]string{consultation.PhasePreCompletion: consultation.Digest(nil), consultation.PhasePreExecution: consultation.Digest(nil)},
	}
	if taskID == "plan-2" {
		return []consultation.Subject{{Tenant: tenant, SourceAgent: "coder", NotBegun: true}}, nil
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
	err = errors.Join(
		e.ledger.SetCarrier(ctx, auth.DefaultTenant, "task-1", asked.GetId(), "carrier"), e.ledger.SetDirect(ctx, auth.DefaultTenant, "task-1", asked.GetId()),
	)
	if err != nil {
		t.Fatalf("SetCarrier(), SetDirect() = %v, want no error", err)
	}
	list, err := s.ListConsultations(ctx, &consultationv1.ListConsultationsRequest{TaskId: "task-1"})
	want := proto.CloneOf(asked)
	want.TaskId, want.RequirementId, want.SourceAgent, want.TargetAgent = "task-1", "r", "coder", "reviewer"
	want.State, want.Outcome, want.Feedback = "answered", "approved", "fine"
	want.CarrierTaskId, want.Direct = "carrier", true
	if diff := cmp.Diff([]*consultationv1.Consultation{want}, list.GetConsultations(), protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("ListConsultations() = %v, differs (-want +got):\n%s", err, diff)
	}
}

func TestAVerdictIsToldInFull(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := rpc.VerdictToProto(consultation.RequirementVerdict{
		Requirement: requirement, Applies: true, Verdict: "rejected", Code: "CONSULTATION_REJECTED", Reason: "why", LookedFor: "looked for",
		Found: "found", Lowest: consultation.LevelCarried, Level: consultation.LevelRecorded,
		Evidence: []consultation.Evidence{{
			TraceID: "trace", SpanID: "span", SourceAgent: "coder", TargetAgent: "reviewer", TaskID: "task-1", RequirementID: "r", Outcome: "rejected",
			Feedback: "no", Timestamp: at, ConsultationID: "c", Attempt: 2, SubjectDigest: "digest", Recorder: "recorder", Level: "C2", Backend: "jaeger",
		}},
	})
	want := &consultationv1.RequirementVerdict{
		Id: "r", Phase: requirement.Phase, TargetAgent: "reviewer", Mandatory: new(true), Applies: new(true), Verdict: "rejected",
		Code: "CONSULTATION_REJECTED", Reason: "why", LookedFor: "looked for", Found: "found", RequiredLevel: consultation.LevelCarried, ReachedLevel: consultation.LevelRecorded,
		Evidence: []*consultationv1.Evidence{{
			TraceId: "trace", SpanId: "span", SourceAgent: "coder", TargetAgent: "reviewer", TaskId: "task-1", RequirementId: "r", Outcome: "rejected",
			Feedback: "no", Timestamp: timestamppb.New(at), ConsultationId: "c", Attempt: 2, SubjectDigest: "digest", Recorder: "recorder", Level: "C2", Backend: "jaeger",
		}},
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("VerdictToProto() differs (-want +got):\n%s", diff)
	}
}

func TestEveryMethodHasARule(t *testing.T) {
	t.Parallel()
	want := map[string][]auth.Role{
		"RequestConsultation": {auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent},
		"ListConsultations":   {auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer},
		"CheckConsultations":  {auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer},
	}
	service := &consultationv1.ConsultationService_ServiceDesc
	for _, method := range service.Methods {
		rule := rpc.Rules()["/"+service.ServiceName+"/"+method.MethodName]
		if roles := want[method.MethodName]; len(roles) == 0 || rule.Public || !slices.Equal(rule.Roles, roles) {
			t.Errorf("Rules()[%s] = %+v, want the roles %v", method.MethodName, rule, roles)
		}
	}
}

func TestWhatTheEngineRefusesIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	for _, direct := range []bool{false, true} {
		req := &consultationv1.RequestConsultationRequest{TaskId: "task-1", RequirementId: "q", Direct: direct}
		if c, err := s.RequestConsultation(as(t, auth.DefaultTenant, "coder", auth.RoleAgent), req); err == nil || err.Error() != "no such requirement" {
			t.Errorf("RequestConsultation(direct: %t) = %v, %v, want why the engine refuses", direct, c, err)
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

func TestATaskWhoseStepsHaveNotBegunIsNotAllowedToPass(t *testing.T) {
	t.Parallel()
	s, _ := newService(t)
	for _, phase := range []string{"", consultation.PhasePreExecution} {
		req := &consultationv1.CheckConsultationsRequest{TaskId: "plan-2", Phase: phase}
		resp, err := s.CheckConsultations(as(t, auth.DefaultTenant, "ci", auth.RoleDispatcher), req)
		if err != nil || resp.GetAllowed() || !slices.Equal(resp.GetNotBegun(), []string{"coder"}) {
			t.Errorf("CheckConsultations(plan-2, %q) = %v, %v, want it not allowed while nobody knows the rules of coder's step", phase, resp, err)
		}
	}
	ctx := as(t, auth.DefaultTenant, "coder", auth.RoleAgent)
	if _, err := s.CheckConsultations(ctx, &consultationv1.CheckConsultationsRequest{TaskId: "plan-2"}); fault.ReasonOf(err) != "TASK_NOT_FOUND" {
		t.Errorf("CheckConsultations() of an agent that has not begun = %v, want TASK_NOT_FOUND", err)
	}
}

func TestARequestIsKnownByItsCallerItsIDAndItsContent(t *testing.T) {
	t.Parallel()
	s, e := newService(t)
	metadata := &structpb.Struct{Fields: make(map[string]*structpb.Value)} // a map has no order, but a repetition is known
	for key := range strings.SplitSeq("abcdefghijklmnop", "") {
		metadata.Fields[key] = structpb.NewStringValue(key)
	}
	ask := func(caller, id, requirement string) consultation.Request {
		t.Helper()
		e.request = consultation.Request{}
		ctx := as(t, auth.DefaultTenant, caller, auth.RoleAgent)
		_, _ = s.RequestConsultation(ctx, &consultationv1.RequestConsultationRequest{
			TaskId: "task-1", RequirementId: requirement, RequestId: id, Subject: []*a2apb.Artifact{{ArtifactId: "a", Metadata: metadata}},
		})
		return e.request
	}
	first := ask("coder", "1", "r")
	if first.Caller != "coder" || first.ID != "1" || len(first.Digest) != 64 || first != ask("coder", "1", "r") {
		t.Errorf("RequestConsultation() hands on %+v, want caller, id and digest, each time the same", first)
	}
	if other := ask("coder", "1", "q"); other.Digest == first.Digest {
		t.Errorf("RequestConsultation() of another requirement hands on %+v, want another digest", other)
	}
	if later := ask("coder", "2", "r"); later.Digest != first.Digest {
		t.Errorf("RequestConsultation() under another id hands on %+v, want the same digest", later)
	}
	if none := ask("coder", "", "r"); none != (consultation.Request{}) {
		t.Errorf("RequestConsultation() without an id hands on %+v, want nothing to remember", none)
	}
}
