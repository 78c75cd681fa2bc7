package dynamo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
)

const attrAgentContext = "agent_context"

// contextRenewal is the minimum interval between recording two uses of a context.
const contextRenewal = 30 * 24 * time.Hour

// contextKey returns the key in Tasks for an agent's own id of a context. It cannot be the key of a task.
func contextKey(k orchestrator.ContextKey) string {
	sum := sha256.Sum256(boltdb.Key(k.Tenant, k.Owner, k.ContextID, k.Agent))
	return escape.Replace(k.Tenant) + "#%context#" + hex.EncodeToString(sum[:])
}

// AgentContext implements orchestrator.ContextStore.
func (s *Store) AgentContext(ctx context.Context, k orchestrator.ContextKey) (string, error) {
	item, err := s.get(ctx, contextKey(k))
	if err != nil || s.over(item) {
		return "", err
	}
	id := ddb.TextOf(item, attrAgentContext)
	if !ddb.Expired(item, attrTTL, s.Now().Add(orchestrator.ContextLife)) {
		return id, nil
	}
	err = s.db.Put(ctx, types.Put{
		TableName: s.db.Table(tableTasks), Item: s.contextItem(k, id),
		ConditionExpression: aws.String(attrAgentContext + " = :id"), ExpressionAttributeValues: ddb.Item{":id": text(id)},
	})
	if _, other := errors.AsType[*ddb.RefusedError](err); other { // it was replaced meanwhile, and so it is in use
		return id, nil
	}
	return id, err
}

// SetAgentContext implements orchestrator.ContextStore.
func (s *Store) SetAgentContext(ctx context.Context, k orchestrator.ContextKey, id string) error {
	return s.put(ctx, types.Put{TableName: s.db.Table(tableTasks), Item: s.contextItem(k, id)})
}

// contextItem returns the item of a context that is used now.
func (s *Store) contextItem(k orchestrator.ContextKey, id string) ddb.Item {
	item := taskItem(contextKey(k))
	item[attrAgentContext] = text(id)
	item[attrTTL] = seconds(s.Now().Add(orchestrator.ContextLife + contextRenewal).Unix())
	return item
}
