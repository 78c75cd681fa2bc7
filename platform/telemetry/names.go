package telemetry

// Names of log attributes. Metrics never carry an id of a task, a consultation or a trace as a label.
const (
	LogTraceID   = "trace_id"
	LogSpanID    = "span_id"
	LogMethod    = "method"
	LogCode      = "code"
	LogReason    = "reason"
	LogDuration  = "duration"
	LogPrincipal = "principal"
	LogTenant    = "tenant"
	LogResource  = "resource"
	LogError     = "error"
	LogStack     = "stack"
	LogAddress   = "address"
	LogPath      = "path"
	LogStatus    = "status"
	LogUnlogged  = "unlogged"
)

// ConsultationSpanPrefix begins the name of every span that is or may become evidence; such spans are always recorded.
const ConsultationSpanPrefix = "quorate.consultation."

const (
	serviceNameKey    = "service.name"
	serviceVersionKey = "service.version"
)
