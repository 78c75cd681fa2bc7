// Package rpc serves quorate.registry.v1.RegistryService over the registry domain.
//
// It relies on the interceptors of package rpcserver to authenticate, to check Rules, to validate requests and to convert faults to statuses. It
// checks itself what the rule table cannot express: callers see their own tenant only, and an agent acts for itself only.
package rpc
