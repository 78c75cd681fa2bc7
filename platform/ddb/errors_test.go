package ddb_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/smithy-go"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

func TestCredentialsThatAreRefusedAreNoDefectOfOurs(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"AccessDeniedException", "ExpiredTokenException", "IncompleteSignature", "InvalidClientTokenId", "InvalidSignatureException", "RequestExpired", "UnrecognizedClientException",
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			cause := &smithy.GenericAPIError{Code: code, Message: "the token is expired"}
			err := ddb.Fault("reading a task", cause)
			f := fault.From(err)
			if f.Kind != fault.Unavailable || f.Reason != "STORE_DENIED" || !f.Ours || f.RetryAfter != time.Second || !errors.Is(err, cause) {
				t.Errorf("Fault(%s) = %v %s, ours: %v, retry after %s, want Unavailable STORE_DENIED of ours after a second, with its cause", code, f.Kind, f.Reason, f.Ours, f.RetryAfter)
			}
		})
	}
}

func TestARequestThatDynamoDBDoesNotUnderstandIsADefect(t *testing.T) {
	t.Parallel()
	err := ddb.Fault("reading a task", &smithy.GenericAPIError{Code: "ValidationException", Fault: smithy.FaultClient})
	if fault.KindOf(err) != fault.Internal {
		t.Errorf("Fault(ValidationException) = %v, want an internal error", err)
	}
}

// The SDK knows some errors of DynamoDB by their code only, and those of proxies not at all.
func TestAnErrorOfTheServerIsNoDefectOfOurs(t *testing.T) {
	t.Parallel()
	const page = "<html>Bad gateway</html>"
	for name, test := range map[string]struct {
		status     int
		body, want string
	}{
		"DynamoDB's own":         {500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}`, "STORE_UNREACHABLE"},
		"an internal failure":    {500, `{"__type":"com.amazon.coral.service#InternalFailure"}`, "STORE_UNREACHABLE"},
		"service unavailable":    {503, `{"__type":"com.amazon.coral.service#ServiceUnavailable"}`, "STORE_UNREACHABLE"},
		"a proxy's page":         {502, page, "STORE_UNREACHABLE"},
		"nothing":                {503, "", "STORE_UNREACHABLE"},
		"not DynamoDB's form":    {404, "{}", "STORE_UNREACHABLE"},
		"a proxy that throttles": {429, page, "STORE_BUSY"},
		"a proxy that refuses":   {403, page, "STORE_DENIED"},
		"an unknown signature":   {403, `{"__type":"SignatureDoesNotMatch"}`, "STORE_DENIED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := dynamotest.Open(t, roundTrip(func(request *http.Request) (*http.Response, error) {
				return answer(request, test.status, test.body), nil
			}))
			_, err := c.BatchGet(t.Context(), "Items", []ddb.Item{{}})
			if f := fault.From(err); f.Kind != fault.Unavailable || f.Reason != test.want || f.RetryAfter != time.Second || !f.Ours {
				t.Errorf("BatchGet() = %v with %s, retry after %s, want Unavailable %s after a second", err, f.Reason, f.RetryAfter, test.want)
			}
		})
	}
}

// halted is the body of an answer that never comes.
type halted struct{ ctx context.Context } //nolint:containedctx // a reader has none

func (h halted) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

func (halted) Close() error { return nil }

func TestAnAnswerThatStopsIsNotTheCallersDeadline(t *testing.T) {
	t.Parallel()
	for want, patience := range map[string]time.Duration{"STORE_UNREACHABLE": time.Hour, "DEADLINE_EXCEEDED": 5 * time.Second} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, err := ddb.Open(t.Context(), ddb.Config{Endpoint: "http://127.0.0.1:8000", Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
					response := answer(request, http.StatusOK, "")
					response.Body = halted{request.Context()}
					return response, nil
				})})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				if _, err := c.BatchGet(ctx, "Items", []ddb.Item{{}}); fault.ReasonOf(err) != want {
					t.Errorf("BatchGet() = %v, want %s", err, want)
				}
			})
		})
	}
}
