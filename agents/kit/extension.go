package kit

import (
	"encoding/json"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/quorate/quorate/platform/fault"
)

// Requirement is a consultation that Quorate's gate demands before the task passes a phase.
type Requirement struct {
	ID          string `json:"id"`
	TargetAgent string `json:"targetAgent"`
	Phase       string `json:"phase"`
}

// assignment is Quorate's metadata in a message, under ConsultationExtension: about the task or, with a consultation id, about the consultation that
// the message carries.
type assignment struct {
	TaskID       string        `json:"taskId"`
	Skill        string        `json:"skill"`
	Requirements []Requirement `json:"requirements"`

	ConsultationID string `json:"consultationId"`
	RequirementID  string `json:"requirementId"`
	Phase          string `json:"phase"`
	SourceAgent    string `json:"sourceAgent"`
	TargetAgent    string `json:"targetAgent"`
	Attempt        int64  `json:"attempt"`
	SubjectDigest  string `json:"subjectDigest"`
}

// readAssignment returns Quorate's metadata. It is zero for a message that did not come through Quorate.
func readAssignment(message *a2a.Message) (assignment, error) {
	var said assignment
	value, ok := message.Metadata[ConsultationExtension]
	if !ok {
		return said, nil
	}
	raw, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(raw, &said)
	}
	if err != nil {
		return said, fault.Invalid("message.metadata", "EXTENSION_INVALID", "the message's metadata for %s cannot be read: %w", ConsultationExtension, err)
	}
	return said, nil
}
