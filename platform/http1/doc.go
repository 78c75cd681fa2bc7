// Package http1 answers plain HTTP/1.1 requests on the goroutine of their connection, and leaves everything else to net/http.
//
// A plain request is one that allows only one interpretation: a GET without content or a POST with a Content-Length, in printable ASCII, with
// one Host, without headers about the connection or codings, and small enough to be read whole before it is parsed by [http.ReadRequest]. The
// handler gets its content from memory and responds through a writer that follows the rules of net/http. That avoids what net/http's server
// starts for each request: a goroutine that watches for the caller to disconnect, and three layers of writers.
//
// At the first request that is not plain, or does not arrive at once, the connection is handed to an [http.Server] for good, with all bytes read
// so far. So everything odd, slow, large, old, in HTTP/2 or made for request smuggling is judged by net/http alone. Connections with TLS do
// their handshake first.
//
// A handler must not assume that it can hijack the connection, or that informational responses (1xx) and trailers are sent. Its request's
// context ends when the handler returns, when a write fails, and when the caller disconnects, which is noticed only after some 50 ms.
package http1
