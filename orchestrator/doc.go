// Package orchestrator is the domain of tasks: what a task is, what may happen to it, and what a store has to keep.
//
// A task is durable before its submitter hears of it. It is routed to an agent, sent to it over A2A, followed to its end, and checked at
// each phase against the consultations that its agent's rules demand. It ends exactly once. Package engine makes that happen; package
// embedded keeps it on disk; package rpc serves it.
//
// A2A messages, parts and artifacts are a2a-go's own types (a2apb): a task carries them, it does not interpret them.
package orchestrator
