// Package compat decides which outputs of agents fit which inputs of others, and why: by their semantic types, by what a table relates these, and by whether
// every value of one JSON Schema is valid for another (package schema).
//
// An Index has the inputs and outputs of a tenant's agents. A Search walks it in one order, from any place on, so that pages of results need nothing kept between
// them.
package compat
