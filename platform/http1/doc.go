// Package http1 answers plain HTTP/1.1 requests on the goroutine of their connection, and leaves everything else to net/http.
//
// A plain request is one about which there can be no two opinions: a GET without content or a POST with a Content-Length, in printable ASCII,
// with one Host, without anything that speaks of the connection or of codings, and small enough to be read whole before it is looked at. [http.ReadRequest] parses it.
// The handler finds its content in memory and answers through a writer that keeps the rules of net/http. That spares what net/http's server has for the
// other requests and starts for each: a goroutine that waits for the caller to leave, and three layers of writers.
//
// With the first request that is not plain, or does not come at once, a connection goes to an [http.Server], with all that was read and for good. So what is odd,
// slow, large, old, HTTP/2 or meant to be taken for two requests is judged by net/http alone. Connections with TLS shake hands first.
//
// A handler must not assume that it can take the connection over (Hijack), that informational answers (1xx) are sent, or that trailers are.
// Its request's context ends when the caller leaves, which is noticed from some 50 ms on, when a write fails, and when the handler returns.
package http1
