// Package httpcache is a private cache of HTTP answers after RFC 9111, in memory and bounded.
//
// It answers GET requests only. A stored answer is used while it is fresh, revalidated when it is stale, and never used for a
// request that differs in what the answer varies by. Requests with credentials or cookies are neither answered from the cache
// nor stored, because one cache serves many callers. Every answer says in Cache-Status (RFC 9211) what the cache did.
package httpcache
