package ddb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/quorate/quorate/platform/fault"
)

// Fault converts an error of the SDK into a fault, or else wraps it with what was being done. The faults are:
//
//   - TABLES_MISSING (Unavailable): a table was deleted, or is being restored; Check finds at a start that the tables were not created, or are elsewhere
//   - STORE_DENIED (Unavailable): the credentials are missing, expired or wrong, or their policy lacks a permission; works again once an operator has fixed that
//   - STORE_BUSY (Unavailable): throttled in spite of retries
//   - STORE_UNREACHABLE (Unavailable): no response, or only server errors, of DynamoDB or of a proxy on the way; also of the service that gives the credentials
//
// All of them are marked as Ours, since an operator has to act. The error of an ended context stays in the chain.
func Fault(doing string, err error) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("%s: %w", doing, err)
	if _, told := errors.AsType[*fault.Error](err); told || ended(err) {
		return wrapped
	}
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		return caused(fault.New(fault.Unavailable, "TABLES_MISSING",
			"a table of the store is missing; create it with quorate tables apply, and check region and table prefix"), wrapped)
	}
	code, status := answerOf(err)
	switch {
	case lacksCredentials(err), slices.Contains(denials, code), status == http.StatusUnauthorized, status == http.StatusForbidden:
		return caused(fault.New(fault.Unavailable, "STORE_DENIED",
			"Quorate has no AWS credentials that the store accepts, or their policy lacks a permission"), wrapped)
	case isThrottle(code), status == http.StatusTooManyRequests:
		return busy(wrapped)
	case code == "", code == codeUnreadable, status >= http.StatusInternalServerError:
		return caused(fault.New(fault.Unavailable, "STORE_UNREACHABLE", "the store does not respond"), wrapped)
	}
	return wrapped
}

// codeUnreadable is the SDK's code for an answer that is not in the form of DynamoDB's, such as the web page of a proxy.
const codeUnreadable = "UnknownError"

// answerOf returns the code and the HTTP status of the answer to a call; empty and 0 if there was none. Of DynamoDB's general errors, the SDK knows the code only, not
// that they are the server's.
func answerOf(err error) (code string, status int) {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		code = api.ErrorCode()
	}
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok {
		status = response.HTTPStatusCode()
	}
	return code, status
}

// lacksCredentials reports whether a call failed because another service of AWS, which the SDK asks for credentials, gave none.
func lacksCredentials(err error) bool {
	call, ok := errors.AsType[*smithy.OperationError](err)
	if !ok {
		return false
	}
	_, other := errors.AsType[*smithy.OperationError](call.Err)
	return other
}

// ended reports whether a call failed because its context has ended. That an attempt took too long looks the same to errors.Is.
func ended(err error) bool {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, sending := errors.AsType[*smithyhttp.RequestSendError](err)
	_, canceled := errors.AsType[interface { // of the SDK, which has two such types
		error
		CanceledError() bool
	}](err)
	return canceled || !sending
}

// retryAfter is when callers may try again: the SDK has then tried for some seconds already.
const retryAfter = time.Second

func caused(e *fault.Error, cause error) error {
	e.Cause, e.Ours = cause, true
	if e.Kind == fault.Unavailable {
		e.RetryAfter = retryAfter
	}
	return e
}

func busy(cause error) error {
	return caused(fault.New(fault.Unavailable, "STORE_BUSY", "the store is busy"), cause)
}

func unknownOutcome(cause error) error {
	return caused(fault.New(fault.Unavailable, "WRITE_OUTCOME_UNKNOWN",
		"the store did not respond to a write, which may have been done or not; read before you repeat it"), cause)
}

// denials are AWS's error codes for unknown or expired credentials and for missing permissions.
var denials = []string{
	"AccessDeniedException", "ExpiredTokenException", "IncompleteSignature", "IncompleteSignatureException", "InvalidClientTokenId", "InvalidSignatureException",
	"MissingAuthenticationTokenException", "NotAuthorized", "OptInRequired", "RequestExpired", "UnrecognizedClientException",
}

func isThrottle(code string) bool {
	_, known := retry.DefaultThrottleErrorCodes[code]
	return known || slices.Contains([]string{"ThrottlingError", "ProvisionedThroughputExceeded"}, code)
}
