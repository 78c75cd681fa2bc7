package consultation

import (
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Reasons for which a span does not count as evidence.
const (
	ReasonNotAnAgent          = "EVIDENCE_NOT_AN_AGENT"         // the sender is not an agent
	ReasonMalformed           = "EVIDENCE_MALFORMED"            // an attribute or id is missing or malformed
	ReasonDuplicateKey        = "EVIDENCE_DUPLICATE_KEY"        // an attribute appears twice
	ReasonSchema              = "EVIDENCE_SCHEMA_UNSUPPORTED"   // the schema version is not 1
	ReasonUnknownOutcome      = "EVIDENCE_UNKNOWN_OUTCOME"      // not approved, rejected, deferred or error
	ReasonFeedbackTooLong     = "EVIDENCE_FEEDBACK_TOO_LONG"    // longer than MaxFeedbackBytes
	ReasonSelfReview          = "EVIDENCE_SELF_REVIEW"          // source and target are the same agent
	ReasonUnknownConsultation = "EVIDENCE_UNKNOWN_CONSULTATION" // never issued, or of another tenant
	ReasonNotTheTarget        = "EVIDENCE_NOT_THE_TARGET"       // recorded by an agent other than the target
	ReasonOtherService        = "EVIDENCE_OTHER_SERVICE"        // service.name is not the sender's name
	ReasonOtherTask           = "EVIDENCE_OTHER_TASK"           // names another task
	ReasonOtherRequirement    = "EVIDENCE_OTHER_REQUIREMENT"    // names another requirement
	ReasonOtherPhase          = "EVIDENCE_OTHER_PHASE"          // names another phase
	ReasonOtherSource         = "EVIDENCE_OTHER_SOURCE"         // names another source
	ReasonOtherAttempt        = "EVIDENCE_OTHER_ATTEMPT"        // names another attempt
	ReasonOtherDigest         = "EVIDENCE_OTHER_DIGEST"         // is about other content
	ReasonOtherTrace          = "EVIDENCE_OTHER_TRACE"          // is not in the consultation's trace
	ReasonSignature           = "EVIDENCE_SIGNATURE_INVALID"    // the signature is not one of the target's key over this outcome
	ReasonExpired             = "EVIDENCE_EXPIRED"              // came after the consultation had expired
	ReasonConflict            = "EVIDENCE_CONFLICT"             // the same span was recorded with different content
	ReasonTooMany             = "EVIDENCE_TOO_MANY"             // the consultation has the maximum number of spans
)

// IsRefusal reports whether err means that a span does not count as evidence, rather than that it could not be stored. Sending a refused span again
// has the same result.
func IsRefusal(err error) bool { return strings.HasPrefix(fault.ReasonOf(err), "EVIDENCE_") }
