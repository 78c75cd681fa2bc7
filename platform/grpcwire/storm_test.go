package grpcwire_test

import (
	"fmt"
	"testing"

	"golang.org/x/net/http2"
)

func TestWindowsThatOpenInSmallStepsAreUsedByAllCalls(t *testing.T) {
	t.Parallel()
	const (
		calls = 90
		bytes = 2000 // of an answer; together more than the window of the connection
		step  = 100
	)
	_, addr := serve(t, nil)
	p := newPeer(t, addr)
	p.must(0, p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	give := fmt.Appendf(nil, "give %d", bytes)
	for n := range uint32(calls) {
		p.call(2*n+1, false)
		p.must(0, p.WriteData(2*n+1, true, framed(append([]byte{10, byte(len(give))}, give...))))
	}
	came := make(chan int)
	go func() {
		defer close(came)
		for ended := 0; ended < calls; {
			f, err := p.ReadFrame()
			switch f := f.(type) {
			case nil:
				t.Errorf("ReadFrame() = %v after %d answers, want all %d", err, ended, calls)
				return
			case *http2.DataFrame:
				came <- len(f.Data())
			case *http2.MetaHeadersFrame:
				if f.StreamEnded() {
					ended++
				}
			}
		}
	}()
	for range bytes/step + 1 {
		for n := range uint32(calls) {
			p.must(0, p.WriteWindowUpdate(2*n+1, step))
		}
	}
	got := 0
	for n := range came { // with a window for the connection that others use up
		got += n
		p.must(0, p.WriteWindowUpdate(0, uint32(n)))
	}
	if got < calls*bytes {
		t.Errorf("%d bytes of answers came, want %d", got, calls*bytes)
	}
}
