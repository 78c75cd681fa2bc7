package router

// Codes of rejections: why an agent that was looked at cannot take a task.
const (
	CodeUnavailable = "AGENT_UNAVAILABLE" // its lease ran out, or it says so itself
	CodeError       = "AGENT_ERROR"       // it says that something is wrong with it
	CodeUnknown     = "AGENT_UNKNOWN"     // it was never heard of; it is used only when named
	CodeDraining    = "AGENT_DRAINING"    // an admin keeps new tasks from it
	CodeFull        = "AGENT_FULL"        // it works on as many tasks as it can and others do not; it is used only when named
	CodeUnreachable = "AGENT_UNREACHABLE" // it could not be reached lately and others can be
	CodeVersion     = "VERSION_MISMATCH"  // its version is not in the range that was asked for
	CodeUntrusted   = "CARD_UNTRUSTED"    // its card's signature is not what this server asks for
	CodeNoOutput    = "OUTPUT_MISSING"    // it does not declare the wanted output
	CodeNoInput     = "INPUT_MISSING"     // it requires an input that is not there
	CodeNotAlike    = "TEXT_NOT_ALIKE"    // the text is not like anything it does
)

// Reasons of the faults of Resolve.
const (
	ReasonNobody        = "NO_AGENT_AVAILABLE" // Unavailable: agents fit, but none can take the task now
	ReasonSkillNotFound = "SKILL_NOT_FOUND"    // NotFound: no agent has the skill
	ReasonVersion       = "VERSION_NOT_FOUND"  // NotFound: agents fit, but none has a version that was asked for
	ReasonChainTooLong  = "CHAIN_TOO_LONG"     // FailedPrecondition: it would take more agents one after the other than are allowed
	ReasonTooFew        = "FAN_OUT_TOO_FEW"    // Unavailable: fewer agents can take the task than have to complete it
	ReasonNoneFits      = "NO_AGENT_FITS"      // NotFound: no agent makes the output of the inputs, or none does what the text says
)
