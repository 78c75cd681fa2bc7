package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/ddb"
	"github.com/quorate/quorate/platform/fault"
)

// Kinds of items in Leases. That of mail is followed by the node's name.
const (
	kindLease = "lease"
	kindNode  = "node"
	kindMail  = "mail#"
)

// Attributes of Leases.
const (
	attrOwner = "owner_node"
	attrEpoch = "epoch"
	attrBeats = "beats"
)

// Leases is an orchestrator.LeaseStore; it is safe for concurrent use, by any number of processes.
type Leases struct{ db *ddb.Client }

var _ orchestrator.LeaseStore = (*Leases)(nil)

// NewLeases returns a lease store in the tables of Tables.
func NewLeases(db *ddb.Client) *Leases { return &Leases{db} }

func leaseItem(kind, name string) ddb.Item {
	return ddb.Item{attrKind: text(kind), attrName: text(name)}
}

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

func numberOf(item ddb.Item, name string) (uint64, error) {
	n, ok := item[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("attribute %s is not there", name)
	}
	return strconv.ParseUint(n.Value, 10, 64)
}

// Beat implements orchestrator.LeaseStore.
func (s *Leases) Beat(ctx context.Context, n orchestrator.Node) error {
	item := leaseItem(kindNode, n.ID)
	item[attrBeats] = number(n.Beats)
	return s.db.Put(ctx, types.Put{TableName: s.db.Table(tableLeases), Item: item})
}

// Nodes implements orchestrator.LeaseStore.
func (s *Leases) Nodes(ctx context.Context) (nodes []orchestrator.Node, err error) {
	items, err := s.all(ctx, kindNode, 0)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		n := orchestrator.Node{ID: ddb.TextOf(item, attrName)}
		if n.Beats, err = numberOf(item, attrBeats); err != nil {
			return nil, fmt.Errorf("decoding node %s: %w", n.ID, err)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// Leave implements orchestrator.LeaseStore.
func (s *Leases) Leave(ctx context.Context, node string) error {
	items, err := s.all(ctx, kindMail+node, 0)
	if err != nil {
		return err
	}
	requests := []types.WriteRequest{{DeleteRequest: &types.DeleteRequest{Key: leaseItem(kindNode, node)}}}
	for _, item := range items {
		requests = append(requests, types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: leaseItem(kindMail+node, ddb.TextOf(item, attrName))}})
	}
	return s.db.BatchWrite(ctx, tableLeases, requests)
}

// Leases implements orchestrator.LeaseStore.
func (s *Leases) Leases(ctx context.Context) (leases []orchestrator.Lease, err error) {
	items, err := s.all(ctx, kindLease, 0)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		l, err := decodeLease(item)
		if err != nil {
			return nil, err
		}
		leases = append(leases, l)
	}
	return leases, nil
}

// all reads the items of a kind consistently, at most limit of them unless limit is 0.
func (s *Leases) all(ctx context.Context, kind string, limit int) (items []ddb.Item, err error) {
	input := &dynamodb.QueryInput{
		TableName: s.db.Table(tableLeases), ConsistentRead: aws.Bool(true), KeyConditionExpression: aws.String(attrKind + " = :kind"),
		ExpressionAttributeValues: ddb.Item{":kind": text(kind)},
	}
	if limit > 0 {
		input.Limit = aws.Int32(int32(min(limit, maxPage)))
	}
	pages := dynamodb.NewQueryPaginator(s.db.API(), input)
	for pages.HasMorePages() && (limit == 0 || len(items) < limit) {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, ddb.Fault("reading leases", err)
		}
		items = append(items, page.Items...)
	}
	return items, nil
}

func leaseName(group int) string { return fmt.Sprintf("%04d", group) }

func encodeLease(l orchestrator.Lease) ddb.Item {
	item := leaseItem(kindLease, leaseName(l.Group))
	item[attrEpoch] = number(l.Epoch)
	if l.Owner != "" {
		item[attrOwner] = text(l.Owner)
	}
	return item
}

func decodeLease(item ddb.Item) (l orchestrator.Lease, err error) {
	l.Owner = ddb.TextOf(item, attrOwner)
	if l.Group, err = strconv.Atoi(ddb.TextOf(item, attrName)); err == nil {
		l.Epoch, err = numberOf(item, attrEpoch)
	}
	if err != nil {
		return l, fmt.Errorf("decoding lease %s: %w", ddb.TextOf(item, attrName), err)
	}
	return l, nil
}

// Take implements orchestrator.LeaseStore.
func (s *Leases) Take(ctx context.Context, group int, node string, seen uint64) (orchestrator.Lease, error) {
	l := orchestrator.Lease{Group: group, Owner: node, Epoch: seen + 1}
	put := types.Put{TableName: s.db.Table(tableLeases), Item: encodeLease(l), ConditionExpression: aws.String("attribute_not_exists(" + attrEpoch + ")")}
	if seen > 0 {
		put.ConditionExpression = aws.String(attrEpoch + " = :seen")
		put.ExpressionAttributeValues = ddb.Item{":seen": number(seen)}
	}
	err := s.db.Put(ctx, put)
	refused, ok := errors.AsType[*ddb.RefusedError](err)
	if !ok {
		return l, err
	}
	if now, err := decodeLease(refused.Item); err == nil && now == l {
		return l, nil // by an attempt whose answer was lost: only this node uses its name
	}
	return orchestrator.Lease{}, fault.New(fault.Conflict, "LEASE_TAKEN", "group %d is not at epoch %d any more", group, seen)
}

// Release implements orchestrator.LeaseStore.
func (s *Leases) Release(ctx context.Context, l orchestrator.Lease) error {
	err := s.db.Put(ctx, types.Put{
		TableName: s.db.Table(tableLeases), Item: encodeLease(orchestrator.Lease{Group: l.Group, Epoch: l.Epoch}),
		ConditionExpression:       aws.String(attrOwner + " = :owner AND " + attrEpoch + " = :epoch"),
		ExpressionAttributeValues: ddb.Item{":owner": text(l.Owner), ":epoch": number(l.Epoch)},
	})
	if _, refused := errors.AsType[*ddb.RefusedError](err); refused {
		return nil
	}
	return err
}
