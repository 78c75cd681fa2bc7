// Package catalog publishes the registry's agents in common formats: as an AI Catalog (specification 1.0) and by the search API of Agentic Resource
// Discovery (ARD 0.5).
//
// It serves plain HTTP and does not authenticate: the caller must be in the request's context, and without one the answer is 401. There is no
// federation; what an ARD client asks of other registries is answered with no results.
package catalog
