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

// Signers provides the keys with which agents sign their outcomes.
type Signers interface {
	// Verifier returns a verifier for signatures of an agent. For an agent without keys it refuses all signatures. An error means that the keys could
	// not be read.
	Verifier(ctx context.Context, tenant, agent string) (Verifier, error)
}

// Verifier returns nil when signature, a detached JWS in compact form (RFC 7515, appendix F), is a valid signature of payload by a key that belongs
// to this agent alone.
type Verifier func(payload []byte, signature string) error

// OutcomeType is part of what an agent signs, so that no other signature of that agent can pass for one of an outcome.
const OutcomeType = ExtensionURI + "/outcome"

const maxSignatureBytes = 4 << 10

// Payload returns what the target signs: JSON in the form of RFC 8785, with a digest in place of the feedback.
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

// proven returns claims with those marked that the target of c has signed. It skips claims that do not count anyway, and without Signers it checks
// nothing. An invalid signature makes a claim a refused one: whoever signs wants to be held to it. An error means that the keys could not be read.
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
		cl.Unreadable = cl.check(verify)
		cl.signed = cl.Unreadable == nil
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
