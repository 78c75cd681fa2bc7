// Package agentclient speaks A2A to registered agents: v1.0 over gRPC, JSON-RPC and HTTP+JSON, and v0.2 and v0.3 over JSON-RPC.
//
// Whatever the binding, it uses a2a-go's protobuf messages, so that the engine follows all tasks in the same way. Errors are faults whose reason
// tells the engine what to do: AGENT_UNREACHABLE, AGENT_TIMEOUT and AGENT_CREDENTIAL_UNAVAILABLE may be retried; AGENT_TASK_NOT_FOUND means that the
// agent does not know the task; AGENT_REFUSED, AGENT_DENIED, AGENT_ANSWER_INVALID and AGENT_CREDENTIAL_UNFIT are final. Everything an agent answers
// is bounded in size, and few answers of more than 64 KiB are received at a time, each for at most a minute; the others wait in line (intake.go). Package
// agentauth decides which credentials agents get.
//
// Calls over gRPC, the engine's as well as passages, share a connection of grpcwire for each URL, or two (see wire.ask): grpc-go receives an answer whole
// before anybody can have it wait. The engine's other calls go over the http.Client given to NewPool. Passages over JSON-RPC to http:// URLs have connections
// of their own, through the same guarded dialer: http.Transport hands each request and answer from goroutine to goroutine, which is a third of the cost of a
// bare hop.
package agentclient
