// Package jsonpath selects values of a JSON document with a query of RFC 9535, of which it implements all.
//
// A query is checked when it is parsed: its grammar, the range of its numbers and the types of its functions. Selecting is bounded:
// a query that visits too many values, or selects from a document that nests too deeply, is an error, never a long wait. Members
// of objects are visited in the order of their names, which the RFC leaves open.
package jsonpath
