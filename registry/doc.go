// Package registry keeps what A2A agents are and whether they are up.
//
// An agent is its card, verbatim and parsed, and the metadata that Quorate adds: typed inputs and outputs and consultation
// rules. Names are unique within a tenant. Whether an agent is up is never stored: it is computed from leases at the time
// of reading, so an agent that fell silent reads as unavailable without anybody having to notice.
//
// The domain knows no transport and no database: package rpc serves it, packages embedded and dynamo store it.
package registry
