// Package otlp receives OpenTelemetry traces, over gRPC and HTTP, and keeps the consultation verdicts among them.
//
// Only spans named SpanName are examined and kept. All others are accepted, counted and dropped: this is the
// place where evidence is recorded, not a trace backend. The sender's identity is its credential, so agents must export
// their verdicts themselves; a collector in between would sign for all of them.
//
// A nil error without a partial success means that every verdict of the request is durable. A verdict that does not count
// is reported as a partial success with the reason and must not be sent again; trouble with the store is Unavailable, and
// the whole request may be sent again.
package otlp
