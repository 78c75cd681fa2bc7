package grpcwire_test

import (
	"io"
	"log/slog"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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

func TestRequestsThatAreNeverWholeAreBoundedOnAllConnectionsTogether(t *testing.T) {
	t.Parallel()
	s, addr := serve(t, func(o *grpcwire.Options) { o.MaxStreams = 4096 })
	const last = 2*400 + 1 // 23 MiB
	refused := 0
	var peers []*peer
	for range 8 { // 184 MiB
		p := newPeer(t, addr)
		peers = append(peers, p)
		p.headers(last)
		p.must(0, p.WriteRSTStream(last, http2.ErrCodeCancel))
		p.path(last+2, chat) // which asks for nothing, so it ends behind the others
		p.must(0, p.WriteData(last+2, true, nil))
		for {
			id, status := p.nextEnd()
			if id == last+2 {
				break
			}
			if status != "8" {
				t.Fatalf("a request that is not whole ended with status %s, want 8 (ResourceExhausted)", status)
			}
			refused++
		}
	}
	if refused == 0 {
		t.Error("the server holds 184 MiB of requests on 8 connections that are not whole, want 128 at most")
	}
	p := newPeer(t, addr)
	p.call(1, false)
	p.must(0, p.WriteData(1, false, hello[:3]))
	p.must(0, p.WriteData(1, true, hello[3:]))
	if got := p.end(1); got != "status 0" {
		t.Errorf("a small request meanwhile ended with %q, want status 0", got)
	}
	forgotten(t, s, append(peers, p)...)
}

// TestOneAddressLeavesRoomForOthers has requests on eight connections from one address that take as much as they may.
func TestOneAddressLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	var at atomic.Value
	at.Store("theirs")
	_, addr := serve(t, func(o *grpcwire.Options) {
		o.MaxStreams, o.MaxRequest = 4096, 16<<20
		o.Origin = func(net.Addr) string { return at.Load().(string) } //nolint:forcetypeassert // as stored
	})
	for range 8 { // 184 MiB
		p := newPeer(t, addr)
		p.headers(2*400 + 1)
		p.path(2*400+3, chat) // which asks for nothing, so it ends behind the others
		p.must(0, p.WriteData(2*400+3, true, nil))
		for id := uint32(0); id != 2*400+3; {
			id, _ = p.nextEnd()
		}
	}
	at.Store("another")
	p := newPeer(t, addr)
	p.call(1, true)
	p.path(3, echo)
	if got := p.most(3, 15<<20, map[uint32]int{0: 65535, 3: 256 << 10}); got != "" {
		t.Errorf("a request of 15 MiB from another address ended with %q, want that there is room for it", got)
	}
}

// TestSmallRequestsPassWhenOthersHoldAll has as many bytes of requests that are not whole on other connections as a server holds.
func TestSmallRequestsPassWhenOthersHoldAll(t *testing.T) {
	t.Parallel()
	s, addr := serve(t, nil)
	defer s.HoldElsewhere()()
	p := newPeer(t, addr)
	p.call(1, false)
	p.must(0, p.WriteData(1, false, hello[:3]))
	p.must(0, p.WriteData(1, true, hello[3:]))
	if got := p.end(1); got != "status 0" {
		t.Errorf("a small request ended with %q, want status 0", got)
	}
	p.call(3, false)
	p.must(0, p.WriteData(3, false, framed(make([]byte, 20<<10))[:16<<10]))
	if got := p.end(3); got != "status 8" {
		t.Errorf("a request of 20 KiB ended with %q, want status 8 (ResourceExhausted)", got)
	}
}

// forgotten ends connections, and shows that nothing of theirs is counted any more.
func forgotten(t *testing.T, s *grpcwire.Server, peers ...*peer) {
	t.Helper()
	for _, p := range peers {
		_ = p.conn.Close()
	}
	for give := time.Now().Add(time.Minute); s.Kept() != 0; runtime.Gosched() {
		if time.Now().After(give) {
			t.Fatalf("%d bytes are counted after all connections have ended, want none", s.Kept())
		}
	}
}

// headers begins calls up to an id that are not whole, each with 59 KiB of fields: a byte for one that was sent before, and 4033 as HPACK counts.
func (p *peer) headers(last uint32) {
	var more []string
	for range 15 {
		more = append(more, "x", strings.Repeat("y", 4000))
	}
	for id := uint32(1); id <= last; id += 2 {
		p.path(id, echo, more...)
	}
}

func TestHeadersOfRequestsThatAreNeverWholeAreBounded(t *testing.T) {
	t.Parallel()
	_, addr := serve(t, func(o *grpcwire.Options) { o.MaxStreams = 4096 })
	p := newPeer(t, addr)
	const last = 2*1500 + 1 // 86 MiB
	p.headers(last)
	if got := p.end(last); got != "status 8" {
		t.Errorf("the server ended the last of 1500 requests that are not whole with %q, want status 8 (ResourceExhausted)", got)
	}
}

func TestAFirstHeaderThatNeverEndsIsNotKept(t *testing.T) {
	t.Parallel()
	s := grpcwire.NewServer(grpcwire.Options{Logger: slog.New(slog.DiscardHandler), Connect: time.Hour})
	s.RegisterService(&echoService, nil)
	l := listen(t)
	front := s.Front(l)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		_, _ = io.WriteString(conn, http2.ClientPreface)
		p := http2.NewFramer(conn, nil)
		_ = p.WriteSettings()
		_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}}) // :method POST
		for range 100_000 {
			if p.WriteContinuation(1, false, nil) != nil {
				return
			}
		}
	}()
	other, err := front.Accept() // or the server waits for an hour
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if n, err := other.Read(make([]byte, 1<<20)); n > 100<<10 || err != nil {
		t.Errorf("the server kept %d bytes, %v, want little more than the largest header", n, err)
	}
}

func TestARequestThatIsNeverWholeEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := grpcwire.NewServer(grpcwire.Options{Logger: slog.New(slog.DiscardHandler), MaxRequest: maxRequest, MaxStreams: 100, PingAfter: time.Minute, PingTimeout: time.Minute})
		s.RegisterService(&echoService, nil)
		conn, theirs := net.Pipe()
		var served sync.WaitGroup
		served.Go(func() { s.Serve(theirs) })
		p := &peer{Framer: http2.NewFramer(conn, conn), t: t, conn: conn}
		p.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
		p.enc = hpack.NewEncoder(&p.buf)
		p.must(io.WriteString(conn, http2.ClientPreface))
		for range 2 { // the server's settings and its window
			_, err := p.ReadFrame()
			p.must(0, err)
		}
		p.must(0, p.WriteSettings())
		_, err := p.ReadFrame() // its acknowledgement
		p.must(0, err)
		begun, over := time.Now(), make(chan struct{})
		p.call(1, false)
		p.must(0, p.WriteData(1, false, hello[:3]))
		go func() { // it trickles, so nobody pings it
			for {
				select {
				case <-over:
					return
				case <-time.After(10 * time.Second):
					_ = p.WriteWindowUpdate(0, 1)
				}
			}
		}()
		if got := p.end(1); got != "status 3" || time.Since(begun) <= 2*time.Minute || time.Since(begun) > 3*time.Minute {
			t.Errorf("a request that is never whole ended with %q after %s, want status 3 (InvalidArgument) after two or three minutes", got, time.Since(begun))
		}
		close(over)
		_ = conn.Close()
		if served.Wait(); s.Kept() != 0 {
			t.Errorf("the server still counts %d bytes of it, want none", s.Kept())
		}
	})
}

// path sends the header of a call of a method, with more fields.
func (p *peer) path(id uint32, path string, more ...string) {
	p.buf.Reset()
	for _, f := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":path", Value: path}, {Name: "content-type", Value: "application/grpc"},
	} {
		p.must(0, p.enc.WriteField(f))
	}
	for i := 0; i < len(more); i += 2 {
		p.must(0, p.enc.WriteField(hpack.HeaderField{Name: more[i], Value: more[i+1]}))
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
