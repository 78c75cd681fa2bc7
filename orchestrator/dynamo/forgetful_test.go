package dynamo_test

import (
	"context"
	"testing"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/orchestrator/storetest"
	"github.com/quorate/quorate/platform/ddb"
)

// forgetful is a store whose tasks are read by another replica each time.
type forgetful struct {
	*dynamo.Store // writes
	db            *ddb.Client
}

func (f forgetful) reader() *dynamo.Store { return dynamo.New(f.db, dynamo.Options{}) }

func (f forgetful) Task(ctx context.Context, k orchestrator.Key) (orchestrator.Task, error) {
	return f.reader().Task(ctx, k)
}

func (f forgetful) TaskPart(ctx context.Context, k orchestrator.Key, want orchestrator.Part) (orchestrator.Task, error) {
	return f.reader().TaskPart(ctx, k, want)
}

func (f forgetful) Tasks(ctx context.Context, tenant, after string, limit int) ([]orchestrator.Task, string, error) {
	return f.reader().Tasks(ctx, tenant, after, limit)
}

// A store remembers the content that it has written, so only another one shows that all of it can be read.
func TestReplicasReadWhatOthersHaveWritten(t *testing.T) {
	t.Parallel()
	storetest.RunExceptLimits(t, func(t *testing.T) orchestrator.Store {
		t.Helper()
		db := tables(t, nil)
		return forgetful{dynamo.New(db, dynamo.Options{}), db}
	})
}
