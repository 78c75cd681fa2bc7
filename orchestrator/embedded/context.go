package embedded

import (
	"context"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/platform/boltdb"
)

var _ orchestrator.ContextStore = (*Store)(nil)

// AgentContext implements orchestrator.ContextStore.
func (s *Store) AgentContext(_ context.Context, k orchestrator.ContextKey) (id string, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		id = string(tx.Bucket(contextBucket).Get(contextKey(k)))
		return nil
	})
	return id, err
}

// SetAgentContext implements orchestrator.ContextStore.
func (s *Store) SetAgentContext(ctx context.Context, k orchestrator.ContextKey, id string) error {
	err := s.db.Update(ctx, func(tx *bbolt.Tx) error { return tx.Bucket(contextBucket).Put(contextKey(k), []byte(id)) })
	if err != nil {
		return fmt.Errorf("store the context of agent %q: %w", k.Agent, err)
	}
	return nil
}

func contextKey(k orchestrator.ContextKey) []byte {
	return boltdb.Key(k.Tenant, k.Owner, k.ContextID, k.Agent)
}
