// Package httpcache is a private cache of HTTP answers by RFC 9111, in memory and bounded.
//
// It answers GET requests only. A stored answer is used while it is fresh, revalidated when it is stale, and never used for a request that differs in
// headers by which the answer varies. Requests with credentials or cookies bypass the cache, because one cache serves many callers. Every answer says
// in Cache-Status (RFC 9211) what the cache did.
package httpcache
