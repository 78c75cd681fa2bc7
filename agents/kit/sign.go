package kit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/gowebpki/jcs"
)

// Signer returns a signature of payload: a detached JWS in compact form (RFC 7515, appendix F).
type Signer func(ctx context.Context, payload []byte) (signature string, err error)

// SignWith returns a Signer with a private JSON Web Key, which must have a kid and an alg. Quorate's admins pin its public key for this agent alone.
func SignWith(key []byte) (Signer, error) {
	var private jose.JSONWebKey
	if err := json.Unmarshal(key, &private); err != nil || !private.Valid() || private.IsPublic() || private.KeyID == "" || private.Algorithm == "" {
		return nil, errors.New("the key is no private JSON Web Key with kid and alg") // the cause may contain the key
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(private.Algorithm), Key: private}, nil)
	if err != nil {
		return nil, fmt.Errorf("the key %q cannot sign: %w", private.KeyID, err)
	}
	return func(_ context.Context, payload []byte) (string, error) {
		signed, err := signer.Sign(payload)
		if err != nil {
			return "", err
		}
		return signed.DetachedCompactSerialize()
	}, nil
}

// payload returns what is signed of an outcome: JSON in the form of RFC 8785, with a digest in place of the feedback.
func (s *assignment) payload(traceID string, outcome Outcome) ([]byte, error) {
	feedback := sha256.Sum256([]byte(outcome.Feedback))
	plain, err := json.Marshal(map[string]any{
		"type": ConsultationExtension + "/outcome", "consultationId": s.ConsultationID, "taskId": s.TaskID, "requirementId": s.RequirementID,
		"phase": s.Phase, "sourceAgent": s.SourceAgent, "targetAgent": s.TargetAgent, "attempt": s.Attempt, "subjectDigest": s.SubjectDigest,
		"outcome": outcome.Verdict, "feedbackDigest": "sha256:" + hex.EncodeToString(feedback[:]), "traceId": traceID,
	})
	if err != nil {
		return nil, fmt.Errorf("encoding the outcome: %w", err)
	}
	return jcs.Transform(plain)
}
