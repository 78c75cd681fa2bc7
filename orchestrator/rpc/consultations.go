package rpc

import (
	"context"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	consultationrpc "github.com/quorate/quorate/consultation/rpc"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/engine"
)

// Consultations gives the consultation service access to the tasks that its caller may see.
type Consultations struct {
	engine *engine.Engine
	store  orchestrator.Store
}

var _ consultationrpc.Tasks = (*Consultations)(nil)

// NewConsultations returns a Consultations over an engine and its store.
func NewConsultations(e *engine.Engine, store orchestrator.Store) *Consultations {
	return &Consultations{engine: e, store: store}
}

// Subjects returns what the requirements of the task, or of the tasks that do it, are judged on.
func (c *Consultations) Subjects(ctx context.Context, tenant, taskID string) ([]consultation.Subject, error) {
	if _, err := Visible(ctx, c.store, taskID); err != nil {
		return nil, err
	}
	return c.engine.Subjects(ctx, tenant, taskID)
}

// Consult has the target of one of the task's requirements consulted.
func (c *Consultations) Consult(
	ctx context.Context, tenant, taskID, requirementID string, content []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, error) {
	if _, err := visibleTo(ctx, c.store, taskID, mayAsk); err != nil {
		return consultation.Consultation{}, err
	}
	return c.engine.Consult(ctx, tenant, taskID, requirementID, content, request)
}

// ConsultDirectly opens a consultation and returns the question, which the task's agent takes to the target.
func (c *Consultations) ConsultDirectly(
	ctx context.Context, tenant, taskID, requirementID string, content []*a2apb.Artifact, request consultation.Request,
) (consultation.Consultation, *a2apb.Message, error) {
	if _, err := visibleTo(ctx, c.store, taskID, mayAsk); err != nil {
		return consultation.Consultation{}, nil, err
	}
	return c.engine.ConsultDirectly(ctx, tenant, taskID, requirementID, content, request)
}
