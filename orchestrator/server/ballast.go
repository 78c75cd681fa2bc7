package server

import (
	"math"
	"runtime/debug"
)

// ballastBytes is how much the heap may grow beyond its live size before a collection, in addition to what GOGC allows. The heap of a server is small
// and would be collected many times a second under load. A higher GOGC would avoid that too, but would take a multiple of the memory when there are
// many agents.
const ballastBytes = 64 << 20

// newBallast returns memory that is never touched and so takes no physical memory. If memory is limited (GOMEMLIMIT, which would count it), it
// returns nil.
func newBallast() []byte {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return nil
	}
	return make([]byte, ballastBytes)
}
