package ddb_test

import (
	"errors"
	"testing"

	"github.com/aws/smithy-go"

	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

func TestCredentialsThatAreRefusedAreNoDefectOfOurs(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"AccessDeniedException", "ExpiredTokenException", "InvalidSignatureException", "UnrecognizedClientException"} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			cause := &smithy.GenericAPIError{Code: code, Message: "the token is expired"}
			err := ddb.Fault("reading a task", cause)
			f := fault.From(err)
			if f.Kind != fault.Unavailable || f.Reason != "STORE_DENIED" || !f.Ours || !errors.Is(err, cause) {
				t.Errorf("Fault(%s) = %v %s, ours: %v, want Unavailable STORE_DENIED of ours, with its cause", code, f.Kind, f.Reason, f.Ours)
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
