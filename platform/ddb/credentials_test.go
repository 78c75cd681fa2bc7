package ddb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/quorate/quorate/platform/fault"
)

// unanswered is the SDK's error for a service that does not respond.
func unanswered(service string) error {
	return &smithy.OperationError{ServiceID: service, OperationName: "Get", Err: &smithyhttp.RequestSendError{Err: errors.New("lookup: server misbehaving")}}
}

func TestAServiceForCredentialsThatDoesNotRespondRefusesNothing(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		err  error
		want string
	}{
		"one that does not respond": {unanswered("STS"), "STORE_UNREACHABLE"},
		"none that is configured":   {unanswered(machineService), "STORE_DENIED"},
		"one that refuses":          {&smithy.OperationError{ServiceID: "STS", Err: &smithy.GenericAPIError{Code: "AccessDenied"}}, "STORE_DENIED"},
	} {
		source := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, x.err })
		_, err := patient{source}.Retrieve(t.Context())
		if got := fault.ReasonOf(Fault("reading a task", &smithy.OperationError{ServiceID: "DynamoDB", Err: err})); got != x.want {
			t.Errorf("with %s a call is %v, %s, want %s", name, err, got, x.want)
		}
	}
}

func TestACallDoesNotWaitLongForCredentials(t *testing.T) {
	t.Parallel()
	hanging := patient{aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		<-ctx.Done()
		return aws.Credentials{}, ctx.Err()
	})}
	for name, x := range map[string]struct {
		patience time.Duration // of the caller
		want     string
	}{
		"of the store": {time.Hour, "STORE_UNREACHABLE"},
		"its caller's": {5 * time.Second, "DEADLINE_EXCEEDED"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), x.patience)
				defer cancel()
				begin := time.Now()
				_, err := hanging.Retrieve(ctx)
				if got := fault.ReasonOf(Fault("reading a task", err)); got != x.want || time.Since(begin) > time.Minute {
					t.Errorf("Retrieve() = %v, %s, after %s, want %s within a minute", err, got, time.Since(begin), x.want)
				}
			})
		})
	}
}

// The SDK's own path: a role for which STS gives credentials, as in Kubernetes.
func TestAnUnreachableSTSIsNoLackOfCredentials(t *testing.T) {
	folder := t.TempDir()
	token := filepath.Join(folder, "token")
	if err := os.WriteFile(token, []byte("a.b.c"), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, value := range map[string]string{
		"AWS_CONFIG_FILE": filepath.Join(folder, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(folder, "none"),
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "", "AWS_MAX_ATTEMPTS": "1",
		"AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/replica", "AWS_WEB_IDENTITY_TOKEN_FILE": token,
		"AWS_ENDPOINT_URL_STS": "http://127.0.0.1:1", // where nobody is
	} {
		t.Setenv(variable, value)
	}
	c, err := Open(t.Context(), Config{Region: "eu-central-1"})
	if err != nil {
		t.Fatalf("Open() = %v, want no error", err)
	}
	if _, err := c.BatchGet(t.Context(), "Items", anItem); fault.ReasonOf(err) != "STORE_UNREACHABLE" {
		t.Errorf("BatchGet() = %v, want STORE_UNREACHABLE", err)
	}
}
