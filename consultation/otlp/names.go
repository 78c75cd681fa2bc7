package otlp

// SpanName is the name of the span that holds a verdict.
const SpanName = "quorate.consultation.verdict"

// Attributes of that span. AttemptKey and SchemaVersionKey are integers, all others strings.
const (
	IDKey            = attributePrefix + "id"
	TaskKey          = attributePrefix + "task.id"
	RequirementKey   = attributePrefix + "requirement.id"
	PhaseKey         = attributePrefix + "phase"
	SourceKey        = attributePrefix + "source.agent"
	TargetKey        = attributePrefix + "target.agent"
	OutcomeKey       = attributePrefix + "outcome"
	AttemptKey       = attributePrefix + "attempt"
	DigestKey        = attributePrefix + "subject.digest"
	FeedbackKey      = attributePrefix + "feedback"
	SchemaVersionKey = attributePrefix + "schema.version"
	SignatureKey     = attributePrefix + "signature" // optional
)

const (
	attributePrefix = "quorate.consultation."
	serviceNameKey  = "service.name"
)

// metricSpans is the metric that counts received spans.
const metricSpans = "quorate.otlp.spans"

// exportMethod is the full gRPC method of the receiver.
const exportMethod = "/" + serviceName + "/Export"

const serviceName = "opentelemetry.proto.collector.trace.v1.TraceService"
