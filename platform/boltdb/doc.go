// Package boltdb is the embedded store: one bbolt file behind one goroutine that commits for everybody.
//
// Writers that arrive while a commit is under way share the next one, so that 64 writers pay for few disk flushes and a
// lone writer pays for exactly one. An answer is given only after the flush. A closure must not assume that it runs once:
// when another closure of its group fails, the group is run again without that one.
package boltdb
