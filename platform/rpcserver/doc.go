// Package rpcserver serves one set of gRPC services over gRPC and, through grpc-gateway, over REST.
//
// Calls over HTTP reach the services through the connection of inside.go, so that authentication, validation and error mapping are in one
// place and there is no second door. Deny is the default: a method without a row in the rules keeps the server from
// starting. The identity of a caller comes from its bearer token and from nothing else.
//
// JSON follows protojson: fields with their zero value are left out, except an answer's own lists and its page token, and unknown fields are refused.
// Every REST error is a google.rpc.Status {"code", "message", "details"} with one ErrorInfo. A server stream is sent as server-sent events to a client
// that accepts text/event-stream, and as lines of {"result": …} to others.
//
// Where to begin: Server in server.go, which New assembles and Run in run.go serves. A call over gRPC passes what intercept.go lists: observe, authorize,
// validate; admission.go sees to it that its request is read only after its caller is known, intake.go receives few of one caller at a time, callers.go
// divides the server's capacity among callers, and readmit.go ends streams of callers who may no longer have them. A REST call passes the checks of http.go
// and then gateway.go and rest*.go, which refuse what grpc-gateway would ignore; marshaler.go, misfit.go and plain.go are about JSON and its errors, turns.go
// and arriving.go about large requests, stream*.go and response.go about answers that take long, refuse.go about handlers whose errors have another form.
// Package instrument measures calls and requests; refusals.go bounds what the log says of unknown callers.
package rpcserver
