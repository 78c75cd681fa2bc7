package consultation

import (
	"strings"

	"github.com/quorate/quorate/platform/fault"
)

// Why a span does not count as evidence.
const (
	ReasonNotAnAgent          = "EVIDENCE_NOT_AN_AGENT"         // the sender's credential is not an agent's
	ReasonMalformed           = "EVIDENCE_MALFORMED"            // an attribute or id is missing or of the wrong form
	ReasonDuplicateKey        = "EVIDENCE_DUPLICATE_KEY"        // an attribute appears twice
	ReasonSchema              = "EVIDENCE_SCHEMA_UNSUPPORTED"   // the schema version is not 1
	ReasonUnknownOutcome      = "EVIDENCE_UNKNOWN_OUTCOME"      // not approved, rejected, deferred or error
	ReasonFeedbackTooLong     = "EVIDENCE_FEEDBACK_TOO_LONG"    // over MaxFeedbackBytes
	ReasonSelfReview          = "EVIDENCE_SELF_REVIEW"          // source and target are the same agent
	ReasonUnknownConsultation = "EVIDENCE_UNKNOWN_CONSULTATION" // never issued, or to another tenant
	ReasonNotTheTarget        = "EVIDENCE_NOT_THE_TARGET"       // recorded by another agent than the one that was asked
	ReasonOtherService        = "EVIDENCE_OTHER_SERVICE"        // service.name is not the sender's name
	ReasonOtherTask           = "EVIDENCE_OTHER_TASK"           // names another task
	ReasonOtherRequirement    = "EVIDENCE_OTHER_REQUIREMENT"    // names another requirement
	ReasonOtherPhase          = "EVIDENCE_OTHER_PHASE"          // names another phase
	ReasonOtherSource         = "EVIDENCE_OTHER_SOURCE"         // names another source
	ReasonOtherAttempt        = "EVIDENCE_OTHER_ATTEMPT"        // names another attempt
	ReasonOtherDigest         = "EVIDENCE_OTHER_DIGEST"         // is about other content
	ReasonOtherTrace          = "EVIDENCE_OTHER_TRACE"          // is not in the minted trace
	ReasonSignature           = "EVIDENCE_SIGNATURE_INVALID"    // is signed, but not by a key of the target over this outcome
	ReasonExpired             = "EVIDENCE_EXPIRED"              // came after the consultation's time
	ReasonConflict            = "EVIDENCE_CONFLICT"             // the same span was recorded with other content
	ReasonTooMany             = "EVIDENCE_TOO_MANY"             // the consultation has all the spans it may have
)

// IsRefusal reports whether err says that a span does not count as evidence, and not that it could not be kept. Sending
// a refused span again changes nothing.
func IsRefusal(err error) bool { return strings.HasPrefix(fault.ReasonOf(err), "EVIDENCE_") }
