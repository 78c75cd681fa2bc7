package netguard_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quorate/quorate/platform/netguard"
)

func TestIdleConnectionsCanBeClosed(t *testing.T) {
	t.Parallel()
	closed := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(closed)
		}
	}
	server.Start()
	defer server.Close()
	client := (&netguard.Policy{AllowLoopback: true}).Client(netguard.ClientOptions{})
	resp, err := client.Get(server.URL) //nolint:noctx // it answers at once
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // of a connection that is in use nothing is closed
	_ = resp.Body.Close()
	client.CloseIdleConnections()
	<-closed // or the test hangs
}
