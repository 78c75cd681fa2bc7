package server

import (
	"math"
	"runtime/debug"
)

// ballastBytes is how much more garbage comes together before it is collected. A server's own heap is small, and would be collected many times in a second
// of work; a percentage (GOGC) would spare that too, but take a multiple of the memory where there are many agents.
const ballastBytes = 64 << 20

// newBallast returns memory that nobody touches, so that it takes none itself. Where memory is limited (GOMEMLIMIT), which would count it, there is none.
func newBallast() []byte {
	if debug.SetMemoryLimit(-1) < math.MaxInt64 {
		return nil
	}
	return make([]byte, ballastBytes)
}
