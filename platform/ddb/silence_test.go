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
)

// silentOnce connects to a DynamoDB that says nothing on the first connection, as one does behind which a machine or a network is gone.
func silentOnce(t *testing.T) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	dials := 0
	return func(context.Context, string, string) (net.Conn, error) {
		dials++
		ours, theirs := net.Pipe()
		answers := dials > 1
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
}

// A replica that has leases of ten seconds gives each round of renewing them five.
func TestAConnectionOnWhichNothingComesIsGivenUpSoon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		transport := newTransport()
		transport.DialContext = silentOnce(t)
		defer transport.CloseIdleConnections()
		c, err := Open(t.Context(), Config{Endpoint: "http://127.0.0.1:8000", Transport: transport})
		if err != nil {
			t.Fatalf("Open() = %v, want no error", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := c.BatchGet(ctx, "Items", []Item{{"id": &types.AttributeValueMemberS{Value: "a"}}}); err != nil {
			t.Errorf("BatchGet() = %v, want the answer on another connection", err)
		}
	})
}
