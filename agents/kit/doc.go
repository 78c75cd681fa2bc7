// Package kit is what an agent needs to join Quorate.
//
// An Agent serves A2A 1.0 in three bindings on one listener (JSON-RPC at /, HTTP+JSON under /rest, gRPC over unencrypted
// HTTP/2), publishes its card, registers with Quorate by that card's URL and keeps its lease alive. Its author writes a
// Handler that does the work, a Reviewer that answers consultations, or both.
//
// A verdict counts by its span, not by what the agent answers. So the kit exports the span itself, waits until Quorate has
// accepted it, and only then answers; when Quorate does not accept it the consultation's task fails. The same message sent
// again finds the task it made and is not worked on twice, as long as the process lives: tasks are kept in memory.
//
// Whoever reaches the agent may call it, unless Config.Callers says which token they have to show. Without it listen on loopback, or where only Quorate
// reaches the agent.
package kit
