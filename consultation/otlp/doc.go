// Package otlp receives OpenTelemetry traces, over gRPC and HTTP, and records the consultation verdicts among them.
//
// Only spans named SpanName are examined and kept. All others are accepted, counted and dropped: this is where evidence is recorded, not a trace
// backend. The sender is identified by its credential, so agents must export their verdicts themselves; a collector in between would vouch for all of
// them.
//
// A nil error without a partial success means that every verdict in the request is durable. A verdict that does not count is reported as a partial
// success with the reason, and must not be sent again. If the store fails, the error is Unavailable, and the whole request may be sent again.
package otlp
