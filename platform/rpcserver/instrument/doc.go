// Package instrument records what a server of package rpcserver does: a span and measurements for each call and each HTTP request, by OpenTelemetry's semantic
// conventions. The names of series are bounded: nothing that a caller can invent is in them.
package instrument
