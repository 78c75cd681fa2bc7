// Package agentclient speaks A2A to registered agents: v1.0 over gRPC, JSON-RPC and HTTP+JSON, and v0.3 over JSON-RPC.
//
// It works on a2a-go's protobuf messages whatever the binding, so that the engine follows a task the same way everywhere. Errors are faults
// whose reason tells the engine what to do: AGENT_UNREACHABLE, AGENT_TIMEOUT and AGENT_CREDENTIAL_UNAVAILABLE may be tried again, AGENT_TASK_NOT_FOUND
// means that the agent does not know the task, and AGENT_REFUSED, AGENT_DENIED, AGENT_ANSWER_INVALID and AGENT_CREDENTIAL_UNFIT are final. Everything an
// agent answers is bounded in size. What agents are shown, package agentauth decides.
//
// Calls of the engine go over gRPC or over the http.Client that NewPool gets. Passages over JSON-RPC to http:// URLs have connections of their own, through
// the same guard: to hand each request and answer from goroutine to goroutine, as http.Transport does, is a third of what a bare hop costs.
package agentclient
