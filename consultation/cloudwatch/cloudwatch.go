// Package cloudwatch finds consultation verdicts among the spans that AWS X-Ray stores in CloudWatch Logs with Transaction Search, which AgentCore's
// observability requires.
//
// It queries Logs Insights for the verdict spans in the trace that Quorate created. X-Ray's own API does not suffice: with Transaction Search it
// finds no trace by its id, and only one in a hundred by attributes. Every span is checked like one that was received. Its author is unknown: anybody
// who may send spans to the account can have written it.
//
// This was not run against AWS: it was tested against a server that answers as AWS documents.
package cloudwatch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"github.com/quorate/quorate/consultation"
	"github.com/quorate/quorate/consultation/otlp"
	"github.com/quorate/quorate/platform/netguard"
	"github.com/quorate/quorate/platform/pause"
)

// DefaultGroup is the log group of X-Ray's spans.
const DefaultGroup = "aws/spans"

const (
	maxAnswerBytes = 4 << 20
	maxVerdicts    = 256 // in one trace; an honest trace has one
	maxAtOnce      = 8   // queries; all programs of an account may have 100 in a region
	pollEvery      = 500 * time.Millisecond
	defaultTimeout = 10 * time.Second
	stopTimeout    = time.Second
	clockSkew      = time.Hour       // between this machine and those that record spans
	lag            = 2 * time.Minute // that a span may take into the log group; AWS documents none
)

// Config says where the spans are.
type Config struct {
	Region   string
	Endpoint string        // URL of a private endpoint or, on loopback, of an emulator; empty: from the AWS configuration, or AWS's own
	Group    string        // name of the log group; default DefaultGroup
	Timeout  time.Duration // of one query, including the wait for others; default 10 s
}

// Traces queries a log group with spans; create it with Open. It is safe for concurrent use.
type Traces struct {
	Config
	logs  *cloudwatchlogs.Client
	turns chan struct{} // a semaphore with room for maxAtOnce queries
}

var _ consultation.Traces = (*Traces)(nil)

// Open returns a client for the log group in c. Credentials come from the AWS SDK's usual sources; an emulator on loopback needs none.
func Open(ctx context.Context, c Config) (*Traces, error) {
	if c.Group == "" {
		c.Group = DefaultGroup
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	loaded := aws.Config{Region: c.Region, Credentials: credentials.NewStaticCredentialsProvider("local", "local", "")}
	if !netguard.IsLoopbackURL(c.Endpoint) {
		var err error
		if loaded, err = config.LoadDefaultConfig(ctx, config.WithRegion(c.Region)); err != nil {
			return nil, fmt.Errorf("reading the configuration of the AWS SDK: %w", err)
		}
	}
	client := &http.Client{
		Timeout:       c.Timeout + stopTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // only the endpoint itself is trusted
	}
	logs := cloudwatchlogs.NewFromConfig(loaded, func(o *cloudwatchlogs.Options) {
		o.HTTPClient = bounded{client}
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
	})
	return &Traces{Config: c, logs: logs, turns: make(chan struct{}, maxAtOnce)}, nil
}

// Name implements consultation.Traces.
func (t *Traces) Name() string { return "cloudwatch" }

// Lag implements consultation.Traces.
func (t *Traces) Lag() time.Duration { return lag }

// Verdicts implements consultation.Traces.
func (t *Traces) Verdicts(ctx context.Context, c consultation.Consultation) ([]consultation.Claim, error) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	select {
	case t.turns <- struct{}{}:
		defer func() { <-t.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for %d other queries: %w", maxAtOnce, ctx.Err())
	}
	query, err := t.query(c)
	if err != nil {
		return nil, err
	}
	id, err := t.start(ctx, query)
	if err != nil {
		return nil, err
	}
	results, err := t.results(ctx, id)
	if err != nil {
		t.stop(ctx, id)
		return nil, err
	}
	if len(results) > maxVerdicts {
		return nil, fmt.Errorf("the trace has more than %d verdicts", maxVerdicts)
	}
	return verdicts(results)
}

// query returns the query for the verdict spans in the trace of c. The query language has no parameters, so only values that cannot be anything else
// are inserted.
func (t *Traces) query(c consultation.Consultation) (*cloudwatchlogs.StartQueryInput, error) {
	if !hexadecimal(c.TraceID) {
		return nil, fmt.Errorf("consultation %s has no trace", c.ID)
	}
	return &cloudwatchlogs.StartQueryInput{
		LogGroupName: aws.String(t.Group),
		QueryString:  aws.String(fmt.Sprintf("fields @message | filter traceId = %q and name = %q", c.TraceID, otlp.SpanName)),
		StartTime:    aws.Int64(c.IssueTime.Add(-clockSkew).Unix()),
		EndTime:      aws.Int64(c.ExpireTime.Add(clockSkew).Unix()),
		Limit:        aws.Int32(maxVerdicts + 1),
	}, nil
}

func hexadecimal(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return false
		}
	}
	return len(id) == 32
}

// start starts a query and returns its id. If ctx ends meanwhile, it waits a little longer: a query with an unknown id cannot be stopped.
func (t *Traces) start(ctx context.Context, query *cloudwatchlogs.StartQueryInput) (id *string, err error) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		_ = pause.For(longer, stopTimeout) // or until it has started
		cancel()
	})()
	started, err := t.logs.StartQuery(longer, query)
	if err != nil {
		return nil, fmt.Errorf("starting the query: %w", errors.Join(err, ctx.Err()))
	}
	if started.QueryId == nil {
		return nil, errors.New("the query has no id")
	}
	return started.QueryId, nil
}

// results waits for the results of a query. Only complete results say what exists.
func (t *Traces) results(ctx context.Context, id *string) ([][]types.ResultField, error) {
	for {
		answer, err := t.logs.GetQueryResults(ctx, &cloudwatchlogs.GetQueryResultsInput{QueryId: id})
		switch {
		case err != nil:
			return nil, fmt.Errorf("reading the results: %w", err)
		case answer.Status == types.QueryStatusComplete && answer.NextToken == nil:
			return answer.Results, nil
		case answer.Status != types.QueryStatusScheduled && answer.Status != types.QueryStatusRunning:
			return nil, fmt.Errorf("the query is %q, which is no whole answer", answer.Status)
		}
		if err := pause.For(ctx, pollEvery); err != nil {
			return nil, fmt.Errorf("waiting for the query: %w", err)
		}
	}
}

// stop ends a query for which nobody waits any more; otherwise it would end an hour later.
func (t *Traces) stop(ctx context.Context, id *string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	_, _ = t.logs.StopQuery(ctx, &cloudwatchlogs.StopQueryInput{QueryId: id}) // one that has ended cannot be stopped
}

// bounded is a client that bounds answers to maxAnswerBytes.
type bounded struct{ client *http.Client }

// Do sends r.
func (b bounded) Do(r *http.Request) (*http.Response, error) {
	answer, err := b.client.Do(r) //nolint:gosec // the operator configures the endpoint
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswerBytes)
	}
	return answer, err
}
