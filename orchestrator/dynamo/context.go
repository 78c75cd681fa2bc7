package dynamo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/ddb"
)

const attrAgentContext = "agent_context"

// contextLife is how long an agent's own id of a context is remembered after it was set.
const contextLife = 90 * 24 * time.Hour

// contextKey is the key in Tasks under which an agent's own id of a context is kept; it has no task's form.
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
	return ddb.TextOf(item, attrAgentContext), nil
}

// SetAgentContext implements orchestrator.ContextStore. What was not set again for 90 days is forgotten.
func (s *Store) SetAgentContext(ctx context.Context, k orchestrator.ContextKey, id string) error {
	item := taskItem(contextKey(k))
	item[attrAgentContext] = text(id)
	item[attrTTL] = seconds(s.Now().Add(contextLife).Unix())
	return s.put(ctx, tableTasks, item)
}
