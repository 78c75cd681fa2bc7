// Package apijson has what Quorate adds to protojson, the JSON of its API: the empty lists of an answer, and errors in words for people.
package apijson
