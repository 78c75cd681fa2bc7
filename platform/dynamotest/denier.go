package dynamotest

import (
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/fault"
)

// maxCalls bounds how many calls one operation of a store may make.
const maxCalls = 200

// Denier is a transport that refuses one call, for which the credentials have no permission. The SDK does not repeat such a call. The zero value refuses none.
type Denier struct {
	countdown atomic.Int64 // the call at which it is 1 is refused
}

// RoundTrip sends a call or refuses it.
func (d *Denier) RoundTrip(request *http.Request) (*http.Response, error) {
	if d.countdown.Add(-1) == 0 {
		closeBody(request)
		return refuse(request, "AccessDeniedException", ""), nil
	}
	return transport.RoundTrip(request)
}

// Each has do run once for each call that it makes, with that call refused, and once with none refused. A store must tell of each: what it could not read is not absent,
// and what it could not write is not written.
func (d *Denier) Each(tb testing.TB, name string, do func() error) {
	tb.Helper()
	for call := range int64(maxCalls) {
		d.countdown.Store(call + 1)
		err := do()
		refused := d.countdown.Swap(0) <= 0
		switch {
		case refused && fault.ReasonOf(err) != "STORE_DENIED":
			tb.Errorf("%s whose call %d is refused = %v, want STORE_DENIED", name, call+1, err)
		case !refused && (err != nil || call == 0):
			tb.Errorf("%s = %v after %d calls, want no error after one at least", name, err, call)
		}
		if !refused {
			return
		}
	}
	tb.Errorf("%s makes more than %d calls", name, maxCalls)
}
