package ddb

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"go.opentelemetry.io/otel/metric"

	"github.com/quorate/quorate/platform/fault"
	"github.com/quorate/quorate/platform/netguard"
)

const (
	maxAttempts   = 8
	attemptTime   = 10 * time.Second // the whole answer, which may have 16 MB
	headerTime    = 3 * time.Second  // its beginning: less than a replica has to renew its leases
	maxConns      = 256
	defaultRegion = "us-east-1"
)

// Config says where the tables are, and how to call DynamoDB.
type Config struct {
	Region      string            // empty is that of the environment; not needed for an endpoint on loopback
	Endpoint    string            // base URL of an emulator or a private endpoint; empty is that of the AWS configuration, or AWS's own
	TablePrefix string            // prefix of table names, such as prod-; at most 64 letters, digits and _ . -
	Transport   http.RoundTripper // nil is one with enough connections for many callers
	Meter       metric.Meter      // measures calls and the clock; nil measures nothing
}

// Validate returns an InvalidArgument fault for a region, an endpoint or a prefix that cannot be used.
func (c Config) Validate() error {
	if c.Region != "" && !IsRegion(c.Region) {
		return fault.Invalid("region", "REGION_INVALID", "%q is not an AWS region such as eu-central-1", c.Region)
	}
	if c.Endpoint != "" && !netguard.IsEndpoint(c.Endpoint) { // the error does not repeat what may hold a password
		return fault.Invalid("endpoint", "ENDPOINT_INVALID", "want an http or https URL of a host such as db.example, without user, query and fragment")
	}
	for _, r := range c.TablePrefix {
		if !isNameRune(r) {
			return fault.Invalid("tablePrefix", "TABLE_PREFIX_INVALID", "%q is not allowed in a table's name: letters, digits and _ . - are", r)
		}
	}
	if len(c.TablePrefix) > 64 {
		return fault.Invalid("tablePrefix", "TABLE_PREFIX_INVALID", "the prefix has %d characters; the limit is 64", len(c.TablePrefix))
	}
	return nil
}

// IsRegion reports whether text can be the name of an AWS region, which becomes part of the names of hosts.
func IsRegion(text string) bool { return smithyhttp.ValidHostLabel(text) }

func isNameRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-'
}

// Client calls DynamoDB; it is safe for concurrent use.
type Client struct {
	api      *dynamodb.Client
	prefix   string
	emulator bool // an endpoint was given: features that emulators lack are not used
	clock    *clock
}

// Open returns a client. The AWS SDK finds the credentials, and the settings for FIPS, IPv6 and private endpoints. For an emulator on loopback, which needs no
// credentials, the SDK's configuration is not read.
func Open(ctx context.Context, c Config) (*Client, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	loaded := aws.Config{Region: c.Region, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	if !netguard.IsLoopbackURL(c.Endpoint) {
		var err error
		if loaded, err = config.LoadDefaultConfig(ctx, config.WithRegion(c.Region)); err != nil {
			return nil, fmt.Errorf("reading the configuration of the AWS SDK: %w", err)
		}
		if loaded.Region == "" {
			return nil, fault.Invalid("region", "REGION_MISSING", "no AWS region is set; give one, or set AWS_REGION")
		}
		loaded.Credentials = patient{loaded.Credentials}
	}
	if loaded.Region == "" {
		loaded.Region = defaultRegion
	}
	transport := c.Transport
	if transport == nil {
		transport = newTransport()
	}
	watch := &watcher{client: &http.Client{Transport: transport, Timeout: attemptTime}, clock: newClock()}
	var measures []func(*middleware.Stack) error
	if c.Meter != nil {
		measure, err := measured(c.Meter)
		if err == nil {
			err = watch.clock.measure(c.Meter)
		}
		if err != nil {
			return nil, err
		}
		measures = append(measures, measure)
	}
	api := dynamodb.NewFromConfig(loaded, func(o *dynamodb.Options) {
		o.Retryer, o.RetryMaxAttempts = newRetryer(), 0 // so that settings in the environment do not replace it
		o.HTTPClient = watch
		o.APIOptions = append(o.APIOptions, measures...)
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
	})
	return &Client{api: api, prefix: c.TablePrefix, emulator: c.Endpoint != "", clock: watch.clock}, nil
}

// newTransport keeps enough idle connections for many callers. With the SDK's default of ten they would open new ones all the
// time.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
		TLSHandshakeTimeout:   3 * time.Second,
		ResponseHeaderTimeout: headerTime,
		IdleConnTimeout:       90 * time.Second,
		MaxIdleConns:          maxConns,
		MaxIdleConnsPerHost:   maxConns,
		MaxConnsPerHost:       maxConns,
		ForceAttemptHTTP2:     true,
	}
}

// newRetryer returns the SDK's standard retryer with two changes that DynamoDB needs: it retries a single write that conflicts
// with a transaction, and its first delays are milliseconds rather than a second.
func newRetryer() aws.Retryer {
	standard := retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts = maxAttempts
		o.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) { return backoff(attempt), nil })
	})
	return retry.AddWithErrorCodes(standard, "TransactionConflictException")
}

// API returns the SDK's client, for calls that this package does not wrap. Convert their errors with Fault.
func (c *Client) API() *dynamodb.Client { return c.api }

// Table returns the full name of a table.
func (c *Client) Table(name string) *string { return aws.String(c.prefix + name) }
