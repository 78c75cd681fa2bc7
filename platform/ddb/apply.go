package ddb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/quorate/quorate/platform/fault"
)

// maxRounds is how often a plan is made again because others change the tables at the same time.
const maxRounds = 20

// Apply creates the tables, or changes them to what is described, and calls each, unless it is nil, before every step. Any number of processes may apply at the
// same time: steps that another has done are skipped. If they keep interfering, the result is an Unavailable fault with the reason TABLES_CHANGING.
func (c *Client) Apply(ctx context.Context, tables []Table, each func(Step)) error {
	var failed Step
	for range maxRounds {
		steps, err := c.Plan(ctx, tables)
		if err != nil {
			return err
		}
		last, err := apply(ctx, steps, each)
		again := last.Table == failed.Table && last.What == failed.What // nobody else has done it
		switch {
		case err != nil && (!overtaken(err) || again):
			return fmt.Errorf("applying the tables: %w", err)
		case err != nil:
			failed = last
		case !slices.ContainsFunc(steps, func(s Step) bool { return s.waits }):
			return nil
		}
	}
	return fault.New(fault.Unavailable, "TABLES_CHANGING", "the tables keep being changed by others; apply again when they are done")
}

// apply runs the steps of a plan until one fails, and returns the last step that it ran.
func apply(ctx context.Context, steps []Step, each func(Step)) (last Step, err error) {
	for _, last = range steps {
		if each != nil {
			each(last)
		}
		if err := last.Run(ctx); err != nil {
			return last, err
		}
	}
	return last, nil
}

// overtaken reports whether a step may have failed because somebody else has done it or is changing the table.
func overtaken(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && slices.Contains([]string{"ResourceInUseException", "LimitExceededException", "ValidationException"}, api.ErrorCode())
}

// maxActive is how long a change of a table may take. Adding an index to a large table takes longest.
const maxActive = 30 * time.Minute

func (p *planner) create(ctx context.Context) error {
	_, err := p.client.api.CreateTable(ctx, p.table.create(p.name))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists { // another apply was faster
		return err
	}
	return p.active(ctx)
}

func (p *planner) update(input *dynamodb.UpdateTableInput) func(ctx context.Context) error {
	input.TableName = p.name
	return func(ctx context.Context) error {
		if _, err := p.client.api.UpdateTable(ctx, input); err != nil {
			return err
		}
		return p.active(ctx)
	}
}

// active waits until the table and its indexes can be used.
func (p *planner) active(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, maxActive, fault.New(fault.DeadlineExceeded, "TABLE_NOT_ACTIVE",
		"table %s is not active after %s; look at it in the AWS console, then apply again", *p.name, maxActive))
	defer cancel()
	for attempt := 0; ; attempt++ {
		answer, err := p.client.api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: p.name})
		if err != nil {
			return err
		}
		if isActive(answer.Table) {
			return nil
		}
		if err := wait(ctx, attempt); err != nil {
			return err
		}
	}
}

func isActive(t *types.TableDescription) bool {
	if t.TableStatus != types.TableStatusActive {
		return false
	}
	for _, i := range t.GlobalSecondaryIndexes {
		if i.IndexStatus != types.IndexStatusActive && i.IndexStatus != "" { // emulators may omit the status
			return false
		}
	}
	return true
}

func (p *planner) enableTTL(ctx context.Context) error {
	_, err := p.client.api.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               p.name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(p.table.TTL), Enabled: aws.Bool(true)},
	})
	return err
}

// maxBackups is how often turning on backups is tried: a new table refuses it for some seconds.
const maxBackups = 60

func (p *planner) enableBackups(ctx context.Context) error {
	for attempt := 0; ; attempt++ {
		_, err := p.client.api.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName:                        p.name,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
		})
		if _, early := errors.AsType[*types.ContinuousBackupsUnavailableException](err); !early || attempt == maxBackups {
			return err
		}
		if err := wait(ctx, attempt); err != nil {
			return err
		}
	}
}
