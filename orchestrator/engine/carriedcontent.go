package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/fault"
)

// maxCarriedBytes is the maximum size of a question that its carrier stores with the content. Stores take more in the artifacts of a task than in one
// message.
const maxCarriedBytes = 256 << 10

// withoutLargeContent returns a question about what a task holds as its carrier stores it: without the content if that is large. The task keeps the
// content, unchanged, and partsFor gets it from there.
func withoutLargeContent(question *a2apb.Message) *a2apb.Message {
	if proto.Size(question) <= maxCarriedBytes {
		return question
	}
	m := orchestrator.CopyMessage(question)
	m.Parts = m.GetParts()[:1:1]
	return m
}

// contentOmitted reports whether t carries a question without the content, and which content that is.
func contentOmitted(t *orchestrator.Task) (p orchestrator.Phase, digest string, ok bool) {
	if !t.CarriesConsultation() || len(t.Message.GetParts()) != 1 {
		return "", "", false
	}
	terms := t.Message.GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue().GetFields()
	p, digest = orchestrator.Phase(terms["phase"].GetStringValue()), terms["subjectDigest"].GetStringValue()
	return p, digest, digest != consultation.Digest(nil)
}

// partsFor returns the parts of the message that the agent of t gets.
func (e *Engine) partsFor(ctx context.Context, t *orchestrator.Task) ([]*a2apb.Part, error) {
	p, digest, ok := contentOmitted(t)
	if !ok {
		return t.Message.GetParts(), nil
	}
	about, err := e.Store.Task(ctx, orchestrator.Key{Tenant: t.Tenant, ID: t.Parent.TaskID})
	if err != nil {
		return nil, fmt.Errorf("read what consultation %s is about: %w", t.Parent.ConsultationID, err)
	}
	parts, now, err := reviewedParts(&about, p, nil)
	if err != nil {
		return nil, err
	}
	if now != digest {
		return nil, fault.New(fault.FailedPrecondition, "SUBJECT_CHANGED", "task %s no longer holds what consultation %s is about", about.ID, t.Parent.ConsultationID)
	}
	return append(slices.Clip(t.Message.GetParts()), parts...), nil
}
