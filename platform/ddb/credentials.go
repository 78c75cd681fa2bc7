package ddb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/quorate/quorate/platform/fault"
)

// machineService is the SDK's name for the service that gives EC2 machines credentials.
const machineService = "ec2imds"

// credentialsTime is how long a call waits for credentials. The SDK tries for up to a quarter of an hour while names cannot be resolved.
const credentialsTime = 10 * time.Second

// patient is a source of credentials that tells a service that does not respond, which may soon be back, from one that refuses.
type patient struct{ source aws.CredentialsProvider }

// Retrieve implements aws.CredentialsProvider.
func (p patient) Retrieve(ctx context.Context) (aws.Credentials, error) {
	limited, cancel := context.WithTimeout(ctx, credentialsTime)
	defer cancel()
	found, err := p.source.Retrieve(limited)
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	if limited.Err() != nil || isUnanswered(err) {
		err = caused(fault.New(fault.Unavailable, "STORE_UNREACHABLE", "the service of AWS that gives credentials for the store does not respond"), err)
	}
	return found, err
}

// isUnanswered reports whether a service for credentials did not respond. That of EC2 machines does not count: the SDK asks it wherever nothing else
// is configured.
func isUnanswered(err error) bool {
	if call, ok := errors.AsType[*smithy.OperationError](err); ok && call.ServiceID == machineService {
		return false
	}
	_, sending := errors.AsType[*smithyhttp.RequestSendError](err)
	return sending
}
