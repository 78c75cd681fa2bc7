// Package auth says who is calling and what a caller may do.
//
// An Authenticator turns a bearer token into a Principal; Rules say which roles may call which RPC. Both deny by default.
// A tenant and a name come from the credential only, never from a request, a path or a header.
package auth
