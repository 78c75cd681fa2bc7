// Package grpcwire is a gRPC transport over HTTP/2 for a proxy. Each connection has one goroutine that reads it and none that writes: a call writes its own
// frames, together with those that other calls have ready. grpc-go hands every call over between four goroutines at each end, which costs more than everything
// else that a proxy does.
//
// It supports only what calls to agents need, and those that are passed on to them: requests of one message, responses of one or many, metadata, deadlines,
// cancellation, flow control and graceful shutdown. Frames and header blocks are read and written by golang.org/x/net/http2. Registered methods are served by the
// handlers that grpc-go's code generator makes. Connections that begin with any other call are left to grpc-go; see Server.Front.
//
// The memory that peers can make it use is bounded: headers by 64 KiB, a request by Options.MaxRequest, the incomplete requests of an address by 64 MiB and of
// a server by 128 MiB, with their headers, answers that are not read by 64 times Options.MaxRequest, calls by Options.MaxStreams, an answer to a client by
// 64 KiB until Request.Large lets it have Request.MaxBytes. A request that takes longer than three Options.PingAfter to arrive ends. A connection whose peer does
// not read ends after a mebibyte of unwritten control frames, or half a minute.
//
// Sources: RFC 9113 (HTTP/2), RFC 7541 (HPACK), gRPC over HTTP/2 (PROTOCOL-HTTP2.md of grpc/grpc).
package grpcwire
