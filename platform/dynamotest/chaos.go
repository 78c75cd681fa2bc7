package dynamotest

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Chaos is a transport that misbehaves as real DynamoDB sometimes does and no emulator does. Rates are from 0 to 1, and are minimums: of
// n calls to which a disturbance applies, at least its rate times n are disturbed, whatever the random numbers are.
type Chaos struct {
	Throttle float64 // calls that are throttled
	Conflict float64 // writes that conflict with a transaction, and transactions that conflict with other writes
	Lost     float64 // writes that are performed but whose response is lost
	Down     float64 // calls that do not arrive
	Stale    float64 // pages of an index that are outdated, or empty as before the first write
	Partial  float64 // batches of which only the first half is done

	Match func(operation string) bool // whether to disturb an operation, such as PutItem; nil disturbs all

	mu    sync.Mutex
	rand  *rand.Rand          // guarded by mu
	pages map[string][][]byte // guarded by mu; earlier responses of an index to a query
	fit   map[string]int      // guarded by mu; to how many calls each disturbance applied
	count map[string]int      // guarded by mu; how many of them were disturbed
}

// NewChaos returns a transport that disturbs nothing until its rates are set; the same seed makes the same choices.
func NewChaos(seed uint64) *Chaos {
	return &Chaos{
		rand:  rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // tests have to be repeatable
		pages: make(map[string][][]byte), fit: make(map[string]int), count: make(map[string]int),
	}
}

// transport is shared, so that a test binary keeps its connections.
var transport = &http.Transport{MaxIdleConnsPerHost: 256}

var errLost = errors.New("chaos: connection reset")

// Count returns how often a disturbance (throttle, conflict, lost, down, stale or partial) has occurred.
func (c *Chaos) Count(disturbance string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[disturbance]
}

// hits decides whether to disturb a call: by chance, or because the rate demands it.
func (c *Chaos) hits(disturbance string, rate float64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rate == 0 {
		return false
	}
	c.fit[disturbance]++
	due := float64(c.count[disturbance]+1) <= rate*float64(c.fit[disturbance])
	if !due && c.rand.Float64() >= rate {
		return false
	}
	c.count[disturbance]++
	return true
}

// RoundTrip sends a call, refuses it, or loses its response.
func (c *Chaos) RoundTrip(request *http.Request) (*http.Response, error) {
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	if c.Match != nil && !c.Match(operation) || strings.Contains(operation, "Table") {
		return transport.RoundTrip(request)
	}
	if c.hits("down", c.Down) {
		closeBody(request)
		return nil, errLost
	}
	if refusal := c.refusal(request, operation); refusal != nil {
		closeBody(request)
		return refusal, nil
	}
	if operation == "Query" {
		return c.query(request)
	}
	if left := leftOf[operation]; left != "" && c.hits("partial", c.Partial) {
		return half(request, left)
	}
	response, err := transport.RoundTrip(request)
	if err == nil && slices.Contains(writes, operation) && c.hits("lost", c.Lost) {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return nil, errLost
	}
	return response, err
}

var (
	singleWrites = []string{"PutItem", "UpdateItem", "DeleteItem"}
	writes       = append([]string{"TransactWriteItems", "BatchWriteItem"}, singleWrites...)
)

// refusal returns a response that refuses the call, or nil.
func (c *Chaos) refusal(request *http.Request, operation string) *http.Response {
	switch {
	case c.hits("throttle", c.Throttle):
		return refuse(request, "ProvisionedThroughputExceededException", "")
	case operation == "TransactWriteItems" && c.hits("conflict", c.Conflict):
		return refuse(request, "TransactionCanceledException", `,"CancellationReasons":[{"Code":"TransactionConflict","Message":"chaos"}]`)
	case slices.Contains(singleWrites, operation) && c.hits("conflict", c.Conflict):
		return refuse(request, "TransactionConflictException", "")
	}
	return nil
}

// query sometimes responds with earlier pages, like an index that lags behind.
func (c *Chaos) query(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(`"IndexName"`)) {
		return transport.RoundTrip(request)
	}
	key := string(body)
	c.mu.Lock()
	earlier := c.pages[key]
	c.mu.Unlock()
	if c.hits("stale", c.Stale) {
		if len(earlier) == 0 {
			return respond(request, http.StatusOK, `{"Count":0,"Items":[],"ScannedCount":0}`), nil
		}
		return respond(request, http.StatusOK, string(earlier[0])), nil
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	page, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(page))
	if response.StatusCode == http.StatusOK {
		c.mu.Lock()
		c.pages[key] = append(earlier[max(0, len(earlier)-3):], page)
		c.mu.Unlock()
	}
	return response, nil
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}

func refuse(request *http.Request, code, more string) *http.Response {
	return respond(request, http.StatusBadRequest, fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"chaos"%s}`, code, more))
}

// respond makes a response with the checksum that the SDK verifies.
func respond(request *http.Request, status int, body string) *http.Response {
	header := http.Header{}
	header.Set("Content-Type", "application/x-amz-json-1.0")
	header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(body))), 10))
	header.Set("X-Amzn-Requestid", "chaos")
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)), Request: request,
	}
}
