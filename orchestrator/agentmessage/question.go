package agentmessage

import (
	"fmt"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/orchestrator"
)

// Question returns the message to the consulted agent: a request in words, the content to review, and the terms of the consultation.
func Question(c consultation.Consultation, minLevel string, parts []*a2apb.Part) (*a2apb.Message, error) {
	word, err := structpb.NewValue(map[string]any{
		"consultationId": c.ID, "taskId": c.TaskID, "requirementId": c.RequirementID, "phase": c.Phase, "mandatory": c.Mandatory, "minLevel": minLevel,
		"sourceAgent": c.SourceAgent, "targetAgent": c.TargetAgent, "attempt": c.Attempt, "subjectDigest": c.SubjectDigest,
		"expireTime": c.ExpireTime.UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		return nil, fmt.Errorf("describe consultation %s: %w", c.ID, err)
	}
	ask := fmt.Sprintf("%s asks %s for a review (%s) of the content that follows.", c.SourceAgent, c.TargetAgent, c.Phase)
	return &a2apb.Message{
		MessageId: c.ID,
		Role:      a2apb.Role_ROLE_USER,
		Parts:     append([]*a2apb.Part{{Content: &a2apb.Part_Text{Text: ask}}}, parts...),
		Metadata: &structpb.Struct{Fields: map[string]*structpb.Value{
			consultation.ExtensionURI:   word,
			orchestrator.TraceparentKey: structpb.NewStringValue("00-" + c.TraceID + "-" + c.SpanID + "-01"),
		}},
		Extensions: []string{consultation.ExtensionURI},
	}, nil
}

// MaxCarriedBytes is the maximum size of a question that its carrier stores with the content. Stores take more in the artifacts of a task than in one
// message.
const MaxCarriedBytes = 256 << 10

// WithoutLargeContent returns a question about what a task holds as its carrier stores it: without the content if that is large. The task keeps the
// content, unchanged, from where it is put in again when the question is sent.
func WithoutLargeContent(question *a2apb.Message) *a2apb.Message {
	if proto.Size(question) <= MaxCarriedBytes {
		return question
	}
	m := orchestrator.CopyMessage(question)
	m.Parts = m.GetParts()[:1:1]
	return m
}

// OmittedContent reports whether t carries a question without the content, and which content that is: that of a phase, with a digest.
func OmittedContent(t *orchestrator.Task) (p orchestrator.Phase, digest string, ok bool) {
	if !t.CarriesConsultation() || len(t.Message.GetParts()) != 1 {
		return "", "", false
	}
	terms := t.Message.GetMetadata().GetFields()[consultation.ExtensionURI].GetStructValue().GetFields()
	p, digest = orchestrator.Phase(terms["phase"].GetStringValue()), terms["subjectDigest"].GetStringValue()
	return p, digest, digest != consultation.Digest(nil)
}
