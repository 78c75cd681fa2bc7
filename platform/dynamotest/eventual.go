package dynamotest

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// nothing has the answers of DynamoDB to reads that find nothing.
var nothing = map[string]string{"GetItem": `{}`, "Query": `{"Count":0,"Items":[],"ScannedCount":0}`}

// eventual is a transport that answers reads of a table that are not consistent as if nothing had been written yet: DynamoDB may do that, and emulators
// read everything consistently. It leaves alone indexes, which cannot be read consistently, and batches, which stores also read for what may be outdated.
type eventual struct{ http.RoundTripper }

// RoundTrip empties the answers to such reads.
func (e eventual) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	empty := nothing[operation]
	if empty == "" {
		return e.RoundTripper.RoundTrip(request)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	response, err := e.RoundTripper.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusOK || bytes.Contains(body, []byte(`"ConsistentRead":true`)) || bytes.Contains(body, []byte(`"IndexName"`)) {
		return response, err
	}
	_ = response.Body.Close()
	emptied := respond(request, http.StatusOK, empty)
	emptied.Header.Set("Date", response.Header.Get("Date"))
	return emptied, nil
}
