package dynamo_test

import (
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/quorate/quorate/orchestrator"
	"github.com/quorate/quorate/orchestrator/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
	"github.com/quorate/quorate/platform/fault"
)

// DynamoDB throttles whoever writes a large artifact, and each try writes other records, which stay for ever if tasks do.
func TestAnArtifactThatCannotBeStoredLeavesNothing(t *testing.T) {
	t.Parallel()
	dynamotest.Endpoint(t)
	for name, pass := range map[string]int64{"a part of it": 2, "the task that refers to it": 3} { // writes until DynamoDB is busy
		var written atomic.Int64
		chaos := dynamotest.NewChaos(1)
		chaos.Throttle, chaos.Match = 1, func(operation string) bool { return operation == "PutItem" && written.Add(1) > pass }
		db := tables(t, nil)
		create(t, dynamo.New(db, dynamo.Options{}), "a", epoch)
		_, err := dynamo.New(reopen(t, db, chaos), dynamo.Options{}).Update(t.Context(), key("a"), func(t *orchestrator.Task) ([]orchestrator.Event, error) {
			t.Artifacts = []*a2apb.Artifact{{Parts: []*a2apb.Part{{Content: &a2apb.Part_Raw{Raw: make([]byte, 1<<20)}}}}}
			return nil, nil
		})
		if fault.ReasonOf(err) != "STORE_BUSY" || written.Load() <= pass {
			t.Fatalf("Update() without %s = %v after %d writes, want STORE_BUSY after more than %d", name, err, written.Load(), pass)
		}
		if left := recordsOf(t, db, "a", "*"); len(left) > 0 {
			t.Errorf("without %s, %d records of the artifact are left, want none", name, len(left))
		}
	}
}
