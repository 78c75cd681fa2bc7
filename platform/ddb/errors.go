package ddb

import (
	"context"
	"errors"
	"fmt"
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
//   - TABLES_MISSING (FailedPrecondition): the tables were not created, or are elsewhere
//   - STORE_DENIED (Unavailable): the credentials are missing, expired or wrong, or their policy lacks a permission; works again once an operator has fixed that
//   - STORE_BUSY (Unavailable): throttled in spite of retries
//   - STORE_UNREACHABLE (Unavailable): no response, or only server errors; also of the service that gives the credentials
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
		return caused(fault.New(fault.FailedPrecondition, "TABLES_MISSING",
			"a table of the store is missing; create it with quorate tables apply, and check region and table prefix"), wrapped)
	}
	api, answered := errors.AsType[smithy.APIError](err)
	switch {
	case lacksCredentials(err), answered && slices.Contains(denials, api.ErrorCode()):
		return caused(fault.New(fault.Unavailable, "STORE_DENIED",
			"Quorate has no AWS credentials that the store accepts, or their policy lacks a permission"), wrapped)
	case answered && isThrottle(api.ErrorCode()):
		return busy(wrapped)
	}
	if !answered || api.ErrorFault() == smithy.FaultServer {
		return caused(fault.New(fault.Unavailable, "STORE_UNREACHABLE", "the store does not respond"), wrapped)
	}
	return wrapped
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

func caused(e *fault.Error, cause error) error {
	e.Cause, e.Ours = cause, true
	return e
}

func busy(cause error) error {
	e := fault.New(fault.Unavailable, "STORE_BUSY", "the store is busy")
	e.RetryAfter = time.Second
	return caused(e, cause)
}

func unknownOutcome(cause error) error {
	return caused(fault.New(fault.Unavailable, "WRITE_OUTCOME_UNKNOWN",
		"the store did not respond to a write, which may have been done or not; read before you repeat it"), cause)
}

// denials are AWS's error codes for unknown or expired credentials and for missing permissions.
var denials = []string{
	"AccessDeniedException", "ExpiredTokenException", "IncompleteSignatureException", "InvalidSignatureException", "MissingAuthenticationTokenException",
	"NotAuthorized", "OptInRequired", "UnrecognizedClientException",
}

func isThrottle(code string) bool {
	_, known := retry.DefaultThrottleErrorCodes[code]
	return known || slices.Contains([]string{"ThrottlingError", "ProvisionedThroughputExceeded"}, code)
}
