// Package boltdb is the embedded store: one bbolt file with group commit by one goroutine.
//
// Writers that arrive during a commit share the next one, for which those that wrote lately are waited for a moment. So 64 writers need few disk flushes, and a
// single writer needs exactly one. Update returns only after the flush. A closure must not assume that it runs only once: when another closure of
// its group fails, the group is run again without that one, unless its error is marked as Unwritten.
package boltdb
