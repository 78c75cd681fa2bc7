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
