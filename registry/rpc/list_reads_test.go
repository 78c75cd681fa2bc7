package rpc_test

import (
	"context"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/quorate/quorate/platform/boltdb"
	"github.com/quorate/quorate/platform/page"
	registryv1 "github.com/quorate/quorate/proto/gen/quorate/registry/v1"
	"github.com/quorate/quorate/registry"
	"github.com/quorate/quorate/registry/embedded"
	"github.com/quorate/quorate/registry/rpc"
)

// meter is a store that counts the agents that are read from it.
type meter struct {
	*embedded.Store

	agents atomic.Int64
}

func (m *meter) Agents(ctx context.Context, q registry.Query) ([]registry.Record, error) {
	list, err := m.Store.Agents(ctx, q)
	m.agents.Add(int64(len(list)))
	return list, err
}

func TestAFilteredListReadsOnlyTheAgentsThatPass(t *testing.T) {
	t.Parallel()
	db, err := boltdb.Open(filepath.Join(t.TempDir(), "quorate.db"), boltdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store, err := embedded.New(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	m := &meter{Store: store}
	s := rpc.New(registry.New(m, registry.Options{}), page.New(make([]byte, 32)))
	ctx := admin(t)
	for i := range 60 {
		register(ctx, t, s, card(t, "a"+strconv.Itoa(10+i), "s"+strconv.Itoa(i%20)))
	}
	if _, err := s.Heartbeat(ctx, &registryv1.HeartbeatRequest{Name: "a33", Status: "available"}); err != nil {
		t.Fatal(err)
	}
	for filter, want := range map[string]int{`status=available`: 1, `skills:"s7"`: 3, `name="a1*"`: 10, `description:"nothing"`: 0} {
		if _, err := s.ListAgents(ctx, &registryv1.ListAgentsRequest{Filter: "name=nobody"}); err != nil { // loads the directory
			t.Fatal(err)
		}
		before := m.agents.Load()
		res, err := s.ListAgents(ctx, &registryv1.ListAgentsRequest{Filter: filter})
		if err != nil || len(res.GetAgents()) != want {
			t.Errorf("ListAgents(%s) = %d agents, %v, want %d", filter, len(res.GetAgents()), err, want)
		}
		if read := m.agents.Load() - before; read > int64(want) {
			t.Errorf("ListAgents(%s) read %d agents, want %d", filter, read, want)
		}
	}
}
