// Package rpcserver serves one set of gRPC services over gRPC and, through grpc-gateway, over REST.
//
// REST calls reach the services through an in-memory connection, so that authentication, validation and error mapping are in one
// place and there is no second door. Deny is the default: a method without a row in the rules keeps the server from
// starting. The identity of a caller comes from its bearer token and from nothing else.
//
// JSON follows protojson: fields with their zero value are left out, unknown fields are refused. Every REST error is a
// google.rpc.Status {"code", "message", "details"} with one ErrorInfo. A server stream is sent as server-sent events to
// a client that accepts text/event-stream, and as lines of {"result": …} to others.
package rpcserver
