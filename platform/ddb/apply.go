package ddb

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/quorate/quorate/platform/fault"
)

// maxActive is how long a table may take to take a change on; adding an index to a large one is the longest.
const maxActive = 30 * time.Minute

func (p *planner) create(ctx context.Context) error {
	_, err := p.client.api.CreateTable(ctx, p.table.create(p.name))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists { // another apply was quicker
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
		if i.IndexStatus != types.IndexStatusActive && i.IndexStatus != "" { // emulators may leave it out
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

// maxBackups bounds how often backups are asked for: a table that was created a moment ago refuses them for some seconds.
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
