package dynamo_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
)

// tokens notes those of transactions.
type tokens struct {
	next http.RoundTripper
	seen []string // calls come one after the other
}

func (k *tokens) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	var in struct{ ClientRequestToken string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	if in.ClientRequestToken != "" {
		k.seen = append(k.seen, in.ClientRequestToken)
	}
	return k.next.RoundTrip(request)
}

// DynamoDB refuses a transaction that has the token of another one of the last ten minutes, of whatever tenant: a hundred a second are 60,000 in that time.
func TestNoTwoTransactionsHaveOneToken(t *testing.T) {
	t.Parallel()
	k := &tokens{next: dynamotest.NewChaos(1)}
	s := open(t, k, dynamo.Options{})
	err := s.Append(t.Context(), "a", "t", func([]consultation.Entry) (consultation.Consultation, error) {
		return consultation.Consultation{ID: "1", Tenant: "a", TaskID: "t", IssueTime: time.Now()}, nil
	})
	const enough = 26 // characters of five random bits each
	if err != nil || len(k.seen) != 1 || len(k.seen[0]) < enough {
		t.Errorf("Append() = %v with the tokens %q, want one of at least %d characters", err, k.seen, enough)
	}
}
