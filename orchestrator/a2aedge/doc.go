// Package a2aedge is Quorate's front door for A2A clients: over gRPC, JSON-RPC and HTTP+JSON in A2A 1.0, for Quorate itself and for each agent.
//
// Service is the door: it implements the A2A service over the task engine, where an A2A task's id is the id of Quorate's task. Handler is
// the same door for HTTP: it turns each request into a call of Service over the server's own connection, so that every call passes the same
// interceptors, and each answer and error into the form of its binding.
//
// Clients of A2A 0.3 are served over JSON-RPC, at the same URLs: they are known by the methods that they call. Their cards are at LegacyCardPath. What
// they say and get is translated by a2a-go; receivers of push notifications cannot be named in 0.3.
//
// A client says where a message goes by the field tenant, which is an agent's name, by the base URL /agents/{name}, or in the message's
// metadata under TaskExtension, which holds what the task API calls a SubmitTaskRequest, without the message: route, attributes, requestId,
// deadline. When nothing says so it goes to the agent that its words fit best. Under the same key each task and each update tells Quorate's side: agent, phase, gates and the number of the event, by which
// a broken stream is taken up again with Last-Event-ID.
//
// A message with the id of a task goes to the agent of that task when the agent waits for its caller; to any other task it is refused as A2A says.
// A new message in a known context is sent in the agent's own context, and refers to the caller's earlier tasks by the agent's own ids.
//
// Calls behind the door of an agent that the operator has named for it, and that nothing applies to, go to the agent as they came: see Passages. The ids
// of tasks and contexts are the agent's own then, and whoever knows one may ask for it, as at the agent itself.
//
// What an open gate holds back stays held back: a task's artifacts come with its end. A task that the caller may not see does not exist. Lists
// look at the tenant's newest 10,000 tasks. An extended card is refused with the error that A2A has for it.
// Receivers of push notifications are told of each state that a task comes to; the task's owner and admins set and see them.
package a2aedge
