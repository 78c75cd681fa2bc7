package consultation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/gowebpki/jcs"

	"github.com/quorate/quorate/platform/fault"
)

// Signers knows the keys by which agents sign their outcomes.
type Signers interface {
	// Verifier returns what checks signatures of an agent; one without keys has a Verifier that refuses all. An error means that the keys could not be read.
	Verifier(ctx context.Context, tenant, agent string) (Verifier, error)
}

// Verifier returns nil when signature, a JWS in compact form without its payload (RFC 7515, appendix F), is over payload and by a key that is the agent's
// and nobody else's.
type Verifier func(payload []byte, signature string) error

// OutcomeType is the type of what an agent signs, so that nothing else that it signs can be taken for an outcome.
const OutcomeType = ExtensionURI + "/outcome"

const maxSignatureBytes = 4 << 10

// Payload returns what the target signs of its outcome: JSON in the form of RFC 8785, with the digest of the feedback in its place.
func (cl Claim) Payload() ([]byte, error) {
	feedback := sha256.Sum256([]byte(cl.Feedback))
	plain, err := json.Marshal(map[string]any{
		"type": OutcomeType, "consultationId": cl.ConsultationID, "taskId": cl.TaskID, "requirementId": cl.RequirementID, "phase": cl.Phase,
		"sourceAgent": cl.SourceAgent, "targetAgent": cl.TargetAgent, "attempt": cl.Attempt, "subjectDigest": cl.SubjectDigest,
		"outcome": cl.Outcome, "feedbackDigest": "sha256:" + hex.EncodeToString(feedback[:]), "traceId": cl.TraceID,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the outcome: %w", err)
	}
	return jcs.Transform(plain)
}

// proven returns claims with the mark of those that the target of c has signed; those that do not count anyway are not looked at. A signature that is not good makes its claim a refused one: whoever
// signs wants to be held to it. Without Signers no signature is looked at. An error means that the keys could not be read.
func (l *Ledger) proven(ctx context.Context, c Consultation, r Recorder, claims ...Claim) ([]Claim, error) {
	var verify Verifier
	for i := range claims {
		cl := &claims[i]
		if cl.Signature == "" || l.signers == nil || cl.Unreadable != nil || cl.from(r, c) != nil || cl.matches(c) != nil {
			continue
		}
		if verify == nil {
			var err error
			if verify, err = l.signers.Verifier(ctx, c.Tenant, c.TargetAgent); err != nil {
				return nil, fmt.Errorf("reading the keys of %s: %w", c.TargetAgent, err)
			}
		}
		if err := cl.check(verify); err != nil {
			cl.Unreadable = err
			continue
		}
		cl.signed = true
	}
	return claims, nil
}

func (cl *Claim) check(verify Verifier) error {
	if len(cl.Signature) > maxSignatureBytes {
		return refuse(fault.InvalidArgument, ReasonSignature, "the signature has %d bytes; the limit is %d", len(cl.Signature), maxSignatureBytes)
	}
	payload, err := cl.Payload()
	if err == nil {
		err = verify(payload, cl.Signature)
	}
	if err != nil {
		return refuse(fault.PermissionDenied, ReasonSignature, "the signature is not the target's over this outcome: %w", err)
	}
	return nil
}
