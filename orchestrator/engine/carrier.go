package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// carrierName is the caller of tasks that carry consultations. No principal can have that name: platform/auth reserves the prefix.
const carrierName = "quorate:consultation"

// carryTimeout bounds storing a question. It applies even when the caller has disconnected.
const carryTimeout = 30 * time.Second

// submitCarrier submits the task that takes the question to its target. Its request id is that of the consultation, so repeating it finds the same
// task. It continues when the caller disconnects: nobody would be told in which task to look for a carrier that is not recorded in its consultation, and
// a question that was never sent would count as open.
func (e *Engine) submitCarrier(ctx context.Context, t *orchestrator.Task, c consultation.Consultation, m *a2apb.Message) (consultation.Consultation, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), carryTimeout)
	defer cancel()
	s := Submission{
		Tenant: t.Tenant, Caller: carrierName, RequestID: c.ID, Message: m, Route: orchestrator.Route{Agent: c.TargetAgent},
		Deadline: c.ExpireTime, parent: &orchestrator.Parent{TaskID: t.ID, ConsultationID: c.ID, Hops: t.Hops() + 1},
	}
	carrier, err := e.Submit(ctx, s)
	if err != nil && isOurs(err) { // the store may have taken it all the same
		carrier, err = e.Submit(ctx, s)
	}
	if err != nil {
		text := fault.From(err).Message
		if ferr := e.Ledger.Fail(ctx, t.Tenant, t.ID, c.ID, "it could not be sent: "+text); ferr != nil {
			return c, errors.Join(err, ferr)
		}
		return c, err
	}
	if c.CarrierTaskID != "" {
		e.Wake(t.Key())
		return c, nil
	}
	if err := e.Ledger.SetCarrier(ctx, t.Tenant, t.ID, c.ID, carrier.ID); err != nil {
		return c, err
	}
	c.CarrierTaskID = carrier.ID
	return c, e.logConsultation(ctx, t, c, fmt.Sprintf("%s is consulted for requirement %s (attempt %d, task %s)", c.TargetAgent, c.RequirementID, c.Attempt, carrier.ID))
}

// carrierKey returns the key of the task that carries a consultation, whether or not that is there yet.
func carrierKey(c consultation.Consultation) orchestrator.Key {
	return orchestrator.Key{Tenant: c.Tenant, ID: orchestrator.TaskID(c.Tenant, carrierName, c.ID)}
}
