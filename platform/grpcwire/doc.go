// Package grpcwire carries gRPC calls over HTTP/2 connections with one goroutine to read each of them and none to write: a call writes for itself, and for
// all that wait at the same time. grpc-go hands every call over between four goroutines at each end, which costs more than all else that a proxy does.
//
// It knows what calls that pass need and nothing more: requests of one message, answers of one or of many, metadata, deadlines, cancellation, flow control,
// graceful ends. Frames and header blocks are read and written by golang.org/x/net/http2, whatever is registered is served by the handlers that grpc-go's
// generator makes, and connections that begin with another call are left to grpc-go, see Server.Front.
//
// What others can make it hold is bounded: headers by 64 KiB, a request by Options.MaxRequest, requests of one connection that are not yet whole by 64 MiB,
// calls by Options.MaxStreams, what waits to be written to somebody who does not read by a mebibyte and half a minute.
//
// Sources: RFC 9113 (HTTP/2), RFC 7541 (HPACK), gRPC over HTTP/2 (PROTOCOL-HTTP2.md of grpc/grpc).
package grpcwire
