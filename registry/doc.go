// Package registry keeps what A2A agents are and whether they are up.
//
// An agent is its card and the metadata that Quorate adds, both read by package agentcard, and the card's bytes. Names are
// unique within a tenant. Whether an agent is up is never stored: it is computed from leases at the time of reading, so an agent that fell silent
// reads as unavailable at once.
//
// The package knows neither transport nor database: package rpc serves it, packages embedded and dynamo store it.
//
// Where to begin: Registry has the operations; Agent and Pulse are the data; Store is what a database has to implement. Files are named after what
// they are about: directory* is the index in memory, with what packages compat and textindex find in it; probe, heartbeat, drain and sweep the status;
// version, signature, refresh*, hold, pending and approve what happens to a card over time.
package registry
