package ddb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/quorate/quorate/platform/fault"
)

// Step is one change on the way to what the descriptor of a table says.
type Step struct {
	Table string // its full name
	What  string // for people, such as "create table"
	run   func(ctx context.Context) error
	waits bool // further changes are known only after it
}

// Run makes the change and returns when it has taken effect. Steps must be run in the order of the plan.
func (s Step) Run(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return Fault(s.What+" "+s.Table, err)
	}
	return nil
}

// Plan returns the steps that are needed to make all tables as described, or none if they are. For a table that is being changed it returns only the step to wait
// for it. A table with other keys is a FailedPrecondition fault with the reason TABLE_DIFFERS: keys cannot be changed, and the data is not ours to delete. The same
// applies to an index that lacks an attribute.
func (c *Client) Plan(ctx context.Context, tables []Table) ([]Step, error) {
	var steps []Step
	for _, t := range tables {
		p := &planner{client: c, table: t, name: c.Table(t.Name)}
		if err := p.plan(ctx); err != nil {
			return nil, Fault("reading table "+*p.name, err)
		}
		steps = append(steps, p.steps...)
	}
	return steps, nil
}

type planner struct {
	client *Client
	table  Table
	name   *string
	steps  []Step
}

func (p *planner) add(what string, run func(ctx context.Context) error) {
	p.steps = append(p.steps, Step{Table: *p.name, What: what, run: run})
}

func (p *planner) plan(ctx context.Context) error {
	answer, err := p.client.api.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: p.name})
	if _, missing := errors.AsType[*types.ResourceNotFoundException](err); missing {
		p.add("create table", p.create)
		if p.table.TTL != "" {
			p.add("turn on ttl on "+p.table.TTL, p.enableTTL)
		}
		if !p.client.emulator {
			p.add("turn on point-in-time recovery", p.enableBackups)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if !isActive(answer.Table) { // somebody's change is in progress, and no other is possible until it is done
		p.steps = append(p.steps, Step{Table: *p.name, What: "wait until it can be used", run: p.active, waits: true})
		return nil
	}
	if err := p.settings(answer.Table); err != nil {
		return err
	}
	if err := p.indexes(answer.Table); err != nil {
		return err
	}
	if err := p.ttl(ctx); err != nil {
		return err
	}
	return p.backups(ctx)
}

// settings plans what one UpdateTable can change.
func (p *planner) settings(got *types.TableDescription) error {
	if !sameKeys(got, got.KeySchema, p.table.Hash, p.table.Range) {
		return p.differs("table " + *p.name)
	}
	if got.BillingModeSummary == nil || got.BillingModeSummary.BillingMode != types.BillingModePayPerRequest {
		p.add("bill on demand", p.update(&dynamodb.UpdateTableInput{BillingMode: types.BillingModePayPerRequest}))
	}
	if !aws.ToBool(got.DeletionProtectionEnabled) {
		p.add("protect against deletion", p.update(&dynamodb.UpdateTableInput{DeletionProtectionEnabled: aws.Bool(true)}))
	}
	return nil
}

func (p *planner) differs(what string) error {
	return fault.New(fault.FailedPrecondition, "TABLE_DIFFERS",
		"%s exists with other keys than Quorate needs; use another table prefix", what).With("table", *p.name)
}

func (p *planner) indexes(got *types.TableDescription) error {
	have := make(map[string]types.GlobalSecondaryIndexDescription)
	for _, i := range got.GlobalSecondaryIndexes {
		have[aws.ToString(i.IndexName)] = i
	}
	for _, i := range p.table.Indexes {
		there, ok := have[i.Name]
		if ok && !sameKeys(got, there.KeySchema, i.Hash, i.Range) {
			return p.differs("index " + i.Name + " of table " + *p.name)
		}
		if lacks := i.lacks(there.Projection); ok && lacks != "" {
			return fault.New(fault.FailedPrecondition, "TABLE_DIFFERS", "index %s of table %s exists without the attribute %s, and cannot get it; delete the index, then apply again",
				i.Name, *p.name, lacks).With("table", *p.name)
		}
		if !ok {
			p.add("add index "+i.Name, p.update(&dynamodb.UpdateTableInput{
				AttributeDefinitions: p.table.definitions(),
				GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
					IndexName: aws.String(i.Name), KeySchema: keySchema(i.Hash, i.Range), Projection: i.projection(),
				}}},
			}))
		}
	}
	return nil
}

func (p *planner) ttl(ctx context.Context) error {
	if p.table.TTL == "" {
		return nil
	}
	answer, err := p.client.api.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: p.name})
	if err != nil {
		return err
	}
	got := answer.TimeToLiveDescription
	on := got != nil && (got.TimeToLiveStatus == types.TimeToLiveStatusEnabled || got.TimeToLiveStatus == types.TimeToLiveStatusEnabling)
	switch {
	case on && aws.ToString(got.AttributeName) != p.table.TTL:
		return fault.New(fault.FailedPrecondition, "TABLE_DIFFERS", "table %s has its ttl on %s rather than on %s; turn it off first",
			*p.name, aws.ToString(got.AttributeName), p.table.TTL).With("table", *p.name)
	case !on:
		p.add("turn on ttl on "+p.table.TTL, p.enableTTL)
	}
	return nil
}

func (p *planner) backups(ctx context.Context) error {
	answer, err := p.client.api.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: p.name})
	if err != nil {
		if api, ok := errors.AsType[smithy.APIError](err); ok && p.client.emulator && api.ErrorCode() == "UnknownOperationException" {
			return nil // emulators have no backups
		}
		return err
	}
	d := answer.ContinuousBackupsDescription
	if d == nil || d.PointInTimeRecoveryDescription == nil ||
		d.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		p.add("turn on point-in-time recovery", p.enableBackups)
	}
	return nil
}
