// Package a2aedge serves A2A clients over gRPC, JSON-RPC and HTTP+JSON in A2A 1.0, for Quorate itself and for each agent.
//
// Service implements the A2A service over the task engine; the id of an A2A task is the id of Quorate's task. Handler serves the HTTP bindings: it
// turns each request into a call of Service over the server's own connection, so that every call passes the same interceptors, and converts answers
// and errors to the form of the binding.
//
// Clients of A2A 0.3 are served over JSON-RPC at the same URLs; they are recognized by the methods that they call. Their cards are at LegacyCardPath.
// Package legacy translates their requests and answers. In 0.3 no receivers of push notifications can be set.
//
// The agent for a message is named by the field tenant, by the base URL /agents/{name}, or by the message's metadata under TaskExtension. That
// metadata holds a SubmitTaskRequest of the task API without the message: route, attributes, requestId, deadline. Without any of these the message
// goes to the agent that fits its text best. Under the same key, each task and each update carries what Quorate knows: agent, phase, gates and the
// number of the event, which as Last-Event-ID resumes a broken stream.
//
// The extensions that a caller requests, by header or in its message, are requested of the agent too, and the card of an agent has the agent's own.
// They are kept with the message. A message for a named agent that does not request what its card requires is refused.
//
// A message with the id of a task goes to that task's agent if the agent waits for its caller; otherwise it is refused as A2A demands. A new message
// in a known context is sent in the agent's own context, and refers to the caller's earlier tasks by the agent's ids.
//
// Calls to the base URL of an agent for which the operator has enabled it, and which needs neither gates nor checks, are passed on to the agent
// unchanged: see Passages. The ids of their tasks and contexts are then the agent's own, and whoever knows an id may ask for the task, as at the
// agent itself.
//
// Streams show what an agent delivers while it works, marked as a draft in Quorate's metadata, if the replica that works on the task serves them, as
// it does for those that begin with the task. With the end comes what they lack of the artifacts that are stored. What a closed gate holds back is not
// shown: such a task's artifacts come with its end. A task that the caller may not see is not found. Lists cover the
// tenant's newest 10,000 tasks. A request for an extended card gets A2A's error for that. Receivers of push notifications are notified of each state
// that a task enters; only the task's owner and admins set and see them.
package a2aedge
