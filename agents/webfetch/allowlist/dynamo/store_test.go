package dynamo_test

import (
	"os"
	"testing"

	"github.com/quorate/quorate/agents/webfetch/allowlist"
	"github.com/quorate/quorate/agents/webfetch/allowlist/allowlisttest"
	"github.com/quorate/quorate/agents/webfetch/allowlist/dynamo"
	"github.com/quorate/quorate/platform/dynamotest"
)

func TestMain(m *testing.M) { os.Exit(dynamotest.Main(m)) }

func TestStore(t *testing.T) {
	allowlisttest.Run(t, func(t *testing.T) allowlist.Store {
		t.Helper()
		db := dynamotest.Open(t, nil)
		if err := db.Apply(t.Context(), dynamo.Tables(), nil); err != nil {
			t.Fatalf("Apply() = %v, want no error", err)
		}
		return dynamo.New(db)
	})
}
