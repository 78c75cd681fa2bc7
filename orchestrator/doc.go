// Package orchestrator is the domain of tasks: what a task is, what may happen to it, and what a store has to keep.
//
// A task is durable before its submitter gets an answer. It is routed to an agent, sent to it over A2A and followed to its end. At each phase it is
// checked against the consultations that its agent's rules demand. It ends exactly once. Package engine makes that happen, packages embedded and
// dynamo store tasks, package rpc serves them.
//
// A2A messages, parts and artifacts are a2a-go's own types (a2apb): a task carries them and does not interpret them.
package orchestrator
