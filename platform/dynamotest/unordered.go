package dynamotest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// unordered is a transport that turns the items of a batch of reads around: DynamoDB promises no order, and emulators keep that of the request.
type unordered struct{ http.RoundTripper }

// RoundTrip turns the items of a BatchGetItem around.
func (u unordered) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := u.RoundTripper.RoundTrip(request)
	_, operation, _ := strings.Cut(request.Header.Get("X-Amz-Target"), ".")
	if err != nil || operation != "BatchGetItem" || response.StatusCode != http.StatusOK {
		return response, err
	}
	var answer struct {
		Responses       map[string][]json.RawMessage
		UnprocessedKeys json.RawMessage `json:",omitempty"`
	}
	err = json.NewDecoder(response.Body).Decode(&answer)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	for _, items := range answer.Responses {
		slices.Reverse(items)
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	turned := respond(request, http.StatusOK, string(body))
	turned.Header.Set("Date", response.Header.Get("Date"))
	return turned, nil
}
