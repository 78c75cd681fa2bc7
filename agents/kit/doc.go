// Package kit is for writing agents that join Quorate.
//
// An Agent serves A2A 1.0 in three bindings on one listener: JSON-RPC at /, HTTP+JSON below /rest, and gRPC over unencrypted HTTP/2. Callers that
// use A2A 0.3 are answered in it at /, and find its card at /.well-known/agent.json. It publishes its card, registers with Quorate by that card's URL,
// keeps its lease alive, and answers the health check of Amazon Bedrock AgentCore at /ping. Its author writes a Handler that does the work, a Reviewer
// that answers consultations, or both.
//
// What counts as a verdict is its span, not the agent's answer. So the kit exports the span itself, waits until Quorate has accepted it, and only
// then answers; if Quorate does not accept it, the consultation's task fails. A message that is sent again finds the task of the first one and is not
// worked on twice. This holds while the process lives: tasks are kept in memory.
//
// Anybody who can reach the agent may call it, unless Config.Callers requires a token. Without that, listen on loopback or where only Quorate can
// reach the agent.
package kit
