// Package catalog publishes the registry's agents to programs that speak the common formats: an AI Catalog (specification 1.0) and
// the search API of Agentic Resource Discovery (ARD 0.5).
//
// It serves plain HTTP and expects whoever mounts it to authenticate: the caller's tenant is the one in the request's context, and
// without one the answer is 401. Nothing is federated; what an ARD client asks of other registries is answered with none.
package catalog
