package grpcwire_test

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/quorate/quorate/platform/grpcwire"
)

func TestAPeerThatDoesNotReadErrorsIsCutOff(t *testing.T) {
	t.Parallel()
	s := grpcwire.NewServer(grpcwire.Options{Logger: slog.New(slog.DiscardHandler), MaxRequest: maxRequest, MaxStreams: 4096, PingAfter: time.Minute, PingTimeout: time.Minute})
	conn, theirs := net.Pipe() // which holds nothing for who does not read
	t.Cleanup(func() { _ = conn.Close() })
	go s.Serve(theirs)
	p := &peer{Framer: http2.NewFramer(conn, conn), t: t, conn: conn}
	p.enc = hpack.NewEncoder(&p.buf)
	p.must(io.WriteString(conn, http2.ClientPreface))
	for range 2 { // the server's settings and its window, and nothing else
		_, err := p.ReadFrame()
		p.must(0, err)
	}
	p.must(0, p.WriteSettings())
	const calls = 30_000
	for n := range uint32(calls) {
		block := p.fields("content-type", fmt.Sprintf("none-%090d", n)) // which the error says
		if p.WriteHeaders(http2.HeadersFrameParam{StreamID: 2*n + 1, EndHeaders: true, EndStream: true, BlockFragment: block}) != nil {
			return
		}
	}
	t.Errorf("the server gathered the errors of %d calls for somebody who reads none, want it to end the connection", calls)
}

// TestAnswersThatAreNotReadAreBounded asks for more than a server keeps, and grants no windows: 64 MiB, of which a connection may have half.
func TestAnswersThatAreNotReadAreBounded(t *testing.T) {
	t.Parallel()
	s, addr := serve(t, nil)
	ask := func(calls uint32) *peer {
		p := newPeer(t, addr)
		p.must(0, p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
		give := []byte("give 2000000")
		for n := range calls {
			p.call(2*n+1, false)
			p.must(0, p.WriteData(2*n+1, true, framed(append([]byte{10, byte(len(give))}, give...))))
		}
		return p
	}
	one := ask(24)
	ended := make(map[uint32]bool)
	for range 24 - 16 {
		id, status := one.nextEnd()
		if status != "8" {
			t.Fatalf("call %d of 24 whose answers of 2 MB are not read ended with status %s, want 8 (ResourceExhausted)", id, status)
		}
		ended[id] = true
	}
	other := ask(12)
	if _, status := other.nextEnd(); status != "8" {
		t.Errorf("a call on another connection ended with status %s, want 8: less is left for that", status)
	}
	for id := uint32(1); ; id += 2 {
		if ended[id] {
			continue
		}
		one.must(0, one.WriteWindowUpdate(0, 3_000_000))
		one.must(0, one.WriteWindowUpdate(id, 3_000_000))
		if got, status := one.nextEnd(); got != id || status != "0" {
			t.Errorf("a call whose answer is read = %d with status %s, want %d with status 0", got, status, id)
		}
		break
	}
	forgotten(t, s, one, other)
}

// TestSmallAnswersThatAreNotReadAreBounded has one more wait than a connection may have.
func TestSmallAnswersThatAreNotReadAreBounded(t *testing.T) {
	t.Parallel()
	s, addr := serve(t, func(o *grpcwire.Options) { o.MaxStreams = 4096 })
	p := newPeer(t, addr)
	p.must(0, p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
	const most = 2048
	for n := range uint32(most + 1) {
		p.call(2*n+1, false)
		p.must(0, p.WriteData(2*n+1, true, framed([]byte{10, 1, 'a'})))
	}
	if id, status := p.nextEnd(); status != "8" {
		t.Errorf("call %d of %d whose answers are not read ended with status %s, want 8 (ResourceExhausted)", id, most+1, status)
	}
	forgotten(t, s, p)
}

// nextEnd reads until the server ends a call, and returns its status.
func (p *peer) nextEnd() (id uint32, status string) {
	p.t.Helper()
	for {
		f, err := p.ReadFrame()
		p.must(0, err)
		if m, ok := f.(*http2.MetaHeadersFrame); ok && m.StreamEnded() {
			for _, field := range m.Fields {
				if field.Name == "grpc-status" {
					status = field.Value
				}
			}
			return m.StreamID, status
		}
	}
}
