package dynamotest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
)

// leftOf says where responses to batches have what was not done.
var leftOf = map[string]string{"BatchGetItem": "UnprocessedKeys", "BatchWriteItem": "UnprocessedItems"}

// half sends the first half of a batch, and responds that the rest was not done. It is for batches on one table.
func half(request *http.Request, left string) (*http.Response, error) {
	var batch struct{ RequestItems map[string]json.RawMessage }
	if err := json.NewDecoder(request.Body).Decode(&batch); err != nil {
		return nil, err
	}
	table := slices.Collect(maps.Keys(batch.RequestItems))[0]
	first, rest, err := split(batch.RequestItems[table])
	if err != nil {
		return nil, err
	}
	answer := map[string]json.RawMessage{}
	if first != nil {
		body, err := json.Marshal(map[string]any{"RequestItems": map[string]any{table: first}})
		if err != nil {
			return nil, err
		}
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		response, err := transport.RoundTrip(request)
		if err != nil || response.StatusCode != http.StatusOK {
			return response, err
		}
		err = json.NewDecoder(response.Body).Decode(&answer)
		_ = response.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	if answer[left], err = json.Marshal(map[string]any{table: rest}); err != nil {
		return nil, err
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return respond(request, http.StatusOK, string(body)), nil
}

// split halves the requests of a batch, which are a list of writes or an object with a list of keys. The first half is nil if there is only one.
func split(requests json.RawMessage) (first, rest any, err error) {
	var list []json.RawMessage
	if json.Unmarshal(requests, &list) == nil {
		if n := len(list) / 2; n > 0 {
			return list[:n], list[n:], nil
		}
		return nil, list, nil
	}
	var reads struct {
		Keys           []json.RawMessage
		ConsistentRead bool
	}
	if err := json.Unmarshal(requests, &reads); err != nil {
		return nil, nil, err
	}
	done, left := reads, reads
	n := len(reads.Keys) / 2
	done.Keys, left.Keys = reads.Keys[:n], reads.Keys[n:]
	if n == 0 {
		return nil, left, nil
	}
	return done, left, nil
}
