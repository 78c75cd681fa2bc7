package grpcwire_test

import (
	"sync"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/quorate/quorate/platform/grpcwire"
)

func TestManyLargeAnswersAtOnceAreTaken(t *testing.T) {
	t.Parallel()
	c := servedByGRPC(t)
	var all sync.WaitGroup
	for range 12 { // concurrently, a hundred megabytes in total
		all.Go(func() {
			if got, err := said(t, c, "give 8000000"); err != nil || len(got) != 8_000_000 {
				t.Errorf("Echo() = %d bytes, %v, want 8 MB", len(got), err)
			}
		})
	}
	all.Wait()
}

func TestRequestsThatAreNeverWholeAreBounded(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"ours": echo, "relayed": chat} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, addr := serve(t, func(o *grpcwire.Options) { o.MaxRequest = 16 << 20 })
			p := newPeer(t, addr)
			p.call(1, true) // so that grpcwire serves the connection
			windows := map[uint32]int{0: 65535}
			for id := uint32(3); id < 15; id += 2 {
				windows[id] = 256 << 10 // as the server grants
				p.path(id, path)
				if got := p.most(id, 15<<20, windows); got != "" {
					if got != "reset ENHANCE_YOUR_CALM" && got != "status 8" {
						t.Errorf("the server ended request %d with %q, want it told that it is too much", id, got)
					}
					return
				}
			}
			t.Error("the server holds 90 MiB of requests that are not whole, want 64 at most")
		})
	}
}

// path sends the header of a call of a method.
func (p *peer) path(id uint32, path string) {
	p.buf.Reset()
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: path}, {Name: "content-type", Value: "application/grpc"},
	} {
		p.must(0, p.enc.WriteField(f))
	}
	p.must(0, p.WriteHeaders(http2.HeadersFrameParam{StreamID: id, EndHeaders: true, BlockFragment: p.buf.Bytes()}))
}

// most sends nearly all of a message, as the windows allow, and returns how the server ended the call, if it did.
func (p *peer) most(id uint32, size int, windows map[uint32]int) string {
	rest := framed(make([]byte, size))
	for rest = rest[:size]; len(rest) > 0; {
		if n := min(len(rest), windows[0], windows[id], 16<<10); n > 0 {
			p.must(0, p.WriteData(id, false, rest[:n]))
			rest, windows[0], windows[id] = rest[n:], windows[0]-n, windows[id]-n
			continue
		}
		f, err := p.ReadFrame()
		p.must(0, err)
		switch f := f.(type) {
		case *http2.WindowUpdateFrame:
			windows[f.StreamID] += int(f.Increment)
		case *http2.RSTStreamFrame:
			if f.StreamID == id {
				return "reset " + f.ErrCode.String()
			}
		case *http2.MetaHeadersFrame:
			if f.StreamID == id && f.StreamEnded() {
				return "status 8"
			}
		}
	}
	return ""
}
