package rpcserver_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestARefusedBodyIsNotAskedFor has clients that send their body only after 100 Continue, as curl does.
func TestARefusedBodyIsNotAskedFor(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	for name, test := range map[string]struct {
		token string
		size  int
		want  int
	}{
		"of somebody unknown": {"wrong", 2 << 10, http.StatusUnauthorized},
		"over the limit":      {readerToken, 1 << 20, http.StatusRequestEntityTooLarge},
		"that is not refused": {readerToken, 2 << 10, http.StatusContinue},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close() //nolint:errcheck // nothing is sent
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := fmt.Fprintf(conn, "POST /v1/books HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n",
				test.token, test.size); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("ReadResponse() = %v, want no error", err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != test.want {
				t.Errorf("the first answer is %s, want %d", resp.Status, test.want)
			}
		})
	}
}
