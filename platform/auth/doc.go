// Package auth identifies callers and says what they may do.
//
// An Authenticator turns a bearer token into a Principal; Rules say which roles may call which RPC. Both deny by default.
// A caller's tenant and name come from its credential only, never from a request, a path or a header.
package auth
