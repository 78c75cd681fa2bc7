package rpc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/platform/auth"
	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/page"
	consultationv1 "github.com/quorate/quorate/proto/gen/quorate/consultation/v1"
)

// Tasks is what the service asks of the task engine. A task that the tenant does not have is a NotFound fault.
type Tasks interface {
	// Subjects returns the task as a check sees it, with the phases that it has reached and the digests of its content now. In place of a task that other
	// tasks do, it returns those that have begun.
	Subjects(ctx context.Context, tenant, taskID string) ([]consultation.Subject, error)
	// Consult has the target of the requirement consulted about subject, or about what the task holds when it is empty, and
	// returns once the question is durable. A request that was answered gets the same consultation again.
	Consult(ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request) (consultation.Consultation, error)
	// ConsultDirectly is Consult without the asking: it returns the question, which the task's agent takes to the target. It has the content under review.
	// A request that was answered gets the same consultation again, without the question once it is not open any more.
	ConsultDirectly(
		ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request,
	) (consultation.Consultation, *a2apb.Message, error)
}

// Rules returns who may call each RPC. Agents are held to the tasks they execute by the service itself.
func Rules() auth.Rules {
	readers := auth.Rule{Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent, auth.RoleViewer}}
	return auth.Rules{
		consultationv1.ConsultationService_RequestConsultation_FullMethodName: {Roles: []auth.Role{auth.RoleAdmin, auth.RoleDispatcher, auth.RoleAgent}},
		consultationv1.ConsultationService_ListConsultations_FullMethodName:   readers,
		consultationv1.ConsultationService_CheckConsultations_FullMethodName:  readers,
	}
}

type service struct {
	consultationv1.UnimplementedConsultationServiceServer
	ledger *consultation.Ledger
	tasks  Tasks
	pages  *page.Codec
}

// New returns the service over a ledger and the task engine, which makes its page tokens with pages.
func New(ledger *consultation.Ledger, tasks Tasks, pages *page.Codec) consultationv1.ConsultationServiceServer {
	return &service{ledger: ledger, tasks: tasks, pages: pages}
}

// RequestConsultation has the target of a requirement consulted.
func (s *service) RequestConsultation(ctx context.Context, req *consultationv1.RequestConsultationRequest) (*consultationv1.Consultation, error) {
	p, tasks, err := s.visible(ctx, req.GetTaskId(), auth.RoleAdmin, auth.RoleDispatcher)
	if err != nil {
		return nil, err
	}
	request, err := requestOf(p, req)
	if err != nil {
		return nil, err
	}
	switch own := executes(p, tasks); {
	case len(req.GetSubject()) > 0 && !own:
		return nil, fault.New(fault.PermissionDenied, "SUBJECT_NOT_YOURS", "only the agent that executes the task can say what to review; leave subject empty")
	case req.GetDirect() && !own: // the question has what a gate holds back
		return nil, fault.New(fault.PermissionDenied, "QUESTION_NOT_YOURS", "only the agent that executes the task can ask the target itself; leave direct out")
	case req.GetDirect():
		c, question, err := s.tasks.ConsultDirectly(ctx, p.Tenant, req.GetTaskId(), req.GetRequirementId(), req.GetSubject(), request)
		if err != nil {
			return nil, err
		}
		resp := ConsultationToProto(c)
		resp.Question = question
		return resp, nil
	}
	c, err := s.tasks.Consult(ctx, p.Tenant, req.GetTaskId(), req.GetRequirementId(), req.GetSubject(), request)
	if err != nil {
		return nil, err
	}
	return ConsultationToProto(c), nil
}

// requestOf returns what makes a request known when it comes again; the zero request when it has no id.
func requestOf(p auth.Principal, req *consultationv1.RequestConsultationRequest) (consultation.Request, error) {
	if req.GetRequestId() == "" {
		return consultation.Request{}, nil
	}
	content := proto.CloneOf(req)
	content.RequestId = ""
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(content)
	if err != nil {
		return consultation.Request{}, fmt.Errorf("encoding the request: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return consultation.Request{Caller: p.Name, ID: req.GetRequestId(), Digest: hex.EncodeToString(sum[:])}, nil
}

// CheckConsultations tells for each requirement whether it is met now, of a task that others do for each of theirs.
func (s *service) CheckConsultations(ctx context.Context, req *consultationv1.CheckConsultationsRequest) (*consultationv1.CheckConsultationsResponse, error) {
	_, tasks, err := s.visible(ctx, req.GetTaskId(), auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer)
	if err != nil {
		return nil, err
	}
	resp := &consultationv1.CheckConsultationsResponse{Allowed: true}
	for _, task := range tasks {
		if phase := req.GetPhase(); phase != "" {
			task.Phases = []string{phase}
		}
		d, err := s.ledger.Check(ctx, task)
		if err != nil {
			return nil, err
		}
		resp.Allowed = resp.GetAllowed() && d.Allowed
		for _, v := range d.Requirements {
			resp.Requirements = append(resp.Requirements, VerdictToProto(v))
		}
	}
	return resp, nil
}

// visible returns what is checked of a task when the caller has any of roles or executes it. For others the task does not exist.
func (s *service) visible(ctx context.Context, taskID string, roles ...auth.Role) (auth.Principal, []consultation.Subject, error) {
	p, ok := auth.FromContext(ctx)
	if !ok {
		return p, nil, fault.New(fault.Unauthenticated, "TOKEN_MISSING", "a bearer token is needed")
	}
	tasks, err := s.tasks.Subjects(ctx, p.Tenant, taskID)
	if err != nil {
		return p, nil, err
	}
	if !p.Is(roles...) && !executes(p, tasks) {
		return p, nil, fault.New(fault.NotFound, "TASK_NOT_FOUND", "there is no task %q", taskID).With("task", taskID)
	}
	return p, tasks, nil
}

func executes(p auth.Principal, tasks []consultation.Subject) bool {
	return p.Is(auth.RoleAgent) && slices.ContainsFunc(tasks, func(t consultation.Subject) bool { return t.SourceAgent == p.Name })
}
