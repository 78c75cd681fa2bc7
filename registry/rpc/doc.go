// Package rpc serves quorate.registry.v1.RegistryService over the registry domain.
//
// It expects the interceptors of package rpcserver in front of it: they authenticate, check Rules, validate requests and turn
// faults into statuses. What the rule table cannot say is checked here: the tenant is the caller's own, and an agent acts for
// itself only.
package rpc
