package ddb

import (
	"bufio"
	"context"
	"hash/crc32"
	"net"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/platform/fault"
)

// silent opens a client of a DynamoDB that says nothing on the first connections, as one does behind which a machine or a network is gone.
func silent(t *testing.T, connections int) *Client {
	t.Helper()
	transport := newTransport()
	t.Cleanup(transport.CloseIdleConnections)
	dials := 0
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
		dials++
		ours, theirs := net.Pipe()
		answers := dials > connections
		go func() {
			requests := bufio.NewReader(theirs)
			for {
				request, err := http.ReadRequest(requests)
				if err != nil {
					return // closed by the client
				}
				_ = request.Body.Close()
				if !answers {
					continue
				}
				body := []byte(`{"Responses":{}}`)
				_, _ = theirs.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: " + strconv.Itoa(len(body)) +
					"\r\nX-Amz-Crc32: " + strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10) + "\r\n\r\n" + string(body)))
			}
		}()
		return ours, nil
	}
	c, err := Open(t.Context(), Config{Endpoint: "http://127.0.0.1:8000", Transport: transport})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	return c
}

var anItem = []Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}

// A replica that has leases of ten seconds gives each round of renewing them five.
func TestAConnectionOnWhichNothingComesIsGivenUpSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := silent(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.BatchGet(ctx, "Items", anItem); err != nil {
			t.Errorf("BatchGet() = %v, want the answer on another connection", err)
		}
	})
}

func TestATimeoutOfTheStoreIsNotTheCallersDeadline(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		patience time.Duration // of the caller
		want     string
	}{
		"that of the store": {time.Hour, "STORE_UNREACHABLE"},
		"the caller's":      {10 * time.Second, "DEADLINE_EXCEEDED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), x.patience)
				defer cancel()
				if _, err := silent(t, maxAttempts).BatchGet(ctx, "Items", anItem); fault.ReasonOf(err) != x.want {
					t.Errorf("BatchGet() = %v, want %s", err, x.want)
				}
			})
		})
	}
}
