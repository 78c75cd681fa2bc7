package rpc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
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

// Tasks is the part of the task engine that the service needs. A task that the tenant does not have, or that the caller in ctx may not see, is a NotFound fault:
// which tasks of others a dispatcher sees is not decided here.
type Tasks interface {
	// Subjects returns what is judged of the task, with the phases that it has reached and the digests of its current content. For a task that other
	// tasks do, it returns those that have begun.
	Subjects(ctx context.Context, tenant, taskID string) ([]consultation.Subject, error)
	// Consult has the target of the requirement consulted about subject or, when that is empty, about what the task holds. It returns once the
	// question is durable. A repeated request gets the same consultation.
	Consult(ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request) (consultation.Consultation, error)
	// ConsultDirectly opens a consultation without sending it: it returns the question, with the content under review, which the task's agent takes
	// to the target. A repeated request gets the same consultation, without the question if it is no longer open.
	ConsultDirectly(
		ctx context.Context, tenant, taskID, requirementID string, subject []*a2apb.Artifact, request consultation.Request,
	) (consultation.Consultation, *a2apb.Message, error)
}

// Rules returns who may call each RPC. That agents may do so only for tasks that they execute is checked by the service itself.
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
	looks  *turns
}

// New returns the service over a ledger and the task engine. pages encodes its page tokens.
func New(ledger *consultation.Ledger, tasks Tasks, pages *page.Codec) consultationv1.ConsultationServiceServer {
	return &service{ledger: ledger, tasks: tasks, pages: pages, looks: newTurns()}
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
		return nil, fault.New(fault.PermissionDenied, "SUBJECT_NOT_YOURS", "only the agent that executes the task can say what to review, with its own credential; others leave subject empty")
	case req.GetDirect() && !own: // the question contains what a gate holds back
		return nil, fault.New(fault.PermissionDenied, "QUESTION_NOT_YOURS", "only the agent that executes the task can ask the target itself, with its own credential; others leave direct out")
	case req.GetDirect():
		c, question, err := s.tasks.ConsultDirectly(ctx, p.Tenant, req.GetTaskId(), req.GetRequirementId(), req.GetSubject(), request)
		if err != nil {
			return nil, err
		}
		resp := consultationToProto(c)
		resp.Question = question
		return resp, nil
	}
	c, err := s.tasks.Consult(ctx, p.Tenant, req.GetTaskId(), req.GetRequirementId(), req.GetSubject(), request)
	if err != nil {
		return nil, err
	}
	return consultationToProto(c), nil
}

// requestOf returns the identity of a request, for recognizing repetitions. It is zero when the request has no id.
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

// CheckConsultations says for each requirement whether it is met now; for a task that others do, for the requirements of each of those.
func (s *service) CheckConsultations(ctx context.Context, req *consultationv1.CheckConsultationsRequest) (*consultationv1.CheckConsultationsResponse, error) {
	p, tasks, err := s.visible(ctx, req.GetTaskId(), auth.RoleAdmin, auth.RoleDispatcher, auth.RoleViewer)
	if err != nil {
		return nil, err
	}
	resp := &consultationv1.CheckConsultationsResponse{Allowed: new(true)}
	for _, task := range tasks {
		if task.NotBegun {
			resp.Allowed, resp.NotBegun = new(false), append(resp.NotBegun, task.SourceAgent)
			continue
		}
		if phase := req.GetPhase(); phase != "" {
			task.Phases = []string{phase}
		}
		d, err := s.ledger.CheckInTurn(ctx, task, func() (leave func()) { return s.looks.enter(ctx, p) })
		if errors.Is(err, consultation.ErrNoTurn) {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		resp.Allowed = new(resp.GetAllowed() && d.Allowed)
		for _, v := range d.Requirements {
			resp.Requirements = append(resp.Requirements, VerdictToProto(v))
		}
	}
	return resp, nil
}

// visible returns what is judged of a task if the caller has one of roles or executes it. Otherwise the task is not found.
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
	return p.Is(auth.RoleAgent) && slices.ContainsFunc(tasks, func(t consultation.Subject) bool { return t.SourceAgent == p.Name && !t.NotBegun })
}
