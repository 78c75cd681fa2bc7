package router

// Codes of rejections: why an agent that was considered cannot take a task.
const (
	CodeUnavailable = "AGENT_UNAVAILABLE"           // its lease has expired, or it reports so itself
	CodeError       = "AGENT_ERROR"                 // it reports an error
	CodeUnknown     = "AGENT_UNKNOWN"               // it was never heard of; used only when named
	CodeDraining    = "AGENT_DRAINING"              // an admin keeps new tasks from it
	CodeUnreachable = "AGENT_UNREACHABLE"           // it could not be reached
	CodeVersion     = "VERSION_MISMATCH"            // its version is not in the requested range
	CodeUntrusted   = "CARD_UNTRUSTED"              // the signature of its card does not satisfy this server's policy
	CodeUnspoken    = "AGENT_INTERFACE_UNSUPPORTED" // it offers no interface over which a task could be sent; also the reason of a fault if that is all there is
	CodeNoOutput    = "OUTPUT_MISSING"              // it does not declare the wanted output
	CodeNoInput     = "INPUT_MISSING"               // it requires an input that is not available
	CodeBadInput    = "INPUT_INVALID"               // it does not take one of the inputs as it is
	CodeNotAlike    = "TEXT_NOT_ALIKE"              // the text does not resemble anything that it does
)

// Reasons of the faults that Resolve returns.
const (
	ReasonNobody        = "NO_AGENT_AVAILABLE" // Unavailable: agents fit, but none can take the task now
	ReasonSkillNotFound = "SKILL_NOT_FOUND"    // NotFound: no agent has the skill
	ReasonVersion       = "VERSION_NOT_FOUND"  // NotFound: agents fit, but none has a requested version
	ReasonChainTooLong  = "CHAIN_TOO_LONG"     // FailedPrecondition: it would take a longer chain of agents than is allowed
	ReasonTooFew        = "FAN_OUT_TOO_FEW"    // Unavailable: fewer agents can take the task than must complete it
	ReasonNoneFits      = "NO_AGENT_FITS"      // NotFound: no agent makes the output from the inputs, or none does what the text says
)
