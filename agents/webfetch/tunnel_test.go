package webfetch_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/quorate/quorate/agents/webfetch"
)

func TestAProxyThatNeverAnswersIsGivenUp(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it has taken what it should
	left := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, err = io.Copy(io.Discard, conn) // until the other end closes it
			err = errors.Join(err, conn.Close())
		}
		left <- err
	}()
	conn, err := webfetch.DialThrough(t.Context(), &url.URL{Scheme: "http", Host: l.Addr().String()}, "93.184.216.34:80", 50*time.Millisecond)
	if conn != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dial through a proxy that says nothing = %v, %v, want no connection: it took too long", conn, err)
	}
	if err := <-left; err != nil {
		t.Errorf("the proxy's connection ended with %v, want that it is closed", err)
	}
}
